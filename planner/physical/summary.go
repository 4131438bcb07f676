package physical

import (
	"fmt"
	"strings"

	"github.com/sqlstream/sqlstream/exec/expr"
)

// ShortID is the first digits of an operator id.
func ShortID(n Node) string {
	id := n.ID()
	return id[:min(len(id), 6)]
}

// kindOf is the name of a node's kind.
func kindOf(n Node) string {
	return strings.TrimPrefix(fmt.Sprintf("%T", n), "*physical.")
}

// Summary is a node in a few words, its kind first.
func Summary(n Node) string {
	if text := n.explain().summary; text != "" {
		return kindOf(n) + " " + text
	}
	return kindOf(n)
}

func (s *Scan) summary() string {
	text := s.Relation.Name + " (" + s.Relation.Connector + ")"
	var cols []string
	for _, c := range s.P.Columns {
		cols = append(cols, c.Name)
	}
	text += "  columns (" + strings.Join(cols, ", ") + ")"
	if s.Finite {
		text += "  finite"
	}
	for i, r := range s.Ranges {
		text += map[bool]string{true: "  reads only ", false: " AND "}[i == 0] + r.Text
	}
	if w := s.Watermark; w != nil {
		text += "  W = max(" + s.P.Columns[w.Col].Name + ") - " + expr.Interval(w.Delay).String()
		if w.Unread {
			text += " by statistics"
		}
		if w.Where != nil {
			text += " where " + w.Where.String()
		}
		if w.IdleTimeout > 0 {
			text += " idle " + length(w.IdleTimeout)
		}
		if w.WholeSource {
			text += " over all partitions"
		}
	}
	return text
}

func (p *Project) summary() string {
	parts := make([]string, len(p.Exprs))
	for i, e := range p.Exprs {
		parts[i] = e.String()
		if name := p.P.Columns[i].Name; name != parts[i] {
			parts[i] += " AS " + name
		}
	}
	return strings.Join(parts, ", ")
}

func (u *Unnest) summary() string {
	if u.Outer {
		return u.Text + " outer"
	}
	return u.Text
}

func (a *Aggregate) summary() string {
	text := ""
	if len(a.Keys) > 0 {
		keys := make([]string, len(a.Keys))
		for i := range a.Keys {
			keys[i] = a.P.Columns[i].Name
		}
		text = "by (" + strings.Join(keys, ", ") + ")"
	}
	for i, g := range a.Aggs {
		if i > 0 {
			text += ","
		}
		text += " " + g.Text
	}
	return strings.TrimSpace(text)
}

func (j *StaticJoin) summary() string {
	return joinSummary(j.Kind, j.NullAware > 0, j.Single, joinCondition(j.Input, j.Static, j.InputKeys, j.StaticKeys, j.NullSafe, j.Residual))
}

func joinSummary(kind JoinKind, nullAware, single bool, condition string) string {
	text := kind.String()
	if nullAware {
		text += " null-aware"
	}
	if single {
		text += " single"
	}
	if condition != "" {
		text += " on " + condition
	}
	return text
}

func joinCondition(l, r Node, lkeys, rkeys []int, nullSafe []bool, residual expr.Node) string {
	var conds []string
	for i := range lkeys {
		conds = append(conds, l.Props().Columns[lkeys[i]].Name+equals(nullSafe[i])+r.Props().Columns[rkeys[i]].Name)
	}
	if residual != nil {
		conds = append(conds, residual.String())
	}
	return strings.Join(conds, " AND ")
}

func equals(nullSafe bool) string {
	if nullSafe {
		return " IS NOT DISTINCT FROM "
	}
	return " = "
}

func (m *Materialize) summary() string {
	var parts []string
	for _, k := range m.Order {
		text := m.Input.Props().Columns[k.Col].Name
		if k.Desc {
			text += " DESC"
		}
		parts = append(parts, text)
	}
	text := ""
	if len(parts) > 0 {
		text = "order by " + strings.Join(parts, ", ")
	}
	if m.Limit >= 0 {
		text += fmt.Sprintf(" limit %d", m.Limit)
	}
	if m.Offset > 0 {
		text += fmt.Sprintf(" offset %d", m.Offset)
	}
	return strings.TrimSpace(text)
}
