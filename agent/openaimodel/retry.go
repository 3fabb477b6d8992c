package openaimodel

import (
	"context"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Waits between requests when the server names none: the first, and the longest.
const (
	firstWait   = 500 * time.Millisecond
	longestWait = 8 * time.Second
)

// retryIn says whether to ask again after e, and how long to wait before. There is
// no point in waiting past the end of ctx.
func (o Options) retryIn(ctx context.Context, e *Error, retries int) (time.Duration, bool) {
	if !e.passing || retries >= o.MaxRetries || e.RetryAfter > o.MaxRetryWait {
		return 0, false
	}
	wait := e.RetryAfter
	if wait > 0 {
		wait += rand.N(wait/10 + time.Millisecond) // those told the same come back one by one
	} else {
		wait = min(firstWait<<min(retries, 10), longestWait, o.MaxRetryWait)
		wait = wait/2 + rand.N(wait/2+1)
	}
	deadline, ok := ctx.Deadline()
	return wait, !ok || time.Until(deadline) > wait
}

// sleep waits for d, or for the end of ctx, whose error it returns.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// retryAfter reads how long the server asks to wait: Retry-After of RFC 9110
// (seconds or a date) and the finer retry-after-ms of OpenAI. 0 when it asks for
// nothing that can be understood.
func retryAfter(h http.Header) time.Duration {
	if d, ok := number(h.Get("Retry-After-Ms"), time.Millisecond); ok {
		return d
	}
	value := strings.TrimSpace(h.Get("Retry-After"))
	if d, ok := number(value, time.Second); ok {
		return d
	}
	date, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	now, err := http.ParseTime(h.Get("Date")) // the clock that the date was read from
	if err != nil {
		now = time.Now()
	}
	return max(0, date.Sub(now))
}

// number reads a number of units, fractions allowed, up to a day.
func number(s string, unit time.Duration) (time.Duration, bool) {
	n, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || !(n >= 0) {
		return 0, false
	}
	const longest = 24 * time.Hour
	if n >= float64(longest/unit) {
		return longest, true
	}
	return time.Duration(n * float64(unit)), true
}
