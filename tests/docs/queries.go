package docs

import (
	"context"
	"os"
	"strings"

	"github.com/sqlstream/sqlstream/exec/builtin"
	"github.com/sqlstream/sqlstream/incremental/engine"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// world is what the queries of the page on streams read.
const world = `CREATE SOURCE ev (ts TIMESTAMP, k STRING, v INT, WATERMARK FOR ts AS ts - INTERVAL '10' MINUTE);
CREATE SOURCE clk (cts TIMESTAMP, k STRING, y INT, WATERMARK FOR cts AS cts - INTERVAL '5' MINUTE);
CREATE TABLE dim (k STRING, name STRING);`

// asked is a question to the planner: can this run on a stream?
type asked struct {
	what  string
	sql   string
	spark string // what Spark 4.3 says of it, recorded or as its guide lists it; empty: unknown
}

// questions go from what every engine can to what Spark lists as unsupported.
var questions = []asked{
	{"filter, projection", "SELECT k, v + 1 AS v FROM ev WHERE v > 0", "append, update"},
	{"window aggregate", "SELECT window.start AS s, count(*) AS n FROM ev GROUP BY window(ts, '10 minutes')", "all its modes"},
	{"aggregate without a window", "SELECT k, count(*) AS n FROM ev GROUP BY k", "update, complete"},
	{"aggregate of an aggregate", "SELECT max(n) AS most FROM (SELECT k, count(*) AS n FROM ev GROUP BY k) t", "refused"},
	{"windows over windows", "SELECT window.start AS s, max(n) AS most FROM (SELECT window_time(window) AS at, count(*) AS n FROM ev GROUP BY window(ts, '10 minutes')) t GROUP BY window(at, '1 hour')", "append"},
	{"several DISTINCT aggregates", "SELECT k, count(DISTINCT v) AS a, sum(DISTINCT v) AS b FROM ev GROUP BY k", "refused"},
	{"GROUPING SETS, ROLLUP, CUBE", "SELECT k, v, count(*) AS n FROM ev GROUP BY CUBE (k, v)", ""},
	{"PIVOT", "SELECT * FROM (SELECT k, v FROM ev) PIVOT (sum(v) FOR k IN ('a', 'b'))", "refused"},
	{"session windows", "SELECT session_window.start AS s, k, count(*) AS n FROM ev GROUP BY session_window(ts, '5 minutes'), k", "refused in update mode"},
	{"SELECT DISTINCT", "SELECT DISTINCT k FROM ev", "refused in append mode"},
	{"stream LEFT JOIN table", "SELECT ev.k, name FROM ev LEFT JOIN dim ON ev.k = dim.k", "append, update"},
	{"table LEFT JOIN stream", "SELECT dim.name, ev.v FROM dim LEFT JOIN ev ON ev.k = dim.k", "refused"},
	{"table FULL JOIN stream", "SELECT dim.name, ev.v FROM ev FULL JOIN dim ON ev.k = dim.k", "refused"},
	{"join of streams, time bounded", "SELECT ev.k, y FROM ev JOIN clk ON ev.k = clk.k AND cts BETWEEN ts AND ts + INTERVAL '20' MINUTE", "append, update"},
	{"LEFT JOIN of streams, time bounded", "SELECT ev.k, y FROM ev LEFT JOIN clk ON ev.k = clk.k AND cts BETWEEN ts AND ts + INTERVAL '20' MINUTE", "append"},
	{"LEFT JOIN of streams, no bound", "SELECT ev.k, y FROM ev LEFT JOIN clk ON ev.k = clk.k", "refused"},
	{"anti join of streams", "SELECT ev.k FROM ev LEFT ANTI JOIN clk ON ev.k = clk.k AND cts BETWEEN ts AND ts + INTERVAL '20' MINUTE", "refused"},
	{"join of streams without equality", "SELECT v, y FROM ev JOIN clk ON cts BETWEEN ts AND ts + INTERVAL '5' MINUTE", "fails when it runs"},
	{"ASOF join", "SELECT ev.k, y FROM ev ASOF LEFT JOIN clk ON ev.k = clk.k AND ts >= cts", ""},
	{"join of aggregates", "SELECT a.k, n, m FROM (SELECT k, count(*) AS n FROM ev GROUP BY k) a JOIN (SELECT k, max(y) AS m FROM clk GROUP BY k) b ON a.k = b.k", "refused"},
	{"ORDER BY … LIMIT", "SELECT k, v FROM ev ORDER BY v DESC LIMIT 3", "refused but in complete mode over an aggregate"},
	{"LIMIT over an aggregate", "SELECT k, count(*) AS n FROM ev GROUP BY k ORDER BY n DESC LIMIT 1", "refused in update mode"},
	{"OFFSET", "SELECT k, v FROM ev ORDER BY v LIMIT 3 OFFSET 1", "refused"},
	{"ORDER BY without LIMIT", "SELECT k, v FROM ev ORDER BY v", "refused but in complete mode over an aggregate"},
	{"ORDER BY over an aggregate", "SELECT k, count(*) AS n FROM ev GROUP BY k ORDER BY n", "complete"},
	{"top-n of each group", "SELECT k, v FROM ev QUALIFY row_number() OVER (PARTITION BY k ORDER BY v DESC) <= 2", "refused"},
	{"latest row of each key", "SELECT DISTINCT ON (k) k, v FROM ev ORDER BY k, ts DESC", "no such form; `dropDuplicates` keeps the first"},
	{"functions with OVER", "SELECT k, v, lag(v) OVER (PARTITION BY k ORDER BY ts) AS before FROM ev", "refused"},
	{"running sum", "SELECT k, ts, sum(v) OVER (PARTITION BY k ORDER BY ts) AS total FROM ev", "refused"},
	{"INTERSECT", "SELECT k FROM ev INTERSECT SELECT k FROM clk", "refused"},
	{"EXCEPT", "SELECT k FROM ev EXCEPT SELECT k FROM clk", "refused"},
	{"UNION DISTINCT", "SELECT k FROM ev UNION SELECT k FROM clk", "refused in append mode"},
	{"scalar subquery over a stream", "SELECT k, v FROM ev WHERE v = (SELECT max(v) FROM ev)", "refused"},
	{"correlated subquery over a stream", "SELECT k, v FROM ev a WHERE v > (SELECT avg(y) FROM clk WHERE clk.k = a.k)", "refused"},
	{"IN, EXISTS over a stream", "SELECT k FROM ev WHERE k NOT IN (SELECT k FROM clk)", "refused"},
	{"LATERAL", "SELECT a.k, x.y FROM ev a LEFT JOIN LATERAL (SELECT y FROM clk WHERE clk.k = a.k ORDER BY cts DESC LIMIT 1) x ON TRUE", ""},
	{"recursive query", "WITH RECURSIVE r AS (SELECT k, v FROM ev UNION SELECT r.k, r.v - 1 FROM r WHERE r.v > 0) SELECT k, v FROM r", ""},
	{"UNPIVOT", "SELECT * FROM ev UNPIVOT (n FOR name IN (v))", ""},
	{"the last hour, as time passes", "SELECT k, v FROM ev WHERE ts > now() - INTERVAL '1' HOUR", "accepted, rows never leave"},
}

// streamed generates the page on queries over streams.
func streamed(w *page, _ *builtin.Registry) error {
	e, err := open(os.TempDir(), os.Stderr)
	if err != nil {
		return err
	}
	defer e.Kill()
	if _, err := plan(e, world); err != nil {
		return err
	}
	w.line("Can this query run on a stream? Each of these was planned in every [output mode](../semantics/output-modes.md) when this page was made, over two streams with watermarks and a table:")
	w.line("")
	w.line("```sql")
	w.line("%s", world)
	w.line("```")
	w.line("")
	w.line("**Modes** are those that the plan can have; **kept for ever** is what EXPLAIN says is never cleaned, in the first of them. What runs gives the answer of the same query over all rows that have come, after every trigger. **Spark** is what Spark 4.3 says of a query of this form, by its recorded answers or its guide (empty: not tried). For a mode that is missing, EXPLAIN names the node, the reason and a way out.")
	w.line("")
	w.line("| what | query | modes | kept for ever | Spark |")
	w.line("|---|---|---|---|---|")
	for _, q := range questions {
		modes, kept := planned(e, q.sql)
		w.line("| %s | %s | %s | %s | %s |", cell(q.what), code(q.sql), cell(modes), cell(kept), cell(q.spark))
	}
	return nil
}

// planned lists the modes that a query can have, and what its plan never cleans.
func planned(e *engine.Engine, sql string) (modes, kept string) {
	var can []string
	refused := ""
	for _, mode := range []string{"append", "update", "changelog", "complete"} {
		text, err := plan(e, "EXPLAIN "+sql+" EMIT "+strings.ToUpper(mode))
		if err != nil {
			refused = reason(err)
			continue
		}
		can = append(can, mode)
		if _, after, ok := strings.Cut(text, "Never cleaned: "); ok && len(can) == 1 {
			kept, _, _ = strings.Cut(after, "\n")
		}
	}
	if len(can) == 0 {
		return "refused: " + refused, ""
	}
	return strings.Join(can, ", "), kept
}

// plan runs statements and gives the text of their plans.
func plan(e *engine.Engine, sql string) (string, error) {
	text := ""
	err := e.Exec(context.Background(), diag.Source{Text: sql}, func(r *engine.Result) error {
		text += r.Plan
		return nil
	})
	return text, err
}

// reason is the first line of an error without its place.
func reason(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	if _, after, ok := strings.Cut(line, ": "); ok {
		return after
	}
	return line
}
