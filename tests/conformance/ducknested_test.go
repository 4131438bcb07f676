package conformance

import (
	"testing"

	"github.com/sqlstream/sqlstream/exec/builtin"
)

func TestDuckNestedForms(t *testing.T) {
	for _, c := range []struct {
		form      func(string) string
		sql, want string
	}{
		{risingWholes, "SELECT a.b[1]::INT, CAST(x + 1 AS INT8)", "SELECT rising_whole(a.b[1])::INT, CAST(rising_whole(x + 1) AS INT8)"},
		{callsOf(risingOperators, true), "SELECT 3#5", "SELECT ((3 | 5) - (3 & 5))"},
		{spaces{"s": "catalogue"}.flat, "SELECT s.t.a FROM s.t JOIN s.u x ON x.a = t.a", "SELECT t.a FROM s__t AS t JOIN s__u x ON x.a = t.a"},
		{spaces{"s": "catalogue", "r": "catalogue"}.flat, "SELECT s.t.a FROM s.t, r.t", "SELECT s__t.a FROM s__t AS s__t, r__t AS r__t"},
		{duckWholes, "SELECT a.b[1]::INT, f(x)::BIGINT[]", "SELECT duck_whole(a.b[1])::INT, duck_whole(f(x))::BIGINT[]"},
		{duckWholes, "SELECT CAST(1 + 2 AS UTINYINT), TRY_CAST('7' AS INTEGER)", "SELECT duck_within(CAST(duck_whole(1 + 2) AS UTINYINT), 255), TRY_CAST(duck_whole('7') AS INTEGER)"},
		{duckWholes, "SELECT x::DECIMAL(3, 1), CASE WHEN a THEN 1 END::INT", "SELECT x::DECIMAL(3, 1), duck_whole(CASE WHEN a THEN 1 END)::INT"},
		{duckNamed, "SELECT s::STRUCT(b INT, a INT), s::STRUCT(a INT)[]", "SELECT duck_fields(s, 'b', 'a')::STRUCT(b INT, a INT), s::STRUCT(a INT)[]"},
		{duckUnnests, "SELECT unnest(l), UNNEST(a, b) FROM t AS unnest(x)", "SELECT unnest(l, max_depth := 1), UNNEST(a, b) FROM t AS unnest(x)"},
		{duckMaps, "SELECT MAP(k, v)::MAP(INT, INT), ROW(1, a)", "SELECT MAP_from_arrays(k, v)::MAP(INT, INT), named_struct /* ROW */('col1', 1, 'col2', a)"},
		{duckMaps, "CREATE TABLE t (a MAP(INT, ROW(b INT)), c TUPLE(INT, TEXT))", "CREATE TABLE t (a MAP(INT, ROW(b INT)), c STRUCT /* TUPLE */(col1 INT, col2 TEXT))"},
		{callsOf(duckOperators, false), "SELECT 2 ** (n - 1) * 3, a.l && [1], l <@ m, x ^@ 'a', count(*)", "SELECT pow(2, (n - 1)) * 3, list_has_any(a.l, [1]), list_has_all(m, l), x ^@ 'a', count(*)"},
		{duckFixed, "SELECT x::INT[3][2], a[1], CAST(y AS VARCHAR[2])", "SELECT x::INT[][], a[1], CAST(y AS VARCHAR[])"},
	} {
		if got := c.form(c.sql); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.sql, got, c.want)
		}
	}
}

func TestDuckLambdas(t *testing.T) {
	for sql, want := range map[string]string{
		"list_transform(l, x -> 1)":                "list_transform(l, (x) -> 1)",
		"list_filter(l, x -> x % 2)":               "list_filter(l, x -> CAST((x % 2) AS BOOLEAN))",
		"list_filter(l, lambda x: x > 1)":          "list_filter(l, lambda x: CAST((x > 1) AS BOOLEAN))",
		"array_to_string_comma_default(l)":         "array_to_string(l, coalesce(',', ','))",
		"array_to_string_comma_default(l, sep:=s)": "array_to_string(l, coalesce(s, ','))",
	} {
		if got := duckdb.reform(sql); got != want {
			t.Errorf("%s\n got %s\nwant %s", sql, got, want)
		}
	}
}

func TestWholeTexts(t *testing.T) {
	for text, want := range map[string]string{"1.5": "2", "-0.5": "-1", " 1e2 ": "100", "5.5e-1": "1", "0x1F": "31", "0b1_0": "2", "-0b1": "-0b1", "1.2.3": "1.2.3", "7": "7", "x": "x", "1e99999": "1e99999"} {
		if got := wholeText(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

func TestDuckMeaningsOfTypes(t *testing.T) {
	r, err := builtin.New("conformance")
	if err != nil {
		t.Fatal(err)
	}
	duckFunctions(r.Functions) // it panics on a name that the product has
	for _, name := range []string{"duck_whole", "duck_within", "duck_within_try", "duck_fields"} {
		if f, ok := r.Functions.Scalar(name); !ok || !f.Hidden {
			t.Errorf("%s is missing or to be seen", name)
		}
	}
}
