package mcptoolbox

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
)

// The bubble of synctest fails when a goroutine is left.

func TestCrewRunsAtOnceWhoeverIsBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const many = 3 * maxIdle
		end, release := make(chan struct{}), make(chan struct{})
		c := newCrew(end)
		var running, ended atomic.Int32
		for range many {
			c.run(func() {
				running.Add(1)
				<-release
				ended.Add(1)
			})
		}
		synctest.Wait()
		if got := running.Load(); got != many {
			t.Errorf("%d of %d run", got, many)
		}
		close(release)
		synctest.Wait()
		if idle := c.idle.Load(); idle != maxIdle || ended.Load() != many {
			t.Errorf("%d wait and %d have ended, want %d and %d", idle, ended.Load(), maxIdle, many)
		}
		close(end)
		synctest.Wait()
		if idle := c.idle.Load(); idle != 0 {
			t.Errorf("%d wait after the end", idle)
		}
	})
}

func TestCrewAfterItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		end := make(chan struct{})
		close(end)
		done := make(chan struct{})
		newCrew(end).run(func() { close(done) })
		<-done
	})
}
