//go:build unix

package mcptoolbox

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// A tree is a process group, and on Linux what has left it.
type tree struct {
	group int
	mark  string // in the environment of everything that the server starts
}

// prepareTree makes a command start a process group of its own.
func prepareTree(cmd *exec.Cmd) *tree {
	attributes := syscall.SysProcAttr{}
	if cmd.SysProcAttr != nil {
		attributes = *cmd.SysProcAttr
	}
	attributes.Setpgid, attributes.Pgid = !attributes.Setsid, 0
	dieWithParent(&attributes)
	cmd.SysProcAttr = &attributes
	t := &tree{mark: newMark()}
	if t.mark != "" {
		cmd.Env = append(cmd.Environ(), t.mark)
	}
	if cmd.Cancel != nil { // the command was made with a context
		cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	}
	return t
}

func (t *tree) started(leader *os.Process) error {
	t.group = leader.Pid
	return nil
}

// empty says whether nothing is left in the group.
func (t *tree) empty() bool {
	return errors.Is(syscall.Kill(-t.group, 0), syscall.ESRCH) || onlyZombies(t.group)
}

func (t *tree) terminate() { _ = syscall.Kill(-t.group, syscall.SIGTERM) }

// kill kills what is left and says whether that was nothing.
func (t *tree) kill() (none bool) {
	none = t.empty()
	if !none {
		_ = syscall.Kill(-t.group, syscall.SIGKILL)
	}
	return killMarked(t.mark) == 0 && none
}
