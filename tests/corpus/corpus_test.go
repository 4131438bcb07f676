package corpus

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/incremental/engine"
	"github.com/sqlstream/sqlstream/parser"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

// verdict is what became of a statement.
type verdict int

const (
	rejected verdict = iota // by the parser, as stated
	ran
	refused  // by name
	asStated // an error that is none of the dialect: a connector or option that does not exist
	unknown  // in a world that was guessed from the names of columns
	wrong
)

// TestCorpus runs every statement of the corpus that parses, in a world made for it: once
// over streams, once with everything as a table. It must run in one of the two, or be
// refused by name in both.
func TestCorpus(t *testing.T) {
	list, err := Read(Path())
	if err != nil || len(list) < 20 {
		t.Fatalf("%d statements: %v", len(list), err)
	}
	world, err := ReadWorld("testdata/world.sql")
	if err != nil {
		t.Fatal(err)
	}
	count := map[verdict]int{}
	var streams int
	for _, c := range list {
		t.Run(c.ID, func(t *testing.T) {
			v, stream := judge(t, world, c)
			count[v]++
			streams += stream
		})
	}
	t.Logf("%d statements: %d ran (%d of them over streams too), %d refused by name, %d rejected as stated by the parser and %d later, %d wrong, %d in a world that could not be guessed",
		len(list), count[ran], streams, count[refused], count[rejected], count[asStated], count[wrong], count[unknown])
}

func judge(t *testing.T, w *World, c Case) (verdict, int) {
	stmts, err := parser.Parse(diag.Source{Text: c.Text})
	if !c.OK {
		if err == nil {
			t.Errorf("%s\nparses, but must be rejected", c.Text)
			return wrong, 0
		}
		return rejected, 0
	}
	if err != nil {
		if byName(err) {
			t.Logf("refused: %v", err)
			return refused, 0
		}
		t.Errorf("%s\n%v", c.Text, err)
		return wrong, 0
	}
	stream, table := run(w, c, stmts, false), run(w, c, stmts, true)
	switch {
	case stream == nil && table == nil:
		return ran, 1
	case stream == nil || table == nil && planned(stream):
		return ran, 0
	case stated[c.ID] != "" && strings.Contains(table.Error(), stated[c.ID]):
		return asStated, 0
	case byName(stream) && byName(table):
		t.Logf("refused: %v", table)
		return refused, 0
	}
	if os.Getenv("SQLSTREAM_CORPUS") != "" && len(w.sections[c.ID])+len(w.sections[c.Group]) == 0 {
		t.Logf("nobody made the tables of this statement, and the guess does not fit: %v", table)
		return unknown, 0
	}
	t.Errorf("%s\nover streams: %v\nover tables: %v", c.Text, stream, table)
	return wrong, 0
}

// byName reports errors that name what is not supported.
func byName(err error) bool {
	var list *diag.Error
	return errors.As(err, &list) && slices.ContainsFunc(list.Diagnostics, func(d *diag.Diagnostic) bool {
		return d.Code == diag.NotSupported || d.Code == diag.NotPlanned || d.Code == diag.NotRepeatable || strings.HasPrefix(d.Hint, "write ")
	})
}

// stated are statements of the shared corpus that parse and cannot run as they are, with
// what is said of them.
var stated = map[string]string{
	"nf-ddl":               `unknown source connector "nexmark"`,
	"nf-q6":                `column "B.dateTime" is neither in GROUP BY nor inside an aggregate`,
	"nr-ddl":               `did you mean "properties.bootstrap.servers"?`,
	"nr-q2":                `unknown option "type"`,
	"nr-q10":               `unknown option "type"`,
	"fd-ddl":               `unknown option "materialized"`,
	"c-interval":           `not an INTERVAL: '1'`,
	"n-file-literal":       `the columns are _c0`,
	"f-space-call":         `column "a" is neither in GROUP BY nor inside an aggregate`,
	"f-unknown":            `did you mean "count"?`,
	"j-temporal-expr":      `FOR SYSTEM_TIME AS OF a stream is a join`,
	"d-create-table-flink": `option "brokers" is required`,
	"d-create-table-spark": `PARTITIONED BY names an unknown column "day"`,
	"d-create-table-as":    `cannot be filled by a query`,
	"d-create-sink-from":   `option "brokers" is required`,
	"d-create-sink-as":     `option "brokers" is required`,
	"l-current":            `unknown function "CURRENT_TIME"`,
	"d-alter-source":       `unknown option "rate"`,
	"x-set":                `there is no setting "execution.checkpointing.interval"`,
	"x-set-dotted":         `there is no setting "sqlstream.sql.shuffle.partitions"`,
}

// planned reports refusals of a plan over streams, each of which has a way out.
func planned(err error) bool {
	return only(err, func(d *diag.Diagnostic) bool {
		return strings.HasPrefix(string(d.Code), "SQL3") || d.Code == diag.NotSupported || d.Code == diag.NotPlanned
	})
}

func only(err error, is func(*diag.Diagnostic) bool) bool {
	var list *diag.Error
	if !errors.As(err, &list) {
		return false
	}
	for _, d := range list.Diagnostics {
		if d.Severity == diag.SeverityError && !is(d) {
			return false
		}
	}
	return true
}

// run makes the world of a case and runs its statements.
func run(w *World, c Case, stmts []ast.Statement, tables bool) error {
	e, err := engine.Open(engine.Options{FS: vfs.NewCrashable(1), Dir: "/", Workers: 1, Stdout: &bytes.Buffer{}, Batch: tables})
	if err != nil {
		return err
	}
	defer e.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := register(e); err != nil {
		return err
	}
	if err := settle(ctx, e, w.Of(c), stmts); err != nil {
		return fmt.Errorf("the world: %w", err)
	}
	src := diag.Source{Text: c.Text}
	for _, s := range stmts {
		if len(parser.Params(s)) > 0 && !isPrepare(s) {
			return e.ExecParams(ctx, src, engine.Params{"1": 1, "name": 2}, func(r *engine.Result) error { return drain(ctx, stopping(r)) })
		}
		if err := runOne(ctx, e, src, s); err != nil {
			return err
		}
	}
	return nil
}

func isPrepare(s ast.Statement) bool {
	_, ok := s.(*ast.Prepare)
	return ok
}

// stopping ends a query that would go on.
func stopping(r *engine.Result) *engine.Result {
	if r.Query != nil {
		r.Query.RequestStop()
	}
	return r
}

// register adds the aggregate that the corpus calls: a program would have made it.
func register(e *engine.Engine) error {
	sum, _ := e.Catalog().Functions.Aggregate("covar_pop")
	own := *sum
	own.Name, own.Aliases = "my_udaf", nil
	return e.RegisterAggregate(&own)
}

// settle makes the objects, the first of each name, with the rows of its section.
func settle(ctx context.Context, e *engine.Engine, sections [][]string, stmts []ast.Statement) error {
	known := func(name string) bool {
		o, err := e.Catalog().Find(name)
		return err == nil && o != nil
	}
	for _, own := range sections {
		if err := section(ctx, e, own, known); err != nil {
			return err
		}
	}
	return section(ctx, e, Guess(stmts, known), known)
}

// section runs statements of the world, without those for what is there.
func section(ctx context.Context, e *engine.Engine, texts []string, known func(string) bool) error {
	skipped := map[string]bool{}
	for _, sql := range texts {
		src := diag.Source{Text: sql}
		stmts, err := parser.Parse(src)
		if err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
		s := stmts[0]
		if name, ok := creates(s); ok && known(name) {
			skipped[name] = true
			continue
		}
		if in, ok := s.(*ast.Insert); ok && skipped[in.Table.String()] {
			continue
		}
		if err := runOne(ctx, e, src, s); err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
	}
	return nil
}

func runOne(ctx context.Context, e *engine.Engine, src diag.Source, s ast.Statement) error {
	once(s)
	r, err := e.Statement(ctx, src, s)
	if err != nil {
		return err
	}
	return drain(ctx, r)
}

func creates(s ast.Statement) (string, bool) {
	switch s := s.(type) {
	case *ast.CreateSource:
		return s.Name.String(), true
	case *ast.CreateTable:
		return s.Name.String(), true
	case *ast.CreateSink:
		return s.Name.String(), true
	case *ast.CreateView:
		return s.Name.String(), true
	case *ast.CreateMaterializedView:
		return s.Name.String(), true
	}
	return "", false
}

// once lets a continuous query end when its inputs are read.
func once(s ast.Statement) {
	switch s := s.(type) {
	case *ast.QueryStmt:
		s.Emit = ending(s.Emit)
	case *ast.Insert:
		s.Source.Emit = ending(s.Source.Emit)
	case *ast.StatementSet:
		s.Emit = ending(s.Emit)
	case *ast.CreateMaterializedView:
		if len(s.Options) == 0 {
			s.As.Emit = ending(s.As.Emit)
		}
	case *ast.CreateSink:
		if s.As != nil {
			s.As.Emit = ending(s.As.Emit)
		}
	}
}

func ending(e *ast.Emit) *ast.Emit {
	if e == nil {
		e = &ast.Emit{}
	}
	e.Trigger = &ast.Trigger{Kind: ast.TriggerAvailableNow}
	return e
}

// drain reads the rows of a result, or waits for its query.
func drain(ctx context.Context, r *engine.Result) error {
	if q := r.Query; q != nil {
		if t := q.Plan.Trigger; t == nil || t.Kind != ast.TriggerAvailableNow {
			q.RequestStop()
		}
		return q.Await(ctx)
	}
	if r.Rows == nil {
		return nil
	}
	return r.Rows(ctx, func(*vec.Batch) error { return nil })
}
