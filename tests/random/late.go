package random

import (
	"slices"

	"github.com/sqlstream/sqlstream/incremental/reference"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// Where rows may be late, every source is read by an aggregation over windows of its ts
// and no other key of time, so that the rule is simple: a row is refused when its window
// ended at or before the watermark of the trigger before. Sliding windows refuse a row
// window by window. A deletion is refused like an insertion: for that, changelogs are
// cut before they are accumulated, and all windows of the query have one size.

// windowed is the only reader of sources in a query with late rows.
func (g *grammar) windowed() *Select {
	alias := g.name("t")
	src := g.sources[0]
	s := &Select{From: From{Table: src.Name, Alias: alias}}
	sc := columnsOf(alias, sourceColumns())
	if g.chance(30) {
		s.Where = append(s.Where, g.simple(sc))
	}
	if g.chance(20) {
		sc = sc.with(g.join(s, sc))
	}
	time := sc[Time][0]
	delete(sc, Time)
	g.group(s, sc)
	s.Grouped = true
	s.Window = &Window{Time: time.clone(), Size: g.size, Slide: g.size, Alias: g.name("w")}
	if !src.Changelog && g.chance(50) {
		s.Window.Slide = g.size / 2
	}
	s.Items = append(s.Items, Item{s.Window.bound(g.chance(50)), g.name("c")})
	return s
}

// refuse is the rule for windows: the key of an aggregate that is a window has ended.
// Rows above the first aggregation carry no watermark.
func refuse(n logical.Node, key []any, m reference.Moment) bool {
	if _, ok := n.(reference.JoinInput); ok {
		return false // the other side is a table
	}
	for _, k := range key {
		if w, ok := k.([]any); ok && m.Watermark != 0 {
			return w[1].(int64) <= m.Watermark
		}
	}
	return false
}

// onTime drops changes of windows that have ended, of a size in minutes.
func onTime(changes []reference.Change, size int64) []reference.Change {
	var out []reference.Change
	for _, c := range changes {
		t, ok := c.Values[timeColumn].(int64)
		end := t - (t-epoch)%(size*minute) + size*minute
		if t < epoch && (t-epoch)%(size*minute) != 0 {
			end -= size * minute
		}
		if !ok || end > c.Watermark {
			out = append(out, c)
		}
	}
	return out
}

// lateShape tells that a query is one of those above: shrinking may leave them.
func (c *Case) lateShape(s *Select) bool {
	if s == nil {
		return true
	}
	if c.Size == 0 {
		return c.joinsBand(s)
	}
	if s.From.Table == c.Sources[0].Name || s.From.Table == c.Sources[1].Name {
		w := s.Window
		if w == nil || w.Time.Text != s.From.Alias+".ts" || w.Size != c.Size || c.Sources[0].Changelog && w.Slide != w.Size {
			return false
		}
		if slices.ContainsFunc(s.Keys, func(k *Expr) bool { return k.Kind == Time || k.Kind == Ints }) {
			return false
		}
	}
	for _, u := range s.Union {
		if !c.lateShape(u) {
			return false
		}
	}
	return c.lateShape(s.From.Sub)
}

// windowedOnce tells that a query is one aggregation over windows of a source's ts, with no
// other key of time, that shows a bound of its windows: which source, and which column.
func (c *Case) windowedOnce() (source, item int, ok bool) {
	s := c.Query
	source = slices.IndexFunc(c.Sources, func(x Source) bool { return x.Name == s.From.Table })
	if source < 0 || s.Window == nil || s.Window.Session || s.Window.Time.Text != s.From.Alias+".ts" || len(s.Union) > 0 || slices.ContainsFunc(s.Joins, func(j *Join) bool { return j.Stream }) ||
		slices.ContainsFunc(s.Keys, func(k *Expr) bool { return k.Kind == Time }) {
		return 0, 0, false
	}
	item = slices.IndexFunc(s.Items, func(it Item) bool { return it.Text == "window.end" || it.Text == "window.start" })
	return source, item, item >= 0
}

// finalNow is the part of an answer that must have been emitted, where that is simple to
// say: the windows that end at or before the watermark.
func (r *run) finalNow(want []reference.Row) (reference.Bag, bool) {
	src, item, ok := r.c.windowedOnce()
	if !ok {
		return nil, false
	}
	out := reference.Bag{}
	for _, row := range want {
		end := row.Values[item].(int64)
		if r.c.Query.Items[item].Text == "window.start" {
			end += r.c.Query.Window.Size * minute
		}
		if end <= r.marks[src] {
			out.Add(row.Values, 1)
		}
	}
	return out, true
}
