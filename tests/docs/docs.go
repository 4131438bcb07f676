// Package docs keeps the documentation true. It generates the pages of docs/reference
// from what functions, connectors, settings and error codes say of themselves, and runs
// the SQL and shell blocks of README.md and docs/ against the output that stands below
// them. With -update its tests write what is, instead of comparing:
//
//	go test ./tests/docs -update
//
// It knows the whole product, and nothing depends on it. Open this file first; blocks.go
// has the conventions for pages.
package docs

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/builtin"
	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/incremental/engine"
)

// Reference is where generated pages are, from the root of the repository.
const Reference = "docs/reference"

// Page is a generated page.
type Page struct {
	Name  string // of its file in Reference
	Title string
	About string // a sentence for the index
	body  func(w *page, r *builtin.Registry) error
}

// Pages lists the generated pages, in the order of the index.
func Pages() []Page {
	return []Page{
		{"functions.md", "Scalar functions", "What computes a value from the values of one row.", scalarFunctions},
		{"aggregates.md", "Aggregate functions", "What computes a value from many rows.", aggregateFunctions},
		{"window-functions.md", "Window functions", "What computes a value from the rows around a row.", windowFunctions},
		{"table-functions.md", "Table functions", "What makes rows from a value.", tableFunctions},
		{"sources.md", "Sources", "What streams and tables are read from, with their options.", sources},
		{"sinks.md", "Sinks", "Where results go, the output modes that each takes, and their options.", sinks},
		{"fault-tolerance.md", "Fault tolerance", "What a crash does to each source and sink.", faultTolerance},
		{"formats.md", "Formats", "How files and messages are laid out, with the options for reading and writing.", formats},
		{"query-options.md", "Options of queries", "What WITH (…) behind a continuous query takes.", queryOptions},
		{"http-api.md", "HTTP API", "What sqlstream serve answers.", httpAPI},
		{"metrics.md", "Metrics", "The numbers that sqlstream serve tells of itself and its queries.", metricsTable},
		{"settings.md", "Settings", "What SET changes.", settings},
		{"shell.md", "Commands of the shell", "What begins with a dot or a backslash.", shellCommands},
		{"errors.md", "Error codes", "Every code, with a text that yields it.", errorCodes},
		{"queries.md", "Queries on streams", "Which queries run on a stream, in which output modes, what they keep, and what Spark says.", streamed},
		{"not-yet.md", "Not yet", "Forms of SQL that are refused by name.", notYet},
	}
}

// Text generates a page.
func (p Page) Text(r *builtin.Registry) (string, error) {
	w := &page{}
	w.line("# %s", p.Title)
	w.line("")
	w.line("<!-- Generated: go test ./tests/docs -update. Do not edit. -->")
	w.line("")
	if err := p.body(w, r); err != nil {
		return "", fmt.Errorf("%s: %w", p.Name, err)
	}
	return strings.TrimRight(w.String(), "\n") + "\n", nil
}

// Index is the page that lists the generated ones and those that are written by hand.
func Index() string {
	w := &page{}
	w.line("# Reference")
	w.line("")
	w.line("<!-- Generated: go test ./tests/docs -update. Do not edit. -->")
	w.line("")
	w.line("| page | about |")
	w.line("|---|---|")
	w.line("| [Statements](statements.md) | Every form of statement, with examples. |")
	w.line("| [Program](program.md) | The command line, exit statuses, files. |")
	for _, p := range Pages() {
		w.line("| [%s](%s) | %s |", p.Title, p.Name, p.About)
	}
	w.line("")
	w.line("All pages but the first are generated from the program itself.")
	return w.String()
}

// page collects the text of a page.
type page struct{ strings.Builder }

func (w *page) line(format string, args ...any) {
	if len(args) == 0 {
		w.WriteString(format + "\n")
		return
	}
	fmt.Fprintf(w, format+"\n", args...)
}

// code is text as inline code, also inside a table.
func code(s string) string {
	if s == "" {
		return ""
	}
	s = strings.ReplaceAll(strings.ReplaceAll(s, "|", "\\|"), "\n", "⏎")
	if strings.Contains(s, "`") {
		return "`` " + s + " ``"
	}
	return "`" + s + "`"
}

func codes(list []string) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = code(s)
	}
	return strings.Join(out, ", ")
}

// cell is text inside a table.
func cell(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "|", "\\|"), "\n", " ")
}

// Epoch is where the clock stands while examples run.
func Epoch() time.Time { return time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC) }

// open returns an engine for examples, whose paths start from dir.
func open(dir string, out io.Writer) (*engine.Engine, error) {
	return engine.Open(engine.Options{Clock: clock.NewFake(Epoch()), Workers: 2, Dir: dir, Stdout: out})
}
