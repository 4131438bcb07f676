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
	if text := summary(n); text != "" {
		return kindOf(n) + " " + text
	}
	return kindOf(n)
}

func summary(n Node) string {
	switch x := n.(type) {
	case *Scan:
		return x.summary()
	case *Values:
		return fmt.Sprintf("%d rows", len(x.Rows))
	case *Filter:
		return x.Predicate.String()
	case *Project:
		return x.summary()
	case *Unnest:
		return x.summary()
	case *Hop:
		return fmt.Sprintf("%s: windows of %s every %s", x.Input.Props().Columns[x.Time].Name, length(x.Window.Size), length(x.Window.Slide))
	case *Aggregate:
		return x.summary()
	case *Distinct:
		return ""
	case *Dedup:
		return "by " + keyText(x.Input.Props(), x.Keys)
	case *StaticJoin:
		return x.summary()
	case *UnionAll:
		return fmt.Sprintf("%d inputs", len(x.Inputs))
	case *Close:
		return lateText(x.Input.Props(), &x.Bound)
	case *Materialize:
		return x.summary()
	}
	return ""
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
	if w := s.Watermark; w != nil {
		text += "  W = max(" + s.P.Columns[w.Col].Name + ") - " + expr.Interval(w.Delay).String()
		if w.Where != nil {
			text += " where " + w.Where.String()
		}
		if w.IdleTimeout > 0 {
			text += " idle " + length(w.IdleTimeout)
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
	text := j.Kind.String()
	if j.NullAware > 0 {
		text += " null-aware"
	}
	if j.Single {
		text += " single"
	}
	var conds []string
	for i := range j.InputKeys {
		op := " = "
		if j.NullSafe[i] {
			op = " IS NOT DISTINCT FROM "
		}
		conds = append(conds, j.Input.Props().Columns[j.InputKeys[i]].Name+op+j.Static.Props().Columns[j.StaticKeys[i]].Name)
	}
	if j.Residual != nil {
		conds = append(conds, j.Residual.String())
	}
	if len(conds) > 0 {
		text += " on " + strings.Join(conds, " AND ")
	}
	return text
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
