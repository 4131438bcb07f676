//go:build services

package services

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/incremental/engine"
	"github.com/sqlstream/sqlstream/incremental/trigger"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

// die makes an engine whose queries end at a point of a batch.
func (w *sqlWorld) die(p trigger.Point, batch int64) {
	w.Helper()
	w.e.Close()
	opt := engine.Options{FS: vfs.OS(), Clock: clock.Real(), Workers: 2, Dir: w.dir, Stdout: &w.out}
	opt.Storage.At = func(at trigger.Point, n int64, _ *trigger.Journal) error {
		if at == p && n == batch {
			return errors.New("the process dies")
		}
		return nil
	}
	var err error
	if w.e, err = engine.Open(opt); err != nil {
		w.Fatal(err)
	}
}

// TestPostgresPipeline: from changes of one table through a query into others, with an end
// at each step of each batch; what is there in the end is what the query gives in one go.
func TestPostgresPipeline(t *testing.T) {
	p, w := newPG(t), newSQL(t)
	p.run("CREATE TABLE $s.t (id int PRIMARY KEY, shop text, n int); ALTER TABLE $s.t REPLICA IDENTITY FULL; INSERT INTO $s.t SELECT i, 's' || i % 3, i FROM generate_series(1, 30) i")
	t.Cleanup(func() { w.e.Close(); p.dropSlot("s_" + p.schema) })
	declare := fmt.Sprintf(`CREATE SOURCE t (id INT, shop STRING, n INT, PRIMARY KEY (id)) WITH (connector = 'postgres-cdc', url = '%[1]s', table = '%[2]s.t', slot = 's_%[2]s', create = true);
CREATE SINK totals WITH (connector = 'postgres', url = '%[1]s', table = '%[2]s.totals', create_table = true);
CREATE SINK whole WITH (connector = 'postgres', url = '%[1]s', table = '%[2]s.whole', create_table = true);
EXECUTE STATEMENT SET BEGIN
INSERT INTO totals SELECT shop, count(*) AS c, sum(n) AS s FROM t GROUP BY shop;
INSERT INTO whole SELECT shop, n FROM t;
END EMIT CHANGELOG TRIGGER AVAILABLE NOW WITH (name = 'both'); AWAIT ALL`, p.url, p.schema)
	check := func() {
		t.Helper()
		p.want("SELECT shop, c, s FROM $s.totals ORDER BY shop", p.rows("SELECT shop, count(*), sum(n) FROM $s.t GROUP BY shop ORDER BY shop"))
		p.want("SELECT shop, n FROM $s.whole ORDER BY n, shop", p.rows("SELECT shop, n FROM $s.t ORDER BY n, shop"))
	}
	batch := int64(0)
	for _, at := range trigger.Points()[2:] {
		w.die(at, batch)
		if _, err := w.exec(declare); err == nil || !strings.Contains(err.Error(), "the process dies") {
			t.Fatalf("%s: %v", at, err)
		}
		p.run(fmt.Sprintf("INSERT INTO $s.t VALUES (%d, 's1', 7); UPDATE $s.t SET n = n + 1 WHERE id %% 4 = %d; DELETE FROM $s.t WHERE id = %d", 1000+batch, batch%4, batch+1))
		w.restart()
		w.must(declare)
		check()
		p.run(fmt.Sprintf("UPDATE $s.t SET id = id + 10000, shop = 's%d' WHERE id = %d", batch%5, 1000+batch))
		m, err := strconv.ParseInt(p.rows("SELECT batch_id FROM $s.sqlstream_commits WHERE sink LIKE '%totals'"), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		batch = m + 1
	}
}

// ownPG is a server that the test may stop.
type ownPG struct {
	*pgWorld
	env []string
}

func newOwnPG(t *testing.T) *ownPG {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()
	dir, err := os.MkdirTemp("", "sqlstream-pg-")
	if err != nil {
		t.Fatal(err)
	}
	os.Chmod(dir, 0o755)
	o := &ownPG{env: []string{"SERVICES_DATA=" + dir, fmt.Sprint("PG_PORT=", port)}}
	t.Cleanup(func() { script(t, "postgres", "clean", o.env); os.RemoveAll(dir) })
	o.pgWorld = pgAt(t, Start(t, "postgres", o.env...)["PG_URL"])
	return o
}

// crash ends the server as a crash does: it recovers when it starts.
func (o *ownPG) crash() {
	o.Helper()
	pid, err := strconv.Atoi(strings.Fields(o.rows("SELECT pg_read_file('postmaster.pid')"))[0])
	if err != nil {
		o.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGQUIT); err != nil {
		o.Fatal(err)
	}
	for syscall.Kill(pid, 0) == nil {
		<-time.After(10 * time.Millisecond)
	}
}

// start starts the server again.
func (o *ownPG) start() {
	o.Helper()
	Start(o.T, "postgres", o.env...)
	w := pgAt(o.T, o.url)
	w.schema, o.conn = o.schema, w.conn
}

// TestPostgresServerCrash: a server that crashes and comes back is waited for.
func TestPostgresServerCrash(t *testing.T) {
	o := newOwnPG(t)
	o.run(cdcTable)
	s := o.open(o.config(sink.Update, "create_table", "true"))
	c := o.newCDC(true)
	c.next("+1*1:a +1*2:b")
	o.put(s, 0, "+ a 1")
	for i := range int64(3) {
		o.run(fmt.Sprintf("INSERT INTO $s.t VALUES (%d, 'x')", 10+i))
		p := o.stage(s, i+1, delta(fmt.Sprintf("+ k%d %d", i, i)))
		o.crash()
		done := make(chan error, 1)
		go func() { done <- s.Publish(t.Context(), sink.Batch{ID: i + 1, Epoch: 1}, p) }()
		o.start()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		c.next(fmt.Sprintf("+1*%d:x", 10+i))
	}
	o.want("SELECT count(*) FROM $s.out", "4")
	o.marker(s, "true 3")

	quick := o.open(o.config(sink.Append, "sink_id", "quick", "retry_timeout", "200 ms"))
	p := o.stage(quick, 0, delta("+ z 1"))
	o.crash()
	o.says(quick.Publish(t.Context(), sink.Batch{ID: 0, Epoch: 1}, p), "cannot be reached", "retry_timeout", "is the server running")
	o.start()
	o.publish(quick, 0, 1, p)
}
