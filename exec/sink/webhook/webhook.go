// Package webhook is the sink http, which posts rows as JSON to a URL. The bodies of all
// requests of a batch are made and logged before the first is sent, so that a request that
// is sent again has the same body and the same Idempotency-Key: a receiver that remembers
// keys takes each once.
//
// post.go sends, deadletter.go keeps what a receiver refuses for good. It knows no plans
// and no checkpoints. Open this file first.
package webhook

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/sink/staged"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// Connector describes the sink.
func Connector() sink.Connector {
	return sink.Connector{
		Name: "http", Aliases: []string{"webhook"},
		Doc: "Posts rows as JSON to a URL, in requests with an Idempotency-Key that stays the same when a request is sent again.",
		Modes: map[sink.Mode]string{
			sink.Append:    "An object for each row that has become final.",
			sink.Update:    "An object for the new version of each row that changed, with a field op: u; for the rows of keys that are gone op is -.",
			sink.Complete:  "The whole result, again; the header Sqlstream-Chunks tells in how many requests.",
			sink.Changelog: "An object for each old row with a field weight of -1, and for each new row with 1.",
		},
		Options: specs(),
		Deletes: true, Guarantee: sink.AtLeastOnce,
		Recovery: "The requests of the last batch may be sent again, each with the same body and Idempotency-Key: a receiver that remembers keys takes each once.",
		Open:     open,
	}
}

func specs() []option.Spec {
	return []option.Spec{
		{Name: "url", Type: option.Secret, Required: true, Doc: "Where to post: http:// or https://. Messages show its host alone: the rest may be secret."},
		{Name: "body", Type: option.Enum, Values: []string{"array", "lines"}, Default: "array",
			Doc: "One JSON array of objects (application/json), or an object a line (application/x-ndjson)."},
		{Name: "max_request_rows", Type: option.Int, Min: 1, Default: "1000", Doc: "The most rows in a request; a batch with more takes several, one after the other."},
		{Name: "max_request_bytes", Type: option.Size, Min: 1, Default: "1 MiB", Doc: "About the largest body of a request; a single row may be larger."},
		{Name: "headers", Type: option.Secret, Doc: "Further headers, as in 'Authorization: Bearer ${TOKEN}; X-Team: data': separated by ; or, if there is more than one line, each on a line of its own."},
		{Name: "timeout", Type: option.Duration, Min: 1, Default: "30 seconds", Doc: "How long one request may take."},
		{Name: "retry_timeout", Type: option.Duration, Default: "5 minutes",
			Doc: "How long a request is sent again, with growing pauses, after a network error, a time-out, 408, 425, 429 or 5xx; Retry-After is honoured. Then the query fails. 0 = once only."},
		{Name: "on_refused", Type: option.Enum, Values: []string{"fail", "dead_letter"}, Default: "fail",
			Doc: "What a lasting refusal does (another status than 2xx and those of retry_timeout): fail the query, or keep the request in dead_letter and go on."},
		{Name: "dead_letter", Type: option.Text, Doc: "The directory for refused requests: a JSON file each, named by query, batch and request, so that none is there twice."},
		{Name: "tls_skip_verify", Type: option.Bool, Default: "false", Doc: "Take any certificate of the server. For tests."},
		{Name: "tls_ca", Type: option.Text, Doc: "A PEM file of certificates to trust instead of the machine's."},
	}
}

// Sink posts to one URL.
type Sink struct {
	cfg        sink.Config
	url        *url.URL
	headers    http.Header
	lines      bool
	rows       int
	bytes      int
	timeout    time.Duration
	retry      time.Duration
	json       *staged.JSON
	deadLetter string // directory; "" = a refusal fails the query
	client     *http.Client
	log        *slog.Logger
}

func open(_ context.Context, c sink.Config) (sink.Sink, error) {
	d, err := option.Open(specs(), c.Options)
	if err != nil {
		return nil, err
	}
	s := &Sink{cfg: c, lines: d.Enum("body") == "lines", rows: int(d.Int("max_request_rows")), bytes: int(d.Size("max_request_bytes")),
		timeout: micros(d.Micros("timeout")), retry: micros(d.Micros("retry_timeout")), log: c.Log}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if err := s.decode(d); err != nil {
		return nil, err
	}
	if s.json, err = staged.NewJSON(staged.Shown(c), c.Zone); err != nil {
		return nil, s.wrap(err)
	}
	transport, err := s.transport(d)
	if err != nil {
		return nil, s.wrap(err)
	}
	s.client = &http.Client{Transport: transport, CheckRedirect: sameHost}
	return s, nil
}

func micros(us int64) time.Duration { return time.Duration(us) * time.Microsecond }

// decode takes the options that can be wrong in themselves.
func (s *Sink) decode(d option.Decoded) error {
	var errs []*diag.Diagnostic
	bad := func(name, format string, args ...any) {
		errs = append(errs, diag.Errorf(diag.BadOptionValue, d.Span(name), format, args...))
	}
	u, err := url.Parse(d.Text("url"))
	switch {
	case err != nil: // its message quotes the URL, which may be secret
		bad("url", "option \"url\" is not a URL")
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		bad("url", "option \"url\" is not an http:// or https:// URL with a host")
	}
	s.url = u
	var problem string
	if s.headers, problem = headers(d.Text("headers")); problem != "" {
		bad("headers", "option \"headers\": %s", problem)
	}
	s.deadLetter = d.Text("dead_letter")
	switch keeps := d.Enum("on_refused") == "dead_letter"; {
	case keeps && s.deadLetter == "":
		bad("on_refused", "on_refused = 'dead_letter' needs the option dead_letter, a directory")
	case !keeps && s.deadLetter != "":
		bad("dead_letter", "dead_letter has no effect without on_refused = 'dead_letter'")
	}
	if len(errs) > 0 {
		return diag.NewError(nil, errs...)
	}
	return nil
}

// own are the headers that the sink sets itself.
var own = [...]string{"Content-Type", "Idempotency-Key", "Content-Length", "Host"}

// headers reads "Name: value" parts. The problem quotes names only.
func headers(text string) (http.Header, string) {
	out, separator := http.Header{}, ";"
	if text = strings.TrimSpace(text); strings.Contains(text, "\n") {
		separator = "\n"
	}
	for _, part := range strings.Split(text, separator) {
		if strings.TrimSpace(part) == "" {
			continue
		}
		name, value, ok := strings.Cut(part, ":")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !ok || name == "" || strings.ContainsAny(name, " \t\"(),/:<=>?@[]{}") {
			return nil, "a header is written Name: value"
		}
		for _, o := range own {
			if strings.EqualFold(o, name) {
				return nil, "the header " + o + " is set by the sink"
			}
		}
		if strings.ContainsAny(value, "\r\x00") {
			return nil, "the header " + name + " has a character that no header may have"
		}
		out.Add(name, value)
	}
	return out, ""
}

func (s *Sink) transport(d option.Decoded) (*http.Transport, error) {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.TLSClientConfig = &tls.Config{InsecureSkipVerify: d.Bool("tls_skip_verify")}
	if path := d.Text("tls_ca"); path != "" {
		pool, err := s.trusted(path)
		if err != nil {
			return nil, err
		}
		t.TLSClientConfig.RootCAs = pool
	}
	return t, nil
}

// sameHost follows a redirect that repeats the request at the same place; any other would
// send rows and secrets elsewhere, or turn a POST into a GET. Not followed, it is a refusal.
func sameHost(req *http.Request, via []*http.Request) error {
	first := via[0]
	if req.Method != first.Method || req.URL.Host != first.URL.Host || req.URL.Scheme != first.URL.Scheme || len(via) > 3 {
		return http.ErrUseLastResponse
	}
	return nil
}

// Description implements sink.Sink: the host alone, since the rest may be secret.
func (s *Sink) Description() string { return "HTTPSink[" + s.url.Scheme + "://" + s.url.Host + "]" }

// Close implements sink.Sink.
func (s *Sink) Close() error {
	s.client.CloseIdleConnections()
	return nil
}

func (s *Sink) wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("sink %q: %w", s.cfg.Name, err)
}
