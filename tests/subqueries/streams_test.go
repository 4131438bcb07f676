package subqueries

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/builtin"
	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/incremental/engine"
	"github.com/sqlstream/sqlstream/incremental/reference"
	"github.com/sqlstream/sqlstream/parser"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/bind"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

// TestStreams plays the queries over sources whose rows come and go: after every trigger
// the sum of the output is what SQL says of the rows that are there, row by row. Now and
// then the engine is killed and opened again; at the end every row is deleted.
func TestStreams(t *testing.T) {
	triggers := 0
	for s := *seed; s < *seed+uint64(*cases)/4; s++ {
		c := New(s, nil)
		p := &player{c: c, r: rand.New(rand.NewPCG(s, 5)), fs: vfs.NewCrashable(s), clock: clock.NewFake(time.Unix(0, 0)),
			out: &output{}, sum: reference.Bag{}, fed: map[string][]reference.Change{}}
		err := p.play(t.Context())
		triggers += p.triggers
		if err != nil {
			t.Fatalf("seed %d, trigger %d: %v\n%s\n%v", s, p.triggers, err, c.SQL, p.fed)
		}
	}
	t.Logf("%d triggers", triggers)
}

// player plays one case over streams.
type player struct {
	c        *Case
	r        *rand.Rand
	fs       *vfs.Crashable
	clock    *clock.Fake
	reg      *builtin.Registry
	e        *engine.Engine
	q        *engine.Query
	out      *output
	plan     logical.Node
	sum      reference.Bag
	fed      map[string][]reference.Change
	triggers int
}

func (p *player) play(ctx context.Context) error {
	defer func() { p.e.Kill() }()
	if err := p.open(ctx); err != nil {
		return err
	}
	for range 6 {
		if err := p.trigger(ctx, p.changes); err != nil {
			return err
		}
		if p.r.IntN(4) == 0 {
			p.e.Kill()
			if err := p.open(ctx); err != nil {
				return err
			}
		}
	}
	return p.trigger(ctx, p.everything)
}

// open starts the engine and the query on its checkpoint.
func (p *player) open(ctx context.Context) (err error) {
	if p.reg, err = builtin.New(fmt.Sprint("run", p.triggers)); err != nil {
		return err
	}
	p.e, err = engine.Open(engine.Options{Builtin: p.reg, FS: p.fs, Clock: p.clock, Workers: 1 + p.r.IntN(3), Dir: "/", Stdout: io.Discard})
	if err != nil {
		return err
	}
	var setup strings.Builder
	for _, t := range p.c.Tables {
		fmt.Fprintf(&setup, "CREATE SOURCE %s (%s) WITH (changelog = true);\n", t.Name, Columns)
	}
	if err := p.e.Exec(ctx, diag.Source{Text: setup.String()}, func(*engine.Result) error { return nil }); err != nil {
		return err
	}
	q, err := parser.ParseQuery(diag.Source{Text: p.c.SQL})
	if err != nil {
		return err
	}
	res, err := bind.New(p.e.Catalog(), bind.Settings{}).Query(q)
	if err != nil {
		return err
	}
	p.plan = res.Plan
	p.q, err = p.e.Start(ctx, diag.Source{Text: p.c.SQL}, engine.StartOptions{Name: "q", Mode: ast.EmitChangelog, Manual: true,
		Checkpoint: "/checkpoint", Sink: p.out})
	return err
}

// changes draws rows that come, and rows that go.
func (p *player) changes(table string) []reference.Change {
	var out []reference.Change
	there, _ := reference.Accumulate(p.fed[table])
	for range p.r.IntN(4) {
		if len(there) > 0 && p.r.IntN(100) < 45 {
			i := p.r.IntN(len(there))
			out = append(out, reference.Change{Values: there[i].Values, Weight: -1})
			there = append(there[:i:i], there[i+1:]...)
			continue
		}
		row := Row(p.r)
		out = append(out, reference.Change{Values: row[:], Weight: 1})
	}
	return out
}

// everything deletes what is there.
func (p *player) everything(table string) []reference.Change {
	var out []reference.Change
	there, _ := reference.Accumulate(p.fed[table])
	for _, r := range there {
		out = append(out, reference.Change{Values: r.Values, Weight: -1})
	}
	return out
}

// trigger feeds the sources, runs a trigger and compares.
func (p *player) trigger(ctx context.Context, draw func(table string) []reference.Change) error {
	p.triggers++
	p.clock.Advance(time.Minute)
	for _, t := range p.c.Tables {
		list := draw(t.Name)
		p.fed[t.Name] = append(p.fed[t.Name], list...)
		if err := p.append(t.Name, list); err != nil {
			return err
		}
	}
	if _, err := p.q.RunTrigger(ctx); err != nil {
		return err
	}
	for _, b := range p.out.take() {
		for i := range b.Rows() {
			r := b.Row(i)
			values := make([]any, len(b.Cols))
			for k, c := range b.Cols {
				values[k] = vec.ToAny(c, r)
			}
			p.sum.Add(values, b.Weight(r))
		}
	}
	rows, err := reference.Question{Plan: p.plan, Inputs: func(s *logical.Scan) ([]reference.Change, error) {
		return p.fed[s.Relation.Name], nil
	}}.Answer(&fn.Ctx{Zone: time.UTC})
	if err != nil {
		return err
	}
	if want := reference.BagOf(rows); !p.sum.Equal(want) {
		return fmt.Errorf("the engine says\n%s\nrow by row it is\n%s", p.sum, want)
	}
	return nil
}

func (p *player) append(name string, list []reference.Change) error {
	if len(list) == 0 {
		return nil
	}
	bs := vec.NewBuilders([]types.Type{types.Of(types.Int32), types.Of(types.Int32), types.Of(types.String)})
	b := &vec.Batch{N: len(list)}
	for _, c := range list {
		for i, x := range c.Values {
			bs[i].AppendAny(x)
		}
		b.W = append(b.W, c.Weight)
	}
	for _, x := range bs {
		b.Cols = append(b.Cols, x.Take())
	}
	return p.reg.Stores.Get(name).Append(b)
}

// output is a sink that keeps the rows of the last trigger.
type output struct{ rows []*vec.Batch }

func (*output) Marker(context.Context) (sink.Marker, error) { return sink.Marker{}, nil }

func (o *output) Stage(_ context.Context, _ sink.Batch, rows func(func(*vec.Batch) error) error) ([]byte, error) {
	o.rows = nil
	return nil, rows(func(b *vec.Batch) error {
		o.rows = append(o.rows, b.Clone())
		return nil
	})
}

func (*output) Publish(context.Context, sink.Batch, []byte) error { return nil }
func (*output) Discard(context.Context, sink.Batch) error         { return nil }
func (*output) Description() string                               { return "Test" }
func (*output) Close() error                                      { return nil }

func (o *output) take() []*vec.Batch {
	rows := o.rows
	o.rows = nil
	return rows
}
