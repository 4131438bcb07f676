package bind

import (
	"fmt"
	"strings"

	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// synonyms maps functions of other dialects to what to write here. A name that is a
// function here, under whatever meaning, is never looked up.
var synonyms = map[string]string{
	// ClickHouse
	"tostartofhour": "date_trunc('hour', t)", "tostartofminute": "date_trunc('minute', t)", "tostartofsecond": "date_trunc('second', t)",
	"tostartofday": "date_trunc('day', t)", "tostartofweek": "date_trunc('week', t)", "tostartofmonth": "date_trunc('month', t)",
	"tostartofquarter": "date_trunc('quarter', t)", "tostartofyear": "date_trunc('year', t)",
	"tostartofinterval": "time_bucket(size, t)", "tostartoffiveminutes": "time_bucket('5 minutes', t)",
	"todate": "CAST(x AS DATE)", "todatetime": "CAST(x AS TIMESTAMP)", "todatetime64": "CAST(x AS TIMESTAMP)", "tostring": "CAST(x AS STRING)",
	"toint8": "CAST(x AS TINYINT)", "toint16": "CAST(x AS SMALLINT)", "toint32": "CAST(x AS INT)", "toint64": "CAST(x AS BIGINT)",
	"touint8": "CAST(x AS SMALLINT)", "touint16": "CAST(x AS INT)", "touint32": "CAST(x AS BIGINT)", "touint64": "CAST(x AS DECIMAL(20, 0))",
	"tofloat32": "CAST(x AS FLOAT)", "tofloat64": "CAST(x AS DOUBLE)", "todecimal64": "CAST(x AS DECIMAL(18, 2))",
	"toyyyymm": "date_format(t, 'yyyyMM')", "toyear": "year(t)", "tomonth": "month(t)", "tohour": "hour(t)", "tounixtimestamp": "unix_timestamp(t)",
	"formatdatetime": "strftime(t, '%Y-%m-%d')", "parsedatetime": "to_timestamp(x, 'yyyy-MM-dd HH:mm:ss')", "parsedatetimebesteffort": "CAST(x AS TIMESTAMP)",
	"uniq": "approx_count_distinct(x)", "uniqexact": "count(DISTINCT x)", "uniqcombined": "approx_count_distinct(x)", "uniqhll12": "approx_count_distinct(x)",
	"countif": "count_if(condition)", "sumif": "sum(x) FILTER (WHERE condition)", "avgif": "avg(x) FILTER (WHERE condition)",
	"argmax": "max_by(x, y)", "argmin": "min_by(x, y)", "arg_max": "max_by(x, y)", "arg_min": "min_by(x, y)",
	"grouparray": "array_agg(x)", "groupuniqarray": "array_agg(DISTINCT x)", "anylast": "last_value(x) OVER (…), or max_by(x, t)",
	"arrayjoin": "explode(x)", "arraymap": "transform(x, v -> …)", "arrayfilter": "filter(x, v -> …)", "arrayexists": "exists(x, v -> …)",
	"multiif": "CASE WHEN … THEN … ELSE … END", "has": "array_contains(x, v)", "jsonextractstring": "get_json_object(x, '$.a')",
	// Oracle, Teradata
	"to_number": "CAST(x AS DECIMAL(10, 2))", "nvl": "coalesce(x, y)",
	"sysdate": "current_timestamp()", "systimestamp": "current_timestamp()", "to_clob": "CAST(x AS STRING)", "instrb": "instr(x, y)",
	"months_add": "add_months(t, n)", "listagg": "string_agg(x, ',')", "wm_concat": "string_agg(x, ',')", "lengthb": "octet_length(x)",
	"regexp_like": "x RLIKE 'pattern'", "nls_upper": "upper(x)", "to_timestamp_tz": "to_timestamp(x, 'yyyy-MM-dd HH:mm:ss')", "sys_guid": "uuid()",
	// SQL Server
	"getdate": "current_timestamp()", "getutcdate": "current_timestamp()", "sysdatetime": "current_timestamp()", "sysutcdatetime": "current_timestamp()",
	"len": "length(x)", "charindex": "position(x, y)", "patindex": "regexp_instr(x, 'pattern')", "dateadd": "t + INTERVAL '1' DAY", "datediff_big": "datediff(later, earlier)",
	"datepart": "extract(year FROM t)", "datename": "date_format(t, 'MMMM')", "eomonth": "last_day(t)", "iif": "if(condition, a, b)", "newid": "uuid()",
	"convert": "CAST(x AS type)", "try_convert": "TRY_CAST(x AS type)", "parse": "CAST(x AS type)", "try_parse": "TRY_CAST(x AS type)",
	"stuff": "overlay(x PLACING y FROM start FOR n)", "replicate": "repeat(x, n)", "quotename": `'"' || x || '"'`, "datefromparts": "make_date(y, m, d)",
	"openjson": "from_json(x, 'schema')", "json_query": "get_json_object(x, '$.a')", "isnumeric": "TRY_CAST(x AS DOUBLE) IS NOT NULL",
	"checksum": "hash(x)", "hashbytes": "sha2(x, 256)", "scope_identity": "uuid()", "count_big": "count(x)", "choose": "elt(n, a, b)",
	// MySQL
	"group_concat": "string_agg(x, ',')", "str_to_date": "strptime(x, '%Y-%m-%d')", "ucase": "upper(x)", "lcase": "lower(x)",
	"curtime": "current_time()", "utc_timestamp": "current_timestamp()", "time_to_sec": "time_to_seconds(t)",
	"period_diff": "months_between(a, b)", "makedate": "make_date(y, m, d)", "sec_to_time": "time_from_seconds(s)", "maketime": "make_time(h, m, s)", "addtime": "t + INTERVAL '1' HOUR", "subtime": "t - INTERVAL '1' HOUR", "from_days": "date_from_unix_date(n)",
	"strcmp": "CASE WHEN x < y THEN -1 WHEN x > y THEN 1 ELSE 0 END", "field": "array_position(ARRAY[a, b], x)",
	"json_unquote": "get_json_object(x, '$.a')", "rand": "random()", "last_insert_id": "uuid()", "isnull": "x IS NULL",
	// PostgreSQL
	"jsonb_extract_path_text": "get_json_object(x, '$.a')", "json_extract_path_text": "get_json_object(x, '$.a')",
	"json_string": "to_json(x)", "element": "x[1]", "jsonb_agg": "json_arrayagg(x)", "json_agg": "json_arrayagg(x)", "jsonb_object_agg": "map_agg(k, v)",
	"jsonb_build_object": "to_json(named_struct('a', a))", "json_build_object": "to_json(named_struct('a', a))", "row_to_json": "to_json(x)", "to_jsonb": "to_json(x)",
	"clock_timestamp": "current_timestamp()", "statement_timestamp": "current_timestamp()",
	"timeofday": "current_timestamp()", "string_to_array": "split(x, ',')", "array_to_string": "array_join(x, ',')",
	"regexp_matches": "regexp_extract_all(x, pattern)", "regexp_split_to_array": "split(x, pattern)",
	"btrim": "trim(x)", "strpos": "position(x, y)", "to_hex": "hex(x)", "array_length": "size(x)", "cardinality": "size(x)", "gen_random_uuid": "uuid()",
	"unnest_array": "UNNEST(x)", "nextval": "uuid()", "format": "format_string('%s', x)",
	// Snowflake, BigQuery, Redshift
	"iff": "if(condition, a, b)", "div0": "try_divide(a, b)", "div0null": "try_divide(a, b)", "safe_divide": "try_divide(a, b)", "safe_add": "try_add(a, b)",
	"safe_subtract": "try_subtract(a, b)", "safe_multiply": "try_multiply(a, b)", "zeroifnull": "coalesce(x, 0)",
	"to_decimal": "CAST(x AS DECIMAL(10, 2))", "to_numeric": "CAST(x AS DECIMAL(10, 2))", "to_double": "CAST(x AS DOUBLE)", "to_boolean": "CAST(x AS BOOLEAN)",
	"try_to_number": "TRY_CAST(x AS DECIMAL(10, 2))", "try_to_decimal": "TRY_CAST(x AS DECIMAL(10, 2))", "try_to_double": "TRY_CAST(x AS DOUBLE)",
	"try_to_date": "TRY_CAST(x AS DATE)", "try_to_boolean": "TRY_CAST(x AS BOOLEAN)", "safe_cast": "TRY_CAST(x AS type)",
	"object_construct": "named_struct('a', a), or MAP(k, v)", "array_construct": "ARRAY[a, b]", "array_size": "size(x)", "parse_json": "from_json(x, 'schema')",
	"try_parse_json": "from_json(x, 'schema')", "json_extract_scalar": "get_json_object(x, '$.a')", "json_extract_string": "get_json_object(x, '$.a')",
	"timestamp_trunc": "date_trunc('hour', t)", "datetime_trunc": "date_trunc('hour', t)", "timestamp_add": "t + INTERVAL '1' HOUR", "timestamp_sub": "t - INTERVAL '1' HOUR",
	"datetime_add": "t + INTERVAL '1' HOUR", "timestamp_diff": "timestampdiff(SECOND, earlier, later)", "datetime_diff": "timestampdiff(SECOND, earlier, later)",
	"date_diff": "datediff(later, earlier), in days", "datediff": "datediff(later, earlier), in days", "format_timestamp": "strftime(t, '%Y-%m-%d')", "format_date": "strftime(t, '%Y-%m-%d')",
	"format_datetime": "strftime(t, '%Y-%m-%d')", "parse_timestamp": "strptime(x, '%Y-%m-%d %H:%M:%S')", "parse_date": "CAST(strptime(x, '%Y-%m-%d') AS DATE)",
	"parse_datetime": "strptime(x, '%Y-%m-%d %H:%M:%S')", "generate_array": "sequence(1, 10)", "generate_date_array": "sequence(a, b)", "farm_fingerprint": "xxhash64(x)",
	"approx_quantiles": "approx_percentile(x, ARRAY[0.25, 0.5])", "logical_or": "bool_or(x)", "logical_and": "bool_and(x)", "ieee_divide": "try_divide(a, b)", "regexp_contains": "x RLIKE 'pattern'",
	"seq4": "row_number() OVER (ORDER BY …)", "hash_agg": "sum(hash(x))", "ratio_to_report": "x / sum(x) OVER ()",
	// Spark, Flink, ksqlDB, Materialize, DuckDB
	"collect_list": "array_agg(x)", "proctime": "current_timestamp()", "rowtime": "the source's event time column", "tumble_proctime": "window(now(), size)",
	"tumble_rowtime": "window_time(window)", "hop_rowtime": "window_time(window)", "session_rowtime": "window_time(window)", "strlen": "length(x)",
	"withwatermark": "WATERMARK behind the table: FROM t WATERMARK ts DELAY '10 minutes'", "latest_by_offset": "max_by(x, t)", "earliest_by_offset": "min_by(x, t)",
	"collect_set_limit": "slice(collect_set(x), 1, n)", "topk": "slice(sort_array(array_agg(x), false), 1, n)", "topkdistinct": "slice(sort_array(array_agg(DISTINCT x), false), 1, n)",
	"timestamptostring": "date_format(t, 'yyyy-MM-dd HH:mm:ss')", "stringtotimestamp": "to_timestamp(x, 'yyyy-MM-dd HH:mm:ss')", "extractjsonfield": "get_json_object(x, '$.a')",
	"mz_now": "current_timestamp()", "regexp_substr": "regexp_extract(x, pattern)", "list_aggregate": "aggregate(x, 0, (a, v) -> …)", "list_transform": "transform(x, v -> …)",
	"list_filter": "filter(x, v -> …)", "list_contains": "array_contains(x, v)", "list_sort": "sort_array(x)", "list_distinct": "array_distinct(x)",
	"string_split_regex": "split(x, pattern)", "to_unixtime": "unix_timestamp(t)", "from_iso8601_timestamp": "CAST(x AS TIMESTAMP)",
	"unix_nanos": "unix_micros(t) * 1000: times have microseconds", "timestamp_nanos": "timestamp_micros(n DIV 1000): times have microseconds", "make_timestamp_ns": "timestamp_micros(n DIV 1000): times have microseconds",
	"variant_explode": "json_each(x)", "variant_explode_outer": "LEFT JOIN LATERAL json_each(x) AS j ON TRUE", "dayofweek_iso": "isodow(t)", "last_day_of_month": "last_day(t)",
	"json_parse": "from_json(x, 'schema')", "json_format": "to_json(x)", "map_agg": "map_from_entries(array_agg(struct(k, v)))", "writestream": "INSERT INTO sink SELECT … EMIT …",
	"readstream": "CREATE SOURCE name (columns) WITH (…)", "struct_pack": "named_struct('a', a)",
}

// tableFunctions maps table functions of other dialects to what to write in FROM.
var tableFunctions = map[string]string{
	"flatten": "UNNEST(array) AS u(x)", "string_split": "UNNEST(split(x, ',')) AS u(x)", "openjson": "json_each(x)",
	"json_table": "UNNEST(from_json(x, 'ARRAY<STRUCT<a: INT>>')) AS u(s)",
	"read_csv":   "a path: FROM 'in/*.csv'", "read_csv_auto": "a path: FROM 'in/*.csv'", "read_json": "a path: FROM 'in/*.json'", "read_json_auto": "a path: FROM 'in/*.json'",
	"read_parquet": "a path: FROM 'in/*.parquet'", "read_files": "a path: FROM 'in/*.json'", "read_kafka": "CREATE SOURCE name (columns) WITH (connector = 'kafka', …)",
	"arrayjoin": "UNNEST(array) AS u(x)",

	"generator": "UNNEST(sequence(1, 10)) AS u(n)", "withwatermark": "WATERMARK behind the table: FROM t WATERMARK ts DELAY '10 minutes'",
}

// elsewhereNames are columns that other systems have in every table, or functions that they call
// without parentheses, and what is written here.
var elsewhereNames = map[string]string{
	"rownum": "LIMIT n for the first rows, or row_number() OVER (ORDER BY …)", "rowid": "row_number() OVER (ORDER BY …)", "level": "WITH RECURSIVE, and count the rounds",
	"sysdate": "current_timestamp()", "systimestamp": "current_timestamp()", "getdate": "current_timestamp()",
	"rowtime": "the event time column of the source", "proctime": "current_timestamp()", "windowstart": "window.start", "windowend": "window.end",
	"_partitiontime": "a column that the source fills: METADATA", "rowpartition": "a column of the source: partition INT METADATA", "rowoffset": "a column of the source: offset BIGINT METADATA",
	"sysutcdatetime": "current_timestamp()",
	"utc_timestamp":  "current_timestamp()", "current_datetime": "current_timestamp()",
}

// catalogs are tables in which other systems describe themselves.
var catalogs = map[string]string{
	"dual": "leave FROM out: SELECT 1", "sqlite_master": "write SHOW TABLES", "sysobjects": "write SHOW TABLES", "pg_tables": "write SHOW TABLES",
	"information_schema.tables": "write SHOW TABLES", "information_schema.columns": "write DESCRIBE and the name", "pg_catalog.pg_tables": "write SHOW TABLES",
	"stdin": "standard input is named in quotes: FROM 'stdin'", "sys.tables": "write SHOW TABLES", "sys.objects": "write SHOW TABLES", "pg_stat_activity": "write SHOW QUERIES", "rw_catalog.rw_tables": "write SHOW TABLES",
}

// elsewhere is what to write for a name that resolves to nothing, "" if it is known
// from nowhere.
func elsewhere(known map[string]string, name string) string { return known[strings.ToLower(name)] }

// inQuotes is what to write for the name of a file without quotes, data.csv.
func inQuotes(name string) string {
	switch ext := strings.ToLower(name[strings.LastIndexByte(name, '.')+1:]); ext {
	case "json", "jsonl", "ndjson", "csv", "tsv", "parquet", "avro", "txt":
		if ext != strings.ToLower(name) {
			return fmt.Sprintf("a file is named in quotes: FROM '%s'", name)
		}
	}
	return ""
}

const ownName = "write the name as a text, or -v name=value and ${name}"

// circumstances maps functions of other systems that tell who runs a query, where and how far
// it is, to what serves instead.
var circumstances = map[string]string{
	"user": ownName, "session_user": ownName, "current_user": ownName, "database": ownName, "current_database": ownName, "current_schema": ownName,
	"current_watermark": "SHOW WATERMARKS shows it; a query closes what is final by itself",
}

// unrepeatable maps functions of Spark whose values come from how a run is spread over
// workers to the nearest query that has one answer.
var unrepeatable = map[string]string{
	"monotonically_increasing_id": "number the rows by their columns: row_number() OVER (ORDER BY …)",
	"spark_partition_id":          "group by a hash of a column: hash(k) % n",
}

// bareWord is a unit or a type that other dialects write without quotes as an argument:
// TIMESTAMP_TRUNC(ts, HOUR), CONVERT(INT, x). "" if x is none.
func bareWord(x ast.Expr) string {
	ref, ok := x.(*ast.ColumnRef)
	if !ok || len(ref.Parts) != 1 || ref.Parts[0].Quoted {
		return ""
	}
	word := strings.ToLower(ref.Parts[0].Name)
	switch strings.TrimSuffix(word, "s") {
	case "microsecond", "millisecond", "second", "minute", "hour", "day", "week", "isoweek", "month", "quarter", "year",
		"dayofweek", "dayofyear", "weekday", "yy", "mm", "dd", "hh", "mi":
		return word
	case "int", "integer", "bigint", "smallint", "tinyint", "varchar", "nvarchar", "char", "text", "string", "date", "datetime",
		"timestamp", "float", "double", "decimal", "numeric", "signed", "unsigned", "bit", "boolean":
		return word
	}
	return ""
}

// others binds the arguments of a call that is refused, for the errors in them; units
// and types without quotes belong to the call.
func (e *env) others(args []ast.Expr) {
	for _, x := range args {
		if _, lambda := x.(*ast.Lambda); !lambda && (bareWord(x) == "" || len(e.scope.find("", bareWord(x))) > 0) {
			e.expr(x)
		}
	}
}

// suggestName is the hint for a name that is no function, column or table.
func suggestName(name string, known map[string]string, candidates []string) string {
	if write := elsewhere(known, name); write != "" {
		return "write " + write
	}
	return diag.HintDidYouMean(name, candidates)
}
