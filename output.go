package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"release-notes-agent/history"
	"release-notes-agent/notes"
)

// renderer prints a document in one format.
type renderer func(io.Writer, notes.Document) error

func rendererFor(format string) renderer {
	switch format {
	case "markdown":
		return notes.Markdown
	case "json":
		return notes.JSON
	}
	panic("validate let the format " + format + " through")
}

func formats() []string   { return []string{"markdown", "json"} }
func formatNames() string { return strings.Join(formats(), ", ") }

// writeDocument renders doc completely before the first byte is written.
func writeDocument(doc notes.Document, cfg config, stdout io.Writer) error {
	var text bytes.Buffer
	if err := rendererFor(cfg.format)(&text, doc); err != nil {
		return fmt.Errorf("rendering %s: %w", cfg.format, err)
	}
	if cfg.output == "" || cfg.output == "-" || cfg.output == "/dev/stdout" {
		if _, err := stdout.Write(text.Bytes()); err != nil {
			return fmt.Errorf("writing to standard output: %w", err)
		}
		return nil
	}
	return writeFile(cfg.output, text.Bytes())
}

// shortened is the document as it is printed under --max-length, and a warning when
// something had to be left out.
func shortened(doc notes.Document, cfg config) (notes.Document, notes.Warning, error) {
	if cfg.maxLength == 0 {
		return doc, notes.Warning{}, nil
	}
	short, left, err := notes.Shorten(doc, cfg.maxLength)
	if err != nil || left == 0 {
		return short, notes.Warning{}, err
	}
	return short, notes.Warning{
		Code:    notes.NotesCut,
		Message: fmt.Sprintf("the notes are longer than %d characters; entries left out: %d", cfg.maxLength, left),
	}, nil
}

// updateChangelog puts the notes into the changelog that --changelog names; one that
// is not there is made. Nothing is written when the notes are in it already.
func updateChangelog(doc notes.Document, cfg config) error {
	if cfg.changelog == "" {
		return nil
	}
	if doc.Release.Name == history.Unreleased {
		return usagef("--changelog needs a name for what is unreleased; give it with --next-version")
	}
	old, err := os.ReadFile(cfg.changelog)
	if errors.Is(err, fs.ErrNotExist) {
		old, err = []byte("# Changelog\n"), nil
	}
	if err != nil {
		return fmt.Errorf("reading the changelog: %w", err)
	}
	var section bytes.Buffer
	if err := notes.Markdown(&section, doc); err != nil {
		return err
	}
	text, err := insertSection(string(old), section.String(), doc.Release.Name)
	if err != nil {
		return fmt.Errorf("updating %s: %w; remove it to have it written anew", cfg.changelog, err)
	}
	if text == string(old) {
		return nil
	}
	return writeFile(cfg.changelog, []byte(text))
}

// writeFile replaces a file by renaming a complete one over it, so that whoever
// reads it finds the old content or the new. A link stays a link, and the mode of
// an existing file is kept.
func writeFile(path string, content []byte) (err error) {
	if path, err = linkTarget(path); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	mode := fs.FileMode(0o644)
	if info, err := os.Stat(path); err == nil {
		if !info.Mode().IsRegular() {
			return writeInPlace(path, content) // a device or a pipe can't be replaced
		}
		mode = info.Mode().Perm()
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".release-notes-*")
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	defer func() {
		if err != nil {
			os.Remove(tmp.Name())
			err = fmt.Errorf("writing %s: %w", path, err)
		}
	}()
	if err := writeAndClose(tmp, content, mode); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}

// linkTarget follows symbolic links to the file that they lead to, which need not be
// there yet.
func linkTarget(path string) (string, error) {
	for range 40 {
		target, err := os.Readlink(path)
		if err != nil {
			return path, nil // no link
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		path = target
	}
	return path, syscall.ELOOP
}

func writeAndClose(f *os.File, content []byte, mode fs.FileMode) error {
	_, err := f.Write(content)
	if err == nil {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return err
}

func writeInPlace(path string, content []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	_, err = f.Write(content)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}
