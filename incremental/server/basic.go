package server

import (
	"compress/gzip"
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/incremental/engine"
	"github.com/sqlstream/sqlstream/incremental/server/metrics"
)

// Health is the answer of /healthz and /readyz.
type Health struct {
	Status  string   `json:"status" doc:"ok, or not ready"`
	Reason  string   `json:"reason,omitempty" doc:"why the program is not ready"`
	Queries []string `json:"queries,omitempty" doc:"the queries that are not well"`
}

// About is the answer of /v1.
type About struct {
	Version string    `json:"version" doc:"of the program"`
	Started time.Time `json:"started" doc:"when it began to serve"`
	Queries int       `json:"queries" doc:"how many queries it knows"`
	SQL     SQLPolicy `json:"sql" doc:"what POST /v1/sql takes: all, read or off"`
	Role    string    `json:"role" doc:"what the holder of the token may do: owner or reader"`
}

func (s *Server) health(c *call) error {
	writeJSON(c.w, http.StatusOK, Health{Status: "ok"})
	return nil
}

func (s *Server) ready(c *call) error {
	h := s.readiness()
	if c.role == Nobody { // an open probe: the status alone
		h.Reason, h.Queries = "", nil
	}
	status := http.StatusOK
	if h.Status != "ok" {
		status = http.StatusServiceUnavailable
	}
	writeJSON(c.w, status, h)
	return nil
}

func (s *Server) readiness() Health {
	switch why := s.opt.Ready(); {
	case s.closing.Load():
		return Health{Status: "not ready", Reason: "the program is about to end"}
	case why != "":
		return Health{Status: "not ready", Reason: why}
	}
	var bad []string
	for _, q := range s.latest() {
		if unwell(q) {
			bad = append(bad, q.Name)
		}
	}
	if len(bad) > 0 {
		return Health{Status: "not ready", Reason: "queries have failed", Queries: bad}
	}
	return Health{Status: "ok"}
}

// unwell reports a query that does not run though it should.
func unwell(q *engine.Query) bool {
	switch q.Status() {
	case engine.Running, engine.Paused, engine.Finished:
		return false
	}
	return true
}

// latest lists the queries, of each name the one that was started last.
func (s *Server) latest() (out []*engine.Query) {
	at := map[string]int{}
	for _, q := range s.opt.Engine.Queries() {
		if i, ok := at[q.Name]; ok {
			out[i] = q
			continue
		}
		at[q.Name] = len(out)
		out = append(out, q)
	}
	return out
}

func (s *Server) about(c *call) error {
	role := "owner"
	if c.role == Reader {
		role = "reader"
	}
	writeJSON(c.w, http.StatusOK, About{Version: s.opt.Version, Started: s.started.UTC(), Queries: len(s.latest()), SQL: s.policy(), Role: role})
	return nil
}

func (s *Server) policy() SQLPolicy {
	if s.opt.Access.SQL == "" {
		return SQLAll
	}
	return s.opt.Access.SQL
}

func (s *Server) metricsPage(c *call) error {
	page := metrics.Text(s.opt.Metrics.Gather())
	c.w.Header().Set("Content-Type", metrics.ContentType)
	if !strings.Contains(c.r.Header.Get("Accept-Encoding"), "gzip") {
		_, err := c.w.Write(page)
		return err
	}
	c.w.Header().Set("Content-Encoding", "gzip")
	z := gzip.NewWriter(c.w)
	_, err := z.Write(page)
	if err == nil {
		err = z.Close()
	}
	return err
}

type roleKey struct{}

func withRole(r *http.Request, role Role) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), roleKey{}, role))
}

func roleOf(r *http.Request) Role {
	role, _ := r.Context().Value(roleKey{}).(Role)
	return role
}
