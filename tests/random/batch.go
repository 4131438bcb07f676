package random

import (
	"context"
	"math"

	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/incremental/engine"
	"github.com/sqlstream/sqlstream/incremental/reference"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// batch runs the query once over everything that was fed, as --batch does: the answer is
// that of the reference, in order if the query has one. Watermarks mean nothing there.
func (r *run) batch() error {
	for i := range r.fed {
		for k := range r.fed[i] {
			r.fed[i][k].Moment = reference.Moment{Watermark: math.MinInt64}
		}
	}
	r.c.Late = false // and nothing is late
	want, refErr := r.answer()
	m := newMachine(r.ctx, r.c, sink.Append)
	m.clock = r.m.clock // now() is the same
	defer m.stop()
	got, err := m.answer(r.ctx, r.fed)
	switch {
	case err != nil && refErr != nil:
		return nil
	case err != nil:
		return r.fail("batch", "%v", err)
	case refErr != nil:
		return r.fail("batch", "there is an answer where the reference says: %v", refErr)
	}
	bag := reference.Bag{}
	for i, c := range got {
		bag.Add(c.Values, c.Weight)
		if len(r.c.Query.Order) > 0 && (i >= len(want) || reference.Text(want[i].Values) != reference.Text(c.Values)) {
			return r.fail("batch order", "row %d is %s; the answer in order is\n%s", i, reference.Text(c.Values), inOrder(want))
		}
	}
	if answer := reference.BagOf(want); !bag.Equal(answer) {
		return r.fail("batch", "got\n%s\nwant\n%s", bag, answer)
	}
	return nil
}

// answer is the result of the query over finite inputs.
func (m *machine) answer(ctx context.Context, fed [][]reference.Change) ([]reference.Change, error) {
	if err := m.boot(true); err != nil {
		return nil, err
	}
	for i, s := range m.c.Sources {
		if err := m.append(s.Name, sourceColumns(), fed[i]); err != nil {
			return nil, err
		}
	}
	sql, _ := m.c.Query.SQL(Ours)
	var out []reference.Change
	err := m.e.Exec(ctx, diag.Source{Name: "query", Text: sql}, func(res *engine.Result) error {
		return res.Rows(ctx, func(b *vec.Batch) error {
			out = append(out, changesOf(b)...)
			return nil
		})
	})
	return out, err
}

// changesOf boxes the rows of a batch.
func changesOf(b *vec.Batch) []reference.Change {
	out := make([]reference.Change, b.Rows())
	for i := range out {
		row := make([]any, len(b.Cols))
		for k, c := range b.Cols {
			row[k] = vec.ToAny(c, b.Row(i))
		}
		out[i] = reference.Change{Values: row, Weight: b.Weight(b.Row(i))}
	}
	return out
}
