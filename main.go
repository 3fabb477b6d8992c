// Release-notes-agent drafts release notes from a git repository and proves every
// line of them.
//
// It reads the commits of a release with go-git and turns them into a list of
// changes. With an OpenAI API key an agent drafts the notes; without one the same
// pipeline drafts them from the history alone. Either way the draft is checked
// against the history before anyone sees it. See README.md.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"

	"release-notes-agent/grounding"
	"release-notes-agent/notes"
)

// Exit codes. Scripts rely on them.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitNotVouched  = 3 // --strict, and something in the notes is not vouched for
	exitInterrupted = 130
)

// errNotVouched is what --strict makes of an incomplete history, of findings that
// are left, and of entries that fell back to the history.
var errNotVouched = errors.New("the notes are not fully vouched for; the warnings say why")

var errInterrupted = errors.New("interrupted")

// endTime is how long an interrupted program may take to end what it started. Then
// it ends although something, such as a pipe that nobody reads, still holds it.
const endTime = 5 * time.Second

// gcPercent makes the collector keep a quarter less memory than it would, for a few
// hundredths of the time. A GOGC in the environment wins.
const gcPercent = 50

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, func() {
		stop() // a second signal ends the program at once
		time.AfterFunc(endTime, func() {
			newUI(os.Stderr, false, false).error(errInterrupted)
			os.Exit(exitInterrupted)
		})
	})
	os.Exit(run(ctx, os.Args, os.Stdin, os.Stdout, os.Stderr))
}

// run is the whole program. It returns the exit code.
func run(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) int {
	app := newApp(stdout, stderr)
	if first, flags := 1, app.Flags; len(args) > 1 {
		if command := app.Command(args[1]); command != nil {
			first, flags = 2, command.Flags
		}
		args = append(args[:first:first], optionsFirst(args[first:], flags)...)
	}
	err := app.RunContext(ctx, args)
	if err != nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	return report(newUI(stderr, false, false), err)
}

// report tells why the program ends and picks its exit code.
func report(ui *ui, err error) int {
	var usage *usageError
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, context.Canceled):
		ui.error(errInterrupted)
		return exitInterrupted
	case errors.As(err, &usage):
		ui.error(err)
		return exitUsage
	case errors.Is(err, errNotVouched), errors.Is(err, errFindings):
		ui.error(err)
		return exitNotVouched
	}
	ui.error(err)
	return exitFailed
}

func newApp(stdout, stderr io.Writer) *cli.App {
	return &cli.App{
		Name:                      "release-notes-agent",
		Usage:                     "draft release notes from a git repository and prove every line",
		UsageText:                 "release-notes-agent [options] [TAG | FROM..TO]",
		Description:               description,
		Version:                   version(),
		Flags:                     flags(),
		HideHelpCommand:           true,
		Commands:                  []*cli.Command{verifyCommand(stdout, stderr)},
		DisableSliceFlagSeparator: true, // a path may hold a comma
		HideVersion:               true, // its -v would take the place of --verbose
		Writer:                    stdout,
		ErrWriter:                 stderr,
		OnUsageError:              func(_ *cli.Context, err error, _ bool) error { return usagef("%v", err) },
		ExitErrHandler:            func(*cli.Context, error) {}, // run decides how the program ends
		Action: func(c *cli.Context) error {
			if c.Bool("version") {
				_, err := fmt.Fprintln(stdout, "release-notes-agent", version())
				return err
			}
			cfg, err := readConfig(c)
			if err != nil {
				return err
			}
			return draftNotes(c.Context, cfg, stdout, newUI(stderr, cfg.verbose, cfg.quiet))
		},
	}
}

// verifyCommand holds notes that a person or another tool wrote against the history.
func verifyCommand(stdout, stderr io.Writer) *cli.Command {
	return &cli.Command{
		Name:         "verify",
		Usage:        "hold notes that somebody wrote against the history; exit 3 when they do not hold",
		UsageText:    "release-notes-agent verify [options] NOTES.md [TAG | FROM..TO]",
		Flags:        verifyFlags(),
		OnUsageError: func(_ *cli.Context, err error, _ bool) error { return usagef("%v", err) },
		Action: func(c *cli.Context) error {
			if c.NArg() < 1 || c.NArg() > 2 {
				return usagef("verify takes a file of notes and at most one release")
			}
			cfg, err := readVerifyConfig(c)
			if err != nil {
				return err
			}
			return verifyNotes(c.Context, cfg, c.Args().First(), stdout, newUI(stderr, false, false))
		},
	}
}

const description = `Without an argument it describes HEAD: the release it is tagged as, or what is
unreleased since the last release tag.

With OPENAI_API_KEY or --base-url an agent drafts the notes; otherwise, and with
--offline, they are drafted from the history alone. Every draft is checked
against the history.

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 with --strict when the notes are
not fully vouched for, 130 interrupted.`

func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// draftNotes reads the release, drafts its notes, checks the draft and writes the
// document. Nothing is written unless all of that was done.
func draftNotes(ctx context.Context, cfg config, stdout io.Writer, ui *ui) error {
	var err error
	if cfg.instructionText, err = readInstructions(cfg); err != nil {
		return err
	}
	doc, hints, err := makeDocument(ctx, cfg, ui)
	if err != nil {
		return err
	}
	return publish(doc, hints, cfg, stdout, ui)
}

// makeDocument reads the release, drafts its notes and checks the draft.
func makeDocument(ctx context.Context, cfg config, ui *ui) (doc notes.Document, hints []string, err error) {
	release, err := openRelease(cfg)
	if err != nil {
		return doc, nil, err
	}
	defer release.Close()
	ui.note(release.fork(cfg))
	github := startGitHub(ctx, cfg, release.forge)
	defer github.close()

	ui.doing("reading the history")
	if err := release.read(ctx, cfg); err != nil {
		return doc, nil, err
	}
	records, err := openRecords(cfg, release.manifest.Release)
	if err != nil {
		return doc, nil, err
	}
	defer func() { err = cmp.Or(err, records.transcript.close()) }()
	if facts, ok := factsOf(ctx, cfg, release, github, records, ui); ok {
		release.enrich(ctx, cfg, facts)
	}

	draft := draftRelease(ctx, cfg, release, github, records, ui)
	if err := ctx.Err(); err != nil {
		return doc, nil, err
	}
	doc = notes.NewDocument(release.manifest, draft.draft)
	notes.Categorize(&doc, release.categories)
	doc.Verification = grounding.Check(draft.draft, release.manifest, release.evidence(ctx))
	doc.Warnings = append(doc.Warnings, append(release.warnings, draft.warnings...)...)
	doc.Usage = draft.usage
	return doc, release.hints, nil
}

// factsOf are what GitHub tells, or told in the run that is replayed.
func factsOf(ctx context.Context, cfg config, release *release, github *github, records records, ui *ui) (facts githubFacts, ok bool) {
	switch {
	case records.replay != nil && records.replay.github != nil:
		return *records.replay.github, true
	case records.replay != nil || !cfg.mcp:
		return githubFacts{}, false
	}
	ui.doing("reading pull requests on GitHub")
	facts = github.read(ctx, cfg, release.manifest)
	records.transcript.write(transcriptLine{GitHub: &facts})
	return facts, true
}

// publish tells what is to be known of a document, and writes it.
func publish(doc notes.Document, hints []string, cfg config, stdout io.Writer, ui *ui) error {
	printed, cut, err := shortened(doc, cfg)
	if err != nil {
		return err
	}
	if cut.Code != "" {
		doc.Warnings = append(doc.Warnings, cut)
	}
	ui.done()
	for _, w := range doc.Warnings {
		ui.warning(w)
	}
	for _, hint := range hints {
		ui.hint(hint)
	}
	if err := updateChangelog(doc, cfg); err != nil {
		return err
	}
	if err := writeDocument(printed, cfg, stdout); err != nil {
		return err
	}
	if cfg.strict && !vouchedFor(doc) {
		return errNotVouched
	}
	return nil
}

// vouchedFor reports whether nothing is missing from the history, every rule
// holds, and the notes were made the way that was asked for.
func vouchedFor(doc notes.Document) bool {
	if !doc.Release.Complete || len(doc.Verification.Findings) > 0 {
		return false
	}
	return !slices.ContainsFunc(doc.Warnings, func(w notes.Warning) bool {
		return w.Code != notes.TagNotReachable && w.Code != notes.NotesCut
	})
}
