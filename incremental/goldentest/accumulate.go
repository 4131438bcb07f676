package goldentest

import (
	"slices"

	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// row is an output row with its weight.
type row struct {
	b *vec.Batch
	i int
	w int64
}

// accumulated is what a query has given so far.
type accumulated struct {
	out  *physical.Output
	last []row // of the last trigger, in order
	all  []row // the result now, whatever the mode
}

func (a *accumulated) reset(out *physical.Output) { *a = accumulated{out: out} }

// take enters the rows of a trigger.
func (a *accumulated) take(batches []*vec.Batch) {
	a.last = nil
	for _, b := range batches {
		for i := range b.Rows() {
			r := b.Row(i)
			a.last = append(a.last, row{b, r, b.Weight(r)})
		}
	}
	switch a.out.Mode {
	case sink.Complete:
		if len(a.last) > 0 {
			a.all = a.last
		}
	case sink.Update:
		for _, r := range a.last {
			a.replace(r)
		}
	default:
		for _, r := range a.last {
			a.add(r)
		}
	}
}

// replace enters a new version of a key, or removes it.
func (a *accumulated) replace(r row) {
	if a.out.Key != nil {
		a.all = slices.DeleteFunc(a.all, func(x row) bool { return sameRow(x, r, a.out.Key) })
	}
	if r.w > 0 {
		a.all = append(a.all, r)
	}
}

// add sums weights of equal rows.
func (a *accumulated) add(r row) {
	i := slices.IndexFunc(a.all, func(x row) bool { return sameRow(x, r, nil) })
	if i < 0 {
		a.all = append(a.all, r)
		return
	}
	if a.all[i].w += r.w; a.all[i].w == 0 {
		a.all = slices.Delete(a.all, i, i+1)
	}
}

// sameRow compares rows in some columns, nil = all.
func sameRow(x, y row, cols []int) bool {
	if cols != nil {
		return !slices.ContainsFunc(cols, func(c int) bool { return !vec.Equal(x.b.Cols[c], x.i, y.b.Cols[c], y.i) })
	}
	for c := range x.b.Cols {
		if !vec.Equal(x.b.Cols[c], x.i, y.b.Cols[c], y.i) {
			return false
		}
	}
	return true
}

// sorted orders rows by all columns, then weight.
func sorted(rows []row) []row {
	out := slices.Clone(rows)
	slices.SortStableFunc(out, func(x, y row) int {
		for c := range x.b.Cols {
			if d := vec.Compare(x.b.Cols[c], x.i, y.b.Cols[c], y.i); d != 0 {
				return d
			}
		}
		return int(x.w - y.w)
	})
	return out
}

// repeated writes a multiset out: each row as often as its weight says.
func repeated(rows []row) []row {
	var out []row
	for _, r := range rows {
		for range max(r.w, 1) {
			out = append(out, r)
		}
	}
	return out
}

// table prints rows under a header. extra is the last column: "", "weight" or "op".
func (w *world) table(cols []types.Column, rows []row, extra string) []string {
	if len(rows) == 0 {
		return []string{"(none)"}
	}
	lines := [][]string{nil}
	for _, c := range cols {
		lines[0] = append(lines[0], quoteCell(c.Name, false, nil))
	}
	if extra != "" {
		lines[0] = append(lines[0], extra)
	}
	for _, r := range rows {
		lines = append(lines, w.cells(r, extra))
	}
	return layout(lines)
}

func (w *world) cells(r row, extra string) []string {
	var out []string
	for _, c := range r.b.Cols {
		text, null := cellText(c, r.i, w.form)
		if !null {
			text = quoteCell(text, len(r.b.Cols) == 1 && extra == "", w.sources)
		}
		out = append(out, text)
	}
	switch extra {
	case "weight":
		out = append(out, formatInt(r.w))
	case "op":
		out = append(out, map[bool]string{true: "u", false: "-"}[r.w > 0])
	}
	return out
}
