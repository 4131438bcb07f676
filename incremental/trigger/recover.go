package trigger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/storage/checkpoint"
)

// recover brings the query to where its checkpoint left it: it undoes a result whose
// range was lost, loads the state, publishes again what may not have been published, and
// notes a range that must be run again.
func (q *Query) recover(ctx context.Context) error {
	j := q.Journal
	if err := q.openLogs(); err != nil {
		return err
	}
	prepared := checkpoint.NoBatch
	if n, ok := j.State.Last(); ok {
		prepared = n
	}
	r, err := j.Dir.Plan(prepared)
	if err != nil {
		return err
	}
	if err := q.at(Opened, r.Next); err != nil {
		return err
	}
	if r.Discard != checkpoint.NoBatch {
		if err := j.State.Discard(r.Discard); err != nil {
			return err
		}
		prepared = r.Discard - 1
	}
	q.next = r.Next
	if err := q.checkSinks(ctx, prepared, r.Republish == checkpoint.NoBatch); err != nil {
		return err
	}
	if err := q.restore(prepared, r.Rerun); err != nil {
		return err
	}
	if r.Republish != checkpoint.NoBatch {
		if err := q.republish(ctx, r); err != nil {
			return err
		}
	}
	if err := q.discardStaged(ctx, prepared+1); err != nil {
		return err
	}
	q.tellLost()
	return q.at(Recovered, q.next)
}

// tellLost warns of rows that a source cannot give any more.
func (q *Query) tellLost() {
	for _, in := range q.Inputs {
		l, ok := in.Source.(source.Lossy)
		if !ok || q.Log == nil {
			continue
		}
		for _, x := range l.Losses() {
			q.Log.Warn("rows may be lost: "+x.Reason, "query", q.Name, "source", in.Name, "from", x.From, "to", x.To)
		}
	}
}

func (q *Query) openLogs() error {
	for _, in := range q.Inputs {
		opt := checkpoint.SourceOptions{Transient: in.Transient}
		if k, ok := in.Source.(source.Keeper); ok {
			opt.Keep = func(_ int64, line []byte) bool { return k.Keep(line) }
		}
		l, err := q.Journal.Dir.Source(in.Name, opt)
		if err != nil {
			return err
		}
		q.Journal.logs = append(q.Journal.logs, l)
	}
	return nil
}

// restore loads operators, times and positions as of the last logged result, and the
// range to run again, if there is one.
func (q *Query) restore(prepared, rerun int64) error {
	if prepared == checkpoint.NoBatch && rerun == checkpoint.NoBatch {
		return nil
	}
	for _, op := range q.Graph.Ops {
		if prepared == checkpoint.NoBatch {
			break
		}
		if mutant.On("state-not-loaded") {
			break
		}
		if err := q.Journal.State.Load(op.ID, op.Load); err != nil {
			return fmt.Errorf("operator %s: %w", op.ID, err)
		}
	}
	if err := q.restoreTimes(prepared); err != nil {
		return err
	}
	if err := q.restoreSources(prepared); err != nil {
		return err
	}
	if rerun != checkpoint.NoBatch {
		if err := q.restoreRange(rerun); err != nil {
			return err
		}
	}
	return q.Graph.Resume(q.now, q.begun)
}

// restoreTimes reads the watermarks after the last logged batch.
func (q *Query) restoreTimes(prepared int64) error {
	if prepared == checkpoint.NoBatch {
		return nil
	}
	c, err := q.Journal.logged(prepared)
	if err != nil {
		return err
	}
	if !mutant.On("watermark-not-restored") {
		q.setScans(c.Scans)
	}
	q.Graph.SetFronts(c.Fronts)
	q.now, q.begun = c.Now, true
	if c.Shown != nil {
		q.shown = *c.Shown
	}
	return nil
}

// restoreSources gives each source what earlier batches took from it. An input that has
// ended is not read again, and may not even be there any more.
func (q *Query) restoreSources(prepared int64) error {
	if prepared == checkpoint.NoBatch {
		return nil
	}
	line, err := offsetsAt(q.Journal.Dir, prepared)
	if err != nil {
		return err
	}
	for i, in := range q.Inputs {
		if in.finished {
			in.end = line.Sources[in.Name]
			continue
		}
		if mutant.On("sources-not-restored") {
			continue
		}
		if err := in.restoreLog(q.Journal.logs[i], prepared); err != nil {
			return err
		}
		if err := in.restoreEnd(line.Sources[in.Name]); err != nil {
			return err
		}
	}
	return nil
}

// restoreLog replays the entries of the batches up to last, batch by batch.
func (in *Input) restoreLog(l *checkpoint.SourceLog, last int64) error {
	var r source.Range
	current := checkpoint.NoBatch
	flush := func() error {
		if len(r.Entries) == 0 {
			return nil
		}
		err := in.Source.Restore(r)
		r = source.Range{}
		return in.wrapIf(err)
	}
	err := l.Entries(func(batch int64, line []byte) error {
		if batch > last {
			return nil
		}
		if batch != current {
			if err := flush(); err != nil {
				return err
			}
			current = batch
		}
		r.Entries = append(r.Entries, append(json.RawMessage(nil), line...))
		return nil
	})
	if err != nil {
		return err
	}
	return flush()
}

func (in *Input) wrapIf(err error) error {
	if err == nil {
		return nil
	}
	return in.wrap(err)
}

// restoreEnd sets the position after the last batch.
func (in *Input) restoreEnd(offset json.RawMessage) error {
	if len(offset) == 0 || string(offset) == "null" {
		return nil
	}
	in.end = offset
	return in.wrapIf(in.Source.Restore(source.Range{Offset: offset}))
}

// offsetsAt reads offsets/n.
func offsetsAt(c *checkpoint.Checkpoint, n int64) (offsetsLine, error) {
	var o offsetsLine
	lines, err := c.Offsets(n)
	if err != nil {
		return o, err
	}
	if len(lines) != 1 {
		return o, fmt.Errorf("offset log batch %d: %d lines where one is expected", n, len(lines))
	}
	if err := json.Unmarshal(lines[0], &o); err != nil {
		return o, fmt.Errorf("offset log batch %d: %w", n, err)
	}
	return o, nil
}

// restoreRange notes batch n as the next to run, over exactly the range that
// offsets/n has, at the same time and with the same idle inputs.
func (q *Query) restoreRange(n int64) error {
	line, err := offsetsAt(q.Journal.Dir, n)
	if err != nil {
		return err
	}
	q.setScans(line.Scans)
	p := q.newPlanned(n, line.Now)
	if mutant.On("trigger-time-not-restored") {
		p.now = q.Clock.Now().UnixMicro()
	}
	p.logged = true
	for i, in := range q.Inputs {
		if !slices.Contains(line.Took, in.Name) {
			continue
		}
		lines, err := q.Journal.logs[i].Batch(n)
		if err != nil {
			return err
		}
		r := source.Range{Offset: line.Sources[in.Name]}
		for _, l := range lines {
			r.Entries = append(r.Entries, append(json.RawMessage(nil), l...))
		}
		p.ranges[i] = r
		if mutant.On("rerun-takes-new-range") {
			continue
		}
		if err := in.wrapIf(in.Source.Restore(r)); err != nil {
			return err
		}
	}
	q.redo, q.next = p, n
	return nil
}

// republish gives the sinks the logged payload of the last batch, which they may not
// hold, and writes the commits that are missing up to it.
func (q *Query) republish(ctx context.Context, r checkpoint.Recovery) error {
	n := r.Republish
	p, err := q.Journal.State.Prepared(n)
	if err != nil {
		return err
	}
	payloads, err := splitPayloads(p.Payload, len(q.Outputs))
	if err != nil {
		return fmt.Errorf("state log batch %d: %w", n, err)
	}
	q.batch.ID, q.batch.Epoch = n, q.Journal.epoch()
	if !mutant.On("no-republish") {
		if err := q.give(ctx, payloads); err != nil {
			return err
		}
	}
	first := n
	if r.Recommit != checkpoint.NoBatch {
		first = r.Recommit
	}
	for ; first <= n; first++ {
		if err := q.Journal.recommit(first); err != nil {
			return err
		}
	}
	return nil
}

// discardStaged removes what was staged and never logged.
func (q *Query) discardStaged(ctx context.Context, from int64) error {
	q.batch.ID, q.batch.Epoch = from, q.Journal.epoch()
	if mutant.On("staged-is-kept") {
		return nil
	}
	for _, o := range q.Outputs {
		if err := o.Sink.Discard(ctx, q.batch); err != nil {
			return o.wrap(err)
		}
	}
	return nil
}

// checkSinks applies the marker rule: a sink holds the last logged batch, or, while that
// is not committed, the one before it (then it is published again). Anything else
// belongs to another checkpoint, and is never written to.
func (q *Query) checkSinks(ctx context.Context, prepared int64, committed bool) error {
	least := prepared - 1
	if committed {
		least = prepared
	}
	for _, o := range q.Outputs {
		m, err := o.Sink.Marker(ctx)
		if err != nil {
			return o.wrap(err)
		}
		if !o.Marks || o.Adopt || mutant.On("no-marker-rule") {
			continue
		}
		if err := checkMarker(m.OK, m.ID, least, prepared); err != nil {
			return o.wrap(&RefusedError{err})
		}
		if m.OK && q.Journal != nil {
			if err := q.checkDigest(o, m.Digest, m.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

// RefusedError says that a sink and a checkpoint do not belong together. Trying again does
// not help.
type RefusedError struct{ Err error }

func (e *RefusedError) Error() string { return e.Err.Error() }

// Unwrap gives the cause.
func (e *RefusedError) Unwrap() error { return e.Err }

func refused(format string, args ...any) error { return &RefusedError{fmt.Errorf(format, args...)} }

// checkMarker: the sink must be at a batch from least to prepared.
func checkMarker(ok bool, id, least, prepared int64) error {
	switch {
	case !ok && least < 0:
		return nil
	case !ok:
		return fmt.Errorf("it holds nothing, but the checkpoint is at batch %d; it is not the sink of this checkpoint, or was emptied: give the query a new checkpoint, or set adopt_sink = true to go on after batch %d", prepared, prepared)
	case id > prepared:
		return fmt.Errorf("it holds batch %d, but the checkpoint is at batch %d: the checkpoint is older than the sink; restore the newer checkpoint, or choose another sink", id, prepared)
	case id < least:
		return fmt.Errorf("it holds batch %d only, but the checkpoint is at batch %d: batches are missing from the sink; restore it, or set adopt_sink = true to go on after batch %d", id, prepared, prepared)
	}
	return nil
}

// checkDigest compares what the sink says of its last batch with what was logged.
func (q *Query) checkDigest(o *Output, digest string, n int64) error {
	if digest == "" || n == checkpoint.NoBatch {
		return nil
	}
	c, err := q.Journal.logged(n)
	if errors.Is(err, checkpoint.ErrMissing) {
		return nil // the log is shorter than that
	}
	if err != nil {
		return err
	}
	for i, x := range q.Outputs {
		if x == o && i < len(c.Digests) && c.Digests[i] != digest {
			return o.wrap(refused("it holds another result of batch %d than this checkpoint logged: an older copy of the checkpoint was restored, or another query wrote it; "+
				"use the checkpoint that wrote it, or set adopt_sink = true to go on after its last batch", n))
		}
	}
	return nil
}
