package conformance

import (
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// risingWholes writes casts to integers, which round there.
func risingWholes(sql string) string { return wholesBy(sql, "rising_whole") }

// risingCasts adds what depends on the type of a value: the rounding of casts, BYTEA in JSON,
// the depth of an array that is NULL.
func risingCasts(r *fn.Registry) {
	for _, s := range []*fn.Scalar{
		{Name: "rising_whole", Resolve: func(args []fn.Arg) (fn.Impl, error) { return wholesOf(r, args[0].Type) }},
		{Name: "rising_json", Resolve: hexInJSON},
		{Name: "rising_bytes", Resolve: bytesAlone},
		{Name: "rising_ndims", Nulls: fn.Custom, Resolve: depthOf},
	} {
		hidden(r, s)
	}
}

// wholesOf rounds a DOUBLE to the even neighbour and a DECIMAL away from zero, also in arrays.
func wholesOf(r *fn.Registry, t types.Type) (fn.Impl, error) {
	name := ""
	switch {
	case t.Kind == types.Array:
		elem, err := wholesOf(r, *t.Elem)
		return wholeElements(t, elem), err
	case t.IsFloat():
		name = "rint"
	case t.Kind == types.Decimal && t.Scale > 0:
		name = "round"
	default:
		return unchanged(t), nil
	}
	f, _ := r.Scalar(name)
	impl, err := f.Resolve([]fn.Arg{{Type: t}})
	if t.Kind == types.Float32 {
		impl.Args = []types.Type{types.Of(types.Float64)}
	}
	return impl, err
}

// wholeElements rounds the elements of arrays.
func wholeElements(t types.Type, elem fn.Impl) fn.Impl {
	if elem.Args[0].Kind != t.Elem.Kind || elem.Result.Equal(*t.Elem) && !t.Elem.IsFloat() {
		return unchanged(t)
	}
	eval := func(c *fn.Ctx, args []*vec.Vector, _ fn.Rows) (*vec.Vector, error) {
		out := *vec.Flatten(args[0])
		in := out.Child[0]
		elems, err := elem.Eval(c, []*vec.Vector{in}, fn.Rows{N: in.N})
		if err != nil {
			return nil, err
		}
		b := vec.NewBuilder(elem.Result)
		for i := range in.N {
			if in.IsNull(i) {
				b.AppendNull()
				continue
			}
			b.AppendFrom(elems, i)
		}
		out.Type, out.Child = types.ArrayOf(elem.Result), []*vec.Vector{b.Finish()}
		return &out, nil
	}
	return fn.Impl{Args: []types.Type{t}, Result: types.ArrayOf(elem.Result), Eval: eval}
}

// hexInJSON writes BYTEA as text, \x and digits, and leaves other values as they are.
func hexInJSON(args []fn.Arg) (fn.Impl, error) {
	t := args[0].Type
	if t.Kind != types.Bytes {
		return unchanged(t), nil
	}
	impl := eachValue(types.Of(types.String), func(b *vec.Builder, args []*vec.Vector, r int) {
		f, k := args[0].At(r)
		b.AppendString(`\x` + hex.EncodeToString(f.Bytes(k)))
	})
	impl.Args = []types.Type{t}
	return impl, nil
}

// bytesAlone is its argument if that is BYTEA.
func bytesAlone(args []fn.Arg) (fn.Impl, error) {
	if t := args[0].Type; t.Kind != types.Bytes && t.Kind != types.Null {
		return fn.Impl{}, fmt.Errorf("needs BYTEA, got %s", t)
	}
	return unchanged(types.Of(types.Bytes)), nil
}

// depthOf is array_ndims, of a NULL too: the depth that the type has.
func depthOf(args []fn.Arg) (fn.Impl, error) {
	t, depth := args[0].Type, int64(0)
	for e := &t; e.Kind == types.Array; e = e.Elem {
		depth++
	}
	if depth == 0 {
		return fn.Impl{}, fmt.Errorf("needs an array, got %s", t)
	}
	return fn.Impl{Args: []types.Type{t}, Result: types.Of(types.Int32), Eval: func(_ *fn.Ctx, _ []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		b := vec.NewBuilder(types.Of(types.Int32))
		for range rows.N {
			b.AppendInt(depth)
		}
		return b.Finish(), nil
	}}, nil
}

// risingTypes are calls whose arguments have a narrower type there, or another meaning by type.
func risingTypes(forms map[string]form) {
	for _, name := range []string{"crc32", "crc32c"} {
		forms[name] = func(c call) string {
			if len(c.args) != 1 {
				return ""
			}
			c.args = append(c.args, "")
			if with := byteaFirst(c); with != "" {
				return c.name + "(" + c.args[0] + ")"
			}
			return c.name + "(rising_bytes(" + c.args[0] + "))"
		}
	}
	forms["jsonb_build_object"] = func(c call) string {
		for i, a := range c.args {
			if i%2 == 1 && !strings.Contains(a, "*") {
				c.args[i] = "rising_json(" + a + ")"
			}
		}
		return c.text()
	}
	forms["array_ndims"] = renamed("rising_ndims")
	forms["booleq"], forms["boolne"] = template(2, "(CAST($1 AS BOOLEAN) = CAST($2 AS BOOLEAN))"), template(2, "(CAST($1 AS BOOLEAN) <> CAST($2 AS BOOLEAN))")
	forms["arg_min"], forms["arg_max"] = firstOrdered("min_by", ""), firstOrdered("max_by", " DESC")
	for _, name := range []string{"make_date", "make_timestamp", "make_timestamptz"} {
		forms[name] = yearsWithoutZero
	}
	forms["int8send"] = template(1, "decode(lpad(to_hex(CAST($1 AS BIGINT)), 16, '0'), 'hex')")
	forms["int8recv"] = func(c call) string {
		if len(c.args) != 1 {
			return ""
		}
		return c.fill("CASE WHEN octet_length($1) = 8 THEN CAST(conv(encode(rising_bytes($1), 'hex'), 16, -10) AS BIGINT) ELSE raise_error('not 8 bytes') END")
	}
	forms["regexp_count"] = placedFlags
}

// placedFlags is regexp_count(text, pattern, start, flags), without the flag g.
func placedFlags(c call) string {
	if len(c.args) == 3 && strings.HasPrefix(c.args[2], "'") || len(c.args) == 4 && strings.HasPrefix(c.args[3], "'") && strings.Contains(c.args[3], "g") {
		return "raise_error('start is an integer, and g no flag')"
	}
	return ""
}

// firstOrdered is arg_min(a, b ORDER BY c): of rows of one b the first by c.
func firstOrdered(name, direction string) form {
	return func(c call) string {
		if len(c.args) != 2 {
			return renamed(name)(c)
		}
		b, order, ok := strings.Cut(orderBy.ReplaceAllString(c.args[1], "\x00"), "\x00")
		if !ok || c.tail != "" {
			return ""
		}
		return "first_value(" + c.args[0] + " ORDER BY " + b + direction + " NULLS LAST, " + order + ") FILTER (WHERE (" + b + ") IS NOT NULL)"
	}
}

var orderBy = regexp.MustCompile(`(?i)\border\s+by\b`)

// yearsWithoutZero is make_date and its like: the year before 1 is -1.
func yearsWithoutZero(c call) string {
	if len(c.args) < 3 || !strings.HasPrefix(c.args[0], "-") && c.args[0] != "0" {
		return ""
	}
	c.args[0] = "CASE WHEN (" + c.args[0] + ") = 0 THEN CAST(raise_error('there is no year 0') AS INT) ELSE (" + c.args[0] + ") + 1 END"
	return c.text()
}

// withRoots spells |/ a and ||/ a, the square and the cube root.
func withRoots(sql string) string {
	for {
		toks := tokens(sql)
		i := 0
		for i+2 < len(toks) && !((toks[i].text == "|" || toks[i].text == "||") && toks[i+1].text == "/" && toks[i].end == toks[i+1].start) && toks[i].text != "|/" && toks[i].text != "||/" {
			i++
		}
		if i+2 >= len(toks) {
			return sql
		}
		name, op := "sqrt(", i
		if strings.HasPrefix(toks[i].text, "||") {
			name = "cbrt("
		}
		if toks[i+1].text == "/" {
			op = i + 1
		}
		to := operandEnd(toks, op+1)
		sql = sql[:toks[i].start] + name + sql[toks[op].end:toks[to].end] + ")" + sql[toks[to].end:]
	}
}

var fieldOfRow = regexp.MustCompile(`^f\d+$`)

// rowFields names the fields of (ROW(…)).f1, which are f1, f2 and so on.
func rowFields(sql string) string {
	toks := tokens(sql)
	e := edits{sql: sql}
	for i := 1; i+1 < len(toks); i++ {
		if !toks[i].is("row") || toks[i-1].text != "(" || toks[i+1].text != "(" {
			continue
		}
		end := closing(toks, i+1)
		if end+3 >= len(toks) || toks[end+1].text != ")" || toks[end+2].text != "." || !fieldOfRow.MatchString(toks[end+3].text) {
			continue
		}
		c := call{name: "row"}
		for _, a := range splitAt(toks[i+2:end], toks[i+1].depth+1) {
			c.args = append(c.args, span(sql, a))
		}
		if with := risingRow(c); with != "" {
			e.replace(toks[i].start, toks[end].end, with)
		}
	}
	return e.done()
}

// listToOne reports (a, b) = x, of an x that is no row.
func listToOne(toks []token) bool {
	for i := 1; i+2 < len(toks); i++ {
		if toks[i].text == "=" && toks[i].depth == 0 && toks[i-1].text == ")" && toks[i+1].text != "(" && !toks[i+1].is("row") {
			return true
		}
	}
	return false
}

var strictMode = regexp.MustCompile(`(?is)^\s*set\s+batch_expr_strict_mode\s*(?:=|to)\s*(\w+)`)

// strict runs SET batch_expr_strict_mode: without it errors in data are NULL.
func (r *runner) strict(sql string) {
	m := strictMode.FindStringSubmatch(sql)
	if m == nil || r.d.flavor != postgresText {
		return
	}
	mode := map[bool]string{true: "null", false: "fail"}[strings.EqualFold(m[1], "false")]
	if err := run(r.ctx, r.batch, "SET eval_error = '"+mode+"'"); err != nil {
		panic(err) // a setting of the product
	}
}
