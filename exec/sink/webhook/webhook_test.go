package webhook_test

import (
	"context"
	"crypto/tls"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/sink/sinktest"
	"github.com/sqlstream/sqlstream/exec/sink/webhook"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

var cols = sinktest.Columns(types.String, types.Int64)

// receiver remembers requests, and answers with what it has been given, then 204.
type receiver struct {
	*httptest.Server
	mu      sync.Mutex
	got     []string // "key body"
	headers []http.Header
	answers []func(w http.ResponseWriter)
}

func newReceiver(t *testing.T, answers ...func(w http.ResponseWriter)) *receiver {
	r := &receiver{answers: answers}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, _ := io.ReadAll(req.Body)
	r.mu.Lock()
	defer r.mu.Unlock()
	key := req.Header.Get("Idempotency-Key")
	r.got = append(r.got, key[strings.IndexByte(key, '/'):]+" "+strings.ReplaceAll(string(body), "\n", ""))
	r.headers = append(r.headers, req.Header)
	if len(r.answers) > 0 {
		answer := r.answers[0]
		r.answers = r.answers[1:]
		answer(w)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func status(code int, headers ...string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(code)
		_, _ = io.WriteString(w, " because\n")
	}
}

func open(t *testing.T, url string, mode sink.Mode, opts ...string) (sink.Sink, sink.Config) {
	t.Helper()
	c := sinktest.Config(mode, cols, []int{0}, append([]string{"url", url}, opts...)...)
	c.FS, c.Dir = vfs.OS(), t.TempDir()
	s, err := webhook.Connector().Open(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s, c
}

func some(n int) *vec.Batch {
	var rows [][]any
	for i := range n {
		rows = append(rows, []any{fmt.Sprintf("k%d", i), i})
	}
	return sinktest.Batch(cols, rows...)
}

func same(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got  %s\nwant %s", strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
}

func TestRequests(t *testing.T) {
	r := newReceiver(t)
	s, _ := open(t, r.URL, sink.Update, "max_request_rows", "2", "headers", "Authorization: Bearer s3cret; X-Team: data")
	if _, err := sinktest.Write(s, sink.Batch{ID: 5}, sinktest.Weighted(some(3), 1, -1, 1)); err != nil {
		t.Fatal(err)
	}
	same(t, r.got, `/5/0 [{"a":"k0","b":0,"op":"u"},{"a":"k1","b":1,"op":"-"}]`, `/5/1 [{"a":"k2","b":2,"op":"u"}]`)
	h := r.headers[1]
	if h.Get("Authorization") != "Bearer s3cret" || h.Get("X-Team") != "data" || h.Get("Content-Type") != "application/json" ||
		h.Get("Sqlstream-Chunk") != "1" || h.Get("Sqlstream-Chunks") != "2" || h.Get("Sqlstream-Mode") != "update" || h.Get("Sqlstream-Batch") != "5" {
		t.Error(h)
	}
}

func TestLinesBytesAndEmptyBatches(t *testing.T) {
	r := newReceiver(t)
	s, _ := open(t, r.URL, sink.Append, "body", "lines", "max_request_bytes", "40")
	for id, b := range []*vec.Batch{sinktest.Weighted(some(2), 2, 1), some(0)} {
		if _, err := sinktest.Write(s, sink.Batch{ID: int64(id)}, b); err != nil {
			t.Fatal(err)
		}
	}
	same(t, r.got, `/0/0 {"a":"k0","b":0}{"a":"k0","b":0}`, `/0/1 {"a":"k1","b":1}`)
	r.got = nil
	s, _ = open(t, r.URL, sink.Complete)
	if _, err := sinktest.Write(s, sink.Batch{ID: 2}); err != nil {
		t.Fatal(err)
	}
	same(t, r.got, `/2/0 []`)
}

// again sends a batch to a receiver that is busy in all ways first; each request that is
// sent again is the same.
func again(t *testing.T) error {
	r := newReceiver(t, status(503), status(429, "Retry-After", "7"), status(500), func(w http.ResponseWriter) {
		c, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			_ = c.Close()
		}
	}, status(429, "Retry-After", time.Unix(2_000_000_060, 0).UTC().Format(http.TimeFormat)))
	s, c := open(t, r.URL, sink.Append)
	if _, err := sinktest.Write(s, sink.Batch{ID: 1}, some(1)); err != nil {
		return err
	}
	for _, got := range r.got {
		if got != `/1/0 [{"a":"k0","b":0}]` {
			return errors.New("another request: " + got)
		}
	}
	waits := c.Clock.(*sinktest.Impatient).Waited
	if len(r.got) != 6 || len(waits) < 4 || waits[1] != 7*time.Second || waits[len(waits)-1] < 40*time.Second {
		return fmt.Errorf("%d requests after %v", len(r.got), waits)
	}
	return nil
}

func TestBusyReceivers(t *testing.T) {
	if err := again(t); err != nil {
		t.Error(err)
	}
}

func TestGivingUp(t *testing.T) {
	r := newReceiver(t, slices.Repeat([]func(http.ResponseWriter){status(502)}, 100)...)
	s, _ := open(t, r.URL, sink.Append, "retry_timeout", "10 s")
	_, err := sinktest.Write(s, sink.Batch{}, some(1))
	if text := sinktest.Has(err, "answered 502 Bad Gateway: because", "given up after retry_timeout = 10s"); text != "" || len(r.got) > 8 {
		t.Error(text, len(r.got))
	}
}

func TestTimeouts(t *testing.T) {
	release := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	defer srv.Close()
	defer close(release)
	s, _ := open(t, srv.URL, sink.Append, "timeout", "20 ms", "retry_timeout", "0.3 s")
	_, err := sinktest.Write(s, sink.Batch{}, some(1))
	if text := sinktest.Has(err, "no answer within 20ms", "given up"); text != "" {
		t.Error(text)
	}
}

func TestRefusalsFailOrAreKept(t *testing.T) {
	r := newReceiver(t, status(422))
	s, _ := open(t, r.URL+"/?token=s3cret", sink.Append)
	_, err := sinktest.Write(s, sink.Batch{}, some(1))
	if text := sinktest.Has(err, "request 1 of 1", "refused the rows: 422 Unprocessable Entity: because"); text != "" || strings.Contains(err.Error(), "s3cret") {
		t.Error(err)
	}
	r = newReceiver(t, status(400), status(201), status(400))
	s, c := open(t, r.URL+"/?token=s3cret", sink.Append, "max_request_rows", "1", "on_refused", "dead_letter", "dead_letter", "dead")
	b := sink.Batch{ID: 3}
	payload, err := sinktest.Write(s, b, some(2))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Publish(context.Background(), b, payload); err != nil { // again, and refused again: one letter
		t.Fatal(err)
	}
	files, err := os.ReadDir(filepath.Join(c.Dir, "dead"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	text, err := os.ReadFile(filepath.Join(c.Dir, "dead", files[0].Name()))
	if err != nil || !strings.Contains(string(text), `"status":400,"response":"because","rows":[{"a":"k0","b":0}]}`) || strings.Contains(string(text), "s3cret") {
		t.Error(string(text), err)
	}
}

func TestRedirects(t *testing.T) {
	other := newReceiver(t)
	r := newReceiver(t, status(307, "Location", other.URL))
	s, _ := open(t, r.URL, sink.Append, "headers", "Authorization: s3cret")
	_, err := sinktest.Write(s, sink.Batch{}, some(1))
	if text := sinktest.Has(err, "refused the rows: 307", "points to the host 127.0.0.1"); text != "" || len(other.got) != 0 {
		t.Error(text, other.got)
	}
	r = newReceiver(t, status(302, "Location", "/elsewhere")) // would become a GET
	s, _ = open(t, r.URL, sink.Append)
	if _, err := sinktest.Write(s, sink.Batch{}, some(1)); sinktest.Has(err, "302") != "" || len(r.got) != 1 {
		t.Error(err, r.got)
	}
	r = newReceiver(t, status(308, "Location", "/elsewhere"))
	s, _ = open(t, r.URL, sink.Append)
	if _, err := sinktest.Write(s, sink.Batch{}, some(1)); err != nil || len(r.got) != 2 || r.got[0] != r.got[1] {
		t.Error(err, r.got)
	}
}

func TestTLS(t *testing.T) {
	r := &receiver{}
	srv := httptest.NewUnstartedServer(r)
	srv.Config.ErrorLog = nil
	srv.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	srv.StartTLS()
	defer srv.Close()
	s, c := open(t, srv.URL, sink.Append, "retry_timeout", "1 s")
	if _, err := sinktest.Write(s, sink.Batch{}, some(1)); sinktest.Has(err, "certificate") != "" {
		t.Error(err)
	}
	ca := filepath.Join(c.Dir, "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: srv.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	s, _ = open(t, srv.URL, sink.Append, "tls_ca", ca)
	if _, err := sinktest.Write(s, sink.Batch{}, some(1)); err != nil || len(r.got) != 1 {
		t.Error(err, r.got)
	}
}

func TestBadOptions(t *testing.T) {
	for want, opts := range map[string][]string{
		"is not an http:// or https:// URL":             {"url", "ftp://s3cret/x"},
		`option "url" is not a URL`:                     {"url", "http://s3cret\x7f"},
		"a header is written Name: value":               {"url", "http://x", "headers", "s3cret"},
		"the header Idempotency-Key is set by the sink": {"url", "http://x", "headers", "idempotency-key: s3cret"},
		"needs the option dead_letter":                  {"url", "http://x", "on_refused", "dead_letter"},
		"has no effect without on_refused":              {"url", "http://x", "dead_letter", "d"},
	} {
		c := sinktest.Config(sink.Append, cols, nil, opts...)
		if _, err := webhook.Connector().Open(context.Background(), c); sinktest.Has(err, want) != "" || strings.Contains(err.Error(), "s3cret") {
			t.Error(sinktest.Has(err, want), err)
		}
	}
}
