package build

import (
	"fmt"
	"strings"

	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// refuse counts a bad row, and keeps it if somebody wants it.
func (p *reader) refuse(b source.BadRow) {
	p.ledger.Bad++
	if p.run.t.Bad == nil {
		return
	}
	b.Raw = append([]byte(nil), b.Raw...)
	p.bad = append(p.bad, badRow{p.split, b})
}

// cutNulls turns rows with NULL in a column that is declared NOT NULL into bad rows, or
// fails, as on_error says.
func (p *reader) cutNulls(b *vec.Batch) error {
	rel := p.scan.Plan.Relation
	for _, c := range p.scan.Plan.NotNull {
		v := b.Cols[c]
		if !v.HasNulls() {
			continue
		}
		name, reason := p.scan.Plan.P.Columns[c].Name, "declared NOT NULL"
		key := rel.Upserts() && rel.IsKey(name)
		if key {
			reason = "part of the PRIMARY KEY"
		}
		reason = fmt.Sprintf("column %q is NULL, and is %s", name, reason)
		whole := func(r int) bool { return key || len(rel.Key) == 0 || b.Weight(r) > 0 } // a deletion needs the key only
		first := p.cut(b, func(r int) bool { return v.IsNull(r) && whole(r) }, func(int) string { return reason })
		if first >= 0 && rel.Common.OnError == source.Fail {
			return fmt.Errorf("source %q: %s; the row is %s; on_error = 'skip' goes on without such rows, and counts them",
				rel.Name, reason, p.cells(b, first))
		}
	}
	return nil
}

// cutAhead turns rows later than limit into bad rows.
func (p *reader) cutAhead(b *vec.Batch, v *vec.Vector, limit int64) {
	if t := timesOf(v, b.N, b.Sel); t.Count == 0 || t.Max <= limit {
		return
	}
	p.cut(b, func(r int) bool { return !v.IsNull(r) && v.Int(r) > limit }, func(r int) string {
		return fmt.Sprintf("event time %s is further ahead than max_ahead allows", vec.RowString(v, r, p.w.ctx.Zone))
	})
}

// cut turns the rows of b that are bad into bad rows, and returns the first, −1 if there
// is none. The selection of b is then one of the reader, which may be empty but not nil.
func (p *reader) cut(b *vec.Batch, bad func(row int) bool, reason func(row int) string) (first int) {
	first = -1
	if p.kept == nil {
		p.kept = make([]int32, 0, vec.BatchSize)
	}
	keep := p.kept[:0] // b.Sel may be p.kept: it is overwritten behind the row that is read
	b.Each(func(r int) {
		if !bad(r) {
			keep = append(keep, int32(r))
			return
		}
		if first < 0 {
			first = r
		}
		if p.run.t.Bad == nil { // only counted
			p.ledger.Bad++
			return
		}
		p.refuse(source.BadRow{Source: p.scan.Plan.Relation.Name, Position: "row", Reason: reason(r), Raw: []byte(p.cells(b, r))})
	})
	p.kept, b.Sel = keep, keep
	return first
}

// cells is a row as text, in place of the bytes that it was read from.
func (p *reader) cells(b *vec.Batch, row int) string {
	cells := make([]string, len(b.Cols))
	for i, c := range b.Cols {
		cells[i] = vec.RowString(c, row, p.w.ctx.Zone)
	}
	return strings.Join(cells, " | ")
}
