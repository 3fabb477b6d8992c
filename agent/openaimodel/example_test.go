package openaimodel_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"release-notes-agent/agent"
	"release-notes-agent/agent/agenttest/openaiserver"
	"release-notes-agent/agent/openaimodel"
)

// An agent over any server that speaks the API; here one that plays a script.
func Example() {
	server, err := openaiserver.Listen(
		openaiserver.Answer{ToolCalls: []openaiserver.ToolCall{{Name: "add", Arguments: json.RawMessage(`{"a": 2, "b": 40}`)}}},
		openaiserver.Answer{Text: "The sum is 42.", Expect: openaiserver.Expectations{Last: []string{"42"}}},
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()

	model, err := openaimodel.New(openaimodel.Options{BaseURL: server.URL(), Model: "small"})
	if err != nil {
		fmt.Println(err)
		return
	}
	a, err := agent.New(agent.Options{Model: model, Tools: []agent.Tool{adder{}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := a.Query(context.Background(), "What is 2 + 40?")
	fmt.Println(result.Text, result.Usage.Requests, "requests", err)
	// Output: The sum is 42. 2 requests <nil>
}

type adder struct{}

func (adder) Spec() agent.ToolSpec {
	return agent.ToolSpec{Name: "add", Description: "adds a and b", Parameters: json.RawMessage(
		`{"type": "object", "properties": {"a": {"type": "number"}, "b": {"type": "number"}}, "required": ["a", "b"]}`)}
}

func (adder) Call(_ context.Context, arguments json.RawMessage) (agent.ToolOutput, error) {
	var in struct{ A, B float64 }
	err := json.Unmarshal(arguments, &in)
	return agent.ToolOutput{Text: fmt.Sprint(in.A + in.B)}, err
}

// Errors tell kinds of failures apart, and say what to do next.
func ExampleError() {
	server, err := openaiserver.Listen(openaiserver.Answer{Status: 401})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	model, err := openaimodel.New(openaimodel.Options{BaseURL: server.URL(), Model: "small"})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = model.Complete(context.Background(), agent.Request{Messages: []agent.Message{{Role: agent.RoleUser, Text: "hi"}}})
	var failure *openaimodel.Error
	if errors.As(err, &failure) {
		fmt.Println(failure.Kind)
		fmt.Println(failure.Hint())
	}
	// Output:
	// unauthorized
	// check OPENAI_API_KEY, and that it belongs to the server of --base-url
}
