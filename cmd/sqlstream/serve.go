package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/sqlstream/sqlstream/incremental/engine"
	"github.com/sqlstream/sqlstream/incremental/server"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/repl"
)

const serveHelp = `Runs scripts, keeps their queries running, and answers requests over HTTP: about
queries and their progress, health, metrics, and SQL (docs/serve.md). A directory stands
for its *.sql files, in the order of their names. Without scripts, queries come by
requests.

The API is served on the loopback interface. Any other address needs a token, which is
read from a file or from the environment variable SQLSTREAM_TOKEN, never from the command
line, or client certificates.

The first SIGTERM or SIGINT ends the queries after the trigger under way, the second at
once; the exit status of a clean end is 0. SIGHUP reads tokens and certificates again;
scripts that have changed are named, and take effect with a restart.`

// serveFlags are those of sqlstream serve.
type serveFlags struct {
	listen                string
	tokenFile, readerFile string
	cert, key, clientCA   string
	hosts                 []string
	sql                   string
	openProbes            bool
	grace                 time.Duration
	logFormat, logLevel   string
	maxBody               int64
	maxRequests           int
	maxConnections        int
	maxRows               int64
	maxTime               time.Duration
	push                  pushFlags
}

func (p *program) serveCommand() *cobra.Command {
	f := &serveFlags{}
	cmd := &cobra.Command{
		Use: "serve [FILE|DIR]...", Short: "Keep the queries of scripts running, with an HTTP API", Long: serveHelp,
		RunE: func(cmd *cobra.Command, args []string) error { return p.serve(cmd.Context(), f, args) },
	}
	x := cmd.Flags()
	x.StringVar(&f.listen, "listen", "127.0.0.1:8642", "address of the HTTP API; port 0 takes a free one, off serves none")
	x.StringVar(&f.tokenFile, "token-file", "", "file with tokens, one a line, whose holders may do everything (or SQLSTREAM_TOKEN)")
	x.StringVar(&f.readerFile, "read-token-file", "", "file with tokens, one a line, whose holders only read (or SQLSTREAM_READ_TOKEN)")
	x.StringVar(&f.cert, "tls-cert", "", "certificate of the server, PEM")
	x.StringVar(&f.key, "tls-key", "", "key of the certificate, PEM")
	x.StringVar(&f.clientCA, "tls-client-ca", "", "certificates of authorities, PEM: clients with a certificate of theirs need no token")
	x.StringArrayVar(&f.hosts, "allow-host", nil, "name, besides localhost and addresses, by which clients call the server; may be repeated")
	x.StringVar(&f.sql, "sql", "all", "what requests may run: all; read: SELECT, SHOW, DESCRIBE, EXPLAIN; off")
	x.BoolVar(&f.openProbes, "open-probes", false, "answer /healthz and /readyz without a token, with the status alone")
	x.DurationVar(&f.grace, "grace", 10*time.Second, "how long requests under way may take after a signal")
	x.StringVar(&f.logFormat, "log-format", "text", "text or json")
	x.StringVar(&f.logLevel, "log-level", "info", "debug, info, warn or error")
	x.Int64Var(&f.maxBody, "max-body", 1<<20, "bytes of a request's body")
	x.IntVar(&f.maxRequests, "max-requests", 64, "requests answered at a time")
	x.IntVar(&f.maxConnections, "max-connections", 256, "connections open at a time")
	x.Int64Var(&f.maxRows, "max-rows", 10_000, "rows of a result that is no stream of lines")
	x.DurationVar(&f.maxTime, "max-time", 10*time.Minute, "how long the statements of a request may take, if it asks for so much; 30s if it does not ask")
	f.push.define(x)
	x.IntVar(&p.workers, "workers", 0, "how many cores to use; 0 = all")
	x.StringVar(&p.checkpointRoot, "checkpoint-root", "", "where queries that name no checkpoint keep theirs")
	x.VarP(varFlag{&p.vars}, "var", "v", "name=value for ${name} in the scripts; names in capitals are left to the environment")
	x.BoolVar(&p.keepGoing, "keep-going", false, "serve although a statement of a script failed; /readyz then says so")
	return cmd
}

func (f *serveFlags) limits() server.Limits {
	return server.Limits{Body: f.maxBody, Requests: f.maxRequests, Connections: f.maxConnections, Rows: f.maxRows,
		QueryTime: min(30*time.Second, f.maxTime), MaxTime: f.maxTime}
}

// valid checks limits: none of them is switched off.
func (f *serveFlags) valid() error {
	for name, n := range map[string]int64{"max-body": f.maxBody, "max-requests": int64(f.maxRequests), "max-connections": int64(f.maxConnections),
		"max-rows": f.maxRows, "max-time": int64(f.maxTime)} {
		if n < 1 {
			return usage("--%s is above 0", name)
		}
	}
	return nil
}

// service is one run of sqlstream serve.
type service struct {
	p       *program
	f       *serveFlags
	log     *slog.Logger
	scripts []diag.Source
	engine  *engine.Engine
	server  *server.Server
	access  *access
	pushes  *pushes
	stop    context.CancelFunc
	notYet  atomic.Pointer[string] // why it is not ready; nil = it is
}

func (p *program) serve(ctx context.Context, f *serveFlags, args []string) error {
	s := &service{p: p, f: f}
	if err := s.prepare(args); err != nil {
		return err
	}
	ctx, s.stop = context.WithCancel(ctx)
	defer s.stop()
	s.pushes.begin(s.engine)
	served, err := s.listen(ctx)
	if err != nil {
		err = errors.Join(err, s.engine.Close())
		s.pushes.close()
		return err
	}
	reloads := s.reloads(ctx)
	defer reloads()
	interrupted, err := guard(ctx, s.engine, s.run)
	switch {
	case errors.Is(err, errKilled):
		return &exitError{status: exitInterrupted}
	case interrupted && errors.Is(err, context.Canceled):
		err = nil
	}
	s.stop()
	err = errors.Join(err, <-served, s.engine.Close())
	s.pushes.close()
	if err != nil {
		s.log.Error("the program ends", "err", err)
		return failed(err)
	}
	s.log.Info("the program ends")
	return nil
}

// prepare reads scripts and tokens and opens the engine, before anything runs.
func (s *service) prepare(args []string) error {
	err := s.f.valid()
	if err != nil {
		return err
	}
	if s.log, err = newLog(s.p.err, s.f.logFormat, s.f.logLevel); err != nil {
		return err
	}
	var dir string
	if dir, s.scripts, err = scripts(args); err != nil {
		return err
	}
	if s.access, err = openAccess(s.f); err != nil {
		return err
	}
	s.wait("the scripts have not been run yet")
	root := s.p.checkpointRoot
	if root != "" {
		if root, err = filepath.Abs(root); err != nil {
			return usage("--checkpoint-root: %w", err)
		}
	}
	s.engine, err = engine.Open(engine.Options{Workers: s.p.workers, Dir: dir, CheckpointRoot: root, Stdout: s.p.out, Log: s.log})
	if err != nil {
		return &exitError{exitFailed, err}
	}
	s.engine.Listen(server.NewLog(s.log))
	if s.pushes, err = newPushes(&s.f.push, s.log); err != nil {
		return errors.Join(usage("%w", err), s.engine.Close())
	}
	return nil
}

// wait notes why the program is not ready.
func (s *service) wait(why string) { s.notYet.Store(&why) }

func (s *service) ready() string {
	if why := s.notYet.Load(); why != nil {
		return *why
	}
	return ""
}

// scripts finds the files that the arguments name, and the directory that relative paths
// in them start from.
func scripts(args []string) (dir string, list []diag.Source, err error) {
	var files []string
	for _, a := range args {
		info, err := os.Stat(a)
		switch {
		case err != nil:
			return "", nil, usage("%w", err)
		case !info.IsDir():
			files = append(files, a)
			continue
		}
		found, err := filepath.Glob(filepath.Join(a, "*.sql"))
		if err != nil || len(found) == 0 {
			return "", nil, usage("%s has no *.sql files", a)
		}
		slices.Sort(found)
		files = append(files, found...)
	}
	for _, f := range files {
		src, at, err := readScript(f)
		switch {
		case err != nil:
			return "", nil, err
		case dir != "" && dir != at:
			return "", nil, usage("%s is in another directory than the script before it: relative paths would be ambiguous; serve one directory", f)
		}
		dir, list = at, append(list, src)
	}
	return dir, list, nil
}

// run runs the scripts, and then waits for the end of the program.
func (s *service) run(ctx context.Context) error {
	session := &repl.Session{Engine: s.engine, Out: s.p.out, Err: s.notes(), Format: s.p.format(), Vars: s.p.vars, KeepGoing: s.p.keepGoing}
	var first error
	for _, src := range s.scripts {
		err := session.Script(ctx, src)
		if err == nil {
			continue
		}
		if first = cmp.Or(first, err); !s.p.keepGoing || ctx.Err() != nil {
			return err
		}
	}
	if first != nil {
		s.wait("a statement of a script failed")
	} else {
		s.notYet.Store(nil)
		s.log.Info("the scripts have been run", "scripts", len(s.scripts), "queries", len(s.engine.Active()))
	}
	<-ctx.Done()
	return ctx.Err()
}

// notes is where warnings and errors of scripts go: between lines of JSON, they are such
// lines too.
func (s *service) notes() io.Writer {
	if s.f.logFormat == "json" {
		return logWriter{s.log}
	}
	return s.p.err
}

// listen begins to serve. The channel gives the end of it.
func (s *service) listen(ctx context.Context) (<-chan error, error) {
	done := make(chan error, 1)
	if s.f.listen == "off" {
		close(done)
		return done, nil
	}
	if err := server.CheckAddress(s.f.listen, s.access.protected()); err != nil {
		return nil, usage("--listen: %w", err)
	}
	l, err := net.Listen("tcp", s.f.listen)
	if err != nil {
		return nil, &exitError{exitFailed, fmt.Errorf("--listen: %w", err)}
	}
	if s.f.hosts != nil && strings.Contains(strings.Join(s.f.hosts, ""), "/") {
		return nil, usage("--allow-host is a name without port and path")
	}
	s.server = server.New(server.Options{Engine: s.engine, Metrics: s.pushes.registry, Log: s.log, Version: version(), Ready: s.ready,
		Access: s.access.policy(s.f), Limits: s.f.limits()})
	s.log.Info("serving", "address", l.Addr().String(), "tls", s.access.tls != nil, "token", s.access.tokens.Any())
	if s.access.tls == nil && !server.Loopback(s.f.listen) {
		s.log.Warn("the API is served without TLS: tokens and data can be read on the way, unless a proxy in front encrypts them")
	}
	go func() { done <- s.server.Serve(ctx, l, s.access.tls, s.f.grace) }()
	return done, nil
}
