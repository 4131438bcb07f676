package server

import (
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/mutant"
)

// route is an operation of the API. The handler and its description stand together, so
// that the OpenAPI description says what is.
type route struct {
	Method, Path string
	Name         string // operationId; label of metrics
	Doc          string
	Role         Role
	Params       []param
	Body         *content
	Reply        content // of success
	Errors       []int   // besides those of every route

	serve func(*Server, *call) error
}

// param is a part of the path or of the query.
type param struct {
	Name, In, Type string
	Doc            string
	Values         []string // that it may have; nil = any
}

// content is a body or an answer: a Go value of its shape, and the media types beside
// application/json.
type content struct {
	Shape any
	Also  map[string]string // media type: what it holds
	Only  string            // one media type instead of JSON
}

// routes is the table of all operations.
func routes() []route {
	return append(append(basicRoutes(), queryRoutes()...), sqlRoutes()...)
}

// Operation is a route as the reference lists it.
type Operation struct {
	Method, Path, Doc string
	Owner             bool        // a token that only reads is not enough
	Params            [][2]string // of the query: name and what it is
}

// Operations lists all routes: the reference is generated from it.
func Operations() (out []Operation) {
	for _, rt := range routes() {
		op := Operation{Method: rt.Method, Path: rt.Path, Doc: rt.Doc, Owner: rt.Role == Owner}
		for _, p := range rt.Params {
			if p.In == "query" {
				op.Params = append(op.Params, [2]string{p.Name, p.Doc})
			}
		}
		out = append(out, op)
	}
	return out
}

func basicRoutes() []route {
	return []route{
		{Method: "GET", Path: "/healthz", Name: "health", Role: Reader, Doc: "Tells that the program answers.",
			Reply: content{Shape: Health{}}, serve: (*Server).health},
		{Method: "GET", Path: "/readyz", Name: "ready", Role: Reader, Errors: []int{http.StatusServiceUnavailable},
			Doc:   "Tells whether the scripts have been run and no query has failed or waits to be started again.",
			Reply: content{Shape: Health{}}, serve: (*Server).ready},
		{Method: "GET", Path: "/metrics", Name: "metrics", Role: Reader, Doc: "The metrics, for Prometheus.",
			Reply: content{Only: "text/plain"}, serve: (*Server).metricsPage},
		{Method: "GET", Path: "/v1", Name: "about", Role: Reader, Doc: "Tells what runs.",
			Reply: content{Shape: About{}}, serve: (*Server).about},
		{Method: "GET", Path: "/v1/openapi.json", Name: "openapi", Role: Reader, Doc: "This description.",
			Reply: content{Shape: map[string]any{}}, serve: (*Server).openapi},
	}
}

// call is a request on its way through a route.
type call struct {
	w    *recorder
	r    *http.Request
	role Role
}

// mux dispatches requests that the guard let through.
func (s *Server) mux() http.Handler {
	m := http.NewServeMux()
	for _, rt := range routes() {
		m.Handle(rt.Method+" "+rt.Path, s.endpoint(rt))
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p := r.URL.Path; path.Clean(p) != p && path.Clean(p)+"/" != p || strings.ContainsAny(p, "\\\x00") {
			s.traffic.refuse("path")
			s.fail(w, r, errorf(http.StatusBadRequest, "bad_path", "the path of a request has no empty parts and no dots"))
			return
		}
		if h, pattern := m.Handler(r); pattern == "" {
			s.missing(w, r, h)
			return
		}
		m.ServeHTTP(w, r)
	})
}

// missing answers for what there is no route for.
func (s *Server) missing(w http.ResponseWriter, r *http.Request, h http.Handler) {
	h.ServeHTTP(headersOnly{w.Header()}, r)
	s.traffic.refuse("path")
	if allow := w.Header().Get("Allow"); allow != "" {
		s.fail(w, r, errorf(http.StatusMethodNotAllowed, "wrong_method", "%s is not possible here", shortMethod(r.Method)).hint("use "+allow))
		return
	}
	s.fail(w, r, errorf(http.StatusNotFound, "no_such_path", "there is nothing at this path").hint("GET /v1/openapi.json lists what there is"))
}

func shortMethod(m string) string { return m[:min(len(m), 16)] }

// headersOnly takes the headers of an answer and drops the rest.
type headersOnly struct{ h http.Header }

// Header implements http.ResponseWriter.
func (h headersOnly) Header() http.Header { return h.h }

// Write implements http.ResponseWriter.
func (h headersOnly) Write(p []byte) (int, error) { return len(p), nil }

// WriteHeader implements http.ResponseWriter.
func (headersOnly) WriteHeader(int) {}

// endpoint runs a route: it checks the role, counts, and answers with the error.
func (s *Server) endpoint(rt route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		from := s.opt.Clock.Now()
		rec := &recorder{ResponseWriter: w, limit: s.opt.Limits.WriteTime, control: http.NewResponseController(w), now: s.opt.Clock.Now}
		s.traffic.enter()
		defer func() { s.traffic.leave(rt.Name, rec.code(), s.opt.Clock.Now().Sub(from)) }()
		c := &call{w: rec, r: r, role: roleOf(r)}
		if c.role < rt.Role && !mutant.On("readers may do everything") && !(s.guard.s.opt.Access.OpenProbes && isProbe(r)) {
			s.fail(rec, r, errorf(http.StatusForbidden, "read_only", "this token only reads"))
			return
		}
		rec.extend()
		if err := rt.serve(s, c); err != nil {
			s.answerError(c, err)
		}
	})
}

// answerError answers with an error, unless the answer has begun: then the connection
// ends, so that nobody takes half of it for the whole.
func (s *Server) answerError(c *call, err error) {
	if c.w.status != 0 {
		panic(http.ErrAbortHandler)
	}
	s.fail(c.w, c.r, errorOf(err, nil))
}

// recorder notes the status of an answer, and gives the client some time for each write.
type recorder struct {
	http.ResponseWriter
	control *http.ResponseController
	limit   time.Duration
	now     func() time.Time
	status  int
}

// WriteHeader implements http.ResponseWriter.
func (r *recorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (r *recorder) Write(p []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	r.extend()
	return r.ResponseWriter.Write(p)
}

// Flush sends what has been written.
func (r *recorder) Flush() {
	r.extend()
	r.control.Flush() //nolint:errcheck // a writer without it is a test's
}

// extend gives the client time for the next write. The deadline is one of the system, so
// it is counted by the machine's clock.
func (r *recorder) extend() {
	r.control.SetWriteDeadline(r.now().Add(r.limit)) //nolint:errcheck // a writer without it is a test's
}

// Unwrap serves http.ResponseController.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

func (r *recorder) code() int {
	if r.status == 0 {
		return http.StatusOK
	}
	return r.status
}
