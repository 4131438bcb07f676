package reference

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// compute is an aggregate over the arguments of its rows. Every function is written
// here once more, from its definition, over a list of values.
func compute(a logical.Agg, rows [][]any) (any, error) {
	switch a.Func.Name {
	case "count":
		return int64(len(withoutNulls(rows))), nil
	case "count_if":
		return int64(len(slices.DeleteFunc(slices.Clone(rows), func(r []any) bool { return r[0] != true }))), nil
	case "approx_count_distinct":
		return int64(len(distinctValues(column(rows)))), nil
	case "first", "last", "any_value":
		return endValue(a, rows), nil
	case "map_agg", "json_objectagg":
		return mapOf(rows), nil
	case "min_by", "max_by":
		return extremeBy(rows, a.Func.Name == "max_by"), nil
	case "covar_samp", "covar_pop", "corr":
		return pairStatistic(a.Func.Name, rows), nil
	}
	if strings.HasPrefix(a.Func.Name, "regr_") {
		return regression(a.Func.Name, rows), nil
	}
	return overValues(a, column(rows))
}

// overValues computes the aggregates that see only values that are not NULL.
func overValues(a logical.Agg, xs []any) (any, error) {
	switch a.Func.Name {
	case "array_agg", "json_arrayagg":
		return xs, nil
	case "histogram":
		return histogram(xs), nil
	case "collect_set":
		return sorted(distinctValues(xs)), nil
	}
	if len(xs) == 0 {
		return nil, nil
	}
	switch name := a.Func.Name; name {
	case "sum":
		return sum(a, xs)
	case "avg":
		return avg(a, xs)
	case "min":
		return slices.MinFunc(xs, compare), nil
	case "max":
		return slices.MaxFunc(xs, compare), nil
	case "bool_and":
		return !slices.Contains(xs, any(false)), nil
	case "bool_or":
		return slices.Contains(xs, any(true)), nil
	case "bit_and", "bit_or", "bit_xor":
		return bitwise(name, xs), nil
	case "string_agg":
		return joined(a, xs), nil
	case "mode":
		return mode(xs, len(a.Args) == 2), nil
	case "product":
		return product(xs), nil
	case "median", "percentile":
		return percentile(a, xs, between), nil
	case "percentile_disc":
		return percentile(a, xs, reached), nil
	case "var_samp", "var_pop", "stddev_samp", "stddev_pop":
		return statistic(name, xs), nil
	case "skewness", "kurtosis":
		return higher(name, xs), nil
	case "try_sum":
		v, err := sum(a, xs)
		return nullOn(err, v), nil
	case "try_avg":
		v, err := avg(a, xs)
		return nullOn(err, v), nil
	}
	return nil, fmt.Errorf("the reference does not know the aggregate %s", a.Func.Name)
}

func nullOn(err error, v any) any {
	if err != nil {
		return nil
	}
	return v
}

// withoutNulls lists the rows in which no value is NULL.
func withoutNulls(rows [][]any) [][]any {
	return slices.DeleteFunc(slices.Clone(rows), func(r []any) bool { return slices.Contains(r, nil) })
}

// column lists the first values that are not NULL.
func column(rows [][]any) []any {
	xs := []any{}
	for _, r := range rows {
		if r[0] != nil {
			xs = append(xs, r[0])
		}
	}
	return xs
}

func distinctValues(xs []any) []any {
	seen := map[string]bool{}
	out := []any{}
	for _, x := range xs {
		if !seen[textOf(x)] {
			seen[textOf(x)] = true
			out = append(out, x)
		}
	}
	return out
}

func sorted(xs []any) []any {
	xs = slices.Clone(xs)
	slices.SortStableFunc(xs, compare)
	return xs
}

// endValue is first, last and any_value, which skips NULL, as the others do on request.
func endValue(a logical.Agg, rows [][]any) any {
	skip := a.Func.Name == "any_value"
	if len(a.Args) == 2 {
		skip = constant(a, 1) == true
	}
	if skip {
		rows = slices.DeleteFunc(slices.Clone(rows), func(r []any) bool { return r[0] == nil })
	}
	switch {
	case len(rows) == 0:
		return nil
	case a.Func.Name == "last":
		return rows[len(rows)-1][0]
	}
	return rows[0][0]
}

// extremeBy is the x of the least or greatest (y, x) with a y that is not NULL.
func extremeBy(rows [][]any, greatest bool) any {
	rows = slices.DeleteFunc(slices.Clone(rows), func(r []any) bool { return r[1] == nil })
	if len(rows) == 0 {
		return nil
	}
	order := func(a, b []any) int { return compareRows([]any{a[1], a[0]}, []any{b[1], b[0]}) }
	if greatest {
		return slices.MaxFunc(rows, order)[0]
	}
	return slices.MinFunc(rows, order)[0]
}

func bitwise(name string, xs []any) int64 {
	out := xs[0].(int64)
	for _, x := range xs[1:] {
		switch name {
		case "bit_and":
			out &= x.(int64)
		case "bit_or":
			out |= x.(int64)
		default:
			out ^= x.(int64)
		}
	}
	return out
}

func joined(a logical.Agg, xs []any) string {
	sep := ","
	if len(a.Args) == 2 {
		sep = constant(a, 1).(string)
	}
	parts := make([]string, len(xs))
	for i, x := range xs {
		parts[i] = x.(string)
	}
	return strings.Join(parts, sep)
}

// constant is the value of a constant argument.
func constant(a logical.Agg, arg int) any { return constValue(expr.ConstValue(a.Args[arg])) }

func isDecimal(t types.Type) bool { return t.Kind == types.Decimal }
