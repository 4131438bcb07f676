package parquet

import (
	"bytes"
	"encoding/binary"
	"runtime"
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

// TestHugePage sets sizes in page headers to what a flipped bit may make of them: the
// file is refused before the memory is asked for.
func TestHugePage(t *testing.T) {
	rows := make([]numbers, 1000)
	for i := range rows {
		rows[i].S = strings.Repeat("x", i%10)
	}
	content := file(t, rows, parquet.Compression(&parquet.Uncompressed))
	f, err := parquet.OpenFile(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	at := f.Metadata().RowGroups[0].Columns[0].MetaData.DataPageOffset
	refused := 0
	for i := at; i < at+20; i++ {
		for bit := range 8 {
			b := bytes.Clone(content)
			b[i] ^= 1 << bit
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			if _, err := read(config(t, formattest.Columns("a", types.Int64)), b); err != nil {
				refused++
			}
			runtime.ReadMemStats(&after)
			if n := after.TotalAlloc - before.TotalAlloc; n > 64<<20 {
				t.Errorf("bit %d of byte %d: %d bytes allocated", bit, i-at, n)
			}
		}
	}
	if refused == 0 {
		t.Error("no flip was noticed")
	}
}
