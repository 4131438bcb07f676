package conformance

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// duckTimeTexts adds duck_text and duck_strftime, which write times as DuckDB does.
func duckTimeTexts(r *fn.Registry) {
	product, _ := r.Scalar("strftime")
	for name, f := range map[string]func([]fn.Arg) (fn.Impl, error){
		"duck_text":     timeTextOf,
		"duck_strftime": func(args []fn.Arg) (fn.Impl, error) { return duckStrftime(product, args) },
	} {
		hidden(r, &fn.Scalar{Name: name, Resolve: f})
	}
}

var duckTextTypes = map[string]bool{"varchar": true, "text": true, "string": true}

// duckTextCasts writes casts to text: duck_text makes that of a time theirs.
func duckTextCasts(sql string) string {
	toks := tokens(sql)
	var list []inserted
	for i, t := range toks {
		switch {
		case t.text == "::" && i > 0 && i+1 < len(toks) && duckTextTypes[strings.ToLower(toks[i+1].text)]:
			if from := operandStart(toks, i); from != i-1 || toks[from].kind != text && toks[from].kind != number {
				list = append(list, textCast(toks, i+1, from, i-1)...)
			}
		case (t.is("cast") || t.is("try_cast")) && i+1 < len(toks) && toks[i+1].text == "(":
			end := closing(toks, i+1)
			if k := end - 2; end < len(toks) && k > i+2 && toks[k].is("as") && duckTextTypes[strings.ToLower(toks[k+1].text)] {
				list = append(list, textCast(toks, k+1, i+2, k-1)...)
			}
		}
	}
	return insertAll(sql, list)
}

// textCast is what a cast of toks[from:to+1] to the type at i needs, nothing for a list of it.
func textCast(toks []token, i, from, to int) []inserted {
	if i+1 < len(toks) && (toks[i+1].text == "[" || toks[i+1].text == "(") {
		return nil
	}
	return []inserted{{toks[from].start, "duck_text("}, {toks[to].end, ")"}}
}

// eachText makes a text of each value.
func eachText(t types.Type, write func(v *vec.Vector, row int, zone *time.Location) string) fn.Impl {
	return fn.Impl{Args: []types.Type{t}, Result: types.Of(types.String), Eval: func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := vec.NewBuilder(types.Of(types.String))
		for i := range rows.N {
			if args[0].IsNull(i) {
				out.AppendNull()
				continue
			}
			out.AppendString(write(args[0], i, c.Zone))
		}
		return out.Finish(), nil
	}}
}

// timeTextOf is the text of a date, a timestamp, bytes or a nested value; what is none is left as it is.
func timeTextOf(args []fn.Arg) (fn.Impl, error) {
	if len(args) != 1 {
		return fn.Impl{}, fmt.Errorf("needs one argument")
	}
	t, text := args[0].Type, types.Of(types.String)
	if t.IsNested() || t.Kind == types.Bytes {
		return eachText(t, duckValueText), nil
	}
	if !t.IsTime() {
		return unchanged(t), nil
	}
	return fn.Impl{Args: []types.Type{t}, Result: text, Eval: func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := vec.NewBuilder(text)
		for i := range rows.N {
			if args[0].IsNull(i) {
				out.AppendNull()
				continue
			}
			s := vec.RowString(args[0], i, c.Zone)
			if x := args[0].Int(i); t.Kind.Infinite(x) == 0 {
				if s = duckEras(s); t.Kind == types.Timestamp {
					s += duckOffset(x, c.Zone)
				}
			}
			out.AppendString(s)
		}
		return out.Finish(), nil
	}}, nil
}

// duckStrftime is strftime, whose %Z is the name of the zone, %z an offset with its seconds, %Y
// as short as can be before Christ, %y without a sign there, and %C an error.
func duckStrftime(product *fn.Scalar, args []fn.Arg) (fn.Impl, error) {
	impl, err := product.Resolve(slices.Clone(args))
	if err != nil || len(args) != 2 {
		return impl, err
	}
	at, format := 0, 1
	if impl.Args[1].IsTime() {
		at, format = 1, 0
	}
	k := impl.Args[at].Kind
	if args[format].Const != nil {
		list := slices.Clone(args)
		list[format].Const = nil // another one in each row
		if impl, err = product.Resolve(list); err != nil {
			return impl, err
		}
	}
	eval := impl.Eval
	impl.Eval = func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		formats := make([]string, rows.N)
		for i := range rows.Len() {
			r := rows.At(i)
			if args[at].IsNull(r) || args[format].IsNull(r) {
				continue
			}
			f, ok := duckFormat(args[format].Text(r), duckMoment(k, args[at].Int(r), c.Zone))
			if !ok {
				return nil, fmt.Errorf("strftime: no format %s", args[format].Text(r))
			}
			formats[r] = f
		}
		args = slices.Clone(args)
		args[format] = vec.FromStrings(formats)
		return eval(c, args, rows)
	}
	return impl, nil
}

// duckMoment is a time on its clock, that of an instant in zone.
func duckMoment(k types.Kind, x int64, zone *time.Location) time.Time {
	switch {
	case k.Infinite(x) != 0:
		return time.Time{}
	case k == types.Date:
		return time.UnixMicro(x * types.MicrosPerDay).UTC()
	case k == types.Timestamp:
		return time.UnixMicro(x).In(zone)
	}
	return time.UnixMicro(x).In(time.FixedZone("", 0))
}

// duckFormat puts into a format what strftime writes in another way; false if it has a %C.
func duckFormat(f string, at time.Time) (string, bool) {
	var out strings.Builder
	for i := 0; i < len(f); i++ {
		if f[i] != '%' || i+1 == len(f) {
			out.WriteByte(f[i])
			continue
		}
		i++
		_, off := at.Zone()
		switch {
		case f[i] == 'C':
			return "", false
		case f[i] == 'Z' && at.Location().String() != "UTC":
			out.WriteString(at.Location().String())
		case f[i] == 'z' && off%60 != 0:
			out.WriteString(at.Format("-07:00:00"))
		case f[i] == 'Y' && at.Year() < 0:
			out.WriteString(strconv.Itoa(at.Year()))
		case f[i] == 'y' && at.Year() < 0:
			fmt.Fprintf(&out, "%02d", -at.Year()%100)
		default:
			out.WriteString(f[i-1 : i+1])
		}
	}
	return out.String(), true
}

// duckDates gives a difference of dates as a number of days, and make_date the fields of a
// struct.
func duckDates(r *fn.Registry) {
	minus, _ := r.Scalar("-")
	between := minus.Resolve
	minus.Resolve = func(args []fn.Arg) (fn.Impl, error) {
		if len(args) == 2 && args[0].Type.Kind == types.Date && args[1].Type.Kind == types.Date {
			day := types.Of(types.Date)
			return fn.Impl{Args: []types.Type{day, day}, Result: types.Of(types.Int64), Eval: daysBetween}, nil
		}
		return between(args)
	}
	date, _ := r.Scalar("make_date")
	of := date.Resolve
	date.Resolve = func(args []fn.Arg) (fn.Impl, error) {
		if len(args) != 1 || args[0].Type.Kind != types.Struct || len(args[0].Type.Fields) != 3 {
			return of(args)
		}
		whole := types.Of(types.Int64)
		impl, err := of([]fn.Arg{{Type: whole}, {Type: whole}, {Type: whole}})
		if err != nil {
			return impl, err
		}
		eval, parts := impl.Eval, args[0].Type
		impl.Args = []types.Type{parts}
		impl.Eval = func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
			return dateOfFields(c, eval, args[0], rows)
		}
		return impl, nil
	}
}

// dateOfFields makes dates of the fields of a struct, NULL where one of them is.
func dateOfFields(c *fn.Ctx, eval fn.Kernel, v *vec.Vector, rows fn.Rows) (*vec.Vector, error) {
	in := vec.Flatten(v)
	var parts []*vec.Vector
	var some []int32
	for i := range rows.Len() {
		if r := rows.At(i); !in.IsNull(r) && !in.Child[0].IsNull(r) && !in.Child[1].IsNull(r) && !in.Child[2].IsNull(r) {
			some = append(some, int32(r))
		}
	}
	for _, child := range in.Child {
		b := vec.NewBuilder(types.Of(types.Int64))
		for r := range rows.N {
			if child.IsNull(r) {
				b.AppendInt(0)
				continue
			}
			f, at := child.At(r)
			b.AppendInt(f.Int(at))
		}
		parts = append(parts, b.Finish())
	}
	days := vec.Nulls(types.Of(types.Date), rows.N)
	if len(some) == 0 {
		return days, nil
	}
	made, err := eval(c, parts, fn.Rows{N: rows.N, Sel: some})
	if err != nil {
		return nil, err
	}
	out := vec.NewBuilder(types.Of(types.Date))
	next := 0
	for r := range rows.N {
		if next < len(some) && int(some[next]) == r {
			out.AppendFrom(made, r)
			next++
			continue
		}
		out.AppendNull()
	}
	return out.Finish(), nil
}

func daysBetween(_ *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
	out := vec.NewBuilder(types.Of(types.Int64))
	for r := range rows.N {
		if args[0].IsNull(r) || args[1].IsNull(r) {
			out.AppendNull()
			continue
		}
		a, b := args[0].Int(r), args[1].Int(r)
		if types.Date.Infinite(a) != 0 || types.Date.Infinite(b) != 0 {
			return nil, fmt.Errorf("-: infinity is no distance away")
		}
		out.AppendInt(a - b)
	}
	return out.Finish(), nil
}
