package mcptoolbox_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"release-notes-agent/agent/mcptoolbox"
	"release-notes-agent/internal/gittest"
)

const (
	everything       = "@modelcontextprotocol/server-everything"
	everythingPrefix = "mcp-servers/everything:"
)

// npxCommand runs a server of npm's. The variable that it returns is in the
// environment of all its processes.
func npxCommand(t *testing.T, args ...string) (cmd *exec.Cmd, variable string) {
	t.Helper()
	gittest.NeedNpx(t)
	variable = "TEST_NPX=" + t.TempDir()
	cmd = exec.Command("npx", args...)
	cmd.Env = append(os.Environ(), variable)
	return cmd, variable
}

// wantNoneWith looks for processes that have a variable, where there is a /proc.
func wantNoneWith(t *testing.T, variable string) {
	t.Helper()
	environments, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, name := range environments {
		environment, _ := os.ReadFile(name) // which may have ended, or be somebody else's
		if bytes.Contains(environment, []byte(variable+"\x00")) {
			command, _ := os.ReadFile(filepath.Join(filepath.Dir(name), "cmdline"))
			t.Errorf("still running: %s", bytes.ReplaceAll(command, []byte{0}, []byte(" ")))
		}
	}
}

// TestServerOfNpm goes through everything with the server that is made for it, a
// child of npx.
func TestServerOfNpm(t *testing.T) {
	cmd, variable := npxCommand(t, "-y", everything)
	begin := time.Now()
	box, err := mcptoolbox.Connect(t.Context(), mcptoolbox.Command(cmd, nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("start: %v", time.Since(begin).Round(time.Millisecond))
	t.Run("names", func(t *testing.T) { everythingNames(t, box) })
	t.Run("results", func(t *testing.T) { everythingResults(t, box) })
	t.Run("call that is cut off", func(t *testing.T) { everythingCutOff(t, box) })

	begin = time.Now()
	if err := box.Cancel(t.Context()); err != nil {
		t.Error(err)
	}
	t.Logf("end: %v", time.Since(begin).Round(time.Millisecond))
	wantNoneWith(t, variable)
	if _, err := box.Tools(t.Context()); !errors.Is(err, mcptoolbox.ErrNotRunning) {
		t.Errorf("after Cancel: %v", err)
	}
}

func everythingNames(t *testing.T, box *mcptoolbox.Toolbox) {
	all := names(list(t, box))
	for _, name := range []string{"echo", "get-sum"} {
		if !slices.Contains(all, everythingPrefix+name) {
			t.Errorf("%q is missing among %q", name, all)
		}
	}
	if got := names(list(t, box.WithWhitelist("get-sum", "nothing"))); !slices.Equal(got, []string{everythingPrefix + "get-sum"}) {
		t.Errorf("whitelisted: %q", got)
	}
	if got := names(list(t, box.WithBlacklist("get-sum"))); len(got) != len(all)-1 || slices.Contains(got, everythingPrefix+"get-sum") {
		t.Errorf("blacklisted: %q", got)
	}
}

func everythingResults(t *testing.T, box *mcptoolbox.Toolbox) {
	for _, test := range []struct{ tool, arguments, want, wantErr string }{
		{"get-sum", `{"a":20,"b":22}`, "is 42.", ""},
		{"echo", `{"message":"«hello»\n"}`, "Echo: «hello»\n", ""},
		{"get-structured-content", `{"location":"Chicago"}`, `"temperature"`, ""},
		{"get-tiny-image", ``, "image", ""}, // between two texts
		{"get-sum", `{"a":"twenty"}`, "", "Invalid"},
		{"get-sum", `[20,22]`, "", "wrong arguments"},
	} {
		out, err := call(t.Context(), find(t, box, everythingPrefix+test.tool), test.arguments)
		if !strings.Contains(out, test.want) || (err == nil) != (test.wantErr == "") {
			t.Errorf("%s %s: got %q, %v", test.tool, test.arguments, out, err)
		}
		if err != nil && !strings.Contains(err.Error(), test.wantErr) {
			t.Errorf("%s %s: %v", test.tool, test.arguments, err)
		}
	}
}

func everythingCutOff(t *testing.T, box *mcptoolbox.Toolbox) {
	ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	long := find(t, box, everythingPrefix+"trigger-long-running-operation")
	if _, err := call(ctx, long, `{"duration":60,"steps":2}`); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	if out, err := call(t.Context(), find(t, box, everythingPrefix+"echo"), `{"message":"still there"}`); err != nil {
		t.Errorf("the next call: %q, %v", out, err)
	}
}

func TestServerThatNpmDoesNotHave(t *testing.T) {
	cmd, variable := npxCommand(t, "--offline", "-y", "@modelcontextprotocol/server-nothing")
	_, err := mcptoolbox.Connect(t.Context(), mcptoolbox.Command(cmd, nil), nil)
	if err == nil {
		t.Fatal("it started")
	}
	for _, want := range []string{"npx --offline -y @modelcontextprotocol/server-nothing", "exit status 1", "ENOTCACHED"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is missing in: %v", want, err)
		}
	}
	wantNoneWith(t, variable)
}
