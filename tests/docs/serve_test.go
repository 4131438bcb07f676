package docs

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/incremental/engine"
	"github.com/sqlstream/sqlstream/incremental/server"
)

// request sends what an http block says, and gives status and body.
func request(t *testing.T, e *engine.Engine, text string) string {
	t.Helper()
	head, body, _ := strings.Cut(text, "\n\n")
	lines := strings.Split(head, "\n")
	method, path, _ := strings.Cut(lines[0], " ")
	r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	r.Host = "127.0.0.1"
	for _, l := range lines[1:] {
		name, value, _ := strings.Cut(l, ": ")
		r.Header.Set(name, value)
	}
	rec := httptest.NewRecorder()
	server.New(server.Options{Engine: e, Version: "docs"}).ServeHTTP(rec, r)
	return fmt.Sprintf("%d %s\n%s", rec.Code, http.StatusText(rec.Code), rec.Body)
}

const deploy = Root + "/docs/deploy/"

// deployed is a directory for what the unit and the container are run with.
type deployed struct {
	*testing.T
	dir, port string
}

func newDeployed(t *testing.T) *deployed {
	t.Helper()
	d := &deployed{T: t, dir: t.TempDir()}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, d.port, _ = net.SplitHostPort(l.Addr().String())
	l.Close()
	for _, sub := range []string{"etc/queries", "state"} {
		if err := os.MkdirAll(filepath.Join(d.dir, sub), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	d.write("etc/token", "deployed-token-0123456789\n")
	d.write("etc/queries/q.sql", "CREATE SOURCE r WITH (connector = 'rate', rows_per_second = 10);\nCREATE MATERIALIZED VIEW n AS SELECT count(*) AS n FROM r;\n")
	return d
}

func (d *deployed) write(name, text string) {
	d.Helper()
	if err := os.WriteFile(filepath.Join(d.dir, name), []byte(text), 0o600); err != nil {
		d.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// runs starts a command line as it is written, with paths and port of this machine, waits
// until it is ready, and ends it as the service manager does.
func (d *deployed) runs(args []string) {
	d.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = filepath.Join(d.dir, "state")
	log, err := os.Create(filepath.Join(d.dir, "log"))
	if err != nil {
		d.Fatal(err)
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		d.Fatal(err)
	}
	defer cmd.Process.Kill() //nolint:errcheck // it has ended already
	if !d.ready() {
		d.Errorf("%q is not ready:\n%s", args, read(d.T, log.Name()))
	}
	cmd.Process.Signal(syscall.SIGTERM) //nolint:errcheck // the status tells
	if err := cmd.Wait(); err != nil {
		d.Errorf("%q ends with %v:\n%s", args, err, read(d.T, log.Name()))
	}
	if found, _ := filepath.Glob(filepath.Join(d.dir, "state", "*", "n", "metadata")); len(found) != 1 {
		d.Errorf("%q keeps no checkpoint where it says", args)
	}
}

func (d *deployed) ready() bool {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for range 1000 {
		<-tick.C
		res, err := http.Get("http://127.0.0.1:" + d.port + "/readyz")
		if err != nil {
			continue
		}
		res.Body.Close()
		if res.StatusCode == http.StatusOK {
			return true
		}
	}
	return false
}

// local puts places of this machine into a command line.
func (d *deployed) local(text string) string {
	for _, r := range [][2]string{{"/usr/local/bin/sqlstream", binary(d.T)}, {"/etc/sqlstream", d.dir + "/etc"}, {"/var/lib/sqlstream", d.dir + "/state"},
		{"%d/token", d.dir + "/etc/token"}, {"0.0.0.0:8642", "127.0.0.1:" + d.port}, {"127.0.0.1:8642", "127.0.0.1:" + d.port}} {
		text = strings.ReplaceAll(text, r[0], r[1])
	}
	return text
}

// The systemd unit: its own checker takes it, and its command line runs as written.
func TestUnit(t *testing.T) {
	d := newDeployed(t)
	unit := read(t, deploy+"sqlstream.service")
	m := regexp.MustCompile(`(?m)^ExecStart=((?:.*\\\n)*.*)$`).FindStringSubmatch(unit)
	if m == nil {
		t.Fatal("the unit starts nothing")
	}
	d.runs(strings.Fields(d.local(strings.ReplaceAll(m[1], "\\\n", " "))))
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		return // not a machine with systemd
	}
	d.write("sqlstream.service", strings.ReplaceAll(unit, "/usr/local/bin/sqlstream", binary(t)))
	out, err := exec.Command(analyze, "verify", "--man=no", filepath.Join(d.dir, "sqlstream.service")).CombinedOutput()
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "sqlstream.service") {
			t.Errorf("systemd-analyze: %v %s", err, line)
		}
	}
}

// The container: its command line runs as written, and the build copies what is there.
func TestContainer(t *testing.T) {
	d := newDeployed(t)
	file := read(t, deploy+"Dockerfile")
	var args []string
	for _, word := range []string{"ENTRYPOINT", "CMD"} {
		m := regexp.MustCompile(`(?m)^` + word + ` (\[.*\])$`).FindStringSubmatch(file)
		var part []string
		if m == nil || json.Unmarshal([]byte(d.local(m[1])), &part) != nil {
			t.Fatalf("no %s", word)
		}
		args = append(args, part...)
	}
	t.Setenv("SQLSTREAM_TOKEN", "deployed-token-0123456789")
	d.runs(args)
	if !strings.Contains(file, "go build -trimpath -o /out/sqlstream ./cmd/sqlstream") || !strings.Contains(file, "CGO_ENABLED=0") {
		t.Error("the container is not built as the project is")
	}
}
