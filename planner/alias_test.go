package planner

import (
	"testing"

	"github.com/sqlstream/sqlstream/planner/physical"
)

// Each group has spellings of one query (language.md 7): they must give one plan.
var aliases = map[string][]string{
	"tumbling window": {
		"SELECT window.start AS s, window.end AS e, count(*) AS n FROM events GROUP BY window(ts, '10 minutes')",
		"SELECT window_start AS s, window_end AS e, count(*) AS n FROM events GROUP BY window(ts, INTERVAL '10' MINUTE)",
		"SELECT w.start AS s, w.end AS e, count(*) AS n FROM (SELECT window(ts, '10 minutes') AS w FROM events) AS x GROUP BY w",
		"SELECT window(ts, '10 minutes').start AS s, window(ts, '10 minutes').end AS e, count(*) AS n FROM events GROUP BY window(ts, '600 seconds')",
		"SELECT window_start AS s, window_end AS e, count(*) AS n FROM TABLE(TUMBLE(TABLE events, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end",
		"SELECT window_start AS s, window_end AS e, count(*) AS n FROM TUMBLE(TABLE events, DESCRIPTOR(ts), INTERVAL '10' MINUTE) GROUP BY window_start, window_end",
		"SELECT window_start AS s, window_end AS e, count(*) AS n FROM TUMBLE(events, ts, INTERVAL '10 minutes') GROUP BY window_start, window_end",
		"SELECT window.start AS s, window.end AS e, count(*) AS n FROM TUMBLE(events, ts, INTERVAL '10 minutes') GROUP BY window",
		"SELECT window_start AS s, window_end AS e, count(*) AS n FROM TUMBLE(DATA => TABLE events, TIMECOL => DESCRIPTOR(ts), SIZE => INTERVAL '10' MINUTES) GROUP BY window_start, window_end",
		"SELECT TUMBLE_START(ts, INTERVAL '10' MINUTE) AS s, TUMBLE_END(ts, INTERVAL '10' MINUTE) AS e, count(*) AS n FROM events GROUP BY TUMBLE(ts, INTERVAL '10' MINUTE)",
		"SELECT window_start AS s, window_end AS e, count(*) AS n FROM events GROUP BY time_bucket(INTERVAL '10 minutes', ts)",
		"SELECT window_start AS s, window_end AS e, count(*) AS n FROM events GROUP BY date_bin('10 minutes', ts)",
	},
	"sliding window": {
		"SELECT window.start AS s, k, count(*) AS n FROM events GROUP BY window(ts, '10 minutes', '5 minutes'), k",
		"SELECT window_start AS s, k, count(*) AS n FROM TABLE(HOP(TABLE events, DESCRIPTOR(ts), INTERVAL '5' MINUTE, INTERVAL '10' MINUTE)) GROUP BY window_start, k, window_end",
		"SELECT HOP_START(ts, INTERVAL '5' MINUTE, INTERVAL '10' MINUTE) AS s, k, count(*) AS n FROM events GROUP BY HOP(ts, INTERVAL '5' MINUTE, INTERVAL '10' MINUTE), k",
	},
	"session window": {
		"SELECT k, window.start AS s, window.end AS e, count(*) AS n FROM events GROUP BY k, session_window(ts, '5 minutes')",
		"SELECT k, session_window.start AS s, session_window.end AS e, count(*) AS n FROM events GROUP BY session_window(ts, INTERVAL '5' MINUTE), k",
		"SELECT k, SESSION_START(ts, INTERVAL '5' MINUTE) AS s, SESSION_END(ts, INTERVAL '5' MINUTE) AS e, count(*) AS n FROM events GROUP BY k, SESSION(ts, INTERVAL '5' MINUTE)",
		"SELECT k, window_start AS s, window_end AS e, count(*) AS n FROM SESSION(TABLE events PARTITION BY k, DESCRIPTOR(ts), '5 minutes') GROUP BY k, window_start, window_end",
		"SELECT k, window_start AS s, window_end AS e, count(*) AS n FROM TABLE(SESSION(TABLE events, DESCRIPTOR(ts), DESCRIPTOR(k), INTERVAL '5' MINUTES)) GROUP BY k, window_start, window_end",
	},
	"cumulating window": {
		"SELECT window_start AS s, window_end AS e, count(*) AS n FROM CUMULATE(TABLE events, DESCRIPTOR(ts), INTERVAL '2' MINUTE, INTERVAL '10' MINUTE) GROUP BY window_start, window_end",
		"SELECT window_start AS s, window_end AS e, count(*) AS n FROM events GROUP BY CUMULATE(ts, '2 minutes', '10 minutes')",
		"SELECT window_start AS s, window_end AS e, count(*) AS n FROM CUMULATE(DATA => TABLE events, TIMECOL => DESCRIPTOR(ts), STEP => '2 minutes', SIZE => '10 minutes') GROUP BY window_end, window_start",
	},
	"window time": {
		"SELECT window_time(window) AS t, count(*) AS n FROM events GROUP BY window(ts, '10 minutes')",
		"SELECT window_time AS t, count(*) AS n FROM TUMBLE(events, ts, INTERVAL '10 minutes') GROUP BY window_start, window_end, window_time",
		"SELECT TUMBLE_ROWTIME(ts, INTERVAL '10' MINUTE) AS t, count(*) AS n FROM events GROUP BY TUMBLE(ts, INTERVAL '10' MINUTE)",
	},
	"interval": {
		"SELECT ts + INTERVAL '10' MINUTE AS t FROM events",
		"SELECT ts + INTERVAL 10 MINUTES AS t FROM events",
		"SELECT ts + INTERVAL '10 minutes' AS t FROM events",
		"SELECT ts + INTERVAL '0 00:10:00' DAY TO SECOND AS t FROM events",
	},
	"watermark": {
		"SELECT window.start AS s, count(*) AS n FROM events WATERMARK ts DELAY '10 minutes' GROUP BY window(ts, '1 minute')",
		"SELECT window.start AS s, count(*) AS n FROM events WATERMARK ts DELAY OF INTERVAL '10' MINUTE GROUP BY window(ts, '1 minute')",
		"SELECT window.start AS s, count(*) AS n FROM events WATERMARK FOR ts AS ts - INTERVAL '10' MINUTE GROUP BY window(ts, '1 minute')",
		"SELECT window.start AS s, count(*) AS n FROM events GROUP BY window(ts, '1 minute')",
	},
	"output": {
		"SELECT k, count(*) AS n FROM plain GROUP BY k EMIT UPDATE",
		"SELECT k, count(*) AS n FROM plain GROUP BY k OUTPUT MODE UPDATE",
		"SELECT k, count(*) AS n FROM plain GROUP BY k EMIT CHANGES",
		"SELECT k, count(*) AS n FROM plain GROUP BY k EMIT ON UPDATE",
		"SELECT k, count(*) AS n FROM plain GROUP BY k WITH (output_mode = 'update')",
	},
	"append": {
		"SELECT window.start AS s, count(*) AS n FROM events GROUP BY window(ts, '1 minute') EMIT APPEND",
		"SELECT window.start AS s, count(*) AS n FROM events GROUP BY window(ts, '1 minute') EMIT ON WINDOW CLOSE",
		"SELECT window.start AS s, count(*) AS n FROM events GROUP BY window(ts, '1 minute') EMIT FINAL",
	},
	"cast":  {"SELECT CAST(v AS BIGINT) AS x FROM plain", "SELECT v::BIGINT AS x FROM plain", "SELECT v::INT8 AS x FROM plain"},
	"names": {`SELECT "k" FROM plain`, "SELECT `k` FROM plain", "SELECT K AS k FROM PLAIN"},
	"flatten": {
		"SELECT id, x FROM lists CROSS JOIN UNNEST(l) AS u(x)",
		"SELECT id, x FROM lists, UNNEST(l) AS u(x)",
		"SELECT id, u.x FROM lists CROSS JOIN LATERAL UNNEST(l) AS u(x)",
	},
	"explode": {
		"SELECT id, explode(l) AS x FROM lists",
		"SELECT id, x FROM lists LATERAL VIEW explode(l) t AS x",
		"SELECT id, x FROM lists, LATERAL TABLE(explode(l)) AS t(x)",
	},
	"first per key": {
		"SELECT DISTINCT ON (k) k, v FROM plain",
		"SELECT k, v FROM drop_duplicates(TABLE plain, DESCRIPTOR(k))",
	},
	"struct access": {"SELECT s.a FROM events", "SELECT (s).a FROM events", "SELECT events.s.a FROM events"},
	"group by": {
		"SELECT v % 2 AS p, count(*) AS n FROM plain GROUP BY v % 2",
		"SELECT v % 2 AS p, count(*) AS n FROM plain GROUP BY p",
		"SELECT v % 2 AS p, count(*) AS n FROM plain GROUP BY 1",
		"SELECT v % 2 AS p, count(*) AS n FROM plain GROUP BY ALL",
		"SELECT p, count(*) AS n FROM (SELECT v % 2 AS p FROM plain) AS x GROUP BY p",
		"WITH x AS (SELECT v % 2 AS p FROM plain) SELECT p, count(*) AS n FROM x GROUP BY p",
	},
	"group by all before EMIT": {
		"SELECT k, count(*) AS n FROM plain GROUP BY k EMIT UPDATE",
		"SELECT k, count(*) AS n FROM plain GROUP BY ALL EMIT UPDATE",
	},
	"semi join": {
		"SELECT k, v FROM plain WHERE k IN (SELECT k FROM dim)",
		"SELECT k, v FROM plain WHERE EXISTS (SELECT 1 FROM dim WHERE dim.k = plain.k)",
		"SELECT k, v FROM plain LEFT SEMI JOIN dim ON plain.k = dim.k",
	},
	"join using": {
		"SELECT plain.k, v, name FROM plain JOIN dim ON plain.k = dim.k",
		"SELECT k, v, name FROM plain JOIN dim USING (k)",
		"SELECT k, v, name FROM plain NATURAL JOIN dim",
		"SELECT plain.k, v, name FROM plain, dim WHERE plain.k = dim.k",
		"SELECT plain.k, v, name FROM dim JOIN plain ON plain.k = dim.k",
	},
}

func TestAliasesGiveOnePlan(t *testing.T) {
	for name, spellings := range aliases {
		t.Run(name, func(t *testing.T) {
			want := ""
			for i, sql := range spellings {
				got := physical.Explain(newSession(t).plan(sql))
				if i == 0 {
					want = got
				}
				if got != want {
					t.Errorf("%s\ngot\n%s\n%s\ngave\n%s", sql, got, spellings[0], want)
				}
			}
		})
	}
}
