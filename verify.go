package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"release-notes-agent/grounding"
	"release-notes-agent/notes"
)

// errFindings is how verify ends when the notes do not hold.
var errFindings = errors.New("the notes do not hold")

// verifyNotes holds notes that a person or another tool wrote against the history.
func verifyNotes(ctx context.Context, cfg config, file string, stdout io.Writer, ui *ui) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("reading the notes: %w", err)
	}
	release, err := openRelease(cfg)
	if err != nil {
		return err
	}
	defer release.Close()
	if err := release.read(ctx, cfg); err != nil {
		return err
	}
	for _, w := range release.warnings {
		ui.warning(w)
	}
	findings := grounding.CheckText(string(text), release.manifest, release.evidence(ctx))
	findings = slices.DeleteFunc(findings, release.inRange)
	if err := printFindings(stdout, cfg.format, file, findings); err != nil {
		return fmt.Errorf("writing to standard output: %w", err)
	}
	if len(findings) > 0 {
		return errFindings
	}
	return nil
}

// inRange reports whether a finding is about a commit of the range that is no change,
// such as a merge or one that makes the release: other tools list those.
func (r *release) inRange(f grounding.TextFinding) bool {
	return f.Code == notes.UnknownChange && slices.ContainsFunc(r.hashes, func(hash string) bool { return strings.HasPrefix(hash, f.Found) })
}

func printFindings(w io.Writer, format, file string, findings []grounding.TextFinding) error {
	if format == "json" {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(map[string]any{"schema_version": notes.SchemaVersion, "findings": append([]grounding.TextFinding{}, findings...)})
	}
	for _, f := range findings {
		message := fmt.Sprintf("%s: %s: %s", f.Code, oneLine(f.Found), oneLine(f.Expected))
		line := fmt.Sprintf("%s:%d: %s\n", file, max(1, f.Line), message)
		if format == "github" {
			line = fmt.Sprintf("::error file=%s,line=%d::%s\n", annotation(file), max(1, f.Line), annotation(message))
		}
		if _, err := io.WriteString(w, line); err != nil {
			return err
		}
	}
	return nil
}

// annotation escapes what GitHub Actions reads in its commands.
func annotation(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(text)
}
