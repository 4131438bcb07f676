package bind

import "strings"

// An absence is why functions of other engines are left out on purpose, and the way
// out.
type absence struct {
	names  string // separated by blanks; * at the end = all that begin so
	reason string
	way    string
}

// absences lists them by reason. A name that is a function here is never looked up.
var absences = []absence{
	{"xpath xpath_boolean xpath_double xpath_float xpath_int xpath_long xpath_number xpath_short xpath_string from_xml to_xml schema_of_xml xmlparse xmltable",
		"XML is not read", "turn it into JSON before it comes here, or take a value out with regexp_extract(x, '<name>([^<]*)</name>')"},
	{"collate collation collations nls_sort icu_sort_key collate_* icu_collate_*", "text is compared by its code points alone", "compare lower(x), or make the texts equal before they come here"},
	{"reflect try_reflect java_method", "there is no Java machine to call", "use CREATE FUNCTION f(x) RETURN expression"},
	{"input_file_name input_file_block_start input_file_block_length", "a row does not keep the file that it was read from", "put the part that matters into the path as a partition column (dir/day=2024-01-01/file)"},
	{"current_role current_catalog current_schemas current_path current_connection_id current_query_id current_transaction_id txid_current pg_backend_pid inet_client_addr inet_server_addr",
		"there are no users, schemas or sessions here", "give the value as a parameter: -v name=value, and '${name}' in the query"},
	{"current_setting set_config getvariable", "settings are not read in a query", "SHOW SETTINGS lists them; -v name=value gives a value to '${name}'"},
	{"has_table_privilege has_column_privilege has_schema_privilege has_database_privilege has_function_privilege pg_has_role pg_*",
		"there is no catalogue of PostgreSQL here", "SHOW TABLES, DESCRIBE and the tables of sys. tell what there is"},
	{"version duckdb_version pg_version", "a query does not know the program that runs it", "sqlstream --version prints it"},
	{"setseed", "random numbers take no seed, because rows reach the workers in no fixed order", "take a number that follows from the row: pmod(xxhash64(key), 1000000) / 1e6"},
	{"nextval currval setval lastval", "a sequence would give other numbers in another run", "uuid() is unique; row_number() OVER (ORDER BY …) numbers rows"},
	{"sleep pg_sleep sleep_ms", "a query does not wait", "TRIGGER EVERY '1 minute' sets the pace of a query"},
	{"sql_keywords python_worker_logs write_log", "it tells of another engine", "SHOW FUNCTIONS and SHOW SETTINGS tell of this one"},
	{"st_* geometry* geography*", "there are no geometries here", "keep longitude and latitude as DOUBLE"},
	{"nfc_normalize normalize strip_accents unaccent to_ascii casefold unistr left_grapheme right_grapheme length_grapheme substring_grapheme",
		"text is a row of code points, and is not composed or taken apart", "translate(x, 'áéíóú', 'aeiou') turns the letters that occur"},
	{"bar", "a query does not draw", "repeat('#', CAST(x AS INT)) is a bar of text"},
	{"path_join", "names of files are not put together by rules", "concat_ws('/', a, b)"},
	{"regexp_matches", "DuckDB and PostgreSQL mean different things by it", "regexp_like(x, pattern) tests; regexp_match(x, pattern) lists the groups of the first match, regexp_extract_all(x, pattern) all matches"},
	{"divide", "DuckDB rounds its result down to a whole number, others do not", "a / b divides, a DIV b gives a whole number"},
	{"pg_size_pretty", "it rounds in its own way", "format_bytes(n)"},
	{"set_bit get_bit bit_position bitstring bitstring_agg set_byte get_byte", "there is no type of bits", "getbit(n, i) takes a bit of an integer; substring(bytes, i, 1) a byte"},
	{"md5_number md5_number_lower md5_number_upper", "there is no integer of 128 bits", "md5(x) as text, or xxhash64(x) as BIGINT"},
	{"levenshtein_less_equal", "it is levenshtein with a limit", "levenshtein(a, b, limit)"},
	{"metaphone dmetaphone dmetaphone_alt daitch_mokotoff difference", "of the codes for sounds there is soundex alone", "soundex(x)"},
	{"from_avro to_avro schema_of_avro from_protobuf to_protobuf", "Avro and Protocol Buffers are formats of sources and sinks", "WITH (format = 'avro') or 'protobuf' in CREATE SOURCE or CREATE SINK"},
	{"dict_get dictionary dictget dictgetordefault", "there are no dictionaries", "join with a table: JOIN t ON t.key = x.key"},
	{"enum_code enum_first enum_last enum_range enum_range_boundary", "there is no ENUM", "a CASE expression gives each text its number"},
	{"crypt gen_salt pgp_sym_encrypt pgp_sym_decrypt pgp_pub_encrypt pgp_pub_decrypt", "pgcrypto is not here", "aes_encrypt(x, key), hmac(key, x) and sha2(x, 256)"},
}

// absent finds why a function is left out: by its name, else by how it begins.
func absent(name string) (absence, bool) {
	name = strings.ToLower(name)
	for _, whole := range []bool{true, false} {
		for _, a := range absences {
			for _, n := range strings.Fields(a.names) {
				prefix, open := strings.CutSuffix(n, "*")
				if whole && n == name || !whole && open && strings.HasPrefix(name, prefix) {
					return a, true
				}
			}
		}
	}
	return absence{}, false
}
