package stateful

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/hash"
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// exists is the semi, anti or mark join. Under the rules of IN (NullAware) a row without
// a match is unsure if a comparison with a static row is unknown.
func (j *StaticJoin) exists(c *fn.Ctx, b *vec.Batch, emit func(*vec.Batch) error) error {
	if err := j.findMatched(c, b); err != nil {
		return err
	}
	if j.cfg.NullAware > 0 {
		if err := j.findUnsure(c, b); err != nil {
			return err
		}
	}
	switch j.cfg.Kind {
	case SemiJoin:
		return j.keep(b, emit, func(i int) bool { return j.matched[i] })
	case AntiJoin:
		return j.keep(b, emit, func(i int) bool { return !j.matched[i] && (j.cfg.NullAware == 0 || !j.unsure[i]) })
	}
	return j.mark(b, emit)
}

// findMatched tells which rows have a match, by their position.
func (j *StaticJoin) findMatched(c *fn.Ctx, b *vec.Batch) error {
	j.matched = growZero(j.matched, b.Rows())[:b.Rows()]
	if j.cfg.Residual == nil {
		for i, g := range j.groups {
			j.matched[i] = len(j.matches(g)) > 0
		}
		return nil
	}
	clear(j.matched)
	return j.candidates(c, b, func(i int, _, _ int32, holds bool) error {
		j.matched[i] = j.matched[i] || holds
		return nil
	})
}

// findUnsure tells which rows without a match have an unknown comparison with one of the
// static rows that the other keys, and the residual, select.
func (j *StaticJoin) findUnsure(c *fn.Ctx, b *vec.Batch) error {
	n := j.cfg.NullAware
	j.part = j.lookup(j.parts, b, j.cfg.InputKeys[n:], j.part)
	j.unsure = growZero(j.unsure, b.Rows())[:b.Rows()]
	clear(j.unsure)
	for i, p := range j.part {
		if j.matched[i] || p == hash.Missing || mutant.On("NOT IN ignores NULLs") {
			continue
		}
		null := j.nullPart[p]
		for _, k := range j.cfg.InputKeys[:n] {
			null = null || b.Cols[k].IsNull(b.Row(i))
		}
		if !null {
			continue
		}
		if err := j.unsureRow(c, b, i, j.inPart.of(p)); err != nil {
			return err
		}
	}
	return nil
}

// unsureRow looks for an unknown comparison of the row at position i.
func (j *StaticJoin) unsureRow(c *fn.Ctx, b *vec.Batch, i int, rows []int32) error {
	var at []int
	j.in, j.static = j.in[:0], j.static[:0]
	test := func() error {
		err := j.test(c, b, at, func(i int, _, _ int32, holds bool) error {
			j.unsure[i] = j.unsure[i] || holds
			return nil
		})
		at, j.in, j.static = at[:0], j.in[:0], j.static[:0]
		return err
	}
	for _, r := range rows {
		if j.differs(b, b.Row(i), int(r)) {
			continue
		}
		if j.cfg.Residual == nil {
			j.unsure[i] = true
			return nil
		}
		at, j.in, j.static = append(at, i), append(j.in, int32(b.Row(i))), append(j.static, r)
		if len(at) < vec.BatchSize {
			continue
		}
		if err := test(); err != nil || j.unsure[i] {
			return err
		}
	}
	return test()
}

// differs tells that a static row differs from the input row in a compared key that is
// NULL on neither side.
func (j *StaticJoin) differs(b *vec.Batch, row, static int) bool {
	for k := range j.cfg.NullAware {
		x, y := b.Cols[j.cfg.InputKeys[k]], j.cols[j.cfg.StaticKeys[k]]
		if !x.IsNull(row) && !y.IsNull(static) && !vec.Equal(x, row, y, static) {
			return true
		}
	}
	return false
}

// mark emits every row with the answer.
func (j *StaticJoin) mark(b *vec.Batch, emit func(*vec.Batch) error) error {
	v := &vec.Vector{Type: types.Of(types.Bool), N: b.N, Bool: make([]uint8, b.N)}
	for i, yes := range j.matched {
		r := b.Row(i)
		switch {
		case yes:
			v.Bool[r] = 1
		case j.cfg.NullAware > 0 && j.unsure[i]:
			if v.Valid == nil {
				v.Valid = vec.AllValid(b.N)
			}
			vec.BitClear(v.Valid, r)
		}
	}
	out := *b
	out.Cols = append(append(make([]*vec.Vector, 0, len(b.Cols)+1), b.Cols...), v)
	return emit(&out)
}
