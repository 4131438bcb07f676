package server

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"
)

// lived makes a server whose queries have run, paused, ended and failed, so that there is
// something to tell of each.
func lived(t testing.TB, edit ...func(*Options)) *world {
	w := newWorld(t, edit...)
	sql, limits := w.opt.Access.SQL, w.opt.Limits
	w.opt.Access.SQL, w.opt.Limits.QueryTime, w.opt.Limits.MaxTime = SQLAll, time.Minute, time.Minute
	defer func() { w.opt.Access.SQL, w.opt.Limits = sql, limits }()
	for _, sql := range []string{
		"INSERT INTO clicks VALUES ('ana', 1), ('ana', 2), ('bo', 3); RUN TRIGGER",
		"CREATE SINK late WITH (connector = 'memory'); INSERT INTO late SELECT n FROM clicks TRIGGER MANUAL; INSERT INTO clicks VALUES ('dee', 4); RUN TRIGGER; STOP QUERY late",
		"CREATE SINK wrong WITH (connector = 'memory'); INSERT INTO wrong SELECT 1 DIV (n - 5) AS n FROM clicks TRIGGER MANUAL; INSERT INTO clicks VALUES ('eve', 5)",
	} {
		if rec := w.do("POST /v1/sql", sql, asSQL, "Authorization: Bearer "+ownerToken); rec.Code != http.StatusOK {
			t.Fatalf("%s: %s", sql, rec.Body)
		}
	}
	w.do("POST /v1/queries/wrong/trigger", "", "Authorization: Bearer "+ownerToken) // it fails, as it should
	return w
}

// maker makes whole requests: their length is right and their parts are those of the API,
// but for one here and there, so that they get behind the guard.
type maker struct{ *rand.Rand }

func pick[T any](m maker, list ...T) T { return list[m.IntN(len(list))] }

// request gives the bytes of a request.
func (m maker) request() []byte {
	what := pick(m, every()...)
	if m.IntN(2) == 0 {
		what = "POST /v1/sql"
	}
	what = strings.Replace(what, "/out", "/"+pick(m, "out", "per", "late", "wrong", "none", "p%65r", "out%2f"), 1)
	body, kind := "", ""
	if strings.HasPrefix(what, "POST /v1/sql") {
		body, kind = m.statements()
	}
	return fmt.Appendf(nil, "%s%s HTTP/1.1\r\nHost: localhost\r\n%s%sContent-Length: %d\r\n\r\n%s", what, m.query(), kind, m.headers(), len(body), body)
}

// query are parameters of the address.
func (m maker) query() string {
	var parts []string
	for range m.IntN(3) {
		parts = append(parts, pick(m, "follow=true", "follow=true", "format=jsonl", "format=json", "last="+m.number(), "timeout_ms="+m.number(), "status=running", "status=failed", "status=none", "max_rows=1", "%zz", "a=b=c"))
	}
	if len(parts) == 0 {
		return ""
	}
	return "?" + strings.Join(parts, "&")
}

func (m maker) number() string {
	return pick(m, "0", "1", "2", "100", "-1", "9223372036854775807", "9223372036854775808", "1e3", "x", "")
}

func (m maker) headers() string {
	text := ""
	for range m.IntN(4) {
		text += pick(m, "Authorization: Bearer "+ownerToken, "Authorization: Bearer "+ownerToken, "Authorization: Bearer "+readerToken, "Authorization: Basic eA==", "Accept: "+jsonLines, "Accept: text/plain",
			"Origin: http://localhost", "Origin: null", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-origin", "Expect: 100-continue", "If-None-Match: *", "Range: bytes=0-1", "Accept-Encoding: gzip") + "\r\n"
	}
	return text
}

// statements are a body of POST /v1/sql: what clients send, with a word changed at times.
func (m maker) statements() (body, kind string) {
	var list []string
	for range 1 + m.IntN(3) {
		list = append(list, m.statement())
	}
	sql := strings.Join(list, pick(m, "; ", ";\n", " "))
	switch m.IntN(4) {
	case 0:
		return sql, "Content-Type: application/sql\r\n"
	case 1:
		return fmt.Sprintf(`{"sql": %q, "max_rows": %s, "timeout_ms": %s}`, sql, m.number(), m.number()), "Content-Type: application/json; charset=utf-8\r\n"
	}
	return fmt.Sprintf(`{"sql": %q}`, sql), "Content-Type: application/json\r\n"
}

func (m maker) statement() string {
	text := pick(m,
		"SELECT * FROM people ORDER BY who", "SELECT who, count(*) AS n FROM people GROUP BY who", "SELECT * FROM per", "SELECT * FROM out", "SELECT * FROM clicks", "SELECT * FROM sys.queries",
		"SELECT * FROM state('per')", "SELECT n FROM generate_series(1, 100000) AS t(n)", "SELECT 1/0 AS x", "SELECT repeat('é', 1000) AS x", "SELECT $1 AS x", "SELECT CAST('x' AS INT) AS x",
		"PREPARE p (STRING) AS SELECT who FROM people WHERE town = $1", "PREPARE p AS SELECT * FROM people LIMIT ?", "EXECUTE p ('Lund')", "EXECUTE p (1, 2)", "EXECUTE p", "EXECUTE p USING NULL", "DEALLOCATE p", "DEALLOCATE ALL",
		"SHOW QUERIES", "SHOW PROGRESS", "SHOW PROGRESS FOR per", "SHOW WATERMARKS", "SHOW FUNCTIONS LIKE 'a%'", "SHOW SETTINGS", "SHOW CREATE TABLE people", "DESCRIBE per", "EXPLAIN SELECT * FROM people", "EXPLAIN per",
		"SET timezone = 'UTC'", "SET timezone", "INSERT INTO clicks VALUES ('fay', 7)", "INSERT INTO people VALUES ('x', NULL)", "RUN TRIGGER FOR per", "RUN TRIGGER", "PAUSE QUERY out", "RESUME QUERY out", "STOP QUERY late", "START QUERY late",
		"AWAIT QUERY late WITHIN '1 ms'", "CREATE VIEW v AS SELECT who FROM people", "CREATE OR REPLACE VIEW v AS SELECT town FROM people", "SELECT * FROM v", "DROP VIEW v", "DROP VIEW IF EXISTS v",
		"CREATE FUNCTION f(x INT) RETURNS INT RETURN x + 1", "SELECT f(1) AS x", "DROP FUNCTION IF EXISTS f", "SELECT array_agg(who) AS a, map('k', 1.5) AS m, TIMESTAMP '2024-01-01' AS t FROM people")
	if m.IntN(3) > 0 {
		return text
	}
	words := strings.Fields(text)
	words[m.IntN(len(words))] = pick(m, "", "NULL", "'", "(", "per", "SELECT", "*", "9223372036854775808", "é", "\\u0000", "sys.progress", "--", "people", "$2")
	return strings.Join(words, " ")
}

// TestRandomCalls sends requests that the API knows to servers that read, that do all and
// that ask for tokens: what FuzzRequest says holds, and clients that leave end a stream.
func TestRandomCalls(t *testing.T) {
	short := func(o *Options) { o.Limits.QueryTime, o.Limits.MaxTime = 20*time.Millisecond, 20*time.Millisecond }
	read := func(o *Options) { o.Access.SQL = SQLRead }
	open, closed, free := lived(t, short, read), lived(t, short, read, withTokens), lived(t, short)
	m := maker{rand.New(rand.NewPCG(*seed, 9))}
	for range *requests / 2 {
		data := m.request()
		throw(t, open, closed, data)
		if r := parsed(data); r != nil {
			thrown(t, free, r, false)
		}
	}
}

// thrown sends a request whose client leaves after a moment, if it follows.
func thrown(t *testing.T, w *world, r *http.Request, outside bool) {
	t.Helper()
	patience := time.Minute
	if strings.Contains(r.URL.RawQuery, "follow") {
		patience = time.Millisecond
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	fuzzOne(t, w, r.WithContext(ctx), outside)
}
