package lower

import (
	"fmt"
	"slices"

	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// recursive cuts the step of a recursion where it no longer reads the recursion: what is
// below the cuts is maintained like any input, what is above runs round by round.
func (l *Lowerer) recursive(r *logical.Recursive) *lowered {
	cut := &stepCutter{l: l, of: r.Of, all: r.All, feeds: []logical.Node{r.Base}}
	step := cut.cut(r.Step)
	n := &physical.Recursive{Name: r.Of.Name, All: r.All, Rounds: r.Of.Rounds, Rows: r.Of.Rows}
	var text string
	kind := physical.AppendOnly
	for i, f := range cut.feeds {
		in := l.wholeRow(f)
		n.Inputs = append(n.Inputs, in.node)
		kind = max(kind, in.props().Kind)
		text += fmt.Sprintf(" input %d (%s: %s)", i, in.id.rows(), joinTexts(in.id.cols))
	}
	low := l.stepPlan(step, kind)
	if low.props().Kind != physical.AppendOnly {
		kind = physical.Retract
		low = l.stepPlan(step, kind)
	}
	n.Step = low.node
	n.Again = !r.All && kind != physical.AppendOnly
	n.P.Columns = unique(slices.Clone(r.Of.Columns))
	if n.P.Kind = kind; kind != physical.AppendOnly {
		n.P.Kind = physical.Retract
	}
	if l.opt.Finite {
		n.P.Kind = physical.AppendOnly
	}
	out := &lowered{node: n}
	for i := range n.P.Columns {
		out.cols = append(out.cols, i)
	}
	if !r.All {
		n.P.Keys = [][]int{out.cols}
	}
	out.id.base = fmt.Sprintf("recursive all=%t%s step (%s: %s)", r.All, text, low.id.rows(), joinTexts(low.id.cols))
	for _, c := range n.P.Columns {
		out.id.cols = append(out.id.cols, out.id.base+"."+c.Name+":"+c.Type.String())
	}
	n.OpID = hashOf("recursive", out.id.base)
	return out
}

// stepPlan lowers a step whose inputs are of a kind. Nothing in it is late or forgotten.
func (l *Lowerer) stepPlan(step logical.Node, kind physical.Kind) *lowered {
	saved, savedKind := l.opt, l.feedKind
	defer func() { l.opt, l.feedKind = saved, savedKind }()
	l.feedKind = kind
	l.opt.Finite, l.opt.Keep, l.opt.Close, l.opt.Materialize = false, true, false, false
	need := make([]bool, logical.Width(step))
	for i := range need {
		need[i] = true
	}
	return l.exactly(step, l.node(step, need))
}

// feed is a leaf of a step.
func (l *Lowerer) feed(f *logical.Feed) *lowered {
	n := &physical.Feed{Index: f.Index}
	n.P.Columns, n.P.Kind = unique(slices.Clone(f.Columns)), l.feedKind
	out := &lowered{node: n}
	out.id.base = fmt.Sprintf("feed %d", f.Index)
	for i, c := range n.P.Columns {
		out.cols = append(out.cols, i)
		out.id.cols = append(out.id.cols, fmt.Sprintf("feed %d.%s:%s", f.Index, c.Name, c.Type))
	}
	n.OpID = hashOf("feed", out.id.base, joinTexts(out.id.cols))
	return out
}

// stepCutter replaces what does not read the recursion by feeds, and refuses a step that
// is not one row's at a time.
type stepCutter struct {
	l     *Lowerer
	of    *logical.Recursion
	all   bool
	feeds []logical.Node
}

func (c *stepCutter) reads(n logical.Node) bool {
	found := false
	logical.Walk(n, func(n logical.Node) {
		if r, ok := n.(*logical.RecursiveRef); ok && r.Of == c.of {
			found = true
		}
	})
	return found
}

func (c *stepCutter) cut(n logical.Node) logical.Node {
	if !c.reads(n) {
		c.feeds = append(c.feeds, n)
		return &logical.Feed{Index: len(c.feeds) - 1, Columns: n.Schema()}
	}
	switch x := n.(type) {
	case *logical.RecursiveRef:
		return &logical.Feed{Columns: x.Schema()}
	case *logical.Filter, *logical.Project, *logical.Unnest, *logical.Hop, *logical.UnionAll:
		return c.cutAll(n)
	case *logical.Distinct:
		if !c.all { // UNION takes copies away anyway
			return c.cut(x.Input)
		}
	case *logical.Join:
		if why := c.joinRefusal(x); why != "" {
			return c.refuse(n, why)
		}
		return c.cutAll(n)
	}
	return c.refuse(n, fmt.Sprintf("reads %s through %s, whose result is not known before the recursion has ended", c.of.Name, n.Describe()))
}

func (c *stepCutter) cutAll(n logical.Node) logical.Node {
	var kids []logical.Node
	for _, k := range n.Children() {
		kids = append(kids, c.cut(k))
	}
	return n.WithChildren(kids)
}

// joinRefusal tells why a join cannot be in a step, "" if it can.
func (c *stepCutter) joinRefusal(j *logical.Join) string {
	left, right := c.reads(j.L), c.reads(j.R)
	switch {
	case left && right:
		return fmt.Sprintf("joins %s with itself", c.of.Name)
	case right && j.Kind == logical.Semi:
		return fmt.Sprintf("has %s on the right of a semi join (IN, EXISTS); write it as an inner join", c.of.Name)
	case right && j.Kind != logical.Inner, j.Kind == logical.Full:
		return fmt.Sprintf("has %s where the %s join says that a row is missing", c.of.Name, j.Kind)
	}
	return ""
}

func (c *stepCutter) refuse(n logical.Node, why string) logical.Node {
	c.l.refuse(diag.Errorf(diag.Recursion, diag.Span{}, "the step of the recursive query %s %s", c.of.Name, why).
		WithHint("the step may filter, compute, and join the recursion once with other relations; aggregate or compare in the query that reads it"))
	return &logical.Feed{Columns: n.Schema()}
}
