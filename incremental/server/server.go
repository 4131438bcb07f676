// Package server owns the HTTP side of a running program: the API over queries and SQL,
// health, and the page of metrics. It knows an engine, and nothing of flags, files of
// scripts or signals: cmd/sqlstream starts it. Its rule is that nothing is read or changed
// by a request that has not passed guard.go. Open this file first, then routes.go (the
// table of what there is, from which the OpenAPI description is made) and guard.go.
package server

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/incremental/engine"
	"github.com/sqlstream/sqlstream/incremental/server/metrics"
)

// Options configure a server. Engine is required.
type Options struct {
	Engine  *engine.Engine
	Metrics *metrics.Registry // what /metrics shows; nil = a new one
	Clock   clock.Clock       // nil = the machine's
	Log     *slog.Logger      // nil = none
	Version string
	Access  Access
	Limits  Limits
	// Ready tells why the program is not ready, beside what its queries say; "" = it is.
	Ready func() string
}

// Limits bound what a request may take. The zero value of each is replaced by its default.
type Limits struct {
	Body        int64         // bytes of a request's body: 1 MiB
	Header      int           // bytes of its headers: 16 KiB
	Connections int           // open at a time: 256
	Requests    int           // answered at a time: 64
	HeaderTime  time.Duration // to send the headers: 5 s
	BodyTime    time.Duration // to send the whole request: 30 s
	WriteTime   time.Duration // to take what is written at a time: 30 s
	IdleTime    time.Duration // between requests of a connection: 2 min
	Rows        int64         // that a statement may give in one document: 10,000
	Bytes       int64         // of rows in one document: 16 MiB
	QueryTime   time.Duration // of the statements of a request: 30 s, if it does not say
	MaxTime     time.Duration // that a request may ask for: 10 min
}

func (l *Limits) fill() {
	set(&l.Body, 1<<20)
	set(&l.Header, 16<<10)
	set(&l.Connections, 256)
	set(&l.Requests, 64)
	set(&l.HeaderTime, 5*time.Second)
	set(&l.BodyTime, 30*time.Second)
	set(&l.WriteTime, 30*time.Second)
	set(&l.IdleTime, 2*time.Minute)
	set(&l.Rows, 10_000)
	set(&l.Bytes, 16<<20)
	set(&l.QueryTime, 30*time.Second)
	set(&l.MaxTime, 10*time.Minute)
}

func set[T int | int64 | time.Duration](v *T, value T) {
	if *v == 0 {
		*v = value
	}
}

// Server answers requests about one engine.
type Server struct {
	opt     Options
	started time.Time
	traffic *traffic
	guard   *guard
	handler http.Handler
	closing atomic.Bool
	ended   context.Context // of answers that go on until the server closes
	end     context.CancelFunc
}

// New returns a server, which serves nothing yet.
func New(opt Options) *Server {
	if opt.Clock == nil {
		opt.Clock = clock.Real()
	}
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	if opt.Metrics == nil {
		opt.Metrics = metrics.NewRegistry()
	}
	if opt.Ready == nil {
		opt.Ready = func() string { return "" }
	}
	opt.Limits.fill()
	s := &Server{opt: opt, started: opt.Clock.Now(), traffic: newTraffic()}
	s.ended, s.end = context.WithCancel(context.Background())
	opt.Metrics.Add(s.traffic)
	s.guard = newGuard(s, s.mux())
	s.handler = s.guard
	return s
}

// ServeHTTP implements http.Handler: the whole of what the server does, guard included.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Serve answers requests on a listener until ctx ends; then it lets those under way end
// within the grace, and returns. config, if set, makes it speak TLS.
func (s *Server) Serve(ctx context.Context, l net.Listener, config *tls.Config, grace time.Duration) error {
	lim := s.opt.Limits
	h := &http.Server{Handler: s.handler, MaxHeaderBytes: lim.Header, ReadHeaderTimeout: lim.HeaderTime, ReadTimeout: lim.BodyTime,
		IdleTimeout: lim.IdleTime, ErrorLog: slog.NewLogLogger(s.opt.Log.Handler(), slog.LevelDebug), TLSConfig: config}
	l = newLimited(l, lim.Connections)
	done := make(chan error, 1)
	go func() {
		if config != nil {
			done <- h.ServeTLS(l, "", "")
			return
		}
		done <- h.Serve(l)
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	s.closing.Store(true)
	s.end()
	stop, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	err := h.Shutdown(stop)
	if err != nil { // somebody does not hang up
		err = h.Close()
	}
	if e := <-done; !errors.Is(e, http.ErrServerClosed) {
		err = errors.Join(err, e)
	}
	return err
}
