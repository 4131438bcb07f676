//go:build unix

package process_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/sink/process"
	"github.com/sqlstream/sqlstream/exec/sink/sinktest"
	"github.com/sqlstream/sqlstream/exec/types"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var cols = sinktest.Columns(types.String, types.Int64)

// acks is a child that appends all it reads to the file out and acknowledges.
const acks = `while read -r line; do
  printf '%s\n' "$line" >> out
  case $line in '{"close":'*)
    name=${line#'{"close":'}; printf '{"ack":{%s}}\n' "$(printf %s "$name" | sed 's/^{//; s/,"rows.*//')";;
  esac
done
echo bye >> out`

// world is a directory with scripts, and what the sink logs.
type world struct {
	t   *testing.T
	dir string
	log bytes.Buffer
	cfg sink.Config
}

func newWorld(t *testing.T, mode sink.Mode, script string, opts ...string) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir()}
	w.file("child.sh", script)
	w.cfg = sinktest.Config(mode, cols, []int{0}, append([]string{"command", "sh child.sh"}, opts...)...)
	w.cfg.Dir = w.dir
	w.cfg.Clock = clock.Real()
	w.cfg.Log = slog.New(slog.NewTextHandler(&w.log, nil))
	return w
}

func (w *world) file(name, text string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) open() sink.Sink {
	w.t.Helper()
	s, err := process.Connector().Open(context.Background(), w.cfg)
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

func (w *world) out(name string) string {
	data, err := os.ReadFile(filepath.Join(w.dir, name))
	if err != nil {
		return err.Error()
	}
	return strings.TrimSpace(string(data))
}

func (w *world) want(got, want string) {
	w.t.Helper()
	if got != want {
		w.t.Errorf("got  %s\nwant %s", got, want)
	}
}

const head = `"query":"counts","query_id":"f67b589e-31f6-4ace-b1ab-365c155acca3","mode":"%s","columns":[{"name":"a","type":"STRING"},{"name":"b","type":"BIGINT"}]}}`

func TestFrames(t *testing.T) {
	w := newWorld(t, sink.Update, acks)
	s := w.open()
	for id := range int64(2) {
		if _, err := sinktest.Write(s, sink.Batch{ID: id}, sinktest.Weighted(sinktest.Batch(cols, []any{"x", 1}, []any{`"`, nil}), -1, 1)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := sinktest.Write(s, sink.Batch{ID: 2}); err != nil { // no rows, no frame
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	frame := `{"open":{"partition":0,"version":%d,` + fmt.Sprintf(head, "update") + `
{"row":{"a":"x","b":1},"weight":-1}
{"row":{"a":"\"","b":null}}
{"close":{"partition":0,"version":%d,"rows":2}}
`
	w.want(w.out("out"), fmt.Sprintf(frame+frame+"bye", 0, 0, 1, 1))
}

// A child that dies, says nothing or asks for the rows again gets the same lines again, in
// a new process; the third one takes them.
func TestAFrameIsSentUntilItIsAcknowledged(t *testing.T) {
	for name, c := range map[string][2]string{
		"it dies while it reads": {"read -r line; echo oops >&2; exit 3", "its last words: oops"},
		"it ends at once":        {"exit 0", "ended"},
		"it is silent":           {"while read -r line; do :; done", "did not acknowledge the rows within 700ms"},
		"it does not read":       {"exec sleep 100", "did not acknowledge the rows within 700ms"},
		"it asks again":          {`while read -r line; do case $line in *close*) echo '{"retry":"busy"}';; esac; done`, "asked for the rows again: busy"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := again(t, c[0], c[1]); err != nil {
				t.Error(err)
			}
		})
	}
}

func again(t *testing.T, bad, say string) error {
	t.Helper()
	script := `echo x >> starts; if [ $(wc -l < starts) -lt 3 ]; then ` + bad + "; exit; fi\n" + acks
	if strings.Contains(bad, "retry") { // by the same child
		script = `while read -r line; do case $line in '{"close":'*) echo x >> starts
  if [ $(wc -l < starts) -lt 3 ]; then echo '{"retry":"busy"}'; else echo "$line" >> out; echo '{"ack":{"partition":0,"version":4}}'; fi;; esac; done`
	}
	timeout := "1 minute"
	slow := strings.HasSuffix(say, "700ms") // and so may be the child in order, on a busy machine
	if slow {
		timeout = "700 ms"
	}
	w := newWorld(t, sink.Append, script, "timeout", timeout, "retry_timeout", "5 minutes")
	s := w.open()
	_, err := sinktest.Write(s, sink.Batch{ID: 4}, sinktest.Batch(cols, []any{strings.Repeat("long", 40_000), 1}))
	if err = errors.Join(err, s.Close()); err != nil {
		return err
	}
	taken, starts := strings.Count(w.out("out"), `{"close":{"partition":0,"version":4,"rows":1}}`), strings.Count(w.out("starts"), "x")
	if taken < 1 || starts < 3 || !slow && (taken != 1 || starts != 3) {
		return fmt.Errorf("taken %d times in %d starts", taken, starts)
	}
	if !strings.Contains(w.log.String(), say) {
		return fmt.Errorf("the log lacks %q: %.600s", say, w.log.String())
	}
	return nil
}

func TestRefusalsAreFinal(t *testing.T) {
	for answer, want := range map[string]string{
		`{"error":"no such account"}`:         "the command refused the rows: no such account",
		`hello`:                               `wrote "hello" where an acknowledgement is expected`,
		`{"ack":{"partition":0,"version":3}}`: "acknowledged partition 0 of version 3, expected partition 0 of version 4",
	} {
		w := newWorld(t, sink.Append, "echo x >> starts; while read -r line; do case $line in *close*) echo '"+answer+"';; esac; done")
		s := w.open()
		_, err := sinktest.Write(s, sink.Batch{ID: 4}, sinktest.Batch(cols, []any{"x", 1}))
		if sinktest.Has(err, want) != "" || w.out("starts") != "x" {
			t.Error(sinktest.Has(err, want), w.out("starts"))
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestGivingUp(t *testing.T) {
	w := newWorld(t, sink.Append, "exit 1", "retry_timeout", "150 ms")
	s := w.open()
	_, err := sinktest.Write(s, sink.Batch{}, sinktest.Batch(cols, []any{"x", 1}))
	if text := sinktest.Has(err, "exit status 1", "given up after retry_timeout = 150ms"); text != "" {
		t.Error(text)
	}
}

func TestStoppingAQueryKillsItsChild(t *testing.T) {
	w := newWorld(t, sink.Append, "echo up > up; cat > /dev/null; sleep 100")
	s := w.open()
	payload, err := s.Stage(context.Background(), sink.Batch{}, sinktest.Feed(sinktest.Batch(cols, []any{"x", 1})))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	if err := s.Publish(ctx, sink.Batch{}, payload); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestAProcessForEachBatch(t *testing.T) {
	w := newWorld(t, sink.Append, `cat >> out; echo "$SQLSTREAM_QUERY $SQLSTREAM_VERSION/$SQLSTREAM_PARTITION" >> out; echo done
[ $SQLSTREAM_VERSION != 9 ]`, "run", "batch", "retry_timeout", "0")
	s := w.open()
	for id := range int64(2) {
		if _, err := sinktest.Write(s, sink.Batch{ID: id}, sinktest.Weighted(sinktest.Batch(cols, []any{"x", 1}), 2)); err != nil {
			t.Fatal(err)
		}
	}
	out := w.out("out")
	if strings.Count(out, `{"row":{"a":"x","b":1}}`) != 4 || !strings.Contains(out, "counts 0/0") || !strings.HasSuffix(out, "counts 1/0") {
		t.Error(out)
	}
	if !strings.Contains(w.log.String(), "line=done") {
		t.Error(w.log.String())
	}
}

// A process that does not read all of its input has not taken the rows, and the error says
// how it came to its end.
func TestAProcessThatDoesNotReadAll(t *testing.T) {
	for _, c := range []struct{ script, run, err string }{
		{"head -c 10 > /dev/null", "batch", "partition 0: the command ended before it had read all rows: exit status 0"},
		{"exec 0<&-; echo done", "batch", "partition 0: the command ended before it had read all rows: exit status 0"},
		{"head -c 10 > /dev/null; echo no room >&2; exit 3", "batch", "partition 0: the command ended before it had read all rows: exit status 3; its last words: no room"},
		{"head -c 10 > /dev/null", "query", "the command ended"},
		{"exec 0<&-; exec sleep 100", "query", "partition 0: the command closed its input before it had read all rows"},
	} {
		t.Run(c.script, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, sink.Append, c.script, "run", c.run, "retry_timeout", "0")
			s := w.open()
			_, err := sinktest.Write(s, sink.Batch{}, sinktest.Batch(cols, []any{strings.Repeat("long", 1_000_000), 1}))
			if err = errors.Join(err, s.Close()); sinktest.Has(err, c.err) != "" {
				t.Error(sinktest.Has(err, c.err))
			}
		})
	}
}

func TestCommands(t *testing.T) {
	w := newWorld(t, sink.Append, "")
	w.file("tool.sh", "#!/bin/sh\nprintf '%s|' \"$@\" > args; cat > /dev/null")
	if err := os.Chmod(filepath.Join(w.dir, "tool.sh"), 0o700); err != nil {
		t.Fatal(err)
	}
	for command, want := range map[string]string{
		`./tool.sh 'a b' "c d"\ e ''  $HOME;`: "a b|c d e||$HOME;|",
		`./nothing`:                           "no such file",
		`'open`:                               "a ' is never closed",
		`end\`:                                `ends with \`,
		` `:                                   "there is no program in it",
	} {
		w.cfg = sinktest.Config(sink.Append, cols, nil, "command", command, "run", "batch")
		w.cfg.Dir, w.cfg.Clock = w.dir, clock.Real()
		s, err := process.Connector().Open(context.Background(), w.cfg)
		if err != nil {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v", command, err)
			}
			continue
		}
		if _, err := sinktest.Write(s, sink.Batch{}, sinktest.Batch(cols, []any{"x", 1})); err != nil {
			t.Error(err)
		}
		w.want(w.out("args"), want)
	}
	w.cfg = sinktest.Config(sink.Append, cols, nil, "command", "cat > piped && exit 0", "shell", "true", "run", "batch")
	w.cfg.Dir, w.cfg.Clock = w.dir, clock.Real()
	if _, err := sinktest.Write(w.open(), sink.Batch{}, sinktest.Batch(cols, []any{"x", 1})); err != nil || !strings.Contains(w.out("piped"), `"x"`) {
		t.Error(err, w.out("piped"))
	}
}
