package rules

import "github.com/sqlstream/sqlstream/planner/logical"

// semiDistinct does not count duplicates for a join that asks only whether there is a
// match. Beside a watermark DISTINCT stays: it also decides which rows are late.
func semiDistinct(_ *Context, n logical.Node) logical.Node {
	j, ok := n.(*logical.Join)
	if !ok || j.Kind != logical.Semi && j.Kind != logical.Anti && j.Kind != logical.Mark {
		return n
	}
	d, ok := j.R.(*logical.Distinct)
	if !ok || watermarked(d) {
		return n
	}
	return j.WithChildren([]logical.Node{j.L, d.Input})
}

// watermarked reports a watermark below a node.
func watermarked(n logical.Node) bool {
	found := false
	logical.Walk(n, func(x logical.Node) {
		s, ok := x.(*logical.Scan)
		found = found || ok && s.Watermark != nil
	})
	return found
}
