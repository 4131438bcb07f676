package trigger

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/incremental/build"
	"github.com/sqlstream/sqlstream/storage/checkpoint"
	"github.com/sqlstream/sqlstream/storage/fault"
	"github.com/sqlstream/sqlstream/storage/state"
)

// Journal is the checkpoint of a query: the visible logs and the state log. A batch N
// goes through it in this order, and no other:
//
//  1. begin: what N takes from its sources, then offsets/N, on the way to the disk;
//  2. the graph computes N, the sinks stage its output durably;
//  3. prepare: state changes and payloads of N in one record, one fdatasync; then
//     wait for offsets/N. From here on N is never computed again;
//  4. the sinks publish N;
//  5. commit: commits/N, durable together with the work of N+1.
//
// A crash before 3 re-runs the range of offsets/N, or, if that did not survive,
// gives N another range; a crash after 3 publishes the logged payload again.
type Journal struct {
	Dir   *checkpoint.Checkpoint
	State *state.Store

	logs     []*checkpoint.SourceLog // by input
	writers  []state.SectionWriter   // by operator
	offsets  *checkpoint.Pending
	sections []state.Section
}

// offsetsLine is the content of offsets/N.
type offsetsLine struct {
	WatermarkMs int64                      `json:"batchWatermarkMs"`
	TimestampMs int64                      `json:"batchTimestampMs"`
	Now         int64                      `json:"triggerTimeUs"`
	Sources     map[string]json.RawMessage `json:"sources"` // end of the range, by source
	Took        []string                   `json:"took"`    // sources that have rows in this batch
	Scans       map[string]scanLine        `json:"scans"`   // before the batch
}

// scanLine is the time of one scan: its watermark (absent before the first row) and
// whether it is idle.
type scanLine struct {
	Watermark *int64 `json:"watermarkUs,omitempty"`
	Idle      bool   `json:"idle,omitempty"`
	Arrived   int64  `json:"arrivedUs,omitempty"`
	Ended     bool   `json:"ended,omitempty"`
	// Partitions are those of the source that have watermarks of their own, by name.
	Partitions map[string]scanLine `json:"partitions,omitempty"`
}

// commitLine is the content of commits/N and, with the rest, the metadata of
// PREPARED(N).
type commitLine struct {
	NextWatermarkMs int64               `json:"nextBatchWatermarkMs"`
	Rows            Rows                `json:"rows"`
	Scans           map[string]scanLine `json:"scans"` // after the batch
	Now             int64               `json:"triggerTimeUs"`
	Shown           *int64              `json:"watermarkUs,omitempty"`
	Digests         []string            `json:"digests,omitempty"` // of the payloads, by output
	Fronts          map[string][]int64  `json:"fronts,omitempty"`  // see build.Graph.Fronts
}

func (j *Journal) epoch() int64 {
	if mutant.On("epoch-not-raised") {
		return 1
	}
	return int64(j.Dir.Epoch())
}

// close releases the lock last: until then nobody else may touch the files.
func (j *Journal) close() error {
	first := j.Dir.Sync()
	for _, err := range []error{j.State.Close(), j.Dir.Close()} {
		if first == nil {
			first = err
		}
	}
	return first
}

// sync makes everything durable: when the query is idle.
func (j *Journal) sync() error { return j.Dir.Sync() }

// begin starts to write offsets/N and what N takes.
func (j *Journal) begin(q *Query, p *planned) error {
	line := offsetsLine{WatermarkMs: millis(q.shown), TimestampMs: p.now / 1000, Now: p.now,
		Sources: map[string]json.RawMessage{}, Took: []string{}, Scans: q.scanLines()}
	var taken []checkpoint.Taken
	for i, in := range q.Inputs {
		r, ok := p.ranges[i]
		if !ok {
			line.Sources[in.Name] = orNull(in.end)
			continue
		}
		line.Sources[in.Name] = r.Offset
		line.Took = append(line.Took, in.Name)
		if mutant.On("entries-not-logged") {
			continue
		}
		taken = append(taken, checkpoint.Taken{Source: j.logs[i], Lines: entryLines(r)})
	}
	text, err := json.Marshal(line)
	if err != nil {
		return err
	}
	j.offsets = j.Dir.WriteOffsets(p.id, [][]byte{text}, taken...)
	return nil
}

func entryLines(r source.Range) [][]byte {
	out := make([][]byte, len(r.Entries))
	for i, e := range r.Entries {
		out[i] = e
	}
	return out
}

// scanLines describes the scans as they are now.
func (q *Query) scanLines() map[string]scanLine {
	out := map[string]scanLine{}
	for i, in := range q.Inputs {
		for _, s := range in.Scans {
			l := scanLine{Watermark: reachedOrNil(s.Watermark), Idle: s.Idle, Arrived: q.Inputs[i].arrived, Ended: s.Ended}
			l.setPartitions(s)
			out[s.Key] = l
		}
	}
	return out
}

// setScans makes the scans as a line says.
func (q *Query) setScans(lines map[string]scanLine) {
	for _, in := range q.Inputs {
		for _, s := range in.Scans {
			l, ok := lines[s.Key]
			if !ok {
				continue
			}
			s.Idle, s.Ended, in.arrived = l.Idle && !mutant.On("idle-not-restored"), l.Ended, max(in.arrived, l.Arrived)
			in.finished = in.finished || l.Ended
			if l.Watermark != nil {
				s.Watermark = *l.Watermark
			}
			l.partitions(s)
		}
	}
}

// prepare makes the result of a batch durable: the one flush that a trigger waits for.
func (j *Journal) prepare(q *Query, p *planned, out *build.Outcome, payloads [][]byte) error {
	if len(j.writers) < len(q.Graph.Ops) {
		j.writers = make([]state.SectionWriter, len(q.Graph.Ops))
	}
	j.sections = j.sections[:0]
	for i, op := range q.Graph.Ops {
		w := &j.writers[i]
		w.Reset(op.ID)
		if err := op.LogState(w); err != nil {
			return fmt.Errorf("operator %s: %w", op.ID, err)
		}
		if !w.Empty() {
			j.sections = append(j.sections, w.Finish())
		}
	}
	meta, err := json.Marshal(q.commitLine(p, out, payloads))
	if err != nil {
		return err
	}
	wait := func() error { return j.replaced(j.offsets.Wait(context.Background())) }
	if !p.logged && j.Dir.Contended() && !mutant.On("a result is logged before its range is ours") {
		if err := wait(); err != nil {
			return err
		}
	}
	batch := state.Batch{ID: p.id, Meta: meta, Payload: joinPayloads(payloads), Sections: j.sections}
	if err := j.State.Append(&batch); err != nil {
		return err
	}
	if p.logged || mutant.On("publish-before-offsets") {
		return nil
	}
	return wait()
}

// replaced lets the state log say who was faster, which it knows by name.
func (j *Journal) replaced(err error) error {
	if errors.Is(err, fault.ErrFenced) {
		if e := j.State.Confirm(); e != nil {
			return e
		}
	}
	return err
}

func (q *Query) commitLine(p *planned, out *build.Outcome, payloads [][]byte) commitLine {
	c := commitLine{NextWatermarkMs: millis(q.shown), Rows: rowsOf(out), Scans: q.scanLines(), Now: p.now, Fronts: q.Graph.Fronts()}
	if q.shown != noWatermark {
		c.Shown = &q.shown
	}
	for i := range payloads {
		c.Digests = append(c.Digests, sink.Digest(payloads[i]))
	}
	return c
}

// logged is the metadata of PREPARED(n).
func (j *Journal) logged(n int64) (commitLine, error) {
	var c commitLine
	p, err := j.State.Prepared(n)
	if err != nil {
		return c, err
	}
	if err := json.Unmarshal(p.Meta, &c); err != nil {
		return c, fmt.Errorf("state log batch %d: metadata: %w", n, err)
	}
	return c, nil
}

// commit starts to write commits/N.
func (j *Journal) commit(n int64, c commitLine) error {
	c.Shown, c.Digests, c.Fronts = nil, nil, nil
	line, err := json.Marshal(c)
	if err != nil {
		return err
	}
	j.Dir.WriteCommit(n, [][]byte{line})
	return nil
}

// recommit starts to write commits/N from the logged metadata.
func (j *Journal) recommit(n int64) error {
	c, err := j.logged(n)
	if err != nil {
		return err
	}
	return j.commit(n, c)
}

// joinPayloads frames the payloads of all outputs, in order.
func joinPayloads(payloads [][]byte) []byte {
	var out []byte
	for _, p := range payloads {
		out = binary.AppendUvarint(out, uint64(len(p)))
		out = append(out, p...)
	}
	return out
}

func splitPayloads(data []byte, n int) ([][]byte, error) {
	out := make([][]byte, n)
	for i := range out {
		size, k := binary.Uvarint(data)
		if k <= 0 || size > uint64(len(data)-k) {
			return nil, fmt.Errorf("logged payload %d of %d is cut off", i+1, n)
		}
		out[i], data = data[k:k+int(size)], data[k+int(size):]
	}
	if len(data) > 0 {
		return nil, fmt.Errorf("logged payloads are for more than %d outputs", n)
	}
	return out, nil
}

func millis(us int64) int64 {
	if us == noWatermark {
		return 0
	}
	return time.UnixMicro(us).UnixMilli()
}
