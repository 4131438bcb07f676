package build

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/incremental/stateful"
)

func crewOf(ctx context.Context, n int) *crew {
	g := &Graph{}
	for range n {
		g.workers = append(g.workers, &worker{g: g, trigger: stateful.Trigger{Ctx: &fn.Ctx{}}})
	}
	g.lend(ctx, nil)
	return &crew{ctx: ctx, workers: g.workers}
}

// TestShare does every piece once, each on a worker's own trigger.
func TestShare(t *testing.T) {
	for workers := 2; workers <= 8; workers++ {
		for _, n := range []int{0, 1, 2, 100} {
			c := crewOf(t.Context(), workers)
			if c.Count() != workers {
				t.Fatalf("%d workers, want %d", c.Count(), workers)
			}
			busy := make([]atomic.Bool, workers)
			done := make([]atomic.Int64, n)
			err := c.Share(n, func(t *stateful.Trigger, i int) error {
				if !busy[t.Worker].CompareAndSwap(false, true) || t != &c.workers[t.Worker].trigger {
					return fmt.Errorf("worker %d has two pieces at once, or another's trigger", t.Worker)
				}
				done[i].Add(1)
				t.Ctx.Errors++
				busy[t.Worker].Store(false)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			counted := int64(0)
			for _, w := range c.workers {
				counted += w.trigger.Ctx.Errors
			}
			for i := range done {
				if done[i].Load() != 1 || counted != int64(n) {
					t.Fatalf("piece %d of %d was done %d times, %d pieces in all", i, n, done[i].Load(), counted)
				}
			}
		}
	}
}

// TestShareFails gives the first error in the order of the work, whoever fails first, and
// begins nothing after it; a panic is an error too.
func TestShareFails(t *testing.T) {
	for range 50 {
		late := make(chan struct{})
		begun := atomic.Int64{}
		err := crewOf(t.Context(), 2).Share(100, func(_ *stateful.Trigger, i int) error {
			begun.Add(1)
			switch i {
			case 3:
				<-late
				return errors.New("three")
			case 4:
				close(late)
				panic("four")
			}
			return nil
		})
		if err == nil || err.Error() != "three" {
			t.Fatalf("got %v", err)
		}
		if n := begun.Load(); n > 6 {
			t.Fatalf("%d pieces were begun", n)
		}
	}
	err := crewOf(t.Context(), 3).Share(5, func(*stateful.Trigger, int) error { panic("an invariant") })
	if err == nil || !strings.HasPrefix(err.Error(), "internal error: an invariant") {
		t.Fatalf("got %v", err)
	}
}

func TestShareStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	begun := atomic.Int64{}
	err := crewOf(ctx, 2).Share(100, func(*stateful.Trigger, int) error {
		begun.Add(1)
		cancel()
		return nil
	})
	if !errors.Is(err, context.Canceled) || begun.Load() > 2 {
		t.Fatalf("got %v after %d pieces", err, begun.Load())
	}
}
