package engine_test

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/incremental/engine"
	"github.com/sqlstream/sqlstream/parser/diag"
)

func TestFunctionStatements(t *testing.T) {
	w := newWorld(t)
	w.must("CREATE FUNCTION add1(x INT) RETURNS INT RETURN x + 1; CREATE MACRO sum_of(a, b := 5) AS a + b")
	w.gives("SELECT ADD1(2), sum_of(1), sum_of(b => 1, a => 2)", "3 6 3")
	w.gives("SHOW CREATE FUNCTION add1", "CREATE FUNCTION add1(x INT) RETURNS INT RETURN x + 1")
	w.gives("DESCRIBE FUNCTION sum_of", "a any ", "b any default 5", " as its body returns")
	w.gives("DESCRIBE FUNCTION initcap", "initcap scalar initcap(a) Turns the first letter of each word, after a blank, to upper case and the others to lower case.")
	w.gives("CREATE FUNCTION IF NOT EXISTS add1(x INT) RETURN 7; SELECT add1(1)", "function add1 exists already", "2")
	w.gives("CREATE OR REPLACE FUNCTION add1(x INT) RETURN x + 10; SELECT add1(1)", "function add1 created", "11")
	w.gives("CREATE VIEW v AS SELECT add1(1) AS x; DROP FUNCTION add1; DROP FUNCTION IF EXISTS add1", "view v created", "function add1 dropped", "there is no function add1")
	w.fails("SELECT * FROM v", `in view "v": unknown function "add1"`)
	w.fails("DROP FUNCTION sign", `"sign" is a built-in function`)
	w.fails("DROP FUNCTION sum_off", `there is no function named "sum_off"`, `did you mean "sum_of"?`)
}

// What is wrong in a function shows at its call, with the place in its text.
func TestFunctionErrors(t *testing.T) {
	for _, c := range []struct{ sql, want string }{
		{"CREATE MACRO f(a) AS a + bb", "a function sees its parameters alone: a"},
		{"CREATE MACRO f(a) AS f(a)", `function "f" calls itself`},
		{"CREATE MACRO f(a) AS 1; CREATE MACRO g(a) AS f(a); CREATE OR REPLACE MACRO f(a) AS g(a)", `1:84: error SQL3112: in function "g", at test:1:46 (f(a)): function "f" calls itself`},
		{"CREATE FUNCTION f(a STRING) RETURN a AND true", "SQL2006"},
		{"CREATE FUNCTION f(a INT) RETURNS DATE RETURN a", "the function returns DATE, but its body gives INT"},
		{"CREATE FUNCTION f(a INT) RETURNS TABLE (x INT, y INT) RETURN SELECT a", "the function returns 2 columns, but its query gives 1"},
		{"CREATE MACRO f(a) AS a.x; SELECT 1, f(3)", `1:37: error SQL2021: in function "f", at test:1:24 (x): 3 has no fields: it is INT`},
		{"CREATE MACRO f(a) AS a + a; SELECT f(rand())", `"a" is read 2 times`},
		{"CREATE MACRO f(a INT) AS a; SELECT f(DATE '2024-01-01')", `f needs INT as "a", got DATE`},
		{"CREATE MACRO f(a) AS a; SELECT f()", `f needs a value for "a"`},
		{"CREATE MACRO f(a) AS a; SELECT f(1, 2)", "f takes 1 arguments, got 2"},
		{"CREATE MACRO f(a) AS a; SELECT f(b => 1)", `f has no parameter "b"`},
		{"CREATE MACRO f(a) AS a; SELECT f(1, a => 1)", "SQL2005"},
		{"CREATE MACRO f(a) AS a; SELECT f(1) OVER ()", "f does not take OVER"},
		{"CREATE MACRO f(a) AS a; SELECT f(x -> x)", "a lambda cannot be an argument of f"},
		{"CREATE MACRO f(a) AS a; SELECT * FROM f(1)", "f gives one value and stands in no FROM"},
		{"CREATE MACRO f(a) AS TABLE SELECT a; SELECT f(1)", "f gives rows and stands in FROM"},
		{"CREATE MACRO f(a, A) AS a", `parameter "A" is given twice`},
		{"CREATE MACRO f(a := 1, b) AS a", `parameter "b" needs a default`},
		{"CREATE MACRO abs(a) AS a", `"abs" is a built-in function`},
		{"CREATE MACRO f(a) AS a; CREATE MACRO f(a) AS a", `function "f" exists already`},
		{"CREATE FUNCTION f AS 'com.example.F' LANGUAGE JAVA", "a function in another language is not supported"},
		{"CREATE FUNCTION f(a INT) RETURNS INT LANGUAGE sql AS $$ SELECT a + 1 $$", "a function whose body stands in quotes is not supported"},
		{"CREATE FUNCTION f(a INT) RETURNS INT AS 'SELECT a + 1' LANGUAGE sql", "RETURN expression, or RETURN (SELECT …), without quotes"},
		{"CREATE FUNCTION f(a INT) RETURN k; SELECT f(v) FROM plain", `unknown column "k"`},
		{"CREATE MACRO f1(a) AS a + a; CREATE MACRO f2(a) AS f1(f1(f1(f1(a)))); CREATE MACRO f3(a) AS f2(f2(f2(f2(a)))); SELECT f3(f3(1.5 * v)) FROM plain", "the call comes to more than"},
	} {
		w := newWorld(t)
		w.must(objects)
		w.fails(c.sql, c.want)
	}
}

func TestPrepared(t *testing.T) {
	w := newWorld(t)
	w.must(objects)
	w.must("INSERT INTO dim VALUES ('a', 'Anna'), ('b', 'it''s')")
	w.gives("PREPARE q AS SELECT name FROM dim WHERE k = $1 AND name <> $2 LIMIT $3", "statement q prepared with 3 parameters")
	w.gives("EXECUTE q('a', '''', 5); EXECUTE q USING 'b', 'x', 1", "Anna", "it's")
	w.gives("PREPARE n (STRING) AS INSERT INTO dim (k) VALUES (?); EXECUTE n(7); SELECT k FROM dim WHERE name IS NULL", "statement n prepared with 1 parameters", "7")
	w.gives("PREPARE z AS SELECT :x + 1 AS r, :y AS s; EXECUTE z(y => DATE '2024-01-01', x => -3)", "statement z prepared with 2 parameters", "-2 2024-01-01")
	w.gives(`PREPARE a AS SELECT (array)[?] AS a, (map)["values"] AS m, [x] AS l FROM (SELECT ARRAY[1, 2] AS array, MAP[5, 6] AS map, 5 AS "values", 7 AS x); EXECUTE a(2)`, "statement a prepared with 1 parameters", "2 6 [7]")
	w.gives("PREPARE e AS SELECT k FROM dim WHERE k = $1; EXPLAIN EXECUTE e('a')", "statement e prepared with 1 parameters",
		"Client  mode=append (the input is finite)", "└ Filter #2  (k = 'a')  kind=append", "  └ Scan #1  dim (memory)  columns (k)  finite  kind=append",
		"Late: none", "Never cleaned: none", "Approximate: no")
	w.fails("PREPARE q AS SELECT 1", `a statement named "q" is prepared already`)
	w.fails("PREPARE p AS SELECT ?, :a", "numbered and named parameters")
	w.fails("EXECUTE q('a')", "q has 3 parameters, got 1 values")
	w.fails("EXECUTE q(k, 'x', 1)", "the value of parameter 1 must be a constant")
	w.fails("EXECUTE q('a', 'x', 'y')", "q:1:", "LIMIT 'y'", "LIMIT needs a constant whole number")
	w.fails("EXECUTE qq(1)", `no statement named "qq" is prepared`)
	w.fails("SELECT k FROM dim WHERE k = ?", "SQL4105")
	w.gives("DEALLOCATE PREPARE q; DEALLOCATE ALL", "statement q is gone", "all prepared statements are gone")
	if err := w.Check(context.Background(), diag.Source{Text: "PREPARE c AS SELECT k FROM dim WHERE k = $1; EXECUTE c('a'); EXECUTE c(1, 2)"}); err == nil || !strings.Contains(err.Error(), "got 2 values") {
		t.Errorf("got %v", err)
	}
}

// Values of the Go API are values, whatever text they hold.
func TestExecParams(t *testing.T) {
	w := newWorld(t)
	var got []string
	err := w.ExecParams(context.Background(), diag.Source{Text: "SELECT ?, :name, :f, :n, :at, :b, :nan, :i, :none; SELECT 1"}, engine.Params{
		"1": int64(math.MinInt64), "NAME": "'; DROP TABLE dim; --", "f": -1.5, "n": uint8(7), "b": []byte{0, 1},
		"at": time.Date(2024, 1, 2, 3, 4, 5, 6000, time.UTC), "nan": math.NaN(), "i": 90 * time.Second, "none": nil,
	}, func(r *engine.Result) error {
		return r.Rows(context.Background(), func(b *vec.Batch) error {
			for _, c := range b.Cols {
				got = append(got, vec.RowString(c, 0, time.UTC))
			}
			return nil
		})
	})
	want := "-9223372036854775808|'; DROP TABLE dim; --|-1.5|7|2024-01-02 03:04:05.000006|"
	if text := strings.Join(got, "|"); err != nil || !strings.HasPrefix(text, want) || !strings.HasSuffix(text, "|NaN|00:01:30|NULL|1") {
		t.Errorf("%v\n%s", err, text)
	}
	if err := w.ExecParams(context.Background(), diag.Source{Text: "SELECT $1"}, nil, nil); err == nil || !strings.Contains(err.Error(), "$1 has no value") {
		t.Errorf("got %v", err)
	}
	if err := w.ExecParams(context.Background(), diag.Source{Text: "SELECT $1"}, engine.Params{"1": struct{}{}}, nil); err == nil {
		t.Error("a struct passes")
	}
}

func TestAlter(t *testing.T) {
	w := newWorld(t)
	w.must(objects)
	w.must("INSERT INTO dim VALUES ('a', 'Anna')")
	w.gives("ALTER TABLE dim RENAME TO dim2; SELECT * FROM dim2; SHOW CREATE TABLE dim2", "table dim is now dim2", "a Anna", "CREATE TABLE dim2 (k STRING, name STRING)")
	w.must("CREATE VIEW v AS SELECT name FROM dim2")
	w.gives("ALTER VIEW v RENAME TO names; SELECT * FROM names", "view v is now names", "Anna")
	w.gives("ALTER SINK dir SET (path = 'elsewhere', max_rows_per_file = 5); SHOW CREATE SINK dir",
		"sink dir altered", "CREATE SINK dir WITH (connector = 'file', path = 'elsewhere', format = 'json', max_rows_per_file = 5)")
	w.must("CREATE MATERIALIZED VIEW m AS SELECT k, v FROM plain")
	w.gives("ALTER MATERIALIZED VIEW m SUSPEND; ALTER MATERIALIZED VIEW m RESUME", "query m is paused", "query m is running")
	w.gives("INSERT INTO plain VALUES ('a', 1); REFRESH MATERIALIZED VIEW m; SELECT * FROM m", "materialized view m is up to date", "a 1")
	w.gives("ALTER TABLE IF EXISTS nothing RENAME TO x", "there is no table nothing")
	w.fails("ALTER SOURCE plain RENAME TO p", "SQL4104")
	w.fails("ALTER TABLE dim2 ADD COLUMN c INT", "CREATE OR REPLACE TABLE dim2 AS SELECT *, CAST(NULL AS INT) AS c FROM dim2")
	w.fails("ALTER TABLE dim2 RENAME TO mem", `"mem" exists already`)
	w.fails("ALTER MATERIALIZED VIEW m RENAME TO n", "SQL")
	w.fails("USE d", "there is one space of names")
}

func TestCopy(t *testing.T) {
	w := newWorld(t)
	w.must(objects)
	w.must("INSERT INTO dim VALUES ('a', 'Anna'), ('b', NULL)")
	w.must("COPY (SELECT * FROM dim WHERE k < 'b') TO 'one.json'; COPY dim TO 'two' (FORMAT csv, HEADER true)")
	w.gives("SELECT * FROM 'one.json'", "a Anna")
	w.gives("PREPARE c AS COPY (SELECT 7 AS n) TO 'three.json'; EXECUTE c; SELECT * FROM 'three.json'", "statement c prepared with 0 parameters", "copied to three.json", "7")
	w.fails("COPY plain TO 'x.json'", "COPY needs a finite query")
	w.fails("COPY dim FROM 'x.json'", "COPY … FROM is not supported")
}
