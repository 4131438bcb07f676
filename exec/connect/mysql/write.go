package mysql

import (
	"context"
	"database/sql"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/sink/marker"
	"github.com/sqlstream/sqlstream/exec/sink/staged"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func isNoRows(err error) bool  { return errors.Is(err, sql.ErrNoRows) }
func isBadConn(err error) bool { return errors.Is(err, sqldriver.ErrBadConn) }

// target is the key of the table among the markers.
func (s *mysqlSink) target() []byte {
	if s.cfg.Once {
		return []byte(s.table + "\x00" + s.cfg.QueryID)
	}
	return []byte(s.table)
}

// forget removes the marker of a query that has no checkpoint.
func (s *mysqlSink) forget(ctx context.Context) error {
	return s.transaction(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "DELETE FROM "+quote(s.markers)+" WHERE target = ?", s.target())
		return err
	})
}

// record reads the marker; with lock it is held until the transaction ends.
func (s *mysqlSink) record(ctx context.Context, tx *sql.Tx) (*marker.Record, error) {
	r := &marker.Record{}
	err := tx.QueryRowContext(ctx, "SELECT query_id, query, epoch, batch, digest FROM "+quote(s.markers)+" WHERE target = ? FOR UPDATE", s.target()).
		Scan(&r.QueryID, &r.Query, &r.Epoch, &r.Batch, &r.Digest)
	if isNoRows(err) {
		return nil, nil
	}
	return r, err
}

// setRecord writes the marker; have is what was read. Where there was none, two writers may
// both have found that: the second is refused by the key, and looks again.
func (s *mysqlSink) setRecord(ctx context.Context, tx *sql.Tx, have, r *marker.Record) error {
	verb := "REPLACE"
	if have == nil {
		verb = "INSERT"
	}
	_, err := tx.ExecContext(ctx, verb+" INTO "+quote(s.markers)+" (target, query_id, query, epoch, batch, digest) VALUES (?, ?, ?, ?, ?, ?)",
		s.target(), r.QueryID, r.Query, r.Epoch, r.Batch, r.Digest)
	if number(err) == errDuplicate {
		return fmt.Errorf("%w: %w", errRaced, err)
	}
	return err
}

// errRaced says that another writer was faster to write the first marker.
var errRaced = errors.New("another query has begun to write")

// Marker implements sink.Sink.
func (s *mysqlSink) Marker(ctx context.Context) (sink.Marker, error) {
	var m sink.Marker
	err := s.transaction(ctx, func(tx *sql.Tx) error {
		have, err := s.record(ctx, tx)
		if err != nil {
			return err
		}
		m, err = s.rule.Marker(have)
		return err
	})
	return m, s.wrap(err)
}

// Discard implements sink.Sink: nothing was staged outside, but from now on older runs of
// the query are refused.
func (s *mysqlSink) Discard(ctx context.Context, b sink.Batch) error {
	return s.wrap(s.transaction(ctx, func(tx *sql.Tx) error {
		have, err := s.record(ctx, tx)
		if err != nil {
			return err
		}
		next, err := s.rule.Claim(have, b)
		if err != nil || next == nil {
			return err
		}
		return s.setRecord(ctx, tx, have, next)
	}))
}

// Publish implements sink.Sink.
func (s *mysqlSink) Publish(ctx context.Context, b sink.Batch, payload []byte) error {
	err := s.transaction(ctx, func(tx *sql.Tx) error {
		have, err := s.record(ctx, tx)
		if err != nil {
			return err
		}
		next, err := s.rule.Next(have, b, payload)
		if err != nil || next == nil {
			return err
		}
		if err := s.write(ctx, tx, payload); err != nil {
			return err
		}
		if mutant.On("mysql: the marker is not in the transaction of the rows") {
			return nil
		}
		return s.setRecord(ctx, tx, have, next)
	})
	if err == nil && s.cfg.Once {
		err = s.forget(ctx)
	}
	return s.wrap(err)
}

// transaction runs do in a transaction, again after a transient failure. A commit whose
// answer was lost is such a one: the marker tells the next try what became of it.
func (s *mysqlSink) transaction(ctx context.Context, do func(*sql.Tx) error) error {
	wait := clock.Backoff{Clock: s.cfg.Clock, First: 50 * time.Millisecond, Most: 5 * time.Second, Limit: max(s.retry, 1)}
	for {
		err := s.once(ctx, do)
		if err == nil || ctx.Err() != nil || !transient(err) {
			return err
		}
		s.log.Warn("a transaction is tried again", "query", s.cfg.Query, "sink", s.cfg.Name, "err", err)
		again, waitErr := wait.Wait(ctx, 0)
		if waitErr != nil {
			return waitErr
		}
		if !again {
			return fmt.Errorf("%w; given up after retry_timeout = %s", err, s.retry)
		}
	}
}

func (s *mysqlSink) once(ctx context.Context, do func(*sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelReadCommitted})
	if err != nil {
		return err
	}
	if err := do(tx); err != nil {
		_ = tx.Rollback() // the cause says more
		return err
	}
	return tx.Commit()
}

// write applies a payload: deletions first.
func (s *mysqlSink) write(ctx context.Context, tx *sql.Tx, payload []byte) error {
	if s.cfg.Mode == sink.Complete {
		if _, err := tx.ExecContext(ctx, "DELETE FROM "+quote(s.table)); err != nil {
			return err
		}
	}
	del, ins := s.deletes(tx), s.inserts(tx)
	err := staged.Each(payload, staged.Types(s.cfg.Columns), func(b *vec.Batch) error {
		for row := range b.N {
			if b.Weight(row) < 0 {
				if err := del.add(ctx, b, row); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err == nil && !mutant.On("mysql: keys that are gone stay in the table") {
		err = del.flush(ctx)
	}
	if err != nil {
		return err
	}
	err = staged.Each(payload, staged.Types(s.cfg.Columns), func(b *vec.Batch) error {
		for row := range b.N {
			for range b.Weight(row) {
				if err := ins.add(ctx, b, row); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return ins.flush(ctx)
}

// mostRows bounds the rows of a statement: more make it no faster.
const mostRows = 1000

// statement gathers rows until the text of the statement is as long as the server takes.
type statement struct {
	s          *mysqlSink
	tx         *sql.Tx
	head, tail string
	cols       []int
	row        string // (?, ?)
	args       []any
	rows       int
	size       int
}

func (s *mysqlSink) inserts(tx *sql.Tx) *statement {
	all := make([]int, len(s.cfg.Columns))
	for i := range all {
		all[i] = i
	}
	st := &statement{s: s, tx: tx, head: "INSERT INTO " + quote(s.table) + " (" + s.names(all) + ") VALUES ", cols: all}
	if s.keyed() {
		st.tail = " ON DUPLICATE KEY UPDATE " + s.assignments(all)
	}
	st.row = s.placeholders(all)
	return st
}

// assignments takes all columns from the new row; those of the key do not change.
func (s *mysqlSink) assignments(all []int) string {
	var out []string
	for _, i := range all {
		if !slices.Contains(s.cfg.Key, i) {
			name := quote(s.cfg.Columns[i].Name)
			out = append(out, name+" = VALUES("+name+")")
		}
	}
	if len(out) == 0 { // a key alone: nothing to change
		name := quote(s.cfg.Columns[s.cfg.Key[0]].Name)
		out = append(out, name+" = VALUES("+name+")")
	}
	return strings.Join(out, ", ")
}

func (s *mysqlSink) deletes(tx *sql.Tx) *statement {
	return &statement{s: s, tx: tx, head: "DELETE FROM " + quote(s.table) + " WHERE (" + s.names(s.cfg.Key) + ") IN (", tail: ")",
		cols: s.cfg.Key, row: s.placeholders(s.cfg.Key)}
}

// placeholders is a row of a statement. A DECIMAL is text on its way, and compared with
// text it would become a DOUBLE.
func (s *mysqlSink) placeholders(cols []int) string {
	out := make([]string, len(cols))
	for i, c := range cols {
		if out[i] = "?"; s.cfg.Columns[c].Type.Kind == types.Decimal {
			out[i] = "CAST(? AS " + columnType(s.cfg.Columns[c].Type) + ")"
		}
	}
	return "(" + strings.Join(out, ", ") + ")"
}

func (st *statement) add(ctx context.Context, b *vec.Batch, row int) error {
	size := len(st.row) + 2
	args := make([]any, len(st.cols))
	for i, c := range st.cols {
		x, n, err := value(b.Cols[c], row, st.s.cfg.Zone)
		if err != nil {
			return fmt.Errorf("column %q: %w", st.s.cfg.Columns[c].Name, err)
		}
		args[i], size = x, size+n
	}
	fixed := len(st.head) + len(st.tail) + 64
	if fixed+size > st.s.packet {
		return fmt.Errorf("a row may take %d bytes in a statement, more than max_allowed_packet = %d of the server; raise that", size, st.s.packet)
	}
	if st.rows == mostRows || fixed+st.size+size > st.s.packet {
		if err := st.flush(ctx); err != nil {
			return err
		}
	}
	st.args, st.rows, st.size = append(st.args, args...), st.rows+1, st.size+size
	return nil
}

func (st *statement) flush(ctx context.Context) error {
	if st.rows == 0 {
		return nil
	}
	var b strings.Builder
	b.WriteString(st.head)
	for i := range st.rows {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(st.row)
	}
	b.WriteString(st.tail)
	_, err := st.tx.ExecContext(ctx, b.String(), st.args...)
	st.args, st.rows, st.size = st.args[:0], 0, 0
	return err
}
