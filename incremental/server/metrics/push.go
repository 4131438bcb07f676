package metrics

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/sqlstream/sqlstream/exec/clock"
)

// Target takes metrics that are pushed.
type Target interface {
	// Push sends what has been gathered. It is called from one goroutine.
	Push(ctx context.Context, now time.Time, families []Family) error
	// Name is statsd or otlp.
	Name() string
}

// Pusher sends the metrics of a registry at an interval. It is a Source: of its failures.
type Pusher struct {
	registry *Registry
	target   Target
	every    time.Duration
	clock    clock.Clock
	log      *slog.Logger

	mu       sync.Mutex
	failures float64
}

// NewPusher returns a pusher, which Run makes work.
func NewPusher(r *Registry, t Target, every time.Duration, c clock.Clock, log *slog.Logger) *Pusher {
	p := &Pusher{registry: r, target: t, every: every, clock: c, log: log}
	r.Add(p)
	return p
}

// Collect implements Source.
func (p *Pusher) Collect(e *Emitter) {
	p.mu.Lock()
	defer p.mu.Unlock()
	e.Value("sqlstream_push_failures_total", p.failures, p.target.Name())
}

// Run pushes until ctx ends, and then once more. A push that fails is counted; the next
// one carries what it would have.
func (p *Pusher) Run(ctx context.Context) {
	ill := false
	for {
		t := p.clock.NewTimer(p.every)
		select {
		case <-t.C():
		case <-ctx.Done():
			t.Stop()
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
			defer cancel()
			p.push(last) //nolint:errcheck // the program ends
			return
		}
		err := p.push(ctx)
		if err != nil && !ill {
			p.log.Warn("metrics cannot be pushed", "target", p.target.Name(), "err", err)
		}
		ill = err != nil
	}
}

func (p *Pusher) push(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, max(p.every, time.Second))
	defer cancel()
	err := p.target.Push(ctx, p.clock.Now(), p.registry.Gather())
	if err != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.failures++
	}
	return err
}
