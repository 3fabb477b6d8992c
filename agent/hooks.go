package agent

import "context"

// Hooks are called as a query goes on. Every field may be nil. An error, and a
// panic, of a hook ends the query with an error that names the hook.
type Hooks struct {
	// BeforeAll runs at the start of the first query, before the system prompt is
	// added and the toolboxes are listed; again when that start failed.
	BeforeAll func(ctx context.Context) error
	// OnStart runs at the start of every query, after the start of the first.
	OnStart func(ctx context.Context) error
	// BeforeCompletion runs before each request and may change it; changes do not
	// reach the history.
	BeforeCompletion func(ctx context.Context, req *Request) error
	// AfterCompletion runs after each answer and may change it before it is added.
	AfterCompletion func(ctx context.Context, resp *Response) error
	// BeforeTool runs before each tool call. Calls of one answer run side by side,
	// and so do these hooks.
	BeforeTool func(ctx context.Context, call ToolCall) error
	// AfterTool runs after each tool call and may change what the model is told.
	AfterTool func(ctx context.Context, call ToolCall, out *ToolOutput, err *error) error
	// OnNewMessage runs after a message was added, in the order of the history.
	OnNewMessage func(ctx context.Context, msg Message) error
	// AfterEach runs after each step: a completion and its tools.
	AfterEach func(ctx context.Context) error
	// OnStop runs once at the end of every query that returns no error.
	OnStop func(ctx context.Context, result Result) error
	// OnStream is called with each piece of text as it arrives.
	OnStream func(ctx context.Context, text string)
}
