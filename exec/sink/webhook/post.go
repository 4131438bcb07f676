package webhook

import (
	"bytes"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

// request is one of the requests of a batch.
type request struct {
	batch       int64
	chunk, of   int
	body        []byte
	contentType string
}

// Publish implements sink.Sink.
func (s *Sink) Publish(ctx context.Context, b sink.Batch, payload []byte) error {
	bodies, lines, err := decodePayload(payload)
	if err != nil {
		return s.wrap(err)
	}
	kind := "application/json"
	if lines {
		kind = "application/x-ndjson"
	}
	for i, body := range bodies {
		r := request{batch: b.ID, chunk: i, of: len(bodies), body: body, contentType: kind}
		if err := s.deliver(ctx, r); err != nil {
			return s.wrap(fmt.Errorf("request %d of %d: %w", i+1, len(bodies), err))
		}
	}
	return nil
}

// key names a request: the same one whenever it is sent.
func (s *Sink) key(r request) string {
	return s.cfg.QueryID + "/" + strconv.FormatInt(r.batch, 10) + "/" + strconv.Itoa(r.chunk)
}

// refusal is an answer that no repetition would change.
type refusal struct {
	Status   int
	Location string
	Text     string // the beginning of the answer
}

func (e *refusal) Error() string {
	text := fmt.Sprintf("the receiver refused the rows: %d %s", e.Status, http.StatusText(e.Status))
	if e.Location != "" {
		text += "; it points to the host " + e.Location + ", which is not followed: set url to where the rows belong"
	}
	if e.Text != "" {
		text += ": " + e.Text
	}
	return text
}

// busy is a failure after which the request is sent again.
type busy struct {
	err   error
	after time.Duration // Retry-After
}

func (e *busy) Error() string { return e.err.Error() }
func (e *busy) Unwrap() error { return e.err }

// deliver sends a request until it is taken or refused, or retry_timeout has passed.
func (s *Sink) deliver(ctx context.Context, r request) error {
	wait := clock.Backoff{Clock: s.cfg.Clock, First: 200 * time.Millisecond, Most: 30 * time.Second, Limit: max(s.retry, 1)}
	for {
		err := s.post(ctx, r)
		var no *refusal
		var later *busy
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.As(err, &no) && s.deadLetter != "":
			return s.bury(r, no)
		case !errors.As(err, &later):
			return err
		}
		s.log.Warn("a request is sent again", "query", s.cfg.Query, "sink", s.cfg.Name, "batch_id", r.batch, "err", err)
		again, waitErr := wait.Wait(ctx, later.after)
		if waitErr != nil {
			return waitErr
		}
		if !again {
			return fmt.Errorf("%w; given up after retry_timeout = %s", err, s.retry)
		}
	}
}

// post sends a request once.
func (s *Sink) post(ctx context.Context, r request) error {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url.String(), bytes.NewReader(r.body))
	if err != nil {
		return errors.New("the request cannot be made") // the cause quotes the URL
	}
	for name, values := range s.headers {
		req.Header[name] = values
	}
	req.Header.Set("Content-Type", r.contentType)
	req.Header.Set("Idempotency-Key", s.key(r))
	if mutant.On("a request that is sent again has a new key") {
		req.Header.Set("Idempotency-Key", s.key(r)+"/"+s.cfg.Clock.Now().String())
	}
	req.Header.Set("Sqlstream-Query", url.QueryEscape(s.cfg.Query))
	req.Header.Set("Sqlstream-Batch", strconv.FormatInt(r.batch, 10))
	req.Header.Set("Sqlstream-Chunk", strconv.Itoa(r.chunk))
	req.Header.Set("Sqlstream-Chunks", strconv.Itoa(r.of))
	req.Header.Set("Sqlstream-Mode", s.cfg.Mode.String())
	resp, err := s.client.Do(req)
	if err != nil {
		return &busy{err: s.unreached(err)}
	}
	defer func() { _ = resp.Body.Close() }()
	return s.judge(resp)
}

// unreached strips the URL, which may be secret, from an error of the client.
func (s *Sink) unreached(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("no answer within %s", s.timeout)
	}
	return fmt.Errorf("%s: %w", s.url.Host, err)
}

// judge says what an answer means.
func (s *Sink) judge(resp *http.Response) error {
	text := excerpt(resp.Body)
	code := resp.StatusCode
	switch {
	case code >= 200 && code < 300:
		return nil
	case code == http.StatusRequestTimeout, code == http.StatusTooEarly, code == http.StatusTooManyRequests, code >= 500:
		err := fmt.Errorf("the receiver answered %d %s", code, http.StatusText(code))
		if text != "" {
			err = fmt.Errorf("%w: %s", err, text)
		}
		return &busy{err, s.retryAfter(resp.Header.Get("Retry-After"))}
	}
	no := &refusal{Status: code, Text: text}
	if to, err := resp.Location(); err == nil && code < 400 {
		no.Location = to.Host
	}
	return no
}

// excerpt reads an answer to its end, so that the connection can be used again, and
// keeps its beginning.
func excerpt(body io.Reader) string {
	head, err := io.ReadAll(io.LimitReader(body, 512))
	if err == nil {
		_, _ = io.Copy(io.Discard, io.LimitReader(body, 1<<20))
	}
	return string(bytes.TrimSpace(bytes.ToValidUTF8(head, nil)))
}

// retryAfter reads a number of seconds or a date.
func (s *Sink) retryAfter(text string) time.Duration {
	if n, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(n) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, at.Sub(s.cfg.Clock.Now()))
	}
	return 0
}

func (s *Sink) trusted(path string) (*x509.CertPool, error) {
	pem, err := vfs.ReadFile(s.cfg.FS, s.abs(path))
	if err != nil {
		return nil, fmt.Errorf("tls_ca: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("tls_ca: %s has no PEM certificate", path)
	}
	return pool, nil
}
