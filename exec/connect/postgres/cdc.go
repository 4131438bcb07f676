package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pglogrepl"
	"github.com/jackc/pgx/v5"

	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// Changes describes the change stream of a table.
func Changes() source.Connector {
	return source.Connector{
		Name: "postgres-cdc", Aliases: []string{"postgres_cdc", "postgresql-cdc"},
		Doc: "Takes the changes of a table of PostgreSQL (14 or newer) by logical replication: first its rows as of the moment at which the slot begins, then each transaction whole. " +
			"With a PRIMARY KEY a row takes the place of the row of its key; without one the table needs REPLICA IDENTITY FULL. " +
			"The slot keeps the server's log until the changes are in the checkpoint: a slot that is not used any more must be dropped by SELECT pg_drop_replication_slot('…').",
		Options:    option.Join(changesSpecs(), serverSpecs()),
		Replayable: true,
		Changes:    true,
		Infer:      inferChanges,
		Open: func(ctx context.Context, c source.Config) (source.Source, error) {
			return openChanges(ctx, c)
		},
	}
}

func changesSpecs() []option.Spec {
	return []option.Spec{
		{Name: "table", Aliases: []string{"table_name"}, Type: option.Text, Required: true,
			Doc: "The table, as schema.table; without a schema the first of the search_path that has it. Names that are not lower case are written in double quotes."},
		{Name: "slot", Aliases: []string{"slot_name", "slot.name"}, Type: option.Text, Required: true, Doc: "The replication slot, which belongs to this query alone: letters in lower case, digits and _."},
		{Name: "publication", Type: option.Text, Doc: "The publication that has the table; by default named like the slot."},
		{Name: "create", Type: option.Bool, Default: "false", Doc: "Creates the slot and the publication if they are missing."},
		{Name: "snapshot", Type: option.Enum, Values: []string{"initial", "never"}, Default: "initial",
			Doc: "Whether the rows that are there come first. They are read as of the moment at which the slot is created, so that takes create = true; with never, an existing slot is read from where it is."},
		{Name: "unchanged_toast", Type: option.Enum, Values: []string{"refuse", "fail"}, Default: "refuse",
			Doc: "PostgreSQL does not send long values that an update has not changed, unless the table has REPLICA IDENTITY FULL: refuse tables of which that may happen, or end the query when it does."},
		{Name: "on_truncate", Type: option.Enum, Values: []string{"fail", "ignore"}, Default: "fail",
			Doc: "TRUNCATE does not say which rows it removes: end the query, or keep the rows in the result."},
	}
}

// changeSource reads the changes of a table from a replication slot. Its positions are
// ends of transactions; a range is all transactions that end behind from, up to lsn.
type changeSource struct {
	tableSource // where and what the table is
	slot        string
	publication string
	create      bool
	initial     bool
	fullOrFail  bool     // unchanged_toast = 'refuse'
	keepRows    bool     // on_truncate = 'ignore'
	oids        []uint32 // of the types of the columns of the source

	pos       position // after the last range
	begun     bool     // pos is known
	stream    *stream
	confirmed pglogrepl.LSN          // what the server may forget
	kept      *pgx.Conn              // holds the snapshot of the slot
	snapshot  string                 // its name
	buffer    *transactions          // those of the range that was planned last
	places    []int                  // where the columns are in the rows of the stream; nil = not told yet
	wider     atomic.Pointer[string] // of the stream's columns those that hold more than is declared, for messages
	heard     time.Time              // when the server was last told that we are there
	one       sync.Mutex             // held by who reads a range again
}

// position is the offset in offsets/N.
type position struct {
	Slot     string `json:"slot"`
	Snapshot bool   `json:"snapshot,omitempty"` // the rows as of the beginning of the slot
	From     string `json:"from,omitempty"`     // end of the range before
	LSN      string `json:"lsn,omitempty"`      // end of this one
	Rows     int64  `json:"rows"`               // changes within
}

func (p position) end() pglogrepl.LSN {
	n, _ := pglogrepl.ParseLSN(p.LSN) // checked by Restore
	return n
}

// locateChanges finds the table and reads the options.
func locateChanges(ctx context.Context, c source.Config) (*changeSource, error) {
	base, d, err := location(c, option.Join(changesSpecs(), serverSpecs()))
	if err != nil {
		return nil, err
	}
	s := &changeSource{tableSource: *base, slot: d.Text("slot"), publication: d.Text("publication"), create: d.Bool("create"), initial: d.Enum("snapshot") == "initial",
		fullOrFail: d.Enum("unchanged_toast") == "refuse", keepRows: d.Enum("on_truncate") == "ignore"}
	s.most = 4
	if !slotName(s.slot) {
		return nil, diag.NewError(nil, diag.Errorf(diag.BadOptionValue, d.Span("slot"), "option \"slot\" is %q, expected letters in lower case, digits and _, at most 63", s.slot))
	}
	if s.publication == "" {
		s.publication = s.slot
	}
	err = s.describeTable(ctx, d)
	if err == nil && s.rel.version < 140000 {
		err = fmt.Errorf("PostgreSQL at %s has version %d; changes are read from 14 on", s.server.name, s.rel.version/10000)
	}
	if err == nil && s.rel.kind != 'r' && s.rel.kind != 'p' {
		err = misfit(s.named, "%s is %s, and only tables have changes", s.name, s.rel.what())
	}
	if err != nil {
		s.session.drop()
		return nil, s.wrap(s.server.explain(err))
	}
	return s, nil
}

// inferChanges finds the columns that come with changes.
func inferChanges(ctx context.Context, c source.Config) ([]types.Column, error) {
	s, err := locateChanges(ctx, c)
	if err != nil {
		return nil, err
	}
	defer s.session.drop()
	var out []types.Column
	for _, c := range s.rel.columns {
		if t := typeOf(c); !c.generated && decoderOf(t, c.wire) != nil {
			out = append(out, types.Column{Name: c.name, Type: t})
		}
	}
	return out, nil
}

func openChanges(ctx context.Context, c source.Config) (*changeSource, error) {
	if c.Finite {
		return nil, fmt.Errorf("source %q: changes never end, so they are no table; use connector = 'postgres' to read the table", c.Name)
	}
	s, err := locateChanges(ctx, c)
	if err != nil {
		return nil, err
	}
	if err = s.fit(); err == nil {
		err = s.suits()
	}
	if err == nil {
		err = s.ready(ctx)
	}
	if err != nil {
		s.session.drop()
		return nil, s.wrap(s.server.explain(err))
	}
	return s, nil
}

// suits checks that the stream will say enough about each change.
func (s *changeSource) suits() error {
	full := s.rel.ident == 'f'
	alter := "ALTER TABLE " + s.rel.name.quoted() + " REPLICA IDENTITY FULL"
	if len(s.cfg.Key) == 0 && !full {
		return misfit(s.named, "without a PRIMARY KEY a deletion must bring the whole row, and %s does not have that: declare PRIMARY KEY (…), or run %s", s.name, alter)
	}
	var key []string
	for _, k := range s.cfg.Key {
		i, _ := s.rel.find(s.cfg.Columns[k].Name)
		key = append(key, s.rel.columns[i].name)
		if !full && !s.rel.columns[i].identity {
			return misfit(s.named, "column %q of the PRIMARY KEY does not come with deletions: declare the key of the replica identity, or run %s", s.rel.columns[i].name, alter)
		}
	}
	if len(key) > 0 && !slices.ContainsFunc(s.rel.unique, func(u unique) bool {
		return !slices.ContainsFunc(u.columns, func(c string) bool { return !slices.Contains(key, c) })
	}) {
		return misfit(s.named, "the PRIMARY KEY (%s) is not unique in %s: rows would replace others", strings.Join(key, ", "), s.name)
	}
	for n, col := range s.cfg.Columns {
		i, _ := s.rel.find(col.Name)
		c := s.rel.columns[i]
		switch {
		case c.generated:
			return misfit(s.named, "column %q is generated, and does not come with changes: leave it out", c.name)
		case s.columns[n].text:
			return misfit(s.named, "column %q is %s, which does not come with changes in a form that is read: leave it out", c.name, c.typeText)
		case s.fullOrFail && !full && c.toasted && !slices.Contains(key, c.name):
			return misfit(s.named, "long values of column %q do not come with updates that leave them unchanged: run %s, or leave the column out, or set unchanged_toast = 'fail' to end the query when it happens", c.name, alter)
		}
		s.oids = append(s.oids, c.typeOID)
	}
	return nil
}

// ready checks the server and the publication.
func (s *changeSource) ready(ctx context.Context) error {
	conn, err := s.session.use(ctx)
	if err != nil {
		return err
	}
	rs, err := exec(ctx, conn, "SHOW wal_level")
	if err != nil {
		return err
	}
	if level := string(rs[0].Rows[0][0]); level != "logical" {
		return fmt.Errorf("PostgreSQL at %s has wal_level = %s, which keeps no changes: run ALTER SYSTEM SET wal_level = logical, and restart the server", s.server.name, level)
	}
	if rs, err = exec(ctx, conn, s.publicationSQL()); err != nil {
		return err
	}
	if len(rs[0].Rows) == 0 {
		if !s.create {
			return fmt.Errorf("there is no publication %q with all changes of %s: set create = true, or run %s", s.publication, s.name, s.publicationDDL())
		}
		if _, err = exec(ctx, conn, s.publicationDDL()); err != nil && !has(err, "42710") {
			return fmt.Errorf("publication %q cannot be created: %w", s.publication, s.server.explain(err))
		}
		if rs, err = exec(ctx, conn, s.publicationSQL()); err != nil {
			return err
		}
	}
	return s.checkPublication(rs[0].Rows)
}

func (s *changeSource) publicationSQL() string {
	return fmt.Sprintf(`SELECT p.pubinsert AND p.pubupdate AND p.pubdelete, p.pubviaroot, to_jsonb(t)->>'rowfilter', to_jsonb(t)->'attnames'
FROM pg_publication p LEFT JOIN pg_publication_tables t ON t.pubname = p.pubname AND t.schemaname = %s AND t.tablename = %s WHERE p.pubname = %s AND t.tablename IS NOT NULL
UNION ALL SELECT NULL, NULL, NULL, NULL FROM pg_publication WHERE pubname = %s`,
		literal(s.rel.name.schema), literal(s.rel.name.table), literal(s.publication), literal(s.publication))
}

func (s *changeSource) publicationDDL() string {
	return "CREATE PUBLICATION " + quote(s.publication) + " FOR TABLE " + s.rel.name.quoted() + " WITH (publish_via_partition_root = true)"
}

// checkPublication reads the rows of publicationSQL: one of the table, and one that says
// that there is a publication.
func (s *changeSource) checkPublication(rows [][][]byte) error {
	if len(rows) < 2 || rows[0][0] == nil {
		return fmt.Errorf("publication %q does not have the table: run ALTER PUBLICATION %s ADD TABLE %s", s.publication, quote(s.publication), s.rel.name.quoted())
	}
	r := rows[0]
	if !truth(r[0]) {
		return fmt.Errorf("publication %q leaves out insertions, updates or deletions: run ALTER PUBLICATION %s SET (publish = 'insert, update, delete, truncate')", s.publication, quote(s.publication))
	}
	if s.rel.kind == 'p' && !truth(r[1]) {
		return fmt.Errorf("publication %q gives the changes of the partitions, not those of %s: run ALTER PUBLICATION %s SET (publish_via_partition_root = true)", s.publication, s.name, quote(s.publication))
	}
	s.filter = string(r[2])
	names, err := texts(r[3])
	if err != nil || names == nil {
		return err
	}
	for _, col := range s.cfg.Columns {
		if i, _ := s.rel.find(col.Name); !slices.Contains(names, s.rel.columns[i].name) {
			return fmt.Errorf("publication %q does not have the column %q", s.publication, s.rel.columns[i].name)
		}
	}
	return nil
}

// Restore implements source.Source.
func (s *changeSource) Restore(r source.Range) error {
	if len(r.Offset) == 0 {
		return nil
	}
	var p position
	err := json.Unmarshal(r.Offset, &p)
	if err == nil && !p.Snapshot {
		_, err = pglogrepl.ParseLSN(p.LSN)
	}
	if err != nil {
		return s.wrap(fmt.Errorf("offset %s is not that of changes of PostgreSQL", r.Offset))
	}
	if p.Slot != s.slot {
		return s.wrap(fmt.Errorf("the checkpoint was written with slot %q, not %q: positions of one mean nothing in another", p.Slot, s.slot))
	}
	s.pos, s.begun = p, !p.Snapshot
	return nil
}

// Description implements source.Source.
func (s *changeSource) Description() string {
	return "PostgresChanges[" + s.server.name + " " + s.name + " slot " + s.slot + "]"
}

// Close implements source.Source.
func (s *changeSource) Close() error {
	s.session.drop()
	s.stop()
	s.release()
	return nil
}

// stop closes the stream; the next use begins it again behind the last range.
func (s *changeSource) stop() {
	s.stream.close()
	s.stream = nil
}

// release gives up the snapshot.
func (s *changeSource) release() {
	if s.kept != nil {
		closeNow(s.kept)
		s.kept = nil
	}
}

// Finished implements source.Source.
func (s *changeSource) Finished() bool { return false }
