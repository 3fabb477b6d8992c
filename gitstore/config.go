package gitstore

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
)

// maxIncludes is how deep configuration files may include each other, as in git.
const maxIncludes = 10

// A setting is one line of a configuration file. Section and key are in lower
// case; the subsection between them is as it was written.
type setting struct{ key, value string }

// A configReader collects the settings of several files, later ones last.
type configReader struct {
	env      environment
	gitDir   string
	branch   string // short name, for includeIf "onbranch:"
	settings []setting
}

// readConfig reads what git would read: system, global, local and worktree files.
func readConfig(env environment, at place, branch string) []setting {
	r := configReader{env: env, gitDir: at.gitDir, branch: branch}
	if !isTrue(env.get("GIT_CONFIG_NOSYSTEM")) {
		r.file("/etc/gitconfig", 0)
	}
	for _, path := range globalConfigs(env) {
		r.file(path, 0)
	}
	r.file(filepath.Join(at.commonDir, "config"), 0)
	if value, ok := last(r.settings, "extensions.worktreeconfig"); ok && isTrue(value) {
		r.file(filepath.Join(at.gitDir, "config.worktree"), 0)
	}
	return r.settings
}

func globalConfigs(env environment) []string {
	if path := env.get("GIT_CONFIG_GLOBAL"); path != "" {
		return []string{path}
	}
	home, xdg := env.get("HOME"), env.get("XDG_CONFIG_HOME")
	if xdg == "" && home != "" {
		xdg = filepath.Join(home, ".config")
	}
	var paths []string
	if xdg != "" {
		paths = append(paths, filepath.Join(xdg, "git", "config"))
	}
	if home != "" {
		paths = append(paths, filepath.Join(home, ".gitconfig"))
	}
	return paths
}

// file adds the settings of one file and of those it includes. A file that is
// missing or can't be read adds nothing.
func (r *configReader) file(path string, depth int) {
	data, err := os.ReadFile(path)
	if err != nil || depth > maxIncludes {
		return
	}
	for _, s := range parseConfig(data) {
		r.settings = append(r.settings, s)
		if r.includes(s, path) {
			r.file(r.expand(s.value, filepath.Dir(path)), depth+1)
		}
	}
}

// includes reports whether s includes a file under a condition that holds.
func (r *configReader) includes(s setting, from string) bool {
	if s.key == "include.path" {
		return true
	}
	condition, ok := strings.CutPrefix(s.key, "includeif.")
	if !ok {
		return false
	}
	condition, ok = strings.CutSuffix(condition, ".path")
	if !ok {
		return false
	}
	kind, pattern, _ := strings.Cut(condition, ":")
	switch kind {
	case "gitdir":
		return r.gitDirMatches(pattern, from, func(s string) string { return s })
	case "gitdir/i":
		return r.gitDirMatches(pattern, from, strings.ToLower)
	case "onbranch":
		if strings.HasSuffix(pattern, "/") {
			pattern += "**"
		}
		return r.branch != "" && matchGlob(pattern, r.branch)
	}
	return false
}

func (r *configReader) gitDirMatches(pattern, from string, fold func(string) string) bool {
	switch {
	case strings.HasPrefix(pattern, "~/"):
		pattern = r.env.get("HOME") + pattern[1:]
	case strings.HasPrefix(pattern, "./"):
		pattern = filepath.ToSlash(filepath.Dir(from)) + pattern[1:]
	case !filepath.IsAbs(pattern):
		pattern = "**/" + pattern
	}
	if strings.HasSuffix(pattern, "/") {
		pattern += "**"
	}
	return matchGlob(fold(pattern), fold(filepath.ToSlash(r.gitDir)))
}

// expand makes the path of an include absolute.
func (r *configReader) expand(path, dir string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(r.env.get("HOME"), rest)
	}
	return against(dir, path)
}

// last returns the last value of a key.
func last(settings []setting, key string) (string, bool) {
	for i := len(settings) - 1; i >= 0; i-- {
		if settings[i].key == key {
			return settings[i].value, true
		}
	}
	return "", false
}

// isTrue tells whether a value is one of git's words for true.
func isTrue(value string) bool {
	switch strings.ToLower(value) {
	case "true", "yes", "on", "1":
		return true
	}
	return false
}

// parseConfig reads the text of a configuration file. Lines that make no sense
// are skipped: one bad line should not hide a remote's address.
func parseConfig(data []byte) []setting {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	text := strings.ReplaceAll(string(data), "\r\n", "\n")
	var settings []setting
	section := ""
	for text != "" {
		text = strings.TrimLeft(text, " \t\n")
		switch {
		case text == "":
		case text[0] == '#' || text[0] == ';':
			_, text, _ = strings.Cut(text, "\n")
		case text[0] == '[':
			section, text = parseSection(text[1:])
		default:
			var s setting
			s, text = parseSetting(text)
			if section != "" && s.key != "" {
				settings = append(settings, setting{section + "." + s.key, s.value})
			}
		}
	}
	return settings
}

// parseSection reads `name]`, `name.sub]` or `name "sub"]` and returns the rest.
func parseSection(text string) (section, rest string) {
	end := strings.IndexAny(text, "]\"\n")
	if end < 0 {
		return "", ""
	}
	name := strings.ToLower(strings.TrimSpace(text[:end]))
	if text[end] != '"' {
		return name, text[end+1:]
	}
	var sub strings.Builder
	i := end + 1
	for ; i < len(text) && text[i] != '"' && text[i] != '\n'; i++ {
		if text[i] == '\\' && i+1 < len(text) {
			i++
		}
		sub.WriteByte(text[i])
	}
	_, rest, _ = strings.Cut(text[min(i, len(text)):], "]")
	return name + "." + sub.String(), rest
}

// parseSetting reads `key`, or `key = value` up to the end of its last line.
func parseSetting(text string) (s setting, rest string) {
	end := strings.IndexAny(text, "=\n#;")
	if end < 0 {
		end = len(text)
	}
	s.key = strings.ToLower(strings.TrimSpace(text[:end]))
	if end == len(text) || text[end] != '=' {
		_, rest, _ = strings.Cut(text[end:], "\n")
		s.value = "true" // a key alone is a boolean
		return s, rest
	}
	s.value, rest = parseValue(text[end+1:])
	return s, rest
}

var valueEscapes = map[byte]byte{'n': '\n', 't': '\t', 'b': '\b'}

// parseValue reads a value with its quotes, escapes and continued lines.
func parseValue(text string) (value, rest string) {
	var b strings.Builder
	quoted, kept := false, 0 // kept: length up to the last byte that is not trailing space
	i := 0
	for ; i < len(text) && text[i] != '\n'; i++ {
		c := text[i]
		switch {
		case c == '\\' && i+1 < len(text):
			i++
			if text[i] == '\n' {
				continue
			}
			if to, ok := valueEscapes[text[i]]; ok {
				b.WriteByte(to)
			} else {
				b.WriteByte(text[i])
			}
			kept = b.Len()
			continue
		case c == '"':
			quoted = !quoted
			kept = b.Len()
			continue
		case !quoted && (c == '#' || c == ';'):
			_, rest, _ = strings.Cut(text[i:], "\n")
			return b.String()[:kept], rest
		case !quoted && (c == ' ' || c == '\t'):
			if b.Len() > 0 {
				b.WriteByte(c)
			}
			continue
		}
		b.WriteByte(c)
		kept = b.Len()
	}
	return b.String()[:kept], text[i:]
}
