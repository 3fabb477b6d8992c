package main

import (
	"context"
	"errors"
	"slices"
	"time"

	"release-notes-agent/agent"
	"release-notes-agent/agent/openaimodel"
	"release-notes-agent/notes"
	"release-notes-agent/prompts"
)

// Bounds of one conversation with the model.
const (
	maxRevisions = 2 // times a draft with findings goes back to the model
	maxReminders = 2 // times a model that stops without a draft is asked again
	maxToolCalls = 200
)

// The tools by which a model answers.
const (
	submitTool  = "submit_release_notes"
	arrangeTool = "arrange_release_notes"
)

// drafted is a draft that can be published, and how it came about.
type drafted struct {
	draft    notes.Draft
	warnings []notes.Warning
	usage    notes.Usage
}

// draftRelease drafts the notes with an agent when cfg asks for one, and from the
// history alone otherwise. It never fails: whatever goes wrong with the agent, the
// history takes its place, and a warning says so.
func draftRelease(ctx context.Context, cfg config, r *release, github *github, records records, ui *ui) drafted {
	offline := notes.Offline(r.manifest)
	if !cfg.wantsModel() {
		if !cfg.offline {
			ui.hint("set OPENAI_API_KEY to let a model draft the notes, or pass --offline")
		}
		return drafted{draft: offline}
	}
	if len(r.manifest.Visible()) == 0 {
		return drafted{draft: offline} // there is nothing to put into words
	}
	started := time.Now()
	d, err := newDrafting(ctx, cfg, r, github, records, ui)
	if err != nil {
		return drafted{draft: offline, warnings: []notes.Warning{modelWarning(err, "all entries come from the history")}}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, cfg.timeout, errTimeUp)
	defer cancel()
	out := d.draft(ctx)
	out.usage = d.meter.usage(d.name)
	out.warnings = append(out.warnings, d.replay.warnings()...)
	ui.spent(out.usage, time.Since(started))
	return out
}

// A drafting is what the conversations with the model about one release share.
type drafting struct {
	records
	cfg     config
	release *release
	name    string      // of the model
	model   agent.Model // nil in a replay
	meter   *meter
	system  string       // the same for all, byte for byte, so that servers can keep what they made of it
	tools   []agent.Tool // the same for all, but for the one that takes the draft
	ui      *ui
}

func newDrafting(ctx context.Context, cfg config, r *release, github *github, records records, ui *ui) (*drafting, error) {
	d := &drafting{records: records, cfg: cfg, release: r, name: cfg.model, meter: &meter{limit: cfg.maxTokens}, ui: ui}
	var err error
	if d.system, err = prompts.System(r.background(ctx, cfg)); err != nil {
		return nil, err
	}
	if d.tools, err = historyTools(r); err != nil {
		return nil, err
	}
	if d.replay != nil {
		d.name = d.replay.run.Model
		d.tools = append(d.tools, d.replay.tools(d.tools)...)
		return d, nil
	}
	d.tools = append(d.tools, github.tools(ctx, r.manifest)...) // reading the pull requests has said what is wrong
	d.model, err = openaimodel.New(openaimodel.Options{APIKey: cfg.apiKey, BaseURL: cfg.baseURL, Model: cfg.model, API: openaimodel.API(cfg.api)})
	return d, err
}

// modelOf is the model of one conversation.
func (d *drafting) modelOf(conversation string) agent.Model {
	if d.replay != nil {
		return d.meter.over(d.replay.model(conversation))
	}
	return d.transcript.over(conversation, d.meter.over(d.model))
}

// draft lets the model draft the whole at once, or in batches when it is long.
func (d *drafting) draft(ctx context.Context) drafted {
	m := d.release.manifest
	if len(m.Visible()) > maxTogether {
		return d.draftBatches(ctx)
	}
	d.ui.doing("waiting for the model")
	one := d.write(ctx, "draft", "", m)
	return drafted{draft: one.draft, warnings: warningsOf([]attempt{one})}
}

// converse asks the model in a conversation of that name, in which it may use tools, and
// again when it stops before done says that it has answered by its own.
func (d *drafting) converse(ctx context.Context, name, prompt string, tools []agent.Tool, answer agent.Tool, done func() bool) error {
	a, err := agent.New(agent.Options{
		Model:       d.modelOf(name),
		Name:        "release-notes",
		System:      d.system,
		Tools:       append(slices.Clone(tools), answer),
		WithoutStop: true, // the way to stop is to answer
		Limits:      agent.Limits{Steps: d.cfg.maxSteps, ToolCalls: maxToolCalls},
		Hooks: agent.Hooks{
			OnNewMessage: func(_ context.Context, m agent.Message) error {
				d.ui.message(m)
				d.transcript.message(name, m)
				return nil
			},
		},
	})
	if err != nil {
		return err
	}
	for range 1 + maxReminders {
		result, err := a.Query(ctx, prompt)
		switch {
		case err != nil && errors.Is(context.Cause(ctx), errTimeUp):
			return &budgetError{reason: agent.TimeLimit}
		case err != nil:
			return err
		case result.Reason == agent.StopByTool:
			return nil
		case result.Reason != agent.Done:
			return &budgetError{reason: result.Reason}
		case done():
			return nil // findings were left, and the model gave up on them
		}
		if prompt, err = prompts.Remind(answer.Spec().Name); err != nil {
			return err
		}
	}
	return errNothingSubmitted
}

// errTimeUp ends the conversations when --timeout is over.
var errTimeUp = errors.New("the time for drafting is over")

// errNothingSubmitted is how a conversation ends in which the model never called the
// tool that takes its answer.
var errNothingSubmitted = errors.New("the model ended without submitting a draft")

// budgetError says that a bound of the run was reached.
type budgetError struct{ reason agent.StopReason }

func (e *budgetError) Error() string { return "the agent reached its " + string(e.reason) }

// Hint is the option that sets the bound.
func (e *budgetError) Hint() string {
	switch e.reason {
	case agent.TokenLimit:
		return "--max-tokens N allows more"
	case agent.StepLimit:
		return "--max-steps N allows more"
	case agent.TimeLimit:
		return "--timeout DURATION allows more"
	}
	return ""
}
