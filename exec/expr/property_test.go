package expr_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/fn/scalar"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func newResolver(t testing.TB) *expr.Resolver {
	t.Helper()
	r := fn.NewRegistry()
	for _, f := range scalar.All() {
		if err := r.AddScalar(f); err != nil {
			t.Fatal(err)
		}
	}
	return &expr.Resolver{Functions: r, Zone: time.UTC}
}

// columnTypes are the columns of the random batches.
var columnTypes = []types.Type{
	types.Of(types.Bool), types.Of(types.Int8), types.Of(types.Int32), types.Of(types.Int64), types.Of(types.Float64),
	types.DecimalOf(9, 2), types.DecimalOf(30, 5), types.Of(types.String), types.Of(types.Date), types.Of(types.Timestamp),
	types.Of(types.Interval), types.ArrayOf(types.Of(types.Int32)),
}

// randomValue appends a value; small domains make equal values and overflows likely.
func randomValue(rnd *rand.Rand, b *vec.Builder, t types.Type) {
	if rnd.IntN(6) == 0 {
		b.AppendNull()
		return
	}
	small := int64(rnd.IntN(7) - 3)
	switch t.Kind {
	case types.Bool:
		b.AppendBool(small > 0)
	case types.Int8, types.Int32, types.Int64:
		edges := map[types.Kind]int64{types.Int8: math.MaxInt8, types.Int32: math.MaxInt32, types.Int64: math.MaxInt64}
		if rnd.IntN(8) == 0 {
			small = []int64{edges[t.Kind], -edges[t.Kind] - 1}[rnd.IntN(2)]
		}
		b.AppendInt(small)
	case types.Float64:
		b.AppendFloat([]float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1), 1.5, -2.25, 1e300}[rnd.IntN(7)])
	case types.Decimal:
		b.AppendInt128(types.Int128From(small * 12345))
	case types.String:
		b.AppendString([]string{"", "a", "ab", "12", " 7 ", "x%", "1.5", "2024-02-29"}[rnd.IntN(8)])
	case types.Date:
		b.AppendInt(small * 400)
	case types.Timestamp:
		b.AppendInt(small*86_400_000_000*40 + 123456)
	case types.Interval:
		b.AppendInterval(types.IntervalValue{Months: int32(small), Micros: small * 1000})
	case types.Array:
		for range rnd.IntN(3) {
			randomValue(rnd, b.Child(0), *t.Elem)
		}
		b.EndList()
	}
}

// randomColumn is flat, constant, or a dictionary.
func randomColumn(rnd *rand.Rand, t types.Type, n int) *vec.Vector {
	b := vec.NewBuilder(t)
	switch rnd.IntN(4) {
	case 0:
		randomValue(rnd, b, t)
		v := b.Take()
		v.Const, v.N = true, n
		return v
	case 1:
		for range 3 {
			randomValue(rnd, b, t)
		}
		codes := make([]uint32, n)
		for i := range codes {
			codes[i] = uint32(rnd.IntN(3))
		}
		var valid []uint64
		if rnd.IntN(2) == 0 {
			valid = vec.AllValid(n)
			for i := range n {
				if rnd.IntN(5) == 0 {
					vec.BitClear(valid, i)
					codes[i] = 1 << 20 // under a NULL a code may be anything
				}
			}
		}
		return vec.NewDict(b.Take(), codes, valid)
	}
	for range n {
		randomValue(rnd, b, t)
	}
	return b.Take()
}

func randomBatch(rnd *rand.Rand) *vec.Batch {
	n := 1 + rnd.IntN(20)
	b := &vec.Batch{N: n}
	for _, t := range columnTypes {
		b.Cols = append(b.Cols, randomColumn(rnd, t, n))
	}
	if rnd.IntN(2) == 0 {
		b.Sel = []int32{}
		for r := range n {
			if rnd.IntN(3) > 0 {
				b.Sel = append(b.Sel, int32(r))
			}
		}
	}
	return b
}

// generator makes random well-typed expressions.
type generator struct {
	rnd *rand.Rand
	r   *expr.Resolver
}

func (g generator) column() expr.Node {
	i := g.rnd.IntN(len(columnTypes))
	return &expr.Column{Index: i, Name: fmt.Sprintf("c%d", i), T: columnTypes[i]}
}

func (g generator) constant() expr.Node {
	t := columnTypes[g.rnd.IntN(len(columnTypes))]
	b := vec.NewBuilder(t)
	randomValue(g.rnd, b, t)
	return expr.NewConst(b.Take())
}

var binaries = []string{"+", "-", "*", "/", "%", "div", "=", "<>", "<", "<=", ">", ">=", "<=>", "||", "nullif", "&", "pow", "date_add",
	"like", "$at", "array_contains", "greatest", "months_between", "pmod", "try_add", "concat_ws", "split_part", "instr", "array_union"}

var unaries = []string{"-", "abs", "upper", "length", "year", "round", "floor", "trim", "size", "isnull", "hex", "md5", "sqrt", "last_day",
	"to_json", "unix_timestamp", "initcap", "sort_array", "array_max", "to_date", "sign", "hour", "typeof", "reverse"}

// node tries until something resolves.
func (g generator) node(depth int) expr.Node {
	for {
		if n := g.attempt(depth); n != nil {
			return n
		}
	}
}

func (g generator) attempt(depth int) expr.Node {
	if depth == 0 {
		if g.rnd.IntN(4) == 0 {
			return g.constant()
		}
		return g.column()
	}
	var n expr.Node
	var err error
	switch g.rnd.IntN(8) {
	case 0:
		n, err = g.r.Case([]expr.Node{g.boolean(depth - 1)}, []expr.Node{g.node(depth - 1)}, g.node(depth-1))
	case 1:
		n, err = g.r.Resolve("coalesce", g.node(depth-1), g.node(depth-1))
	case 2:
		n, err = g.r.Cast(g.node(depth-1), columnTypes[g.rnd.IntN(len(columnTypes))], g.rnd.IntN(2) == 0)
	case 3:
		return g.boolean(depth)
	case 4:
		n, err = g.r.Resolve(unaries[g.rnd.IntN(len(unaries))], g.node(depth-1))
	default:
		n, err = g.r.Resolve(binaries[g.rnd.IntN(len(binaries))], g.node(depth-1), g.node(depth-1))
	}
	if err != nil {
		return nil
	}
	return n
}

func (g generator) boolean(depth int) expr.Node {
	if depth == 0 {
		return &expr.Column{Index: 0, Name: "c0", T: columnTypes[0]}
	}
	for {
		var n expr.Node
		var err error
		switch g.rnd.IntN(6) {
		case 0:
			n = expr.NewAnd(g.boolean(depth-1), g.boolean(depth-1))
		case 1:
			n = expr.NewOr(g.boolean(depth-1), g.boolean(depth-1))
		case 2:
			n = expr.NewNot(g.boolean(depth - 1))
		case 3:
			n = expr.NewIsNull(g.node(depth-1), g.rnd.IntN(2) == 0)
		case 4:
			n, err = g.r.Resolve("in", g.node(depth-1), g.constant(), g.constant(), g.node(depth-1))
		default:
			n, err = g.r.Resolve(binaries[6+g.rnd.IntN(7)], g.node(depth-1), g.node(depth-1))
		}
		if err == nil {
			return n
		}
	}
}

// TestLayoutsAgree holds the evaluation of a whole batch, in any layout and under a
// selection, to the evaluation of each row by itself. A row that does not count must
// never raise an error.
func TestLayoutsAgree(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	g := generator{rnd: rnd, r: newResolver(t)}
	for range 2500 {
		n := g.node(1 + rnd.IntN(3))
		b := randomBatch(rnd)
		c := &fn.Ctx{Zone: time.UTC, Now: 1e15, NullOnError: rnd.IntN(3) == 0}
		if rnd.IntN(2) == 0 {
			c.Scratch = &fn.Scratch{}
		}
		mark := c.Mark()
		got, err := n.Eval(c, b)
		compareRows(t, n, b, c.NullOnError, got, err)
		c.Release(mark)
		if t.Failed() {
			return
		}
	}
}

// compareRows evaluates row by row over flat batches of one row.
func compareRows(t *testing.T, n expr.Node, b *vec.Batch, lenient bool, got *vec.Vector, err error) {
	t.Helper()
	var firstErr error
	failed := map[int]bool{}
	b.Each(func(row int) {
		one := &vec.Batch{N: 1}
		for _, col := range b.Cols {
			one.Cols = append(one.Cols, vec.Flatten(vec.Gather(col, []int32{int32(row)})))
		}
		want, e := n.Eval(&fn.Ctx{Zone: time.UTC, Now: 1e15, NullOnError: lenient}, one)
		switch {
		case e != nil:
			firstErr = e
			failed[row] = true
		case err == nil && !vec.Equal(got, row, want, 0):
			t.Errorf("%s row %d: got %s, alone %s", n, row, vec.RowString(got, row, time.UTC), vec.RowString(want, 0, time.UTC))
		}
	})
	var bad *expr.DataError
	switch {
	case errors.As(err, &bad) && !failed[bad.Row]:
		t.Errorf("%s: the error %v names row %d, which alone does not fail", n, err, bad.Row)
	case err == nil && firstErr != nil:
		t.Errorf("%s: no error, but a row alone fails: %v", n, firstErr)
	case err != nil && firstErr == nil:
		t.Errorf("%s: error %v, but no row alone fails", n, err)
	case err == nil && (got.N != b.N || !got.Type.Equal(n.Type())):
		t.Errorf("%s: result has %d rows of %s, want %d of %s", n, got.N, got.Type, b.N, n.Type())
	}
}

// TestFilterAgrees holds Filter to the predicate's value on each row.
func TestFilterAgrees(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	g := generator{rnd: rnd, r: newResolver(t)}
	for range 3000 {
		n := g.boolean(1 + rnd.IntN(3))
		b := randomBatch(rnd)
		c := &fn.Ctx{Zone: time.UTC, NullOnError: true}
		sel, err := expr.Filter(c, n, b)
		if err != nil {
			t.Fatalf("%s: %v", n, err)
		}
		keep := map[int]bool{}
		(&vec.Batch{N: b.N, Sel: sel}).Each(func(r int) { keep[r] = true })
		v, err := n.Eval(&fn.Ctx{Zone: time.UTC, NullOnError: true}, b)
		if err != nil {
			t.Fatalf("%s: %v", n, err)
		}
		b.Each(func(r int) {
			if v.IsTrue(r) != keep[r] {
				t.Fatalf("%s row %d: value %s, kept %v", n, r, vec.RowString(v, r, time.UTC), keep[r])
			}
			delete(keep, r)
		})
		if len(keep) > 0 {
			t.Fatalf("%s: kept rows that do not count: %v", n, keep)
		}
	}
}
