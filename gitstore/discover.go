package gitstore

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// An environment looks up what git would honour; nil holds nothing.
type environment func(string) string

func (env environment) get(name string) string {
	if env == nil {
		return ""
	}
	return env(name)
}

// A place is where the parts of a repository lie; all paths are absolute.
type place struct {
	gitDir    string // HEAD and what belongs to one work tree
	commonDir string // references, objects and configuration that work trees share
	objectDir string
	workTree  string // empty when bare
}

// locate finds the repository that dir lies in.
func locate(dir string, env environment) (place, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return place{}, fmt.Errorf("finding the repository of %q: %v", dir, err)
	}
	if gitDir := env.get("GIT_DIR"); gitDir != "" {
		at, err := placeOf(dir, against(dir, gitDir), env)
		if err != nil {
			return place{}, fmt.Errorf("opening GIT_DIR %q: %w", gitDir, err)
		}
		at.workTree = dir
		return at, nil
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return place{}, fmt.Errorf("opening %q: not a directory: %w", dir, ErrNotRepository)
	}
	for d := resolved(dir); ; d = filepath.Dir(d) {
		at, err := placeAt(dir, d, env)
		if !errors.Is(err, ErrNotRepository) {
			return at, err
		}
		if d == filepath.Dir(d) {
			return place{}, fmt.Errorf("looking in %q and the directories above: %w; go to a clone, or name one with --repo", dir, ErrNotRepository)
		}
	}
}

// placeAt looks at one directory: its .git, then the directory itself.
func placeAt(from, dir string, env environment) (place, error) {
	dotGit := filepath.Join(dir, ".git")
	if info, err := os.Stat(dotGit); err == nil {
		if !info.IsDir() {
			target, err := readGitFile(dotGit)
			if err != nil {
				return place{}, err
			}
			dotGit = target
		}
		at, err := placeOf(from, dotGit, env)
		if err == nil {
			at.workTree = dir
			return at, nil
		}
		if !info.IsDir() {
			return place{}, fmt.Errorf("following %q to %q: the repository is gone: %v", filepath.Join(dir, ".git"), dotGit, err)
		}
	}
	at, err := placeOf(from, dir, env)
	if err != nil {
		return place{}, err
	}
	if filepath.Base(dir) == ".git" {
		at.workTree = filepath.Dir(dir)
	}
	return at, nil
}

// readGitFile reads the path out of a .git file of a work tree or submodule.
func readGitFile(path string) (string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("reading the repository's place: %v", err)
	}
	target, ok := strings.CutPrefix(string(data), "gitdir:")
	if !ok {
		return "", fmt.Errorf("reading %q: no gitdir line: %w", path, ErrNotRepository)
	}
	return against(filepath.Dir(path), strings.TrimSpace(target)), nil
}

// placeOf checks that gitDir is a repository's own directory and finds its parts.
// Variables are seen from the directory that was opened.
func placeOf(from, gitDir string, env environment) (place, error) {
	gitDir = resolved(gitDir)
	at := place{gitDir: gitDir, commonDir: gitDir}
	if dir := env.get("GIT_COMMON_DIR"); dir != "" {
		at.commonDir = resolved(against(from, dir))
	} else if data, err := os.ReadFile(filepath.Join(gitDir, "commondir")); err == nil {
		at.commonDir = resolved(against(gitDir, strings.TrimSpace(string(data))))
	}
	at.objectDir = filepath.Join(at.commonDir, "objects")
	if dir := env.get("GIT_OBJECT_DIRECTORY"); dir != "" {
		at.objectDir = against(from, dir)
	}
	if !isDir(at.objectDir) || !isDir(filepath.Join(at.commonDir, "refs")) || !validHead(filepath.Join(gitDir, "HEAD")) {
		return place{}, ErrNotRepository
	}
	return at, nil
}

// validHead tells whether a file can be a HEAD, so that a directory that happens
// to hold "objects" and "refs" is not taken for a repository.
func validHead(path string) bool {
	if target, err := os.Readlink(path); err == nil {
		return strings.HasPrefix(filepath.ToSlash(target), "refs/")
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return false
	}
	text := strings.TrimSpace(string(data))
	if name, ok := strings.CutPrefix(text, "ref:"); ok {
		return strings.HasPrefix(strings.TrimSpace(name), "refs/")
	}
	return isHash(text) || len(text) == 64
}

// settle finishes a place with what the configuration says about the work tree.
func settle(at place, settings []setting, env environment) place {
	if value, ok := last(settings, "core.bare"); ok && isTrue(value) && at.gitDir == at.commonDir {
		at.workTree = ""
	}
	if dir := env.get("GIT_WORK_TREE"); dir != "" {
		if abs, err := filepath.Abs(dir); err == nil {
			at.workTree = abs
		}
	} else if dir, ok := last(settings, "core.worktree"); ok && at.gitDir == at.commonDir {
		at.workTree = against(at.gitDir, dir)
	}
	return at
}

// harmless are the extensions that don't change how refs and SHA-1 objects are read.
var harmless = map[string]bool{
	"noop": true, "noop-v1": true, "preciousobjects": true, "partialclone": true,
	"worktreeconfig": true, "relativeworktrees": true, "submodulepathconfig": true,
}

// checkFormat refuses repositories that need rules this package does not know.
func checkFormat(settings []setting) error {
	text, _ := last(settings, "core.repositoryformatversion")
	version, err := strconv.Atoi(text)
	if text != "" && (err != nil || version > 1) {
		return fmt.Errorf("%w: core.repositoryformatversion is %q, and only 0 and 1 can be read", ErrUnsupported, text)
	}
	for _, s := range settings {
		name, ok := strings.CutPrefix(s.key, "extensions.")
		value := strings.ToLower(s.value)
		switch {
		case !ok || harmless[name]:
		case name == "objectformat" && value != "sha1":
			return fmt.Errorf("%w: its objects are named by %s, only SHA-1 can be read", ErrUnsupported, strings.ToUpper(value))
		case name == "refstorage" && value != "files":
			return fmt.Errorf("%w: its references are stored as %q; convert a copy with git refs migrate --ref-format=files", ErrUnsupported, value)
		case name == "objectformat" || name == "refstorage" || version == 0:
		default:
			return fmt.Errorf("%w: unknown extension %q", ErrUnsupported, name)
		}
	}
	return nil
}

// against returns path as seen from dir.
func against(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// resolved follows the links of a path as far as it exists.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
