package expr_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// blendColumn has some values of a type, with NULLs or without.
func blendColumn(t types.Type, n, nulls int, r *rand.Rand) *vec.Vector {
	b := vec.NewBuilder(t)
	for range n {
		switch x := r.IntN(1000); {
		case nulls > 0 && r.IntN(nulls) == 0:
			b.AppendNull()
		case t.Kind == types.Bool:
			b.AppendBool(x%2 == 0)
		case t.Kind == types.Float64:
			b.AppendFloat(float64(x) / 8)
		case t.Kind == types.String:
			b.AppendString(fmt.Sprint("text "[:x%6], x))
		case t.Kind == types.Decimal:
			b.AppendInt128(types.Int128From(int64(x)))
		case t.Kind == types.Interval:
			b.AppendInterval(types.IntervalValue{Days: int32(x)})
		default:
			b.AppendInt(int64(x))
		}
	}
	return b.Take()
}

// TestBlend: CASE of columns and constants with one WHEN is computed in one pass, with a
// second WHEN that never decides by lists of rows: both give the same.
func TestBlend(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, typ := range []types.Type{types.Of(types.Bool), types.Of(types.Int64), types.Of(types.Float64), types.DecimalOf(30, 2), types.Of(types.Interval), types.Of(types.String)} {
		for i := range 200 {
			const n = 90
			batch := vec.NewBatch(blendColumn(types.Of(types.Bool), n, i%3, r), blendColumn(typ, n, i%4, r), blendColumn(typ, n, i%5, r))
			if i%2 == 0 {
				batch.Sel = []int32{0, 3, 4, 63, 64, 65, 89}
			}
			side := func(i int) expr.Node {
				switch r.IntN(4) {
				case 0:
					return expr.NewConst(blendColumn(typ, 1, 0, r))
				case 1:
					return expr.Null(typ)
				}
				return &expr.Column{Index: i, Name: "c", T: typ}
			}
			cond := &expr.Column{Index: 0, Name: "cond", T: types.Of(types.Bool)}
			yes, no := side(1), side(2)
			want, err := expr.NewCase([]expr.Node{cond, cond}, []expr.Node{yes, no}, no).Eval(&fn.Ctx{}, batch)
			if err != nil {
				t.Fatal(err)
			}
			got, err := expr.NewCase([]expr.Node{cond}, []expr.Node{yes}, no).Eval(&fn.Ctx{Scratch: &fn.Scratch{}}, batch)
			if err != nil {
				t.Fatal(err)
			}
			rows := fn.Rows{N: n, Sel: batch.Sel}
			for k := range rows.Len() {
				if row := rows.At(k); want.IsNull(row) != got.IsNull(row) || !vec.Equal(want, row, got, row) {
					t.Fatalf("%s, row %d: CASE WHEN cond THEN %s ELSE %s END differs", typ, row, yes, no)
				}
			}
		}
	}
}
