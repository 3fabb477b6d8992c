package openaiserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// An Answer is what the server does with one request. Without Status, Body and
// Hang it is a message of the model: Text, ToolCalls, or both.
type Answer struct {
	// When reserves the answer for the first request whose messages hold all these
	// texts. Answers without it are given in the order of the script.
	When []string `json:"when"`
	// Repeat gives the answer again and again.
	Repeat bool `json:"repeat"`
	// Expect is checked first; a request that falls short is answered with a 500,
	// and the failure is kept.
	Expect Expectations `json:"expect"`

	// Reply makes the answer out of the request, and takes the place of all that follows.
	Reply func(Request) Answer `json:"-"`

	Text      string     `json:"text"`
	Refusal   string     `json:"refusal"`
	ToolCalls []ToolCall `json:"tool_calls"`
	// FinishReason takes the place of "tool_calls" or "stop".
	FinishReason string `json:"finish_reason"`
	// Usage takes the place of 100 tokens in and 10 out. NoUsage sends none.
	Usage   *Usage `json:"usage"`
	NoUsage bool   `json:"no_usage"`

	Status  int               `json:"status"`
	Headers map[string]string `json:"headers"`
	// Body is sent as it is; a JSON string is sent as the text it holds.
	Body json.RawMessage `json:"body"`

	Delay Duration `json:"delay"` // before the answer
	Hang  bool     `json:"hang"`  // no answer until the client leaves
	// CutAfter closes the connection after that many bytes of the answer's body;
	// negative, before its first byte. StallAfter leaves it open and silent.
	CutAfter   int `json:"cut_after"`
	StallAfter int `json:"stall_after"`
}

// A ToolCall is a call that the model asks for.
type ToolCall struct {
	ID   string `json:"id"` // made up when empty
	Name string `json:"name"`
	// Arguments is any JSON, sent as the text that the API wants. A JSON string
	// is sent as the text it holds, which need not be JSON.
	Arguments json.RawMessage `json:"arguments"`
}

// Usage is a number of tokens.
type Usage struct {
	Input  int `json:"input"`
	Output int `json:"output"`
}

// Expectations are what a request has to be like.
type Expectations struct {
	Contains   []string `json:"contains"`    // in the text of the messages and tool calls
	Lacks      []string `json:"lacks"`       // not there
	Last       []string `json:"last"`        // in what came after the model's latest message
	Tools      []string `json:"tools"`       // offered, perhaps among others
	LacksTools []string `json:"lacks_tools"` // not offered
	Body       []string `json:"body"`        // in the JSON as it was sent
	LacksBody  []string `json:"lacks_body"`  // not there
	Header     []string `json:"header"`      // "Name: value"; a name alone is not sent
}

// Duration is written like "1.5s".
type Duration time.Duration

// UnmarshalText parses what [time.ParseDuration] takes.
func (d *Duration) UnmarshalText(text []byte) error {
	parsed, err := time.ParseDuration(string(text))
	*d = Duration(parsed)
	return err
}

// ReadScript reads a script from a file: see [ParseScript].
func ReadScript(file string) ([]Answer, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	answers, err := ParseScript(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return answers, nil
}

// ParseScript reads answers: JSON objects one after the other, or arrays of them.
// Lines that begin with # are comments, and unknown fields errors.
func ParseScript(data []byte) ([]Answer, error) {
	var answers []Answer
	dec := json.NewDecoder(bytes.NewReader(withoutComments(data)))
	for {
		var value json.RawMessage
		err := dec.Decode(&value)
		if errors.Is(err, io.EOF) {
			return answers, nil
		}
		if err != nil {
			return nil, fmt.Errorf("reading script: %w", err)
		}
		if value[0] != '[' {
			value = append(append([]byte("["), value...), ']')
		}
		var more []Answer
		strict := json.NewDecoder(bytes.NewReader(value))
		strict.DisallowUnknownFields()
		if err := strict.Decode(&more); err != nil {
			return nil, fmt.Errorf("reading script: answer %d: %w", len(answers)+1, err)
		}
		answers = append(answers, more...)
	}
}

// withoutComments blanks comment lines, so that offsets in errors stay right.
func withoutComments(data []byte) []byte {
	lines := strings.Split(string(data), "\n")
	for i, line := range lines {
		if strings.HasPrefix(strings.TrimSpace(line), "#") {
			lines[i] = strings.Repeat(" ", len(line))
		}
	}
	return []byte(strings.Join(lines, "\n"))
}

// text returns what raw stands for where the API wants text.
func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}
