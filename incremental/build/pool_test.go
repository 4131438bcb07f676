package build

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/clock"
)

// take gets a seat without waiting.
func take(t *testing.T, p *Pool) *seat {
	t.Helper()
	s, err := p.enter(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// queued waits until so many triggers wait.
func queued(t *testing.T, p *Pool, n int) {
	t.Helper()
	limit := time.NewTimer(10 * time.Second)
	defer limit.Stop()
	for {
		p.mu.Lock()
		got := len(p.waiting)
		p.mu.Unlock()
		if got == n {
			return
		}
		select {
		case <-limit.C:
			t.Fatalf("%d wait, want %d", got, n)
		default:
		}
	}
}

// Many triggers compute, never more at once than there are seats, and each has its turn.
func TestPoolBoundsTheWork(t *testing.T) {
	p := NewPool(3, clock.NewFake(time.Unix(0, 0)))
	var now, most, done atomic.Int64
	count := func(d int64) {
		if n := now.Add(d); n > most.Load() {
			most.Store(n)
		}
	}
	var wg sync.WaitGroup
	for range 200 {
		wg.Go(func() {
			for range 20 {
				s := take(t, p)
				n := s.help(2)
				count(int64(1 + n))
				count(-int64(1 + n))
				s.dismiss(n)
				s.leave()
				done.Add(1)
			}
		})
	}
	wg.Wait()
	if most.Load() > 3 || done.Load() != 4000 || p.free != 3 || len(p.seats) != 0 {
		t.Errorf("%d at once, %d triggers, %d seats free of 3", most.Load(), done.Load(), p.free)
	}
}

// Who is alone has all workers; who came first is first, and nobody has helpers meanwhile.
func TestPoolIsFair(t *testing.T) {
	p := NewPool(2, clock.NewFake(time.Unix(0, 0)))
	a := take(t, p)
	if n := a.help(5); n != 1 {
		t.Errorf("%d helpers, want 1", n)
	}
	var mu sync.Mutex
	var order []int
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() {
			s := take(t, p)
			mu.Lock()
			order = append(order, i)
			mu.Unlock()
			s.leave()
		})
		queued(t, p, i+1)
	}
	a.dismiss(1) // a waiting trigger gets the seat of the helper
	wg.Wait()
	if len(order) != 3 || order[0] != 0 || order[1] != 1 || order[2] != 2 {
		t.Errorf("order %v", order)
	}
	if n := a.help(5); n != 1 {
		t.Errorf("%d helpers, want 1", n)
	}
	a.dismiss(1)
	a.leave()
	var none *Pool
	s, _ := none.enter(context.Background())
	if n := s.help(7); n != 7 {
		t.Errorf("%d helpers without a pool", n)
	}
	s.beat()
	s.dismiss(7)
	s.leave()
}

// Who waits for a network in its seat does not keep the others from theirs.
func TestPoolGoesOnBesideAStalledTrigger(t *testing.T) {
	clk := clock.NewFake(time.Unix(0, 0))
	p := NewPool(1, clk)
	stuck := take(t, p)
	got := make(chan *seat)
	go func() { got <- take(t, p) }()
	var s *seat
	for s == nil {
		n, made := clk.Waiting()
		if n > 0 {
			clk.Advance(patience)
		}
		select {
		case s = <-got:
		case <-made:
		}
	}
	stuck.beat() // it has come back: there is one too many for a while
	if p.free != -1 {
		t.Errorf("%d free", p.free)
	}
	s.leave()
	stuck.leave()
	if p.free != 1 {
		t.Errorf("%d free at the end", p.free)
	}
	// One that is at work is never taken for one.
	busy := take(t, p)
	ctx, cancel := context.WithCancel(context.Background())
	end := make(chan error)
	go func() {
		_, err := p.enter(ctx)
		end <- err
	}()
	for range 5 {
		queued(t, p, 1)
		asleep(clk)
		busy.beat()
		clk.Advance(patience)
	}
	cancel()
	if err := <-end; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	busy.leave()
	if p.free != 1 || len(p.waiting) != 0 {
		t.Errorf("%d free, %d wait", p.free, len(p.waiting))
	}
}

// asleep waits until somebody sleeps on the clock.
func asleep(clk *clock.Fake) {
	for {
		n, made := clk.Waiting()
		if n > 0 {
			return
		}
		<-made
	}
}
