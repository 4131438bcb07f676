package hash

import (
	"math/rand/v2"
	"testing"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/exec/vec/vectest"
)

// model is the naive table: a map of canonical text.
type model struct {
	groups map[string]uint32
	keys   map[uint32]string
}

func newModel() *model { return &model{map[string]uint32{}, map[uint32]string{}} }

func keyTypes(r *rand.Rand) []types.Type {
	switch r.IntN(6) {
	case 0:
		return []types.Type{types.Of(types.Int64)}
	case 1:
		return []types.Type{types.Of(types.Timestamp), types.Of(types.Int32)}
	case 2:
		return []types.Type{types.Of(types.String)}
	case 3:
		window := types.StructOf(types.Field{Name: "start", Type: types.Of(types.Timestamp)}, types.Field{Name: "end", Type: types.Of(types.Timestamp)})
		return []types.Type{window, types.Of(types.String)}
	}
	return vectest.Types(r, r.IntN(4), 2)
}

func batch(r *rand.Rand, ts []types.Type, n int) ([]*vec.Vector, []int32, int) {
	b := vectest.Batch(r, ts, n)
	return b.Cols, b.Sel, b.Rows()
}

func rowAt(sel []int32, i int) int { return at(sel, i) }

// TestTableAgainstMap inserts, finds and deletes random keys of random types.
func TestTableAgainstMap(t *testing.T) {
	for seed := range uint64(400) {
		r := vectest.Rand(seed)
		ts := keyTypes(r)
		tab, m := New(ts), newModel()
		for range 12 {
			switch r.IntN(4) {
			case 0:
				m.delete(r, tab)
			case 1:
				m.find(t, r, tab, ts)
			default:
				m.insert(t, r, tab, ts)
			}
			if tab.Len() != len(m.keys) {
				t.Fatalf("seed %d: %d groups, want %d", seed, tab.Len(), len(m.keys))
			}
			if r.IntN(30) == 0 {
				tab.Reset()
				m = newModel()
			}
		}
		m.check(t, tab, ts)
	}
}

func (m *model) insert(t *testing.T, r *rand.Rand, tab *Table, ts []types.Type) {
	t.Helper()
	cols, sel, n := batch(r, ts, 1+r.IntN(60))
	var hashes []uint64
	if r.IntN(2) == 0 && len(cols) > 0 {
		hashes = vec.Hash(cols, cols[0].N, sel, nil)
	}
	groups := make([]uint32, n)
	added := tab.FindOrInsert(cols, sel, hashes, groups)
	var want []uint32
	for i, g := range groups {
		key := vectest.CanonRow(cols, rowAt(sel, i))
		old, ok := m.groups[key]
		if !ok {
			if other, used := m.keys[g]; used {
				t.Fatalf("new key %s got group %d of %s", key, g, other)
			}
			m.groups[key], m.keys[g] = g, key
			want = append(want, g)
			old = g
		}
		if g != old {
			t.Fatalf("key %s has group %d, got %d", key, old, g)
		}
		if int(g) >= tab.Cap() {
			t.Fatalf("group %d is not below cap %d", g, tab.Cap())
		}
	}
	if added != len(want) {
		t.Fatalf("%d new groups, want %d", added, len(want))
	}
	for i, g := range tab.Added() {
		if g != want[i] {
			t.Fatalf("added %v, want %v", tab.Added(), want)
		}
	}
}

func (m *model) find(t *testing.T, r *rand.Rand, tab *Table, ts []types.Type) {
	t.Helper()
	cols, sel, n := batch(r, ts, 1+r.IntN(60))
	groups := make([]uint32, n)
	tab.Find(cols, sel, nil, groups)
	for i, g := range groups {
		want, ok := m.groups[vectest.CanonRow(cols, rowAt(sel, i))]
		if !ok {
			want = Missing
		}
		if g != want {
			t.Fatalf("found %d, want %d", g, want)
		}
	}
}

func (m *model) delete(r *rand.Rand, tab *Table) {
	for key, g := range m.groups {
		if r.IntN(2) == 0 {
			tab.Delete(g)
			delete(m.groups, key)
			delete(m.keys, g)
		}
	}
}

// check compares keys given back, their encodings, hashes and a restored table.
func (m *model) check(t *testing.T, tab *Table, ts []types.Type) {
	t.Helper()
	var groups []uint32
	tab.Each(func(g uint32) { groups = append(groups, g) })
	if len(groups) != len(m.keys) {
		t.Fatalf("Each gave %d groups, want %d", len(groups), len(m.keys))
	}
	bs := vec.NewBuilders(ts)
	tab.Keys(groups, bs)
	cols := make([]*vec.Vector, len(ts))
	for i, b := range bs {
		cols[i] = b.Finish()
	}
	restored := New(ts)
	var keys [][]byte
	for i, g := range groups {
		if got := vectest.CanonRow(cols, i); got != m.keys[g] {
			t.Fatalf("group %d has key %s, want %s", g, got, m.keys[g])
		}
		if got, want := tab.Hash(g), vec.HashRow(cols, i); got != want {
			t.Fatalf("group %d has hash %x, want %x", g, got, want)
		}
		key := tab.KeyBytes(g, nil)
		if want := vec.AppendRowKey(nil, cols, i); string(key) != string(want) {
			t.Fatalf("key bytes %x, want %x", key, want)
		}
		keys = append(keys, key)
		for c, col := range cols {
			j := (i + 7) % len(groups)
			if got, want := tab.Compare(g, groups[j], c), vec.Compare(col, i, col, j); got != want {
				t.Fatalf("column %d of groups %d and %d compares as %d, want %d", c, g, groups[j], got, want)
			}
		}
		if got, err := tab.FindKey(key); err != nil || got != g {
			t.Fatalf("FindKey gave %d, %v, want %d", got, err, g)
		}
	}
	back := make([]uint32, len(keys))
	n, err := restored.InsertKeys(keys, back)
	if err != nil || n != len(keys) {
		t.Fatalf("restored %d of %d: %v", n, len(keys), err)
	}
	moved := tab.Sibling()
	into := make([]uint32, len(groups))
	for range 2 {
		moved.InsertFrom(tab, groups, into)
		for i, g := range into {
			if string(moved.KeyBytes(g, nil)) != string(keys[i]) || moved.Hash(g) != tab.Hash(groups[i]) {
				t.Fatalf("group %d of a sibling has another key", g)
			}
		}
	}
	if moved.Len() != len(groups) {
		t.Fatalf("sibling has %d groups, want %d", moved.Len(), len(groups))
	}
	for i, g := range back {
		if string(restored.KeyBytes(g, nil)) != string(keys[i]) {
			t.Fatalf("restored group %d has another key", g)
		}
		if got, err := restored.InsertKey(keys[i]); err != nil || got != g || len(restored.Added()) != 0 {
			t.Fatalf("InsertKey gave %d, %v, want %d", got, err, g)
		}
	}
}

// TestTableGrows holds many groups through growth, deletes and reuse.
func TestTableGrows(t *testing.T) {
	tab := New([]types.Type{types.Of(types.Int64), types.Of(types.String)})
	const n = 20000
	ids, names := make([]int64, n), make([]string, n)
	for i := range ids {
		ids[i], names[i] = int64(i%5000)<<32, "a name to be kept in the arena "+string(rune('a'+i%26))
	}
	cols := []*vec.Vector{vec.FromInts(types.Of(types.Int64), ids), vec.FromStrings(names)}
	groups := make([]uint32, n)
	first := tab.FindOrInsert(cols, nil, nil, groups)
	for _, g := range append([]uint32{}, tab.Added()...) {
		if g%8 != 0 {
			tab.Delete(g)
		}
	}
	if tab.Len() != (first+7)/8 {
		t.Fatalf("%d groups left of %d", tab.Len(), first)
	}
	if len(tab.arena) > 2*(first/8)*40 {
		t.Fatalf("arena of deleted keys was not given back: %d bytes", len(tab.arena))
	}
	again := make([]uint32, n)
	if got := tab.FindOrInsert(cols, nil, nil, again); got != first-(first+7)/8 {
		t.Fatalf("%d groups came back", got)
	}
	if tab.Cap() != first {
		t.Fatalf("cap %d, want %d: deleted groups are used again", tab.Cap(), first)
	}
	for i, g := range groups {
		if g%8 == 0 && again[i] != g {
			t.Fatalf("row %d moved from group %d to %d", i, g, again[i])
		}
	}
}

// TestTableDoesNotAllocate holds that looking up known keys takes no memory.
func TestTableDoesNotAllocate(t *testing.T) {
	words := []string{"view", "click", "purchase"}
	names := make([]string, 300)
	codes := make([]uint32, 300)
	for i := range names {
		names[i], codes[i] = words[i%3], uint32(i%3)
	}
	ids := make([]int64, 300)
	for name, cols := range map[string][]*vec.Vector{
		"int":    {vec.FromInts(types.Of(types.Int64), ids)},
		"text":   {vec.FromStrings(names)},
		"dict":   {vec.NewDict(vec.FromStrings(words), codes, nil)},
		"int+id": {vec.FromInts(types.Of(types.Int64), ids), vec.FromStrings(names)},
	} {
		tab := New([]types.Type{cols[0].Type, cols[len(cols)-1].Type}[:len(cols)])
		groups := make([]uint32, 300)
		hashes := vec.Hash(cols, 300, nil, nil)
		look := func() { tab.FindOrInsert(cols, nil, hashes, groups) }
		look()
		if got := testing.AllocsPerRun(10, look); got != 0 {
			t.Errorf("%s: %v allocations", name, got)
		}
	}
}

// TestCollisions gives all keys a few hashes: only the keys themselves tell groups
// apart.
func TestCollisions(t *testing.T) {
	for seed := range uint64(200) {
		r := vectest.Rand(seed)
		ts := keyTypes(r)
		tab, m := New(ts), newModel()
		for range 8 {
			cols, sel, n := batch(r, ts, 1+r.IntN(10))
			hashes := make([]uint64, n)
			for i := range hashes {
				hashes[i] = uint64(len(vectest.CanonRow(cols, rowAt(sel, i)))) % (1 + seed%2)
			}
			groups := make([]uint32, n)
			tab.FindOrInsert(cols, sel, hashes, groups)
			for i, g := range groups {
				key := vectest.CanonRow(cols, rowAt(sel, i))
				if old, ok := m.groups[key]; ok && old != g {
					t.Fatalf("seed %d: key %s has group %d, got %d", seed, key, old, g)
				}
				if other, ok := m.keys[g]; ok && other != key {
					t.Fatalf("seed %d: keys %s and %s have one group", seed, key, other)
				}
				m.groups[key], m.keys[g] = g, key
			}
		}
	}
}

// TestSharedDictionary looks one dictionary up again and again, with deletes between.
func TestSharedDictionary(t *testing.T) {
	text := types.Of(types.String)
	tab := New([]types.Type{text})
	dict := vec.FromAny(text, "a", "b", nil, "c")
	valid := vec.AllValid(5)
	vec.BitClear(valid, 4)
	v := []*vec.Vector{vec.NewDict(dict, []uint32{0, 1, 2, 3, 0}, valid)}
	groups := make([]uint32, 5)
	tab.Find(v, nil, nil, groups)
	for _, g := range groups {
		if g != Missing {
			t.Fatalf("empty table gave %v", groups)
		}
	}
	if n := tab.FindOrInsert(v, nil, nil, groups); n != 4 || groups[2] != groups[4] {
		t.Fatalf("%d new groups, %v", n, groups)
	}
	b := groups[1]
	tab.Delete(b)
	if tab.Find(v, nil, nil, groups); groups[1] != Missing {
		t.Fatalf("deleted group is found: %v", groups)
	}
	if g, err := tab.InsertKey(vec.AppendKey(nil, vec.FromStrings([]string{"new"}), 0)); err != nil || g != b {
		t.Fatalf("the deleted number is not used again: %d, %v", g, err)
	}
	if n := tab.FindOrInsert(v, nil, nil, groups); n != 1 || groups[1] == b {
		t.Fatalf("%d new groups, %v", n, groups)
	}
	tab.Reset()
	if n := tab.FindOrInsert(v, nil, nil, groups); n != 4 {
		t.Fatalf("%d new groups after Reset", n)
	}
}

// TestWideKeys has more columns than one word of the null mask.
func TestWideKeys(t *testing.T) {
	ts := make([]types.Type, 70)
	cols := make([]*vec.Vector, len(ts))
	for i := range ts {
		ts[i] = types.Of(types.Int32)
		cols[i] = vec.FromAny(ts[i], 0, 0, 0)
	}
	cols[69] = vec.FromAny(ts[69], nil, 0, nil)
	tab := New(ts)
	groups := make([]uint32, 3)
	if n := tab.FindOrInsert(cols, nil, nil, groups); n != 2 || groups[0] != groups[2] || groups[0] == groups[1] {
		t.Fatalf("%d new groups, %v", n, groups)
	}
	newModelOf(cols, groups).check(t, tab, ts)
}

func newModelOf(cols []*vec.Vector, groups []uint32) *model {
	m := newModel()
	for i, g := range groups {
		key := vectest.CanonRow(cols, i)
		m.groups[key], m.keys[g] = g, key
	}
	return m
}

func TestInsertKeyRefusesCorruption(t *testing.T) {
	tab := New([]types.Type{types.Of(types.Int64), types.Of(types.String)})
	for _, key := range []string{"", "\x80", "\x80\x01a", "\x80\x01a\x00\x00", "\x99\x00"} {
		if _, err := tab.InsertKey([]byte(key)); err == nil {
			t.Errorf("%x is accepted", key)
		}
		if _, err := tab.FindKey([]byte(key)); err == nil {
			t.Errorf("%x is looked up", key)
		}
	}
	if tab.Len() != 0 {
		t.Errorf("%d groups", tab.Len())
	}
}
