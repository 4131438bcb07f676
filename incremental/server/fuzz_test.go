package server

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// FuzzRequest throws bytes at the whole server as if they were a request, with and without
// a token: nothing panics, everything is answered with a known status, and without the
// token nothing but 4xx and no word of what there is.
func FuzzRequest(f *testing.F) {
	for _, what := range every() {
		f.Add([]byte(what + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 19\r\n\r\n{\"sql\": \"SELECT 1\"}"))
	}
	f.Add([]byte("POST /v1/sql?format=jsonl HTTP/1.1\r\nHost: [::1]:1\r\nContent-Type: application/sql\r\nContent-Length: 50\r\n\r\nSELECT * FROM people; SHOW QUERIES; DESCRIBE out;\n"))
	f.Add([]byte("GET /v1/queries/out/progress?last=3&format=jsonl HTTP/1.1\r\nHost: a.b\r\nOrigin: x\r\nSec-Fetch-Site: none\r\nAccept: application/x-ndjson\r\n\r\n"))
	read := func(o *Options) { // what statements could do to the machine is not for fuzzing
		o.Access.SQL, o.Limits.QueryTime, o.Limits.MaxTime = SQLRead, 50*time.Millisecond, 50*time.Millisecond
	}
	open, closed := newWorld(f, read), newWorld(f, read, withTokens)
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(data)))
		if err != nil {
			return
		}
		if strings.Contains(r.URL.RawQuery, "follow") {
			return // goes on for ever, as it should
		}
		fuzzOne(t, open, r, false)
		r, _ = http.ReadRequest(bufio.NewReader(bytes.NewReader(data)))
		fuzzOne(t, closed, r, !strings.Contains(r.Header.Get("Authorization"), ownerToken) && !strings.Contains(r.Header.Get("Authorization"), readerToken))
	})
}

func fuzzOne(t *testing.T, w *world, r *http.Request, outside bool) {
	t.Helper()
	rec := httptest.NewRecorder()
	func() {
		defer func() {
			if p := recover(); p != nil && p != http.ErrAbortHandler {
				t.Fatalf("%s %s: %v", r.Method, r.URL, p)
			}
		}()
		w.ServeHTTP(rec, r)
	}()
	switch {
	case outside && (rec.Code < 400 || rec.Code > 499):
		t.Fatalf("%s %s without a token: %d %s", r.Method, r.URL, rec.Code, rec.Body)
	case outside && strings.Contains(rec.Body.String(), "people"):
		t.Fatalf("%s", rec.Body)
	case rec.Code == http.StatusInternalServerError:
		t.Fatalf("%s %s: %s", r.Method, r.URL, rec.Body)
	case rec.Code >= 400 && r.Method != http.MethodHead && !json.Valid(rec.Body.Bytes()):
		t.Fatalf("%d is no JSON: %q", rec.Code, rec.Body)
	}
}
