package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// A comparison is two commands that are run in turn.
type comparison struct {
	what, against  string
	command, other []string // a command is run in the clone
	dir            string

	mine, theirs []measure
}

// A measure is one run of a command.
type measure struct {
	Seconds float64
	Peak    int64 // bytes of memory, 0 when the system does not tell
}

// run runs both commands once uncounted, then by turns.
func (c *comparison) run(ctx context.Context, runs int) error {
	for i := range runs + 1 {
		mine, err := timed(ctx, c.dir, c.command)
		if err != nil {
			return err
		}
		theirs, err := timed(ctx, c.dir, c.other)
		if err != nil {
			return err
		}
		if i > 0 {
			c.mine, c.theirs = append(c.mine, mine), append(c.theirs, theirs)
		}
	}
	return nil
}

// timed runs a command by way of a small process of this program: on Linux the peak
// memory of a process is never below that of the one that started it.
func timed(ctx context.Context, dir string, command []string) (m measure, err error) {
	self, err := os.Executable()
	if err != nil {
		return m, err
	}
	cmd := exec.CommandContext(ctx, self, append([]string{"-time"}, command...)...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return m, fmt.Errorf("%s: %w: %s", strings.Join(command, " "), err, stderr.Bytes())
	}
	err = json.Unmarshal(out, &m)
	return m, err
}

// printTime runs a command and prints its measure.
func printTime(ctx context.Context, w io.Writer, command []string) error {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stderr = os.Stderr
	start := time.Now()
	if err := cmd.Run(); err != nil {
		return err
	}
	return json.NewEncoder(w).Encode(measure{Seconds: time.Since(start).Seconds(), Peak: peakMemory(cmd.ProcessState)})
}

// String gives the columns of the table. The ratio is the median of those of the
// pairs, which holds when the machine's speed drifts.
func (c *comparison) String() string {
	var ratios []float64
	for i := range c.mine {
		ratios = append(ratios, c.mine[i].Seconds/c.theirs[i].Seconds)
	}
	return fmt.Sprintf("%s | %s | %s | %s | %.2f", c.what, medians(c.mine), c.against, medians(c.theirs), median(ratios))
}

func medians(list []measure) string {
	var seconds, peaks []float64
	for _, m := range list {
		seconds, peaks = append(seconds, m.Seconds), append(peaks, float64(m.Peak)/1e6)
	}
	return fmt.Sprintf("%.3f | %.0f", median(seconds), median(peaks))
}

func median(list []float64) float64 {
	list = slices.Sorted(slices.Values(list))
	n := len(list)
	return (list[(n-1)/2] + list[n/2]) / 2
}
