package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// objectOf returns a copy of what a model wrote as arguments, which must be a JSON
// object; nothing at all is an empty one.
func objectOf(arguments json.RawMessage) (json.RawMessage, error) {
	object := bytes.TrimSpace(arguments)
	if len(object) == 0 {
		return json.RawMessage("{}"), nil
	}
	if object[0] != '{' {
		return nil, errors.New("wrong arguments: not a JSON object")
	}
	var parsed json.RawMessage
	if err := json.Unmarshal(object, &parsed); err != nil {
		return nil, fmt.Errorf("wrong arguments: not valid JSON: %w", err)
	}
	return parsed, nil
}

// callKey is the same for calls of one tool whose arguments are the same JSON
// value: neither space, nor the order of keys, nor the spelling of a number counts.
// Arguments that are no JSON object are compared as they stand.
func callKey(call ToolCall) string {
	key := string(call.Arguments)
	if object, err := objectOf(call.Arguments); err == nil {
		key = canonical(object)
	}
	return call.Name + "\x00" + key
}

func canonical(object json.RawMessage) string {
	var v any
	dec := json.NewDecoder(bytes.NewReader(object))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		return string(object)
	}
	text, err := json.Marshal(plainNumbers(v)) // sorts keys
	if err != nil {
		return string(object)
	}
	return string(text)
}

// plainNumbers gives equal numbers in v the same spelling. Integers of 64 bits are
// compared exactly, others as a float64, those beyond it as they stand.
func plainNumbers(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, member := range v {
			v[key] = plainNumbers(member)
		}
	case []any:
		for i, element := range v {
			v[i] = plainNumbers(element)
		}
	case json.Number:
		if n, err := strconv.ParseInt(v.String(), 10, 64); err == nil {
			return n
		}
		if f, err := v.Float64(); err == nil {
			return f
		}
	}
	return v
}
