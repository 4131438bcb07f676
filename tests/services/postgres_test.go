//go:build services

package services

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/exec/connect/postgres"
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// pgWorld is a schema of one test in the shared server.
type pgWorld struct {
	*testing.T
	url    string
	schema string
	conn   *pgx.Conn
}

var pgSchemas atomic.Int64

func newPG(t *testing.T) *pgWorld {
	t.Helper()
	return pgAt(t, Start(t, "postgres")["PG_URL"])
}

func pgAt(t *testing.T, url string) *pgWorld {
	t.Helper()
	w := &pgWorld{T: t, url: url, schema: fmt.Sprintf("t%d_%d", time.Now().UnixNano(), pgSchemas.Add(1))}
	var err error
	if w.conn, err = pgx.Connect(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	w.run("SET synchronous_commit = on; CREATE SCHEMA " + w.schema)
	t.Cleanup(func() {
		ctx := context.Background()
		c, err := pgx.Connect(ctx, url)
		if err != nil {
			return // the server is gone with the test
		}
		c.Exec(ctx, "DROP SCHEMA "+w.schema+" CASCADE")
		c.Close(ctx)
		w.conn.Close(ctx)
	})
	return w
}

// run executes SQL, with $s as the schema.
func (w *pgWorld) run(sql string) {
	w.Helper()
	if _, err := w.conn.Exec(w.Context(), strings.ReplaceAll(sql, "$s", w.schema)); err != nil {
		w.Fatalf("%s: %v", sql, err)
	}
}

// rows gives the rows of a query as text, one a line.
func (w *pgWorld) rows(sql string) string {
	w.Helper()
	rs, err := w.conn.PgConn().Exec(w.Context(), strings.ReplaceAll(sql, "$s", w.schema)).ReadAll()
	if err != nil {
		w.Fatalf("%s: %v", sql, err)
	}
	var lines []string
	for _, r := range rs[len(rs)-1].Rows {
		var cells []string
		for _, c := range r {
			if c == nil {
				cells = append(cells, "NULL")
			} else {
				cells = append(cells, string(c))
			}
		}
		lines = append(lines, strings.Join(cells, "|"))
	}
	return strings.Join(lines, "\n")
}

func (w *pgWorld) want(sql, want string) {
	w.Helper()
	if got := w.rows(sql); got != want {
		w.Errorf("%s:\n%s\nwant\n%s", sql, got, want)
	}
}

// config is that of a sink into $s.out with the columns k STRING, n BIGINT.
func (w *pgWorld) config(mode sink.Mode, opts ...string) sink.Config {
	c := sink.Config{Name: "out", Query: "q", QueryID: "id-1", Mode: mode, Clock: clock.Real(), Key: []int{0},
		Columns: []types.Column{{Name: "k", Type: types.Of(types.String)}, {Name: "n", Type: types.Of(types.Int64)}}}
	c.Options = w.options(append([]string{"table", w.schema + ".out"}, opts...)...)
	return c
}

// options are url and the given ones, of which the last of a name counts.
func (w *pgWorld) options(opts ...string) []option.Value {
	out := []option.Value{{Name: "url", Text: w.url}}
	for i := 0; i < len(opts); i += 2 {
		v := option.Value{Name: opts[i], Text: opts[i+1]}
		if at := slices.IndexFunc(out, func(o option.Value) bool { return o.Name == v.Name }); at >= 0 {
			out[at] = v
		} else {
			out = append(out, v)
		}
	}
	return out
}

func (w *pgWorld) open(c sink.Config) sink.Sink {
	w.Helper()
	s, err := postgres.Sink().Open(w.Context(), c)
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { s.Close() })
	return s
}

// refused opens a sink and wants an error with all the words.
func (w *pgWorld) refused(c sink.Config, words ...string) {
	w.Helper()
	s, err := postgres.Sink().Open(w.Context(), c)
	if err == nil {
		_, err = s.Marker(w.Context())
		s.Close()
	}
	w.says(err, words...)
}

func (w *pgWorld) says(err error, words ...string) {
	w.Helper()
	if err == nil {
		w.Errorf("no error; want %q", words)
		return
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			w.Errorf("%v\nlacks %q", err, word)
		}
	}
}

// delta makes a batch of "weight k n" rows: "+ a 1; - b 2; + NULL NULL".
func delta(text string) *vec.Batch {
	b := &vec.Batch{}
	k, n := vec.NewBuilder(types.Of(types.String)), vec.NewBuilder(types.Of(types.Int64))
	for _, line := range strings.Split(text, "; ") {
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		w := map[string]int64{"+": 1, "-": -1, "++": 2, "--": -2}[f[0]]
		b.W = append(b.W, w)
		if f[1] == "NULL" {
			k.AppendNull()
		} else {
			k.AppendString(f[1])
		}
		if f[2] == "NULL" {
			n.AppendNull()
		} else {
			var x int64
			fmt.Sscan(f[2], &x)
			n.AppendInt(x)
		}
		b.N++
	}
	b.Cols = []*vec.Vector{k.Take(), n.Take()}
	return b
}

func (w *pgWorld) stage(s sink.Sink, id int64, bs ...*vec.Batch) []byte {
	w.Helper()
	p, err := s.Stage(w.Context(), sink.Batch{ID: id, Epoch: 1}, func(emit func(*vec.Batch) error) error {
		for _, b := range bs {
			if err := emit(b); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		w.Fatal(err)
	}
	return p
}

func (w *pgWorld) publish(s sink.Sink, id, epoch int64, payload []byte) {
	w.Helper()
	if err := s.Publish(w.Context(), sink.Batch{ID: id, Epoch: epoch}, payload); err != nil {
		w.Fatal(err)
	}
}

// put stages and publishes a batch of a delta.
func (w *pgWorld) put(s sink.Sink, id int64, text string) {
	w.Helper()
	w.publish(s, id, 1, w.stage(s, id, delta(text)))
}

func (w *pgWorld) marker(s sink.Sink, want string) {
	w.Helper()
	m, err := s.Marker(w.Context())
	if got := fmt.Sprint(m.OK, m.ID); err != nil || got != want {
		w.Errorf("marker %s, %v; want %s", got, err, want)
	}
}

func TestPostgresModes(t *testing.T) {
	w := newPG(t)
	w.run("CREATE TABLE $s.out (k text UNIQUE NULLS NOT DISTINCT, n bigint, made timestamptz DEFAULT now())")

	up := w.open(w.config(sink.Update))
	w.put(up, 0, "+ a 1; + b 2; + NULL 3")
	w.put(up, 1, "- b 2; + a 10; + c NULL")
	w.want("SELECT k, n FROM $s.out ORDER BY k NULLS FIRST", "NULL|3\na|10\nc|NULL")
	w.put(up, 2, "- NULL 3; - missing 7")
	w.put(up, 3, "")
	w.want("SELECT k, n FROM $s.out ORDER BY k", "a|10\nc|NULL")
	w.marker(up, "true 3")
	w.want("SELECT sink, query_id, query, epoch, batch_id FROM $s.sqlstream_commits", w.schema+".out|id-1|q|1|3")

	w.run("DROP TABLE $s.out; CREATE TABLE $s.out (n bigint, k text)")
	add := w.open(w.config(sink.Append, "sink_id", "add"))
	w.put(add, 0, "++ a 1; + b NULL")
	w.want("SELECT k, n FROM $s.out ORDER BY k", "a|1\na|1\nb|NULL")

	log := w.config(sink.Changelog, "sink_id", "log")
	log.Key = nil
	ch := w.open(log)
	w.put(ch, 0, "++ c NULL; + NULL NULL; + d 4")
	w.put(ch, 1, "- a 1; - c NULL; - NULL NULL; + e 5")
	w.want("SELECT k, n FROM $s.out ORDER BY k", "a|1\nb|NULL\nc|NULL\nd|4\ne|5")
	p := w.stage(ch, 2, delta("-- a 1; + f 6"))
	w.says(ch.Publish(t.Context(), sink.Batch{ID: 2, Epoch: 1}, p), "1 of 2 rows that the result lost are not in table")
	w.want("SELECT count(*) FROM $s.out", "5")

	w.refused(w.config(sink.Complete, "sink_id", "all"), "has rows that no query wrote", "adopt_sink")
	w.run("DELETE FROM $s.out")
	all := w.open(w.config(sink.Complete, "sink_id", "all"))
	w.marker(all, "false -1")
	w.put(all, 0, "+ x 1; + y 2")
	w.put(all, 1, "+ y 3; ++ z NULL")
	w.want("SELECT k, n FROM $s.out ORDER BY k", "y|3\nz|NULL\nz|NULL")
	w.put(all, 2, "")
	w.want("SELECT k, n FROM $s.out ORDER BY k", "")
}

// TestPostgresComplete: while the rows are replaced, other sessions see the old ones.
func TestPostgresReadersSeeWholeBatches(t *testing.T) {
	w := newPG(t)
	s := w.open(w.config(sink.Complete, "create_table", "true"))
	w.put(s, 0, "+ a 1; + b 2")
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		c, err := pgx.Connect(ctx, w.url)
		for err == nil && ctx.Err() == nil {
			var n int
			if err = c.QueryRow(context.Background(), "SELECT count(*) FROM "+w.schema+".out").Scan(&n); err == nil && n != 2 {
				err = fmt.Errorf("a reader saw %d rows", n)
			}
		}
		c.Close(context.Background())
		done <- err
	}()
	for i := range int64(50) {
		w.put(s, i+1, "+ a 1; + b 2")
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestPostgresEveryStep: a batch that is published again, after a crash at any place, is
// there once; and an older run writes nothing once a newer one has begun.
func TestPostgresEveryStep(t *testing.T) {
	for _, mode := range []sink.Mode{sink.Append, sink.Update, sink.Complete, sink.Changelog} {
		t.Run(mode.String(), func(t *testing.T) {
			w := newPG(t)
			c := w.config(mode, "create_table", "true")
			old := w.open(c)
			w.marker(old, "false -1")
			w.put(old, 0, "+ a 1; + b 2")
			p := w.stage(old, 1, delta("- a 1; + a 5; + c 3"))
			if mode == sink.Append || mode == sink.Complete {
				p = w.stage(old, 1, delta("+ c 3"))
			}
			w.publish(old, 1, 1, p) // the process dies here: commits/1 is missing
			want := w.rows("SELECT k, n FROM $s.out ORDER BY k, n")

			next := w.open(c)
			w.marker(next, "true 1")
			w.publish(next, 1, 2, p)
			w.want("SELECT k, n FROM $s.out ORDER BY k, n", want)
			if err := next.Discard(t.Context(), sink.Batch{ID: 2, Epoch: 2}); err != nil {
				t.Fatal(err)
			}
			late := w.stage(old, 2, delta("+ z 9"))
			w.says(old.Publish(t.Context(), sink.Batch{ID: 2, Epoch: 1}, late), "was taken over by a newer run", "epoch 2, this is 1", "process")
			w.want("SELECT k, n FROM $s.out ORDER BY k, n", want)

			other := w.stage(next, 1, delta("+ other 1"))
			w.says(next.Publish(t.Context(), sink.Batch{ID: 1, Epoch: 2}, other), "another batch 1")
			w.says(next.Publish(t.Context(), sink.Batch{ID: 3, Epoch: 2}, other), "batch 3 cannot follow batch 1")
			w.publish(next, 2, 2, late)
			w.marker(next, "true 2")
		})
	}
}

// TestPostgresFencedAtStart: a new run fences older ones off before its first batch.
func TestPostgresFencedAtStart(t *testing.T) {
	w := newPG(t)
	c := w.config(sink.Append, "create_table", "true")
	old, next := w.open(c), w.open(c)
	if err := old.Discard(t.Context(), sink.Batch{ID: 0, Epoch: 1}); err != nil {
		t.Fatal(err)
	}
	if err := next.Discard(t.Context(), sink.Batch{ID: 0, Epoch: 2}); err != nil {
		t.Fatal(err)
	}
	w.marker(next, "false -1")
	w.says(old.Publish(t.Context(), sink.Batch{ID: 0, Epoch: 1}, w.stage(old, 0, delta("+ a 1"))), "taken over")
	w.want("SELECT count(*) FROM $s.out", "0")
}

func TestPostgresOwner(t *testing.T) {
	w := newPG(t)
	c := w.config(sink.Append, "create_table", "true")
	w.put(w.open(c), 0, "+ a 1")
	other := c
	other.Query, other.QueryID = "r", "id-2"
	w.refused(other, `belongs to query "q" (id id-1)`, "sink_id", "adopt_sink = true", "DELETE FROM")
	again := c
	again.QueryID = "id-3"
	w.refused(again, `written with another checkpoint of query "q"`)

	other.Adopt = true
	s := w.open(other)
	w.marker(s, "false -1")
	if err := s.Discard(t.Context(), sink.Batch{ID: 7, Epoch: 1}); err != nil {
		t.Fatal(err)
	}
	w.marker(s, "true 6")
	w.put(s, 7, "+ b 2")
	w.want("SELECT k FROM $s.out ORDER BY k", "a\nb")
	w.refused(c, `belongs to query "r"`)

	beside := w.config(sink.Append, "sink_id", "second")
	beside.QueryID = "id-4"
	w.put(w.open(beside), 0, "+ c 3")
	w.want("SELECT k FROM $s.out ORDER BY k", "a\nb\nc")

	w.run("DROP TABLE $s.out")
	lostRows := w.config(sink.Append, "create_table", "true")
	lostRows.QueryID, lostRows.Query = "id-2", "r"
	w.refused(lostRows, "is missing, though this query wrote batch 7 into it")
	w.run("DELETE FROM $s.sqlstream_commits WHERE sink = 'second'")
	w.says(w.open(beside).Publish(t.Context(), sink.Batch{ID: 5, Epoch: 1}, []byte{9}), "version 9")
}

// TestPostgresOnce: a query without a checkpoint leaves nothing behind.
func TestPostgresOnce(t *testing.T) {
	w := newPG(t)
	for i := range 2 {
		c := w.config(sink.Append, "create_table", "true")
		c.Once, c.QueryID = true, fmt.Sprint(i)
		s := w.open(c)
		w.marker(s, "false -1")
		w.put(s, 0, "+ a 1")
	}
	w.want("SELECT count(*) FROM $s.out", "2")
	w.want("SELECT count(*) FROM $s.sqlstream_commits", "0")
}

func TestPostgresRefusals(t *testing.T) {
	w := newPG(t)
	w.refused(w.config(sink.Update), "there is no table "+w.schema+".out", "create_table = true",
		`CREATE TABLE "`+w.schema+`"."out" ("k" text, "n" bigint, PRIMARY KEY ("k"))`)
	w.run("CREATE TABLE $s.out (k text, n integer, m int NOT NULL)")
	w.refused(w.config(sink.Append), "SQL2024", `column "n": the query gives BIGINT, and the column is integer`, `column "m" is NOT NULL without a default`)
	w.run("ALTER TABLE $s.out ALTER n TYPE bigint, DROP m")
	w.refused(w.config(sink.Update), "no unique constraint on the key (k)", `ADD PRIMARY KEY ("k")`)
	w.run("CREATE UNIQUE INDEX ON $s.out (k) WHERE n > 0")
	w.refused(w.config(sink.Update), "no unique constraint on the key (k)")
	w.run("ALTER TABLE $s.out ADD UNIQUE (k, n)")
	w.refused(w.config(sink.Update), "no unique constraint on the key (k)")
	w.run("ALTER TABLE $s.out DROP n, ADD n bigint GENERATED ALWAYS AS (1) STORED")
	w.refused(w.config(sink.Append), `column "n" is generated`)
	w.run("ALTER TABLE $s.out DROP n, ADD nn bigint, ADD p point")
	w.refused(w.config(sink.Append), `it has no column "n": ALTER TABLE`, `ADD COLUMN "n" bigint`)
	w.run("DROP TABLE $s.out; CREATE VIEW $s.out AS SELECT 'a' AS k, 1::bigint AS n")
	w.refused(w.config(sink.Append), "is a view")
	w.refused(w.config(sink.Append, "table", "a.b.c.d"), "expected a table, or schema.table")

	w.run("CREATE TABLE $s.n (k text PRIMARY KEY, n numeric(5,2))")
	c := w.config(sink.Append)
	c.Options = w.options("table", w.schema+".n")
	c.Columns[1].Type = types.DecimalOf(10, 2)
	w.refused(c, "numeric(5,2) holds fewer digits than DECIMAL(10,2)")
	c.Columns[1].Type = types.Of(types.Float64)
	w.refused(c, "the query gives DOUBLE, and the column is numeric(5,2)")
}

func TestPostgresUnreachable(t *testing.T) {
	w := newPG(t)
	good, err := pgx.ParseConfig(w.url)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		opts  []string
		words []string
	}{
		"password": {[]string{"password", "s3cret"}, []string{`refused the log-in of user "stream"`, "check user, password"}},
		"database": {[]string{"database", "nowhere"}, []string{`database "nowhere" does not exist`, "option database"}},
		"port":     {[]string{"port", "1"}, []string{"127.0.0.1:1/stream cannot be reached", "connection refused", "is the server running"}},
		"host":     {[]string{"host", "no.such.host.invalid"}, []string{"no.such.host.invalid", "cannot be reached"}},
		"tls":      {[]string{"sslmode", "require"}, []string{"refused TLS connection"}},
		"cert":     {[]string{"sslmode", "verify-full", "sslrootcert", "missing.pem"}, []string{"missing.pem"}},
		"url":      {[]string{"url", "postgres://stream:s3cret@127.0.0.1:port/x"}, []string{"settings of the connection are not usable"}},
		"no url":   {[]string{"url", "mysql://stream:s3cret@127.0.0.1/x"}, []string{"does not begin with postgres://"}},
	} {
		t.Run(name, func(t *testing.T) {
			v := *w
			v.T = t
			cfg := v.config(sink.Append, c.opts...)
			v.refused(cfg, c.words...)
			_, err := postgres.Sink().Open(t.Context(), cfg)
			if err != nil && (strings.Contains(err.Error(), "s3cret") || strings.Contains(err.Error(), good.Password+"@")) {
				t.Errorf("a password is shown: %v", err)
			}
		})
	}
	w.run("CREATE TABLE $s.out (k text, n bigint)")
	s := w.open(w.config(sink.Append))
	if strings.Contains(s.Description(), good.Password+"@") || !strings.Contains(s.Description(), w.schema+".out") {
		t.Error(s.Description())
	}
}

func TestPostgresPrivileges(t *testing.T) {
	w := newPG(t)
	role := "r_" + w.schema
	w.run("CREATE ROLE " + role + " LOGIN PASSWORD 'pw'; GRANT USAGE ON SCHEMA $s TO " + role)
	t.Cleanup(func() {
		c, _ := pgx.Connect(context.Background(), w.url)
		c.Exec(context.Background(), "DROP OWNED BY "+role+"; DROP ROLE "+role)
		c.Close(context.Background())
	})
	w.run("CREATE TABLE $s.out (k text PRIMARY KEY, n bigint); GRANT SELECT, INSERT ON $s.out TO " + role)
	c := w.config(sink.Update, "user", role, "password", "pw")
	w.refused(c, "may not UPDATE, DELETE on table", "GRANT UPDATE, DELETE ON")
	w.run("GRANT UPDATE, DELETE ON $s.out TO " + role)
	w.refused(c, "the table of commits "+w.schema+".sqlstream_commits cannot be created", "permission denied", "option commit_table")
	w.refused(w.config(sink.Update, "user", role, "password", "pw", "table", w.schema+".o2", "create_table", "true"), "cannot be created", "permission denied")
	w.run("CREATE SCHEMA own_$s AUTHORIZATION " + role)
	t.Cleanup(func() { w.conn.Exec(context.Background(), "DROP SCHEMA own_"+w.schema+" CASCADE") })
	s := w.open(w.config(sink.Update, "user", role, "password", "pw", "commit_table", "own_"+w.schema+".c"))
	w.put(s, 0, "+ a 1")
	w.want("SELECT batch_id FROM own_$s.c", "0")
}

// TestPostgresAltered: a table that is changed under a running query is an error at once.
func TestPostgresAltered(t *testing.T) {
	for _, c := range []struct{ sql, word string }{
		{"ALTER TABLE $s.out ALTER n TYPE timestamp USING now()", `column "n" of table $s.out has become timestamp`},
		{"ALTER TABLE $s.out DROP n", `column "n" of table $s.out is gone`},
		{"ALTER TABLE $s.out RENAME k TO kk", `column "k" of table $s.out is gone`},
		{"DROP TABLE $s.out", "is gone since the query began"},
		{"ALTER TABLE $s.out ADD must int NOT NULL DEFAULT 1; ALTER TABLE $s.out ALTER must DROP DEFAULT", "null value in column"},
		{"ALTER TABLE $s.out ADD CHECK (n < 0) NOT VALID", "violates check constraint"},
		{"ALTER TABLE $s.out DROP CONSTRAINT out_pkey", "no unique or exclusion constraint"},
		{"DROP TABLE $s.sqlstream_commits", "is gone since the query began"},
		{"DELETE FROM $s.sqlstream_commits", "somebody deleted it while the query ran"},
	} {
		t.Run(c.sql, func(t *testing.T) {
			w := newPG(t)
			s := w.open(w.config(sink.Update, "create_table", "true"))
			w.put(s, 0, "+ a 1")
			p := w.stage(s, 1, delta("+ b 2"))
			w.run(c.sql)
			w.says(s.Publish(t.Context(), sink.Batch{ID: 1, Epoch: 1}, p), strings.ReplaceAll(c.word, "$s", w.schema))
		})
	}
	w := newPG(t)
	s := w.open(w.config(sink.Update, "create_table", "true"))
	w.put(s, 0, "+ a 1")
	w.run("ALTER TABLE $s.out ADD more text DEFAULT 'x'")
	w.put(s, 1, "+ a 2; + b 3")
	w.want("SELECT k, n, more FROM $s.out ORDER BY k", "a|2|x\nb|3|x")
}

// TestPostgresLocked: a lock of another session is waited for, then named.
func TestPostgresLocked(t *testing.T) {
	w := newPG(t)
	s := w.open(w.config(sink.Append, "create_table", "true", "lock_timeout", "100 ms", "retry_timeout", "300 ms"))
	w.put(s, 0, "+ a 1")
	tx, err := w.conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w.run("LOCK TABLE $s.out IN ACCESS EXCLUSIVE MODE")
	p := w.stage(s, 1, delta("+ b 2"))
	w.says(s.Publish(t.Context(), sink.Batch{ID: 1, Epoch: 1}, p), "another session holds a lock", "lock_timeout", "retry_timeout")
	tx.Rollback(t.Context())
	w.publish(s, 1, 1, p)
	w.want("SELECT count(*) FROM $s.out", "2")
}

// TestPostgresConnectionLost: sessions that the server ends between any two steps.
func TestPostgresConnectionLost(t *testing.T) {
	w := newPG(t)
	s := w.open(w.config(sink.Update, "create_table", "true"))
	for i := range int64(6) {
		w.put(s, i, fmt.Sprintf("+ a %d; + b%d 1", i, i))
		w.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'sqlstream' AND query LIKE '%" + w.schema + "%'")
	}
	w.want("SELECT count(*), max(n) FROM $s.out", "7|5")
	w.marker(s, "true 5")
}
