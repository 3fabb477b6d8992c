package gittest

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBuild(t *testing.T) {
	dir := Build(t, `
		file a.txt one
		commit feat: zero
		tag v1.0.0
		branch topic
		file b.txt two\nlines
		commit feat: topic
		  |
		  | It has a body with $ and \xe9.
		checkout main
		file a.txt three
		commit fix: main
		mark fixed
		merge topic Merge pull request #1 from acme/topic
		annotate inner
		annotate v1.1.0 inner
		  |
		  | With notes.
		author Bob Builder <bob@example.com>
		revert fixed
		commit chore: names $fixed:8
	`)
	for _, tc := range []struct {
		name string
		args []string
		want string
	}{
		{"history", []string{"log", "--format=%s|%an|%ct", "--topo-order"},
			"chore: names " + Git(t, dir, "rev-parse", "main~2^1")[:8] + "|Bob Builder|1700028800\n" +
				"Revert \"fix: main\"|Bob Builder|1700025200\n" +
				"Merge pull request #1 from acme/topic|Ann Author|1700014400\n" +
				"feat: topic|Ann Author|1700007200\n" +
				"fix: main|Ann Author|1700010800\n" +
				"feat: zero|Ann Author|1700003600"},
		{"message", []string{"log", "-1", "--format=%B", "--encoding=none", "topic"}, "feat: topic\n\nIt has a body with $ and \xe9.\n"},
		{"merged files", []string{"ls-tree", "--name-only", "v1.1.0"}, "a.txt\nb.txt"},
		{"reverted content", []string{"show", "main:a.txt"}, "one"},
		{"tag of a tag", []string{"cat-file", "-t", Git(t, dir, "cat-file", "-p", "v1.1.0")[7:47]}, "tag"},
		{"clean work tree", []string{"status", "--porcelain"}, ""},
		{"consistent", []string{"fsck", "--strict"}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Git(t, dir, tc.args...)); diff != "" {
				t.Errorf("git %v (-want +got):\n%s", tc.args, diff)
			}
		})
	}
}

func TestBuildRefuses(t *testing.T) {
	NeedGit(t)
	for _, script := range []string{"comit x", "checkout nowhere", "| text", "tag v1", "rename a b"} {
		if err := BuildAt(t.TempDir(), script); err == nil {
			t.Errorf("script %q was accepted", script)
		}
	}
}
