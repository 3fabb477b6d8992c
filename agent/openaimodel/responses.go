package openaimodel

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/packages/ssestream"
	responsesapi "github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"

	"release-notes-agent/agent"
)

// responses speaks the Responses API, without state at the server: every request
// carries the whole conversation, and nothing is stored.
//
// The reasoning of earlier answers is not sent back. The API asks for it only
// beside items that are sent with their ids; ours are sent without.
type responses struct {
	opts    Options
	server  *server
	service responsesapi.ResponseService
}

func newResponses(opts Options, s *server) *responses {
	return &responses{opts: opts, server: s, service: responsesapi.NewResponseService(s.options...)}
}

func (r *responses) complete(ctx context.Context, req agent.Request, send optionals) (agent.Response, error) {
	params, err := r.params(req, send)
	if err != nil {
		return agent.Response{}, r.server.newError(BadRequest, "%v", err)
	}
	return exchange(req, r, func(options ...option.RequestOption) error {
		_, err := r.service.New(ctx, params, options...)
		return err
	})
}

// params builds the request.
func (r *responses) params(req agent.Request, send optionals) (responsesapi.ResponseNewParams, error) {
	p := responsesapi.ResponseNewParams{Model: r.opts.Model, Store: param.NewOpt(false)}
	for _, spec := range req.Tools {
		parameters, err := parametersOf(spec)
		if err != nil {
			return p, err
		}
		// Strict schemas, the default here, allow no optional properties.
		tool := responsesapi.ToolParamOfFunction(spec.Name, parameters, false)
		if spec.Description != "" {
			tool.OfFunction.Description = param.NewOpt(spec.Description)
		}
		p.Tools = append(p.Tools, tool)
	}
	messages := req.Messages
	if !send.has(systemRole) {
		messages = systemAsUser(messages)
	}
	for _, m := range messages {
		p.Input.OfInputItemList = append(p.Input.OfInputItemList, inputItems(m)...)
	}
	if send.has(temperature) {
		p.Temperature = param.NewOpt(*r.opts.Temperature)
	}
	if send.has(reasoningEffort) {
		p.Reasoning.Effort = shared.ReasoningEffort(r.opts.ReasoningEffort)
	}
	if send.has(maxCompletionTokens) {
		p.MaxOutputTokens = param.NewOpt(r.opts.MaxTokens)
	}
	return p, nil
}

// inputItems returns what a message is here: an item of its own for each call.
func inputItems(m agent.Message) []responsesapi.ResponseInputItemUnionParam {
	if m.Role == agent.RoleTool {
		output := responsesapi.ResponseInputItemParamOfFunctionCallOutput(m.Text)
		if m.ToolCall != nil {
			output.OfFunctionCallOutput.CallID = param.NewOpt(m.ToolCall.ID)
		}
		return []responsesapi.ResponseInputItemUnionParam{output}
	}
	var items []responsesapi.ResponseInputItemUnionParam
	if m.Text != "" || len(m.ToolCalls) == 0 {
		items = append(items, responsesapi.ResponseInputItemParamOfMessage(m.Text, roleOf(m)))
	}
	for _, call := range m.ToolCalls {
		items = append(items, responsesapi.ResponseInputItemParamOfFunctionCall(sentArguments(call.Arguments), call.ID, sentName(call)))
	}
	return items
}

func roleOf(m agent.Message) responsesapi.EasyInputMessageRole {
	switch m.Role {
	case agent.RoleSystem:
		return responsesapi.EasyInputMessageRoleSystem
	case agent.RoleUser:
		return responsesapi.EasyInputMessageRoleUser
	case agent.RoleAssistant:
		return responsesapi.EasyInputMessageRoleAssistant
	default:
		panic(fmt.Sprintf("unknown role %q", m.Role))
	}
}

// readAnswer reads an answer that comes in one piece.
func (r *responses) readAnswer(res *http.Response) (agent.Response, error) {
	body, err := readAll(res.Body)
	if err != nil {
		return agent.Response{}, err
	}
	return r.read(res, body)
}

// read reads a response object. Its output is there, perhaps in part, unless its
// error is.
func (r *responses) read(res *http.Response, body []byte) (agent.Response, error) {
	var answer responsesapi.Response
	if err := json.Unmarshal(body, &answer); err != nil {
		return agent.Response{}, r.server.malformed("what is no response", res.Header, body)
	}
	if answer.JSON.Error.Valid() || !answer.JSON.Output.Valid() {
		if e := r.server.inSuccess(res.StatusCode, body); e != nil {
			return agent.Response{}, e
		}
	}
	if len(answer.Output) == 0 && answer.IncompleteDetails.Reason == "" {
		return agent.Response{}, r.server.malformed("without output", res.Header, body)
	}
	s := said{finish: finishOf(answer.IncompleteDetails.Reason), usage: agent.Usage{
		InputTokens: max(0, answer.Usage.InputTokens), OutputTokens: max(0, answer.Usage.OutputTokens),
	}}
	for _, item := range answer.Output {
		s.add(item)
	}
	return r.server.response(s)
}

// add adds an item of output. Those that are neither message nor call, such as
// reasoning, are the model's own affair.
func (s *said) add(item responsesapi.ResponseOutputItemUnion) {
	switch item.Type {
	case "message":
		for _, part := range item.Content {
			s.text += part.Text
			s.refusal += part.Refusal
		}
	case "function_call":
		s.calls = append(s.calls, agent.ToolCall{
			ID: item.CallID, Name: item.Name, Arguments: json.RawMessage(textOf(json.RawMessage(item.JSON.Arguments.Raw()))),
		})
	}
}

// finishOf puts a reason for an incomplete response in the words of Chat
// Completions.
func finishOf(reason string) string {
	if reason == "max_output_tokens" {
		return "length"
	}
	return reason
}

// readStream reads an answer that comes in pieces. The last of them holds the
// whole; the others are only of use to onDelta.
func (r *responses) readStream(res *http.Response, onDelta func(string)) (agent.Response, error) {
	events := ssestream.NewDecoder(res)
	for events.Next() {
		data := bytes.TrimSpace(events.Event().Data)
		var event struct {
			Type     string          `json:"type"`
			Delta    json.RawMessage `json:"delta"`
			Response json.RawMessage `json:"response"`
		}
		if err := json.Unmarshal(data, &event); err != nil {
			return agent.Response{}, r.server.malformed("with a stream of what is not JSON", res.Header, data)
		}
		switch event.Type {
		case "response.output_text.delta", "response.refusal.delta":
			if text := textOf(event.Delta); text != "" && onDelta != nil {
				onDelta(text)
			}
		case "response.completed", "response.incomplete", "response.failed":
			return r.read(res, event.Response)
		case "error":
			if e := r.server.inSuccess(res.StatusCode, data); e != nil {
				return agent.Response{}, e
			}
		}
	}
	return agent.Response{}, brokenOff(cmp.Or(events.Err(), io.ErrUnexpectedEOF))
}

// reasons says whether OpenAI serves model best through the Responses API: those
// that reason keep their tools and their effort only there. Fine-tuned models are
// named after their base, as in ft:o4-mini:….
func reasons(model string) bool {
	base := strings.TrimPrefix(model, "ft:")
	for _, older := range []string{"gpt-3", "gpt-4", "chatgpt-"} {
		if strings.HasPrefix(base, older) {
			return false
		}
	}
	return strings.HasPrefix(base, "gpt-") || len(base) > 1 && base[0] == 'o' && base[1] >= '1' && base[1] <= '9' || strings.Contains(base, "codex")
}
