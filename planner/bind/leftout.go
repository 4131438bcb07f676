package bind

import "strings"

// leftOut are functions of Spark and DuckDB that are left out on purpose, by name or by the
// start of their names (with a * at the end): the reason, and what does the same. Those that
// absent knows are asked there first.
var leftOut = map[string]string{
	"kll_*":                 "a KLL sketch throws dice, and another run gives another one; percentile(x, p) is exact and follows deletions",
	"theta_*":               "theta sketches are not made here; count(DISTINCT x) is exact, hll_sketch_agg(x) is a sketch that can be joined",
	"tuple_*":               "tuple sketches are not made here; group by the key, and aggregate the sums",
	"approx_top_k_*":        "approx_top_k(x, k) is exact and keeps no sketch; keep SELECT x, count(*) … GROUP BY x where counts are joined later",
	"reservoir_quantile":    "a sample throws dice; percentile_disc(x, p) is exact and follows deletions",
	"counter_diff":          "write CASE WHEN c >= lag(c) IGNORE NULLS OVER w THEN c - lag(c) IGNORE NULLS OVER w END",
	"fill":                  "the last value is last_value(x) IGNORE NULLS OVER (…); between two values nothing is guessed",
	"lttb":                  "write time_bucket(size, t) as GROUP BY, with first, min, max and last of each bucket",
	"schema_of_variant":     "write schema_of_json(x)",
	"schema_of_variant_agg": "write schema_of_json(to_json(array_agg(x)))",
	"variant_set":           "write json_set(x, '$.a', v)",
	"try_variant_set":       "write json_set(x, '$.a', v)",
	"variant_insert":        "write json_insert(x, '$.a', v)",
	"try_variant_insert":    "write json_insert(x, '$.a', v)",
	"variant_delete":        "write json_remove(x, '$.a')",
	"variant_array_append":  "write json_set(x, '$.a[n]', v), with n behind the last element",
	"variant_explode":       "write UNNEST(from_json(x, 'ARRAY<STRING>'))",
	"variant_explode_outer": "write explode_outer(from_json(x, 'ARRAY<STRING>'))",
	"variant_extract":       "write json_extract(x, '$.a')",
	"variant_typeof":        "write json_type(x)",
	"variant_keys":          "write json_keys(x)",
	"json_structure":        "write schema_of_json(x)",
	"json_group_structure":  "write schema_of_json(to_json(array_agg(x)))",
	"json_transform":        "write from_json(x, 'a INT, b STRING')",
	"json_transform_strict": "write from_json(x, 'a INT, b STRING', map('mode', 'FAILFAST'))",
	"from_json_strict":      "write from_json(x, 'a INT, b STRING', map('mode', 'FAILFAST'))",
	"json_merge_patch_diff": "compare the members: json_extract(a, '$.x') <=> json_extract(b, '$.x')",
	"jsonb_set":             "write json_set(x, '$.a.b', v): paths are written like that",
	"jsonb_insert":          "write json_insert(x, '$.a.b', v): paths are written like that",
	"equi_width_bins":       "write width_bucket(x, low, high, n), or histogram(x, ARRAY[…]) with the bounds",
	"histogram_exact":       "write histogram(x), which counts every value",
	"union_value":           "there is no UNION type; write a STRUCT with a field for each kind",
	"union_extract":         "there is no UNION type; write a STRUCT with a field for each kind",
	"union_tag":             "there is no UNION type; write a STRUCT with a field for each kind",
	"remap_struct":          "write CAST(x AS STRUCT<…>), or struct_pack(a := x.a, …)",
	"measure":               "there are no metric views; write the aggregate itself",
	"combine_aggr":          "states of aggregates are not values here; keep the sums and counts as columns, and aggregate these",
	"to_aggregate_state":    "states of aggregates are not values here; keep the sums and counts as columns, and aggregate these",
}

// whyLeftOut is the entry of a name, "" if there is none.
func whyLeftOut(name string) string {
	name = strings.ToLower(name)
	if why, ok := leftOut[name]; ok {
		return why
	}
	for pattern, why := range leftOut {
		if start, family := strings.CutSuffix(pattern, "*"); family && strings.HasPrefix(name, start) {
			return why
		}
	}
	return ""
}
