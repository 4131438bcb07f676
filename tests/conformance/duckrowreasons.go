package conformance

// duckRowReasons are why statements on recursive queries and on changes of rows fail, and why
// that stays.
var duckRowReasons = []explanation{
	because("random numbers take no seed: other rows are counted", "join/iejoin/test_iejoin_events", `select count\(\*\)`, wrong).in(`random\(\)`),
	because("a key has one zero: −0.0 is 0.0", "cte/recursive_cte_key_probe", `signbit\(k2?\)`, wrong),
	because("approx_quantile is another sketch, exact over few rows", "cte/recursive_cte_key_aggregation", `approx_quantile\(b, \[`, wrong),
	because("there is no type of bits", "cte/recursive_cte_key_aggregation", `bitstring_agg`, refused),
	because("INSERT BY NAME brings a STRUCT to the fields of its column by CAST alone", "insert/insert_by_name", `struct_defaults_by_name`, refused, follows),
}
