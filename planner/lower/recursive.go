package lower

import (
	"fmt"
	"math"
	"slices"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// recursive cuts the step of a recursion where it no longer reads the recursion: what is
// below the cuts is maintained like any input, what is above runs round by round.
func (l *Lowerer) recursive(r *logical.Recursive) *lowered {
	cut := newStepCutter(r)
	step := cut.cut(r.Step)
	n := &physical.Recursive{Name: r.Of.Name, All: r.All, Rounds: r.Of.Rounds, Rows: r.Of.Rows}
	if n.Why = cut.why; r.Settle != nil {
		n.Why = "rows of a key replace one another"
	}
	if n.Why != "" {
		cut = newStepCutter(r)
		cut.general = true
		step = cut.cut(r.Step)
	}
	var text string
	kind := physical.AppendOnly
	for i, f := range cut.feeds {
		in := l.wholeRow(f)
		n.Inputs = append(n.Inputs, in.node)
		kind = max(kind, in.props().Kind)
		text += fmt.Sprintf(" input %d (%s: %s)", i, in.id.rows(), joinTexts(in.id.cols))
	}
	text += l.recursiveStep(r, n, step, kind)
	out := &lowered{node: n}
	n.P.Columns = unique(slices.Clone(r.Schema()))
	for i := range n.P.Columns {
		out.cols = append(out.cols, i)
	}
	n.P.Keys = recursiveKeys(r)
	out.id.base = fmt.Sprintf("recursive all=%t%s", r.All, text)
	for _, c := range n.P.Columns {
		out.id.cols = append(out.id.cols, out.id.base+"."+c.Name+":"+c.Type.String())
	}
	n.OpID = hashOf("recursive", out.id.base)
	return out
}

// recursiveStep lowers the step, over inputs of a kind, and says of what kind the result is.
func (l *Lowerer) recursiveStep(r *logical.Recursive, n *physical.Recursive, step logical.Node, kind physical.Kind) string {
	if n.Why != "" {
		kind = physical.Retract
	}
	low := l.stepPlan(step, kind)
	if low.props().Kind != physical.AppendOnly && kind == physical.AppendOnly {
		kind = physical.Retract
		low = l.stepPlan(step, kind)
	}
	n.Step = low.node
	text := fmt.Sprintf(" step (%s: %s)", low.id.rows(), joinTexts(low.id.cols))
	if n.Why != "" {
		text += " again"
	}
	if r.Settle != nil {
		low := l.stepPlan(given(r.Settle), physical.AppendOnly)
		n.Settle = low.node
		text += fmt.Sprintf(" settle (%s: %s)", low.id.rows(), joinTexts(low.id.cols))
	}
	if l.until != nil && l.until.of == r {
		n.Until, n.Enough = l.stepPlan(l.until.plan, physical.AppendOnly).node, l.until.rows
		text += fmt.Sprintf(" until %d", n.Enough)
	}
	n.Again = !r.All && kind != physical.AppendOnly
	if n.P.Kind = kind; kind != physical.AppendOnly {
		n.P.Kind = physical.Retract
	}
	if l.opt.Finite {
		n.P.Kind = physical.AppendOnly
	}
	return text
}

// until ends a recursion of which not all rows are wanted: plan is what is read of them.
type until struct {
	of   *logical.Recursive
	plan logical.Node
	rows int64
}

// firstOfRecursion is LIMIT without an order over a recursion in a finite result: the first
// rows in the order of its rounds, which may have no end. nil if it is something else.
func (l *Lowerer) firstOfRecursion(s *logical.Sort, need []bool) *lowered {
	if len(s.Keys) > 0 || s.Ties || s.Limit == logical.NoLimit || s.Limit > math.MaxInt64-s.Offset {
		return nil
	}
	var of *logical.Recursive
	var feed func(n logical.Node) logical.Node
	feed = func(n logical.Node) logical.Node {
		switch x := n.(type) {
		case *logical.Recursive:
			of = x
			return &logical.Feed{Columns: x.Schema(), Grows: true}
		case *logical.Project, *logical.Filter, *logical.Unnest:
			return n.WithChildren([]logical.Node{feed(n.Children()[0])})
		}
		return n
	}
	plan := feed(s.Input)
	if of == nil || of.Settle != nil {
		return nil
	}
	saved := l.until
	defer func() { l.until = saved }()
	l.until = &until{of: of, plan: plan, rows: s.Limit + s.Offset}
	return l.limit(s, need)
}

// recursiveKeys are the unique keys of the rows.
func recursiveKeys(r *logical.Recursive) [][]int {
	if agg := keyedBy(r.Settle); agg != nil {
		return agg
	}
	if r.All && r.Settle == nil {
		return nil
	}
	all := make([]int, len(r.Schema()))
	for i := range all {
		all[i] = i
	}
	return [][]int{all}
}

// keyedBy are the columns that a projection makes of the keys of an aggregation below it.
func keyedBy(n logical.Node) [][]int {
	p, ok := n.(*logical.Project)
	if !ok {
		return nil
	}
	agg, ok := p.Input.(*logical.Aggregate)
	if !ok {
		return nil
	}
	key := make([]int, 0, len(agg.Keys))
	for k := range agg.Keys {
		i := slices.IndexFunc(p.Exprs, func(e expr.Node) bool {
			c, ok := e.(*expr.Column)
			return ok && c.Index == k
		})
		if i < 0 {
			return nil
		}
		key = append(key, i)
	}
	return [][]int{key}
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
	if f.Grows {
		n.P.Kind = physical.AppendOnly
	}
	out := &lowered{node: n}
	out.id.base = fmt.Sprintf("feed %d", f.Index)
	for i, c := range n.P.Columns {
		out.cols = append(out.cols, i)
		out.id.cols = append(out.id.cols, fmt.Sprintf("feed %d.%s:%s", f.Index, c.Name, c.Type))
	}
	n.OpID = hashOf("feed", out.id.base, joinTexts(out.id.cols))
	return out
}

// stepCutter replaces what does not read the recursion by feeds. A step that is linear, one
// row's at a time, follows the rows that are added; why tells what another one does, which
// is computed round by round. There, what is cut only grows within a computation.
type stepCutter struct {
	of      *logical.Recursion
	all     bool
	general bool
	feeds   []logical.Node
	inner   map[*logical.Recursion]bool // recursions within the step, whose own steps stay whole
	why     string
}

func newStepCutter(r *logical.Recursive) *stepCutter {
	return &stepCutter{of: r.Of, all: r.All, feeds: []logical.Node{r.Base}, inner: map[*logical.Recursion]bool{}}
}

func (c *stepCutter) reads(n logical.Node) bool {
	return readsAny(n, func(of *logical.Recursion) bool { return of == c.of })
}

// readsAny reports a reference to one of some recursions.
func readsAny(n logical.Node, is func(*logical.Recursion) bool) bool {
	found := false
	logical.Walk(n, func(n logical.Node) {
		r, ok := n.(*logical.RecursiveRef)
		found = found || ok && is(r.Of)
	})
	return found
}

func (c *stepCutter) cut(n logical.Node) logical.Node {
	if !c.reads(n) {
		if readsAny(n, func(of *logical.Recursion) bool { return c.inner[of] }) {
			return c.cutAll(n)
		}
		c.feeds = append(c.feeds, n)
		return &logical.Feed{Index: len(c.feeds) - 1, Columns: n.Schema(), Grows: c.general}
	}
	switch x := n.(type) {
	case *logical.RecursiveRef:
		if x.Part == logical.AllRounds {
			c.because("reads recurring." + c.of.Name)
			return &logical.Feed{Index: physical.FeedWhole, Columns: x.Schema()}
		}
		return &logical.Feed{Columns: x.Schema()}
	case *logical.Filter, *logical.Project, *logical.Unnest, *logical.Hop, *logical.UnionAll:
	case *logical.Distinct:
		if !c.all && !c.general { // UNION takes copies away anyway
			return c.cut(x.Input)
		}
		c.because("reads it through DISTINCT")
	case *logical.Join:
		c.because(c.joinReason(x))
	case *logical.Recursive:
		c.inner[x.Of] = true
		c.because("reads it through " + n.Describe())
	default:
		c.because("reads it through " + n.Describe())
	}
	return c.cutAll(n)
}

func (c *stepCutter) cutAll(n logical.Node) logical.Node {
	kids := slices.Clone(n.Children())
	for i, k := range kids {
		kids[i] = c.cut(k)
	}
	return n.WithChildren(kids)
}

// joinReason tells why a join is not linear, "" if it is.
func (c *stepCutter) joinReason(j *logical.Join) string {
	left, right := c.reads(j.L), c.reads(j.R)
	switch {
	case left && right:
		return "joins it with itself"
	case right && j.Kind == logical.Semi:
		return "has it on the right of a semi join"
	case right && j.Kind != logical.Inner, j.Kind == logical.Full:
		return fmt.Sprintf("has it where the %s join says that a row is missing", j.Kind)
	}
	return ""
}

// because says why the step is not linear, if it is not.
func (c *stepCutter) because(why string) {
	if c.why == "" && why != "" {
		c.why = "its step " + why
	}
}

// given feeds USING KEY the rows that the recursion has been given.
func given(settle logical.Node) logical.Node {
	return logical.Rewrite(settle, func(x logical.Node) logical.Node {
		if r, ok := x.(*logical.RecursiveRef); ok && r.Part == logical.Given {
			return &logical.Feed{Columns: r.Schema(), Grows: true}
		}
		return x
	})
}
