package http

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"path/filepath"
	"sync"
	"time"

	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/source/inbox"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

// server takes requests and puts their rows into a box.
type server struct {
	set      settings
	box      *inbox.Box
	keys     *inbox.Keys
	clock    clock.Clock
	src      *inbox.Source
	csvHead  bool // each CSV body begins with the names of its columns
	form     string
	room     chan struct{} // one for each request that may be read at the same time
	closing  chan struct{}
	http     *http.Server
	serving  sync.WaitGroup
	requests int64
	mu       sync.Mutex // guards requests
}

// reading is how many bodies are read and decoded at the same time: each may be as large
// as max_request_bytes.
const reading = 8

func newServer(set settings, f *format.Format, d option.Decoded, box *inbox.Box, keys *inbox.Keys, c source.Config) *server {
	s := &server{set: set, box: box, keys: keys, clock: c.Clock, form: f.Name, csvHead: inbox.HasHeader(f, d),
		room: make(chan struct{}, reading), closing: make(chan struct{})}
	s.http = &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 16 << 10, TLSConfig: set.tls, ErrorLog: log.New(io.Discard, "", 0)}
	return s
}

// listen opens the port.
func listen(ctx context.Context, address string, set *tls.Config) (net.Listener, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("%w: choose another port with listen; two queries cannot take the same requests, but one statement set can feed both", err)
	}
	if set != nil {
		l = tls.NewListener(l, set)
	}
	return l, nil
}

// start serves, in a goroutine of its own.
func (s *server) start(l net.Listener) {
	s.serving.Go(func() {
		if err := s.http.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			s.box.End(err)
		}
	})
}

// close answers who waits, and ends the server.
func (s *server) close() error {
	close(s.closing)
	ctx, cancel := context.WithTimeout(context.Background(), shutdownTime)
	defer cancel()
	err := s.http.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = s.http.Close()
	}
	s.serving.Wait()
	return err
}

// certificate reads the files of the TLS options.
func certificate(c source.Config, d option.Decoded) (*tls.Config, error) {
	if !d.Has("tls_cert") {
		return nil, nil
	}
	var pem [2][]byte
	for i, name := range []string{"tls_cert", "tls_key"} {
		path := d.Text(name)
		if !filepath.IsAbs(path) {
			path = filepath.Join(c.Dir, path)
		}
		var err error
		if pem[i], err = vfs.ReadFile(c.FS, path); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	cert, err := tls.X509KeyPair(pem[0], pem[1])
	if err != nil {
		return nil, fmt.Errorf("tls_cert and tls_key: %w", err)
	}
	return &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{cert}}, nil
}
