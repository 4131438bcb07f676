package crash

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"github.com/sqlstream/sqlstream/exec/builtin"
	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/incremental/engine"
	"github.com/sqlstream/sqlstream/incremental/trigger"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/storage/crash"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

// runner runs a workload, life after life. What has arrived stays there.
type runner struct {
	*workload
	background bool // storage works in goroutines of its own; then schedules do not repeat
	arrived    map[string]int
	noCommit   int64 // a batch whose commit was taken away; 0 = none
}

// life is one process.
type life struct {
	*runner
	crash.Life
	clock *clock.Fake
	boxes map[string]*inbox // by source
	e     *engine.Engine
	q     *engine.Query
	fed   map[string]int // rows of memory sources

	lockless bool // locks do nothing
}

// checkpointDir is where the query keeps its checkpoint.
const checkpointDir = "/ck/q"

// work is a crash.Workload: it goes on until all input is taken.
func (r *runner) work(l crash.Life) error {
	if l.N == 0 || r.arrived == nil {
		r.arrived = map[string]int{}
	}
	p := &life{runner: r, Life: l, boxes: map[string]*inbox{}, fed: map[string]int{}}
	if err := p.open(); err != nil {
		return err
	}
	if err := p.run(); err != nil {
		p.e.Kill()
		return err
	}
	return p.e.Close()
}

func (p *life) open() error {
	d := &disk{FS: p.FS, inputs: map[string]*inbox{}}
	for _, name := range p.sources() {
		box, err := newInbox("/in/"+name, p.inputs[name])
		if err != nil {
			return err
		}
		p.boxes[name], d.inputs[box.dir] = box, box
		first := 1 + p.Rand.IntN(3)
		if p.tables[name] {
			first = len(p.inputs[name])
		}
		if err := p.arrive(name, first); err != nil {
			return err
		}
	}
	p.clock = clock.NewFake(time.Unix(1_700_100_000+int64(p.N)*10_000, 0))
	reg, err := builtin.New(fmt.Sprintf("life %d", p.N))
	if err != nil {
		return err
	}
	if err := reg.AddSink(recording()); err != nil {
		return err
	}
	var all vfs.FS = d
	if p.lockless {
		all = lockless{d}
	}
	opt := engine.Options{Builtin: reg, FS: all, Clock: p.clock, Workers: 1, Dir: "/", CheckpointRoot: "/ck", Stdout: io.Discard}
	opt.Storage.Checkpoint, opt.Storage.State = p.storage()
	opt.Storage.Checkpoint.Rand = randomBytes{p.Rand}
	if !p.background {
		opt.Storage.At = p.between
	}
	p.e, err = engine.Open(opt)
	return err
}

type randomBytes struct{ *rand.Rand }

func (r randomBytes) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return len(b), nil
}

// between does the background work of the checkpoint at moments that the seed chooses.
func (p *life) between(_ trigger.Point, _ int64, j *trigger.Journal) error {
	for range p.Rand.IntN(3) {
		j.Dir.Step()
	}
	if p.Rand.IntN(3) == 0 {
		return j.State.Compact(context.Background())
	}
	return nil
}

// launch starts the query.
func (p *life) launch() error {
	if err := p.findFed(); err != nil {
		return err
	}
	return p.e.Exec(context.Background(), diag.Source{Name: "crash", Text: p.setup(p.Rand.IntN(4)) + p.sql},
		func(r *engine.Result) error { p.q = r.Query; return nil })
}

// run starts the query and runs triggers while input arrives.
func (p *life) run() error {
	if err := p.launch(); err != nil {
		return err
	}
	for range 500 {
		more, err := p.trigger()
		if err != nil || !more {
			return err
		}
	}
	return errors.New("the query does not come to an end")
}

// trigger lets time pass and files arrive, and runs a trigger.
func (p *life) trigger() (more bool, err error) {
	p.clock.Advance(time.Duration(1+p.Rand.IntN(40)) * time.Second)
	all := true
	for name, box := range p.boxes {
		if err := p.arrive(name, box.arrived+p.Rand.IntN(4)); err != nil {
			return false, err
		}
		if err := p.feed(name); err != nil {
			return false, err
		}
		all = all && box.arrived == len(box.files)
	}
	pr, err := p.q.RunTrigger(context.Background())
	if err != nil {
		return false, err
	}
	if pr != nil && !pr.Rows.Balanced() {
		return false, fmt.Errorf("batch %d: the ledger does not add up: %+v", pr.BatchID, pr.Rows)
	}
	return pr != nil || !all, nil
}

// arrive makes the first n files of a source be there, and those of earlier lives.
func (p *life) arrive(name string, n int) error {
	n = max(n, p.arrived[name])
	p.arrived[name] = min(n, len(p.inputs[name]))
	return p.boxes[name].arrive(n)
}

// findFed finds out how many rows of memory sources an earlier life has taken durably.
func (p *life) findFed() error {
	if !p.memory {
		return nil
	}
	ends, err := memoryEnds(p.FS)
	for _, name := range p.sources() {
		if n := len(ends[name]); n > 0 {
			p.fed[name] = ends[name][n-1].rows
		}
	}
	return err
}

// feed gives a memory source the rows of the files that have arrived.
func (p *life) feed(name string) error {
	if !p.memory {
		return nil
	}
	var rows []row
	for _, f := range p.inputs[name][:p.boxes[name].arrived] {
		rows = append(rows, f.rows...)
	}
	if len(rows) <= p.fed[name] {
		return nil
	}
	rows, p.fed[name] = rows[p.fed[name]:], len(rows)
	cols := make([][]any, 5)
	for _, r := range rows {
		for i, v := range []any{r.ID, r.Who, r.us, r.V, r.Pad} {
			cols[i] = append(cols[i], v)
		}
	}
	b := &vec.Batch{N: len(rows)}
	for i, k := range []types.Kind{types.Int64, types.String, types.Timestamp, types.Int64, types.String} {
		b.Cols = append(b.Cols, vec.FromAny(types.Of(k), cols[i]...))
	}
	return p.e.Append(name, b)
}

// jsonLine decodes a line of a log.
func jsonLine(line []byte, into any) error {
	if err := json.Unmarshal(line, into); err != nil {
		return fmt.Errorf("%q: %w", line, err)
	}
	return nil
}
