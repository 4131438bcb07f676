package stateful

import (
	"math/rand/v2"
	"testing"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/exec/vec/vectest"
)

// storedRow is a row of the twin of a store.
type storedRow struct {
	batch *vec.Batch
	row   int
}

// Rows of random types survive removals, chunks that are filled again, and a restart.
func TestRowStore(t *testing.T) {
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 21))
		var ts []types.Type
		for range 1 + rng.IntN(4) {
			ts = append(ts, vectest.Type(rng, 2))
		}
		playStore(t, rng, ts)
		if t.Failed() {
			t.Fatalf("seed %d, types %v", seed, ts)
		}
	}
}

func playStore(t *testing.T, rng *rand.Rand, ts []types.Type) {
	s := newRowStore(1, ts)
	twin := map[uint32]storedRow{}
	for range 8 {
		b := &vec.Batch{N: 1 + rng.IntN(2*chunkRows/3)}
		for _, typ := range ts {
			b.Cols = append(b.Cols, vectest.Vector(rng, typ, b.N))
		}
		rows, slots := make([]int32, b.N), make([]uint32, b.N)
		for i := range rows {
			rows[i] = int32(i)
		}
		s.add(b.Cols, rows, slots)
		for i, slot := range slots {
			if _, taken := twin[slot]; taken {
				t.Fatalf("slot %d is given out twice", slot)
			}
			twin[slot] = storedRow{b, i}
		}
		for slot := range twin {
			if rng.IntN(3) > 0 {
				s.remove(slot)
				delete(twin, slot)
			}
		}
		checkStore(t, s, twin, ts)
	}
	for slot := range twin {
		s.remove(slot)
	}
	if n := s.bytes(); n != 0 {
		t.Errorf("%d bytes are held without rows", n)
	}
}

func checkStore(t *testing.T, s *rowStore, twin map[uint32]storedRow, ts []types.Type) {
	t.Helper()
	var slots []uint32
	for slot := range twin {
		slots = append(slots, slot)
	}
	copied := newRowStore(2, ts)
	for k := range ts {
		out := &vec.Vector{}
		s.gather(k, slots, out)
		for i, slot := range slots {
			if want := twin[slot]; !vec.Equal(out, i, want.batch.Cols[k], want.row) {
				t.Fatalf("column %d of slot %d is %v, want %v", k, slot, vec.ToAny(out, i), vec.ToAny(want.batch.Cols[k], want.row))
			}
		}
	}
	for _, slot := range slots[:min(len(slots), 100)] {
		want := twin[slot]
		at, rest, err := copied.decode(s.encode(nil, slot))
		if err != nil || len(rest) > 0 || !copied.same(at, want.batch.Cols, want.row) || !s.same(slot, want.batch.Cols, want.row) {
			t.Fatalf("slot %d is not what was stored after a restart: %v", slot, err)
		}
	}
}

// Whatever a damaged entry holds, decoding it ends with an error or a row.
func FuzzRowStoreDecode(f *testing.F) {
	ts := []types.Type{bigint, text, types.ArrayOf(text), boolean}
	f.Add([]byte{0, 2, 1, 'x', 0})
	f.Fuzz(func(_ *testing.T, src []byte) {
		s := newRowStore(1, ts)
		if slot, _, err := s.decode(src); err == nil {
			s.encode(nil, slot)
		}
	})
}

// Things leave exactly when the bound is above their time, whatever the order in which they come.
func TestExpiries(t *testing.T) {
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 9))
		e := newExpiries()
		e.width = 10
		twin := map[uint32]int64{}
		bound := int64(-60)
		for id := range uint32(200) {
			at := bound + int64(rng.IntN(90)) - 20
			e.add(at, id)
			twin[id] = at
			if rng.IntN(6) > 0 {
				continue
			}
			bound += int64(rng.IntN(25))
			e.below(bound, func(x expiry) {
				if twin[x.id] != x.at || x.at >= bound {
					t.Fatalf("seed %d: %d leaves with %d at bound %d", seed, x.id, x.at, bound)
				}
				delete(twin, x.id)
			})
			for id, at := range twin {
				if at < bound {
					t.Fatalf("seed %d: %d stays with %d at bound %d", seed, id, at, bound)
				}
			}
		}
	}
}
