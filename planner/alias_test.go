package planner

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
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
	"watermark of a definition": {
		"CREATE SOURCE w (ts TIMESTAMP, v INT, WATERMARK FOR ts AS ts - INTERVAL '10' MINUTE); SELECT window.start AS s, sum(v) AS n FROM w GROUP BY window(ts, '1 minute')",
		"CREATE STREAM w (ts TIMESTAMP(3), v INTEGER, WATERMARK ts DELAY '10 minutes'); SELECT window.start AS s, sum(v) AS n FROM w GROUP BY window(ts, '1 minute')",
		"CREATE SOURCE w (ts TIMESTAMPTZ LATENESS INTERVAL 10 MINUTES, v INT4); SELECT window.start AS s, sum(v) AS n FROM w GROUP BY window(ts, '1 minute')",
		"CREATE SOURCE w (ts TIMESTAMP WATERMARK DELAY OF INTERVAL '10' MINUTE, v INT); SELECT window.start AS s, sum(v) AS n FROM w GROUP BY window(ts, '1 minute')",
		"CREATE SOURCE w (ts TIMESTAMP, v INT); SELECT window.start AS s, sum(v) AS n FROM w WITH WATERMARK (ts, '10 minutes') GROUP BY window(ts, '1 minute')",
	},
	"connector options": {
		"CREATE SOURCE f (k STRING) WITH (connector = 'file', path = 'in', format = 'json'); SELECT k FROM f",
		"CREATE SOURCE f (k STRING) WITH ('connector' = 'file', 'path' = 'in', 'format' = 'json'); SELECT k FROM f",
		"CREATE SOURCE f (k VARCHAR) OPTIONS (connector = 'file', path = 'in', format = 'json'); SELECT k FROM f",
		"CREATE SOURCE f (k STRING) USING json LOCATION 'in'; SELECT k FROM f",
		"CREATE SOURCE f (k TEXT) STORED AS json LOCATION 'in'; SELECT k FROM f",
		"CREATE SOURCE f (k STRING) WITH (connector = 'file', path = 'in') FORMAT PLAIN ENCODE JSON; SELECT k FROM f",
	},
	"continuous result": {
		"CREATE MATERIALIZED VIEW m AS SELECT k, v FROM plain WHERE v > 0",
		"INSERT INTO mem SELECT k, v FROM plain WHERE v > 0",
		"CREATE SINK m WITH (connector = 'memory') AS SELECT k, v FROM plain WHERE v > 0",
		"CREATE SINK m AS SELECT k, v FROM plain WHERE v > 0 WITH (connector = 'memory')",
	},
	"types": {
		"SELECT CAST(v AS INT) AS a, CAST(v AS BIGINT) AS b, CAST(v AS STRING) AS c, CAST(v AS DOUBLE) AS d, CAST(v AS DECIMAL(10, 2)) AS e, CAST(v AS FLOAT) AS f, CAST(k AS BYTES) AS g, CAST(k AS TIMESTAMP) AS h, CAST(k AS TIMESTAMP_NTZ) AS i, CAST(v AS BOOLEAN) AS j FROM plain",
		"SELECT CAST(v AS INTEGER) AS a, CAST(v AS LONG) AS b, CAST(v AS VARCHAR) AS c, CAST(v AS DOUBLE PRECISION) AS d, CAST(v AS NUMERIC(10, 2)) AS e, CAST(v AS REAL) AS f, CAST(k AS VARBINARY) AS g, CAST(k AS TIMESTAMPTZ) AS h, CAST(k AS DATETIME) AS i, CAST(v AS BOOL) AS j FROM plain",
		"SELECT v::INT4 AS a, v::INT8 AS b, v::TEXT AS c, v::FLOAT8 AS d, v::DEC(10, 2) AS e, v::FLOAT4 AS f, k::BYTEA AS g, k::TIMESTAMP_LTZ AS h, k::TIMESTAMP WITHOUT TIME ZONE AS i, v::BOOLEAN AS j FROM plain",
	},
	"try cast": {"SELECT TRY_CAST(k AS INT) AS x FROM plain", "SELECT SAFE_CAST(k AS INTEGER) AS x FROM plain"},
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
	"latest per key": {
		"SELECT k, ts, v FROM events QUALIFY row_number() OVER (PARTITION BY k ORDER BY ts DESC) = 1",
		"SELECT DISTINCT ON (k) k, ts, v FROM events ORDER BY k, ts DESC",
		"SELECT k, ts, v FROM (SELECT k, ts, v, row_number() OVER (PARTITION BY k ORDER BY ts DESC) AS rn FROM events) WHERE rn = 1",
		"SELECT k, ts, v FROM (SELECT k, ts, v, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS rn FROM events) AS q WHERE rn <= 1",
		"SELECT k, ts, v FROM events QUALIFY row_number() OVER w = 1 WINDOW w AS (PARTITION BY k ORDER BY ts DESC)",
	},
	"JSON text": {
		"SELECT get_json_object(k, '$.a.b') AS x FROM plain",
		"SELECT k ->> '$.a.b' AS x FROM plain",
		"SELECT k -> 'a' ->> 'b' AS x FROM plain",
		"SELECT k:a ->> 'b' AS x FROM plain",
		"SELECT k:a.b AS x FROM plain",
	},
	"JSON value": {
		"SELECT k -> 'a' -> 'b' -> 0 AS x FROM plain",
		"SELECT json_extract(k, '$.a.b[0]') AS x FROM plain",
		"SELECT k -> '$.a.b[0]' AS x FROM plain",
	},
	"temporal join": {
		"SELECT events.k, o.v FROM events JOIN other FOR SYSTEM_TIME AS OF events.ts AS o ON o.k = events.k",
		"SELECT events.k, o.v FROM events ASOF JOIN other AS o ON o.k = events.k AND events.ts >= o.at",
		"SELECT events.k, o.v FROM events ASOF JOIN other AS o MATCH_CONDITION (events.ts >= o.at) ON o.k = events.k",
	},
	"lists and lambdas": {
		"SELECT transform(l, x -> x + 1) AS a, exists(l, x -> id = x) AS b FROM lists",
		"SELECT transform(l, LAMBDA x: x + 1) AS a, id = ANY(l) AS b FROM lists",
	},
	"functions of SQL": {
		"SELECT k, v * 2 + 1 AS x FROM plain",
		"CREATE FUNCTION f(a INT, b INT DEFAULT 1) RETURN a * 2 + b; SELECT k, f(v) AS x FROM plain",
		"CREATE MACRO f(a, b) AS a * 2 + b; SELECT k, f(b => 1, a => v) AS x FROM plain",
	},
	"columns": {
		"SELECT k AS key, v FROM plain",
		"SELECT * RENAME (k AS key) FROM plain",
		"SELECT * REPLACE (v AS v) RENAME k AS key FROM plain",
		"FROM plain SELECT k key, v",
	},
	"whole table": {"SELECT * FROM dim", "TABLE dim", "FROM dim", "SELECT dim.* FROM dim", "SELECT COLUMNS('.*') FROM dim", "SELECT * FROM TABLE dim"},
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

// TestAliasesGiveOnePlan compares the plans of each group with each other, and with
// testdata/aliases.golden.
func TestAliasesGiveOnePlan(t *testing.T) {
	var golden strings.Builder
	for _, name := range slices.Sorted(maps.Keys(aliases)) {
		t.Run(name, func(t *testing.T) {
			want := ""
			for i, sql := range aliases[name] {
				got := physical.Explain(newSession(t).plan(sql))
				if name == "continuous result" {
					_, got, _ = strings.Cut(got, "\n") // where the rows go
				}
				if i == 0 {
					want = got
					golden.WriteString("== " + name + "\n" + sql + "\n----\n" + got + "\n")
				}
				if got != want {
					t.Errorf("%s\ngot\n%s\n%s\ngave\n%s", sql, got, aliases[name][0], want)
				}
			}
		})
	}
	checkGolden(t, "aliases.golden", golden.String())
}

func checkGolden(t *testing.T, file, got string) {
	path := filepath.Join("testdata", file)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil || string(want) != got {
		t.Errorf("%s is another text (go test ./planner -update): %v", path, err)
	}
}
