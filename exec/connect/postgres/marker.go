package postgres

import (
	"context"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/sink"
)

// commit is the row of a sink in the table of commits.
type commit struct {
	queryID, query string
	epoch, batch   int64
	digest         string
	writer, at     string
}

// commitsDDL makes the table of commits.
func (s *batchSink) commitsDDL() string {
	return "CREATE TABLE IF NOT EXISTS " + s.commits.quoted() + ` (sink text PRIMARY KEY, query_id text NOT NULL, query text NOT NULL, epoch bigint NOT NULL,
 batch_id bigint NOT NULL, digest text NOT NULL, writer text NOT NULL, committed_at timestamp with time zone NOT NULL)`
}

// makeCommits creates the table of commits if it is missing.
func (s *batchSink) makeCommits(ctx context.Context, conn *pgx.Conn) error {
	rs, err := exec(ctx, conn, "SELECT to_regclass("+literal(s.commits.quoted())+") IS NOT NULL")
	if err != nil || truth(rs[0].Rows[0][0]) {
		return err
	}
	for attempt := 0; ; attempt++ {
		_, err = exec(ctx, conn, s.commitsDDL())
		if attempt > 0 || !has(err, "23505", "42P07", "42710") { // two processes created it at once
			break
		}
	}
	if err != nil {
		return fmt.Errorf("the table of commits %s cannot be created: %w; let somebody run %s, or name a table in a schema of your own by option commit_table",
			s.commits, s.server.explain(err), s.commitsDDL())
	}
	return nil
}

// row is the condition that finds the row of this sink.
func (s *batchSink) row() string { return "sink = " + literal(s.id) }

func (s *batchSink) readCommit() string {
	return "SELECT query_id, query, epoch, batch_id, digest, writer, committed_at FROM " + s.commits.quoted() + " WHERE " + s.row()
}

func commitOf(rows [][][]byte) (*commit, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	r := rows[0]
	epoch, err1 := strconv.ParseInt(string(r[2]), 10, 64)
	batch, err2 := strconv.ParseInt(string(r[3]), 10, 64)
	if err1 != nil || err2 != nil {
		return nil, fmt.Errorf("the row of the sink in the table of commits has no numbers: epoch %s, batch %s", r[2], r[3])
	}
	return &commit{string(r[0]), string(r[1]), epoch, batch, string(r[4]), string(r[5]), string(r[6])}, nil
}

// Marker implements sink.Sink.
func (s *batchSink) Marker(ctx context.Context) (sink.Marker, error) {
	none := sink.Marker{ID: -1}
	if s.cfg.Once {
		return none, nil
	}
	var c *commit
	err := s.server.retry(ctx, func(ctx context.Context) error {
		conn, err := s.session.use(ctx)
		if err != nil {
			return err
		}
		rs, err := exec(ctx, conn, s.readCommit())
		if err != nil {
			s.session.drop()
			return err
		}
		c, err = commitOf(rs[0].Rows)
		return err
	})
	switch {
	case err != nil:
		return none, s.wrap(err)
	case c == nil && s.cfg.Mode == sink.Complete && !s.cfg.Adopt:
		return none, s.wrap(s.refuseRows(ctx))
	case c == nil:
		return none, nil
	case c.queryID != s.cfg.QueryID && s.cfg.Adopt:
		return none, nil
	case c.queryID != s.cfg.QueryID:
		return none, s.wrap(s.foreign(c))
	}
	return sink.Marker{OK: c.batch >= 0, ID: c.batch, Digest: c.digest}, nil
}

func (s *batchSink) foreign(c *commit) error {
	way := fmt.Sprintf("give this query another table, or a sink_id of its own to write beside the other; "+
		"set adopt_sink = true to go on after its last batch; or, when it is over, run: DELETE FROM %s WHERE %s", s.commits.quoted(), s.row())
	if c.query == s.cfg.Query {
		return fmt.Errorf("table %s was written with another checkpoint of query %q (id %s, not %s; batch %d, at %s); restore that checkpoint, or %s",
			s.target, c.query, c.queryID, s.cfg.QueryID, c.batch, c.at, way)
	}
	return fmt.Errorf("table %s belongs to query %q (id %s), not to %q (id %s): %s", s.target, c.query, c.queryID, s.cfg.Query, s.cfg.QueryID, way)
}

// refuseRows fails when complete mode would delete rows that no query wrote.
func (s *batchSink) refuseRows(ctx context.Context) error {
	conn, err := s.session.use(ctx)
	if err != nil {
		return err
	}
	rs, err := exec(ctx, conn, "SELECT EXISTS (SELECT FROM "+s.target.quoted()+")")
	if err != nil {
		s.session.drop()
		return s.server.explain(err)
	}
	if truth(rs[0].Rows[0][0]) {
		return fmt.Errorf("table %s has rows that no query wrote, and complete mode replaces all rows; empty it, or set adopt_sink = true", s.target)
	}
	return nil
}

// notLost fails when the table has just been created although the query wrote into it
// before: its rows are lost.
func (s *batchSink) notLost(ctx context.Context, conn *pgx.Conn) error {
	if s.cfg.Once || s.cfg.Adopt || s.cfg.Mode == sink.Complete {
		return nil
	}
	rs, err := exec(ctx, conn, s.readCommit())
	if err != nil {
		return err
	}
	c, err := commitOf(rs[0].Rows)
	if err != nil || c == nil || c.queryID != s.cfg.QueryID || c.batch < 0 {
		return err
	}
	return fmt.Errorf("table %s is missing, though this query wrote batch %d into it: it has been created, empty; restore its rows, "+
		"or set adopt_sink = true to go on without them", s.target, c.batch)
}

// Discard implements sink.Sink. Nothing is staged outside of payloads; but it is the
// first that a new run does with the sink, so from here on older runs are fenced off.
func (s *batchSink) Discard(ctx context.Context, b sink.Batch) error {
	if s.cfg.Once || mutant.On("postgres: a new run fences nobody off") {
		return nil
	}
	return s.wrap(s.server.retry(ctx, func(ctx context.Context) error {
		return s.transaction(ctx, func(conn *pgx.Conn) (string, error) {
			_, err := s.claim(ctx, conn, b, "")
			return "", err
		})
	}))
}

// claim locks the row of the sink, checks that it is ours, and gives it our epoch. The
// statements in more run before the answer is read, in the same round trip. It returns
// the row as it was, or as it was made, and the results of more.
func (s *batchSink) claim(ctx context.Context, conn *pgx.Conn, b sink.Batch, more string) (claimed, error) {
	rs, err := exec(ctx, conn, s.begin()+s.readCommit()+" FOR UPDATE;"+more)
	if err != nil {
		return claimed{}, s.lockError(err)
	}
	c, err := commitOf(rs[beginResults].Rows)
	if err != nil {
		return claimed{}, err
	}
	out := claimed{commit: c, more: rs[beginResults+1:]}
	switch {
	case c == nil && s.claimed:
		return out, fmt.Errorf("the row of the sink in %s (%s) is gone: somebody deleted it while the query ran, so it is not known which batches table %s has; "+
			"check, then start again with adopt_sink = true", s.commits, s.row(), s.target)
	case c == nil, c.queryID != s.cfg.QueryID && s.cfg.Adopt:
		out.commit = &commit{s.cfg.QueryID, s.cfg.Query, b.Epoch, b.ID - 1, "", s.writer, ""}
		_, err = exec(ctx, conn, s.writeCommit(out.commit, c == nil))
	case c.queryID != s.cfg.QueryID:
		return out, s.foreign(c)
	case c.epoch > b.Epoch && !mutant.On("postgres: an older run is not fenced off"):
		return out, sink.Fenced("table %s was taken over by a newer run of query %q (epoch %d, this is %d): %s, at %s", s.target, c.query, c.epoch, b.Epoch, c.writer, c.at)
	case c.epoch < b.Epoch:
		c.epoch, c.query, c.writer = b.Epoch, s.cfg.Query, s.writer
		_, err = exec(ctx, conn, s.writeCommit(c, false))
	}
	return out, err
}

// claimed is what claim found.
type claimed struct {
	*commit
	more []*pgconn.Result
}

// writeCommit inserts or updates the row of the sink.
func (s *batchSink) writeCommit(c *commit, insert bool) string {
	values := fmt.Sprintf("%s, %s, %d, %d, %s, %s, clock_timestamp()", literal(c.queryID), literal(c.query), c.epoch, c.batch, literal(c.digest), literal(c.writer))
	if insert {
		return "INSERT INTO " + s.commits.quoted() + " VALUES (" + literal(s.id) + ", " + values + ")"
	}
	return "UPDATE " + s.commits.quoted() + " SET (query_id, query, epoch, batch_id, digest, writer, committed_at) = (" + values + ") WHERE " + s.row()
}
