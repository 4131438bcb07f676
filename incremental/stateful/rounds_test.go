package stateful

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// leastPair keeps, of the pairs that it is given with the number of their round, the one with
// the least second value for each first one.
type leastPair struct{ least map[any]any }

func newLeastPair() (StepGraph, error) { return &leastPair{map[any]any{}}, nil }

func (p *leastPair) Run(_ *Trigger, feeds [][]*vec.Batch, out Emit) error {
	bs := vec.NewBuilders(pairTypes[:2])
	var w []int64
	emit := func(a, b any, weight int64) {
		bs[0].AppendAny(a)
		bs[1].AppendAny(b)
		w = append(w, weight)
	}
	for row := range pairsOf(feeds[0]) {
		old, has := p.least[row[0]]
		if has && !below(row[1], old) {
			continue
		}
		if has {
			emit(row[0], old, -1)
		}
		p.least[row[0]] = row[1]
		emit(row[0], row[1], 1)
	}
	if len(w) == 0 {
		return nil
	}
	return out(&vec.Batch{Cols: []*vec.Vector{bs[0].Take(), bs[1].Take()}, W: w, N: len(w)})
}

func (p *leastPair) Bytes() int64 { return 0 }

// below orders values; NULL is the greatest.
func below(a, b any) bool {
	return a != nil && (b == nil || a.(int64) < b.(int64))
}

// roundsTwin joins the rows of the last round with all rows, round by round.
type roundsTwin struct {
	all, key bool
	wayTwin
}

func (p *roundsTwin) want() bag {
	result, last := bag{}, [][]any(nil)
	rows := [][]any{}
	least := map[any]any{}
	take := func(given [][]any) {
		if p.key {
			changed := map[any]bool{}
			for _, g := range given {
				if old, has := least[g[0]]; !has || below(g[1], old) {
					least[g[0]], changed[g[0]] = g[1], true
				}
			}
			last, rows = nil, nil
			for a, b := range least {
				rows = append(rows, []any{a, b})
				if changed[a] {
					last = append(last, []any{a, b})
				}
			}
			if p.all {
				last = given
			}
			return
		}
		last = nil
		for _, g := range given {
			if p.all || result[rowText(g)] == 0 {
				result.add(g, 1)
				last = append(last, g)
			}
		}
		rows = append(rows, last...)
	}
	take(p.rows)
	for len(last) > 0 {
		var given [][]any
		for _, l := range last {
			for _, r := range rows {
				if l[1] != nil && l[1] == r[0] {
					given = append(given, []any{l[0], r[1]})
				}
			}
		}
		take(given)
	}
	if p.key {
		for _, r := range rows {
			result.add(r, 1)
		}
	}
	return result
}

func roundsCases() []*opCase {
	var out []*opCase
	for i := range 8 {
		all, retract, key := i&1 != 0, i&2 != 0, i&4 != 0
		cfg := RecursiveConfig{Name: "rounds", Types: pairTypes[:2], Inputs: [][]types.Type{pairTypes[:2]}, All: all, Rounds: 30, Rows: 1_000_000, NewStep: newPairStep}
		if key {
			cfg.NewSettle = newLeastPair
		}
		out = append(out, &opCase{name: fmt.Sprintf("all %v retract %v key %v", all, retract, key), types: pairTypes[:2], retract: retract, net: true, ordered: true,
			fronts: aggFronts, twin: func() twin { return &roundsTwin{all: all, key: key} },
			row: func(rng *rand.Rand, _ int) []any {
				a := rng.IntN(4)
				b := rng.IntN(5)
				if all { // without circles
					b = a + 1 + rng.IntN(2)
				}
				return []any{pick(rng, int64(a)), pick(rng, int64(b))}
			},
			make: func(t tester) Operator {
				op, err := NewRounds(cfg)
				if err != nil {
					t.Fatalf("%v", err)
				}
				return op
			}})
	}
	return out
}

func TestRounds(t *testing.T) { playAll(t, roundsCases(), 15) }
