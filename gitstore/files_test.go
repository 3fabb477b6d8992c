package gitstore

import (
	"os"
	"os/exec"
	"testing"

	"release-notes-agent/internal/gittest"
)

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
}

func rename(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

func symlink(t *testing.T, to, at string) {
	t.Helper()
	if err := os.Symlink(to, at); err != nil {
		t.Skipf("links can't be made here: %v", err)
	}
}

// gitOutput is for commands that also fail for good reasons, such as show-ref without tags.
func gitOutput(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, gittest.Env()
	out, err := cmd.Output()
	return string(out), err
}
