package decorrelate

import (
	"slices"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// simplify makes a join of a subquery cheaper where its right side is known to be small.
func simplify(j *logical.Join) logical.Node {
	switch j.Kind {
	case logical.Semi, logical.Anti, logical.Mark:
		if len(j.LKeys) == 0 && j.Residual == nil {
			j.R = atMostOneRow(j.R)
		}
	case logical.Inner, logical.Left:
		if j.Single && singleRow(j.R, j.RKeys) {
			j.Single = false
		}
		if nothingToAdd(j) {
			return j.L
		}
		if j.Kind == logical.Left && len(j.LKeys) == 0 && j.Residual == nil && oneRow(j.R) {
			j.Kind = logical.Inner
		}
	}
	return j
}

// nothingToAdd: the right side is one row without columns, of a SELECT without FROM.
func nothingToAdd(j *logical.Join) bool {
	v, ok := j.R.(*logical.Values)
	return ok && len(v.Rows) == 1 && len(v.Columns) == 0 && len(j.LKeys) == 0 && j.Residual == nil
}

// atMostOneRow keeps of a relation that there is something.
func atMostOneRow(n logical.Node) logical.Node {
	return &logical.Distinct{Input: &logical.Project{Input: n, Exprs: []expr.Node{expr.Bool(true)}, Names: []string{"exists"}}}
}

// oneRow reports a relation that always has exactly one row.
func oneRow(n logical.Node) bool {
	switch x := n.(type) {
	case *logical.Project:
		return oneRow(x.Input)
	case *logical.Aggregate:
		return len(x.Keys) == 0
	case *logical.Values:
		return len(x.Rows) == 1
	}
	return false
}

// singleRow reports that no two rows of a relation have equal keys.
func singleRow(n logical.Node, keys []expr.Node) bool {
	var cols []int
	for _, k := range keys {
		if c, ok := k.(*expr.Column); ok {
			cols = append(cols, c.Index)
		}
	}
	return unique(n, cols)
}

// unique reports that columns identify a row.
func unique(n logical.Node, cols []int) bool {
	switch x := n.(type) {
	case *logical.Project:
		var below []int
		for _, c := range cols {
			if col, ok := x.Exprs[c].(*expr.Column); ok {
				below = append(below, col.Index)
			}
		}
		return unique(x.Input, below)
	case *logical.Filter:
		return unique(x.Input, cols)
	case *logical.Aggregate:
		for i := range x.Keys {
			if !slices.Contains(cols, i) {
				return false
			}
		}
		return true
	case *logical.Distinct:
		for i := range x.Schema() {
			if !slices.Contains(cols, i) {
				return false
			}
		}
		return true
	case *logical.Values:
		return len(x.Rows) <= 1
	case *logical.Sort:
		return x.Limit == 0 || x.Limit == 1 && !x.Ties
	case *logical.TopN:
		return x.Limit == 1 && x.Ranking == logical.ByPosition && allColumnsIn(x.PartitionBy, cols) || unique(x.Input, cols)
	case *logical.Join:
		return uniqueJoin(x, cols)
	}
	return false
}

func allColumnsIn(exprs []expr.Node, cols []int) bool {
	for _, e := range exprs {
		c, ok := e.(*expr.Column)
		if !ok || !slices.Contains(cols, c.Index) {
			return false
		}
	}
	return true
}

// uniqueJoin: the left columns identify a left row, which has at most one match, or is tested
// alone. Rows of the right side that stand by themselves have no left columns.
func uniqueJoin(j *logical.Join, cols []int) bool {
	nl := logical.Width(j.L)
	var left []int
	for _, c := range cols {
		if c < nl {
			left = append(left, c)
		}
	}
	switch j.Kind {
	case logical.Inner, logical.Left:
		return singleRow(j.R, j.RKeys) && unique(j.L, left)
	case logical.Semi, logical.Anti, logical.Mark:
		return unique(j.L, left)
	}
	return false
}
