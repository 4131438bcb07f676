package expr

import (
	"fmt"
	"testing"

	"github.com/sqlstream/sqlstream/exec/types"
)

// Equal expressions have one hash, whatever their columns are called; a Finder finds what a
// look through the list finds, before and after it has grown.
func TestFinder(t *testing.T) {
	long := types.Of(types.Int64)
	var list []Node
	for i := range 60 {
		x := &Column{Index: i % 7, Name: fmt.Sprint("c", i), T: long}
		list = append(list, x, NewIsNull(x, i%2 == 0), NewIn(x, []*Const{Int(long, int64(i%5))}),
			NewCase([]Node{NewIsNull(x, false)}, []Node{Int(long, int64(i%3))}, x), Text(fmt.Sprint(i%4)), &Cast{X: Int(long, int64(i%4)), To: types.Of(types.String)})
	}
	var f Finder
	for i, n := range list {
		for j, m := range list {
			if Equal(n, m) && Hash(n) != Hash(m) {
				t.Fatalf("%s and %s are equal and have two hashes", n, list[j])
			}
		}
		want := -1
		for k := 0; k < i && want < 0; k++ {
			if Equal(list[k], n) {
				want = k
			}
		}
		if got := f.FindExpr(list[:i], n); got != want {
			t.Errorf("%s among %d: at %d, want %d", n, i, got, want)
		}
	}
}

// What is looked for in a long list is compared with what is like it alone.
func TestFinderWork(t *testing.T) {
	const n = 2000
	long := types.Of(types.Int64)
	x := &Column{Index: 0, Name: "x", T: long}
	var f Finder
	var list []Node
	compared := 0
	for i := range 2 * n {
		e := NewIn(x, []*Const{Int(long, int64(i%n))})
		at := f.Find(len(list), func() uint64 { return Hash(e) }, func(k int) uint64 { return Hash(list[k]) },
			func(k int) bool { compared++; return Equal(list[k], e) })
		if i < n != (at < 0) {
			t.Fatalf("element %d is at %d", i, at)
		}
		if at < 0 {
			list = append(list, e)
		}
	}
	if compared > 3*n {
		t.Errorf("%d comparisons for %d elements", compared, n)
	}
}
