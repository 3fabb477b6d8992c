package mcptoolbox_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"release-notes-agent/agent/mcptoolbox"
)

// start starts a fake server as a child process.
func start(t testing.TB, name string, env ...string) *mcptoolbox.Toolbox {
	t.Helper()
	box, err := mcptoolbox.Connect(t.Context(), mcptoolbox.Command(fakeCommand(t, name, env...), nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	cancelAtEnd(t, box)
	return box
}

func TestClumsyOutput(t *testing.T) {
	for _, name := range []string{
		"plain", "banner", "log lines", "bom", "crlf", "spaces", "small writes", "long junk", "json lines",
		"notifications", "batch", "floods stderr", "asks the client", "launcher of plain", "long answer",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			box := start(t, name)
			if diff := cmp.Diff([]string{"fake:add", "fake:echo"}, names(list(t, box))); diff != "" {
				t.Error(diff)
			}
			for i := range 3 {
				want := fmt.Sprintf(`{"n":%d}`, i)
				if out, err := call(t.Context(), find(t, box, "fake:echo"), want); err != nil || out != want {
					t.Errorf("got %q, %v", out, err)
				}
			}
		})
	}
}

func TestOldServerIsNotAskedForMore(t *testing.T) {
	box := start(t, "old")
	if out, err := call(t.Context(), find(t, box, "old:add"), `{"a":1,"b":2}`); err != nil || out != "3" {
		t.Errorf("got %q, %v", out, err)
	}
}

func TestLongAnswers(t *testing.T) {
	box := start(t, "long answer")
	out, err := call(t.Context(), find(t, box, "fake:add"), `{}`)
	if err != nil || len(out) != 20<<20 {
		t.Errorf("20 MiB: got %d bytes, %v", len(out), err)
	}
	box = start(t, "longer answer")
	add := find(t, box, "fake:add")
	for range 2 {
		_, err = call(t.Context(), add, `{}`)
		if !errors.Is(err, mcptoolbox.ErrNotRunning) || !strings.Contains(err.Error(), "a message of more than 32 MiB") {
			t.Errorf("40 MiB: got %v", err)
		}
	}
}

func TestAnswerWithoutItsEnd(t *testing.T) {
	box := start(t, "no last end")
	if out, err := call(t.Context(), find(t, box, "fake:add"), `{}`); err != nil || out != "last" {
		t.Errorf("got %q, %v", out, err)
	}
}

func TestAnswersThatCannotBeReadAreErrors(t *testing.T) {
	box := start(t, "no version")
	_, err := call(t.Context(), find(t, box, "fake:add"), `{}`)
	if err == nil || !strings.Contains(err.Error(), "cannot be read") {
		t.Errorf("got %v", err)
	}
	deep := connectFake(t, &fake{handle: func(f *fake, r request) bool {
		if r.Method == "tools/call" {
			f.line(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"structuredContent":%s}}`, r.ID, strings.Repeat("[", 5000)+strings.Repeat("]", 5000)))
		}
		return r.Method == "tools/call"
	}})
	if _, err := call(t.Context(), find(t, deep, "fake:add"), `{}`); err == nil || !strings.Contains(err.Error(), "depth") {
		t.Errorf("got %v", err)
	}
}

func TestServerDiesInTheMiddleOfACall(t *testing.T) {
	box := start(t, "dies in a call")
	add := find(t, box, "fake:add")
	for range 2 {
		_, err := call(t.Context(), add, `{}`)
		if !errors.Is(err, mcptoolbox.ErrNotRunning) || !strings.Contains(err.Error(), "exit status 139") {
			t.Errorf("got %v", err)
		}
	}
	if _, err := box.Tools(t.Context()); !errors.Is(err, mcptoolbox.ErrNotRunning) {
		t.Errorf("listing: %v", err)
	}
}

func TestServerClosesItsOutput(t *testing.T) {
	box := start(t, "closes stdout")
	if _, err := call(t.Context(), find(t, box, "fake:add"), `{}`); !errors.Is(err, mcptoolbox.ErrNotRunning) {
		t.Errorf("got %v", err)
	}
}

func TestServerDoesNotReadItsInput(t *testing.T) {
	box := start(t, "does not read")
	add := find(t, box, "fake:add")
	long := `{"x":"` + strings.Repeat("x", 1<<20) + `"}` // more than a pipe holds
	for range 2 {
		ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
		if _, err := call(ctx, add, long); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		stop()
	}
}

func TestCursors(t *testing.T) {
	page := func(tools, next string) string { return `{"tools":[` + tools + `],"nextCursor":"` + next + `"}` }
	tool := func(n int) string {
		return fmt.Sprintf(`{"name":"t%d","description":"Does.","inputSchema":{"type":"object"}}`, n)
	}
	pages := 0
	for _, test := range []struct {
		what  string
		page  func(cursor string) string
		tools int
		err   string
	}{
		{"two pages", func(cursor string) string {
			if cursor == "" {
				return page(tool(1), "next")
			}
			return page(tool(2), "")
		}, 2, ""},
		{"a repeating cursor", func(string) string { return page(tool(1)+","+tool(2), "again") }, 2, ""},
		{"a cursor after an empty page", func(string) string { return page("", "more") }, 0, ""},
		{"an endless cursor without new tools", func(string) string { return page(tool(1), fmt.Sprint(pages)) }, 1, ""},
		{"an endless cursor with new tools", func(string) string {
			var tools []string
			for i := range 500 {
				tools = append(tools, tool(pages*500+i))
			}
			return page(strings.Join(tools, ","), fmt.Sprint(pages))
		}, 0, "more than 5000"},
		{"no tools", func(string) string { return `{"tools":[]}` }, 0, ""},
		{"null tools", func(string) string { return `{"tools":null}` }, 0, ""},
		{"a null tool", func(string) string { return page("null,"+tool(1), "") }, 1, ""},
		{"duplicate names", func(string) string {
			return page(tool(1)+`,{"name":"t1","description":"Other.","inputSchema":null},`+tool(2), "")
		}, 2, ""},
	} {
		t.Run(test.what, func(t *testing.T) {
			pages = 0
			box := connectFake(t, &fake{handle: func(f *fake, r request) bool {
				if r.Method == "tools/list" {
					pages++
					f.result(r, test.page(r.Params.Cursor))
				}
				return r.Method == "tools/list"
			}})
			tools, err := box.Tools(t.Context())
			if len(tools) != test.tools || (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
				t.Errorf("got %d tools, %v", len(tools), err)
			}
		})
	}
}

func TestFirstOfTwoToolsWithOneNameStays(t *testing.T) {
	box := connectFake(t, &fake{tools: `[
		{"name":"x","description":"First.","inputSchema":{"type":"object"}},
		{"name":"x","description":"Second.","inputSchema":{"type":"object"}}]`})
	if tools := list(t, box); len(tools) != 1 || tools[0].Spec().Description != "First." {
		t.Errorf("got %v", tools)
	}
}

func TestListChangedIsIgnored(t *testing.T) {
	var lists int
	box := connectFake(t, &fake{handle: func(f *fake, r request) bool {
		if r.Method == "tools/list" {
			lists++
			f.respond(r)
			f.line(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		}
		return r.Method == "tools/list"
	}})
	tools := list(t, box)
	if _, err := call(t.Context(), tools[0], `{"a":1,"b":2}`); err != nil {
		t.Error(err)
	}
	if lists != 1 {
		t.Errorf("the server was asked for its tools %d times", lists)
	}
}

func TestFailedStarts(t *testing.T) {
	for _, test := range []struct {
		name    string
		timeout time.Duration
		want    []string
	}{
		{"exit", 0, []string{"starting MCP server", "it has exited"}},
		{"last words", 0, []string{"exit status 3", "cannot find the flux compensator", "line 49"}},
		{"hang", 300 * time.Millisecond, []string{"no answer to the handshake within 300ms"}},
		{"deserted family", 0, []string{"exit status 3"}},
		{"deserted family", 700 * time.Millisecond, []string{"exit status 3"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			cmd := fakeCommand(t, test.name, pidsVariable+"="+t.TempDir()+"/pids")
			begin := time.Now()
			_, err := mcptoolbox.Connect(t.Context(), mcptoolbox.Command(cmd, nil), &mcptoolbox.Options{HandshakeTimeout: test.timeout})
			if err == nil {
				t.Fatal("it started")
			}
			for _, want := range append(test.want, cmd.Path) {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q is not in: %v", want, err)
				}
			}
			if strings.ContainsAny(err.Error(), "\n\x1b") {
				t.Errorf("the error is not one line of text: %q", err)
			}
			if took := time.Since(begin); took > 5*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
}

func TestStartOfWhatIsNotThere(t *testing.T) {
	cmd := fakeCommand(t, "plain")
	cmd.Path, cmd.Args = "/nowhere/server", []string{"/nowhere/server", "--token", "abcdefgh", "-y"}
	_, err := mcptoolbox.Connect(t.Context(), mcptoolbox.Command(cmd, nil), nil)
	if err == nil || !strings.Contains(err.Error(), `"/nowhere/server --token [redacted] -y"`) {
		t.Errorf("got %v", err)
	}
}

func TestStartEndsWithItsContext(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, stop)
	begin := time.Now()
	_, err := mcptoolbox.Connect(ctx, mcptoolbox.Command(fakeCommand(t, "hang"), nil), nil)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if took := time.Since(begin); took > time.Second {
		t.Errorf("it took %v", took)
	}
}

func TestConnectionOutlivesTheContextOfItsStart(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	box, err := mcptoolbox.Connect(ctx, mcptoolbox.Command(fakeCommand(t, "plain"), nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	cancelAtEnd(t, box)
	stop()
	time.Sleep(20 * time.Millisecond)
	if out, err := call(t.Context(), find(t, box, "fake:add"), `{"a":1,"b":2}`); err != nil || out != "3" {
		t.Errorf("got %q, %v", out, err)
	}
}

// A lockedBuffer is written to by servers and read by a test.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(data []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(data)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func TestSecretsAreNeitherReportedNorLogged(t *testing.T) {
	const token = "s3cr3t/value+1"
	var logs lockedBuffer
	cmd := fakeCommand(t, "prints the token", "SERVICE_TOKEN="+token, "PLAIN_VALUE=widgets")
	_, err := mcptoolbox.Connect(t.Context(), mcptoolbox.Command(cmd, nil), &mcptoolbox.Options{
		Logger: slog.New(slog.NewTextHandler(&logs, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	if err == nil {
		t.Fatal("it started")
	}
	for what, text := range map[string]string{"error": err.Error(), "log": logs.String()} {
		if strings.Contains(text, "s3cr3t") || strings.Contains(text, "ghp_") {
			t.Errorf("the %s has a secret: %s", what, text)
		}
		if !strings.Contains(text, "bad token [redacted] for widgets") {
			t.Errorf("the %s lacks the line: %s", what, text)
		}
	}
}
