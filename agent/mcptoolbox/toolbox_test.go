package mcptoolbox_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"release-notes-agent/agent"
	"release-notes-agent/agent/mcptoolbox"
)

// connectFake connects to a fake server in this process.
func connectFake(t testing.TB, f *fake) *mcptoolbox.Toolbox {
	t.Helper()
	box, err := mcptoolbox.Connect(t.Context(), fakeStream(t, f), nil)
	if err != nil {
		t.Fatal(err)
	}
	cancelAtEnd(t, box)
	return box
}

func fakeStream(t testing.TB, f *fake) mcp.Transport {
	client, server := net.Pipe()
	f.in, f.out = server, server
	if f.tools == "" {
		f.tools = plainTools
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		f.serve()
	}()
	t.Cleanup(func() {
		_ = server.Close()
		<-done
	})
	return mcptoolbox.Stream(client)
}

func cancelAtEnd(t testing.TB, box *mcptoolbox.Toolbox) {
	t.Cleanup(func() {
		if err := box.Cancel(context.Background()); err != nil {
			t.Error(err)
		}
	})
}

func list(t testing.TB, box agent.Toolbox) []agent.Tool {
	t.Helper()
	tools, err := box.Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return tools
}

func names(tools []agent.Tool) []string {
	out := []string{}
	for _, tool := range tools {
		out = append(out, tool.Spec().Name)
	}
	return out
}

func call(ctx context.Context, tool agent.Tool, arguments string) (string, error) {
	out, err := tool.Call(ctx, json.RawMessage(arguments))
	return out.Text, err
}

func find(t testing.TB, box agent.Toolbox, name string) agent.Tool {
	t.Helper()
	for _, tool := range list(t, box) {
		if tool.Spec().Name == name {
			return tool
		}
	}
	t.Fatalf("there is no tool %q", name)
	return nil
}

// sdkServer is a server of the SDK, connected in memory.
func sdkServer(t testing.TB, name string, initialized func(*mcp.InitializeParams)) mcp.Transport {
	t.Helper()
	server := mcp.NewServer(&mcp.Implementation{Name: name}, &mcp.ServerOptions{
		InitializedHandler: func(_ context.Context, r *mcp.InitializedRequest) {
			if initialized != nil {
				initialized(r.Session.InitializeParams())
			}
		},
	})
	type sum struct{ A, B int }
	mcp.AddTool(server, &mcp.Tool{Name: "add", Description: "Adds."},
		func(_ context.Context, _ *mcp.CallToolRequest, in sum) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprint(in.A + in.B)}}}, nil, nil
		})
	ours, theirs := mcp.NewInMemoryTransports()
	session, err := server.Connect(t.Context(), theirs, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Wait() })
	return ours
}

func TestConnectIntroducesThisProjectWithToolsOnly(t *testing.T) {
	seen := make(chan *mcp.InitializeParams, 1)
	box, err := mcptoolbox.Connect(t.Context(), sdkServer(t, "calc", func(p *mcp.InitializeParams) { seen <- p }), nil)
	if err != nil {
		t.Fatal(err)
	}
	cancelAtEnd(t, box)
	got := <-seen
	if got.ClientInfo.Name != "release-notes-agent" || got.ClientInfo.Version == "" {
		t.Errorf("client info %+v", got.ClientInfo)
	}
	if diff := cmp.Diff(&mcp.ClientCapabilities{}, got.Capabilities); diff != "" {
		t.Errorf("capabilities:\n%s", diff)
	}
}

func TestFromSessionContactsNobody(t *testing.T) {
	var messages atomic.Int32
	client := mcp.NewClient(&mcp.Implementation{Name: "mine", Version: "7"}, nil)
	client.AddSendingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
			messages.Add(1)
			return next(ctx, method, r)
		}
	})
	session, err := client.Connect(t.Context(), sdkServer(t, "calc", nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	before := messages.Load()
	box := mcptoolbox.FromSession(session).WithWhitelist("add").WithName("mine")
	cancelAtEnd(t, box)
	if messages.Load() != before {
		t.Error("making a toolbox of a session sent something")
	}
	tools := list(t, box)
	if diff := cmp.Diff([]string{"calc:add"}, names(tools)); diff != "" {
		t.Error(diff)
	}
	if out, err := call(t.Context(), tools[0], `{"A":1,"B":2}`); out != "3" || err != nil {
		t.Errorf("got %q, %v", out, err)
	}
}

func TestFilters(t *testing.T) {
	box := connectFake(t, &fake{})
	for _, test := range []struct {
		what string
		box  *mcptoolbox.Toolbox
		want []string
	}{
		{"no filter", box, []string{"fake:add", "fake:echo"}},
		{"whitelist", box.WithWhitelist("add"), []string{"fake:add"}},
		{"a whitelisted name that the server lacks is skipped", box.WithWhitelist("echo", "nothing"), []string{"fake:echo"}},
		{"an empty whitelist lets nothing pass", box.WithWhitelist(), []string{}},
		{"blacklist", box.WithBlacklist("add"), []string{"fake:echo"}},
		{"an empty blacklist lets everything pass", box.WithBlacklist(), []string{"fake:add", "fake:echo"}},
		{"names have no prefix", box.WithWhitelist("fake:add"), []string{}},
		{"names are exact", box.WithWhitelist("Add", " add", "ad"), []string{}},
		{"filter", box.WithFilter(mcptoolbox.ToolFilter{Blacklist: []string{"echo"}}), []string{"fake:add"}},
		{"each call replaces the filter", box.WithWhitelist("add").WithBlacklist("echo").WithWhitelist("echo"), []string{"fake:echo"}},
		{"a zero filter takes it away", box.WithWhitelist().WithFilter(mcptoolbox.ToolFilter{}), []string{"fake:add", "fake:echo"}},
	} {
		if diff := cmp.Diff(test.want, names(list(t, test.box))); diff != "" {
			t.Errorf("%s:\n%s", test.what, diff)
		}
	}
}

func TestFiltersKeepCopies(t *testing.T) {
	box := connectFake(t, &fake{})
	allowed := []string{"add"}
	filtered := box.WithFilter(mcptoolbox.ToolFilter{Whitelist: allowed})
	white := box.WithWhitelist(allowed...)
	allowed[0] = "echo"
	for _, box := range []*mcptoolbox.Toolbox{filtered, white} {
		if diff := cmp.Diff([]string{"fake:add"}, names(list(t, box))); diff != "" {
			t.Error(diff)
		}
	}
}

func TestWithNameIsForLogsOnly(t *testing.T) {
	var logs bytes.Buffer
	box := connectFake(t, &fake{})
	named := box.WithName("calculator").WithLogger(slog.New(slog.NewTextHandler(&logs, nil)))
	if named.Name() != "calculator" || box.Name() != "fake" {
		t.Errorf("names %q and %q", named.Name(), box.Name())
	}
	if got := names(list(t, named)); got[0] != "fake:add" {
		t.Errorf("the name changed the tools: %q", got)
	}
	for range 2 {
		if err := named.Cancel(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if !strings.Contains(logs.String(), "toolbox=calculator") {
		t.Errorf("the logs do not name it: %s", logs.String())
	}
}

func TestToolNames(t *testing.T) {
	for _, test := range []struct{ info, want string }{
		{`{"name":"calc","version":"1"}`, "calc:add"},
		{`{"name":"  calc\n","version":"1"}`, "calc:add"},
		{`{"name":"a b/c","version":"1"}`, "a b/c:add"},
		{`{"name":"","version":"1"}`, "mcp:add"},
		{`{"name":" \t ","version":"1"}`, "mcp:add"},
		{`{"version":"1"}`, "mcp:add"},
		{`null`, "mcp:add"},
	} {
		var called string
		box := connectFake(t, &fake{handle: func(f *fake, r request) bool {
			switch r.Method {
			case "initialize":
				f.result(r, `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":`+test.info+`}`)
				return true
			case "tools/call":
				called = r.Params.Name
			}
			return false
		}})
		tool := list(t, box.WithWhitelist("add"))[0]
		if tool.Spec().Name != test.want {
			t.Errorf("server info %s: the tool is called %q, want %q", test.info, tool.Spec().Name, test.want)
		}
		if _, err := call(t.Context(), tool, `{"a":1,"b":1}`); err != nil || called != "add" {
			t.Errorf("server info %s: the server was asked for %q, err %v", test.info, called, err)
		}
	}
}

func TestServerInfoMissing(t *testing.T) {
	box := connectFake(t, &fake{handle: func(f *fake, r request) bool {
		if r.Method == "initialize" {
			f.result(r, `{"protocolVersion":"2024-11-05","capabilities":{}}`)
			return true
		}
		return false
	}})
	if diff := cmp.Diff([]string{"mcp:add", "mcp:echo"}, names(list(t, box))); diff != "" {
		t.Error(diff)
	}
}

func TestDescriptionAndSchema(t *testing.T) {
	const good = `{"name":"good","description":"Does.","inputSchema":{"type":"object"}}`
	for _, test := range []struct {
		what, tool string
		want       string // in the error; none when empty
	}{
		{"as it should be", `{"name":"x","description":"Does.","inputSchema":{"type":"object","properties":{"a":{"type":["string","null"]}}}}`, ""},
		{"no description", `{"name":"x","inputSchema":{"type":"object"}}`, "no description"},
		{"null description", `{"name":"x","description":null,"inputSchema":{"type":"object"}}`, "no description"},
		{"empty description", `{"name":"x","description":"","inputSchema":{"type":"object"}}`, "no description"},
		{"blank description", `{"name":"x","description":" \n","inputSchema":{"type":"object"}}`, "no description"},
		{"description that is no text", `{"name":"x","description":5,"inputSchema":{"type":"object"}}`, "tools/list"},
		{"no schema", `{"name":"x","description":"Does."}`, "no input schema"},
		{"null schema", `{"name":"x","description":"Does.","inputSchema":null}`, "no input schema"},
		{"schema that is text", `{"name":"x","description":"Does.","inputSchema":"{\"type\":\"object\"}"}`, "not a JSON object"},
		{"schema that is a list", `{"name":"x","description":"Does.","inputSchema":[]}`, "not a JSON object"},
		{"schema that is true", `{"name":"x","description":"Does.","inputSchema":true}`, "not a JSON object"},
		{"schema of another type", `{"name":"x","description":"Does.","inputSchema":{"type":"string"}}`, "of type string"},
		{"schema of several types", `{"name":"x","description":"Does.","inputSchema":{"type":["object","null"]}}`, "of type [object null]"},
		{"schema without a type", `{"name":"x","description":"Does.","inputSchema":{"properties":{}}}`, ""},
		{"empty schema", `{"name":"x","description":"Does.","inputSchema":{}}`, ""},
		{"schema with broken properties", `{"name":"x","description":"Does.","inputSchema":{"type":"object","properties":"none"}}`, "does not parse"},
		{"schema with a broken property", `{"name":"x","description":"Does.","inputSchema":{"type":"object","properties":{"a":{"type":7}}}}`, "does not parse"},
		{"schema with a broken list", `{"name":"x","description":"Does.","inputSchema":{"type":"object","required":"a"}}`, "does not parse"},
		{"no name", `{"description":"Does.","inputSchema":{"type":"object"}}`, "no name"},
	} {
		t.Run(test.what, func(t *testing.T) {
			box := connectFake(t, &fake{tools: "[" + good + "," + test.tool + "]"})
			tools, err := box.Tools(t.Context())
			if test.want == "" {
				if err != nil || len(tools) != 2 {
					t.Fatalf("got %d tools, %v", len(tools), err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), test.want) || len(tools) != 0 {
				t.Errorf("got %d tools and the error %v, want one with %q", len(tools), err, test.want)
			}
		})
	}
}

func TestOnlyToolsThatPassTheFilterNeedASchema(t *testing.T) {
	box := connectFake(t, &fake{tools: `[
		{"name":"bad","inputSchema":null},
		{"name":"good","description":"Does.","inputSchema":{"type":"object"}}]`})
	if _, err := box.Tools(t.Context()); err == nil {
		t.Error("the bad tool passes")
	}
	if diff := cmp.Diff([]string{"fake:good"}, names(list(t, box.WithBlacklist("bad")))); diff != "" {
		t.Error(diff)
	}
}

func TestParameters(t *testing.T) {
	for _, test := range []struct{ schema, want string }{
		{`{"type":"object","properties":{"a":{"type":"string","description":"a < b & c"}},"additionalProperties":false}`, ""},
		{`{"type":"object","properties":{"n":{"const":9007199254740993}}}`, ""},
		{`{"properties":{"a":true}}`, `{"type":"object","properties":{"a":true}}`},
		{`{"type":null}`, `{"type":"object"}`},
	} {
		box := connectFake(t, &fake{tools: `[{"name":"x","description":"Does.","inputSchema":` + test.schema + `}]`})
		spec := list(t, box)[0].Spec()
		if test.want == "" {
			test.want = test.schema
		}
		var got, want any
		if err := errors.Join(json.Unmarshal(spec.Parameters, &got), json.Unmarshal([]byte(test.want), &want)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s:\n%s", test.schema, diff)
		}
		if strings.Contains(string(spec.Parameters), `\u00`) {
			t.Errorf("escaped: %s", spec.Parameters)
		}
	}
}

func TestResults(t *testing.T) {
	for _, test := range []struct{ what, result, want, wantErr string }{
		{"text", `{"content":[{"type":"text","text":"one"}]}`, "one", ""},
		{"texts are joined with newlines", `{"content":[{"type":"text","text":"one"},{"type":"text","text":""},{"type":"text","text":"two"}]}`, "one\n\ntwo", ""},
		{"other kinds are dropped", `{"content":[{"type":"image","data":"aGk=","mimeType":"image/png"},{"type":"text","text":"one"},{"type":"resource_link","uri":"x:y","name":"z"},{"type":"resource","resource":{"uri":"x:y","text":"z"}}]}`, "one", ""},
		{"unknown kinds are dropped", `{"content":[{"type":"hologram","text":"no"},{"type":"text","text":"one"},null,{"text":"no"}]}`, "one", ""},
		{"broken images are dropped", `{"content":[{"type":"image","data":"%"},{"type":"text","text":"one"}]}`, "one", ""},
		{"text comes before structure", `{"content":[{"type":"text","text":"one"}],"structuredContent":{"a":1}}`, "one", ""},
		{"structure alone", `{"content":[],"structuredContent":{"a":"<1>"}}`, `{"a":"<1>"}`, ""},
		{"structure without a content", `{"structuredContent":{"a":[1,2]}}`, `{"a":[1,2]}`, ""},
		{"structure with a null content", `{"content":null,"structuredContent":{"n":1234567890123}}`, `{"n":1234567890123}`, ""},
		{"images alone", `{"content":[{"type":"image","data":"aGk=","mimeType":"image/png"}]}`, "Tool executed successfully", ""},
		{"images and structure", `{"content":[{"type":"image","data":"aGk=","mimeType":"image/png"}],"structuredContent":{"a":1}}`, "Tool executed successfully", ""},
		{"unknown kinds and structure", `{"content":[{"type":"hologram"}],"structuredContent":{"a":1}}`, "Tool executed successfully", ""},
		{"empty text", `{"content":[{"type":"text","text":""},{"type":"text","text":""}]}`, "Tool executed successfully", ""},
		{"nothing", `{}`, "Tool executed successfully", ""},
		{"null structure", `{"content":[],"structuredContent":null}`, "Tool executed successfully", ""},
		{"error", `{"content":[{"type":"text","text":"no such"},{"type":"text","text":"thing"}],"isError":true}`, "", "no such\nthing"},
		{"error without text", `{"content":[],"isError":true}`, "", "Unknown error"},
		{"error with an image", `{"content":[{"type":"image","data":"aGk=","mimeType":"image/png"}],"isError":true}`, "", "Unknown error"},
		{"error with structure", `{"content":[],"structuredContent":{"a":1},"isError":true}`, "", "Unknown error"},
	} {
		t.Run(test.what, func(t *testing.T) {
			box := connectFake(t, &fake{handle: func(f *fake, r request) bool {
				if r.Method == "tools/call" {
					f.result(r, test.result)
				}
				return r.Method == "tools/call"
			}})
			got, err := call(t.Context(), find(t, box, "fake:add"), `{}`)
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
			if (err == nil) != (test.wantErr == "") || err != nil && err.Error() != test.wantErr {
				t.Errorf("got error %v, want %q", err, test.wantErr)
			}
		})
	}
}

func TestProtocolErrorsNameTheTool(t *testing.T) {
	box := connectFake(t, &fake{handle: func(f *fake, r request) bool {
		if r.Method == "tools/call" {
			f.line(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"no such tool"}}`, r.ID))
		}
		return r.Method == "tools/call"
	}})
	_, err := call(t.Context(), find(t, box, "fake:add"), `{}`)
	if err == nil || !strings.Contains(err.Error(), `"fake:add"`) || !strings.Contains(err.Error(), "no such tool") {
		t.Errorf("got %v", err)
	}
	if errors.Is(err, mcptoolbox.ErrNotRunning) {
		t.Error("the server runs")
	}
}

func TestWrongArgumentsDoNotReachTheServer(t *testing.T) {
	var calls []string
	box := connectFake(t, &fake{handle: func(_ *fake, r request) bool {
		if r.Method == "tools/call" {
			calls = append(calls, string(r.Params.Arguments))
		}
		return false
	}})
	echo := find(t, box, "fake:echo")
	for _, arguments := range []string{`null`, `[]`, `"a"`, `7`, `true`, `{`, `{"a":}`, `{} {}`, `{"a":1}x`, `nonsense`} {
		out, err := call(t.Context(), echo, arguments)
		if err == nil || !strings.Contains(err.Error(), "wrong arguments") || out != "" {
			t.Errorf("%s: got %q, %v", arguments, out, err)
		}
	}
	if len(calls) > 0 {
		t.Errorf("the server was called with %q", calls)
	}
	for _, test := range []struct{ arguments, want string }{
		{"", "{}"}, {" ", "{}"}, {" {\"a\":\n1}\r\n", `{"a":1}`}, {`{"n":12345678901234567890}`, `{"n":12345678901234567890}`}, {`{"h":"<&>\u2028"}`, `{"h":"<&>\u2028"}`},
	} {
		if out, err := call(t.Context(), echo, test.arguments); err != nil || out != test.want {
			t.Errorf("%q: got %q, %v", test.arguments, out, err)
		}
	}
}

func TestAfterCancelNothingRuns(t *testing.T) {
	box := connectFake(t, &fake{})
	named := box.WithName("copy").WithWhitelist("add")
	add := list(t, named)[0]
	if err := box.Cancel(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, box := range []*mcptoolbox.Toolbox{box, named} {
		if _, err := box.Tools(t.Context()); !errors.Is(err, mcptoolbox.ErrNotRunning) {
			t.Errorf("listing: %v", err)
		}
	}
	_, err := call(t.Context(), add, `{}`)
	if !errors.Is(err, mcptoolbox.ErrNotRunning) || !strings.Contains(err.Error(), "the server is not running") {
		t.Errorf("calling: %v", err)
	}
}

func TestSecondCancelWarnsAndReturnsNil(t *testing.T) {
	var logs bytes.Buffer
	box := connectFake(t, &fake{}).WithLogger(slog.New(slog.NewTextHandler(&logs, nil)))
	if err := box.Cancel(t.Context()); err != nil || logs.Len() > 0 {
		t.Errorf("the first: %v %s", err, logs.String())
	}
	if err := box.WithName("copy").Cancel(t.Context()); err != nil || !strings.Contains(logs.String(), "level=WARN") {
		t.Errorf("the second: %v %s", err, logs.String())
	}
}

func TestCancelEndsCallsThatRun(t *testing.T) {
	reached := make(chan struct{})
	box := connectFake(t, &fake{handle: func(_ *fake, r request) bool {
		if r.Method == "tools/call" {
			close(reached)
		}
		return r.Method == "tools/call"
	}})
	failed := make(chan error, 1)
	add := find(t, box, "fake:add")
	go func() {
		_, err := call(context.Background(), add, `{}`)
		failed <- err
	}()
	<-reached
	if err := box.Cancel(t.Context()); err != nil {
		t.Error(err)
	}
	if err := <-failed; !errors.Is(err, mcptoolbox.ErrNotRunning) {
		t.Errorf("got %v", err)
	}
}

func TestCancelOfASessionThatIsBusyDoesNotHang(t *testing.T) {
	f := &fake{handle: func(_ *fake, r request) bool { return r.Method == "tools/call" }}
	client := mcp.NewClient(&mcp.Implementation{Name: "mine"}, nil)
	session, err := client.Connect(t.Context(), fakeStream(t, f), &mcp.ClientSessionOptions{ProtocolVersion: "2025-06-18"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go func() { _, _ = session.CallTool(ctx, &mcp.CallToolParams{Name: "add"}) }() // not ours, so Cancel cannot end it
	time.Sleep(20 * time.Millisecond)
	box := mcptoolbox.FromSession(session)
	short, done := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer done()
	begin := time.Now()
	if err := box.Cancel(short); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	if took := time.Since(begin); took > time.Second {
		t.Errorf("it took %v", took)
	}
}

func TestCallsEndWithTheirContext(t *testing.T) {
	f := &fake{handle: func(_ *fake, r request) bool { return r.Method == "tools/call" && r.Params.Name == "add" }}
	box := connectFake(t, f)
	ctx, stop := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer stop()
	if _, err := call(ctx, find(t, box, "fake:add"), `{}`); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	if out, err := call(t.Context(), find(t, box, "fake:echo"), `{}`); err != nil || out != "{}" {
		t.Errorf("the next call: %q, %v", out, err)
	}
}

func TestListingThatIsNotAnsweredEnds(t *testing.T) {
	f := &fake{handle: func(_ *fake, r request) bool { return r.Method == "tools/list" }}
	box, err := mcptoolbox.Connect(t.Context(), fakeStream(t, f), &mcptoolbox.Options{HandshakeTimeout: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	cancelAtEnd(t, box)
	if _, err := box.Tools(t.Context()); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "no answer within 50ms") {
		t.Errorf("got %v", err)
	}
}

func TestCallsRunSideBySide(t *testing.T) {
	box := connectFake(t, &fake{})
	add := find(t, box, "fake:add")
	wrong := make(chan string, 100)
	for i := range cap(wrong) {
		go func() {
			out, err := call(t.Context(), add, fmt.Sprintf(`{"a":%d,"b":1}`, i))
			if want := fmt.Sprint(i + 1); err != nil || out != want {
				wrong <- fmt.Sprintf("got %q, %v, want %s", out, err, want)
				return
			}
			wrong <- ""
		}()
	}
	for range cap(wrong) {
		if text := <-wrong; text != "" {
			t.Error(text)
		}
	}
}

func TestOlderVersionsOfTheProtocol(t *testing.T) {
	for _, version := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"} {
		box := connectFake(t, &fake{handle: func(f *fake, r request) bool {
			if r.Method == "initialize" {
				f.result(r, `{"protocolVersion":"`+version+`","capabilities":{"tools":{}},"serverInfo":{"name":"old","version":"1"}}`)
			}
			return r.Method == "initialize"
		}})
		if diff := cmp.Diff([]string{"old:add", "old:echo"}, names(list(t, box))); diff != "" {
			t.Errorf("%s:\n%s", version, diff)
		}
	}
}

func TestUnknownVersionOfTheProtocolIsRefused(t *testing.T) {
	_, err := mcptoolbox.Connect(t.Context(), fakeStream(t, &fake{handle: func(f *fake, r request) bool {
		f.result(r, `{"protocolVersion":"1999-01-01","capabilities":{},"serverInfo":{"name":"x","version":"1"}}`)
		return true
	}}), nil)
	if err == nil || !strings.Contains(err.Error(), "1999-01-01") {
		t.Errorf("got %v", err)
	}
}

func TestNextVersionOfTheProtocol(t *testing.T) {
	box, err := mcptoolbox.Connect(t.Context(), sdkServer(t, "calc", nil), &mcptoolbox.Options{ProtocolVersion: "2026-07-28"})
	if err != nil {
		t.Fatal(err)
	}
	cancelAtEnd(t, box)
	if out, err := call(t.Context(), find(t, box, "calc:add"), `{"A":1,"B":2}`); out != "3" || err != nil {
		t.Errorf("got %q, %v", out, err)
	}
}

func TestToolboxInAnAgent(t *testing.T) {
	box := connectFake(t, &fake{})
	tools, err := agent.Filter(box, func(spec agent.ToolSpec) bool { return strings.HasSuffix(spec.Name, ":add") }).Tools(t.Context())
	if err != nil || !slices.Equal(names(tools), []string{"fake:add"}) {
		t.Errorf("got %q, %v", names(tools), err)
	}
}
