// Bench times this program as whole processes beside git log and git-cliff, run by
// run in turn, and prints medians and ratios as a Markdown table.
//
//	go run ./bench [-n RUNS] [CLONE [FROM..TO | TAG]...]...
//
// Each CLONE is a directory; the ranges that follow belong to it. A tag stands for
// the range since its previous release; a clone without ranges is measured at HEAD.
// Without arguments it makes two repositories of its own. What is not on PATH is
// said not to be compared.
//
//	go run ./bench -quality [-transcripts DIR] CLONE [FROM..TO | TAG]...
//
// counts instead what can be counted of the notes: whether citations are right, whether
// every change, and every breaking one, is told once, and what the checks find. With
// transcripts the drafts are those of a model, replayed.
//
// "read" is opening the repository, reading the tags, finding the previous release
// and reading the commits, printed with the fields that git log prints beside it.
// "notes" is the whole program with --offline.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
)

func main() {
	runs := flag.Int("n", 7, "counted runs of each command, after one that is not counted")
	read := flag.Bool("read", false, "print the commits of one range: what is timed as \"read\"")
	clock := flag.Bool("time", false, "run the command that follows, and print its time and memory")
	quality := flag.Bool("quality", false, "count what can be counted of the notes, instead of timing")
	transcripts := flag.String("transcripts", "", "with -quality, replay \"CLONE RANGE.jsonl\" in `DIR`")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var err error
	switch {
	case *read:
		err = printRange(ctx, os.Stdout, flag.Arg(0), flag.Arg(1))
	case *clock:
		err = printTime(ctx, os.Stdout, flag.Args())
	case *quality:
		err = measureQuality(ctx, *transcripts, flag.Args())
	default:
		err = bench(ctx, *runs, flag.Args())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench: error:", err)
		os.Exit(1)
	}
}

// bench measures every range and prints a row for each comparison.
func bench(ctx context.Context, runs int, args []string) error {
	dir, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	program, err := build(ctx, dir)
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if len(args) == 0 {
		if args, err = synthetic(ctx, dir); err != nil {
			return err
		}
	}
	samples, err := samplesOf(ctx, args)
	if err != nil {
		return err
	}
	cliff, _ := exec.LookPath("git-cliff")
	fmt.Printf("%s/%s, %d processors, %s, %s; medians of %d runs\n\n", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version(), gitVersion(ctx), runs)
	if cliff == "" {
		fmt.Print("git-cliff is not on PATH: not compared.\n\n")
	}
	fmt.Println("| clone | range | commits | what | seconds | MB | against | seconds | MB | ratio |")
	fmt.Println("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
	for _, s := range samples {
		for _, c := range s.comparisons(self, program, cliff) {
			if err := c.run(ctx, runs); err != nil {
				return err
			}
			fmt.Printf("| %s | %s | %d | %s |\n", filepath.Base(s.dir), s.name, s.commits, c)
		}
	}
	return nil
}

// build compiles the program that is measured.
func build(ctx context.Context, dir string) (string, error) {
	if _, err := os.Stat("main.go"); err != nil {
		return "", errors.New("run it from the top of the repository: go run ./bench")
	}
	program := filepath.Join(dir, "release-notes-agent")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	out, err := exec.CommandContext(ctx, "go", "build", "-o", program, ".").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go build: %w: %s", err, out)
	}
	return program, nil
}
