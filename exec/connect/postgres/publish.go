package postgres

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/sink"
)

// begin opens a transaction whose commit is on the server's disk when it is answered.
func (s *batchSink) begin() string {
	return fmt.Sprintf(`BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SET LOCAL lock_timeout = '%dms';
SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off';`, s.wait.Milliseconds())
}

// beginResults is the number of results of begin.
const beginResults = 3

// transaction runs do, then commits, in one round trip with the statements that do leaves.
// After a failure the connection is closed: the server rolls back, unless it was the
// answer to the commit that got lost. So who tries again looks at the marker first.
func (s *batchSink) transaction(ctx context.Context, do func(*pgx.Conn) (last string, err error)) error {
	conn, err := s.session.use(ctx)
	if err != nil {
		return err
	}
	last, err := do(conn)
	if err == nil {
		var rs []*pgconn.Result
		rs, err = exec(ctx, conn, last+"COMMIT")
		if err == nil && rs[len(rs)-1].CommandTag.String() != "COMMIT" {
			err = fmt.Errorf("the transaction ended with %s", rs[len(rs)-1].CommandTag)
		}
	}
	if err != nil {
		s.session.drop()
		return err
	}
	s.claimed = true
	return nil
}

// Publish implements sink.Sink.
func (s *batchSink) Publish(ctx context.Context, b sink.Batch, text []byte) error {
	p, err := s.parse(text)
	if err != nil {
		return s.wrap(fmt.Errorf("payload of batch %d: %w", b.ID, err))
	}
	digest := sink.Digest(text)
	err = s.server.retry(ctx, func(ctx context.Context) error {
		return s.transaction(ctx, func(conn *pgx.Conn) (string, error) { return s.publish(ctx, conn, b, p, digest) })
	})
	if err == nil && s.cfg.Once {
		err = s.forget(ctx)
	}
	return s.wrap(err)
}

// forget removes the row of a sink that has no further batch.
func (s *batchSink) forget(ctx context.Context) error {
	conn, err := s.session.use(ctx)
	if err != nil {
		return err
	}
	s.claimed = false
	_, err = exec(ctx, conn, "DELETE FROM "+s.commits.quoted()+" WHERE "+s.row())
	return s.server.explain(err)
}

// publish writes one batch; what it returns still has to run before the commit.
func (s *batchSink) publish(ctx context.Context, conn *pgx.Conn, b sink.Batch, p *payload, digest string) (string, error) {
	more := "LOCK TABLE " + s.target.quoted() + " IN ROW EXCLUSIVE MODE;" + columnQuery(literal(s.target.quoted())+"::regclass") + ";"
	c, err := s.claim(ctx, conn, b, more)
	if err != nil {
		return "", err
	}
	switch {
	case c.batch == b.ID && c.digest == digest && !mutant.On("postgres: a batch is written again"):
		return "", nil
	case c.batch == b.ID-1 || s.cfg.Adopt || mutant.On("postgres: a batch is written again"):
	case c.batch == b.ID:
		return "", fmt.Errorf("table %s has another batch %d than this one: an older checkpoint was restored; "+
			"use the checkpoint that wrote it, or set adopt_sink = true to go on after its last batch", s.target, b.ID)
	default:
		return "", fmt.Errorf("batch %d cannot follow batch %d, the last one in table %s", b.ID, c.batch, s.target)
	}
	now := columnsOf(c.more[1])
	if err := s.unchanged(now, p, b); err != nil {
		return "", err
	}
	mark := s.writeCommit(&commit{s.cfg.QueryID, s.cfg.Query, b.Epoch, b.ID, digest, s.writer, ""}, false) + ";"
	if mutant.On("postgres: the marker is committed before the rows") {
		if _, err := exec(ctx, conn, mark+"COMMIT; BEGIN"); err != nil {
			return "", err
		}
	}
	last, err := s.write(ctx, conn, p, now)
	return last + mark, err
}

// unchanged compares the columns of the table with those for which the payload was made.
func (s *batchSink) unchanged(now []column, p *payload, b sink.Batch) error {
	for i, c := range s.columns {
		at := -1
		for j := range now {
			if now[j].name == c.name {
				at = j
			}
		}
		switch {
		case at < 0:
			return fmt.Errorf("column %q of table %s is gone since the query began; batch %d is logged, and needs it: add it again", c.name, s.target, b.ID)
		case !now[at].wire.same(p.wires[i]):
			return fmt.Errorf("column %q of table %s has become %s; batch %d is logged, for %s: change it back, let the query go on, and change the table between stop and start",
				c.name, s.target, now[at].typeText, b.ID, p.wires[i])
		}
	}
	return nil
}

// write sends the rows.
func (s *batchSink) write(ctx context.Context, conn *pgx.Conn, p *payload, now []column) (last string, err error) {
	switch p.shape {
	case replaces:
		if _, err := exec(ctx, conn, "DELETE FROM "+s.target.quoted()); err != nil {
			return "", err
		}
	case upserts, changes:
		return s.merge(ctx, conn, p, now)
	}
	return "", s.copy(ctx, conn, s.target.quoted(), p.rows, p.inserts)
}

// merge removes rows, then adds or updates others, over temporary tables.
func (s *batchSink) merge(ctx context.Context, conn *pgx.Conn, p *payload, now []column) (string, error) {
	if len(p.inserts) == 0 && len(p.removals) == 0 {
		return "", nil
	}
	if err := s.temporary(ctx, conn, now); err != nil {
		return "", err
	}
	if err := s.copy(ctx, conn, goneTable, p.gone, p.removals); err != nil {
		return "", err
	}
	if p.shape == changes {
		if err := s.remove(ctx, conn, p); err != nil {
			return "", err
		}
		return "", s.copy(ctx, conn, s.target.quoted(), p.rows, p.inserts)
	}
	if err := s.copy(ctx, conn, newTable, p.rows, p.inserts); err != nil {
		return "", err
	}
	if mutant.On("postgres: removed keys stay") {
		return s.upsertSQL(), nil
	}
	return s.deleteSQL() + s.upsertSQL(), nil
}

const (
	newTable  = "pg_temp.sqlstream_new"
	goneTable = "pg_temp.sqlstream_gone"
)

// temporary makes the temporary tables of the session. They have the table's types as
// they are now, and are empty after each transaction.
func (s *batchSink) temporary(ctx context.Context, conn *pgx.Conn, now []column) error {
	var shape strings.Builder
	for _, c := range now {
		shape.WriteString(strconv.Quote(c.name) + " " + c.typeText + " " + strconv.Itoa(int(c.wire.oid)) + ",")
	}
	if s.session.temp == shape.String() {
		return nil
	}
	gone := strings.Join(s.keyNames(), ", ")
	if !s.keyed() {
		gone = s.columnList() + `, 0::bigint AS "sqlstream n", 0 AS "sqlstream p"`
	}
	make := "DROP TABLE IF EXISTS " + newTable + ", " + goneTable + ";"
	for t, list := range map[string]string{newTable: s.columnList(), goneTable: gone} {
		make += "CREATE TEMP TABLE " + strings.TrimPrefix(t, "pg_temp.") + " ON COMMIT DELETE ROWS AS SELECT " + list + " FROM " + s.target.quoted() + " WITH NO DATA;"
	}
	_, err := exec(ctx, conn, make)
	if err == nil {
		s.session.temp = shape.String()
	}
	return err
}

// copyHead begins binary COPY data, copyTail ends it.
const (
	copyHead = "PGCOPY\n\xff\r\n\x00\x00\x00\x00\x00\x00\x00\x00\x00"
	copyTail = "\xff\xff"
)

// copy sends encoded rows into a table.
func (s *batchSink) copy(ctx context.Context, conn *pgx.Conn, into string, n int64, rows []byte) error {
	if n == 0 {
		return nil
	}
	list := ""
	if into == s.target.quoted() {
		list = " (" + s.columnList() + ")"
	}
	data := io.MultiReader(strings.NewReader(copyHead), bytes.NewReader(rows), strings.NewReader(copyTail))
	tag, err := conn.PgConn().CopyFrom(ctx, data, "COPY "+into+list+" FROM STDIN (FORMAT binary)")
	if err == nil && tag.RowsAffected() != n && into != s.target.quoted() {
		err = fmt.Errorf("PostgreSQL took %d of %d rows", tag.RowsAffected(), n)
	}
	return orLost(err)
}

// deleteSQL removes the rows of keys that are gone.
func (s *batchSink) deleteSQL() string {
	var conds []string
	for _, k := range s.keyNames() {
		c := "t." + k + " = g." + k
		if s.nulls {
			c = "(" + c + " OR t." + k + " IS NULL AND g." + k + " IS NULL)"
		}
		conds = append(conds, c)
	}
	return "DELETE FROM " + s.target.quoted() + " t USING " + goneTable + " g WHERE " + strings.Join(conds, " AND ") + ";"
}

// upsertSQL inserts the new rows, or puts them in place of those of their keys.
func (s *batchSink) upsertSQL() string {
	key := s.keyNames()
	isKey := map[string]bool{}
	for _, k := range key {
		isKey[k] = true
	}
	var sets []string
	for _, c := range s.columns {
		if q := quote(c.name); !isKey[q] {
			sets = append(sets, q+" = EXCLUDED."+q)
		}
	}
	do := "NOTHING"
	if len(sets) > 0 {
		do = "UPDATE SET " + strings.Join(sets, ", ")
	}
	return "INSERT INTO " + s.target.quoted() + " (" + s.columnList() + ") SELECT * FROM " + newTable +
		" ON CONFLICT (" + strings.Join(key, ", ") + ") DO " + do + ";"
}

// remove takes away rows by all their columns, each as often as was said. A row that is
// not there is an error: somebody else has changed the table.
func (s *batchSink) remove(ctx context.Context, conn *pgx.Conn, p *payload) error {
	if p.gone == 0 {
		return nil
	}
	var all strings.Builder
	for i, nulls := range p.patterns {
		all.WriteString(s.removeSQL(i, nulls))
	}
	rs, err := exec(ctx, conn, "SELECT sum(\"sqlstream n\") FROM "+goneTable+";"+all.String())
	if err != nil {
		return err
	}
	removed := int64(0)
	for _, r := range rs[1:] {
		removed += r.CommandTag.RowsAffected()
	}
	if want := int64(number(rs[0].Rows[0][0])); removed != want {
		return fmt.Errorf("%d of %d rows that the result lost are not in table %s: somebody else changed it, or the server has rounded values; "+
			"a sink with a key and EMIT UPDATE does not need old rows", want-removed, want, s.target)
	}
	return nil
}

// removeSQL removes the rows that have NULL where the pattern says so: equalities alone
// can use an index, or be hashed.
func (s *batchSink) removeSQL(pattern int, nulls string) string {
	conds := []string{fmt.Sprintf(`g."sqlstream p" = %d`, pattern)}
	for i, c := range s.columns {
		q := quote(c.name)
		if nulls[i] == isNull {
			conds = append(conds, "t."+q+" IS NULL")
		} else {
			conds = append(conds, "t."+q+" = g."+q)
		}
	}
	t := s.target.quoted()
	return `DELETE FROM ` + t + ` t USING (SELECT o, c FROM (SELECT t.tableoid AS o, t.ctid AS c, g."sqlstream n" AS n, row_number() OVER (PARTITION BY g.ctid ORDER BY t.tableoid, t.ctid) AS r FROM ` +
		t + " t JOIN " + goneTable + " g ON " + strings.Join(conds, " AND ") + ") x WHERE r <= n) y WHERE t.tableoid = y.o AND t.ctid = y.c;"
}

// lockError says what a transaction waited for.
func (s *batchSink) lockError(err error) error {
	switch {
	case has(err, "55P03"):
		return fmt.Errorf("another session holds a lock on %s or %s for more than %s (lock_timeout): %w", s.target, s.commits, s.wait, s.server.explain(err))
	case has(err, "42P01", "3F000"):
		return fmt.Errorf("table %s or %s is gone since the query began: %w; restore it and start again", s.target, s.commits, s.server.explain(err))
	}
	return err
}
