package clock

import (
	"sync"
	"time"
)

// Fake is a clock that moves only when told to. It is safe for concurrent use.
type Fake struct {
	mu     sync.Mutex
	now    time.Time
	timers []*fakeTimer
	added  chan struct{}
}

// NewFake returns a manual clock that stands at start.
func NewFake(start time.Time) *Fake {
	return &Fake{now: start, added: make(chan struct{})}
}

// Now returns the time the clock stands at.
func (f *Fake) Now() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now
}

// Set moves the clock to t, also backwards, and fires the timers that are due.
func (f *Fake) Set(t time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now = t
	waiting := f.timers[:0]
	for _, timer := range f.timers {
		if timer.due.After(t) {
			waiting = append(waiting, timer)
			continue
		}
		timer.c <- t
	}
	f.timers = waiting
}

// Advance moves the clock by d.
func (f *Fake) Advance(d time.Duration) { f.Set(f.Now().Add(d)) }

// NewTimer returns a timer that fires when the clock reaches its time.
func (f *Fake) NewTimer(d time.Duration) Timer {
	f.mu.Lock()
	defer f.mu.Unlock()
	timer := &fakeTimer{clock: f, due: f.now.Add(d), c: make(chan time.Time, 1)}
	if d <= 0 {
		timer.c <- f.now
		return timer
	}
	f.timers = append(f.timers, timer)
	close(f.added)
	f.added = make(chan struct{})
	return timer
}

// Waiting returns the number of timers that have not fired, and a channel
// closed when the next one is made: a test waits for the code under test to
// go to sleep before it moves the clock.
func (f *Fake) Waiting() (int, <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.timers), f.added
}

type fakeTimer struct {
	clock *Fake
	due   time.Time
	c     chan time.Time
}

func (t *fakeTimer) C() <-chan time.Time { return t.c }

func (t *fakeTimer) Stop() bool {
	t.clock.mu.Lock()
	defer t.clock.mu.Unlock()
	for i, other := range t.clock.timers {
		if other == t {
			t.clock.timers = append(t.clock.timers[:i], t.clock.timers[i+1:]...)
			return true
		}
	}
	return false
}
