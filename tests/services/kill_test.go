//go:build services

package services

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/incremental/trigger"
	"github.com/sqlstream/sqlstream/tests/soak"
)

var sinkKills = flag.Int("kills", 10, "how often the program is killed before each sink")

// killed is the program under test, which is killed at each step of the protocol in turn
// and at random moments: files go through a statement set into two sinks, one that adds
// rows and one that replaces them by key.
type killed struct {
	*testing.T
	dir, binary string
	files       int
	rows        func() (added, counted string, err error) // what the sinks hold, sorted
}

const rowsInFile = 30

func newKilled(t *testing.T, sinks string) *killed {
	t.Helper()
	k := &killed{T: t, dir: t.TempDir()}
	var err error
	if k.binary, err = soak.Build(k.dir, "sqlstream-mutants", "mutants"); err != nil {
		t.Fatal(err)
	}
	script := `CREATE SOURCE clicks (id BIGINT, who STRING) WITH (connector = 'file', format = 'json', path = 'in', max_files_per_trigger = 1);
` + sinks + `
EXECUTE STATEMENT SET BEGIN
INSERT INTO added SELECT id, who FROM clicks EMIT APPEND;
INSERT INTO counted SELECT who, count(*) AS n, sum(id) AS s FROM clicks GROUP BY who HAVING count(*) % 7 <> 0 EMIT UPDATE;
END TRIGGER AVAILABLE NOW WITH (name = 'kills', checkpoint = 'ck');`
	if err := errors.Join(os.Mkdir(filepath.Join(k.dir, "in"), 0o755), os.WriteFile(filepath.Join(k.dir, "q.sql"), []byte(script), 0o600)); err != nil {
		t.Fatal(err)
	}
	return k
}

// arrive adds a file, whole.
func (k *killed) arrive() {
	k.Helper()
	var text strings.Builder
	for i := range rowsInFile {
		id := k.files*rowsInFile + i
		fmt.Fprintf(&text, `{"id":%d,"who":"w%d"}`+"\n", id, id%11)
	}
	tmp := filepath.Join(k.dir, "tmp")
	if err := errors.Join(os.WriteFile(tmp, []byte(text.String()), 0o600), os.Rename(tmp, filepath.Join(k.dir, "in", fmt.Sprintf("f%04d.json", k.files)))); err != nil {
		k.Fatal(err)
	}
	k.files++
}

// run runs the program, and tells whether it was killed.
func (k *killed) run(ctx context.Context, crashAt string) (bool, error) {
	cmd := exec.CommandContext(ctx, k.binary, "-f", "q.sql")
	cmd.Dir, cmd.Env = k.dir, append(os.Environ(), "SQLSTREAM_CRASH_AT="+crashAt)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signaled() {
		return true, nil
	}
	if err != nil {
		err = fmt.Errorf("crash at %q: %w\n%s", crashAt, err, errs.String())
	}
	return false, err
}

// judge compares the sinks with the batch answer over all files.
func (k *killed) judge() {
	k.Helper()
	var added, counted []string
	n, s := map[int]int{}, map[int]int{}
	for id := range k.files * rowsInFile {
		added = append(added, fmt.Sprintf("%d w%d", id, id%11))
		n[id%11]++
		s[id%11] += id
	}
	for who := range n {
		if n[who]%7 != 0 {
			counted = append(counted, fmt.Sprintf("w%d %d %d", who, n[who], s[who]))
		}
	}
	slices.Sort(added)
	slices.Sort(counted)
	gotAdded, gotCounted, err := k.rows()
	if err != nil || gotAdded != strings.Join(added, "; ") || gotCounted != strings.Join(counted, "; ") {
		k.Fatalf("%v\nadded   %d rows, expected %d\ncounted %s\nexpected %s", err, strings.Count(gotAdded, ";")+1, len(added), gotCounted, strings.Join(counted, "; "))
	}
}

// kill kills the program again and again; at the end all rows are there, once.
func (k *killed) kill() {
	k.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	points := trigger.Points()
	count := map[string]int{}
	for i := range *sinkKills {
		k.arrive()
		ctx, cancel := context.WithCancel(k.Context())
		at := string(points[i%len(points)])
		crash := at + ":-1"
		if i%5 == 4 { // at a moment that nobody chose
			ctx, cancel = context.WithTimeout(k.Context(), time.Duration(rng.IntN(400))*time.Millisecond)
			at, crash = "random", ""
		}
		dead, err := k.run(ctx, crash)
		cancel()
		if err != nil || !dead && at != "random" {
			k.Fatalf("not killed at %s: %v", at, err)
		}
		count[at]++
		if i%8 == 7 {
			k.finish()
		}
	}
	k.finish()
	k.Logf("killed at %v", count)
}

func (k *killed) finish() {
	k.Helper()
	if dead, err := k.run(k.Context(), ""); dead || err != nil {
		k.Fatal(dead, err)
	}
	k.judge()
}

func TestMySQLKills(t *testing.T) {
	w := newMySQL(t)
	with := func(table string) string {
		return fmt.Sprintf("WITH (connector = 'mysql', address = '%s', user = 'stream', password = '${PW}', database = 'stream', table = '%s', create_table = true)", w.addr, table)
	}
	t.Setenv("PW", "stream")
	t.Cleanup(func() { _, _ = w.db.Exec("DROP TABLE IF EXISTS " + w.table + "c") })
	k := newKilled(t, "CREATE SINK added "+with(w.table)+"; CREATE SINK counted "+with(w.table+"c")+";")
	k.rows = func() (string, string, error) {
		added, err := w.rows("SELECT id, who FROM $t ORDER BY CONCAT(id, ' ', who) COLLATE utf8mb4_bin")
		counted, err2 := w.rows("SELECT who, n, s FROM $tc ORDER BY CONCAT(who, ' ', n, ' ', s) COLLATE utf8mb4_bin")
		return added, counted, errors.Join(err, err2)
	}
	k.kill()
}

func TestRedisKills(t *testing.T) {
	w := newRedis(t)
	k := newKilled(t, fmt.Sprintf(`CREATE SINK added WITH (connector = 'redis', address = '%s', layout = 'stream', prefix = '%s');
CREATE SINK counted WITH (connector = 'redis', address = '%s', prefix = '%sc:');`, w.addr, w.prefix, w.addr, w.prefix))
	k.rows = func() (string, string, error) {
		ctx := context.Background()
		entries, err := w.db.XRange(ctx, w.prefix, "-", "+").Result()
		var added, counted []string
		for _, e := range entries {
			added = append(added, fmt.Sprintf("%s %s", e.Values["id"], e.Values["who"]))
		}
		keys, err2 := w.db.Keys(ctx, w.prefix+"c:*").Result()
		for _, key := range keys {
			f := w.db.HGetAll(ctx, key).Val()
			counted = append(counted, f["who"]+" "+f["n"]+" "+f["s"])
		}
		slices.Sort(added)
		slices.Sort(counted)
		return strings.Join(added, "; "), strings.Join(counted, "; "), errors.Join(err, err2)
	}
	k.kill()
}
