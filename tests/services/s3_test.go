//go:build services

package services

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/storage/vfs"
	"github.com/sqlstream/sqlstream/storage/vfs/s3"
)

// bucketWorld is a bucket of its own on the real store, and the real program.
type bucketWorld struct {
	t      *testing.T
	env    []string
	bucket string
	fs     vfs.FS
	bin    string
	dir    string
}

func newBucket(t *testing.T) *bucketWorld {
	t.Helper()
	vars := Start(t, "s3")
	w := &bucketWorld{t: t, bucket: fmt.Sprintf("sqlstream-%d-%d", os.Getpid(), time.Now().UnixNano()), dir: t.TempDir()}
	for k, v := range vars {
		t.Setenv(k, v)
	}
	req, err := http.NewRequest(http.MethodPut, vars["S3_ENDPOINT"]+"/"+w.bucket, nil)
	w.check(err)
	res, err := http.DefaultClient.Do(req)
	w.check(err)
	res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Fatalf("the bucket was not made: %s", res.Status)
	}
	w.fs, err = s3.Open(nil)
	w.check(err)
	w.bin = filepath.Join(w.dir, "sqlstream")
	if out, err := exec.Command("go", "build", "-trimpath", "-o", w.bin, "../../cmd/sqlstream").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return w
}

func (w *bucketWorld) check(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *bucketWorld) put(key, text string) {
	w.t.Helper()
	w.check(vfs.WriteFileAtomic(w.fs, "s3:/"+w.bucket+"/"+key, []byte(text), true))
}

// program is the program at work on a script; $B is the bucket.
func (w *bucketWorld) program(sql string) (*exec.Cmd, *bytes.Buffer) {
	name := filepath.Join(w.dir, "script.sql")
	w.check(os.WriteFile(name, []byte(strings.ReplaceAll(sql, "$B", "s3://"+w.bucket)), 0o644))
	cmd := exec.Command(w.bin, "-f", name)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	return cmd, &out
}

func (w *bucketWorld) run(sql string) string {
	w.t.Helper()
	cmd, out := w.program(sql)
	if err := cmd.Run(); err != nil {
		w.t.Fatalf("%v\n%s", err, out)
	}
	return out.String()
}

const s3Objects = `
CREATE SOURCE e (id BIGINT, k STRING, at TIMESTAMP, WATERMARK FOR at AS at - INTERVAL '1' MINUTE)
  WITH (connector = 'file', path = '$B/in/', format = 'json', max_files_per_trigger = '1', list_interval = '50 ms');
CREATE SINK o WITH (connector = 'file', path = '$B/out', format = 'parquet');
`

const s3Query = `INSERT INTO o SELECT window.start AS start, k, count(*) AS n, sum(id) AS total FROM e GROUP BY window(at, '10 minutes'), k %s WITH (checkpoint = '$B/checkpoint');
AWAIT ALL;`

// fill writes files of ten rows, a minute each, and gives the answer once all but the last
// window are closed.
func (w *bucketWorld) fill(from, to int) {
	for f := from; f < to; f++ {
		var text strings.Builder
		for r := range 10 {
			id := f*10 + r
			at := time.Date(2024, 1, 1, 0, f, r, 0, time.UTC)
			fmt.Fprintf(&text, "{\"id\": %d, \"k\": \"k%d\", \"at\": %q}\n", id, id%3, at.Format(time.RFC3339))
		}
		w.put(fmt.Sprintf("in/%05d.json", f), text.String())
	}
}

// answers compares the output, read from the store, with a query over the input.
func (w *bucketWorld) answers() {
	w.t.Helper()
	got := w.run(`SELECT * FROM '$B/out/' ORDER BY start, k;`)
	want := w.run(`SELECT date_trunc('hour', at) + INTERVAL '10' MINUTE * (minute(at) DIV 10) AS start, k, count(*) AS n, sum(id) AS total
		FROM '$B/in/' WHERE at < '2024-01-02' GROUP BY 1, k ORDER BY start, k;`)
	if got != want {
		w.t.Errorf("the sink holds\n%s\nthe batch query gives\n%s", got, want)
	}
}

// end closes all windows.
func (w *bucketWorld) end() {
	w.put("in/99999.json", `{"id": 0, "k": "end", "at": "2024-02-01T00:00:00Z"}`+"\n")
}

// Input, output and checkpoint on the store; the program is killed again and again.
func TestS3Killed(t *testing.T) {
	w := newBucket(t)
	w.fill(0, 45)
	w.end()
	rng := rand.New(rand.NewPCG(1, 1))
	kills := 0
	for {
		cmd, out := w.program(s3Objects + fmt.Sprintf(s3Query, "TRIGGER AVAILABLE NOW"))
		w.check(cmd.Start())
		done := make(chan error, 1)
		go func() { done <- cmd.Wait() }()
		select {
		case err := <-done:
			if err != nil {
				t.Fatalf("after %d kills: %v\n%s", kills, err, out)
			}
		case <-time.After(time.Duration(200+rng.IntN(500)+20*kills) * time.Millisecond): // longer each time: it ends on a slow machine too
			w.check(cmd.Process.Kill())
			if kills++; kills > 100 {
				t.Fatal("it gets nowhere")
			}
			<-done
			continue
		}
		break
	}
	t.Logf("%d kills", kills)
	if kills < 5 {
		t.Errorf("only %d kills", kills)
	}
	w.answers()
	if got := w.run(`SELECT count(*) AS n FROM '$B/out/*.parquet';`); strings.TrimSpace(got) != strings.TrimSpace(w.run(`SELECT count(*) AS n FROM '$B/out/';`)) {
		t.Errorf("readers of plain files see %s rows", got)
	}
}

// A process that sleeps while another one takes its query over is told so, by name, and
// has changed nothing.
func TestS3Zombie(t *testing.T) {
	w := newBucket(t)
	w.fill(0, 5)
	old, out := w.program(s3Objects + fmt.Sprintf(s3Query, "TRIGGER EVERY '100 ms'"))
	w.check(old.Start())
	w.until("commits/2")
	w.check(old.Process.Signal(syscall.SIGSTOP))
	w.fill(5, 20)
	next, _ := w.program(s3Objects + fmt.Sprintf(s3Query, "TRIGGER AVAILABLE NOW"))
	w.check(next.Start())
	pid := next.Process.Pid
	w.check(next.Wait())
	w.fill(20, 25)
	w.check(old.Process.Signal(syscall.SIGCONT))
	timer := time.AfterFunc(20*time.Second, func() { _ = old.Process.Kill() })
	err := old.Wait()
	timer.Stop()
	if err == nil || !strings.Contains(out.String(), "another process") {
		t.Errorf("the old process: %v\n%s", err, out)
	}
	if !strings.Contains(out.String(), fmt.Sprintf("process %d", pid)) {
		t.Errorf("it does not say who took over (process %d):\n%s", pid, out)
	}
	w.end()
	w.run(s3Objects + fmt.Sprintf(s3Query, "TRIGGER AVAILABLE NOW"))
	w.answers()
}

// until waits for an object of the checkpoint.
func (w *bucketWorld) until(name string) {
	w.t.Helper()
	for range 500 {
		if _, err := w.fs.Stat("s3:/" + w.bucket + "/checkpoint/" + name); err == nil {
			return
		}
		<-time.After(20 * time.Millisecond)
	}
	w.t.Fatalf("%s does not come", name)
}

// What cannot be reached says what, where, why, and the way out, and no secret.
func TestS3Refusals(t *testing.T) {
	w := newBucket(t)
	w.put("in/a.json", `{"id": 1}`)
	const secret = "sesame-open-42"
	for _, c := range []struct {
		sql  string
		code int
		want []string
	}{
		{`SELECT * FROM 's3://no-such-bucket-anywhere/in/a.json';`, 3, []string{"no-such-bucket-anywhere", "does not exist", "create it"}},
		{`CREATE SOURCE x (id INT) WITH (connector = 'file', path = '$B/in/', format = 'json', s3.endpoint = 'http://127.0.0.1:1', s3.access_key = 'me', s3.secret_key = '` + secret + `');
		  SELECT id FROM x TRIGGER AVAILABLE NOW; AWAIT ALL;`, 3, []string{"http://127.0.0.1:1 cannot be reached", "s3_endpoint", "tried 6 times"}},
		{`SELECT * FROM '$B/missing/x.json';`, 3, []string{"does not exist"}},
		{`SET s3_access_key = 'me'; SET s3_secret_key = '` + secret + `'; SET s3_secret_key; SHOW SETTINGS; SELECT 1;`, 0, []string{"***"}},
		{`SET s3_access_key = 'me'; SELECT * FROM '$B/in/a.json';`, 3, []string{"s3_secret_key belong together"}},
		{`SET s3_endpoint = 'http://u:` + secret + `@h/'; SELECT * FROM '$B/in/a.json';`, 3, []string{"without user, bucket or path"}},
		{`SELECT * FROM 'hdfs://n/x.json';`, 2, []string{"distcp"}},
	} {
		cmd, out := w.program(c.sql)
		err := cmd.Run()
		if code := cmd.ProcessState.ExitCode(); code != c.code {
			t.Errorf("%s\nexit status %d, want %d (%v)\n%s", c.sql, code, c.code, err, out)
		}
		for _, want := range c.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s\ndoes not say %q:\n%s", c.sql, want, out)
			}
		}
		if strings.Contains(out.String(), secret) {
			t.Errorf("%s\nprints a secret:\n%s", c.sql, out)
		}
	}
}
