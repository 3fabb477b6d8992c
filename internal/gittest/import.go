package gittest

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"maps"
	"os/exec"
	"slices"
	"strings"
)

// An importer feeds a running git fast-import, which makes a repository of any
// size in one process and tells the hash of each commit as it is written.
type importer struct {
	cmd    *exec.Cmd
	in     *bufio.Writer
	inPipe io.Closer
	out    *bufio.Reader
	stderr bytes.Buffer
	marks  int
}

func startImporter(dir string) (*importer, error) {
	imp := &importer{cmd: command(dir, "fast-import", "--quiet", "--force", "--date-format=raw-permissive")}
	in, err := imp.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := imp.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	imp.cmd.Stderr = &imp.stderr
	imp.in, imp.inPipe, imp.out = bufio.NewWriter(in), in, bufio.NewReader(out)
	return imp, imp.cmd.Start()
}

type importedCommit struct {
	ref, author, committer, encoding, message string
	rewriteFiles                              bool
}

// commit writes c and fills in its mark and hash.
func (imp *importer) commit(c *commit, what importedCommit) error {
	imp.marks++
	c.mark = imp.marks
	if len(c.parents) == 0 {
		fmt.Fprintf(imp.in, "reset %s\n", what.ref) // a branch left by an orphan of the same name
	}
	fmt.Fprintf(imp.in, "commit %s\nmark :%d\nauthor %s\ncommitter %s\n", what.ref, c.mark, what.author, what.committer)
	if what.encoding != "" {
		fmt.Fprintf(imp.in, "encoding %s\n", what.encoding)
	}
	imp.data(what.message)
	for i, p := range c.parents {
		fmt.Fprintf(imp.in, "%s :%d\n", []string{"from", "merge"}[min(i, 1)], p.mark)
	}
	if what.rewriteFiles {
		imp.files(c.files)
	}
	fmt.Fprintf(imp.in, "\nget-mark :%d\n", c.mark)
	if err := imp.in.Flush(); err != nil {
		return imp.failed(err)
	}
	line, err := imp.out.ReadString('\n')
	if err != nil {
		return imp.failed(err)
	}
	c.hash = strings.TrimSpace(line)
	return nil
}

func (imp *importer) files(files map[string]string) {
	fmt.Fprint(imp.in, "deleteall\n")
	for _, path := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(imp.in, "M 100644 inline %s\n", path)
		imp.data(files[path])
	}
}

// tag writes an annotated tag and returns its mark.
func (imp *importer) tag(name string, of int, tagger, message string) (int, error) {
	imp.marks++
	fmt.Fprintf(imp.in, "tag %s\nmark :%d\nfrom :%d\ntagger %s\n", name, imp.marks, of, tagger)
	imp.data(message)
	return imp.marks, imp.in.Flush()
}

func (imp *importer) reset(ref string, mark int) error {
	fmt.Fprintf(imp.in, "reset %s\nfrom :%d\n\n", ref, mark)
	return imp.in.Flush()
}

func (imp *importer) data(s string) {
	fmt.Fprintf(imp.in, "data %d\n%s\n", len(s), s)
}

func (imp *importer) close() error {
	imp.in.Flush()
	imp.inPipe.Close()
	if err := imp.cmd.Wait(); err != nil {
		return imp.failed(err)
	}
	return nil
}

func (imp *importer) failed(err error) error {
	return fmt.Errorf("git fast-import: %w: %s", err, bytes.TrimSpace(imp.stderr.Bytes()))
}
