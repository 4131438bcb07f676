package scalar

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// firstModes is what mode(x ORDER BY y) goes through.
func firstModes() []*fn.Scalar {
	return []*fn.Scalar{{
		Name: "$first_mode", Group: "Arrays", Hidden: true, Syntax: []string{"$first_mode(array)"},
		Doc:      "Is the element that occurs most often, of several the first; NULLs do not count.",
		Examples: []fn.Example{{SQL: "$first_mode(array(2, 1, NULL, NULL, NULL, 1, 2))", Want: "2"}, {SQL: "$first_mode(NULL)", Want: "NULL"}},
		Resolve:  resolveFirstMode,
	}}
}

func resolveFirstMode(args []fn.Arg) (fn.Impl, error) {
	t, err := firstArg(args, 1, 1, arrayArg)
	if err != nil {
		return fn.Impl{}, err
	}
	elem := *t.Elem
	return fn.Impl{Args: []types.Type{t}, Result: elem, Eval: func(_ *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		m := firstMode{count: map[string]int{}}
		b := vec.NewBuilder(elem)
		next := 0
		for i := range rows.Len() {
			r := rows.At(i)
			for ; next < r; next++ {
				b.AppendNull()
			}
			f, from, to := list(args[0], r)
			if at := m.of(f.Child[0], from, to); at >= 0 {
				b.AppendFrom(f.Child[0], at)
			} else {
				b.AppendNull()
			}
			next++
		}
		for ; next < rows.N; next++ {
			b.AppendNull()
		}
		return b.Finish(), nil
	}}, nil
}

// firstMode counts the elements of one array after the other.
type firstMode struct {
	count map[string]int
	key   []byte
}

// of is the place of the element, −1 if all are NULL.
func (m *firstMode) of(in *vec.Vector, from, to int) int {
	clear(m.count)
	most := 0
	for e := from; e < to; e++ {
		if in.IsNull(e) {
			continue
		}
		m.key = vec.AppendKey(m.key[:0], in, e)
		m.count[string(m.key)]++
		most = max(most, m.count[string(m.key)])
	}
	for e := from; e < to && most > 0; e++ {
		if in.IsNull(e) {
			continue
		}
		m.key = vec.AppendKey(m.key[:0], in, e)
		if m.count[string(m.key)] == most {
			return e
		}
	}
	return -1
}
