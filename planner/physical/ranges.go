package physical

import (
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Range is a condition on a column that a connector delivers: rows outside, and those with
// NULL, are not needed.
type Range struct {
	Col      int // output column of the scan
	Min, Max int64
	Text     string
}

// Prune tells scans what their readers need, so that parts of files whose statistics say
// that nothing of it is there are not read: where all that takes rows of a scan are filters
// that compare columns with constants. Rows that may be bad are always read; so are changes,
// and rows that move a watermark unless the statistics tell how far. It returns how many
// scans it told.
func Prune(roots []Node) int {
	takers, scans := takersOf(roots)
	pruned := 0
	for _, s := range scans {
		if s.prunable() {
			s.Ranges = needed(s, takers[s])
		}
		if w := s.Watermark; w != nil {
			w.ByExtent = s.byExtent()
			w.Unread = w.ByExtent && !s.reads(w.Col) && unread(s, w.Col, takers)
		}
		if s.Relation.Connector == "view" && len(takers[s]) == 1 {
			s.Equal = equalsOf(takers[s][0], len(s.Need))
		}
		if len(s.Ranges) > 0 {
			pruned++
		}
	}
	return pruned
}

// takersOf are the nodes that take the rows of each node, nil for an output, and the scans
// in order.
func takersOf(roots []Node) (takers map[Node][]Node, scans []*Scan) {
	takers = map[Node][]Node{}
	note := func(n, taker Node) {
		if s, ok := n.(*Scan); ok && takers[n] == nil {
			scans = append(scans, s)
		}
		takers[n] = append(takers[n], taker)
	}
	seen := map[Node]bool{}
	for _, r := range roots {
		note(r, nil)
		Walk(r, func(n Node) {
			if seen[n] {
				return
			}
			seen[n] = true
			for _, c := range n.Children() {
				note(c, n)
			}
		})
	}
	return takers, scans
}

func (s *Scan) prunable() bool {
	return (s.Watermark == nil || s.Finite || s.byExtent()) && len(s.NotNull) == 0 && s.P.Kind == AppendOnly && s.Relation.Columnar()
}

// byExtent tells that the greatest event time of rows is all that the scan must know of rows
// that it does not read.
func (s *Scan) byExtent() bool {
	w := s.Watermark
	return w != nil && !s.Finite && w.Where == nil && s.MaxAhead == 0 && w.Col < len(s.Need) && s.P.Kind == AppendOnly && s.Relation.Connector == "file" && s.Relation.Columnar()
}

// reads tells that the scan itself looks at the values of an output column.
func (s *Scan) reads(col int) bool {
	return slices.Contains(s.NotNull, col) || slices.Contains(expr.ColumnsOf(s.Computed...), col)
}

// unread tells that nobody looks at the values of a column of n: all that takes its rows
// are projections without it, behind filters that do not ask for it.
func unread(n Node, col int, takers map[Node][]Node) bool {
	return !slices.ContainsFunc(takers[n], func(t Node) bool {
		switch x := t.(type) {
		case *Project:
			return slices.Contains(expr.ColumnsOf(x.Exprs...), col)
		case *Filter:
			return slices.Contains(expr.ColumnsOf(x.Predicate), col) || !unread(x, col, takers)
		}
		return true
	})
}

// needed are the ranges that hold every row that some taker wants.
func needed(s *Scan, takers []Node) []Range {
	var all map[int]Range
	for _, t := range takers {
		f, ok := t.(*Filter)
		if !ok {
			return nil
		}
		own := rangesOf(f.Predicate, len(s.Need))
		if all == nil {
			all = own
			continue
		}
		for col, r := range all {
			o, ok := own[col]
			if !ok {
				delete(all, col)
				continue
			}
			r.Min, r.Max, r.Text = min(r.Min, o.Min), max(r.Max, o.Max), r.Text+" OR "+o.Text
			all[col] = r
		}
	}
	out := make([]Range, 0, len(all))
	for _, r := range all {
		out = append(out, r)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Col < out[j].Col })
	return out
}

// rangesOf are the ranges that a predicate demands of the first columns.
func rangesOf(pred expr.Node, cols int) map[int]Range {
	list := []expr.Node{pred}
	if a, ok := pred.(*expr.And); ok {
		list = a.Args
	}
	out := map[int]Range{}
	for _, c := range list {
		r, ok := rangeOf(c)
		if !ok || r.Col >= cols {
			continue
		}
		if old, ok := out[r.Col]; ok {
			r.Min, r.Max, r.Text = max(r.Min, old.Min), min(r.Max, old.Max), old.Text+" AND "+r.Text
		}
		out[r.Col] = r
	}
	return out
}

// rangeOf is what a comparison of a column with a constant demands.
func rangeOf(n expr.Node) (Range, bool) {
	c, ok := n.(*expr.Call)
	if !ok || len(c.Args) != 2 {
		return Range{}, false
	}
	op := c.F.Name
	col, isCol := c.Args[0].(*expr.Column)
	k, isConst := c.Args[1].(*expr.Const)
	if !isCol || !isConst {
		col, isCol = c.Args[1].(*expr.Column)
		k, isConst = c.Args[0].(*expr.Const)
		op = turned(op)
	}
	if !isCol || !isConst || k.IsNull() || col.T.Phys() != types.PhysInt64 || !col.T.Equal(k.Type()) {
		return Range{}, false
	}
	r := Range{Col: col.Index, Min: math.MinInt64, Max: math.MaxInt64, Text: n.String()}
	switch x := k.V.Int(0); op {
	case "=":
		r.Min, r.Max = x, x
	case "<", "<=":
		r.Max = x
	case ">", ">=":
		r.Min = x
	default:
		return Range{}, false
	}
	return r, true
}

// turned is a comparison with its sides exchanged.
func turned(op string) string {
	return strings.NewReplacer("<", ">", ">", "<").Replace(op)
}

// Equal is a condition on a column that a connector delivers: rows with another value are
// not needed.
type Equal struct {
	Col   int // output column of the scan
	Value *vec.Vector
}

// equalsOf are the columns, of the first ones, that a filter compares with a constant.
func equalsOf(taker Node, cols int) (out []Equal) {
	f, ok := taker.(*Filter)
	if !ok {
		return nil
	}
	list := []expr.Node{f.Predicate}
	if a, ok := f.Predicate.(*expr.And); ok {
		list = a.Args
	}
	for _, n := range list {
		c, ok := n.(*expr.Call)
		if !ok || c.F.Name != "=" || len(c.Args) != 2 {
			continue
		}
		col, isCol := c.Args[0].(*expr.Column)
		k, isConst := c.Args[1].(*expr.Const)
		if !isCol || !isConst {
			col, isCol = c.Args[1].(*expr.Column)
			k, isConst = c.Args[0].(*expr.Const)
		}
		if isCol && isConst && !k.IsNull() && col.Index < cols && col.T.Equal(k.Type()) {
			out = append(out, Equal{col.Index, k.V})
		}
	}
	return out
}
