package conformance

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// duckFunctions give functions the meanings of DuckDB where these depend on types, and add
// what its forms use. Each is made of functions of the product, or prints.
func duckFunctions(r *fn.Registry) {
	duckConcat(r)
	duckSubstring(r)
	duckCeilings(r)
	duckCastFunctions(r)
	duckFields(r)
	duckComparisons(r)
	duckBucket(r)
	duckLists(r)
	duckClock(r)
	duckTimeTexts(r)
	duckDates(r)
	duckOrderFunctions(r)
	duckValueFunctions(r)
}

var (
	duckMidnight = regexp.MustCompile(`(\d-\d\d-\d\d(?: \(BC\))?) 00:00:00(\D|$)`)
	duckBefore1  = regexp.MustCompile(`(^|[^\w-])-(\d{4,6})(-\d\d-\d\d)\b`)
	duckUTC      = regexp.MustCompile(`(\d\d:\d\d:\d\d(?:\.\d+)?)\+00\b`)
	duckYear0    = regexp.MustCompile(`\b0000(-\d\d-\d\d)\b`)
	duckFarYear  = regexp.MustCompile(`\+(\d{5,6}-\d\d-\d\d)\b`)
)

// duckTimes writes times as DuckDB does: years before 1 with (BC). A date is the duckMidnight
// that it begins with.
func duckTimes(l string) string {
	if !strings.Contains(l, "-") {
		return l
	}
	l = duckEras(duckUTC.ReplaceAllString(l, "$1"))
	return duckMidnight.ReplaceAllString(l, "$1$2")
}

// duckEras writes years as DuckDB does: those before 1 with (BC).
func duckEras(l string) string {
	l = duckFarYear.ReplaceAllString(duckYear0.ReplaceAllString(l, "0001$1 (BC)"), "$1")
	return duckBefore1.ReplaceAllStringFunc(l, func(s string) string {
		m := duckBefore1.FindStringSubmatch(s)
		y, _ := strconv.Atoi(m[2])
		return fmt.Sprintf("%s%04d%s (BC)", m[1], y+1, m[3])
	})
}

// duckBytes writes bytes as DuckDB does.
func duckBytes(b []byte) string {
	var out strings.Builder
	for _, ch := range b {
		if ch < ' ' || ch > '~' || ch == '\\' || ch == '\'' || ch == '"' {
			fmt.Fprintf(&out, "\\x%02X", ch)
			continue
		}
		out.WriteByte(ch)
	}
	return out.String()
}

// duckConcat adds concat, which leaves NULL out; of arrays it is list_concat.
func duckConcat(r *fn.Registry) {
	texts, _ := r.Scalar("concat_ws")
	lists, _ := r.Scalar("list_concat")
	resolve := func(args []fn.Arg) (fn.Impl, error) {
		if len(args) == 0 {
			return fn.Impl{}, fmt.Errorf("needs an argument")
		}
		for _, a := range args {
			if a.Type.Kind == types.Array {
				return lists.Resolve(args)
			}
		}
		blank := vec.FromStrings([]string{""})
		impl, err := texts.Resolve(append([]fn.Arg{{Type: blank.Type, Const: blank}}, args...))
		if err != nil {
			return impl, err
		}
		eval := impl.Eval
		impl.Args = impl.Args[1:]
		impl.Eval = func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
			return eval(c, append([]*vec.Vector{vec.FromStrings(make([]string, rows.N))}, args...), rows)
		}
		return impl, nil
	}
	hidden(r, &fn.Scalar{Name: "duck_concat", Nulls: fn.Custom, Resolve: resolve})
}
