package planner

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/exec/builtin"
	"github.com/sqlstream/sqlstream/parser"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/catalog"
	"github.com/sqlstream/sqlstream/planner/physical"
)

var update = flag.Bool("update", false, "rewrite the expected parts of testdata")

// objects are what the examples of parser/diag/codes_planner.go and the tests here
// read and write.
const objects = `
CREATE SOURCE events (ts TIMESTAMP, k STRING, v INT, s STRUCT<a: INT>, WATERMARK FOR ts AS ts - INTERVAL '10' MINUTE);
CREATE SOURCE other (at TIMESTAMP, k STRING, v INT, WATERMARK FOR at AS at - INTERVAL '5' MINUTE);
CREATE SOURCE plain (k STRING, v INT);
CREATE SOURCE lists (id INT, l ARRAY<INT>);
CREATE SOURCE changes (k STRING, v INT) WITH (changelog = true);
CREATE SOURCE timed (k STRING, ts TIMESTAMP, WATERMARK FOR ts AS ts) WITH (changelog = true);
CREATE TABLE dim (k STRING, name STRING);
CREATE TABLE keyed (k STRING, name STRING, PRIMARY KEY (k));
CREATE SINK files (k STRING, v INT) WITH (connector = 'file', path = 'out', format = 'json');
CREATE SINK mem WITH (connector = 'memory');
`

// session is a catalog with the objects.
type session struct {
	t   testing.TB
	cat *catalog.Catalog
	set Settings
}

func newSession(t testing.TB, sql ...string) *session {
	t.Helper()
	reg, err := builtin.New("test")
	if err != nil {
		t.Fatal(err)
	}
	s := &session{t: t, cat: catalog.New(reg.Functions, reg)}
	for _, text := range append([]string{objects}, sql...) {
		if _, err := s.run(text); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// run defines and plans statements, and returns the last query.
func (s *session) run(text string) (*physical.Query, error) {
	src := &diag.Source{Text: text}
	stmts, err := parser.Parse(*src)
	if err != nil {
		return nil, err
	}
	var q *physical.Query
	for _, stmt := range stmts {
		if q, err = s.statement(stmt, text); err != nil {
			var list *diag.Error
			if errors.As(err, &list) {
				return nil, diag.NewError(src, list.Diagnostics...)
			}
			return nil, err
		}
	}
	return q, nil
}

func (s *session) statement(stmt ast.Statement, text string) (*physical.Query, error) {
	switch x := stmt.(type) {
	case *ast.CreateSource, *ast.CreateView:
		return nil, s.define(stmt, text)
	case *ast.CreateFunction:
		f, err := DefineFunction(x, text, &diag.Source{Text: text}, s.cat, s.set)
		if err == nil {
			s.cat.PutFunction(f)
		}
		return nil, err
	case *ast.CreateTable:
		if x.As == nil {
			return nil, s.define(stmt, text)
		}
	case *ast.CreateSink:
		if err := s.define(stmt, text); err != nil || x.As == nil && x.From == nil {
			return nil, err
		}
	}
	return Plan(stmt, s.cat, s.set)
}

func (s *session) define(stmt ast.Statement, text string) error {
	o, err := Define(stmt, text, s.cat, s.set)
	if err == nil {
		s.cat.Put(o)
	}
	return err
}

func (s *session) plan(text string) *physical.Query {
	s.t.Helper()
	q, err := s.run(text)
	if err != nil {
		s.t.Fatalf("%s\n%v", text, err)
	}
	return q
}

// TestGolden runs testdata/*.txt: statements, a line ----, then EXPLAIN or the errors.
// Cases are separated by a line ====.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no test data", err)
	}
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".txt"), func(t *testing.T) { goldenFile(t, f) })
	}
}

func goldenFile(t *testing.T, name string) {
	raw, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, c := range strings.Split(strings.TrimSuffix(string(raw), "\n"), "\n====\n") {
		sql, want, _ := strings.Cut(c, "\n----\n")
		s := newSession(t)
		got := ""
		if q, err := s.run(sql); err != nil {
			got = strings.TrimSuffix(err.Error(), "\n")
		} else if q != nil {
			got = strings.TrimSuffix(physical.Explain(q), "\n")
		}
		if got != want && !*update {
			t.Errorf("%s\ngot\n%s\nwant\n%s", sql, got, want)
		}
		out = append(out, sql+"\n----\n"+got)
	}
	if *update {
		if err := os.WriteFile(name, []byte(strings.Join(out, "\n====\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
