package random

import "strings"

// groupingSets turns the keys of a grouping into ROLLUP, CUBE or GROUPING SETS now and
// then, and shows which of them a row has. A window stays outside: it is in every set.
func (g *grammar) groupingSets(s *Select) {
	if len(s.Keys) == 0 || s.Window != nil && s.Window.Session || !g.chance(25) {
		return
	}
	for _, k := range s.Keys {
		if !k.readsColumn() { // a constant is no key of grouping sets
			return
		}
	}
	s.Sets = []string{"ROLLUP", "CUBE", "GROUPING SETS"}[g.r.IntN(3)]
	if g.chance(60) {
		k := s.Keys[g.r.IntN(len(s.Keys))]
		s.Items = append(s.Items, Item{&Expr{Kind: Int, Text: "CAST(grouping($1) AS INT)", Kids: []*Expr{k.clone()}}, g.name("c")})
	}
}

// setForm is how keys are written as grouping sets: $1, $2 … stand for them.
func (s *Select) setForm() string {
	var marks []string
	for i := range s.Keys {
		marks = append(marks, "$"+string(rune('1'+i)))
	}
	list := strings.Join(marks, ", ")
	if s.Sets == "GROUPING SETS" {
		return s.Sets + " ((" + list + "), (" + marks[0] + "), ())"
	}
	return s.Sets + " (" + list + ")"
}

// sameDistinct is another aggregate over the same different values, which share a map.
func sameDistinct(a *Expr) (*Expr, bool) {
	if !strings.HasPrefix(a.Text, "sum(DISTINCT") {
		return nil, false
	}
	same := a.clone()
	same.Text = "count" + strings.TrimPrefix(a.Text, "sum")
	if strings.HasPrefix(a.Duck, "sum(DISTINCT") {
		same.Duck = "count" + strings.TrimPrefix(a.Duck, "sum")
	}
	same.Kind = Big
	return same, true
}

// readsColumn reports an expression that is no constant.
func (e *Expr) readsColumn() bool {
	for _, k := range e.Kids {
		if k.readsColumn() {
			return true
		}
	}
	return len(e.Kids) == 0 && strings.Contains(e.Text, ".") && strings.ContainsAny(e.Text[:1], "tuqwcs")
}
