// Package redis is the sink for Redis: each batch is one script, which writes the rows and
// the record of the batch, so that a batch is there once, whatever crashes. The script
// compares the record with the one that was read before; a writer whose record has changed
// meanwhile, by a newer run of the query, writes nothing.
//
// write.go makes the operations of a batch, script.go runs them. It knows no plans and no
// checkpoints. Open this file first.
package redis

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"slices"
	"strings"
	"time"

	client "github.com/gomodule/redigo/redis"

	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/sink/marker"
	"github.com/sqlstream/sqlstream/exec/sink/staged"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// Sink describes the sink.
func Sink() sink.Connector {
	return sink.Connector{
		Name: "redis",
		Doc: "Writes into Redis: a hash or a JSON text for each key, or entries of a stream; each batch in one script, together with its number. " +
			"What Redis itself loses in a crash (see its appendonly and appendfsync) is found missing, and the query refuses to go on.",
		Modes: map[sink.Mode]string{
			sink.Append:    "Adds an entry to the stream for each row that has become final. With layout hash or json: sets the key of each row.",
			sink.Update:    "Sets the keys that changed and deletes those that are gone. With layout stream: adds an entry for each, with a field op: u or -.",
			sink.Complete:  "Replaces all keys that the sink has set. The layout stream refuses it.",
			sink.Changelog: "Adds an entry to the stream for each old row with a field weight of -1, and for each new row with 1. The layouts hash and json refuse it: use EMIT UPDATE.",
		},
		Options: options(),
		Deletes: true, Guarantee: sink.ExactlyOnce,
		Recovery: "Rows and the record of the batch are written by one script, if the record is still the one that was read.",
		Open:     open,
	}
}

func options() []option.Spec {
	return []option.Spec{
		{Name: "address", Type: option.Text, Default: "127.0.0.1:6379", Doc: "Host and port of the server. A cluster is refused: a script cannot write to several of its nodes."},
		{Name: "user", Type: option.Text, Doc: "The user, with access control lists."},
		{Name: "password", Type: option.Secret, Doc: "The password."},
		{Name: "db", Type: option.Int, Min: 0, Default: "0", Doc: "The number of the database."},
		{Name: "layout", Type: option.Enum, Values: []string{"hash", "json", "stream"}, Default: "hash",
			Doc: "What is written: a hash for each key, with a field for each column that is not NULL; a JSON object as a string for each key; or an entry of a stream for each row."},
		{Name: "prefix", Type: option.Text, Doc: "What keys begin with, and the name of the stream; by default the name of the sink, for keys with a colon."},
		{Name: "key", Type: option.Text, Doc: "Columns, separated by commas, whose values make the key: their texts, with colons between; % becomes %25, : in one of several %3A, NULL %00. By default the key of the result."},
		{Name: "ttl", Type: option.Duration, Default: "0", Doc: "How long a key stays after it was set; 0 = for ever. Not for streams."},
		{Name: "max_length", Type: option.Int, Default: "0", Doc: "About how many entries a stream keeps; 0 = all."},
		{Name: "tls", Type: option.Enum, Values: []string{"off", "on", "skip_verify"}, Default: "off", Doc: "Encrypt the connection; skip_verify takes any certificate, for tests."},
		{Name: "connect_timeout", Type: option.Duration, Min: 1, Default: "10 seconds", Doc: "How long connecting may take."},
		{Name: "retry_timeout", Type: option.Duration, Default: "1 minute",
			Doc: "How long a batch is tried again, with growing pauses, when the server cannot be reached, loads its data or is busy; then the query fails. 0 = once only."},
	}
}

// layout is what a row becomes.
type layout string

const (
	asHash   layout = "hash"
	asJSON   layout = "json"
	asStream layout = "stream"
)

// redisSink writes keys with a prefix, or one stream.
type redisSink struct {
	cfg    sink.Config
	db     *client.Pool // of one connection, made anew after an error
	layout layout
	prefix string
	stream string
	key    []int
	ttl    time.Duration
	most   int64 // entries of a stream, 0 = all
	retry  time.Duration
	cols   []types.Column // as they are shown
	json   *staged.JSON
	rule   marker.Rule
	log    *slog.Logger
}

func open(ctx context.Context, c sink.Config) (sink.Sink, error) {
	d, err := option.Open(options(), c.Options)
	if err != nil {
		return nil, err
	}
	s := &redisSink{cfg: c, layout: layout(d.Enum("layout")), prefix: d.Text("prefix"), ttl: micros(d.Micros("ttl")), most: d.Int("max_length"),
		retry: micros(d.Micros("retry_timeout")), log: c.Log, key: c.Key, cols: c.Columns}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.stream = s.prefix; s.prefix == "" {
		s.prefix, s.stream = c.Name+":", c.Name
	}
	if err := s.check(d); err != nil {
		return nil, err
	}
	s.rule = marker.Rule{Config: c, Where: s.where()}
	if s.layout == asJSON {
		if s.json, err = staged.NewJSON(c.Columns, c.Zone); err != nil {
			return nil, s.wrap(err)
		}
	}
	s.db = connect(d)
	if err := s.reach(ctx, d); err != nil {
		return nil, s.wrap(errors.Join(err, s.db.Close()))
	}
	return s, nil
}

func micros(us int64) time.Duration { return time.Duration(us) * time.Microsecond }

// where names what is written to.
func (s *redisSink) where() string {
	if s.layout == asStream {
		return fmt.Sprintf("the Redis stream %q", s.stream)
	}
	return fmt.Sprintf("the Redis keys %q", s.prefix+"*")
}

// check refuses options and modes that do not go together.
func (s *redisSink) check(d option.Decoded) error {
	refuse := func(name, format string, args ...any) error {
		return diag.NewError(nil, diag.Errorf(diag.BadOptionValue, d.Span(name), format, args...))
	}
	if s.layout == asStream {
		s.cols = staged.Shown(s.cfg)
		switch {
		case s.cfg.Mode == sink.Complete:
			return refuse("layout", "layout = 'stream' does not take complete mode: entries stay. Use layout = 'hash' or 'json', or EMIT CHANGELOG")
		case s.ttl > 0:
			return refuse("ttl", "a stream has no ttl; bound it with max_length")
		}
		return nil
	}
	switch {
	case s.cfg.Mode == sink.Changelog:
		return refuse("layout", "layout = '%s' does not take changelog mode: a key holds one row. Use EMIT UPDATE, or layout = 'stream'", s.layout)
	case s.most > 0:
		return refuse("max_length", "max_length is for layout = 'stream'")
	}
	return s.keyColumns(d)
}

// keyColumns finds what makes the keys. Columns that do not hold the key of the result
// would let its rows overwrite each other.
func (s *redisSink) keyColumns(d option.Decoded) error {
	var cols []int
	for _, name := range strings.FieldsFunc(d.Text("key"), func(r rune) bool { return r == ',' }) {
		name = strings.TrimSpace(name)
		i := slices.IndexFunc(s.cfg.Columns, func(c types.Column) bool { return strings.EqualFold(c.Name, name) })
		if i < 0 {
			return diag.NewError(nil, diag.Errorf(diag.BadOptionValue, d.Span("key"), "the output has no column %q", name))
		}
		cols = append(cols, i)
	}
	switch {
	case cols == nil && s.cfg.Key == nil:
		return diag.NewError(nil, diag.Errorf(diag.MissingOption, d.Span("layout"), "no key follows from the query: set the option key").
			WithHint("rows with equal keys overwrite each other; use layout = 'stream' to keep all"))
	case cols == nil:
		return nil
	case s.cfg.Mode != sink.Append && s.cfg.Key != nil && !sameColumns(cols, s.cfg.Key):
		return diag.NewError(nil, diag.Errorf(diag.BadOptionValue, d.Span("key"), "the option key must name the key of the result, in any order: %s",
			strings.Join(s.names(s.cfg.Key), ", ")))
	}
	s.key = cols
	return nil
}

func sameColumns(a, b []int) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

func (s *redisSink) names(cols []int) []string {
	out := make([]string, len(cols))
	for i, c := range cols {
		out[i] = s.cfg.Columns[c].Name
	}
	return out
}

func connect(d option.Decoded) *client.Pool {
	at := d.Text("address")
	o := []client.DialOption{client.DialUsername(d.Text("user")), client.DialPassword(d.Text("password")), client.DialDatabase(int(d.Int("db"))),
		client.DialConnectTimeout(micros(d.Micros("connect_timeout"))), client.DialReadTimeout(time.Minute), client.DialWriteTimeout(time.Minute)}
	if mode := d.Enum("tls"); mode != "off" {
		host, _, _ := net.SplitHostPort(at)
		o = append(o, client.DialUseTLS(true), client.DialTLSConfig(&tls.Config{ServerName: host, InsecureSkipVerify: mode == "skip_verify"}))
	}
	return &client.Pool{MaxIdle: 1, MaxActive: 1, Wait: true, DialContext: func(ctx context.Context) (client.Conn, error) {
		return client.DialContext(ctx, "tcp", at, o...)
	}}
}

// with lends the connection.
func (s *redisSink) with(ctx context.Context, use func(client.Conn) (any, error)) (any, error) {
	c, err := s.db.GetContext(ctx)
	if err != nil {
		return nil, err
	}
	answer, err := use(c)
	return answer, errors.Join(err, c.Close())
}

func (s *redisSink) do(ctx context.Context, command string, args ...any) (any, error) {
	return s.with(ctx, func(c client.Conn) (any, error) { return client.DoContext(c, ctx, command, args...) })
}

// reach tries the connection once.
func (s *redisSink) reach(ctx context.Context, d option.Decoded) error {
	at := d.Text("address")
	info, err := client.String(s.do(ctx, "INFO", "server"))
	if err != nil && !unreached(err) { // it may not say
		_, err = s.do(ctx, "PING")
	}
	switch {
	case hasCode(err, "NOAUTH", "WRONGPASS", "NOPERM"):
		return fmt.Errorf("server %s refused the user: %w; check the options user and password", at, err)
	case unreached(err):
		return fmt.Errorf("server %s cannot be reached: %w; start it, or correct the option address", at, err)
	case err != nil:
		return err
	}
	if strings.Contains(info, "redis_mode:cluster") {
		return fmt.Errorf("server %s is a node of a cluster, where a batch cannot be written in one step; use a server that is none", at)
	}
	return nil
}

func hasCode(err error, codes ...string) bool {
	return err != nil && slices.ContainsFunc(codes, func(c string) bool { return strings.HasPrefix(err.Error(), c) })
}

func unreached(err error) bool {
	var lost net.Error
	return errors.As(err, &lost) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// transient reports an error after which a batch may be tried again.
func transient(err error) bool {
	return unreached(err) || hasCode(err, "LOADING", "BUSY", "TRYAGAIN", "MASTERDOWN", "CLUSTERDOWN", "READONLY", "NOREPLICAS")
}

// Stage implements sink.Sink.
func (s *redisSink) Stage(ctx context.Context, _ sink.Batch, rows func(func(*vec.Batch) error) error) ([]byte, error) {
	payload, err := staged.Rows(ctx, rows)
	return payload, s.wrap(err)
}

// Description implements sink.Sink.
func (s *redisSink) Description() string {
	if s.layout == asStream {
		return "RedisSink[" + s.stream + "]"
	}
	return "RedisSink[" + s.prefix + "*]"
}

// Close implements sink.Sink.
func (s *redisSink) Close() error { return s.wrap(s.db.Close()) }

func (s *redisSink) wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("sink %q: %w", s.cfg.Name, err)
}
