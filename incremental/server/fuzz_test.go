package server

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
)

// FuzzRequest throws bytes at the whole server as if they were a request, with and without
// a token: nothing panics, everything is answered with a known status, and without the
// token nothing but 4xx and no word of what there is.
func FuzzRequest(f *testing.F) {
	for _, s := range seeds() {
		f.Add(s)
	}
	open, closed := fuzzed(f)
	f.Fuzz(func(t *testing.T, data []byte) { throw(t, open, closed, data) })
}

// seeds are requests to begin with.
func seeds() (out [][]byte) {
	for _, what := range every() {
		out = append(out, []byte(what+" HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 19\r\n\r\n{\"sql\": \"SELECT 1\"}"))
	}
	for _, token := range []string{ownerToken, readerToken} {
		out = append(out, []byte("POST /v1/sql?format=jsonl HTTP/1.1\r\nHost: [::1]:1\r\nAuthorization: Bearer "+token+"\r\nContent-Type: application/sql\r\nContent-Length: 50\r\n\r\n"+
			"SELECT * FROM people; SHOW QUERIES; DESCRIBE out;\n"))
	}
	m := maker{rand.New(rand.NewPCG(1, 1))}
	for range 100 {
		out = append(out, m.request())
	}
	return append(out, []byte("GET /v1/queries/out/progress?last=3&format=jsonl HTTP/1.1\r\nHost: a.b\r\nOrigin: x\r\nSec-Fetch-Site: none\r\nAccept: application/x-ndjson\r\n\r\n"))
}

// fuzzed makes a server without tokens and one with. What statements could do to the
// machine is not for fuzzing: they only read.
func fuzzed(t testing.TB) (open, closed *world) {
	read := func(o *Options) {
		o.Access.SQL, o.Limits.QueryTime, o.Limits.MaxTime = SQLRead, 50*time.Millisecond, 50*time.Millisecond
	}
	return lived(t, read), lived(t, read, withTokens)
}

// throw sends bytes to both servers, if they are a request.
func throw(t *testing.T, open, closed *world, data []byte) {
	t.Helper()
	if r := parsed(data); r != nil {
		thrown(t, open, r, false)
		r = parsed(data)
		auth := r.Header.Get("Authorization")
		thrown(t, closed, r, !strings.Contains(auth, ownerToken) && !strings.Contains(auth, readerToken))
	}
}

// parsed reads a request; nil if it is none.
func parsed(data []byte) *http.Request {
	r, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(data)))
	if err != nil {
		return nil
	}
	return r
}

var (
	requests = flag.Int("server.requests", 2000, "how many random requests")
	seed     = flag.Uint64("server.seed", 1, "what they begin with")
)

// TestRandomRequests is FuzzRequest without instrumented code: seeds with pieces changed,
// doubled, moved between them and left out.
func TestRandomRequests(t *testing.T) {
	open, closed := fuzzed(t)
	rnd := rand.New(rand.NewPCG(*seed, 7))
	pool := seeds()
	words := []string{"\r\n", "/", "..", "%2e", "%00", "?", "&", "=", "\x00", "é", "'", ";", "\"", "{", "SELECT", "state('out', 'x')", "explode", "FROM", "(", ")", ",", "0",
		"9223372036854775808", "-1", "timeout_ms", "max_rows", "Bearer ", "Authorization: ", "Host: ", "chunked", "Expect: 100-continue", "HEAD", "PUT"}
	for range *requests {
		data := slices.Clone(pool[rnd.IntN(len(pool))])
		for range 1 + rnd.IntN(6) {
			data = mutate(rnd, data, pool, words)
		}
		throw(t, open, closed, data)
	}
}

func mutate(rnd *rand.Rand, data []byte, pool [][]byte, words []string) []byte {
	at := rnd.IntN(len(data) + 1)
	to := min(len(data), at+rnd.IntN(20))
	switch rnd.IntN(5) {
	case 0:
		return slices.Delete(data, at, to)
	case 1:
		return slices.Insert(data, at, slices.Clone(data[at:to])...)
	case 2:
		other := pool[rnd.IntN(len(pool))]
		from := rnd.IntN(len(other))
		return slices.Insert(data, at, other[from:min(len(other), from+rnd.IntN(40))]...)
	case 3:
		if at < len(data) {
			data[at] = byte(rnd.IntN(256))
		}
		return data
	}
	return slices.Insert(data, at, []byte(words[rnd.IntN(len(words))])...)
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
