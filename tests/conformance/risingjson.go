package conformance

import (
	"strings"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// risingJSON are the calls of JSON, and of what else has a narrower type of argument there.
func risingJSON(forms map[string]form) {
	for _, name := range []string{"jsonb_array_elements", "jsonb_array_elements_text"} {
		forms[name] = ofKind("array")
	}
	for _, name := range []string{"jsonb_each", "jsonb_each_text"} {
		forms[name] = ofKind("object")
	}
	forms["jsonb_array_length"] = func(c call) string {
		c.name = "json_array_length"
		return ofKind("array")(c)
	}
	forms["jsonb_object_keys"] = func(c call) string {
		c.name = "json_object_keys"
		return "explode(" + ofKind("object")(c) + ")"
	}
	for _, name := range []string{"array_overlaps", "array_is_overlap", "array_is_intersect"} {
		forms[name] = renamed("list_has_any")
	}
	for _, name := range []string{"convert_from", "encode"} {
		forms[name] = byteaFirst
	}
	forms["jsonb_populate_record"], forms["jsonb_populate_map"] = populated, populated
	forms["to_jsonb"] = namedRows
	forms["date_trunc"] = renamed("rising_trunc")
}

// ofKind is a call whose argument is an error if it is JSON of another kind.
func ofKind(kind string) form {
	return func(c call) string {
		if len(c.args) != 1 {
			return ""
		}
		c.args[0] = "CASE WHEN json_typeof(" + c.args[0] + ") = '" + kind + "' OR (" + c.args[0] + ") IS NULL THEN " + c.args[0] + " ELSE raise_error('not an " + kind + "') END"
		return c.text()
	}
}

// byteaFirst is a call whose first argument is BYTEA, also as a literal.
func byteaFirst(c call) string {
	if len(c.args) != 2 || !strings.HasPrefix(c.args[0], "'") {
		return ""
	}
	if toks := tokens(c.args[0]); len(toks) != 1 {
		return ""
	}
	if hex, ok := byteaText(c.args[0]); ok {
		c.args[0] = hex
	} else {
		c.args[0] = "CAST(" + c.args[0] + " AS BYTES)"
	}
	return c.text()
}

// populated is jsonb_populate_record(NULL::type, json): the type says what it is.
func populated(c call) string {
	if len(c.args) != 2 {
		return ""
	}
	i := strings.Index(c.args[0], "::")
	if i < 0 || !strings.EqualFold(strings.TrimSpace(c.args[0][:i]), "null") {
		return ""
	}
	t := c.args[0][i+2:]
	if strings.HasPrefix(strings.ToLower(t), "map(") {
		t = "MAP<" + t[len("map("):len(t)-1] + ">"
	}
	return "CAST(" + c.args[1] + " AS " + t + ")" + c.tail
}

// namedRows is to_jsonb: the fields of a row are called f1, f2 and so on.
func namedRows(c call) string {
	d := dialect{callForms: map[string]form{"row": risingRow}}
	for i, a := range c.args {
		c.args[i] = "rising_json(" + d.reform(a) + ")"
	}
	return c.text()
}

// risingTrunc adds date_trunc with the centuries of PostgreSQL, which begin with their year 1.
func risingTrunc(r *fn.Registry) {
	base, _ := r.Scalar("date_trunc")
	resolve := func(args []fn.Arg) (fn.Impl, error) {
		impl, err := base.Resolve(args)
		if err != nil || !impl.Result.IsTime() {
			return impl, err
		}
		eval := impl.Eval
		impl.Eval = func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
			shifted := make([]int64, rows.N)
			long := make([]bool, rows.N)
			for i := range rows.Len() {
				at := rows.At(i)
				unit := strings.ToLower(args[0].Text(at))
				long[at] = unit == "century" || unit == "millennium"
				if shifted[at] = args[1].Int(at); long[at] {
					shifted[at] = yearLater(shifted[at], -1)
				}
			}
			with := append([]*vec.Vector{args[0], {Type: args[1].Type, N: rows.N, I64: shifted}}, args[2:]...)
			out, err := eval(c, with, rows)
			if err != nil {
				return nil, err
			}
			moved := make([]int64, rows.N)
			for i := range rows.Len() {
				at := rows.At(i)
				if moved[at] = out.Int(at); long[at] {
					moved[at] = yearLater(moved[at], 1)
				}
			}
			res := &vec.Vector{Type: out.Type, N: rows.N, I64: moved}
			for i := range rows.Len() {
				if at := rows.At(i); out.IsNull(at) {
					res.SetNull(at)
				}
			}
			return res, nil
		}
		return impl, nil
	}
	hidden(r, &fn.Scalar{Name: "rising_trunc", Resolve: resolve})
}

// yearLater moves an instant by years.
func yearLater(micros int64, years int32) int64 {
	y, m, d := types.CivilFromDays(types.FloorDiv(micros, types.MicrosPerDay))
	return types.DaysFromCivil(y+int(years), m, min(d, types.DaysInMonth(y+int(years), m)))*types.MicrosPerDay + types.FloorMod(micros, types.MicrosPerDay)
}
