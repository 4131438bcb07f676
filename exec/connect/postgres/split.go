package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// tableSplit is a table, or a range of its blocks.
type tableSplit struct {
	s        *tableSource
	snapshot string // of the transaction that holds it; "" = the split's own
	conds    []string
	slots    chan struct{} // bounds the connections
	params   [][]byte      // of conds, in binary form
	oids     []uint32      // of their types
}

// Rows implements source.Split.
func (p *tableSplit) Rows() int64 { return -1 }

// Read implements source.Split, over a connection of its own: splits are read at the same
// time, and one may be read by several scans.
func (p *tableSplit) Read(ctx context.Context, rd source.Reading, emit func(*vec.Batch) error) error {
	if p.slots != nil {
		select {
		case p.slots <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
		defer func() { <-p.slots }()
	}
	ses := session{server: p.s.server}
	defer ses.drop()
	err := p.s.server.retry(ctx, func(ctx context.Context) error {
		conn, err := ses.use(ctx)
		if err == nil {
			_, err = exec(ctx, conn, p.begin())
		}
		return err
	})
	if err != nil {
		return p.s.wrap(err)
	}
	var refused error // the caller's own
	err = p.read(ctx, ses.conn, rd, func(b *vec.Batch) error {
		refused = emit(b)
		return refused
	})
	if refused != nil {
		return refused
	}
	return p.s.wrap(advised(p.s.server.explain(err)))
}

// advised says what can be done about a row that cannot be read.
func advised(err error) error {
	var row *format.RowError
	if errors.As(err, &row) {
		return fmt.Errorf("%w; on_error = 'skip' goes on without such rows, and counts them", err)
	}
	return err
}

func (p *tableSplit) begin() string {
	sql := "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;"
	if p.snapshot != "" && !mutant.On("postgres: parts of a table are read at different moments") {
		sql += "SET TRANSACTION SNAPSHOT " + literal(p.snapshot)
	}
	return sql
}

// sql selects what is needed.
func (p *tableSplit) sql(rd source.Reading) string {
	exprs := make([]string, len(rd.Need))
	for i, c := range rd.Need {
		exprs[i] = p.s.columns[c].expr
	}
	conds := slices.Clone(p.conds)
	if p.s.filter != "" {
		conds = append(conds, "("+p.s.filter+")")
	}
	for _, b := range rd.Ranges {
		conds = append(conds, p.s.bounds(b)...)
	}
	where := ""
	if len(conds) > 0 {
		where = " WHERE " + strings.Join(conds, " AND ")
	}
	return "SELECT " + strings.Join(exprs, ", ") + " FROM " + p.s.from + where
}

// bounds is a condition in SQL. Rows that it leaves out are none that anybody needs.
func (s *tableSource) bounds(b source.Bounds) []string {
	t, col := s.cfg.Columns[b.Col].Type, s.columns[b.Col].expr
	lit := func(x int64) string {
		switch t.Kind {
		case types.Date:
			return fmt.Sprintf("('2000-01-01'::date + %d)", x-epochDays)
		case types.Decimal:
			return string(types.AppendDecimal(nil, types.Int128From(x), int(t.Scale))) + "::numeric"
		}
		return fmt.Sprintf("'%d'::bigint", x)
	}
	switch {
	case t.IsInteger(), t.Kind == types.Decimal, t.Kind == types.Date && b.Min > minDate+epochDays && b.Max < endDate+epochDays:
		return []string{col + " >= " + lit(b.Min), col + " <= " + lit(b.Max)}
	}
	return nil
}

// read runs the query, and decodes its rows.
func (p *tableSplit) read(ctx context.Context, conn *pgx.Conn, rd source.Reading, emit func(*vec.Batch) error) error {
	var formats []int16
	if len(p.params) > 0 {
		formats = []int16{1}
	}
	rr := conn.PgConn().ExecParams(ctx, p.sql(rd), p.params, p.oids, formats, []int16{1})
	r := newRows(p.s.cfg, p.s.columns, rd, p.s.name)
	for rr.NextRow() {
		if err := r.add(rr.Values(), 1); err != nil {
			return err
		}
		if err := r.pass(ctx, emit); err != nil {
			return err
		}
	}
	if _, err := rr.Close(); err != nil {
		return orLost(err)
	}
	return r.flush(ctx, emit)
}

// rows gathers rows in binary form into batches.
type rows struct {
	cfg      source.Config
	rd       source.Reading
	where    string
	dec      []decode
	builders []*vec.Builder
	out      vec.Batch
	n        int
	sel      []int32
	bad      bool // some row of the batch is not in sel
	weights  []int64
	removes  bool // some weight is not 1
}

func newRows(c source.Config, cols []readColumn, rd source.Reading, where string) *rows {
	r := &rows{cfg: c, rd: rd, where: where, out: vec.Batch{Cols: make([]*vec.Vector, len(rd.Need))}}
	for _, i := range rd.Need {
		r.dec = append(r.dec, cols[i].decoder())
		r.builders = append(r.builders, vec.NewBuilder(c.Columns[i].Type))
	}
	return r
}

// add decodes a row; nil is NULL.
func (r *rows) add(values [][]byte, w int64) error {
	reason := ""
	r.weights, r.removes = append(r.weights, w), r.removes || w != 1
	for i, d := range r.dec {
		switch data := values[i]; {
		case data == nil || reason != "":
			r.builders[i].AppendNull()
		default:
			if err := d(r.builders[i], data); err != nil {
				reason = fmt.Sprintf("column %q %s", r.cfg.Columns[r.rd.Need[i]].Name, err)
				r.builders[i].AppendNull()
			}
		}
	}
	if reason != "" {
		return r.refuse(reason)
	}
	r.sel = append(r.sel, int32(r.n))
	r.n++
	return nil
}

// refuse leaves out the row that was added last, or ends the query.
func (r *rows) refuse(reason string) error {
	bad := source.BadRow{Source: r.cfg.Name, Position: r.where, Reason: reason}
	if r.cfg.OnError == source.Fail {
		return &format.RowError{BadRow: format.BadRow{Position: bad.Position, Reason: bad.Reason}}
	}
	r.n, r.bad = r.n+1, true
	if r.rd.Bad != nil {
		r.rd.Bad(bad)
	}
	return nil
}

// pass emits a batch that is full; up to two rows are added between calls.
func (r *rows) pass(ctx context.Context, emit func(*vec.Batch) error) error {
	if r.n < vec.BatchSize-1 {
		return nil
	}
	return r.flush(ctx, emit)
}

// flush emits the rows so far.
func (r *rows) flush(ctx context.Context, emit func(*vec.Batch) error) error {
	if r.n == 0 {
		return ctx.Err()
	}
	for i, b := range r.builders {
		r.out.Cols[i] = b.Finish()
	}
	r.out.N, r.out.Sel, r.out.W = r.n, nil, nil
	if r.removes {
		r.out.W = r.weights
	}
	if r.bad {
		r.out.Sel = r.sel
	}
	err := emit(&r.out)
	for _, b := range r.builders {
		b.Reset()
	}
	r.n, r.sel, r.bad, r.weights, r.removes = 0, r.sel[:0], false, r.weights[:0], false
	if err == nil {
		err = ctx.Err()
	}
	return err
}
