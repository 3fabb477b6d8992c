package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"release-notes-agent/agent"
	"release-notes-agent/changes"
	"release-notes-agent/notes"
)

// records are what is written down of a run, and what was of another one that takes the
// place of the model. Both may be nil.
type records struct {
	transcript *transcript
	replay     *replay
}

// openRecords begins the file of --transcript, or reads that of --replay, which has to be
// of the same release.
func openRecords(cfg config, release changes.Release) (records, error) {
	replay, err := readReplay(cfg)
	if err == nil {
		err = replay.of(release)
	}
	if err != nil {
		return records{}, err
	}
	transcript, err := newTranscript(cfg, runOf(release, cfg.model))
	return records{transcript, replay}, err
}

// A replay is a transcript that takes the place of the model, and of GitHub.
type replay struct {
	run    transcribedRun
	github *githubFacts // nil when GitHub was not asked

	conversations map[string]*conversation

	mu        sync.Mutex
	different []string // what was not as in the transcript, in the order met
}

// A conversation is what was said in one, and how far it has been said again.
type conversation struct {
	messages    []agent.Message
	completions []completion
	answered    int
}

// readReplay reads the file of --replay; nil without one.
func readReplay(cfg config) (*replay, error) {
	if cfg.replay == "" {
		return nil, nil
	}
	file, err := os.Open(cfg.replay)
	if err != nil {
		return nil, fmt.Errorf("reading --replay: %w", err)
	}
	defer file.Close()
	r, err := parseReplay(file)
	if err != nil {
		return nil, fmt.Errorf("reading --replay %s: %w", cfg.replay, err)
	}
	return r, nil
}

func parseReplay(text io.Reader) (*replay, error) {
	r := &replay{conversations: map[string]*conversation{}}
	lines := bufio.NewReader(text)
	for number := 1; ; number++ {
		data, err := lines.ReadBytes('\n')
		if len(bytes.TrimSpace(data)) > 0 {
			var line transcriptLine
			if err := json.Unmarshal(data, &line); err != nil {
				return nil, fmt.Errorf("line %d: %w", number, err)
			}
			r.add(line)
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	if r.run.Version != transcriptVersion {
		return nil, fmt.Errorf("it is no transcript of version %d", transcriptVersion)
	}
	return r, nil
}

func (r *replay) add(line transcriptLine) {
	if line.Run != nil {
		r.run = *line.Run
	}
	if line.GitHub != nil {
		r.github = line.GitHub
	}
	if line.Conversation == "" {
		return
	}
	c := r.conversations[line.Conversation]
	if c == nil {
		c = &conversation{}
		r.conversations[line.Conversation] = c
	}
	if line.Completion != nil {
		c.completions = append(c.completions, *line.Completion)
	}
	if line.Message != nil {
		c.messages = append(c.messages, *line.Message)
	}
}

// of fails unless the transcript is of a release.
func (r *replay) of(release changes.Release) error {
	if r == nil || r.run.To == release.To && r.run.From == release.From {
		return nil
	}
	return fmt.Errorf("the transcript is of %s (%.12s..%.12s), and not of %s (%.12s..%.12s)",
		r.run.Name, r.run.From, r.run.To, release.Name, release.From, release.To)
}

// model answers in a conversation as the model did.
func (r *replay) model(name string) agent.Model {
	return modelFunc(func(_ context.Context, req agent.Request) (agent.Response, error) {
		r.mu.Lock()
		defer r.mu.Unlock()
		c := r.conversations[name]
		if c == nil || c.answered >= len(c.completions) {
			return agent.Response{}, fmt.Errorf("the transcript has no answer number %d of the conversation %q", c.count()+1, name)
		}
		r.compare(name, c.messages, req.Messages)
		told := c.completions[c.answered]
		c.answered++
		switch {
		case told.Stop != "":
			return agent.Response{Usage: told.Usage}, &budgetError{reason: told.Stop}
		case told.Error != "":
			return agent.Response{Usage: told.Usage}, &missingError{told.Error, told.Hint}
		}
		message, ok := c.answer(c.answered - c.failed())
		if !ok {
			return agent.Response{}, fmt.Errorf("the transcript ends before an answer of the conversation %q", name)
		}
		return agent.Response{Message: message, Usage: told.Usage}, nil
	})
}

func (c *conversation) count() int {
	if c == nil {
		return 0
	}
	return c.answered
}

// failed counts the requests so far that had no answer.
func (c *conversation) failed() int {
	n := 0
	for _, told := range c.completions[:c.answered] {
		if told.Error != "" || told.Stop != "" {
			n++
		}
	}
	return n
}

// answer is the model's n-th message, from one.
func (c *conversation) answer(n int) (agent.Message, bool) {
	for _, m := range c.messages {
		if m.Role == agent.RoleAssistant {
			if n--; n == 0 {
				return m, true
			}
		}
	}
	return agent.Message{}, false
}

// compare notes the first message that is not as in the transcript.
func (r *replay) compare(name string, recorded, asked []agent.Message) {
	for i, m := range asked {
		if i >= len(recorded) || !sameMessage(recorded[i], m) {
			what := fmt.Sprintf("message %d of the conversation %q (%s)", i+1, name, m.Role)
			if !slices.Contains(r.different, what) {
				r.different = append(r.different, what)
			}
			return
		}
	}
}

// sameMessage compares a message with one that was written down, in which secrets are
// redacted.
func sameMessage(recorded, asked agent.Message) bool {
	x, errX := json.Marshal(recorded)
	y, errY := json.Marshal(asked)
	return errX == nil && errY == nil && matches(string(x), string(y))
}

// matches reports whether text is recorded with something in the place of each redaction.
func matches(recorded, text string) bool {
	pieces := strings.Split(recorded, redacted)
	for i, piece := range pieces {
		at := strings.Index(text, piece)
		switch {
		case i == len(pieces)-1 && i > 0:
			return strings.HasSuffix(text, piece)
		case at < 0 || i == 0 && at > 0:
			return false
		}
		text = text[at+len(piece):]
	}
	return text == ""
}

// tools stand for those of the run that are not here, such as GitHub's: they answer what
// they answered then.
func (r *replay) tools(here []agent.Tool) []agent.Tool {
	var tools []agent.Tool
	for _, name := range r.toolNames(here) {
		spec := agent.ToolSpec{Name: name, Description: "As in the transcript.", Parameters: json.RawMessage(`{"type":"object"}`)}
		tools = append(tools, agent.NewTool(spec, func(_ context.Context, arguments json.RawMessage) (agent.ToolOutput, error) {
			return r.toolAnswer(name, arguments)
		}))
	}
	return tools
}

func (r *replay) toolNames(here []agent.Tool) []string {
	var names []string
	for _, c := range r.conversations {
		for _, m := range c.messages {
			if m.ToolCall == nil || slices.Contains(names, m.ToolCall.Name) || m.ToolCall.Name == submitTool || m.ToolCall.Name == arrangeTool {
				continue
			}
			if !slices.ContainsFunc(here, func(t agent.Tool) bool { return t.Spec().Name == m.ToolCall.Name }) {
				names = append(names, m.ToolCall.Name)
			}
		}
	}
	slices.Sort(names)
	return names
}

func (r *replay) toolAnswer(name string, arguments json.RawMessage) (agent.ToolOutput, error) {
	for _, c := range r.conversations {
		for _, m := range c.messages {
			if m.ToolCall == nil || m.ToolCall.Name != name || !bytes.Equal(m.ToolCall.Arguments, arguments) {
				continue
			}
			if m.IsError {
				return agent.ToolOutput{}, errors.New(m.Text)
			}
			return agent.ToolOutput{Text: m.Text}, nil
		}
	}
	return agent.ToolOutput{}, errors.New("the transcript has no answer to this")
}

// warnings say whether everything was as in the transcript.
func (r *replay) warnings() []notes.Warning {
	if r == nil || len(r.different) == 0 {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	slices.Sort(r.different) // conversations go side by side
	return []notes.Warning{{
		Code:    notes.ReplayDiffers,
		Message: fmt.Sprintf("the model was not asked as in the transcript: %s differs; the draft was checked all the same", r.different[0]),
		Hint:    "use the version of this program, the repository and the options of then",
	}}
}
