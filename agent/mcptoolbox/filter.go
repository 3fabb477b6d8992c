package mcptoolbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// A ToolFilter says which tools of a server are offered. It goes by the server's
// own names, without the prefix, and in their exact spelling. The zero value lets
// every tool pass.
//
// In JSON it is an object with one of the keys, as in {"Whitelist": ["add"]}.
type ToolFilter struct {
	Whitelist []string `json:",omitzero"` // unless nil, only these pass; none does when it is empty
	Blacklist []string `json:",omitzero"` // these do not pass
}

// Allows says whether the tool with a name passes.
func (f ToolFilter) Allows(name string) bool {
	if f.Whitelist != nil && !slices.Contains(f.Whitelist, name) {
		return false
	}
	return !slices.Contains(f.Blacklist, name)
}

// UnmarshalJSON reads a filter. A key that it does not know, a null, and both lists at
// once are errors: a filter must not let more pass than was meant.
func (f *ToolFilter) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return errors.New("reading a tool filter: null is no filter: write {} to let every tool pass")
	}
	var lists struct{ Whitelist, Blacklist json.RawMessage }
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&lists); err != nil {
		return fmt.Errorf("reading a tool filter: %w", err)
	}
	if lists.Whitelist != nil && lists.Blacklist != nil {
		return errors.New("reading a tool filter: it has both a Whitelist and a Blacklist: leave one out")
	}
	var err error
	var filter ToolFilter
	if lists.Whitelist != nil {
		filter.Whitelist, err = namesOf(lists.Whitelist)
	} else if lists.Blacklist != nil {
		filter.Blacklist, err = namesOf(lists.Blacklist)
	}
	if err != nil {
		return err
	}
	*f = filter
	return nil
}

func namesOf(list json.RawMessage) ([]string, error) {
	var names []*string // a null among them would be read as ""
	if err := json.Unmarshal(list, &names); err != nil {
		return nil, fmt.Errorf("reading a tool filter: %w", err)
	}
	if names == nil || slices.Contains(names, nil) {
		return nil, errors.New("reading a tool filter: null is not a list of names")
	}
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = *name
	}
	return out, nil
}
