// Package gittest builds git repositories for tests from a few lines of text,
// always with the same hashes. Call [Build].
//
// A script is read line by line; each line is a command:
//
//	commit SUBJECT          a commit on the current branch; without file lines before it, an empty one
//	merge BRANCH SUBJECT    a merge commit: first parent the current branch, then BRANCH; "merge a,b SUBJECT" is an octopus
//	revert REV [SUBJECT]    undoes REV with the message that git revert writes, or with SUBJECT and the message lines that follow
//	  | TEXT                continues the message of the commit, merge, revert or tag above; "|" alone is an empty line
//	file PATH CONTENT       writes PATH, with a newline at its end, in the next commit
//	remove PATH             removes PATH in the next commit
//	rename OLD NEW          moves a file in the next commit
//	branch NAME [REV]       makes a branch at the current commit, or at REV, and goes on there
//	orphan NAME             goes on with a branch that has no history yet
//	checkout NAME           goes on with an existing branch; the last one stays checked out
//	tag NAME [REV]          a lightweight tag; REV is a branch, a tag or a mark
//	annotate NAME [REV]     an annotated tag, of a tag if REV is an annotated one; its message is NAME unless lines follow
//	mark NAME               remembers the current commit; "$NAME" in later messages stands for its hash, "$NAME:8" for 8 digits of it
//	author NAME <EMAIL>     of everything that follows; "Ann Author <ann@example.com>" at first
//	committer NAME <EMAIL>  the committer of the next commit alone
//	encoding NAME           the encoding header of the next commit
//	at SECONDS              sets the clock, in Unix time; every commit and annotated tag first moves it on by an hour
//	remote URL              sets remote.origin.url; https://github.com/acme/widget.git at first, "none" for no remote
//	# TEXT                  a comment
//
// In contents, subjects and message lines \n, \r, \t, \\ and \xHH are expanded. The
// first branch is main; the clock starts at 1700000000.
package gittest

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Build makes the repository that script describes in a temporary directory of
// the test and returns its path.
func Build(t testing.TB, script string) string {
	t.Helper()
	NeedGit(t)
	dir := t.TempDir()
	if err := BuildAt(dir, script); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Git runs git in dir and returns what it prints, without the last newline.
func Git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	NeedGit(t)
	out, err := command(dir, args...).Output()
	if err != nil {
		var stderr string
		if exit, ok := err.(*exec.ExitError); ok {
			stderr = string(exit.Stderr)
		}
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, stderr)
	}
	return strings.TrimSuffix(string(out), "\n")
}

// NeedGit skips the test where there is no git. In CI it fails instead.
func NeedGit(t testing.TB) { need(t, "git") }

// NeedNpx skips the test where there is no npx. In CI it fails instead.
func NeedNpx(t testing.TB) { need(t, "npx") }

func need(t testing.TB, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err == nil {
		return
	}
	if os.Getenv("CI") == "true" {
		t.Fatalf("%s is not on PATH, and CI runs every test", program)
	}
	t.Skipf("needs %s, which is not on PATH", program)
}

// Env is the environment for git in tests: that of the process without what
// steers git, and with what keeps the user's configuration out.
func Env() []string {
	var env []string
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "GIT_") {
			env = append(env, kv)
		}
	}
	return append(env, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "TZ=UTC", "LC_ALL=C.UTF-8",
		"GIT_AUTHOR_NAME=Ann Author", "GIT_AUTHOR_EMAIL=ann@example.com",
		"GIT_COMMITTER_NAME=Ann Author", "GIT_COMMITTER_EMAIL=ann@example.com")
}

func command(dir string, args ...string) *exec.Cmd {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = Env()
	return cmd
}
