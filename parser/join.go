package parser

import (
	"strings"

	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// joins reads a table reference and the joins behind it.
func (p *parser) joins() source { return p.joinTail(p.factor()) }

// joinTail reads joins, LATERAL VIEWs, PIVOT and UNPIVOT, which associate to the left.
func (p *parser) joinTail(left source) source {
	depth := p.depth
	defer func() { p.depth = depth }()
	for !p.failed {
		if p.isWords("LATERAL", "VIEW") {
			left = p.lateralView(left)
			continue
		}
		if p.startsPivot() {
			if !p.enter() { // it is nested in what follows
				return source{}
			}
			left = p.pivoted(left)
			continue
		}
		join, span := p.joinOperator()
		if join == nil {
			break
		}
		left = p.joinRight(join, span, left)
	}
	return left
}

// joinRight reads the right side and the condition. In a JOIN b JOIN c ON … ON …
// the second join is the right side of the first.
func (p *parser) joinRight(join *ast.Join, span diag.Span, left source) source {
	right := p.factor()
	plain := join.Natural || join.Kind == ast.CrossJoin || join.Kind == ast.PositionalJoin
	if !plain && p.startsJoin() {
		defer p.leave()
		if !p.enter() {
			return source{}
		}
		right = p.joinTail(right)
	}
	var args []arg
	if p.isWord("MATCH_CONDITION") && p.opAt(1, "(") && join.Asof {
		p.next()
		args = append(args, fill(&join.Match, p.parenOperand()))
	}
	switch {
	case !plain && p.startsNearest():
		args = p.nearest(join, args)
	case p.isWord("ON"), p.isWord("USING") && !p.startsSample():
		if plain {
			p.failf(diag.JoinCondition, p.here(), "a %s JOIN takes no condition", p.joinWord(join))
		}
		args = p.joinCondition(join, args)
	case !plain && len(args) == 0 && !p.failed:
		p.noCondition(span, join)
	}
	return p.emitJoin(join, left, right, args)
}

// startsNearest tells [APPROX | EXACT] NEAREST [n] BY from an alias.
func (p *parser) startsNearest() bool {
	n := 0
	if p.anyWordAt(0, "APPROX", "EXACT") {
		n = 1
	}
	if !p.wordAt(n, "NEAREST") {
		return false
	}
	if p.at(n+1).kind == tokNumber {
		n++
	}
	return p.wordAt(n+1, "BY") && p.anyWordAt(n+2, "DISTANCE", "SIMILARITY")
}

// nearest reads NEAREST n BY DISTANCE expr. What is asked for as approximate is exact too.
func (p *parser) nearest(join *ast.Join, args []arg) []arg {
	start := p.pos
	p.acceptAny("APPROX", "EXACT")
	p.next()
	node := &ast.Nearest{}
	if t := p.peek(); t.kind == tokNumber {
		p.next()
		if node.Count = p.numberOf(t); node.Count.Kind != ast.LitInt || strings.Trim(node.Count.Text, "0") == "" {
			p.failf(diag.BadLiteral, t.span(), "NEAREST takes a whole number of rows, at least 1")
		}
	}
	p.next()
	node.Similarity = p.acceptAny("DISTANCE", "SIMILARITY") == "SIMILARITY"
	args = append(args, fill(&node.By, p.expr()))
	node.Span = p.since(start)
	join.Nearest = node
	return args
}

func (p *parser) joinWord(join *ast.Join) string {
	if join.Natural {
		return "NATURAL"
	}
	return join.Kind.String()
}

func (p *parser) noCondition(span diag.Span, join *ast.Join) {
	if p.nameAt(0) && !p.tableSoft() || p.peek().isString() || p.isOp("(") {
		span = p.here() // something stands where the condition should
	}
	d := diag.Errorf(diag.JoinCondition, span, "this join has no condition")
	if join.Kind == ast.InnerJoin && !join.Asof {
		d.WithHint("add ON or USING, or write CROSS JOIN")
	} else {
		d.WithHint("add ON or USING")
	}
	p.fail(d)
}

func (p *parser) joinCondition(join *ast.Join, args []arg) []arg {
	if p.accept("USING") {
		join.Using = p.identList("a column")
		return args
	}
	p.next()
	return append(args, fill(&join.On, p.expr()))
}

// emitJoin writes every join as INNER JOIN … ON, whose condition is the carrier.
func (p *parser) emitJoin(join *ast.Join, left, right source, args []arg) source {
	join.Span = diag.Join(left.span, p.since(p.pos-1))
	out := left.rope
	out.add(" INNER JOIN ", right.span.Start)
	out.join(right.factor())
	out.add(" ON ", right.span.Start)
	out.join(p.carry(join, join.Span, args...).rope)
	return source{rope: out, span: join.Span, joined: true}
}

// startsJoin tells whether a join operator is next.
func (p *parser) startsJoin() bool {
	return p.isWords("POSITIONAL", "JOIN") || p.anyWordAt(0, "JOIN", "INNER", "CROSS", "NATURAL", "LEFT", "RIGHT", "FULL", "SEMI", "ANTI", "ASOF")
}

// joinOperator reads the words of a join up to JOIN, or gives nil.
func (p *parser) joinOperator() (*ast.Join, diag.Span) {
	if !p.startsJoin() {
		return nil, diag.Span{}
	}
	start := p.pos
	if p.accept("POSITIONAL", "JOIN") {
		return &ast.Join{Kind: ast.PositionalJoin}, p.since(start)
	}
	join := &ast.Join{Natural: p.accept("NATURAL")}
	seen := map[string]bool{}
	for {
		word := p.acceptAny("INNER", "CROSS", "LEFT", "RIGHT", "FULL", "OUTER", "SEMI", "ANTI", "ASOF")
		if word == "" {
			break
		}
		if seen[word] {
			p.failf(diag.Unexpected, p.since(p.pos-1), "%s is given twice", word)
		}
		seen[word] = true
	}
	p.expect("JOIN")
	span := p.since(start)
	p.joinKind(join, seen, span)
	return join, span
}

// joinKind turns the words before JOIN into a kind, refusing senseless ones.
func (p *parser) joinKind(join *ast.Join, seen map[string]bool, span diag.Span) {
	var kinds []string
	for _, word := range [...]string{"INNER", "CROSS", "LEFT", "RIGHT", "FULL"} {
		if seen[word] {
			kinds = append(kinds, word)
		}
	}
	side := strings.Join(kinds, " ")
	half := seen["SEMI"] || seen["ANTI"]
	join.Asof = seen["ASOF"]
	switch {
	case len(kinds) > 1, seen["SEMI"] && seen["ANTI"], half && (seen["OUTER"] || side != "" && side != "LEFT"),
		seen["OUTER"] && (side == "" || side == "INNER" || side == "CROSS"), side == "CROSS" && (join.Natural || join.Asof),
		join.Asof && join.Natural:
		p.refuseJoin(side, half, span)
	case seen["SEMI"]:
		join.Kind = ast.SemiJoin
	case seen["ANTI"]:
		join.Kind = ast.AntiJoin
	case side != "":
		join.Kind = map[string]ast.JoinKind{"INNER": ast.InnerJoin, "CROSS": ast.CrossJoin, "LEFT": ast.LeftJoin,
			"RIGHT": ast.RightJoin, "FULL": ast.FullJoin}[side]
	}
}

func (p *parser) refuseJoin(side string, half bool, span diag.Span) {
	d := diag.Errorf(diag.NotSupported, span, "%s is not a supported join", strings.ToUpper(p.src.Slice(span)))
	if half && side == "RIGHT" {
		d.WithHint("swap the tables and write LEFT")
	}
	p.fail(d)
}

// lateralView reads LATERAL VIEW [OUTER] f(x) [t] [AS a, b] as a join with a
// table function.
func (p *parser) lateralView(left source) source {
	start := p.pos
	p.pos += 2
	join := &ast.Join{Kind: ast.CrossJoin}
	if p.isWord("OUTER") && !p.opAt(1, "(") {
		p.next()
		join.Kind = ast.LeftJoin
	}
	at := p.pos
	f := p.tableFunc(at, true)
	if p.failed || f == nil {
		return source{}
	}
	p.viewAlias(f)
	*f.span = p.since(at)
	right := source{rope: p.emitFactor(f), span: p.since(start)}
	var args []arg
	if join.Kind == ast.LeftJoin {
		yes := p.leaf(&ast.Literal{Span: right.span, Kind: ast.LitBool, Text: "true"})
		args = []arg{fill(&join.On, yes)}
	}
	return p.emitJoin(join, left, right, args)
}

// viewAlias reads [t] [AS a, b]; without t the table has the function's name.
func (p *parser) viewAlias(f *tableFactor) {
	call := f.node.(*ast.TableFunc).Call
	start := p.pos
	a := &ast.Alias{Name: call.Name.Last()}
	if p.nameAt(0) && !p.tableSoft() {
		a.Name = p.take()
	}
	if p.accept("AS") {
		a.Columns = append(a.Columns, p.ident("a column name"))
		for p.isOp(",") && p.nameAt(1) && !p.opAt(2, "(") && !p.opAt(2, ".") {
			p.next()
			a.Columns = append(a.Columns, p.take())
		}
	}
	a.Span = p.since(start)
	*f.alias = a
}
