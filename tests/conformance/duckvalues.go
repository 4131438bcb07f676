package conformance

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/fn/cast"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// duckValueCalls spell functions whose values differ in DuckDB, by a form that has its.
func duckValueCalls() map[string]form {
	return map[string]form{
		// no variance: NaN
		"corr": duckNoVariance, "regr_slope": duckNoVariance,
		"list_histogram":  template(1, "(CASE WHEN cardinality(list_histogram($1)) > 0 THEN list_histogram($1) END)"),
		"list_aggregate":  duckListAggregate,
		"list_aggr":       duckListAggregate,
		"array_aggr":      duckListAggregate,
		"array_aggregate": duckListAggregate,
		"list_mad":        template(1, "duck_like(list_mad($1), list_first($1))"),
		"array_to_string": template(2, "array_to_string($1, coalesce($2, ','))"),
		"list_concat":     duckJoined, "list_cat": duckJoined, "array_concat": duckJoined, "array_cat": duckJoined,
		"split_part": template(3, "CASE WHEN ($2) = '' THEN coalesce(list_extract(string_split($1, ''), $3), '') ELSE split_part($1, $2, $3) END"),
		"array_agg":  renamed("list"), // keeps NULL, and is NULL over nothing
		"concat_ws":  duckTextsOf, "printf": duckTextsOf, "format": duckTextsOf,
		"string_split_regex": duckPartsBy, "str_split_regex": duckPartsBy, "regexp_split_to_array": duckPartsBy,
	}
}

// duckNoVariance is corr and regr_slope, which are NaN where ours are NULL over some pairs.
func duckNoVariance(c call) string {
	if len(c.args) != 2 {
		return ""
	}
	return "coalesce(" + c.text() + ", CASE WHEN regr_count(" + strings.Join(c.args, ", ") + ")" + c.tail + " > 0 THEN " + duckNaN + " END)"
}

// duckListAggregate is list_aggregate with the name of an aggregate: a histogram and a list of
// nothing are NULL, and a list keeps NULL.
func duckListAggregate(c call) string {
	if len(c.args) != 2 {
		return ""
	}
	switch strings.ToLower(strings.Trim(c.args[1], "' ")) {
	case "histogram":
		return c.fill("(CASE WHEN cardinality(list_histogram($1)) > 0 THEN list_histogram($1) END)")
	case "array_agg", "list":
		return c.fill("(CASE WHEN cardinality($1) > 0 THEN $1 END)")
	}
	return ""
}

// duckJoined is list_concat of two lists, which is empty of two that are NULL but have a type.
func duckJoined(c call) string {
	if len(c.args) != 2 || slices.ContainsFunc(c.args, func(a string) bool { return strings.EqualFold(strings.TrimSpace(a), "null") }) {
		return ""
	}
	return "coalesce(" + c.text() + ", [])"
}

// duckTextsOf is a function of values behind the first one, to which lists and bytes are texts.
func duckTextsOf(c call) string {
	for i := 1; i < len(c.args); i++ {
		c.args[i] = "duck_text(" + c.args[i] + ")"
	}
	return c.text()
}

// duckPartsBy is a split by a pattern: one that is found in an empty text leaves nothing behind
// the end.
func duckPartsBy(c call) string {
	if len(c.args) != 2 {
		return ""
	}
	return c.fill("CASE WHEN ($1) <> '' AND regexp_like('', $2) AND list_last(" + c.text() + ") = '' THEN list_slice(" + c.text() + ", 1, cardinality(" + c.text() + ") - 1) ELSE " + c.text() + " END")
}

// duckValueFunctions adds what these forms use, and lets distances of lists of FLOAT be FLOAT.
func duckValueFunctions(r *fn.Registry) {
	hidden(r, &fn.Scalar{Name: "duck_like", Resolve: likeDecimal})
	hidden(r, &fn.Scalar{Name: "duck_dated", Resolve: datedText})
	for _, name := range []string{"list_distance", "list_cosine_similarity", "list_cosine_distance", "list_inner_product", "list_negative_inner_product"} {
		f, ok := r.Scalar(name)
		if !ok {
			continue
		}
		with := f.Resolve
		f.Resolve = func(args []fn.Arg) (fn.Impl, error) {
			impl, err := with(args)
			of := func(a fn.Arg) bool { return listOf(a.Type, func(t types.Type) bool { return t.Kind == types.Float32 }) }
			if err != nil || len(args) != 2 || !of(args[0]) || impl.Result.Kind != types.Float64 {
				return impl, err
			}
			eval, float := impl.Eval, types.Of(types.Float32)
			narrow := cast.Kernel(impl.Result, float, false)
			impl.Result = float
			impl.Eval = func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
				v, err := eval(c, args, rows)
				if err != nil {
					return nil, err
				}
				return narrow(c, []*vec.Vector{v}, rows)
			}
			return impl, nil
		}
	}
}

// likeDecimal is a DOUBLE cut off to the type of a DECIMAL beside it; beside another it stays.
func likeDecimal(args []fn.Arg) (fn.Impl, error) {
	if len(args) != 2 {
		return fn.Impl{}, fmt.Errorf("needs two arguments")
	}
	t, of := args[0].Type, args[1].Type
	impl := unchanged(t)
	impl.Args = []types.Type{t, of}
	if of.Kind != types.Decimal || !t.IsFloat() {
		return impl, nil
	}
	impl.Result = of
	impl.Eval = func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		texts := make([]string, rows.N)
		for i := range rows.Len() {
			r := rows.At(i)
			if args[0].IsNull(r) {
				continue
			}
			whole, digits, _ := strings.Cut(strconv.FormatFloat(args[0].Float(r), 'f', -1, 64), ".")
			texts[r] = whole + "." + digits[:min(len(digits), int(of.Scale))]
		}
		out, err := cast.Kernel(types.Of(types.String), of, true)(c, []*vec.Vector{vec.FromStrings(texts)}, rows)
		return out, err
	}
	return impl, nil
}

var partOfDate = regexp.MustCompile(`^\s*-?\d{1,6}(-\d{1,2})?-?\s*$`)

// datedText is a text that becomes a date or a timestamp: one without a day is none.
func datedText(args []fn.Arg) (fn.Impl, error) {
	t := args[0].Type
	if t.Kind != types.String {
		return unchanged(t), nil
	}
	return fn.Impl{Args: []types.Type{t}, Result: t, Eval: func(_ *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := vec.NewBuilder(t)
		for i := range rows.N {
			switch s := ""; {
			case args[0].IsNull(i):
				out.AppendNull()
			default:
				if s = vec.RowString(args[0], i, nil); partOfDate.MatchString(s) {
					s += " has no day"
				}
				out.AppendString(s)
			}
		}
		return out.Finish(), nil
	}}, nil
}

// duckDated writes casts to dates and timestamps, whose text has a year, a month and a day.
func duckDated(sql string) string {
	toks := tokens(sql)
	var list []inserted
	for i, t := range toks {
		switch {
		case t.text == "::" && i > 0 && i+1 < len(toks) && timeName(toks[i+1]):
			list = append(list, around(toks, i+1, operandStart(toks, i), i-1, "duck_dated")...)
		case (t.is("cast") || t.is("try_cast")) && i+1 < len(toks) && toks[i+1].text == "(":
			end := closing(toks, i+1)
			for k := end - 1; k > i+2; k-- {
				if toks[k].is("as") && toks[k].depth == toks[i+1].depth+1 && timeName(toks[k+1]) {
					list = append(list, around(toks, k+1, i+2, k-1, "duck_dated")...)
					break
				}
			}
		}
	}
	return insertAll(sql, list)
}

// around puts a function around toks[from:to+1], which are cast to the type at i, unless that
// is a list.
func around(toks []token, i, from, to int, by string) []inserted {
	if i+1 < len(toks) && toks[i+1].text == "[" {
		return nil
	}
	return []inserted{{toks[from].start, by + "("}, {toks[to].end, ")"}}
}

// duckInserted writes the literals of an INSERT as its columns take them: \xFF in the text of a
// BLOB is a byte, and a number with a fraction is rounded to an integer.
func (w *world) duckInserted(t *table, columns []string, body string) string {
	if w.d.flavor != duckdbText {
		return body
	}
	toks := tokens(body)
	e := edits{sql: body}
	eachInserted(toks, func(col, i int) {
		x, of := toks[i], t.typeOf(columns, col)
		alone := i+1 >= len(toks) || toks[i+1].text == "," || toks[i+1].text == ")"
		switch {
		case !alone:
		case x.kind == text && of.Kind == types.Bytes && x.text[0] == '\'':
			e.replace(x.start, x.end, duckHexLiteral(x.text))
		case x.kind == number && of.IsInteger() && strings.Contains(x.text, "."):
			e.replace(x.start, x.end, "duck_whole("+x.text+")")
		}
	})
	return e.done()
}

// duckValueText is a value as DuckDB writes it.
func duckValueText(v *vec.Vector, row int, zone *time.Location) string {
	d := &dialect{flavor: duckdbText, zone: zone}
	return d.value(v, row)
}
