package conformance

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/fn/cast"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// felderaFunctions give operators the meanings of the suite where these depend on types,
// and add what its forms use. Each is made of functions of the product, or prints.
func felderaFunctions(r *fn.Registry) {
	for _, name := range []string{"+", "-"} {
		wholeDays(r, name)
		clocksTurn(r, name)
	}
	for _, name := range strings.Fields("= <> < <= > >= + - * /") {
		realBeside(r, name)
	}
	dateStays(r)
	for _, name := range strings.Fields("make_date make_time make_timestamp split_part") {
		nullIfNone(r, name)
	}
	divideAll(r)
	slash, _ := r.Scalar("/")
	hidden(r, &fn.Scalar{Name: "feldera_try_divide", Resolve: slash.Resolve})
	nullIfNone(r, "feldera_try_divide")
	for _, name := range strings.Fields("acosh atanh") {
		noNaN(r, name)
	}
	for _, name := range strings.Fields("floor ceil") {
		boundsStay(r, name)
	}
	for name, resolve := range map[string]func(fn.Arg, []fn.Arg) (fn.Impl, bool){
		"feldera_text": feldText, "feldera_bool": feldBool, "feldera_ms": feldMs, "feldera_number": feldNumber, "feldera_cut": feldCut,
		"feldera_big": feldBig, "feldera_binary": feldBinary, "feldera_units": feldUnits, "feldera_interval_text": feldIntervalText,
		"feldera_interval_count": feldIntervalCount, "feldera_spread": feldSpread, "feldera_variant": feldVariant, "feldera_like": feldLike,
	} {
		add(r, name, resolve)
	}
}

// add adds a function whose first argument decides what it does; it is that argument
// where resolve does not know the type.
func add(r *fn.Registry, name string, resolve func(fn.Arg, []fn.Arg) (fn.Impl, bool)) {
	hidden(r, &fn.Scalar{Name: name, Nulls: fn.Custom, Resolve: func(args []fn.Arg) (fn.Impl, error) {
		if len(args) == 0 || args[0].Body != nil {
			return fn.Impl{}, fmt.Errorf("needs a value")
		}
		impl, ok := resolve(args[0], args)
		if !ok {
			impl = unchanged(args[0].Type)
			impl.Args, impl.Total, impl.Monotone, impl.MonotoneFixed = nil, true, []int{0}, []int{0}
		}
		if impl.Args == nil {
			for _, a := range args {
				impl.Args = append(impl.Args, a.Type)
			}
		}
		return impl, nil
	}})
}

// feldText is a value as text: BYTES in hexadecimal digits, a BOOLEAN in capitals.
func feldText(a fn.Arg, _ []fn.Arg) (fn.Impl, bool) {
	text := types.Of(types.String)
	switch a.Type.Kind {
	case types.Bytes:
		return eachValue(text, func(b *vec.Builder, args []*vec.Vector, r int) {
			b.AppendString(hex.EncodeToString([]byte(args[0].Text(r))))
		}), true
	case types.JSON:
		return eachValue(text, func(b *vec.Builder, args []*vec.Vector, r int) {
			var s string
			if x := args[0].Text(r); json.Unmarshal([]byte(x), &s) == nil {
				b.AppendString(s)
			} else if x == "null" || strings.ContainsAny(x[:1], "[{") {
				b.AppendNull()
			} else {
				b.AppendString(x)
			}
		}), true
	case types.Bool:
		return eachValue(text, func(b *vec.Builder, args []*vec.Vector, r int) {
			b.AppendString(strings.ToUpper(vec.RowString(args[0], r, nil)))
		}), true
	}
	return fn.Impl{}, false
}

// feldVariant is a value that CAST to JSON takes as what it is: a text is no JSON text.
func feldVariant(a fn.Arg, _ []fn.Arg) (fn.Impl, bool) {
	return eachValue(types.Of(types.String), func(b *vec.Builder, args []*vec.Vector, r int) {
		x := args[0].Text(r)
		if a.Type.Kind == types.Bytes {
			x = hex.EncodeToString([]byte(x))
		}
		text, _ := json.Marshal(x)
		b.AppendBytes(text)
	}), a.Type.Kind == types.String || a.Type.Kind == types.Bytes
}

// feldBool is a text that CAST to BOOLEAN takes only if it is true or false.
func feldBool(a fn.Arg, _ []fn.Arg) (fn.Impl, bool) {
	return eachValue(a.Type, func(b *vec.Builder, args []*vec.Vector, r int) {
		s := strings.TrimSpace(args[0].Text(r))
		if !strings.EqualFold(s, "true") && !strings.EqualFold(s, "false") {
			s = "not true or false: " + s
		}
		b.AppendString(s)
	}), a.Type.Kind == types.String
}

// feldMs is a number of ms as a time, which has whole seconds.
func feldMs(a fn.Arg, _ []fn.Arg) (fn.Impl, bool) {
	impl := eachValue(types.Of(types.Timestamp), func(b *vec.Builder, args []*vec.Vector, r int) {
		b.AppendInt(types.FloorDiv(args[0].Int(r), 1000) * types.MicrosPerSecond)
	})
	impl.Args = []types.Type{types.Of(types.Int64)}
	return impl, a.Type.IsNumeric()
}

// feldNumber is a time as a number of ms.
func feldNumber(a fn.Arg, _ []fn.Arg) (fn.Impl, bool) {
	return eachValue(types.Of(types.Int64), func(b *vec.Builder, args []*vec.Vector, r int) {
		b.AppendInt(types.FloorDiv(args[0].Int(r), 1000))
	}), a.Type.Kind == types.Timestamp || a.Type.Kind == types.TimestampNTZ
}

// feldCut drops the digits after the n-th.
func feldCut(a fn.Arg, args []fn.Arg) (fn.Impl, bool) {
	n := int(args[1].Const.Int(0))
	switch {
	case a.Type.Kind == types.Decimal && int(a.Type.Scale) > n:
		return eachValue(types.DecimalOf(int(a.Type.Prec)-int(a.Type.Scale)+n, n), func(b *vec.Builder, args []*vec.Vector, r int) {
			f, i := args[0].At(r)
			x := types.Int128From(0)
			if f.I128 != nil {
				x = f.I128[i]
			} else {
				x = types.Int128From(f.I64[i])
			}
			q, _, _ := x.QuoRem(types.Pow10(int(a.Type.Scale) - n))
			appendDecimal(b, q)
		}), true
	case a.Type.IsFloat():
		return eachValue(types.Of(types.Float64), func(b *vec.Builder, args []*vec.Vector, r int) {
			f, i := args[0].At(r)
			b.AppendFloat(truncated10(f.F64[i], n))
		}), true
	}
	return fn.Impl{}, false
}

// feldBig is an integer as BIGINT, NULL for other numbers.
func feldBig(a fn.Arg, _ []fn.Arg) (fn.Impl, bool) {
	big := types.Of(types.Int64)
	if a.Type.IsInteger() {
		impl := eachValue(big, func(b *vec.Builder, args []*vec.Vector, r int) { b.AppendInt(args[0].Int(r)) })
		return impl, true
	}
	return eachValue(big, func(b *vec.Builder, _ []*vec.Vector, _ int) { b.AppendNull() }), true
}

// feldBinary is a value as n bytes at most, or as just n: an integer ends with the last of
// its bytes, others begin with their first.
func feldBinary(a fn.Arg, args []fn.Arg) (fn.Impl, bool) {
	n := int(args[1].Const.Int(0))
	pad := args[2].Const.Bool[0] != 0
	width := map[types.Kind]int{types.Int8: 1, types.Int16: 2, types.Int32: 4, types.Int64: 8}[a.Type.Kind]
	return eachValue(types.Of(types.Bytes), func(b *vec.Builder, args []*vec.Vector, r int) {
		if width == 0 {
			s := args[0].Text(r)
			s = s[:min(n, len(s))]
			if pad {
				s += strings.Repeat("\x00", n-len(s))
			}
			b.AppendString(s)
			return
		}
		x, out := uint64(args[0].Int(r)), []byte{}
		for i := width - 1; i >= 0; i-- {
			out = append(out, byte(x>>(8*i)))
		}
		if out = out[max(0, len(out)-n):]; pad && len(out) < n {
			out = append(make([]byte, n-len(out)), out...)
		}
		b.AppendBytes(out)
	}), true
}

// feldSpread chooses between a variance of integers in integers, and that of the product,
// cut off to the digits of a DECIMAL. Its last two arguments are these, the others tell
// the type.
func feldSpread(a fn.Arg, args []fn.Arg) (fn.Impl, bool) {
	n := len(args)
	pick, t := n-1, args[n-1].Type
	whole := true
	for _, w := range args[:n-2] {
		whole = whole && w.Type.IsInteger()
	}
	digits := -1
	switch {
	case a.Type.Kind == types.Float32 && n == 3:
		t = a.Type
	case whole:
		pick, t = n-2, args[n-2].Type
	case a.Type.Kind == types.Decimal && n == 3 && t.IsFloat():
		digits = int(a.Type.Scale)
	}
	return fn.Impl{Result: t, Eval: func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		if digits < 0 && t.Kind == args[pick].Type.Kind {
			return args[pick], nil
		}
		if digits < 0 {
			return cast.Kernel(args[pick].Type, t, false)(c, args[pick:pick+1], rows)
		}
		return eachValue(t, func(b *vec.Builder, args []*vec.Vector, r int) {
			f, i := args[0].At(r)
			b.AppendFloat(truncated10(f.F64[i], digits))
		}).Eval(c, args[pick:], rows)
	}}, true
}

// feldLike is its second argument, as a DATE if the first is one.
func feldLike(a fn.Arg, args []fn.Arg) (fn.Impl, bool) {
	impl := fn.Impl{Result: args[1].Type, Monotone: []int{0, 1}, MonotoneFixed: []int{0, 1}} // only the type of the first counts
	if a.Type.Kind == types.Date {
		impl.Result = a.Type
	}
	impl.Eval = func(c *fn.Ctx, list []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		return cast.Kernel(args[1].Type, impl.Result, false)(c, list[1:], rows)
	}
	return impl, true
}
