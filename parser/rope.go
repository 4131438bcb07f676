package parser

import (
	"sort"
	"strconv"
	"strings"

	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// piece is a bit of text for TiDB and the offset it stands for in the user's.
type piece struct {
	text   string
	source int
	next   *piece
}

// rope is a list of pieces that can be joined and wrapped without copying. A
// rope that was appended to another must not be used again.
type rope struct {
	head, tail *piece
}

func (r *rope) add(text string, source int) {
	r.join(newRope(text, source))
}

func (r *rope) join(other rope) {
	switch {
	case other.head == nil:
	case r.head == nil:
		*r = other
	default:
		r.tail.next = other.head
		r.tail = other.tail
	}
}

func newRope(text string, source int) rope {
	pc := &piece{text: text, source: source}
	return rope{pc, pc}
}

// wrapped puts the rope into parentheses.
func (r rope) wrapped() rope {
	if r.head == nil {
		return r
	}
	out := newRope("(", r.head.source)
	out.join(r)
	out.add(")", r.tail.source)
	return out
}

// bracketed puts the rope into the parentheses that stand at a span.
func (r rope) bracketed(at diag.Span) rope {
	out := newRope("(", at.Start)
	out.join(r)
	out.add(")", max(at.Start, at.End-1))
	return out
}

// rendered is the text for TiDB with the map back to the user's.
type rendered struct {
	text    string
	offsets []int // where each piece starts
	sources []int
}

func (r rope) render() rendered {
	var b strings.Builder
	var out rendered
	for pc := r.head; pc != nil; pc = pc.next {
		out.offsets = append(out.offsets, b.Len())
		out.sources = append(out.sources, pc.source)
		b.WriteString(pc.text)
	}
	out.text = b.String()
	return out
}

// source maps an offset of the rendered text to one of the user's.
func (r rendered) source(offset int) int {
	i := sort.SearchInts(r.offsets, offset+1) - 1
	if i < 0 {
		return 0
	}
	return r.sources[i]
}

// level is how tightly TiDB's grammar holds an operand together; a looser one
// is put into parentheses where a tighter one is needed.
type level uint8

const (
	levelExpr   level = iota // OR, AND, NOT, IS TRUE
	levelBool                // comparisons, IS NULL
	levelPred                // IN, BETWEEN, LIKE
	levelBit                 // arithmetic
	levelSimple              // everything else
)

// operand is a rewritten expression.
type operand struct {
	rope  rope
	span  diag.Span
	level level
}

// atLeast gives the rope of an operand, in parentheses if it is too loose.
func (o operand) atLeast(l level) rope {
	if o.level < l {
		return o.rope.wrapped()
	}
	return o.rope
}

// hole is a place in one of our nodes that an argument of its carrier fills:
// an expression, or a query or the FROM of one that TiDB parsed as a subquery.
type hole struct {
	expr  *ast.Expr
	query **ast.Query
	table *ast.TableRef
}

// carrier is what an id in the text for TiDB stands for. A leaf (a column, a
// literal, a table name) has only its node. Other nodes are emitted as
// `x`(id, argument, ...), one argument for each hole of the node.
type carrier struct {
	node  any
	holes []hole
}

// arg is an argument of a carrier with the hole that it will fill.
type arg struct {
	hole hole
	rope rope
}

func fill(slot *ast.Expr, o operand) arg        { return arg{hole{expr: slot}, o.rope} }
func fillQuery(slot **ast.Query, q rope) arg    { return arg{hole{query: slot}, q.wrapped()} }
func fills(slots []ast.Expr, o []operand) []arg { return fillAll(nil, slots, o) }

// fillTable makes an argument of a table reference or a join: a query that reads it.
func fillTable(slot *ast.TableRef, s source) arg {
	out := newRope("(SELECT 1 FROM ", s.span.Start)
	out.join(s.rope)
	out.add(")", max(s.span.Start, s.span.End-1))
	return arg{hole{table: slot}, out}
}

func fillAll(list []arg, slots []ast.Expr, o []operand) []arg {
	for i := range o {
		list = append(list, fill(&slots[i], o[i]))
	}
	return list
}

// id stores a carrier and returns its number as text.
func (p *parser) id(c carrier) string {
	p.side = append(p.side, c)
	return strconv.Itoa(len(p.side) - 1)
}

// leaf emits a literal-like node as a number.
func (p *parser) leaf(node ast.Expr) operand {
	span := node.Pos()
	return operand{newRope(p.id(carrier{node: node}), span.Start), span, levelSimple}
}

// nameLeaf emits a node as a quoted name: a column or a table.
func (p *parser) nameLeaf(node any, span diag.Span) operand {
	return operand{newRope("`"+p.id(carrier{node: node})+"`", span.Start), span, levelSimple}
}

// carry emits a node with holes as a call.
func (p *parser) carry(node any, span diag.Span, args ...arg) operand {
	holes := make([]hole, len(args))
	for i, a := range args {
		holes[i] = a.hole
	}
	out := newRope("`x`("+p.id(carrier{node, holes}), span.Start)
	for _, a := range args {
		out.add(",", span.Start)
		out.join(a.rope)
	}
	out.add(")", max(span.Start, span.End-1))
	return operand{out, span, levelSimple}
}
