package rules

import (
	"math/bits"
	"slices"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// connectJoins brings the inputs of inner joins into an order in which each is joined by a
// key, where the written order makes a product of two that no condition connects and
// another order does not: FROM a, b, c WHERE a.k = c.k AND c.m = b.m.
func connectJoins(c *Context, n logical.Node) logical.Node {
	if chained(n) {
		return n
	}
	r := joinRegion(c, n)
	if r == nil {
		return n
	}
	written := r.numbers()
	order := r.order(func(best, next, _ int) bool { return false })
	if r.products(order) >= r.products(written) {
		return n
	}
	return r.build(order, n)
}

// orderJoins joins first what keeps the state of the joins above small: streams before
// tables, which are looked up and keep nothing; then what is selected by an equality, what
// is selected at all, and what has at most one row for the others. It looks at the plan
// alone, no statistics, so that a query has the same operators whenever it is planned. The
// order of inputs with watermarks stays as written: retention, frontiers and lateness of a
// join depend on what it joins.
func orderJoins(c *Context, n logical.Node) logical.Node {
	r := joinRegion(c, n)
	if r == nil || watermarked(n) || len(r.inputs) < 3 {
		return n
	}
	ranks := r.ranks()
	order := r.order(func(best, next, joined int) bool {
		return ranks[min(joined, 1)][next] < ranks[min(joined, 1)][best]
	})
	if slices.Equal(order, r.numbers()) || r.products(order) > r.products(r.numbers()) {
		return n
	}
	return r.build(order, n)
}

// chained reports a tree of joins, each of one more input by a key: it has no product.
func chained(n logical.Node) bool {
	switch x := n.(type) {
	case *logical.Join:
		return !movable(x) || len(x.LKeys) > 0 && !holdsJoin(x.R) && chained(x.L)
	case *logical.Filter:
		return chained(x.Input)
	case *logical.Project:
		return chained(x.Input)
	}
	return true
}

// region is a tree of inner joins, with the filters and choices of columns between them:
// inputs in the order as written, and conditions over the columns of all inputs, one after
// the other.
type region struct {
	c      *Context
	inputs []logical.Node
	first  []int // of each input: its first column
	width  int
	conds  []condition
	// keys are, of each input, the sets of others with which an equality connects it.
	keys [][]uint64
	out  []expr.Node // the columns of the tree
}

// condition of a region. An equality has two sides.
type condition struct {
	whole    expr.Node
	l, r     expr.Node // nil = no equality
	nullSafe bool
	reads    uint64 // inputs, as bits
	lr       [2]uint64
}

// maxInputs bounds the inputs of a region: they are bits of a word.
const maxInputs = 64

// joinRegion finds the region below a join; nil if there is no choice.
func joinRegion(c *Context, n logical.Node) *region {
	if j, ok := n.(*logical.Join); !ok || !movable(j) || joined(n, maxInputs) < 0 {
		return nil
	}
	r := &region{c: c}
	r.out = r.collect(n)
	if len(r.inputs) > maxInputs || r.out == nil {
		return nil
	}
	r.keys = make([][]uint64, len(r.inputs))
	for i := range r.conds {
		r.readBy(&r.conds[i])
		r.connect(r.conds[i].lr)
	}
	return r
}

// joined is how many more inputs a region may have after those below a node, negative when
// there are too many. It looks no further than that: each join of a large tree asks.
func joined(n logical.Node, room int) int {
	switch x := n.(type) {
	case *logical.Join:
		if movable(x) {
			if room = joined(x.R, room); room < 0 {
				return room
			}
			return joined(x.L, room)
		}
	case *logical.Filter:
		if holdsJoin(x.Input) && expr.Volatility(x.Predicate) == fn.Immutable {
			return joined(x.Input, room)
		}
	case *logical.Project:
		if holdsJoin(x.Input) && onlyColumns(x.Exprs) {
			return joined(x.Input, room)
		}
	}
	return room - 1
}

// movable joins are plain inner ones whose conditions say the same at all times.
func movable(j *logical.Join) bool {
	if j.Kind != logical.Inner || j.Single {
		return false
	}
	for _, e := range slices.Concat(j.LKeys, j.RKeys) {
		if expr.Volatility(e) != fn.Immutable {
			return false
		}
	}
	return j.Residual == nil || expr.Volatility(j.Residual) == fn.Immutable
}

// collect takes a tree apart and returns its columns over those of the inputs.
func (r *region) collect(n logical.Node) []expr.Node {
	switch x := n.(type) {
	case *logical.Join:
		if movable(x) {
			return r.join(x)
		}
	case *logical.Filter:
		if holdsJoin(x.Input) && expr.Volatility(x.Predicate) == fn.Immutable {
			cols := r.collect(x.Input)
			r.where(x.Predicate, cols)
			return cols
		}
	case *logical.Project:
		if holdsJoin(x.Input) && onlyColumns(x.Exprs) {
			cols := r.collect(x.Input)
			out := make([]expr.Node, len(x.Exprs))
			for i, e := range x.Exprs {
				out[i] = cols[e.(*expr.Column).Index]
			}
			return out
		}
	}
	return r.input(n)
}

// holdsJoin reports that a movable join is below, with nothing but filters and choices of
// columns between.
func holdsJoin(n logical.Node) bool {
	switch x := n.(type) {
	case *logical.Join:
		return movable(x)
	case *logical.Filter:
		return expr.Volatility(x.Predicate) == fn.Immutable && holdsJoin(x.Input)
	case *logical.Project:
		return onlyColumns(x.Exprs) && holdsJoin(x.Input)
	}
	return false
}

func onlyColumns(list []expr.Node) bool {
	for _, e := range list {
		if _, ok := e.(*expr.Column); !ok {
			return false
		}
	}
	return true
}

func (r *region) input(n logical.Node) []expr.Node {
	r.inputs, r.first = append(r.inputs, n), append(r.first, r.width)
	cols := logical.Columns(n)
	for i := range cols {
		cols[i].(*expr.Column).Index += r.width
	}
	r.width += len(cols)
	return cols
}

func (r *region) join(j *logical.Join) []expr.Node {
	l := r.collect(j.L)
	cols := slices.Concat(l, r.collect(j.R))
	for i := range j.LKeys {
		r.conds = append(r.conds, condition{l: expr.Substitute(j.LKeys[i], cols), r: expr.Substitute(j.RKeys[i], cols[len(l):]), nullSafe: j.NullSafe[i]})
	}
	if j.Residual != nil {
		r.where(j.Residual, cols)
	}
	return cols
}

func (r *region) where(pred expr.Node, cols []expr.Node) {
	for _, c := range conjuncts(expr.Substitute(pred, cols)) {
		cond := condition{whole: c}
		if call, ok := c.(*expr.Call); ok && call.F.Name == "=" && len(call.Args) == 2 {
			cond.l, cond.r = call.Args[0], call.Args[1]
		}
		r.conds = append(r.conds, cond)
	}
}

func (r *region) readBy(c *condition) {
	if c.l != nil {
		c.lr = [2]uint64{r.bits(c.l), r.bits(c.r)}
		c.reads = c.lr[0] | c.lr[1]
	}
	if c.whole != nil {
		c.reads = r.bits(c.whole)
	}
}

// bits are the inputs that an expression reads.
func (r *region) bits(n expr.Node) uint64 {
	var out uint64
	for _, col := range expr.ColumnsOf(n) {
		i, found := slices.BinarySearch(r.first, col)
		for found && i+1 < len(r.first) && r.first[i+1] == col {
			i++ // inputs without columns
		}
		if !found {
			i--
		}
		out |= 1 << i
	}
	return out
}

// numbers are the inputs as written.
func (r *region) numbers() []int {
	out := make([]int, len(r.inputs))
	for i := range out {
		out[i] = i
	}
	return out
}

// key reports that a condition is an equality between an input and others.
func (c *condition) key(next int, joined uint64) bool {
	bit := uint64(1) << next
	for side := range c.lr {
		if c.lr[side] == bit && c.lr[1-side] != 0 && c.lr[1-side]&^joined == 0 {
			return true
		}
	}
	return false
}

// connect notes an equality of two sides, where one of them reads one input.
func (r *region) connect(lr [2]uint64) {
	for side, bit := range lr {
		if other := lr[1-side]; bits.OnesCount64(bit) == 1 && other != 0 {
			i := bits.TrailingZeros64(bit)
			r.keys[i] = append(r.keys[i], other)
		}
	}
}

// connected reports that an equality connects an input with some that are joined.
func (r *region) connected(next int, joined uint64) bool {
	return slices.ContainsFunc(r.keys[next], func(others uint64) bool { return others&^joined == 0 })
}

// order puts the best input first, then again and again the best of those that a key
// connects with the ones before, of all if there is none. The first written wins where
// none is better.
func (r *region) order(better func(best, next, joined int) bool) []int {
	left := r.numbers()
	var out []int
	var joined uint64
	for len(left) > 0 {
		at := -1
		connected := false
		for i, next := range left {
			with := len(out) > 0 && r.connected(next, joined)
			if at < 0 || with && !connected || with == connected && better(left[at], next, len(out)) {
				at, connected = i, with
			}
		}
		joined |= 1 << left[at]
		out = append(out, left[at])
		left = slices.Delete(left, at, at+1)
	}
	return out
}

// products counts the joins of an order that have no key.
func (r *region) products(order []int) int {
	n := 0
	var joined uint64
	for i, next := range order {
		if i > 0 && !r.connected(next, joined) {
			n++
		}
		joined |= 1 << next
	}
	return n
}

// ranks are low for what is joined early: of each input, as the first one and after others.
func (r *region) ranks() (out [2][]int) {
	for _, n := range r.inputs {
		rank := 4
		switch facts := constants(n); {
		case len(facts) > 0:
			rank = 1
		case hasFilter(n):
			rank = 2
		case grouped(n):
			rank = 3
		}
		for joined := range out {
			far := 0
			if logical.IsFinite(n) != (joined > 0) { // a stream first, then tables
				far = 10
			}
			out[joined] = append(out[joined], rank+far)
		}
	}
	return out
}

// hasFilter reports that rows of a stream are selected below, before anything else.
func hasFilter(n logical.Node) bool {
	switch x := n.(type) {
	case *logical.Filter:
		return true
	case *logical.Project:
		return hasFilter(x.Input)
	case *logical.Join:
		return x.Kind == logical.Semi || hasFilter(x.L)
	}
	return false
}

// grouped reports one row for each of fewer groups.
func grouped(n logical.Node) bool {
	switch x := n.(type) {
	case *logical.Aggregate, *logical.Distinct:
		return true
	case *logical.Project:
		return grouped(x.Input)
	}
	return false
}

// build joins the inputs in an order, each condition where all that it reads is there, and
// restores the columns of n.
func (r *region) build(order []int, n logical.Node) logical.Node {
	b := regionBuilder{r: r, place: make([]int, r.width)}
	for _, i := range order {
		if !b.add(i) {
			return n
		}
	}
	p := &logical.Project{Input: b.tree}
	for i, c := range n.Schema() {
		p.Exprs, p.Names = append(p.Exprs, b.over(r.out[i])), append(p.Names, c.Name)
	}
	return p
}

type regionBuilder struct {
	r      *region
	tree   logical.Node
	joined uint64
	place  []int // column of the region → of the tree
}

// over is an expression of the region over the tree.
func (b *regionBuilder) over(e expr.Node) expr.Node {
	return expr.MapColumns(e, func(i int) int { return b.place[i] })
}

// add joins the next input.
func (b *regionBuilder) add(next int) bool {
	in := b.r.inputs[next]
	width, first := 0, b.r.first[next]
	if b.tree != nil {
		width = logical.Width(b.tree)
	}
	for i := range in.Schema() {
		b.place[first+i] = width + i
	}
	before, after := b.joined, b.joined|1<<next
	b.joined = after
	j := &logical.Join{Kind: logical.Inner, L: b.tree, R: in}
	var rest []expr.Node
	for _, c := range b.r.conds {
		switch {
		case c.reads&^after != 0 || b.tree != nil && before != 0 && c.reads&^before == 0 && c.reads != 0:
			continue // later, or tested already
		case mutant.On("a condition over three inputs is forgotten") && bits.OnesCount64(c.reads) > 2:
			continue
		case c.reads == 0 && before != 0:
			continue // constant: tested with the first input
		case before != 0 && c.key(next, before):
			b.key(j, c, next, first)
			continue
		}
		whole := b.r.text(c)
		if whole == nil {
			return false
		}
		rest = append(rest, b.over(whole))
	}
	if b.tree == nil {
		b.tree = filtered(in, rest)
		return true
	}
	b.tree = filtered(j, rest)
	return true
}

func (b *regionBuilder) key(j *logical.Join, c condition, next, first int) {
	l, r := c.l, c.r
	if c.lr[0] == 1<<next {
		l, r = r, l
	}
	j.LKeys = append(j.LKeys, b.over(l))
	j.RKeys = append(j.RKeys, expr.MapColumns(r, func(i int) int { return i - first }))
	j.NullSafe = append(j.NullSafe, c.nullSafe)
}

// text is a condition as one expression, nil if it has none.
func (r *region) text(c condition) expr.Node {
	if c.whole != nil {
		return c.whole
	}
	name := "="
	if c.nullSafe {
		name = "<=>"
	}
	n, err := r.c.Resolver.Resolve(name, c.l, c.r)
	if err != nil {
		return nil
	}
	return n
}
