package server

import (
	"fmt"
	"strings"
	"testing"
)

func TestSelect(t *testing.T) {
	w := newWorld(t)
	w.run("INSERT INTO clicks VALUES ('ana', 1), ('ana', 2), ('bo', 3); RUN TRIGGER")
	got := w.run("SELECT * FROM per ORDER BY who; SELECT town FROM people WHERE who = 'cy'; SELECT name FROM sys.queries ORDER BY name; SHOW SINKS")
	text := ""
	for _, r := range got {
		text += fmt.Sprintf("%s %s\n", r.Columns, r.Rows)
	}
	want := `[{who STRING} {n BIGINT}] [["ana",2] ["bo",1]]
[{town STRING}] [[null]]
[{name STRING}] [["out"] ["per"]]
[{name STRING} {kind STRING}] [["out","sink"]]
`
	if text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
}

func TestRowsAreLimited(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.Limits.Rows, o.Limits.Bytes = 100, 200 })
	ask := func(sql, more string) *Result {
		t.Helper()
		var r Results
		w.gives(200, &r, "POST /v1/sql", fmt.Sprintf(`{"sql": %q%s}`, sql, more), asJSON)
		return r.Results[0]
	}
	if got := ask("SELECT who FROM people", `, "max_rows": 2`); len(got.Rows) != 2 || !got.Truncated {
		t.Errorf("%+v", got)
	}
	if got := ask("SELECT who FROM people", `, "max_rows": 3`); len(got.Rows) != 3 || got.Truncated {
		t.Errorf("%+v", got)
	}
	if got := ask("SELECT repeat('x', 90) AS x FROM people", ""); len(got.Rows) != 2 || !got.Truncated {
		t.Errorf("%d rows", len(got.Rows))
	}
}

func TestLines(t *testing.T) {
	w := newWorld(t)
	for sql, want := range map[string]string{
		"SELECT who FROM people ORDER BY who; SET timezone = 'UTC'": `{"columns":[{"name":"who","type":"STRING"}]}|["ana"]|["bo"]|["cy"]|{}|{"end":true}|`,
		"SELECT 1 AS a; SELECT b": `{"columns":[{"name":"a","type":"INT"}]}|[1]|{"error":{"code":"SQL2002","message":"unknown column \"b\"","hint":"there is no FROM clause",` +
			`"position":{"line":1,"column":23,"offset":22,"length":1}}}|`,
	} {
		rec := w.do("POST /v1/sql?format=jsonl", sql, asSQL)
		if got := strings.ReplaceAll(rec.Body.String(), "\n", "|"); rec.Code != 200 || got != want {
			t.Errorf("%s\ngives %d %s\nwant  %s", sql, rec.Code, got, want)
		}
	}
	var r strings.Builder
	rec := w.do("POST /v1/sql", `{"sql": "SELECT who FROM people", "max_rows": 1}`, asJSON, "Accept: "+jsonLines)
	r.WriteString(rec.Body.String())
	if !strings.Contains(r.String(), `{"truncated":true}`+"\n"+`{"end":true}`) {
		t.Error(r.String())
	}
	w.refused(422, "SQL2002", "POST /v1/sql?format=jsonl", "SELECT b", asSQL)
}

func TestWrongSQL(t *testing.T) {
	w := newWorld(t)
	e := w.refused(422, "SQL2001", "POST /v1/sql", "SELECT 1;\nSELECT * FROM nobody", asSQL)
	if e.Position == nil || e.Position.Line != 2 || e.Position.Column != 15 || e.Position.Length != 6 {
		t.Errorf("%+v", e)
	}
	e = w.refused(422, "SQL1015", "POST /v1/sql", "SELECT * FROM clicks", asSQL)
	if !strings.Contains(e.Hint, "CREATE MATERIALIZED VIEW") {
		t.Errorf("%+v", e)
	}
	w.refused(422, "SQL1014", "POST /v1/sql", "SELEC 1", asSQL)
	w.refused(415, "wrong_type", "POST /v1/sql", "SELECT 1", "Content-Type: text/plain")
	w.refused(415, "wrong_type", "POST /v1/sql", "SELECT 1")
	for _, body := range []string{"", "null", "[]", `{"sql": ""}`, `{"sql": 1}`, `{"sql": "SELECT 1", "rows": 1}`, `{"sql": "SELECT 1"} {}`, `{"sql": "SELECT 1", "max_rows": -1}`} {
		w.refused(400, "bad_body", "POST /v1/sql", body, asJSON)
	}
}

func TestParameters(t *testing.T) {
	w := newWorld(t)
	ask := func(body string) string {
		t.Helper()
		var r Results
		w.gives(200, &r, "POST /v1/sql", body, asJSON)
		text := ""
		for _, one := range r.Results {
			text += fmt.Sprintf("%s %s\n", one.Columns, one.Rows)
		}
		return text
	}
	for body, want := range map[string]string{
		`{"sql": "SELECT town FROM people WHERE who = ?", "parameters": ["ana"]}`:                                        "[{town STRING}] [[\"Lund\"]]\n",
		`{"sql": "SELECT who FROM people WHERE who = $2 OR who = $1 ORDER BY who", "parameters": ["bo", "ana"]}`:         "[{who STRING}] [[\"ana\"] [\"bo\"]]\n",
		`{"sql": "SELECT who FROM people WHERE who = :Name", "parameters": {"name": "x' OR '1' = '1"}}`:                  "[{who STRING}] []\n",
		`{"sql": "SELECT :a AS a, :b AS b, :c AS c, :d AS d", "parameters": {"a": null, "b": true, "c": 1.50, "d": -7}}`: "[{a NULL} {b BOOLEAN} {c DECIMAL(3,2)} {d INT}] [[null,true,1.50,-7]]\n",
		`{"sql": "SELECT ? + 1 AS a; SELECT ? + 2 AS b", "parameters": [9007199254740993]}`:                              "[{a BIGINT}] [[9007199254740994]]\n[{b BIGINT}] [[9007199254740995]]\n",
		`{"sql": "SELECT who FROM people WHERE who = ANY (?) ORDER BY 1", "parameters": [["bo", "cy"]]}`:                 "[{who STRING}] [[\"bo\"] [\"cy\"]]\n",
		`{"sql": "SELECT 1e2 AS a, ? AS b, ? AS c", "parameters": [1e2, "😀\u0000;--"]}`:                                  "[{a DOUBLE} {b DOUBLE} {c STRING}] [[100.0,100.0,\"😀\\u0000;--\"]]\n",
	} {
		if got := ask(body); got != want {
			t.Errorf("%s\ngives %swant  %s", body, got, want)
		}
	}
	for body, says := range map[string]string{
		`{"sql": "SELECT ?", "parameters": [1, 2]}`:            `"2"`,
		`{"sql": "SELECT :a", "parameters": {"b": 1, "a": 1}}`: `"b"`,
		`{"sql": "SELECT ?", "parameters": [{"a": 1}]}`:        "parameter 1",
		`{"sql": "SELECT ?", "parameters": "ana"}`:             "no array and no object",
	} {
		if e := w.refused(400, "bad_body", "POST /v1/sql", body, asJSON); !strings.Contains(e.Message, says) {
			t.Errorf("%s: %s", body, e.Message)
		}
	}
	e := w.refused(422, "SQL4105", "POST /v1/sql", `{"sql": "SELECT 1;\nSELECT ?"}`, asJSON)
	if e.Position == nil || e.Position.Line != 2 || e.Position.Column != 8 || !strings.Contains(e.Hint, `"parameters"`) {
		t.Errorf("%+v", e)
	}
	e = w.refused(422, "SQL2005", "POST /v1/sql", `{"sql": "SELECT 1;\nSELECT upper(?, 2)", "parameters": ["a text that is much longer than all of the statements"]}`, asJSON)
	if e.Position == nil || e.Position.Line != 2 || e.Position.Column != 1 || e.Position.Length != 18 {
		t.Errorf("%+v", e)
	}
}

func TestWrongBodySaysWhat(t *testing.T) {
	e := newWorld(t).refused(400, "bad_body", "POST /v1/sql", `{"sql": "SELECT 1", "params": [1]}`, asJSON)
	if !strings.Contains(e.Message, `it has "params" too`) {
		t.Error(e.Message)
	}
}

func TestSQLPolicies(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.Access.SQL = SQLRead })
	w.run("SELECT 1; SHOW QUERIES; DESCRIBE people; EXPLAIN SELECT 1; SET timezone")
	for _, sql := range []string{"DROP TABLE people", "SET timezone = 'UTC'", "INSERT INTO people VALUES ('x', 'y')", "STOP QUERY out", "RUN TRIGGER", "CREATE TABLE t (a INT)"} {
		w.refused(422, "SQL1015", "POST /v1/sql", "SELECT 1; "+sql, asSQL)
	}
	off := newWorld(t, func(o *Options) { o.Access.SQL = SQLOff })
	off.refused(403, "sql_off", "POST /v1/sql", "SELECT 1", asSQL)
}

func TestTimeout(t *testing.T) {
	w := newWorld(t)
	var r, most Results
	w.gives(200, &r, "POST /v1/sql", `{"sql": "AWAIT QUERY out", "timeout_ms": 5}`, asJSON)
	if r.Results[0].Message != "query out is still running" {
		t.Errorf("%+v", r.Results[0])
	}
	w.gives(200, &most, "POST /v1/sql", `{"sql": "SELECT who FROM people", "timeout_ms": 9223372036854775807}`, asJSON)
	var from []string
	for i := range 18 { // 3^18 rows
		from = append(from, fmt.Sprintf("people t%d", i))
	}
	w.refused(504, "timeout", "POST /v1/sql", fmt.Sprintf(`{"sql": "SELECT count(*) FROM %s", "timeout_ms": 20}`, strings.Join(from, ", ")), asJSON)
}
