//go:build unix

package mcptoolbox_test

import (
	"os/exec"
	"syscall"
)

// leaveGroup makes a command leave the process group of whoever starts it.
func leaveGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
