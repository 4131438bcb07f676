package random

import (
	"context"
	"slices"

	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/incremental/reference"
)

// EndState is what a history leads to, for a referee of its own: the rows of every
// input, and the two answers.
type EndState struct {
	Inputs    map[string]Input
	Columns   []types.Column
	Engine    []reference.Row
	Reference []reference.Row
}

// Input is a source or table at the end.
type Input struct {
	Columns []string // "a INT"
	Rows    [][]string
}

// EndState plays the case as a changelog and returns where it ends. Rows must not be
// late. A case that fails on both sides has no end state: false.
func (c *Case) EndState(ctx context.Context) (*EndState, bool, error) {
	c = c.copy()
	c.Mode = sink.Changelog
	c.Query.Order, c.Query.Limit = nil, 0
	r := &run{c: c, ctx: ctx, step: -1, out: &Outcome{}}
	defer func() {
		if r.m != nil {
			r.m.stop()
		}
	}()
	if err := r.open(); err != nil {
		return nil, false, err
	}
	var deltas []reference.Change
	for _, s := range c.Steps {
		p, err := r.m.step(s)
		if err != nil {
			return nil, false, nil
		}
		if p != nil {
			deltas = append(deltas, r.m.sink.rows...)
		}
		r.feed(s)
	}
	end := &EndState{Inputs: map[string]Input{}, Columns: r.output.OutputColumns()}
	var err error
	if end.Engine, err = reference.Accumulate(deltas); err != nil {
		return nil, false, err
	}
	if end.Reference, err = r.answer(); err != nil {
		return nil, false, err
	}
	return end, true, r.inputs(end)
}

// inputs writes the inputs as literals.
func (r *run) inputs(end *EndState) error {
	for i, s := range r.c.Sources {
		rows, err := s.rows(r.fed[i])
		if err != nil {
			return err
		}
		end.Inputs[s.Name] = inputOf(sourceColumns(), rows)
	}
	for _, t := range r.c.Tables {
		rows := make([]reference.Row, len(t.Rows))
		for i, values := range t.Rows {
			rows[i].Values = values
		}
		end.Inputs[t.Name] = inputOf(tableColumns(), rows)
	}
	return nil
}

// rows are what is in the source after the changes.
func (s Source) rows(fed []reference.Change) ([]reference.Row, error) {
	if !s.Keyed {
		return reference.Accumulate(fed)
	}
	var out []reference.Row
	for _, c := range fed {
		out = slices.DeleteFunc(out, func(r reference.Row) bool { return r.Values[0] == c.Values[0] })
		if c.Weight > 0 {
			out = append(out, reference.Row{Values: c.Values})
		}
	}
	return out, nil
}

func inputOf(cols []column, rows []reference.Row) Input {
	var in Input
	for _, c := range cols {
		in.Columns = append(in.Columns, c.name+" "+c.kind.String())
	}
	for _, r := range rows {
		lits := make([]string, len(cols))
		for i, c := range cols {
			lits[i] = Literal(c.kind, r.Values[i])
		}
		in.Rows = append(in.Rows, lits)
	}
	return in
}

// DuckSQL is the query of EndState for DuckDB; false if it cannot be said there.
func (c *Case) DuckSQL() (string, bool) {
	q := c.Query.clone()
	q.Order, q.Limit = nil, 0
	sql, ok := q.SQL(Duck)
	return sql, ok && c.Zone == ""
}
