package http

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/source/inbox"
)

// answer is what a client is told: a JSON object.
type answer struct {
	Rows     *int64 `json:"rows,omitempty"` // that were taken
	Bad      int64  `json:"bad,omitempty"`  // of them, that could not be decoded and were counted as such
	Repeated bool   `json:"repeated,omitempty"`
	Error    string `json:"error,omitempty"`
	status   int
}

func refuse(status int, text string, args ...any) answer {
	return answer{Error: fmt.Sprintf(text, args...), status: status}
}

// ServeHTTP implements http.Handler.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a := s.handle(r)
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("X-Content-Type-Options", "nosniff")
	switch a.status {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		h.Set("Retry-After", s.set.retryAfter)
	case http.StatusUnauthorized:
		h.Set("WWW-Authenticate", "Bearer")
	case http.StatusMethodNotAllowed:
		h.Set("Allow", "POST")
	}
	w.WriteHeader(a.status)
	_ = json.NewEncoder(w).Encode(a) // a client that is gone is told nothing
}

// handle takes one request as far as it goes.
func (s *server) handle(r *http.Request) answer {
	switch {
	case !s.allowed(r):
		return refuse(http.StatusUnauthorized, "the token is missing or wrong: send Authorization: Bearer …")
	case r.URL.Path != s.set.path:
		return refuse(http.StatusNotFound, "there is nothing at this path: POST to %s", s.set.path)
	case s.set.token == "" && r.Header.Get("Origin") != "":
		return refuse(http.StatusForbidden, "pages in a browser may not send rows without a token (option token)")
	case r.Method != http.MethodPost:
		return refuse(http.StatusMethodNotAllowed, "rows come by POST")
	case len(r.Header.Get("Idempotency-Key")) > 256:
		return refuse(http.StatusBadRequest, "Idempotency-Key is longer than 256 bytes")
	case r.ContentLength > s.set.maxRequest:
		return s.tooLarge()
	}
	if a := s.typed(r); a.status != 0 {
		return a
	}
	return s.once(r, r.Header.Get("Idempotency-Key"))
}

// allowed compares tokens in a time that tells nothing.
func (s *server) allowed(r *http.Request) bool {
	if s.set.token == "" {
		return true
	}
	scheme, got, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	want, have := sha256.Sum256([]byte(s.set.token)), sha256.Sum256([]byte(strings.TrimSpace(got)))
	return strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(want[:], have[:]) == 1
}

// typed refuses a body that says of itself that it is something else. A browser sends a
// form, or text, without asking anybody; JSON it does not.
func (s *server) typed(r *http.Request) answer {
	text := r.Header.Get("Content-Type")
	if text == "" {
		return answer{}
	}
	kind, _, err := mime.ParseMediaType(text)
	ok := map[string][]string{"json": {"application/json", "application/x-ndjson", "application/ndjson", "application/jsonl", "application/jsonlines"},
		"csv": {"text/csv", "application/csv", "text/tab-separated-values"}, "text": {"text/plain"}}[s.form]
	if err == nil && (kind == "application/octet-stream" || contains(ok, kind)) {
		return answer{}
	}
	return refuse(http.StatusUnsupportedMediaType, "the source takes %s: Content-Type %s", s.form, ok[0])
}

func contains(list []string, x string) bool {
	for _, y := range list {
		if x == y {
			return true
		}
	}
	return false
}

func (s *server) tooLarge() answer {
	return refuse(http.StatusRequestEntityTooLarge, "the request has more than %d bytes: send several (option max_request_bytes)", s.set.maxRequest)
}

// once takes the rows of a key once.
func (s *server) once(r *http.Request, key string) answer {
	if key == "" {
		return s.take(r, "")
	}
	for {
		rows, known, wait := s.keys.Begin(key)
		switch {
		case known && !mutant.On("idempotency keys are ignored"):
			return answer{Rows: &rows, Repeated: true, status: http.StatusOK}
		case wait == nil:
			return s.take(r, key)
		}
		select {
		case <-wait:
		case <-s.closing:
			return s.ended()
		case <-r.Context().Done():
			return refuse(http.StatusServiceUnavailable, "the client is gone")
		}
	}
}

func (s *server) ended() answer {
	return refuse(http.StatusServiceUnavailable, "%s; the rows were not taken, or nobody knows: send them again with the same Idempotency-Key", inbox.ErrClosed)
}

// take reads the rows of a request, puts them into the box, and waits until they cannot
// be lost. From Offer on the key is the parcel's: it is settled with it, though the client
// may be gone.
func (s *server) take(r *http.Request, key string) answer {
	settled := make(chan error, 1)
	p, bad, a := s.parcel(r, key)
	if a.status == 0 && p.Rows == 0 {
		a = answer{Rows: &p.Rows, status: http.StatusOK}
	}
	if a.status == 0 {
		p.Settled = func(err error) {
			s.keys.Settle(key)
			settled <- err
		}
		a = s.offer(p)
	}
	if a.status != 0 {
		s.keys.Settle(key)
		return a
	}
	done := answer{Rows: &p.Rows, Bad: bad, status: http.StatusOK}
	if mutant.On("HTTP requests are answered before their rows are logged") {
		return done
	}
	select {
	case err := <-settled:
		if err != nil {
			return s.ended()
		}
		return done
	case <-r.Context().Done():
		return refuse(http.StatusServiceUnavailable, "the client is gone")
	}
}

// offer puts a parcel into the box.
func (s *server) offer(p *inbox.Parcel) answer {
	switch ok, err := s.box.Offer(p); {
	case err != nil:
		return s.ended()
	case !ok:
		return refuse(http.StatusTooManyRequests, "too many rows wait for the next trigger: send them again later")
	}
	return answer{}
}

// parcel reads and decodes a body.
func (s *server) parcel(r *http.Request, key string) (p *inbox.Parcel, bad int64, a answer) {
	select {
	case s.room <- struct{}{}:
		defer func() { <-s.room }()
	default:
		return nil, 0, refuse(http.StatusTooManyRequests, "too many requests are being read: send them again later")
	}
	body, a := s.body(r)
	if a.status != 0 {
		return nil, 0, a
	}
	p = &inbox.Parcel{Data: body, Line: 1, From: s.number(), At: s.clock.Now().UnixMicro(), Key: key}
	s.shape(p)
	rows, bad, err := s.src.Check(r.Context(), p)
	var row *format.RowError
	switch {
	case errors.As(err, &row):
		return nil, 0, refuse(http.StatusBadRequest, "%s; no row of the request was taken", row)
	case err != nil:
		return nil, 0, refuse(http.StatusBadRequest, "%s; no row of the request was taken", err)
	}
	p.Rows = rows + bad
	return p, bad, answer{}
}

// number names a request in positions.
func (s *server) number() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests++
	return fmt.Sprintf("request %d", s.requests)
}

// shape finds out how the rows of a body are laid out: CSV may begin with the names of
// the columns, JSON may be one value.
func (s *server) shape(p *inbox.Parcel) {
	if s.csvHead {
		n := bytes.IndexByte(p.Data, '\n') + 1
		if n == 0 {
			n = len(p.Data)
		}
		p.Head, p.Data, p.Line = p.Data[:n:n], p.Data[n:], 2
	}
	if s.form != "json" {
		return
	}
	text := bytes.TrimLeft(p.Data, " \t\r\n")
	line, _, _ := bytes.Cut(text, []byte{'\n'})
	p.Whole = len(text) > 0 && (text[0] == '[' || text[0] == '{' && !json.Valid(line))
}

// body reads what the client sends, unpacked.
func (s *server) body(r *http.Request) ([]byte, answer) {
	in := io.Reader(http.MaxBytesReader(nil, r.Body, s.set.maxRequest))
	switch enc := strings.ToLower(r.Header.Get("Content-Encoding")); enc {
	case "", "identity":
	case "gzip", "x-gzip":
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, refuse(http.StatusBadRequest, "the body is not gzip: %s", err)
		}
		in = z
	default:
		return nil, refuse(http.StatusUnsupportedMediaType, "Content-Encoding %.40q: the body may be plain or gzip", enc)
	}
	out, err := io.ReadAll(io.LimitReader(in, s.set.maxRequest+1))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large) || int64(len(out)) > s.set.maxRequest:
		return nil, s.tooLarge()
	case err != nil:
		return nil, refuse(http.StatusBadRequest, "the body could not be read: %s", err)
	}
	return out, answer{}
}
