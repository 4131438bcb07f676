package postgres

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/sqlstream/sqlstream/parser/diag"
)

// name is a table's name as it was written, in parts.
type name struct {
	schema, table string // schema "" = by the search_path
}

func (n name) String() string {
	if n.schema == "" {
		return n.table
	}
	return n.schema + "." + n.table
}

// quoted is the name in SQL.
func (n name) quoted() string {
	if n.schema == "" {
		return quote(n.table)
	}
	return quote(n.schema) + "." + quote(n.table)
}

// parseName reads schema.table; parts without double quotes become lower case, as in SQL.
func parseName(text string, span diag.Span, opt string) (name, error) {
	var parts []string
	for rest := strings.TrimSpace(text); ; {
		part, after, ok := cutName(rest)
		if !ok || part == "" {
			break
		}
		parts = append(parts, part)
		if after == "" {
			switch len(parts) {
			case 1:
				return name{table: parts[0]}, nil
			case 2:
				return name{schema: parts[0], table: parts[1]}, nil
			}
			break
		}
		if after[0] != '.' {
			break
		}
		rest = after[1:]
	}
	return name{}, diag.NewError(nil, diag.Errorf(diag.BadOptionValue, span, "option %q is %q, expected a table, or schema.table", opt, text).
		WithHint(`parts with other characters than letters, digits and _ stand in double quotes: public."my table"`))
}

// cutName cuts the first part from a dotted name.
func cutName(s string) (part, rest string, ok bool) {
	if !strings.HasPrefix(s, `"`) {
		i := 0
		for i < len(s) && (s[i] == '_' || s[i] == '$' || s[i] >= 0x80 || s[i] >= '0' && s[i] <= '9' || s[i]|0x20 >= 'a' && s[i]|0x20 <= 'z') {
			i++
		}
		return strings.ToLower(s[:i]), s[i:], true
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] != '"':
			b.WriteByte(s[i])
		case i+1 < len(s) && s[i+1] == '"':
			b.WriteByte('"')
			i++
		default:
			return b.String(), s[i+1:], true
		}
	}
	return "", s, false
}

// table is what the server's catalog says of a table.
type table struct {
	name    name // with its schema
	oid     uint32
	kind    byte // pg_class.relkind: r, p (partitioned), v, m, f …
	version int  // of the server: 150004
	ident   byte // replica identity: d, n, f, i
	columns []column
	unique  []unique
}

// column is a column of a table.
type column struct {
	name      string
	wire      wire
	typeOID   uint32 // of the declared type, perhaps a domain
	typeText  string // as DDL has it
	typmod    int32
	notNull   bool
	filled    bool // by a default, an identity or a sequence
	made      bool // nobody may write it
	generated bool // from other columns
	toasted   bool // long values may be stored apart
	identity  bool // it comes with deletions
}

// unique is a unique constraint or index that ON CONFLICT can use.
type unique struct {
	columns []string
	primary bool
	nulls   bool // NULLS NOT DISTINCT
}

// baseType follows domains down to the type beneath.
const baseType = `(WITH RECURSIVE d(oid, typtype, typbasetype) AS (SELECT x.oid, x.typtype, x.typbasetype FROM pg_type x WHERE x.oid = %s
  UNION ALL SELECT b.oid, b.typtype, b.typbasetype FROM d JOIN pg_type b ON b.oid = d.typbasetype WHERE d.typtype = 'd')
  SELECT d.oid FROM d WHERE d.typtype <> 'd')`

// columnQuery lists the columns of a table, given as an expression of type regclass.
func columnQuery(table string) string {
	return typeQuery(`a.attnotnull OR t.typnotnull, a.atthasdef OR a.attidentity <> '', a.attgenerated <> '' OR a.attidentity = 'a', a.attgenerated <> '', a.attstorage IN ('x', 'e'),
 EXISTS (SELECT FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid WHERE c.oid = a.attrelid AND a.attnum = ANY (i.indkey) AND (c.relreplident = 'd' AND i.indisprimary OR c.relreplident = 'i' AND i.indisreplident))`, "pg_attribute a") +
		" WHERE a.attrelid = " + table + " AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum"
}

// typeQuery describes the types of what is named a.attname and has a.atttypid and
// a.atttypmod.
func typeQuery(more, from string) string {
	return `SELECT a.attname, bt.oid, bt.typname, bt.typtype, et.oid, et.typname, et.typtype, format_type(a.atttypid, a.atttypmod),
 CASE WHEN t.typtype = 'd' THEN t.typtypmod ELSE a.atttypmod END, a.atttypid, ` + more + `
FROM ` + from + ` JOIN pg_type t ON t.oid = a.atttypid JOIN pg_type bt ON bt.oid = ` + fmt.Sprintf(baseType, "t.oid") + `
LEFT JOIN pg_type et ON bt.typcategory = 'A' AND et.oid = ` + fmt.Sprintf(baseType, "bt.typelem")
}

// uniqueQuery lists the unique indexes of the table with the oid %d.
const uniqueQuery = `SELECT i.indisprimary, COALESCE((to_jsonb(i)->>'indnullsnotdistinct')::bool, false),
 (SELECT json_agg(a.attname ORDER BY k.n) FROM unnest(i.indkey) WITH ORDINALITY k(num, n) JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.num WHERE k.n <= i.indnkeyatts)
FROM pg_index i WHERE i.indrelid = %d AND i.indisunique AND i.indimmediate AND i.indisvalid AND i.indpred IS NULL AND i.indexprs IS NULL`

// describe reads the catalog; nil when there is no such table.
func describe(ctx context.Context, c *pgx.Conn, n name) (*table, error) {
	rs, err := exec(ctx, c, fmt.Sprintf(`SELECT c.oid, s.nspname, c.relname, c.relkind, c.relreplident, current_setting('server_version_num')
FROM pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace WHERE c.oid = to_regclass(%s)`, literal(n.quoted())))
	if err != nil || len(rs[0].Rows) == 0 {
		return nil, err
	}
	r := rs[0].Rows[0]
	t := &table{oid: uint32(number(r[0])), name: name{string(r[1]), string(r[2])}, kind: r[3][0], ident: r[4][0], version: number(r[5])}
	rs, err = exec(ctx, c, columnQuery(strconv.Itoa(int(t.oid)))+";"+fmt.Sprintf(uniqueQuery, t.oid))
	if err != nil {
		return nil, err
	}
	t.columns = columnsOf(rs[0])
	for _, row := range rs[1].Rows {
		u := unique{primary: truth(row[0]), nulls: truth(row[1])}
		if u.columns, err = texts(row[2]); err != nil {
			return nil, err
		}
		t.unique = append(t.unique, u)
	}
	return t, nil
}

// columnsOf reads the rows of columnQuery.
func columnsOf(r *pgconn.Result) []column {
	var out []column
	for _, row := range r.Rows {
		out = append(out, column{name: string(row[0]), wire: wireOf(row[1:7]), typeText: string(row[7]), typmod: int32(number(row[8])),
			typeOID: uint32(number(row[9])), notNull: truth(row[10]), filled: truth(row[11]), made: truth(row[12]),
			generated: truth(row[13]), toasted: truth(row[14]), identity: truth(row[15])})
	}
	return out
}

func number(text []byte) int {
	n, _ := strconv.Atoi(string(text)) // the server writes numbers where it says so
	return n
}

func truth(text []byte) bool { return string(text) == "t" }

// find gives the column that a name means: the same name, else the only one that differs
// in case alone.
func (t *table) find(name string) (int, bool) {
	found := -1
	for i, c := range t.columns {
		if c.name == name {
			return i, true
		}
		if strings.EqualFold(c.name, name) {
			if found >= 0 {
				return -1, false
			}
			found = i
		}
	}
	return found, found >= 0
}

// columnNames lists the columns.
func (t *table) columnNames() []string {
	out := make([]string, len(t.columns))
	for i, c := range t.columns {
		out[i] = c.name
	}
	return out
}

// describeQuery gives the columns of a query as those of a table.
func describeQuery(ctx context.Context, c *pgx.Conn, sql string) (*table, error) {
	d, err := c.PgConn().Prepare(ctx, "", "SELECT * FROM ("+sql+"\n) AS q", nil)
	if err != nil {
		return nil, orLost(err)
	}
	t := &table{kind: 'q'}
	if len(d.Fields) == 0 {
		return t, nil
	}
	values := make([]string, len(d.Fields))
	for i, f := range d.Fields {
		values[i] = fmt.Sprintf("(%d, %s, %d::oid, %d)", i, literal(f.Name), f.DataTypeOID, f.TypeModifier)
	}
	rs, err := exec(ctx, c, typeQuery("false, false, false, false, false, false", "(VALUES "+strings.Join(values, ", ")+") AS a(n, attname, atttypid, atttypmod)")+" ORDER BY a.n")
	if err != nil {
		return nil, err
	}
	t.columns = columnsOf(rs[0])
	return t, nil
}

// misfit is an error of what was declared: the table is there, and is another one. at is
// the option that names it.
func misfit(at diag.Span, format string, args ...any) error {
	return diag.NewError(nil, diag.Errorf(diag.WrongColumns, at, format, args...))
}

// what says what kind of relation it is that rows cannot be written into or read from.
func (t *table) what() string {
	switch t.kind {
	case 'r':
		return "a table"
	case 'p':
		return "a partitioned table"
	case 'v':
		return "a view"
	case 'm':
		return "a materialized view"
	case 'f':
		return "a foreign table"
	case 'S':
		return "a sequence"
	}
	return "no table"
}
