package mcptoolbox_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"release-notes-agent/agent/mcptoolbox"
)

// fakes are the servers that run as processes, by name. Each does one thing wrong.
var fakes map[string]func(*fake)

func init() { // here, since the servers refer to the map by starting each other
	fakes = map[string]func(*fake){
		"plain":      func(f *fake) { f.serve() },
		"hang":       func(*fake) { time.Sleep(time.Hour) },
		"exit":       func(*fake) { os.Exit(0) },
		"last words": lastWords,
		"old":        onlyInitialize,

		"banner":        banner,
		"log lines":     logLines,
		"bom":           func(f *fake) { _, _ = io.WriteString(f.out, "\uFEFF"); f.serve() },
		"crlf":          func(f *fake) { f.out = replacing{f.out, "\n", "\r\n"}; f.serve() },
		"spaces":        func(f *fake) { f.out = replacing{f.out, "\n", " \t \n\n"}; f.serve() },
		"small writes":  func(f *fake) { f.out = byteByByte{f.out}; f.serve() },
		"no last end":   noLastEnd,
		"long junk":     func(f *fake) { f.out = before{f.out, strings.Repeat("junk ", 8<<20) + "\n"}; f.serve() },
		"long answer":   func(f *fake) { f.handle = longAnswer(20 << 20); f.serve() },
		"longer answer": func(f *fake) { f.handle = longAnswer(40 << 20); f.serve() },
		"json lines":    func(f *fake) { f.out = before{f.out, jsonJunk}; f.serve() },
		"notifications": func(f *fake) { f.out = before{f.out, notifications}; f.serve() },
		"batch":         func(f *fake) { f.out = batches{f.out}; f.serve() },
		"no version":    func(f *fake) { f.out = noVersion{f.out}; f.serve() },

		"dies in a call":   diesInCall,
		"closes stdout":    closesStdout,
		"floods stderr":    floodsStderr,
		"does not read":    doesNotRead,
		"asks the client":  asksClient,
		"prints the token": printsToken,

		"stubborn":          func(f *fake) { ignoreSignals(); f.serve(); time.Sleep(time.Hour) },
		"ends on term":      endsOnTerm,
		"family":            func(f *fake) { startSleeper(false, false); f.serve() },
		"loud family":       func(f *fake) { startSleeper(true, false); f.serve() },
		"scattered family":  func(f *fake) { startSleeper(true, true); f.serve() },
		"deserted family":   func(*fake) { startSleeper(true, false); os.Exit(3) },
		"family of a hang":  func(*fake) { startSleeper(true, false); time.Sleep(time.Hour) },
		"notes interrupts":  notesInterrupts,
		"dies in a family":  func(f *fake) { startSleeper(true, false); diesInCall(f) },
		"sleeper":           func(*fake) { ignoreSignals(); notePid(); time.Sleep(time.Hour) },
		"parent":            func(*fake) { parent() },
		"launcher of plain": launcher,
	}
}

// lastWords ends before the handshake and says why.
func lastWords(*fake) {
	for i := range 50 {
		fmt.Fprintln(os.Stderr, "line", i)
	}
	fmt.Fprintln(os.Stderr, "\x1b[31mcannot find the flux compensator\x1b[0m")
	os.Exit(3)
}

// onlyInitialize never answers what it does not know.
func onlyInitialize(f *fake) {
	f.handle = func(f *fake, r request) bool {
		if r.Method == "initialize" {
			f.result(r, `{"protocolVersion":"2024-11-05","capabilities":{"tools":{}},"serverInfo":{"name":"old","version":"1"}}`)
			return true
		}
		return !strings.HasPrefix(r.Method, "tools/")
	}
	f.serve()
}

func banner(f *fake) {
	_, _ = io.WriteString(f.out, "*** Server v1 ***\n\n  listening on stdio…\n{not json}\n[INFO] ready\n\xff\xfe\x00binary\x00\n\x1b[2J{\n")
	f.serve()
}

func logLines(f *fake) {
	f.out = before{f.out, "2026-01-01T00:00:00Z INFO handling a request\n"}
	f.serve()
}

// jsonJunk are lines that are JSON and no messages.
const jsonJunk = `{"level":"info","msg":"ready"}
{"id":1}
{"jsonrpc":"2.0"}
42
"text"
null
true
[]
[[[]]]
[1,{"a":2}]
{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}
{"jsonrpc":"2.0","id":4711,"result":{}}
{"jsonrpc":"2.0","id":"1","result":{}}
`

const notifications = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}
{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"hello"}}
{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"x","progress":1}}
{"jsonrpc":"2.0","method":"notifications/unheard/of","params":{}}
{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}
{"jsonrpc":"2.0","method":"","params":[]}
`

// noLastEnd ends after a call, without a newline behind its answer.
func noLastEnd(f *fake) {
	f.handle = func(f *fake, r request) bool {
		if r.Method != "tools/call" {
			return false
		}
		var last bytes.Buffer
		f.out, last = io.Discard, bytes.Buffer{}
		text := fake{out: &last}
		text.text(r, "last")
		_, _ = os.Stdout.Write(bytes.TrimSpace(last.Bytes()))
		os.Exit(0)
		return true
	}
	f.serve()
}

func longAnswer(size int) func(*fake, request) bool {
	return func(f *fake, r request) bool {
		if r.Method != "tools/call" || r.Params.Name != "add" {
			return false
		}
		f.text(r, strings.Repeat("x", size))
		return true
	}
}

func diesInCall(f *fake) {
	f.handle = func(_ *fake, r request) bool {
		if r.Method == "tools/call" {
			fmt.Fprintln(os.Stderr, "segmentation fault")
			os.Exit(139)
		}
		return false
	}
	f.serve()
}

func closesStdout(f *fake) {
	f.handle = func(_ *fake, r request) bool {
		if r.Method == "tools/call" {
			_ = os.Stdout.Close()
		}
		return false
	}
	f.serve()
	time.Sleep(time.Hour)
}

func floodsStderr(f *fake) {
	go func() {
		long := strings.Repeat("y", 1<<20)
		for {
			_, _ = io.WriteString(os.Stderr, strings.Repeat("so much to say\n", 5000)+long)
		}
	}()
	f.serve()
}

// doesNotRead stops reading after the list of tools.
func doesNotRead(f *fake) {
	f.handle = func(f *fake, r request) bool {
		if r.Method != "tools/list" {
			return false
		}
		f.respond(r)
		time.Sleep(time.Hour)
		return true
	}
	f.serve()
}

// asksClient wants everything that a client might offer before it answers.
func asksClient(f *fake) {
	f.out = before{f.out, `{"jsonrpc":"2.0","id":"s","method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}
{"jsonrpc":"2.0","id":"r","method":"roots/list"}
{"jsonrpc":"2.0","id":"p","method":"ping"}
{"jsonrpc":"2.0","id":"e","method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object"}}}
`}
	f.serve()
}

// printsToken says what it must not, and ends.
func printsToken(*fake) {
	token := os.Getenv("SERVICE_TOKEN")
	fmt.Fprintf(os.Stderr, "bad token %s for %s\n", token, os.Getenv("PLAIN_VALUE"))
	fmt.Fprintf(os.Stderr, "%s%s\n", strings.Repeat("-", 290), token)
	fmt.Fprintln(os.Stderr, "and ghp_0123456789abcdefghijABCDEFGHIJ012345 too")
	os.Exit(1)
}

func ignoreSignals() { signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP) }

// endsOnTerm does not mind the end of its input, and cleans up at a signal.
func endsOnTerm(f *fake) {
	term := make(chan os.Signal, 1)
	signal.Notify(term, syscall.SIGTERM)
	go f.serve()
	<-term
	note("term")
	os.Exit(0)
}

func notesInterrupts(f *fake) {
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	go func() {
		<-interrupts
		note("an interrupt")
	}()
	f.serve()
}

// pidsVariable names a file that gets the numbers of the processes.
const pidsVariable = "TEST_PIDS"

func notePid() { note(strconv.Itoa(os.Getpid())) }

func note(text string) {
	f, err := os.OpenFile(os.Getenv(pidsVariable), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	_, _ = fmt.Fprintln(f, text)
}

// startSleeper starts a child that ignores signals, and waits until it does.
func startSleeper(holdsStdout, ownSession bool) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fakeVariable+"=sleeper")
	if holdsStdout {
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	}
	if ownSession {
		leaveGroup(cmd)
	}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	for {
		data, _ := os.ReadFile(os.Getenv(pidsVariable))
		if strings.Contains(string(data), strconv.Itoa(cmd.Process.Pid)+"\n") {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// parent is a program with a server, which it ends when it is interrupted.
func parent() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fakeVariable+"="+os.Getenv("TEST_CHILD"))
	box, err := mcptoolbox.Connect(ctx, mcptoolbox.Command(cmd, nil), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(cmd.Process.Pid)
	<-ctx.Done()
	fmt.Println(box.Cancel(context.Background()))
}

// launcher starts the server proper, as npx does.
func launcher(*fake) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fakeVariable+"=plain")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		os.Exit(1)
	}
}

// The writers below change what a server writes, message by message.

type replacing struct {
	w        io.Writer
	old, new string
}

func (r replacing) Write(data []byte) (int, error) {
	_, err := io.WriteString(r.w, strings.ReplaceAll(string(data), r.old, r.new))
	return len(data), err
}

type byteByByte struct{ w io.Writer }

func (b byteByByte) Write(data []byte) (int, error) {
	for i := range data {
		if _, err := b.w.Write(data[i : i+1]); err != nil {
			return i, err
		}
	}
	return len(data), nil
}

type before struct {
	w    io.Writer
	text string
}

func (b before) Write(data []byte) (int, error) {
	_, err := io.WriteString(b.w, b.text+string(data))
	return len(data), err
}

type batches struct{ w io.Writer }

func (b batches) Write(data []byte) (int, error) {
	_, err := fmt.Fprintf(b.w, "[{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}, %s]\n", bytes.TrimSpace(data))
	return len(data), err
}

// noVersion leaves the version of JSON-RPC out of the answers to calls.
type noVersion struct{ w io.Writer }

func (n noVersion) Write(data []byte) (int, error) {
	if bytes.Contains(data, []byte(`"content"`)) {
		data = bytes.Replace(data, []byte(`"jsonrpc":"2.0",`), nil, 1)
	}
	return n.w.Write(data)
}
