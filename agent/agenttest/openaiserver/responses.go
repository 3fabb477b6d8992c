package openaiserver

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
)

// responsesRequest is the body of a Responses request.
type responsesRequest struct {
	Model  string          `json:"model"`
	Input  json.RawMessage `json:"input"` // a text, or items
	Stream bool            `json:"stream"`
	Tools  []Tool          `json:"tools"`
}

// inputItem is a message, a function_call or a function_call_output.
type inputItem struct {
	Type      string          `json:"type"`
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"` // a text, or parts
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Output    json.RawMessage `json:"output"`
}

func (r *Request) parseResponses() error {
	var in responsesRequest
	if err := json.Unmarshal(r.Body, &in); err != nil {
		return fmt.Errorf("reading the request: %w", err)
	}
	r.Model, r.Stream, r.Tools, r.api = in.Model, in.Stream, in.Tools, responses
	var items []inputItem
	if err := json.Unmarshal(in.Input, &items); err != nil {
		items = []inputItem{{Role: "user", Content: in.Input}}
	}
	for i, item := range items {
		if err := r.addItem(item); err != nil {
			return fmt.Errorf("input item %d: %w", i+1, err)
		}
	}
	return nil
}

func (r *Request) addItem(item inputItem) error {
	switch item.Type {
	case "", "message":
		r.Messages = append(r.Messages, Message{Role: item.Role, Text: text(item.Content)})
	case "function_call":
		r.addCall(ToolCall{ID: item.CallID, Name: item.Name, Arguments: item.Arguments})
	case "function_call_output":
		r.Messages = append(r.Messages, Message{Role: "tool", ToolID: item.CallID, Text: text(item.Output)})
	default:
		return fmt.Errorf("unknown type %q", item.Type)
	}
	return nil
}

// addCall adds a call to the message of the model that it is part of.
func (r *Request) addCall(call ToolCall) {
	last := len(r.Messages) - 1
	if last < 0 || r.Messages[last].Role != "assistant" {
		r.Messages = append(r.Messages, Message{Role: "assistant"})
		last++
	}
	r.Messages[last].ToolCalls = append(r.Messages[last].ToolCalls, call)
}

// response renders an answer as a response object.
func response(a Answer, number int, request Request) map[string]any {
	output := []any{map[string]any{"id": fmt.Sprintf("rs_%d", number), "type": "reasoning", "summary": []any{}}}
	var content []any
	if a.Text != "" {
		content = append(content, map[string]any{"type": "output_text", "text": a.Text, "annotations": []any{}})
	}
	if a.Refusal != "" {
		content = append(content, map[string]any{"type": "refusal", "refusal": a.Refusal})
	}
	if content != nil || len(a.ToolCalls) == 0 {
		output = append(output, map[string]any{
			"id": fmt.Sprintf("msg_%d", number), "type": "message", "role": "assistant", "status": "completed", "content": content,
		})
	}
	for i, call := range a.ToolCalls {
		output = append(output, map[string]any{
			"id": fmt.Sprintf("fc_%d_%d", number, i), "type": "function_call", "status": "completed",
			"call_id": cmp.Or(call.ID, fmt.Sprintf("call_%d_%d", number, i)), "name": call.Name, "arguments": call.argumentText(),
		})
	}
	out := map[string]any{
		"id": fmt.Sprintf("resp_%d", number), "object": "response", "created_at": 1700000000, "model": request.Model,
		"status": a.status(), "error": nil, "incomplete_details": a.incompleteDetails(), "output": output,
	}
	if !a.NoUsage {
		u := a.tokens()
		out["usage"] = map[string]any{"input_tokens": u.Input, "output_tokens": u.Output, "total_tokens": u.Input + u.Output}
	}
	return out
}

// status tells an answer that was cut or withheld, which FinishReason asks for in
// the words of Chat Completions.
func (a Answer) status() string {
	if a.incompleteDetails() != nil {
		return "incomplete"
	}
	return "completed"
}

func (a Answer) incompleteDetails() any {
	switch a.FinishReason {
	case "length":
		return map[string]any{"reason": "max_output_tokens"}
	case "content_filter":
		return map[string]any{"reason": "content_filter"}
	}
	return nil
}

// responseStream renders an answer as server-sent events.
func responseStream(a Answer, number int, request Request) string {
	var b strings.Builder
	sequence := 0
	send := func(kind string, fields map[string]any) {
		fields["type"], fields["sequence_number"] = kind, sequence
		sequence++
		fmt.Fprintf(&b, "event: %s\ndata: %s\n\n", kind, mustJSON(fields))
	}
	send("response.created", map[string]any{"response": map[string]any{"id": fmt.Sprintf("resp_%d", number), "status": "in_progress"}})
	for _, piece := range pieces(a.Text) {
		send("response.output_text.delta", map[string]any{"delta": piece})
	}
	for _, piece := range pieces(a.Refusal) {
		send("response.refusal.delta", map[string]any{"delta": piece})
	}
	for i, call := range a.ToolCalls {
		for _, piece := range pieces(call.argumentText()) {
			send("response.function_call_arguments.delta", map[string]any{"output_index": i, "delta": piece})
		}
	}
	send("response."+a.status(), map[string]any{"response": response(a, number, request)})
	return b.String()
}
