package oracle

import (
	"slices"
	"testing"
)

func TestDialect(t *testing.T) {
	for _, x := range []struct{ spark, ours string }{
		{`SELECT "dq", 'it''s', 'a' 'b' FROM t`, `SELECT 'dq', 'it''s', 'ab' FROM t`},
		{`SELECT 'a\nb', r'a\nb', 'it\'s' FROM t`, "SELECT 'a\nb', 'a\\nb', 'it''s' FROM t"},
		{`SELECT X'1F', "x" AS select, a ^ b, a >>> 2 FROM t`, "SELECT X'1F', 'x' AS `select`, xor(a, b), shiftrightunsigned(a, 2) FROM t"},
		{"SELECT `it's`, a[0] FROM t", "SELECT `it's`, a[0] FROM t"},
		{`SELECT s LIKE '10\%' FROM t`, `SELECT s LIKE '10\%' FROM t`},
	} {
		if got := (dialect{}).query(x.spark); got != x.ours {
			t.Errorf("%s becomes %s, want %s", x.spark, got, x.ours)
		}
	}
	if got := (dialect{fromZero: true}).query("SELECT a[0] FROM t"); got != "SELECT get(a, 0) FROM t" {
		t.Errorf("got %s", got)
	}
}

func TestSelectItems(t *testing.T) {
	got := selectItems("SELECT a, f(b, c) AS x, now() FROM t WHERE d IN (1, 2)")
	if want := []string{"a", " f(b, c) AS x", " now()"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestSteps(t *testing.T) {
	s := Step{View: "d", From: "ev", API: "dropDuplicates", Cols: []string{"id", "ts"}}
	got, err := s.define(dialect{})
	if want := "CREATE VIEW `d` AS SELECT * FROM drop_duplicates(TABLE `ev`, DESCRIPTOR(`id`, `ts`))"; got != want || err != nil {
		t.Errorf("got %s, %v", got, err)
	}
	if _, err := (&Step{View: "x", API: "sample"}).define(dialect{}); err == nil {
		t.Error("an unknown step is taken")
	}
}
