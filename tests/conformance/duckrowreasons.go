package conformance

// duckRowReasons are why statements on recursive queries and on changes of rows fail, and why
// that stays.
var duckRowReasons = []explanation{
	because("the setting default_collation is not there: text is compared by its bytes", "cte/recursive_cte_key_union", `upper\(v\) from t|values \('a', 2\)|execute collated_`, wrong),
	because("a key has one zero: −0.0 is 0.0", "cte/recursive_cte_key_probe", `signbit\(k2?\)`, wrong),
	because("approx_quantile is another sketch, exact over few rows", "cte/recursive_cte_key_aggregation", `approx_quantile\(b, \[`, wrong),
	because("there is no type of bits", "cte/recursive_cte_key_aggregation", `bitstring_agg`, refused),
	because("INSERT BY NAME brings a STRUCT to the fields of its column by CAST alone", "insert/insert_by_name", `struct_defaults_by_name`, refused, follows),
}
