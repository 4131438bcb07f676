package scalar

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// repeatRows makes rows of one value.
func repeatRows() *fn.Generator {
	return &fn.Generator{
		Name: "repeat", Group: "Generators", FromOnly: true, Syntax: []string{"repeat(value, count)"},
		Doc: "Makes as many rows of a value as a number says; none for NULL or a number below 1. In an expression, repeat is the text or array several times over.",
		Examples: []fn.Example{{SQL: "SELECT * FROM repeat('x', 2)", Want: "x\nx"}, {SQL: "SELECT * FROM repeat(7, 0)", Want: ""},
			{SQL: "SELECT * FROM repeat('x', CAST(NULL AS INT))", Want: ""}},
		Resolve: func(args []fn.Arg) (fn.GenImpl, error) {
			if err := arity(args, 2, 2); err != nil {
				return fn.GenImpl{}, err
			}
			if !types.CanCoerce(args[1].Type, bigint) {
				return fn.GenImpl{}, mismatch(args, 1, "BIGINT")
			}
			return fn.GenImpl{Args: []types.Type{args[0].Type, bigint}, Columns: []types.Column{{Name: "repeat", Type: args[0].Type}}, Eval: repeated}, nil
		},
	}
}

func repeated(_ *fn.Ctx, args []*vec.Vector, rows fn.Rows) (fn.Generated, error) {
	var from []int32
	ends := make([]uint32, rows.Len())
	for i := range rows.Len() {
		r := rows.At(i)
		if n := args[1].Int(r); !args[1].IsNull(r) && n > 0 {
			if n > maxElements-int64(len(from)) {
				return fn.Generated{}, &fn.DataError{Func: "repeat", Value: fmt.Sprint(n), Row: r, Msg: "there would be more than 16 million rows"}
			}
			for range n {
				from = append(from, int32(r))
			}
		}
		ends[i] = uint32(len(from))
	}
	return fn.Generated{Cols: []*vec.Vector{vec.Gather(args[0], from)}, Ends: ends}, nil
}
