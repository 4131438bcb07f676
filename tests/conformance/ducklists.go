package conformance

import (
	"strings"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
)

// duckLists lets a list of BOOLEAN stand beside one of numbers in functions of two lists, as 0
// and 1.
func duckLists(r *fn.Registry) {
	for _, name := range []string{"list_has_any", "list_has_all", "list_intersect"} {
		f, ok := r.Scalar(name)
		if !ok {
			continue
		}
		with := f.Resolve
		f.Resolve = func(args []fn.Arg) (fn.Impl, error) {
			for i := range args {
				if len(args) == 2 && listOf(args[i].Type, types.Type.IsNumeric) && listOf(args[1-i].Type, func(t types.Type) bool { return t.Kind == types.Bool }) {
					return asNumber(with, args, 1-i)
				}
			}
			return with(args)
		}
	}
}

func listOf(t types.Type, is func(types.Type) bool) bool {
	return t.Kind == types.Array && is(*t.Elem)
}

// duckLambda puts the parameter of a lambda in brackets: alone before a constant it would be
// taken for JSON.
func duckLambda(c call) string {
	if len(c.args) != 2 {
		return ""
	}
	toks := tokens(c.args[1])
	if len(toks) < 4 || toks[0].kind != word || toks[1].text != "-" || toks[2].text != ">" || toks[1].end != toks[2].start {
		return ""
	}
	c.args[1] = "(" + toks[0].text + ")" + c.args[1][toks[0].end:]
	return c.text()
}

// duckKept is list_filter: the result of its lambda is a BOOLEAN, whatever it is made of.
func duckKept(c call) string {
	if len(c.args) != 2 {
		return ""
	}
	toks := tokens(c.args[1])
	for i := 1; i+1 < len(toks); i++ {
		arrow := toks[i].text == "-" && toks[i+1].text == ">" && toks[i].end == toks[i+1].start
		if toks[i].depth != 0 || !arrow && !(toks[i].text == ":" && toks[0].is("lambda")) {
			continue
		}
		from := toks[i].end
		if arrow {
			from = toks[i+1].end
		}
		return c.name + "(" + c.args[0] + ", " + c.args[1][:from] + " CAST((" + strings.TrimSpace(c.args[1][from:]) + ") AS BOOLEAN))" + c.tail
	}
	return ""
}

// duckFixed makes lists of DuckDB's arrays of a fixed length, T[3].
func duckFixed(sql string) string {
	toks := tokens(sql)
	e := edits{sql: sql}
	for i := 1; i+2 < len(toks); i++ {
		if toks[i].text != "[" || toks[i+1].kind != number || toks[i+2].text != "]" {
			continue
		}
		k := i - 1
		for k > 1 && toks[k].text == "]" {
			k = opening(toks, k) - 1
		}
		if _, whole := duckWholeTypes[strings.ToLower(toks[k].text)]; (whole || toks[k].is("varchar") || toks[k].is("double") || toks[k].is("float")) && k > 0 && typePlace(toks, k) {
			e.replace(toks[i+1].start, toks[i+1].end, "")
		}
	}
	return e.done()
}
