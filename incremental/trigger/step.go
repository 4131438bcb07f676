package trigger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/incremental/build"
	"github.com/sqlstream/sqlstream/incremental/stateful"
)

const noWatermark = math.MinInt64

// planned is a micro-batch before it is computed: what offsets/N says.
type planned struct {
	id     int64
	now    int64                // trigger time, µs
	ranges map[int]source.Range // by input
	starts []json.RawMessage    // by input: the offset before
	logged bool                 // offsets/N is there already
}

func (q *Query) newPlanned(id, now int64) *planned {
	p := &planned{id: id, now: now, ranges: map[int]source.Range{}}
	for _, in := range q.Inputs {
		p.starts = append(p.starts, in.end)
	}
	return p
}

// Step runs one trigger, if there is anything to do: rows, a timer, or a batch that
// a crash left behind. It returns nil if there was nothing.
//
// A failed trigger leaves the graph half done and its batch in an unknown place, so its
// error is the answer of every later Step: only a new start, which recovers, goes on.
func (q *Query) Step(ctx context.Context) (*Progress, error) {
	if q.failed != nil {
		return nil, q.failed
	}
	p, err := q.step(ctx)
	q.failed = err
	return p, err
}

func (q *Query) step(ctx context.Context) (*Progress, error) {
	tm := startTiming(q.Clock)
	since := q.looked
	q.looked = tm.start
	p, err := q.plan(ctx, tm)
	if err != nil || p == nil {
		return nil, err
	}
	if err := q.at(Planned, p.id); err != nil {
		return nil, err
	}
	if err := q.begin(p, tm); err != nil {
		return nil, err
	}
	if err := q.at(Begun, p.id); err != nil {
		return nil, err
	}
	out, payloads, err := q.compute(ctx, p, tm)
	if err != nil {
		return nil, err
	}
	if err := q.at(Computed, p.id); err != nil {
		return nil, err
	}
	if err := q.finish(ctx, p, out, payloads, tm); err != nil {
		return nil, err
	}
	pr := q.progress(p, out, tm, since)
	q.triggers, q.busy = q.triggers+1, q.busy+pr.Durations["triggerExecution"]
	return pr, nil
}

// plan chooses the micro-batch; nil when there is nothing to do.
func (q *Query) plan(ctx context.Context, tm *timing) (*planned, error) {
	defer tm.span("latestOffset")()
	redo := q.redo
	q.redo = nil
	if redo != nil && !mutant.On("rerun-takes-new-range") {
		return redo, nil
	}
	p := q.newPlanned(q.next, max(q.now, q.Clock.Now().UnixMicro()))
	p.logged = redo != nil
	for i, in := range q.Inputs {
		if in.finished {
			continue
		}
		r, ok, err := in.Source.Plan(ctx, in.limits(), in.upTo)
		if err != nil {
			return nil, in.wrap(err)
		}
		if ok {
			p.ranges[i] = r
		}
	}
	if len(p.ranges) == 0 && !q.due(p.now) {
		return nil, nil
	}
	return p, nil
}

// finite reports whether the input is read once, to its end.
func (in *Input) finite() bool { return in.Scans[0].Plan.Finite }

// limits bound a micro-batch. A finite input has no say in how the query is cut.
func (in *Input) limits() source.Limits {
	if in.finite() {
		return source.Limits{}
	}
	return in.Limits
}

func (in *Input) wrap(err error) error { return source.Named(in.Name, err) }

// due reports whether a trigger without rows would change something: the first one
// of a query that has rows of its own, the end of a finite input, or a timer.
func (q *Query) due(now int64) bool {
	if !q.begun {
		if q.Graph.StartsWithRows() {
			return true
		}
		q.noteStart(now)
	}
	for _, in := range q.Inputs {
		if in.finite() && !in.finished {
			return true
		}
	}
	return q.idleFrees(now) || q.begun && q.Graph.Due(now)
}

// begin logs the micro-batch (asynchronously) and settles who is idle.
func (q *Query) begin(p *planned, tm *timing) error {
	defer tm.span("walCommit")()
	q.noteStart(p.now)
	q.batch = sink.Batch{ID: p.id}
	if q.Journal != nil {
		q.batch.Epoch = q.Journal.epoch()
	}
	if p.logged {
		return nil
	}
	for i, in := range q.Inputs {
		r, ok := p.ranges[i]
		if ok {
			in.arrived = p.now
		}
		if err := in.settleIdle(r, ok, p.now); err != nil {
			return in.wrap(err)
		}
	}
	if q.Journal == nil {
		return nil
	}
	return q.Journal.begin(q, p)
}

// compute runs the graph and stages what the sinks receive.
func (q *Query) compute(ctx context.Context, p *planned, tm *timing) (*build.Outcome, [][]byte, error) {
	defer tm.span("addBatch")()
	inputs, err := q.inputs(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	payloads := make([][]byte, len(q.Outputs))
	q.given = make([]int64, len(q.Outputs))
	emits := make([]func(*vec.Batch) error, len(q.Outputs))
	var out *build.Outcome
	run := func() error {
		out, err = q.Graph.Run(ctx, build.Trigger{BatchID: p.id, Now: p.now, Inputs: inputs, Late: q.Late, Bad: q.Bad,
			Concurrent: q.concurrent(), Emit: func(i int, b *vec.Batch) error { return q.Outputs[i].View.Take(b, emits[i]) }})
		if err != nil {
			return err
		}
		for i, o := range q.Outputs {
			if err := o.View.Flush(emits[i]); err != nil {
				return err
			}
		}
		return nil
	}
	if err := q.stage(ctx, 0, emits, payloads, run); err != nil {
		return nil, nil, err
	}
	if err := q.withinLimit(payloads); err != nil {
		return nil, nil, err
	}
	return out, payloads, q.settleInputs(p)
}

// concurrent tells which outputs take rows from several goroutines.
func (q *Query) concurrent() []bool {
	out := make([]bool, len(q.Outputs))
	for i, o := range q.Outputs {
		out[i] = o.Concurrent && o.View.Passes()
	}
	return out
}

// stage opens the sinks one inside the other, and runs the graph in the innermost.
func (q *Query) stage(ctx context.Context, i int, emits []func(*vec.Batch) error, payloads [][]byte, run func() error) error {
	if i == len(q.Outputs) {
		return run()
	}
	o := q.Outputs[i]
	var inner error // not the sink's
	payload, err := o.Sink.Stage(ctx, q.batch, func(emit func(*vec.Batch) error) error {
		given := &q.given[i]
		emits[i] = func(b *vec.Batch) error {
			atomic.AddInt64(given, int64(b.Rows()))
			return o.wrap(emit(b))
		}
		inner = q.stage(ctx, i+1, emits, payloads, run)
		return inner
	})
	payloads[i] = payload
	var own *sinkError
	switch {
	case errors.As(inner, &own):
		return own
	case inner != nil:
		return inner
	}
	return o.wrap(err)
}

func (q *Query) inputs(ctx context.Context, p *planned) ([]build.Input, error) {
	var out []build.Input
	for i, in := range q.Inputs {
		r, ok := p.ranges[i]
		if !ok {
			continue
		}
		splits, err := in.Source.Splits(ctx, r)
		if err != nil {
			return nil, in.wrap(err)
		}
		for _, s := range in.Scans {
			out = append(out, build.Input{Scan: s, Splits: splits, Last: in.ends(ok)})
		}
	}
	for i, in := range q.Inputs {
		if _, ok := p.ranges[i]; ok || !in.ends(ok) {
			continue
		}
		for _, s := range in.Scans {
			out = append(out, build.Input{Scan: s, Last: true})
		}
	}
	return out, nil
}

// ends reports whether a finite input ends with this batch: there is nothing behind the
// range that the batch takes, or it takes none.
func (in *Input) ends(takes bool) bool {
	return in.finite() && !in.finished && (!takes || in.Source.Finished())
}

// settleInputs moves positions behind the batch.
func (q *Query) settleInputs(p *planned) error {
	for i, in := range q.Inputs {
		r, ok := p.ranges[i]
		if ok {
			in.end = r.Offset
		}
		in.finished = in.finished || in.ends(ok)
	}
	q.begun = true
	q.now = p.now
	q.next = p.id + 1
	q.shown = max(q.shown, q.reached())
	return nil
}

// reached is the minimum of the watermarks of inputs that are neither idle nor ended.
func (q *Query) reached() int64 {
	least, any := int64(math.MaxInt64), false
	for _, in := range q.Inputs {
		for _, s := range in.Scans {
			if s.Plan.Watermark == nil || s.Idle || s.Ended {
				continue
			}
			least, any = min(least, s.Watermark), true
		}
	}
	if !any || least == stateful.NoFrontier {
		return noWatermark
	}
	return least
}

// finish makes the result durable, publishes it and commits the batch: in this order.
func (q *Query) finish(ctx context.Context, p *planned, out *build.Outcome, payloads [][]byte, tm *timing) error {
	steps := []func() error{
		func() error { return q.prepare(p, out, payloads, tm) },
		func() error { return q.publish(ctx, p.id, payloads, tm) },
		func() error { return q.commit(ctx, p, out, tm) },
	}
	switch {
	case mutant.On("sink-before-log"):
		steps[0], steps[1] = steps[1], steps[0]
	case mutant.On("commit-before-publish"):
		steps[1], steps[2] = steps[2], steps[1]
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (q *Query) prepare(p *planned, out *build.Outcome, payloads [][]byte, tm *timing) error {
	defer tm.span("stateCommit")()
	if q.Journal != nil {
		if err := q.Journal.prepare(q, p, out, payloads); err != nil {
			return err
		}
		if err := q.acknowledge(p); err != nil {
			return err
		}
	}
	return q.at(Prepared, p.id)
}

// acknowledge tells the senders of rows that these cannot be lost any more.
func (q *Query) acknowledge(p *planned) error {
	for i, in := range q.Inputs {
		a, ok := in.Source.(source.Acknowledger)
		if r, took := p.ranges[i]; ok && took {
			if err := a.Durable(r); err != nil {
				return in.wrap(err)
			}
		}
	}
	return nil
}

func (q *Query) publish(ctx context.Context, batch int64, payloads [][]byte, tm *timing) error {
	defer tm.span("publish")()
	if err := q.give(ctx, payloads); err != nil {
		return err
	}
	if q.Published != nil {
		if err := q.Published(); err != nil {
			return err
		}
	}
	return q.at(Published, batch)
}

// give publishes the payloads of q.batch, one for each output.
func (q *Query) give(ctx context.Context, payloads [][]byte) error {
	q.took = make([]time.Duration, len(q.Outputs))
	for i, o := range q.Outputs {
		from := q.Clock.Now()
		if err := o.Sink.Publish(ctx, q.batch, payloads[i]); err != nil {
			return o.wrap(fmt.Errorf("%w (batch %d)", err, q.batch.ID))
		}
		q.took[i] = q.Clock.Now().Sub(from)
	}
	return nil
}

func (q *Query) commit(ctx context.Context, p *planned, out *build.Outcome, tm *timing) error {
	defer tm.span("commitOffsets")()
	if q.Journal != nil {
		if err := q.Journal.commit(p.id, q.commitLine(p, out, nil)); err != nil {
			return err
		}
	} else if err := q.acknowledge(p); err != nil {
		return err
	}
	for i, in := range q.Inputs {
		if r, ok := p.ranges[i]; ok {
			if err := in.Source.Committed(ctx, r); err != nil {
				return in.wrap(err)
			}
		}
	}
	return q.at(Committed, p.id)
}
