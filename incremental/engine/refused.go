package engine

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/incremental/build"
	"github.com/sqlstream/sqlstream/incremental/trigger"
	"github.com/sqlstream/sqlstream/planner/catalog"
)

// refusedRows keeps the rows that a query could not decode, or refused as late, in the
// tables that its sources name (bad_rows, late_rows). Rows are held back until their
// batch is published.
type refusedRows struct {
	e         *Engine
	graph     *build.Graph
	query     *trigger.Query
	zone      *time.Location
	badTables map[string]string // by source
	lateInto  []string          // tables; a late row is of an operator, not of one source

	mu   sync.Mutex
	bad  map[string][]source.BadRow // by table
	late []lateRow
}

// lateRow is a refused row as JSON, and who refused it when, with the watermark from
// before the trigger.
type lateRow struct {
	operator, row string
	watermark     int64
	reached       bool
	now           int64
}

// badColumns and lateColumns are the columns of the tables.
func badColumns() []types.Column {
	return []types.Column{{Name: "source", Type: types.Of(types.String)}, {Name: "position", Type: types.Of(types.String)},
		{Name: "reason", Type: types.Of(types.String)}, {Name: "raw", Type: types.Of(types.Bytes)}}
}

func lateColumns() []types.Column {
	return []types.Column{{Name: "operator", Type: types.Of(types.String)}, {Name: "watermark", Type: types.Of(types.Timestamp)},
		{Name: "refused_at", Type: types.Of(types.Timestamp)}, {Name: "row", Type: types.Of(types.String)}}
}

// refused sets up the tables of refused rows, if a source names one.
func (o *opening) refused() (*refusedRows, error) {
	r := &refusedRows{e: o.e, graph: o.cfg.Graph, zone: o.zone, badTables: map[string]string{}, bad: map[string][]source.BadRow{}}
	for _, s := range o.cfg.Graph.Scans {
		rel := s.Plan.Relation
		if err := o.e.refusedTables(rel); err != nil {
			return nil, err
		}
		if t := rel.Common.BadRows; t != "" {
			r.badTables[rel.Name] = t
		}
		if t := rel.Common.LateRows; t != "" && !slices.Contains(r.lateInto, t) {
			r.lateInto = append(r.lateInto, t)
		}
	}
	if len(r.badTables) > 0 {
		o.cfg.Bad = r.takeBad
	}
	if len(r.lateInto) > 0 {
		o.cfg.Late = r.takeLate
	}
	if o.cfg.Bad != nil || o.cfg.Late != nil {
		o.cfg.Published = r.publish
	}
	return r, nil
}

// refusedTables makes the tables that a source names for its refused rows.
func (e *Engine) refusedTables(r *catalog.Relation) error {
	if t := r.Common.BadRows; t != "" {
		if err := e.refusedTable(t, badColumns()); err != nil {
			return err
		}
	}
	if t := r.Common.LateRows; t != "" {
		return e.refusedTable(t, lateColumns())
	}
	return nil
}

// refusedTable makes the table, unless it is there with the same columns.
func (e *Engine) refusedTable(name string, cols []types.Column) error {
	old, err := e.cat.Find(name)
	if err != nil {
		return err
	}
	if old == nil {
		r := &catalog.Relation{Name: name, Connector: "memory", Made: true, Text: "-- made for refused rows"}
		for _, c := range cols {
			r.Columns = append(r.Columns, catalog.Column{Column: c})
		}
		e.cat.Put(r)
		return nil
	}
	r, ok := old.(*catalog.Relation)
	if ok && !r.Streaming && r.Connector == "memory" && slices.EqualFunc(r.Schema(), cols, func(a, b types.Column) bool { return a.Type.Equal(b.Type) }) {
		return nil
	}
	return fmt.Errorf("%q cannot keep refused rows: it exists and is no table in memory with the columns (%s)", name, columnText(cols))
}

func columnText(cols []types.Column) string {
	s := ""
	for i, c := range cols {
		if i > 0 {
			s += ", "
		}
		s += c.Name + " " + c.Type.String()
	}
	return s
}

// takeBad keeps a row, which comes in order of arrival.
func (r *refusedRows) takeBad(b source.BadRow) {
	if t, ok := r.badTables[b.Source]; ok {
		r.bad[t] = append(r.bad[t], b)
	}
}

// takeLate may be called by several workers.
func (r *refusedRows) takeLate(operator string, b *vec.Batch, rows []int32) error {
	cols := r.graph.InputColumns(operator)
	now := r.e.opt.Clock.Now().UnixMicro()
	watermark, reached := r.query.Watermark()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, row := range rows {
		text := []byte{'{'}
		for i, c := range cols {
			if i > 0 {
				text = append(text, ',')
			}
			text = append(vec.AppendJSONString(text, []byte(c.Name)), ':')
			text = vec.AppendJSON(text, b.Cols[i], int(row), r.zone)
		}
		r.late = append(r.late, lateRow{operator, string(append(text, '}')), watermark, reached, now})
	}
	return nil
}

// publish moves the rows of a published batch into the tables.
func (r *refusedRows) publish() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for t, rows := range r.bad {
		if err := r.e.opt.Builtin.Stores.Get(t).Append(badBatch(rows)); err != nil {
			return err
		}
		delete(r.bad, t)
	}
	if len(r.late) == 0 {
		return nil
	}
	slices.SortStableFunc(r.late, func(a, b lateRow) int { // workers refuse in any order
		return cmp.Or(cmp.Compare(a.operator, b.operator), cmp.Compare(a.row, b.row))
	})
	b := lateBatch(r.late)
	r.late = nil
	for _, t := range r.lateInto {
		if err := r.e.opt.Builtin.Stores.Get(t).Append(b); err != nil {
			return err
		}
	}
	return nil
}

func badBatch(rows []source.BadRow) *vec.Batch {
	bs := builders(badColumns())
	for _, x := range rows {
		bs[0].AppendString(x.Source)
		bs[1].AppendString(x.Position)
		bs[2].AppendString(x.Reason)
		bs[3].AppendBytes(x.Raw)
	}
	return batchOf(bs)
}

func lateBatch(rows []lateRow) *vec.Batch {
	bs := builders(lateColumns())
	for _, x := range rows {
		bs[0].AppendString(x.operator)
		if x.reached {
			bs[1].AppendInt(x.watermark)
		} else {
			bs[1].AppendNull()
		}
		bs[2].AppendInt(x.now)
		bs[3].AppendString(x.row)
	}
	return batchOf(bs)
}

func builders(cols []types.Column) []*vec.Builder {
	out := make([]*vec.Builder, len(cols))
	for i, c := range cols {
		out[i] = vec.NewBuilder(c.Type)
	}
	return out
}

func batchOf(bs []*vec.Builder) *vec.Batch {
	b := &vec.Batch{N: bs[0].Len()}
	for _, x := range bs {
		b.Cols = append(b.Cols, x.Take())
	}
	return b
}
