package random

// union combines a query with others that have columns of the same kinds. INTERSECT
// and EXCEPT find something now and then because the others often read the same source
// through the same expressions.
func (g *grammar) union(s *Select, n int) {
	kinds := make([]Kind, len(s.Items))
	for i, it := range s.Items {
		kinds[i] = it.Kind
	}
	for range n {
		s.Union = append(s.Union, g.operand(s, kinds))
	}
}

// operand draws a query with columns of the given kinds: sometimes s with other conditions.
func (g *grammar) operand(s *Select, kinds []Kind) *Select {
	if g.chance(50) && len(s.Union) == 0 && !s.Grouped && len(s.Joins) == 0 && s.Unnest == nil && len(s.On) == 0 && s.From.Sub == nil {
		u := s.clone()
		u.Where, u.Op = nil, []string{"INTERSECT", "INTERSECT ALL", "INTERSECT ALL", "EXCEPT", "EXCEPT ALL", "UNION"}[g.r.IntN(6)]
		if g.chance(50) {
			u.Where = append(u.Where, g.condition(columnsOf(s.From.Alias, sourceColumns())))
		}
		return u
	}
	u := &Select{Op: []string{"UNION ALL", "UNION ALL", "UNION ALL", "UNION", "UNION", "INTERSECT", "INTERSECT ALL", "EXCEPT", "EXCEPT ALL"}[g.r.IntN(9)]}
	sc, _ := g.from(u, 1+g.r.IntN(2))
	if g.chance(30) {
		u.Where = append(u.Where, g.condition(sc))
	}
	g.project(u, sc, kinds)
	return u
}
