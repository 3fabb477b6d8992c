package agent

import "encoding/json"

// State says where an agent stands.
type State int

// The states.
const (
	Pending State = iota
	Running
	Stopped
)

// A Result says how a query ended.
type Result struct {
	Reason StopReason
	Text   string // of the last assistant message
	Usage  Usage  // of this query

	// Of the call that ended it, for StopByTool, NeedsFeedback and ToolRetryLimit;
	// the first one in the order asked, when several would have.
	Tool      string          // name of the tool
	Arguments json.RawMessage // what the model gave it
	Output    string          // what the tool told the model: for NeedsFeedback, the question
	Err       error           // the tool's last error, for ToolRetryLimit
}

// StopReason says why a query ended. The set is closed.
type StopReason string

// The reasons.
const (
	Done           StopReason = "done" // the model asked for no tool
	StopByTool     StopReason = "stopped by tool"
	NeedsFeedback  StopReason = "feedback required"
	StepLimit      StopReason = "step limit"
	ToolCallLimit  StopReason = "tool call limit"
	ToolRetryLimit StopReason = "tool retry limit" // a tool failed too often with the same arguments
	TokenLimit     StopReason = "token limit"
	TimeLimit      StopReason = "time limit"
)
