package rules

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// pushFilterAggregate tests before grouping: conditions on group keys alone, which leave
// whole groups out. An aggregate without keys has its row whatever comes in, so that
// nothing passes it; columns that the node below adds to the rows (windows, sessions,
// grouping sets) stay next to their aggregate, which computes them together.
func pushFilterAggregate(c *Context, n logical.Node) logical.Node {
	f, ok := n.(*logical.Filter)
	if !ok {
		return n
	}
	a, ok := f.Input.(*logical.Aggregate)
	if !ok {
		return n
	}
	passes := func(col int) bool {
		return col < len(a.Keys) && cheap(a.Keys[col]) && expr.Volatility(a.Keys[col]) == fn.Immutable && ofInput(a.Input, a.Keys[col])
	}
	return pushWhere(f, passes, func(down expr.Node) logical.Node {
		return a.WithChildren([]logical.Node{&logical.Filter{Input: a.Input, Predicate: substitute(c, down, a.Keys)}})
	})
}

// ofInput reports that an expression reads no column that the node adds to the rows of its
// own input.
func ofInput(n logical.Node, e expr.Node) bool {
	width := logical.Width(n)
	switch n.(type) {
	case *logical.Hop, *logical.Session, *logical.Expand:
		width = len(n.Children()[0].Schema())
	}
	cols := expr.ColumnsOf(e)
	return len(cols) == 0 || cols[len(cols)-1] < width
}

// pushFilterPartition tests before rows are ordered: conditions on what partitions them,
// which leave whole partitions out.
func pushFilterPartition(_ *Context, n logical.Node) logical.Node {
	f, ok := n.(*logical.Filter)
	if !ok {
		return n
	}
	var by []expr.Node
	switch x := f.Input.(type) {
	case *logical.Over:
		by = x.PartitionBy
	case *logical.TopN:
		by = x.PartitionBy
	default:
		return n
	}
	in := f.Input.Children()[0]
	passes := func(col int) bool {
		return isKey(by, col) || mutant.On("part of a partition is left out") && col < logical.Width(in)
	}
	return pushWhere(f, passes, func(down expr.Node) logical.Node {
		return f.Input.WithChildren([]logical.Node{&logical.Filter{Input: in, Predicate: down}})
	})
}

func isKey(by []expr.Node, col int) bool {
	for _, k := range by {
		if c, ok := k.(*expr.Column); ok && c.Index == col {
			return true
		}
	}
	return false
}

// pushFilterDistinct tests before duplicates are left out: what is said of a row is true of
// all its copies, and what is said of a key of all that have it.
func pushFilterDistinct(_ *Context, n logical.Node) logical.Node {
	f, ok := n.(*logical.Filter)
	if !ok {
		return n
	}
	var passes func(col int) bool
	switch x := f.Input.(type) {
	case *logical.Distinct:
		passes = func(int) bool { return true }
	case *logical.Dedup:
		passes = func(col int) bool {
			for _, k := range x.Keys {
				if k == col {
					return true
				}
			}
			return false
		}
	default:
		return n
	}
	in := f.Input.Children()[0]
	return pushWhere(f, passes, func(down expr.Node) logical.Node {
		return f.Input.WithChildren([]logical.Node{&logical.Filter{Input: in, Predicate: down}})
	})
}

// pushWhere moves the conditions all of whose columns pass below the filter's input, which
// below makes; the others stay. Columns whose equal values can be told apart do not pass:
// which of them stands for a group is decided above.
func pushWhere(f *logical.Filter, passes func(col int) bool, below func(down expr.Node) logical.Node) logical.Node {
	schema := f.Input.Schema()
	var down, stay []expr.Node
	for _, c := range conjuncts(f.Predicate) {
		cols := expr.ColumnsOf(c)
		ok := len(cols) > 0 && expr.Volatility(c) == fn.Immutable
		for _, col := range cols {
			ok = ok && passes(col) && plain(schema[col].Type)
		}
		if ok {
			down = append(down, c)
		} else {
			stay = append(stay, c)
		}
	}
	if len(down) == 0 {
		return f
	}
	return filtered(below(expr.NewAnd(down...)), stay)
}

// plain types have no two values that are equal and not the same, as 0.0 and -0.0 are, or
// a month and thirty days.
func plain(t types.Type) bool {
	switch t.Kind {
	case types.Float32, types.Float64, types.Interval:
		return false
	}
	for _, f := range t.Fields {
		if !plain(f.Type) {
			return false
		}
	}
	return (t.Elem == nil || plain(*t.Elem)) && (t.Key == nil || plain(*t.Key))
}
