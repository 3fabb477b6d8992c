package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"release-notes-agent/history"
)

// A sample is one range of one clone.
type sample struct {
	dir, name string // the name is what was asked for
	from, to  string // as git takes them; from is empty for the whole history
	commits   int
}

// samplesOf reads the arguments: each directory, and the ranges behind it.
func samplesOf(ctx context.Context, args []string) (samples []sample, err error) {
	for i := 0; i < len(args); {
		dir := args[i]
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return nil, fmt.Errorf("%s is no directory; name a clone, then its ranges", dir)
		}
		names := []string{}
		for i++; i < len(args); i++ {
			if info, err := os.Stat(args[i]); err == nil && info.IsDir() {
				break
			}
			names = append(names, args[i])
		}
		if len(names) == 0 {
			names = []string{"HEAD"}
		}
		for _, name := range names {
			s, err := newSample(ctx, dir, name)
			if err != nil {
				return nil, err
			}
			samples = append(samples, s)
		}
	}
	return samples, nil
}

func newSample(ctx context.Context, dir, name string) (sample, error) {
	release, log, err := readRange(ctx, dir, name)
	if err != nil {
		return sample{}, fmt.Errorf("%s: %s: %w", dir, name, err)
	}
	return sample{dir: dir, name: name, from: release.From, to: release.To, commits: len(log.Commits)}, nil
}

// revisions is the range for git.
func (s sample) revisions() string {
	if s.from == "" {
		return s.to
	}
	return s.from + ".." + s.to
}

func (s sample) comparisons(self, program, cliff string) []*comparison {
	notes := []string{program, "--offline", "-q"}
	if s.name != "HEAD" {
		notes = append(notes, s.name)
	}
	list := []*comparison{{
		what: "read", dir: s.dir, command: []string{self, "-read", ".", s.name},
		against: "git log", other: []string{"git", "log", "--format=" + logFormat, s.revisions()},
	}, {
		what: "notes", dir: s.dir, command: notes,
		against: "git log", other: []string{"git", "log", "--format=" + logFormat, s.revisions()},
	}}
	if cliff != "" {
		list = append(list, &comparison{
			what: "notes", dir: s.dir, command: notes,
			against: "git-cliff", other: []string{cliff, s.revisions()},
		})
	}
	return list
}

// logFormat has the fields that a range is printed with.
const logFormat = "%H%x00%P%x00%an%x00%ae%x00%at%x00%B%x00"

// printRange reads a range as the program does and prints its commits.
func printRange(ctx context.Context, w io.Writer, dir, name string) error {
	_, log, err := readRange(ctx, dir, name)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	for _, c := range log.Commits {
		fmt.Fprintf(out, "%s\x00%s\x00%s\x00%s\x00%d\x00%s\x00\n", c.Hash, strings.Join(c.Parents, " "), c.Author.Name, c.Author.Email, c.Author.When.Unix(), c.Message)
	}
	return out.Flush()
}

func readRange(ctx context.Context, dir, name string) (history.Release, history.Log, error) {
	repo, err := history.Open(dir, nil)
	if err != nil {
		return history.Release{}, history.Log{}, err
	}
	defer repo.Close()
	if name == "HEAD" {
		name = ""
	}
	release, err := repo.Release(ctx, history.Selection{Revision: name})
	if err != nil {
		return release, history.Log{}, err
	}
	log, err := repo.Commits(ctx, release.From, release.To, nil)
	return release, log, err
}

func gitVersion(ctx context.Context) string {
	out, err := exec.CommandContext(ctx, "git", "version").Output()
	if err != nil {
		return "no git"
	}
	return strings.TrimSpace(string(out))
}

// synthetic makes repositories of 2,000 and 20,000 commits with a release at the end.
func synthetic(ctx context.Context, dir string) (args []string, err error) {
	for _, commits := range []int{2000, 20000} {
		to := filepath.Join(dir, fmt.Sprintf("commits-%d", commits))
		if err := makeRepository(ctx, to, commits); err != nil {
			return nil, err
		}
		args = append(args, to, "v1.1.0", "v1.2.0")
	}
	return args, nil
}

// makeRepository writes a history of conventional commits by forty people; v1.1.0
// has a hundred commits, v1.2.0 the second half.
func makeRepository(ctx context.Context, dir string, commits int) error {
	if out, err := exec.CommandContext(ctx, "git", "init", "-q", "-b", "main", dir).CombinedOutput(); err != nil {
		return fmt.Errorf("git init: %w: %s", err, out)
	}
	cmd := exec.CommandContext(ctx, "git", "-C", dir, "fast-import", "--quiet")
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	w := bufio.NewWriter(in)
	tags := map[int]string{commits/2 - 100: "v1.0.0", commits / 2: "v1.1.0", commits: "v1.2.0"}
	for i := 1; i <= commits; i++ {
		message := fmt.Sprintf("%s(part%d): change number %d of many (#%d)\n\nWhy it was needed, in a line or two.\n", []string{"feat", "fix", "docs", "chore"}[i%4], i%17, i, i)
		fmt.Fprintf(w, "commit refs/heads/main\nmark :%d\ncommitter Person %d <p%d@example.com> %d +0000\ndata %d\n%s", i, i%40, i%40, 1600000000+600*i, len(message), message)
		fmt.Fprintf(w, "M 644 inline src/dir%d/file%d\ndata 5\n%04d\n", i%50, i%2000, i%10000)
		if tag, ok := tags[i]; ok {
			fmt.Fprintf(w, "reset refs/tags/%s\nfrom :%d\n\n", tag, i)
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	in.Close()
	return cmd.Wait()
}
