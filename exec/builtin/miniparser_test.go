package builtin

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
)

// mini is just enough of an SQL expression parser to run the examples of functions
// without package parser, which must not be imported here.
type mini struct {
	toks   []string
	pos    int
	r      *expr.Resolver
	params map[string]*expr.Param
	cols   map[string]*expr.Column
}

func parseMini(r *expr.Resolver, sql string, cols ...*expr.Column) (n expr.Node, err error) {
	p := &mini{toks: lexMini(sql), r: r, params: map[string]*expr.Param{}, cols: map[string]*expr.Column{}}
	for _, c := range cols {
		p.cols[c.Name] = c
	}
	defer func() {
		if e := recover(); e != nil {
			if fail, ok := e.(miniError); ok {
				err = fail.err
				return
			}
			panic(e)
		}
	}()
	n = p.or()
	if p.pos < len(p.toks) {
		return nil, fmt.Errorf("unexpected %q in %s", p.toks[p.pos], sql)
	}
	return n, nil
}

type miniError struct{ err error }

func lexMini(s string) []string {
	var toks []string
	for i := 0; i < len(s); {
		c := rune(s[i])
		j := i + 1
		switch {
		case c == ' ' || c == '\n':
			i++
			continue
		case c == '\'':
			for s[j] != '\'' || j+1 < len(s) && s[j+1] == '\'' {
				if s[j] == '\'' {
					j++
				}
				j++
			}
			j++
		case unicode.IsDigit(c):
			for j < len(s) && (unicode.IsDigit(rune(s[j])) || s[j] == '.' || s[j] == 'e' || s[j] == '-' && s[j-1] == 'e') {
				j++
			}
		case unicode.IsLetter(c) || c == '_' || c == '$':
			for j < len(s) && (unicode.IsLetter(rune(s[j])) || unicode.IsDigit(rune(s[j])) || s[j] == '_') {
				j++
			}
		default:
			for _, op := range []string{"<=>", "->>", "->", "<=", ">=", "<>", "!=", "==", "||", "::", "//", "<<", ">>"} {
				if strings.HasPrefix(s[i:], op) {
					j = i + len(op)
					break
				}
			}
		}
		toks = append(toks, s[i:j])
		i = j
	}
	return toks
}

func (p *mini) peek() string {
	if p.pos < len(p.toks) {
		return p.toks[p.pos]
	}
	return ""
}

func (p *mini) accept(words ...string) bool {
	for i, w := range words {
		if p.pos+i >= len(p.toks) || !strings.EqualFold(p.toks[p.pos+i], w) {
			return false
		}
	}
	p.pos += len(words)
	return true
}

func (p *mini) expect(w string) {
	if !p.accept(w) {
		p.fail(fmt.Errorf("expected %q, found %q", w, p.peek()))
	}
}

func (p *mini) fail(err error) { panic(miniError{err}) }

func (p *mini) call(name string, args ...expr.Node) expr.Node {
	n, err := p.r.Resolve(name, args...)
	if err != nil {
		p.fail(err)
	}
	return n
}

func (p *mini) or() expr.Node {
	n := p.and()
	for p.accept("OR") {
		n = p.call("or", n, p.and())
	}
	return n
}

func (p *mini) and() expr.Node {
	n := p.not()
	for p.accept("AND") {
		n = p.call("and", n, p.not())
	}
	return n
}

func (p *mini) not() expr.Node {
	if p.accept("NOT") {
		return p.call("not", p.not())
	}
	return p.comparison()
}

func (p *mini) comparison() expr.Node {
	n := p.binary(0)
	for {
		switch op := strings.ToLower(p.peek()); op {
		case "=", "==", "<>", "!=", "<", "<=", ">", ">=", "<=>", "like", "ilike", "rlike":
			p.pos++
			args := []expr.Node{n, p.binary(0)}
			if p.accept("ESCAPE") {
				args = append(args, p.primary())
			}
			n = p.call(op, args...)
		case "in":
			p.pos++
			p.expect("(")
			n = p.call("in", append([]expr.Node{n}, p.list(")")...)...)
		default:
			return n
		}
	}
}

// levels are the binary operators, loosest first.
var levels = [][]string{{"||"}, {"|"}, {"&"}, {"<<", ">>"}, {"+", "-"}, {"*", "/", "%", "div", "//"}}

func (p *mini) binary(level int) expr.Node {
	if level == len(levels) {
		return p.unary()
	}
	n := p.binary(level + 1)
	for {
		op := strings.ToLower(p.peek())
		found := false
		for _, o := range levels[level] {
			found = found || o == op
		}
		if !found {
			return n
		}
		p.pos++
		n = p.call(op, n, p.binary(level+1))
	}
}

func (p *mini) unary() expr.Node {
	for _, op := range []string{"-", "~"} {
		if p.accept(op) {
			return p.call(op, p.unary())
		}
	}
	return p.postfix()
}

func (p *mini) postfix() expr.Node {
	n := p.primary()
	for {
		switch {
		case p.accept("["):
			n = p.call("$at", n, p.or())
			p.expect("]")
		case p.accept("::"):
			n = p.cast(n, false)
		case p.peek() == "->" || p.peek() == "->>":
			op := p.peek()
			p.pos++
			n = p.call(op, n, p.primary())
		case p.accept("."):
			name := p.toks[p.pos]
			p.pos++
			n = p.call("$field", n, expr.Text(name))
		default:
			return n
		}
	}
}

func (p *mini) cast(n expr.Node, try bool) expr.Node {
	c, err := p.r.Cast(n, p.typ(), try)
	if err != nil {
		p.fail(err)
	}
	return c
}

func (p *mini) typ() types.Type {
	name := strings.ToUpper(p.toks[p.pos])
	p.pos++
	switch name {
	case "DECIMAL":
		p.expect("(")
		prec, _ := strconv.Atoi(p.toks[p.pos])
		p.expect(p.toks[p.pos])
		p.expect(",")
		scale, _ := strconv.Atoi(p.toks[p.pos])
		p.pos++
		p.expect(")")
		return types.DecimalOf(prec, scale)
	case "ARRAY":
		p.expect("<")
		t := p.typ()
		p.expect(">")
		return types.ArrayOf(t)
	}
	for k := types.Null; k <= types.Time; k++ {
		if types.Of(k).String() == name {
			return types.Of(k)
		}
	}
	p.fail(fmt.Errorf("unknown type %s", name))
	return types.Type{}
}

func (p *mini) list(end string) []expr.Node {
	var nodes []expr.Node
	for !p.accept(end) {
		nodes = append(nodes, p.argument())
		if p.peek() != end {
			p.expect(",")
		}
	}
	return nodes
}

// argument is an expression or a lambda.
func (p *mini) argument() expr.Node {
	start := p.pos
	if p.accept("(") {
		var names []string
		for p.pos < len(p.toks) && p.peek() != ")" {
			names = append(names, p.toks[p.pos])
			p.pos++
			p.accept(",")
		}
		if p.accept(")", "->") {
			return p.lambda(names)
		}
		p.pos = start
	}
	if p.pos+1 < len(p.toks) && p.toks[p.pos+1] == "->" && unicode.IsLetter(rune(p.peek()[0])) && p.params[p.peek()] == nil {
		names := []string{p.peek()}
		p.pos += 2
		return p.lambda(names)
	}
	return p.or()
}

// lambda skips the body and parses it again once the parameter types are known.
func (p *mini) lambda(names []string) expr.Node {
	start := p.pos
	depth := 0
	for ; p.pos < len(p.toks); p.pos++ {
		switch p.toks[p.pos] {
		case "(", "[":
			depth++
		case ")", "]":
			depth--
		}
		if depth < 0 || depth == 0 && p.toks[p.pos] == "," {
			break
		}
	}
	end, first := p.pos, len(p.params)
	return expr.NewLambda(first, names, func(ts []types.Type) (n expr.Node, err error) {
		sub := &mini{toks: p.toks[start:end], r: p.r, params: map[string]*expr.Param{}, cols: p.cols}
		for k, v := range p.params {
			sub.params[k] = v
		}
		for i, name := range names {
			sub.params[name] = &expr.Param{ID: first + i, Name: name, T: ts[i]}
		}
		return sub.or(), nil
	})
}

func (p *mini) primary() expr.Node {
	t := p.peek()
	p.pos++
	switch {
	case t == "":
		p.fail(fmt.Errorf("unexpected end"))
	case t == "(":
		n := p.or()
		p.expect(")")
		return n
	case t[0] == '\'':
		return expr.Text(unquote(t))
	case unicode.IsDigit(rune(t[0])):
		return number(t)
	case strings.EqualFold(t, "CASE"):
		return p.caseWhen()
	case p.params[t] != nil:
		return p.params[t]
	case p.cols[t] != nil:
		return p.cols[t]
	}
	return p.word(t)
}

func (p *mini) word(t string) expr.Node {
	switch up := strings.ToUpper(t); {
	case up == "NULL":
		return expr.Null(types.Type{})
	case up == "TRUE" || up == "FALSE":
		return expr.Bool(up == "TRUE")
	case up == "CAST" || up == "TRY_CAST":
		p.expect("(")
		n := p.or()
		p.expect("AS")
		n = p.cast(n, up == "TRY_CAST")
		p.expect(")")
		return n
	case strings.HasPrefix(p.peek(), "'") && up == "INTERVAL":
		s := unquote(p.toks[p.pos])
		p.pos++
		if _, err := strconv.Atoi(s); err == nil {
			s += " " + p.toks[p.pos]
			p.pos++
		}
		return p.must(p.r.Cast(expr.Text(s), types.Of(types.Interval), false))
	case strings.HasPrefix(p.peek(), "'") && (up == "DATE" || up == "TIME" || strings.HasPrefix(up, "TIMESTAMP")):
		p.pos--
		typ := p.typ()
		s := unquote(p.toks[p.pos])
		p.pos++
		return p.must(p.r.Cast(expr.Text(s), typ, false))
	case strings.HasPrefix(p.peek(), "'") && up == "X":
		s := unquote(p.toks[p.pos])
		p.pos++
		b := make([]byte, len(s)/2)
		for i := range b {
			x, _ := strconv.ParseUint(s[2*i:2*i+2], 16, 8)
			b[i] = byte(x)
		}
		return expr.Blob(b)
	}
	if !p.accept("(") {
		return p.call(t)
	}
	return p.call(t, p.list(")")...)
}

func (p *mini) must(n expr.Node, err error) expr.Node {
	if err != nil {
		p.fail(err)
	}
	return n
}

func (p *mini) caseWhen() expr.Node {
	var conds, thens []expr.Node
	var otherwise expr.Node
	for p.accept("WHEN") {
		conds = append(conds, p.or())
		p.expect("THEN")
		thens = append(thens, p.or())
	}
	if p.accept("ELSE") {
		otherwise = p.or()
	}
	p.expect("END")
	return p.must(p.r.Case(conds, thens, otherwise))
}

func unquote(t string) string { return strings.ReplaceAll(t[1:len(t)-1], "''", "'") }

func number(t string) expr.Node {
	if strings.Contains(t, "e") {
		f, _ := strconv.ParseFloat(t, 64)
		return expr.Float(types.Of(types.Float64), f)
	}
	if !strings.Contains(t, ".") {
		i, err := strconv.ParseInt(t, 10, 64)
		if err == nil && i == int64(int32(i)) {
			return expr.Int(types.Of(types.Int32), i)
		}
		if err == nil {
			return expr.Int(types.Of(types.Int64), i)
		}
	}
	x, prec, scale, err := types.ParseExact(t)
	if err != nil {
		panic(miniError{err})
	}
	return expr.Decimal(types.DecimalOf(prec, scale), x)
}
