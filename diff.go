package main

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"release-notes-agent/history"
)

// Caps of a diff that a model reads, in bytes.
const (
	maxDiffBytes     = 24 << 10 // of a diff, shared by its files
	maxFileDiffBytes = 6 << 10  // of one file in it
	maxLineBytes     = 400
	maxFilesNamed    = 10 // of those that are left out
)

// diffText shows what matters of a diff: code first and tests last, each file within
// its share, and of a long hunk the head and the tail. What machines write is named and
// not shown, unless it was asked for.
func diffText(files []history.FileDiff, asked bool) string {
	if len(files) == 0 {
		return "No file was changed."
	}
	var shown []history.FileDiff
	left := map[machineMade][]string{}
	for _, f := range files {
		if made := machineMadeOf(f); made != "" && !asked {
			left[made] = append(left[made], f.Path)
			continue
		}
		shown = append(shown, f)
	}
	slices.SortStableFunc(shown, func(a, b history.FileDiff) int { return rankOf(a.Path) - rankOf(b.Path) })
	var text strings.Builder
	for i, f := range shown {
		room := maxDiffBytes - text.Len()
		if room <= 0 {
			fmt.Fprintf(&text, "… and %s; pass path to read one\n", counted(len(shown)-i, "more file"))
			break
		}
		text.WriteString(fileText(f, min(maxFileDiffBytes, room/min(len(shown)-i, 4))))
	}
	text.WriteString(leftOutText(left))
	return text.String()
}

// fileText shows one file in about so many bytes.
func fileText(f history.FileDiff, room int) string {
	switch {
	case f.Binary:
		return "binary file " + f.Path + "\n"
	case f.OldPath != "":
		return "renamed from " + f.OldPath + "\n" + shortDiff(f.Text, room) + "\n"
	}
	return shortDiff(f.Text, room) + "\n"
}

// shortDiff shortens the hunks of a unified diff, each to its share of the room.
func shortDiff(diff string, room int) string {
	if diff = withoutIndex(diff); len(diff) <= room {
		return diff
	}
	parts := hunksOf(diff)
	var text strings.Builder
	for i, part := range parts {
		left := room - text.Len()
		if left <= 0 {
			fmt.Fprintf(&text, "… %s left out …\n", counted(len(parts)-i, "more hunk"))
			break
		}
		text.WriteString(shortHunk(part, left/(len(parts)-i)))
	}
	return text.String()
}

// hunksOf splits a diff: its header, then its hunks.
func hunksOf(diff string) (parts [][]string) {
	parts = [][]string{nil}
	for line := range strings.Lines(diff) {
		if strings.HasPrefix(line, "@@ ") {
			parts = append(parts, nil)
		}
		last := len(parts) - 1
		parts[last] = append(parts[last], shortLine(line))
	}
	return parts
}

// indexLine tells the hashes of a file's contents, which say nothing to a reader.
var indexLine = regexp.MustCompile(`(?m)^index [0-9a-f]+\.\.[0-9a-f]+.*\n`)

func withoutIndex(diff string) string {
	header, hunks, found := strings.Cut(diff, "\n@@ ")
	header = indexLine.ReplaceAllString(header, "")
	if !found {
		return header
	}
	return header + "\n@@ " + hunks
}

func shortLine(line string) string {
	if len(line) <= maxLineBytes {
		return line
	}
	return strings.ToValidUTF8(line[:maxLineBytes], "") + "…\n"
}

// shortHunk keeps the head of a hunk, where things begin, and a shorter tail, where they
// end.
func shortHunk(lines []string, room int) string {
	head, size := 0, 0
	for head < len(lines) && (head < 3 || size+len(lines[head]) <= room*2/3) {
		size += len(lines[head])
		head++
	}
	tail := len(lines)
	for tail > head && size+len(lines[tail-1]) <= room {
		tail--
		size += len(lines[tail])
	}
	if tail-head <= 1 {
		return strings.Join(lines, "")
	}
	return fmt.Sprintf("%s… %d lines left out …\n%s", strings.Join(lines[:head], ""), tail-head, strings.Join(lines[tail:], ""))
}

// machineMade says why nobody reads a file.
type machineMade string

const (
	lockFile  machineMade = "lock file"
	generated machineMade = "generated file"
	vendored  machineMade = "vendored file"
)

var (
	lockNames = []string{
		"go.sum", "go.work.sum", "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb", "deno.lock",
		"Cargo.lock", "Gemfile.lock", "composer.lock", "poetry.lock", "uv.lock", "pdm.lock", "Pipfile.lock", "flake.lock", "mix.lock",
		"pubspec.lock", "Podfile.lock", "packages.lock.json", "gradle.lockfile", "Package.resolved", "conan.lock", ".terraform.lock.hcl",
	}
	vendorDirs        = []string{"vendor", "node_modules", "third_party", "thirdparty", "bower_components", "Godeps", "Pods"}
	generatedDirs     = []string{"dist", "__generated__", "__snapshots__", ".yarn"}
	generatedSuffixes = []string{".pb.go", ".pb.gw.go", "_pb2.py", "_pb2_grpc.py", ".pb.cc", ".pb.h", ".min.js", ".min.css", ".js.map", ".css.map", "_generated.go", ".g.dart", ".designer.cs", ".snap"}
)

// machineMadeOf tells from the name of a file, and from the mark that generators leave
// in its first lines.
func machineMadeOf(f history.FileDiff) machineMade {
	dirs := strings.Split(path.Dir(f.Path), "/")
	in := func(names []string) bool {
		return slices.ContainsFunc(dirs, func(dir string) bool { return slices.Contains(names, dir) })
	}
	name := path.Base(f.Path)
	switch {
	case in(vendorDirs):
		return vendored
	case slices.Contains(lockNames, name):
		return lockFile
	case in(generatedDirs), strings.HasPrefix(name, "zz_generated"),
		slices.ContainsFunc(generatedSuffixes, func(suffix string) bool { return strings.HasSuffix(name, suffix) }),
		hasGeneratorMark(f.Text):
		return generated
	}
	return ""
}

// generatorMark is a comment that generators leave.
var generatorMark = regexp.MustCompile(`^[+ -]\s*(?://|#|/\*|\*|<!--|;|--).*(?:Code generated |@generated|DO NOT EDIT)`)

// hasGeneratorMark looks at the first lines of a diff when they are the file's first.
func hasGeneratorMark(diff string) bool {
	_, body, _ := strings.Cut(diff, "\n@@ ")
	at, body, _ := strings.Cut(body, "\n")
	if !strings.Contains(at, "+1,") && !strings.Contains(at, "-1,") {
		return false
	}
	lines := strings.SplitN(body, "\n", 7)
	return slices.ContainsFunc(lines[:min(len(lines), 6)], generatorMark.MatchString)
}

// rankOf puts code before what describes and configures it, and tests last.
func rankOf(name string) int {
	base, dirs := path.Base(name), strings.Split(path.Dir(name), "/")
	switch {
	case strings.Contains(base, "_test."), strings.Contains(base, ".test."), strings.Contains(base, ".spec."), strings.HasPrefix(base, "test_"),
		slices.ContainsFunc(dirs, func(dir string) bool {
			return slices.Contains([]string{"test", "tests", "testdata", "__tests__", "spec", "e2e"}, dir)
		}):
		return 2
	case slices.Contains([]string{".md", ".rst", ".txt", ".adoc", ".yml", ".yaml", ".json", ".toml", ".lock", ".xml"}, path.Ext(name)), dirs[0] == "docs":
		return 1
	}
	return 0
}

// leftOutText names the files that are not shown, and counts them.
func leftOutText(left map[machineMade][]string) string {
	var text strings.Builder
	for _, made := range []machineMade{lockFile, generated, vendored} {
		paths := left[made]
		if len(paths) == 0 {
			continue
		}
		more := ""
		if len(paths) > maxFilesNamed {
			more = ", …"
		}
		fmt.Fprintf(&text, "%s not shown: %s%s\n", counted(len(paths), string(made)), strings.Join(paths[:min(len(paths), maxFilesNamed)], ", "), more)
	}
	if text.Len() > 0 {
		text.WriteString("Pass path to read one.\n")
	}
	return text.String()
}

// counted is a number and what it counts, in the plural where there are more.
func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
