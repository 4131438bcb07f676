package conformance

import (
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Functions of real numbers outside their range: DuckDB gives NaN and infinities, or, with
// SET ieee_floating_point_ops = false, errors. Here logarithms give NULL and the others NaN.

// duckDomain is where a function of one number has no result.
type duckDomain struct {
	none     string // the condition of $1
	infinite string // where it is -infinity; "" = nowhere
}

var duckDomains = map[string]duckDomain{
	"ln": {"($1) < 0", "($1) = 0"}, "log2": {"($1) < 0", "($1) = 0"}, "log10": {"($1) < 0", "($1) = 0"},
	"sqrt": {"($1) < 0", ""}, "asin": {"abs($1) > 1", ""}, "acos": {"abs($1) > 1", ""}, "atanh": {"abs($1) > 1", ""},
	"sin": {"isinf($1)", ""}, "cos": {"isinf($1)", ""}, "tan": {"isinf($1)", ""}, "cot": {"isinf($1) OR ($1) = 0", ""},
	"gamma": {"($1) = 0", ""}, "lgamma": {"($1) = 0", ""},
}

const (
	duckNaN   = "CAST('NaN' AS DOUBLE)"
	duckRaise = "raise_error('out of range')"
)

// duckReals are the forms of these functions: with errors, or with NaN and infinities.
func duckReals(strict bool) map[string]form {
	out := map[string]form{}
	for name, d := range duckDomains {
		out[name] = func(c call) string {
			if len(c.args) != 1 {
				return ""
			}
			return c.fill(d.spell(name, strict))
		}
	}
	log := func(x string) string { return strings.ReplaceAll(duckDomains["log10"].spell("log10", strict), "$1", x) }
	out["log"] = func(c call) string {
		switch {
		case len(c.args) == 1:
			return log(c.args[0]) + c.tail
		case len(c.args) == 2 && strict:
			return "CASE WHEN (" + c.args[0] + ") = 1 THEN " + duckRaise + " ELSE " + log(c.args[1]) + " / " + log(c.args[0]) + " END"
		case len(c.args) == 2:
			return "(" + log(c.args[1]) + " / " + log(c.args[0]) + ")"
		}
		return ""
	}
	if strict {
		power := template(2, "CASE WHEN ($1) = 0 AND ($2) < 0 THEN "+duckRaise+" ELSE power($1, $2) END")
		out["pow"], out["power"] = power, power
		out["fmod"] = template(2, "CASE WHEN ($2) <> 0 THEN fmod($1, $2) END")
		out["fdiv"] = template(2, "CASE WHEN ($2) <> 0 THEN fdiv($1, $2) END")
	}
	return out
}

func (d duckDomain) spell(name string, strict bool) string {
	call := " ELSE " + name + "($1) END"
	infinite := ""
	if d.infinite != "" {
		infinite = " WHEN " + d.infinite + " THEN CAST('-Infinity' AS DOUBLE)"
	}
	switch {
	case strict && d.infinite != "":
		return "CASE WHEN " + d.none + " OR " + d.infinite + " THEN " + duckRaise + call
	case strict:
		return "CASE WHEN " + d.none + " THEN " + duckRaise + call
	case infinite != "":
		return "CASE WHEN " + d.none + " THEN " + duckNaN + infinite + call
	}
	return name + "($1)"
}

var (
	ieeeSetting  = regexp.MustCompile(`(?is)^\s*(set|reset)\s+ieee_floating_point_ops\s*(?:(?:=|to)\s*'?(\w+)'?)?\s*;?$`)
	orderSetting = regexp.MustCompile(`(?is)^\s*(?:set|pragma)\s+default_order\s*(?:=|to)\s*'?(\w+)'?\s*;?$`)
	regexSetting = regexp.MustCompile(`(?is)^\s*(set|reset)\s+regex_match_operator_semantics\s*(?:(?:=|to)\s*'?(\w+)'?)?\s*;?$`)
)

// withDuckSetting is the dialect after SET ieee_floating_point_ops, default_order and
// regex_match_operator_semantics.
func (d *dialect) withDuckSetting(sql string) *dialect {
	changed := *d
	if m := ieeeSetting.FindStringSubmatch(sql); m != nil {
		changed.callForms = maps.Clone(d.callForms)
		strict := strings.EqualFold(m[1], "set") && strings.EqualFold(m[2], "false")
		changed.strictReals = strict
		if !strict { // what only the other has
			for _, name := range []string{"pow", "power", "fmod", "fdiv"} {
				delete(changed.callForms, name)
			}
		}
		maps.Copy(changed.callForms, duckReals(strict))
		return &changed
	}
	if m := regexSetting.FindStringSubmatch(sql); m != nil {
		changed.fullRegex = strings.EqualFold(m[1], "set") && strings.EqualFold(m[2], "full")
		return &changed
	}
	if m := orderSetting.FindStringSubmatch(sql); m != nil {
		changed.descending = strings.HasPrefix(strings.ToLower(m[1]), "desc")
		return &changed
	}
	return d
}

// duckCeilings lets ceil and floor of a DOUBLE be one.
func duckCeilings(r *fn.Registry) {
	for name, f := range map[string]func(float64) float64{"ceil": math.Ceil, "floor": math.Floor} {
		s, _ := r.Scalar(name)
		other := s.Resolve
		s.Resolve = func(args []fn.Arg) (fn.Impl, error) {
			if len(args) != 1 || !args[0].Type.IsFloat() {
				return other(args)
			}
			t := args[0].Type
			return fn.Impl{Args: []types.Type{t}, Result: t, Eval: func(_ *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
				out := &vec.Vector{Type: t, N: rows.N, F64: make([]float64, rows.N)}
				for i := range rows.Len() {
					out.F64[rows.At(i)] = f(args[0].Float(rows.At(i)))
				}
				return out, nil
			}}, nil
		}
	}
}

// duckDecimals gives a DECIMAL that says no digits those of DuckDB: DECIMAL(18,3).
func duckDecimals(sql string) string {
	toks := tokens(sql)
	e := edits{sql: sql}
	for i := 1; i < len(toks); i++ {
		if !slices.ContainsFunc([]string{"decimal", "dec", "numeric"}, toks[i].is) || !typePlace(toks, i) {
			continue
		}
		switch {
		case i+2 < len(toks) && toks[i+1].text == "(" && toks[i+2].text == ")":
			e.replace(toks[i].start, toks[i+2].end, "DECIMAL(18,3)")
		case i+1 == len(toks) || toks[i+1].text != "(" && toks[i+1].kind != text && toks[i+1].text != ".":
			e.replace(toks[i].start, toks[i].end, "DECIMAL(18,3)")
		}
	}
	return e.done()
}
