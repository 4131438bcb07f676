package clock

import (
	"testing"
	"time"
)

func fired(t Timer) bool {
	select {
	case <-t.C():
		return true
	default:
		return false
	}
}

func TestFakeTimersFireWhenReached(t *testing.T) {
	start := time.Unix(100, 0)
	f := NewFake(start)
	soon, late, now := f.NewTimer(time.Second), f.NewTimer(time.Minute), f.NewTimer(0)
	if !fired(now) || fired(soon) || fired(late) {
		t.Fatal("only the timer of zero duration is due")
	}
	f.Advance(time.Second)
	if !fired(soon) || fired(late) {
		t.Fatal("after a second only the first timer is due")
	}
	if n, _ := f.Waiting(); n != 1 {
		t.Fatalf("waiting timers = %d, want 1", n)
	}
	if !late.Stop() || late.Stop() || soon.Stop() {
		t.Fatal("Stop must report whether it kept the timer from firing")
	}
	f.Advance(time.Hour)
	if fired(late) {
		t.Fatal("a stopped timer fired")
	}
	if got := f.Now().Sub(start); got != time.Hour+time.Second {
		t.Fatalf("clock moved by %v", got)
	}
}

func TestFakeWaitingSignalsNewTimer(t *testing.T) {
	f := NewFake(time.Unix(0, 0))
	_, added := f.Waiting()
	f.NewTimer(time.Second)
	select {
	case <-added:
	default:
		t.Fatal("making a timer did not close the channel")
	}
}

func TestRealClockMoves(t *testing.T) {
	c := Real()
	before := c.Now()
	<-c.NewTimer(time.Millisecond).C()
	if c.Now().Sub(before) < time.Millisecond {
		t.Fatal("timer fired early")
	}
	if timer := c.NewTimer(time.Hour); !timer.Stop() {
		t.Fatal("Stop reported a timer of an hour as fired")
	}
}
