package agent

import (
	"encoding/json"
	"fmt"
)

// State says where an agent stands.
type State int

// The states.
const (
	Pending State = iota // no query got through the start
	Running              // a query runs
	Stopped              // the last query has ended, with a result or an error
)

// String returns the state in lower case.
func (s State) String() string {
	switch s {
	case Pending:
		return "pending"
	case Running:
		return "running"
	case Stopped:
		return "stopped"
	default:
		return fmt.Sprintf("State(%d)", int(s))
	}
}

// A Result says how a query ended.
type Result struct {
	Reason StopReason
	Text   string // of the last answer of the model in this query
	Usage  Usage  // of this query

	// The call that ended the query, for StopByTool, NeedsFeedback and
	// ToolRetryLimit: the first one in the order asked, when several would have.
	Tool      string          // its name
	Arguments json.RawMessage // as the model wrote them
	Output    string          // what the model was told: for NeedsFeedback, the question

	// Err is the tool's last error for ToolRetryLimit, and what was cut short for
	// TimeLimit.
	Err error
}

// StopReason says why a query ended. The set is closed.
type StopReason string

// The reasons.
const (
	Done           StopReason = "done" // the model asked for no tool
	StopByTool     StopReason = "stopped by tool"
	NeedsFeedback  StopReason = "feedback required" // the prompt of the next query is the answer
	StepLimit      StopReason = "step limit"        // also the end of a QueryOnce that called tools
	ToolCallLimit  StopReason = "tool call limit"
	ToolRetryLimit StopReason = "tool retry limit" // a tool failed too often with the same arguments
	TokenLimit     StopReason = "token limit"
	TimeLimit      StopReason = "time limit"
)
