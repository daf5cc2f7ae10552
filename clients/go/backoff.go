package croupier

import (
	"context"
	"math"
	"math/rand/v2"
	"time"
)

// A Backoff says how long to wait before trying again: exponentially longer, with jitter over the whole range, so that a
// thousand bots that lost the same server do not come back at the same moment.
type Backoff struct {
	// Base is the limit after the first failure; 0: 0.1 s.
	Base time.Duration
	// Cap is the limit that is never passed; 0: 10 s.
	Cap time.Duration

	random func() float64                       // from 0 to 1
	sleep  func(context.Context, time.Duration) // until the time or the context is over
}

func (backoff Backoff) withDefaults() Backoff {
	if backoff.Base == 0 {
		backoff.Base = 100 * time.Millisecond
	}
	if backoff.Cap == 0 {
		backoff.Cap = 10 * time.Second
	}
	if backoff.random == nil {
		backoff.random = rand.Float64
	}
	if backoff.sleep == nil {
		backoff.sleep = sleep
	}
	return backoff
}

// delay returns what to wait after so many failures in a row, not counting the newest.
func (backoff Backoff) delay(failures int) time.Duration {
	limit := min(float64(backoff.Cap), float64(backoff.Base)*math.Pow(2, float64(min(failures, 64))))
	return time.Duration(backoff.random() * limit)
}

func sleep(ctx context.Context, duration time.Duration) {
	timer := time.NewTimer(duration)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
