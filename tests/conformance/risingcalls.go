package conformance

import (
	"math"
	"strconv"
	"strings"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// risingCalls are calls that are spelled in another way here.
func risingCalls() map[string]form {
	forms := map[string]form{
		"array_agg": renamed("list"), // keeps NULL
		"jsonb_agg": jsonList,
		"jsonb_object_agg": func(c call) string {
			return "CAST(json_objectagg(" + strings.Join(c.args, ", ") + ")" + c.tail + " AS JSON)"
		},
		"to_char": risingTemplate, "approx_percentile": renamed("quantile_dd"), "concat": renamed("rising_concat"), "regexp_replace": risingReplace, "regexp_matches": risingMatches,
		"substr": risingPart, "substring": risingPart, "log": template(1, "log10($1)"),
		"map_from_key_values": renamed("map_from_arrays"), "extract": risingField, "date_part": risingFieldNamed,
	}
	risingJSON(forms)
	risingTypes(forms)
	return forms
}

// risingReplace is regexp_replace: it replaces the first match without the flag g, and \1 in
// the replacement is a group, \& the whole.
func risingReplace(c call) string {
	if len(c.args) > 2 && strings.HasPrefix(c.args[2], "'") {
		c.args[2] = strings.ReplaceAll(c.args[2], `\&`, `\0`)
	}
	return duckReplaceOnce(c)
}

// risingMatches is regexp_matches: a row for each match, of its groups.
func risingMatches(c call) string {
	if len(c.args) < 2 || len(c.args) > 3 {
		return ""
	}
	flags := ""
	if len(c.args) == 3 {
		flags = ", " + strings.ReplaceAll(c.args[2], "g", "")
	}
	return "explode(transform(regexp_extract_all(" + c.args[0] + ", " + c.args[1] + ", 0" + flags + "), m__ -> regexp_match(m__, " + c.args[1] + flags + ")))"
}

// risingPart is substring: characters of places before the first count, and are not there.
func risingPart(c call) string {
	a := c.partArgs()
	switch {
	case len(a) == 2 && wholeNumber.MatchString(a[1]) && a[1][0] != '-':
		return ""
	case len(a) == 2 && !strings.HasPrefix(a[1], "'"):
		c.args = a
		return c.fill("substring($1, CASE WHEN ($2) < 1 THEN 1 ELSE $2 END)")
	case len(a) != 3 || wholeNumber.MatchString(a[1]) && wholeNumber.MatchString(a[2]) && a[1][0] > '0' && a[2][0] != '-':
		return ""
	}
	from := "CAST((" + a[1] + ") AS BIGINT)"
	end := "(" + from + " + (" + a[2] + "))"
	c.args = []string{a[0], placeOf(from), placeOf(end), a[2]}
	return c.fill("CASE WHEN ($4) < 0 THEN raise_error('a negative length') ELSE substring($1, $2, ($3) - ($2)) END")
}

// placeOf is a place in a text, 1 where it is before the first.
func placeOf(x string) string {
	return "CAST(CASE WHEN " + x + " < 1 THEN 1 WHEN " + x + " > 2147483647 THEN 2147483647 ELSE " + x + " END AS INT)"
}

// risingRow names the fields of a row f1, f2 and so on.
func risingRow(c call) string {
	if len(c.args) == 0 || strings.Contains(strings.Join(c.args, ""), "*") {
		return ""
	}
	var parts []string
	for i, a := range c.args {
		parts = append(parts, "'f"+strconv.Itoa(i+1)+"', "+a)
	}
	return "named_struct(" + strings.Join(parts, ", ") + ")"
}

// risingField is extract(field FROM time): the days of a week count from 0, Sunday.
func risingField(c call) string {
	if len(c.args) == 1 {
		if field, _, ok := cut(c.args[0], "from"); ok && strings.EqualFold(strings.Trim(field, "'"), "dow") {
			return "(" + c.text() + " - 1)"
		}
	}
	return ""
}

func risingFieldNamed(c call) string {
	if len(c.args) == 2 && strings.EqualFold(c.args[0], "'dow'") {
		return "(" + c.text() + " - 1)"
	}
	return ""
}

// risingFunctions give functions the meanings of RisingWave where these depend on types, and
// errors where it has them.
func risingFunctions(r *fn.Registry) {
	risingConcat(r)
	risingCasts(r)
	evenRound(r)
	risingTrunc(r)
	for _, name := range []string{"pow", "exp", "ln", "log10", "gamma", "lgamma", "sqrt"} {
		if f, ok := r.Scalar(name); ok {
			inRange(f)
		}
	}
}

// risingConcat adds concat, which leaves NULL out and writes a BOOLEAN as t or f.
func risingConcat(r *fn.Registry) {
	texts, _ := r.Scalar("concat_ws")
	resolve := func(args []fn.Arg) (fn.Impl, error) {
		blank := vec.FromStrings([]string{""})
		impl, err := texts.Resolve(append([]fn.Arg{{Type: blank.Type, Const: blank}}, args...))
		if err != nil || len(args) == 0 {
			return impl, err
		}
		eval := impl.Eval
		impl.Args = impl.Args[1:]
		for i := range args {
			if args[i].Type.Kind == types.Bool {
				impl.Args[i] = args[i].Type
			}
		}
		impl.Eval = func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
			all := []*vec.Vector{vec.FromStrings(make([]string, rows.N))}
			for _, a := range args {
				all = append(all, letters(a, rows))
			}
			return eval(c, all, rows)
		}
		return impl, nil
	}
	hidden(r, &fn.Scalar{Name: "rising_concat", Nulls: fn.Custom, Resolve: resolve})
}

// letters writes BOOLEAN as t or f, and leaves other columns as they are.
func letters(v *vec.Vector, rows fn.Rows) *vec.Vector {
	if v.Type.Kind != types.Bool {
		return v
	}
	b := vec.NewBuilder(types.Of(types.String))
	for i := range rows.N {
		if v.IsNull(i) {
			b.AppendNull()
			continue
		}
		b.AppendString(vec.RowString(v, i, nil)[:1])
	}
	return b.Finish()
}

// evenRound rounds a DOUBLE in the middle to the even neighbour.
func evenRound(r *fn.Registry) {
	round, _ := r.Scalar("round")
	even, _ := r.Scalar("rint")
	other := round.Resolve
	round.Resolve = func(args []fn.Arg) (fn.Impl, error) {
		if len(args) == 1 && (args[0].Type.IsFloat() || args[0].Type.Kind == types.String) {
			return even.Resolve(args)
		}
		return other(args)
	}
}

// inRange makes what is out of the range of a function an error, where it is NULL, infinite or
// vanishes here.
func inRange(f *fn.Scalar) {
	other := f.Resolve
	f.Resolve = func(args []fn.Arg) (fn.Impl, error) {
		impl, err := other(args)
		if err != nil {
			return impl, err
		}
		eval := impl.Eval
		impl.Total, impl.Safe = false, false
		impl.Eval = func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
			out, err := eval(c, args, rows)
			for i := 0; err == nil && i < rows.Len(); i++ {
				if r := rows.At(i); outOfRange(f.Name, out, args, r) {
					return nil, &wrongRange{f.Name}
				}
			}
			return out, err
		}
		return impl, nil
	}
}

// wrongRange is the error of a value out of range.
type wrongRange struct{ name string }

// Error implements error.
func (e *wrongRange) Error() string { return e.name + ": out of range" }

func outOfRange(name string, out *vec.Vector, args []*vec.Vector, r int) bool {
	finite, base := true, 1.0
	for i, a := range args {
		if a.IsNull(r) || !a.Type.IsFloat() {
			return false
		}
		f, k := a.At(r)
		x := f.Float(k)
		if math.IsNaN(x) {
			return false
		}
		finite = finite && !math.IsInf(x, 0)
		if i == 0 {
			base = x
		}
	}
	if out.IsNull(r) {
		return true
	}
	f, k := out.At(r)
	y := f.Float(k)
	switch {
	case math.IsNaN(y):
		return true
	case math.IsInf(y, 0):
		return finite
	}
	return y == 0 && finite && math.Abs(base) >= 1 && (name == "pow" || name == "power" || name == "exp" || name == "gamma")
}
