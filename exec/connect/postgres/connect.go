package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// serverSpecs describe how to reach a server, for sources and sinks.
func serverSpecs() []option.Spec {
	return []option.Spec{
		{Name: "url", Type: option.Secret, Doc: "The server, as postgres://user:password@host:port/database?sslmode=verify-full; the options below go before what it says."},
		{Name: "host", Aliases: []string{"hostname"}, Type: option.Text, Doc: "The server's name or address, or the directory of its socket; several, separated by commas, are tried in order."},
		{Name: "port", Type: option.Int, Min: 1, Max: 65535, Doc: "The server's port; by default 5432."},
		{Name: "database", Aliases: []string{"database_name"}, Type: option.Text, Doc: "The database; by default the one named like the user."},
		{Name: "user", Aliases: []string{"username"}, Type: option.Text, Doc: "Who logs in; by default the user of the operating system."},
		{Name: "password", Type: option.Secret, Doc: "The password; without it, PGPASSWORD and ~/.pgpass are looked at."},
		{Name: "sslmode", Type: option.Enum, Values: []string{"disable", "allow", "prefer", "require", "verify-ca", "verify-full"},
			Doc: "Whether to use TLS, and whether to check the server's certificate; by default prefer, as psql."},
		{Name: "sslrootcert", Type: option.Text, Doc: "File with the certificates that the server's is checked with."},
		{Name: "sslcert", Type: option.Text, Doc: "File with the client's certificate."},
		{Name: "sslkey", Type: option.Text, Doc: "File with the key of the client's certificate."},
		{Name: "connect_timeout", Type: option.Duration, Min: 1_000_000, Default: "10 seconds", Doc: "How long to wait for a connection."},
		{Name: "retry_timeout", Type: option.Duration, Default: "1 minute",
			Doc: "How long to try again, in the middle of a query, when the server is away or a transaction must be repeated; 0 = not at all. At the start nothing is tried again."},
	}
}

// server is where a connector connects to. Its name may be shown, its configuration not.
type server struct {
	cfg      *pgx.ConnConfig
	name     string // host:port/database
	clock    clock.Clock
	patience time.Duration
}

// newServer reads the options; paths of certificates are relative to dir.
func newServer(d option.Decoded, dir string, clk clock.Clock) (*server, error) {
	if !d.Has("url") && !d.Has("host") {
		return nil, diag.NewError(nil, diag.Errorf(diag.MissingOption, d.Span("table"), "nothing says where the server is").
			WithHint("set url = 'postgres://user@host:5432/database', or host, database, user and password"))
	}
	text, err := connString(d, dir)
	if err != nil {
		return nil, err
	}
	cfg, err := pgx.ParseConfig(text)
	if err != nil {
		return nil, badURL(d, err)
	}
	cfg.DefaultQueryExecMode = pgx.QueryExecModeExec // no prepared statements: they do not survive poolers
	cfg.ConnectTimeout = time.Duration(d.Micros("connect_timeout")) * time.Microsecond
	cfg.OnNotice = func(*pgconn.PgConn, *pgconn.Notice) {}
	if cfg.RuntimeParams["application_name"] == "" {
		cfg.RuntimeParams["application_name"] = "sqlstream"
	}
	cfg.RuntimeParams["client_encoding"] = "UTF8"
	delete(cfg.RuntimeParams, "timezone")
	cfg.AfterConnect = func(ctx context.Context, c *pgconn.PgConn) error {
		_, err := c.Exec(ctx, sessionSettings).ReadAll()
		return err
	}
	s := &server{cfg: cfg, clock: clk, patience: time.Duration(d.Micros("retry_timeout")) * time.Microsecond}
	s.name = net.JoinHostPort(cfg.Host, strconv.Itoa(int(cfg.Port))) + "/" + cfg.Database
	return s, nil
}

// sessionSettings make every session read and write the same text, and let the server
// give up transactions of a machine that died, whose locks would stop its successor.
const sessionSettings = `SET TimeZone = 'UTC'; SET DateStyle = 'ISO, YMD'; SET IntervalStyle = 'postgres'; SET extra_float_digits = 1;
SET standard_conforming_strings = on; SET idle_in_transaction_session_timeout = '60s'; SET tcp_keepalives_idle = 30; SET tcp_keepalives_interval = 10; SET tcp_keepalives_count = 3`

// connString is url with the options that go before it.
func connString(d option.Decoded, dir string) (string, error) {
	base := d.Text("url")
	given := url.Values{}
	for _, o := range []string{"host", "database", "user", "password", "sslmode", "sslrootcert", "sslcert", "sslkey"} {
		if d.Has(o) {
			given.Set(o, d.Text(o))
		}
	}
	if d.Has("port") {
		given.Set("port", strconv.FormatInt(d.Int("port"), 10))
	}
	for _, o := range []string{"sslrootcert", "sslcert", "sslkey"} {
		if p := given.Get(o); p != "" && p != "system" && !filepath.IsAbs(p) {
			given.Set(o, filepath.Join(dir, p))
		}
	}
	if !strings.Contains(base, "://") {
		for o := range given {
			base += " " + o + "='" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(given.Get(o)) + "'"
		}
		return base, nil
	}
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" {
		return "", badURL(d, errors.New("it does not begin with postgres://, or has a part that must be percent-encoded"))
	}
	q := u.Query()
	for o := range given {
		q.Set(o, given.Get(o))
	}
	u.RawQuery = q.Encode()
	return u.String(), nil
}

// badURL explains why connection settings cannot be used. The reason must not quote them.
func badURL(d option.Decoded, err error) error {
	reason := "it cannot be read"
	var parse *pgconn.ParseConfigError
	var file interface{ Timeout() bool } // *fs.PathError and the like
	switch inner := errors.Unwrap(err); {
	case !errors.As(err, &parse):
		reason = err.Error()
	case errors.As(inner, &file):
		reason = inner.Error() // names a file that cannot be read, and nothing else
	}
	span := d.Span("url")
	if !d.Has("url") {
		span = d.Span("host")
	}
	return diag.NewError(nil, diag.Errorf(diag.BadOptionValue, span, "the settings of the connection are not usable: %s", reason).
		WithHint("url = 'postgres://user:password@host:5432/database?sslmode=require'; other settings are options of their own"))
}

// connect opens a session.
func (s *server) connect(ctx context.Context) (*pgx.Conn, error) {
	c, err := pgx.ConnectConfig(ctx, s.cfg)
	if err != nil {
		return nil, s.cannotConnect(err)
	}
	return c, nil
}

// cannotConnect says what is wrong with a connection and what to do about it.
func (s *server) cannotConnect(err error) error {
	way := "is the server running, and do host and port name it?"
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		switch pg.Code {
		case "28P01", "28000":
			return fmt.Errorf("PostgreSQL at %s refused the log-in of user %q: %w; check user, password and pg_hba.conf", s.name, s.cfg.User, pgText{pg})
		case "3D000":
			return fmt.Errorf("PostgreSQL at %s: %w; check the database in url or option database", s.name, pgText{pg})
		}
		return fmt.Errorf("PostgreSQL at %s: %w", s.name, pgText{pg})
	}
	reason := innermost(err)
	if strings.Contains(err.Error(), "tls") || strings.Contains(err.Error(), "x509") {
		way = "check sslmode and sslrootcert"
	}
	return fmt.Errorf("PostgreSQL at %s cannot be reached: %w; %s", s.name, &lost{reason}, way)
}

// innermost is the cause of an error; of several attempts, that of the last.
func innermost(err error) error {
	for {
		next := errors.Unwrap(err)
		if many, ok := err.(interface{ Unwrap() []error }); ok && len(many.Unwrap()) > 0 {
			next = many.Unwrap()[len(many.Unwrap())-1]
		}
		if next == nil {
			return err
		}
		err = next
	}
}

// lost is a failure of the connection, not of what was asked over it.
type lost struct{ err error }

func (l *lost) Error() string { return l.err.Error() }

// Unwrap gives the cause.
func (l *lost) Unwrap() error { return l.err }

// pgText is a server's error with all that helps: detail, hint and place.
type pgText struct{ *pgconn.PgError }

func (e pgText) Error() string {
	text := e.Message
	for _, part := range []string{e.Detail, e.Hint, e.Where} {
		if part != "" {
			text += "; " + strings.ReplaceAll(part, "\n", ", ")
		}
	}
	return text + " (SQLSTATE " + e.Code + ")"
}

// Unwrap gives the error that the driver made.
func (e pgText) Unwrap() error { return e.PgError }

// explain makes an error of a statement readable.
func (s *server) explain(err error) error {
	var known pgText
	var pg *pgconn.PgError
	switch {
	case err == nil || errors.As(err, &known):
		return err
	case errors.As(err, &pg):
		return fmt.Errorf("PostgreSQL at %s: %w", s.name, pgText{pg})
	}
	return err
}

// transient reports an error that may be gone at the next attempt.
func transient(err error) bool {
	var pg *pgconn.PgError
	var gone *lost
	var network net.Error
	switch {
	case err == nil || errors.Is(err, context.Canceled):
		return false
	case errors.As(err, &pg):
		switch pg.Code {
		case "57P01", "57P02", "57P03", "40001", "40P01", "55P03", "25P03", "55006":
			return true
		}
		return strings.HasPrefix(pg.Code, "08") || strings.HasPrefix(pg.Code, "53")
	case errors.As(err, &gone), errors.As(err, &network):
		return true
	}
	return false
}

// retry repeats do while it fails for a reason that passes, for as long as the server has
// patience.
func (s *server) retry(ctx context.Context, do func(context.Context) error) error {
	began, wait := s.clock.Now(), 50*time.Millisecond
	for {
		err := do(ctx)
		if !transient(err) || ctx.Err() != nil {
			return s.explain(err)
		}
		if past := s.clock.Now().Sub(began); past+wait > s.patience {
			return fmt.Errorf("%w; tried for %s (retry_timeout)", s.explain(err), past.Round(time.Millisecond))
		}
		t := s.clock.NewTimer(wait)
		select {
		case <-t.C():
		case <-ctx.Done():
			t.Stop()
			return ctx.Err()
		}
		wait = min(2*wait, 5*time.Second)
	}
}

// session is a connection that is made when it is needed, and again when it was lost.
type session struct {
	server *server
	conn   *pgx.Conn
	temp   string // the columns for which the temporary tables of the session are
}

// use gives the open connection.
func (s *session) use(ctx context.Context) (*pgx.Conn, error) {
	if s.conn != nil && !s.conn.IsClosed() {
		return s.conn, nil
	}
	s.temp = ""
	var err error
	s.conn, err = s.server.connect(ctx)
	return s.conn, err
}

// drop closes the connection: the server rolls back what was under way.
func (s *session) drop() {
	if s.conn == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = s.conn.Close(ctx) // whatever it says, the connection is not used again
	s.conn = nil
}

// exec runs statements in one round trip. A failure of the connection is a *lost.
func exec(ctx context.Context, c *pgx.Conn, sql string) ([]*pgconn.Result, error) {
	rs, err := c.PgConn().Exec(ctx, sql).ReadAll()
	return rs, orLost(err)
}

func orLost(err error) error {
	var pg *pgconn.PgError
	if err == nil || errors.As(err, &pg) || errors.Is(err, context.Canceled) {
		return err
	}
	return &lost{err}
}

// quote writes a name as SQL has it.
func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// literal writes a text as SQL has it; standard_conforming_strings is on.
func literal(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
