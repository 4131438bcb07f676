//go:build services

package services

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql"

	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/exec/connect/mysql"
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/sink/sinktest"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// mysqlWorld is a table of one test in the shared server.
type mysqlWorld struct {
	*testing.T
	addr, table string
	db          *sql.DB
}

func newMySQL(t *testing.T, env ...string) *mysqlWorld {
	t.Helper()
	w := &mysqlWorld{T: t, addr: Start(t, "mysql", env...)["MYSQL_ADDR"], table: fmt.Sprintf("t%d", time.Now().UnixNano())}
	var err error
	if w.db, err = sql.Open("mysql", "stream:stream@tcp("+w.addr+")/stream"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, _ = w.db.Exec("DROP TABLE IF EXISTS " + w.table)
		_ = w.db.Close()
	})
	return w
}

func (w *mysqlWorld) run(sql string) {
	w.Helper()
	if _, err := w.db.Exec(strings.ReplaceAll(sql, "$t", w.table)); err != nil {
		w.Fatal(err)
	}
}

// rows are those of a query as text: cells with blanks between, rows with "; ".
func (w *mysqlWorld) rows(query string) (string, error) {
	rows, err := w.db.Query(strings.ReplaceAll(query, "$t", w.table))
	if err != nil {
		return "", err
	}
	defer rows.Close()
	cols, err := rows.Columns()
	if err != nil {
		return "", err
	}
	var out []string
	for rows.Next() {
		cells, places := make([]*string, len(cols)), make([]any, len(cols))
		for i := range cells {
			places[i] = &cells[i]
		}
		if err := rows.Scan(places...); err != nil {
			return "", err
		}
		var row []string
		for _, c := range cells {
			if c == nil {
				row = append(row, "NULL")
			} else {
				row = append(row, *c)
			}
		}
		out = append(out, strings.Join(row, " "))
	}
	return strings.Join(out, "; "), rows.Err()
}

func (w *mysqlWorld) want(query, want string) {
	w.Helper()
	if got, err := w.rows(query); err != nil || got != want {
		w.Errorf("%v\ngot  %s\nwant %s", err, got, want)
	}
}

func (w *mysqlWorld) config(mode sink.Mode, cols []types.Column, key []int, opts ...string) sink.Config {
	opts = append([]string{"address", w.addr, "user", "stream", "password", "stream", "database", "stream", "table", w.table}, opts...)
	return sinktest.Config(mode, cols, key, opts...)
}

func (w *mysqlWorld) open(c sink.Config) sink.Sink {
	w.Helper()
	s, err := mysql.Sink().Open(w.Context(), c)
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { _ = s.Close() })
	return s
}

func (w *mysqlWorld) write(s sink.Sink, id int64, batches ...*vec.Batch) {
	w.Helper()
	if _, err := sinktest.Write(s, sink.Batch{ID: id, Epoch: 1}, batches...); err != nil {
		w.Fatal(err)
	}
}

var keyed = []types.Column{{Name: "k", Type: types.Of(types.String)}, {Name: "n", Type: types.Of(types.Int64)}}

func TestMySQLModes(t *testing.T) {
	w := newMySQL(t)
	s := w.open(w.config(sink.Update, keyed, []int{0}, "create_table", "true"))
	w.write(s, 0, sinktest.Batch(keyed, []any{"a", 1}, []any{"A", 2}, []any{`o'\`, 3}))
	w.write(s, 1, sinktest.Weighted(sinktest.Batch(keyed, []any{"A", 2}, []any{"none", 2}, []any{"a", nil}), -1, -1, 1))
	w.want("SELECT * FROM $t ORDER BY k", `a NULL; o'\ 3`)
	w.run("DROP TABLE $t")
	w.run("DELETE FROM sqlstream_commits WHERE target = '$t'")
	s = w.open(w.config(sink.Append, keyed, nil, "create_table", "true"))
	w.write(s, 0, sinktest.Weighted(sinktest.Batch(keyed, []any{"a", 1}, []any{"a", 1}), 2, 1))
	w.want("SELECT * FROM $t", "a 1; a 1; a 1")
	w.run("DELETE FROM sqlstream_commits WHERE target = '$t'")
	s = w.open(w.config(sink.Complete, keyed, []int{0}))
	var many [][]any
	for i := range 2500 {
		many = append(many, []any{fmt.Sprintf("k%d", i), i})
	}
	w.write(s, 0, sinktest.Batch(keyed, many...))
	w.want("SELECT count(*), sum(n) FROM $t", "2500 3123750")
	w.write(s, 1, sinktest.Batch(keyed, []any{"z", 9}))
	w.want("SELECT * FROM $t", "z 9")
}

func TestMySQLTypes(t *testing.T) {
	w := newMySQL(t)
	list := types.ArrayOf(types.Of(types.Int64))
	cols := []types.Column{}
	var full, null []any
	add := func(t types.Type, v any) {
		cols = append(cols, types.Column{Name: fmt.Sprintf("c%d", len(cols)), Type: t})
		full, null = append(full, v), append(null, nil)
	}
	add(types.Of(types.Bool), true)
	add(types.Of(types.Int8), -128)
	add(types.Of(types.Int16), 32767)
	add(types.Of(types.Int32), -2147483648)
	add(types.Of(types.Int64), int64(9223372036854775807))
	add(types.Of(types.Float32), float64(float32(0.1)))
	add(types.Of(types.Float64), 0.1)
	add(types.DecimalOf(18, 4), -123456)
	add(types.DecimalOf(38, 10), types.Int128From(12345678901234567))
	add(types.Of(types.String), "öß ' \" \\ \x00 😀")
	add(types.Of(types.Bytes), []byte{0, 255, '\''})
	add(types.Of(types.Date), -1)
	add(types.Of(types.Timestamp), int64(1700000000123456))
	add(types.Of(types.TimestampNTZ), int64(1))
	add(types.Of(types.Interval), types.IntervalValue{Months: 1, Days: 2, Micros: 3})
	add(types.Of(types.Time), int64(1))
	add(types.Of(types.UUID), "0123456789abcdef")
	add(types.Of(types.JSON), `{"a":[1,null]}`)
	add(list, []any{1, nil})
	add(types.StructOf(types.Field{Name: "x", Type: types.Of(types.String)}), []any{"y"})
	c := w.config(sink.Append, cols, nil, "create_table", "true")
	c.Zone, _ = time.LoadLocation("Europe/Berlin") // instants are UTC in the table anyway
	s := w.open(c)
	w.write(s, 0, sinktest.Batch(cols, full, null))
	got, err := w.rows("SELECT * FROM $t")
	want := "1 -128 32767 -2147483648 9223372036854775807 0.1 0.1 -12.3456 1234567.8901234567 öß ' \" \\ \x00 😀 \x00\xff' 1969-12-31 2023-11-14 22:13:20.123456 1970-01-01 00:00:00.000001 1 month 2 days 00:00:00.000003 00:00:00.000001 30313233-3435-3637-3839-616263646566 {\"a\":[1,null]} [1,null] {\"x\":\"y\"}"
	if head, tail, _ := strings.Cut(got, "; "); err != nil || head != want || tail != strings.Repeat("NULL ", len(cols)-1)+"NULL" {
		t.Errorf("%v\ngot  %s\nwant %s\nthen %s", err, head, want, tail)
	}
	for _, x := range []any{1.0 / zero(), -1.0 / zero()} {
		if _, err := sinktest.Write(s, sink.Batch{ID: 1, Epoch: 1}, sinktest.Batch(cols, slices.Concat(null[:6], []any{x}, null[7:]))); sinktest.Has(err, `column "c6"`, "MySQL has no") != "" {
			t.Error(err)
		}
	}
}

func zero() float64 { return 0 }

// Keys of every type are found again by DELETE and ON DUPLICATE KEY.
func TestMySQLKeysOfAllTypes(t *testing.T) {
	for typ, v := range map[types.Kind]any{types.Bool: true, types.Int64: int64(9007199254740993), types.String: "ä\\'", types.Bytes: []byte{0, 1}, types.Date: 19000,
		types.Timestamp: int64(1700000000123456), types.Float64: 0.1} {
		w := newMySQL(t)
		cols := []types.Column{{Name: "k", Type: types.Of(typ)}, {Name: "d", Type: types.DecimalOf(38, 4)}, {Name: "v", Type: types.Of(types.Int32)}}
		big := types.Int128From(9007199254740993)
		s := w.open(w.config(sink.Update, cols, []int{0, 1}, "create_table", "true"))
		w.write(s, 0, sinktest.Batch(cols, []any{v, big, 1}, []any{v, types.Int128From(9007199254740992), 2}))
		w.write(s, 1, sinktest.Batch(cols, []any{v, big, 3}))
		w.want("SELECT d, v FROM $t ORDER BY v", "900719925474.0992 2; 900719925474.0993 3")
		w.write(s, 2, sinktest.Weighted(sinktest.Batch(cols, []any{v, big, 3}), -1))
		w.want("SELECT d, v FROM $t ORDER BY v", "900719925474.0992 2")
	}
}

// loop counts in one key and adds another one in each batch; batch 4 takes both away.
func (w *mysqlWorld) loop(addr string) *sinktest.Loop {
	c := w.config(sink.Update, keyed, []int{0}, "create_table", "true", "address", addr)
	c.Options = c.Options[1:]
	return &sinktest.Loop{
		Open: func() (sink.Sink, error) { return mysql.Sink().Open(context.Background(), c) },
		Rows: func(n int64) []*vec.Batch {
			switch n {
			case 2:
				return nil
			case 4:
				return []*vec.Batch{sinktest.Weighted(sinktest.Batch(keyed, []any{"k", 3}, []any{"n3", 3}), -1, -1)}
			}
			return []*vec.Batch{sinktest.Batch(keyed, []any{"k", int(n)}), sinktest.Batch(keyed, []any{fmt.Sprintf("n%d", n), int(n)})}
		},
		Check: func(last int64) error {
			have := map[string]int64{}
			for n := range last + 1 {
				switch n {
				case 2:
				case 4:
					delete(have, "k")
					delete(have, "n3")
				default:
					have["k"], have[fmt.Sprintf("n%d", n)] = n, n
				}
			}
			var want []string
			for k, n := range have {
				want = append(want, fmt.Sprintf("%s %d", k, n))
			}
			slices.Sort(want)
			got, err := w.rows("SELECT * FROM $t ORDER BY CONCAT(k, ' ', n)")
			if err == nil && got != strings.Join(want, "; ") {
				err = fmt.Errorf("after batch %d there is %s\nwant %s", last, got, strings.Join(want, "; "))
			}
			return err
		},
	}
}

func (w *mysqlWorld) crashes() error {
	l := w.loop(w.addr)
	return errors.Join(l.CrashEverywhere(6), l.Zombie("was taken over by a newer run of the query"))
}

// cuts cuts the connection at places of a run, before and after the server has done what
// it was told.
func (w *mysqlWorld) cuts(step int64) error {
	p := sinktest.NewProxy(w.T, w.addr)
	if err := w.loop(p.Addr).Run(2, sinktest.Recovered); err != nil {
		return err
	}
	for at, size := int64(1), p.Moved(); at < size; at += step {
		w.run("DELETE FROM sqlstream_commits WHERE target = '$t'")
		w.run("DELETE FROM $t")
		l := w.loop(p.Addr)
		p.CutAfter(at)
		err := l.Run(3, sinktest.Recovered)
		p.CutAfter(-1)
		if sinktest.Has(err, "cannot be reached") == "" { // it was opening, which is not tried again
			err = nil
		}
		if err = errors.Join(err, l.Run(4, sinktest.Published), l.Check(4)); err != nil {
			return fmt.Errorf("cut at byte %d of %d: %w", at, size, err)
		}
	}
	return nil
}

func TestMySQLCrashAtEveryStep(t *testing.T) {
	if err := newMySQL(t).crashes(); err != nil {
		t.Error(err)
	}
	if err := newMySQL(t).cuts(97); err != nil {
		t.Error(err)
	}
}

// The server is killed between batches and in the middle of them, and comes back.
func TestMySQLServerKilled(t *testing.T) {
	env := []string{"SERVICES_DATA=" + t.TempDir(), "MYSQL_PORT=23399"}
	w := newMySQL(t, env...)
	t.Cleanup(func() { Stop(t, "mysql", env...) })
	l := w.loop(w.addr)
	if err := l.Run(3, sinktest.Logged); err != nil {
		t.Fatal(err)
	}
	Kill(t, "mysql", env...)
	if err := l.Run(4, sinktest.Opened); sinktest.Has(err, "cannot be reached", "start it") != "" {
		t.Error(err)
	}
	Start(t, "mysql", env...)
	if err := errors.Join(l.Run(5, sinktest.Published), l.Check(5)); err != nil {
		t.Error(err)
	}
}

func TestMySQLRefusals(t *testing.T) {
	w := newMySQL(t)
	refused := func(c sink.Config, texts ...string) {
		t.Helper()
		_, err := mysql.Sink().Open(context.Background(), c)
		if text := sinktest.Has(err, texts...); text != "" || strings.Contains(err.Error(), "s3cret") {
			t.Error(text)
		}
	}
	refused(w.config(sink.Append, keyed, nil), "has no table", "set create_table = true")
	c := w.config(sink.Append, keyed, nil)
	c.Options[2].Text = "s3cret"
	refused(c, `refused user "stream"`, "check the options user and password")
	c = w.config(sink.Append, keyed, nil)
	c.Options[3].Text = "elsewhere"
	refused(c, "to database 'elsewhere'", "grant the user the right")
	c = w.config(sink.Append, keyed, nil)
	c.Options[0].Text = "127.0.0.1:1"
	refused(c, "server 127.0.0.1:1 cannot be reached", "start it")
	w.run("CREATE TABLE $t (k VARCHAR(20), nn BIGINT)")
	refused(w.config(sink.Append, keyed, nil), `has no column "n" (BIGINT)`)
	w.run("ALTER TABLE $t RENAME COLUMN nn TO n")
	refused(w.config(sink.Update, keyed, []int{0}), "has no primary or unique key of the columns k", "ADD PRIMARY KEY (`k`)")
	w.run("ALTER TABLE $t ADD PRIMARY KEY (k)")
	refused(w.config(sink.Update, keyed, []int{0}), "compares its key column k by", "key_collation = 'any'")
	w.run("ALTER TABLE $t MODIFY k VARCHAR(20) COLLATE utf8mb4_bin, ADD UNIQUE KEY other (n)")
	refused(w.config(sink.Update, keyed, []int{0}), "has the unique key other (n) besides")
	w.run("ALTER TABLE $t DROP KEY other, ENGINE = MyISAM")
	refused(w.config(sink.Update, keyed, []int{0}), "MyISAM, which has no transactions")
	w.run("ALTER TABLE $t ENGINE = InnoDB")
	s := w.open(w.config(sink.Update, keyed, []int{0}))
	if _, err := sinktest.Write(s, sink.Batch{}, sinktest.Batch(keyed, []any{strings.Repeat("x", 30), 1})); sinktest.Has(err, "Data too long") != "" {
		t.Error(err)
	}
	w.want("SELECT count(*) FROM $t", "0")
	w.write(s, 0, sinktest.Batch(keyed, []any{"x", 1}))
	c = w.config(sink.Update, keyed, []int{0})
	c.QueryID, c.Query = "other", "other"
	if _, err := w.open(c).Marker(t.Context()); sinktest.Has(err, `belongs to query "counts"`) != "" {
		t.Error(err)
	}
	c.Once = true // a query without a checkpoint leaves the owner alone
	w.write(w.open(c), 0, sinktest.Batch(keyed, []any{"y", 1}))
	w.want("SELECT query_id, batch FROM sqlstream_commits WHERE target LIKE '$t%'", "f67b589e-31f6-4ace-b1ab-365c155acca3 0")
	c.Once, c.Adopt = false, true
	w.write(w.open(c), 9, sinktest.Batch(keyed, []any{"z", 1}))
	w.want("SELECT query_id, batch FROM sqlstream_commits WHERE target LIKE '$t%'", "other 9")
	w.want("SELECT * FROM $t ORDER BY k", "x 1; y 1; z 1")
}

// Two runs that begin at the same moment on a new table: the marker has one of them.
func TestMySQLRace(t *testing.T) {
	w := newMySQL(t)
	w.run("CREATE TABLE $t (k VARCHAR(20), n BIGINT)")
	a, b := w.config(sink.Append, keyed, nil), w.config(sink.Append, keyed, nil)
	b.QueryID, b.Query = "other", "other"
	errs := make(chan error)
	for _, c := range []sink.Config{a, b} {
		s := w.open(c)
		go func() {
			_, err := sinktest.Write(s, sink.Batch{Epoch: 1}, sinktest.Batch(keyed, []any{c.Query, 1}))
			errs <- err
		}()
	}
	first, second := <-errs, <-errs
	if first == nil {
		first, second = second, first
	}
	if sinktest.Has(first, "belongs to query") != "" || second != nil {
		t.Error(first, second)
	}
	w.want("SELECT count(*) FROM $t", "1")
}

// A row that is larger than the server takes is refused by name, and a batch that is
// larger takes several statements.
func TestMySQLPackets(t *testing.T) {
	w := newMySQL(t)
	c := w.config(sink.Append, keyed, nil, "create_table", "true")
	c.Clock = clock.Real()
	s := w.open(c)
	var rows [][]any
	for i := range 40 {
		rows = append(rows, []any{strings.Repeat("'", 1<<20), i})
	}
	w.write(s, 0, sinktest.Batch(keyed, rows...))
	w.want("SELECT count(*), sum(length(k)) FROM $t", fmt.Sprintf("40 %d", 40<<20))
	_, err := sinktest.Write(s, sink.Batch{ID: 1, Epoch: 1}, sinktest.Batch(keyed, []any{strings.Repeat("x", 12<<20), 0}))
	if text := sinktest.Has(err, "max_allowed_packet = 16777216"); text != "" {
		t.Error(text)
	}
}
