package server

import (
	"net/http"
	"strings"
	"testing"
)

// every lists a request for each route, and some for none.
func every() (out []string) {
	for _, rt := range routes() {
		out = append(out, rt.Method+" "+strings.ReplaceAll(rt.Path, "{query}", "out"))
	}
	return append(out, "GET /", "GET /nothing", "POST /healthz", "DELETE /v1/queries/out", "GET /v1/queries/%2e%2e%2fx", "OPTIONS /v1/sql")
}

// Without a token nothing is readable or writable, and not even told apart.
func TestNothingWithoutToken(t *testing.T) {
	w := newWorld(t, withTokens)
	for _, headers := range [][]string{nil, {"Authorization: Bearer wrong-token-0123456789"}, {"Authorization: " + ownerToken},
		{"Authorization: Basic " + ownerToken}, {"Authorization: Bearer"}, {"Authorization: Bearer "}, {"Authorization: Bearer " + ownerToken[:20]},
		{"Authorization: Bearer " + ownerToken, "Authorization: Bearer " + ownerToken}, {"X-Token: " + ownerToken}, {"Cookie: token=" + ownerToken}} {
		for _, what := range every() {
			rec := w.do(what, `{"sql": "DROP TABLE people"}`, append([]string{asJSON}, headers...)...)
			if rec.Code != http.StatusUnauthorized || strings.Contains(rec.Body.String(), "out") || rec.Header().Get("WWW-Authenticate") == "" {
				t.Errorf("%s with %q: %d %s", what, headers, rec.Code, rec.Body)
			}
		}
		rec := w.do("GET /v1/queries?access_token="+ownerToken, "", headers...)
		if rec.Code != http.StatusUnauthorized {
			t.Errorf("a token in the URL is taken: %d", rec.Code)
		}
	}
	if got := len(w.e.Queries()); got != 2 {
		t.Errorf("%d queries", got)
	}
	w.gives(200, nil, "POST /v1/sql", "SELECT * FROM people", asSQL, "Authorization: bearer "+ownerToken)
}

func TestReadersOnlyRead(t *testing.T) {
	w := newWorld(t, withTokens)
	for _, rt := range routes() {
		what := rt.Method + " " + strings.ReplaceAll(rt.Path, "{query}", "out")
		rec := w.do(what, `{"sql": "SELECT 1"}`, asJSON, "Authorization: Bearer "+readerToken)
		if want := rt.Role == Owner; want != (rec.Code == http.StatusForbidden) || (rt.Method == "GET") == want {
			t.Errorf("%s: %d", what, rec.Code)
		}
	}
}

func TestOpenProbes(t *testing.T) {
	w := newWorld(t, withTokens, func(o *Options) {
		o.Access.OpenProbes = true
		o.Ready = func() string { return "secret reason" }
	})
	w.gives(200, nil, "GET /healthz", "")
	if rec := w.do("GET /readyz", ""); rec.Code != 503 || strings.Contains(rec.Body.String(), "secret") {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
	w.refused(401, "no_token", "GET /metrics", "")
	w.refused(401, "no_token", "POST /healthz", "")
}

// A page that a browser loads under another name, or of another site, gets nothing.
func TestOtherSites(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.Access.Hosts = []string{"streams.example.org"} })
	for _, host := range []string{"127.0.0.1:8642", "localhost", "LOCALHOST:1", "[::1]:8642", "10.1.2.3", "streams.example.org:443", "Streams.Example.org."} {
		w.gives(200, nil, "GET /healthz", "", "Host: "+host)
	}
	for _, host := range []string{"evil.example", "localhost.evil.example", "", "streams.example.org.evil.example", "127.0.0.1.evil.example:8642", "evil.example@127.0.0.1"} {
		w.refused(http.StatusMisdirectedRequest, "wrong_host", "GET /v1/queries", "", "Host: "+host)
	}
	for _, h := range [][]string{{"Sec-Fetch-Site: cross-site"}, {"Sec-Fetch-Site: same-site"}} {
		w.refused(403, "cross_origin", "GET /v1/queries", "", h...)
		w.refused(403, "cross_origin", "POST /v1/sql", "DROP TABLE people", append(h, asSQL)...)
	}
	for _, origin := range []string{"https://evil.example", "null", "http://127.0.0.1:1"} {
		w.refused(403, "cross_origin", "POST /v1/queries/out/stop", "", "Origin: "+origin)
	}
	w.gives(200, nil, "POST /v1/queries/out/pause", "", "Origin: http://127.0.0.1:8642")
	rec := w.do("OPTIONS /v1/sql", "", "Origin: https://evil.example", "Access-Control-Request-Method: POST")
	for h := range rec.Header() {
		if strings.HasPrefix(h, "Access-Control-") {
			t.Errorf("CORS header %s", h)
		}
	}
}

func TestPathsAndBodies(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.Limits.Body = 1000 })
	for _, p := range []string{"/../../etc/passwd", "/v1//queries", "/v1/queries/../../x", "/v1/./queries", "/v1/queries/%2e%2e/explain", "/v1/queries/a%00b", `/v1/queries/a%5Cb`} {
		w.refused(400, "bad_path", "GET "+p, "")
	}
	for _, p := range []string{"/etc/passwd", "/v1/queries/", "/v2/queries", "/v1/queries/out/progress/x", "/debug/pprof/"} {
		w.refused(404, "no_such_path", "GET "+p, "")
	}
	w.refused(404, "no_such_query", "GET /v1/queries/"+strings.Repeat("x", 5000), "")
	w.refused(413, "too_large", "POST /v1/sql", "SELECT '"+strings.Repeat("x", 1000)+"'", asSQL)
	w.refused(413, "too_large", "POST /v1/sql", `{"sql": "`+strings.Repeat("x", 1000)+`"}`, asJSON)
}

func TestBusy(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.Limits.Requests = 1 })
	w.guard.busy <- struct{}{}
	w.refused(503, "busy", "GET /healthz", "")
	<-w.guard.busy
	w.gives(200, nil, "GET /healthz", "")
}

func TestTokens(t *testing.T) {
	tokens, err := NewTokens([]string{ownerToken}, nil)
	if err != nil || tokens.role(ownerToken) != Owner || tokens.role(readerToken) != Nobody {
		t.Fatal(err)
	}
	for _, bad := range []string{"", "short", "with a blank 0123456789", "with\ttab-0123456789", "ümlaut-0123456789-abc"} {
		if err := tokens.Set([]string{bad}, nil); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
	if tokens.role(ownerToken) != Owner {
		t.Error("a refused change took the token away")
	}
	if err := tokens.Set(nil, []string{readerToken}); err != nil || tokens.role(ownerToken) != Nobody || tokens.role(readerToken) != Reader {
		t.Error(err)
	}
	var none *Tokens
	if none.Any() {
		t.Error("nothing is something")
	}
}

func TestAddresses(t *testing.T) {
	for _, a := range []string{"127.0.0.1:0", "localhost:8642", "[::1]:80", "127.9.9.9:1"} {
		if err := CheckAddress(a, false); err != nil {
			t.Error(err)
		}
	}
	for _, a := range []string{":8642", "0.0.0.0:8642", "[::]:1", "192.168.0.1:80", "example.org:80"} {
		if err := CheckAddress(a, false); err == nil || !strings.Contains(err.Error(), "--token-file") {
			t.Errorf("%s: %v", a, err)
		}
		if err := CheckAddress(a, true); err != nil {
			t.Error(err)
		}
	}
	if err := CheckAddress("8642", true); err == nil {
		t.Error("no address")
	}
}
