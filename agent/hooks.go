package agent

import "context"

// Hooks are called as a query goes on. Every field may be nil. The order is
//
//	BeforeAll                    the first query only; then the system prompt
//	                             is added and the toolboxes are listed
//	OnStart                      then the prompt is added
//	  BeforeCompletion           each step
//	    OnStream
//	  AfterCompletion            then the answer is added
//	    BeforeTool, AfterTool    each tool call of the answer, side by side;
//	                             then their results are added
//	  AfterEach
//	OnStop
//
// and OnNewMessage whenever a message was added. Hooks run one at a time, except
// for BeforeTool and AfterTool.
//
// An error, and a panic, of a hook ends the query with an error that names the
// hook and wraps the cause; no later hook runs. Hooks return soon after their
// context has ended; see [Agent.Query] for those that don't. A hook may call every
// method of the agent but Wait; Query is refused.
type Hooks struct {
	// BeforeAll runs at the start of the first query, before the system prompt is
	// added and the toolboxes are listed; again when that start failed.
	BeforeAll func(ctx context.Context) error
	// OnStart runs at the start of every query, after what BeforeAll belongs to and
	// before the prompt is added.
	OnStart func(ctx context.Context) error
	// BeforeCompletion runs before each request and may change it; changes do not
	// reach the history or the next request.
	BeforeCompletion func(ctx context.Context, req *Request) error
	// AfterCompletion runs after each answer and may change it before it is added.
	AfterCompletion func(ctx context.Context, resp *Response) error
	// BeforeTool runs before each tool call, also one of an unknown tool. After an
	// error neither that tool is called nor any other of the answer that has not
	// started; those that run see their context end.
	BeforeTool func(ctx context.Context, call ToolCall) error
	// AfterTool runs after each tool call that was not interrupted, and may change
	// what comes of it: the text for the model, whether it ends the query, and
	// whether it failed.
	AfterTool func(ctx context.Context, call ToolCall, out *ToolOutput, err *error) error
	// OnNewMessage runs after a message was added, in the order of the history. For
	// the results of tool calls it also runs when ctx has ended meanwhile. It does
	// not run for Options.History, nor for the answers that are made up for tool
	// calls found open at the start of a query.
	OnNewMessage func(ctx context.Context, msg Message) error
	// AfterEach runs after each step: a completion and its tools.
	AfterEach func(ctx context.Context) error
	// OnStop runs once at the end of every query that has a result, also one that
	// reached a limit. Its error is returned beside that result.
	OnStop func(ctx context.Context, result Result) error
	// OnStream is called by the model with each piece of text as it arrives.
	OnStream func(ctx context.Context, text string)
}
