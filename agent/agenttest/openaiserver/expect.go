package openaiserver

import (
	"fmt"
	"slices"
	"strings"
)

// check returns how a request falls short, nil if it does not.
func (e Expectations) check(r Request) error {
	var failures []string
	fail := func(format string, args ...any) { failures = append(failures, fmt.Sprintf(format, args...)) }

	texts(e.Contains, e.Lacks, r.text(), "messages", fail)
	texts(e.Last, nil, r.last(), "latest messages", fail)
	texts(e.Body, e.LacksBody, string(r.Body), "body", fail)
	for _, name := range e.Tools {
		if !r.offers(name) {
			fail("tool %q is not offered", name)
		}
	}
	for _, name := range e.LacksTools {
		if r.offers(name) {
			fail("tool %q is offered", name)
		}
	}
	for _, line := range e.Header {
		name, value, _ := strings.Cut(line, ": ")
		if got := r.Header.Get(name); got != value {
			fail("header %s is %q instead of %q", name, got, value)
		}
	}
	if failures == nil {
		return nil
	}
	return fmt.Errorf("not as expected: %s", strings.Join(failures, "; "))
}

func texts(wanted, unwanted []string, in, where string, fail func(string, ...any)) {
	for _, s := range wanted {
		if !strings.Contains(in, s) {
			fail("%q is missing from the %s", s, where)
		}
	}
	for _, s := range unwanted {
		if strings.Contains(in, s) {
			fail("%q is in the %s", s, where)
		}
	}
}

func (r *Request) offers(tool string) bool {
	return slices.ContainsFunc(r.Tools, func(t Tool) bool { return t.Name == tool })
}

func holdsAll(s string, parts []string) bool {
	return !slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(s, part) })
}
