package scalar

import (
	"errors"
	"fmt"
	"strings"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// extractList is extract of several fields, constants, as a STRUCT of them.
func extractList(args []fn.Arg) (fn.Impl, error) {
	var fields []types.Field
	var parts []fn.Kernel
	in := args[1].Type
	items, from, to := list(args[0].Const, 0)
	seen := map[string]bool{}
	for i := from; i < to; i++ {
		if items.Child[0].IsNull(i) {
			return fn.Impl{}, errors.New("has a field that is NULL")
		}
		spelling := items.Child[0].Text(i)
		name, ok := fieldName(spelling)
		if !ok {
			return fn.Impl{}, fmt.Errorf("has no field %s", fn.Quote(spelling))
		}
		if seen[strings.ToLower(spelling)] {
			return fn.Impl{}, fmt.Errorf("has the field %s twice", fn.Quote(spelling))
		}
		seen[strings.ToLower(spelling)] = true
		one := &fn.Scalar{Name: "extract", Resolve: func(args []fn.Arg) (fn.Impl, error) {
			impl, err := extractField(spelling, name, args, 1)
			impl.Args = append([]types.Type{text}, impl.Args...)
			return impl, err
		}}
		fn.Infinite(one, fn.KeepInfinity)
		impl, err := one.Resolve(args)
		if err != nil {
			return impl, err
		}
		in = impl.Args[1]
		fields, parts = append(fields, types.Field{Name: spelling, Type: impl.Result}), append(parts, impl.Eval)
	}
	if len(fields) == 0 {
		return fn.Impl{}, errors.New("needs at least one field")
	}
	impl := fn.Impl{Args: []types.Type{args[0].Type, in}, Result: types.StructOf(fields...)}
	impl.Eval = func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := &vec.Vector{Type: impl.Result, N: rows.N}
		for _, part := range parts {
			v, err := part(c, args, rows)
			if err != nil {
				return nil, err
			}
			out.Child = append(out.Child, vec.Flatten(v))
		}
		return out, nil
	}
	return impl, nil
}

// extractAny is extract of a field that is no constant: a DOUBLE, since some have a fraction.
func extractAny(args []fn.Arg) (fn.Impl, error) {
	t := args[1].Type
	if t.Kind != types.Interval && t.Kind != types.Time {
		var err error
		if t, err = timeArg(args, 1); err != nil {
			return fn.Impl{}, err
		}
	}
	eval := func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(double, rows.N)
		last, field := "", realField(nil)
		err := try(rows, func(r int) error {
			if s := args[0].Text(r); field == nil || s != last {
				last, field = s, findReal(t, s)
			}
			if field == nil {
				return c.Fail(out, r, "extract", fn.Quote(last), "no field of "+t.WithArticle())
			}
			out.F64[r] = field(c, args[1], args[1].Index(r))
			return nil
		})
		return out, err
	}
	return fn.Impl{Args: []types.Type{text, t}, Result: double, Eval: eval}, nil
}

// realField computes a field of element i.
type realField func(c *fn.Ctx, v *vec.Vector, i int) float64

// findReal finds a field of a type by any of its spellings; nil if there is none.
func findReal(t types.Type, spelling string) realField {
	name, _ := fieldName(spelling)
	if t.Kind == types.Interval {
		return realInterval(name)
	}
	if t.Kind == types.Time {
		if _, ok := findClockField(name); !ok && name != "second" && name != "epoch" {
			return nil
		}
	}
	if part, ok := findZoneField(name); ok {
		if t.Kind != types.Timestamp {
			return nil
		}
		return func(c *fn.Ctx, v *vec.Vector, i int) float64 {
			return float64(part(types.ZoneOffset(c.Zone, types.FloorDiv(v.I64[i], types.MicrosPerSecond))))
		}
	}
	switch name {
	case "epoch":
		return func(c *fn.Ctx, v *vec.Vector, i int) float64 { return seconds(instantOf(v, i, c.Zone)) }
	case "second":
		return func(c *fn.Ctx, v *vec.Vector, i int) float64 {
			return seconds(types.FloorMod(local(v, i, c.Zone), types.MicrosPerMinute))
		}
	case "julian":
		return func(c *fn.Ctx, v *vec.Vector, i int) float64 { return julianOf(local(v, i, c.Zone)) }
	}
	field, ok := findField(name)
	if !ok {
		return nil
	}
	return func(c *fn.Ctx, v *vec.Vector, i int) float64 { return float64(field(local(v, i, c.Zone))) }
}

// seconds are microseconds as seconds with their fraction.
func seconds(us int64) float64 { return float64(us) / types.MicrosPerSecond }

func realInterval(name string) realField {
	if name == "epoch" {
		return func(_ *fn.Ctx, v *vec.Vector, i int) float64 {
			us, _ := epochOf(v.Iv[i]).Int64()
			return seconds(us)
		}
	}
	part, ok := intervalField(name)
	switch {
	case !ok:
		return nil
	case name == "second":
		return func(_ *fn.Ctx, v *vec.Vector, i int) float64 { return seconds(part(v.Iv[i])) }
	}
	return func(_ *fn.Ctx, v *vec.Vector, i int) float64 { return float64(part(v.Iv[i])) }
}
