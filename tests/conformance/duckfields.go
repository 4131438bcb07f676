package conformance

import (
	"slices"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/fn/cast"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// duckFields adds duck_part_of(field, time): extract as DuckDB counts. The days of a week
// begin with 0, Sunday, a second and a decade have no fraction, a wall clock is of offset 0,
// and the epoch is a DOUBLE.
func duckFields(r *fn.Registry) {
	product, _ := r.Scalar("extract")
	resolve := func(args []fn.Arg) (fn.Impl, error) {
		if len(args) == 2 && args[0].Const != nil && args[0].Type.Kind == types.String && args[1].Type.Kind != types.Timestamp && args[1].Type.Kind != types.Date &&
			!args[0].Const.IsNull(0) && strings.HasPrefix(strings.ToLower(args[0].Const.Text(0)), "timezone") {
			return zeroOf(args[1].Type), nil
		}
		wall := len(args) == 2 && args[0].Type.Kind == types.Array && (args[1].Type.Kind == types.TimestampNTZ || args[1].Type.Kind == types.Date || args[1].Type.Kind == types.Time && duckZoneField(args[0].Const))
		given := args
		if wall {
			args = []fn.Arg{args[0], {Type: types.Of(types.Timestamp)}} // its zone is UTC
		}
		impl, err := product.Resolve(args)
		if err != nil {
			return impl, err
		}
		years, err := product.Resolve([]fn.Arg{{Type: types.Of(types.String), Const: vec.FromStrings([]string{"year"})}, args[1]})
		if err != nil {
			years.Eval = nil // a TIME
		}
		eras := len(given) == 2 && given[1].Type.Kind == types.Timestamp
		eval, own := impl.Eval, impl.Result
		impl.Monotone, impl.MonotoneFixed, impl.Total, impl.Safe = nil, nil, false, false
		if own.Kind != types.Struct {
			impl.Result = duckFieldType(own)
		} else {
			impl.Result = own
			impl.Result.Fields = slices.Clone(own.Fields)
			for i, f := range own.Fields {
				impl.Result.Fields[i].Type = duckFieldType(f.Type)
			}
		}
		if wall {
			impl.Args = []types.Type{given[0].Type, types.Of(types.TimestampNTZ)}
			if given[1].Type.Kind == types.Time {
				impl.Args[1] = given[1].Type
			}
		}
		impl.Eval = func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
			if wall {
				at := *vec.Flatten(args[1])
				at.Type = types.Of(types.Timestamp)
				utc := *c
				utc.Zone, c = time.UTC, &utc
				args = []*vec.Vector{args[0], &at}
			}
			v, err := eval(c, args, rows)
			if err != nil {
				return v, err
			}
			name := func(row int) string { return args[0].Text(row) }
			year := func(int) int64 { return 1 }
			if years.Eval != nil {
				ys, err := years.Eval(c, []*vec.Vector{vec.NewConst(types.Of(types.String), "year", rows.N), args[1]}, rows)
				if err != nil {
					return ys, err
				}
				year = func(row int) int64 { return duckYear(ys, row) }
			}
			if own.Kind != types.Struct {
				return duckField(v, own, name, year, eras), nil
			}
			out := &vec.Vector{Type: impl.Result, N: v.N, Valid: v.Valid}
			for i, f := range own.Fields {
				out.Child = append(out.Child, duckField(v.Child[i], f.Type, func(int) string { return f.Name }, year, eras))
			}
			return out, nil
		}
		return impl, nil
	}
	zone := func(args []fn.Arg) (fn.Impl, error) {
		if len(args) == 2 && args[1].Type.Kind == types.Date {
			return zeroOf(args[1].Type), nil
		}
		return resolve(args)
	}
	for name, f := range map[string]func([]fn.Arg) (fn.Impl, error){"duck_part_of": resolve, "duck_zone": zone} {
		hidden(r, &fn.Scalar{Name: name, Resolve: f})
	}
}

// duckZoneField reports a list of fields that has one of the zone.
func duckZoneField(list *vec.Vector) bool {
	return list != nil && !list.IsNull(0) && strings.Contains(vec.RowString(list, 0, time.UTC), "timezone")
}

// duckClock moves a TIME by an INTERVAL round midnight: the time of a moved wall clock.
func duckClock(r *fn.Registry) {
	wall, clock := types.Of(types.TimestampNTZ), types.Of(types.Time)
	back := cast.Kernel(wall, clock, false)
	for _, name := range []string{"+", "-"} {
		f, _ := r.Scalar(name)
		product := f.Resolve
		f.Resolve = func(args []fn.Arg) (fn.Impl, error) {
			at := slices.IndexFunc(args, func(a fn.Arg) bool { return a.Type.Kind == types.Time })
			if len(args) != 2 || at < 0 || args[1-at].Type.Kind != types.Interval {
				return product(args)
			}
			list := slices.Clone(args)
			list[at] = fn.Arg{Type: wall}
			impl, err := product(list)
			if err != nil {
				return product(args)
			}
			eval := impl.Eval
			impl.Args[at], impl.Result, impl.Monotone, impl.MonotoneFixed = clock, clock, nil, nil
			impl.Eval = func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
				moved := *args[at]
				moved.Type = wall
				args = slices.Clone(args)
				args[at] = &moved
				v, err := eval(c, args, rows)
				if err != nil {
					return v, err
				}
				return back(c, []*vec.Vector{vec.Flatten(v)}, rows)
			}
			return impl, nil
		}
	}
}

// zeroOf is 0 for every time.
func zeroOf(t types.Type) fn.Impl {
	n := types.Of(types.Int64)
	return fn.Impl{Args: []types.Type{types.Of(types.String), t}, Result: n, Eval: func(_ *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := vec.NewBuilder(n)
		for i := range rows.N {
			if t.IsTime() && t.Kind.Infinite(args[1].Int(i)) != 0 {
				out.AppendNull()
			} else {
				out.AppendInt(0)
			}
		}
		return out.Finish(), nil
	}}
}

// duckFieldType is the type of a field: second is a whole number, epoch a DOUBLE.
func duckFieldType(t types.Type) types.Type {
	switch {
	case t.Kind == types.Decimal && t.Prec == 20:
		return types.Of(types.Float64)
	case t.Kind == types.Decimal:
		return types.Of(types.Int64)
	}
	return t
}

func duckField(v *vec.Vector, t types.Type, name func(row int) string, year func(row int) int64, eras bool) *vec.Vector {
	out := vec.NewBuilder(duckFieldType(t))
	for i := range v.N {
		f, at := v.At(i)
		switch {
		case f.IsNull(at):
			out.AppendNull()
		case t.Kind == types.Decimal && t.Prec == 20:
			out.AppendFloat(f.I128[at].Float64() / 1e6)
		case t.Kind == types.Decimal:
			out.AppendInt(f.Int(at) / 1e6)
		case t.IsFloat():
			x := f.F64[at]
			if field := strings.ToLower(name(i)); field != "julian" && field != "epoch" { // of a field that is no constant
				x = float64(duckBeforeChrist(duckDay(field, int64(x)), field, year(i), eras))
			}
			out.AppendFloat(x)
		default:
			out.AppendInt(duckBeforeChrist(duckDay(name(i), f.Int(at)), strings.ToLower(name(i)), year(i), eras))
		}
	}
	return out.Finish()
}

// duckYear is the year of a row, 1 if it has none.
func duckYear(years *vec.Vector, row int) int64 {
	f, at := years.At(row)
	if f.IsNull(at) {
		return 1
	}
	return f.Int(at)
}

// duckBeforeChrist is a field of a year before 1: its decade has the sign left out when it is
// cut, its week that of the year, and of an instant the year and the decade count within the era.
func duckBeforeChrist(x int64, field string, year int64, eras bool) int64 {
	switch {
	case year > 0:
	case field == "decade" && eras:
		return (1 - year) / 10
	case field == "decade":
		return year / 10
	case field == "yearweek" && x < 0:
		return types.FloorDiv(x, 100)*100 - types.FloorMod(x, 100)
	case field == "year" && eras:
		return 1 - year
	}
	return x
}

// duckDay counts the days of a week from 0, Sunday.
func duckDay(field string, x int64) int64 {
	switch strings.ToLower(field) {
	case "dow", "dayofweek":
		return x - 1
	case "weekday":
		return (x + 1) % 7
	}
	return x
}

// duckBucket adds duck_bucket: time_bucket whose buckets are counted from 2000-01-03 where no
// origin is given, in UTC where no zone is, and begin at a DATE for a DATE.
func duckBucket(r *fn.Registry) {
	product, _ := r.Scalar("time_bucket")
	origin, day := types.Of(types.TimestampNTZ), types.Of(types.Date)
	resolve := func(args []fn.Arg) (fn.Impl, error) {
		given := len(args) > 2 && (args[2].Type.IsTime() || args[2].Type.Kind == types.Time)
		zoned := len(args) > 2 && args[2].Type.Kind == types.String
		list, isDate := slices.Clone(args), len(args) > 1 && args[1].Type.Kind == types.Date
		if isDate {
			list[1] = fn.Arg{Type: origin}
		}
		if !given {
			list = append(list, fn.Arg{Type: origin})
		}
		impl, err := product.Resolve(list)
		if err != nil {
			return impl, err
		}
		eval, n := impl.Eval, len(args)
		impl.Args, impl.Monotone = impl.Args[:n], nil
		if isDate {
			impl.Result = day
		}
		impl.Eval = func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
			utc := *c
			if !zoned {
				utc.Zone = time.UTC
			}
			if !given {
				args = append(args[:n:n], vec.NewConst(origin, int64(10959*types.MicrosPerDay), rows.N))
			}
			v, err := eval(&utc, args, rows)
			if err != nil || !isDate {
				return v, err
			}
			return cast.Kernel(origin, day, false)(c, []*vec.Vector{vec.Flatten(v)}, rows)
		}
		return impl, nil
	}
	hidden(r, &fn.Scalar{Name: "duck_bucket", Resolve: resolve})
}
