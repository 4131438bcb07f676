//go:build services

package services

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/exec/connect/postgres"
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/incremental/engine"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

// sqlWorld is an engine over a directory of its own.
type sqlWorld struct {
	*testing.T
	dir string
	e   *engine.Engine
	out bytes.Buffer
}

func newSQL(t *testing.T) *sqlWorld {
	w := &sqlWorld{T: t, dir: t.TempDir()}
	w.restart()
	t.Cleanup(func() { w.e.Close() })
	return w
}

// restart ends the engine, and opens another one over the same directory.
func (w *sqlWorld) restart() {
	w.Helper()
	if w.e != nil {
		w.e.Close()
	}
	var err error
	if w.e, err = engine.Open(engine.Options{FS: vfs.OS(), Clock: clock.Real(), Workers: 2, Dir: w.dir, Stdout: &w.out}); err != nil {
		w.Fatal(err)
	}
}

func (w *sqlWorld) write(name, text string) {
	w.Helper()
	path := filepath.Join(w.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		w.Fatal(err)
	}
}

// exec runs a script; rows and plans come as lines.
func (w *sqlWorld) exec(sql string) (string, error) {
	var lines []string
	err := w.e.Exec(context.Background(), diag.Source{Name: "test", Text: sql}, func(r *engine.Result) error {
		if r.Plan != "" {
			lines = append(lines, strings.TrimSpace(r.Plan))
		}
		if r.Rows == nil {
			return nil
		}
		return r.Rows(context.Background(), func(b *vec.Batch) error {
			b.Each(func(row int) {
				var cells []string
				for _, c := range b.Cols {
					cells = append(cells, vec.RowString(c, row, nil))
				}
				lines = append(lines, strings.Join(cells, "|"))
			})
			return nil
		})
	})
	return strings.Join(lines, "\n"), err
}

func (w *sqlWorld) must(sql string) string {
	w.Helper()
	out, err := w.exec(sql)
	if err != nil {
		w.Fatalf("%s\n%v", sql, err)
	}
	return out
}

func (w *sqlWorld) gives(sql, want string) {
	w.Helper()
	if got := w.must(sql); got != want {
		w.Errorf("%s:\n%s\nwant\n%s", sql, got, want)
	}
}

// readAll reads a source as a finite table with inferred columns, in one range.
func (w *pgWorld) readAll(c source.Config) (cols []types.Column, rows [][]any, err error) {
	conn := postgres.Table()
	c.Finite, c.Clock = true, clock.Real()
	if c.Columns == nil {
		if cols, err = conn.Infer(w.Context(), c); err != nil {
			return nil, nil, err
		}
		for _, col := range cols {
			c.Columns = append(c.Columns, source.Column{Column: col})
		}
	}
	s, err := conn.Open(w.Context(), c)
	if err != nil {
		return cols, nil, err
	}
	defer s.Close()
	r, ok, err := s.Plan(w.Context(), source.Limits{}, nil)
	if err != nil || !ok || !s.Finished() {
		w.Fatal(ok, err)
	}
	splits, err := s.Splits(w.Context(), r)
	if err != nil {
		return cols, nil, err
	}
	var need []int
	for i := range c.Columns {
		need = append(need, i)
	}
	for _, sp := range splits {
		err = sp.Read(w.Context(), source.Reading{Need: need}, func(b *vec.Batch) error {
			b.Each(func(row int) {
				var cells []any
				for _, v := range b.Cols {
					cells = append(cells, vec.ToAny(v, row))
				}
				rows = append(rows, cells)
			})
			return nil
		})
		if err != nil {
			return cols, rows, err
		}
	}
	return cols, rows, nil
}

// TestPostgresTypes writes values of every type, and reads them again.
func TestPostgresTypes(t *testing.T) {
	w := newPG(t)
	str, i64, doc := types.Of(types.String), types.Of(types.Int64), types.Of(types.JSON)
	wide, _ := types.ParseDecimal("-12345678901234567890123456789.012345678", 38, 9)
	for name, c := range map[string]struct {
		t      types.Type
		back   types.Type // zero = t
		ddl    string
		values []any
		read   []any // nil = values
	}{
		"bool":    {t: types.Of(types.Bool), ddl: "boolean", values: []any{true, false}},
		"tiny":    {t: types.Of(types.Int8), back: types.Of(types.Int16), ddl: "smallint", values: []any{int64(-128), int64(127)}},
		"small":   {t: types.Of(types.Int16), ddl: "smallint", values: []any{int64(math.MinInt16), int64(math.MaxInt16)}},
		"int":     {t: types.Of(types.Int32), ddl: "integer", values: []any{int64(math.MinInt32), int64(math.MaxInt32)}},
		"big":     {t: i64, ddl: "bigint", values: []any{int64(math.MinInt64), int64(math.MaxInt64), int64(0)}},
		"float":   {t: types.Of(types.Float32), ddl: "real", values: []any{float64(float32(0.1)), math.Inf(1), math.Inf(-1)}},
		"double":  {t: types.Of(types.Float64), ddl: "double precision", values: []any{0.1, 5e-324, math.MaxFloat64, math.Inf(-1)}},
		"dec":     {t: types.DecimalOf(10, 2), ddl: "numeric(10,2)", values: []any{int64(-1234567890), int64(0), int64(5), int64(10000)}},
		"dec38":   {t: types.DecimalOf(38, 9), ddl: "numeric(38,9)", values: []any{wide, types.Int128From(0), types.Int128From(1)}},
		"text":    {t: str, ddl: "text", values: []any{"", "a", "é漢\U0001F600\t\n\\N'\"", strings.Repeat("x", 100_000)}},
		"bytes":   {t: types.Of(types.Bytes), ddl: "bytea", values: []any{[]byte{}, []byte("\x00\xff\\x")}},
		"date":    {t: types.Of(types.Date), ddl: "date", values: []any{int64(0), int64(-719162 - 365*4000), int64(2932896), int64(10957)}},
		"ts":      {t: types.Of(types.Timestamp), ddl: "timestamp with time zone", values: []any{int64(0), int64(-1), int64(1700000000123456), int64(math.MaxInt64), int64(-62135596800000001)}},
		"ntz":     {t: types.Of(types.TimestampNTZ), ddl: "timestamp without time zone", values: []any{int64(0), int64(-1), int64(1700000000123456)}},
		"iv":      {t: types.Of(types.Interval), ddl: "interval", values: []any{types.IntervalValue{}, types.IntervalValue{Months: -14, Days: 3, Micros: -1}}},
		"ints":    {t: types.ArrayOf(i64), ddl: "bigint[]", values: []any{[]any{}, []any{int64(1), nil, int64(-3)}}},
		"strs":    {t: types.ArrayOf(str), ddl: "text[]", values: []any{[]any{"a", "", nil, "{\"x\",NULL}"}}},
		"decs":    {t: types.ArrayOf(types.DecimalOf(5, 1)), ddl: "numeric(5,1)[]", values: []any{[]any{int64(15), int64(-1)}}},
		"nested":  {t: types.ArrayOf(types.ArrayOf(i64)), back: doc, ddl: "jsonb", values: []any{[]any{[]any{int64(1)}, nil}}, read: []any{"[[1],null]"}},
		"map":     {t: types.MapOf(str, i64), back: doc, ddl: "jsonb", values: []any{[][2]any{{"a", int64(1)}}}, read: []any{`{"a":1}`}},
		"struct":  {t: types.StructOf(types.Field{Name: "a", Type: i64}, types.Field{Name: "b", Type: str}), back: doc, ddl: "jsonb", values: []any{[]any{int64(1), nil}}, read: []any{`{"a":1,"b":null}`}},
		"time":    {t: types.Of(types.Time), ddl: "time without time zone", values: []any{int64(0), int64(1), types.MicrosPerDay - int64(1)}},
		"uuid":    {t: types.Of(types.UUID), ddl: "uuid", values: []any{"0123456789abcdef", strings.Repeat("\xff", 16)}},
		"json":    {t: doc, ddl: "jsonb", values: []any{`{"a":[1,null,"é"]}`, "null", "1.5", `""`}},
		"uuids":   {t: types.ArrayOf(types.Of(types.UUID)), ddl: "uuid[]", values: []any{[]any{"0123456789abcdef", nil}}},
		"null of": {t: str, ddl: "text", values: []any{nil}},
	} {
		t.Run(name, func(t *testing.T) {
			v := *w
			v.T = t
			table := w.schema + `."` + name + `"`
			sc := v.config(sink.Append, "table", table, "create_table", "true")
			sc.Columns = []types.Column{{Name: "id", Type: i64}, {Name: "V 1", Type: c.t}}
			ids := vec.NewBuilder(i64)
			vals := append(append([]any{}, c.values...), nil)
			for i := range vals {
				ids.AppendInt(int64(i))
			}
			s := v.open(sc)
			v.publish(s, 0, 1, v.stage(s, 0, vec.NewBatch(ids.Take(), vec.FromAny(c.t, vals...))))
			v.want("SELECT format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = '"+table+"'::regclass AND attnum = 2", c.ddl)
			cols, rows, err := v.readAll(source.Config{Name: "x", Options: v.options("table", table)})
			if err != nil {
				t.Fatal(err)
			}
			back, read := c.back, c.read
			if back.Kind == types.Null {
				back = c.t
			}
			if read == nil {
				read = c.values
			}
			if !cols[1].Type.Equal(back) {
				t.Errorf("read as %s, want %s", cols[1].Type, back)
			}
			for i, want := range append(append([]any{}, read...), nil) {
				if !reflect.DeepEqual(rows[i][1], want) {
					t.Errorf("%v came back as %v", want, rows[i][1])
				}
			}
		})
	}
	sc := w.config(sink.Append, "create_table", "true")
	s := w.open(sc)
	_, err := s.Stage(t.Context(), sink.Batch{}, func(emit func(*vec.Batch) error) error {
		return emit(vec.NewBatch(vec.FromAny(str, "a\x00b"), vec.FromAny(i64, int64(7))))
	})
	w.says(err, `sink "out": column "k" of the row with n = 7`, "NUL")
	w.put(w.open(w.config(sink.Append, "sink_id", "nan")), 0, "+ a 1")
	w.want("SELECT count(*) FROM $s.out", "1")
}

// TestPostgresNaN: equal to itself, as in PostgreSQL, so that a changelog finds it again.
func TestPostgresChangelogOfOddValues(t *testing.T) {
	w := newPG(t)
	c := w.config(sink.Changelog, "create_table", "true")
	c.Key = nil
	c.Columns = []types.Column{{Name: "f", Type: types.Of(types.Float64)}, {Name: "a", Type: types.ArrayOf(types.Of(types.Int64))}, {Name: "m", Type: types.MapOf(types.Of(types.String), types.Of(types.Int64))}}
	s := w.open(c)
	rows := func(weight int64) *vec.Batch {
		b := vec.NewBatch(vec.FromAny(c.Columns[0].Type, math.NaN(), math.Copysign(0, -1), nil), vec.FromAny(c.Columns[1].Type, []any{nil}, []any{}, nil),
			vec.FromAny(c.Columns[2].Type, [][2]any{{"a", nil}}, [][2]any{}, nil))
		b.W = []int64{weight, weight, weight}
		return b
	}
	w.publish(s, 0, 1, w.stage(s, 0, rows(2)))
	w.want("SELECT count(*) FROM $s.out", "6")
	w.publish(s, 1, 1, w.stage(s, 1, rows(-1)))
	w.want("SELECT f, a, m FROM $s.out ORDER BY f", "-0|{}|{}\nNaN|{NULL}|{\"a\": null}\nNULL|NULL|NULL")
}

func TestPostgresReadTypes(t *testing.T) {
	w := newPG(t)
	w.run(`CREATE TYPE $s.mood AS ENUM ('sad', 'ok'); CREATE DOMAIN $s.cents AS numeric(12,2) CHECK (VALUE >= 0);
CREATE TABLE $s.odd (u uuid, e $s.mood, d $s.cents, n numeric, j json, b jsonb, ip inet, es $s.mood[], c char(3), t time, m int[], gone int, "G" int GENERATED ALWAYS AS (1) STORED);
ALTER TABLE $s.odd DROP gone;
INSERT INTO $s.odd VALUES ('6ba7b810-9dad-11d1-80b4-00c04fd430c8', 'ok', 12.5, 1.5, '{"a":1}', '{"b": [1, 2]}', '10.0.0.1', '{sad,NULL}', 'x', '10:00', '{1,2}')`)
	cols, rows, err := w.readAll(source.Config{Name: "x", Options: w.options("table", w.schema+".odd")})
	if err != nil {
		t.Fatal(err)
	}
	want := "u UUID, e STRING, d DECIMAL(12,2), n DECIMAL(38,18), j JSON, b JSON, ip STRING, es ARRAY<STRING>, c STRING, t TIME, m ARRAY<INT>, G INT"
	var got []string
	for _, c := range cols {
		got = append(got, c.Name+" "+c.Type.String())
	}
	if strings.Join(got, ", ") != want {
		t.Errorf("columns %s\nwant %s", strings.Join(got, ", "), want)
	}
	rows[0][0] = string(types.AppendUUID(nil, []byte(rows[0][0].(string))))
	if g := fmt.Sprint(rows[0]); g != `[6ba7b810-9dad-11d1-80b4-00c04fd430c8 ok 1250 1500000000000000000 {"a":1} {"b":[1,2]} 10.0.0.1/32 [sad <nil>] x   36000000000 [1 2] 1]` {
		t.Error(g)
	}

	_, rows, err = w.readAll(source.Config{Name: "x", Options: w.options("query", "SELECT 'infinity'::timestamptz AS t, '-infinity'::date AS d")})
	if g := fmt.Sprint(rows, err); g != fmt.Sprintf("[[%d %d]] <nil>", types.InfiniteMicros, types.MinusInfiniteDay) {
		t.Errorf("infinite times are %s", g)
	}
	for value, word := range map[string]string{"'NaN'::numeric": "is NaN",
		"1e30::numeric": "is out of the range of DECIMAL(38,18)", "1.1234567890123456789::numeric": "more digits behind the point", "'{{1},{2}}'::int[]": "has 2 dimensions"} {
		_, _, err := w.readAll(source.Config{Name: "x", Options: w.options("query", "SELECT "+value+" AS v")})
		w.says(err, `source "x": the query: column "v" `, word, "on_error = 'skip'")
		_, rows, err := w.readAll(source.Config{Name: "x", OnError: source.Skip, Options: w.options("query", "SELECT NULL AS v UNION ALL SELECT "+value+";")})
		if err != nil || len(rows) != 1 {
			t.Errorf("%s: %d rows, %v", value, len(rows), err)
		}
	}
}

func TestPostgresTableRefusals(t *testing.T) {
	w := newPG(t)
	w.run("CREATE TABLE $s.t (id int8, at timestamp)")
	read := func(columns []source.Column, opts ...string) error {
		_, _, err := w.readAll(source.Config{Name: "x", Columns: columns, Options: w.options(opts...)})
		return err
	}
	w.says(read(nil, "table", w.schema+".none"), `source "x": there is no table `+w.schema+".none")
	w.says(read(nil), "named by option table, or given by option query")
	w.says(read(nil, "query", "SELECT nothing FROM nowhere"), `relation "nowhere" does not exist`)
	w.says(read(nil, "table", w.schema+".t", "password", "wrong"), "refused the log-in")
	cols := []source.Column{{Column: types.Column{Name: "id", Type: types.Of(types.Int32)}}, {Column: types.Column{Name: "att", Type: types.Of(types.Date)}}}
	w.says(read(cols, "table", w.schema+".t"), `column "id" is bigint; declare it BIGINT, not INT`, `it has no column "att" (did you mean "at"?)`)
	_, err := postgres.Table().Open(t.Context(), source.Config{Name: "x", Options: w.options("table", w.schema+".t")})
	w.says(err, "CREATE TABLE", "postgres-cdc")
}

// TestPostgresParts: a large table is read in parts, all of the same moment.
func TestPostgresParts(t *testing.T) {
	w := newPG(t)
	w.run("CREATE TABLE $s.big (id int8, v int8, filler text); ALTER TABLE $s.big ALTER filler SET STORAGE PLAIN; INSERT INTO $s.big SELECT i, 1, repeat('x', 1900) FROM generate_series(1, 50000) i")
	c := source.Config{Name: "x", Finite: true, Clock: clock.Real(), Options: w.options("table", w.schema+".big"),
		Columns: []source.Column{{Column: types.Column{Name: "id", Type: types.Of(types.Int64)}}, {Column: types.Column{Name: "v", Type: types.Of(types.Int64)}}}}
	s, err := postgres.Table().Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	r, _, err := s.Plan(t.Context(), source.Limits{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	splits, err := s.Splits(t.Context(), r)
	if err != nil || len(splits) < 2 {
		t.Fatal(len(splits), err)
	}
	w.run("DELETE FROM $s.big WHERE id > 100; INSERT INTO $s.big SELECT i, 5, 'y' FROM generate_series(1, 7) i")
	n, ids, sum := 0, int64(0), int64(0)
	for _, sp := range splits {
		err := sp.Read(t.Context(), source.Reading{Need: []int{0, 1}}, func(b *vec.Batch) error {
			b.Each(func(row int) { n, ids, sum = n+1, ids+b.Cols[0].Int(row), sum+b.Cols[1].Int(row) })
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if n != 50000 || ids != 50000*50001/2 || sum != 50000 {
		t.Errorf("%d rows, ids %d, sum %d: not those of the moment when the parts were made", n, ids, sum)
	}
}

// TestPostgresSQL: tables of PostgreSQL in SQL, in both directions.
func TestPostgresSQL(t *testing.T) {
	p, w := newPG(t), newSQL(t)
	p.run("CREATE TABLE $s.shops (id int8 PRIMARY KEY, name text, opened date, since timestamptz); INSERT INTO $s.shops SELECT i, 's' || i, '2024-01-01'::date + i::int, '2024-01-01'::timestamptz + i * interval '1 day' FROM generate_series(1, 5000) i")
	t.Setenv("PG_SECRET", p.url)
	opt := "(connector = 'postgres', url = '${PG_SECRET}', table = '" + p.schema + "."
	w.must("CREATE TABLE shops WITH " + opt + "shops')")
	w.gives("SELECT count(*), min(id), max(name) FROM shops", "5000|1|s999")
	w.gives("SELECT id, name FROM shops WHERE id BETWEEN 3 AND 4 ORDER BY id", "3|s3\n4|s4")
	w.gives("SELECT id FROM shops WHERE opened = DATE '2024-01-11' AND since >= TIMESTAMP '2024-01-11 00:00:00'", "10")
	w.gives("SELECT count(*) FROM shops WHERE opened > DATE '2030-01-01' AND id < 9000000000", fmt.Sprint(5000-2192))
	if plan := w.must("EXPLAIN SELECT id FROM shops WHERE id = 3"); strings.Contains(plan, "stream:stream") {
		t.Errorf("the secret is in the plan:\n%s", plan)
	}

	w.must("CREATE SINK copy WITH " + opt + "copy', create_table = true); INSERT INTO copy SELECT id, name FROM shops WHERE id <= 2; AWAIT ALL")
	w.must("INSERT INTO copy SELECT id, name FROM shops WHERE id = 3; AWAIT ALL")
	p.want("SELECT id, name FROM $s.copy ORDER BY id", "1|s1\n2|s2\n3|s3")

	w.write("in/1.json", "{\"shop\": 1, \"n\": 10}\n{\"shop\": 2, \"n\": 5}\n{\"shop\": 1, \"n\": 7}\n")
	w.must(`CREATE SOURCE sales (shop BIGINT, n BIGINT) WITH (connector = 'file', format = 'json', path = 'in');
CREATE SINK totals WITH ` + opt + `totals', create_table = true)`)
	const query = `INSERT INTO totals SELECT s.name AS name, sum(n) AS n, count(*) AS c FROM sales JOIN shops s ON s.id = sales.shop GROUP BY s.name EMIT UPDATE TRIGGER AVAILABLE NOW; AWAIT ALL`
	w.must(query)
	p.want("SELECT * FROM $s.totals ORDER BY name", "s1|17|2\ns2|5|1")
	w.write("in/2.json", "{\"shop\": 2, \"n\": 5}\n{\"shop\": 3, \"n\": 1}\n")
	w.restart()
	w.must("CREATE TABLE shops WITH " + opt + `shops'); CREATE SOURCE sales (shop BIGINT, n BIGINT) WITH (connector = 'file', format = 'json', path = 'in');
CREATE SINK totals WITH ` + opt + "totals'); " + query)
	p.want("SELECT * FROM $s.totals ORDER BY name", "s1|17|2\ns2|10|2\ns3|1|1")
	if got := w.must("SHOW CREATE SINK totals"); strings.Contains(got, "stream:stream") {
		t.Error(got)
	}
	entries, err := filepath.Glob(filepath.Join(w.dir, ".sqlstream", "*", "*"))
	if err != nil || len(entries) == 0 {
		t.Fatal(entries, err)
	}
	filepath.WalkDir(w.dir, func(path string, d os.DirEntry, err error) error {
		if text, err := os.ReadFile(path); err == nil && bytes.Contains(text, []byte("stream:stream")) {
			t.Errorf("the secret is in %s", path)
		}
		return nil
	})
}

// TestPostgresLookup: a join that asks for the rows of the keys that come.
func TestPostgresLookup(t *testing.T) {
	p, w := newPG(t), newSQL(t)
	p.run(`CREATE TABLE $s.shops (id int4 PRIMARY KEY, name varchar(20), code char(3), u uuid, day date, at timestamptz, d numeric(10,2), open bool);
INSERT INTO $s.shops SELECT i, 's' || i, 'c' || i % 10, md5(i::text)::uuid, '2024-01-01'::date + i, '2024-01-01'::timestamptz + i * interval '1 hour', i / 4.0, i % 5 > 0 FROM generate_series(1, 3000) i`)
	declare := func(opt string) string {
		return fmt.Sprintf("CREATE OR REPLACE TABLE shops WITH (connector = 'postgres', url = '%s', table = '%s.shops', lookup = true%s)", p.url, p.schema, opt)
	}
	w.must(declare(", lookup_cache_ttl = '1 ms'") + `;
CREATE SOURCE ev (id BIGINT, u STRING, code STRING, day DATE, n INT) WITH (connector = 'file', format = 'json', path = 'in');
CREATE SINK got WITH (connector = 'memory')`)
	w.write("in/1.json", `{"id": 1, "u": "`+p.rows("SELECT md5('1')::uuid")+`", "code": "c1 ", "day": "2024-01-02", "n": 1}
{"id": 7000000000, "u": "nothing", "code": "c1", "day": "2024-01-02", "n": 2}
{"id": null, "u": null, "code": null, "day": null, "n": 3}
{"id": 5, "u": "x\u0000y", "code": "c5 ", "day": "9999-01-01", "n": 4}
{"id": 1, "u": "nothing", "code": "c1", "day": "2024-01-03", "n": 5}
`)
	if plan := w.must("EXPLAIN INSERT INTO got SELECT n, name FROM ev JOIN shops s ON s.id = ev.id"); !strings.Contains(plan, "its rows are asked for by key") {
		t.Error(plan)
	}
	run := func(query, want string) {
		t.Helper()
		w.must("DROP SINK got; CREATE SINK got WITH (connector = 'memory'); INSERT INTO got " + query + " TRIGGER AVAILABLE NOW; AWAIT ALL")
		w.gives("SELECT * FROM got ORDER BY n", want)
	}
	run("SELECT n, name FROM ev JOIN shops s ON s.id = ev.id", "1|s1\n4|s5\n5|s1")
	run("SELECT n, name FROM ev LEFT JOIN shops s ON s.id = ev.id AND s.open", "1|s1\n2|NULL\n3|NULL\n4|NULL\n5|s1")
	run("SELECT n, name FROM (SELECT n, TRY_CAST(u AS UUID) AS u FROM ev) ev LEFT JOIN shops FOR SYSTEM_TIME AS OF now() AS s ON s.u = ev.u", "1|s1\n2|NULL\n3|NULL\n4|NULL\n5|NULL")
	run("SELECT n, count(*) AS c FROM ev JOIN shops s ON s.code = ev.code AND s.id < 20 GROUP BY n EMIT UPDATE", "1|2\n4|2")
	run("SELECT n, name FROM ev JOIN shops s ON s.id = ev.id AND s.day = ev.day", "1|s1")
	run("SELECT n FROM ev WHERE EXISTS (SELECT 1 FROM shops s WHERE s.id = ev.id)", "1\n4\n5")
	run("SELECT n, nm FROM ev JOIN (SELECT id AS k, upper(name) AS nm FROM shops WHERE open) s ON s.k = ev.id", "1|S1\n5|S1")

	for query, words := range map[string]string{
		"SELECT n FROM ev JOIN shops s ON s.id < ev.id":                                                             "does not compare columns",
		"SELECT n FROM ev JOIN shops s ON s.id + 1 = ev.id":                                                         "does not compare columns",
		"SELECT n FROM ev JOIN (SELECT max(id) AS id FROM shops GROUP BY code) s ON s.id = ev.id":                   "does not compare columns",
		"SELECT c FROM (SELECT id, count(*) AS c FROM ev GROUP BY id) e JOIN shops s ON s.id = e.id EMIT CHANGELOG": "can be retracted",
	} {
		_, err := w.exec("INSERT INTO got " + query + " TRIGGER AVAILABLE NOW; AWAIT ALL")
		p.says(err, words, "lookup")
	}
	_, err := w.exec("CREATE TABLE f (x INT) WITH (connector = 'file', format = 'json', path = 'in', lookup = true)")
	p.says(err, "finds no single rows")

	// What changes in the table is seen by later rows, not by earlier ones.
	w.must(fmt.Sprintf("CREATE SINK kept WITH (connector = 'postgres', url = '%s', table = '%s.kept', create_table = true)", p.url, p.schema))
	const keep = "INSERT INTO kept SELECT n, name FROM ev JOIN shops s ON s.id = ev.id TRIGGER AVAILABLE NOW; AWAIT ALL"
	w.must(keep)
	p.run("UPDATE $s.shops SET name = 'new' WHERE id = 1")
	w.write("in/2.json", `{"id": 1, "n": 9}`+"\n")
	w.must(keep)
	p.want("SELECT n, name FROM $s.kept ORDER BY n", "1|s1\n4|s5\n5|s1\n9|new")
}

// TestPostgresRefresh: a table beside a stream that is read again every so often.
func TestPostgresRefresh(t *testing.T) {
	p, w := newPG(t), newSQL(t)
	p.run("CREATE TABLE $s.shops (id int PRIMARY KEY, name text); INSERT INTO $s.shops VALUES (1, 'a'), (2, 'b')")
	w.write("in/1.json", `{"id": 1, "n": 1}`+"\n"+`{"id": 2, "n": 2}`+"\n")
	w.must(fmt.Sprintf(`CREATE TABLE shops WITH (connector = 'postgres', url = '%[1]s', table = '%[2]s.shops', refresh = '1 ms');
CREATE SOURCE ev (id INT, n INT) WITH (connector = 'file', format = 'json', path = 'in');
CREATE SINK out WITH (connector = 'postgres', url = '%[1]s', table = '%[2]s.out', create_table = true)`, p.url, p.schema))
	const query = "INSERT INTO out SELECT n, name FROM ev JOIN shops ON shops.id = ev.id EMIT CHANGELOG TRIGGER AVAILABLE NOW; AWAIT ALL"
	w.must(query)
	p.want("SELECT n, name FROM $s.out ORDER BY n", "1|a\n2|b")
	p.run("UPDATE $s.shops SET name = 'c' WHERE id = 1; DELETE FROM $s.shops WHERE id = 2")
	w.write("in/2.json", `{"id": 1, "n": 3}`+"\n")
	w.must(query)
	p.want("SELECT n, name FROM $s.out ORDER BY n", "1|c\n3|c")
	_, err := w.exec(fmt.Sprintf("CREATE TABLE each WITH (connector = 'postgres', url = '%s', table = '%s.shops', refresh = 'trigger'); CREATE SINK m WITH (connector = 'memory'); INSERT INTO m SELECT n, name FROM ev JOIN each ON each.id = ev.id EMIT CHANGELOG TRIGGER AVAILABLE NOW; AWAIT ALL", p.url, p.schema))
	p.says(err, "does not say whether a table has changed", "refresh = '10 seconds'")
}
