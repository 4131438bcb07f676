package parser

import (
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// orderBy reads ORDER BY with its keys; the keys fill the items.
func (p *parser) orderBy() ([]ast.OrderItem, []operand) {
	if !p.expect("ORDER", "BY") {
		return nil, nil
	}
	var items []ast.OrderItem
	var keys []operand
	p.sepList(func() {
		item, key := p.orderItem()
		items, keys = append(items, item), append(keys, key)
	})
	return items, keys
}

func (p *parser) orderItem() (ast.OrderItem, operand) {
	start := p.pos
	key := p.nested()
	item := ast.OrderItem{}
	p.orderDirection(&item)
	item.Span = p.since(start)
	return item, key
}

// orderDirection reads [ASC | DESC] [NULLS FIRST | LAST].
func (p *parser) orderDirection(item *ast.OrderItem) {
	if p.acceptAny("ASC", "DESC") == "DESC" {
		item.Desc = true
	}
	switch {
	case p.accept("NULLS", "FIRST"):
		item.Nulls = ast.NullsFirst
	case p.accept("NULLS", "LAST"):
		item.Nulls = ast.NullsLast
	case p.isWord("NULLS"):
		p.next()
		p.unexpected("FIRST or LAST")
	}
}

// windowSpec reads what follows OVER, or a definition of the WINDOW clause.
func (p *parser) windowSpec() (*ast.Window, []arg) {
	start := p.pos
	w := &ast.Window{}
	if !p.isOp("(") {
		base := p.ident("a window")
		w.Base, w.Bare, w.Span = &base, true, base.Span
		return w, nil
	}
	p.next()
	if p.nameAt(0) && !p.isWords("PARTITION", "BY") && !p.startsFrame() {
		base := p.take()
		w.Base = &base
	}
	var args []arg
	if p.accept("PARTITION", "BY") {
		var list []operand
		p.sepList(func() { list = append(list, p.nested()) })
		w.PartitionBy = make([]ast.Expr, len(list))
		args = fills(w.PartitionBy, list)
	}
	if p.isWord("ORDER") {
		items, keys := p.orderBy()
		w.OrderBy = items
		args = append(args, orderArgs(items, keys)...)
	}
	if p.startsFrame() {
		frame, bounds := p.frame()
		w.Frame = frame
		args = append(args, bounds...)
	}
	if !p.acceptOp(")") {
		p.unexpected("PARTITION BY or ORDER BY or a frame or \")\"")
	}
	w.Span = p.since(start)
	return w, args
}

// startsFrame tells whether ROWS, RANGE, GROUPS or SESSION begins a frame and is no name.
func (p *parser) startsFrame() bool {
	return p.isWords("SESSION", "WITH", "GAP") || p.anyWordAt(0, "ROWS", "RANGE", "GROUPS") && !p.opAt(1, ")") &&
		!p.anyWordAt(1, "PARTITION", "ORDER", "ROWS", "RANGE", "GROUPS")
}

func (p *parser) frame() (*ast.Frame, []arg) {
	if p.isWord("SESSION") {
		return p.sessionFrame()
	}
	start := p.pos
	f := &ast.Frame{Unit: map[string]ast.FrameUnit{
		"ROWS": ast.FrameRows, "RANGE": ast.FrameRange, "GROUPS": ast.FrameGroups}[p.upper(p.next())]}
	var args []arg
	if p.accept("BETWEEN") {
		args = p.bound(&f.Start, args)
		p.expect("AND")
		args = p.bound(&f.End, args)
	} else {
		args = p.bound(&f.Start, args)
		f.End.Kind = ast.CurrentRow
	}
	if p.accept("EXCLUDE") {
		f.Exclude = p.exclude()
	}
	f.Span = p.since(start)
	if f.Start.Kind > f.End.Kind || f.Start.Kind == ast.UnboundedFollowing || f.End.Kind == ast.UnboundedPreceding {
		p.report(diag.Errorf(diag.Unexpected, f.Span, "the frame ends before it starts"))
	}
	return f, args
}

// sessionFrame reads SESSION WITH GAP x: the rows of a session, before and behind.
func (p *parser) sessionFrame() (*ast.Frame, []arg) {
	start := p.pos
	p.pos += 3
	f := &ast.Frame{Unit: ast.FrameSession, Start: ast.FrameBound{Kind: ast.Preceding}, End: ast.FrameBound{Kind: ast.Following}}
	args := []arg{fill(&f.End.Offset, p.binary(precConcat))}
	if p.accept("EXCLUDE") {
		f.Exclude = p.exclude()
	}
	f.Span = p.since(start)
	return f, args
}

// bound reads one end of a frame.
func (p *parser) bound(b *ast.FrameBound, args []arg) []arg {
	switch {
	case p.accept("UNBOUNDED", "PRECEDING"):
		b.Kind = ast.UnboundedPreceding
	case p.accept("UNBOUNDED", "FOLLOWING"):
		b.Kind = ast.UnboundedFollowing
	case p.accept("CURRENT", "ROW"):
		b.Kind = ast.CurrentRow
	default:
		offset := p.binary(precConcat)
		args = append(args, fill(&b.Offset, offset))
		switch p.acceptAny("PRECEDING", "FOLLOWING") {
		case "PRECEDING":
			b.Kind = ast.Preceding
		case "FOLLOWING":
			b.Kind = ast.Following
		default:
			p.unexpected("PRECEDING or FOLLOWING")
		}
	}
	return args
}

func (p *parser) exclude() ast.FrameExclude {
	switch {
	case p.accept("CURRENT", "ROW"):
		return ast.ExcludeCurrentRow
	case p.accept("GROUP"):
		return ast.ExcludeGroup
	case p.accept("TIES"):
		return ast.ExcludeTies
	case p.accept("NO", "OTHERS"):
		return ast.ExcludeNothing
	}
	p.unexpected("CURRENT ROW or GROUP or TIES or NO OTHERS")
	return ast.ExcludeNothing
}
