package clock

import (
	"context"
	"testing"
	"time"
)

// advance moves the clock by d as soon as somebody waits on it.
func advance(f *Fake, d time.Duration) {
	for {
		n, added := f.Waiting()
		if n > 0 {
			f.Advance(d)
			return
		}
		<-added
	}
}

func TestBackoffDoublesUpToItsLimits(t *testing.T) {
	f := NewFake(time.Unix(0, 0))
	b := Backoff{Clock: f, First: time.Second, Most: 3 * time.Second, Limit: 10 * time.Second}
	for _, want := range []time.Duration{1, 2, 3, 3} {
		go advance(f, want*time.Second)
		if again, err := b.Wait(context.Background(), 0); !again || err != nil {
			t.Fatalf("after %v: %v %v", f.Now(), again, err)
		}
	}
	if again, err := b.Wait(context.Background(), 0); again || err != nil {
		t.Errorf("an attempt after 12 s: %v %v", again, err)
	}
}

func TestBackoffWaitsAsLongAsAsked(t *testing.T) {
	f := NewFake(time.Unix(0, 0))
	b := Backoff{Clock: f, First: time.Second, Limit: time.Minute}
	go advance(f, 20*time.Second)
	if again, err := b.Wait(context.Background(), 20*time.Second); !again || err != nil {
		t.Fatal(again, err)
	}
	if again, _ := b.Wait(context.Background(), time.Hour); again {
		t.Error("waited for an hour with a limit of a minute")
	}
}

func TestBackoffEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	b := Backoff{Clock: NewFake(time.Unix(0, 0)), First: time.Second}
	if _, err := b.Wait(ctx, 0); err != context.Canceled {
		t.Error(err)
	}
}
