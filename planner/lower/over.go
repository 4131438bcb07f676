package lower

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/unsupported"
)

// over lowers functions with OVER.
func (l *Lowerer) over(o *logical.Over, need []bool) *lowered {
	l.refuse(unsupported.Diagnostic(diag.OverWindow, diag.Span{}, o.Funcs[0].String()+" OVER"))
	below := make([]bool, len(o.Input.Schema()))
	for i := range below {
		below[i] = true
	}
	in := l.aligned(o.Input, below)
	exprs, names := []expr.Node{}, []string{}
	for i, c := range o.Schema() {
		names = append(names, c.Name)
		if i < len(below) {
			exprs = append(exprs, column(in, in.cols[i]))
			continue
		}
		exprs = append(exprs, expr.Null(c.Type))
	}
	return l.project(in, exprs, names)
}
