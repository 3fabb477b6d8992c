package changes

import (
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMailmap(t *testing.T) {
	m := parseMailmap(`# people
Proper One <one@old.example>
<two@new.example> <TWO@old.example>
Proper Three <three@new.example> <three@old.example>
Proper Four <four@new.example> Old Four <shared@example.com> # once
Proper Five <five@new.example> Old Five <shared@example.com>
not a line
`)
	tests := []struct{ in, want Person }{
		{Person{"x", "ONE@old.example"}, Person{"Proper One", "ONE@old.example"}},
		{Person{"Two", "two@old.example"}, Person{"Two", "two@new.example"}},
		{Person{"x", "three@old.example"}, Person{"Proper Three", "three@new.example"}},
		{Person{"old four", "shared@example.com"}, Person{"Proper Four", "four@new.example"}},
		{Person{"Old Five", "shared@example.com"}, Person{"Proper Five", "five@new.example"}},
		{Person{"Other", "shared@example.com"}, Person{"Other", "shared@example.com"}},
	}
	for _, test := range tests {
		if got := m.proper(test.in); got != test.want {
			t.Errorf("%v: got %v, want %v", test.in, got, test.want)
		}
	}
}

func TestContributors(t *testing.T) {
	ann := Person{"Ann Author", "ann@example.com"}
	tests := []struct {
		name    string
		opts    Options
		authors []Person
		message string // of the last commit
		want    string
	}{
		{"several names and addresses",
			Options{Mailmap: "Ann Author <ann@example.com> <ann@old.example>\nJoi Bel <joi@example.com> Joibel <JOI@USERS.noreply.github.com>\n"},
			[]Person{ann, {"ann", "ann@old.example"}, {"Joibel", "joi@users.noreply.github.com"}, {"Joi Bel", "joi@example.com"}},
			"feat: d\n\nCo-authored-by: ann <ANN@old.example>\nCo-authored-by: Joibel <joi@users.noreply.github.com>\n",
			"Ann Author 3\nJoi Bel (joi) 2"},
		{"bots and assistants", Options{},
			[]Person{{"dependabot[bot]", "49699333+dependabot[bot]@users.noreply.github.com"}, {"GitHub", "noreply@github.com"}, {"snyk-bot", "snyk-bot@snyk.io"}, ann},
			"feat: pair\n\nCo-authored-by: Pia Pair <pia@example.com>\nCo-Authored-By: Claude <noreply@anthropic.com>\nCo-authored-by: Copilot <175728472+Copilot@users.noreply.github.com>",
			"Ann Author 1\nPia Pair 1"},
		{"assistants by option", Options{AIAuthors: true}, []Person{ann},
			"feat: pair\n\nCo-Authored-By: Claude <noreply@anthropic.com>\n", "Ann Author 1\nClaude 1"},
		{"a person called Claude", Options{}, []Person{{"Claude", "claude@paris.example"}, {"Claude Martin", "cm@example.com"}}, "feat: x", "Claude 1\nClaude Martin 1"},
		{"one name, two addresses; one address, two names", Options{},
			[]Person{ann, {"Ann Author", "ann@home.example"}, {"bob", "bob@x.example"}, {"Bob Builder", "bob@x.example"}}, "feat: x", "Ann Author 2\nBob Builder 2"},
		{"names that are addresses", Options{}, []Person{{"eve@example.com", "eve@example.com"}, {"", "12+mallory@users.noreply.github.com"}}, "feat: x", "eve 1\nmallory (mallory) 1"},
		{"new ones", Options{EarlierAuthors: earlierAuthors(Person{"A. Author", "ANN@example.com"}, Person{"Cy Coder", "cy@old.example"})},
			[]Person{ann, {"Cy Coder", "cy@new.example"}, {"Dan New", "dan@example.com"}}, "feat: x", "Ann Author 1\nCy Coder 1\nDan New 1 new"},
		{"earlier authors not readable", Options{EarlierAuthors: func(yield func(Person, error) bool) { yield(Person{}, errors.New("not readable")) }}, []Person{ann}, "feat: x", "Ann Author 1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var commits []Commit
			for i, author := range test.authors {
				message := "feat: x"
				if i == len(test.authors)-1 {
					message = test.message
				}
				commits = append([]Commit{{Hash: fmt.Sprintf("%040d", i), Author: author, Message: message}}, commits...)
			}
			m := Collect(Release{}, commits, &test.opts)
			var got strings.Builder
			for _, c := range m.Contributors {
				fmt.Fprint(&got, c.Name)
				if c.Login != "" {
					fmt.Fprintf(&got, " (%s)", c.Login)
				}
				fmt.Fprintf(&got, " %d", c.Commits)
				if c.New {
					fmt.Fprint(&got, " new")
				}
				fmt.Fprintln(&got)
			}
			if diff := cmp.Diff(test.want+"\n", got.String()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func earlierAuthors(people ...Person) iter.Seq2[Person, error] {
	return func(yield func(Person, error) bool) {
		for _, p := range people {
			if !yield(p, nil) {
				return
			}
		}
	}
}
