package mcptoolbox

import (
	"bytes"
	"crypto/rand"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// dieWithParent has the kernel kill the server when the thread that started it ends,
// which is when this program does: see process.run.
func dieWithParent(attributes *syscall.SysProcAttr) { attributes.Pdeathsig = syscall.SIGKILL }

// newMark returns an environment variable that no other process has. Children
// inherit it, also those that leave the process group.
func newMark() string { return "MCPTOOLBOX_SERVER_ID=" + rand.Text() }

// killMarked kills the processes whose environment holds a mark, and counts them.
func killMarked(mark string) int {
	killed := 0
	for pid := range processes() {
		// The handle is opened first, so that it is not a later process of the
		// same number that is killed.
		p, err := os.FindProcess(pid)
		if err != nil {
			continue
		}
		if hasMark(pid, mark) && p.Signal(syscall.SIGKILL) == nil {
			killed++
		}
		_ = p.Release()
	}
	return killed
}

func hasMark(pid int, mark string) bool {
	environment, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "environ"))
	return err == nil && bytes.Contains(environment, []byte(mark+"\x00"))
}

// onlyZombies says whether nothing in a process group runs any more. Zombies stay
// where nobody waits for orphans, as in containers without an init.
func onlyZombies(group int) bool {
	found := false
	for pid := range processes() {
		stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
		if err != nil {
			continue
		}
		// The fields after the command in brackets: state, parent, group.
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		if len(fields) < 3 || string(fields[2]) != strconv.Itoa(group) {
			continue
		}
		if state := string(fields[0]); state != "Z" && state != "X" {
			return false
		}
		found = true
	}
	return found
}

// processes returns the numbers of all processes.
func processes() map[int]bool {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	pids := map[int]bool{}
	for _, entry := range entries {
		if pid, err := strconv.Atoi(entry.Name()); err == nil && pid != os.Getpid() {
			pids[pid] = true
		}
	}
	return pids
}
