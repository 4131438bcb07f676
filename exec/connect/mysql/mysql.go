// Package mysql is the sink for MySQL and MariaDB: each batch is one transaction, which
// holds the rows and the record of the batch in a table of markers, so that a batch is in
// the table once, whatever crashes.
//
// table.go looks at the table and makes it, write.go has the transaction, values.go the
// types. It knows no plans and no checkpoints. Open this file first.
package mysql

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"path/filepath"
	"strings"
	"time"

	driver "github.com/go-sql-driver/mysql"

	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/sink/marker"
	"github.com/sqlstream/sqlstream/exec/sink/staged"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

// Sink describes the sink.
func Sink() sink.Connector {
	return sink.Connector{
		Name: "mysql", Aliases: []string{"mariadb"},
		Doc: "Writes into a table of MySQL or MariaDB (InnoDB): each batch in one transaction, together with its number.",
		Modes: map[sink.Mode]string{
			sink.Append:   "Inserts the rows that have become final.",
			sink.Update:   "Replaces the rows of changed keys and deletes those of keys that are gone. The table needs a primary or unique key of exactly the key's columns.",
			sink.Complete: "Replaces all rows of the table in one transaction.",
		},
		Refused: map[sink.Mode]string{
			sink.Changelog: "A table holds rows, not changes. Use EMIT UPDATE, which applies the changes by key, or select the weight as a column of an append query.",
		},
		Options: options(),
		Deletes: true, Guarantee: sink.ExactlyOnce,
		Recovery: "Rows and the record of the batch are in one transaction, which locks the record first.",
		Open:     open,
	}
}

func options() []option.Spec {
	return []option.Spec{
		{Name: "address", Type: option.Text, Default: "127.0.0.1:3306", Doc: "Host and port of the server, or the path of its Unix socket."},
		{Name: "user", Aliases: []string{"username"}, Type: option.Text, Doc: "The user."},
		{Name: "password", Type: option.Secret, Doc: "The user's password."},
		{Name: "database", Aliases: []string{"database_name"}, Type: option.Text, Required: true, Doc: "The database."},
		{Name: "table", Aliases: []string{"table_name"}, Type: option.Text, Required: true, Doc: "The table. Columns match by name, regardless of case; further ones of the table get their defaults."},
		{Name: "create_table", Type: option.Bool, Default: "false", Doc: "Make the table if it does not exist, with the key of the result as its primary key."},
		{Name: "key_collation", Type: option.Enum, Values: []string{"exact", "any"}, Default: "exact",
			Doc: "With exact, refuse a table whose key columns compare text regardless of case or accents, since keys that differ would overwrite each other; any says that this is wanted."},
		{Name: "marker_table", Type: option.Text, Default: "sqlstream_commits", Doc: "The table in the same database that holds, for each table, its query and last batch. It is made if it does not exist."},
		{Name: "tls", Type: option.Enum, Values: []string{"off", "on", "skip_verify"}, Default: "off", Doc: "Encrypt the connection; skip_verify takes any certificate, for tests."},
		{Name: "tls_ca", Type: option.Text, Doc: "A PEM file of certificates to trust instead of the machine's."},
		{Name: "connect_timeout", Type: option.Duration, Min: 1, Default: "10 seconds", Doc: "How long connecting may take."},
		{Name: "retry_timeout", Type: option.Duration, Default: "1 minute",
			Doc: "How long a batch is tried again, with growing pauses, when the connection is lost, the server restarts, or a deadlock ends the transaction; then the query fails. 0 = once only."},
	}
}

// mysqlSink writes into one table.
type mysqlSink struct {
	cfg      sink.Config
	db       *sql.DB
	database string
	table    string
	markers  string
	retry    time.Duration
	packet   int // max_allowed_packet
	rule     marker.Rule
	log      *slog.Logger
}

func open(ctx context.Context, c sink.Config) (sink.Sink, error) {
	d, err := option.Open(options(), c.Options)
	if err != nil {
		return nil, err
	}
	s := &mysqlSink{cfg: c, database: d.Text("database"), table: d.Text("table"), markers: d.Text("marker_table"),
		retry: time.Duration(d.Micros("retry_timeout")) * time.Microsecond, log: c.Log}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.rule = marker.Rule{Config: c, Where: "table " + s.database + "." + s.table}
	for _, col := range c.Columns {
		if why := unwritable(col.Type); why != "" {
			return nil, s.wrap(fmt.Errorf("column %q: %s", col.Name, why))
		}
	}
	if s.db, err = s.connect(d); err != nil {
		return nil, s.wrap(err)
	}
	if err = s.prepare(ctx, d); err != nil {
		return nil, s.wrap(errors.Join(explain(err, d), s.db.Close()))
	}
	return s, nil
}

// connect makes the pool; nothing is sent yet.
func (s *mysqlSink) connect(d option.Decoded) (*sql.DB, error) {
	c := driver.NewConfig()
	c.Net, c.Addr = "tcp", d.Text("address")
	if strings.HasPrefix(c.Addr, "/") {
		c.Net = "unix"
	}
	c.User, c.Passwd, c.DBName = d.Text("user"), d.Text("password"), s.database
	c.Timeout = time.Duration(d.Micros("connect_timeout")) * time.Microsecond
	c.InterpolateParams = true // one round trip a statement, and no limit on placeholders
	c.ClientFoundRows = true   // a row that is updated to what it was counts as found
	c.Loc = time.UTC
	c.MaxAllowedPacket = 0 // as the server says
	c.Logger = quiet{}
	// Text is compared and stored as it is, times are UTC, bad values are errors.
	c.Params = map[string]string{"time_zone": "'+00:00'", "sql_mode": "'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION,NO_ZERO_DATE,NO_ZERO_IN_DATE'"}
	if err := c.Apply(driver.Charset("utf8mb4", "")); err != nil {
		return nil, err
	}
	var err error
	if c.TLS, err = s.tls(d); err != nil {
		return nil, err
	}
	connector, err := driver.NewConnector(c)
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(1)
	return db, nil
}

// quiet drops what the driver would print; its errors come back anyway.
type quiet struct{}

func (quiet) Print(...any) {}

func (s *mysqlSink) tls(d option.Decoded) (*tls.Config, error) {
	mode := d.Enum("tls")
	if mode == "off" {
		return nil, nil
	}
	host, _, _ := net.SplitHostPort(d.Text("address"))
	out := &tls.Config{ServerName: host, InsecureSkipVerify: mode == "skip_verify"}
	path := d.Text("tls_ca")
	if path == "" {
		return out, nil
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(s.cfg.Dir, path)
	}
	pem, err := vfs.ReadFile(s.cfg.FS, path)
	if err != nil {
		return nil, fmt.Errorf("tls_ca: %w", err)
	}
	if out.RootCAs = x509.NewCertPool(); !out.RootCAs.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("tls_ca: %s has no PEM certificate", path)
	}
	return out, nil
}

// The server's numbers of errors that are told apart.
const (
	errAccess       = 1045
	errDBAccess     = 1044
	errNoDatabase   = 1049
	errNoTable      = 1146
	errTableAccess  = 1142
	errLockTimeout  = 1205
	errDeadlock     = 1213
	errShutdown     = 1053
	errTooManyConns = 1040
	errReadOnly     = 1290
	errDuplicate    = 1062
)

func number(err error) uint16 {
	var e *driver.MySQLError
	if errors.As(err, &e) {
		return e.Number
	}
	return 0
}

// explain adds the way out to what goes wrong at the start.
func explain(err error, d option.Decoded) error {
	at := d.Text("address")
	switch number(err) {
	case errAccess:
		return fmt.Errorf("server %s refused user %q: %w; check the options user and password", at, d.Text("user"), err)
	case errDBAccess, errTableAccess:
		return fmt.Errorf("server %s: %w; grant the user the right, or set another user", at, err)
	case errNoDatabase:
		return fmt.Errorf("server %s has no database %q; create it, or set another database", at, d.Text("database"))
	case errNoTable:
		return fmt.Errorf("server %s: %w", at, err)
	}
	var lost *net.OpError
	if errors.As(err, &lost) {
		return fmt.Errorf("server %s cannot be reached: %w; start it, or correct the option address", at, lost.Err)
	}
	if errors.Is(err, driver.ErrInvalidConn) || isBadConn(err) || errors.Is(err, io.EOF) {
		return fmt.Errorf("server %s cannot be reached: %w; it may be starting or stopping: try again", at, err)
	}
	return err
}

// transient reports an error after which the whole transaction may be tried again: its
// own marker tells whether it had been committed.
func transient(err error) bool {
	if errors.Is(err, errRaced) {
		return true
	}
	switch number(err) {
	case errLockTimeout, errDeadlock, errShutdown, errTooManyConns, errReadOnly:
		return true
	case 0:
		var lost net.Error
		return errors.As(err, &lost) || errors.Is(err, driver.ErrInvalidConn) || isBadConn(err)
	}
	return false
}

// Stage implements sink.Sink.
func (s *mysqlSink) Stage(ctx context.Context, _ sink.Batch, rows func(func(*vec.Batch) error) error) ([]byte, error) {
	payload, err := staged.Rows(ctx, rows)
	return payload, s.wrap(err)
}

// Description implements sink.Sink.
func (s *mysqlSink) Description() string { return "MySQLSink[" + s.database + "." + s.table + "]" }

// Close implements sink.Sink.
func (s *mysqlSink) Close() error { return s.wrap(s.db.Close()) }

func (s *mysqlSink) wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("sink %q: %w", s.cfg.Name, err)
}
