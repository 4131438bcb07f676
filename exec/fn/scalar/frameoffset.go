package scalar

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// windowNumbers check what windows count with, where that is another number for each row.
func windowNumbers() []*fn.Scalar {
	return []*fn.Scalar{
		{
			Name: "$frame_offset", Group: "Operators", Hidden: true, Check: true, Nulls: fn.Custom, Syntax: []string{"$frame_offset(n)"},
			Doc:      "Is the offset of a frame, which must not be NULL or negative.",
			Examples: []fn.Example{{SQL: "$frame_offset(2)", Want: "2"}, {SQL: "$frame_offset(NULLIF(1, 2))", Want: "1"}},
			Resolve:  sameNumber(checked("the offset of a frame", "must not be NULL or negative", func(v *vec.Vector, r int) bool { return !v.IsNull(r) && !belowZero(v, r) })),
		},
		{
			Name: "$limit", Group: "Operators", Hidden: true, Check: true, Nulls: fn.Custom, Syntax: []string{"$limit(n)"},
			Doc:      "Is a number of rows for LIMIT or OFFSET, which must not be negative, or NULL.",
			Examples: []fn.Example{{SQL: "$limit(2)", Want: "2"}, {SQL: "$limit(NULL)", Want: "NULL"}},
			Resolve:  sameNumber(checked("LIMIT or OFFSET", "must not be negative", func(v *vec.Vector, r int) bool { return v.IsNull(r) || !belowZero(v, r) })),
		},
		{
			Name: "$tiles", Group: "Operators", Hidden: true, Check: true, Nulls: fn.Custom, Syntax: []string{"$tiles(n)"},
			Doc:      "Is a number of tiles, which must be at least 1, or NULL.",
			Examples: []fn.Example{{SQL: "$tiles(2)", Want: "2"}, {SQL: "$tiles(NULL)", Want: "NULL"}},
			Resolve:  fixed(bigint, checked("ntile", "needs at least 1 part", func(v *vec.Vector, r int) bool { return v.IsNull(r) || v.Int(r) > 0 }), bigint),
		},
	}
}

// sameNumber resolves a function of a number or an interval that gives the same.
func sameNumber(eval fn.Kernel) func(args []fn.Arg) (fn.Impl, error) {
	return func(args []fn.Arg) (fn.Impl, error) {
		if err := arity(args, 1, 1); err != nil {
			return fn.Impl{}, err
		}
		t := args[0].Type
		if t.Kind == types.Null {
			t = bigint
		}
		if !t.IsNumeric() && t.Kind != types.Interval {
			return fn.Impl{}, fmt.Errorf("needs a number or an INTERVAL, got %s", t.WithArticle())
		}
		return fn.Impl{Args: []types.Type{t}, Result: t, Eval: eval}, nil
	}
}

// checked passes on the values for which ok is true.
func checked(name, msg string, ok func(v *vec.Vector, r int) bool) fn.Kernel {
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := *args[0]
		out.Valid = append([]uint64(nil), out.Valid...)
		for i := range rows.Len() {
			r := rows.At(i)
			if ok(args[0], r) {
				continue
			}
			if err := c.Fail(&out, r, name, string(vec.RowString(args[0], r, nil)), msg); err != nil {
				return nil, err
			}
		}
		return &out, nil
	}
}

func belowZero(v *vec.Vector, row int) bool {
	f, i := v.At(row)
	switch v.Type.Phys() {
	case types.PhysInt64:
		return f.I64[i] < 0
	case types.PhysFloat64:
		return !(f.F64[i] >= 0)
	case types.PhysInt128:
		return f.I128[i].Sign() < 0
	case types.PhysInterval:
		iv := f.Iv[i]
		return iv.Months < 0 || iv.Days < 0 || iv.Micros < 0
	}
	return false
}
