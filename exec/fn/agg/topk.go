package agg

import (
	"encoding/binary"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// ApproxTopK is approx_top_k(x, k).
var ApproxTopK = fn.Aggregate{
	Name: "approx_top_k", Group: "Sketches", Syntax: []string{"approx_top_k(x [, k [, tracked]])"},
	Doc: "An array of the k values (5 without k, a constant) that occur most often, as structs of item and count, of equal counts the least value first. " +
		"NULL is a value too, as in Spark. It is exact: it keeps every different value, and the number of values that others track changes nothing.",
	Examples: []fn.Example{
		{SQL: "approx_top_k(x, 2) FROM (VALUES ('a'), ('b'), ('b'), (NULL), (NULL), (NULL)) AS t(x)", Want: `[{"item":null,"count":3},{"item":"b","count":2}]`},
	},
	Resolve: func(args []fn.Arg) (fn.AggImpl, error) {
		if err := wantArgs(args, 1, 3); err != nil {
			return fn.AggImpl{}, err
		}
		k := int64(5)
		for i := 1; i < len(args); i++ {
			n, err := constCount(args[i], i+1)
			if err != nil {
				return fn.AggImpl{}, err
			}
			if i == 1 {
				k = n
			}
		}
		t := args[0].Type
		item := types.StructOf(types.Field{Name: "item", Type: t}, types.Field{Name: "count", Type: bigint})
		return fn.AggImpl{Args: argTypes(args), Result: types.ArrayOf(item), New: func(bool) fn.Accumulator {
			return &topK{modeBag: modeBag{t: t}, k: k}
		}}, nil
	},
}

// topK is the accumulator of approx_top_k: that of mode, where NULL is a value.
type topK struct {
	modeBag
	k int64
}

// Add implements fn.Accumulator.
func (a *topK) Add(rows fn.AggRows) error {
	v := rows.Args[0]
	each(rows, nil, func(g uint32, r int, w int64) {
		a.buf = vec.AppendKey(a.buf[:0], v, r)
		a.come(g, a.buf, w)
	})
	return nil
}

// Merge implements fn.Accumulator.
func (a *topK) Merge(src fn.Accumulator, from, into []uint32) error {
	return a.modeBag.Merge(&sameKind[topK](src).modeBag, from, into)
}

// Result implements fn.Accumulator.
func (a *topK) Result(groups []uint32, out *vec.Builder) (failed error) {
	for _, g := range groups {
		left := a.k
		a.often.walk(g, func(key []byte, _ int64) bool {
			failed = appendKeyed(out.Child(0).Child(0), a.t, key[8:])
			out.Child(0).Child(1).AppendInt(int64(^binary.BigEndian.Uint64(key)))
			out.Child(0).EndStruct()
			left--
			return left > 0 && failed == nil
		})
		if failed != nil {
			return failed
		}
		out.EndList()
	}
	return nil
}
