package docs

import (
	"strings"

	"github.com/sqlstream/sqlstream/exec/builtin"
	"github.com/sqlstream/sqlstream/incremental/server"
	"github.com/sqlstream/sqlstream/incremental/server/metrics"
)

func httpAPI(w *page, _ *builtin.Registry) error {
	w.line("How to use it: [serve](../serve.md). `GET /v1/openapi.json` gives the same with the shape of every body and answer, in OpenAPI. Operations marked *owner* need a token that is not one for reading.")
	w.line("")
	w.line("| operation | | parameters |")
	w.line("|---|---|---|")
	for _, op := range server.Operations() {
		doc := op.Doc
		if op.Owner {
			doc += " *Owner.*"
		}
		params := make([]string, len(op.Params))
		for i, p := range op.Params {
			params[i] = code(p[0]) + ": " + cell(p[1])
		}
		w.line("| %s | %s | %s |", code(op.Method+" "+op.Path), cell(doc), strings.Join(params, " "))
	}
	return nil
}

func metricsTable(w *page, _ *builtin.Registry) error {
	w.line("`GET /metrics` of [sqlstream serve](../serve.md) gives these to Prometheus; `--statsd` and `--otlp` push them. Counters begin at 0 with the program. For rates use `rate(…)`.")
	w.line("")
	w.line("| metric | kind | labels | meaning |")
	w.line("|---|---|---|---|")
	for _, d := range metrics.Defs() {
		w.line("| %s | %s | %s | %s |", code(d.Name), string(d.Kind), codes(d.Labels), cell(d.Help))
	}
	w.line("")
	w.line("Labels are bounded: names of queries, of their sources, operators and sinks, and fixed words. A query that the program has forgotten takes its metrics along; beyond 1,000 queries only the first have metrics of their own.")
	return nil
}
