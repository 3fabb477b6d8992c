package mcptoolbox

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"time"
)

const (
	// killGrace is how long the kernel may take to end what was killed.
	killGrace = 2 * time.Second
	// drainGrace is how long the output of a server is read after its end, should
	// somebody keep it open.
	drainGrace = 250 * time.Millisecond
	pollEvery  = 5 * time.Millisecond
)

// A process is a server with everything that it started. One goroutine, supervise,
// sends all signals; none is sent after gone.
type process struct {
	cmd    *exec.Cmd
	opts   CommandOptions
	tree   *tree
	stdin  *os.File
	stdout *os.File
	stderr *tail

	asked, hurried         chan struct{}
	askedOnce, hurriedOnce sync.Once

	exited   chan struct{} // closed when the command itself has ended
	exit     error         // of it; set before exited is closed
	drained  chan struct{} // closed when all output was read
	drainedO sync.Once
	gone     chan struct{} // closed when everything has ended, or was given up
	left     error         // what was given up; set before gone is closed
	unasked  bool          // it ended by itself; set before gone is closed
}

// startProcess starts cmd with pipes.
func startProcess(cmd *exec.Cmd, opts CommandOptions, stderr *tail) (*process, error) {
	p := &process{
		cmd: cmd, opts: opts, stderr: stderr, tree: prepareTree(cmd),
		asked: make(chan struct{}), hurried: make(chan struct{}),
		exited: make(chan struct{}), drained: make(chan struct{}), gone: make(chan struct{}),
	}
	ours, theirs, err := p.openPipes()
	if err != nil {
		return nil, err
	}
	started := make(chan error, 1)
	go p.run(started)
	err = <-started
	closeAll(theirs)
	if err != nil {
		closeAll(ours)
		return nil, err
	}
	stderr.file = ours[2]
	go stderr.read()
	go p.supervise()
	return p, nil
}

// openPipes returns our ends of the standard streams, and theirs.
func (p *process) openPipes() (ours, theirs []*os.File, err error) {
	defer func() {
		if err != nil {
			closeAll(ours)
			closeAll(theirs)
		}
	}()
	for range 3 {
		r, w, err := os.Pipe()
		if err != nil {
			return ours, theirs, err
		}
		if len(ours) == 0 { // standard input
			r, w = w, r
		}
		ours, theirs = append(ours, r), append(theirs, w)
	}
	p.stdin, p.stdout = ours[0], ours[1]
	p.stderr.copyTo = p.cmd.Stderr
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = theirs[0], theirs[1], theirs[2]
	return ours, theirs, nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		_ = f.Close()
	}
}

// run starts the command and waits for it. It keeps to one thread of the system,
// since on Linux a child can only be told to die with the thread that started it.
func (p *process) run(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.cmd.Start()
	if err == nil {
		err = p.tree.started(p.cmd.Process)
	}
	started <- err
	if err == nil {
		p.exit = p.cmd.Wait()
		close(p.exited)
	}
}

// supervise waits until the server ends or is asked to, and ends everything.
func (p *process) supervise() {
	defer close(p.gone)
	select {
	case <-p.exited:
		p.unasked = true
	case <-p.asked:
	}
	go p.stdin.Close() // on Windows it waits for a write that is stuck
	p.wait(p.opts.StdinGrace, p.hasExited)
	if !p.hasExited() || !p.tree.empty() {
		p.tree.terminate()
		p.wait(p.opts.TermGrace, func() bool { return p.hasExited() && p.tree.empty() })
	}
	p.kill()
	p.finishReading()
}

func (p *process) hasExited() bool {
	select {
	case <-p.exited:
		return true
	default:
		return false
	}
}

// wait waits until a condition holds, for a time at most, and not at all when the end
// is hurried.
func (p *process) wait(limit time.Duration, until func() bool) {
	late := time.NewTimer(limit)
	defer late.Stop()
	poll := time.NewTicker(pollEvery)
	defer poll.Stop()
	for !until() {
		select {
		case <-p.hurried:
			return
		case <-late.C:
			return
		case <-poll.C:
		}
	}
}

// kill kills what is left, again and again: what is killed may have started more.
func (p *process) kill() {
	deadline := time.Now().Add(killGrace)
	for {
		none := p.tree.kill()
		if none && p.hasExited() {
			return
		}
		if time.Now().After(deadline) {
			p.left = fmt.Errorf("process %d, or one that it started, does not end", p.cmd.Process.Pid)
			return
		}
		time.Sleep(pollEvery)
	}
}

// finishReading lets the reader come to the end of the output, and closes it.
func (p *process) finishReading() {
	for _, drained := range []<-chan struct{}{p.drained, p.stderr.drained} {
		late := time.NewTimer(drainGrace)
		select {
		case <-drained:
		case <-late.C:
		}
		late.Stop()
	}
	_ = p.stdout.Close()
	_ = p.stderr.file.Close()
}

// outputEnded is called by the reader at the end of the output. It waits for the
// process, which it asks to end: a server without an output is of no use.
func (p *process) outputEnded(err error) error {
	p.drainedO.Do(func() { close(p.drained) })
	p.askToEnd()
	<-p.gone
	if !p.hasExited() {
		return err
	}
	return exitError{p.exit}
}

func (p *process) askToEnd() { p.askedOnce.Do(func() { close(p.asked) }) }

func (p *process) hurry() { p.hurriedOnce.Do(func() { close(p.hurried) }) }
