package mysql

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// quote makes an identifier.
func quote(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

// prepare makes and checks what the sink needs at the server.
func (s *mysqlSink) prepare(ctx context.Context, d option.Decoded) error {
	if err := s.db.QueryRowContext(ctx, "SELECT @@max_allowed_packet").Scan(&s.packet); err != nil {
		return err
	}
	_, err := s.db.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS "+quote(s.markers)+` (
		target VARBINARY(255) NOT NULL PRIMARY KEY,
		query_id VARCHAR(500) NOT NULL, query TEXT NOT NULL,
		epoch BIGINT NOT NULL, batch BIGINT NOT NULL, digest VARCHAR(64) NOT NULL) ENGINE = InnoDB CHARACTER SET utf8mb4`)
	if err != nil {
		return fmt.Errorf("the table of markers: %w", err)
	}
	if d.Bool("create_table") {
		if _, err := s.db.ExecContext(ctx, s.create()); err != nil {
			return fmt.Errorf("create_table: %w", err)
		}
	}
	if err := s.checkColumns(ctx, d); err != nil {
		return err
	}
	if err := s.checkKey(ctx); err != nil || d.Enum("key_collation") == "any" {
		return err
	}
	return s.checkCollation(ctx)
}

// misfit is an error of what was declared: the table is there, and is another one.
func misfit(format string, args ...any) error {
	return diag.NewError(nil, diag.Errorf(diag.WrongColumns, diag.Span{}, format, args...))
}

// checkCollation: text keys that differ must be different to the table.
func (s *mysqlSink) checkCollation(ctx context.Context) error {
	if !s.keyed() {
		return nil
	}
	cols, err := s.list(ctx, "SELECT CONCAT(LOWER(column_name), '\t', collation_name) FROM information_schema.columns "+
		"WHERE table_schema = ? AND table_name = ? AND collation_name IS NOT NULL")
	if err != nil {
		return err
	}
	for _, text := range cols {
		name, collation, _ := strings.Cut(text, "\t")
		if s.isKey(name) && !strings.HasSuffix(collation, "_bin") && collation != "binary" {
			return misfit("%s compares its key column %s by %s, to which texts that differ may be equal: keys would overwrite each other; "+
				"give the column the collation utf8mb4_bin, or set key_collation = 'any' if that is wanted", s.rule.Where, name, collation)
		}
	}
	return nil
}

func (s *mysqlSink) isKey(name string) bool {
	return slices.ContainsFunc(s.cfg.Key, func(c int) bool { return strings.EqualFold(s.cfg.Columns[c].Name, name) })
}

// create is the statement that makes the table.
func (s *mysqlSink) create() string {
	var b strings.Builder
	b.WriteString("CREATE TABLE IF NOT EXISTS " + quote(s.table) + " (")
	for i, c := range s.cfg.Columns {
		if i > 0 {
			b.WriteString(", ")
		}
		key := s.keyed() && slices.Contains(s.cfg.Key, i)
		b.WriteString(quote(c.Name) + " " + s.typeOf(c.Type, key))
		if key {
			b.WriteString(" NOT NULL")
		} else {
			b.WriteString(" NULL")
		}
	}
	if s.keyed() {
		b.WriteString(", PRIMARY KEY (" + s.names(s.cfg.Key) + ")")
	}
	b.WriteString(") ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin")
	return b.String()
}

// keyed reports that rows are replaced by key.
func (s *mysqlSink) keyed() bool { return s.cfg.Mode == sink.Update && len(s.cfg.Key) > 0 }

// names lists columns, quoted.
func (s *mysqlSink) names(cols []int) string {
	out := make([]string, len(cols))
	for i, c := range cols {
		out[i] = quote(s.cfg.Columns[c].Name)
	}
	return strings.Join(out, ", ")
}

// checkColumns: the table must be there, transactional, and have the columns.
func (s *mysqlSink) checkColumns(ctx context.Context, d option.Decoded) error {
	var engine *string
	err := s.db.QueryRowContext(ctx, "SELECT engine FROM information_schema.tables WHERE table_schema = ? AND table_name = ?",
		s.database, s.table).Scan(&engine)
	switch {
	case isNoRows(err):
		return fmt.Errorf("database %q has no table %q; create it, or set create_table = true", s.database, s.table)
	case err != nil:
		return err
	case engine == nil:
		return misfit("%s is a view; name its table", s.rule.Where)
	case !strings.EqualFold(*engine, "InnoDB"):
		return misfit("%s has the engine %s, which has no transactions; change it to InnoDB", s.rule.Where, *engine)
	}
	have, err := s.list(ctx, "SELECT column_name FROM information_schema.columns WHERE table_schema = ? AND table_name = ? ORDER BY ordinal_position")
	if err != nil {
		return err
	}
	for _, c := range s.cfg.Columns {
		if slices.ContainsFunc(have, func(name string) bool { return strings.EqualFold(name, c.Name) }) {
			continue
		}
		e := diag.Errorf(diag.WrongColumns, d.Span("table"), "%s has no column %q (%s)", s.rule.Where, c.Name, columnType(c.Type))
		if e.Hint = diag.HintDidYouMean(c.Name, have); e.Hint == "" {
			e.Hint = "add it with ALTER TABLE, or give the column of the query the name of one of " + strings.Join(have, ", ")
		}
		return diag.NewError(nil, e)
	}
	return nil
}

func (s *mysqlSink) list(ctx context.Context, query string) ([]string, error) {
	rows, err := s.db.QueryContext(ctx, query, s.database, s.table)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var out []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		out = append(out, name)
	}
	return out, rows.Err()
}

// checkKey: ON DUPLICATE KEY UPDATE takes whatever unique key a row meets, so the key of
// the result must be one, and the only one.
func (s *mysqlSink) checkKey(ctx context.Context) error {
	if !s.keyed() {
		return nil
	}
	parts, err := s.list(ctx, "SELECT CONCAT(index_name, '\t', IFNULL(column_name, ''), '\t', IFNULL(sub_part, '')) FROM information_schema.statistics "+
		"WHERE table_schema = ? AND table_name = ? AND non_unique = 0 ORDER BY index_name, seq_in_index")
	if err != nil {
		return err
	}
	indexes := map[string][]string{}
	for _, p := range parts {
		f := strings.Split(p, "\t")
		if len(f) == 3 && f[2] != "" {
			f[1] += "(" + f[2] + ")" // a prefix only
		}
		indexes[f[0]] = append(indexes[f[0]], strings.ToLower(f[1]))
	}
	want := make([]string, len(s.cfg.Key))
	for i, c := range s.cfg.Key {
		want[i] = strings.ToLower(s.cfg.Columns[c].Name)
	}
	slices.Sort(want)
	found := false
	for _, name := range slices.Sorted(maps.Keys(indexes)) {
		cols := slices.Sorted(slices.Values(indexes[name]))
		if slices.Equal(cols, want) {
			found = true
			continue
		}
		return misfit("%s has the unique key %s (%s) besides the key of the result (%s): rows of other keys would be overwritten; drop it, or group by its columns",
			s.rule.Where, name, strings.Join(indexes[name], ", "), strings.Join(want, ", "))
	}
	if !found {
		return misfit("%s has no primary or unique key of the columns %s, which is the key of the result: ALTER TABLE %s ADD PRIMARY KEY (%s)",
			s.rule.Where, strings.Join(want, ", "), quote(s.table), s.names(s.cfg.Key))
	}
	return nil
}

// columnType is the type of a column that the sink makes.
func columnType(t types.Type) string {
	switch t.Kind {
	case types.Bool:
		return "BOOLEAN"
	case types.Int8:
		return "TINYINT"
	case types.Int16:
		return "SMALLINT"
	case types.Int32:
		return "INT"
	case types.Int64:
		return "BIGINT"
	case types.Float32:
		return "FLOAT"
	case types.Float64:
		return "DOUBLE"
	case types.Decimal:
		return fmt.Sprintf("DECIMAL(%d,%d)", t.Prec, t.Scale)
	case types.Date:
		return "DATE"
	case types.Timestamp, types.TimestampNTZ:
		return "DATETIME(6)"
	case types.Bytes:
		return "LONGBLOB"
	case types.Time:
		return "TIME(6)"
	case types.UUID:
		return "CHAR(36) CHARACTER SET ascii"
	case types.JSON:
		return "JSON"
	}
	return "LONGTEXT"
}

// keyBytes is how long a key of InnoDB may be.
const keyBytes = 3072

// typeOf is columnType; text in a key must have a length, and all of the key must fit.
func (s *mysqlSink) typeOf(t types.Type, key bool) string {
	kind := columnType(t)
	if key && kind == "JSON" { // which no key can have
		kind = "LONGTEXT"
	}
	if !key || kind != "LONGTEXT" && kind != "LONGBLOB" {
		return kind
	}
	n := min(512, (keyBytes-16*len(s.cfg.Key))/4/len(s.cfg.Key))
	if kind == "LONGBLOB" {
		return fmt.Sprintf("VARBINARY(%d)", n)
	}
	return fmt.Sprintf("VARCHAR(%d) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin", n)
}
