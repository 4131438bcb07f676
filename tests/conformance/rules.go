package conformance

import (
	"regexp"
	"slices"
	"strings"
)

// rule is a kind of statement that is not applicable, and why.
type rule struct {
	name, why string
}

// ruleList are all of them, as they are printed.
var ruleList = []rule{
	{"guard", "skipif or onlyif leaves it to another system"},
	{"mode skip", "the file itself switches it off"},
	{"maybe", "the file expects success or an error"},
	{"include", "the file it includes is made by a program"},
	{"extension", "needs an extension, a file or a service of their program"},
	{"storage", "opens, closes or restarts a database file"},
	{"transaction", "BEGIN, COMMIT, ROLLBACK, savepoints, several connections"},
	{"setting", "SET, PRAGMA and the like: settings of their server"},
	{"catalogue", "schemas, databases, system tables, ALTER, comments, users, SHOW, DESCRIBE, EXPLAIN, sequences, types by name"},
	{"index", "CREATE INDEX and what else is physical"},
	{"connector", "COPY, sources, sinks, secrets, files: their connectors"},
	{"program", "functions in other languages, commands of their shell or server"},
	{"aggregate state", "values that are the state of an aggregate: EXPORT_STATE, combine, finalize"},
	{"unsupported type", "a type that the language does not have: BIT, ENUM, UNION, GEOMETRY, VARIANT, integers of 256 bits, times with a zone"},
}

// harmless are rules whose statements change no object.
var harmless = map[string]bool{"setting": true, "index": true, "transaction": true}

// starts says by its first words which rule a statement falls under.
var starts = []struct {
	words string
	rule  string
}{
	{"begin", "transaction"}, {"commit", "transaction"}, {"rollback", "transaction"}, {"start transaction", "transaction"}, {"abort", "transaction"},
	{"savepoint", "transaction"}, {"release", "transaction"}, {"end", "transaction"},
	{"set", "setting"}, {"reset", "setting"}, {"pragma", "setting"}, {"show", "catalogue"}, {"alter system", "setting"}, {"analyze", "index"},
	{"create index", "index"}, {"create unique index", "index"}, {"drop index", "index"}, {"reindex", "index"}, {"vacuum", "index"}, {"checkpoint", "storage"},
	{"force checkpoint", "storage"},
	{"create schema", "catalogue"}, {"drop schema", "catalogue"}, {"create database", "catalogue"}, {"drop database", "catalogue"}, {"use", "catalogue"},
	{"alter", "catalogue"}, {"comment", "catalogue"}, {"grant", "catalogue"}, {"revoke", "catalogue"}, {"create user", "catalogue"}, {"drop user", "catalogue"},
	{"create type", "catalogue"}, {"drop type", "catalogue"}, {"create sequence", "catalogue"}, {"drop sequence", "catalogue"}, {"describe", "catalogue"},
	{"desc", "catalogue"}, {"summarize", "catalogue"}, {"explain", "catalogue"}, {"from duckdb_", "catalogue"}, {"create trigger", "catalogue"},
	{"drop trigger", "catalogue"}, {"create or replace type", "catalogue"},
	{"copy", "connector"}, {"export", "connector"}, {"import", "connector"}, {"create source", "connector"}, {"create sink", "connector"},
	{"create connection", "connector"}, {"create secret", "connector"}, {"drop source", "connector"}, {"drop sink", "connector"},
	{"drop connection", "connector"}, {"drop secret", "connector"}, {"create subscription", "connector"}, {"drop subscription", "connector"},
	{"declare", "connector"}, {"fetch", "connector"}, {"close", "connector"}, {"attach", "storage"}, {"detach", "storage"},
	{"install", "extension"}, {"load", "extension"}, {"call", "program"}, {"wait", "program"}, {"recover", "program"}, {"flush", "program"}, {"refresh", "connector"},
	{"kill", "program"}, {"cancel", "program"}, {"create language", "program"}, {"create linear", "program"},
	{"create secret", "connector"}, {"create persistent", "connector"}, {"create or replace secret", "connector"},
}

// names say by a word in a statement which rule it falls under.
var names = map[string]string{
	"rw_catalog": "catalogue", "pg_catalog": "catalogue", "information_schema": "catalogue", "pg_class": "catalogue", "sqlite_master": "catalogue",
	"duckdb_settings": "catalogue", "duckdb_functions": "catalogue", "duckdb_tables": "catalogue", "duckdb_views": "catalogue", "duckdb_columns": "catalogue",
	"duckdb_types": "catalogue", "duckdb_constraints": "catalogue", "duckdb_logs": "catalogue", "pg_typeof": "catalogue", "rw_fragments": "catalogue",
	"current_setting": "setting", "read_csv": "connector", "read_parquet": "connector", "read_json": "connector", "read_csv_auto": "connector",
	"parquet_scan": "connector", "read_text": "connector", "nextval": "catalogue", "currval": "catalogue", "rw_relations": "catalogue", "glob": "connector",
	"rw_tables": "catalogue", "error_view": "catalogue", "rw_table_stats": "catalogue", "query_table": "catalogue", "json_execute_serialized_sql": "program", "json_serialize_sql": "program",
	"json_deserialize_sql": "program", "current_query": "catalogue", "current_schema": "catalogue", "current_database": "catalogue", "current_schemas": "catalogue",
	"has_table_privilege": "catalogue", "has_schema_privilege": "catalogue", "has_database_privilege": "catalogue", "has_function_privilege": "catalogue",
	"has_any_column_privilege": "catalogue", "pg_relation_size": "catalogue", "pg_table_size": "catalogue", "pg_indexes_size": "catalogue", "format_type": "catalogue",
	"pg_get_userbyid": "catalogue", "pg_get_expr": "catalogue", "col_description": "catalogue", "obj_description": "catalogue", "set_config": "setting",
	"pg_get_keywords": "catalogue", "pg_index_column_has_property": "catalogue", "pg_get_viewdef": "catalogue",
	"txid_current": "transaction", "rw_recovery_status": "catalogue", "repeat_row": "catalogue", "ducklake": "extension",
	"bignum": "unsupported type", "varint": "unsupported type", "enum": "unsupported type", "bitstring": "unsupported type",
	"union_value": "unsupported type", "union_extract": "unsupported type", "rw_int256": "unsupported type",
	"timetz": "unsupported type",
	"bit":    "unsupported type", "variant": "unsupported type", "geometry": "unsupported type", "int256": "unsupported type", "oid": "catalogue", "regclass": "catalogue",
	"regtype": "catalogue", "regproc": "catalogue", "rowid": "storage", "ctid": "storage", "_row_id": "storage", "_changelog_row_id": "storage", "_rw_timestamp": "storage",
}

// variable is a part of a statement that a program fills in.
var variable = regexp.MustCompile(`\$\{[^0-9]`)

// describes are the statements that tell of objects and can stand in FROM.
var describes = map[string]bool{"describe": true, "summarize": true, "show": true}

// ofServer reports what tells of PostgreSQL's server or is in a schema of it: pg_locks,
// current_user, version(), pg_sleep(1), FROM schema.table.
func ofServer(toks []token, i int) bool {
	low := strings.ToLower(toks[i].text)
	behind := func(n int, text string) bool { return i+n < len(toks) && toks[i+n].text == text }
	switch low {
	case "current_user", "current_catalog", "session_user", "pg_locks":
		return i == 0 || toks[i-1].text != "."
	case "version": // a table may be called so, with its columns behind
		return behind(1, "(") && behind(2, ")")
	case "pg_sleep", "pg_postmaster_start_time":
		return behind(1, "(")
	}
	return i > 0 && !fromOfCall(toks, i-1) && (toks[i-1].is("from") || toks[i-1].is("join")) && low != "public" && behind(1, ".") && i+2 < len(toks) && toks[i+2].kind != symbol && !behind(3, ".")
}

// ruleOf is the rule under which a statement is not applicable, "" if it is.
func ruleOf(d *dialect, sql string) string {
	toks := tokens(sql)
	lead := make([]string, 0, 4)
	for _, t := range toks[:min(4, len(toks))] {
		lead = append(lead, strings.ToLower(t.text))
	}
	head := strings.Join(lead, " ") + " "
	for _, s := range starts {
		if strings.HasPrefix(head, s.words+" ") || strings.HasSuffix(s.words, "_") && strings.HasPrefix(head, s.words) {
			return s.rule
		}
	}
	if strings.Contains(sql, "'{DATA_DIR}") || strings.Contains(sql, "'{TEST_DIR}") { // a file of theirs
		return "connector"
	}
	if variable.MatchString(sql) || strings.Contains(sql, "$__") {
		return "program"
	}
	if inDatabase(toks) {
		return "catalogue"
	}
	create := len(toks) > 0 && toks[0].is("create")
	for i, t := range toks {
		if t.kind == text && create && (toks[i-1].is("language") || toks[i-1].is("connector")) {
			return "program"
		}
		if t.kind != word {
			continue
		}
		if (t.is("describe") || t.is("summarize") || t.is("show")) && i > 1 && toks[i-1].text == "(" && toks[i-2].is("from") {
			return "catalogue"
		}
		low := strings.ToLower(t.text)
		if describes[low] && i > 0 && toks[i-1].text == "(" && i+1 < len(toks) && toks[i+1].kind == word {
			return "catalogue" // FROM (DESCRIBE …)
		}
		if r, ok := d.notOurs[low]; ok && (r != "aggregate state" && low != "stats" || stateCall(toks, i)) {
			return r
		}
		if r, ok := names[low]; ok && (r == "storage" || !(i > 0 && toks[i-1].text == ".")) {
			return r
		}
		if (low == "describe" || low == "summarize") && i > 0 && toks[i-1].text == "(" {
			return "catalogue"
		}
		if create && (low == "language" || low == "connector") {
			return map[string]string{"language": "program", "connector": "connector"}[low]
		}
		if d.flavor == postgresText && ofServer(toks, i) {
			return "catalogue"
		}
		if strings.HasPrefix(low, "rw_") || strings.HasPrefix(low, "pg_") && low != "pg_typeof" && i+1 < len(toks) && toks[i+1].text != "(" || strings.HasPrefix(low, "pragma_") || strings.HasPrefix(low, "duckdb_") {
			return "catalogue"
		}
	}
	return ""
}

// inDatabase reports a relation that is named with its database and schema.
func inDatabase(toks []token) bool {
	for i := 1; i+4 < len(toks); i++ {
		if (toks[i-1].is("from") || toks[i-1].is("join") || toks[i-1].is("into")) && toks[i+1].text == "." && toks[i+3].text == "." {
			return true
		}
	}
	return false
}

// indexName is the name of CREATE INDEX.
func indexName(toks []token) string {
	i := slices.IndexFunc(toks, func(t token) bool { return t.is("index") })
	if i < 1 || !toks[0].is("create") {
		return ""
	}
	if i++; hasWords(toks[i:], "if", "not", "exists") {
		i += 3
	}
	if i+1 < len(toks) && toks[i+1].is("on") {
		return toks[i].name()
	}
	return ""
}

// fromOfCall reports the FROM of EXTRACT, SUBSTRING, TRIM and their like.
func fromOfCall(toks []token, from int) bool {
	depth := 0
	for i := from - 1; i > 0; i-- {
		switch toks[i].text {
		case ")":
			depth++
		case "(":
			if depth--; depth < 0 {
				return slices.ContainsFunc([]string{"extract", "substring", "trim", "overlay", "position"}, toks[i-1].is)
			}
		}
	}
	return false
}
