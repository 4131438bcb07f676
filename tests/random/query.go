package random

import (
	"fmt"
	"strconv"
	"strings"
)

// Kind is the type of an expression.
type Kind uint8

// The kinds.
const (
	Int Kind = iota
	Big
	Dbl
	Dec
	Str
	Bool
	Time
	Ints // ARRAY<INT>
	Win  // STRUCT<start, end>: a window as one value
)

func (k Kind) String() string {
	return [...]string{"INT", "BIGINT", "DOUBLE", "DECIMAL(10,2)", "STRING", "BOOLEAN", "TIMESTAMP", "INT[]", "STRUCT<start: TIMESTAMP, \"end\": TIMESTAMP>"}[k]
}

// Dialect is who reads the SQL.
type Dialect uint8

// The dialects.
const (
	Ours Dialect = iota
	Duck
)

// Expr is an expression: a text in which $1, $2 … stand for its parts and $q for a
// subquery.
type Expr struct {
	Kind Kind
	Text string
	Duck string // for DuckDB: "" = as Text, "-" = it has no such thing
	Kids []*Expr
	Sub  *Select
}

// Item is a column of a SELECT.
type Item struct {
	*Expr
	Name string
}

// From is what a SELECT reads: a source or table by name, or a query. Func is a table
// function over the source, in which $t is its name; Duck says the same as a query.
type From struct {
	Table string
	Func  string
	Duck  string
	Sub   *Select
	Top   *Top // keeps the first rows of Sub
	Pivot *Pivot
	Alias string
}

// Join is a further relation of FROM.
type Join struct {
	Kind string // "JOIN", "LEFT JOIN", "SEMI JOIN", "ANTI JOIN"; of a stream, "RIGHT JOIN" and "FULL JOIN"
	From
	On     []*Expr
	Stream bool // the relation changes
}

// Window is a time window in GROUP BY. Sizes are in minutes.
type Window struct {
	Time        *Expr
	Size, Slide int64
	Alias       string // of the list of window numbers, for DuckDB
	Session     bool   // a session window of this gap, or
	Gap         *Expr  // of one that depends on this
}

// Select is a query. With Union, the other queries are combined with it.
type Select struct {
	Distinct bool
	On       []*Expr // DISTINCT ON
	Items    []Item
	From     From
	Joins    []*Join
	Unnest   *Expr // CROSS JOIN UNNEST(…) AS UnnestAs(e)
	UnnestAs string
	Numbered bool // WITH ORDINALITY
	Where    []*Expr
	Grouped  bool
	Window   *Window
	Keys     []*Expr
	Sets     string // "ROLLUP", "CUBE" or "GROUPING SETS" of the keys; "" = all together
	Having   []*Expr
	Qualify  []*Expr
	Union    []*Select
	Op       string   // how it combines with what is before it, in Union
	Order    []string // ORDER BY, complete mode only
	Limit    int      // 0 = none
}

// SQL prints a query; false if the dialect cannot say it.
func (s *Select) SQL(d Dialect) (string, bool) {
	p := &printer{d: d}
	p.query(s)
	return p.b.String(), !p.failed
}

type printer struct {
	b      strings.Builder
	d      Dialect
	failed bool
}

func (p *printer) add(parts ...string) {
	for _, x := range parts {
		p.b.WriteString(x)
	}
}

func (p *printer) query(s *Select) {
	p.one(s)
	for _, u := range s.Union {
		p.add(" ", u.Op, " ")
		p.one(u)
	}
	if len(s.Order) > 0 {
		p.add(" ORDER BY ", strings.Join(s.Order, ", "))
	}
	if s.Limit > 0 {
		p.add(" LIMIT ", strconv.Itoa(s.Limit))
	}
}

func (p *printer) one(s *Select) {
	p.add("SELECT ")
	switch {
	case len(s.On) > 0:
		p.failed = p.failed || p.d == Duck // which row is the first is not said
		p.add("DISTINCT ON (")
		p.list(s.On, ", ")
		p.add(") ")
	case s.Distinct:
		p.add("DISTINCT ")
	}
	for i, it := range s.Items {
		if i > 0 {
			p.add(", ")
		}
		p.expr(it.Expr)
		p.add(" AS ", it.Name)
	}
	p.add(" FROM ")
	p.from(s.From)
	for _, j := range s.Joins {
		p.join(j)
	}
	if s.Unnest != nil {
		p.add(" CROSS JOIN UNNEST(")
		p.expr(s.Unnest)
		p.add(map[bool]string{true: ") WITH ORDINALITY AS ", false: ") AS "}[s.Numbered], s.UnnestAs,
			map[bool]string{true: "(e, o)", false: "(e)"}[s.Numbered])
		p.failed = p.failed || s.Numbered && p.d == Duck
	}
	where := s.Where
	if s.Window != nil && p.d == Duck {
		where = append(p.duckWindow(s.Window), where...)
	}
	p.clause(" WHERE ", where, " AND ")
	p.groupBy(s)
	p.clause(" HAVING ", s.Having, " AND ")
	p.clause(" QUALIFY ", s.Qualify, " AND ")
}

func (p *printer) clause(word string, list []*Expr, sep string) {
	if len(list) > 0 {
		p.add(word)
		p.list(list, sep)
	}
}

func (p *printer) list(list []*Expr, sep string) {
	for i, e := range list {
		if i > 0 {
			p.add(sep)
		}
		p.expr(e)
	}
}

func (p *printer) from(f From) {
	switch {
	case f.Top != nil:
		f.Top.print(p, f.Sub)
	case f.Sub != nil:
		p.add("(")
		p.query(f.Sub)
		p.add(")")
	case f.Func != "" && p.d == Duck:
		p.failed = p.failed || f.Duck == ""
		p.add(strings.ReplaceAll(f.Duck, "$t", f.Table))
	case f.Func != "":
		p.add(strings.ReplaceAll(f.Func, "$t", f.Table))
	default:
		p.add(f.Table)
	}
	if f.Pivot != nil {
		p.failed = p.failed || p.d == Duck && !f.Pivot.Said
		p.add(f.Pivot.Text)
	}
	p.add(" AS ", f.Alias)
}

func (p *printer) join(j *Join) {
	if p.d == Duck && strings.HasPrefix(j.Kind, "ASOF") {
		p.asof(j)
		return
	}
	p.add(" ", j.Kind, " ")
	p.from(j.From)
	on := j.On
	if len(on) == 0 {
		on = []*Expr{{Kind: Bool, Text: "true"}}
	}
	p.clause(" ON ", on, " AND ")
}

func (p *printer) groupBy(s *Select) {
	var keys []*Expr
	if w := s.Window; w != nil {
		keys = append(keys, w.groupBy())
	}
	if s.Sets != "" && len(s.Keys) > 0 {
		keys = append(keys, &Expr{Text: s.setForm(), Kids: s.Keys})
	} else {
		keys = append(keys, s.Keys...)
	}
	if s.Grouped {
		p.clause(" GROUP BY ", keys, ", ")
	}
}

func (p *printer) expr(e *Expr) {
	text := e.Text
	if p.d == Duck && e.Duck != "" {
		text = e.Duck
		p.failed = p.failed || text == "-"
	}
	for {
		at := strings.IndexByte(text, '$')
		if at < 0 || at+1 == len(text) {
			break
		}
		p.add(text[:at])
		if c := text[at+1]; c == 'q' {
			p.query(e.Sub)
		} else {
			p.expr(e.Kids[c-'1'])
		}
		text = text[at+2:]
	}
	p.add(text)
}

// groupBy is the window as a key.
func (w *Window) groupBy() *Expr {
	if w.Session {
		return w.sessionKey()
	}
	text := fmt.Sprintf("window($1, '%d minutes')", w.Size)
	if w.Slide != w.Size {
		text = fmt.Sprintf("window($1, '%d minutes', '%d minutes')", w.Size, w.Slide)
	}
	return &Expr{Kind: Time, Text: text, Duck: w.duckStart(), Kids: []*Expr{w.Time}}
}

// bound is window.start or window.end.
func (w *Window) bound(end bool) *Expr {
	e := &Expr{Kind: Time, Text: "window.start", Duck: w.duckStart(), Kids: []*Expr{w.Time}}
	if end {
		e.Text = "window.end"
		e.Duck = "(" + e.Duck + " + INTERVAL '" + strconv.FormatInt(w.Size, 10) + "' MINUTE)"
	}
	if w.Session {
		e.Duck = "-"
	}
	return e
}

// whole is the window as one value.
func (w *Window) whole() *Expr {
	return &Expr{Kind: Win, Text: "window", Duck: "-"}
}

// duckStart is the start of the window of number i, counted back from the last one.
func (w *Window) duckStart() string {
	start := fmt.Sprintf("time_bucket(INTERVAL '%d' MINUTE, $1, TIMESTAMP '1970-01-01 00:00:00')", w.Slide)
	if w.Slide == w.Size {
		return start
	}
	return fmt.Sprintf("(%s - to_minutes(%d * %s.i))", start, w.Slide, w.Alias)
}

// duckWindow joins the numbers of the windows of a row, and says which exist.
func (p *printer) duckWindow(w *Window) []*Expr {
	if w.Slide == w.Size {
		return []*Expr{{Kind: Bool, Text: "$1 IS NOT NULL", Kids: []*Expr{w.Time}}}
	}
	p.add(fmt.Sprintf(" CROSS JOIN (SELECT unnest(range(%d)) AS i) AS %s", (w.Size+w.Slide-1)/w.Slide, w.Alias))
	in := w.bound(true)
	return []*Expr{{Kind: Bool, Text: "$1 > $2", Kids: []*Expr{in, w.Time}}}
}

// clone copies a query deeply.
func (s *Select) clone() *Select {
	if s == nil {
		return nil
	}
	c := *s
	c.On, c.Where, c.Keys, c.Having, c.Qualify = clones(s.On), clones(s.Where), clones(s.Keys), clones(s.Having), clones(s.Qualify)
	c.Items = make([]Item, len(s.Items))
	for i, it := range s.Items {
		c.Items[i] = Item{it.Expr.clone(), it.Name}
	}
	c.From.Sub, c.Unnest = s.From.Sub.clone(), s.Unnest.clone()
	c.Joins = make([]*Join, len(s.Joins))
	for i, j := range s.Joins {
		j := *j
		j.Sub, j.On = j.Sub.clone(), clones(j.On)
		c.Joins[i] = &j
	}
	if s.Window != nil {
		w := *s.Window
		w.Time, w.Gap = w.Time.clone(), w.Gap.clone()
		c.Window = &w
	}
	c.Union = make([]*Select, len(s.Union))
	for i, u := range s.Union {
		c.Union[i] = u.clone()
	}
	return &c
}

func (e *Expr) clone() *Expr {
	if e == nil {
		return nil
	}
	c := *e
	c.Kids, c.Sub = clones(e.Kids), e.Sub.clone()
	return &c
}

func clones(list []*Expr) []*Expr {
	out := make([]*Expr, len(list))
	for i, e := range list {
		out[i] = e.clone()
	}
	return out
}
