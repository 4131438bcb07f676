package bind

import (
	"strings"

	"github.com/sqlstream/sqlstream/parser/diag"
)

// foreign is functions of other systems that are none here, under one reason and way out. A
// name that is a function here is never looked up.
type foreign struct {
	names  string // in lower case, separated by blanks; * at the end = all that begin so
	kind   foreignKind
	reason string // why there is none; "" = it is called otherwise here
	way    string // the hint
}

// foreignKind is what a message says of a function that is none here.
type foreignKind uint8

const (
	unknown  foreignKind = iota
	byWorker             // its value depends on how a run is spread over workers
	ofTheRun             // it tells who runs a query, where and how far it is
)

// report is the error at a name of the function.
func (f *foreign) report(b *Binder, name string, span diag.Span) *diag.Diagnostic {
	var d *diag.Diagnostic
	switch {
	case f.kind == byWorker:
		d = b.errorf(diag.NotRepeatable, span, "%s depends on the worker and the order in which a row is processed, which another run does not repeat", name)
	case f.kind == ofTheRun:
		d = b.errorf(diag.NotRepeatable, span, "%s is not supported: it tells of the run, which another run does not repeat", name)
	case f.reason != "":
		d = b.errorf(diag.UnknownFunction, span, "unknown function %q: %s", name, f.reason)
	default:
		d = b.errorf(diag.UnknownFunction, span, "unknown function %q", name)
	}
	d.Hint = f.way
	return d
}

// called reports that the function is there under another name.
func (f *foreign) called() bool { return f.kind == unknown && f.reason == "" }

// foreignFunction finds a function of another system: by its name, else by how it begins;
// nil if it is known from nowhere.
func foreignFunction(name string) *foreign {
	name = strings.ToLower(name)
	for _, whole := range []bool{true, false} {
		for i := range foreignFunctions {
			for n := range strings.FieldsSeq(foreignFunctions[i].names) {
				prefix, open := strings.CutSuffix(n, "*")
				if whole && n == name || !whole && open && strings.HasPrefix(name, prefix) {
					return &foreignFunctions[i]
				}
			}
		}
	}
	return nil
}

// foreignFunctions are the functions of Spark, DuckDB, PostgreSQL and others that are none here.
var foreignFunctions = []foreign{
	// What another run would not repeat.
	{names: "monotonically_increasing_id", kind: byWorker, way: "number the rows by their columns: row_number() OVER (ORDER BY …)"},
	{names: "spark_partition_id", kind: byWorker, way: "group by a hash of a column: hash(k) % n"},
	{names: "user session_user current_user database current_database current_schema", kind: ofTheRun, way: "write the name as a text, or -v name=value and ${name}"},
	{names: "current_watermark", kind: ofTheRun, way: "SHOW WATERMARKS shows it; a query closes what is final by itself"},
	// What is left out on purpose.
	{names: "xpath xpath_boolean xpath_double xpath_float xpath_int xpath_long xpath_number xpath_short xpath_string from_xml to_xml schema_of_xml xmlparse xmltable xmlelement xmlforest xmlagg xmlconcat", reason: "XML is not read",
		way: "turn it into JSON before it comes here, or take a value out with regexp_extract(x, '<name>([^<]*)</name>')"},
	{names: "collate collation collations nls_sort icu_sort_key collate_* icu_collate_*", reason: "text is compared by its code points alone",
		way: "compare lower(x), or make the texts equal before they come here"},
	{names: "reflect try_reflect java_method", reason: "there is no Java machine to call",
		way: "use CREATE FUNCTION f(x) RETURN expression"},
	{names: "input_file_name input_file_block_start input_file_block_length", reason: "the file of a row is a column that the source fills",
		way: "declare it: CREATE TABLE t (…, file STRING METADATA FROM 'path') WITH (path = 'in', …)"},
	{names: "current_role current_catalog current_schemas current_path current_connection_id current_query_id current_transaction_id txid_current pg_backend_pid inet_client_addr inet_server_addr", reason: "there are no users, schemas or sessions here",
		way: "give the value as a parameter: -v name=value, and '${name}' in the query"},
	{names: "current_setting set_config getvariable getenv", reason: "settings are not read in a query",
		way: "SHOW SETTINGS lists them; -v name=value gives a value to '${name}'"},
	{names: "has_table_privilege has_column_privilege has_schema_privilege has_database_privilege has_function_privilege pg_has_role pg_*", reason: "there is no catalogue of PostgreSQL here",
		way: "SHOW TABLES, DESCRIBE and the tables of sys. tell what there is"},
	{names: "version duckdb_version pg_version", reason: "a query does not know the program that runs it",
		way: "sqlstream --version prints it"},
	{names: "setseed", reason: "random numbers take no seed, because rows reach the workers in no fixed order",
		way: "take a number that follows from the row: pmod(xxhash64(key), 1000000) / 1e6"},
	{names: "nextval currval setval lastval", reason: "a sequence would give other numbers in another run",
		way: "uuid() is unique; row_number() OVER (ORDER BY …) numbers rows"},
	{names: "sleep pg_sleep sleep_ms", reason: "a query does not wait",
		way: "TRIGGER EVERY '1 minute' sets the pace of a query"},
	{names: "sql_keywords python_worker_logs write_log", reason: "it tells of another engine",
		way: "SHOW FUNCTIONS and SHOW SETTINGS tell of this one"},
	{names: "st_* geometry* geography* point lseg polygon circle", reason: "there are no geometries here",
		way: "keep longitude and latitude as DOUBLE"},
	{names: "unaccent to_ascii casefold", reason: "which letters it turns into which is a matter of its own tables",
		way: "strip_accents(x) takes accents off letters, lower(x) turns them small"},
	{names: "regexp_matches", reason: "DuckDB and PostgreSQL mean different things by it",
		way: "regexp_like(x, pattern) tests; regexp_match(x, pattern) lists the groups of the first match, regexp_extract_all(x, pattern) all matches"},
	{names: "divide", reason: "DuckDB rounds its result down to a whole number, others do not",
		way: "a / b divides, a DIV b gives a whole number"},
	{names: "pg_size_pretty", reason: "it rounds in its own way",
		way: "format_bytes(n)"},
	{names: "bit_position bitstring bitstring_agg", reason: "there is no type of bits",
		way: "getbit(n, i) takes a bit of an integer; substring(bytes, i, 1) a byte"},
	{names: "md5_number md5_number_lower md5_number_upper", reason: "there is no integer of 128 bits",
		way: "md5(x) as text, or xxhash64(x) as BIGINT"},
	{names: "levenshtein_less_equal", reason: "it is levenshtein with a limit",
		way: "levenshtein(a, b, limit)"},
	{names: "metaphone dmetaphone dmetaphone_alt daitch_mokotoff difference", reason: "of the codes for sounds there is soundex alone",
		way: "soundex(x)"},
	{names: "from_avro to_avro schema_of_avro from_protobuf to_protobuf", reason: "Avro and Protocol Buffers are formats of sources and sinks",
		way: "WITH (format = 'avro') or 'protobuf' in CREATE SOURCE or CREATE SINK"},
	{names: "dict_get dictionary dictget dictgetordefault", reason: "there are no dictionaries",
		way: "join with a table: JOIN t ON t.key = x.key"},
	{names: "enum_code enum_first enum_last enum_range enum_range_boundary", reason: "there is no ENUM",
		way: "a CASE expression gives each text its number"},
	{names: "crypt gen_salt pgp_sym_encrypt pgp_sym_decrypt pgp_pub_encrypt pgp_pub_decrypt", reason: "pgcrypto is not here",
		way: "aes_encrypt(x, key), hmac(key, x) and sha2(x, 256)"},
	{names: "kll_*", way: "a KLL sketch throws dice, and another run gives another one; percentile(x, p) is exact and follows deletions"},
	{names: "theta_*", way: "theta sketches are not made here; count(DISTINCT x) is exact, hll_sketch_agg(x) is a sketch that can be joined"},
	{names: "tuple_*", way: "tuple sketches are not made here; group by the key, and aggregate the sums"},
	{names: "approx_top_k_*", way: "approx_top_k(x, k) is exact and keeps no sketch; keep SELECT x, count(*) … GROUP BY x where counts are joined later"},
	{names: "reservoir_quantile", way: "a sample throws dice; percentile_disc(x, p) is exact and follows deletions"},
	{names: "counter_diff", way: "write CASE WHEN c >= lag(c) IGNORE NULLS OVER w THEN c - lag(c) IGNORE NULLS OVER w END"},
	{names: "schema_of_variant json_structure", way: "write schema_of_json(x)"},
	{names: "schema_of_variant_agg json_group_structure", way: "write schema_of_json(to_json(array_agg(x)))"},
	{names: "variant_set try_variant_set", way: "write json_set(x, '$.a', v)"},
	{names: "variant_insert try_variant_insert", way: "write json_insert(x, '$.a', v)"},
	{names: "variant_delete", way: "write json_remove(x, '$.a')"},
	{names: "variant_array_append", way: "write json_set(x, '$.a[n]', v), with n behind the last element"},
	{names: "variant_explode", way: "write UNNEST(from_json(x, 'ARRAY<STRING>'))"},
	{names: "variant_explode_outer", way: "write explode_outer(from_json(x, 'ARRAY<STRING>'))"},
	{names: "variant_extract", way: "write json_extract(x, '$.a')"},
	{names: "variant_typeof", way: "write json_type(x)"},
	{names: "variant_keys", way: "write json_keys(x)"},
	{names: "json_transform", way: "write from_json(x, 'a INT, b STRING')"},
	{names: "json_transform_strict from_json_strict", way: "write from_json(x, 'a INT, b STRING', map('mode', 'FAILFAST'))"},
	{names: "json_merge_patch_diff", way: "compare the members: json_extract(a, '$.x') <=> json_extract(b, '$.x')"},
	{names: "jsonb_path_query jsonb_path_query_array jsonb_path_query_first", way: "write json_query(x, '$.a'); elements are chosen by filter(from_json(x, 'ARRAY<INT>'), v -> v > 2)"},
	{names: "jsonb_path_exists jsonb_path_match jsonb_exists", way: "write json_exists(x, '$.a')"},
	{names: "jsonb_contains", way: "write x @> y"},
	{names: "jsonb_delete", way: "write json_remove(x, '$.a')"},
	{names: "json_object_agg_strict json_objectagg_strict", way: "write json_object_agg(k, v)"},
	{names: "jsonb_object_keys", way: "write json_object_keys(x), an array; UNNEST makes rows of it"},
	{names: "json_populate_record jsonb_populate_record json_to_record jsonb_to_record", way: "write from_json(x, 'a INT, b STRING'), a STRUCT"},
	{names: "json_populate_recordset jsonb_populate_recordset json_to_recordset jsonb_to_recordset", way: "write inline(from_json(x, 'ARRAY<STRUCT<a: INT, b: STRING>>'))"},
	{names: "jsonb_set", way: "write json_set(x, '$.a.b', v): paths are written like that"},
	{names: "jsonb_insert", way: "write json_insert(x, '$.a.b', v): paths are written like that"},
	{names: "union_value union_extract union_tag", way: "there is no UNION type; write a STRUCT with a field for each kind"},
	{names: "int4range int8range numrange tsrange tstzrange daterange int4multirange range_agg range_merge range_intersect_agg lower_inc upper_inc lower_inf upper_inf", reason: "there are no ranges",
		way: "keep both bounds as columns; (a, b) OVERLAPS (c, d) compares times"},
	{names: "array_dims", way: "write array_length(x, 1), array_length(x, 2)"},
	{names: "array_fill", way: "write array_repeat(x, n)"},
	{names: "array_shuffle", way: "write shuffle(x)"},
	{names: "array_sample", way: "write slice(shuffle(x), 1, n)"},
	{names: "date_subtract", way: "write t - INTERVAL '1' HOUR"},
	{names: "parse_ident", way: "write string_to_array(x, '.')"},
	{names: "to_bin", way: "write bin(x)"},
	{names: "trim_scale", way: "the scale belongs to the type: CAST(x AS DECIMAL(10, 2)), or CAST(x AS DOUBLE)"},
	{names: "count_star", way: "write count(*)"},
	{names: "histogram_values", way: "write histogram(x)"},
	{names: "sum_no_overflow", way: "write sum(x)"},
	{names: "weighted_avg wavg", way: "write sum(x * w) / sum(w)"},
	{names: "not_like_escape", way: "write x NOT LIKE 'pattern' ESCAPE '!'"},
	{names: "get_current_time", way: "write current_time()"},
	{names: "query query_table", way: "write the query, or the name of the table, in FROM"},
	{names: "modulo", way: "write mod(a, b)"},
	{names: "time_format", way: "write date_format(t, 'HH:mm:ss')"},
	{names: "found_rows", way: "write count(*)"},
	{names: "identifier", way: "write the name itself, or ${name} with -v name=value"},
	{names: "remap_struct", way: "write CAST(x AS STRUCT<…>), or struct_pack(a := x.a, …)"},
	{names: "measure", way: "there are no metric views; write the aggregate itself"},
	{names: "combine_aggr to_aggregate_state", way: "states of aggregates are not values here; keep the sums and counts as columns, and aggregate these"},
	// ClickHouse
	{names: "tostartofhour", way: "write date_trunc('hour', t)"},
	{names: "tostartofminute", way: "write date_trunc('minute', t)"},
	{names: "tostartofsecond", way: "write date_trunc('second', t)"},
	{names: "tostartofday", way: "write date_trunc('day', t)"},
	{names: "tostartofweek", way: "write date_trunc('week', t)"},
	{names: "tostartofmonth", way: "write date_trunc('month', t)"},
	{names: "tostartofquarter", way: "write date_trunc('quarter', t)"},
	{names: "tostartofyear", way: "write date_trunc('year', t)"},
	{names: "tostartofinterval", way: "write time_bucket(size, t)"},
	{names: "tostartoffiveminutes", way: "write time_bucket('5 minutes', t)"},
	{names: "todate", way: "write CAST(x AS DATE)"},
	{names: "todatetime todatetime64 parsedatetimebesteffort", way: "write CAST(x AS TIMESTAMP)"},
	{names: "tostring", way: "write CAST(x AS STRING)"},
	{names: "toint8", way: "write CAST(x AS TINYINT)"},
	{names: "toint16 touint8", way: "write CAST(x AS SMALLINT)"},
	{names: "toint32 touint16", way: "write CAST(x AS INT)"},
	{names: "toint64 touint32", way: "write CAST(x AS BIGINT)"},
	{names: "touint64", way: "write CAST(x AS DECIMAL(20, 0))"},
	{names: "tofloat32", way: "write CAST(x AS FLOAT)"},
	{names: "tofloat64", way: "write CAST(x AS DOUBLE)"},
	{names: "todecimal64", way: "write CAST(x AS DECIMAL(18, 2))"},
	{names: "toyyyymm", way: "write date_format(t, 'yyyyMM')"},
	{names: "toyear", way: "write year(t)"},
	{names: "tomonth", way: "write month(t)"},
	{names: "tohour", way: "write hour(t)"},
	{names: "tounixtimestamp", way: "write unix_timestamp(t)"},
	{names: "formatdatetime", way: "write strftime(t, '%Y-%m-%d')"},
	{names: "parsedatetime", way: "write to_timestamp(x, 'yyyy-MM-dd HH:mm:ss')"},
	{names: "uniq uniqcombined uniqhll12", way: "write approx_count_distinct(x)"},
	{names: "uniqexact", way: "write count(DISTINCT x)"},
	{names: "sumif", way: "write sum(x) FILTER (WHERE condition)"},
	{names: "avgif", way: "write avg(x) FILTER (WHERE condition)"},
	{names: "grouparray", way: "write array_agg(x)"},
	{names: "groupuniqarray", way: "write array_agg(DISTINCT x)"},
	{names: "anylast", way: "write last_value(x) OVER (…), or max_by(x, t)"},
	{names: "arrayjoin", way: "write explode(x)"},
	{names: "arraymap", way: "write transform(x, v -> …)"},
	{names: "arrayfilter", way: "write filter(x, v -> …)"},
	{names: "arrayexists", way: "write exists(x, v -> …)"},
	{names: "multiif", way: "write CASE WHEN … THEN … ELSE … END"},
	{names: "has", way: "write array_contains(x, v)"},
	{names: "jsonextractstring", way: "write get_json_object(x, '$.a')"},
	// Oracle, Teradata
	{names: "sysdate systimestamp", way: "write current_timestamp()"},
	{names: "to_clob", way: "write CAST(x AS STRING)"},
	{names: "instrb", way: "write instr(x, y)"},
	{names: "months_add", way: "write add_months(t, n)"},
	{names: "wm_concat", way: "write string_agg(x, ',')"},
	{names: "lengthb", way: "write octet_length(x)"},
	{names: "nls_upper", way: "write upper(x)"},
	{names: "to_timestamp_tz", way: "write to_timestamp(x, 'yyyy-MM-dd HH:mm:ss')"},
	{names: "sys_guid", way: "write uuid()"},
	// SQL Server
	{names: "getdate getutcdate sysdatetime sysutcdatetime", way: "write current_timestamp()"},
	{names: "patindex", way: "write regexp_instr(x, 'pattern')"},
	{names: "datediff_big", way: "write datediff(later, earlier)"},
	{names: "datename", way: "write date_format(t, 'MMMM')"},
	{names: "eomonth", way: "write last_day(t)"},
	{names: "newid scope_identity", way: "write uuid()"},
	{names: "convert parse", way: "write CAST(x AS type)"},
	{names: "try_convert try_parse", way: "write TRY_CAST(x AS type)"},
	{names: "stuff", way: "write overlay(x PLACING y FROM start FOR n)"},
	{names: "replicate", way: "write repeat(x, n)"},
	{names: "quotename", way: `write '"' || x || '"'`},
	{names: "datefromparts", way: "write make_date(y, m, d)"},
	{names: "openjson", way: "write from_json(x, 'schema')"},
	{names: "isnumeric", way: "write TRY_CAST(x AS DOUBLE) IS NOT NULL"},
	{names: "checksum", way: "write hash(x)"},
	{names: "hashbytes", way: "write sha2(x, 256)"},
	{names: "count_big", way: "write count(x)"},
	{names: "choose", way: "write elt(n, a, b)"},
	// MySQL
	{names: "str_to_date", way: "write strptime(x, '%Y-%m-%d')"},
	{names: "curtime", way: "write current_time()"},
	{names: "utc_timestamp", way: "write current_timestamp()"},
	{names: "time_to_sec", way: "write time_to_seconds(t)"},
	{names: "period_diff", way: "write months_between(a, b)"},
	{names: "makedate", way: "write make_date(y, m, d)"},
	{names: "sec_to_time", way: "write time_from_seconds(s)"},
	{names: "maketime", way: "write make_time(h, m, s)"},
	{names: "addtime", way: "write t + INTERVAL '1' HOUR"},
	{names: "subtime", way: "write t - INTERVAL '1' HOUR"},
	{names: "from_days", way: "write date_from_unix_date(n)"},
	{names: "strcmp", way: "write CASE WHEN x < y THEN -1 WHEN x > y THEN 1 ELSE 0 END"},
	{names: "field", way: "write array_position(ARRAY[a, b], x)"},
	{names: "json_unquote", way: "write get_json_object(x, '$.a')"},
	{names: "last_insert_id", way: "write uuid()"},
	// PostgreSQL
	{names: "json_string", way: "write to_json(x)"},
	{names: "element", way: "write x[1]"},
	{names: "jsonb_object_agg", way: "write json_object_agg(k, v)"},
	{names: "clock_timestamp statement_timestamp timeofday", way: "write current_timestamp()"},
	{names: "unnest_array", way: "write UNNEST(x)"},
	// Snowflake, BigQuery, Redshift
	{names: "div0 div0null safe_divide ieee_divide", way: "write try_divide(a, b)"},
	{names: "safe_add", way: "write try_add(a, b)"},
	{names: "safe_subtract", way: "write try_subtract(a, b)"},
	{names: "safe_multiply", way: "write try_multiply(a, b)"},
	{names: "to_decimal to_numeric", way: "write CAST(x AS DECIMAL(10, 2))"},
	{names: "to_double", way: "write CAST(x AS DOUBLE)"},
	{names: "to_boolean", way: "write CAST(x AS BOOLEAN)"},
	{names: "try_to_decimal", way: "write TRY_CAST(x AS DECIMAL(10, 2))"},
	{names: "try_to_double", way: "write TRY_CAST(x AS DOUBLE)"},
	{names: "try_to_boolean", way: "write TRY_CAST(x AS BOOLEAN)"},
	{names: "safe_cast", way: "write TRY_CAST(x AS type)"},
	{names: "object_construct", way: "write named_struct('a', a), or MAP(k, v)"},
	{names: "array_construct", way: "write ARRAY[a, b]"},
	{names: "timestamp_trunc datetime_trunc", way: "write date_trunc('hour', t)"},
	{names: "timestamp_add datetime_add", way: "write t + INTERVAL '1' HOUR"},
	{names: "timestamp_sub", way: "write t - INTERVAL '1' HOUR"},
	{names: "timestamp_diff datetime_diff", way: "write timestampdiff(SECOND, earlier, later)"},
	{names: "format_timestamp format_date format_datetime", way: "write strftime(t, '%Y-%m-%d')"},
	{names: "parse_timestamp parse_datetime", way: "write strptime(x, '%Y-%m-%d %H:%M:%S')"},
	{names: "parse_date", way: "write CAST(strptime(x, '%Y-%m-%d') AS DATE)"},
	{names: "generate_date_array", way: "write sequence(a, b)"},
	{names: "farm_fingerprint", way: "write xxhash64(x)"},
	{names: "approx_quantiles", way: "write approx_percentile(x, ARRAY[0.25, 0.5])"},
	{names: "logical_or", way: "write bool_or(x)"},
	{names: "logical_and", way: "write bool_and(x)"},
	{names: "regexp_contains", way: "write x RLIKE 'pattern'"},
	{names: "seq4", way: "write row_number() OVER (ORDER BY …)"},
	{names: "hash_agg", way: "write sum(hash(x))"},
	{names: "ratio_to_report", way: "write x / sum(x) OVER ()"},
	// Spark, Flink, ksqlDB, Materialize, DuckDB
	{names: "mz_now", way: "write current_timestamp()"},
	{names: "rowtime", way: "write the source's event time column"},
	{names: "tumble_proctime hop_proctime session_proctime", way: "write window_end: a window is processed when it ends"},
	{names: "current_row_timestamp", way: "write current_timestamp()"},
	{names: "collect", way: "write array_agg(x), or histogram(x) for how often each value is there"},
	{names: "convert_tz", way: "write convert_timezone(from, to, time)"},
	{names: "tumble_rowtime hop_rowtime session_rowtime", way: "write window_time(window)"},
	{names: "withwatermark", way: "write WATERMARK behind the table: FROM t WATERMARK ts DELAY '10 minutes'"},
	{names: "latest_by_offset", way: "write max_by(x, t)"},
	{names: "earliest_by_offset", way: "write min_by(x, t)"},
	{names: "collect_set_limit", way: "write slice(collect_set(x), 1, n)"},
	{names: "topk", way: "write slice(sort_array(array_agg(x), false), 1, n)"},
	{names: "topkdistinct", way: "write slice(sort_array(array_agg(DISTINCT x), false), 1, n)"},
	{names: "timestamptostring", way: "write date_format(t, 'yyyy-MM-dd HH:mm:ss')"},
	{names: "stringtotimestamp", way: "write to_timestamp(x, 'yyyy-MM-dd HH:mm:ss')"},
	{names: "extractjsonfield", way: "write get_json_object(x, '$.a')"},
	{names: "to_unixtime", way: "write unix_timestamp(t)"},
	{names: "from_iso8601_timestamp", way: "write CAST(x AS TIMESTAMP)"},
	{names: "unix_nanos", way: "write unix_micros(t) * 1000: times have microseconds"},
	{names: "timestamp_nanos make_timestamp_ns", way: "write timestamp_micros(n DIV 1000): times have microseconds"},
	{names: "dayofweek_iso", way: "write isodow(t)"},
	{names: "last_day_of_month", way: "write last_day(t)"},
	{names: "json_parse", way: "write from_json(x, 'schema')"},
	{names: "json_format", way: "write to_json(x)"},
	{names: "writestream", way: "write INSERT INTO sink SELECT … EMIT …"},
	{names: "readstream", way: "write CREATE SOURCE name (columns) WITH (…)"},
}
