package engine_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/exec/builtin"
	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/incremental/engine"
	"github.com/sqlstream/sqlstream/incremental/trigger"
)

// withStdin is an engine whose standard input is a text.
func withStdin(t *testing.T, in io.Reader) *world {
	t.Helper()
	r, err := builtin.New("run")
	if err != nil {
		t.Fatal(err)
	}
	r.Stdin.Use(in)
	return newWorld(t, func(o *engine.Options) { o.Builtin, o.Clock = r, clock.Real() })
}

func TestStandardInputAsTable(t *testing.T) {
	w := withStdin(t, strings.NewReader("{\"k\":\"a\",\"v\":1}\n{\"k\":\"b\",\"v\":2}\n{\"k\":\"a\",\"v\":3}"))
	w.gives("SELECT k, sum(v) AS s FROM 'stdin' GROUP BY k ORDER BY k", "a 4", "b 2")
	w = withStdin(t, strings.NewReader("x\ny\n"))
	w.gives("SELECT * FROM '-' ORDER BY value", "x", "y")
	w = withStdin(t, strings.NewReader("1,2\n3,4\n"))
	w.gives("CREATE TABLE t (a INT, b INT) WITH (connector = 'stdin', format = 'csv'); SELECT a + b AS n FROM t ORDER BY n",
		"table t created", "3", "7")
}

func TestStandardInputAsStream(t *testing.T) {
	r, in := io.Pipe()
	w := withStdin(t, r)
	w.must("CREATE SOURCE lines (value STRING, at TIMESTAMP METADATA FROM 'timestamp') WITH (connector = 'stdin'); CREATE SINK mem WITH (connector = 'memory'); " +
		"INSERT INTO mem SELECT upper(value) AS v FROM lines TRIGGER MANUAL")
	fmt.Fprint(in, "a\nb\n")
	for len(w.must("SELECT v FROM mem")) < 2 {
		w.must("RUN TRIGGER")
	}
	fmt.Fprint(in, "c")
	_ = in.Close()
	for len(w.must("SELECT v FROM mem")) < 3 {
		w.must("RUN TRIGGER")
	}
	w.gives("SELECT v FROM mem ORDER BY v", "A", "B", "C")
	w = withStdin(t, strings.NewReader("x\n"))
	w.must("CREATE SINK mem WITH (connector = 'memory'); INSERT INTO mem SELECT * FROM STREAM 'stdin'; AWAIT QUERY mem")
	w.gives("SELECT * FROM mem", "x")
}

// freePort is a port that nobody listens on.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// push sends a row and gives the answer.
func push(address, key, body string) <-chan string {
	out := make(chan string, 1)
	go func() {
		req, err := http.NewRequest("POST", "http://"+address, strings.NewReader(body))
		if err != nil {
			out <- err.Error()
			return
		}
		req.Header.Set("Idempotency-Key", key)
		req.Close = true
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			out <- err.Error()
			return
		}
		defer resp.Body.Close()
		text, _ := io.ReadAll(resp.Body)
		out <- fmt.Sprint(resp.StatusCode, " ", strings.TrimSpace(string(text)))
	}()
	return out
}

// A query that dies in the middle of a batch has logged its rows, or not: the client sends
// them again with their key, and they count once.
func TestHttpPushCountsOnce(t *testing.T) {
	for _, at := range []trigger.Point{trigger.Planned, trigger.Begun, trigger.Computed, trigger.Prepared, trigger.Published, trigger.Committed} {
		t.Run(string(at), func(t *testing.T) {
			dies := true
			w := newWorld(t, func(o *engine.Options) {
				o.Storage.At = func(p trigger.Point, batch int64, _ *trigger.Journal) error {
					if dies && p == at && batch == 0 {
						return errors.New("the power is gone")
					}
					return nil
				}
			})
			address := freePort(t)
			script := "CREATE SOURCE push (k STRING) WITH (connector = 'http', listen = '" + address + "'); " +
				"CREATE SINK dir WITH (connector = 'file', path = 'out', format = 'json'); INSERT INTO dir SELECT k FROM push TRIGGER MANUAL"
			w.must(script)
			first := push(address, "k1", `{"k":"a"}`)
			for q := w.query("dir"); q.Status() == engine.Running; {
				_, _ = w.run("RUN TRIGGER")
			}
			answer := <-first
			if before := at == trigger.Planned || at == trigger.Begun || at == trigger.Computed; strings.HasPrefix(answer, "503 ") != before {
				t.Errorf("the client heard %s", answer)
			}
			dies = false
			w.Kill()
			w.open()
			w.must(script)
			again := push(address, "k1", `{"k":"a"}`)
			for len(again) == 0 {
				w.must("RUN TRIGGER")
			}
			if answer := <-again; !strings.HasPrefix(answer, "200 ") {
				t.Errorf("the client heard %s", answer)
			}
			w.must("STOP QUERY dir")
			w.gives("SELECT k, count(*) AS n FROM 'out' GROUP BY k", "a 1")
		})
	}
}

// What a socket's range took counts once; what nobody can say is said.
func TestSocketOverRestart(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	for _, logged := range []bool{true, false} {
		dies := true
		w := newWorld(t, func(o *engine.Options) {
			o.Storage.At = func(p trigger.Point, batch int64, _ *trigger.Journal) error {
				if dies && p == trigger.Begun && batch == 1 {
					return errors.New("the power is gone")
				}
				return nil
			}
		})
		script := fmt.Sprintf("CREATE SOURCE s (value STRING) WITH (connector = 'socket', host = '127.0.0.1', port = '%s', log_rows = '%v'); ", port, logged) +
			"CREATE SINK dir WITH (connector = 'file', path = 'out', format = 'json'); INSERT INTO dir SELECT value FROM s TRIGGER MANUAL"
		w.must(script)
		c, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(c, "a\n")
		for w.query("dir").LastProgress() == nil {
			w.must("RUN TRIGGER")
		}
		fmt.Fprint(c, "b\nc\n")
		for q := w.query("dir"); q.Status() == engine.Running; {
			_, _ = w.run("RUN TRIGGER")
		}
		_ = c.Close()
		dies = false
		w.Kill()
		w.open()
		w.must(script)
		if c, err = l.Accept(); err != nil {
			t.Fatal(err)
		}
		w.must("RUN TRIGGER") // the batch that was under way
		p := w.query("dir").LastProgress()
		want, lost := []string{"a", "b", "c"}, 1
		if !logged {
			want, lost = want[:1], 2
		}
		l := p.Sources[0].Losses
		if len(l) != lost || l[0].To != -1 || !logged && (l[1].From != 1 || l[1].To != 3) {
			t.Errorf("logged %v: progress says %v", logged, l)
		}
		w.gives("SELECT value FROM 'out' ORDER BY value", want...)
		_ = c.Close()
		w.must("STOP QUERY dir")
	}
}
