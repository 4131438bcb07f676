// Package http is the source whose rows come by HTTP: POST of JSON, CSV or text. A
// request is answered with 200 when its rows are in the log of a batch, so that they
// count exactly once; before that, and when it is told why not, the client may send it
// again, with an idempotency key without any risk. Open this file first, then serve.go
// (the server), request.go (one request); exec/source/inbox holds the rows.
package http

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"time"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/source/inbox"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// Connector describes the HTTP source. instance tells runs of the program apart.
func Connector(formats []*format.Format, instance string) source.Connector {
	opened := new(atomic.Int64)
	return source.Connector{
		Name: "http", Aliases: []string{"http_push"},
		Doc: "Takes rows that clients POST. A request is answered with 200 when its rows cannot be lost any more: they count exactly once. " +
			"When too much waits, it is answered with 429 and Retry-After. A client that got no answer sends its request again, with the same Idempotency-Key.",
		Options:    options(),
		Replayable: true,
		Metadata:   inbox.Metadata(),
		Open: func(ctx context.Context, c source.Config) (source.Source, error) {
			return open(ctx, formats, fmt.Sprintf("%s/%d", instance, opened.Add(1)), c)
		},
	}
}

func options() []option.Spec {
	return []option.Spec{
		{Name: "listen", Type: option.Text, Default: "127.0.0.1:8088",
			Doc: "Address and port. Other addresses than those of the machine itself (127.0.0.1, [::1], localhost) need a token."},
		{Name: "path", Type: option.Text, Default: "/", Doc: "The path to POST to."},
		inbox.FormatSpec("json"),
		{Name: "token", Type: option.Secret, Doc: "Clients must send it, in Authorization: Bearer TOKEN. At least 16 characters."},
		{Name: "tls_cert", Type: option.Text, Doc: "File with the certificate chain (PEM): the server speaks HTTPS."},
		{Name: "tls_key", Type: option.Text, Doc: "File with its private key (PEM)."},
		{Name: "max_request_bytes", Type: option.Size, Min: 1, Max: 1 << 30, Default: "8 MiB",
			Doc: "The most that one request may hold, as sent and unpacked; more is refused with 413."},
		inbox.BufferSpec("requests are answered with 429"),
		{Name: "max_requests", Type: option.Int, Min: 1, Max: 1_000_000, Default: "1024", Doc: "How many requests may wait for the next trigger; more are answered with 429."},
		{Name: "retry_after", Type: option.Duration, Default: "1 second", Doc: "What 429 and 503 tell the client to wait, in whole seconds."},
		{Name: "remember_keys", Type: option.Int, Min: 1, Max: 10_000_000, Default: "10000",
			Doc: "How many idempotency keys are remembered, the latest ones, over restarts too: a request with one of them is answered again and not taken."},
	}
}

// settings are the decoded options.
type settings struct {
	path       string
	token      string
	maxRequest int64
	retryAfter string
	tls        *tls.Config
	fail       bool // on_error = 'fail': a bad row refuses its request
}

func open(ctx context.Context, formats []*format.Format, instance string, c source.Config) (source.Source, error) {
	if c.Finite {
		return nil, fmt.Errorf("source %q: rows that are pushed never end, so they cannot be read as a table: CREATE SOURCE", c.Name)
	}
	f, d, err := inbox.Decode(formats, options(), "json", c)
	if err != nil {
		return nil, err
	}
	set := settings{path: d.Text("path"), token: d.Text("token"), maxRequest: d.Size("max_request_bytes"),
		retryAfter: fmt.Sprint((d.Micros("retry_after") + 999_999) / 1_000_000), fail: c.OnError == source.Fail}
	if err := set.check(d); err != nil {
		return nil, err
	}
	if set.tls, err = certificate(c, d); err != nil {
		return nil, err
	}
	l, err := listen(ctx, d.Text("listen"), set.tls)
	if err != nil {
		return nil, err
	}
	s := newServer(set, f, d, inbox.NewBox(d.Size("buffer_bytes"), int(d.Int("max_requests"))), inbox.NewKeys(int(d.Int("remember_keys"))), c)
	if s.src, err = inbox.New(c, s.box, inbox.Settings{Description: "HttpSource[" + l.Addr().String() + set.path + "]", Instance: instance,
		Format: f, Decoded: d, Keys: s.keys, Close: s.close}); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	s.start(l)
	return s.src, nil
}

// check refuses what would let strangers in, and what cannot work.
func (set *settings) check(d option.Decoded) error {
	host, _, err := net.SplitHostPort(d.Text("listen"))
	switch {
	case err != nil:
		return wrong(d.Span("listen"), "listen is no address: %s", err).hint("listen = '127.0.0.1:8088'")
	case !strings.HasPrefix(set.path, "/") || strings.ContainsAny(set.path, "?#% "):
		return wrong(d.Span("path"), "path must begin with / and be plain, not %q", set.path).hint("path = '/orders'")
	case !loopback(host) && set.token == "":
		return wrong(d.Span("listen"), "everyone who reaches %s could send rows", d.Text("listen")).hint("add token = '${TOKEN}', or listen on 127.0.0.1")
	case d.Has("token") && len(set.token) < 16:
		return wrong(d.Span("token"), "the token is shorter than 16 characters").hint("make one: openssl rand -hex 24")
	case d.Has("tls_cert") != d.Has("tls_key"):
		return wrong(d.Span("tls_cert"), "tls_cert and tls_key belong together").hint("give both")
	}
	return nil
}

type refusal struct{ *diag.Diagnostic }

func wrong(span diag.Span, text string, args ...any) refusal {
	return refusal{diag.Errorf(diag.BadOptionValue, span, text, args...)}
}

func (r refusal) hint(text string) error { return diag.NewError(nil, r.WithHint("%s", text)) }

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// shutdownTime is how long a server that is closed waits for answers under way.
const shutdownTime = 5 * time.Second
