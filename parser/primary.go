package parser

import (
	"strconv"
	"strings"

	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// primary reads an operand without what may follow it.
func (p *parser) primary() operand {
	t := p.peek()
	switch {
	case t.kind == tokNumber:
		p.next()
		return p.leaf(p.numberOf(t))
	case t.isString(), t.kind == tokBytes:
		p.next()
		return p.leaf(p.stringOf(t))
	case t.kind == tokParam:
		p.next()
		return p.leaf(&ast.Param{Span: t.span(), Name: p.paramName(t)})
	case t.kind == tokPlace:
		p.next()
		return p.leaf(&ast.Place{Span: t.span(), Number: p.text(t)[1:]})
	case t.kind == tokQuoted:
		return p.named()
	case t.kind == tokWord:
		return p.word()
	case t.kind == tokOp:
		return p.bracketed()
	}
	p.noOperand()
	return operand{}
}

// noOperand fails because no expression can begin here.
func (p *parser) noOperand() {
	if p.refusedOperator() {
		return
	}
	for op, write := range map[string]string{"|": "sqrt(x)", "||": "cbrt(x)"} { // |/ and ||/ of PostgreSQL
		if p.isOp(op) && p.opAt(1, "/") {
			p.fail(diag.Errorf(diag.NotSupported, diag.Join(p.here(), p.at(1).span()), "the operator %s/ is not supported", op).WithHint("write %s", write))
			return
		}
	}
	p.noName("an expression")
}

// paramName numbers question marks and takes the digits of $1.
func (p *parser) paramName(t token) string {
	if text := p.text(t); text != "?" {
		return p.numbered(t, text[1:])
	}
	p.params++
	return strconv.Itoa(p.params)
}

// mostParams is how many parameters a statement may number: as many as PostgreSQL's protocol.
const mostParams = 65535

// numbered is the name of $1, in one spelling; that of $name is as it is.
func (p *parser) numbered(t token, name string) string {
	if name[0] < '0' || name[0] > '9' {
		return name
	}
	n, err := strconv.Atoi(name)
	if err != nil || n < 1 || n > mostParams {
		p.failf(diag.BadConstant, t.span(), "parameters are numbered from $1 to $%d", mostParams)
		return "1"
	}
	return strconv.Itoa(n)
}

// bracketed reads an operand that begins with a symbol.
func (p *parser) bracketed() operand {
	switch p.text(p.peek()) {
	case "(":
		return p.paren()
	case "[":
		return p.arrayLiteral(p.pos)
	case "{":
		return p.structLiteral()
	case ":":
		if n := p.at(1); n.kind == tokWord && n.start == p.peek().end {
			start := p.pos
			p.next()
			name := p.take()
			return p.leaf(&ast.Param{Span: p.since(start), Name: name.Name})
		}
	}
	p.noOperand()
	return operand{}
}

// paren reads (query), (a, b), or (expr).
func (p *parser) paren() operand {
	if p.queryParen(0) {
		return p.subquery()
	}
	start := p.pos
	p.next()
	if p.isOp(")") {
		p.unexpected("an expression")
		return operand{}
	}
	var list []operand
	p.sepList(func() { list = append(list, p.nested()) })
	p.closeList()
	if len(list) > 1 {
		node := &ast.Row{Span: p.since(start), Elems: make([]ast.Expr, len(list))}
		return p.carry(node, node.Span, fills(node.Elems, list)...)
	}
	span := p.since(start)
	return operand{list[0].rope.bracketed(span), span, levelSimple}
}

// closeList takes the ) of a list, or says what is wrong before it.
func (p *parser) closeList() {
	if p.acceptOp(")") {
		return
	}
	if p.operandAt(0) && !p.failed {
		p.missingComma()
		return
	}
	if p.isWord("HAVING") && p.anyWordAt(1, "MAX", "MIN") { // BigQuery's any_value(x HAVING MAX y)
		by := strings.ToLower(p.text(p.at(1))) + "_by(x, y)"
		p.fail(diag.Errorf(diag.NotSupported, p.here(), "HAVING in the arguments of a function is not supported").WithHint("write %s", by))
		return
	}
	if p.isWord("LIMIT") {
		p.fail(diag.Errorf(diag.NotSupported, p.here(), "LIMIT in the arguments of a function is not supported").
			WithHint("take a part of the list: slice(array_agg(x ORDER BY x), 1, n)"))
		return
	}
	p.unexpected(`"," or ")"`)
}

func (p *parser) missingComma() {
	if p.pos > p.first && strings.EqualFold(p.text(p.toks[p.pos-1]), "TRIGGER") {
		p.unexpected("EVERY or AVAILABLE NOW or ONCE or MANUAL")
		return
	}
	if p.foreignOperand() {
		return
	}
	p.fail(diag.Errorf(diag.MissingComma, p.here(), "unexpected %s", strings.TrimPrefix(p.describe(p.peek()), "a ")).
		WithHint("a comma or an operator may be missing before it"))
}

// foreignOperand fails on what only other systems have behind an operand: the operators ?, ?|
// and ?&, a literal of a type that is none here, COLUMNS of JSON_TABLE.
func (p *parser) foreignOperand() bool {
	t, before := p.peek(), p.toks[max(p.pos-1, p.first)]
	switch {
	case p.text(t) == "?" && p.at(1).isString():
		x := "x"
		if before.isName() {
			x = p.text(before)
		}
		p.fail(diag.Errorf(diag.NotSupported, p.here(), "the operator ? is not supported").
			WithHint("write json_exists(%s, '$.%s')", x, strings.Trim(p.text(p.at(1)), "'")))
	case p.text(t) == "?" && (p.opAt(1, "|") || p.opAt(1, "&")):
		join := map[string]string{"|": "OR", "&": "AND"}[p.text(p.at(1))]
		p.fail(diag.Errorf(diag.NotSupported, diag.Join(t.span(), p.at(1).span()), "the operator ?%s is not supported", p.text(p.at(1))).
			WithHint("write json_exists(x, '$.a') %s json_exists(x, '$.b')", join))
	case t.isString() && before.kind == tokWord && foreignTypes[strings.ToUpper(p.text(before))] != "":
		p.canonicalType(before)
		p.failed = true
	case p.isOp("(") && p.text(before) == ")" && p.behindCall():
	case p.isWord("GLOB") && p.at(1).isString():
		p.glob(t, p.at(1))
	case t.isString() && strings.EqualFold(p.text(before), "GLOB"): // it was taken for an alias
		p.glob(before, t)
	case p.isWord("COLUMNS") && p.opAt(1, "(") && before.isString():
		p.fail(diag.Errorf(diag.NotSupported, p.here(), "COLUMNS of JSON_TABLE is not supported").
			WithHint("write UNNEST(from_json(x, 'ARRAY<STRUCT<a: INT, b: STRING>>'))"))
	default:
		return false
	}
	return true
}

// glob fails on x GLOB 'a*'.
func (p *parser) glob(word, pattern token) {
	p.fail(diag.Errorf(diag.NotSupported, word.span(), "GLOB is not supported").
		WithHint("write LIKE %s", strings.NewReplacer("*", "%", "?", "_").Replace(p.text(pattern))))
}

// behindCall fails on quantile(0.5)(x), as ClickHouse gives an aggregate its parameters. It
// reports whether a call stands before.
func (p *parser) behindCall() bool {
	open := p.toks[p.pos-1].match
	if int(open) <= p.first || !p.toks[open-1].isName() || p.peek().match < 0 {
		return false
	}
	name, params := p.text(p.toks[open-1]), p.src.Slice(diag.Span{Start: int(p.toks[open].end), End: int(p.toks[p.pos-1].start)})
	args := p.src.Slice(diag.Span{Start: int(p.peek().end), End: int(p.toks[p.peek().match].start)})
	if strings.Contains(params, ",") {
		params = "ARRAY[" + params + "]"
	}
	p.fail(diag.Errorf(diag.NotSupported, p.here(), "parameters in parentheses of their own are not supported").
		WithHint("write them behind the arguments: %s(%s, %s)", name, args, params))
	return true
}

// subquery reads (query) as a value.
func (p *parser) subquery() operand {
	q, span := p.queryInParens()
	return operand{q.bracketed(span), span, levelSimple}
}

// word reads an operand that begins with an unquoted word.
func (p *parser) word() operand {
	t := p.peek()
	word := p.upper(t)
	if isReserved(word) {
		return p.reservedWord(word)
	}
	if word == "INTERVAL" && p.startsInterval() {
		return p.interval()
	}
	if p.opAt(1, "(") {
		if word == "ARRAY" && p.queryParen(1) && !p.doubleParen(1) {
			return p.arrayQuery()
		}
		if o, ok := p.specialCall(word); ok {
			return o
		}
		return p.named()
	}
	if p.typedAhead() {
		return p.typedConstructor()
	}
	switch word {
	case "ARRAY":
		if p.opAt(1, "[") {
			p.next()
			return p.arrayLiteral(p.pos - 1)
		}
	case "MAP":
		if p.opAt(1, "[") || p.opAt(1, "{") {
			return p.mapLiteral()
		}
	case "CURRENT_TIMESTAMP", "CURRENT_DATE", "CURRENT_TIME", "LOCALTIMESTAMP", "LOCALTIME":
		if !p.opAt(1, ".") {
			id := p.take()
			return p.leaf(&ast.Call{Span: id.Span, Name: ast.Name{Span: id.Span, Parts: []ast.Ident{id}}})
		}
	}
	if lit := p.typedLiteral(word); lit != nil {
		return p.leaf(lit)
	}
	if x := p.castLiteral(word); x != nil {
		return p.leaf(x)
	}
	return p.named()
}

// doubleParen reports ((…)) at the token n ahead: a value, where one is asked for.
func (p *parser) doubleParen(n int) bool {
	return p.opAt(n+1, "(") && p.opAt(int(p.at(n+1).match)+1-p.pos, ")")
}

// arrayQuery reads ARRAY (query).
func (p *parser) arrayQuery() operand {
	start := p.pos
	p.next()
	query := p.primary()
	node := &ast.ArrayQuery{Span: p.since(start)}
	return p.carry(node, node.Span, fill(&node.Query, query))
}

// reservedWord reads the operands that begin with a reserved word.
func (p *parser) reservedWord(word string) operand {
	t := p.peek()
	switch word {
	case "NULL":
		p.next()
		return p.leaf(&ast.Literal{Span: t.span(), Kind: ast.LitNull})
	case "TRUE", "FALSE":
		p.next()
		text := "true"
		if word == "FALSE" {
			text = "false"
		}
		return p.leaf(&ast.Literal{Span: t.span(), Kind: ast.LitBool, Text: text})
	case "CASE":
		return p.caseExpr()
	case "CAST":
		if p.opAt(1, "(") {
			return p.cast(false)
		}
	case "EXISTS":
		return p.exists()
	}
	p.noOperand()
	return operand{}
}

// exists reads EXISTS (query), or a call of the function: exists(array, x -> condition).
func (p *parser) exists() operand {
	start := p.pos
	id := p.take()
	switch {
	case p.queryParen(0):
	case p.isOp("("):
		return p.callOf(start, ast.Name{Span: id.Span, Parts: []ast.Ident{id}})
	default:
		p.unexpected("a query in parentheses")
		return operand{}
	}
	q, span := p.queryInParens()
	out := newRope("EXISTS ", int(p.toks[start].start))
	out.join(q.bracketed(span))
	return operand{out, p.since(start), levelSimple}
}

// typedLiteral reads DATE '...' and its like, or gives nil.
func (p *parser) typedLiteral(word string) *ast.Literal {
	kind, words := ast.LitNull, 1
	switch word {
	case "DATE":
		kind = ast.LitDate
	case "TIME":
		kind = ast.LitTime
	case "TIMESTAMP":
		kind, words = p.timestampKind()
	case "TIMESTAMPTZ", "TIMESTAMP_LTZ":
		kind = ast.LitTimestamp
	case "TIMESTAMP_NTZ", "DATETIME":
		kind = ast.LitTimestampNTZ
	case "JSON", "JSONB":
		kind = ast.LitJSON
	case "UUID":
		kind = ast.LitUUID
	default:
		return nil
	}
	if !p.at(words).isString() {
		return nil
	}
	start := p.pos
	p.pos += words
	lit := p.stringLit("a string")
	out := &ast.Literal{Span: p.since(start), Kind: kind, Text: lit.Text}
	if kind != ast.LitJSON && kind != ast.LitUUID {
		if err := checkTemporal(kind, lit.Text); err != nil {
			d := diag.Errorf(diag.BadTime, lit.Span, "%v", err)
			if write := relativeTime(kind, lit.Text); write != "" {
				d.WithHint("write %s", write)
			}
			p.report(d)
		}
	}
	return out
}

// castLiteral reads INT '5' and its like, which is CAST('5' AS INT), or gives nil.
func (p *parser) castLiteral(word string) *ast.Cast {
	n := 1
	if word == "DOUBLE" && p.wordAt(1, "PRECISION") {
		n = 2
	}
	switch typeTable[word] {
	case "BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL", "STRING", "BYTES":
		if !p.at(n).isString() {
			return nil
		}
	default:
		return nil
	}
	start := p.pos
	t := p.typeName()
	return &ast.Cast{X: p.stringLit("a string"), Type: t, Span: p.since(start)}
}

// timestampKind looks at the words after TIMESTAMP.
func (p *parser) timestampKind() (ast.LiteralKind, int) {
	switch {
	case p.isWords("TIMESTAMP", "WITH", "TIME", "ZONE"):
		return ast.LitTimestamp, 4
	case p.isWords("TIMESTAMP", "WITH", "LOCAL", "TIME", "ZONE"):
		return ast.LitTimestamp, 5
	case p.isWords("TIMESTAMP", "WITHOUT", "TIME", "ZONE"):
		return ast.LitTimestampNTZ, 4
	}
	return ast.LitTimestamp, 1
}

// caseExpr reads CASE.
func (p *parser) caseExpr() operand {
	start := p.pos
	p.next()
	node := &ast.Case{}
	var args []arg
	if !p.isWord("WHEN") {
		args = append(args, fill(&node.Operand, p.nested()))
	}
	var conds, thens []operand
	for p.accept("WHEN") {
		conds = append(conds, p.nested())
		p.expect("THEN")
		thens = append(thens, p.nested())
	}
	if len(conds) == 0 {
		p.unexpected("WHEN")
		return operand{}
	}
	node.Whens = make([]ast.When, len(conds))
	for i := range conds {
		args = append(args, fill(&node.Whens[i].Cond, conds[i]), fill(&node.Whens[i].Then, thens[i]))
	}
	if p.accept("ELSE") {
		args = append(args, fill(&node.Else, p.nested()))
	}
	if !p.accept("END") {
		p.unexpected("WHEN or ELSE or END")
	}
	node.Span = p.since(start)
	return p.carry(node, node.Span, args...)
}

// cast reads CAST(x AS T) and its like; the word is next.
func (p *parser) cast(try bool) operand {
	start := p.pos
	p.pos += 2
	x := p.nested()
	node := &ast.Cast{Try: try}
	if !p.accept("AS") {
		p.fail(diag.Errorf(diag.Unexpected, p.here(), "expected AS and a type, found %s", p.describe(p.peek())).
			WithHint("write CAST(value AS type)"))
		return operand{}
	}
	node.Type = p.typeName()
	p.expectOp(")")
	node.Span = p.since(start)
	return p.carry(node, node.Span, fill(&node.X, x))
}
