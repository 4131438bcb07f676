package random

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/builtin"
	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/incremental/engine"
	"github.com/sqlstream/sqlstream/incremental/reference"
	"github.com/sqlstream/sqlstream/incremental/trigger"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

// machine is a computer on which one query runs: its disk outlives the program.
type machine struct {
	c     *Case
	ctx   context.Context
	fs    *vfs.Crashable
	clock *clock.Fake
	sink  *capture
	mode  ast.EmitMode
	run   int // how often the program was started

	reg *builtin.Registry
	e   *engine.Engine
	q   *engine.Query
}

func newMachine(ctx context.Context, c *Case, mode sink.Mode) *machine {
	return &machine{c: c, ctx: ctx, fs: vfs.NewCrashable(c.Seed), clock: clock.NewFake(time.UnixMicro(c.Start).UTC()),
		sink: &capture{last: -1}, mode: emitMode(mode)}
}

func emitMode(m sink.Mode) ast.EmitMode {
	return [...]ast.EmitMode{sink.Append: ast.EmitAppend, sink.Update: ast.EmitUpdate, sink.Complete: ast.EmitComplete,
		sink.Changelog: ast.EmitChangelog}[m]
}

// start starts the program and the query on its checkpoint.
func (m *machine) start() error {
	if err := m.boot(false); err != nil {
		return err
	}
	return m.startQuery()
}

// boot starts the program and defines the inputs; batch reads every source as a table.
func (m *machine) boot(batch bool) error {
	m.run++
	var err error
	if m.reg, err = builtin.New(fmt.Sprintf("run%d", m.run)); err != nil {
		return err
	}
	if err := inParts(m.reg); err != nil {
		return err
	}
	m.e, err = engine.Open(engine.Options{Builtin: m.reg, FS: m.fs, Clock: m.clock, Workers: m.c.Workers, Dir: "/", Stdout: io.Discard, Batch: batch, RuleOff: m.c.ruleOff})
	if err != nil {
		return err
	}
	if err := m.e.Exec(m.ctx, diag.Source{Name: "setup", Text: m.c.setup()}, func(*engine.Result) error { return nil }); err != nil {
		return err
	}
	for _, t := range m.c.Tables {
		changes := make([]reference.Change, len(t.Rows))
		for i, row := range t.Rows {
			changes[i] = reference.Change{Values: row, Weight: 1}
		}
		if err := m.append(t.Name, tableColumns(), changes); err != nil {
			return err
		}
	}
	return nil
}

func (m *machine) startQuery() error {
	sql, _ := m.c.Query.SQL(Ours)
	var err error
	m.q, err = m.e.Start(m.ctx, diag.Source{Name: "query", Text: sql}, engine.StartOptions{Name: "q", Mode: m.mode,
		Manual: true, Checkpoint: "/checkpoint", Sink: m.sink})
	if err == nil {
		m.sink.types = nil
		for _, c := range m.q.Plan.Outputs[0].OutputColumns() {
			m.sink.types = append(m.sink.types, c.Type)
		}
	}
	return err
}

// setup is the definitions of the inputs.
func (c *Case) setup() string {
	var b strings.Builder
	if c.Zone != "" {
		fmt.Fprintf(&b, "SET timezone = '%s';\n", c.Zone)
	}
	for _, s := range c.Sources {
		fmt.Fprintf(&b, "CREATE SOURCE %s (%s, WATERMARK FOR ts AS ts - INTERVAL '%d' MINUTE"+s.primaryKey()+")", s.Name, columnList(sourceColumns()), s.Delay)
		if s.Changelog {
			b.WriteString(" WITH (changelog = true)")
		}
		b.WriteString(";\n")
	}
	for _, t := range c.Tables {
		fmt.Fprintf(&b, "CREATE TABLE %s (%s);\n", t.Name, columnList(tableColumns()))
	}
	return b.String()
}

func (s Source) primaryKey() string {
	if s.Keyed {
		return ", PRIMARY KEY (a)"
	}
	return ""
}

func columnList(cols []column) string {
	parts := make([]string, len(cols))
	for i, c := range cols {
		parts[i] = c.name + " " + c.kind.String()
	}
	return strings.Join(parts, ", ")
}

// append gives rows to a source or table.
func (m *machine) append(name string, cols []column, changes []reference.Change) error {
	if len(changes) == 0 {
		return nil
	}
	ts := make([]types.Type, len(cols))
	for i, c := range cols {
		ts[i] = typeOf(c.kind)
	}
	bs := vec.NewBuilders(ts)
	b := &vec.Batch{N: len(changes)}
	negative := false
	for _, ch := range changes {
		for i, x := range ch.Values {
			bs[i].AppendAny(x)
		}
		b.W = append(b.W, ch.Weight)
		negative = negative || ch.Weight != 1
	}
	if !negative {
		b.W = nil
	}
	for _, x := range bs {
		b.Cols = append(b.Cols, x.Take())
	}
	return m.reg.Stores.Get(name).Append(b)
}

// step feeds a step and runs its trigger; the progress is nil if there was nothing to do.
func (m *machine) step(s Step) (*trigger.Progress, error) {
	m.clock.Advance(time.Duration(m.c.Tick) * time.Minute)
	for i, src := range m.c.Sources {
		list := s.Changes[i]
		for len(list) > 0 {
			n := min(max(s.Cut, 1), len(list))
			if err := m.append(src.Name, sourceColumns(), list[:n]); err != nil {
				return nil, err
			}
			list = list[n:]
		}
	}
	p, err := m.q.RunTrigger(m.ctx)
	if errors.Is(err, engine.ErrStopped) { // all that the query reads was finite
		return nil, nil
	}
	return p, err
}

func (m *machine) restart() error {
	m.stop()
	return m.start()
}

func (m *machine) stop() {
	if m.e != nil {
		m.e.Kill()
	}
}

// capture is the sink: it keeps what was published, each batch once.
type capture struct {
	types []types.Type
	last  int64
	bytes []byte
	rows  []reference.Change // of the last batch
}

// Marker implements sink.Sink.
func (s *capture) Marker(context.Context) (sink.Marker, error) { return sink.Marker{}, nil }

// Stage implements sink.Sink.
func (s *capture) Stage(_ context.Context, _ sink.Batch, rows func(func(*vec.Batch) error) error) ([]byte, error) {
	var out []byte
	err := rows(func(b *vec.Batch) error {
		out = vec.EncodeBatch(out, b)
		return nil
	})
	return out, err
}

// Publish implements sink.Sink.
func (s *capture) Publish(_ context.Context, b sink.Batch, payload []byte) error {
	if b.ID < s.last || b.ID == s.last && string(payload) != string(s.bytes) {
		return fmt.Errorf("batch %d is published again after %d with other rows", b.ID, s.last)
	}
	if b.ID == s.last {
		return nil
	}
	s.last, s.bytes = b.ID, append([]byte{}, payload...)
	s.rows = nil
	for len(payload) > 0 {
		part, rest, err := vec.DecodeBatch(payload, s.types)
		if err != nil {
			return err
		}
		s.rows = append(s.rows, changesOf(part)...)
		payload = rest
	}
	return nil
}

// Discard implements sink.Sink.
func (s *capture) Discard(context.Context, sink.Batch) error { return nil }

// Description implements sink.Sink.
func (s *capture) Description() string { return "Capture" }

// Close implements sink.Sink.
func (s *capture) Close() error { return nil }
