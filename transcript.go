package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"release-notes-agent/agent"
	"release-notes-agent/changes"
)

// transcriptVersion is that of the lines; others are not read.
const transcriptVersion = 1

// A transcriptLine is one line of a transcript. The first tells the run; then come, as
// they happened, the facts that GitHub gave, the messages of each conversation, and how
// the model was asked for those of its own.
type transcriptLine struct {
	Run *transcribedRun `json:"run,omitempty"`

	GitHub *githubFacts `json:"github,omitempty"`

	Conversation string         `json:"conversation,omitempty"`
	Message      *agent.Message `json:"message,omitempty"`
	Completion   *completion    `json:"completion,omitempty"` // stands before its message
}

// A transcribedRun says what was drafted, and by which model.
type transcribedRun struct {
	Version int    `json:"version"`
	Name    string `json:"name"`
	From    string `json:"from"`
	To      string `json:"to"`
	Model   string `json:"model"`
}

func runOf(r changes.Release, model string) transcribedRun {
	return transcribedRun{Version: transcriptVersion, Name: r.Name, From: r.From, To: r.To, Model: model}
}

// A completion is how one request to the model ended.
type completion struct {
	Usage agent.Usage      `json:"usage"`
	Error string           `json:"error,omitempty"`
	Hint  string           `json:"hint,omitempty"`
	Stop  agent.StopReason `json:"stop,omitempty"` // a bound of the run that was in the way
}

// A transcript writes down what is said, as JSON lines without secrets. It is safe for
// concurrent use, and a nil one writes nothing.
type transcript struct {
	secrets *strings.Replacer

	mu   sync.Mutex
	file io.WriteCloser
	err  error // the first one
}

// newTranscript begins the file of --transcript, before anything has been paid for.
func newTranscript(cfg config, run transcribedRun) (*transcript, error) {
	if cfg.transcript == "" {
		return nil, nil
	}
	file, err := os.Create(cfg.transcript)
	if err != nil {
		return nil, fmt.Errorf("writing --transcript: %w", err)
	}
	var secrets []string
	for _, secret := range []string{cfg.apiKey, cfg.githubToken} {
		if len(secret) >= minToken {
			secrets = append(secrets, secret, redacted)
		}
	}
	t := &transcript{secrets: strings.NewReplacer(secrets...), file: file}
	t.write(transcriptLine{Run: &run})
	return t, nil
}

func (t *transcript) write(line transcriptLine) {
	if t == nil {
		return
	}
	var text strings.Builder
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	err := enc.Encode(line)
	t.mu.Lock()
	defer t.mu.Unlock()
	if err == nil {
		_, err = io.WriteString(t.file, t.secrets.Replace(text.String()))
	}
	t.err = errors.Join(t.err, err)
}

// close ends the file, and says what could not be written.
func (t *transcript) close() error {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := errors.Join(t.err, t.file.Close()); err != nil {
		return fmt.Errorf("writing --transcript: %w", err)
	}
	return nil
}

// message writes a message of a conversation down.
func (t *transcript) message(conversation string, m agent.Message) {
	t.write(transcriptLine{Conversation: conversation, Message: &m})
}

// over is a model whose completions are written down.
func (t *transcript) over(conversation string, model agent.Model) agent.Model {
	return modelFunc(func(ctx context.Context, req agent.Request) (agent.Response, error) {
		resp, err := model.Complete(ctx, req)
		c := completion{Usage: resp.Usage}
		var budget *budgetError
		switch {
		case err != nil && errors.Is(context.Cause(ctx), errTimeUp):
			c.Stop = agent.TimeLimit
		case errors.As(err, &budget):
			c.Stop = budget.reason
		case err != nil:
			c.Error, c.Hint = err.Error(), hintOf(err)
		}
		t.write(transcriptLine{Conversation: conversation, Completion: &c})
		return resp, err
	})
}

// A modelFunc is a function as a model.
type modelFunc func(context.Context, agent.Request) (agent.Response, error)

// Complete calls f.
func (f modelFunc) Complete(ctx context.Context, req agent.Request) (agent.Response, error) {
	return f(ctx, req)
}
