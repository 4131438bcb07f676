//go:build services

package endtoend

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/tests/soak"
)

// changesQuery keeps the counts of a table that changes, and a copy of some of its rows.
const changesQuery = `EXECUTE STATEMENT SET BEGIN
INSERT INTO counts SELECT who, count(*) AS n, sum(v) AS s FROM clicks GROUP BY who EMIT CHANGELOG;
INSERT INTO copies SELECT id, v, pad FROM clicks WHERE v % 3 <> 0 EMIT CHANGELOG;
END TRIGGER AVAILABLE NOW WITH (name = 'changes', checkpoint = 'ck');
`

// changesToKafka takes the changes of a table, and writes those of its counts: what a reader
// of the topics adds up must be the counts of the table.
func changesToKafka(w *world) ends {
	t := newTable(w)
	out := kafkaSink(w)
	topics := map[string]string{}
	e := ends{columns: "id BIGINT, who STRING, v BIGINT, pad STRING, PRIMARY KEY (id)", query: changesQuery,
		source: fmt.Sprintf("connector = 'postgres-cdc', url = '%s', table = '%s', slot = '%s', create = true, unchanged_toast = 'fail', max_rows_per_trigger = ${limit}",
			w.service("postgres")["PG_URL"], t.name, t.name),
		sink: func(name string) string {
			with := out.sink(name)
			_, topic, _ := strings.Cut(with, "topic = '")
			topics[name], _, _ = strings.Cut(topic, "'")
			return with
		},
		feed: t.feed, answer: t.answer, done: t.dropSlot}
	e.read = func(sink string) []string { return netTopic(w, topics[sink]) }
	return e
}

// table is a table of a database, and what it must hold.
type table struct {
	w    *world
	name string
	rows map[int64]soak.Row
}

func newTable(w *world) *table {
	t := &table{w: w, name: strings.ReplaceAll(w.name, "-", "_"), rows: map[int64]soak.Row{}}
	durable(w)
	t.exec("CREATE TABLE " + t.name + " (id BIGINT PRIMARY KEY, who TEXT, v BIGINT, pad TEXT)")
	w.Cleanup(func() { // the server may be gone with the test
		t.dropSlot()
		_, _ = postgresRows(w, "DROP PUBLICATION IF EXISTS "+t.name)
		_, _ = postgresRows(w, "DROP TABLE IF EXISTS "+t.name)
	})
	return t
}

func (t *table) dropSlot() {
	_, _ = postgresRows(t.w, fmt.Sprintf("SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = '%s'", t.name))
}

func (t *table) exec(sql string) {
	t.w.Helper()
	if _, err := postgresRows(t.w, sql); err != nil {
		t.w.Fatal(err)
	}
}

// feed writes the rows of a part, in a transaction with changes of rows that are there: a
// third of these goes, and a third gets other values, or another group.
func (t *table) feed(part int) {
	var sql strings.Builder
	sql.WriteString("BEGIN;")
	for _, r := range t.w.in.Rows(part) {
		t.put(&sql, r)
	}
	for _, id := range slices.Sorted(maps.Keys(t.rows)) {
		r := t.rows[id]
		switch t.w.rng.IntN(9) {
		case 0:
			delete(t.rows, id)
			fmt.Fprintf(&sql, "DELETE FROM %s WHERE id = %d;", t.name, id)
		case 1:
			r.V = t.w.rng.Int64N(1000)
			t.put(&sql, r)
		case 2:
			r.Who = fmt.Sprintf("w%d", t.w.rng.IntN(5))
			t.put(&sql, r)
		}
	}
	t.exec(sql.String() + "COMMIT")
}

func (t *table) put(sql *strings.Builder, r soak.Row) {
	t.rows[r.ID] = r
	fmt.Fprintf(sql, "INSERT INTO %s VALUES (%d, '%s', %d, '%s') ON CONFLICT (id) DO UPDATE SET who = excluded.who, v = excluded.v;",
		t.name, r.ID, r.Who, r.V, r.Pad)
}

func (t *table) answer(sink string) (out []string) {
	n, s := map[string]int64{}, map[string]int64{}
	for _, r := range t.rows {
		n[r.Who]++
		s[r.Who] += r.V
		if sink == "copies" && r.V%3 != 0 {
			out = append(out, fmt.Sprintf("%d|%d|%s", r.ID, r.V, r.Pad))
		}
	}
	for who := range n {
		if sink == "counts" {
			out = append(out, fmt.Sprintf("%s|%d|%d", who, n[who], s[who]))
		}
	}
	slices.Sort(out)
	return out
}

// netTopic adds the changes of a topic up. Each row of the result is there once: what is
// there more often was written twice, and what is there less than not at all was lost.
func netTopic(w *world, topic string) (out []string) {
	w.Helper()
	net := map[string]int{}
	consume(w, topic, func(value []byte) {
		var r struct {
			ID       *int64
			Who, Pad string
			N, S, V  int64
			Op       string
		}
		if err := json.Unmarshal(value, &r); err != nil {
			w.Fatal(err)
		}
		row := fmt.Sprintf("%s|%d|%d", r.Who, r.N, r.S)
		if r.ID != nil {
			row = fmt.Sprintf("%d|%d|%s", *r.ID, r.V, r.Pad)
		}
		net[row] += map[string]int{"I": 1, "D": -1}[r.Op]
	})
	for row, n := range net {
		if n < 0 || n > 1 {
			w.Fatalf("topic %s: %s is there %d times", topic, row, n)
		}
		if n == 1 {
			out = append(out, row)
		}
	}
	return out
}
