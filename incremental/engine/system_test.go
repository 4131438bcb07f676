package engine_test

import (
	"strings"
	"testing"
)

func TestSystemTables(t *testing.T) {
	w := newWorld(t)
	w.must(objects + `INSERT INTO mem SELECT CAST(k AS INT) AS n FROM plain TRIGGER MANUAL;
		CREATE MATERIALIZED VIEW v AS SELECT window.start AS s, count(*) AS n FROM ev GROUP BY window(at, '10 seconds') TRIGGER MANUAL;
		INSERT INTO ev VALUES ('a', 1, '2024-01-01 12:00:05'), ('b', 2, '2024-01-01 12:00:25'), ('c', 3, NULL); RUN TRIGGER;
		INSERT INTO ev VALUES ('d', 1, '2024-01-01 12:00:01'); RUN TRIGGER`)
	w.gives("SELECT name, status, last_batch, error IS NULL AS fine, started, sql FROM sys.queries WHERE name = 'mem'",
		"mem running NULL true 2024-01-01 12:00:00 INSERT INTO mem SELECT CAST(k AS INT) AS n FROM plain TRIGGER MANUAL")
	w.gives("SELECT batch, input, contributed, filtered, late, bad, watermark FROM sys.progress WHERE query = 'v' ORDER BY batch",
		"0 3 2 1 0 0 2024-01-01 12:00:15", "1 1 0 0 1 0 2024-01-01 12:00:15")
	w.gives("SELECT batch, operator, late, watermark FROM sys.late_rows WHERE query = 'v'", "1 Aggregate 1 2024-01-01 12:00:15")
	w.gives("SELECT * FROM sys.bad_rows")
	w.gives("SELECT name, kind, connector, watermark, finite FROM sys.sources ORDER BY name",
		"dim table memory NULL true", "ev source memory at - 00:00:10 false", "plain source memory NULL false")
	w.gives("SELECT name, connector FROM SYS.SINKS ORDER BY name", "dir file", "mem memory", "mem2 memory")
	w.gives("SELECT count(*) > 100 AS many, count(DISTINCT kind) AS kinds FROM sys.functions", "true 4")
	w.gives("SET timezone = 'Asia/Tokyo'; SELECT value FROM sys.settings WHERE name = 'timezone'", "Asia/Tokyo")
	w.gives("SELECT q.name, count(*) AS n FROM sys.queries AS q JOIN sys.progress AS p ON p.query = q.name GROUP BY q.name", "v 2")
	w.must("INSERT INTO plain VALUES ('x', 1)")
	w.fails("RUN TRIGGER FOR mem", "INT")
	w.gives("SELECT status, error LIKE '%INT%' AS why FROM sys.queries WHERE name = 'mem'", "failed true")
	w.fails("SELECT * FROM sys.nothing", `unknown table or source "sys.nothing"`)
	w.fails("SELECT * FROM sys.querys", `did you mean "sys.queries"?`)
}

// TestCheckpointRows: checkpoint('path') tells of each batch, while its query holds the
// checkpoint and afterwards, and names the file that is damaged.
func TestCheckpointRows(t *testing.T) {
	w := newWorld(t)
	w.must(files)
	w.row(1, "a", 1)
	w.must("INSERT INTO dir SELECT k, at FROM f WHERE v > 1 EMIT APPEND TRIGGER MANUAL WITH (name = 'q', checkpoint = 'chk')")
	w.gives("SELECT * FROM checkpoint('chk')")
	w.must("RUN TRIGGER FOR q")
	w.row(22, "b", 2)
	w.write("/in/023.json", "{\"k\": \"c\", \"v\": 3, \"at\": null}\n{\n")
	const all = "SELECT batch, committed, at, watermark, input, contributed, filtered, late, bad, offsets->'f' FROM checkpoint('chk') WHERE committed"
	w.must("STOP QUERY q") // what is committed is durable now
	first := "0 true 2024-01-01 12:00:00 2024-01-01 11:59:51 1 0 1 0 0 {\"logOffset\":0}"
	w.gives(all, first)
	w.must("CREATE OR REPLACE SOURCE f (k STRING, v INT, at TIMESTAMP, WATERMARK FOR at AS at - INTERVAL '10' SECOND) WITH (connector = 'file', path = 'in', format = 'json', on_error = 'skip')")
	w.must("INSERT INTO dir SELECT k, at FROM f WHERE v > 1 EMIT APPEND TRIGGER AVAILABLE NOW WITH (name = 'q', checkpoint = 'chk'); AWAIT QUERY q")
	w.gives(all, first, "1 true 2024-01-01 12:00:00 2024-01-01 12:00:12 3 2 0 0 1 {\"logOffset\":1}")
	w.gives("SELECT max(batch) FROM checkpoint('chk')", "1")
	w.write("/chk/commits/1", "v1\n")
	w.fails(all, "commit log 1", "/chk/commits/1")
}

func TestState(t *testing.T) {
	w := newWorld(t)
	w.must(objects + `INSERT INTO mem SELECT window.start AS s, k, sum(v) AS v FROM ev GROUP BY window(at, '10 seconds'), k EMIT APPEND TRIGGER MANUAL;
		CREATE MATERIALIZED VIEW v AS SELECT k FROM plain TRIGGER MANUAL;
		INSERT INTO ev VALUES ('a', 1, '2024-01-01 12:00:05'), ('b', 2, '2024-01-01 12:00:25'), ('b', 2, '2024-01-01 12:00:21'); 
		INSERT INTO plain VALUES ('x', 1), ('x', 2), ('y', 3); RUN TRIGGER`)
	w.gives("SELECT * FROM mem", "2024-01-01 12:00:00 a 1")
	w.gives("SELECT * FROM state('mem', 'Aggregate')", "2024-01-01 12:00:20 b 4") // what is open
	id := ""
	for _, line := range w.must("EXPLAIN QUERY mem") {
		if _, rest, ok := strings.Cut(line, "Aggregate #"); ok {
			id = strings.Fields(rest)[1]
		}
	}
	w.gives("SELECT k, max(\"sum(v)\") AS v FROM state('mem', '"+id+"') GROUP BY k", "b 4")
	w.gives("SELECT k FROM state('v', 'output') ORDER BY k", "x", "x", "y")
	w.must("STOP QUERY mem")
	w.gives("SELECT k FROM state('mem', 'aggregate')", "b")
	for sql, want := range map[string]string{
		"SELECT * FROM state('nothing', 'aggregate')":        `there is no query named "nothing"`,
		"SELECT * FROM state('mem', 'join')":                 `query "mem" has 0 operators named "join"; it has Aggregate`,
		"SELECT * FROM state('mem')":                         "state takes the names of a query and of one of its operators",
		"SELECT * FROM state('mem', 'aggregate') AT BATCH 3": "AT BATCH",
		"SELECT * FROM checkpoint('x')":                      `checkpoint("x"): there is no checkpoint`,
		"SELECT * FROM checkpoint('x', 'y')":                 "checkpoint takes the directory of a checkpoint",
		"SELECT * FROM checkpoint('x') AT BATCH 3":           "checkpoint takes the directory of a checkpoint",
		"SELECT * FROM checkpoint('../x')":                   "..",
	} {
		w.fails(sql, want)
	}
}
