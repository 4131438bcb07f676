package conformance

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// duckWholeTypes are DuckDB's integers, with the greatest value of those without a sign,
// which are wider integers here.
var duckWholeTypes = map[string]string{"tinyint": "", "int1": "", "smallint": "", "int2": "", "short": "", "int16": "", "int": "", "integer": "", "int4": "", "int32": "", "signed": "",
	"bigint": "", "int8": "", "long": "", "int64": "", "hugeint": "", "int128": "",
	"utinyint": "255", "uint8": "255", "usmallint": "65535", "uint16": "65535", "uinteger": "4294967295", "uint32": "4294967295",
	"ubigint": "18446744073709551615", "uint64": "18446744073709551615"}

// inserted is a text that comes into another one.
type inserted struct {
	at   int
	text string
}

// insertAll puts texts into sql; those of one place in their order.
func insertAll(sql string, list []inserted) string {
	sort.SliceStable(list, func(i, j int) bool { return list[i].at < list[j].at })
	e := edits{sql: sql}
	for _, x := range list {
		e.replace(x.at, x.at, x.text)
	}
	return e.done()
}

// duckWholes writes casts to integers: DuckDB rounds, and reads fractions, exponents, 0x and
// 0b in texts, which duck_whole does. duck_within refuses what a type without sign cannot
// hold.
func duckWholes(sql string) string { return wholesBy(sql, "duck_whole") }

// wholesBy puts a function around what is cast to an integer.
func wholesBy(sql, by string) string {
	toks := tokens(sql)
	var list []inserted
	for i, t := range toks {
		cast := (t.is("cast") || t.is("try_cast")) && i+1 < len(toks) && toks[i+1].text == "("
		switch {
		case t.text == "::" && i > 0 && i+1 < len(toks):
			from := operandStart(toks, i)
			list = append(list, wholeCast(toks[i+1:], toks[from].start, toks[from].start, toks[i-1].end, 0, by, "duck_within")...)
		case cast:
			end := closing(toks, i+1)
			for k := end - 1; k > i+2; k-- {
				if toks[k].is("as") && toks[k].depth == toks[i+1].depth+1 {
					within := map[bool]string{true: "duck_within", false: "duck_within_try"}[t.is("cast")]
					list = append(list, wholeCast(toks[k+1:end], t.start, toks[i+2].start, toks[k-1].end, toks[end].end, by, within)...)
					break
				}
			}
		}
	}
	return insertAll(sql, list)
}

// wholeCast is what a cast of sql[from:to] to the type at the start of toks needs: by around it. The cast
// begins at start and ends at end; 0 = with the type.
func wholeCast(toks []token, start, from, to, end int, by, within string) []inserted {
	if len(toks) == 0 {
		return nil
	}
	most, ok := duckWholeTypes[strings.ToLower(toks[0].text)]
	if !ok || toks[0].kind != word || len(toks) > 1 && toks[1].text == "(" {
		return nil
	}
	if end == 0 {
		for end = toks[0].end; len(toks) > 2 && toks[1].text == "[" && toks[2].text == "]"; toks = toks[2:] {
			end = toks[2].end
		}
	}
	list := []inserted{{from, by + "("}, {to, ")"}}
	if most != "" {
		list = append([]inserted{{start, within + "("}}, append(list, inserted{end, ", " + most + ")"})...)
	}
	return list
}

// duckCastFunctions adds what duckWholes uses.
func duckCastFunctions(r *fn.Registry) {
	for _, s := range []*fn.Scalar{
		{Name: "duck_whole", Resolve: func(args []fn.Arg) (fn.Impl, error) { return wholeOf(r, args) }},
		{Name: "duck_fields", Resolve: fieldsOf},
		{Name: "duck_within", Resolve: withinOf(false)},
		{Name: "duck_within_try", Resolve: withinOf(true)},
	} {
		hidden(r, s)
	}
}

// wholeOf rounds: a DOUBLE with rint, a DECIMAL with round, a text that is a number as text.
func wholeOf(r *fn.Registry, args []fn.Arg) (fn.Impl, error) {
	t := args[0].Type
	name := ""
	switch {
	case t.IsFloat():
		name = "rint"
	case t.Kind == types.Decimal && t.Scale > 0:
		name = "round"
	case t.Kind == types.String:
		return fn.Impl{Args: []types.Type{t}, Result: t, Eval: wholeTexts}, nil
	default:
		return unchanged(t), nil
	}
	f, _ := r.Scalar(name)
	return f.Resolve(args)
}

var (
	numberText = regexp.MustCompile(`^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?$`)
	basedText  = regexp.MustCompile(`^0([xX][0-9a-fA-F]+(_[0-9a-fA-F]+)*|[bB][01]+(_[01]+)*)$`)
)

func wholeTexts(_ *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
	out := make([]string, rows.N)
	for i := range rows.Len() {
		at := rows.At(i)
		out[at] = wholeText(vec.RowString(args[0], at, nil))
	}
	return vec.FromStrings(out), nil
}

// wholeText is the integer that a text of DuckDB means, half a unit away from zero; another
// text is left as it is, and CAST says what is wrong with it.
func wholeText(s string) string {
	trimmed := strings.TrimSpace(s)
	switch {
	case basedText.MatchString(trimmed):
		if n, ok := new(big.Int).SetString(strings.ReplaceAll(trimmed, "_", ""), 0); ok {
			return n.String()
		}
	case numberText.MatchString(trimmed) && strings.ContainsAny(trimmed, ".eE"):
		if n, ok := new(big.Rat).SetString(trimmed); ok {
			return n.FloatString(0)
		}
	}
	return s
}

// withinOf is its first argument if that lies between 0 and the second one.
func withinOf(try bool) func([]fn.Arg) (fn.Impl, error) {
	return func(args []fn.Arg) (fn.Impl, error) {
		t := args[0].Type
		if args[1].Const == nil {
			return fn.Impl{}, fmt.Errorf("needs a constant")
		}
		most, _ := new(big.Int).SetString(vec.RowString(args[1].Const, 0, nil), 10)
		eval := func(_ *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
			return within(args[0], most, rows, try)
		}
		return fn.Impl{Args: []types.Type{t, args[1].Type}, Result: t, Eval: eval}, nil
	}
}

// within leaves the values between 0 and most; others are NULL with try, else errors.
func within(v *vec.Vector, most *big.Int, rows fn.Rows, try bool) (*vec.Vector, error) {
	if v.Type.Kind == types.Array {
		out := *vec.Flatten(v)
		elems, err := within(out.Child[0], most, fn.Rows{N: out.Child[0].N}, try)
		out.Child = []*vec.Vector{elems}
		return &out, err
	}
	fits := func(r int) bool {
		n, ok := new(big.Int).SetString(vec.RowString(v, r, nil), 10)
		return ok && n.Sign() >= 0 && n.Cmp(most) <= 0
	}
	for i := range rows.Len() {
		if r := rows.At(i); !try && !v.IsNull(r) && !fits(r) {
			return nil, fmt.Errorf("%s is not between 0 and %s", vec.RowString(v, r, nil), most)
		}
	}
	out := vec.NewBuilder(v.Type)
	for r := range rows.N {
		if v.IsNull(r) || !fits(r) {
			out.AppendNull()
			continue
		}
		out.AppendFrom(v, r)
	}
	return out.Finish(), nil
}

// duckNamed writes casts to STRUCT(a T, …): DuckDB finds the fields by their names, the product
// by their places. duck_fields puts them in these places.
func duckNamed(sql string) string {
	toks := tokens(sql)
	var list []inserted
	for i := 1; i+2 < len(toks); i++ {
		if toks[i].text != "::" || !toks[i+1].is("struct") || toks[i+2].text != "(" {
			continue
		}
		end := closing(toks, i+2)
		if end+1 < len(toks) && toks[end+1].text == "[" {
			continue
		}
		names := ""
		for _, f := range splitAt(toks[i+3:end], toks[i+2].depth+1) {
			names += ", '" + strings.ReplaceAll(f[0].name(), "'", "''") + "'"
		}
		list = append(list, inserted{toks[operandStart(toks, i)].start, "duck_fields("}, inserted{toks[i-1].end, names + ")"})
	}
	return insertAll(sql, list)
}

// fieldsOf is the struct with the fields that are named, NULL where it has none; what is no
// struct with names is left as it is.
func fieldsOf(args []fn.Arg) (fn.Impl, error) {
	t := args[0].Type
	want := []types.Type{t}
	for _, a := range args[1:] {
		want = append(want, a.Type)
	}
	if t.Kind != types.Struct || isTuple(t) {
		impl := unchanged(t)
		impl.Args = want
		return impl, nil
	}
	var fields []types.Field
	var from []int
	found := false
	for _, a := range args[1:] {
		name := vec.RowString(a.Const, 0, nil)
		at := slices.IndexFunc(t.Fields, func(f types.Field) bool { return strings.EqualFold(f.Name, name) })
		field := types.Field{Name: name, Type: types.Of(types.Null)}
		if from = append(from, at); at >= 0 {
			field.Type, found = t.Fields[at].Type, true
		}
		fields = append(fields, field)
	}
	if !found {
		return fn.Impl{}, fmt.Errorf("finds no field of %s", t)
	}
	result := types.StructOf(fields...)
	return fn.Impl{Args: want, Result: result, Eval: func(_ *fn.Ctx, args []*vec.Vector, _ fn.Rows) (*vec.Vector, error) {
		in := vec.Flatten(args[0])
		out := *in
		out.Type, out.Child = result, nil
		for i, at := range from {
			if at < 0 {
				out.Child = append(out.Child, vec.Flatten(vec.Nulls(fields[i].Type, in.N)))
				continue
			}
			out.Child = append(out.Child, in.Child[at])
		}
		return &out, nil
	}}, nil
}
