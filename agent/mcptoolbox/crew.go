package mcptoolbox

import "sync/atomic"

// maxIdle is how many goroutines of a crew may wait for more to do: as many as an
// agent calls tools side by side.
const maxIdle = 8

// A crew runs functions beside their callers. Some of its goroutines stay, since the
// stack of a new one has to grow to the depth of the SDK's calls, which takes a tenth
// of the time of a call in memory.
type crew struct {
	jobs chan func()
	idle atomic.Int32
	end  <-chan struct{} // sends everyone home
}

func newCrew(end <-chan struct{}) *crew { return &crew{jobs: make(chan func()), end: end} }

// run runs f at once, whoever else is busy.
func (c *crew) run(f func()) {
	select {
	case c.jobs <- f:
	default:
		go c.work(f)
	}
}

func (c *crew) work(f func()) {
	for f != nil {
		f()
		f = c.next()
	}
}

// next waits for more to do. It returns nil to who is not needed any more.
func (c *crew) next() func() {
	defer c.idle.Add(-1)
	if c.idle.Add(1) > maxIdle {
		return nil
	}
	select {
	case f := <-c.jobs:
		return f
	case <-c.end:
		return nil
	}
}
