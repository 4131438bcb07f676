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
	{names: "user session_user current_user database current_database current_schema current_account current_session current_statement current_warehouse current_version current_region connection_id hostname uptime userenv sys_context", kind: ofTheRun, way: "write the name as a text, or -v name=value and ${name}"},
	{names: "current_watermark", kind: ofTheRun, way: "SHOW WATERMARKS shows it; a query closes what is final by itself"},
	// What is left out on purpose.
	{names: "xpath xpath_boolean xpath_double xpath_float xpath_int xpath_long xpath_number xpath_short xpath_string from_xml to_xml schema_of_xml xmlparse xmltable xmlelement xmlforest xmlagg xmlconcat xmlget parse_xml updatexml extractvalue", reason: "XML is not read",
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
	{names: "st_* geometry* geography* to_geography to_geometry h3_* h3togeo geohash* pointinpolygon point lseg polygon circle", reason: "there are no geometries here",
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
	{names: "variant_array_append", way: "write json_set(x, '$.a[n]', v), with n behind the last element"},
	{names: "json_merge_patch_diff", way: "compare the members: json_extract(a, '$.x') <=> json_extract(b, '$.x')"},
	{names: "jsonb_path_query jsonb_path_query_array jsonb_path_query_first", way: "write json_query(x, '$.a'); elements are chosen by filter(from_json(x, 'ARRAY<INT>'), v -> v > 2)"},
	{names: "jsonb_object_keys", way: "write json_object_keys(x), an array; UNNEST makes rows of it"},
	{names: "json_populate_record jsonb_populate_record json_to_record jsonb_to_record", way: "write from_json($1, 'a INT, b STRING'), a STRUCT"},
	{names: "json_populate_recordset jsonb_populate_recordset json_to_recordset jsonb_to_recordset", way: "write inline(from_json($1, 'ARRAY<STRUCT<a: INT, b: STRING>>'))"},
	{names: "jsonb_set jsonb_set_lax", way: "write json_set($1, '$.a.b', v): paths are written like that"},
	{names: "jsonb_delete_path", way: "write json_remove($1, '$.a.b'): paths are written like that"},
	{names: "jsonb_insert", way: "write json_insert($1, '$.a.b', v): paths are written like that"},
	{names: "union_value union_extract union_tag", way: "there is no UNION type; write a STRUCT with a field for each kind"},
	{names: "int4range int8range numrange tsrange tstzrange daterange int4multirange range_agg range_merge range_intersect_agg lower_inc upper_inc lower_inf upper_inf", reason: "there are no ranges",
		way: "keep both bounds as columns; (a, b) OVERLAPS (c, d) compares times"},
	{names: "array_sample", way: "write slice(shuffle($1), 1, $2)"},
	{names: "trim_scale", way: "the scale belongs to the type: CAST(x AS DECIMAL(10, 2)), or CAST(x AS DOUBLE)"},
	{names: "alias", way: "DESCRIBE SELECT … tells how the columns of a query are called"},
	{names: "count_star", way: "write count(*)"},
	{names: "get_current_time", way: "write current_time()"},
	{names: "query query_table", way: "write the query, or the name of the table, in FROM"},
	{names: "found_rows", way: "write count(*)"},
	{names: "identifier", way: "write the name itself, or ${name} with -v name=value"},
	{names: "remap_struct", way: "write CAST(x AS STRUCT<…>), or struct_pack(a := x.a, …)"},
	{names: "measure", way: "there are no metric views; write the aggregate itself"},
	{names: "combine_aggr to_aggregate_state", way: "states of aggregates are not values here; keep the sums and counts as columns, and aggregate these"},
	// ClickHouse
	{names: "parsedatetime", way: "write to_timestamp(x, 'yyyy-MM-dd HH:mm:ss')"},
	{names: "anylast", way: "write max_by($1, t), where t tells which is the last, or last_value($1) OVER (ORDER BY t)"},
	{names: "multiif", way: "write CASE WHEN … THEN … ELSE … END"},
	{names: "windowfunnel retention sequencematch sequencecount", reason: "no aggregate follows steps in order",
		way: "take the time of each step, min(ts) FILTER (WHERE name = 'view'), and compare the times"},
	{names: "summap minmap maxmap summapfiltered", way: "write SELECT k, sum(v) FROM t CROSS JOIN UNNEST(m) AS u(k, v) GROUP BY k"},
	{names: "deltasum", way: "write sum(greatest(d, 0)) over a subquery with x - lag(x) OVER (ORDER BY t) AS d"},
	{names: "ipv4* ipv6* isipv4string isipv6string inet_aton inet_ntoa inet6_aton host masklen netmask parse_ip net.*", reason: "there is no type of network addresses",
		way: "keep them as text; split_part(x, '.', 1) takes a part"},
	{names: "to_tsvector to_tsquery plainto_tsquery phraseto_tsquery websearch_to_tsquery ts_rank ts_headline", reason: "there is no index of words",
		way: "x ILIKE '%word%', or regexp_like(x, '(?i)\\bword\\b')"},
	{names: "similarity word_similarity ngramdistance", reason: "texts are not compared by their trigrams",
		way: "jaro_winkler_similarity(a, b), jaccard(a, b) and levenshtein(a, b) compare them"},
	// Oracle, Teradata
	{names: "sysdate systimestamp", way: "write current_timestamp()"},
	{names: "to_timestamp_tz", way: "write to_timestamp(x, 'yyyy-MM-dd HH:mm:ss')"},
	{names: "sys_guid", way: "write uuid()"},
	// SQL Server
	{names: "getdate getutcdate sysdatetime sysutcdatetime", way: "write current_timestamp()"},
	{names: "patindex", way: "write regexp_instr($2, 'pattern')"},
	{names: "datediff_big", way: "write datediff($3, $2)"},
	{names: "datename", way: "write date_format($2, 'MMMM')"},
	{names: "newid scope_identity", way: "write uuid()"},
	{names: "parse", way: "write CAST(x AS type)"},
	{names: "try_parse", way: "write TRY_CAST(x AS type)"},
	{names: "stuff", way: "write overlay($1 PLACING $4 FROM $2 FOR $3)"},
	{names: "quotename", way: `write '"' || x || '"'`},
	// MySQL
	{names: "curtime", way: "write current_time()"},
	{names: "utc_timestamp", way: "write current_timestamp()"},
	{names: "period_diff", way: "write months_between($1, $2)"},
	{names: "sec_to_time", way: "write time_from_seconds($1)"},
	{names: "addtime", way: "write $1 + INTERVAL '1' HOUR"},
	{names: "subtime", way: "write $1 - INTERVAL '1' HOUR"},
	{names: "from_days", way: "write date_from_unix_date($1)"},
	{names: "field", way: "write array_position(ARRAY[a, b], x)"},
	{names: "last_insert_id", way: "write uuid()"},
	// PostgreSQL
	{names: "clock_timestamp statement_timestamp timeofday", way: "write current_timestamp()"},
	// Snowflake, BigQuery, Redshift
	{names: "to_decimal to_numeric", way: "write CAST($1 AS DECIMAL(10, 2))"},
	{names: "try_to_decimal", way: "write TRY_CAST($1 AS DECIMAL(10, 2))"},
	{names: "safe_cast", way: "write TRY_CAST(x AS type)"},
	{names: "offset safe_offset", way: "arrays count from 1: write [$1 + 1]"},
	{names: "ordinal safe_ordinal", way: "arrays count from 1: write [$1]"},
	{names: "conditional_change_event", way: "write count_if(changed) OVER w over a subquery with $1 IS DISTINCT FROM lag($1) OVER w AS changed"},
	{names: "last_query_id", reason: "results are not kept by a number", way: "CREATE TABLE t AS SELECT … keeps one"},
	{names: "json_array_append json_array_insert", way: "write json_set($1, '$.a[n]', v), with n behind the last element"},
	{names: "approx_top_sum", way: "write SELECT x, sum(w) FROM t GROUP BY x ORDER BY sum(w) DESC LIMIT 10"},
	{names: "time_bucket_gapfill date_bin_gapfill interpolate", way: "gaps are filled in FROM: SELECT … FROM gap_fill(TABLE t, …)"},
	{names: "tdigest_agg qdigest_agg value_at_quantile", way: "a percentile is taken at once: write approx_percentile(x, 0.5)"},
	{names: "seq1 seq2 seq4 seq8", way: "write row_number() OVER (ORDER BY …)"},
	// Spark, Flink, ksqlDB, Materialize, DuckDB
	{names: "mz_now", way: "write current_timestamp()"},
	{names: "rowtime", way: "write the source's event time column"},
	{names: "tumble_proctime hop_proctime session_proctime", way: "write window_end: a window is processed when it ends"},
	{names: "current_row_timestamp", way: "write current_timestamp()"},
	{names: "collect", way: "write array_agg($1), or histogram($1) for how often each value is there"},
	{names: "tumble_rowtime hop_rowtime session_rowtime", way: "write window_time(window)"},
	{names: "withwatermark", way: "write WATERMARK behind the table: FROM t WATERMARK ts DELAY '10 minutes'"},
	{names: "latest_by_offset", way: "write max_by($1, t)"},
	{names: "earliest_by_offset", way: "write min_by($1, t)"},
	{names: "topk", way: "write slice(sort_array(array_agg($1), false), 1, $2)"},
	{names: "topkdistinct", way: "write slice(sort_array(array_agg(DISTINCT $1), false), 1, $2)"},
	{names: "unix_nanos", way: "write unix_micros(t) * 1000: times have microseconds"},
	{names: "timestamp_nanos make_timestamp_ns", way: "write timestamp_micros(n DIV 1000): times have microseconds"},
	{names: "writestream", way: "write INSERT INTO sink SELECT … EMIT …"},
	{names: "readstream", way: "write CREATE SOURCE name (columns) WITH (…)"},
}
