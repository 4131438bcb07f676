package parser

import (
	"strings"

	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// source is a rewritten table reference; joined ones are put into parentheses
// on the right side of a join.
type source struct {
	rope   rope
	span   diag.Span
	joined bool
}

func (s source) factor() rope {
	if s.joined {
		return s.rope.wrapped()
	}
	return s.rope
}

// from reads what follows FROM: joins, separated by commas.
func (p *parser) from() rope { return p.commaJoins().rope }

func (p *parser) commaJoins() source {
	left := p.joins()
	for p.isOp(",") && !p.failed {
		p.next()
		right := p.joins()
		left = p.emitJoin(&ast.Join{Kind: ast.CrossJoin, Comma: true}, left, right, nil)
	}
	return left
}

// tableFactor is a table reference under construction: its node, the fields that
// all kinds have, and what fills its holes.
type tableFactor struct {
	node      ast.TableRef
	span      *diag.Span
	alias     **ast.Alias
	watermark **ast.Watermark
	asOf      *ast.Expr
	sample    **ast.Sample // nil: it takes no TABLESAMPLE
	args      []arg
}

// factor reads one table reference with what may follow it.
func (p *parser) factor() source {
	defer p.leave()
	if !p.enter() {
		return source{}
	}
	start := p.pos
	if p.isOp("(") && !p.queryParen(0) {
		return p.parenJoins()
	}
	f := p.factorHead(start)
	if p.failed || f == nil {
		return source{}
	}
	p.factorTail(f)
	*f.span = p.since(start)
	return source{rope: p.emitFactor(f), span: *f.span}
}

// parenJoins reads (a JOIN b ...).
func (p *parser) parenJoins() source {
	start := p.pos
	p.next()
	inner := p.commaJoins()
	p.closeList()
	if p.isWord("AS") || p.nameAt(0) && !p.tableSoft() {
		return p.namedJoins(start, inner)
	}
	return source{rope: inner.rope, span: p.since(start), joined: inner.joined}
}

// namedJoins reads the name of a join in parentheses: it is a query that reads the join, since
// the names inside are hidden by it.
func (p *parser) namedJoins(start int, inner source) source {
	span := p.since(start)
	q := &ast.Query{Span: span}
	c := &clauses{sel: &ast.Select{Span: span}, items: p.starItem(span).rope, from: inner.rope}
	node := &ast.Derived{}
	f := &tableFactor{node: node, span: &node.Span, alias: &node.Alias, watermark: &node.Watermark, sample: &node.Sample,
		args: []arg{fillQuery(&node.Query, p.emitSelect(c, q))}}
	p.factorTail(f)
	node.Span = p.since(start)
	return source{rope: p.emitFactor(f), span: node.Span}
}

// emitFactor writes a leaf as a name and anything with holes as a derived table.
func (p *parser) emitFactor(f *tableFactor) rope {
	if len(f.args) == 0 {
		return p.nameLeaf(f.node, *f.span).rope
	}
	out := newRope("(SELECT ", f.span.Start)
	out.join(p.carry(f.node, *f.span, f.args...).rope)
	out.add(") AS `t`", max(f.span.Start, f.span.End-1))
	return out
}

// factorHead reads the table reference itself.
func (p *parser) factorHead(start int) *tableFactor {
	switch {
	case p.peek().isString():
		return p.file(false)
	case p.isWord("STREAM") && p.at(1).isString():
		p.next()
		return p.file(true)
	case p.isWord("STREAM") && p.streamName():
		p.next() // Spark's word for what a source is anyway
		return p.factorHead(start)
	case p.isWord("STREAM") && p.opAt(1, "(") && p.nameAt(2) && p.opAt(3, ")"):
		return p.streamCall()
	case p.isOp("("):
		return p.derived(false)
	case p.isWord("VALUES") && p.opAt(1, "("):
		return p.inlineValues()
	case p.isWord("LATERAL") && (p.opAt(1, "(") || p.callAheadAt(1)):
		p.next()
		if p.queryParen(0) {
			return p.derived(true)
		}
		return p.tableFunc(start, true)
	case p.isWord("TABLE") && p.queryParen(1):
		p.next()
		return p.derived(false)
	case p.isWord("TABLE") && p.opAt(1, "("), p.callAhead():
		return p.tableFunc(start, p.isWord("UNNEST"))
	}
	return p.tableName()
}

// streamCall reads STREAM(name), as Spark's pipelines write it.
func (p *parser) streamCall() *tableFactor {
	p.pos += 2
	f := p.tableName()
	p.expectOp(")")
	return f
}

// streamName tells FROM STREAM name from a table called stream.
func (p *parser) streamName() bool {
	if !p.nameAt(1) {
		return false
	}
	p.pos++
	soft := p.tableSoft()
	p.pos--
	return !soft
}

// callAhead tells whether a dotted name and a parenthesis are next.
func (p *parser) callAhead() bool { return p.callAheadAt(0) }

func (p *parser) callAheadAt(first int) bool {
	n := first
	for p.at(n).isName() && p.opAt(n+1, ".") {
		n += 2
	}
	return p.nameAt(first) && p.at(n).isName() && p.opAt(n+1, "(")
}

func (p *parser) file(stream bool) *tableFactor {
	node := &ast.File{Stream: stream, Path: p.stringLit("a path").Text}
	return &tableFactor{node: node, span: &node.Span, alias: &node.Alias, watermark: &node.Watermark, sample: &node.Sample}
}

func (p *parser) derived(lateral bool) *tableFactor {
	node := &ast.Derived{Lateral: lateral}
	q, _ := p.queryInParens()
	sample := &node.Sample
	if lateral {
		sample = nil
	}
	return &tableFactor{node: node, span: &node.Span, alias: &node.Alias, watermark: &node.Watermark, sample: sample,
		args: []arg{fillQuery(&node.Query, q)}}
}

// inlineValues reads VALUES (…), (…) without parentheses around it.
func (p *parser) inlineValues() *tableFactor {
	start := p.pos
	node := &ast.Derived{}
	q := &ast.Query{}
	body := p.values(q)
	q.Span = p.since(start)
	return &tableFactor{node: node, span: &node.Span, alias: &node.Alias, watermark: &node.Watermark,
		args: []arg{fillQuery(&node.Query, body)}}
}

func (p *parser) tableName() *tableFactor {
	if p.isWord("TABLE") && p.nameAt(1) {
		p.next() // FROM TABLE t
	}
	node := &ast.TableName{Name: p.name("a table")}
	for p.peek().kind == tokHint {
		node.Hints = append(node.Hints, p.hint())
	}
	return &tableFactor{node: node, span: &node.Span, alias: &node.Alias, watermark: &node.Watermark, asOf: &node.AsOf, sample: &node.Sample}
}

// factorTail reads AS OF, WATERMARK and the alias, in any order, each once.
func (p *parser) factorTail(f *tableFactor) {
	for !p.failed {
		switch {
		case p.isWords("FOR", "SYSTEM_TIME", "AS", "OF"):
			p.systemTime(f)
		case p.startsWatermark(), p.isWords("WITH", "WATERMARK"):
			p.once(*f.watermark != nil, "WATERMARK")
			w, args := p.watermark()
			*f.watermark = w
			f.args = append(f.args, args...)
		case p.isWord("TABLESAMPLE") && f.sample != nil:
			p.once(*f.sample != nil, "TABLESAMPLE")
			*f.sample = p.sample()
		case p.refusedFactor():
		case *f.alias == nil && p.isWord("AS"), *f.alias == nil && p.nameAt(0) && !p.tableSoft():
			*f.alias = p.tableAlias()
		default:
			return
		}
	}
}

func (p *parser) systemTime(f *tableFactor) {
	if f.asOf == nil {
		p.failf(diag.Unexpected, p.here(), "FOR SYSTEM_TIME AS OF can follow only the name of a table")
		return
	}
	if f.sample != nil && *f.sample != nil {
		p.failf(diag.NotSupported, p.here(), "TABLESAMPLE and FOR SYSTEM_TIME AS OF of one table are not supported")
	}
	f.sample = nil
	p.pos += 4
	f.args = append(f.args, fill(f.asOf, p.expr()))
	f.asOf = nil
}

// refusedFactor fails on the clauses that have no plan.
func (p *parser) refusedFactor() bool {
	t := p.peek()
	switch word := p.upper(t); {
	case word == "TABLESAMPLE":
		p.fail(diag.Errorf(diag.NotSupported, t.span(), "TABLESAMPLE of a table function or a LATERAL query is not supported").
			WithHint("write it behind a subquery: FROM (SELECT * FROM …) TABLESAMPLE (10)"))
	case word == "MATCH_RECOGNIZE" && p.opAt(1, "("):
		p.fail(diag.Errorf(diag.NotSupported, t.span(), "MATCH_RECOGNIZE is not supported").
			WithHint("steps that follow one another are read with lag(x) and lead(x) OVER (PARTITION BY … ORDER BY …), or joined: FROM t AS a JOIN t AS b ON a.k = b.k AND b.ts > a.ts"))
	default:
		return false
	}
	return true
}

// workerClause tells Hive's clauses on which worker has which rows, in what order.
func (p *parser) workerClause() bool {
	return p.anyWordAt(0, "CLUSTER", "DISTRIBUTE", "SORT") && p.wordAt(1, "BY")
}

func (p *parser) tableAlias() *ast.Alias {
	start := p.pos
	p.accept("AS")
	a := &ast.Alias{Name: p.ident("an alias")}
	if p.isOp("(") {
		p.typedColumns()
		a.Columns = p.identList("a column name")
	}
	a.Span = p.since(start)
	return a
}

// typedColumns fails on AS x (a int, b text), as PostgreSQL names the columns of a record.
func (p *parser) typedColumns() {
	if !p.at(1).isName() || !p.at(2).isName() || p.peek().match < 0 {
		return
	}
	def := strings.Join(strings.Fields(p.src.Slice(diag.Span{Start: int(p.at(1).start), End: int(p.toks[p.peek().match].start)})), " ")
	p.fail(diag.Errorf(diag.NotSupported, p.at(2).span(), "types in the columns of an alias are not supported").
		WithHint("JSON is read by from_json(x, '%s'), an array of objects by inline(from_json(x, 'ARRAY<STRUCT<%s>>'))", def, def))
}

// tableSoft tells whether the next word is no alias of a table.
func (p *parser) tableSoft() bool {
	switch p.upper(p.peek()) {
	case "LEFT", "RIGHT", "FULL", "SEMI", "ANTI", "ASOF", "MATCH_CONDITION", "TABLESAMPLE":
		return true
	case "PIVOT", "UNPIVOT":
		return p.startsPivot()
	case "MATCH_RECOGNIZE":
		return p.opAt(1, "(")
	case "WATERMARK":
		return p.startsWatermark()
	case "FOR":
		return true
	case "POSITIONAL":
		return p.wordAt(1, "JOIN")
	case "ANY", "GLOBAL": // of ClickHouse, where another row would be joined
		return p.anyWordAt(1, "JOIN", "LEFT", "RIGHT", "INNER", "FULL", "ANY")
	case "NEAREST", "APPROX", "EXACT":
		return p.startsNearest()
	case "INCLUDE", "EXCLUDE":
		return p.wordAt(1, "NULLS")
	case "CLUSTER", "DISTRIBUTE", "SORT":
		return p.workerClause()
	}
	return p.softClause()
}

// startsWatermark tells WATERMARK [FOR] path AS|DELAY from an alias.
func (p *parser) startsWatermark() bool {
	if !p.isWord("WATERMARK") {
		return false
	}
	n := 1
	if p.wordAt(1, "FOR") {
		n = 2
	}
	if !p.nameAt(n) {
		return n == 2 || p.delayAhead(n)
	}
	for p.opAt(n+1, ".") && p.at(n+2).isName() {
		n += 2
	}
	return p.anyWordAt(n+1, "AS", "DELAY") || n == 1 && p.delayAhead(n)
}

// delayAhead finds `expression AS name DELAY` from the token n ahead: a computed event
// time.
func (p *parser) delayAhead(n int) bool {
	depth := 0
	for i := n; p.at(i).kind != tokEnd && depth >= 0; i++ {
		switch {
		case p.opAt(i, "("):
			depth++
		case p.opAt(i, ")"):
			depth--
		case depth > 0:
		case p.opAt(i, ","), p.anyWordAt(i, "WHERE", "GROUP", "JOIN", "ON", "ORDER", "HAVING", "EMIT"):
			return false
		case p.wordAt(i, "AS") && p.at(i+1).isName() && p.wordAt(i+2, "DELAY"):
			return i > n
		}
	}
	return false
}

// computedWatermark reads `expression AS name DELAY duration`.
func (p *parser) computedWatermark(w *ast.Watermark) []arg {
	args := []arg{fill(&w.Expr, p.expr())}
	p.expect("AS")
	w.Column = p.name("a column")
	p.expect("DELAY")
	p.accept("OF")
	w.Delay = p.duration("a duration")
	return args
}

// pathAhead tells a path before AS or DELAY from an expression.
func (p *parser) pathAhead() bool {
	n := 0
	for p.at(n).isName() && p.opAt(n+1, ".") {
		n += 2
	}
	return p.at(n).isName() && p.anyWordAt(n+1, "AS", "DELAY")
}

// watermark reads any spelling of a watermark.
func (p *parser) watermark() (*ast.Watermark, []arg) {
	start := p.pos
	w := &ast.Watermark{}
	if p.accept("WITH", "WATERMARK") {
		p.expectOp("(")
		w.Column = p.name("a column")
		p.expectOp(",")
		w.Delay = p.duration("a duration")
		p.expectOp(")")
		w.Span = p.since(start)
		return w, nil
	}
	p.next()
	if !p.accept("FOR") && !p.pathAhead() {
		args := p.computedWatermark(w)
		w.Span = p.since(start)
		return w, args
	}
	w.Column = p.name("a column")
	var args []arg
	switch {
	case p.accept("AS"):
		args = []arg{fill(&w.Expr, p.expr())}
	case p.accept("DELAY"):
		p.accept("OF")
		w.Delay = p.duration("a duration")
	default:
		p.unexpected("AS or DELAY")
	}
	w.Span = p.since(start)
	return w, args
}
