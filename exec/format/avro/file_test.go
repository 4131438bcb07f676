package avro

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/twmb/avro/ocf"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/compress"
	"github.com/sqlstream/sqlstream/exec/format/formattest"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func config(t testing.TB, cols []types.Column, opts ...string) format.Config {
	t.Helper()
	return formattest.Config(t, Format().ReadOptions, cols, opts...)
}

func writeConfig(t testing.TB, cols []types.Column, opts ...string) format.Config {
	t.Helper()
	return formattest.Config(t, Format().WriteOptions, cols, opts...)
}

func TestFileRoundTrip(t *testing.T) {
	values := formattest.Values{Years: true}
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 4))
		var cols []types.Column
		for i := range 1 + r.IntN(5) {
			cols = append(cols, types.Column{Name: fmt.Sprint("c", i), Type: formattest.RandomType(r, formattest.Kinds{Depth: 2, StringKeys: true})})
		}
		var batches []*vec.Batch
		var want []string
		for range r.IntN(4) {
			b := values.Batch(r, cols)
			batches = append(batches, b)
			want = append(want, formattest.Rows(b)...)
		}
		content := formattest.Write(t, Format(), writeConfig(t, cols, "compression", []string{"none", "snappy", "deflate", "zstd"}[seed%4]), batches...)
		inferred, err := infer(t.Context(), formattest.File("a.avro", content), config(t, nil))
		if err != nil || len(inferred) != len(cols) {
			t.Fatalf("inferred %v, %v", inferred, err)
		}
		rows, _, err := formattest.Read(Format(), config(t, cols), "a.avro", content)
		if err != nil {
			t.Fatal(err)
		}
		formattest.Same(t, "rows", rows, want)
		readByOthers(t, content, len(want))
		for _, codec := range []string{"gzip", "zstd", "lz4", "snappy"} {
			rows, _, err := formattest.Read(Format(), config(t, cols), "a.avro"+compress.Extension(codec), packed(t, codec, content))
			if err != nil {
				t.Fatal(err)
			}
			formattest.Same(t, codec+" rows", rows, want)
		}
	}
}

func packed(t *testing.T, codec string, content []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := compress.NewWriter(codec, &out)
	if err == nil {
		_, err = w.Write(content)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func readByOthers(t *testing.T, content []byte, want int) {
	t.Helper()
	r, err := ocf.NewReader(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for {
		var x any
		err := r.Decode(&x)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	if n != want {
		t.Fatalf("another library reads %d rows of %d", n, want)
	}
}

// numbers writes rows with ids from 0 on, in many blocks.
func numbers(t testing.TB, n int) ([]types.Column, []byte) {
	cols := formattest.Columns("id", types.Int64, "s", types.String)
	ids, texts := make([]int64, n), make([]string, n)
	for i := range n {
		ids[i], texts[i] = int64(i), fmt.Sprint("text of row ", i)
	}
	b := vec.NewBatch(vec.FromInts(cols[0].Type, ids), vec.FromStrings(texts))
	w, err := newWriter(writeConfig(t, cols, "compression", "none"))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	f, err := w.Create(&out)
	if err == nil {
		err = f.Write(b)
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return cols, out.Bytes()
}

// However a file is cut, each row is in one section.
func TestSections(t *testing.T) {
	cols, content := numbers(t, 20_000)
	want, _, err := formattest.Read(Format(), config(t, cols), "a.avro", content)
	if err != nil || len(want) != 20_000 {
		t.Fatalf("%d rows, %v", len(want), err)
	}
	rd, err := newReader(config(t, cols))
	if err != nil {
		t.Fatal(err)
	}
	f := formattest.File("a.avro", content)
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 5))
		var sections []format.Section
		for at := int64(0); at < f.Size; {
			end := min(at+1+r.Int64N([]int64{100, 70_000, 300_000}[r.IntN(3)]), f.Size)
			sections = append(sections, format.Section{Off: at, End: end})
			at = end
		}
		rows, _, err := formattest.ReadSections(rd, f, sections, 2)
		if err != nil {
			t.Fatal(err)
		}
		formattest.Same(t, "rows", rows, want)
		counted, _, err := formattest.ReadSections(rd, f, sections, 0)
		if err != nil || len(counted) != len(want) {
			t.Fatalf("%d rows without columns, %v", len(counted), err)
		}
	}
}

func TestDamagedFiles(t *testing.T) {
	cols, content := numbers(t, 5000)
	for at, want := range map[int]string{2: "does not begin with", 200: "byte ", len(content) - 3: "marker"} {
		damaged := bytes.Clone(content)
		damaged[at] ^= 0xff
		_, _, err := formattest.Read(Format(), config(t, cols), "a.avro", damaged)
		var file *format.FileError
		if err == nil || !errors.As(err, &file) || !strings.Contains(err.Error(), want) {
			t.Errorf("byte %d: %v, want %q", at, err, want)
		}
	}
	for cut := range 40 {
		_, _, err := formattest.Read(Format(), config(t, cols), "a.avro", content[:len(content)-1-cut*len(content)/40])
		if err == nil && cut < 39 {
			t.Errorf("a file cut by %d of 40 was read", cut)
		}
	}
	_, _, err := formattest.Read(Format(), config(t, formattest.Columns("other", types.Int64)), "a.avro", content)
	if err == nil || !strings.Contains(err.Error(), "none of the declared columns; its fields are id, s") {
		t.Errorf("other columns: %v", err)
	}
	_, _, err = formattest.Read(Format(), config(t, formattest.Columns("id", types.Int32)), "a.avro", content)
	if err == nil || !strings.Contains(err.Error(), `field "id": long does not fit INT; declare it BIGINT`) {
		t.Errorf("a narrower column: %v", err)
	}
}

// Files of one source may differ: a column that one lacks is NULL, and types may be wider.
func TestEvolutionAcrossFiles(t *testing.T) {
	old := formattest.Columns("b", types.Int32, "a", types.Float32)
	content := formattest.Write(t, Format(), writeConfig(t, old), vec.NewBatch(vec.FromAny(old[0].Type, 7), vec.FromAny(old[1].Type, 0.5)))
	rows, _, err := formattest.Read(Format(), config(t, formattest.Columns("a", types.Float64, "B", types.Int64, "new", types.String)), "a.avro", content)
	if err != nil {
		t.Fatal(err)
	}
	formattest.Same(t, "rows", rows, []string{"0.5 | 7 | NULL"})
	reader := `{"type":"record","name":"r","fields":[{"name":"a","type":"double"},{"name":"new","type":"string","default":"none"}]}`
	rows, _, err = formattest.Read(Format(), config(t, formattest.Columns("a", types.Float64, "new", types.String), "avro_schema", reader), "a.avro", content)
	if err != nil {
		t.Fatal(err)
	}
	formattest.Same(t, "rows", rows, []string{`0.5 | "none"`})
}

// Columns that differ in case alone get their own data: a column that the file lacks is
// NULL, and does not get the other's, whether that is needed or not.
func TestTwins(t *testing.T) {
	pair := types.StructOf(types.Field{Name: "s", Type: types.Of(types.Int32)})
	old := []types.Column{{Name: "B", Type: types.Of(types.Int32)}, {Name: "n", Type: pair}}
	content := formattest.Write(t, Format(), writeConfig(t, old), vec.NewBatch(vec.FromAny(old[0].Type, 7), vec.FromAny(pair, []any{1})))
	twins := types.StructOf(types.Field{Name: "S", Type: types.Of(types.Int32)}, types.Field{Name: "s", Type: types.Of(types.Int32)})
	cols := []types.Column{{Name: "b", Type: types.Of(types.Int32)}, {Name: "B", Type: types.Of(types.Int32)}, {Name: "n", Type: twins}}
	for want, need := range map[string][]int{"NULL": {0}, "7": {1}, "NULL | 7": {0, 1}, "(NULL,1)": {2}} {
		formattest.Same(t, "rows", readOnly(t, cols, content, need), []string{want})
	}
	two := []types.Column{{Name: "b", Type: types.Of(types.Int32)}}
	schema := `{"type":"record","name":"r","fields":[{"name":"B","type":["null","int"],"default":null},{"name":"b","type":"int"}]}`
	content = formattest.Write(t, Format(), writeConfig(t, two, "avro_schema", schema), vec.NewBatch(vec.FromAny(two[0].Type, 7)))
	rows, _, err := formattest.Read(Format(), config(t, cols[:2]), "a.avro", content)
	if err != nil {
		t.Fatal(err)
	}
	formattest.Same(t, "rows that were written", rows, []string{"7 | NULL"})
}

// readOnly reads some columns of a file.
func readOnly(t *testing.T, cols []types.Column, content []byte, need []int) (rows []string) {
	t.Helper()
	r, err := newReader(config(t, cols))
	if err != nil {
		t.Fatal(err)
	}
	f := formattest.File("a.avro", content)
	err = r.Read(t.Context(), f, format.Section{End: f.Size}, format.Reading{Need: need}, func(b *vec.Batch) error {
		rows = append(rows, formattest.Rows(b)...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func FuzzFile(f *testing.F) {
	cols, content := numbers(f, 10)
	f.Add(content)
	f.Fuzz(func(t *testing.T, content []byte) {
		c := config(t, cols)
		c.OnError = format.Skip
		formattest.Read(Format(), c, "a.avro", content)
		infer(context.Background(), formattest.File("a.avro", content), config(t, nil))
	})
}
