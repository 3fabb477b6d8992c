//go:build unix

package mcptoolbox_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"release-notes-agent/agent/mcptoolbox"
)

// pidFile returns the environment variable for a file of process numbers, and what
// has been noted in it.
func pidFile(t testing.TB) (env string, noted func() []string) {
	path := filepath.Join(t.TempDir(), "pids")
	return pidsVariable + "=" + path, func() []string {
		data, _ := os.ReadFile(path)
		return strings.Fields(string(data))
	}
}

func isAlive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return runtime.GOOS != "linux"
	}
	return !bytes.HasPrefix(stat[bytes.LastIndexByte(stat, ')')+1:], []byte(" Z"))
}

// wantGone waits for the end of a process for a moment.
func wantGone(t testing.TB, pid int, within time.Duration) {
	t.Helper()
	for begin := time.Now(); isAlive(pid); time.Sleep(time.Millisecond) {
		if time.Since(begin) > within {
			t.Errorf("process %d is alive", pid)
			_ = syscall.Kill(pid, syscall.SIGKILL)
			return
		}
	}
}

func number(t testing.TB, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// The bounds are not what is promised, which would be a matter of the machine: they tell
// a server that ended by itself from one that had to be killed, and either from one that
// hangs.
func TestCancelLeavesNoProcess(t *testing.T) {
	for _, test := range []struct {
		name     string
		children int
		within   time.Duration
	}{
		{"plain", 0, 2 * time.Second},
		{"launcher of plain", 0, 2 * time.Second},
		{"ends on term", 0, 2 * time.Second},
		{"stubborn", 0, 10 * time.Second},
		{"family", 1, 10 * time.Second},
		{"loud family", 1, 10 * time.Second},
		{"scattered family", 1, 10 * time.Second},
		{"does not read", 0, 10 * time.Second},
		{"floods stderr", 0, 10 * time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.name == "scattered family" && runtime.GOOS != "linux" {
				t.Skip("processes that left the group are found on Linux only")
			}
			env, noted := pidFile(t)
			cmd := fakeCommand(t, test.name, env)
			box, err := mcptoolbox.Connect(t.Context(), mcptoolbox.Command(cmd, nil), nil)
			if err != nil {
				t.Fatal(err)
			}
			list(t, box)
			if got := len(noted()); got != test.children {
				t.Fatalf("%d children", got)
			}
			begin := time.Now()
			if err := box.Cancel(t.Context()); err != nil {
				t.Error(err)
			}
			if took := time.Since(begin); took > test.within {
				t.Errorf("it took %v", took)
			}
			wantGone(t, cmd.Process.Pid, 0)
			for _, child := range noted()[:test.children] {
				wantGone(t, number(t, child), 0)
			}
			if test.name == "ends on term" && len(noted()) != 1 {
				t.Error("it was not asked to end")
			}
		})
	}
}

// A session of one's own over Command: neither its end nor a start that fails leaves a
// process.
func TestSessionOfOnesOwnLeavesNoProcess(t *testing.T) {
	for _, name := range []string{"plain", "loud family", "deserted family"} {
		t.Run(name, func(t *testing.T) {
			env, noted := pidFile(t)
			cmd := fakeCommand(t, name, env)
			client := mcp.NewClient(&mcp.Implementation{Name: "mine"}, nil)
			ctx, stop := context.WithCancel(t.Context())
			session, err := client.Connect(ctx, mcptoolbox.Command(cmd, nil), &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
			stop()
			if (err != nil) != (name == "deserted family") {
				t.Fatal(err)
			}
			if err == nil {
				box := mcptoolbox.FromSession(session)
				list(t, box) // the session outlives the context of its start
				if err := box.Cancel(t.Context()); err != nil {
					t.Error(err)
				}
			}
			wantGone(t, cmd.Process.Pid, time.Second)
			for _, child := range noted() {
				wantGone(t, number(t, child), time.Second)
			}
		})
	}
}

func TestCancelWithAnEndedContextStillEndsTheServer(t *testing.T) {
	cmd := fakeCommand(t, "stubborn")
	box, err := mcptoolbox.Connect(t.Context(), mcptoolbox.Command(cmd, nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	begin := time.Now()
	if err := box.Cancel(ctx); err != nil {
		t.Error(err)
	}
	if took := time.Since(begin); took > 2*time.Second {
		t.Errorf("it took %v", took)
	}
	wantGone(t, cmd.Process.Pid, 0)
}

func TestFailedStartLeavesNoProcess(t *testing.T) {
	for _, name := range []string{"hang", "exit", "deserted family", "family of a hang"} {
		t.Run(name, func(t *testing.T) {
			env, noted := pidFile(t)
			cmd := fakeCommand(t, name, env)
			_, err := mcptoolbox.Connect(t.Context(), mcptoolbox.Command(cmd, nil), &mcptoolbox.Options{HandshakeTimeout: 300 * time.Millisecond})
			if err == nil {
				t.Fatal("it started")
			}
			wantGone(t, cmd.Process.Pid, 0)
			for _, child := range noted() {
				wantGone(t, number(t, child), 0)
			}
		})
	}
}

func TestServerThatDiesLeavesNoProcess(t *testing.T) {
	env, noted := pidFile(t)
	box := start(t, "dies in a family", env)
	begin := time.Now()
	if _, err := call(t.Context(), find(t, box, "fake:add"), `{}`); err == nil || !strings.Contains(err.Error(), "exit status 139") {
		t.Errorf("got %v", err)
	}
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("the call took %v", took)
	}
	for _, child := range noted() {
		wantGone(t, number(t, child), time.Second)
	}
}

func TestCommandWithAContext(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	env, noted := pidFile(t)
	plain := fakeCommand(t, "loud family", env)
	cmd := exec.CommandContext(ctx, plain.Path)
	cmd.Env = plain.Env
	box, err := mcptoolbox.Connect(t.Context(), mcptoolbox.Command(cmd, nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	cancelAtEnd(t, box)
	stop()
	wantGone(t, cmd.Process.Pid, time.Second)
	for _, child := range noted() {
		wantGone(t, number(t, child), time.Second)
	}
}

// startParent runs parent in a process group of its own, and returns it with the
// number of its server.
func startParent(t *testing.T, server, env string) (cmd *exec.Cmd, pid int, lines *bufio.Scanner) {
	t.Helper()
	cmd = fakeCommand(t, "parent", "TEST_CHILD="+server, env)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines = bufio.NewScanner(out)
	if !lines.Scan() {
		t.Fatal("the parent says nothing")
	}
	return cmd, number(t, lines.Text()), lines
}

func TestInterruptOfTheParentLeavesNoProcess(t *testing.T) {
	env, noted := pidFile(t)
	cmd, pid, lines := startParent(t, "notes interrupts", env)
	// As a terminal does: the signal goes to the whole foreground group.
	if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if !lines.Scan() || lines.Text() != "<nil>" {
		t.Errorf("Cancel returned %q", lines.Text())
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	wantGone(t, pid, 0)
	if got := noted(); len(got) > 0 {
		t.Errorf("the server saw %q", got)
	}
}

func TestKillOfTheParentLeavesNoServer(t *testing.T) {
	servers := []string{"plain"}
	if runtime.GOOS == "linux" {
		servers = append(servers, "stubborn")
	}
	for _, server := range servers {
		t.Run(server, func(t *testing.T) {
			env, _ := pidFile(t)
			cmd, pid, _ := startParent(t, server, env)
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			wantGone(t, pid, time.Second)
		})
	}
}
