package bind

import (
	"fmt"
	"strings"

	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// tableFunctions maps table functions of other dialects to what to write in FROM.
var tableFunctions = map[string]string{
	"flatten": "UNNEST(array) AS u(x)", "numbers": "UNNEST(sequence(0, 9)) AS u(n)", "zeros": "UNNEST(array_repeat(0, 10)) AS u(n)",
	"split_to_table": "UNNEST(string_split(x, ',')) AS u(v)", "strtok_split_to_table": "UNNEST(string_split(x, ',')) AS u(v)", "result_scan": "the query itself, or the table that CREATE TABLE t AS SELECT … made", "string_split": "UNNEST(split(x, ',')) AS u(x)", "openjson": "json_each(x)",
	"json_table": "UNNEST(from_json(x, 'ARRAY<STRUCT<a: INT>>')) AS u(s)",
	"read_csv":   "a path: FROM 'in/*.csv'", "read_csv_auto": "a path: FROM 'in/*.csv'", "read_json": "a path: FROM 'in/*.json'", "read_json_auto": "a path: FROM 'in/*.json'",
	"read_parquet": "a path: FROM 'in/*.parquet'", "read_files": "a path: FROM 'in/*.json'", "read_kafka": "CREATE SOURCE name (columns) WITH (connector = 'kafka', …)",
	"arrayjoin":         "UNNEST(array) AS u(x)",
	"json_to_recordset": "inline(from_json(x, 'ARRAY<STRUCT<a: INT, b: STRING>>'))", "jsonb_to_recordset": "inline(from_json(x, 'ARRAY<STRUCT<a: INT, b: STRING>>'))",
	"json_to_record": "from_json(x, 'a INT, b STRING') in SELECT", "jsonb_to_record": "from_json(x, 'a INT, b STRING') in SELECT",
	"json_object_keys": "UNNEST(json_object_keys(x)) AS u(k)", "jsonb_object_keys": "UNNEST(json_object_keys(x)) AS u(k)",
	"jsonb_path_query": "UNNEST(from_json(json_query(x, '$.a'), 'ARRAY<INT>')) AS u(v)",
	"regexp_matches":   "UNNEST(regexp_extract_all(x, 'pattern')) AS u(m)", "glob": "a path: FROM 'in/*.csv'", "read_text": "a table: CREATE TABLE t (value STRING) WITH (path = 'in', format = 'text')",
	"read_blob": "a table: CREATE TABLE t (value STRING) WITH (path = 'in', format = 'text')", "stream": "FROM STREAM name, without parentheses", "sniff_csv": "DESCRIBE SELECT * FROM 'in/data.csv'",
	"parquet_schema": "DESCRIBE SELECT * FROM 'in/data.parquet'", "repeat_row": "repeat(x, n)", "pragma_show": "DESCRIBE and the name", "query": "the query in parentheses", "query_table": "the name of the table",
	"postgres_scan": "CREATE TABLE name (columns) WITH (connector = 'postgres', …)", "delta_scan": "the Parquet files: FROM 'in/*.parquet'", "iceberg_scan": "the Parquet files: FROM 'in/*.parquet'",

	"duckdb_functions": "SHOW FUNCTIONS", "duckdb_tables": "SHOW TABLES", "duckdb_columns": "DESCRIBE and the name",
	"duckdb_settings": "SHOW SETTINGS", "pragma_table_info": "DESCRIBE and the name",

	"generator": "UNNEST(sequence(1, 10)) AS u(n)", "withwatermark": "WATERMARK behind the table: FROM t WATERMARK ts DELAY '10 minutes'",
}

// elsewhereNames are columns that other systems have in every table, or functions that they call
// without parentheses, and what is written here.
var elsewhereNames = map[string]string{
	"rownum": "LIMIT n for the first rows, or row_number() OVER (ORDER BY …)", "rowid": "row_number() OVER (ORDER BY …)", "level": "WITH RECURSIVE, and count the rounds",
	"sysdate": "current_timestamp()", "systimestamp": "current_timestamp()", "getdate": "current_timestamp()",
	"rowtime": "the event time column of the source", "proctime": "current_timestamp()", "windowstart": "window.start", "windowend": "window.end",
	"_partitiontime": "a column that the source fills: METADATA", "_metadata": "a column of the source: file STRING METADATA FROM 'path'", "xmin": "a column of your own for the version of a row", "ctid": "row_number() OVER (ORDER BY …)", "rowpartition": "a column of the source: partition INT METADATA", "rowoffset": "a column of the source: offset BIGINT METADATA",
	"sysutcdatetime": "current_timestamp()",
	"utc_timestamp":  "current_timestamp()", "current_datetime": "current_timestamp()",
}

// catalogs are tables in which other systems describe themselves.
var catalogs = map[string]string{
	"dual": "leave FROM out: SELECT 1", "only": "leave ONLY out: tables have no children", "sqlite_master": "write SHOW TABLES", "sysobjects": "write SHOW TABLES", "pg_tables": "write SHOW TABLES",
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

// formatPath is what to write for Spark's parquet.`in`, "" if the name is none such.
func (b *Binder) formatPath(name ast.Name) string {
	if len(name.Parts) != 2 || !name.Parts[1].Quoted {
		return ""
	}
	f, ok := b.cat.Connectors.Format(name.Parts[0].Name)
	if !ok {
		return ""
	}
	switch f.Name {
	case "csv", "json", "parquet":
		return fmt.Sprintf("write FROM read_%s('%s')", f.Name, name.Parts[1].Name)
	}
	return fmt.Sprintf("a path is named in quotes: FROM '%s'", name.Parts[1].Name)
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
		"dayofweek", "dayofyear", "weekday", "epoch", "epoch_second", "epoch_millisecond", "yy", "mm", "dd", "hh", "mi":
		return word
	case "int", "integer", "bigint", "smallint", "tinyint", "varchar", "nvarchar", "char", "text", "string", "date", "datetime",
		"timestamp", "float", "double", "decimal", "numeric", "signed", "unsigned", "bit", "boolean":
		return word
	}
	return ""
}

// suggestName is the hint for a name that is no table function.
func suggestName(name string, known map[string]string, candidates []string) string {
	if write := elsewhere(known, name); write != "" {
		return "write " + write
	}
	return diag.HintDidYouMean(name, candidates)
}
