package parser

import (
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"sync"

	tidbparser "github.com/pingcap/tidb/pkg/parser"
	tidb "github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/format"
	"github.com/pingcap/tidb/pkg/parser/mysql"

	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// value is the only literal that TiDB ever sees: the number of a carrier, or the
// count of a LIMIT. It stands in for TiDB's own value types.
type value struct {
	tidb.TexprNode
	number uint64
}

func newValue(v any) *value {
	switch n := v.(type) {
	case int64:
		return &value{number: uint64(n)}
	case uint64:
		return &value{number: n}
	}
	return &value{}
}

// SetValue and the others satisfy TiDB's interfaces; only Accept is ever called.
func (v *value) SetValue(any)                          {}
func (v *value) GetValue() any                         { return v.number }
func (v *value) GetDatumString() string                { return "" }
func (v *value) GetString() string                     { return "" }
func (v *value) GetProjectionOffset() int              { return 0 }
func (v *value) SetProjectionOffset(int)               {}
func (v *value) SetOrder(int)                          {}
func (v *value) Restore(*format.RestoreCtx) error      { return nil }
func (v *value) Format(w io.Writer)                    { fmt.Fprint(w, v.number) }
func (v *value) Accept(tidb.Visitor) (tidb.Node, bool) { return v, true }

// setDriver fills TiDB's process-wide hooks, once.
var setDriver = sync.OnceFunc(func() {
	tidb.NewValueExpr = func(v any, _, _ string) tidb.ValueExpr { return newValue(v) }
	tidb.NewParamMarkerExpr = func(int) tidb.ParamMarkerExpr { return &value{} }
	tidb.NewDecimal = func(s string) (any, error) { return s, nil }
	tidb.NewHexLiteral = func(s string) (any, error) { return s, nil }
	tidb.NewBitLiteral = func(s string) (any, error) { return s, nil }
})

// innerPool keeps TiDB parsers, which are not safe for concurrent use.
var innerPool = sync.Pool{New: func() any {
	setDriver()
	return tidbparser.New()
}}

const innerMode = mysql.ModePipesAsConcat | mysql.ModeNoBackslashEscapes | mysql.ModeIgnoreSpace

// runInner gives TiDB a statement and decodes its tree, which is only valid
// until the parser goes back into the pool.
func (p *parser) runInner(r rope, decode func(d *decoder, stmt tidb.Node)) {
	if p.failed || len(p.diags) > 0 && r.head == nil {
		return
	}
	if size := p.stop() - p.begin; size > maxText {
		p.failf(diag.TooLong, diag.Span{Start: p.begin, End: p.begin + 1},
			"the statement is %d bytes long; the limit is %d", size, maxText)
		return
	}
	text := r.render()
	inner := innerPool.Get().(*tidbparser.Parser)
	defer innerPool.Put(inner)
	inner.SetSQLMode(innerMode)
	stmts, _, err := inner.ParseSQL(text.text)
	if err != nil {
		p.fail(p.innerError(text, err))
		return
	}
	if len(stmts) != 1 {
		p.failf(diag.Syntax, p.here(), "expected one statement, found %d", len(stmts))
		return
	}
	decode(&decoder{p: p, text: text}, stmts[0])
}

// runQuery parses a rewritten query.
func (p *parser) runQuery(r rope) *ast.Query {
	out := &ast.Query{}
	p.runInner(r, func(d *decoder, stmt tidb.Node) { out = d.query(stmt) })
	return out
}

// runExpr parses a rewritten expression.
func (p *parser) runExpr(o operand) ast.Expr {
	var out ast.Expr = &ast.Literal{Span: o.span}
	text := newRope("SELECT ", o.span.Start)
	text.join(o.rope)
	p.runInner(text, func(d *decoder, stmt tidb.Node) {
		sel, ok := stmt.(*tidb.SelectStmt)
		if !ok || len(sel.Fields.Fields) != 1 {
			d.refuse(o.span)
			return
		}
		out = d.expr(sel.Fields.Fields[0].Expr)
	})
	return out
}

var totalLength = regexp.MustCompile(`\(total length (\d+)\)\s*$`)

// innerError maps a syntax error of TiDB to the user's text. The column that TiDB
// names is unreliable; the text after "near" begins exactly at the offending
// token, and when it is cut, its length is given.
func (p *parser) innerError(text rendered, err error) *diag.Diagnostic {
	rest := 0
	if _, near, ok := strings.Cut(err.Error(), `near "`); ok {
		if m := totalLength.FindStringSubmatch(near); m != nil {
			rest, _ = strconv.Atoi(m[1])
		} else {
			rest = len(strings.TrimRight(near, " \n")) - 1
		}
	}
	at := text.source(max(0, len(text.text)-rest))
	span := p.tokenAt(at)
	return diag.Errorf(diag.Syntax, span, "syntax error at %q", p.src.Slice(span))
}

// tokenAt is the span of the token at an offset.
func (p *parser) tokenAt(offset int) diag.Span {
	for _, t := range p.toks[p.first:p.end] {
		if int(t.end) > offset {
			return t.span()
		}
	}
	return diag.Span{Start: p.stop(), End: p.stop()}
}
