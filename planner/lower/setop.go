package lower

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// setSide is an input of a set operation. A finite one has delivered all its rows in
// the first trigger, and holds no frontier back.
type setSide struct {
	*lowered
	ended bool
}

// setOp compares whole rows; every column of the inputs is part of the row.
func (l *Lowerer) setOp(s *logical.SetOp) *lowered {
	need := make([]bool, logical.Width(s.L))
	for i := range need {
		need[i] = true
	}
	sides := [2]setSide{{l.aligned(s.L, need), !l.opt.Finite && logical.IsFinite(s.L)},
		{l.aligned(s.R, need), !l.opt.Finite && logical.IsFinite(s.R)}}
	visible := len(need)
	if !l.opt.Keep {
		l.sharedTime(&sides)
	}
	n := &physical.SetOp{L: sides[0].node, R: sides[1].node, Intersect: s.Intersect, All: s.All, Keep: l.opt.Keep}
	out := &lowered{node: n, delay: longer(sides[0].delay, sides[1].delay), cols: make([]int, visible)}
	for i := range out.cols {
		out.cols[i] = i
	}
	n.P.Columns = sides[0].props().Columns
	n.P.Keys = setKeys(s, sides, out.cols)
	n.P.Kind = setKind(s, sides)
	l.setFrontiers(n, sides, out)
	if l.opt.Close && n.Bound != nil && n.P.Kind != physical.AppendOnly {
		n.EmitOnClose, n.P.Kind = true, physical.AppendOnly
	}
	base := s.Name()
	for _, side := range sides {
		base += " (" + side.id.rows() + " : " + joinTexts(side.id.cols) + ")"
	}
	out.id = identity{base: base, cols: sides[0].id.cols}
	n.OpID = hashOf("set", base)
	return out
}

// setKind: what both sides only add to, INTERSECT only adds to. EXCEPT does so if its
// right side is complete from the first trigger on.
func setKind(s *logical.SetOp, sides [2]setSide) physical.Kind {
	only := func(i int) bool { return sides[i].props().Kind == physical.AppendOnly }
	if s.Intersect && only(0) && only(1) || !s.Intersect && only(0) && sides[1].ended {
		return physical.AppendOnly
	}
	return physical.Retract
}

// setKeys: the result is a part of the left rows, and of the right ones for INTERSECT.
func setKeys(s *logical.SetOp, sides [2]setSide, all []int) [][]int {
	keys := append([][]int(nil), sides[0].props().Keys...)
	if s.Intersect {
		keys = append(keys, sides[1].props().Keys...)
	}
	if len(keys) == 0 && !s.All {
		keys = [][]int{all}
	}
	return keys
}

// sharedTime appends the time inside a struct column on both sides, when no column is a
// time with a frontier of both.
func (l *Lowerer) sharedTime(sides *[2]setSide) {
	open := 0 // a side that can still bring rows
	if sides[0].ended {
		open = 1
	}
	var found *physical.Frontier
	for _, f := range sides[open].props().Frontiers {
		if !sides[1-open].ended && sides[1-open].props().FrontierOf(f.Col, f.Path...) < 0 {
			continue
		}
		if len(f.Path) == 0 && isInt(sides[open].props().Columns[f.Col].Type) {
			return
		}
		if found == nil && len(f.Path) > 0 {
			found = &f
		}
	}
	if found == nil {
		return
	}
	for i := range sides {
		sides[i].lowered = l.withField(sides[i].lowered, *found)
	}
}

func isInt(t types.Type) bool { return t.Phys() == types.PhysInt64 }

// withField appends a field of a struct as a column.
func (l *Lowerer) withField(in *lowered, f physical.Frontier) *lowered {
	var exprs []expr.Node
	var names []string
	for i, c := range in.props().Columns {
		exprs, names = append(exprs, column(in, i)), append(names, c.Name)
	}
	e := expr.Node(column(in, f.Col))
	for _, x := range f.Path {
		e = expr.NewField(e, x)
	}
	out := l.project(in, append(exprs, e), append(names, e.String()))
	out.cols = in.cols
	return out
}

// setFrontiers passes the minimum of both sides, column by column. The first of them
// bounds the state; others pass where they were promises before, and not over rows
// that are held back.
func (l *Lowerer) setFrontiers(n *physical.SetOp, sides [2]setSide, out *lowered) {
	open := 0
	if sides[0].ended {
		open = 1
	}
	if l.opt.Keep {
		return
	}
	for at, f := range sides[open].props().Frontiers {
		rules := []physical.FrontierInput{{Child: open, Front: at}}
		hard := sides[open].hard[at]
		if other := sides[1-open]; !other.ended {
			i := other.props().FrontierOf(f.Col, f.Path...)
			if i < 0 {
				continue
			}
			rules = append(rules, physical.FrontierInput{Child: 1 - open, Front: i})
			hard = hard && other.hard[i]
		}
		binds := n.Bound == nil && len(f.Path) == 0 && isInt(n.P.Columns[f.Col].Type)
		if binds {
			n.Bound = &physical.Bound{Col: f.Col, Front: len(n.P.Frontiers)}
		} else if same := n.Bound != nil && sameTime(sides[open].lowered, f, n.Bound); !same && (!hard || l.opt.Close) {
			continue
		}
		n.P.Frontiers = append(n.P.Frontiers, physical.Frontier{Col: f.Col, Path: f.Path, Rules: rules})
		out.hard = append(out.hard, true)
	}
}
