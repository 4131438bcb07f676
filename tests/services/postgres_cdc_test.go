//go:build services

package services

import (
	"context"
	"fmt"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/exec/connect/postgres"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// cdc is a change source, driven as the trigger loop does.
type cdc struct {
	*pgWorld
	c    source.Config
	s    source.Source
	last source.Range
}

// newCDC opens the changes of $s.t (id INT PRIMARY KEY, v TEXT), with the key or not.
func (w *pgWorld) newCDC(keyed bool, opts ...string) *cdc {
	w.Helper()
	return w.newCDCOf(types.Of(types.String), keyed, opts...)
}

// newCDCOf is newCDC with another type of v.
func (w *pgWorld) newCDCOf(v types.Type, keyed bool, opts ...string) *cdc {
	w.Helper()
	slot := "s_" + w.schema
	c := &cdc{pgWorld: w, c: source.Config{Name: "x", Clock: clock.Real(), Changes: true, Replay: true,
		Options: w.options(append([]string{"table", w.schema + ".t", "slot", slot, "create", "true"}, opts...)...),
		Columns: []source.Column{{Column: types.Column{Name: "id", Type: types.Of(types.Int32)}}, {Column: types.Column{Name: "v", Type: v}}}}}
	if keyed {
		c.c.Key = []int{0}
	}
	w.Cleanup(func() {
		if c.s != nil {
			c.s.Close()
		}
		w.dropSlot(slot)
	})
	c.open()
	return c
}

// end closes the source, and removes its slot.
func (c *cdc) end() {
	c.s.Close()
	c.s = nil
	c.dropSlot("s_" + c.schema)
}

// dropSlot removes a slot once nobody reads it.
func (w *pgWorld) dropSlot(slot string) {
	ctx := context.Background()
	for range 50 {
		if _, err := w.conn.Exec(ctx, "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = $1", slot); err == nil {
			break
		}
		w.conn.Exec(ctx, "SELECT pg_sleep(0.05)")
	}
	w.conn.Exec(ctx, "DROP PUBLICATION IF EXISTS "+slot)
}

func (c *cdc) open() {
	c.Helper()
	s, err := postgres.Changes().Open(c.Context(), c.c)
	if err != nil {
		c.Fatal(err)
	}
	c.s = s
}

// crash ends the process: what is not committed is read again by the next one.
func (c *cdc) crash(restore ...source.Range) {
	c.Helper()
	c.s.Close()
	c.open()
	for _, r := range restore {
		if err := c.s.Restore(r); err != nil {
			c.Fatal(err)
		}
	}
}

// plan takes the next range, all that is there now.
func (c *cdc) plan(l source.Limits) (source.Range, bool) {
	c.Helper()
	end, err := c.s.Snapshot(c.Context())
	if err != nil {
		c.Fatal(err)
	}
	r, ok, err := c.s.Plan(c.Context(), l, end)
	if err != nil {
		c.Fatal(err)
	}
	return r, ok
}

// read gives the rows of a range: "+1:a -2:NULL".
func (c *cdc) read(r source.Range) (string, error) {
	splits, err := c.s.Splits(c.Context(), r)
	if err != nil {
		return "", err
	}
	var out []string
	for _, sp := range splits {
		err := sp.Read(c.Context(), source.Reading{Need: []int{0, 1}}, func(b *vec.Batch) error {
			b.Each(func(row int) {
				v := vec.RowString(b.Cols[1], row, nil)
				if len(v) > 20 {
					v = v[:1] + fmt.Sprint(len(v))
				}
				out = append(out, fmt.Sprintf("%+d*%s:%s", b.Weight(row), vec.RowString(b.Cols[0], row, nil), v))
			})
			return nil
		})
		if err != nil {
			return "", err
		}
	}
	return strings.Join(out, " "), nil
}

// next plans, reads and commits a range; "-" when there is none.
func (c *cdc) next(want string) source.Range {
	c.Helper()
	r, ok := c.plan(source.Limits{})
	if !ok {
		if want != "-" {
			c.Errorf("nothing to read, want %s", want)
		}
		return r
	}
	c.reads(r, want)
	if err := c.s.Committed(c.Context(), r); err != nil {
		c.Error(err)
	}
	c.last = r
	return r
}

func (c *cdc) reads(r source.Range, want string) {
	c.Helper()
	got, err := c.read(r)
	if err != nil {
		c.Fatal(err)
	}
	if got != want {
		c.Errorf("read %s\nwant %s (%s)", got, want, r.Offset)
	}
}

const cdcTable = "CREATE TABLE $s.t (id int PRIMARY KEY, v text); ALTER TABLE $s.t REPLICA IDENTITY FULL; INSERT INTO $s.t VALUES (1, 'a'), (2, 'b')"

func TestPostgresChanges(t *testing.T) {
	for _, keyed := range []bool{true, false} {
		t.Run(fmt.Sprint("keyed ", keyed), func(t *testing.T) {
			w := newPG(t)
			w.run(cdcTable)
			c := w.newCDC(keyed)
			c.next("+1*1:a +1*2:b")
			c.next("-")
			w.run("INSERT INTO $s.t VALUES (3, NULL)")
			w.run("BEGIN; UPDATE $s.t SET v = 'c' WHERE id = 3; UPDATE $s.t SET id = 20 WHERE id = 2; DELETE FROM $s.t WHERE id = 1; COMMIT")
			want := "+1*3:NULL -1*3:NULL +1*3:c -1*2:b +1*20:b -1*1:a"
			if keyed {
				want = "+1*3:NULL +1*3:c -1*2:b +1*20:b -1*1:a"
			}
			c.next(want)
			w.run("BEGIN; INSERT INTO $s.t VALUES (99, 'rolled back'); ROLLBACK; CREATE TABLE $s.other (i int); INSERT INTO $s.other VALUES (1)")
			c.next("-")
			c.crash(c.last)
			w.run("DELETE FROM $s.t WHERE id = 20")
			c.next("-1*20:b")
		})
	}
}

// TestPostgresChangesEveryCrash: a range is the same after a crash, at any step; changes
// that come meanwhile belong to later ranges.
func TestPostgresChangesEveryCrash(t *testing.T) {
	w := newPG(t)
	w.run(cdcTable)
	c := w.newCDC(true)
	// The snapshot was planned, and the process dies before, or after, it was read.
	first, _ := c.plan(source.Limits{})
	c.crash(first)
	w.run("INSERT INTO $s.t VALUES (3, 'c')")
	c.reads(first, "+1*1:a +1*2:b +1*3:c")
	w.run("INSERT INTO $s.t VALUES (4, 'd')")
	c.crash(first)
	c.reads(first, "+1*1:a +1*2:b +1*3:c +1*4:d")
	w.run("INSERT INTO $s.t VALUES (5, 'e')")
	// It is in the state log: what follows is what came after the slot began.
	c.crash(first)
	w.run("INSERT INTO $s.t VALUES (6, 'f'); INSERT INTO $s.t VALUES (7, 'g')")
	second, _ := c.plan(source.Limits{})
	w.run("INSERT INTO $s.t VALUES (8, 'h')")
	c.crash(first, second)
	c.reads(second, "+1*5:e +1*6:f +1*7:g")
	c.reads(second, "+1*5:e +1*6:f +1*7:g") // by another scan
	if err := c.s.Committed(t.Context(), second); err != nil {
		t.Fatal(err)
	}
	third, _ := c.plan(source.Limits{})
	c.reads(third, "+1*8:h")
	c.crash(second) // offsets/N of the range was lost: it is planned anew
	c.next("+1*8:h")
	// Whole transactions, cut by a limit.
	w.run("INSERT INTO $s.t SELECT i, 'x' FROM generate_series(11, 13) i; INSERT INTO $s.t VALUES (14, 'y')")
	w.run("INSERT INTO $s.t VALUES (15, 'z')")
	r, _ := c.plan(source.Limits{Rows: 2})
	c.reads(r, "+1*11:x +1*12:x +1*13:x +1*14:y")
	c.next("+1*15:z")
}

// TestPostgresChangesSlot: what may be lost is an error, never a gap.
func TestPostgresChangesSlot(t *testing.T) {
	w := newPG(t)
	w.run(cdcTable)
	c := w.newCDC(true)
	slot := "s_" + w.schema
	r := c.next("+1*1:a +1*2:b")
	w.run("INSERT INTO $s.t VALUES (3, 'c')")
	r = c.next("+1*3:c")
	c.s.Close()
	other, err := postgres.Changes().Open(t.Context(), c.c)
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = other.Plan(t.Context(), source.Limits{}, nil)
	w.says(err, "is there already", "snapshot = 'never'", "pg_drop_replication_slot")
	other.Close()

	w.run("INSERT INTO $s.t VALUES (4, 'd')")
	w.rows("SELECT pg_replication_slot_advance('" + slot + "', pg_current_wal_insert_lsn())")
	c.open()
	if err := c.s.Restore(r); err != nil {
		t.Fatal(err)
	}
	_, _, err = c.s.Plan(t.Context(), source.Limits{}, nil)
	w.says(err, "are lost", "new slot")
	c.s.Close()
	w.dropSlot(slot)
	c.open()
	if err := c.s.Restore(r); err != nil {
		t.Fatal(err)
	}
	_, _, err = c.s.Plan(t.Context(), source.Limits{}, nil)
	w.says(err, "is gone", "new checkpoint")
	w.says(c.s.Restore(source.Range{Offset: []byte(`{"slot":"another","lsn":"0/1"}`)}), `slot "another"`)
	w.says(c.s.Restore(source.Range{Offset: []byte(`{"logOffset":1}`)}), "is not that of changes")
	c.s.Close()

	c.c.Options = w.options("table", w.schema+".t", "slot", slot, "create", "true", "snapshot", "never")
	c.open()
	c.next("-")
	w.run("INSERT INTO $s.t VALUES (5, 'e')")
	c.next("+1*5:e")
}

// TestPostgresChangesToast: long values that an update leaves alone.
func TestPostgresChangesToast(t *testing.T) {
	w := newPG(t)
	w.run("CREATE TABLE $s.t (id int PRIMARY KEY, v text, n int); ALTER TABLE $s.t ALTER v SET STORAGE EXTERNAL; ALTER TABLE $s.t REPLICA IDENTITY FULL; INSERT INTO $s.t VALUES (1, repeat('x', 10000), 1)")
	c := w.newCDC(true)
	c.next("+1*1:x10000")
	w.run("UPDATE $s.t SET n = 2")
	c.next("+1*1:x10000")
	w.run("ALTER TABLE $s.t REPLICA IDENTITY DEFAULT")
	c.s.Close()
	_, err := postgres.Changes().Open(t.Context(), c.c)
	w.says(err, `long values of column "v"`, "REPLICA IDENTITY FULL", "unchanged_toast = 'fail'")
	c.c.Options = append(c.c.Options, w.options("unchanged_toast", "fail")[1:]...)
	c.crash(c.last)
	w.run("UPDATE $s.t SET v = 'short'; DELETE FROM $s.t")
	c.next("+1*1:short -1*1:NULL")
	w.run("INSERT INTO $s.t VALUES (1, repeat('y', 10000), 1)")
	c.next("+1*1:y10000")
	w.run("UPDATE $s.t SET n = 2")
	r, _ := c.plan(source.Limits{})
	_, err = c.read(r)
	w.says(err, `left a long value of column "v" as it was`, "REPLICA IDENTITY FULL")
}

// TestPostgresChangesWidened: a numeric column that was made wider goes on until a value
// does not fit, and the message then says what has changed.
func TestPostgresChangesWidened(t *testing.T) {
	w := newPG(t)
	w.run("CREATE TABLE $s.t (id int PRIMARY KEY, v numeric(6,2)); ALTER TABLE $s.t REPLICA IDENTITY FULL; INSERT INTO $s.t VALUES (1, 1.25)")
	c := w.newCDCOf(types.DecimalOf(6, 2), true)
	c.next("+1*1:1.25")
	w.run("ALTER TABLE $s.t ALTER v TYPE numeric(10,4); INSERT INTO $s.t VALUES (2, 9999.99)")
	c.next("+1*2:9999.99")
	w.run("INSERT INTO $s.t VALUES (3, 0.1234)")
	r, _ := c.plan(source.Limits{})
	_, err := c.read(r)
	w.says(err, `column "v" has more digits behind the point than it is declared with; column "v" is numeric(10,4), and declared DECIMAL(6,2): declare the source for the table as it is now`, "on_error = 'skip'")
}

// TestPostgresChangesAltered: a table that is changed under the query ends it.
func TestPostgresChangesAltered(t *testing.T) {
	for _, k := range []struct{ sql, word string }{
		{"ALTER TABLE $s.t ALTER id TYPE bigint", "has got another type than integer"},
		{"ALTER TABLE $s.t RENAME v TO w", `column "v" of`},
		{"ALTER TABLE $s.t DROP v", `column "v" of`},
		{"TRUNCATE $s.t", "was emptied by TRUNCATE"},
		{"DROP TABLE $s.t; " + cdcTable + "; ALTER PUBLICATION s_$s ADD TABLE $s.t", "was dropped and created again"},
	} {
		t.Run(k.sql, func(t *testing.T) {
			w := newPG(t)
			w.run(cdcTable)
			c := w.newCDC(true)
			c.next("+1*1:a +1*2:b")
			w.run(k.sql)
			w.run("INSERT INTO $s.t (id) VALUES (9)")
			end, err := c.s.Snapshot(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			_, _, err = c.s.Plan(t.Context(), source.Limits{}, end)
			w.says(err, k.word, "new slot")
		})
	}
	w := newPG(t)
	w.run(cdcTable)
	c := w.newCDC(true, "on_truncate", "ignore")
	c.next("+1*1:a +1*2:b")
	w.run("TRUNCATE $s.t; ALTER TABLE $s.t ADD first int DEFAULT 1; INSERT INTO $s.t VALUES (7, 'q')")
	c.next("+1*7:q")
}

func TestPostgresChangesRefusals(t *testing.T) {
	w := newPG(t)
	w.run("CREATE TABLE $s.t (id int PRIMARY KEY, v varchar(10) UNIQUE, g int GENERATED ALWAYS AS (1) STORED, i inet); CREATE VIEW $s.v AS SELECT 1 AS id")
	refused := func(key []int, columns string, opts []string, words ...string) {
		t.Helper()
		c := source.Config{Name: "x", Clock: clock.Real(), Changes: true, Key: key, Options: w.options(append([]string{"table", w.schema + ".t", "slot", "s_" + w.schema}, opts...)...)}
		for _, n := range strings.Fields(columns) {
			k := types.Int32
			if n != "id" && n != "g" {
				k = types.String
			}
			c.Columns = append(c.Columns, source.Column{Column: types.Column{Name: n, Type: types.Of(k)}})
		}
		s, err := postgres.Changes().Open(t.Context(), c)
		if err == nil {
			_, _, err = s.Plan(t.Context(), source.Limits{}, nil)
			s.Close()
		}
		w.says(err, words...)
	}
	refused(nil, "id", nil, "declare PRIMARY KEY", "REPLICA IDENTITY FULL")
	refused([]int{0}, "v id", nil, `column "v" of the PRIMARY KEY does not come with deletions`)
	refused([]int{0}, "id v", nil, `long values of column "v"`)
	refused([]int{0}, "id g", nil, `column "g" is generated`)
	refused([]int{0}, "id i", nil, `column "i" is inet`)
	refused([]int{0}, "id", nil, "there is no publication", "create = true", "CREATE PUBLICATION")
	refused([]int{0}, "id", []string{"slot", "Not A Slot"}, "expected letters in lower case")
	refused([]int{0}, "id", []string{"table", w.schema + ".v"}, "is a view")
	w.run("ALTER TABLE $s.t REPLICA IDENTITY FULL; ALTER TABLE $s.t DROP CONSTRAINT t_v_key; CREATE PUBLICATION p_$s FOR TABLE $s.t WITH (publish = 'insert')")
	t.Cleanup(func() { w.conn.Exec(context.Background(), "DROP PUBLICATION p_"+w.schema) })
	refused([]int{1}, "id v", nil, "is not unique in")
	refused([]int{0}, "id", []string{"publication", "p_" + w.schema}, "leaves out insertions, updates or deletions")
	w.run("ALTER PUBLICATION p_$s SET (publish = 'insert, update, delete')")
	refused([]int{0}, "id", []string{"publication", "p_" + w.schema}, "there is no slot", "create = true")
	w.run("ALTER PUBLICATION p_$s SET TABLE $s.t (id)")
	refused([]int{0}, "id v", []string{"publication", "p_" + w.schema}, `does not have the column "v"`)
	_, err := postgres.Changes().Open(t.Context(), source.Config{Name: "x", Finite: true})
	w.says(err, "connector = 'postgres'")
}

// TestPostgresChangesAdvance: changes of other tables do not keep the log for ever.
func TestPostgresChangesAdvance(t *testing.T) {
	w := newPG(t)
	w.run(cdcTable + "; CREATE TABLE $s.other (x text)")
	c := w.newCDC(true)
	c.next("+1*1:a +1*2:b")
	w.run("INSERT INTO $s.other SELECT repeat(md5(i::text), 30) FROM generate_series(1, 25000) i")
	r := c.next("")
	if !strings.Contains(string(r.Offset), `"rows":0`) {
		t.Errorf("%s", r.Offset)
	}
	for deadline := time.Now().Add(5 * time.Second); ; {
		if w.rows("SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), confirmed_flush_lsn) < 1000000 FROM pg_replication_slots WHERE slot_name = 's_"+w.schema+"'") == "t" {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the slot has not moved")
		}
	}
	w.run("INSERT INTO $s.t VALUES (3, 'c')")
	c.next("+1*3:c")
}

// TestPostgresChangesLong: a range that is too long for memory is read twice.
func TestPostgresChangesLong(t *testing.T) {
	w := newPG(t)
	w.run(cdcTable)
	c := w.newCDC(true)
	c.next("+1*1:a +1*2:b")
	w.run("INSERT INTO $s.t SELECT i, repeat('x', 1000) FROM generate_series(3, 18000) i")
	w.run("INSERT INTO $s.t VALUES (100000, 'z')")
	r, _ := c.plan(source.Limits{})
	for range 2 {
		splits, err := c.s.Splits(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		n, sum := 0, int64(0)
		err = splits[0].Read(t.Context(), source.Reading{Need: []int{0}}, func(b *vec.Batch) error {
			b.Each(func(row int) { n, sum = n+1, sum+b.Cols[0].Int(row) })
			return nil
		})
		if err != nil || n != 17999 || sum != 18000*18001/2-3+100000 {
			t.Fatal(n, sum, err)
		}
	}
	c.s.Committed(t.Context(), r)
	w.run("DELETE FROM $s.t WHERE id = 100000")
	c.next("-1*100000:z")
}

// TestPostgresChangesSQL: changes into a table by a query, with restarts.
func TestPostgresChangesSQL(t *testing.T) {
	p, w := newPG(t), newSQL(t)
	p.run("CREATE TABLE $s.t (id int PRIMARY KEY, shop text, n int); ALTER TABLE $s.t REPLICA IDENTITY FULL; INSERT INTO $s.t SELECT i, 's' || i % 3, i FROM generate_series(1, 30) i")
	t.Cleanup(func() { w.e.Close(); p.dropSlot("s_" + p.schema) })
	declare := fmt.Sprintf(`CREATE SOURCE t (id INT, shop STRING, n INT, PRIMARY KEY (id)) WITH (connector = 'postgres-cdc', url = '%s', table = '%s.t', slot = 's_%s', create = true);
CREATE SINK out WITH (connector = 'postgres', url = '%s', table = '%s.out', create_table = true);`, p.url, p.schema, p.schema, p.url, p.schema)
	const query = "INSERT INTO out SELECT shop, count(*) AS c, sum(n) AS s FROM t GROUP BY shop EMIT UPDATE TRIGGER AVAILABLE NOW; AWAIT ALL"
	check := func() {
		t.Helper()
		a := strings.Split(p.rows("SELECT shop, count(*), sum(n) FROM $s.t GROUP BY shop"), "\n")
		sort.Strings(a)
		p.want("SELECT shop, c, s FROM $s.out ORDER BY shop", strings.Join(a, "\n"))
	}
	w.must(declare + query)
	check()
	for i, sql := range []string{"UPDATE $s.t SET n = n + 1, shop = 's' || id % 4", "DELETE FROM $s.t WHERE shop = 's1'", "UPDATE $s.t SET id = id + 100 WHERE id < 10",
		"BEGIN; DELETE FROM $s.t; INSERT INTO $s.t VALUES (1, 's1', 1); COMMIT"} {
		p.run(sql)
		if i%2 == 0 {
			w.restart()
			w.must(declare + query)
		} else {
			w.must(query)
		}
		check()
	}
}
