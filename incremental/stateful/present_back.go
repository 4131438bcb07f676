package stateful

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// takeBack retracts what left rows were joined with, those that came last first.
func (p *present) takeBack(b *vec.Batch, out Emit) error {
	if b.Rows() == 0 {
		return nil
	}
	var rows []uint32 // of came
	var taken []int64
	for i, list := range p.came.find(b, upTo(len(p.cfg.Types[0]))) {
		n := -b.Weight(b.Row(i))
		for _, row := range p.latest(list) {
			k := min(n, p.came.w[row])
			if n -= k; k > 0 {
				rows, taken = append(rows, row), append(taken, k)
			}
		}
		if n > 0 {
			return fmt.Errorf("%s: a row was deleted that is not there", p.cfg.Name)
		}
	}
	p.stats.Removed += int64(len(rows))
	return p.takePairs(rows, taken, out)
}

// latest orders equal left rows, the one with the greatest number first.
func (p *present) latest(rows []uint32) []uint32 {
	if len(rows) < 2 || mutant.On("of equal left rows any one goes first") {
		return rows
	}
	b := vec.NewBuilder(types.Of(types.Int64))
	p.came.table.Key(rows, len(p.cfg.Types[0]), b)
	v := b.Finish()
	at := make([]int, len(rows))
	for i := range at {
		at[i] = i
	}
	slices.SortFunc(at, func(x, y int) int { return cmp.Compare(v.Int(y), v.Int(x)) })
	out := make([]uint32, len(rows))
	for i, x := range at {
		out[i] = rows[x]
	}
	return out
}

// takePairs retracts the pairs of so many of the equal left rows of one trigger.
func (p *present) takePairs(rows []uint32, taken []int64, out Emit) error {
	var pairs []uint32
	var weights []int64
	for from := 0; from < len(rows); from += vec.BatchSize {
		to := min(from+vec.BatchSize, len(rows))
		b := p.came.batches(rows[from:to], taken[from:to])[0]
		for i, list := range p.given.find(b, upTo(len(p.cfg.Types[0])+1)) {
			row, k := rows[from+i], taken[from+i]
			for _, pair := range list {
				w := p.given.w[pair] / p.came.w[row] * k // each of the equal rows has the same
				pairs, weights = append(pairs, pair), append(weights, -w)
				p.given.change(pair, -w)
			}
			p.came.change(row, -k)
		}
	}
	for _, b := range p.given.batches(pairs, weights) {
		if err := out(p.plain(b)); err != nil {
			return err
		}
	}
	return nil
}
