//go:build unix && !linux

package mcptoolbox

import "syscall"

// Only Linux can tell a child to die with its parent and find processes by their
// environment. Elsewhere the process group has to do.

func dieWithParent(*syscall.SysProcAttr) {}

func newMark() string { return "" }

func killMarked(string) int { return 0 }

func onlyZombies(int) bool { return false }
