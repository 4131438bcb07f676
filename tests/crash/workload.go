package crash

import (
	"fmt"

	"github.com/sqlstream/sqlstream/storage/checkpoint"
	"github.com/sqlstream/sqlstream/storage/state"
)

// workload is a query with its input and the model of its output.
type workload struct {
	name    string
	inputs  map[string][]file // by source; its directory is /in/<source>
	tables  map[string]bool   // inputs that are finite tables, there from the start
	static  map[string]bool   // those that are no input of the stream: sides of joins
	memory  bool              // the rows of the inputs come through INSERT
	options string            // further options of the sources
	sql     string            // sinks and the query, with %[1]s for WITH options of the query
	sinks   []string          // output directories, in order
	format  string            // of the file sinks; "" = the recording sink
	model   model
	keep    int  // batches whose logs stay; 0 = all of a test
	single  bool // one file in each batch
}

// columns of every source.
const columns = `(id BIGINT, who STRING, at TIMESTAMP, v BIGINT, pad STRING, WATERMARK FOR at AS at - INTERVAL '10' MINUTE)`

// setup is the text before the query: sources whose limits are drawn anew in each life.
func (w *workload) setup(maxFiles int) string {
	out := ""
	if w.single {
		maxFiles = 1
	}
	for _, name := range w.sources() {
		if w.tables[name] && w.memory {
			out += fmt.Sprintf("CREATE TABLE %s (id BIGINT, who STRING, at TIMESTAMP, v BIGINT, pad STRING);\n", name)
			continue
		}
		if w.tables[name] {
			out += fmt.Sprintf("CREATE TABLE %s (id BIGINT, who STRING, at TIMESTAMP, v BIGINT, pad STRING) WITH (connector = 'file', path = '/in/%s', format = 'json', max_files_per_trigger = 1);\n", name, name)
			continue
		}
		if w.memory {
			out += fmt.Sprintf("CREATE SOURCE %s %s;\n", name, columns)
			continue
		}
		out += fmt.Sprintf("CREATE SOURCE %s %s WITH (connector = 'file', path = '/in/%s', format = 'json', max_files_per_trigger = %d%s);\n",
			name, columns, name, maxFiles, w.options)
	}
	return out
}

func (w *workload) sources() []string {
	var names []string
	for _, name := range []string{"a", "b"} {
		if w.inputs[name] != nil {
			names = append(names, name)
		}
	}
	return names
}

// storage makes the files of the checkpoint small, so that all of their life is seen.
func (w *workload) storage() (checkpoint.Options, state.Options) {
	return checkpoint.Options{Keep: w.keep}, state.Options{Retain: 2, SegmentBytes: 24 << 10, GrowBytes: 8 << 10,
		FlushBytes: 1, MergeBytes: 20 << 10, BlockBytes: 1 << 10}
}

const dedupWindows = `SELECT window.start AS start, who, count(*) AS n, sum(v) AS s
FROM drop_duplicates(TABLE a, DESCRIPTOR(id, at)) AS d
GROUP BY window(at, '10 minutes'), who EMIT APPEND TRIGGER MANUAL WITH (name = 'q')`

// workloads are the queries under test, each of other operators.
func workloads(files, rows int) []*workload {
	a := makeFiles(1, "a", files, rows)
	return []*workload{
		{name: "dedup and windows to JSON", inputs: map[string][]file{"a": a}, sinks: []string{"/out/s"}, format: "json",
			sql: `CREATE SINK s WITH (connector = 'file', path = '/out/s', format = 'json');
INSERT INTO s ` + dedupWindows, model: dedupModel},
		{name: "filter to partitioned Parquet", inputs: map[string][]file{"a": a}, sinks: []string{"/out/s"}, format: "parquet",
			sql: `CREATE SINK s PARTITIONED BY (g) WITH (connector = 'file', path = '/out/s', format = 'parquet', max_rows_per_file = 3);
INSERT INTO s SELECT id, v, pad, id % 2 AS g FROM a WHERE v % 3 <> 0 TRIGGER MANUAL WITH (name = 'q')`, model: filterModel},
		{name: "two sinks of a statement set", inputs: map[string][]file{"a": a}, sinks: []string{"/out/s", "/out/t"}, format: "json",
			sql: `CREATE SINK s WITH (connector = 'file', path = '/out/s', format = 'json');
CREATE SINK t WITH (connector = 'file', path = '/out/t', format = 'json');
EXECUTE STATEMENT SET BEGIN
INSERT INTO s SELECT window.start AS start, count(*) AS n, sum(v) AS s FROM a GROUP BY window(at, '10 minutes', '5 minutes') EMIT APPEND;
INSERT INTO t SELECT id, v, pad FROM a WHERE v % 3 <> 0;
END TRIGGER MANUAL WITH (name = 'q')`, model: setModel},
		{name: "grouped counts in update mode", inputs: map[string][]file{"a": a}, sinks: []string{"/out/s"}, keep: 3,
			sql: `CREATE SINK s WITH (connector = 'recording', path = '/out/s');
INSERT INTO s SELECT who, count(*) AS n, sum(v) AS s, count(DISTINCT id) AS d, min(v) AS m FROM a GROUP BY who
EMIT UPDATE TRIGGER MANUAL WITH (name = 'q')`, model: updateModel},
		{name: "aggregate of an aggregate as changelog", inputs: map[string][]file{"a": a}, sinks: []string{"/out/s"},
			sql: `CREATE SINK s WITH (connector = 'recording', path = '/out/s');
INSERT INTO s SELECT n, count(*) AS groups FROM (SELECT id, count(*) AS n FROM a GROUP BY id) AS g GROUP BY n
EMIT CHANGELOG TRIGGER MANUAL WITH (name = 'q')`, model: nestedModel},
		{name: "two sources, one idle", inputs: map[string][]file{"a": a, "b": makeFiles(2, "b", max(1, files/3), rows)}, sinks: []string{"/out/s"}, format: "json",
			options: ", idle_timeout = '60 seconds'",
			sql: `CREATE SINK s WITH (connector = 'file', path = '/out/s', format = 'json');
INSERT INTO s SELECT window.start AS start, count(*) AS n, sum(v) AS s FROM (SELECT at, v FROM a UNION ALL SELECT at, v FROM b) AS u
GROUP BY window(at, '10 minutes') EMIT APPEND TRIGGER MANUAL WITH (name = 'q')`, model: idleModel},
		{name: "memory source", inputs: map[string][]file{"a": a}, memory: true, sinks: []string{"/out/s"}, format: "json",
			sql: `CREATE SINK s WITH (connector = 'file', path = '/out/s', format = 'json');
INSERT INTO s ` + dedupWindows, model: dedupModel},
		{name: "a table beside a stream", inputs: map[string][]file{"a": a, "b": makeFiles(3, "b", 3, rows)}, tables: map[string]bool{"b": true},
			sinks: []string{"/out/s"}, format: "json",
			sql: `CREATE SINK s WITH (connector = 'file', path = '/out/s', format = 'json');
INSERT INTO s SELECT id, v FROM a UNION ALL SELECT id, v FROM b TRIGGER MANUAL WITH (name = 'q')`, model: unionModel},
		{name: "a table in memory beside a stream", inputs: map[string][]file{"a": a, "b": makeFiles(3, "b", 3, rows)}, tables: map[string]bool{"b": true}, memory: true,
			sinks: []string{"/out/s"}, format: "json",
			sql: `CREATE SINK s WITH (connector = 'file', path = '/out/s', format = 'json');
INSERT INTO s SELECT id, v FROM a UNION ALL SELECT id, v FROM b TRIGGER MANUAL WITH (name = 'q')`, model: unionModel},
		{name: "join with a table, distinct, complete mode", inputs: map[string][]file{"a": a, "b": a[:2]}, tables: map[string]bool{"b": true},
			static: map[string]bool{"b": true}, sinks: []string{"/out/s"},
			sql: `CREATE SINK s WITH (connector = 'recording', path = '/out/s');
INSERT INTO s SELECT known, count(*) AS n, sum(v) AS s FROM (
  SELECT DISTINCT a.id, a.v, d.id IS NOT NULL AS known FROM a LEFT JOIN (SELECT DISTINCT id FROM b) AS d ON a.id = d.id) AS j
GROUP BY known EMIT COMPLETE TRIGGER MANUAL WITH (name = 'q')`, model: joinModel(a[:2])},
		{name: "logs are compacted and purged", inputs: map[string][]file{"a": makeFiles(4, "a", max(12, files), 2)}, single: true, keep: 3,
			sinks: []string{"/out/s"}, format: "json",
			sql: `CREATE SINK s WITH (connector = 'file', path = '/out/s', format = 'json');
INSERT INTO s SELECT id, v FROM a TRIGGER MANUAL WITH (name = 'q')`, model: unionModel},
		{name: "trigger time", inputs: map[string][]file{"a": a}, sinks: []string{"/out/s"},
			sql: `CREATE SINK s WITH (connector = 'recording', path = '/out/s');
INSERT INTO s SELECT id, v, now() AS t FROM a TRIGGER MANUAL WITH (name = 'q')`, model: nowModel},
	}
}
