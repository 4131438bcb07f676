package bind

// synonyms maps functions of other dialects to what to write here.
var synonyms = map[string]string{
	"tostartofhour": "date_trunc('hour', t)", "tostartofminute": "date_trunc('minute', t)",
	"tostartofday": "date_trunc('day', t)", "tostartofmonth": "date_trunc('month', t)",
	"tostartofinterval": "time_bucket(size, t)", "collect_list": "array_agg(x)", "listagg": "string_agg(x, ',')",
	"group_concat": "string_agg(x, ',')", "to_char": "date_format(t, 'yyyy-MM-dd')", "proctime": "current_timestamp()",
	"getdate": "current_timestamp()", "sysdate": "current_timestamp()", "len": "length(x)", "nvl": "coalesce(x, y)",
	"isnull": "x IS NULL", "strlen": "length(x)", "charindex": "position(x, y)", "datediff": "date_diff", "safe_divide": "try_divide(a, b)",
	"uniq": "approx_count_distinct(x)", "uniqexact": "count(DISTINCT x)", "countif": "count_if(condition)",
	"argmax": "max_by(x, y)", "argmin": "min_by(x, y)", "arg_max": "max_by(x, y)", "arg_min": "min_by(x, y)",
	"regexp_substr": "regexp_extract(x, pattern)", "ucase": "upper(x)", "lcase": "lower(x)", "dateadd": "t + INTERVAL '1' DAY",
	"unnest_array": "UNNEST(x)", "flatten": "UNNEST(x)", "tumble_proctime": "window(now(), size)", "iif": "if(condition, a, b)",
}

// unrepeatable maps functions of Spark whose values come from how a run is spread over
// workers to the nearest query that has one answer.
var unrepeatable = map[string]string{
	"monotonically_increasing_id": "number the rows by their columns: row_number() OVER (ORDER BY …)",
	"spark_partition_id":          "group by a hash of a column: hash(k) % n",
}
