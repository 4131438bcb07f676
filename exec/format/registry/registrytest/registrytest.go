// Package registrytest is a schema registry in memory, for tests: it knows the few
// requests that the client makes, and no rules of compatibility. Open this file first.
package registrytest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
)

// Server is a registry. It is an http.Handler.
type Server struct {
	mux *http.ServeMux

	mu       sync.Mutex
	byID     map[int]entry
	subjects map[string][]int // ids of the versions
	requests int
	fail     []int // statuses of the next answers
}

type entry struct {
	Schema     string      `json:"schema"`
	Type       string      `json:"schemaType,omitempty"`
	References []Reference `json:"references,omitempty"`
}

// Reference is what a schema refers to.
type Reference struct {
	Name    string `json:"name"`
	Subject string `json:"subject"`
	Version int    `json:"version"`
}

// New returns a registry with Avro schemas by their ids.
func New(schemas map[int]string) *Server {
	s := &Server{mux: http.NewServeMux(), byID: map[int]entry{}, subjects: map[string][]int{}}
	for id, text := range schemas {
		s.byID[id] = entry{Schema: text}
	}
	s.mux.HandleFunc("GET /schemas/ids/{id}", s.schema)
	s.mux.HandleFunc("GET /subjects/{subject}/versions/{version}", s.version)
	s.mux.HandleFunc("POST /subjects/{subject}/versions", func(w http.ResponseWriter, r *http.Request) { s.register(w, r, true) })
	s.mux.HandleFunc("POST /subjects/{subject}", func(w http.ResponseWriter, r *http.Request) { s.register(w, r, false) })
	return s
}

// Add registers a schema under a subject, and returns its id.
func (s *Server) Add(subject, kind, text string, refs ...Reference) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.add(subject, entry{text, kind, refs})
}

func (s *Server) add(subject string, e entry) int {
	for id, old := range s.byID {
		if old.Schema == e.Schema && old.Type == e.Type {
			s.subjects[subject] = append(s.subjects[subject], id)
			return id
		}
	}
	id := 100 + len(s.byID)
	s.byID[id] = e
	s.subjects[subject] = append(s.subjects[subject], id)
	return id
}

// Requests is how many there were.
func (s *Server) Requests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests
}

// Fail gives the next requests these answers.
func (s *Server) Fail(statuses ...int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fail = statuses
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests++
	if len(s.fail) > 0 {
		status := s.fail[0]
		s.fail = s.fail[1:]
		answer(w, status, map[string]any{"error_code": status, "message": "as the test demands"})
		return
	}
	s.mux.ServeHTTP(w, r)
}

func answer(w http.ResponseWriter, status int, value any) {
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value)
}

func missing(w http.ResponseWriter, code int) {
	answer(w, http.StatusNotFound, map[string]any{"error_code": code, "message": "not found"})
}

func (s *Server) schema(w http.ResponseWriter, r *http.Request) {
	var id int
	fmt.Sscan(r.PathValue("id"), &id)
	e, ok := s.byID[id]
	if !ok {
		missing(w, 40403)
		return
	}
	answer(w, http.StatusOK, e)
}

func (s *Server) version(w http.ResponseWriter, r *http.Request) {
	subject, ids := r.PathValue("subject"), s.subjects[r.PathValue("subject")]
	n := len(ids)
	if v := r.PathValue("version"); v != "latest" {
		fmt.Sscan(v, &n)
	}
	if n < 1 || n > len(ids) {
		missing(w, 40401)
		return
	}
	answer(w, http.StatusOK, map[string]any{"subject": subject, "version": n, "id": ids[n-1], "schema": s.byID[ids[n-1]].Schema, "schemaType": s.byID[ids[n-1]].Type, "references": s.byID[ids[n-1]].References})
}

func (s *Server) register(w http.ResponseWriter, r *http.Request, create bool) {
	var e entry
	if err := json.NewDecoder(r.Body).Decode(&e); err != nil {
		answer(w, http.StatusUnprocessableEntity, map[string]any{"error_code": 42201, "message": err.Error()})
		return
	}
	subject := r.PathValue("subject")
	for v, id := range s.subjects[subject] {
		if s.byID[id].Schema == e.Schema {
			answer(w, http.StatusOK, map[string]any{"subject": subject, "version": v + 1, "id": id, "schema": e.Schema})
			return
		}
	}
	if !create {
		missing(w, 40403)
		return
	}
	answer(w, http.StatusOK, map[string]any{"id": s.add(subject, e)})
}
