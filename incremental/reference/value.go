package reference

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/exec/types"
)

// Text writes values so that two lists of the same types have the same text exactly
// when they are one group: NULL = NULL, NaN = NaN, −0.0 = 0.0, at any depth; a map has
// its entries in any order.
func Text(values []any) string {
	parts := make([]string, len(values))
	for i, v := range values {
		parts[i] = textOf(v)
	}
	return strings.Join(parts, " | ")
}

func textOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case float64:
		if v == 0 {
			return "0.0"
		}
		return fmt.Sprintf("%vf", v)
	case string:
		return fmt.Sprintf("%q", v)
	case []byte:
		return fmt.Sprintf("x%x", v)
	case types.Int128:
		return v.String()
	case types.IntervalValue:
		return fmt.Sprintf("%dm%dd%dus", v.Months, v.Days, v.Micros)
	case []any:
		return "[" + strings.Join(textsOf(v), ", ") + "]"
	case [][2]any:
		parts := make([]string, len(v))
		for i, e := range v {
			parts[i] = textOf(e[0]) + ": " + textOf(e[1])
		}
		slices.Sort(parts)
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return fmt.Sprint(v)
}

func textsOf(values []any) []string {
	parts := make([]string, len(values))
	for i, v := range values {
		parts[i] = textOf(v)
	}
	return parts
}

// compare is the order of the values of a type: NULL first, false before true, NaN above
// +∞, text by bytes, lists and structs element by element, intervals by length and
// then by parts, maps by their sorted entries.
func compare(a, b any) int {
	if a == nil || b == nil {
		return boolInt(a != nil) - boolInt(b != nil)
	}
	switch a := a.(type) {
	case bool:
		return boolInt(a) - boolInt(b.(bool))
	case int64:
		return cmp.Compare(a, b.(int64))
	case float64:
		return compareFloats(a, b.(float64))
	case types.Int128:
		return bigOf(a).Cmp(bigOf(b.(types.Int128)))
	case string:
		return strings.Compare(a, b.(string))
	case []byte:
		return bytes.Compare(a, b.([]byte))
	case types.IntervalValue:
		return compareIntervals(a, b.(types.IntervalValue))
	case []any:
		return slices.CompareFunc(a, b.([]any), compare)
	case [][2]any:
		return slices.CompareFunc(sortedEntries(a), sortedEntries(b.([][2]any)), compareEntries)
	}
	panic(fmt.Sprintf("reference: no order for %T", a))
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// compareFloats differs from cmp.Compare, for which NaN is smallest.
func compareFloats(a, b float64) int {
	if a != a || b != b {
		return boolInt(a != a) - boolInt(b != b)
	}
	return cmp.Compare(a, b)
}

func compareIntervals(a, b types.IntervalValue) int {
	length := func(v types.IntervalValue) int64 {
		return (int64(v.Months)*30+int64(v.Days))*types.MicrosPerDay + v.Micros
	}
	return cmp.Or(cmp.Compare(length(a), length(b)), cmp.Compare(a.Months, b.Months),
		cmp.Compare(a.Days, b.Days), cmp.Compare(a.Micros, b.Micros))
}

func sortedEntries(m [][2]any) [][2]any {
	m = slices.Clone(m)
	slices.SortFunc(m, compareEntries)
	return m
}

func compareEntries(a, b [2]any) int { return cmp.Or(compare(a[0], b[0]), compare(a[1], b[1])) }

func compareRows(a, b []any) int { return slices.CompareFunc(a, b, compare) }
