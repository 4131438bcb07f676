package engine_test

import (
	"context"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/incremental/engine"
	"github.com/sqlstream/sqlstream/parser/diag"
)

func TestMasked(t *testing.T) {
	w := newWorld(t)
	for sql, want := range map[string]string{
		"SELECT 'password' = 'x'":                                 "SELECT 'password' = 'x'",
		"CREATE SOURCE s WITH (password = 'hunter2', a = 'b')":    "CREATE SOURCE s WITH (password = '*******', a = 'b')",
		"create sink s with (\"sasl.password\" = 'a''b')":         "create sink s with (\"sasl.password\" = '****')",
		"WITH ('client.secret' = 'abc', x = 'y')":                 "WITH ('client.secret' = '***', x = 'y')",
		"WITH (s3_secret_key /* 'no' */ = /* c */ 'abc')":         "WITH (s3_secret_key /* 'no' */ = /* c */ '***')",
		"WITH (auth_token = '${TOKEN}', password = '${file:/p}')": "WITH (auth_token = '${TOKEN}', password = '${file:/p}')",
		"WITH (password = 'x${TOKEN}')":                           "WITH (password = '*********')",
		"WITH (place = 'postgres://me:pass@host/db')":             "WITH (place = 'postgres://me:****@host/db')",
		"WITH (pasword = 'hunter2', pass_wrod = 'b')":             "WITH (pasword = '*******', pass_wrod = '*')",
		"FROM 'kafka://h:1/t?user=u&password=abc&x=y'":            "FROM 'kafka://h:1/t?user=u&password=***&x=y'",
		"FROM 'https://h/a.csv?X-Amz-Signature=abc'":              "FROM 'https://h/a.csv?X-Amz-Signature=***'",
		"WITH (place = 'postgres://me:${PW}@host/db')":            "WITH (place = 'postgres://me:${PW}@host/db')",
		"WITH t AS (SELECT token = 'abc' FROM x) SELECT * FROM t": "WITH t AS (SELECT token = 'abc' FROM x) SELECT * FROM t",
		"WITH (password = 'é')":                                   "WITH (password = '**')",
		"WITH (password = ''":                                     "WITH (password = ''",
		"WITH (password = 'open":                                  "WITH (password = '****",
	} {
		if got := w.Masked(diag.Source{Text: sql}).Text; got != want {
			t.Errorf("%s\nbecomes %s\nwant    %s", sql, got, want)
		}
	}
}

// A secret of a statement is in nothing that is kept or shown.
func TestSecretsAreNotKept(t *testing.T) {
	w := newWorld(t)
	if err := w.RegisterSource(source.Connector{Name: "vault", Doc: "A source.", Options: []option.Spec{{Name: "pin", Type: option.Secret, Doc: "A secret."}},
		Open: func(context.Context, source.Config) (source.Source, error) { return nil, context.Canceled }}); err != nil {
		t.Fatal(err)
	}
	const secret = "s3cr3t-value"
	w.must("CREATE SOURCE v (n INT) WITH (connector = 'vault', pin = '" + secret + "')")
	shown := strings.Join(w.must("SHOW CREATE SOURCE v; SELECT * FROM sys.sources"), "\n")
	for _, sql := range []string{
		"CREATE SOURCE x (n INT) WITH (connector = 'vault', pin = '" + secret + "', nope = '1')",
		"CREATE SOURCE x (n INT WITH (connector = 'vault', pin = '" + secret + "')",
		"CREATE SOURCE x (n INT) WITH (connector = 'vault', pin = '" + secret + "', pin = '" + secret + "')",
		"INSERT INTO nowhere SELECT n FROM v",
		"SELECT n FROM v",
	} {
		_, err := w.run(sql)
		if err == nil {
			t.Errorf("%s does not fail", sql)
			continue
		}
		shown += err.Error()
		shown += errText(w.Check(context.Background(), diag.Source{Text: sql}))
	}
	if strings.Contains(shown, secret) {
		t.Error(shown)
	}
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// A function, a source and a sink of one's own, and names that are taken.
func TestRegister(t *testing.T) {
	w := newWorld(t)
	if err := w.RegisterFunction(engine.Function1("twice", "Doubles a number.", func(x int64) (int64, error) { return 2 * x, nil })); err != nil {
		t.Fatal(err)
	}
	w.gives("SELECT twice(21), twice(NULL)", "42 NULL")
	for _, err := range []error{
		w.RegisterFunction(engine.Function1("twice", "Again.", func(x int64) (int64, error) { return x, nil })),
		w.RegisterFunction(engine.Function1("sum", "An aggregate.", func(x int64) (int64, error) { return x, nil })),
		w.RegisterSource(source.Connector{Name: "rate"}),
	} {
		if err == nil {
			t.Error("a name that is taken was taken again")
		}
	}
}

// TestMaskOnce: the statements of a script do not look through the whole script again, and
// their text stays what it is.
func TestMaskOnce(t *testing.T) {
	w := newWorld(t)
	script := diag.Source{Text: strings.Repeat("SELECT 1;\n", 1000) + "CREATE SINK s WITH (password = 'hidden');"}
	masked := w.Masked(script)
	if strings.Contains(masked.Text, "hidden") {
		t.Fatal("the password is there")
	}
	if n := testing.AllocsPerRun(10, func() { masked = w.Masked(masked) }); n > 1 {
		t.Errorf("%v allocations for a text that was masked", n)
	}
	if again := w.Masked(script); again != masked {
		t.Error("another answer the second time")
	}
}
