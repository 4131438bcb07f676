package stateful

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// TestLimit compares with a slice of everything that came, under random batches,
// selections and weights, with a restart after every trigger.
func TestLimit(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		cfg := LimitConfig{Name: "Limit", Limit: int64(rng.IntN(12)) - 1, Offset: int64(rng.IntN(4))}
		var came, got []int64
		state := memLog{}
		for range 5 {
			op := NewLimit(cfg)
			for k, v := range state {
				if err := op.Load([]byte(k), v); err != nil {
					t.Fatal(err)
				}
			}
			for range rng.IntN(4) {
				b := limitBatch(rng, &came)
				err := op.Step(&Trigger{}, 0, 0, b, func(o *vec.Batch) error {
					for i := range o.Rows() {
						got = append(got, o.Cols[0].Int(o.Row(i)))
					}
					if o.Fates != nil || o.Origin != nil || o.W != nil {
						t.Errorf("seed %d: fates, origins or weights go on", seed)
					}
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			if err := op.LogState(state); err != nil {
				t.Fatal(err)
			}
		}
		if want := cut(came, cfg); !slices.Equal(got, want) {
			t.Fatalf("seed %d: %+v: got %v, want %v", seed, cfg, got, want)
		}
	}
}

// limitBatch makes a batch and appends its rows to what came.
func limitBatch(rng *rand.Rand, came *[]int64) *vec.Batch {
	n := 1 + rng.IntN(5)
	vals := make([]int64, n)
	b := &vec.Batch{N: n, Fates: &vec.Fates{Of: make([]vec.Fate, n)}}
	for i := range vals {
		vals[i] = int64(len(*came)) + int64(i)*1000
	}
	b.Cols = []*vec.Vector{vec.FromInts(types.Of(types.Int64), vals)}
	if rng.IntN(2) == 0 {
		b.W = make([]int64, n)
		for i := range b.W {
			b.W[i] = int64(1 + rng.IntN(2))
		}
	}
	if rng.IntN(2) == 0 {
		b.Sel = []int32{}
		for i := range n {
			if rng.IntN(2) == 0 {
				b.Sel = append(b.Sel, int32(i))
			}
		}
	}
	for i := range b.Rows() {
		r := b.Row(i)
		for range b.Weight(r) {
			*came = append(*came, vals[r])
		}
	}
	return b
}

func cut(all []int64, cfg LimitConfig) []int64 {
	all = all[min(int(cfg.Offset), len(all)):]
	if cfg.Limit >= 0 {
		all = all[:min(int(cfg.Limit), len(all))]
	}
	return all
}

func TestLimitRefusesRetractions(t *testing.T) {
	b := &vec.Batch{N: 1, W: []int64{-1}, Cols: []*vec.Vector{vec.FromInts(types.Of(types.Int64), []int64{1})}}
	if err := NewLimit(LimitConfig{Limit: 1}).Step(&Trigger{}, 0, 0, b, func(*vec.Batch) error { return nil }); err == nil {
		t.Error("a retraction was taken")
	}
}

func BenchmarkLimit(b *testing.B) {
	batch := &vec.Batch{N: vec.BatchSize, Cols: []*vec.Vector{vec.FromInts(types.Of(types.Int64), make([]int64, vec.BatchSize))}}
	op := NewLimit(LimitConfig{Limit: -1, Offset: 1})
	for b.Loop() {
		if err := op.Step(&Trigger{}, 0, 0, batch, func(*vec.Batch) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}
