package mcptoolbox

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// A tree is a job object. It ends with the last handle to it, so also when this
// program is killed.
type tree struct{ job windows.Handle }

// prepareTree keeps an interrupt from the console away from a command.
func prepareTree(cmd *exec.Cmd) *tree {
	attributes := syscall.SysProcAttr{}
	if cmd.SysProcAttr != nil {
		attributes = *cmd.SysProcAttr
	}
	attributes.CreationFlags |= windows.CREATE_NEW_PROCESS_GROUP
	cmd.SysProcAttr = &attributes
	return &tree{}
}

// started puts the server into the job. What it starts from then on is in it as well.
func (t *tree) started(leader *os.Process) error {
	err := t.adopt(uint32(leader.Pid))
	if err != nil {
		t.close()
		_ = leader.Kill()
		_, _ = leader.Wait()
		return fmt.Errorf("putting process %d into a job object: %w", leader.Pid, err)
	}
	return nil
}

func (t *tree) adopt(pid uint32) (err error) {
	if t.job, err = windows.CreateJobObject(nil, nil); err != nil {
		return err
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	if _, err := windows.SetInformationJobObject(t.job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits))); err != nil {
		return err
	}
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, pid)
	if err != nil {
		return err
	}
	defer windows.CloseHandle(process)
	return windows.AssignProcessToJobObject(t.job, process)
}

// empty says whether the job was ended: what is left in one is not known.
func (t *tree) empty() bool { return t.job == 0 }

// terminate ends the job: Windows has no way of asking that every program heeds.
func (t *tree) terminate() { t.kill() }

// kill ends the job and says whether nothing is left, which is so then.
func (t *tree) kill() (none bool) {
	if t.job != 0 {
		_ = windows.TerminateJobObject(t.job, 1)
		t.close()
	}
	return true
}

func (t *tree) close() {
	if t.job != 0 {
		_ = windows.CloseHandle(t.job)
		t.job = 0
	}
}
