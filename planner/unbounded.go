package planner

import (
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// checkState warns of every operator whose state grows as long as rows come, once for all
// outputs that read it; where the session or the query says so, it refuses them. Complete
// mode keeps its result by definition.
func (p *planner) checkState(q *physical.Query) {
	seen := map[physical.Node]bool{}
	for i, o := range q.Outputs {
		if p.outs[i].finite || o.Mode == sink.Complete {
			continue
		}
		physical.Walk(o, func(n physical.Node) {
			kept, way := physical.Unbounded(n)
			if kept == "" || seen[n] {
				return
			}
			seen[n] = true
			p.unbounded(p.outs[i], n, kept, way)
		})
	}
}

func (p *planner) unbounded(o *output, n physical.Node, kept, way string) {
	const format = "%s (%s) is never cleaned: it keeps %s"
	make := diag.Warnf
	if p.opts.refuseUnbounded {
		make = diag.Errorf
	}
	d := make(diag.UnboundedState, o.span, format, physical.Summary(n), physical.ShortID(n), kept)
	if way != "" {
		d.WithHint("%s", way)
	}
	p.diags = append(p.diags, d)
}
