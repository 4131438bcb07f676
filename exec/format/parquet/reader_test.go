package parquet

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/formattest"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func config(t testing.TB, c []types.Column, opts ...string) format.Config {
	t.Helper()
	return formattest.Config(t, Format().ReadOptions, c, opts...)
}

func read(c format.Config, content []byte) ([]string, error) {
	rows, _, err := formattest.Read(Format(), c, "in/a.parquet", content)
	return rows, err
}

func check(t *testing.T, c format.Config, content []byte, want ...string) {
	t.Helper()
	rows, err := read(c, content)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(rows, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("read\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

// file writes rows with parquet-go.
func file[T any](t testing.TB, rows []T, opts ...parquet.WriterOption) []byte {
	t.Helper()
	var out bytes.Buffer
	w := parquet.NewGenericWriter[T](&out, opts...)
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

type scalars struct {
	B    bool      `parquet:"b"`
	I8   int8      `parquet:"i8"`
	I32  int32     `parquet:"i32"`
	U32  uint32    `parquet:"u32"`
	I64  int64     `parquet:"i64"`
	U64  uint64    `parquet:"u64"`
	F    float32   `parquet:"f"`
	D    float64   `parquet:"d"`
	S    string    `parquet:"s,dict"`
	P    string    `parquet:"p"`
	X    []byte    `parquet:"x"`
	U    [16]byte  `parquet:"u,uuid"`
	Day  int32     `parquet:"day,date"`
	Ms   int64     `parquet:"ms,timestamp(millisecond)"`
	Us   time.Time `parquet:"us,timestamp(microsecond)"`
	Ns   int64     `parquet:"ns,timestamp(nanosecond)"`
	Loc  int64     `parquet:"loc,timestamp(microsecond:local)"`
	D9   int32     `parquet:"d9,decimal(2:9)"`
	D18  int64     `parquet:"d18,decimal(3:18)"`
	D38  [16]byte  `parquet:"d38,decimal(4:38)"`
	Old  deprecated.Int96
	Opt  *int64  `parquet:"opt,optional"`
	OptS *string `parquet:"opts,optional,dict"`
}

func TestScalars(t *testing.T) {
	i, s := int64(7), "seven"
	row := scalars{
		B: true, I8: -8, I32: math.MinInt32, U32: math.MaxUint32, I64: math.MinInt64, U64: math.MaxUint64, F: 0.5, D: math.Pi, S: "dict", P: "plain", X: []byte{0, 255},
		U: [16]byte{1, 2, 15: 16}, Day: -1, Ms: -1, Us: time.UnixMicro(1767225600000001).UTC(), Ns: -1, Loc: 86_400_000_000, D9: -12345, D18: 1234567890123456,
		D38: [16]byte{0: 255, 1: 255, 2: 255, 3: 255, 4: 255, 5: 255, 6: 255, 7: 255, 8: 255, 9: 255, 10: 255, 11: 255, 12: 255, 13: 255, 14: 255, 15: 254},
		Old: deprecated.Int96{1000, 0, 2440589}, Opt: &i, OptS: &s,
	}
	content := file(t, []scalars{row, {}, row})
	c := config(t, formattest.Columns("b", types.Bool, "i8", types.Int8, "i32", types.Int64, "u32", types.Int64, "i64", types.Int64, "u64", types.DecimalOf(20, 0), "f", types.Float64, "d", types.Float64,
		"s", types.String, "P", types.String, "x", types.Bytes, "u", types.String, "day", types.Date, "ms", types.Timestamp, "us", types.Timestamp, "ns", types.Timestamp, "loc", types.TimestampNTZ,
		"d9", types.DecimalOf(9, 2), "d18", types.DecimalOf(20, 4), "d38", types.DecimalOf(38, 4), "old", types.Timestamp, "opt", types.Int64, "opts", types.String, "none", types.Int32))
	want := `true | -8 | -2147483648 | 4294967295 | -9223372036854775808 | 18446744073709551615 | 0.5 | 3.141592653589793 | "dict" | "plain" | "\x00\xff" | "01020000-0000-0000-0000-000000000010" | -1 | 1969-12-31T23:59:59.999 | 2026-01-01T00:00:00.000001 | 1969-12-31T23:59:59.999999 | 1970-01-02T00:00:00 | -123.45 | 1234567890123.4560 | -0.0002 | 1970-01-02T00:00:00.000001 | 7 | "seven" | NULL`
	zero := `false | 0 | 0 | 0 | 0 | 0 | 0 | 0 | "" | "" | "" | "00000000-0000-0000-0000-000000000000" | 0 | 1970-01-01T00:00:00 | 0001-01-01T00:00:00 | 1970-01-01T00:00:00 | 1970-01-01T00:00:00 | 0.00 | 0.0000 | 0.0000 | -4713-11-24T00:00:00 | NULL | NULL | NULL`
	check(t, c, content, want, zero, want)
	for _, codec := range []parquet.WriterOption{parquet.Compression(&parquet.Snappy), parquet.Compression(&parquet.Zstd), parquet.Compression(&parquet.Gzip), parquet.Compression(&parquet.Lz4Raw), parquet.DataPageVersion(1)} {
		check(t, c, file(t, []scalars{row, {}, row}, codec), want, zero, want)
	}
}

// Columns that were found in several files may differ in case alone: a file gives each its
// own data, and no other one the same again.
func TestTwins(t *testing.T) {
	type row struct {
		B int32 `parquet:"b"`
	}
	check(t, config(t, formattest.Columns("b", types.Int32, "B", types.Int32)), file(t, []row{{7}}), `7 | NULL`)
	check(t, config(t, formattest.Columns("B", types.Int32)), file(t, []row{{7}}), `7`)
}

type nestedRow struct {
	ID int64             `parquet:"id"`
	S  *inner            `parquet:"s,optional"`
	L  []*int64          `parquet:"l,list"`
	LS []inner           `parquet:"ls,list"`
	R  []string          `parquet:"r"`
	M  map[string]*int64 `parquet:"m"`
	LL [][]int32         `parquet:"-"`
}

type inner struct {
	X int64    `parquet:"x"`
	Y []string `parquet:"y,list"`
	Z *string  `parquet:"z,optional"`
}

func TestNested(t *testing.T) {
	one, two, z := int64(1), int64(2), "z"
	rows := []nestedRow{
		{ID: 1, S: &inner{1, []string{"a", "b"}, nil}, L: []*int64{&one, &two}, LS: []inner{{2, nil, &z}, {3, []string{"c"}, nil}}, R: []string{"r"}, M: map[string]*int64{"k": &one}},
		{ID: 2},
		{ID: 3, S: &inner{Z: &z}, L: []*int64{nil}, LS: []inner{{X: 5}}, R: []string{"", "s"}},
	}
	in := types.StructOf(types.Field{Name: "x", Type: types.Of(types.Int64)}, types.Field{Name: "y", Type: types.ArrayOf(types.Of(types.String))},
		types.Field{Name: "Z", Type: types.Of(types.String)}, types.Field{Name: "new", Type: types.Of(types.Int8)})
	only := types.StructOf(types.Field{Name: "new", Type: types.Of(types.Int8)})
	c := config(t, formattest.Columns("id", types.Int64, "s", in, "l", types.ArrayOf(types.Of(types.Int64)), "ls", types.ArrayOf(in), "r", types.ArrayOf(types.Of(types.String)), "m", types.MapOf(types.Of(types.String), types.Of(types.Int64))))
	content := file(t, rows)
	check(t, c, content,
		`1 | (1,["a","b"],NULL,NULL) | [1,2] | [(2,[],"z",NULL),(3,["c"],NULL,NULL)] | ["r"] | {"k":1}`,
		`2 | NULL | [] | [] | [] | {}`,
		`3 | (0,[],"z",NULL) | [NULL] | [(5,[],NULL,NULL)] | ["","s"] | {}`)
	check(t, config(t, formattest.Columns("s", only, "ls", types.ArrayOf(only), "id", types.Int64)), content, "(NULL) | [(NULL),(NULL)] | 1", "NULL | [] | 2", "(NULL) | [(NULL)] | 3")
}

func TestInfer(t *testing.T) {
	content := file(t, []nestedRow{})
	got, err := infer(context.Background(), formattest.File("a", content), format.Config{})
	if err != nil {
		t.Fatal(err)
	}
	var parts []string
	for _, c := range got {
		parts = append(parts, c.Name+" "+c.Type.String())
	}
	want := "id BIGINT; s STRUCT<x:BIGINT,y:ARRAY<STRING>,z:STRING>; l ARRAY<BIGINT>; ls ARRAY<STRUCT<x:BIGINT,y:ARRAY<STRING>,z:STRING>>; r ARRAY<STRING>; m MAP<STRING,BIGINT>"
	if s := strings.Join(parts, "; "); s != want {
		t.Errorf("inferred %s", s)
	}
}

// TestPages reads columns with many pages and row groups whose borders differ.
func TestPages(t *testing.T) {
	type row struct {
		I int64   `parquet:"i"`
		N *int64  `parquet:"n,optional"`
		S string  `parquet:"s,dict"`
		T *string `parquet:"t,optional"`
		L []int64 `parquet:"l,list"`
	}
	var rows []row
	var want []string
	for i := range 20_000 {
		r := row{I: int64(i), S: fmt.Sprint("s", i%97)}
		n, text := "NULL", "NULL"
		if i%3 != 0 {
			x := int64(i * i)
			r.N, n = &x, fmt.Sprint(x)
		}
		if i%5 != 0 {
			x := strings.Repeat("t", i%40)
			r.T, text = &x, fmt.Sprintf("%q", x)
		}
		var list []string
		for k := range i % 4 {
			r.L = append(r.L, int64(k+i))
			list = append(list, fmt.Sprint(k+i))
		}
		rows = append(rows, r)
		want = append(want, fmt.Sprintf("%d | %s | %q | %s | [%s]", i, n, r.S, text, strings.Join(list, ",")))
	}
	content := file(t, rows, parquet.PageBufferSize(3000), parquet.MaxRowsPerRowGroup(7777))
	c := config(t, formattest.Columns("i", types.Int64, "n", types.Int64, "s", types.String, "t", types.String, "l", types.ArrayOf(types.Of(types.Int64))))
	got, err := read(c, content)
	if err != nil {
		t.Fatal(err)
	}
	for i := range want {
		if i >= len(got) || got[i] != want[i] {
			t.Fatalf("row %d of %d: %s, want %s", i, len(got), got[min(i, len(got)-1)], want[i])
		}
	}
}

func TestErrors(t *testing.T) {
	type row struct {
		A int64  `parquet:"a"`
		S string `parquet:"s"`
		T int64  `parquet:"t,timestamp(microsecond)"`
	}
	content := file(t, []row{{1, "x", 2}})
	for _, c := range []struct {
		config format.Config
		want   string
	}{
		{config(t, formattest.Columns("a", types.Int32)), `in/a.parquet: column "a" is BIGINT in the file, which cannot be read as INT`},
		{config(t, formattest.Columns("s", types.Int64)), `in/a.parquet: column "s" is STRING in the file, which cannot be read as BIGINT`},
		{config(t, formattest.Columns("t", types.TimestampNTZ)), `column "t" is TIMESTAMP in the file, which cannot be read as TIMESTAMP_NTZ`},
		{config(t, formattest.Columns("a", types.ArrayOf(types.Of(types.Int64)))), `column "a" is BIGINT in the file, which cannot be read as ARRAY<BIGINT>`},
		{config(t, formattest.Columns("z", types.Int64)), `has none of the declared columns; its columns are a, s, t`},
		{config(t, formattest.Columns("a", types.Int64, "z", types.Int64), "missing_columns", "error"), `has no column "z"; its columns are a, s, t`},
		{config(t, formattest.Columns("a", types.Interval)), `column "a": Parquet has no INTERVAL that we read`},
	} {
		if _, err := read(c.config, content); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v\nwant  %s", err, c.want)
		}
	}
}

// TestDamage flips and cuts bytes of a file: any outcome but a panic, a hang or a
// batch that breaks its own rules is right; most must be errors that name the file.
func TestDamage(t *testing.T) {
	one := int64(1)
	content := file(t, []nestedRow{{ID: 1, S: &inner{1, []string{"a", "b"}, nil}, L: []*int64{&one, nil}, R: []string{"r"}}, {ID: 2}}, parquet.Compression(&parquet.Snappy))
	in := types.StructOf(types.Field{Name: "x", Type: types.Of(types.Int64)}, types.Field{Name: "y", Type: types.ArrayOf(types.Of(types.String))})
	c := config(t, formattest.Columns("id", types.Int64, "s", in, "l", types.ArrayOf(types.Of(types.Int64)), "r", types.ArrayOf(types.Of(types.String))))
	failed := 0
	try := func(b []byte) {
		if _, err := read(c, b); err != nil {
			failed++
			if !strings.HasPrefix(err.Error(), "in/a.parquet: ") {
				t.Errorf("error without the file: %v", err)
			}
		}
	}
	for n := range len(content) {
		try(content[:n])
	}
	if failed != len(content) {
		t.Errorf("%d of %d truncated files were read", len(content)-failed, len(content))
	}
	for i := range content {
		for _, x := range []byte{1, 0x80} {
			b := bytes.Clone(content)
			b[i] ^= x
			try(b)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	dir := os.Getenv("SQLSTREAM_DATA")
	if dir == "" {
		dir = b.TempDir()
		type bid struct {
			Auction  int64  `parquet:"auction"`
			Bidder   int64  `parquet:"bidder"`
			Price    int64  `parquet:"price"`
			Channel  string `parquet:"channel,dict"`
			URL      string `parquet:"url"`
			DateTime int64  `parquet:"date_time,timestamp(microsecond)"`
			Extra    string `parquet:"extra"`
		}
		rows := make([]bid, 100_000)
		for i := range rows {
			rows[i] = bid{int64(i), int64(i % 1000), int64(i * i), fmt.Sprint("channel-", i%100), fmt.Sprint("https://www.nexmark.com/", i), int64(i), strings.Repeat("x", 60)}
		}
		path := filepath.Join(dir, "nx2m/parquet/bid/part-00000.parquet")
		os.MkdirAll(filepath.Dir(path), 0o755)
		os.WriteFile(path, file(b, rows, parquet.Compression(&parquet.Snappy)), 0o644)
	}
	c := config(b, formattest.Columns("auction", types.Int64, "bidder", types.Int64, "price", types.Int64, "channel", types.String, "url", types.String, "date_time", types.Timestamp, "extra", types.String))
	for _, q := range []struct {
		name string
		need []int
	}{{"3ints", []int{0, 2, 5}}, {"q0", []int{0, 1, 2, 5, 6}}, {"strings", []int{0, 3, 4}}, {"none", nil}} {
		b.Run(q.name, func(b *testing.B) {
			content, err := os.ReadFile(filepath.Join(dir, "nx2m/parquet/bid/part-00000.parquet"))
			if err != nil {
				b.Fatal(err)
			}
			r, _ := newReader(c)
			f := formattest.File("a.parquet", content)
			rows := 0
			b.ReportAllocs()
			for b.Loop() {
				sections, err := r.Sections(context.Background(), f)
				for _, s := range sections {
					if err == nil {
						err = r.Read(context.Background(), f, s, format.Reading{Need: q.need}, func(batch *vec.Batch) error {
							rows += batch.N
							return nil
						})
					}
				}
				if err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(rows)/1e6/b.Elapsed().Seconds(), "Mrows/s")
		})
	}
}
