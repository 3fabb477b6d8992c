package mcptoolbox_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"release-notes-agent/agent/mcptoolbox"
)

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
