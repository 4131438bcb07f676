package hash

import (
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/exec/vec/vectest"
)

func inTurn(n int, work func(int)) error {
	for i := range n {
		work(i)
	}
	return nil
}

func backwards(n int, work func(int)) error {
	for i := range n {
		work(n - 1 - i)
	}
	return nil
}

func atOnce(n int, work func(int)) error {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { work(i) })
	}
	wg.Wait()
	return nil
}

// TestAbsorb brings random tables together in parts, and expects what FindOrInsert makes
// of the keys; the numbers do not depend on the order in which parts are done.
func TestAbsorb(t *testing.T) {
	for seed := range uint64(300) {
		var first []uint32
		for _, share := range []Share{inTurn, backwards, atOnce} {
			r := vectest.Rand(seed)
			ts := keyTypes(r)
			tab, src := New(ts), New(ts)
			m, s := newModel(), newModel()
			for range 1 + r.IntN(8) {
				m.insert(t, r, tab, ts)
				s.insert(t, r, src, ts)
			}
			for range r.IntN(30) {
				m.deleteFirst(tab)
			}
			into := make([]uint32, src.Cap())
			if err := tab.Absorb(src, into, 1<<r.IntN(5), share); err != nil {
				t.Fatal(err)
			}
			m.absorbed(t, seed, s, into)
			s.check(t, src, ts)
			m.check(t, tab, ts)
			for range 3 { // the table goes on
				m.insert(t, r, tab, ts)
				m.delete(r, tab)
				m.find(t, r, tab, ts)
			}
			m.check(t, tab, ts)
			if first == nil {
				first = into
			}
			if !slices.Equal(first, into) {
				t.Fatalf("seed %d: the order of the parts shows: %v and %v", seed, first, into)
			}
		}
	}
}

// deleteFirst deletes the group of the least number.
func (m *model) deleteFirst(tab *Table) {
	first := uint32(Missing)
	for g := range m.keys {
		first = min(first, g)
	}
	if first != Missing {
		tab.Delete(first)
		delete(m.groups, m.keys[first])
		delete(m.keys, first)
	}
}

// absorbed enters the keys of src with the groups that they got.
func (m *model) absorbed(t *testing.T, seed uint64, src *model, into []uint32) {
	t.Helper()
	for key, from := range src.groups {
		g := into[from]
		old, known := m.groups[key]
		if known && old != g {
			t.Fatalf("seed %d: %s has group %d, got %d", seed, key, old, g)
		}
		if other, used := m.keys[g]; used && other != key {
			t.Fatalf("seed %d: %s got group %d of %s", seed, key, g, other)
		}
		m.groups[key], m.keys[g] = g, key
	}
}

// TestAbsorbMany uses enough keys for many parts, and crowds them at the ends of ranges.
func TestAbsorbMany(t *testing.T) {
	ts := []types.Type{types.Of(types.Int64)}
	tab, src := New(ts), New(ts)
	var mine, theirs []int64
	for x := int64(0); len(mine)+len(theirs) < 40_000; x++ {
		tag := uint32(vec.HashRow([]*vec.Vector{vec.FromInts(ts[0], []int64{x})}, 0))
		switch {
		case tag>>24&15 < 12: // few homes at the start of the 16 ranges
			continue
		case x%3 == 0:
			mine = append(mine, x)
		case x%3 == 1:
			theirs = append(theirs, x)
		default:
			mine, theirs = append(mine, x), append(theirs, x)
		}
	}
	insert := func(tab *Table, xs []int64) []uint32 {
		groups := make([]uint32, len(xs))
		tab.FindOrInsert([]*vec.Vector{vec.FromInts(ts[0], xs)}, nil, nil, groups)
		return groups
	}
	insert(tab, mine)
	of := insert(src, theirs)
	into := make([]uint32, src.Cap())
	if err := tab.Absorb(src, into, 16, atOnce); err != nil {
		t.Fatal(err)
	}
	before := tab.Len()
	for i, g := range insert(tab, theirs) {
		if g != into[of[i]] {
			t.Fatalf("key %d: group %d, want %d", theirs[i], g, into[of[i]])
		}
	}
	insert(tab, mine)
	if tab.Len() != before {
		t.Fatalf("%d keys were not found again", tab.Len()-before)
	}
}

func TestAbsorbStops(t *testing.T) {
	ts := []types.Type{types.Of(types.Int64)}
	no := errors.New("no")
	err := New(ts).Absorb(New(ts), nil, 4, func(int, func(int)) error { return no })
	if !errors.Is(err, no) {
		t.Fatalf("got %v", err)
	}
}

// TestInsertFromAs expects what FindOrInsert makes of the columns.
func TestInsertFromAs(t *testing.T) {
	for seed := range uint64(200) {
		r := vectest.Rand(seed)
		ts := append([]types.Type{types.Of(types.Int64)}, keyTypes(r)...)
		src, tab, want := New(ts), New(ts), New(ts)
		for range 1 + r.IntN(4) {
			cols, sel, n := batch(r, ts, 1+r.IntN(60))
			src.FindOrInsert(cols, sel, nil, make([]uint32, n))
			cols, sel, n = batch(r, ts, 1+r.IntN(60))
			tab.FindOrInsert(cols, sel, nil, make([]uint32, n))
			want.FindOrInsert(cols, sel, nil, make([]uint32, n))
		}
		var groups []uint32
		var first []int64
		for g := range uint32(src.Cap()) {
			groups, first = append(groups, g), append(first, int64(r.IntN(3)))
		}
		bs := vec.NewBuilders(ts)
		src.Keys(groups, bs)
		cols := []*vec.Vector{vec.FromInts(ts[0], first)}
		for _, b := range bs[1:] {
			cols = append(cols, b.Finish())
		}
		got, expect := make([]uint32, len(groups)), make([]uint32, len(groups))
		if n, m := tab.InsertFromAs(src, groups, first, got), want.FindOrInsert(cols, nil, nil, expect); n != m || !slices.Equal(tab.Added(), want.Added()) {
			t.Fatalf("seed %d: %d new groups, want %d", seed, n, m)
		}
		if !slices.Equal(got, expect) {
			t.Fatalf("seed %d: groups %v, want %v", seed, got, expect)
		}
		for g := range uint32(tab.Cap()) {
			if string(tab.KeyBytes(g, nil)) != string(want.KeyBytes(g, nil)) {
				t.Fatalf("seed %d: another key of group %d", seed, g)
			}
		}
	}
}

func BenchmarkAbsorb(b *testing.B) {
	ts := []types.Type{types.Of(types.Int64)}
	make1 := func(from int64) *Table {
		tab, xs := New(ts), make([]int64, 100_000)
		for i := range xs {
			xs[i] = from + int64(i)
		}
		tab.FindOrInsert([]*vec.Vector{vec.FromInts(ts[0], xs)}, nil, nil, make([]uint32, len(xs)))
		return tab
	}
	src := make1(50_000)
	into := make([]uint32, src.Cap())
	b.Run("absorb", func(b *testing.B) {
		for range b.N {
			b.StopTimer()
			tab := make1(0)
			b.StartTimer()
			if err := tab.Absorb(src, into, 8, inTurn); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("insert", func(b *testing.B) {
		groups := make([]uint32, src.Cap())
		for i := range groups {
			groups[i] = uint32(i)
		}
		for range b.N {
			b.StopTimer()
			tab := make1(0)
			b.StartTimer()
			for from := 0; from < len(groups); from += vec.BatchSize {
				to := min(from+vec.BatchSize, len(groups))
				tab.InsertFrom(src, groups[from:to], into[from:to])
			}
		}
	})
}
