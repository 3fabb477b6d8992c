package openaiserver

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
)

// chatRequest is the body of a Chat Completions request.
type chatRequest struct {
	Model         string        `json:"model"`
	Messages      []chatMessage `json:"messages"`
	Stream        bool          `json:"stream"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	Tools []struct {
		Type     string `json:"type"`
		Function Tool   `json:"function"`
	} `json:"tools"`
}

type chatMessage struct {
	Role      string  `json:"role"`
	Content   *string `json:"content"`
	ToolCalls []struct {
		ID       string `json:"id"`
		Type     string `json:"type"`
		Function struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
	ToolCallID string `json:"tool_call_id"`
}

func (r *Request) parseChat() error {
	var in chatRequest
	if err := json.Unmarshal(r.Body, &in); err != nil {
		return fmt.Errorf("reading the request: %w", err)
	}
	r.Model, r.Stream, r.streamUsage = in.Model, in.Stream, in.StreamOptions.IncludeUsage
	for _, t := range in.Tools {
		r.Tools = append(r.Tools, t.Function)
	}
	for _, m := range in.Messages {
		message := Message{Role: m.Role, ToolID: m.ToolCallID}
		if m.Content != nil {
			message.Text = *m.Content
		}
		for _, call := range m.ToolCalls {
			message.ToolCalls = append(message.ToolCalls, ToolCall{ID: call.ID, Name: call.Function.Name, Arguments: call.Function.Arguments})
		}
		r.Messages = append(r.Messages, message)
	}
	return nil
}

// chatCompletion renders an answer in one piece.
func chatCompletion(a Answer, number int, request Request) string {
	message := map[string]any{"role": "assistant", "content": nil, "refusal": nil}
	if a.Text != "" || len(a.ToolCalls) == 0 && a.Refusal == "" {
		message["content"] = a.Text
	}
	if a.Refusal != "" {
		message["refusal"] = a.Refusal
	}
	var calls []map[string]any
	for i, call := range a.ToolCalls {
		calls = append(calls, chatToolCall(call, number, i))
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	out := map[string]any{
		"id": fmt.Sprintf("chatcmpl-%d", number), "object": "chat.completion", "created": 1700000000, "model": request.Model,
		"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": a.finish()}},
	}
	if !a.NoUsage {
		out["usage"] = a.chatUsage()
	}
	return mustJSON(out)
}

func chatToolCall(call ToolCall, number, i int) map[string]any {
	return map[string]any{
		"id": cmp.Or(call.ID, fmt.Sprintf("call_%d_%d", number, i)), "type": "function",
		"function": map[string]any{"name": call.Name, "arguments": call.argumentText()},
	}
}

func (a Answer) chatUsage() map[string]any {
	u := a.tokens()
	return map[string]any{"prompt_tokens": u.Input, "completion_tokens": u.Output, "total_tokens": u.Input + u.Output}
}

// chatStream renders an answer as server-sent events.
func chatStream(a Answer, number int, request Request) string {
	var b strings.Builder
	send := func(choices []any, usage any) {
		chunk := map[string]any{
			"id": fmt.Sprintf("chatcmpl-%d", number), "object": "chat.completion.chunk", "created": 1700000000, "model": request.Model,
			"choices": choices,
		}
		if request.streamUsage {
			chunk["usage"] = usage
		}
		fmt.Fprintf(&b, "data: %s\n\n", mustJSON(chunk))
	}
	delta := func(fields map[string]any, finish any) {
		send([]any{map[string]any{"index": 0, "delta": fields, "finish_reason": finish}}, nil)
	}
	delta(map[string]any{"role": "assistant", "content": ""}, nil)
	for _, piece := range pieces(a.Text) {
		delta(map[string]any{"content": piece}, nil)
	}
	for _, piece := range pieces(a.Refusal) {
		delta(map[string]any{"refusal": piece}, nil)
	}
	for i, call := range a.ToolCalls {
		first := chatToolCall(ToolCall{ID: call.ID, Name: call.Name, Arguments: json.RawMessage(`""`)}, number, i)
		first["index"] = i
		delta(map[string]any{"tool_calls": []any{first}}, nil)
		for _, piece := range pieces(call.argumentText()) {
			delta(map[string]any{"tool_calls": []any{map[string]any{"index": i, "function": map[string]any{"arguments": piece}}}}, nil)
		}
	}
	delta(map[string]any{}, a.finish())
	if request.streamUsage && !a.NoUsage {
		send([]any{}, a.chatUsage())
	}
	b.WriteString("data: [DONE]\n\n")
	return b.String()
}
