package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"strings"

	"release-notes-agent/agent"
	"release-notes-agent/agent/agenttest"
)

// The scripted models of these examples stand where a program has a real one.

// An agent with a tool. The model asks for it, is told the result, and answers.
func Example() {
	count := agent.NewTool(agent.ToolSpec{
		Name:        "count_words",
		Description: "counts the words of the README",
	}, func(context.Context, json.RawMessage) (agent.ToolOutput, error) {
		return agent.ToolOutput{Text: "420"}, nil
	})
	model := agenttest.NewScript(
		agenttest.Ask(agenttest.Call("count_words", "{}")),
		agenttest.Say("The README has 420 words."),
	)
	a, err := agent.New(agent.Options{
		Model:  model,
		System: "You answer questions on a repository.",
		Tools:  []agent.Tool{count},
	})
	if err != nil {
		log.Fatal(err)
	}
	result, err := a.Query(context.Background(), "How long is the README?")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Reason)
	fmt.Println(result.Text)
	// Output:
	// done
	// The README has 420 words.
}

// A tool that stops the agent hands over its arguments: the way to get a structured
// answer out of a model.
func ExampleToolOutput_stop() {
	submit := agent.NewTool(agent.ToolSpec{
		Name:        "submit",
		Description: "Submit the title.",
		Parameters:  json.RawMessage(`{"type":"object","properties":{"title":{"type":"string"}},"required":["title"]}`),
	}, func(_ context.Context, arguments json.RawMessage) (agent.ToolOutput, error) {
		var in struct{ Title string }
		if err := json.Unmarshal(arguments, &in); err != nil {
			return agent.ToolOutput{}, err
		}
		if len(in.Title) > 20 {
			return agent.ToolOutput{}, fmt.Errorf("the title is longer than 20 bytes")
		}
		return agent.ToolOutput{Text: "accepted", Stop: true}, nil
	})
	model := agenttest.NewScript(
		agenttest.Ask(agenttest.Call("submit", `{"title":"A title that goes on and on"}`)),
		agenttest.Ask(agenttest.Call("submit", `{"title":"A title"}`)),
	)
	a, err := agent.New(agent.Options{Model: model, Tools: []agent.Tool{submit}, WithoutStop: true})
	if err != nil {
		log.Fatal(err)
	}
	result, err := a.Query(context.Background(), "Find a title.")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Reason, result.Tool, string(result.Arguments))
	// Output: stopped by tool submit {"title":"A title"}
}

// A tool that needs a person stops the agent with its question. The next query
// brings the answer.
func ExampleToolOutput_feedback() {
	confirm := agent.NewTool(agent.ToolSpec{
		Name:        "confirm",
		Description: "Ask the user for leave.",
	}, func(context.Context, json.RawMessage) (agent.ToolOutput, error) {
		return agent.ToolOutput{Text: "May I go on?", Feedback: true}, nil
	})
	model := agenttest.NewScript(
		agenttest.Ask(agenttest.Call("confirm", "{}")),
		agenttest.Say("Then I go on."),
	)
	a, err := agent.New(agent.Options{Model: model, Tools: []agent.Tool{confirm}})
	if err != nil {
		log.Fatal(err)
	}
	prompt := "Clean up."
	for {
		result, err := a.Query(context.Background(), prompt)
		if err != nil {
			log.Fatal(err)
		}
		if result.Reason != agent.NeedsFeedback {
			fmt.Println(result.Text)
			break
		}
		fmt.Println(result.Output)
		prompt = "Yes." // in a program, what the person says
	}
	// Output:
	// May I go on?
	// Then I go on.
}

// Decorators build a toolbox out of another one: here one that only reads, whose
// repository the model can't choose, under names that every model accepts.
func ExampleFixArguments() {
	tool := func(name string) agent.Tool {
		return agent.NewTool(agent.ToolSpec{
			Name:       name,
			Parameters: json.RawMessage(`{"type":"object","properties":{"owner":{},"issue":{}},"required":["owner","issue"]}`),
		}, func(_ context.Context, arguments json.RawMessage) (agent.ToolOutput, error) {
			return agent.ToolOutput{Text: string(arguments)}, nil
		})
	}
	var box agent.Toolbox = agent.Tools{tool("tracker:get"), tool("tracker:delete")}
	box = agent.Filter(box, func(spec agent.ToolSpec) bool { return spec.Name == "tracker:get" })
	box = agent.FixArguments(box, map[string]any{"owner": "ann"})
	box = agent.TrimResults(box, 1000)
	box = agent.Rename(box, func(name string) string { return strings.ReplaceAll(name, ":", "_") })

	tools, err := box.Tools(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	for _, tool := range tools {
		out, err := tool.Call(context.Background(), json.RawMessage(`{"owner":"eve","issue":7}`))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(tool.Spec().Name)
		fmt.Println(string(tool.Spec().Parameters))
		fmt.Println(out.Text)
	}
	// Output:
	// tracker_get
	// {"properties":{"issue":{}},"required":["issue"],"type":"object"}
	// {"issue":7,"owner":"ann"}
}

// Hooks watch a query and print an answer as it arrives.
func ExampleHooks() {
	a, err := agent.New(agent.Options{
		Model: agenttest.NewScript(agenttest.Say("Word by word.")),
		Hooks: agent.Hooks{
			OnStream: func(_ context.Context, text string) { fmt.Printf("%q\n", text) },
			OnStop: func(_ context.Context, result agent.Result) error {
				fmt.Println("stopped:", result.Reason)
				return nil
			},
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := a.Query(context.Background(), "Speak."); err != nil {
		log.Fatal(err)
	}
	// Output:
	// "Word "
	// "by "
	// "word."
	// stopped: done
}

// A conversation goes to JSON, and another agent continues it.
func ExampleOptions_history() {
	first, err := agent.New(agent.Options{Model: agenttest.NewScript(agenttest.Say("Hello, Ann."))})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := first.Query(context.Background(), "I am Ann."); err != nil {
		log.Fatal(err)
	}
	saved, err := json.Marshal(first.History())
	if err != nil {
		log.Fatal(err)
	}

	var history []agent.Message
	if err := json.Unmarshal(saved, &history); err != nil {
		log.Fatal(err)
	}
	second, err := agent.New(agent.Options{Model: agenttest.NewScript(agenttest.Say("You are Ann.")), History: history})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := second.Query(context.Background(), "Who am I?"); err != nil {
		log.Fatal(err)
	}
	for _, message := range second.History() {
		fmt.Printf("%s: %s\n", message.Role, message.Text)
	}
	// Output:
	// user: I am Ann.
	// assistant: Hello, Ann.
	// user: Who am I?
	// assistant: You are Ann.
}
