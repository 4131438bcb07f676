package vec_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/exec/vec/vectest"
)

func sign(x int) int {
	switch {
	case x < 0:
		return -1
	case x > 0:
		return 1
	}
	return 0
}

// TestOrderHashAndKeysAgree takes pairs of values in random layouts: grouping equality,
// order, hashes and key bytes must say the same of each pair, and equality must be
// that of the naive model.
func TestOrderHashAndKeysAgree(t *testing.T) {
	orders := []vec.Order{{}, {Desc: true}, {Nulls: vec.NullsLast}, {Desc: true, Nulls: vec.NullsFirst}}
	for seed := range uint64(500) {
		r := vectest.Rand(seed)
		typ := vectest.Type(r, 2)
		n := 30
		a, b := vectest.Vector(r, typ, n), vectest.Vector(r, typ, n)
		ha := vec.Hash([]*vec.Vector{a}, n, nil, nil)
		hb := vec.Hash([]*vec.Vector{b}, n, nil, nil)
		for i := range n {
			j := r.IntN(n)
			want := vectest.Canon(vec.ToAny(a, i)) == vectest.Canon(vec.ToAny(b, j))
			c := vec.Compare(a, i, b, j)
			ka, kb := vec.AppendKey(nil, a, i), vec.AppendKey(nil, b, j)
			x, y := vec.RowString(a, i, time.UTC), vec.RowString(b, j, time.UTC)
			switch {
			case vec.Equal(a, i, b, j) != want:
				t.Fatalf("seed %d: %s: Equal(%s, %s) is %v", seed, typ, x, y, !want)
			case (c == 0) != want:
				t.Fatalf("seed %d: %s: Compare(%s, %s) = %d", seed, typ, x, y, c)
			case c != -vec.Compare(b, j, a, i):
				t.Fatalf("seed %d: %s: Compare(%s, %s) is not antisymmetric", seed, typ, x, y)
			case sign(bytes.Compare(ka, kb)) != c:
				t.Fatalf("seed %d: %s: keys of %s and %s do not compare as they do: %x %x", seed, typ, x, y, ka, kb)
			case want && ha[i] != hb[j]:
				t.Fatalf("seed %d: %s: equal values %s have unequal hashes", seed, typ, x)
			case ha[i] != vec.HashRow([]*vec.Vector{a}, i):
				t.Fatalf("seed %d: %s: HashRow differs for %s", seed, typ, x)
			}
			for _, o := range orders {
				c := vec.CompareOrder(a, i, b, j, o)
				ka, kb := vec.AppendSortKey(nil, a, i, o), vec.AppendSortKey(nil, b, j, o)
				if sign(bytes.Compare(ka, kb)) != c {
					t.Fatalf("seed %d: %s: sort keys of %s and %s under %+v", seed, typ, x, y, o)
				}
			}
		}
	}
}

// TestUnequalHashes holds that the hash tells values apart.
func TestUnequalHashes(t *testing.T) {
	seen := map[uint64]int64{}
	for i := int64(0); i < 100000; i++ {
		h := vec.HashInt(i << (i % 40))
		if old, ok := seen[h]; ok && old != i<<(i%40) {
			t.Fatalf("%d and %d collide", old, i<<(i%40))
		}
		seen[h] = i << (i % 40)
	}
	perNode := [256]int{}
	for h := range seen {
		perNode[vec.VNode(h)]++
	}
	for node, n := range perNode {
		if mean := len(seen) / 256; n < mean/2 || n > 2*mean {
			t.Fatalf("virtual node %d has %d keys, the mean is %d", node, n, mean)
		}
	}
}

// TestHashIsPersisted pins hashes: virtual nodes in checkpoints depend on them.
func TestHashIsPersisted(t *testing.T) {
	cols := []*vec.Vector{vec.FromAny(types.Of(types.Int64), 42), vec.FromAny(types.Of(types.String), "view")}
	for i, want := range pinnedHashes {
		if got := vec.HashRow(cols[:i], 0); got != want {
			t.Errorf("hash of the first %d columns is %#x, want %#x", i, got, want)
		}
	}
}

func TestNullOrder(t *testing.T) {
	v := vec.FromAny(types.Of(types.Int64), nil, 1)
	for _, c := range []struct {
		o    vec.Order
		want int
	}{{vec.Order{}, -1}, {vec.Order{Desc: true}, 1}, {vec.Order{Nulls: vec.NullsLast}, 1}, {vec.Order{Desc: true, Nulls: vec.NullsFirst}, -1}} {
		if got := vec.CompareOrder(v, 0, v, 1, c.o); got != c.want {
			t.Errorf("NULL against 1 under %+v: %d, want %d", c.o, got, c.want)
		}
	}
	w := []*vec.Vector{v, v}
	if vec.CompareRows(w, 1, w, 1, nil) != 0 || vec.CompareRows(w, 0, w, 1, []vec.Order{{Desc: true}}) != 1 {
		t.Error("CompareRows")
	}
	if vec.EqualRows(w, 0, w, 1) || !vec.EqualRows(w, 0, w, 0) {
		t.Error("EqualRows")
	}
}

// TestIntervalOrder: by length first, and different intervals are never equal.
func TestIntervalOrder(t *testing.T) {
	iv := func(m, d int32, us int64) types.IntervalValue {
		return types.IntervalValue{Months: m, Days: d, Micros: us}
	}
	asc := []any{nil, iv(-1, 0, 0), iv(0, -1, 0), iv(0, 0, 0), iv(0, 0, 1), iv(0, 0, types.MicrosPerDay), iv(0, 1, 0), iv(0, 29, 0), iv(0, 30, 0), iv(1, 0, 0), iv(0, 31, 0)}
	v := vec.FromAny(types.Of(types.Interval), asc...)
	for i := 1; i < v.N; i++ {
		if vec.Compare(v, i-1, v, i) != -1 {
			t.Errorf("%v is not below %v", asc[i-1], asc[i])
		}
	}
}

// pinnedHashes are the hashes of no column, (42), (42, 'view').
var pinnedHashes = []uint64{0x8ebc6af09c88c6e3, 0x386afcf6dde9d8b4, 0x375b82576353fabe}
