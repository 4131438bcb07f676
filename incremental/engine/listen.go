package engine

import (
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/incremental/trigger"
)

// Listener is told of the life of queries: QueryStarted before whoever starts a query goes
// on, the rest by the query itself. QueryIdle comes once when a query finds
// nothing to do, and again after its next trigger. A listener must neither wait for a query
// (Stop, Kill, Await, RunTrigger) nor run statements, unless it was added with
// Engine.Listen.
type Listener interface {
	QueryStarted(*Query)
	QueryProgress(*Query, *trigger.Progress)
	QueryIdle(*Query)
	QueryTerminated(*Query, error)
}

// Funcs is a Listener of functions; those that are nil are not called.
type Funcs struct {
	Started    func(*Query)
	Progress   func(*Query, *trigger.Progress)
	Idle       func(*Query)
	Terminated func(*Query, error)
}

// QueryStarted implements Listener.
func (f Funcs) QueryStarted(q *Query) {
	if f.Started != nil {
		f.Started(q)
	}
}

// QueryProgress implements Listener.
func (f Funcs) QueryProgress(q *Query, p *trigger.Progress) {
	if f.Progress != nil {
		f.Progress(q, p)
	}
}

// QueryIdle implements Listener.
func (f Funcs) QueryIdle(q *Query) {
	if f.Idle != nil {
		f.Idle(q)
	}
}

// QueryTerminated implements Listener.
func (f Funcs) QueryTerminated(q *Query, err error) {
	if f.Terminated != nil {
		f.Terminated(q, err)
	}
}

// listenerQueue is how many events wait for a listener that was added with Listen.
const listenerQueue = 1024

// listenerGrace is how long a closing engine waits for listeners to take what is queued.
const listenerGrace = 3 * time.Second

// Listen adds a listener that can do no harm: it is told from a goroutine of its own, in
// order. Events that come while 1,024 of them wait are dropped and counted; panics are
// logged. Only queries that start afterwards, or run, are heard of.
func (e *Engine) Listen(l Listener) *Subscription {
	s := &Subscription{bus: e.bus, listener: l, events: make(chan event, listenerQueue), ended: make(chan struct{})}
	if !e.bus.add(s) {
		close(s.events)
	}
	go s.run()
	return s
}

// Subscription is a listener that was added to an engine.
type Subscription struct {
	bus      *bus
	listener Listener
	events   chan event
	ended    chan struct{}
	dropped  atomic.Int64
}

// Dropped is how many events the listener was too slow for.
func (s *Subscription) Dropped() int64 { return s.dropped.Load() }

// Waiting is how many events wait for the listener.
func (s *Subscription) Waiting() int { return len(s.events) }

// Close takes the listener away. What is queued is still told; Done says when.
func (s *Subscription) Close() { s.bus.remove(s) }

// Done is closed when the listener has been told the last event.
func (s *Subscription) Done() <-chan struct{} { return s.ended }

func (s *Subscription) run() {
	defer close(s.ended)
	for ev := range s.events {
		s.bus.one(s.listener, ev)
	}
}

// event is something that happened to a query.
type event struct {
	kind     eventKind
	query    *Query
	progress *trigger.Progress
	err      error
}

type eventKind uint8

const (
	started eventKind = iota
	progressed
	idle
	terminated
)

// bus tells listeners: the first one at once, the others through their queues.
type bus struct {
	first  Listener
	log    *slog.Logger
	mu     sync.Mutex
	subs   []*Subscription
	closed bool
}

func newBus(first Listener, log *slog.Logger) *bus { return &bus{first: first, log: log} }

func (b *bus) tell(ev event) {
	if b.first != nil {
		b.one(b.first, ev)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, s := range b.subs {
		select {
		case s.events <- ev:
		default:
			s.dropped.Add(1)
		}
	}
}

// one tells one listener; one that panics must take neither the query nor the program
// down with it.
func (b *bus) one(l Listener, ev event) {
	var err error
	defer func() {
		if err != nil {
			b.log.Error("a listener failed", "query", ev.query.Name, "err", err)
		}
	}()
	defer recovered(&err, "listener")
	switch ev.kind {
	case started:
		l.QueryStarted(ev.query)
	case progressed:
		l.QueryProgress(ev.query, ev.progress)
	case idle:
		l.QueryIdle(ev.query)
	case terminated:
		l.QueryTerminated(ev.query, ev.err)
	}
}

func (b *bus) add(s *Subscription) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.closed {
		b.subs = append(b.subs, s)
	}
	return !b.closed
}

func (b *bus) remove(s *Subscription) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if i := slices.Index(b.subs, s); i >= 0 {
		b.subs = slices.Delete(b.subs, i, i+1)
		close(s.events)
	}
}

// close ends the queues, and waits a little until they are empty.
func (b *bus) close() {
	b.mu.Lock()
	subs := b.subs
	b.subs, b.closed = nil, true
	for _, s := range subs {
		close(s.events)
	}
	b.mu.Unlock()
	if len(subs) == 0 {
		return
	}
	grace := clock.Real().NewTimer(listenerGrace)
	defer grace.Stop()
	for _, s := range subs {
		select {
		case <-s.ended:
		case <-grace.C():
			return
		}
	}
}
