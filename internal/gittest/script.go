package gittest

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// BuildAt makes the repository that script describes in dir, which is made when
// it does not exist.
func BuildAt(dir, script string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	if out, err := command(dir, "init", "-q", "-b", "main").CombinedOutput(); err != nil {
		return fmt.Errorf("git init: %v: %s", err, out)
	}
	b, err := newBuilder(dir)
	if err != nil {
		return err
	}
	err = b.run(script)
	if closeErr := b.importer.close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return fmt.Errorf("building repository: %w", err)
	}
	return b.finish()
}

// A builder holds the state of a script: what the branches point at, and what
// the next commit will contain.
type builder struct {
	dir      string
	importer *importer
	commits  map[string]*commit // by branch, tag and mark
	branch   string
	last     object // waits for message lines
	clock    int64
	author   string
	remote   string

	files     map[string]string // of the next commit; nil when nothing has changed
	committer string            // of the next commit
	encoding  string            // of the next commit
}

// A commit, or an annotated tag of one.
type commit struct {
	mark    int
	hash    string
	subject string
	parents []*commit
	files   map[string]string
}

// An object is a commit or a tag whose message is still being read.
type object struct {
	write   func(message string) error
	subject string
	body    []string
}

func newBuilder(dir string) (*builder, error) {
	imp, err := startImporter(dir)
	if err != nil {
		return nil, err
	}
	return &builder{
		dir: dir, importer: imp, commits: map[string]*commit{}, branch: "main", clock: 1700000000,
		author: "Ann Author <ann@example.com>", remote: "https://github.com/acme/widget.git",
	}, nil
}

func (b *builder) run(script string) error {
	for i, line := range strings.Split(script, "\n") {
		if err := b.line(strings.TrimSpace(line)); err != nil {
			return fmt.Errorf("line %d: %q: %w", i+1, line, err)
		}
	}
	return b.flush()
}

func (b *builder) line(line string) error {
	if text, ok := strings.CutPrefix(line, "|"); ok {
		if b.last.write == nil {
			return fmt.Errorf("no message to continue")
		}
		b.last.body = append(b.last.body, strings.TrimPrefix(text, " "))
		return nil
	}
	if line == "" || line[0] == '#' {
		return nil
	}
	if err := b.flush(); err != nil {
		return err
	}
	name, rest, _ := strings.Cut(line, " ")
	do, ok := commands[name]
	if !ok {
		return fmt.Errorf("unknown command %q", name)
	}
	return do(b, strings.TrimSpace(rest))
}

var commands = map[string]func(b *builder, rest string) error{
	"commit":    func(b *builder, rest string) error { b.open(rest, b.writeCommit(nil)); return nil },
	"merge":     (*builder).merge,
	"revert":    (*builder).revert,
	"file":      (*builder).file,
	"remove":    func(b *builder, rest string) error { delete(b.changed(), rest); return nil },
	"rename":    (*builder).rename,
	"branch":    (*builder).newBranch,
	"orphan":    func(b *builder, rest string) error { b.branch = rest; return nil },
	"checkout":  (*builder).checkout,
	"tag":       (*builder).tag,
	"annotate":  (*builder).annotate,
	"mark":      func(b *builder, rest string) error { b.commits[rest] = b.commits[b.branch]; return nil },
	"author":    func(b *builder, rest string) error { b.author = rest; return nil },
	"committer": func(b *builder, rest string) error { b.committer = rest; return nil },
	"encoding":  func(b *builder, rest string) error { b.encoding = rest; return nil },
	"remote":    func(b *builder, rest string) error { b.remote = rest; return nil },
	"at": func(b *builder, rest string) (err error) {
		b.clock, err = strconv.ParseInt(rest, 10, 64)
		return err
	},
}

// open begins an object; flush writes it once its message is complete.
func (b *builder) open(subject string, write func(string) error) {
	b.last = object{write: write, subject: subject}
}

func (b *builder) flush() error {
	last := b.last
	b.last = object{}
	if last.write == nil {
		return nil
	}
	message := strings.Join(append([]string{last.subject}, last.body...), "\n") + "\n"
	return last.write(expand(b.substitute(message)))
}

func (b *builder) merge(rest string) error {
	branches, subject, _ := strings.Cut(rest, " ")
	var others []*commit
	for _, name := range strings.Split(branches, ",") {
		other, err := b.lookup(name)
		if err != nil {
			return err
		}
		mergeFiles(b.changed(), b.commits[b.branch], other)
		others = append(others, other)
	}
	b.open(subject, b.writeCommit(others))
	return nil
}

func (b *builder) revert(rest string) error {
	rev, subject, _ := strings.Cut(rest, " ")
	c, err := b.lookup(rev)
	if err != nil {
		return err
	}
	before := map[string]string{}
	if len(c.parents) > 0 {
		before = c.parents[0].files
	}
	applyDifference(b.changed(), c.files, before)
	var body []string
	if subject == "" {
		subject = fmt.Sprintf("Revert %q", c.subject)
		body = []string{"", "This reverts commit " + c.hash + "."}
	}
	b.open(subject, b.writeCommit(nil))
	b.last.body = body
	return nil
}

func (b *builder) file(rest string) error {
	path, content, _ := strings.Cut(rest, " ")
	b.changed()[path] = expand(content) + "\n"
	return nil
}

func (b *builder) rename(rest string) error {
	from, to, _ := strings.Cut(rest, " ")
	files := b.changed()
	if _, ok := files[from]; !ok {
		return fmt.Errorf("no file %q", from)
	}
	files[to] = files[from]
	delete(files, from)
	return nil
}

func (b *builder) newBranch(rest string) error {
	name, rev, _ := strings.Cut(rest, " ")
	if rev == "" {
		rev = b.branch
	}
	c, err := b.lookup(rev)
	if err != nil {
		return err
	}
	b.branch = name
	b.commits[name] = c
	return b.importer.reset("refs/heads/"+name, c.mark)
}

func (b *builder) checkout(rest string) error {
	_, err := b.lookup(rest)
	b.branch = rest
	return err
}

func (b *builder) tag(rest string) error {
	name, c, err := b.nameAndRevision(rest)
	if err != nil {
		return err
	}
	b.remember(name, c)
	return b.importer.reset("refs/tags/"+name, c.mark)
}

func (b *builder) annotate(rest string) error {
	name, c, err := b.nameAndRevision(rest)
	if err != nil {
		return err
	}
	b.clock += 3600
	tagger := fmt.Sprintf("%s %d +0000", b.author, b.clock)
	b.open(name, func(message string) error {
		mark, err := b.importer.tag(name, c.mark, tagger, message)
		tagged := *c
		tagged.mark = mark
		b.remember(name, &tagged)
		return err
	})
	return nil
}

// remember lets later lines name a tag, unless a branch has that name already.
func (b *builder) remember(tag string, c *commit) {
	if _, taken := b.commits[tag]; !taken {
		b.commits[tag] = c
	}
}

func (b *builder) nameAndRevision(rest string) (string, *commit, error) {
	name, rev, _ := strings.Cut(rest, " ")
	if rev == "" {
		rev = b.branch
	}
	c, err := b.lookup(rev)
	return name, c, err
}

func (b *builder) lookup(rev string) (*commit, error) {
	if c := b.commits[rev]; c != nil {
		return c, nil
	}
	return nil, fmt.Errorf("no branch, tag or mark %q", rev)
}

// changed returns the files of the next commit, to be changed.
func (b *builder) changed() map[string]string {
	if b.files == nil {
		b.files = map[string]string{}
		if head := b.commits[b.branch]; head != nil {
			maps.Copy(b.files, head.files)
		}
	}
	return b.files
}

func (b *builder) writeCommit(others []*commit) func(string) error {
	return func(message string) error {
		b.clock += 3600
		c := &commit{subject: strings.SplitN(message, "\n", 2)[0]}
		if head := b.commits[b.branch]; head != nil {
			c.parents = append(c.parents, head)
			c.files = head.files
		}
		c.parents = append(c.parents, others...)
		committer := b.committer
		if committer == "" {
			committer = b.author
		}
		stamp := fmt.Sprintf(" %d +0000", b.clock)
		if b.files != nil {
			c.files = b.files
		}
		err := b.importer.commit(c, importedCommit{
			ref: "refs/heads/" + b.branch, author: b.author + stamp, committer: committer + stamp,
			encoding: b.encoding, message: message, rewriteFiles: b.files != nil,
		})
		b.files, b.committer, b.encoding = nil, "", ""
		b.commits[b.branch] = c
		return err
	}
}

// finish leaves the last branch checked out.
func (b *builder) finish() error {
	head := "ref: refs/heads/" + b.branch + "\n"
	if err := os.WriteFile(filepath.Join(b.dir, ".git", "HEAD"), []byte(head), 0o666); err != nil {
		return err
	}
	if b.remote != "none" {
		if out, err := command(b.dir, "config", "remote.origin.url", b.remote).CombinedOutput(); err != nil {
			return fmt.Errorf("git config: %v: %s", err, out)
		}
	}
	if c := b.commits[b.branch]; c == nil || len(c.files) == 0 {
		return nil
	}
	if out, err := command(b.dir, "reset", "-q", "--hard").CombinedOutput(); err != nil {
		return fmt.Errorf("git reset: %v: %s", err, out)
	}
	return nil
}

var markName = regexp.MustCompile(`\$([A-Za-z]\w*)(?::(\d+))?`)

// substitute replaces the names of marks by hashes and leaves every other "$" alone.
func (b *builder) substitute(message string) string {
	return markName.ReplaceAllStringFunc(message, func(s string) string {
		m := markName.FindStringSubmatch(s)
		c, ok := b.commits[m[1]]
		if !ok {
			return s
		}
		if n, err := strconv.Atoi(m[2]); err == nil && n < len(c.hash) {
			return c.hash[:n]
		}
		return c.hash
	})
}

var escape = regexp.MustCompile(`\\(?:[nrt\\]|x[0-9a-fA-F]{2})`)

func expand(s string) string {
	return escape.ReplaceAllStringFunc(s, func(e string) string {
		switch e[1] {
		case 'n':
			return "\n"
		case 'r':
			return "\r"
		case 't':
			return "\t"
		case '\\':
			return `\`
		}
		b, _ := strconv.ParseUint(e[2:], 16, 8)
		return string([]byte{byte(b)})
	})
}
