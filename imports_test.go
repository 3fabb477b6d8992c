package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Who may import what. A place is a directory, or a file of the top directory;
// "…/" at its end stands for everything below.
var importRules = []struct {
	module string   // and everything below it
	places []string // that may import it
}{
	{"github.com/openai/openai-go", []string{"agent/openaimodel"}},
	{"github.com/modelcontextprotocol/go-sdk", []string{"agent/mcptoolbox", "mcpconnect.go", "examples/…"}},
	{"github.com/go-git", []string{"gitstore", "history"}},
	{"github.com/urfave/cli", []string{"main.go", "config.go"}},
	{"github.com/google/jsonschema-go", []string{"agent/functool", "agent/mcptoolbox"}},
	{"golang.org/x/mod", []string{"history"}},
	{"golang.org/x/text", []string{"history"}},
	{"golang.org/x/term", []string{"ui.go"}},
}

// Packages that import the standard library and, of this module, only what is
// listed.
var purePackages = map[string][]string{
	"agent":           {},
	"agent/agenttest": {"agent"},
	"changes":         {},
	"grounding":       {"changes", "notes"},
	"notes":           {"changes"},
	"prompts":         {"changes", "notes"},
}

// TestImports holds the direction of dependencies: facts know no drafts, the agent
// no vendor, and each library has one room.
func TestImports(t *testing.T) {
	for file, imports := range goFiles(t) {
		dir := path.Dir(file)
		for _, imported := range imports {
			if allowed, pure := purePackages[dir]; pure && !isStandard(imported) {
				own, isOwn := strings.CutPrefix(imported, "release-notes-agent/")
				if !isOwn || !slices.Contains(allowed, own) {
					t.Errorf("%s imports %s: package %s may import the standard library and %v", file, imported, dir, allowed)
				}
			}
			for _, rule := range importRules {
				if isWithin(imported, rule.module) && !mayImport(file, rule.places) {
					t.Errorf("%s imports %s, which only %v may", file, imported, rule.places)
				}
			}
		}
	}
}

// goFiles returns the imports of every file that is no test, by slashed path.
func goFiles(t *testing.T) map[string][]string {
	t.Helper()
	files := map[string][]string{}
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		slashed := filepath.ToSlash(name)
		files[slashed] = nil
		for _, spec := range parsed.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			files[slashed] = append(files[slashed], imported)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 10 {
		t.Fatalf("found only %d Go files: the test must run in the top directory", len(files))
	}
	return files
}

func mayImport(file string, places []string) bool {
	for _, place := range places {
		if tree, ok := strings.CutSuffix(place, "…"); ok && strings.HasPrefix(file, tree) {
			return true
		}
		if place == file || place == path.Dir(file) {
			return true
		}
	}
	return false
}

func isWithin(imported, module string) bool {
	return imported == module || strings.HasPrefix(imported, module+"/")
}

func isStandard(imported string) bool {
	first, _, _ := strings.Cut(imported, "/")
	return !strings.Contains(first, ".") && first != "release-notes-agent"
}
