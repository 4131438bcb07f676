package parquet

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/sqlstream/sqlstream/exec/format/formattest"
	"github.com/sqlstream/sqlstream/exec/types"
)

type numbers struct {
	A int64  `parquet:"a"`
	S string `parquet:"s,dict"`
}

func TestNotParquet(t *testing.T) {
	good := file(t, []numbers{{1, "x"}})
	long := bytes.Clone(good)
	binary.LittleEndian.PutUint32(long[len(long)-8:], 1<<31)
	sealed := append(bytes.Clone(good[:len(good)-4]), "PARE"...)
	junk := append([]byte("PAR1"), bytes.Repeat([]byte{0xff}, 40)...)
	junk = append(binary.LittleEndian.AppendUint32(junk, 40), "PAR1"...)
	for want, content := range map[string][]byte{
		"not a Parquet file: only 0 bytes long":                       nil,
		"not a Parquet file: it does not begin with PAR1":             []byte(`{"id":1,"text":"JSON"}`),
		"it does not end with PAR1; was it cut":                       good[:len(good)-1],
		"a footer of 2147483648 bytes in a file of":                   long,
		"encrypted Parquet files are not supported":                   sealed,
		"not a whole Parquet file: reading parquet file metadata: ":   junk,
		"damaged Parquet file: a footer of 4278190079 bytes in a fil": append([]byte("PAR1"), "\xff\xff\xff\xfePAR1"...),
	} {
		_, err := read(config(t, formattest.Columns("a", types.Int64)), content)
		if err == nil || !strings.HasPrefix(err.Error(), "in/a.parquet: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v\nwant  %s", err, want)
		}
	}
}

// TestHugePage flips bits of pages, among them those that say how much memory a page
// takes: that much must not be asked for.
func TestHugePage(t *testing.T) {
	rows := make([]numbers, 300)
	for i := range rows {
		rows[i].S = strings.Repeat("x", i%10)
	}
	for _, codec := range []parquet.WriterOption{parquet.Compression(&parquet.Uncompressed), parquet.Compression(&parquet.Snappy), parquet.Compression(&parquet.Zstd), parquet.Compression(&parquet.Lz4Raw)} {
		for version := 1; version <= 2; version++ {
			content := file(t, rows, codec, parquet.DataPageVersion(version))
			f, err := parquet.OpenFile(bytes.NewReader(content), int64(len(content)))
			if err != nil {
				t.Fatal(err)
			}
			flip(t, content, int(f.Metadata().RowGroups[0].Columns[0].MetaData.DataPageOffset))
		}
	}
}

func flip(t *testing.T, content []byte, at int) {
	t.Helper()
	refused := 0
	for i := at; i < at+40; i++ {
		for bit := range 8 {
			b := bytes.Clone(content)
			b[i] ^= 1 << bit
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			if _, err := read(config(t, formattest.Columns("a", types.Int64)), b); err != nil {
				refused++
			}
			runtime.ReadMemStats(&after)
			if n := after.TotalAlloc - before.TotalAlloc; n > 80<<20 {
				t.Errorf("bit %d of byte %d: %d bytes allocated", bit, i-at, n)
			}
		}
	}
	if refused == 0 {
		t.Error("no flip was noticed")
	}
}

// TestLZ4 reads pages that LZ4 makes little smaller, which the library alone gets
// wrong: see hidden.
func TestLZ4(t *testing.T) {
	type row struct {
		A int64   `parquet:"a"`
		B *int64  `parquet:"b,optional"`
		S string  `parquet:"s"`
		L []int64 `parquet:"l,list"`
	}
	r := rand.New(rand.NewPCG(1, 1))
	var rows []row
	var want []string
	for range 20_000 {
		b := r.Int64()
		x := row{A: r.Int64(), B: &b, S: fmt.Sprint(r.Uint64()), L: []int64{r.Int64N(1000)}}
		rows = append(rows, x)
		want = append(want, fmt.Sprintf("%d | %d | %q | [%d]", x.A, b, x.S, x.L[0]))
	}
	for version := 1; version <= 2; version++ {
		content := file(t, rows, parquet.Compression(&parquet.Lz4Raw), parquet.DataPageVersion(version))
		got, err := read(config(t, formattest.Columns("a", types.Int64, "b", types.Int64, "s", types.String, "l", types.ArrayOf(types.Of(types.Int64)))), content)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("version %d: %d rows, %v", version, len(got), err)
		}
	}
}
