// Package lower turns a logical plan into a physical one: it chooses operators,
// derives kind, unique keys and frontiers of every edge, cuts columns that nobody
// reads, and gives operators their ids. It knows no SQL text and chooses no output
// mode: planner calls it once for each mode that it considers.
//
// Open this file first, then frontier.go (what passes through expressions), and one
// file per node.
package lower

import (
	"fmt"
	"slices"
	"time"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// Options say for which mode a plan is lowered.
type Options struct {
	Finite bool // every input is finite: one trigger, nothing is late
	// Close: operators emit groups once, when they are final (append mode).
	Close bool
	// Ahead, with Close: rows may wait for others that come at any later time (append mode
	// that was asked for).
	Ahead bool
	// Keep: nothing is late and nothing is forgotten (complete mode, finite queries).
	Keep bool
	// Materialize: ORDER BY and LIMIT at the root are allowed (complete mode).
	Materialize bool
	// Unordered: the output has no order (materialised views): ORDER BY without LIMIT says nothing.
	Unordered bool
	Zone      *time.Location
	Span      diag.Span // of the query, for refusals
}

// Lowerer lowers the queries of one statement, which share their scans.
type Lowerer struct {
	opt     Options
	scans   map[string]*scanShare
	sealed  bool // needs are complete: scans are built once and shared
	diags   []*diag.Diagnostic
	dynamic bool // now() has a frontier
	// feedKind is how the rows that the step of a recursion is given may change.
	feedKind physical.Kind
	until    *until                 // of the recursion that is cut
	shared   map[sharedKey]*lowered // of this run
	varies   logical.Variation
}

// Lower makes a physical plan for each logical one. Plans that read one source in the
// same way share one Scan.
func Lower(plans []logical.Node, opt []Options) ([]physical.Node, *Lowerer) {
	l := &Lowerer{scans: map[string]*scanShare{}, varies: logical.Variation{}}
	l.run(plans, opt)
	l.sealed, l.diags = true, nil
	out := l.run(plans, opt)
	return out, l
}

func (l *Lowerer) run(plans []logical.Node, opt []Options) []physical.Node {
	out := make([]physical.Node, len(plans))
	l.shared = map[sharedKey]*lowered{}
	for i, p := range plans {
		l.opt = opt[i]
		out[i] = l.root(p)
	}
	return out
}

// Diagnostics are refusals and warnings.
func (l *Lowerer) Diagnostics() []*diag.Diagnostic { return l.diags }

// Failed reports a refusal.
func (l *Lowerer) Failed() bool {
	for _, d := range l.diags {
		if d.Severity == diag.SeverityError {
			return true
		}
	}
	return false
}

// TimeDriven reports that the passing of time alone can make rows final.
func (l *Lowerer) TimeDriven() bool { return l.dynamic }

// lowered is a node with what its parents need to know.
type lowered struct {
	node physical.Node
	cols []int // logical column → physical column, −1 = cut
	id   identity
	// hard says, by frontier, that it is a promise: rows below it have been dropped. The
	// watermark of a scan is not; the first operator with state makes it one.
	hard []bool
	// delay is the greatest delay of the watermarks below.
	delay types.IntervalValue
}

func (in *lowered) props() *physical.Props { return in.node.Props() }

// root lowers a whole plan, all columns of it.
func (l *Lowerer) root(n logical.Node) physical.Node {
	need := make([]bool, logical.Width(n))
	for i := range need {
		need[i] = true
	}
	in := l.closed(l.ordered(n, need))
	return l.exactly(n, in).node
}

// closed holds rows that can still change until they are final, where the operators
// below could not do it themselves.
func (l *Lowerer) closed(in *lowered) *lowered {
	if !l.opt.Close || l.opt.Finite || in.props().Kind == physical.AppendOnly {
		return in
	}
	in = l.withTime(in)
	bound := firstBound(in)
	if bound == nil {
		return in
	}
	n := &physical.Close{Input: in.node, Bound: *bound}
	n.P = *in.props()
	n.P.Kind, n.P.Frontiers = physical.AppendOnly, nil
	out := &lowered{node: n, cols: in.cols, delay: in.delay, id: in.id}
	passAll(in, &n.P, &out.hard)
	out.id.base = "close " + in.id.cols[bound.Col] + " of (" + in.id.rows() + ")"
	out.id.filters = nil
	n.OpID = hashOf("close", out.id.base, joinTexts(in.id.cols))
	return out
}

// ordered lowers ORDER BY and LIMIT where they may stand: at the root, below
// projections only.
func (l *Lowerer) ordered(n logical.Node, need []bool) *lowered {
	switch x := n.(type) {
	case *logical.Sort:
		return l.sort(x, need, true)
	case *logical.Project:
		if hasSortBelow(x.Input) {
			return l.projectOver(x, need, l.ordered(x.Input, l.projectNeeds(x, need)))
		}
	}
	return l.node(n, need)
}

func hasSortBelow(n logical.Node) bool {
	switch x := n.(type) {
	case *logical.Sort:
		return true
	case *logical.Project:
		return hasSortBelow(x.Input)
	}
	return false
}

// exactly gives the plan the columns of the logical one, in order, with its names.
func (l *Lowerer) exactly(n logical.Node, in *lowered) *lowered {
	cols := n.Schema()
	have := in.props().Columns
	same := len(have) == len(cols)
	for i := 0; same && i < len(cols); i++ {
		same = in.cols[i] == i && have[i].Name == cols[i].Name
	}
	if same {
		return in
	}
	exprs := make([]expr.Node, len(cols))
	names := make([]string, len(cols))
	for i, c := range cols {
		exprs[i], names[i] = column(in, in.cols[i]), c.Name
	}
	out := l.project(in, exprs, names)
	for i, c := range cols {
		out.props().Columns[i].Name = c.Name // the user may want two of one name
	}
	return out
}

// column is a reference to a physical column.
func column(in *lowered, i int) *expr.Column {
	c := in.props().Columns[i]
	return &expr.Column{Index: i, Name: c.Name, T: c.Type}
}

// node lowers a node; need says which of its columns are read.
func (l *Lowerer) node(n logical.Node, need []bool) *lowered {
	out := l.dispatch(n, need)
	out.id = out.id.bounded()
	return out
}

func (l *Lowerer) dispatch(n logical.Node, need []bool) *lowered {
	switch x := n.(type) {
	case *logical.Scan:
		return l.scan(x, need)
	case *logical.Values:
		return l.values(x)
	case *logical.Filter:
		return l.filter(x, need)
	case *logical.Project:
		return l.projectOver(x, need, l.node(x.Input, l.projectNeeds(x, need)))
	case *logical.Unnest:
		return l.unnest(x, need)
	case *logical.Hop:
		return l.hop(x, need)
	case *logical.Expand:
		return l.expand(x, need)
	case *logical.Session:
		return l.session(sessionLengths(x), need)
	case *logical.Aggregate:
		if p := groupLengths(x); p != nil {
			return l.node(p, need)
		}
		return l.aggregate(countLengths(x), need)
	case *logical.Distinct:
		return l.distinct(x, need)
	case *logical.Dedup:
		if p := dedupLengths(x, x.Input); p != nil {
			return l.node(p, need)
		}
		return l.dedup(x, need)
	case *logical.Join:
		if above := timeAbove(x); above != nil {
			return l.filter(above, need)
		}
		return l.join(joinLengths(x), need)
	case *logical.Asof:
		return l.asof(asofLengths(x), need)
	case *logical.Present:
		return l.present(x, need)
	case *logical.Changelog:
		return l.changelog(x)
	case *logical.Recursive:
		return l.recursive(x)
	case *logical.Feed:
		return l.feed(x)
	case *logical.UnionAll:
		return l.union(x, need)
	case *logical.SetOp:
		if p := setLengths(x); p != nil {
			return l.node(p, need)
		}
		return l.setOp(x)
	case *logical.Over:
		return l.over(overLengths(x), need)
	case *logical.TopN:
		return l.topN(topNLengths(x), need)
	case *logical.Sort:
		return l.sort(x, need, false)
	case *logical.Shared:
		return l.once(x)
	}
	panic(fmt.Sprintf("lower: no case for %T", n))
}

func (l *Lowerer) refuse(d *diag.Diagnostic) {
	if d.Span.IsZero() {
		d.Span = l.opt.Span
	}
	for _, old := range l.diags {
		if old.Code == d.Code && old.Message == d.Message {
			return
		}
	}
	l.diags = append(l.diags, d)
}

// checkStable refuses expressions whose value changes from trigger to trigger over
// rows that may be retracted: the retraction would not match.
func (l *Lowerer) checkStable(in *lowered, exprs ...expr.Node) {
	if in.props().Kind == physical.AppendOnly || l.opt.Finite {
		return
	}
	for _, e := range exprs {
		if v := expr.Volatility(e); v != fn.Immutable {
			l.refuse(diag.Errorf(diag.VolatileRetract, diag.Span{},
				"%s has another value at each call, but its input rows can be retracted", e).
				WithHint("compute it before the aggregation, over rows that are only added"))
			return
		}
	}
}

// use marks the columns that expressions read.
func use(need []bool, exprs ...expr.Node) {
	for _, e := range exprs {
		if e == nil {
			continue
		}
		for _, c := range expr.ColumnsOf(e) {
			need[c] = true
		}
	}
}

// onto moves an expression from logical to physical columns, and names them as the
// edge does, where names are unique: equal texts mean equal values.
func onto(in *lowered, e expr.Node) expr.Node {
	if e == nil {
		return nil
	}
	return over(e, func(i int) *expr.Column { return column(in, in.cols[i]) })
}

// over replaces the columns of an expression.
func over(e expr.Node, with func(i int) *expr.Column) expr.Node {
	return expr.Rewrite(e, func(x expr.Node) expr.Node {
		if c, ok := x.(*expr.Column); ok {
			return with(c.Index)
		}
		return x
	})
}

// unique gives every column of an edge a name of its own.
func unique(cols []types.Column) []types.Column {
	seen, own := make(map[string]int, len(cols)), false
	for i, c := range cols {
		seen[c.Name]++
		if n := seen[c.Name]; n > 1 {
			if !own {
				cols, own = slices.Clone(cols), true
			}
			cols[i].Name = c.Name + "_" + itoa(n)
		}
	}
	return cols
}

func fixedZone(z *time.Location) bool {
	if z == nil || z == time.UTC {
		return true
	}
	_, a := time.Unix(0, 0).In(z).Zone()
	for y := 1970; y <= 2037; y++ {
		for _, m := range []time.Month{time.January, time.April, time.July, time.October} {
			if _, b := time.Date(y, m, 1, 0, 0, 0, 0, z).Zone(); a != b {
				return false
			}
		}
	}
	return true
}
