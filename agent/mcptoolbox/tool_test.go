package mcptoolbox_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"release-notes-agent/agent"
	"release-notes-agent/agent/mcptoolbox"
)

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

func TestWrites(t *testing.T) {
	for annotations, want := range map[string]bool{
		``:                                      false,
		`,"annotations":null`:                   false,
		`,"annotations":{}`:                     true,
		`,"annotations":{"title":"x"}`:          true,
		`,"annotations":{"readOnlyHint":false}`: true,
		`,"annotations":{"readOnlyHint":true}`:  false,
		`,"annotations":{"readOnlyHint":true,"destructiveHint":false}`:  false,
		`,"annotations":{"readOnlyHint":true,"destructiveHint":true}`:   true,
		`,"annotations":{"readOnlyHint":false,"destructiveHint":false}`: true,
	} {
		tools := `[{"name":"look","description":"Looks.","inputSchema":{"type":"object"}` + annotations + `}]`
		tool := list(t, connectFake(t, &fake{tools: tools}))[0]
		if got := mcptoolbox.Writes(tool); got != want {
			t.Errorf("%s: %v", annotations, got)
		}
	}
	if mcptoolbox.Writes(agent.NewTool(agent.ToolSpec{}, nil)) {
		t.Error("a tool of no server writes")
	}
}
