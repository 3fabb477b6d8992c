package openaimodel

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"release-notes-agent/agent"
)

// readStream reads an answer that comes in pieces, and hands its text to onDelta,
// which may be nil.
func (c *chat) readStream(res *http.Response, onDelta func(string)) (agent.Response, error) {
	events := ssestream.NewDecoder(res)
	var s streamed
	for events.Next() {
		data := bytes.TrimSpace(events.Event().Data)
		if string(data) == "[DONE]" {
			s.ended = true
			break
		}
		var chunk openai.ChatCompletionChunk
		if err := json.Unmarshal(data, &chunk); err != nil {
			return agent.Response{}, c.server.malformed("with a stream of what is not JSON", res.Header, data)
		}
		if holdsError(chunk.JSON.ExtraFields) {
			if e := c.server.inSuccess(res.StatusCode, data); e != nil {
				return agent.Response{}, e
			}
		}
		s.add(chunk, onDelta)
	}
	if !s.ended {
		return agent.Response{}, brokenOff(cmp.Or(events.Err(), io.ErrUnexpectedEOF))
	}
	if !s.any {
		return agent.Response{}, c.server.newError(Malformed, "%s streams an answer without a choice", c.server.address)
	}
	return c.server.response(s.said())
}

// streamed puts the pieces of an answer together.
type streamed struct {
	text, refusal strings.Builder
	calls         []*streamedCall
	finish        string
	usage         agent.Usage
	any           bool // a choice came
	ended         bool // the server said that it was done
}

type streamedCall struct {
	index     int64
	id, name  string
	arguments strings.Builder
}

func (s *streamed) add(chunk openai.ChatCompletionChunk, onDelta func(string)) {
	if chunk.JSON.Usage.Valid() {
		s.usage = chatUsage(chunk.Usage)
	}
	if len(chunk.Choices) == 0 || chunk.Choices[0].Index != 0 {
		return
	}
	s.any = true
	choice := chunk.Choices[0]
	if choice.FinishReason != "" {
		s.finish, s.ended = choice.FinishReason, true
	}
	s.text.WriteString(choice.Delta.Content)
	s.refusal.WriteString(choice.Delta.Refusal)
	if text := choice.Delta.Content + choice.Delta.Refusal; text != "" && onDelta != nil {
		onDelta(text)
	}
	for _, piece := range choice.Delta.ToolCalls {
		call := s.call(piece.Index, piece.ID)
		if call.name == "" { // some servers repeat it with every piece
			call.name = piece.Function.Name
		}
		call.arguments.WriteString(piece.Function.Arguments)
	}
}

// call finds the call that a piece belongs to. The index tells, except with
// servers that leave it out or always send 0: there another id is another call.
func (s *streamed) call(index int64, id string) *streamedCall {
	for i := len(s.calls) - 1; i >= 0; i-- {
		if c := s.calls[i]; c.index == index && (id == "" || c.id == "" || c.id == id) {
			if c.id == "" {
				c.id = id
			}
			return c
		}
	}
	c := &streamedCall{index: index, id: id}
	s.calls = append(s.calls, c)
	return c
}

func (s *streamed) said() said {
	out := said{text: s.text.String(), refusal: s.refusal.String(), finish: s.finish, usage: s.usage}
	for _, c := range s.calls {
		out.calls = append(out.calls, agent.ToolCall{ID: c.id, Name: c.name, Arguments: json.RawMessage(c.arguments.String())})
	}
	return out
}
