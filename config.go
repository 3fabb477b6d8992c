package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"
)

// defaultModel drafts when neither --model nor OPENAI_MODEL names another.
const defaultModel = "gpt-5.4-mini"

// config is everything that the command line and the environment say, read once.
type config struct {
	repo        string
	revision    string // TAG, FROM..TO or empty
	from, to    string
	nextVersion string
	tagPrefix   string
	paths       []string

	offline     bool
	mcp         bool
	mcpCommand  string
	mcpURL      string
	mcpTools    []string
	changelog   string
	maxLength   int
	maxPulls    int
	githubRepo  string
	aiAuthors   bool
	model       string
	baseURL     string
	api         string
	apiKey      string
	githubToken string
	githubHost  string // of GitHub Enterprise, perhaps with a scheme

	transcript string // file to write
	replay     string // file to read in the place of a model

	audience        string
	language        string
	instructions    string // file
	instructionText string // what it holds

	maxTokens int64         // of all conversations together
	maxSteps  int           // of one conversation
	timeout   time.Duration // of all drafting

	format string
	output string

	strict  bool
	verbose bool
	quiet   bool

	getenv  func(string) string
	environ []string
}

// usageError is a mistake on the command line, told with exit code 2.
type usageError struct{ message, hint string }

func (e *usageError) Error() string { return e.message }

// Hint is what to type next.
func (e *usageError) Hint() string { return e.hint }

func usagef(format string, args ...any) error {
	return &usageError{message: fmt.Sprintf(format, args...), hint: "release-notes-agent --help"}
}

func flags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "repo", Value: ".", Usage: "read the repository that `DIR` lies in"},
		&cli.StringFlag{Name: "from", Usage: "leave out what `REV` has already; the same as FROM.."},
		&cli.StringFlag{Name: "to", Usage: "describe what `REV` has; the same as ..TO"},
		&cli.StringFlag{Name: "next-version", Usage: "call what is unreleased `VERSION`"},
		&cli.StringFlag{Name: "tag-prefix", Usage: "look only at release tags that begin with `PREFIX`, such as api/"},
		&cli.StringSliceFlag{Name: "path", Usage: "look only at changes in `PATHSPEC`; may be repeated"},
		&cli.BoolFlag{Name: "offline", Usage: "draft from the history alone"},
		&cli.BoolFlag{Name: "mcp", Usage: "read pull requests through the GitHub MCP server (needs npx and a token)"},
		&cli.StringFlag{Name: "mcp-command", Usage: "start `COMMAND` as the GitHub MCP server, such as \"github-mcp-server stdio\"; implies --mcp"},
		&cli.StringFlag{Name: "mcp-url", Usage: "ask the GitHub MCP server at `URL`, over streamable HTTP; implies --mcp"},
		&cli.StringSliceFlag{Name: "mcp-tool", Usage: "let the model call the tool `NAME` of a server that is not known; may be repeated"},
		&cli.IntFlag{Name: "mcp-max-pulls", Value: 300, Usage: "read at most `N` pull requests and issues on GitHub"},
		&cli.StringFlag{Name: "github-repo", Usage: "take pull requests and links from `OWNER/NAME` instead of origin or upstream"},
		&cli.StringFlag{Name: "model", Usage: "draft with the model `NAME` (default: $OPENAI_MODEL or " + defaultModel + ")"},
		&cli.StringFlag{Name: "base-url", Usage: "ask the OpenAI-compatible server at `URL` (default: $OPENAI_BASE_URL or OpenAI)"},
		&cli.StringFlag{Name: "transcript", Usage: "write what is said between this program, the model and GitHub to `FILE`, without secrets"},
		&cli.StringFlag{Name: "replay", Usage: "draft again from the transcript in `FILE`, without a model and without GitHub"},
		&cli.StringFlag{Name: "audience", Usage: "tell the model who reads the notes, such as \"people who run servers\""},
		&cli.StringFlag{Name: "language", Usage: "let the model write in `LANGUAGE`"},
		&cli.StringFlag{Name: "instructions", Usage: "tell the model what `FILE` holds, such as words to use and to avoid"},
		&cli.Int64Flag{Name: "max-tokens", Value: 5_000_000, Usage: "spend at most `N` tokens"},
		&cli.IntFlag{Name: "max-steps", Value: 40, Usage: "let the model answer at most `N` times in one conversation"},
		&cli.DurationFlag{Name: "timeout", Value: 20 * time.Minute, Usage: "give the model at most `DURATION`"},
		&cli.StringFlag{Name: "api", Usage: "speak `API`: chat or responses (default: what the server is best at)"},
		&cli.StringFlag{Name: "format", Value: "markdown", Usage: "print `FORMAT`: " + formatNames()},
		&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to `FILE`, whole or not at all, instead of standard output"},
		&cli.StringFlag{Name: "changelog", Usage: "put the notes into the changelog `FILE` as well, above the older releases"},
		&cli.IntFlag{Name: "max-length", Usage: "leave out the last entries of Markdown that is longer than `N` characters; GitHub takes 125000"},
		&cli.BoolFlag{Name: "ai-authors", Usage: "list AI co-authors among the contributors"},
		&cli.BoolFlag{Name: "strict", Usage: "exit with 3 when the notes are not fully vouched for"},
		&cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Usage: "show each message of the agent on standard error"},
		&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "print errors only"},
		&cli.BoolFlag{Name: "version", Usage: "print the version of this program"},
	}
}

// readConfig turns parsed flags and the environment into a config.
func readConfig(c *cli.Context) (config, error) {
	if c.NArg() == 1 && c.Args().First() == "" {
		return config{}, usagef("the release has an empty name; leave it out to describe HEAD")
	}
	if c.NArg() > 1 {
		return config{}, usagef("more than one release named: %s", strings.Join(c.Args().Slice(), " "))
	}
	cfg := config{
		repo:        c.String("repo"),
		revision:    c.Args().First(),
		from:        c.String("from"),
		to:          c.String("to"),
		nextVersion: c.String("next-version"),
		tagPrefix:   c.String("tag-prefix"),
		paths:       c.StringSlice("path"),
		offline:     c.Bool("offline"),
		mcp:         c.Bool("mcp") || c.IsSet("mcp-command") || c.IsSet("mcp-url"),
		mcpCommand:  c.String("mcp-command"),
		mcpURL:      c.String("mcp-url"),
		mcpTools:    c.StringSlice("mcp-tool"),
		maxPulls:    c.Int("mcp-max-pulls"),
		githubRepo:  c.String("github-repo"),
		aiAuthors:   c.Bool("ai-authors"),
		model:       firstNonEmpty(c.String("model"), os.Getenv("OPENAI_MODEL"), defaultModel),
		baseURL:     firstNonEmpty(c.String("base-url"), os.Getenv("OPENAI_BASE_URL")),
		api:         c.String("api"),
		apiKey:      strings.TrimSpace(os.Getenv("OPENAI_API_KEY")),
		githubToken: firstNonEmpty(os.Getenv("GITHUB_PERSONAL_ACCESS_TOKEN"), os.Getenv("GITHUB_TOKEN")),
		githubHost:  os.Getenv("GITHUB_HOST"),
		transcript:  c.String("transcript"),
		replay:      c.String("replay"),
		audience:    c.String("audience"),
		language:    c.String("language"),

		instructions: c.String("instructions"),

		maxTokens: c.Int64("max-tokens"),
		maxSteps:  c.Int("max-steps"),
		timeout:   c.Duration("timeout"),
		format:    c.String("format"),
		output:    c.String("output"),
		changelog: c.String("changelog"),
		maxLength: c.Int("max-length"),
		strict:    c.Bool("strict"),
		verbose:   c.Bool("verbose"),
		quiet:     c.Bool("quiet"),
		getenv:    os.Getenv,
		environ:   os.Environ(),
	}
	if err := cfg.validateServer(c.IsSet("mcp-command"), c.IsSet("mcp-url")); err != nil {
		return config{}, err
	}
	return cfg, cfg.validate()
}

// verifyFlags are the options of verify.
func verifyFlags() []cli.Flag {
	format := "text"
	if os.Getenv("GITHUB_ACTIONS") == "true" {
		format = "github"
	}
	return []cli.Flag{
		&cli.StringFlag{Name: "repo", Value: ".", Usage: "read the repository that `DIR` lies in"},
		&cli.StringFlag{Name: "tag-prefix", Usage: "look only at release tags that begin with `PREFIX`"},
		&cli.StringSliceFlag{Name: "path", Usage: "look only at changes in `PATHSPEC`; may be repeated"},
		&cli.StringFlag{Name: "format", Value: format, Usage: "print findings as `FORMAT`: text, json or github (annotations, the default in GitHub Actions)"},
	}
}

// readVerifyConfig does for verify what readConfig does for the notes.
func readVerifyConfig(c *cli.Context) (config, error) {
	cfg := config{
		repo:      c.String("repo"),
		revision:  c.Args().Get(1),
		tagPrefix: c.String("tag-prefix"),
		paths:     c.StringSlice("path"),
		format:    c.String("format"),
		offline:   true,
		getenv:    os.Getenv,
	}
	if !slices.Contains([]string{"text", "json", "github"}, cfg.format) {
		return cfg, usagef("unknown format %q: the formats are text, json, github", cfg.format)
	}
	return cfg, nil
}

// validate finds what can't work before anything is read or started.
func (cfg config) validate() error {
	switch {
	case cfg.revision != "" && (cfg.from != "" || cfg.to != ""):
		return usagef("%s and --from or --to both name the release", cfg.revision)
	case !slices.Contains(formats(), cfg.format):
		return usagef("unknown format %q: the formats are %s", cfg.format, formatNames())
	case !slices.Contains([]string{"", "chat", "responses"}, cfg.api):
		return usagef("unknown API %q: the APIs are chat, responses", cfg.api)
	case cfg.maxLength < 0:
		return usagef("--max-length is below zero")
	case cfg.maxLength > 0 && cfg.format != "markdown":
		return usagef("--max-length is for Markdown, not for %s", cfg.format)
	case cfg.changelog != "" && isDirectory(cfg.changelog):
		return usagef("--changelog %s is a directory", cfg.changelog)
	case cfg.changelog != "" && !isDirectory(filepath.Dir(cfg.changelog)):
		return usagef("--changelog %s: its directory does not exist", cfg.changelog)
	case cfg.replay != "" && cfg.transcript != "":
		return usagef("--replay and --transcript exclude each other: the transcript is there")
	case cfg.offline && (cfg.replay != "" || cfg.transcript != ""):
		return usagef("--offline asks no model, so that there is nothing to write down or to replay")
	case cfg.maxTokens < 1:
		return usagef("--max-tokens is below one")
	case cfg.maxSteps < 1:
		return usagef("--max-steps is below one")
	case cfg.timeout <= 0:
		return usagef("--timeout is not above zero")
	case cfg.maxPulls < 0:
		return usagef("--mcp-max-pulls is below zero")
	case cfg.githubRepo != "" && !githubRepo.MatchString(cfg.githubRepo):
		return usagef("--github-repo %q is not OWNER/NAME", cfg.githubRepo)
	case cfg.verbose && cfg.quiet:
		return usagef("--verbose and --quiet exclude each other")
	case slices.Contains(cfg.paths, ""):
		return usagef("--path is empty; use . for everything")
	case cfg.output != "" && !isDirectory(filepath.Dir(cfg.output)):
		return usagef("--output %s: its directory does not exist", cfg.output)
	case cfg.output != "" && isDirectory(cfg.output):
		return usagef("--output %s is a directory", cfg.output)
	}
	return nil
}

// validateServer finds what can't work about the MCP server that the options name.
func (cfg config) validateServer(command, endpoint bool) (err error) {
	switch {
	case command && endpoint:
		return usagef("--mcp-command and --mcp-url both name the server")
	case len(cfg.mcpTools) > 0 && !command && !endpoint:
		return usagef("--mcp-tool is for the server of --mcp-command or --mcp-url")
	case slices.Contains(cfg.mcpTools, ""):
		return usagef("--mcp-tool names no tool")
	case command:
		_, err = splitWords(cfg.mcpCommand)
	case endpoint:
		_, err = parseEndpoint(cfg.mcpURL)
	}
	return err
}

var githubRepo = regexp.MustCompile(`^[A-Za-z\d][A-Za-z\d-]*/[\w.-]+$`)

// wantsModel reports whether an agent is to draft the notes.
func (cfg config) wantsModel() bool {
	return !cfg.offline && (cfg.apiKey != "" || cfg.baseURL != "" || cfg.replay != "")
}

func firstNonEmpty(values ...string) string {
	for _, v := range values {
		if v = strings.TrimSpace(v); v != "" {
			return v
		}
	}
	return ""
}

func isDirectory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// optionsFirst moves the options of a command line before its other arguments,
// where the flag package looks for them. What follows "--" stays where it is.
func optionsFirst(args []string, flags []cli.Flag) []string {
	takesValue := map[string]bool{}
	for _, f := range flags {
		_, isBool := f.(*cli.BoolFlag)
		for _, name := range f.Names() {
			takesValue[name] = !isBool
		}
	}
	var options, rest []string
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			rest = append(rest, args[i+1:]...)
			break
		}
		if len(arg) < 2 || arg[0] != '-' {
			rest = append(rest, arg)
			continue
		}
		options = append(options, arg)
		if !takesValue[strings.TrimLeft(arg, "-")] {
			continue
		}
		if i++; i == len(args) {
			return options // nothing must stand where its value is missing
		}
		options = append(options, args[i])
	}
	return append(append(options, "--"), rest...)
}
