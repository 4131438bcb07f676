package docs

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/builtin"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/incremental/engine"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// function is what the reference says of a function of any kind.
type function struct {
	name, group, doc string
	aliases, syntax  []string
	notes            []string
	examples         []fn.Example
	needsNull        bool
}

// Functions lists every function that the reference shows, by kind.
func scalars(r *builtin.Registry) []function {
	var out []function
	for _, f := range r.Functions.Scalars() {
		if f.Hidden {
			continue
		}
		x := function{f.Name, f.Group, f.Doc, f.Aliases, f.Syntax, nil, f.Examples, f.Volatility == fn.Immutable}
		if f.Nulls == fn.Propagate {
			x.notes = append(x.notes, "NULL where an argument is NULL.")
		}
		switch f.Volatility {
		case fn.Stable:
			x.notes = append(x.notes, "One value for each trigger.")
		case fn.Volatile:
			x.notes = append(x.notes, "Another value at each call.")
		}
		out = append(out, x)
	}
	return out
}

func aggregates(r *builtin.Registry) []function {
	var out []function
	for _, f := range r.Functions.Aggregates() {
		x := function{f.Name, f.Group, f.Doc, f.Aliases, f.Syntax, nil, f.Examples, true}
		if f.Ordered {
			x.notes = append(x.notes, "Depends on the order in which rows arrive, unless ORDER BY is given.")
		}
		out = append(out, x)
	}
	return out
}

func generators(r *builtin.Registry) []function {
	var out []function
	for _, f := range r.Functions.Generators() {
		if !f.Hidden {
			out = append(out, function{f.Name, f.Group, f.Doc, f.Aliases, f.Syntax, nil, f.Examples, true})
		}
	}
	return out
}

func windows(r *builtin.Registry) []function {
	var out []function
	for _, f := range r.Functions.Windows() {
		out = append(out, function{f.Name, f.Group, f.Doc, f.Aliases, f.Syntax, nil, f.Examples, false})
	}
	return out
}

func scalarFunctions(w *page, r *builtin.Registry) error {
	w.line("Names do not depend on case. A value that cannot be computed (an overflow, a division by zero, text that is no number) fails the query, or is NULL with `SET eval_error = 'null'`.")
	w.line("")
	return byGroup(w, scalars(r))
}

func aggregateFunctions(w *page, r *builtin.Registry) error {
	w.line("Every aggregate takes `DISTINCT`, `FILTER (WHERE …)` and, where the order of rows matters, `ORDER BY`. NULLs are left out unless the text says otherwise; over no rows the result is NULL, for counts 0. All of them follow retractions: rows that change or vanish leave no trace.")
	w.line("")
	return byGroup(w, aggregates(r))
}

func windowFunctions(w *page, r *builtin.Registry) error {
	w.line("These functions stand before `OVER ([PARTITION BY …] [ORDER BY …] [frame])` or `OVER w`, and so does every [aggregate](aggregates.md), which is then computed over the frame of each row. The frame is `ROWS`, `RANGE` or `GROUPS BETWEEN … AND …`, with `EXCLUDE` if needed; without one it reaches from the first row of the partition to the last one equal to the current row, and without ORDER BY it is the partition. Rows that ORDER BY leaves equal are taken in the order of all columns that the SELECT uses.")
	w.line("")
	return byGroup(w, windows(r))
}

func tableFunctions(w *page, r *builtin.Registry) error {
	w.line("Table functions stand in FROM, behind `CROSS JOIN` or a comma, with the columns of the tables to their left as arguments.")
	w.line("")
	return byGroup(w, generators(r))
}

func byGroup(w *page, list []function) error {
	var groups []string
	for _, f := range list {
		if !slices.Contains(groups, f.group) {
			groups = append(groups, f.group)
		}
	}
	slices.Sort(groups)
	for _, g := range groups {
		if len(groups) > 1 {
			w.line("## %s", g)
			w.line("")
		}
		for _, f := range list {
			if f.group == g {
				w.function(f)
			}
		}
	}
	return nil
}

func (w *page) function(f function) {
	f.name, f.aliases = visible(append([]string{f.name}, f.aliases...))
	w.line("### %s", f.name)
	w.line("")
	w.line("%s", codes(f.syntax))
	w.line("")
	w.line("%s", strings.TrimSpace(f.doc+" "+strings.Join(f.notes, " ")))
	if len(f.aliases) > 0 {
		w.line("Also written %s.", codes(f.aliases))
	}
	w.line("")
	if len(f.examples) == 0 {
		return
	}
	w.line("| example | result |")
	w.line("|---|---|")
	for _, ex := range f.examples {
		w.line("| %s | %s |", code(ex.SQL), code(ex.Want))
	}
	w.line("")
}

// visible leaves out the names that only the parser makes.
func visible(names []string) (name string, aliases []string) {
	names = slices.DeleteFunc(names, func(n string) bool { return strings.HasPrefix(n, "$") })
	if len(names) == 0 {
		return "(an operator)", nil
	}
	return names[0], names[1:]
}

// Run computes an example of a function, as the shell would: rows on lines, values
// separated by bars.
func Run(ctx context.Context, e *engine.Engine, sql string) (string, error) {
	if !strings.HasPrefix(sql, "SELECT ") {
		sql = "SELECT " + sql
	}
	var lines []string
	err := e.Exec(ctx, diag.Source{Text: sql}, func(r *engine.Result) error {
		if r.Rows == nil {
			return fmt.Errorf("it gives no rows")
		}
		return r.Rows(ctx, func(b *vec.Batch) error {
			for i := range b.Rows() {
				lines = append(lines, rowText(b, b.Row(i)))
			}
			return nil
		})
	})
	return strings.Join(lines, "\n"), err
}

func rowText(b *vec.Batch, row int) string {
	cells := make([]string, len(b.Cols))
	for i, c := range b.Cols {
		cells[i] = vec.RowString(c, row, time.UTC)
	}
	return strings.Join(cells, "|")
}
