package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/sink"
)

// create makes the table if the user asked for it, else it tells how to.
func (s *batchSink) create(ctx context.Context, conn *pgx.Conn, d option.Decoded) (*table, error) {
	if !d.Bool("create_table") {
		return nil, fmt.Errorf("there is no table %s in %s; set create_table = true, or run: %s", s.target, s.server.name, s.ddl())
	}
	if _, err := exec(ctx, conn, s.ddl()); err != nil && !has(err, "42P07") { // another process was first
		return nil, fmt.Errorf("table %s cannot be created (%s): %w", s.target, s.ddl(), s.server.explain(err))
	}
	t, err := describe(ctx, conn, s.target)
	if err == nil && t == nil {
		err = fmt.Errorf("table %s was created, and is not there", s.target)
	}
	return t, err
}

// has reports an error of the server with one of the codes.
func has(err error, codes ...string) bool {
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		return false
	}
	for _, c := range codes {
		if pg.Code == c {
			return true
		}
	}
	return false
}

// allowed checks what the user may do with the table, before there are rows.
func (s *batchSink) allowed(ctx context.Context, conn *pgx.Conn, t *table) error {
	need := []string{"INSERT"}
	switch {
	case s.keyed():
		need = []string{"INSERT", "UPDATE", "DELETE", "SELECT"}
	case s.cfg.Mode == sink.Complete, s.cfg.Mode == sink.Changelog:
		need = []string{"INSERT", "DELETE", "SELECT"}
	}
	var asks []string
	for _, n := range need {
		asks = append(asks, fmt.Sprintf("has_table_privilege(%d, '%s')", t.oid, n))
	}
	rs, err := exec(ctx, conn, "SELECT "+strings.Join(asks, ", "))
	if err != nil {
		return err
	}
	var lacks []string
	for i, v := range rs[0].Rows[0] {
		if !truth(v) {
			lacks = append(lacks, need[i])
		}
	}
	if len(lacks) > 0 {
		return fmt.Errorf("user %q may not %s on table %s: GRANT %s ON %s TO %s", s.server.cfg.User, strings.Join(lacks, ", "), s.target,
			strings.Join(lacks, ", "), s.target.quoted(), quote(s.server.cfg.User))
	}
	return nil
}
