package history

import (
	"context"
	"os"
	"path/filepath"
	"strings"
)

// Mailmap returns the text of the mailmap that git would use: .mailmap of the
// work tree, or of HEAD when bare, then mailmap.blob and mailmap.file.
func (r *Repository) Mailmap(ctx context.Context) string {
	var parts []string
	add := func(data []byte, err error) {
		if err == nil && len(data) > 0 {
			parts = append(parts, strings.TrimSuffix(validText(data), "\n")+"\n")
		}
	}
	tree := r.store.WorkTree()
	if tree != "" {
		add(readRegular(filepath.Join(tree, ".mailmap")))
	}
	blob, ok := r.store.Config("mailmap.blob")
	if !ok && tree == "" {
		blob = "HEAD:.mailmap"
	}
	if name, path, ok := strings.Cut(blob, ":"); ok {
		if rev, err := r.resolve(name); err == nil {
			add(r.File(ctx, rev.commit.String(), path))
		}
	}
	if file, ok := r.store.Config("mailmap.file"); ok {
		add(readRegular(r.store.ExpandPath(file)))
	}
	return strings.Join(parts, "")
}

// maxMailmap bounds what is read as a mailmap, in bytes.
const maxMailmap = 16 << 20

// readRegular reads a file unless it is a link, as git does with .mailmap, or huge.
func readRegular(path string) ([]byte, error) {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxMailmap {
		return nil, err
	}
	return os.ReadFile(path)
}
