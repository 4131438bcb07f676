package scalar

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/fn/cast"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// decimalOf is the type of a series of DECIMAL: that of its bounds and its step; not ok if one
// of them is no exact number, or none a DECIMAL.
func decimalOf(args []fn.Arg) (types.Type, bool) {
	t, found := types.DecimalOf(1, 0), false
	for _, a := range args {
		switch {
		case a.Type.Kind == types.Null:
			continue
		case !a.Type.IsInteger() && a.Type.Kind != types.Decimal:
			return t, false
		}
		found = found || a.Type.Kind == types.Decimal
		t = types.WiderDecimal(t, types.AsDecimal(a.Type))
	}
	return t, found && len(args) < 4
}

// decimals appends the series of DECIMAL of a row, in steps of 1 if there is no other.
func (s series) decimals(out *vec.Builder, name string, open bool, args []*vec.Vector, r int) error {
	from, to, step := decimalAt(args[0], r), decimalAt(args[1], r), types.Pow10(int(s.elem.Scale))
	if len(args) == 3 {
		step = decimalAt(args[2], r)
	}
	fail := func(msg string) error {
		return bounds{name: name, row: r, shown: vec.RowString(args[0], r, nil) + " to " + vec.RowString(args[1], r, nil)}.fail(msg)
	}
	sign := step.Sign()
	if sign == 0 {
		return fail("the step is zero")
	}
	for n := 0; ; n++ {
		if c := from.Cmp(to) * sign; c > 0 || c == 0 && open {
			return nil
		}
		if n > maxElements {
			return fail(tooMany)
		}
		out.AppendInt128(from)
		next, ok := from.Add(step)
		if !ok {
			return nil
		}
		from = next
	}
}

func decimalAt(v *vec.Vector, r int) types.Int128 {
	f, i := v.At(r)
	return cast.DecimalAt(f, i)
}
