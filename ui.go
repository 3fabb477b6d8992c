package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
	"unicode"

	"golang.org/x/term"

	"release-notes-agent/agent"
	"release-notes-agent/notes"
)

// ui prints every word that a person sees beside the notes: lower case, no full
// stop, what to do next on a line of its own. It is safe for concurrent use.
type ui struct {
	mu       sync.Mutex
	w        io.Writer
	verbose  bool
	quiet    bool
	terminal bool // progress is shown, on one line that the next word overwrites
	progress bool // that line is there now
}

func newUI(w io.Writer, verbose, quiet bool) *ui {
	file, ok := w.(*os.File)
	return &ui{w: w, verbose: verbose, quiet: quiet, terminal: ok && term.IsTerminal(int(file.Fd()))}
}

// error prints an error and, when it knows one, what to do next.
func (u *ui) error(err error) {
	u.line("error: ", err.Error())
	if hint := hintOf(err); hint != "" {
		u.line("hint: ", hint)
	}
}

// hintOf returns what an error says to do next, or "".
func hintOf(err error) string {
	var hinted interface{ Hint() string }
	if errors.As(err, &hinted) {
		return hinted.Hint()
	}
	return ""
}

func (u *ui) warning(w notes.Warning) {
	if u.quiet {
		return
	}
	u.line("warning: ", w.Message)
	if w.Hint != "" {
		u.line("hint: ", w.Hint)
	}
}

func (u *ui) hint(text string) {
	if !u.quiet {
		u.line("hint: ", text)
	}
}

// note says, under --verbose alone, what was decided without asking.
func (u *ui) note(text string) {
	if u.verbose && text != "" {
		u.line("", text)
	}
}

// doing shows what takes time, on a terminal only.
func (u *ui) doing(format string, args ...any) {
	if u.quiet || u.verbose || !u.terminal {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	fmt.Fprintf(u.w, "\r\x1b[K%s…", oneLine(fmt.Sprintf(format, args...)))
	u.progress = true
}

// spent says what drafting has cost, to those who look.
func (u *ui) spent(usage notes.Usage, took time.Duration) {
	if u.quiet || !u.verbose && !u.terminal {
		return
	}
	u.line("", fmt.Sprintf("%s: %d requests, %d tokens in, %d tokens out, %v", usage.Model, usage.Requests, usage.InputTokens, usage.OutputTokens, took.Round(100*time.Millisecond)))
}

// done takes the progress line away.
func (u *ui) done() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.clear()
}

// message shows a message of the agent under --verbose.
func (u *ui) message(m agent.Message) {
	if !u.verbose {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	from := string(m.Role)
	if m.ToolCall != nil {
		from += " " + m.ToolCall.Name
	}
	if m.Text != "" {
		u.block(from, m.Text)
	}
	for _, call := range m.ToolCalls {
		u.block(from+" calls "+call.Name, string(call.Arguments))
	}
}

// block prints text under a heading, each line marked so that no text of a model
// or a server can pass for a word of this program.
func (u *ui) block(heading, text string) {
	fmt.Fprintf(u.w, "[%s]\n", oneLine(heading))
	for line := range strings.Lines(text) {
		fmt.Fprintf(u.w, "  | %s\n", oneLine(line))
	}
}

func (u *ui) line(label, text string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.clear()
	for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
		if i > 0 {
			label = "  "
		}
		fmt.Fprintf(u.w, "release-notes-agent: %s%s\n", label, oneLine(line))
	}
}

func (u *ui) clear() {
	if u.progress {
		fmt.Fprint(u.w, "\r\x1b[K")
		u.progress = false
	}
}

// oneLine makes text safe for a terminal: no control characters, which could
// move the cursor, and none that reorder what stands on the line.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case r == '\n', r == '\r':
			return -1
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r):
			return unicode.ReplacementChar
		}
		return r
	}, s)
}
