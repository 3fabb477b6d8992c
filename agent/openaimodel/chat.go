package openaimodel

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/packages/respjson"
	"github.com/openai/openai-go/v3/shared"

	"release-notes-agent/agent"
)

// chat speaks Chat Completions.
type chat struct {
	opts    Options
	server  *server
	service openai.ChatCompletionService
}

func newChat(opts Options, s *server) *chat {
	return &chat{opts: opts, server: s, service: openai.NewChatCompletionService(s.options...)}
}

func (c *chat) complete(ctx context.Context, req agent.Request, send optionals) (agent.Response, error) {
	params, err := c.params(req, send)
	if err != nil {
		return agent.Response{}, c.server.newError(BadRequest, "%v", err)
	}
	return exchange(req, c, func(options ...option.RequestOption) error {
		_, err := c.service.New(ctx, params, options...)
		return err
	})
}

// params builds the request.
func (c *chat) params(req agent.Request, send optionals) (openai.ChatCompletionNewParams, error) {
	tools, err := chatTools(req.Tools)
	if err != nil {
		return openai.ChatCompletionNewParams{}, err
	}
	messages := req.Messages
	if !send.has(systemRole) {
		messages = systemAsUser(messages)
	}
	p := openai.ChatCompletionNewParams{Model: c.opts.Model, Tools: tools}
	for _, m := range messages {
		p.Messages = append(p.Messages, chatMessage(m))
	}
	if send.has(temperature) {
		p.Temperature = param.NewOpt(*c.opts.Temperature)
	}
	if send.has(reasoningEffort) {
		p.ReasoningEffort = shared.ReasoningEffort(c.opts.ReasoningEffort)
	}
	if send.has(maxCompletionTokens) {
		p.MaxCompletionTokens = param.NewOpt(c.opts.MaxTokens)
	}
	if send.has(maxTokens) {
		p.MaxTokens = param.NewOpt(c.opts.MaxTokens)
	}
	if send.has(streamUsage) {
		p.StreamOptions.IncludeUsage = param.NewOpt(true)
	}
	return p, nil
}

func chatTools(specs []agent.ToolSpec) ([]openai.ChatCompletionToolUnionParam, error) {
	var tools []openai.ChatCompletionToolUnionParam
	for _, spec := range specs {
		parameters, err := parametersOf(spec)
		if err != nil {
			return nil, err
		}
		function := shared.FunctionDefinitionParam{Name: spec.Name, Parameters: parameters}
		if spec.Description != "" {
			function.Description = param.NewOpt(spec.Description)
		}
		tools = append(tools, openai.ChatCompletionFunctionTool(function))
	}
	return tools, nil
}

// parametersOf takes a tool's schema apart as far as openai-go wants it. What lies
// deeper stays as it is written: models fill in properties in their order. OpenAI
// and others refuse an object without properties, even if it is meant to have none.
func parametersOf(spec agent.ToolSpec) (map[string]any, error) {
	parameters := map[string]any{"type": "object", "properties": map[string]any{}}
	if len(spec.Parameters) == 0 {
		return parameters, nil
	}
	var keywords map[string]json.RawMessage
	if err := json.Unmarshal(spec.Parameters, &keywords); err != nil {
		return nil, fmt.Errorf("schema of tool %q: %v", spec.Name, err)
	}
	for name, value := range keywords {
		parameters[name] = value
	}
	return parameters, nil
}

// systemAsUser puts the system text in front of the first user message, for models
// that know no system role.
func systemAsUser(messages []agent.Message) []agent.Message {
	var system string
	var out []agent.Message
	for _, m := range messages {
		switch {
		case m.Role == agent.RoleSystem:
			system += m.Text + "\n\n"
			continue
		case m.Role == agent.RoleUser && system != "":
			m.Text = system + m.Text
			system = ""
		}
		out = append(out, m)
	}
	if system != "" {
		out = append(out, agent.Message{Role: agent.RoleUser, Text: system})
	}
	return out
}

func chatMessage(m agent.Message) openai.ChatCompletionMessageParamUnion {
	switch m.Role {
	case agent.RoleSystem:
		return openai.SystemMessage(m.Text)
	case agent.RoleUser:
		return openai.UserMessage(m.Text)
	case agent.RoleTool:
		var id string
		if m.ToolCall != nil {
			id = m.ToolCall.ID
		}
		return openai.ToolMessage(m.Text, id)
	case agent.RoleAssistant:
		return assistantMessage(m)
	default:
		panic(fmt.Sprintf("unknown role %q", m.Role))
	}
}

func assistantMessage(m agent.Message) openai.ChatCompletionMessageParamUnion {
	var assistant openai.ChatCompletionAssistantMessageParam
	if m.Text != "" || len(m.ToolCalls) == 0 {
		assistant.Content.OfString = param.NewOpt(m.Text)
	}
	for _, call := range m.ToolCalls {
		assistant.ToolCalls = append(assistant.ToolCalls, openai.ChatCompletionMessageToolCallUnionParam{
			OfFunction: &openai.ChatCompletionMessageFunctionToolCallParam{
				ID: call.ID,
				Function: openai.ChatCompletionMessageFunctionToolCallFunctionParam{
					Name:      sentName(call),
					Arguments: sentArguments(call.Arguments),
				},
			},
		})
	}
	return openai.ChatCompletionMessageParamUnion{OfAssistant: &assistant}
}

// sentName is what the model is shown of the name: OpenAI refuses empty ones.
func sentName(call agent.ToolCall) string { return cmp.Or(call.Name, "unknown") }

// sentArguments is what the model is shown of its earlier call. Many servers parse
// the arguments and refuse a conversation that holds broken ones: these become an
// empty object, and the tool's answer tells what was wrong.
func sentArguments(arguments json.RawMessage) string {
	if !json.Valid(arguments) {
		return "{}"
	}
	return string(arguments)
}

// readAnswer reads an answer that comes in one piece.
func (c *chat) readAnswer(res *http.Response) (agent.Response, error) {
	body, err := readAll(res.Body)
	if err != nil {
		return agent.Response{}, err
	}
	var answer openai.ChatCompletion
	if err := json.Unmarshal(body, &answer); err != nil {
		return agent.Response{}, c.server.malformed("what is no completion", res.Header, body)
	}
	if len(answer.Choices) == 0 || holdsError(answer.JSON.ExtraFields) {
		if e := c.server.inSuccess(res.StatusCode, body); e != nil {
			return agent.Response{}, e
		}
	}
	if len(answer.Choices) == 0 {
		return agent.Response{}, c.server.malformed("without a choice", res.Header, body)
	}
	choice := answer.Choices[0]
	if !strings.HasPrefix(choice.JSON.Message.Raw(), "{") {
		return agent.Response{}, c.server.malformed("without a message", res.Header, body)
	}
	return c.server.response(saidIn(choice, answer.Usage))
}

func saidIn(choice openai.ChatCompletionChoice, usage openai.CompletionUsage) said {
	message := choice.Message
	s := said{text: message.Content, refusal: message.Refusal, finish: choice.FinishReason, usage: chatUsage(usage)}
	if raw := message.JSON.Content.Raw(); strings.HasPrefix(raw, "[") {
		s.text = textOfParts(raw)
	}
	for _, call := range message.ToolCalls {
		s.calls = append(s.calls, agent.ToolCall{
			ID: call.ID, Name: call.Function.Name, Arguments: json.RawMessage(call.Function.Arguments),
		})
	}
	return s
}

func chatUsage(u openai.CompletionUsage) agent.Usage {
	return agent.Usage{InputTokens: max(0, u.PromptTokens), OutputTokens: max(0, u.CompletionTokens)}
}

// textOfParts joins the text of content that came as a list of parts.
func textOfParts(raw string) string {
	var parts []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal([]byte(raw), &parts) != nil {
		return raw
	}
	var text string
	for _, p := range parts {
		text += p.Text
	}
	return text
}

// holdsError says whether an answer has an error beside the fields of the API.
func holdsError(extra map[string]respjson.Field) bool {
	raw := extra["error"].Raw()
	return raw != "" && raw != "null"
}
