package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pglogrepl"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/sqlstream/sqlstream/exec/clock"
)

// stream is a connection over which the server sends the changes that a slot keeps.
type stream struct {
	conn *pgx.Conn
	seen pglogrepl.LSN // everything before it has been sent, when not within a transaction
	open bool          // within a transaction
	idle int           // how often the server has said since then that it is where it was
}

// replication opens a connection that takes the commands of replication.
func (s *server) replication(ctx context.Context) (*pgx.Conn, error) {
	cfg := s.cfg.Copy()
	cfg.RuntimeParams["replication"] = "database"
	c, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		return nil, s.cannotConnect(err)
	}
	_, err = exec(ctx, c, "SET idle_in_transaction_session_timeout = 0") // a snapshot that is kept is a transaction
	if err != nil {
		_ = c.Close(ctx) // it is of no use
		return nil, err
	}
	return c, nil
}

// startStream asks for the transactions of a publication that end behind from.
func (s *server) startStream(ctx context.Context, slot, publication string, from pglogrepl.LSN) (*stream, error) {
	conn, err := s.replication(ctx)
	if err != nil {
		return nil, err
	}
	args := []string{"proto_version '1'", "publication_names " + literal(quote(publication)), "binary 'true'"}
	err = pglogrepl.StartReplication(ctx, conn.PgConn(), quote(slot), from, pglogrepl.StartReplicationOptions{PluginArgs: args})
	if err != nil {
		closeNow(conn)
		return nil, orLost(err)
	}
	return &stream{conn: conn, seen: from}, nil
}

func closeNow(c *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = c.Close(ctx) // whatever it says, the connection is not used again
}

func (t *stream) close() {
	if t != nil {
		closeNow(t.conn)
	}
}

// errQuiet says that nothing came in time.
var errQuiet = errors.New("nothing came")

// next gives the next message of the plugin, valid until the next call; errQuiet if none
// comes within wait. Within a transaction it waits for as long as it takes.
func (t *stream) next(ctx context.Context, wait time.Duration) ([]byte, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if t.open {
			wait = time.Second
		}
		if err := t.conn.PgConn().Conn().SetReadDeadline(clock.Real().Now().Add(wait)); err != nil {
			return nil, &lost{err}
		}
		m, err := t.conn.PgConn().ReceiveMessage(context.Background())
		switch {
		case pgconn.Timeout(err) && t.open:
			continue
		case pgconn.Timeout(err):
			return nil, errQuiet
		case err != nil:
			return nil, orLost(err)
		}
		switch m := m.(type) {
		case *pgproto3.CopyData:
			before := t.seen
			data, err := t.take(m.Data)
			if data != nil || err != nil {
				t.idle = 0
				return data, err
			}
			if t.seen > before { // whoever waits for a position looks at it
				t.idle = 0
				return nil, errQuiet
			}
			t.idle++
		case *pgproto3.ErrorResponse:
			return nil, pgconn.ErrorResponseToPgError(m)
		case *pgproto3.CopyDone:
			return nil, &lost{errors.New("the server ended the stream of changes")}
		}
	}
}

// take reads what came: a message of the plugin, or a keep-alive, for which it gives nil.
func (t *stream) take(data []byte) ([]byte, error) {
	if len(data) == 0 {
		return nil, errMessage
	}
	switch data[0] {
	case pglogrepl.PrimaryKeepaliveMessageByteID:
		k, err := pglogrepl.ParsePrimaryKeepaliveMessage(data[1:])
		if err != nil {
			return nil, err
		}
		if !t.open {
			t.seen = max(t.seen, k.ServerWALEnd)
		}
		return nil, nil
	case pglogrepl.XLogDataByteID:
		x, err := pglogrepl.ParseXLogData(data[1:])
		if err != nil || len(x.WALData) == 0 {
			return nil, errMessage
		}
		switch x.WALData[0] {
		case 'B':
			t.open = true
		case 'C':
			end, err := commitEnd(x.WALData[1:])
			if err != nil {
				return nil, err
			}
			t.open, t.seen = false, max(t.seen, end)
		}
		return x.WALData, nil
	}
	return nil, fmt.Errorf("%w: it begins with %q", errMessage, data[0])
}

// confirm tells the server what is not needed any more; it also keeps the connection
// alive. ask makes it answer how far it is.
func (t *stream) confirm(ctx context.Context, done pglogrepl.LSN, ask bool) error {
	err := pglogrepl.SendStandbyStatusUpdate(ctx, t.conn.PgConn(), pglogrepl.StandbyStatusUpdate{
		WALWritePosition: done, ClientTime: clock.Real().Now(), ReplyRequested: ask})
	return orLost(err)
}

// slotState is what the server says of a replication slot.
type slotState struct {
	plugin, database, status string
	confirmed                pglogrepl.LSN
}

// slot describes a slot; nil when there is none.
func readSlot(ctx context.Context, c *pgx.Conn, slot string) (*slotState, error) {
	rs, err := exec(ctx, c, "SELECT plugin, COALESCE(database, ''), COALESCE(wal_status, ''), confirmed_flush_lsn, current_database() FROM pg_replication_slots WHERE slot_name = "+literal(slot))
	if err != nil || len(rs[0].Rows) == 0 {
		return nil, err
	}
	r := rs[0].Rows[0]
	st := &slotState{plugin: string(r[0]), database: string(r[1]), status: string(r[2])}
	switch {
	case st.plugin != "pgoutput":
		return nil, fmt.Errorf("slot %q is of the plugin %q, not of pgoutput: name another slot", slot, st.plugin)
	case st.database != string(r[4]):
		return nil, fmt.Errorf("slot %q is of the database %s, not of %s: name another slot", slot, st.database, r[4])
	case st.status == "lost":
		return nil, fmt.Errorf("slot %q has lost changes: the server removed WAL that it needed (max_slot_wal_keep_size); drop the slot, and begin with a new checkpoint", slot)
	}
	st.confirmed, err = pglogrepl.ParseLSN(string(r[3]))
	return st, err
}

// createSlot makes the slot, and gives the snapshot of the moment at which it begins. The
// snapshot lives as long as the connection is not used for anything else.
func (s *server) createSlot(ctx context.Context, slot string) (conn *pgx.Conn, at pglogrepl.LSN, snapshot string, err error) {
	if conn, err = s.replication(ctx); err != nil {
		return nil, 0, "", err
	}
	r, err := pglogrepl.CreateReplicationSlot(ctx, conn.PgConn(), quote(slot), "pgoutput", pglogrepl.CreateReplicationSlotOptions{
		SnapshotAction: "EXPORT_SNAPSHOT", Mode: pglogrepl.LogicalReplication})
	if err == nil {
		at, err = pglogrepl.ParseLSN(r.ConsistentPoint)
	}
	if err != nil {
		closeNow(conn)
		return nil, 0, "", orLost(err)
	}
	return conn, at, r.SnapshotName, nil
}

// slotName checks a name as the server does.
func slotName(name string) bool {
	return name != "" && len(name) < 64 && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
}
