package op

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/fn/scalar"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

var (
	integer = types.Of(types.Int32)
	stamp   = types.Of(types.Timestamp)
	list    = types.ArrayOf(integer)
)

func registry(t testing.TB) *fn.Registry {
	t.Helper()
	r := fn.NewRegistry()
	for _, f := range scalar.All() {
		if err := r.AddScalar(f); err != nil {
			t.Fatal(err)
		}
	}
	for _, g := range scalar.Generators() {
		if err := r.AddGenerator(g); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// run prints every emitted row: columns, weight, and the scan row it came from.
func run(t *testing.T, o Op, b *vec.Batch) []string {
	t.Helper()
	var rows []string
	err := o.Process(&fn.Ctx{Zone: time.UTC, Scratch: &fn.Scratch{}}, b, func(out *vec.Batch) error {
		out.Each(func(r int) {
			var s strings.Builder
			for _, c := range out.Cols {
				s.WriteString(vec.RowString(c, r, time.UTC) + " ")
			}
			origin := r
			if out.Origin != nil {
				origin = int(out.Origin[r])
			}
			rows = append(rows, fmt.Sprintf("%s w%d o%d", s.String(), out.Weight(r), origin))
		})
		out.MarkAll(vec.Contributed)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// random is a batch of an id, a time and a list, with weights, a selection, fates and
// possibly an origin.
func random(rnd *rand.Rand) *vec.Batch {
	n := 1 + rnd.IntN(12)
	id, at, arr := vec.NewBuilder(integer), vec.NewBuilder(stamp), vec.NewBuilder(list)
	b := &vec.Batch{N: n, Fates: &vec.Fates{Of: make([]vec.Fate, 2*n)}}
	for r := range n {
		id.AppendInt(int64(r))
		if rnd.IntN(5) == 0 {
			at.AppendNull()
			arr.AppendNull()
		} else {
			at.AppendInt(int64(rnd.IntN(60) - 30))
			for range rnd.IntN(4) {
				arr.Child(0).AppendInt(int64(rnd.IntN(9)))
			}
			arr.EndList()
		}
		b.W = append(b.W, int64(rnd.IntN(5)-2))
		b.Origin = append(b.Origin, int32(2*r+1))
		if rnd.IntN(4) > 0 {
			b.Sel = append(b.Sel, int32(r))
		}
	}
	if b.Sel == nil {
		b.Sel = []int32{}
	}
	b.Cols = []*vec.Vector{id.Take(), at.Take(), arr.Take()}
	switch rnd.IntN(3) {
	case 0:
		b.Origin = nil
	case 1: // a dictionary of lists
		codes := make([]uint32, n)
		for r := range codes {
			codes[r] = uint32(r)
		}
		b.Cols[2] = vec.NewDict(b.Cols[2], codes, nil)
	}
	return b
}

// line is how run prints a row of the input with more columns.
func line(b *vec.Batch, r int, more ...string) string {
	var s strings.Builder
	for _, c := range b.Cols {
		s.WriteString(vec.RowString(c, r, time.UTC) + " ")
	}
	for _, m := range more {
		s.WriteString(m + " ")
	}
	origin := r
	if b.Origin != nil {
		origin = int(b.Origin[r])
	}
	return fmt.Sprintf("%s w%d o%d", s.String(), b.Weight(r), origin)
}

func same(t *testing.T, got, want []string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Fatalf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// fates must be Contributed exactly for the scan rows that came out.
func fates(t *testing.T, b *vec.Batch, alive map[int]bool) {
	t.Helper()
	for i, f := range b.Fates.Of {
		if (f == vec.Contributed) != alive[i] {
			t.Fatalf("scan row %d has fate %d, came out %v", i, f, alive[i])
		}
	}
}

func origin(b *vec.Batch, r int) int {
	if b.Origin != nil {
		return int(b.Origin[r])
	}
	return r
}

func TestHop(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	for range 400 {
		size, slide, offset := int64(1+rnd.IntN(12)), int64(1+rnd.IntN(9)), int64(rnd.IntN(9)-4)
		b := random(rnd)
		var want []string
		alive := map[int]bool{}
		b.Each(func(r int) {
			if b.Cols[1].IsNull(r) {
				return
			}
			at := b.Cols[1].Int(r)
			for s := int64(-100); s <= at; s++ {
				if types.FloorMod(s-offset, slide) == 0 && at < s+size {
					want = append(want, line(b, r, string(types.AppendTimestamp(nil, s, time.UTC))))
					alive[origin(b, r)] = true
				}
			}
		})
		same(t, run(t, NewHop(1, size, slide, offset, stamp), b), want)
		fates(t, b, alive)
	}
}

func TestUnnest(t *testing.T) {
	g, _ := registry(t).Generator("posexplode")
	impl, err := g.Resolve([]fn.Arg{{Type: list}})
	if err != nil {
		t.Fatal(err)
	}
	rnd := rand.New(rand.NewPCG(2, 2))
	for i := range 400 {
		b := random(rnd)
		outer, ordinal := i%2 == 0, i%3 == 0
		o := NewUnnest(UnnestConfig{Gen: impl, Args: []expr.Node{&expr.Column{Index: 2, T: list}}, Outer: outer, Ordinality: ordinal})
		var want []string
		alive := map[int]bool{}
		add := func(r int, cols ...string) {
			if !ordinal {
				cols = cols[:2]
			}
			want = append(want, line(b, r, cols...))
			alive[origin(b, r)] = true
		}
		b.Each(func(r int) {
			n := 0
			if !b.Cols[2].IsNull(r) {
				f, k := b.Cols[2].At(r)
				for e := int(f.Off[k]); e < int(f.Off[k+1]); e++ {
					add(r, fmt.Sprint(n), vec.RowString(f.Child[0], e, time.UTC), fmt.Sprint(n+1))
					n++
				}
			}
			if n == 0 && outer {
				add(r, "NULL", "NULL", "NULL")
			}
		})
		same(t, run(t, o, b), want)
		fates(t, b, alive)
	}
}

func TestFilterAndProject(t *testing.T) {
	res := &expr.Resolver{Functions: registry(t)}
	col := &expr.Column{Index: 0, Name: "id", T: integer}
	odd, err := res.Resolve("%", col, expr.Int(integer, 2))
	if err != nil {
		t.Fatal(err)
	}
	pred, err := res.Resolve("=", odd, expr.Int(integer, 1))
	if err != nil {
		t.Fatal(err)
	}
	rnd := rand.New(rand.NewPCG(3, 3))
	for range 200 {
		b := random(rnd)
		var kept, doubled []string
		alive := map[int]bool{}
		b.Each(func(r int) {
			if b.Cols[0].Int(r)%2 == 1 {
				kept = append(kept, line(b, r))
				alive[origin(b, r)] = true
			}
			doubled = append(doubled, line(&vec.Batch{N: b.N, W: b.W, Origin: b.Origin}, r, fmt.Sprint(b.Cols[0].Int(r)%2)))
		})
		same(t, run(t, NewFilter(pred), b), kept)
		fates(t, b, alive)
		same(t, run(t, NewProject([]expr.Node{odd}), b), doubled)
	}
}

// TestGenerators runs the other generators on one row each.
func TestGenerators(t *testing.T) {
	reg := registry(t)
	res := &expr.Resolver{Functions: reg}
	num := func(x int64) expr.Node { return expr.Int(integer, x) }
	arr := func(xs ...expr.Node) expr.Node {
		n, err := res.Resolve("array", xs...)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	pair, err := res.Resolve("struct", num(1), expr.Text("a"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		args []expr.Node
		want string
	}{
		{"explode", []expr.Node{arr(num(1), num(2))}, "1|2"},
		{"explode", []expr.Node{expr.Null(list)}, ""},
		{"explode_outer", []expr.Node{expr.Null(list)}, "NULL"},
		{"unnest", []expr.Node{arr(num(1), num(2)), arr(expr.Text("a"))}, "1 a|2 NULL"},
		{"unnest", []expr.Node{arr(pair)}, "1 a"},
		{"inline", []expr.Node{arr(pair, pair)}, "1 a|1 a"},
		{"stack", []expr.Node{num(2), num(1), num(2), num(3)}, "1 2|3 NULL"},
		{"generate_series", []expr.Node{num(1), num(5), num(2)}, "1|3|5"},
		{"generate_series", []expr.Node{num(5), num(1)}, ""},
		{"generate_series", []expr.Node{num(2), num(1), num(-1)}, "2|1"},
	} {
		g, _ := reg.Generator(c.name)
		impl, err := g.Resolve(expr.Args(c.args))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if err := res.Coerce(c.name, impl.Args, c.args); err != nil {
			t.Fatal(err)
		}
		var rows []string
		for _, r := range run(t, NewUnnest(UnnestConfig{Gen: impl, Args: c.args, Outer: g.Outer}), &vec.Batch{N: 1}) {
			rows = append(rows, strings.TrimSpace(strings.Split(r, " w")[0]))
		}
		if got := strings.Join(rows, "|"); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}
