package main

import (
	"bufio"
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"io/fs"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// daemon is sqlstream serve under test.
type daemon struct {
	t    *testing.T
	cmd  *exec.Cmd
	base string // http://127.0.0.1:port
	mu   sync.Mutex
	log  bytes.Buffer
	done chan struct{} // the log has ended
	http *http.Client
}

var serving = regexp.MustCompile(`msg"?[=:]"?serving"?.*address"?[=:]"?([0-9.:]+)`)

// startServe writes a script, serves it, and waits for the address.
func startServe(t *testing.T, script string, env []string, args ...string) *daemon {
	t.Helper()
	path := filepath.Join(t.TempDir(), "q.sql")
	if err := os.WriteFile(path, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	d := &daemon{t: t, done: make(chan struct{}), http: &http.Client{Timeout: patience}}
	d.cmd = exec.Command("sqlstream", append([]string{"serve", "--listen", "127.0.0.1:0", path}, args...)...)
	d.cmd.Env = append(os.Environ(), env...)
	stderr, err := d.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := d.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.cmd.Process.Kill(); d.http.CloseIdleConnections() }) //nolint:errcheck // it has ended already
	lines := bufio.NewReader(stderr)
	for d.base == "" {
		line, err := lines.ReadString('\n')
		d.log.WriteString(line)
		if err != nil {
			t.Fatalf("it does not serve: %s", d.log.String())
		}
		if m := serving.FindStringSubmatch(line); m != nil {
			d.base = "http://" + m[1]
		}
	}
	go func() { io.Copy(d, lines); close(d.done) }() //nolint:errcheck // the pipe ends with the program
	return d
}

// Write collects the log.
func (d *daemon) Write(p []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.log.Write(p)
}

func (d *daemon) said() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.log.String()
}

// ask sends a request and returns status and body.
func (d *daemon) ask(method, path, body string, headers ...string) (int, string) {
	d.t.Helper()
	r, err := http.NewRequestWithContext(d.t.Context(), method, d.base+path, strings.NewReader(body))
	if err != nil {
		d.t.Fatal(err)
	}
	for _, h := range headers {
		k, v, _ := strings.Cut(h, ": ")
		r.Header.Set(k, v)
	}
	res, err := d.http.Do(r)
	if err != nil {
		return 0, err.Error()
	}
	defer res.Body.Close()
	text, _ := io.ReadAll(res.Body)
	return res.StatusCode, string(text)
}

// until asks until the answer has a status and a text.
func (d *daemon) until(path string, status int, text string) {
	d.t.Helper()
	last := ""
	if !eventually(func() bool {
		code, body := d.ask("GET", path, "")
		last = fmt.Sprint(code, " ", body)
		return code == status && strings.Contains(body, text)
	}) {
		d.t.Fatalf("GET %s: %s; the log:\n%s", path, last, d.said())
	}
}

// end sends a signal and returns the exit status.
func (d *daemon) end(sig os.Signal) int {
	d.t.Helper()
	if err := d.cmd.Process.Signal(sig); err != nil {
		d.t.Fatal(err)
	}
	<-d.done
	d.cmd.Wait() //nolint:errcheck // the status says it
	return d.cmd.ProcessState.ExitCode()
}

// A served query runs, can be asked about, and ends with a signal: status 0, every batch
// committed.
func TestServe(t *testing.T) {
	t.Parallel()
	d := startServe(t, forever, nil, "--log-format", "json", "--log-level", "debug")
	d.until("/readyz", 200, `"ok"`)
	d.until("/v1/queries/out", 200, `"batchId":2`)
	d.until("/metrics", 200, `sqlstream_query_status{query="out",status="running"} 1`)
	if code, body := d.ask("POST", "/v1/sql", "SELECT name, status FROM sys.queries", "Content-Type: application/sql"); code != 200 || !strings.Contains(body, `["out","running"]`) {
		t.Errorf("%d %s", code, body)
	}
	if got := d.end(syscall.SIGTERM); got != exitDone {
		t.Errorf("exit status %d\n%s", got, d.said())
	}
	chk := filepath.Join(filepath.Dir(d.cmd.Args[4]), ".sqlstream", "checkpoints", "out")
	if o, c := numbers(t, chk, "offsets"), numbers(t, chk, "commits"); o != c {
		t.Errorf("offsets %s, commits %s", o, c)
	}
	for line := range strings.Lines(d.said()) {
		if !strings.HasPrefix(line, `{"time":`) {
			t.Errorf("no line of JSON: %s", line)
		}
	}
	for _, word := range []string{`"msg":"query started"`, `"query":"out"`, `"run_id":`, `"msg":"trigger"`, `"msg":"query ended"`} {
		if !strings.Contains(d.said(), word) {
			t.Errorf("the log does not have %s:\n%s", word, d.said())
		}
	}
}

// What is wrong with the flags ends the program before anything runs, with the way out.
func TestServeRefuses(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"--listen 0.0.0.0:0", exitUsage, "--token-file"},
		{"--listen :0", exitUsage, "--tls-client-ca"},
		{"--listen 8080", exitUsage, "host:port"},
		{"--token-file " + write("empty", "# none\n"), exitUsage, "holds no token"},
		{"--token-file " + write("short", "abc\n"), exitUsage, "at least 16"},
		{"--token-file " + dir + "/nowhere", exitUsage, "no such file"},
		{"--tls-cert x.pem", exitUsage, "--tls-key"},
		{"--max-rows 0", exitUsage, "above 0"},
		{"--sql some", exitUsage, "all, read or off"},
		{"--log-level loud", exitUsage, "debug, info, warn or error"},
		{"--statsd x", exitUsage, "host:port"},
		{"--otlp x", exitUsage, "http://"},
		{"--webhook x", exitUsage, "http://"},
		{"--webhook http://x --webhook-event born", exitUsage, "born"},
		{t.TempDir(), exitUsage, "no *.sql"},
		{dir + "/nowhere.sql", exitUsage, "no such file"},
		{write("a.sql", "SELECT nope"), exitUsage, "SQL2002"},
		{write("b.sql", "CREATE SOURCE s (a INT) WITH (connector = 'file', format = 'json', path = 'gone');\nCREATE SINK out (a INT) WITH (connector = 'null');\n"+
			"INSERT INTO out SELECT a FROM s"), exitUnreachable, "gone"},
	} {
		args := append([]string{"serve"}, strings.Fields(c.args)...)
		if !strings.Contains(c.args, "--listen") {
			args = append(args, "--listen", "127.0.0.1:0")
		}
		cmd := exec.Command("sqlstream", args...)
		out, _ := cmd.CombinedOutput()
		if got := cmd.ProcessState.ExitCode(); got != c.code || !strings.Contains(string(out), c.want) {
			t.Errorf("serve %s: status %d\n%s", c.args, got, out)
		}
	}
}

// A token comes from a file or the environment and can be exchanged by SIGHUP; a script
// that has changed is named.
func TestServeTokens(t *testing.T) {
	t.Parallel()
	tokens := filepath.Join(t.TempDir(), "tokens")
	put := func(text string) {
		if err := os.WriteFile(tokens, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("first-token-0123456789\n")
	d := startServe(t, forever, []string{"SQLSTREAM_READ_TOKEN=reads-token-0123456789"}, "--token-file", tokens, "--open-probes")
	status := func(path, token string) int {
		code, _ := d.ask("GET", path, "", "Authorization: Bearer "+token)
		return code
	}
	if status("/v1/queries", "first-token-0123456789") != 200 || status("/v1/queries", "reads-token-0123456789") != 200 ||
		status("/v1/queries", "other-token-0123456789") != 401 || status("/healthz", "") != 200 {
		t.Error("tokens are not what they were said to be")
	}
	if code, _ := d.ask("POST", "/v1/queries/out/stop", "", "Authorization: Bearer reads-token-0123456789"); code != 403 {
		t.Errorf("a reader stops a query: %d", code)
	}
	put("other-token-0123456789\n")
	if err := os.WriteFile(d.cmd.Args[4], []byte(forever+"SELECT 1;"), 0o600); err != nil {
		t.Fatal(err)
	}
	d.cmd.Process.Signal(syscall.SIGHUP) //nolint:errcheck // what follows sees it
	if !eventually(func() bool { return status("/v1/queries", "other-token-0123456789") == 200 }) {
		t.Errorf("the new token is not taken:\n%s", d.said())
	}
	if status("/v1/queries", "first-token-0123456789") != 401 {
		t.Error("the old token is still taken")
	}
	put("bad\n")
	d.cmd.Process.Signal(syscall.SIGHUP) //nolint:errcheck // what follows sees it
	if !eventually(func() bool { return strings.Contains(d.said(), "stay as they were") }) || status("/v1/queries", "other-token-0123456789") != 200 {
		t.Errorf("a wrong file took the token away:\n%s", d.said())
	}
	if !strings.Contains(d.said(), "a script has changed") {
		t.Error(d.said())
	}
	if got := d.end(os.Interrupt); got != exitDone {
		t.Errorf("exit status %d", got)
	}
	if strings.Contains(d.said(), "-token-") {
		t.Errorf("a token is in the log:\n%s", d.said())
	}
}

// certificate makes a certificate for 127.0.0.1 that is its own authority.
func certificate(t *testing.T) (cert, key string) {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &k.PublicKey, k)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(k)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for path, b := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: raw}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(b), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

// With TLS, a client certificate opens the door and nothing else does.
func TestServeTLS(t *testing.T) {
	t.Parallel()
	cert, key := certificate(t)
	d := startServe(t, "", nil, "--tls-cert", cert, "--tls-key", key, "--tls-client-ca", cert)
	if code, _ := d.ask("GET", "/v1", ""); code != 400 {
		t.Errorf("plain HTTP: %d", code)
	}
	d.base = strings.Replace(d.base, "http:", "https:", 1)
	pool, raw := x509.NewCertPool(), readFile(t, cert)
	pool.AppendCertsFromPEM(raw)
	config := &tls.Config{RootCAs: pool}
	tr := &http.Transport{TLSClientConfig: config}
	d.http = &http.Client{Transport: tr}
	if code, text := d.ask("GET", "/v1", ""); code != 0 {
		t.Errorf("without a certificate: %d %s", code, text)
	}
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	config.Certificates = []tls.Certificate{pair}
	tr.CloseIdleConnections()
	d.http = &http.Client{Transport: &http.Transport{TLSClientConfig: config.Clone()}}
	if code, text := d.ask("GET", "/v1", ""); code != 200 || !strings.Contains(text, `"owner"`) {
		t.Errorf("with a certificate: %d %s", code, text)
	}
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// With --keep-going the program serves what could be started, and says that it is not
// ready.
func TestServeKeepsGoing(t *testing.T) {
	t.Parallel()
	d := startServe(t, "SELECT nope;\n"+forever, nil, "--keep-going")
	d.until("/readyz", 503, "a statement of a script failed")
	d.until("/v1/queries", 200, `"name":"out"`)
	d.end(os.Interrupt)
}

// Planted secrets are in no log, no progress, no plan, no checkpoint, no metric and no
// answer; nor in what webhooks and collectors are sent, where they do not belong.
func TestServeTellsNoSecrets(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var posted bytes.Buffer
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		io.Copy(&posted, r.Body) //nolint:errcheck // what is there is looked at
	}))
	defer receiver.Close()
	const planted = "pl4nted"
	script := `CREATE SOURCE r WITH (connector = 'rate', rows_per_second = 1000);
CREATE SINK gone (value BIGINT) WITH (connector = 'postgres', url = 'postgres://me:pl4nted-a@127.0.0.1:1/x', table = 't', password = 'pl4nted-b');
CREATE SINK also (value BIGINT) WITH (connector = 'http', url = 'http://me:pl4nted-c@127.0.0.1:1/?k=${PLANTED}', auth_token = 'pl4nted-d');
INSERT INTO gone SELECT value FROM r;
INSERT INTO also SELECT value FROM r;
CREATE SINK bad (value BIGINT) WITH (connector = 'nowhere', password = 'pl4nted-e');
CREATE SINK out WITH (connector = 'file', format = 'json', path = 'out', password = 'pl4nted-f') AS SELECT value FROM r;
` + strings.SplitN(forever, "\n", 2)[1]
	d := startServe(t, script, []string{"PLANTED=pl4nted-g", "SQLSTREAM_WEBHOOK_SECRET=pl4nted-h", "SQLSTREAM_TOKEN=pl4nted-token-0123456", "OTEL_EXPORTER_OTLP_HEADERS=x=pl4nted-i"},
		"--keep-going", "--log-level", "debug", "--webhook", receiver.URL+"/?k=pl4nted-j", "--otlp", receiver.URL+"/?k=pl4nted-k", "--push-every", "100ms")
	var seen strings.Builder
	look := func(method, path, body string) {
		code, text := d.ask(method, path, body, "Content-Type: application/sql", "Authorization: Bearer pl4nted-token-0123456")
		fmt.Fprintf(&seen, "%s %s: %d %s\n", method, path, code, text)
	}
	if !eventually(func() bool {
		_, text := d.ask("GET", "/v1/queries/out", "", "Authorization: Bearer pl4nted-token-0123456")
		return strings.Contains(text, `"batchId":2`)
	}) {
		t.Fatal(d.said())
	}
	for _, p := range []string{"/v1", "/v1/queries", "/v1/queries/out", "/v1/queries/out/progress", "/v1/queries/out/explain", "/v1/queries/gone", "/metrics", "/readyz", "/nothing"} {
		look("GET", p, "")
	}
	for _, sql := range []string{"SELECT * FROM sys.queries", "SELECT * FROM sys.sinks", "SHOW CREATE SINK gone", "SHOW CREATE SINK also", "SHOW QUERIES", "SHOW PROGRESS",
		"EXPLAIN INSERT INTO gone SELECT value FROM r", "INSERT INTO gone SELECT value FROM r", "CREATE SINK x (a INT) WITH (connector = 'nowhere', password = 'pl4nted-l')",
		"CREATE SINK x (a INT) WITH (connector = 'console', password = 'pl4nted-m')"} {
		look("POST", "/v1/sql", sql)
	}
	d.end(syscall.SIGTERM)
	fmt.Fprintf(&seen, "log: %s\n", d.said())
	filepath.WalkDir(filepath.Join(filepath.Dir(d.cmd.Args[4]), ".sqlstream"), func(path string, e fs.DirEntry, err error) error { //nolint:errcheck // what is there is looked at
		if err == nil && !e.IsDir() {
			fmt.Fprintf(&seen, "%s: %s\n", path, readFile(t, path))
		}
		return nil
	})
	mu.Lock()
	defer mu.Unlock()
	if posted.Len() == 0 || !strings.Contains(posted.String(), "resourceMetrics") || !strings.Contains(posted.String(), `"event":"progress"`) {
		t.Errorf("nothing was pushed: %.200s", posted.String())
	}
	seen.WriteString("pushed: " + posted.String())
	for line := range strings.Lines(seen.String()) {
		if strings.Contains(line, planted) {
			t.Errorf("a secret is told: %s", line)
		}
	}
}
