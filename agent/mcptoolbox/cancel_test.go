package mcptoolbox_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"release-notes-agent/agent/mcptoolbox"
)

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
