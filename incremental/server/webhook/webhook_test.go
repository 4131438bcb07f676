package webhook

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/incremental/engine"
	"github.com/sqlstream/sqlstream/incremental/server/metrics"
	"github.com/sqlstream/sqlstream/parser/diag"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// receiver answers with the codes that it is given, and 200 after them.
type receiver struct {
	*httptest.Server
	mu       sync.Mutex
	codes    []int
	events   []Event
	requests []*http.Request
}

func newReceiver(t *testing.T, codes ...int) *receiver {
	t.Helper()
	r := &receiver{codes: codes}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, _ := io.ReadAll(req.Body)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests = append(r.requests, req)
	if len(r.codes) > 0 {
		code := r.codes[0]
		r.codes = r.codes[1:]
		if code != 200 {
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(code)
			return
		}
	}
	var ev Event
	if json.Unmarshal(body, &ev) == nil {
		r.events = append(r.events, ev)
	}
}

// world runs a query that two triggers of a MANUAL query make, and a hook that hears of it.
func world(t *testing.T, o Options, sql ...string) (hook *Hook, log string) {
	t.Helper()
	var buf bytes.Buffer
	c := clock.NewFake(clock.Real().Now())
	o.Clock, o.Log = c, slog.New(slog.NewTextHandler(&buf, nil))
	h, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	done := make(chan struct{})
	go wind(c, done)
	defer close(done)
	e, err := engine.Open(engine.Options{Dir: t.TempDir(), Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	h.Listen(e)
	for _, s := range append([]string{"CREATE SOURCE c (n INT); CREATE SINK out WITH (connector = 'memory'); INSERT INTO out SELECT 1 / n AS x FROM c TRIGGER MANUAL"}, sql...) {
		e.Exec(t.Context(), diag.Source{Text: s}, func(*engine.Result) error { return nil }) //nolint:errcheck // some fail on purpose
	}
	e.Close() //nolint:errcheck // the query may have failed
	<-h.sub.Done()
	return h, buf.String()
}

// wind lets the time of waits pass as soon as somebody waits.
func wind(c *clock.Fake, done <-chan struct{}) {
	for {
		n, added := c.Waiting()
		if n > 0 {
			c.Advance(10e9)
			continue
		}
		select {
		case <-added:
		case <-done:
			return
		}
	}
}

const row = "INSERT INTO c VALUES (1); RUN TRIGGER"

func kinds(events []Event) string {
	var out []string
	for _, e := range events {
		out = append(out, e.Event)
	}
	return strings.Join(out, " ")
}

func TestEventsArePosted(t *testing.T) {
	r := newReceiver(t)
	world(t, Options{URL: r.URL, Secret: "s3cr3t"}, row, "INSERT INTO c VALUES (0); RUN TRIGGER")
	if got := kinds(r.events); got != "started progress terminated" {
		t.Fatal(got)
	}
	if p := r.events[1].Progress; p == nil || p.Rows.Contributed != 1 || r.events[1].Query != "out" || r.events[1].RunID == "" {
		t.Errorf("%+v", r.events[1])
	}
	if !strings.Contains(r.events[2].Error, "division by zero") {
		t.Errorf("%+v", r.events[2])
	}
	if h := r.requests[0].Header; h.Get(SecretHeader) != "s3cr3t" || h.Get("Content-Type") != "application/json" || h.Get(DeliveryHeader) == "" {
		t.Errorf("%v", h)
	}
}

func TestOnlySomeEvents(t *testing.T) {
	r := newReceiver(t)
	world(t, Options{URL: r.URL, Events: []string{"terminated"}}, row)
	if got := kinds(r.events); got != "terminated" {
		t.Error(got)
	}
}

// Failures that may pass are tried again, under the same name; others are not.
func TestRetries(t *testing.T) {
	r := newReceiver(t, 500, 429, 503, 200, 400, 302)
	h, log := world(t, Options{URL: r.URL}, row)
	if got := kinds(r.events); got != "started" || h.attempts != 6 || h.delivered != 1 || h.failed != 2 {
		t.Errorf("%s: %v attempts, %v delivered, %v failed", got, h.attempts, h.delivered, h.failed)
	}
	id := func(i int) string { return r.requests[i].Header.Get(DeliveryHeader) }
	if id(0) != id(3) || id(3) == id(4) {
		t.Error("an event changed its name between attempts, or two have the same")
	}
	if strings.Count(log, "does not take events") != 1 {
		t.Error(log)
	}
	page := string(metrics.Text(metrics.NewRegistry(Hooks{h}).Gather()))
	if !strings.Contains(page, `sqlstream_webhook_deliveries_total{result="failed"} 2`) || !strings.Contains(page, "sqlstream_webhook_attempts_total 6") {
		t.Error(page)
	}
}

// A receiver that is not there costs attempts and a line in the log, without the secrets
// of the address.
func TestNobodyThere(t *testing.T) {
	r := newReceiver(t)
	address := strings.Replace(r.URL, "http://", "http://user:passw0rd@", 1) + "/hidden-path?key=hidden-key"
	r.Close()
	h, log := world(t, Options{URL: address, Secret: "hidden-secret"})
	if h.attempts != 10 || h.failed != 2 { // started, terminated
		t.Errorf("%v attempts, %v failed", h.attempts, h.failed)
	}
	if strings.Contains(log, "hidden") || strings.Contains(log, "passw0rd") || !strings.Contains(log, "webhook=http://127.0.0.1") {
		t.Error(log)
	}
}

func TestWrongOptions(t *testing.T) {
	for _, o := range []Options{{URL: "ftp://x"}, {URL: "http://"}, {URL: "\x00"}, {URL: "http://x", Events: []string{"born"}}} {
		if _, err := New(o); err == nil || strings.Contains(err.Error(), "\x00") {
			t.Errorf("%+v: %v", o, err)
		}
	}
}
