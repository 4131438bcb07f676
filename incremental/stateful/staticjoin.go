package stateful

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/hash"
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// StaticJoin
//
// State: none; the static side is read once and never changes.
// +1/−1: the matches of a row come out with its weight: the join is linear in its input.
// Emitted: at once. If each key has one static row and there is no residual, the
// output shares the columns of the input, and static columns are dictionaries over
// the static side: nothing is copied.
// Cost: O(1) per row and match.

// StaticJoin is one worker's stage of a static join.
type StaticJoin struct {
	*StaticIndex
	table, parts *hash.Table

	keys    []*vec.Vector
	groups  []uint32
	part    []uint32
	sel     []int32
	codes   []uint32
	matched []bool
	unsure  []bool

	// Pairs under way: input row and static row, −1 = NULLs.
	in, static []int32
}

// Stage returns a stage for a worker.
func (s *StaticIndex) Stage() *StaticJoin {
	j := &StaticJoin{StaticIndex: s}
	if s.table != nil {
		j.table = s.table.Reader()
	}
	if s.parts != nil {
		j.parts = s.parts.Reader()
	}
	return j
}

// Process joins the rows of b that count, and gives batches to emit that are valid during
// the call. Weights, origins and fates go with the rows.
func (j *StaticJoin) Process(c *fn.Ctx, b *vec.Batch, emit func(*vec.Batch) error) error {
	if b.Rows() == 0 {
		return nil
	}
	j.groups = j.lookup(j.table, b, j.cfg.InputKeys, j.groups)
	switch {
	case j.cfg.Kind >= SemiJoin:
		return j.exists(c, b, emit)
	case j.unique && j.cfg.Residual == nil:
		return j.single(b, emit)
	}
	return j.pairs(c, b, emit)
}

// lookup finds the group of each row that counts; without keys it is 0.
func (j *StaticJoin) lookup(t *hash.Table, b *vec.Batch, cols []int, groups []uint32) []uint32 {
	groups = growZero(groups, b.Rows())[:b.Rows()]
	if t == nil {
		clear(groups)
		return groups
	}
	j.keys = j.keys[:0]
	for _, k := range cols {
		j.keys = append(j.keys, b.Cols[k])
	}
	t.Find(j.keys, b.Sel, nil, groups)
	return groups
}

// matches are the static rows for a group; none for a key that is not there.
func (j *StaticJoin) matches(g uint32) []int32 {
	if g == hash.Missing {
		return nil
	}
	return j.match.of(g)
}

// single is the join in which a row has one match or none.
func (j *StaticJoin) single(b *vec.Batch, emit func(*vec.Batch) error) error {
	left := j.cfg.Kind == LeftJoin
	j.codes = growZero(j.codes, b.N)[:b.N]
	j.sel = j.sel[:0]
	var valid []uint64
	for i, g := range j.groups {
		r := b.Row(i)
		if g != hash.Missing {
			j.codes[r] = uint32(j.match.rows[j.match.start[g]])
			j.sel = append(j.sel, int32(r))
			continue
		}
		j.codes[r] = 0
		if left {
			if valid == nil {
				valid = vec.AllValid(b.N)
			}
			vec.BitClear(valid, r)
		}
	}
	out := &vec.Batch{Cols: make([]*vec.Vector, 0, len(b.Cols)+len(j.cols)), N: b.N, W: b.W, Origin: b.Origin, Fates: b.Fates, Sel: b.Sel}
	if !left {
		if len(j.sel) == 0 {
			return nil
		}
		out.Sel = j.sel
	}
	out.Cols = append(append(out.Cols, b.Cols...), j.staticCols(j.codes, valid)...)
	return emit(out)
}

// staticCols are the static columns at rows codes, NULL where valid says so.
func (j *StaticJoin) staticCols(codes []uint32, valid []uint64) []*vec.Vector {
	out := make([]*vec.Vector, len(j.cols))
	for i, c := range j.cols {
		if j.n == 0 {
			out[i] = vec.Nulls(c.Type, len(codes))
			continue
		}
		out[i] = vec.NewDict(c, codes, valid)
	}
	return out
}

// keep emits the rows of b for which wanted holds, by their position.
func (j *StaticJoin) keep(b *vec.Batch, emit func(*vec.Batch) error, wanted func(i int) bool) error {
	j.sel = j.sel[:0]
	for i := range b.Rows() {
		if wanted(i) {
			j.sel = append(j.sel, int32(b.Row(i)))
		}
	}
	if len(j.sel) == 0 {
		return nil
	}
	out := *b
	out.Sel = j.sel
	return emit(&out)
}

// pairs is the join with any number of matches, in the order of the input.
func (j *StaticJoin) pairs(c *fn.Ctx, b *vec.Batch, emit func(*vec.Batch) error) error {
	var in, static []int32
	matched := -1 // position of the last row with a match
	flush := func() error {
		if len(in) == 0 {
			return nil
		}
		out := j.pairBatch(b, in, static)
		in, static = in[:0], static[:0]
		return emit(out)
	}
	next := 0 // rows before it are done
	pad := func(to int) error {
		for ; next < to; next++ {
			if j.cfg.Kind != LeftJoin || next == matched {
				continue
			}
			in, static = append(in, int32(b.Row(next))), append(static, -1)
		}
		return nil
	}
	err := j.candidates(c, b, func(i int, row, other int32, holds bool) error {
		if err := pad(i); err != nil || !holds && !mutant.On("residual is a filter after the join") {
			return err
		}
		if j.cfg.Single && matched == i {
			return fmt.Errorf("%s: a subquery used as a value has more than one row: aggregate it, as with max(…), or add LIMIT 1", j.cfg.Name)
		}
		matched = i
		in, static = append(in, row), append(static, other)
		if len(in) >= vec.BatchSize {
			return flush()
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := pad(b.Rows()); err != nil {
		return err
	}
	return flush()
}

// pairBatch makes the rows of pairs; static row −1 stands for NULLs.
func (j *StaticJoin) pairBatch(b *vec.Batch, in, static []int32) *vec.Batch {
	out := b.Gather(in)
	codes := make([]uint32, len(static))
	var valid []uint64
	for i, r := range static {
		if r >= 0 {
			codes[i] = uint32(r)
			continue
		}
		if valid == nil {
			valid = vec.AllValid(len(static))
		}
		vec.BitClear(valid, i)
	}
	out.Cols = append(out.Cols, j.staticCols(codes, valid)...)
	return out
}

// candidates visits all pairs with equal keys, in the order of the input, and tells of
// each whether the residual holds. i is the position of the input row.
func (j *StaticJoin) candidates(c *fn.Ctx, b *vec.Batch, visit func(i int, row, other int32, holds bool) error) error {
	if j.cfg.Residual == nil {
		for i, g := range j.groups {
			for _, other := range j.matches(g) {
				if err := visit(i, int32(b.Row(i)), other, true); err != nil {
					return err
				}
			}
		}
		return nil
	}
	var at []int
	j.in, j.static = j.in[:0], j.static[:0]
	test := func() error {
		err := j.test(c, b, at, visit)
		at, j.in, j.static = at[:0], j.in[:0], j.static[:0]
		return err
	}
	for i, g := range j.groups {
		for _, other := range j.matches(g) {
			at, j.in, j.static = append(at, i), append(j.in, int32(b.Row(i))), append(j.static, other)
			if len(at) == vec.BatchSize {
				if err := test(); err != nil {
					return err
				}
			}
		}
	}
	return test()
}

// test evaluates the residual for the pairs under way.
func (j *StaticJoin) test(c *fn.Ctx, b *vec.Batch, at []int, visit func(i int, row, other int32, holds bool) error) error {
	if len(at) == 0 {
		return nil
	}
	mark := c.Mark()
	defer c.Release(mark)
	v, err := j.cfg.Residual.Eval(c, j.pairBatch(b, j.in, j.static))
	if err != nil {
		return expr.Blame(expr.AtRow(err, func(pair int) int { return int(j.in[pair]) }), j.cfg.Residual, b)
	}
	for k, i := range at {
		if err := visit(i, j.in[k], j.static[k], v.IsTrue(k)); err != nil {
			return err
		}
	}
	return nil
}
