package conformance

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// fixture runs a file of testdata under all schedules and tells what came of its steps.
func fixture(t *testing.T, d *dialect, sc *script, err error) (good, left int, bad []string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	list, n := runScript(context.Background(), d, sc)
	for _, o := range list {
		switch o.verdict {
		case passed:
			good++
		case notApplicable:
			left++
		case failed:
			bad = append(bad, fmt.Sprintf("%d %s", o.step.line, o.cause))
		}
	}
	t.Logf("%s: %d queries as continuous ones as well", sc.name, n.continuous)
	return good, left, bad
}

func TestChangesBetweenViews(t *testing.T) {
	sc, err := readSLT("testdata", "mixed/changes.slt", []string{"risingwave"})
	good, left, bad := fixture(t, &risingwave, sc, err)
	if good != 20 || left != 3 || bad != nil {
		t.Errorf("%d passed, %d not applicable, failed: %v", good, left, bad)
	}
}

func TestSQLite(t *testing.T) {
	sc, err := readSLT("testdata", "mixed/sqlite.test", []string{"sqlite"})
	good, left, bad := fixture(t, &sqlite, sc, err)
	if good != 13 || left != 0 || bad != nil {
		t.Errorf("%d passed, %d not applicable, failed: %v", good, left, bad)
	}
}

func TestDuckOrders(t *testing.T) {
	sc, err := readSLT("testdata", "mixed/duckorder.test", []string{"duckdb"})
	good, _, bad := fixture(t, &duckdb, sc, err)
	if want := "[59 wrong 66 wrong 73 wrong]"; good != 10 || fmt.Sprint(bad) != want {
		t.Errorf("%d passed, failed: %v, want %s", good, bad, want)
	}
}

func TestWrongIsFound(t *testing.T) {
	sc, err := readSLT("testdata", "mixed/wrong.slt", nil)
	_, _, bad := fixture(t, &dialect{}, sc, err)
	want := []string{"8 wrong", "14 wrong", "20 accepted", "23 refused", "26 refused", "29 follows"}
	if fmt.Sprint(bad) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", bad, want)
	}
}

func TestSteps(t *testing.T) {
	sc, err := readSteps("testdata", "steps/Steps.java")
	good, _, bad := fixture(t, &feldera, sc, err)
	if good != 19 || bad != nil {
		t.Errorf("%d passed, failed: %v", good, bad)
	}
}

func TestDialects(t *testing.T) {
	for _, c := range []struct {
		d         *dialect
		sql, want string
	}{
		{&duckdb, "SELECT a FROM t ORDER BY a, b DESC LIMIT 3;", "SELECT a FROM t ORDER BY a NULLS LAST, b DESC NULLS LAST LIMIT 3"},
		{&duckdb, "SELECT string_agg(a ORDER BY b), string_agg(a, b), count(*) FILTER (a > 1) FROM (VALUES (1, 2)) v", "SELECT string_agg(a, ',' ORDER BY b NULLS LAST), string_agg(a, b), count(*) FILTER (WHERE a > 1) FROM (VALUES (1, 2)) v(col0, col1)"},
		{&duckdb, "SELECT sum(x) OVER (ORDER BY a ROWS 1 PRECEDING)", "SELECT sum(x) OVER (ORDER BY a NULLS LAST ROWS 1 PRECEDING)"},
		{&duckdb, "SELECT t.range, 2 IN (1) FROM range(3) t, range(x.a), generate_series(1, 2) g(v)", "SELECT t.range, 2 IN (1) FROM range(3) t(range), range(x.a) AS range(range), generate_series(1, 2) g(v)"},
		{&risingwave, "SELECT max(a), count(*) FROM t ORDER BY 1 DESC", `SELECT max(a) AS "max", count(*) AS "count" FROM t ORDER BY 1 DESC NULLS FIRST`},
		{&risingwave, "create table t (j jsonb, v character varying)", "create table t (j JSON, v STRING)"},
		{&duckdb, "SELECT a FROM (SELECT a FROM t ORDER BY abs(a), b) ORDER BY lower(a)", "SELECT a FROM (SELECT a FROM t ORDER BY abs(a) NULLS LAST, b NULLS LAST) ORDER BY lower(a) NULLS LAST"},
		{&feldera, "SELECT timestamp_trunc(ts, DAY), blackbox(div_null(a, b)) FROM t", "SELECT feldera_like(ts, date_trunc('DAY', ts)), (feldera_try_divide(a, nullif(b, 0))) FROM t"},
		{&feldera, "CREATE TABLE log(a INT, b CHAR(3))", "CREATE TABLE log(a INT, b CHAR(3))"},
		{&feldera, "SELECT a::VARCHAR(3), (a + 1)::DECIMAL(3, 1) FROM t", "SELECT left(CAST(feldera_text(a) AS VARCHAR), 3), CAST(feldera_cut(feldera_number((a + 1)), 1) AS DECIMAL(3, 1)) FROM t"},
		{&feldera, "SELECT * FROM t PIVOT (count(*) AS n FOR k IN (1, 2)) AS p", "SELECT * FROM (PIVOT t ON k IN (1, 2) USING count(*) AS n) AS p"},
		{&feldera, "SELECT * FROM t PIVOT (sum(a) FOR k IN (1, 2))", "SELECT * FROM t PIVOT (sum(a) FOR k IN (1, 2))"},
		{&feldera, "SELECT * FROM t UNPIVOT (v FOR n IN (Ab AS 'X', c))", "SELECT * FROM t UNPIVOT (v FOR n IN (ab AS 'X', c))"},
		{&feldera, "CREATE VIEW v WITH ('emit_final' = 'd') AS SELECT 1", "CREATE VIEW v  AS SELECT 1 EMIT ON WINDOW CLOSE"},
		{&sqlite, "SELECT CAST(a AS REAL) FROM t", "SELECT CAST(a AS DOUBLE) FROM t"},
		{&sqlite, "SELECT - + a + + 1 FROM t WHERE + a IN ( ) OR a NOT IN u", "SELECT -  a +  1 FROM t WHERE  a IN (SELECT NULL WHERE FALSE) OR a NOT IN (SELECT * FROM u)"},
		{&sqlite, "SELECT total(DISTINCT a), 1<<2 FROM t", "SELECT coalesce(sum(DISTINCT CAST( a AS DOUBLE)), 0.0), 1L<<2 FROM t"},
		{&sqlite, "REPLACE INTO t VALUES (1)", "INSERT OR REPLACE INTO t VALUES (1)"},
	} {
		if got := c.d.rewrite(c.sql); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.sql, got, c.want)
		}
	}
}

// Each rule that names of statements fall under is in the printed list.
func TestRulesAreListed(t *testing.T) {
	listed := map[string]bool{}
	for _, r := range ruleList {
		listed[r.name] = true
	}
	for _, s := range starts {
		if !listed[s.rule] {
			t.Errorf("%s: rule %q is not listed", s.words, s.rule)
		}
	}
	for w, rule := range names {
		if !listed[rule] || w != strings.ToLower(w) {
			t.Errorf("%s: rule %q", w, rule)
		}
	}
}

func TestHashes(t *testing.T) {
	s := &step{want: []string{"2 values hashing to 0a88863510308751293f4b91afc07dd6"}, hashed: true}
	if err := sqlite.compare(s, []string{"1", "3"}, 1, noSort); err != nil {
		t.Error(err)
	}
	if err := sqlite.compare(s, []string{"1", "2"}, 1, noSort); err == nil {
		t.Error("other rows have the hash")
	}
}

// A statement whose type or setting is not there counts as it is written, if its result is another.
func TestAsWritten(t *testing.T) {
	sc := &script{steps: []step{
		{sql: "CREATE TABLE t (a TIMESTAMP_NS)"}, {sql: "SELECT a FROM t"}, {sql: "SELECT 1::UTINYINT"}, {sql: "SELECT 2"},
		{sql: "SET default_collation = 'nocase'"}, {sql: "PREPARE p AS SELECT 3"}, {sql: "SET default_collation = ''"}, {sql: "SELECT 4"}, {sql: "EXECUTE p"},
	}}
	for at, want := range map[int]cause{0: refused, 1: follows, 2: refused, 3: wrong, 7: wrong, 8: follows} {
		o := outcome{verdict: failed, cause: wrong, message: "other rows"}
		duckdb.asWritten(t.Context(), sc, at, &o)
		if o.cause != want {
			t.Errorf("%s: %s (%s), want %s", sc.steps[at].sql, o.cause, o.message, want)
		}
	}
}
