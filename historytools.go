package main

import (
	"context"
	"fmt"
	"strings"

	"release-notes-agent/agent"
	"release-notes-agent/agent/functool"
	"release-notes-agent/history"
)

// Caps of what a history tool returns, in bytes.
const (
	maxCommitBytes = 16 << 10
	maxFileBytes   = 24 << 10
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
			if strings.HasPrefix(f.Path, q.Path) && (q.Path != "" || r.within(f.Path)) {
				files = append(files, f)
			}
		}
	}
	return agent.ToolOutput{Text: diffText(files, q.Path != "")}, nil
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
