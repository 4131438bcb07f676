package conformance

import (
	"strings"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// infiniteFields gives the functions of times the results that they have in DuckDB for the
// times that stand for infinity: a field or a difference is NULL, what moves or cuts such a
// time leaves it as it is.
func infiniteFields(r *fn.Registry) {
	stay := map[string]bool{"+": true, "-": true, "date_trunc": true}
	for _, f := range r.Scalars() {
		if f.Group == "Time" && f.Form == fn.Ordinary || stay[f.Name] {
			infiniteField(f, stay[f.Name])
		}
	}
}

func infiniteField(f *fn.Scalar, stays bool) {
	with := f.Resolve
	f.Resolve = func(args []fn.Arg) (fn.Impl, error) {
		impl, err := with(args)
		eval := impl.Eval
		moved := impl.Result.Kind == types.Timestamp || impl.Result.Kind == types.TimestampNTZ || impl.Result.Kind == types.Date
		counted := impl.Result.IsNumeric() || strings.HasSuffix(f.Name, "name") || f.Name == "last_day"
		if err != nil || eval == nil || !(stays && moved) && !counted || !takesTimes(impl.Args) {
			return impl, err
		}
		impl.Total, impl.Safe = false, false
		impl.Eval = func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
			var finite []int32
			at := map[int]int64{}
			for i := range rows.Len() {
				if r := rows.At(i); infiniteAt(args, r) == 0 {
					finite = append(finite, int32(r))
				} else {
					at[r] = infiniteAt(args, r)
				}
			}
			if len(at) == 0 {
				return eval(c, args, rows)
			}
			out := vec.NewBuilder(impl.Result)
			v := vec.Nulls(impl.Result, rows.N)
			if len(finite) > 0 {
				var err error
				if v, err = eval(c, args, fn.Rows{N: rows.N, Sel: finite}); err != nil {
					return nil, err
				}
			}
			for r := range rows.N {
				switch sign, inf := at[r]; {
				case inf && stays && moved:
					out.AppendInt(standIn(impl.Result, sign))
				case inf:
					out.AppendNull()
				default:
					out.AppendFrom(v, r)
				}
			}
			return out.Finish(), nil
		}
		return impl, nil
	}
}

func takesTimes(list []types.Type) bool {
	for _, t := range list {
		if t.IsTime() {
			return true
		}
	}
	return false
}

// infiniteAt is 1 or -1 where an argument is a time that stands for infinity, else 0.
func infiniteAt(args []*vec.Vector, r int) int64 {
	for _, a := range args {
		if !a.Type.IsTime() || a.IsNull(r) {
			continue
		}
		switch a.Int(r) {
		case standIn(a.Type, 1):
			return 1
		case standIn(a.Type, -1):
			return -1
		}
	}
	return 0
}

// standIn is the time of a type that stands for infinity.
func standIn(t types.Type, sign int64) int64 {
	switch {
	case t.Kind == types.Date && sign > 0:
		return types.MaxDay
	case t.Kind == types.Date:
		return longAgo
	case sign > 0:
		return (types.MaxDay+1)*types.MicrosPerDay - types.MicrosPerSecond
	}
	return longAgo*types.MicrosPerDay + types.MicrosPerSecond
}

// longAgo is 0001-01-01 in days since 1970.
const longAgo = -719162
