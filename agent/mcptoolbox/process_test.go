package mcptoolbox_test

import (
	"errors"
	"testing"

	"release-notes-agent/agent/mcptoolbox"
)

func TestChildProcess(t *testing.T) {
	ctx := t.Context()
	box, err := mcptoolbox.Connect(ctx, mcptoolbox.Command(fakeCommand(t, "plain"), nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	tools, err := box.WithWhitelist("add", "nothing").Tools(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if len(tools) != 1 || tools[0].Spec().Name != "fake:add" {
		t.Fatalf("got %v", tools)
	}
	out, err := call(ctx, tools[0], `{"a":1,"b":2}`)
	if err != nil || out != "3" {
		t.Errorf("got %q, %v", out, err)
	}
	if err := box.Cancel(ctx); err != nil {
		t.Error(err)
	}
	if _, err := call(ctx, tools[0], `{"a":1,"b":2}`); !errors.Is(err, mcptoolbox.ErrNotRunning) {
		t.Errorf("after Cancel: %v", err)
	}
}
