package server

import (
	"net"
	"net/http"
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/exec/mutant"
)

// guard is what each request passes first, whatever its path: that it is addressed to
// this server (a page that a browser was made to load under another name is not), comes
// from no other site's page, and holds a token. Nothing of the request but its headers is
// looked at before.
type guard struct {
	s     *Server
	next  http.Handler
	cross *http.CrossOriginProtection
	busy  chan struct{}
}

func newGuard(s *Server, next http.Handler) *guard {
	return &guard{s: s, next: next, cross: http.NewCrossOriginProtection(), busy: make(chan struct{}, s.opt.Limits.Requests)}
}

// ServeHTTP implements http.Handler.
func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	secure(w.Header())
	role, refused := g.admit(r)
	if refused != nil {
		g.s.traffic.refuse(refused.reason)
		g.s.fail(w, r, refused)
		return
	}
	select {
	case g.busy <- struct{}{}:
		defer func() { <-g.busy }()
	default:
		g.s.traffic.refuse("busy")
		w.Header().Set("Retry-After", "1")
		g.s.fail(w, r, errorf(http.StatusServiceUnavailable, "busy", "too many requests at a time").hint("try again later"))
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, g.s.opt.Limits.Body)
	g.next.ServeHTTP(w, withRole(r, role))
}

// secure sets what browsers are told with every answer. There are no CORS headers: pages
// of other sites read nothing.
func secure(h http.Header) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Referrer-Policy", "no-referrer")
}

// admit finds what a request may do, or why it is turned away.
func (g *guard) admit(r *http.Request) (Role, *Error) {
	if !g.host(r.Host) {
		return Nobody, errorf(http.StatusMisdirectedRequest, "wrong_host", "this server does not answer to that host name").
			hint("call it by its address, or start it with --allow-host NAME").because("host")
	}
	if err := g.cross.Check(r); err != nil || g.foreign(r) {
		return Nobody, errorf(http.StatusForbidden, "cross_origin", "requests of other sites' pages are refused").because("origin")
	}
	role := g.role(r)
	if role == Nobody && mutant.On("nobody may read") {
		role = Reader
	}
	if role == Nobody && !(g.s.opt.Access.OpenProbes && isProbe(r)) {
		return Nobody, errorf(http.StatusUnauthorized, "no_token", "a token is needed").
			hint("send the header Authorization: Bearer TOKEN").because("token")
	}
	return role, nil
}

// host reports a name under which the server may be called: its addresses, localhost, and
// those that were allowed. Another name may have been made to lead here by whoever made
// the page that a browser shows.
func (g *guard) host(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.TrimSuffix(strings.Trim(name, "[]"), ".")
	if strings.EqualFold(name, "localhost") || net.ParseIP(name) != nil || mutant.On("any host name is answered") {
		return true
	}
	return slices.ContainsFunc(g.s.opt.Access.Hosts, func(h string) bool { return strings.EqualFold(h, name) })
}

// foreign reports what a browser says of a page of another site, for reading requests
// too.
func (g *guard) foreign(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "cross-site", "same-site":
		return !mutant.On("pages of other sites may read")
	}
	return false
}

func (g *guard) role(r *http.Request) Role {
	a := g.s.opt.Access
	if a.Certificates && r.TLS != nil && len(r.TLS.VerifiedChains) > 0 {
		return Owner
	}
	if !a.Tokens.Any() {
		if a.Certificates {
			return Nobody
		}
		return Owner
	}
	scheme, text, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	if !ok || !strings.EqualFold(scheme, "Bearer") || len(r.Header.Values("Authorization")) != 1 {
		return Nobody
	}
	return a.Tokens.role(strings.TrimSpace(text))
}

func isProbe(r *http.Request) bool {
	if mutant.On("probes open every path") {
		return true
	}
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) && (r.URL.Path == "/healthz" || r.URL.Path == "/readyz")
}
