package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

func trimSpace(b []byte) []byte { return bytes.Trim(b, " \t\r\n") }

// capped returns valid UTF-8 of at most limit bytes, and a note when that is not
// all of it. A negative limit is none.
func capped(text string, limit int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if limit < 0 || len(text) <= limit {
		return text
	}
	cut := limit
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return fmt.Sprintf("%s\n[cut: the first %d of %d bytes]", text[:cut], cut, len(text))
}

// callKey is the same for calls of one tool whose arguments are the same JSON
// value: neither space, nor the order of keys, nor the spelling of a number counts.
func callKey(call ToolCall) string {
	arguments, err := objectOf(call.Arguments)
	if err != nil {
		return call.Name + "\x00" + string(call.Arguments)
	}
	var v any
	dec := json.NewDecoder(bytes.NewReader(arguments))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		return call.Name + "\x00" + string(call.Arguments)
	}
	canonical, err := json.Marshal(canonicalNumbers(v))
	if err != nil {
		return call.Name + "\x00" + string(call.Arguments)
	}
	return call.Name + "\x00" + string(canonical)
}

// canonicalNumbers rewrites the numbers in v in place: integers of 64 bits stay
// exact, everything else is compared as a float64.
func canonicalNumbers(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, member := range v {
			v[key] = canonicalNumbers(member)
		}
	case []any:
		for i, element := range v {
			v[i] = canonicalNumbers(element)
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
