package http

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/csv"
	jsonformat "github.com/sqlstream/sqlstream/exec/format/json"
	"github.com/sqlstream/sqlstream/exec/format/text"
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/source/inbox"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bed is a source, and the part of the trigger loop that it needs.
type bed struct {
	t     testing.TB
	conn  source.Connector
	cfg   source.Config
	src   source.Source
	url   string
	rows  []string
	last  source.Range
	log   []json.RawMessage // of the ranges so far
	token string
	http  http.Client
}

func newBed(t testing.TB, opts ...string) *bed {
	t.Helper()
	b := &bed{t: t, conn: Connector([]*format.Format{jsonformat.Format(), csv.Format(), text.Format()}, "run")}
	b.cfg = source.Config{Name: "s", Clock: clock.Real(), Replay: true, Columns: []source.Column{
		{Column: types.Column{Name: "k", Type: types.Of(types.String)}}, {Column: types.Column{Name: "v", Type: types.Of(types.Int64)}}}}
	opts = append([]string{"listen", "127.0.0.1:0", "path", "/in"}, opts...)
	for i := 0; i < len(opts); i += 2 {
		switch opts[i] {
		case "on_error":
			b.cfg.OnError = source.Skip
			continue
		case "token":
			b.token = opts[i+1]
		}
		if opts[i] == "format" && opts[i+1] == "text" {
			b.cfg.Columns = b.cfg.Columns[:1]
		}
		b.cfg.Options = append(b.cfg.Options, option.Value{Name: opts[i], Text: opts[i+1]})
	}
	b.open()
	t.Cleanup(b.close)
	return b
}

func (b *bed) open() {
	b.t.Helper()
	s, err := b.conn.Open(context.Background(), b.cfg)
	if err != nil {
		b.t.Fatal(err)
	}
	b.src = s
	b.url = "http://" + strings.TrimSuffix(strings.TrimPrefix(s.Description(), "HttpSource["), "]")
}

func (b *bed) close() {
	b.http.CloseIdleConnections()
	if err := b.src.Close(); err != nil {
		b.t.Error(err)
	}
}

// plan waits for a range, and reads it.
func (b *bed) plan() source.Range {
	b.t.Helper()
	limit := time.NewTimer(10 * time.Second)
	defer limit.Stop()
	for {
		r, ok, err := b.src.Plan(context.Background(), source.Limits{}, nil)
		if err != nil {
			b.t.Fatal(err)
		}
		if ok {
			b.last, b.log = r, append(b.log, r.Entries...)
			b.read(r)
			return r
		}
		select {
		case <-limit.C:
			b.t.Fatal("nothing came")
		default:
		}
	}
}

func (b *bed) read(r source.Range) {
	b.t.Helper()
	splits, err := b.src.Splits(context.Background(), r)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, sp := range splits {
		err := sp.Read(context.Background(), source.Reading{Need: need(b.cfg)}, func(x *vec.Batch) error {
			x.Each(func(row int) {
				cells := make([]string, len(x.Cols))
				for i, c := range x.Cols {
					cells[i] = vec.RowString(c, row, time.UTC)
				}
				b.rows = append(b.rows, strings.Join(cells, ":"))
			})
			return nil
		})
		if err != nil {
			b.t.Fatal(err)
		}
	}
}

func need(c source.Config) []int {
	out := make([]int, len(c.Columns))
	for i := range out {
		out[i] = i
	}
	return out
}

// durable runs the rest of a trigger.
func (b *bed) durable(r source.Range) {
	b.t.Helper()
	if err := b.src.(source.Acknowledger).Durable(r); err != nil {
		b.t.Fatal(err)
	}
	if err := b.src.Committed(context.Background(), r); err != nil {
		b.t.Fatal(err)
	}
}

// arrived waits until so many requests are in the queue, or were.
func (b *bed) arrived(n int64) {
	b.t.Helper()
	limit := time.NewTimer(10 * time.Second)
	defer limit.Stop()
	for {
		if got, _ := b.src.Snapshot(context.Background()); got.(int64) >= n {
			return
		}
		select {
		case <-limit.C:
			b.t.Fatal("nothing came")
		default:
		}
	}
}

// reply is what a client was told.
type reply struct {
	status int
	body   string
	header http.Header
}

func (r reply) String() string { return fmt.Sprintf("%d %s", r.status, strings.TrimSpace(r.body)) }

func (b *bed) post(body string, headers ...string) reply {
	return b.send("POST", b.url, body, headers...)
}

func (b *bed) send(method, url, body string, headers ...string) reply {
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		return reply{body: err.Error()}
	}
	if b.token != "" {
		req.Header.Set("Authorization", "Bearer "+b.token)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := b.http.Do(req)
	if err != nil {
		return reply{body: err.Error()}
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return reply{body: err.Error()}
	}
	return reply{resp.StatusCode, string(text), resp.Header}
}

// later sends a request that is answered later.
func (b *bed) later(body string, headers ...string) <-chan reply {
	out := make(chan reply, 1)
	go func() { out <- b.post(body, headers...) }()
	return out
}

func (b *bed) got(want string) {
	b.t.Helper()
	if text := strings.Join(b.rows, " "); text != want {
		b.t.Errorf("rows %s, want %s", text, want)
	}
	b.rows = nil
}

func is(t testing.TB, got reply, status int, part string) {
	t.Helper()
	if got.status != status || !strings.Contains(got.body, part) {
		t.Errorf("got %s, want %d and %s", got, status, part)
	}
}

// A request is answered when its rows cannot be lost, not before: here the query ends
// before, and a client that heard 200 would not send them again.
func TestAnsweredWhenDurable(t *testing.T) {
	b := newBed(t)
	answer := b.later(`{"k":"a","v":1}`)
	b.durable(b.plan())
	b.got("a:1")
	is(t, <-answer, 200, `{"rows":1}`)
	is(t, unlogged(b), 503, "send them again")
}

// unlogged is what a client hears whose rows were read and not logged when the query ended.
func unlogged(b *bed) reply {
	answer := b.later(`{"k":"a","v":1}`)
	b.plan()
	b.close()
	b.open()
	return <-answer
}

// repeated is what a client hears that sends again what was logged, after a restart.
func repeated(b *bed) reply {
	answer := b.later(`{"k":"a"}`, "Idempotency-Key", "k")
	r := b.plan()
	b.durable(r)
	<-answer
	b.close()
	b.open()
	if err := b.src.Restore(source.Range{Entries: b.log, Offset: r.Offset}); err != nil {
		b.t.Fatal(err)
	}
	answer = b.later(`{"k":"a"}`, "Idempotency-Key", "k")
	for {
		select {
		case got := <-answer:
			return got
		default:
		}
		if r, ok, _ := b.src.Plan(context.Background(), source.Limits{}, nil); ok {
			b.durable(r)
		}
	}
}

func TestLayouts(t *testing.T) {
	b := newBed(t)
	for body, want := range map[string]string{
		`{"k":"a","v":1}`:                        "a:1",
		"{\"k\":\"a\",\"v\":1}\n{\"k\":\"b\"}\n": "a:1 b:NULL",
		`[{"k":"a","v":1},{"k":"b","v":2}]`:      "a:1 b:2",
		"\n{\n \"k\": \"a\",\n \"v\": 1\n}\n":    "a:1",
		" [\n{\"k\":\"a\"}\n,\n{\"k\":\"b\"}\n]": "a:NULL b:NULL",
	} {
		answer := b.later(body, "Content-Type", "application/json; charset=utf-8")
		b.durable(b.plan())
		b.got(want)
		is(t, <-answer, 200, fmt.Sprintf(`{"rows":%d}`, len(strings.Fields(want))))
	}
	is(t, b.post(""), 200, `{"rows":0}`)
	is(t, b.post("[]"), 200, `{"rows":0}`)

	b = newBed(t, "format", "csv", "header", "true")
	a1, a2 := b.later("v,k\n1,a\n2,b\n"), b.later("v,k\n1,a\n2,b", "Content-Type", "text/csv")
	for len(b.rows) < 4 {
		b.durable(b.plan())
	}
	b.got("a:1 b:2 a:1 b:2")
	is(t, <-a1, 200, `{"rows":2}`)
	is(t, <-a2, 200, `{"rows":2}`)

	b = newBed(t, "format", "text")
	answer := b.later("x\ny", "Content-Type", "text/plain")
	b.durable(b.plan())
	b.got("x y")
	is(t, <-answer, 200, `{"rows":2}`)
}

func TestGzip(t *testing.T) {
	b := newBed(t, "max_request_bytes", "100 KiB")
	answer := b.later(zip(`{"k":"a","v":1}`), "Content-Encoding", "gzip")
	b.durable(b.plan())
	b.got("a:1")
	is(t, <-answer, 200, `{"rows":1}`)
	is(t, b.post(zip(strings.Repeat(" ", 200<<10)), "Content-Encoding", "gzip"), 413, "102400 bytes")
	is(t, b.post("plain", "Content-Encoding", "gzip"), 400, "not gzip")
	is(t, b.post(zip("x")[:15], "Content-Encoding", "gzip"), 400, "could not be read")
	is(t, b.post("x", "Content-Encoding", "br"), 415, "plain or gzip")
}

func zip(text string) string {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = io.WriteString(w, text)
	_ = w.Close()
	return out.String()
}

// A row that cannot be decoded refuses its request, and nothing else.
func TestBadRows(t *testing.T) {
	b := newBed(t)
	is(t, b.post("{\"k\":\"a\",\"v\":1}\n{\"k\":\"b\",\"v\":\"x\"}"), 400, `request 1:2: `)
	is(t, b.post(`[{"k":"a"},{"v":"x"}]`), 400, "no row of the request was taken")
	is(t, b.post(`[{"k":"a"}`), 400, "no row")
	is(t, b.post(`nonsense`), 400, "no row")
	answer := b.later(`{"k":"c"}`)
	b.durable(b.plan())
	b.got("c:NULL")
	is(t, <-answer, 200, `{"rows":1}`)

	b = newBed(t, "on_error", "skip")
	answer = b.later("{\"k\":\"a\",\"v\":1}\n{\"k\":\"b\",\"v\":\"x\"}")
	b.durable(b.plan())
	b.got("a:1")
	is(t, <-answer, 200, `{"rows":2,"bad":1}`)
}

// A request that was taken is answered again and not taken, also by the next process.
func TestIdempotency(t *testing.T) {
	b := newBed(t)
	key := []string{"Idempotency-Key", "k1"}
	a1, a2 := b.later(`{"k":"a","v":1}`, key...), b.later(`{"k":"a","v":1}`, key...)
	b.durable(b.plan())
	b.got("a:1")
	if x, y := (<-a1).body, (<-a2).body; strings.Contains(x, "repeated") == strings.Contains(y, "repeated") {
		t.Errorf("%s %s", x, y)
	}
	is(t, b.post(`{"k":"a","v":1}`, key...), 200, `{"rows":1,"repeated":true}`)
	is(t, b.post(`{"v":"x"}`, "Idempotency-Key", "k2"), 400, "no row") // refused: the key is free
	answer := b.later(`{"k":"b"}`, "Idempotency-Key", "k2")
	r := b.plan() // logged, and the program dies before it is answered
	b.close()
	is(t, <-answer, 503, "send them again")
	b.open()
	if err := b.src.Restore(source.Range{Entries: b.log, Offset: r.Offset}); err != nil {
		t.Fatal(err)
	}
	b.rows = nil
	b.read(r)
	b.got("b:NULL")
	is(t, b.post(`{"k":"b"}`, "Idempotency-Key", "k2"), 200, `"repeated":true`)
	is(t, b.post(`{"k":"a","v":1}`, key...), 200, `"repeated":true`)
	is(t, b.post(`{}`, "Idempotency-Key", strings.Repeat("x", 257)), 400, "longer than")
}

// A client that is gone has sent its rows all the same, once.
func TestTheClientLeaves(t *testing.T) {
	b := newBed(t)
	ctx, cancel := context.WithCancel(context.Background())
	req, _ := http.NewRequestWithContext(ctx, "POST", b.url, strings.NewReader(`{"k":"a"}`))
	req.Header.Set("Idempotency-Key", "k")
	gone := make(chan error, 1)
	go func() {
		_, err := b.http.Do(req)
		gone <- err
	}()
	r := b.plan()
	cancel()
	<-gone
	again := b.later(`{"k":"a"}`, "Idempotency-Key", "k")
	b.durable(r)
	is(t, <-again, 200, `"repeated":true`)
	b.got("a:NULL")
	if _, ok, _ := b.src.Plan(context.Background(), source.Limits{}, nil); ok {
		t.Error("the rows were taken twice")
	}
}

func TestBackPressure(t *testing.T) {
	b := newBed(t, "max_requests", "2", "retry_after", "3 s")
	a1, a2 := b.later(`{"k":"a"}`), b.later(`{"k":"b"}`)
	b.arrived(2)
	refused := b.post(`{"k":"c"}`, "Idempotency-Key", "c")
	is(t, refused, 429, "send them again later")
	if got := refused.header.Get("Retry-After"); got != "3" {
		t.Errorf("Retry-After %q", got)
	}
	for len(b.rows) < 2 {
		b.durable(b.plan())
	}
	<-a1
	<-a2
	again := b.later(`{"k":"c"}`, "Idempotency-Key", "c")
	b.durable(b.plan())
	is(t, <-again, 200, `{"rows":1}`)
}

func TestStrangers(t *testing.T) {
	b := newBed(t, "token", "0123456789abcdef", "max_request_bytes", "1 KiB")
	for _, auth := range []string{"", "Bearer", "Bearer 0123456789abcdeF", "Basic 0123456789abcdef", "bearer x"} {
		is(t, b.post("{}", "Authorization", auth), 401, "token is missing or wrong")
		is(t, b.send("GET", strings.Replace(b.url, "/in", "/etc/passwd", 1), "", "Authorization", auth), 401, "token")
	}
	for _, path := range []string{"/", "/in/", "/in/../in/x", "//in", "/IN", "/%69n/../.."} {
		is(t, b.send("POST", strings.TrimSuffix(b.url, "/in")+path, "{}"), 404, "nothing at this path")
	}
	is(t, b.send("GET", b.url, ""), 405, "POST")
	is(t, b.send("DELETE", b.url, ""), 405, "POST")
	is(t, b.post(strings.Repeat("x", 2000)), 413, "1024 bytes")
	is(t, b.post("a=b", "Content-Type", "application/x-www-form-urlencoded"), 415, "application/json")
	is(t, b.post("a", "Content-Type", ";;;"), 415, "application/json")
	answer := b.later(`{"k":"a"}`, "Authorization", "bearer 0123456789abcdef", "Origin", "http://x")
	b.durable(b.plan())
	is(t, <-answer, 200, `{"rows":1}`)
	if strings.Contains(b.src.Description(), "0123456789abcdef") {
		t.Error("the token is in the description")
	}

	open := newBed(t)
	is(t, open.post("{}", "Origin", "http://evil.example"), 403, "without a token")
}

func TestRefused(t *testing.T) {
	for _, c := range []struct {
		opts []string
		want string
	}{
		{[]string{"listen", "0.0.0.0:0"}, "everyone who reaches"},
		{[]string{"listen", ":0"}, "everyone who reaches"},
		{[]string{"listen", "here"}, "listen is no address"},
		{[]string{"path", "in"}, "path must begin with /"},
		{[]string{"listen", "0.0.0.0:0", "token", "short-secret"}, "shorter than 16"},
		{[]string{"tls_cert", "x"}, "belong together"},
		{[]string{"format", "parquet"}, "text, json and csv"},
	} {
		cfg := source.Config{Name: "s", Clock: clock.Real(), Columns: []source.Column{{Column: types.Column{Name: "k", Type: types.Of(types.String)}}}}
		for i := 0; i < len(c.opts); i += 2 {
			cfg.Options = append(cfg.Options, option.Value{Name: c.opts[i], Text: c.opts[i+1]})
		}
		_, err := Connector([]*format.Format{jsonformat.Format()}, "run").Open(context.Background(), cfg)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "short-secret") {
			t.Errorf("%v: %v", c.opts, err)
		}
	}
	b := newBed(t)
	c := b.cfg
	c.Options = []option.Value{{Name: "listen", Text: strings.TrimSuffix(strings.TrimPrefix(b.url, "http://"), "/in")}}
	if _, err := b.conn.Open(context.Background(), c); err == nil || !strings.Contains(err.Error(), "choose another port") {
		t.Error(err)
	}
	c.Finite = true
	if _, err := b.conn.Open(context.Background(), c); err == nil || !strings.Contains(err.Error(), "cannot be read as a table") {
		t.Error(err)
	}
}

// Closing answers who waits.
func TestGracefulStop(t *testing.T) {
	b := newBed(t)
	waiting := b.later(`{"k":"a"}`)
	r := b.plan()
	b.durable(r)
	is(t, <-waiting, 200, `{"rows":1}`)
	waiting = b.later(`{"k":"b"}`)
	b.arrived(2)
	b.close()
	got := <-waiting
	is(t, got, 503, "send them again")
	if got.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	b.open()
}

// Whatever comes, the server answers, and takes only what it can decode.
func FuzzRequests(f *testing.F) {
	f.Add("POST", "/in", "application/json", "", "k", `{"k":"a","v":1}`)
	f.Add("POST", "/in", "", "gzip", "", "\x1f\x8b\x08")
	f.Add("GET", "/../in", "text/plain", "", "", "[")
	f.Add("POST", "/in", "application/json", "", "", "[{}\n,{\"v\":1e400}")
	s := quiet(f)
	f.Fuzz(func(t *testing.T, method, path, kind, encoding, key, body string) {
		req, err := http.NewRequest(method, "http://x", strings.NewReader(body))
		if err != nil {
			return // no client can send that
		}
		req.URL.Path = path
		for name, x := range map[string]string{"Content-Type": kind, "Content-Encoding": encoding, "Idempotency-Key": key} {
			req.Header[name] = []string{x}
		}
		w := &recorder{header: http.Header{}}
		s.ServeHTTP(w, req)
		if w.status < 200 || w.status > 503 || !json.Valid(w.body.Bytes()) {
			t.Errorf("%d %s", w.status, &w.body)
		}
	})
}

// quiet is a server without a port, whose rows are durable as soon as they come.
func quiet(f *testing.F) *server {
	cfg := source.Config{Name: "s", Clock: clock.Real(), Replay: true, Columns: []source.Column{
		{Column: types.Column{Name: "k", Type: types.Of(types.String)}}, {Column: types.Column{Name: "v", Type: types.Of(types.Int64)}}}}
	formats := []*format.Format{jsonformat.Format()}
	fm, d, err := inbox.Decode(formats, options(), "json", cfg)
	if err != nil {
		f.Fatal(err)
	}
	s := newServer(settings{path: "/in", maxRequest: 1 << 16}, fm, d, inbox.NewBox(1<<20, 10), inbox.NewKeys(10), cfg)
	if s.src, err = inbox.New(cfg, s.box, inbox.Settings{Instance: "i", Format: fm, Decoded: d, Keys: s.keys}); err != nil {
		f.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() {
		for ctx.Err() == nil {
			r, ok, err := s.src.Plan(ctx, source.Limits{}, nil)
			if err != nil || !ok {
				continue
			}
			_ = s.src.Durable(r)
			_ = s.src.Committed(ctx, r)
		}
	})
	f.Cleanup(func() { cancel(); done.Wait() })
	return s
}

// recorder keeps what a handler writes.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *recorder) Header() http.Header         { return w.header }
func (w *recorder) WriteHeader(status int)      { w.status = status }
func (w *recorder) Write(p []byte) (int, error) { return w.body.Write(p) }
