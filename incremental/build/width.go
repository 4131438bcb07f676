package build

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// bucketWidth is the width of an operator's buckets by a bound column: 1, a bucket for
// each value, if the column holds the bounds of windows or the like, of which few are
// open; else 0, the operator's choice for raw times.
func bucketWidth(n physical.Node, col int) int64 {
	switch p := n.(type) {
	case *physical.Project:
		switch e := p.Exprs[col].(type) {
		case *expr.Column:
			return bucketWidth(p.Input, e.Index)
		case *expr.Call:
			return stepWidth(e)
		}
	case *physical.Filter:
		return bucketWidth(p.Input, col)
	case *physical.Expand:
		if col < len(p.Input.Props().Columns) {
			return bucketWidth(p.Input, col)
		}
	case *physical.Hop:
		if col < len(p.Input.Props().Columns) {
			return bucketWidth(p.Input, col)
		}
		return 1
	case *physical.Session:
		if col < len(p.Input.Props().Columns) {
			return bucketWidth(p.Input, col)
		}
	case *physical.Aggregate:
		if p.Sessions != nil && (col == p.Sessions.Start || col == p.Sessions.End) {
			return 0
		}
		if p.Panes != nil && col == p.Panes.Key {
			return 1
		}
		if col < len(p.Keys) {
			return bucketWidth(p.Input, p.Keys[col])
		}
	case *physical.Scan:
		if first := len(p.Need); col >= first {
			if c, ok := p.Computed[col-first].(*expr.Call); ok {
				return stepWidth(c)
			}
		}
	}
	return 0
}

// stepWidth is 1 for functions that have one value for a stretch of time.
func stepWidth(c *expr.Call) int64 {
	switch c.F.Name {
	case "window_start", "window_end", "date_trunc", "time_bucket", "trunc":
		return 1
	}
	return 0
}
