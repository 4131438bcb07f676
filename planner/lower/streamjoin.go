package lower

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// joinBuilder lays out a join that keeps the rows of both sides: joinbound.go decides
// how long.
type joinBuilder struct {
	l     *Lowerer
	j     *logical.Join
	node  *physical.Join
	in    [2]*lowered
	ended [2]bool // the side is finite
	// keys are expressions over each side's own columns, with those that the bounds
	// need appended.
	keys [2][]expr.Node
	at   [2][]int // of keys: columns
	plan boundPlan
}

func (l *Lowerer) streamJoin(j *logical.Join, need []bool) *lowered {
	b := &joinBuilder{l: l, j: j, node: &physical.Join{Kind: physical.JoinKind(j.Kind), NullSafe: j.NullSafe, NullAware: j.NullAware,
		Single: j.Single, Whole: l.opt.Keep, Names: [2]string{relationsOf(j.L, "left"), relationsOf(j.R, "right")}}}
	lneed, rneed := joinNeeds(j, need)
	b.in = [2]*lowered{l.node(j.L, lneed), l.node(j.R, rneed)}
	b.ended = [2]bool{logical.IsFinite(j.L), logical.IsFinite(j.R)}
	b.bounds()
	b.columns()
	out := b.finish(need)
	b.identify(out)
	return out
}

// mostNames is how many inputs name a side of a join.
const mostNames = 6

// relationsOf names a relation by what it reads.
func relationsOf(n logical.Node, otherwise string) string {
	var names []string
	logical.Walk(n, func(n logical.Node) {
		if s, ok := n.(*logical.Scan); ok {
			name := s.Alias
			if name == "" {
				name = s.Relation.Name
			}
			names = append(names, name)
		}
	})
	if len(names) == 0 {
		return otherwise
	}
	if len(names) > mostNames {
		names = append(names[:mostNames-1:mostNames-1], fmt.Sprintf("%d more", len(names)-mostNames+1))
	}
	return strings.Join(names, "+")
}

// bounds reads the condition for what it says of times.
func (b *joinBuilder) bounds() {
	for side, keys := range [2][]expr.Node{b.j.LKeys, b.j.RKeys} {
		for _, k := range keys {
			b.keys[side] = append(b.keys[side], onto(b.in[side], k))
		}
	}
	if b.l.opt.Finite {
		return
	}
	zone := b.l.opt.Zone
	d := &differences{width: b.width(), fixed: fixedZone(zone), utc: zone == nil || zone == time.UTC}
	for i := b.j.NullAware; i < len(b.j.LKeys); i++ {
		if !b.j.NullSafe[i] {
			d.equal(b.keys[0][i], b.moved(b.keys[1][i]))
		}
	}
	if r := b.residual(); r != nil {
		d.condition(r)
	}
	b.plan = b.planBounds(d)
	for side, more := range b.plan.columns() {
		b.keys[side] = append(b.keys[side], more...)
	}
}

func (b *joinBuilder) width() int { return len(b.in[0].props().Columns) }

// moved is an expression over the right side, over both.
func (b *joinBuilder) moved(e expr.Node) expr.Node {
	return expr.MapColumns(e, func(i int) int { return i + b.width() })
}

// residual is the rest of the condition over both sides, which it names apart.
func (b *joinBuilder) residual() expr.Node {
	if b.j.Residual == nil {
		return nil
	}
	nl := logical.Width(b.j.L)
	both := unique(slices.Concat(b.in[0].props().Columns, b.in[1].props().Columns))
	return over(b.j.Residual, func(i int) *expr.Column {
		at := 0
		if i < nl {
			at = b.in[0].cols[i]
		} else {
			at = b.in[1].cols[i-nl] + b.width()
		}
		return &expr.Column{Index: at, Name: both[at].Name, T: both[at].Type}
	})
}

// columns makes columns of the keys, and of what the bounds read.
func (b *joinBuilder) columns() {
	for side := range b.in {
		b.in[side], b.at[side] = b.l.withColumns(b.in[side], b.keys[side])
	}
	n := b.node
	n.L, n.R = b.in[0].node, b.in[1].node
	n.LKeys, n.RKeys = b.at[0][:len(b.j.LKeys)], b.at[1][:len(b.j.RKeys)]
	n.Residual = b.residual()
	if n.Residual == nil || b.l.opt.Finite {
		return
	}
	if hasNow(n.Residual) {
		b.l.refuse(diag.Errorf(diag.TemporalFilter, diag.Span{}, "%s changes as time passes, between rows that are joined", n.Residual).
			WithHint("put the condition on the current time into WHERE, over the columns of one input"))
		return
	}
	b.l.checkStable(b.in[0], n.Residual)
	b.l.checkStable(b.in[1], n.Residual)
}

// finish derives the properties of the output.
func (b *joinBuilder) finish(need []bool) *lowered {
	n := b.node
	out := &lowered{node: n, cols: slices.Clone(b.in[0].cols), delay: longer(b.in[0].delay, b.in[1].delay)}
	n.P.Columns = slices.Clone(b.in[0].props().Columns)
	out.id.cols = slices.Clone(b.in[0].id.cols)
	switch {
	case bothSides(n.Kind):
		b.rightColumns(out, need)
	case n.Kind == physical.Mark:
		out.cols = append(out.cols, len(n.P.Columns))
		n.P.Columns = append(n.P.Columns, types.Column{Name: logical.MarkColumn, Type: types.Of(types.Bool)})
		out.id.cols = append(out.id.cols, "mark of "+n.Kind.String())
	}
	n.P.Columns = unique(n.P.Columns)
	b.sides()
	b.kind()
	n.P.Keys = b.uniqueKeys()
	if n.P.Kind == physical.NoDelete && len(n.P.Keys) == 0 {
		n.P.Kind = physical.Retract
	}
	b.frontiers(out)
	return out
}

func (b *joinBuilder) rightColumns(out *lowered, need []bool) {
	right, width, nl := b.in[1], b.width(), logical.Width(b.j.L)
	b.node.P.Columns = append(b.node.P.Columns, right.props().Columns...)
	for i := nl; i < len(need); i++ {
		at := right.cols[i-nl]
		if at >= 0 {
			at += width
		}
		out.cols = append(out.cols, at)
	}
	for _, c := range right.id.cols {
		out.id.cols = append(out.id.cols, "right "+c)
	}
}

// kind: an inner or semi join of rows that are only added only adds. A row that says
// that there is no match is taken back when one comes, unless it waits until none can. A
// left row that always has just one row beside it changes, and stays.
func (b *joinBuilder) kind() {
	n := b.node
	added := b.in[0].props().Kind == physical.AppendOnly && b.in[1].props().Kind == physical.AppendOnly
	if added && b.l.opt.Close && b.waits() {
		n.EmitOnExpiry = true
	}
	switch {
	case added && (n.Kind == physical.Inner || n.Kind == physical.Semi || n.EmitOnExpiry):
		n.P.Kind = physical.AppendOnly
	case (n.Kind == physical.Mark || n.Kind == physical.Left && b.single()) && b.in[0].props().Kind <= physical.NoDelete:
		n.P.Kind = physical.NoDelete
	default:
		n.P.Kind = physical.Retract
	}
}

// padded tells that rows of a side come out for having no match.
func padded(k physical.JoinKind, side int) bool {
	return k == physical.Full || side == 0 && (k == physical.Left || k == physical.Anti || k == physical.Mark)
}

// waits reports that each row that comes out for having no match has an end to its wait.
func (b *joinBuilder) waits() bool {
	any := false
	for side, s := range b.node.Sides {
		if padded(b.node.Kind, side) {
			any = true
			if s.Keep == nil {
				return false
			}
		}
	}
	return any
}

// single reports that a left row has at most one match.
func (b *joinBuilder) single() bool {
	return b.node.Single || b.in[1].props().HasKey(b.node.RKeys)
}

// uniqueKeys of the output: a left row with its one match is known by its own key; else
// by a key of each side. Of the right key, columns that equal left ones say nothing new.
// NULLs of both kinds of unmatched rows of a full join may coincide.
func (b *joinBuilder) uniqueKeys() [][]int {
	n := b.node
	left := b.in[0].props().Keys
	switch {
	case n.Kind == physical.Full:
		return nil
	case !bothSides(n.Kind):
		return left
	}
	var out [][]int
	if b.single() {
		out = append(out, left...)
	}
	if n.Kind == physical.Inner && b.in[0].props().HasKey(n.LKeys) {
		for _, k := range b.in[1].props().Keys {
			out = append(out, b.shifted(k))
		}
	}
	if len(out) > 0 {
		return fewest(out)
	}
	for _, lk := range left {
		for _, rk := range b.in[1].props().Keys {
			rest := slices.DeleteFunc(slices.Clone(rk), func(c int) bool { return slices.Contains(n.RKeys, c) })
			out = append(out, append(slices.Clone(lk), b.shifted(rest)...))
		}
		if out = fewest(out); len(out) == mostKeys {
			break
		}
	}
	return out
}

// mostKeys is how many keys of an edge are known at most: joins of joins would multiply them.
const mostKeys = 16

// fewest leaves out keys that have another one in them, and those beyond mostKeys.
func fewest(keys [][]int) (out [][]int) {
	for i, k := range keys {
		told := false
		for j, other := range keys {
			told = told || j != i && containsAll(k, other) && (j < i || len(other) < len(k))
		}
		if !told && len(out) < mostKeys {
			out = append(out, k)
		}
	}
	return out
}

func (b *joinBuilder) shifted(key []int) []int {
	out := make([]int, len(key))
	for i, c := range key {
		out[i] = c + b.width()
	}
	return out
}

// identify: state holds whole rows of both sides, so that their columns are part of what
// it means.
func (b *joinBuilder) identify(out *lowered) {
	n := b.node
	text := "join " + n.Kind.String() + b.j.Flags()
	for i := range n.LKeys {
		text += " " + b.in[0].id.cols[n.LKeys[i]] + "=" + b.in[1].id.cols[n.RKeys[i]] + " " + n.L.Props().Columns[n.LKeys[i]].Type.String()
		if n.NullSafe[i] {
			text += " null-safe"
		}
	}
	if n.Residual != nil {
		both := identity{cols: slices.Clone(b.in[0].id.cols)}
		for _, c := range b.in[1].id.cols {
			both.cols = append(both.cols, "right "+c)
		}
		text += " " + both.text(n.Residual)
	}
	out.id.base = "(" + b.in[0].id.rows() + ") " + text + " (" + b.in[1].id.rows() + ")"
	if n.Kind == physical.Mark {
		out.id.cols[len(out.id.cols)-1] = "mark " + out.id.base
	}
	when := "at once"
	if n.EmitOnExpiry {
		when = "on expiry"
	}
	n.OpID = hashOf("join", when, out.id.base, joinTexts(b.in[0].id.cols), joinTexts(b.in[1].id.cols))
}
