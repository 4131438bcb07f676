package parser

import (
	"fmt"
	"strings"

	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// startsInterval tells whether the word INTERVAL that is next begins an interval
// and is not a column of that name.
func (p *parser) startsInterval() bool {
	t := p.at(1)
	switch {
	case t.isString(), t.kind == tokNumber, t.kind == tokParam:
		return true
	case p.opAt(1, "-"), p.opAt(1, "+"):
		_, ok := p.unitAt(3)
		return ok && (p.at(2).kind == tokNumber || p.at(2).isString())
	case p.opAt(1, "("):
		_, ok := p.unitAt(int(t.match) - p.pos + 1)
		return ok && t.match >= 0
	}
	n := 1
	for p.at(n).isName() && p.opAt(n+1, ".") {
		n += 2
	}
	_, ok := p.unitAt(n + 1)
	return ok && p.nameAt(n)
}

// interval reads what INTERVAL introduces; INTERVAL itself is next.
func (p *parser) interval() operand {
	start := p.pos
	p.next()
	switch t := p.peek(); {
	case t.isString(), (p.isOp("-") || p.isOp("+")) && p.at(1).isString():
		return p.leaf(p.stringInterval(start))
	case t.kind == tokNumber, p.isOp("-"), p.isOp("+"):
		return p.leaf(p.numberInterval(start))
	}
	value := p.unary()
	unit, ok := p.unitAt(0)
	if !ok {
		p.noUnit("the interval")
		return operand{}
	}
	p.next()
	node := &ast.IntervalExpr{Span: p.since(start), Unit: unit}
	return p.carry(node, node.Span, fill(&node.Value, value))
}

func (p *parser) noUnit(what string) {
	if t := p.peek(); t.kind == tokWord && !isReserved(p.text(t)) {
		p.fail(badUnit(p.text(t), t.span()))
		return
	}
	p.fail(diag.Errorf(diag.BadInterval, p.here(), "%s needs a unit, found %s", what, p.describe(p.peek())).
		WithHint("write INTERVAL '10' MINUTE"))
}

// stringInterval reads '10' MINUTE, '1-6' YEAR TO MONTH, or '10 minutes'.
func (p *parser) stringInterval(start int) *ast.Interval {
	sign := p.intervalSign()
	t := p.next()
	lit := p.stringOf(t)
	if body, negative := cutSign(strings.TrimSpace(lit.Text)); sign == "-" {
		if lit.Text = "-" + body; negative {
			lit.Text = body
		}
	}
	text := strings.TrimSpace(lit.Text)
	unit, ok := p.unitAt(0)
	if ok && (isDecimal(text) || p.wordAt(1, "TO") || strings.ContainsAny(text, ":")) {
		p.next()
		p.precision()
		return p.unitInterval(start, lit, unit)
	}
	if isDecimal(text) {
		p.noUnit(fmt.Sprintf("the interval '%s'", text))
		return &ast.Interval{}
	}
	a, err := parseDuration(text)
	return p.intervalOf(start, lit.Span, a, err)
}

// intervalSign reads a sign before the text of an interval with a unit.
func (p *parser) intervalSign() string {
	if !p.isOp("-") && !p.isOp("+") {
		return ""
	}
	return p.text(p.next())
}

// precision skips the digits in DAY(3), which limit nothing here.
func (p *parser) precision() {
	if p.isOp("(") && p.at(1).kind == tokNumber && p.opAt(2, ")") {
		p.pos += 3
	}
}

// unitInterval reads the rest of '...' unit [TO unit].
func (p *parser) unitInterval(start int, lit *ast.Literal, from ast.Unit) *ast.Interval {
	to := from
	if p.accept("TO") {
		unit, ok := p.unitAt(0)
		if !ok {
			p.noUnit("TO")
			return &ast.Interval{}
		}
		p.next()
		p.precision()
		to = unit
	}
	a, err := rangeAmount(strings.TrimSpace(lit.Text), from, to)
	return p.intervalOf(start, lit.Span, a, err)
}

// rangeAmount reads the text of an interval with leading and trailing unit.
func rangeAmount(text string, from, to ast.Unit) (amount, error) {
	var a amount
	switch {
	case from == to:
		return a, a.add(text, from)
	case from == ast.Year && to == ast.Month:
		body, negative := cutSign(text)
		years, months, _ := strings.Cut(body, "-")
		if negative {
			years, months = "-"+years, "-"+months
		}
		if err := a.add(years, ast.Year); err != nil {
			return a, err
		}
		return a, a.add(months, ast.Month)
	case from == ast.Day && to < ast.Day && to >= ast.Second:
		body, negative := cutSign(text)
		days, clock, ok := strings.Cut(body, " ")
		if !ok {
			return a, fmt.Errorf("'%s' is not of the form 'days hours:minutes:seconds'", text)
		}
		if negative {
			days = "-" + days
		}
		if err := a.add(days, ast.Day); err != nil {
			return a, err
		}
		return a, a.addClock(strings.TrimSpace(clock), ast.Hour, negative)
	case from < ast.Day && to < from && to >= ast.Second:
		body, negative := cutSign(text)
		return a, a.addClock(body, from, negative)
	}
	return a, fmt.Errorf("an interval cannot be %s TO %s", from, to)
}

func cutSign(text string) (body string, negative bool) {
	if strings.HasPrefix(text, "-") {
		return text[1:], true
	}
	return strings.TrimPrefix(text, "+"), false
}

// numberInterval reads [-] number unit {number unit}.
func (p *parser) numberInterval(start int) *ast.Interval {
	var a amount
	sign := ""
	if p.acceptOp("-") {
		sign = "-"
	} else {
		p.acceptOp("+")
	}
	for first := true; first || p.continuesInterval(); first = false {
		t := p.peek()
		if t.kind != tokNumber {
			p.unexpected("a number")
			break
		}
		p.next()
		unit, ok := p.unitAt(0)
		if !ok {
			p.noUnit("the interval " + p.text(t))
			break
		}
		p.next()
		p.precision()
		if err := a.add(sign+strings.ReplaceAll(p.text(t), "_", ""), unit); err != nil {
			p.report(diag.Errorf(diag.BadInterval, t.span(), "%v", err))
		}
	}
	return p.intervalOf(start, diag.Span{}, a, nil)
}

func (p *parser) continuesInterval() bool {
	_, ok := p.unitAt(1)
	return p.peek().kind == tokNumber && ok
}

// intervalOf makes the node, or reports the error at the given span.
func (p *parser) intervalOf(start int, at diag.Span, a amount, err error) *ast.Interval {
	if err != nil {
		p.report(durationError(err, at))
	}
	return &ast.Interval{Span: p.since(start), Months: a.months, Days: a.days, Micros: a.micros}
}

func durationError(err error, at diag.Span) *diag.Diagnostic {
	d := diag.Errorf(diag.BadInterval, at, "%v", err)
	var word string
	if n, _ := fmt.Sscanf(err.Error(), "unknown unit %q", &word); n == 1 {
		if near := diag.DidYouMean(word, unitNames()); near != "" {
			d.WithHint("did you mean %q?", strings.ToLower(near))
		}
	}
	return d
}

// duration reads a duration where nothing else can stand: a string or INTERVAL.
func (p *parser) duration(what string) *ast.Interval {
	start := p.pos
	t := p.peek()
	switch {
	case t.isString():
		lit := p.stringLit(what)
		a, err := parseDuration(lit.Text)
		return p.intervalOf(start, lit.Span, a, err)
	case p.isWord("INTERVAL") && p.at(1).isString():
		p.next()
		return p.stringInterval(start)
	case p.isWord("INTERVAL"):
		p.next()
		return p.numberInterval(start)
	case t.kind == tokNumber && p.at(1).kind == tokWord:
		p.fail(diag.Errorf(diag.Unexpected, p.here(), "expected %s, found %s", what, p.describe(t)).
			WithHint("put it in quotes: '%s %s'", p.text(t), strings.ToLower(p.text(p.at(1)))))
	}
	p.unexpected(what)
	return &ast.Interval{}
}

// span reads a duration that a clock can measure: months have no fixed length, and
// time does not run backwards.
func (p *parser) span(what string) *ast.Interval {
	i := p.duration(what)
	switch {
	case p.failed:
	case i.Months != 0:
		p.report(diag.Errorf(diag.BadInterval, i.Span, "%s must have a fixed length: months and years have none", what).
			WithHint("write days, such as '30 days'"))
	case i.Days < 0 || i.Micros < 0:
		p.report(diag.Errorf(diag.BadInterval, i.Span, "%s must not be negative", what))
	}
	return i
}
