package server

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/sqlstream/sqlstream/incremental/engine"
	"github.com/sqlstream/sqlstream/incremental/server/metrics"
	"github.com/sqlstream/sqlstream/parser/diag"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	ownerToken  = "owner-token-0123456789"
	readerToken = "reader-token-0123456789"
)

// world is a server over an engine with a few objects and queries.
type world struct {
	*Server
	t testing.TB
	e *engine.Engine
}

const objects = `CREATE SOURCE clicks (who STRING, n BIGINT);
CREATE TABLE people (who STRING, town STRING);
INSERT INTO people VALUES ('ana', 'Lund'), ('bo', 'Porto'), ('cy', NULL);
CREATE SINK out WITH (connector = 'memory');
INSERT INTO out SELECT who, n FROM clicks TRIGGER MANUAL;
CREATE MATERIALIZED VIEW per AS SELECT who, count(*) AS n FROM clicks GROUP BY who TRIGGER MANUAL;`

func newWorld(t testing.TB, edit ...func(*Options)) *world {
	t.Helper()
	e, err := engine.Open(engine.Options{Dir: t.TempDir(), Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() }) //nolint:errcheck // the test is over
	q := metrics.NewQueries(e, nil)
	o := Options{Engine: e, Version: "test", Metrics: metrics.NewRegistry(q)}
	for _, f := range edit {
		f(&o)
	}
	w := &world{New(o), t, e}
	if err := e.Exec(t.Context(), diag.Source{Text: objects}, func(*engine.Result) error { return nil }); err != nil {
		t.Fatal(err)
	}
	return w
}

// withTokens keeps everybody out who has none.
func withTokens(o *Options) {
	o.Access.Tokens, _ = NewTokens([]string{ownerToken}, []string{readerToken})
}

// do sends a request: "GET /v1/queries", headers "Name: value", a body.
func (w *world) do(what, body string, headers ...string) *httptest.ResponseRecorder {
	w.t.Helper()
	method, path, _ := strings.Cut(what, " ")
	r := httptest.NewRequestWithContext(w.t.Context(), method, path, strings.NewReader(body))
	r.Host = "127.0.0.1:8642"
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		if name == "Host" {
			r.Host = value
			continue
		}
		r.Header.Add(name, value)
	}
	rec := httptest.NewRecorder()
	w.ServeHTTP(rec, r)
	return rec
}

// gives sends a request, checks its status and decodes the answer.
func (w *world) gives(status int, out any, what, body string, headers ...string) {
	w.t.Helper()
	rec := w.do(what, body, headers...)
	if rec.Code != status {
		w.t.Fatalf("%s: status %d, want %d: %s", what, rec.Code, status, rec.Body)
	}
	if out == nil {
		return
	}
	if err := json.Unmarshal(rec.Body.Bytes(), out); err != nil {
		w.t.Fatalf("%s: %v: %s", what, err, rec.Body)
	}
}

const (
	asJSON = "Content-Type: application/json"
	asSQL  = "Content-Type: application/sql"
)

// run runs SQL by a request.
func (w *world) run(sql string) []*Result {
	w.t.Helper()
	var out Results
	w.gives(http.StatusOK, &out, "POST /v1/sql", sql, asSQL)
	return out.Results
}

// refused checks that a request is answered with an error of this status and code.
func (w *world) refused(status int, code, what, body string, headers ...string) *Error {
	w.t.Helper()
	var f Failure
	w.gives(status, &f, what, body, headers...)
	if f.Error.Code != code || f.Error.Message == "" {
		w.t.Errorf("%s: error %+v, want code %s", what, f.Error, code)
	}
	return &f.Error
}
