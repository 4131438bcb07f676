package docs

import (
	"bytes"
	"context"
	"os"
	"strings"

	"github.com/sqlstream/sqlstream/exec/builtin"
	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/incremental/engine"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/repl"
)

func settings(w *page, _ *builtin.Registry) error {
	w.line("`SET name = value`, `SHOW SETTINGS`, `RESET name`, `RESET ALL`. A query takes the settings when it starts.")
	w.line("")
	w.line("| setting | default | meaning |")
	w.line("|---|---|---|")
	e, err := open(os.TempDir(), os.Stderr)
	if err != nil {
		return err
	}
	defer e.Kill()
	return e.Exec(context.Background(), diag.Source{Text: "SHOW SETTINGS"}, func(r *engine.Result) error {
		return r.Rows(context.Background(), func(b *vec.Batch) error {
			for i := range b.Rows() {
				row := strings.SplitN(rowText(b, b.Row(i)), "|", 3)
				w.line("| %s | %s | %s |", code(row[0]), code(row[1]), cell(row[2]))
			}
			return nil
		})
	})
}

func shellCommands(w *page, _ *builtin.Registry) error {
	e, err := open(os.TempDir(), os.Stderr)
	if err != nil {
		return err
	}
	defer e.Kill()
	var out bytes.Buffer
	sh := &repl.Shell{Clock: clock.NewFake(Epoch()), Session: repl.Session{Engine: e, Out: &out, Err: &out}}
	sh.Feed(context.Background(), ".help")
	w.line("`.help` prints:")
	w.line("")
	w.line("```text")
	w.line("%s", strings.TrimRight(out.String(), "\n"))
	w.line("```")
	return nil
}

func notYet(w *page, _ *builtin.Registry) error {
	w.line("Forms of SQL that are not taken, such as MATCH_RECOGNIZE, COLLATE of another order than that of the bytes, INSERT OVERWRITE, PIVOT without a list of values, or a subquery in ON of an ASOF or full join, are refused by name, most of them as [SQL1015](errors.md#sql1015). The [output modes](../semantics/output-modes.md) that a query can have stand in [queries](queries.md).")
	return nil
}
