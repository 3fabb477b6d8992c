package main

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"release-notes-agent/agent"
	"release-notes-agent/agent/functool"
	"release-notes-agent/history"
)

// Caps of what a history tool returns, in bytes.
const (
	maxCommitBytes = 16 << 10
	maxFileBytes   = 24 << 10

	maxDiffBytes     = 24 << 10 // of a diff, shared by its files
	maxFileDiffBytes = 8 << 10  // of one file in it
	maxHunkBytes     = 3 << 10  // of one hunk
	maxNamesBytes    = 1 << 10  // of the names of what is not shown
)

// historyTools are the agent's questions to the repository: read-only, and about
// the changes of the release alone.
func historyTools(r *release) ([]agent.Tool, error) {
	commit, err := functool.New("read_commit", "Read the whole messages of the commits of a change.", r.readCommit)
	if err != nil {
		return nil, err
	}
	diff, err := functool.New("read_diff", "Read what a change did to the files, as a unified diff.", r.readDiff)
	if err != nil {
		return nil, err
	}
	file, err := functool.New("read_file", "Read a file as it is in the release.", r.readFile)
	if err != nil {
		return nil, err
	}
	return []agent.Tool{commit, diff, file}, nil
}

type changeQuestion struct {
	Change string `json:"change" jsonschema:"id of the change, such as c3"`
}

type diffQuestion struct {
	Change string `json:"change" jsonschema:"id of the change, such as c3"`
	Path   string `json:"path,omitempty" jsonschema:"only files whose path begins with this"`
}

type fileQuestion struct {
	Path string `json:"path" jsonschema:"path from the top of the repository"`
}

func (r *release) readCommit(ctx context.Context, q changeQuestion) (agent.ToolOutput, error) {
	change, err := r.change(q.Change)
	if err != nil {
		return agent.ToolOutput{}, err
	}
	var text strings.Builder
	for _, hash := range change.Commits {
		commit, err := r.repo.Commit(ctx, hash)
		if err != nil {
			return agent.ToolOutput{}, err
		}
		fmt.Fprintf(&text, "commit %s\n\n%s\n", hash, commit.Message)
		if text.Len() > maxCommitBytes {
			break
		}
	}
	return agent.ToolOutput{Text: shorten(text.String(), maxCommitBytes)}, nil
}

func (r *release) readDiff(ctx context.Context, q diffQuestion) (agent.ToolOutput, error) {
	change, err := r.change(q.Change)
	if err != nil {
		return agent.ToolOutput{}, err
	}
	var files []history.FileDiff
	hashes, err := r.commitsToRead(ctx, change)
	if err != nil {
		return agent.ToolOutput{}, err
	}
	for _, hash := range hashes {
		diff, err := r.repo.Diff(ctx, hash)
		if err != nil {
			return agent.ToolOutput{}, err
		}
		for _, f := range diff {
			if strings.HasPrefix(f.Path, q.Path) {
				files = append(files, f)
			}
		}
	}
	return agent.ToolOutput{Text: diffText(files, q.Path != "")}, nil
}

// noise are files whose changes say nothing to a reader: what tools lock, copy or generate.
var noise = regexp.MustCompile(`(?i)(?:^|/)(?:vendor|node_modules|third_party|dist|__snapshots__)/` +
	`|(?:^|/)(?:go\.sum|package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|Cargo\.lock|Gemfile\.lock|poetry\.lock|uv\.lock|Pipfile\.lock|composer\.lock|mix\.lock|pubspec\.lock|Package\.resolved|Podfile\.lock|flake\.lock)$` +
	`|\.(?:min\.(?:js|css)|map|snap|pb\.go|pb\.cc|pb\.h|svg)$|_pb2(?:_grpc)?\.py$|(?:^|/)zz_generated[^/]*$|[._](?:gen|generated)\.\w+$`)

// generated is the mark that tools leave at the top of a file.
var generated = regexp.MustCompile(`(?m)^[+ -]\W*(?:Code generated .* DO NOT EDIT\.?|@generated\b)`)

func isNoise(f history.FileDiff) bool {
	return noise.MatchString(f.Path) || generated.MatchString(f.Text[:min(len(f.Text), 2<<10)])
}

// diffText is what a diff shows within its cap: what people wrote, the beginning and the
// end of long hunks, and the names of the rest.
func diffText(files []history.FileDiff, all bool) string {
	if len(files) == 0 {
		return "No file was changed."
	}
	var text strings.Builder
	var left []string
	for _, f := range files {
		switch {
		case !all && isNoise(f) || text.Len() > maxDiffBytes:
			left = append(left, f.Path)
		case f.Binary:
			fmt.Fprintf(&text, "binary file %s\n", f.Path)
		case f.OldPath != "":
			fmt.Fprintf(&text, "renamed from %s\n%s\n", f.OldPath, shortenHunks(f.Text))
		default:
			fmt.Fprintf(&text, "%s\n", shortenHunks(f.Text))
		}
	}
	if len(left) > 0 {
		fmt.Fprintf(&text, "%d more files are not shown, pass path to read one: %s\n", len(left), shorten(strings.Join(left, ", "), maxNamesBytes))
	}
	return text.String()
}

// shortenHunks takes the middle out of long hunks of the diff of one file.
func shortenHunks(diff string) string {
	hunks := strings.SplitAfter(diff, "\n@@ ")
	for i, hunk := range hunks {
		if len(hunk) <= maxHunkBytes {
			continue
		}
		lines := strings.SplitAfter(hunk, "\n")
		head, tail := linesWithin(lines, maxHunkBytes*2/3), linesWithin(reversed(lines), maxHunkBytes/3)
		if cut := len(lines) - head - tail; cut > 0 {
			hunks[i] = strings.Join(lines[:head], "") + fmt.Sprintf("… %d lines\n", cut) + strings.Join(lines[len(lines)-tail:], "")
		}
	}
	return shorten(strings.Join(hunks, ""), maxFileDiffBytes)
}

// linesWithin counts the first lines that fit into a number of bytes.
func linesWithin(lines []string, limit int) int {
	for i, line := range lines {
		if limit -= len(line); limit < 0 {
			return i
		}
	}
	return len(lines)
}

func reversed(lines []string) []string {
	lines = slices.Clone(lines)
	slices.Reverse(lines)
	return lines
}

func (r *release) readFile(ctx context.Context, q fileQuestion) (agent.ToolOutput, error) {
	content, err := r.repo.File(ctx, r.manifest.Release.To, q.Path)
	if err != nil {
		return agent.ToolOutput{}, err
	}
	return agent.ToolOutput{Text: shorten(strings.ToValidUTF8(string(content), "\uFFFD"), maxFileBytes)}, nil
}

// shorten cuts text to a number of bytes and says so.
func shorten(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "") + fmt.Sprintf("\n… cut: %d of %d bytes shown\n", limit, len(text))
}
