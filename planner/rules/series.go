package rules

import (
	"math/bits"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// longSeries is from how many rows on a series is cut: shorter ones are made whole, and of
// their rows LIMIT takes the first ones in the order of the whole row.
const longSeries = 1 << 24

// limitSeries cuts a long series of numbers that LIMIT without ORDER BY reads: of
// range(1000000000) LIMIT 3 only three rows are made.
func limitSeries(_ *Context, n logical.Node) logical.Node {
	s, ok := n.(*logical.Sort)
	if !ok || len(s.Keys) > 0 || s.Limit == logical.NoLimit || s.Ties {
		return n
	}
	rows, carry := bits.Add64(uint64(s.Limit), uint64(s.Offset), 0)
	if carry != 0 || rows >= longSeries {
		return n
	}
	in := cutSeries(s.Input, int64(max(rows, 1)))
	if in == nil {
		return n
	}
	out := *s
	out.Input = in
	return &out
}

// cutSeries is a plan whose series has so many rows; nil where it is no long series, with
// projections over it.
func cutSeries(n logical.Node, rows int64) logical.Node {
	switch x := n.(type) {
	case *logical.Project:
		in := cutSeries(x.Input, rows)
		if in == nil {
			return nil
		}
		return x.WithChildren([]logical.Node{in})
	case *logical.Unnest:
		v, ok := x.Input.(*logical.Values)
		if !ok || len(v.Rows) != 1 || x.Gen.Name != "range" && x.Gen.Name != "generate_series" {
			return nil
		}
		at, end := seriesEnd(x, rows)
		if end == nil {
			return nil
		}
		out := *x
		out.Args = append([]expr.Node(nil), x.Args...)
		out.Args[at] = end
		return &out
	}
	return nil
}

// seriesEnd is the argument with the end of an ascending series of constants, and the end
// after so many rows; nil if the series is short, or another.
func seriesEnd(u *logical.Unnest, rows int64) (at int, end expr.Node) {
	nums := []int64{0, 0, 1}
	if len(u.Args) == 1 {
		at = 0
	} else {
		at = 1
	}
	for i, a := range u.Args {
		c, ok := a.(*expr.Const)
		if !ok || c.IsNull() || !c.Type().IsInteger() {
			return 0, nil
		}
		nums[i+1-at] = c.V.Int(0)
	}
	from, to, step := nums[0], nums[1], nums[2]
	if step <= 0 || to < from || (uint64(to)-uint64(from))/uint64(step) < longSeries {
		return 0, nil
	}
	return at, expr.Int(u.Args[at].Type(), from+step*rows)
}
