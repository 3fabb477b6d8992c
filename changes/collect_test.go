package changes

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestCollect holds small histories, in the language of parseHistory, against
// the changes they must give, in that of describe.
func TestCollect(t *testing.T) {
	tests := []struct{ name, history, want string }{
		{"release commits are no changes", `
chore(release): 1.0.0
feat: one
Release v1.1.0
v1.1.0
chore: release 1.1.0
chore(main): release widget 1.1.0
Bump version from 1.0.0 to 1.1.0
bump: version 1.0.0 → 1.1.0
Release the lock on close
fix: release memory
Bump version of the schema`, `
feature: one
other: Release the lock on close
fix: release memory
other: Bump version of the schema`},
		{"lenient headers", `
fix(@acme/web-ui): a
feat(api, web): b
k8s: d
Feat: e
✨ feat: g
:bug: fix(core): h
feat(deps-dev)!: i
FIX : j
fix: k (#12) (#13)`, `
fix: (@acme/web-ui) a
feature: (api, web) b
other: (k8s) d
feature: e
feature: g
fix: (core) h
feature! (deps-dev) i
fix: j
fix: k #13`},
		{"merged pull requests", `
main0= Initial
wip= <main0> wip login
y= <main0> Add logout
main1= <main0> Fix typo
x= <wip,main1> Merge branch 'main' into x
main2= <main1,x> Merge pull request #12 from acme/x
|
| Add login
main3= <main2,y> Merge pull request #13 from acme/y`, `
other: Initial
fix: Fix typo
feature: Add login #12
feature: Add logout #13`},
		{"dialects of forges", `
0= chore: zero
a= <0> wip a
1= <0,a> Merge branch 'a' into 'main'
|
| feat: add a
|
| Closes #3
|
| See merge request group/sub/p!21
b= <1> wip b
2= <1,b> Merged in feature/b (pull request #22)
|
| fix: repair b
|
| Approved-by: Ann
c= <2> wip c
3= <2,c> Merged PR 23: perf: c
d= <3> wip d
4= <3,d> Merge pull request 'feat(d): add d' (#24) from d into main
e= <4> wip e
5= <4,e> Auto merge of #25 - bob:e, r=ann
|
| fix: settle e
|
| Text.
f= <5> wip f
g= <5> wip g
6= <5,f,g> Merge #26 #27
|
| 26: feat: f r=ann a=bob
|
| Text.
|
| 27: fix: g r=ann a=bob
h= <6> wip h
7= <6,h> feat: title as subject (#28)
fix: squashed at Bitbucket (pull request #29)
fix: squashed at GitLab
|
| See merge request group/p!30
Merged PR 31: fix: squashed at Azure
fix: squashed at Codeberg
|
| Reviewed-on: https://codeberg.org/a/b/pulls/32
|`, `
internal: zero hidden
feature: add a #21
fix: repair b #22
performance: c #23
feature: (d) add d #24
fix: settle e #25
feature: f #26
fix: g #27
feature: title as subject #28
fix: squashed at Bitbucket #29
fix: squashed at GitLab #30
fix: squashed at Azure #31
fix: squashed at Codeberg #32`},
		{"branches merged by hand and pull requests in them", `
0= feat: zero
a= <0> feat: a
p= <a> wip p
q= <a,p> Merge pull request #7 from acme/p
|
| feat: p
b= <q> fix: b
1= <0,b> Merge branch 'feature'
c= <1> wip c
2= <1,c> Merge pull request #8 from acme/c
|
| fix: c
|
| BREAKING CHANGE: c is gone`, `
feature: zero
feature: a
feature: p #7
fix: b
fix! c #8`},
		{"a branch that collects pull requests", `
0= feat: zero
p= <0> wip p
q= <0,p> Merge pull request #7 from acme/p
|
| feat: p
s= <q> fix: s (#8)
1= <0,s> Merge pull request #9 from acme/develop
|
| Release 1.2.0
t= <1> fix: t (#10)
2= <1,t> Merge pull request #11 from acme/develop
|
| Everything of May`, `
feature: zero
feature: p #7
fix: s #8
fix: t #10`},
		{"a rebased pull request", `
feat: one (#5)
test: one (#5)
fix: two (#6)
fix!: one again (#5)`, `
feature! one #5
fix: two #6`},
		{"a revert cancels", `
a= feat!: shiny
Revert "feat!: shiny"
|
| This reverts commit $a.
fix: other`, `
feature! shiny reverted
revert: Revert "feat!: shiny" reverted
fix: other`},
		{"a revert of a revert restores", `
a= feat: shiny
b= Revert "feat: shiny"
|
| This reverts commit $a.
Revert "Revert "feat: shiny""
|
| This reverts commit $b.
c= feat: matt
d= Revert "feat: matt"
|
| This reverts commit $c.
Reapply "feat: matt"
|
| This reverts commit $d.`, `
feature: shiny
revert: Revert "feat: shiny" reverted
revert: Revert "Revert "feat: shiny"" reverted
feature: matt
revert: Revert "feat: matt" reverted
revert: Reapply "feat: matt" reverted`},
		{"shapes of reverts", `
feat: alpha (#12)
Revert "feat: alpha (#12)" (#13)
|
| Reverts acme/widget#12
b= feat: beta
Revert "feat: beta"
|
| This reverts commit $b
c= feat: gamma
revert: feat: gamma
|
| This reverts commit $c:8.
d= feat: delta
revert: let us never again speak of delta
|
| Refs: $d
feat: epsilon (#14)
revert: feat: epsilon (#14)
feat: zeta (#15)
Revert #15
fix: other`, `
feature: alpha #12 reverted
revert: Revert "feat: alpha (#12)" #13 reverted
feature: beta reverted
revert: Revert "feat: beta" reverted
feature: gamma reverted
revert: feat: gamma reverted
feature: delta reverted
revert: let us never again speak of delta reverted
feature: epsilon #14 reverted
revert: feat: epsilon #14 reverted
feature: zeta #15 reverted
revert: Revert #15 reverted
fix: other`},
		{"reverts of a whole pull request, of a part, of what is older", `
0= feat: zero
a= <0> feat: part one
b= <a> feat: part two
1= <0,b> Merge pull request #20 from acme/parts
|
| feat: parts
2= <1> Revert "Merge pull request #20 from acme/parts"
|
| This reverts commit $1, reversing
| changes made to $0.
c= <2> feat: left
d= <c> feat: right
3= <2,d> Merge pull request #21 from acme/sides
|
| feat: sides
4= <3> Revert "feat: left"
|
| This reverts commit $c.
e= <4> feat: y
f= <e> Revert "feat: y"
|
| This reverts commit $e.
g= <f> feat: z
5= <4,g> Merge pull request #22 from acme/z
|
| feat: z
6= <5> Revert "feat: older"
|
| This reverts commit 1234567812345678123456781234567812345678.
h= <6> Revert "feat: z"
|
| Reverts acme/widget#22
7= <6,h> Merge pull request #23 from acme/revert-22
|
| Revert "feat: z"`, `
feature: zero
feature: parts #20 reverted
revert: Revert "Merge pull request #20 from acme/parts" reverted
feature: sides #21
revert: Revert "feat: left"
feature: z #22 reverted
revert: Revert "feat: older"
revert: Revert "feat: z" #23 reverted`},
		{"a merge that tells nothing but its number", `
0= feat: zero
Merge PR #7
1= <0> Merge pull request #8 from acme/elsewhere`, `
feature: zero
other: Merge PR #7 #7
other: Merge pull request #8 from acme/elsewhere #8`},
		{"releases of other tools", `
releaser: Bump versions for release of 0.120.1
releaser: Prepare repository for 0.121.0-DEV
chore: bump to 0.99.0; update changelog (#3)
[maven-release-plugin] prepare release widget-1.2.0
Version Packages (#4)
🔖 v1.2.0
Release 1.2.0 [skip ci]
feat: one`, `
feature: one`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := describe(Collect(Release{}, parseHistory(t, test.history), nil))
			if diff := cmp.Diff(strings.TrimSpace(test.want), got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// parseHistory makes commits from text, oldest first, in the order of git log.
// A line is the subject of a commit on top of the last one. "| TEXT" continues the
// message. Before the subject may stand "NAME= " for a name, "<A,B> " for the
// parents, "@PERSON " for an author; "$NAME" in a message is a commit's hash,
// "$NAME:8" the start of it.
func parseHistory(t *testing.T, text string) []Commit {
	t.Helper()
	var commits []Commit
	hashes := map[string]string{}
	expand := func(line string) string {
		for name, hash := range hashes {
			line = strings.ReplaceAll(line, "$"+name+":8", hash[:8])
			line = strings.ReplaceAll(line, "$"+name, hash)
		}
		return line
	}
	for line := range strings.SplitSeq(strings.Trim(text, "\n"), "\n") {
		last := len(commits) - 1
		if more, ok := strings.CutPrefix(line, "|"); ok {
			commits[last].Message += "\n" + expand(strings.TrimPrefix(more, " "))
			continue
		}
		hash := fmt.Sprintf("%08xabcdef0123456789abcdef0123456789", 0x10000000+len(commits))
		at := time.Unix(int64(1700000000+3600*len(commits)), 0).UTC()
		c := Commit{Hash: hash, Author: Person{"Ann Author", "ann@example.com"}, AuthorTime: at, CommitTime: at}
		if last >= 0 {
			c.Parents = []string{commits[last].Hash}
		}
		if name, rest, ok := strings.Cut(line, "= "); ok && !strings.Contains(name, " ") {
			hashes[name], line = hash, rest
		}
		if rest, ok := strings.CutPrefix(line, "<"); ok {
			parents, subject, _ := strings.Cut(rest, "> ")
			c.Parents, line = nil, subject
			for name := range strings.SplitSeq(parents, ",") {
				if hashes[name] == "" {
					hashes[name] = strings.Repeat("0", 40)
				}
				c.Parents = append(c.Parents, hashes[name])
			}
		}
		if rest, ok := strings.CutPrefix(line, "@"); ok {
			c.Author.Name, line, _ = strings.Cut(rest, " ")
			c.Author.Email = strings.ToLower(c.Author.Name) + "@example.com"
		}
		c.Committer = c.Author
		c.Message = expand(line)
		commits = append(commits, c)
	}
	for i, j := 0, len(commits)-1; i < j; i, j = i+1, j-1 {
		commits[i], commits[j] = commits[j], commits[i]
	}
	return commits
}

// describe puts the changes of m into a line each.
func describe(m Manifest) string {
	var b strings.Builder
	for _, c := range m.Changes {
		mark := ":"
		if c.Breaking {
			mark = "!"
		}
		fmt.Fprintf(&b, "%s%s ", c.Kind, mark)
		if c.Scope != "" {
			fmt.Fprintf(&b, "(%s) ", c.Scope)
		}
		b.WriteString(c.Title)
		if c.PullRequest != 0 {
			fmt.Fprintf(&b, " #%d", c.PullRequest)
		}
		if c.Hidden {
			b.WriteString(" hidden")
		}
		if c.Reverted {
			b.WriteString(" reverted")
		}
		b.WriteString("\n")
	}
	return strings.TrimSpace(b.String())
}

// TestPicked: a commit and its cherry-pick, merged from two branches, are one change.
func TestPicked(t *testing.T) {
	commits := parseHistory(t, `
0= feat: zero
a= <0> fix: a hole
b= <0> fix: a hole
<a,b> Merge branch 'security'`)
	commits[1].AuthorTime = commits[2].AuthorTime
	m := Collect(Release{}, commits, nil)
	if len(m.Changes) != 2 || len(m.Changes[1].Commits) != 2 {
		t.Errorf("got %+v", m.Changes)
	}
}
