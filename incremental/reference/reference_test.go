package reference

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/builtin"
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/planner/catalog"
	"github.com/sqlstream/sqlstream/planner/logical"
)

var (
	bigint = types.Of(types.Int64)
	double = types.Of(types.Float64)
	text   = types.Of(types.String)
	truths = types.Of(types.Bool)
	stamp  = types.Of(types.Timestamp)
)

// table is a scan with its rows.
type table struct {
	scan    *logical.Scan
	changes []Change
}

func tableOf(name string, cols []types.Column, rows ...[]any) table {
	r := &catalog.Relation{Name: name}
	for _, c := range cols {
		r.Columns = append(r.Columns, catalog.Column{Column: c})
	}
	t := table{scan: &logical.Scan{Relation: r}}
	for _, x := range rows {
		t.changes = append(t.changes, Change{Values: x, Weight: 1})
	}
	return t
}

func columns(spec ...any) (out []types.Column) {
	for i := 0; i < len(spec); i += 2 {
		out = append(out, types.Column{Name: spec[i].(string), Type: spec[i+1].(types.Type)})
	}
	return out
}

func inputs(tables ...table) Inputs {
	return func(s *logical.Scan) ([]Change, error) {
		for _, t := range tables {
			if t.scan == s {
				return t.changes, nil
			}
		}
		panic("unknown scan")
	}
}

func answer(t *testing.T, plan logical.Node, tables ...table) []Row {
	t.Helper()
	rows, err := Question{Plan: plan, Inputs: inputs(tables...)}.Answer(&fn.Ctx{Zone: time.UTC})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// check compares rows in order, each written as Text.
func check(t *testing.T, what string, rows []Row, want ...string) {
	t.Helper()
	got := make([]string, len(rows))
	for i, r := range rows {
		got[i] = Text(r.Values)
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s: got\n%s\nwant\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func resolver(t *testing.T) *expr.Resolver {
	t.Helper()
	f, err := builtin.Functions()
	if err != nil {
		t.Fatal(err)
	}
	return &expr.Resolver{Functions: f, Zone: time.UTC}
}

func call(t *testing.T, r *expr.Resolver, name string, args ...expr.Node) expr.Node {
	t.Helper()
	n, err := r.Resolve(name, args...)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// aggOf resolves an aggregate over columns or constants.
func aggOf(t *testing.T, r *expr.Resolver, name string, args ...expr.Node) logical.Agg {
	t.Helper()
	f, ok := r.Functions.Aggregate(name)
	if !ok {
		t.Fatalf("no aggregate %s", name)
	}
	impl, err := f.Resolve(expr.Args(args))
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Coerce(name, impl.Args, args); err != nil {
		t.Fatal(err)
	}
	return logical.Agg{Func: f, Impl: impl, Args: args}
}

func num(x int64) *expr.Const { return expr.Int(bigint, x) }

func TestAccumulate(t *testing.T) {
	rows, err := Accumulate([]Change{
		{Values: []any{int64(1)}, Weight: 2, Moment: Moment{Now: 1}},
		{Values: []any{nil}, Weight: 1},
		{Values: []any{int64(1)}, Weight: 1, Moment: Moment{Now: 3}},
		{Values: []any{int64(1)}, Weight: -1},
	})
	if err != nil {
		t.Fatal(err)
	}
	check(t, "rows", rows, "1", "1", "NULL")
	if rows[0].Now != 1 || rows[1].Now != 1 {
		t.Errorf("a deletion took an older row: %v", rows)
	}
	if _, err := Accumulate([]Change{{Values: []any{int64(1)}, Weight: -1}}); err == nil {
		t.Error("a deletion of a missing row was accepted")
	}
	if got := BagOf(rows).String(); got != "1  x2\nNULL  x1" {
		t.Errorf("bag: %s", got)
	}
}

func TestFilterProjectUnion(t *testing.T) {
	r := resolver(t)
	in := tableOf("t", columns("a", bigint, "s", text), []any{int64(1), "x"}, []any{nil, "y"}, []any{int64(3), nil})
	a := logical.Col(in.scan, 0)
	f := &logical.Filter{Input: in.scan, Predicate: call(t, r, ">", a, num(1))}
	check(t, "filter", answer(t, f, in), "3 | NULL")
	p := &logical.Project{Input: in.scan, Exprs: []expr.Node{call(t, r, "+", a, num(1))}, Names: []string{"b"}}
	check(t, "project", answer(t, p, in), "2", "NULL", "4")
	v := &logical.Values{Columns: columns("b", bigint), Rows: [][]expr.Node{{num(2)}}}
	u := &logical.UnionAll{Inputs: []logical.Node{p, v}}
	check(t, "union", answer(t, u, in), "2", "NULL", "4", "2")
	check(t, "distinct", answer(t, &logical.Distinct{Input: u}, in), "2", "NULL", "4")
}

func TestScanComputes(t *testing.T) {
	r := resolver(t)
	in := tableOf("t", columns("a", bigint), []any{int64(1)})
	in.scan.Relation.Columns = append(in.scan.Relation.Columns,
		catalog.Column{Column: types.Column{Name: "b", Type: bigint}, Kind: catalog.Computed, Expr: call(t, r, "+", logical.Col(in.scan, 0), num(1))})
	in.scan.Extra = []expr.Node{call(t, r, "+", logical.Col(in.scan, 1), num(1))}
	in.scan.Names = []string{"c"}
	check(t, "scan", answer(t, in.scan, in), "1 | 2 | 3")
}

func TestHop(t *testing.T) {
	in := tableOf("t", columns("ts", stamp), []any{int64(10)}, []any{int64(-1)}, []any{nil})
	h := &logical.Hop{Input: in.scan, Time: 0, Size: 10, Slide: 5}
	check(t, "windows", answer(t, h, in), "10 | 10", "10 | 5", "-1 | -5", "-1 | -10")
	h = &logical.Hop{Input: in.scan, Time: 0, Size: 10, Slide: 4, Offset: 1}
	check(t, "with offset", answer(t, h, in), "10 | 9", "10 | 5", "10 | 1", "-1 | -3", "-1 | -7")
}

func TestUnnest(t *testing.T) {
	r := resolver(t)
	in := tableOf("t", columns("xs", types.ArrayOf(bigint)), []any{[]any{int64(1), nil}}, []any{[]any{}}, []any{nil})
	g, ok := r.Functions.Generator("explode")
	if !ok {
		t.Fatal("no explode")
	}
	args := logical.Columns(in.scan)
	impl, err := g.Resolve(expr.Args(args))
	if err != nil {
		t.Fatal(err)
	}
	u := &logical.Unnest{Input: in.scan, Gen: g, Impl: impl, Args: args, Names: []string{"x", "n"}, Ordinality: true}
	check(t, "inner", answer(t, u, in), "[1, NULL] | 1 | 1", "[1, NULL] | NULL | 2")
	u.Outer = true
	check(t, "outer", answer(t, u, in), "[1, NULL] | 1 | 1", "[1, NULL] | NULL | 2", "[] | NULL | NULL", "NULL | NULL | NULL")
}

func TestSort(t *testing.T) {
	in := tableOf("t", columns("a", bigint, "b", bigint), []any{int64(2), int64(1)}, []any{nil, int64(2)}, []any{int64(1), int64(9)},
		[]any{int64(2), int64(0)})
	key := logical.SortKey{Expr: logical.Col(in.scan, 0)}
	sort := &logical.Sort{Input: in.scan, Keys: []logical.SortKey{key}, Limit: logical.NoLimit}
	check(t, "nulls last", answer(t, sort, in), "1 | 9", "2 | 0", "2 | 1", "NULL | 2")
	sort.Keys[0].Desc, sort.Keys[0].NullsFirst = true, true
	check(t, "descending: ties ascend", answer(t, sort, in), "NULL | 2", "2 | 0", "2 | 1", "1 | 9")
	sort.Limit, sort.Offset = 2, 1
	check(t, "limit", answer(t, sort, in), "2 | 0", "2 | 1")
	sort.Offset = 9
	check(t, "offset beyond", answer(t, sort, in))
}

func TestDedup(t *testing.T) {
	in := tableOf("t", columns("k", bigint, "ts", stamp))
	at := func(k, ts any, batch, watermark int64) {
		in.changes = append(in.changes, Change{[]any{k, ts}, 1, Moment{Batch: batch, Watermark: watermark}})
	}
	at(int64(1), int64(100), 0, math.MinInt64)
	at(int64(1), int64(105), 1, 109) // 100 + 10 is not reached
	at(int64(1), int64(106), 2, 110)
	at(nil, int64(3), 2, 110)
	at(nil, int64(4), 2, 112) // known until the end of the trigger
	at(nil, int64(5), 3, 112)
	d := &logical.Dedup{Input: in.scan, Keys: []int{0}}
	check(t, "plain", answer(t, d, in), "1 | 100", "NULL | 3")
	d.Within = true
	in.scan.Watermark = &logical.Watermark{Col: 1, Delay: types.IntervalValue{Micros: 10}}
	check(t, "within", answer(t, d, in), "1 | 100", "1 | 106", "NULL | 3", "NULL | 5")
}

func TestJoin(t *testing.T) {
	r := resolver(t)
	l := tableOf("l", columns("k", bigint, "x", bigint), []any{int64(1), int64(10)}, []any{int64(2), int64(20)}, []any{nil, int64(30)})
	m := tableOf("r", columns("k", bigint, "y", bigint), []any{int64(1), int64(5)}, []any{int64(1), int64(15)}, []any{int64(3), int64(1)})
	j := &logical.Join{L: l.scan, R: m.scan, LKeys: []expr.Node{logical.Col(l.scan, 0)}, RKeys: []expr.Node{logical.Col(m.scan, 0)}, NullSafe: []bool{false}}
	with := func(k logical.JoinKind) *logical.Join { c := *j; c.Kind = k; return &c }
	check(t, "inner", answer(t, with(logical.Inner), l, m), "1 | 10 | 1 | 5", "1 | 10 | 1 | 15")
	check(t, "left", answer(t, with(logical.Left), l, m), "1 | 10 | 1 | 5", "1 | 10 | 1 | 15", "2 | 20 | NULL | NULL", "NULL | 30 | NULL | NULL")
	check(t, "semi", answer(t, with(logical.Semi), l, m), "1 | 10")
	check(t, "anti", answer(t, with(logical.Anti), l, m), "2 | 20", "NULL | 30")
	check(t, "full", answer(t, with(logical.Full), l, m), "1 | 10 | 1 | 5", "1 | 10 | 1 | 15", "2 | 20 | NULL | NULL", "NULL | 30 | NULL | NULL",
		"NULL | NULL | 3 | 1")
	check(t, "mark", answer(t, with(logical.Mark), l, m), "1 | 10 | true", "2 | 20 | false", "NULL | 30 | false")
	j.Residual = call(t, r, ">", &expr.Column{Index: 1, Name: "x", T: bigint}, &expr.Column{Index: 3, Name: "y", T: bigint})
	check(t, "residual", answer(t, with(logical.Left), l, m), "1 | 10 | 1 | 5", "2 | 20 | NULL | NULL", "NULL | 30 | NULL | NULL")
	j.Residual = nil

	not := with(logical.Anti)
	not.NullAware = 1
	check(t, "not in", answer(t, not, l, m), "2 | 20")
	m.changes = append(m.changes, Change{Values: []any{nil, nil}, Weight: 1})
	check(t, "not in, NULL on the right", answer(t, not, l, m))
	in := with(logical.Mark)
	in.NullAware = 1
	check(t, "in as a value, NULL on the right", answer(t, in, l, m), "1 | 10 | true", "2 | 20 | NULL", "NULL | 30 | NULL")
	check(t, "anti, NULL on the right", answer(t, with(logical.Anti), l, m), "2 | 20", "NULL | 30")
	j.NullSafe = []bool{true}
	check(t, "null-safe", answer(t, with(logical.Semi), l, m), "1 | 10", "NULL | 30")
	m.changes = nil
	check(t, "not in, nothing on the right", answer(t, not, l, m), "1 | 10", "2 | 20", "NULL | 30")
}

func TestSingle(t *testing.T) {
	l := tableOf("l", columns("k", bigint), []any{int64(1)})
	m := tableOf("r", columns("y", bigint), []any{int64(5)}, []any{int64(6)})
	j := &logical.Join{Kind: logical.Left, L: l.scan, R: m.scan, Single: true}
	if _, err := (Question{Plan: j, Inputs: inputs(l, m)}).Answer(&fn.Ctx{Zone: time.UTC}); err == nil {
		t.Error("two rows of a scalar subquery were accepted")
	}
	m.changes = m.changes[:1]
	check(t, "one row", answer(t, j, l, m), "1 | 5")
}

func TestGroups(t *testing.T) {
	r := resolver(t)
	negZero := math.Copysign(0, -1)
	in := tableOf("t", columns("k", double, "x", bigint), []any{0.0, int64(1)}, []any{negZero, int64(2)}, []any{math.NaN(), int64(3)},
		[]any{math.NaN(), nil}, []any{nil, int64(5)})
	count := aggOf(t, r, "count")
	some := aggOf(t, r, "count", logical.Col(in.scan, 1))
	some.Filter = call(t, r, ">", logical.Col(in.scan, 1), num(1))
	a := &logical.Aggregate{Input: in.scan, Keys: logical.Columns(in.scan)[:1], KeyNames: []string{"k"}, Aggs: []logical.Agg{count, some}}
	check(t, "groups", answer(t, a, in), "0.0 | 2 | 1", "NaNf | 2 | 1", "NULL | 1 | 1")
	in.changes = nil
	check(t, "no rows, keys", answer(t, a, in))
	global := &logical.Aggregate{Input: in.scan, Aggs: []logical.Agg{count, aggOf(t, r, "sum", logical.Col(in.scan, 1))}}
	check(t, "no rows, no keys", answer(t, global, in), "0 | NULL")
}

func TestRefuse(t *testing.T) {
	r := resolver(t)
	in := tableOf("t", columns("k", bigint, "x", bigint), []any{int64(1), int64(1)}, []any{int64(2), int64(2)}, []any{int64(2), int64(2)})
	in.changes[1].Watermark = 0
	in.changes[2].Watermark = 5
	a := &logical.Aggregate{Input: in.scan, Keys: logical.Columns(in.scan)[:1], KeyNames: []string{"k"}, Aggs: []logical.Agg{aggOf(t, r, "count")}}
	late := func(n logical.Node, key []any, m Moment) bool { return key[0].(int64) < m.Watermark }
	for _, c := range []struct {
		plan logical.Node
		want []string
	}{
		{a, []string{"1 | 1", "2 | 1"}},
		{&logical.Distinct{Input: in.scan}, []string{"1 | 1", "2 | 2"}},
		{&logical.Dedup{Input: in.scan, Keys: []int{0}}, []string{"1 | 1", "2 | 2"}},
	} {
		rows, err := Question{Plan: c.plan, Inputs: inputs(in), Refuse: late}.Answer(&fn.Ctx{Zone: time.UTC})
		if err != nil {
			t.Fatal(err)
		}
		check(t, c.plan.Describe(), rows, c.want...)
	}
}

// one aggregate of the table below.
type aggCase struct {
	name     string
	t        types.Type
	values   []any // of x
	with     []any // of y, if there is one
	extra    expr.Node
	distinct bool
	want     string
}

func TestAggregates(t *testing.T) {
	inf := math.Inf(1)
	ints := []any{int64(3), int64(1), nil, int64(3)}
	floats := []any{1e300, 1.0, -1e300, nil}
	none := []any{nil}
	dec := types.DecimalOf(10, 2)
	third := []any{int64(100), int64(100), int64(101)} // 1.00 + 1.00 + 1.01
	strs := []any{"b", "a", nil, "b"}
	bools := []any{true, nil, false}
	p := func(x float64) expr.Node { return expr.Float(double, x) }
	for _, c := range []aggCase{
		{name: "count", t: bigint, values: ints, want: "3"},
		{name: "count", t: bigint, values: ints, distinct: true, want: "2"},
		{name: "approx_count_distinct", t: bigint, values: ints, want: "2"},
		{name: "count_if", t: truths, values: bools, want: "1"},
		{name: "sum", t: bigint, values: ints, want: "7"},
		{name: "sum", t: bigint, values: ints, distinct: true, want: "4"},
		{name: "sum", t: bigint, values: none, want: "NULL"},
		{name: "sum", t: double, values: floats, want: "1f"},
		{name: "sum", t: double, values: []any{inf, 1.0}, want: "+Inff"},
		{name: "sum", t: double, values: []any{inf, -inf}, want: "NaNf"},
		{name: "sum", t: dec, values: third, want: "301"},
		{name: "avg", t: dec, values: third, want: "1003333"},                            // 1.003333
		{name: "avg", t: dec, values: []any{int64(-100), int64(-101)}, want: "-1005000"}, // −1.005
		{name: "avg", t: bigint, values: ints, want: "2.3333333333333335f"},
		{name: "avg", t: bigint, values: none, want: "NULL"},
		{name: "min", t: bigint, values: ints, want: "1"},
		{name: "max", t: double, values: []any{inf, math.NaN()}, want: "NaNf"},
		{name: "max", t: text, values: strs, want: `"b"`},
		{name: "min", t: text, values: none, want: "NULL"},
		{name: "bool_and", t: truths, values: bools, want: "false"},
		{name: "bool_and", t: truths, values: []any{true, nil}, want: "true"},
		{name: "bool_or", t: truths, values: bools, want: "true"},
		{name: "bool_or", t: truths, values: []any{nil}, want: "NULL"},
		{name: "bit_and", t: bigint, values: ints, want: "1"},
		{name: "bit_or", t: bigint, values: ints, want: "3"},
		{name: "bit_xor", t: bigint, values: ints, want: "1"},
		{name: "var_samp", t: double, values: []any{1.0, 2.0, 3.0, 4.0, 5.0}, want: "2.5f"},
		{name: "var_pop", t: double, values: []any{1.0, 2.0, 3.0, 4.0, 5.0}, want: "2f"},
		{name: "stddev_samp", t: double, values: []any{1.0, 3.0}, want: "1.4142135623730951f"},
		{name: "stddev_samp", t: double, values: []any{1.0}, want: "NULL"},
		{name: "stddev_pop", t: double, values: []any{1.0, inf}, want: "NaNf"},
		{name: "covar_pop", t: double, values: []any{1.0, 2.0, nil}, with: []any{2.0, 4.0, 9.0}, want: "0.5f"},
		{name: "corr", t: double, values: []any{1.0, 2.0, 3.0}, with: []any{-2.0, -4.0, -6.0}, want: "-1f"},
		{name: "corr", t: double, values: []any{1.0, 2.0}, with: []any{3.0, 3.0}, want: "NULL"},
		{name: "first", t: bigint, values: []any{nil, int64(1)}, want: "NULL"},
		{name: "first", t: bigint, values: []any{nil, int64(1)}, extra: expr.Bool(true), want: "1"},
		{name: "last", t: bigint, values: ints, want: "3"},
		{name: "any_value", t: bigint, values: []any{nil, int64(1), int64(2)}, want: "1"},
		{name: "array_agg", t: text, values: strs, want: `["b", "a", "b"]`},
		{name: "array_agg", t: text, values: none, want: "[]"},
		{name: "collect_set", t: text, values: strs, want: `["a", "b"]`},
		{name: "string_agg", t: text, values: strs, extra: expr.Text("-"), want: `"b-a-b"`},
		{name: "mode", t: text, values: strs, want: `"b"`},
		{name: "mode", t: text, values: []any{"b", "a"}, want: `"a"`},
		{name: "median", t: bigint, values: []any{int64(1), int64(2), int64(10), int64(20)}, want: "6f"},
		{name: "percentile", t: bigint, values: []any{int64(1), int64(2), int64(10), int64(20)}, extra: p(0.25), want: "1.75f"},
		{name: "percentile_disc", t: bigint, values: []any{int64(1), int64(2), int64(10), int64(20)}, extra: p(0.5), want: "2"},
		{name: "min_by", t: text, values: []any{"a", "b", "c"}, with: []any{2.0, 1.0, nil}, want: `"b"`},
		{name: "max_by", t: text, values: []any{"a", "b", "c"}, with: []any{2.0, 2.0, nil}, want: `"b"`},
	} {
		c.check(t)
	}
}

func (c aggCase) check(t *testing.T) {
	t.Helper()
	r := resolver(t)
	cols := columns("x", c.t, "y", double)
	in := tableOf("t", cols)
	for i, x := range c.values {
		row := []any{x, nil}
		if c.with != nil {
			row[1] = c.with[i]
		}
		in.changes = append(in.changes, Change{Values: row, Weight: 1})
	}
	args := []expr.Node{logical.Col(in.scan, 0)}
	if c.with != nil {
		args = append(args, logical.Col(in.scan, 1))
	}
	if c.extra != nil {
		args = append(args, c.extra)
	}
	agg := aggOf(t, r, c.name, args...)
	agg.Distinct = c.distinct
	check(t, agg.String(), answer(t, &logical.Aggregate{Input: in.scan, Aggs: []logical.Agg{agg}}, in), c.want)
}

func TestSumOverflow(t *testing.T) {
	r := resolver(t)
	in := tableOf("t", columns("x", bigint), []any{int64(math.MaxInt64)}, []any{int64(1)})
	plan := &logical.Aggregate{Input: in.scan, Aggs: []logical.Agg{aggOf(t, r, "sum", logical.Col(in.scan, 0))}}
	if _, err := (Question{Plan: plan, Inputs: inputs(in)}).Answer(&fn.Ctx{Zone: time.UTC}); err == nil || !strings.Contains(err.Error(), "does not fit") {
		t.Errorf("overflow gave %v", err)
	}
}

func TestOrderInAggregate(t *testing.T) {
	r := resolver(t)
	in := tableOf("t", columns("x", text), []any{"a"}, []any{nil}, []any{"c"}, []any{"b"}, []any{"c"})
	agg := aggOf(t, r, "string_agg", logical.Col(in.scan, 0), expr.Text("-"))
	agg.Order = []logical.SortKey{{Expr: logical.Col(in.scan, 0), Desc: true}}
	plan := &logical.Aggregate{Input: in.scan, Aggs: []logical.Agg{agg}}
	check(t, "ordered", answer(t, plan, in), `"c-c-b-a"`)
	plan.Aggs[0].Distinct = true
	check(t, "ordered, distinct", answer(t, plan, in), `"c-b-a"`)
}

// TestOrderOfValues holds compare to vec.Compare on one value of every kind beside others.
func TestOrderOfValues(t *testing.T) {
	lists := types.ArrayOf(bigint)
	for _, c := range []struct {
		t      types.Type
		ascend []any
	}{
		{truths, []any{nil, false, true}},
		{double, []any{nil, math.Inf(-1), -1.0, 0.0, 1.0, math.Inf(1), math.NaN()}},
		{types.DecimalOf(30, 0), []any{nil, types.Int128{Hi: -1}, types.Int128From(-1), types.Int128From(1), types.Int128{Hi: 1}}},
		{text, []any{nil, "", "A", "a", "aa", "é"}},
		{types.Of(types.Bytes), []any{nil, []byte{}, []byte{0}, []byte{255}}},
		{types.Of(types.Interval), []any{nil, types.IntervalValue{Days: 1}, types.IntervalValue{Days: 29}, types.IntervalValue{Months: 1}}},
		{lists, []any{nil, []any{}, []any{nil}, []any{int64(1)}, []any{int64(1), nil}, []any{int64(2)}}},
	} {
		for i, a := range c.ascend {
			for k, b := range c.ascend {
				want := vec.Compare(vec.FromAny(c.t, a), 0, vec.FromAny(c.t, b), 0)
				if got := compare(a, b); sign(got) != sign(want) || sign(got) != sign(i-k) {
					t.Errorf("%s: compare(%v, %v) = %d, in vectors %d", c.t, a, b, got, want)
				}
			}
		}
	}
	a, b := [][2]any{{"x", int64(1)}, {"y", 0.0}}, [][2]any{{"y", math.Copysign(0, -1)}, {"x", int64(1)}}
	if textOf(a) != textOf(b) {
		t.Errorf("equal maps have the texts %s and %s", textOf(a), textOf(b))
	}
}

func sign(x int) int {
	switch {
	case x < 0:
		return -1
	case x > 0:
		return 1
	}
	return 0
}
