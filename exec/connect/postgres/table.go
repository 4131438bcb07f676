package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// tableSource reads a table as of one moment: the snapshot of a transaction that stays
// open while the parts are read, over connections that share it.
type tableSource struct {
	cfg     source.Config
	server  *server
	session session // holds the snapshot
	rel     *table
	from    string // what stands in FROM
	name    string // for messages
	filter  string // a condition that rows must fulfil
	columns []readColumn
	most    int // connections

	idle  chan *session // connections for lookups that nobody uses
	named diag.Span     // of the option that names the table, or gives the query

	reads  int64 // how often it was read
	looked int64 // µs: when it was planned last
	done   bool  // a finite source has been planned
}

// readColumn is how a column of the source is read.
type readColumn struct {
	expr string // in SELECT
	typ  types.Type
	wire wire
	text bool // it comes as text, whatever it is
}

// decoder makes a decoder, which has memory of its own.
func (r readColumn) decoder() decode {
	if r.text {
		return decodeBytes
	}
	return decoderOf(r.typ, r.wire)
}

// at is the offset in offsets/N.
type at struct {
	Read int64 `json:"read"`
}

// location is a table or query, and the server that has it.
func location(c source.Config, specs []option.Spec) (*tableSource, option.Decoded, error) {
	d, err := option.Open(specs, c.Options)
	if err != nil {
		return nil, d, err
	}
	s := &tableSource{cfg: c, idle: make(chan *session, 16), named: diag.Join(d.Span("table"), d.Span("query"))}
	s.server, err = newServer(d, c.Dir, c.Clock)
	if err == nil {
		s.session.server = s.server
	}
	return s, d, err
}

// locateTable finds the table, and describes it.
func locateTable(ctx context.Context, c source.Config) (*tableSource, error) {
	s, d, err := location(c, option.Join(tableSpecs(), serverSpecs()))
	if err != nil {
		return nil, err
	}
	s.most = int(d.Int("max_connections"))
	if d.Has("table") == d.Has("query") {
		return nil, diag.NewError(nil, diag.Errorf(diag.OptionConflict, diag.Join(d.Span("table"), d.Span("query")), "a table of PostgreSQL is named by option table, or given by option query"))
	}
	if err := s.describe(ctx, d); err != nil {
		s.session.drop()
		return nil, s.wrap(s.server.explain(err))
	}
	return s, nil
}

func (s *tableSource) describe(ctx context.Context, d option.Decoded) error {
	if sql := strings.TrimRight(strings.TrimSpace(d.Text("query")), ";"); sql != "" {
		conn, err := s.session.use(ctx)
		if err != nil {
			return err
		}
		s.from, s.name = "("+sql+"\n) AS q", "the query"
		s.rel, err = describeQuery(ctx, conn, sql)
		return err
	}
	return s.describeTable(ctx, d)
}

func (s *tableSource) describeTable(ctx context.Context, d option.Decoded) error {
	n, err := parseName(d.Text("table"), d.Span("table"), "table")
	if err != nil {
		return err
	}
	conn, err := s.session.use(ctx)
	if err != nil {
		return err
	}
	if s.rel, err = describe(ctx, conn, n); err != nil {
		return err
	}
	if s.rel == nil {
		return fmt.Errorf("there is no table %s in %s, or user %q may not see it", n, s.server.name, s.server.cfg.User)
	}
	if !strings.ContainsRune("rpvmf", rune(s.rel.kind)) {
		return misfit(s.named, "%s is %s, and has no rows", n, s.rel.what())
	}
	s.from, s.name = s.rel.name.quoted(), s.rel.name.String()
	return nil
}

// inferTable finds the columns of a table that declares none.
func inferTable(ctx context.Context, c source.Config) ([]types.Column, error) {
	s, err := locateTable(ctx, c)
	if err != nil {
		return nil, err
	}
	defer s.session.drop()
	out := make([]types.Column, len(s.rel.columns))
	for i, c := range s.rel.columns {
		out[i] = types.Column{Name: c.name, Type: typeOf(c)}
	}
	return out, nil
}

func openTable(ctx context.Context, c source.Config) (*tableSource, error) {
	if !c.Finite && c.Refresh == nil {
		return nil, fmt.Errorf("source %q: a table of PostgreSQL is no stream; declare it with CREATE TABLE, with refresh = '1 minute' beside a stream, or take its changes with connector = 'postgres-cdc'", c.Name)
	}
	if c.Refresh != nil && *c.Refresh == 0 {
		return nil, fmt.Errorf("source %q: PostgreSQL does not say whether a table has changed, so it is not read in every trigger; set refresh = '10 seconds' or another duration", c.Name)
	}
	s, err := locateTable(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := s.fit(); err != nil {
		s.session.drop()
		return nil, s.wrap(err)
	}
	return s, nil
}

// fit finds out how each declared column is read.
func (s *tableSource) fit() error {
	var bad []string
	for _, c := range s.cfg.Columns {
		i, ok := s.rel.find(c.Name)
		if !ok {
			bad = append(bad, fmt.Sprintf("it has no column %q%s", c.Name, did(diag.HintDidYouMean(c.Name, s.rel.columnNames()))))
			continue
		}
		r, problem := readable(c.Type, s.rel.columns[i])
		if problem != "" {
			bad = append(bad, problem)
		}
		s.columns = append(s.columns, r)
	}
	if len(bad) > 0 {
		return misfit(s.named, "%s does not give the declared columns: %s", s.name, strings.Join(bad, "; "))
	}
	return nil
}

// readable decides how a column is read as a type; what has no binary form of ours comes
// as text.
func readable(t types.Type, c column) (readColumn, string) {
	r := readColumn{expr: quote(c.name), typ: t, wire: c.wire}
	switch {
	case r.decoder() != nil:
		return r, ""
	case t.Kind == types.String:
		r.expr, r.text = r.expr+"::text", true
		return r, ""
	}
	return r, fmt.Sprintf("column %q is %s; declare it %s, not %s", c.name, c.typeText, typeOf(c), t)
}

// Restore implements source.Source.
func (s *tableSource) Restore(r source.Range) error {
	if len(r.Offset) == 0 {
		return nil
	}
	var a at
	if err := json.Unmarshal(r.Offset, &a); err != nil || a.Read < 1 {
		return s.wrap(fmt.Errorf("offset %s is not that of a table of PostgreSQL", r.Offset))
	}
	s.reads, s.done = a.Read, s.cfg.Finite
	return nil
}

// Snapshot implements source.Source: AVAILABLE NOW reads the table once more.
func (s *tableSource) Snapshot(context.Context) (source.Snapshot, error) { return s.reads + 1, nil }

// Plan implements source.Source: all of the table, once or every so often.
func (s *tableSource) Plan(_ context.Context, _ source.Limits, upTo source.Snapshot) (source.Range, bool, error) {
	now := s.cfg.Clock.Now().UnixMicro()
	if most, ok := upTo.(int64); ok && s.reads >= most {
		return source.Range{}, false, nil
	}
	if s.done || s.cfg.Refresh != nil && s.looked != 0 && now-s.looked < *s.cfg.Refresh {
		return source.Range{}, false, nil
	}
	s.looked, s.done = now, s.cfg.Finite
	s.reads++
	offset, err := json.Marshal(at{s.reads})
	return source.Range{Offset: offset}, err == nil, err
}

// Splits implements source.Source.
func (s *tableSource) Splits(ctx context.Context, _ source.Range) ([]source.Split, error) {
	var out []source.Split
	err := s.server.retry(ctx, func(ctx context.Context) error {
		s.session.drop()
		conn, err := s.session.use(ctx)
		if err == nil {
			out, err = s.cut(ctx, conn, "")
		}
		return err
	})
	return out, s.wrap(err)
}

// cutBlocks is the least size of a part, in blocks of 8 KiB.
const cutBlocks = 4096

// cut cuts the table into ranges of blocks, which are read as of one snapshot: a given
// one, or that of a transaction that the session opens.
func (s *tableSource) cut(ctx context.Context, conn *pgx.Conn, snapshot string) ([]source.Split, error) {
	whole := &tableSplit{s: s, snapshot: snapshot}
	if s.rel.kind != 'r' || s.rel.version < 140000 || s.most < 2 {
		return []source.Split{whole}, nil
	}
	rs, err := exec(ctx, conn, fmt.Sprintf("SELECT pg_is_in_recovery(), pg_relation_size(%d) / 8192", s.rel.oid))
	if err != nil {
		return nil, err
	}
	blocks := number(rs[0].Rows[0][1])
	parts := min(4*s.most, blocks/cutBlocks)
	if parts < 2 || truth(rs[0].Rows[0][0]) && snapshot == "" { // a standby cannot share its snapshot
		return []source.Split{whole}, nil
	}
	if snapshot == "" {
		rs, err = exec(ctx, conn, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL idle_in_transaction_session_timeout = 0; SELECT pg_export_snapshot()")
		if err != nil {
			return nil, err
		}
		snapshot = string(rs[2].Rows[0][0])
	}
	return s.parts(snapshot, blocks, parts), nil
}

func (s *tableSource) parts(snapshot string, blocks, parts int) []source.Split {
	slots := make(chan struct{}, s.most)
	var out []source.Split
	for i := range parts {
		p := &tableSplit{s: s, snapshot: snapshot, slots: slots}
		if i > 0 {
			p.conds = append(p.conds, fmt.Sprintf("ctid >= '(%d,0)'::tid", i*blocks/parts))
		}
		if i < parts-1 {
			p.conds = append(p.conds, fmt.Sprintf("ctid < '(%d,0)'::tid", (i+1)*blocks/parts))
		}
		out = append(out, p)
	}
	return out
}

// Committed implements source.Source: the snapshot is not needed any more.
func (s *tableSource) Committed(context.Context, source.Range) error {
	s.session.drop()
	return nil
}

// Finished implements source.Source.
func (s *tableSource) Finished() bool { return s.done }

// Description implements source.Source.
func (s *tableSource) Description() string {
	return "PostgresTable[" + s.server.name + " " + s.name + "]"
}

// Close implements source.Source.
func (s *tableSource) Close() error {
	s.session.drop()
	for {
		select {
		case ses := <-s.idle:
			ses.drop()
		default:
			return nil
		}
	}
}

func (s *tableSource) wrap(err error) error {
	var list *diag.Error
	if err == nil || errors.As(err, &list) {
		return err
	}
	return source.Named(s.cfg.Name, err)
}
