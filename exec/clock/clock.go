// Package clock is the only place that reads the wall clock.
//
// Everything else takes a Clock, so that tests decide what time it is. Open
// fake.go for the manual clock. The package is a leaf.
package clock

import "time"

// Clock tells the time and makes timers.
type Clock interface {
	// Now returns the current time. Differences of two readings of a real
	// clock are monotonic.
	Now() time.Time
	// NewTimer returns a timer that fires once, d from now. A non-positive d
	// fires at once.
	NewTimer(d time.Duration) Timer
}

// Timer fires once on its channel.
type Timer interface {
	C() <-chan time.Time
	// Stop keeps the timer from firing; it reports false when it already had.
	Stop() bool
}

// Real returns the clock of the machine.
func Real() Clock { return realClock{} }

type realClock struct{}

func (realClock) Now() time.Time { return time.Now() }

func (realClock) NewTimer(d time.Duration) Timer { return realTimer{time.NewTimer(d)} }

type realTimer struct{ t *time.Timer }

func (r realTimer) C() <-chan time.Time { return r.t.C }
func (r realTimer) Stop() bool          { return r.t.Stop() }
