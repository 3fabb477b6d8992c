package mcptoolbox_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"
)

// The test binary is a server too, when this variable says which one.
const fakeVariable = "TEST_FAKE_MCP_SERVER"

func TestMain(m *testing.M) {
	if name := os.Getenv(fakeVariable); name != "" {
		fakes[name](&fake{in: os.Stdin, out: os.Stdout, tools: plainTools})
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// fakeCommand is the command of a fake server.
func fakeCommand(t testing.TB, name string, env ...string) *exec.Cmd {
	t.Helper()
	if fakes[name] == nil {
		t.Fatalf("there is no fake server %q", name)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), env...), fakeVariable+"="+name, "GORACE=atexit_sleep_ms=0")
	return cmd
}

// A fake is a server made of a few lines, so that it can do wrong.
type fake struct {
	in    io.Reader
	out   io.Writer
	tools string // what it lists, as JSON
	// handle answers a request in its own way when it returns true.
	handle func(f *fake, r request) bool
}

type request struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name      string          `json:"name"`
		Cursor    string          `json:"cursor"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"params"`
}

const plainTools = `[
	{"name":"add","description":"Adds two numbers.","inputSchema":{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}},"required":["a","b"]}},
	{"name":"echo","description":"Says what it hears.","inputSchema":{"type":"object"}}
]`

// serve answers until the input ends.
func (f *fake) serve() {
	lines := bufio.NewScanner(f.in)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var r request
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			panic(fmt.Sprintf("a request is no JSON: %v: %q", err, lines.Text()))
		}
		if f.handle == nil || !f.handle(f, r) {
			f.respond(r)
		}
	}
}

func (f *fake) respond(r request) {
	switch {
	case r.ID == nil: // a notification
	case r.Method == "initialize":
		f.result(r, `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"fake","version":"1"}}`)
	case r.Method == "tools/list":
		f.result(r, `{"tools":`+f.tools+`}`)
	case r.Method == "tools/call" && r.Params.Name == "add":
		var n struct{ A, B float64 }
		_ = json.Unmarshal(r.Params.Arguments, &n)
		f.text(r, fmt.Sprint(n.A+n.B))
	case r.Method == "tools/call":
		f.text(r, string(r.Params.Arguments))
	default:
		f.line(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"method not found"}}`, r.ID))
	}
}

func (f *fake) text(r request, text string) {
	quoted, _ := json.Marshal(text)
	f.result(r, `{"content":[{"type":"text","text":`+string(quoted)+`}]}`)
}

func (f *fake) result(r request, result string) {
	f.line(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, r.ID, compact(result)))
}

func (f *fake) line(text string) { _, _ = io.WriteString(f.out, text+"\n") }

// compact takes the newlines out, which no message may have.
func compact(text string) string {
	var raw json.RawMessage
	if json.Unmarshal([]byte(text), &raw) != nil {
		return text
	}
	out, _ := json.Marshal(raw)
	return string(out)
}
