package parquet

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/sqlstream/sqlstream/exec/format/formattest"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func write(t testing.TB, columns []types.Column, batches []*vec.Batch, opts ...string) []byte {
	t.Helper()
	return formattest.Write(t, Format(), formattest.Config(t, Format().WriteOptions, columns, opts...), batches...)
}

func TestRoundTrip(t *testing.T) {
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 1))
		var columns []types.Column
		for i := range 1 + r.IntN(5) {
			columns = append(columns, types.Column{Name: fmt.Sprint("c", i), Type: formattest.RandomType(r, formattest.Kinds{Depth: 3})})
		}
		var batches []*vec.Batch
		var want []string
		for range r.IntN(5) {
			b := formattest.Values{}.Batch(r, columns)
			batches = append(batches, b)
			want = append(want, formattest.Rows(b)...)
		}
		codec := []string{"snappy", "zstd", "gzip", "lz4_raw", "none"}[seed%5]
		content := write(t, columns, batches, "compression", codec, "row_group_rows", fmt.Sprint(1+r.IntN(100)))
		got, err := read(config(t, columns), content)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if len(got) != len(want) {
			t.Fatalf("seed %d: %d rows, want %d", seed, len(got), len(want))
		}
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("seed %d, row %d of %v:\n%s\nwant\n%s", seed, i, columns, got[i], want[i])
			}
		}
	}
}

// TestLibraryReadsIt reads a file back through parquet-go's own rows, which share
// nothing with our reader but the pages.
func TestLibraryReadsIt(t *testing.T) {
	b := vec.NewBuilder(types.Of(types.Int64))
	s := vec.NewBuilder(types.Of(types.String))
	l := vec.NewBuilder(types.ArrayOf(types.Of(types.Int32)))
	for i := range 3000 {
		b.AppendInt(int64(i) * 1000)
		if i%7 == 0 {
			s.AppendNull()
		} else {
			s.AppendString(fmt.Sprint("s", i%50))
		}
		for k := range i % 3 {
			l.Child(0).AppendInt(int64(k))
		}
		l.EndList()
	}
	columns := formattest.Columns("ts", types.Timestamp, "s", types.String, "l", types.ArrayOf(types.Of(types.Int32)))
	content := write(t, columns, []*vec.Batch{{N: 3000, Cols: []*vec.Vector{b.Take(), s.Take(), l.Take()}}})
	type row struct {
		Ts *int64   `parquet:"ts,optional,timestamp(microsecond)"`
		S  *string  `parquet:"s,optional"`
		L  []*int32 `parquet:"l,list"`
	}
	rows, err := parquet.Read[row](bytes.NewReader(content), int64(len(content)))
	if err != nil || len(rows) != 3000 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for i, r := range rows {
		if *r.Ts != int64(i)*1000 || (r.S == nil) != (i%7 == 0) || r.S != nil && *r.S != fmt.Sprint("s", i%50) || len(r.L) != i%3 {
			t.Fatalf("row %d: %+v", i, r)
		}
	}
	f, _ := parquet.OpenFile(bytes.NewReader(content), int64(len(content)))
	if m := f.Metadata().RowGroups[0].Columns[0].MetaData.Statistics; len(m.MaxValue) != 8 || m.MaxValue[0] != byte(2999*1000%256) {
		t.Errorf("statistics %v", m)
	}
	if s := f.Schema().String(); !strings.Contains(s, "TIMESTAMP(isAdjustedToUTC=true,unit=MICROS)") {
		t.Errorf("schema %s", s)
	}
}

func TestWriterRefuses(t *testing.T) {
	_, err := newWriter(formattest.Config(t, Format().WriteOptions, formattest.Columns("i", types.Interval)))
	if err == nil || err.Error() != `column "i": Parquet has no INTERVAL; cast it to STRING` {
		t.Errorf("error %v", err)
	}
}

func TestEmptyFile(t *testing.T) {
	columns := formattest.Columns("a", types.Int64)
	check(t, config(t, columns), write(t, columns, nil))
}

// TestSample writes a file of every type for a look with other readers, where
// SQLSTREAM_SAMPLE names it.
func TestSample(t *testing.T) {
	path := os.Getenv("SQLSTREAM_SAMPLE")
	r := rand.New(rand.NewPCG(1, 2))
	pair := types.StructOf(types.Field{Name: "x", Type: types.Of(types.Int32)}, types.Field{Name: "y", Type: types.ArrayOf(types.Of(types.String))})
	columns := formattest.Columns("b", types.Bool, "i8", types.Int8, "i16", types.Int16, "i32", types.Int32, "i64", types.Int64, "f", types.Float32, "d", types.Float64,
		"d9", types.DecimalOf(9, 2), "d18", types.DecimalOf(18, 6), "d20", types.DecimalOf(20, 0), "d38", types.DecimalOf(38, 10), "s", types.String, "x", types.Bytes,
		"day", types.Date, "ts", types.Timestamp, "ntz", types.TimestampNTZ, "st", pair, "l", types.ArrayOf(pair), "m", types.MapOf(types.Of(types.String), types.Of(types.Int64)))
	var vs []*vec.Vector
	for _, c := range columns {
		b := vec.NewBuilder(c.Type)
		for range 5000 {
			switch c.Type.Kind {
			case types.Timestamp, types.TimestampNTZ:
				b.AppendInt(r.Int64N(1e15))
			case types.Date:
				b.AppendInt(r.Int64N(20000))
			default:
				formattest.Values{}.AppendRandom(r, b, c.Type, true)
			}
		}
		vs = append(vs, b.Take())
	}
	batch := &vec.Batch{N: 5000, Cols: vs}
	content := write(t, columns, []*vec.Batch{batch}, "row_group_rows", "1000")
	rows, err := read(config(t, columns), content)
	if err != nil || len(rows) != 5000 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	if path != "" {
		os.WriteFile(path, content, 0o644)
		os.WriteFile(path+".txt", []byte(strings.Join(rows, "\n")), 0o644)
	}
}

func BenchmarkWrite(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	columns := formattest.Columns("auction", types.Int64, "price", types.Int64, "date_time", types.Timestamp, "channel", types.String)
	batch := &vec.Batch{N: vec.BatchSize}
	for range 3 {
		v := vec.NewBuilder(types.Of(types.Int64))
		for range vec.BatchSize {
			v.AppendInt(r.Int64N(1_000_000))
		}
		batch.Cols = append(batch.Cols, v.Take())
	}
	s := vec.NewBuilder(types.Of(types.String))
	for range vec.BatchSize {
		s.AppendString(fmt.Sprint("channel-", r.IntN(1000)))
	}
	batch.Cols = append(batch.Cols, s.Take())
	for _, codec := range []string{"snappy", "zstd", "none"} {
		b.Run(codec, func(b *testing.B) {
			w, err := newWriter(formattest.Config(b, Format().WriteOptions, columns, "compression", codec))
			if err != nil {
				b.Fatal(err)
			}
			f, _ := w.Create(io.Discard)
			rows := 0
			b.ReportAllocs()
			for b.Loop() {
				if err := f.Write(batch); err != nil {
					b.Fatal(err)
				}
				rows += batch.N
			}
			b.ReportMetric(float64(rows)/1e6/b.Elapsed().Seconds(), "Mrows/s")
		})
	}
}
