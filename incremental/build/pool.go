package build

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sqlstream/sqlstream/exec/clock"
)

// Pool bounds how many goroutines of all graphs of a process compute at the same time. A
// trigger takes a seat, in the order in which triggers ask for one, and works in it on its
// own goroutine; it has helpers only while nobody waits for a seat. So with many queries
// each computes with one worker, and as many at once as there are cores; one alone has all
// of them.
//
// Who waits for a network or a disk in its seat must not keep the others from theirs: a
// trigger that has given no sign of life for a while is not counted until it does. A nil
// Pool bounds nothing.
type Pool struct {
	clock   clock.Clock
	mu      sync.Mutex
	free    int             // seats that nobody has; below 0 when stalled triggers have come back
	waiting []chan struct{} // in order; closed when the seat is given
	seats   []*seat
	looked  time.Time // when stalled triggers were looked for
}

// patience is how long a trigger may show no sign of life before its seat is given away.
const patience = 100 * time.Millisecond

// NewPool returns a pool of so many seats.
func NewPool(size int, c clock.Clock) *Pool { return &Pool{clock: c, free: max(size, 1)} }

// seat is the right to compute. A nil seat is that of a graph without a pool.
type seat struct {
	pool    *Pool
	beats   atomic.Int64
	seen    int64 // beats when they were looked at
	helpers int
	stalled atomic.Bool
}

// enter waits for a seat.
func (p *Pool) enter(ctx context.Context) (*seat, error) {
	if p == nil {
		return nil, nil
	}
	p.mu.Lock()
	if p.free > 0 && len(p.waiting) == 0 {
		p.free--
		s := p.sit()
		p.mu.Unlock()
		return s, nil
	}
	turn := make(chan struct{})
	p.waiting = append(p.waiting, turn)
	p.mu.Unlock()
	return p.wait(ctx, turn)
}

func (p *Pool) wait(ctx context.Context, turn chan struct{}) (*seat, error) {
	for {
		t := p.clock.NewTimer(patience)
		select {
		case <-turn:
			t.Stop()
			p.mu.Lock()
			defer p.mu.Unlock()
			return p.sit(), nil
		case <-t.C():
			p.relieve()
		case <-ctx.Done():
			t.Stop()
			p.giveUp(turn)
			return nil, ctx.Err()
		}
	}
}

// sit makes a seat; the caller holds the lock.
func (p *Pool) sit() *seat {
	s := &seat{pool: p, seen: -1}
	p.seats = append(p.seats, s)
	return s
}

// giveUp takes a trigger out of the queue; a seat that it was given meanwhile goes on.
func (p *Pool) giveUp(turn chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.Index(p.waiting, turn); i >= 0 {
		p.waiting = slices.Delete(p.waiting, i, i+1)
		return
	}
	p.free++
	p.admit()
}

// admit gives free seats to those who wait longest; the caller holds the lock.
func (p *Pool) admit() {
	for p.free > 0 && len(p.waiting) > 0 {
		p.free--
		close(p.waiting[0])
		p.waiting = p.waiting[1:]
	}
}

// relieve looks for triggers without a sign of life since it was called last, and gives
// their seats to others.
func (p *Pool) relieve() {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.clock.Now()
	if now.Sub(p.looked) < patience {
		return
	}
	p.looked = now
	for _, s := range p.seats {
		beats := s.beats.Load()
		if !s.stalled.Load() && s.seen == beats {
			s.stalled.Store(true)
			p.free += 1 + s.helpers
		}
		s.seen = beats
	}
	p.admit()
}

// beat is a sign of life, and lets others have the core: readers of views and servers of
// metrics need it for a moment, and would wait for the end of a time slice. A trigger that had lost its seat has one again, though there may
// be one too many for a while.
func (s *seat) beat() {
	if s == nil {
		return
	}
	s.beats.Add(1)
	runtime.Gosched()
	if !s.stalled.Load() {
		return
	}
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	if s.stalled.CompareAndSwap(true, false) {
		s.pool.free -= 1 + s.helpers
	}
}

// leave gives the seat back.
func (s *seat) leave() {
	if s == nil {
		return
	}
	s.beat()
	p := s.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seats = slices.DeleteFunc(p.seats, func(x *seat) bool { return x == s })
	if !s.stalled.Load() {
		p.free++
	}
	p.admit()
}

// help takes up to n helpers, as many as there are free seats that nobody waits for. They
// must be dismissed. The graph's own goroutine calls it.
func (s *seat) help(n int) int {
	if s == nil {
		return n
	}
	s.beat()
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	n = max(min(n, s.pool.free), 0)
	if len(s.pool.waiting) > 0 {
		n = 0
	}
	s.pool.free -= n
	s.helpers += n
	return n
}

// dismiss gives the seats of n helpers back.
func (s *seat) dismiss(n int) {
	if s == nil || n == 0 {
		return
	}
	s.beat()
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	s.helpers -= n
	if !s.stalled.Load() {
		s.pool.free += n
	}
	s.pool.admit()
}
