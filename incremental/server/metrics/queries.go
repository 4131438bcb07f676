package metrics

import (
	"sync"
	"time"

	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/incremental/engine"
	"github.com/sqlstream/sqlstream/incremental/trigger"
)

// mostQueries bounds how many queries have metrics of their own.
const mostQueries = 1000

// Queries counts what the queries of an engine do. It is an engine.Listener and a Source.
type Queries struct {
	engine *engine.Engine
	clock  clock.Clock

	mu     sync.Mutex
	byName map[string]*tally
}

// NewQueries returns the counters of an engine's queries, which it has yet to listen to.
func NewQueries(e *engine.Engine, c clock.Clock) *Queries {
	return &Queries{engine: e, clock: c, byName: map[string]*tally{}}
}

// tally is what the queries of one name have done, over all their runs in this process.
type tally struct {
	starts, failures  float64
	batches           float64
	rows              trigger.Rows
	duration          *Histogram
	phases            map[string]*Histogram
	sources           map[string]float64
	operators         map[[2]string]*opTally
	sinks             map[string]*sinkTally
	last              *trigger.Progress
	min, max, average float64 // event times; 0 = none yet, or not known
}

type opTally struct{ updated, removed, late float64 }

type sinkTally struct {
	rows    float64
	publish *Histogram
}

// triggerBounds are for whole triggers, phaseBounds for their parts.
func triggerBounds() []float64 {
	return []float64{.001, .002, .005, .01, .02, .05, .1, .2, .5, 1, 2, 5, 10, 30, 60}
}

func phaseBounds() []float64 { return []float64{.001, .005, .02, .1, .5, 2, 10} }

func newTally() *tally {
	return &tally{duration: NewHistogram(triggerBounds()), phases: map[string]*Histogram{}, sources: map[string]float64{},
		operators: map[[2]string]*opTally{}, sinks: map[string]*sinkTally{}}
}

// of is the tally of a name. The lock is held.
func (c *Queries) of(name string) *tally {
	t := c.byName[name]
	if t == nil {
		t = newTally()
		c.byName[name] = t
	}
	return t
}

// QueryStarted implements engine.Listener.
func (c *Queries) QueryStarted(q *engine.Query) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.of(q.Name).starts++
}

// QueryIdle implements engine.Listener.
func (c *Queries) QueryIdle(*engine.Query) {}

// QueryTerminated implements engine.Listener.
func (c *Queries) QueryTerminated(q *engine.Query, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		c.of(q.Name).failures++
	}
}

// QueryProgress implements engine.Listener.
func (c *Queries) QueryProgress(q *engine.Query, p *trigger.Progress) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.of(q.Name).take(q, p)
}

func (t *tally) take(q *engine.Query, p *trigger.Progress) {
	t.last = p
	t.batches++
	addRows(&t.rows, p.Rows)
	for phase, d := range p.Durations {
		if phase == "triggerExecution" {
			t.duration.Observe(d.Seconds())
			continue
		}
		if t.phases[phase] == nil {
			t.phases[phase] = NewHistogram(phaseBounds())
		}
		t.phases[phase].Observe(d.Seconds())
	}
	t.parts(q, p)
	if e := p.EventTime; e != nil && e.Max != "" {
		t.min, t.max, t.average = instant(e.Min), instant(e.Max), instant(e.Avg)
	}
}

func addRows(t *trigger.Rows, r trigger.Rows) {
	t.Input += r.Input
	t.Contributed += r.Contributed
	t.Filtered += r.Filtered
	t.Late += r.Late
	t.Bad += r.Bad
	t.Partial += r.Partial
	t.Errors += r.Errors
}

// parts counts for sources, operators and sinks.
func (t *tally) parts(q *engine.Query, p *trigger.Progress) {
	for _, s := range p.Sources {
		t.sources[s.Name] += float64(s.InputRows)
	}
	for _, o := range p.Operators {
		k := [2]string{o.Operator, o.ID}
		if t.operators[k] == nil {
			t.operators[k] = &opTally{}
		}
		n := t.operators[k]
		n.updated += float64(o.Updated)
		n.removed += float64(o.Removed)
		n.late += float64(o.Late)
	}
	for i, s := range sinksOf(p) {
		name := sinkName(q, i)
		if t.sinks[name] == nil {
			t.sinks[name] = &sinkTally{publish: NewHistogram(phaseBounds())}
		}
		n := t.sinks[name]
		n.rows += float64(max(s.OutputRows, 0))
		n.publish.Observe(s.Published.Seconds())
	}
}

// sinksOf lists the sinks of a record, whatever their number.
func sinksOf(p *trigger.Progress) []trigger.SinkProgress {
	if p.Sinks != nil {
		return p.Sinks
	}
	return []trigger.SinkProgress{p.Sink}
}

func sinkName(q *engine.Query, i int) string {
	if i < len(q.Plan.Outputs) && q.Plan.Outputs[i].Name != "" {
		return q.Plan.Outputs[i].Name
	}
	return "console"
}

// instant is a time of a progress record in seconds.
func instant(text string) float64 {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return 0
	}
	return seconds(t)
}

func seconds(t time.Time) float64 { return float64(t.UnixMicro()) / 1e6 }
