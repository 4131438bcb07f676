package bind

import (
	"fmt"
	"slices"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// setIndex stands for the column with the id of the grouping set, among the results of
// aggregates, until regroup puts it in place.
const setIndex = outerBase - 1

// Limits of grouping sets: CUBE of twelve keys, and one bit a key in the id.
const (
	maxSets    = 4096
	maxSetKeys = 48
)

// groupItems binds the elements of GROUP BY. The sets of several elements are combined,
// each with each: GROUP BY a, ROLLUP (b) has the sets (a, b) and (a).
func (sel *selectBinder) groupItems(items []ast.GroupItem) {
	sets := [][]int{{}}
	items = sel.sessionItemsLast(items)
	for i := range items {
		more := sel.groupItem(&items[i])
		if len(sets)*len(more) > maxSets {
			sel.tooManySets(items[i].Span)
			return
		}
		sets = crossSets(sets, more)
	}
	if sel.stmt.GroupBy.Distinct {
		sets = distinctSets(sets)
	}
	if len(sets) == 1 {
		return
	}
	if sel.session != nil {
		sel.fail()
		sel.b.errorf(diag.BadWindow, sel.stmt.GroupBy.Span, "a session window cannot be with grouping sets: each set has sessions of its own").
			WithHint("union one GROUP BY for each set")
		return
	}
	for i, k := range sel.keys {
		if expr.IsConst(k) && !inEverySet(sets, i) { // it would be folded into what is computed from it, and not be NULL where the key is left out
			sel.fail()
			sel.b.errorf(diag.WrongArguments, sel.stmt.GroupBy.Span, "key %d of the grouping sets is the constant %s", i+1, k).
				WithHint("leave it out, or compute it in a subquery and group by its column")
			return
		}
	}
	if len(sel.keys) > maxSetKeys {
		sel.fail()
		sel.b.errorf(diag.WrongArguments, sel.stmt.GroupBy.Span, "GROUP BY with grouping sets has %d keys, more than %d", len(sel.keys), maxSetKeys)
		return
	}
	sel.numberSets(sets)
}

func inEverySet(sets [][]int, key int) bool {
	for _, s := range sets {
		if !slices.Contains(s, key) {
			return false
		}
	}
	return true
}

func (sel *selectBinder) tooManySets(span diag.Span) {
	sel.fail()
	sel.b.errorf(diag.WrongArguments, span, "GROUP BY has more than %d grouping sets", maxSets)
}

// groupItem lists the sets of an element, by numbers of keys.
func (sel *selectBinder) groupItem(it *ast.GroupItem) [][]int {
	switch it.Kind {
	case ast.GroupTuple:
		set := []int{}
		for _, x := range sel.sessionExprsLast(it.Exprs) {
			sel.sessionKeys = sel.makesSession(x)
			set = append(set, sel.groupBy(x)...)
			sel.sessionKeys = false
		}
		return [][]int{set}
	case ast.GroupSets:
		var out [][]int
		for i := range it.Items {
			if out = append(out, sel.groupItem(&it.Items[i])...); len(out) > maxSets {
				sel.tooManySets(it.Span)
				return nil
			}
		}
		return out
	}
	parts := make([][]int, len(it.Items))
	for i := range it.Items {
		for _, set := range sel.groupItem(&it.Items[i]) {
			parts[i] = append(parts[i], set...)
		}
	}
	if it.Kind == ast.GroupRollup {
		return rollup(parts)
	}
	if len(parts) > 12 {
		sel.tooManySets(it.Span)
		return nil
	}
	return cube(parts)
}

// rollup has all parts, then one less each time.
func rollup(parts [][]int) [][]int {
	var out [][]int
	for n := len(parts); n >= 0; n-- {
		set := []int{}
		for _, p := range parts[:n] {
			set = append(set, p...)
		}
		out = append(out, set)
	}
	return out
}

// cube has every choice of parts, the largest first.
func cube(parts [][]int) [][]int {
	var out [][]int
	for left := range 1 << len(parts) {
		set := []int{}
		for i, p := range parts {
			if left>>(len(parts)-1-i)&1 == 0 {
				set = append(set, p...)
			}
		}
		out = append(out, set)
	}
	return out
}

func crossSets(a, b [][]int) [][]int {
	var out [][]int
	for _, x := range a {
		for _, y := range b {
			out = append(out, append(append([]int{}, x...), y...))
		}
	}
	return out
}

// distinctSets leaves the first of sets with the same keys.
func distinctSets(sets [][]int) [][]int {
	seen := map[string]bool{}
	return slices.DeleteFunc(sets, func(s []int) bool {
		keys := fmt.Sprint(slices.Compact(slices.Sorted(slices.Values(s))))
		defer func() { seen[keys] = true }()
		return seen[keys]
	})
}

// numberSets gives every set its id; equal sets get different ones.
func (sel *selectBinder) numberSets(sets [][]int) {
	seen := map[int64]int64{}
	for _, list := range sets {
		s := logical.GroupingSet{In: make([]bool, len(sel.keys))}
		for _, k := range list {
			s.In[k] = true
		}
		mask := int64(0)
		for _, in := range s.In {
			mask <<= 1
			if !in {
				mask |= 1
			}
		}
		s.ID = mask | seen[mask]<<len(sel.keys)
		seen[mask]++
		sel.sets = append(sel.sets, s)
	}
}

// keyCount is the number of key columns of the Aggregate.
func (sel *selectBinder) keyCount() int {
	if sel.sets != nil {
		return len(sel.keys) + 1
	}
	return len(sel.keys)
}

// aggregateNode groups the input.
func (sel *selectBinder) aggregateNode() *logical.Aggregate {
	if sel.sets == nil {
		return &logical.Aggregate{Input: sel.input, Keys: sel.keys, KeyNames: sel.keyNames, Aggs: sel.aggs}
	}
	x, keys := sel.expand()
	last := len(x.Schema()) - 1
	a := &logical.Aggregate{Input: x, Keys: append(keys, logical.Col(x, last)), KeyNames: append(append([]string{}, sel.keyNames...), logical.SetColumn), Aggs: sel.aggs}
	if totals := sel.totals(); totals != nil {
		a.Input, a.Aggs = withTotals(x, totals), counted(sel.aggs, last+1)
	}
	return a
}

// expand copies the rows for every set, and tells where the keys then are. A key that is
// in every set stays as it is over the input, with the frontiers that it has.
func (sel *selectBinder) expand() (*logical.Expand, []expr.Node) {
	x := &logical.Expand{Input: sel.input}
	keys := append([]expr.Node(nil), sel.keys...)
	for _, s := range sel.sets {
		x.Sets = append(x.Sets, logical.GroupingSet{ID: s.ID})
	}
	at := len(sel.input.Schema())
	for k, n := range sel.keys {
		if sel.everywhere(k) {
			continue
		}
		keys[k] = &expr.Column{Index: at + len(x.Keys), Name: sel.keyNames[k], T: n.Type()}
		x.Keys, x.KeyNames = append(x.Keys, n), append(x.KeyNames, sel.keyNames[k])
		for i, s := range sel.sets {
			x.Sets[i].In = append(x.Sets[i].In, s.In[k])
		}
	}
	return x, keys
}

func (sel *selectBinder) everywhere(key int) bool {
	for _, s := range sel.sets {
		if !s.In[key] {
			return false
		}
	}
	return true
}

// totals lists the ids of the sets without keys.
func (sel *selectBinder) totals() []int64 {
	var out []int64
	for _, s := range sel.sets {
		empty := true
		for _, in := range s.In {
			empty = empty && !in
		}
		if empty {
			out = append(out, s.ID)
		}
	}
	return out
}

// countedColumn tells rows of the input from those that stand for a grand total.
const countedColumn = "counted"

// withTotals adds one row for each set without keys, which counts for nothing: it makes
// the grand total exist over empty input, as that of a global aggregate does.
func withTotals(x *logical.Expand, ids []int64) logical.Node {
	cols := x.Schema()
	rows := &logical.Project{Input: x, Exprs: append(logical.Columns(x), expr.Bool(true)), Names: append(columnNames(x), countedColumn)}
	totals := &logical.Values{Columns: rows.Schema()}
	for _, id := range ids {
		var row []expr.Node
		for _, c := range cols[:len(cols)-1] {
			row = append(row, expr.Null(c.Type))
		}
		totals.Rows = append(totals.Rows, append(row, expr.Int(types.Of(types.Int64), id), expr.Bool(false)))
	}
	return &logical.UnionAll{Inputs: []logical.Node{rows, totals}}
}

// counted makes aggregates leave out the rows that stand for a total.
func counted(aggs []logical.Agg, col int) []logical.Agg {
	out := append([]logical.Agg(nil), aggs...)
	for i := range out {
		c := expr.Node(&expr.Column{Index: col, Name: countedColumn, T: types.Of(types.Bool)})
		if out[i].Filter != nil {
			c = expr.NewAnd(c, out[i].Filter)
		}
		out[i].Filter = c
	}
	return out
}

// grouping binds grouping(key, …) and grouping_id(key, …): a bit for each key, the last
// one lowest, set where the key is not in the row's set. Without keys they are over all.
func (e *env) grouping(x *ast.Call, name string) expr.Node {
	if !e.plainCall(x) {
		return nil
	}
	sel := e.sel
	switch {
	case sel == nil || e.clause == inWhere || e.clause == inGroupBy || e.clause == inOn || !sel.keysDone:
		e.b.errorf(diag.MisplacedAggregate, x.Span, "%s() is known only after grouping: use it in SELECT, HAVING or ORDER BY", name)
		return nil
	case name == "group_id":
		return e.groupID(x)
	case sel.stmt.GroupBy == nil:
		e.b.errorf(diag.NotGrouped, x.Span, "%s() needs a GROUP BY", name)
		return nil
	}
	if len(x.Args) > 63 {
		e.b.errorf(diag.WrongArguments, x.Span, "%s() takes at most 63 keys, one bit each, got %d", name, len(x.Args))
		return nil
	}
	bits := make([]int, 0, len(x.Args))
	for _, a := range x.Args {
		n := e.expr(a)
		if n == nil {
			return nil
		}
		i := indexOf(sel.keys, n)
		if i < 0 {
			e.b.errorf(diag.NotGrouped, a.Pos(), "%s(%s): the argument is no key of GROUP BY", name, n)
			return nil
		}
		bits = append(bits, len(sel.keys)-1-i)
	}
	if len(x.Args) == 0 {
		for i := range sel.keys {
			bits = append(bits, len(sel.keys)-1-i)
		}
	}
	t := types.Of(types.Int64)
	if len(x.Args) == 1 && name == "grouping" {
		t = types.Of(types.Int8)
	}
	return e.b.cast(x.Span, e.setBits(x.Span, bits), t)
}

// groupID binds group_id(): how many sets that are equal to the row's come before it.
func (e *env) groupID(x *ast.Call) expr.Node {
	big := types.Of(types.Int64)
	switch {
	case len(x.Args) > 0:
		e.b.errorf(diag.WrongArguments, x.Span, "group_id() takes no arguments")
		return nil
	case e.sel.sets == nil:
		return expr.Int(big, 0)
	}
	whole := &expr.Column{Index: setIndex, Name: logical.SetColumn, T: big}
	return e.b.resolve(x.Span, "shiftright", whole, expr.Int(types.Of(types.Int32), int64(len(e.sel.keys))))
}

// setBits puts bits of the set's id side by side.
func (e *env) setBits(span diag.Span, bits []int) expr.Node {
	big := types.Of(types.Int64)
	if e.sel.sets == nil {
		return expr.Int(big, 0)
	}
	whole := expr.Node(&expr.Column{Index: setIndex, Name: logical.SetColumn, T: big})
	if e.sel.wholeID(bits) {
		return whole
	}
	var sum expr.Node
	for i, bit := range bits {
		id, up := whole, len(bits)-1-i
		switch {
		case bit > up:
			id = e.b.resolve(span, "shiftright", id, expr.Int(types.Of(types.Int32), int64(bit-up)))
		case bit < up:
			id = e.b.resolve(span, "shiftleft", id, expr.Int(types.Of(types.Int32), int64(up-bit)))
		}
		id = e.b.resolve(span, "&", id, expr.Int(big, 1<<up))
		if sum != nil {
			id = e.b.resolve(span, "|", sum, id)
		}
		sum = id
	}
	return sum
}

// wholeID reports that bits are the set's id itself, which is a key of the result.
func (sel *selectBinder) wholeID(bits []int) bool {
	if len(bits) != len(sel.keys) {
		return false
	}
	for i, bit := range bits {
		if bit != len(bits)-1-i {
			return false
		}
	}
	for _, s := range sel.sets {
		if s.ID>>len(sel.keys) != 0 {
			return false
		}
	}
	return true
}
