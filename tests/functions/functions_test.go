// Package functions holds every scalar function to the rule for values that cannot be
// computed: one bad row never changes the results of the others. A batch with bad rows among
// good ones is computed under eval_error = 'null', flat, with constants and dictionaries, with
// and without a selection, and compared with each row computed by itself.
package functions

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/builtin"
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/parser"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/bind"
	"github.com/sqlstream/sqlstream/planner/catalog"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// form is an example of a function in which some literals are columns.
type form struct {
	sql  string
	node expr.Node
	cols []types.Type
	own  []*vec.Vector // by column, the example's value
}

type forms struct {
	t   *testing.T
	cat *catalog.Catalog
}

func newForms(t *testing.T) *forms {
	reg, err := builtin.New("test")
	if err != nil {
		t.Fatal(err)
	}
	return &forms{t: t, cat: catalog.New(reg.Functions, reg)}
}

// bind gives the expression of SELECT sql over columns c0, c1, …
func (f *forms) bind(sql string, cols []types.Type) (expr.Node, error) {
	r := &catalog.Relation{Name: "t", Connector: "memory"}
	for i, t := range cols {
		r.Columns = append(r.Columns, catalog.Column{Column: types.Column{Name: fmt.Sprintf("c%d", i), Type: t}})
	}
	f.cat.Put(r)
	text := "SELECT " + sql
	if len(cols) > 0 {
		text += " FROM t"
	}
	q, err := parser.ParseQuery(diag.Source{Text: text})
	if err != nil {
		return nil, err
	}
	res, err := bind.New(f.cat, bind.Settings{}).Query(q)
	if err != nil {
		return nil, err
	}
	p, ok := res.Plan.(*logical.Project)
	if !ok || len(p.Exprs) != 1 {
		return nil, errors.New("no expression")
	}
	return p.Exprs[0], nil
}

// literals lists the places of literals, from the left.
func literals(x ast.Expr) []diag.Span {
	var out []diag.Span
	var walk func(v reflect.Value)
	walk = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Pointer, reflect.Interface:
			if v.IsNil() {
				return
			}
			switch n := v.Interface().(type) {
			case *ast.Literal:
				out = append(out, n.Span)
				return
			case *ast.Interval:
				out = append(out, n.Span)
				return
			}
			walk(v.Elem())
		case reflect.Struct:
			for i := range v.NumField() {
				walk(v.Field(i))
			}
		case reflect.Slice:
			for i := range v.Len() {
				walk(v.Index(i))
			}
		}
	}
	walk(reflect.ValueOf(x))
	slices.SortFunc(out, func(a, b diag.Span) int { return a.Start - b.Start })
	return slices.Compact(out)
}

// of makes forms of an example: with as many literals as possible as columns, and with each
// one alone.
func (f *forms) of(example string) []*form {
	x, err := parser.ParseExpr(diag.Source{Text: example})
	if err != nil {
		return nil
	}
	spans := literals(x)
	var out []*form
	add := func(g *form) {
		if g != nil && len(g.cols) > 0 && !slices.ContainsFunc(out, func(o *form) bool { return o.sql == g.sql }) {
			out = append(out, g)
		}
	}
	add(f.with(example, spans))
	for i := range spans {
		add(f.with(example, spans[i:i+1]))
	}
	return out
}

// with replaces literals from the right, each one that may be a column.
func (f *forms) with(example string, spans []diag.Span) *form {
	g := &form{sql: example}
	for i := len(spans) - 1; i >= 0; i-- {
		s := spans[i]
		lit, err := f.bind(example[s.Start:s.End], nil)
		v := expr.ConstValue(lit)
		if err != nil || v == nil || v.Type.Kind == types.Null {
			continue
		}
		sql := g.sql[:s.Start] + fmt.Sprintf("c%d", len(g.cols)) + g.sql[s.End:]
		cols := append(slices.Clone(g.cols), v.Type)
		if n, err := f.bind(sql, cols); err == nil {
			g = &form{sql: sql, node: n, cols: cols, own: append(slices.Clone(g.own), v)}
		}
	}
	if g.node == nil || expr.Volatility(g.node) != fn.Immutable {
		return nil
	}
	return g
}

// makesMuch tells that a function makes as much as a number says.
func makesMuch(sql string) bool {
	return slices.ContainsFunc([]string{"repeat(", "space(", "pad(", "sequence(", "range(", "series("}, func(f string) bool { return strings.Contains(sql, f) })
}

// wide is the greatest INT that is tried. What makes so much text or so many elements is
// tried by itself.
const wide = 1 << 14

// pool are values of a type: what the example has, edges, and what is likely to be refused.
func pool(t types.Type, own *vec.Vector, narrow bool) *vec.Vector {
	big := func(x int64) int64 {
		if narrow {
			return wide
		}
		return x
	}
	b := vec.NewBuilder(t)
	for range 3 {
		b.AppendFrom(own, 0)
	}
	b.AppendNull()
	ints := func(list ...int64) {
		for _, x := range list {
			b.AppendInt(x)
		}
	}
	switch t.Kind {
	case types.String:
		for _, s := range []string{"", "x", "nö", "12", "-1.5", "2024-02-29", "[1,2]", `{"a":{"b":1}}`, "(", "%zz", "é\U0001F600"} {
			b.AppendString(s)
		}
	case types.Bytes:
		for _, s := range []string{"", "\x00", "\xff\xfe", "abc"} {
			b.AppendBytes([]byte(s))
		}
	case types.Bool:
		b.AppendBool(true)
		b.AppendBool(false)
	case types.Int8:
		ints(0, 1, -1, 127, -128)
	case types.Int16:
		ints(0, 1, -1, 32767, -32768)
	case types.Int32:
		ints(0, 1, -1, 7, big(math.MaxInt32), -1<<31)
	case types.Int64:
		ints(0, 1, -1, big(1<<40), big(1<<63-1), -1<<63)
	case types.Float32, types.Float64:
		zero := 0.0
		for _, x := range []float64{0, 1, -1.5, 1e300, 1 / zero, -1 / zero, zero / zero} {
			if t.Kind == types.Float32 {
				x = float64(float32(x))
			}
			b.AppendFloat(x)
		}
	case types.Date:
		ints(0, -719162, 2932896)
	case types.Timestamp, types.TimestampNTZ:
		ints(0, -62135596800000000, 253402300799999999)
	case types.Interval:
		b.AppendInterval(types.IntervalValue{})
		b.AppendInterval(types.IntervalValue{Months: 1<<31 - 1, Days: 1<<31 - 1, Micros: 1<<63 - 1})
	case types.Decimal:
		if t.Phys() == types.PhysInt128 {
			b.AppendInt128(types.Int128From(0))
			most, _ := types.Pow10(int(t.Prec)).Sub(types.Int128From(1))
			b.AppendInt128(most)
		} else {
			ints(0)
		}
	}
	return b.Take()
}

// shape says how columns are laid out.
type shape int

const (
	flat shape = iota
	dictionaries
	mixed // some columns constant
)

// batch draws rows; pick has, by column and row, the place in the pool.
func batch(g *form, pools []*vec.Vector, pick [][]int32, s shape) *vec.Batch {
	n := len(pick[0])
	b := &vec.Batch{N: n}
	for i := range g.cols {
		var v *vec.Vector
		switch {
		case s == dictionaries:
			codes := make([]uint32, n)
			for r, p := range pick[i] {
				codes[r] = uint32(p)
			}
			v = vec.NewDict(pools[i], codes, nil)
		case s == mixed && i%2 == 1:
			one := *vec.Gather(pools[i], pick[i][:1])
			one.Const, one.N = true, n
			v = &one
		default:
			v = vec.Gather(pools[i], pick[i])
		}
		b.Cols = append(b.Cols, v)
	}
	return b
}

// fate is the result of one row by itself.
type fate struct {
	text   string
	errors int64
	err    error // where it fails the query
}

func newCtx(null bool) *fn.Ctx {
	return &fn.Ctx{Zone: time.UTC, NullOnError: null, Now: 1_704_067_200_000_000}
}

// run computes a form; a panic is an error.
func run(g *form, b *vec.Batch, null bool) (v *vec.Vector, c *fn.Ctx, err error) {
	c = newCtx(null)
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	v, err = g.node.Eval(c, b)
	return v, c, err
}

// alone computes row r of a batch by itself.
func alone(g *form, b *vec.Batch, r int) (fate, error) {
	one := &vec.Batch{N: 1}
	for _, c := range b.Cols {
		one.Cols = append(one.Cols, vec.Gather(c, []int32{int32(r)}))
	}
	v, c, err := run(g, one, true)
	if err != nil {
		return fate{}, fmt.Errorf("alone, with errors as NULL: %w", err)
	}
	_, _, strict := run(g, one, false)
	var bad *fn.DataError
	if strict != nil && !errors.As(strict, &bad) {
		return fate{}, fmt.Errorf("alone: no data error: %w", strict)
	}
	if (strict != nil) != (c.Errors > 0) {
		return fate{}, fmt.Errorf("alone: %d errors counted, but it fails with %v", c.Errors, strict)
	}
	return fate{text: vec.RowString(v, 0, time.UTC), errors: c.Errors, err: strict}, nil
}

// check compares a batch, whose rows in sel count (nil = all), with its rows by themselves.
func check(g *form, b *vec.Batch, fates []fate, sel []int32) error {
	in := *b
	in.Sel = sel
	rows := fn.Rows{N: b.N, Sel: sel}
	v, c, err := run(g, &in, true)
	if err != nil {
		return err
	}
	if v.N != b.N && !(rows.Len() == 0) {
		return fmt.Errorf("%d rows of %d", v.N, b.N)
	}
	want, fails := int64(0), map[int]bool{}
	for i := range rows.Len() {
		r := rows.At(i)
		if got := vec.RowString(v, r, time.UTC); got != fates[r].text {
			return fmt.Errorf("row %d: %s, by itself %s", r, got, fates[r].text)
		}
		want += fates[r].errors
		fails[r] = fates[r].err != nil
	}
	if c.Errors != want {
		return fmt.Errorf("%d errors, %d by themselves", c.Errors, want)
	}
	return strictly(g, &in, fails)
}

// strictly: without eval_error the batch fails where a row that counts does, and names one.
func strictly(g *form, b *vec.Batch, fails map[int]bool) error {
	_, _, err := run(g, b, false)
	var bad *fn.DataError
	any := false
	for _, f := range fails {
		any = any || f
	}
	switch {
	case (err != nil) != any:
		return fmt.Errorf("rows that count fail: %v, the batch: %v", any, err)
	case err == nil:
		return nil
	case !errors.As(err, &bad):
		return fmt.Errorf("no data error: %w", err)
	case bad.Func == "" || bad.Msg == "":
		return fmt.Errorf("the error names no function or reason: %v", err)
	case bad.Row >= 0 && !fails[bad.Row]:
		return fmt.Errorf("the error blames row %d, which is good: %v", bad.Row, err)
	}
	return nil
}

const batchRows = 24

// try runs a form over random batches.
func try(g *form, rnd *rand.Rand) (failing bool, err error) {
	pools := make([]*vec.Vector, len(g.cols))
	for i, t := range g.cols {
		pools[i] = pool(t, g.own[i], makesMuch(g.sql))
	}
	pick := make([][]int32, len(g.cols))
	for i := range pick {
		pick[i] = make([]int32, batchRows)
		for r := range pick[i] {
			if pick[i][r] = int32(rnd.IntN(pools[i].N)); rnd.IntN(3) == 0 {
				pick[i][r] = 0
			}
		}
	}
	for s := flat; s <= mixed; s++ {
		b := batch(g, pools, pick, s)
		fates := make([]fate, b.N)
		for r := range fates {
			if fates[r], err = alone(g, b, r); err != nil {
				return failing, fmt.Errorf("shape %d, row %d (%s): %w", s, r, cells(b, r), err)
			}
		}
		good, some := []int32{}, []int32{}
		for r := range fates {
			if fates[r].err == nil {
				good = append(good, int32(r))
			} else {
				failing = true
			}
			if rnd.IntN(2) == 0 {
				some = append(some, int32(r))
			}
		}
		for _, sel := range [][]int32{nil, good, some} {
			if err := check(g, b, fates, sel); err != nil {
				return failing, fmt.Errorf("shape %d, rows %v: %w\n%s", s, sel, err, table(b, fates))
			}
		}
	}
	return failing, nil
}

func cells(b *vec.Batch, r int) string {
	var list []string
	for _, c := range b.Cols {
		list = append(list, vec.RowString(c, r, time.UTC))
	}
	return strings.Join(list, " | ")
}

func table(b *vec.Batch, fates []fate) string {
	var out strings.Builder
	for r := range b.N {
		fmt.Fprintf(&out, "%d: %s => %s %v\n", r, cells(b, r), fates[r].text, fates[r].err)
	}
	return out.String()
}

// guarded makes an error of a panic.
func guarded(do func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	return do()
}

// TestOneBadRow tries every example of every function.
func TestOneBadRow(t *testing.T) {
	f := newForms(t)
	tried, failing, without := 0, 0, []string{}
	for _, s := range f.cat.Functions.Scalars() {
		n := 0
		for _, ex := range s.Examples {
			for _, g := range f.of(ex.SQL) {
				n++
				h := fnv.New64a()
				h.Write([]byte(g.sql))
				begin := time.Now()
				err := guarded(func() (err error) {
					bad, err := try(g, rand.New(rand.NewPCG(h.Sum64(), 1)))
					if bad {
						failing++
					}
					return err
				})
				//g, rand.New(rand.NewPCG(h.Sum64(), 1))) })
				if d := time.Since(begin); d > 300*time.Millisecond {
					t.Logf("SLOW %s %s %v", s.Name, g.sql, d)
				}
				if err != nil {
					t.Errorf("%s, %s: %v", s.Name, g.sql, err)
					break
				}
			}
		}
		if tried += n; n == 0 && s.Volatility == fn.Immutable {
			without = append(without, s.Name)
		}
	}
	t.Logf("%d forms, of which %d have rows that fail; none of %v", tried, failing, without)
}
