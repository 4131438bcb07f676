package random

import "slices"

// query tries every simplification of the query, again after each that helps.
func (s *shrinker) query() bool {
	better := false
	for i := 0; s.left > 0; {
		c := s.best.copy()
		cut := &cutter{left: i}
		c.Query = cut.query(c.Query, true)
		if !cut.done {
			return better
		}
		if s.try(c) {
			better = true // the same place has become another
			continue
		}
		i++
	}
	return better
}

// cutter applies the simplification number left, in the order of a walk.
type cutter struct {
	left int
	done bool
}

// here tells, once, that the walk has come to the simplification that is wanted.
func (c *cutter) here() bool {
	if c.done {
		return false
	}
	c.left--
	c.done = c.left < 0
	return c.done
}

// query simplifies a query. Its columns are kept, unless it is the whole one.
func (c *cutter) query(s *Select, whole bool) *Select {
	if s == nil || c.done {
		return s
	}
	if whole && s.From.Sub != nil && c.here() {
		return s.From.Sub
	}
	if s.From.Sub != nil && c.here() {
		s.From = flat(s.From)
		return s
	}
	for i := range s.Union {
		if c.here() {
			s.Union = slices.Delete(s.Union, i, i+1)
			return s
		}
	}
	if len(s.Union) > 0 && c.here() {
		next := s.Union[0]
		next.Union, next.Op = s.Union[1:], s.Op
		for i := range next.Items {
			next.Items[i].Name = s.Items[i].Name
		}
		return next
	}
	c.clauses(s)
	if whole {
		c.items(s)
	}
	c.parts(s)
	return s
}

// flat replaces the query in FROM by a source whose columns are NULL or its own.
func flat(f From) From {
	in := &Select{From: From{Table: "s0", Alias: f.Alias + "s"}}
	for _, it := range f.Sub.Items {
		e := &Expr{Kind: it.Kind, Text: Literal(it.Kind, nil)}
		for _, col := range sourceColumns() {
			if col.kind == it.Kind {
				e.Text = in.From.Alias + "." + col.name
			}
		}
		in.Items = append(in.Items, Item{e, it.Name})
	}
	f.Sub, f.Top = in, nil
	return f
}

// clauses drops what stands alone.
func (c *cutter) clauses(s *Select) {
	for _, list := range []*[]*Expr{&s.Where, &s.Having, &s.Qualify, &s.Keys, &s.On} {
		c.drop(list)
	}
	switch {
	case s.Limit > 0 && c.here():
		s.Limit = 0
	case len(s.Order) > 0 && c.here():
		s.Order = s.Order[1:]
	case s.From.Top != nil && c.here():
		s.From.Top = nil
	case s.From.Func != "" && c.here():
		s.From.Func = ""
	case s.Distinct && c.here():
		s.Distinct = false
	case s.Unnest != nil && c.here():
		s.Unnest = nil
	case s.Window != nil && c.here():
		s.Window = nil
	case s.Window != nil && s.Window.Slide != s.Window.Size && c.here():
		s.Window.Slide = s.Window.Size
	}
	c.joins(s)
}

// joins drops a join, or makes it simpler.
func (c *cutter) joins(s *Select) {
	for i, j := range s.Joins {
		switch {
		case c.done:
			return
		case c.here():
			s.Joins = slices.Delete(s.Joins, i, i+1)
		case j.Sub != nil && c.here():
			j.From = flat(j.From)
			if !j.Stream {
				j.Sub.From.Table = "d0"
			}
		case j.Kind != "JOIN" && j.Kind != "SEMI JOIN" && j.Kind != "ANTI JOIN" && c.here():
			j.Kind = "JOIN"
		default:
			c.drop(&j.On)
		}
	}
}

func (c *cutter) drop(list *[]*Expr) {
	for i := range *list {
		if c.here() {
			*list = slices.Delete(*list, i, i+1)
			return
		}
	}
}

// items drops columns of the whole query, in all of its parts.
func (c *cutter) items(s *Select) {
	for i := range s.Items {
		if len(s.Items) > 1 && c.here() {
			for _, part := range append([]*Select{s}, s.Union...) {
				part.Items = slices.Delete(part.Items, i, i+1)
			}
			return
		}
	}
}

// parts simplifies inside: expressions and further queries.
func (c *cutter) parts(s *Select) {
	for _, list := range [][]*Expr{s.Where, s.Having, s.Qualify, s.Keys, s.On} {
		for i := range list {
			list[i] = c.expr(list[i])
		}
	}
	for i := range s.Items {
		s.Items[i].Expr = c.expr(s.Items[i].Expr)
	}
	if s.Unnest != nil {
		s.Unnest = c.expr(s.Unnest)
	}
	if s.Window != nil {
		s.Window.Time = c.expr(s.Window.Time)
	}
	for _, j := range s.Joins {
		for i := range j.On {
			j.On[i] = c.expr(j.On[i])
		}
		j.Sub = c.query(j.Sub, false)
	}
	s.From.Sub = c.query(s.From.Sub, false)
	for i := range s.Union {
		s.Union[i] = c.query(s.Union[i], false)
	}
}

// expr replaces an expression by a part of its kind, or by a literal.
func (c *cutter) expr(e *Expr) *Expr {
	if c.done {
		return e
	}
	for _, k := range e.Kids {
		if k.Kind == e.Kind && c.here() {
			return k
		}
	}
	if (len(e.Kids) > 0 || e.Sub != nil) && c.here() {
		return &Expr{Kind: e.Kind, Text: Literal(e.Kind, simplest(e.Kind))}
	}
	for i := range e.Kids {
		e.Kids[i] = c.expr(e.Kids[i])
	}
	if e.Sub != nil {
		e.Sub = c.query(e.Sub, false)
	}
	return e
}

func simplest(k Kind) any {
	switch k {
	case Bool:
		return true
	case Str:
		return "a"
	case Dbl:
		return 1.5
	case Time:
		return epoch
	case Ints:
		return []any{}
	}
	return int64(1)
}
