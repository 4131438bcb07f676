package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"

	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/incremental/server"
)

// The environment variables that hold tokens.
const (
	tokenVariable  = "SQLSTREAM_TOKEN"
	readerVariable = "SQLSTREAM_READ_TOKEN"
)

func clockOf() clock.Clock { return clock.Real() }

// access is what the flags of sqlstream serve say of who may call, as it was last read.
type access struct {
	f      *serveFlags
	tokens *server.Tokens
	tls    *tls.Config // nil = plain HTTP
	cert   atomic.Pointer[tls.Certificate]
}

func openAccess(f *serveFlags) (*access, error) {
	a := &access{f: f}
	switch f.sql {
	case "all", "read", "off":
	default:
		return nil, usage("--sql is all, read or off, not %q", f.sql)
	}
	if (f.cert == "") != (f.key == "") {
		return nil, usage("--tls-cert and --tls-key come together")
	}
	if f.clientCA != "" && f.cert == "" {
		return nil, usage("--tls-client-ca needs --tls-cert and --tls-key")
	}
	var err error
	if a.tokens, err = server.NewTokens(nil, nil); err != nil {
		return nil, err
	}
	if err := a.reload(); err != nil {
		return nil, usage("%w", err)
	}
	return a, a.openTLS()
}

// reload reads tokens and certificate again. What was there before stays if something is
// wrong.
func (a *access) reload() error {
	owners, err := readTokens(a.f.tokenFile, tokenVariable)
	if err != nil {
		return fmt.Errorf("--token-file: %w", err)
	}
	readers, err := readTokens(a.f.readerFile, readerVariable)
	if err != nil {
		return fmt.Errorf("--read-token-file: %w", err)
	}
	if a.f.cert != "" {
		c, err := tls.LoadX509KeyPair(a.f.cert, a.f.key)
		if err != nil {
			return fmt.Errorf("--tls-cert: %w", err)
		}
		defer a.cert.Store(&c)
	}
	return a.tokens.Set(owners, readers)
}

// readTokens reads the tokens of a file, one a line, or else of a variable. A file without
// a token is wrong: it would open the door.
func readTokens(path, variable string) (list []string, err error) {
	if path == "" {
		if t := os.Getenv(variable); t != "" {
			return []string{t}, nil
		}
		return nil, nil
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(raw)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			list = append(list, line)
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s holds no token", path)
	}
	return list, nil
}

func (a *access) openTLS() error {
	if a.f.cert == "" {
		return nil
	}
	a.tls = &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return a.cert.Load(), nil }}
	if a.f.clientCA == "" {
		return nil
	}
	raw, err := os.ReadFile(a.f.clientCA)
	if err != nil {
		return usage("--tls-client-ca: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(raw) {
		return usage("--tls-client-ca: %s holds no certificate", a.f.clientCA)
	}
	a.tls.ClientCAs, a.tls.ClientAuth = pool, tls.RequireAndVerifyClientCert
	if a.tokens.Any() {
		a.tls.ClientAuth = tls.VerifyClientCertIfGiven
	}
	return nil
}

// protected reports that nobody gets in without a token or a certificate.
func (a *access) protected() bool { return a.tokens.Any() || a.f.clientCA != "" }

func (a *access) policy(f *serveFlags) server.Access {
	return server.Access{Tokens: a.tokens, Hosts: f.hosts, SQL: server.SQLPolicy(f.sql), OpenProbes: f.openProbes, Certificates: f.clientCA != ""}
}

// newLog makes the program's log.
func newLog(w io.Writer, format, level string) (*slog.Logger, error) {
	var least slog.Level
	if err := least.UnmarshalText([]byte(level)); err != nil {
		return nil, usage("--log-level is debug, info, warn or error, not %q", level)
	}
	o := &slog.HandlerOptions{Level: least}
	switch format {
	case "text":
		return slog.New(slog.NewTextHandler(w, o)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(w, o)), nil
	}
	return nil, usage("--log-format is text or json, not %q", format)
}

// logWriter logs each text that is written to it.
type logWriter struct{ log *slog.Logger }

// Write implements io.Writer.
func (w logWriter) Write(p []byte) (int, error) {
	w.log.Info("script", "text", strings.TrimSpace(string(p)))
	return len(p), nil
}

// reloads answers SIGHUP until the returned function is called.
func (s *service) reloads(ctx context.Context) (stop func()) {
	hangups := make(chan os.Signal, 1)
	notifyHangup(hangups)
	done := make(chan struct{})
	go func() {
		for {
			select {
			case <-hangups:
				s.reload(ctx)
			case <-done:
				return
			}
		}
	}()
	return func() { signal.Stop(hangups); close(done) }
}

// reload takes over what can change under running queries, and says what cannot.
func (s *service) reload(ctx context.Context) {
	if err := s.access.reload(); err != nil {
		s.log.Error("tokens and certificates stay as they were", "err", err)
	} else {
		s.log.Info("tokens and certificates have been read again")
	}
	for _, was := range s.scripts {
		now, _, err := readScript(was.Name)
		switch {
		case err != nil:
			s.log.Error("a script cannot be read any more; its queries go on", "script", was.Name, "err", err)
		case now.Text != was.Text:
			s.changed(ctx, was.Name)
		}
	}
}

// changed tells what to do about a script that has changed. It is not run again: what its
// statements would do to running queries is not theirs to say.
func (s *service) changed(_ context.Context, script string) {
	s.log.Warn("a script has changed: restart the program to run it; its queries go on from their checkpoints. sqlstream check finds errors before",
		"script", script)
}
