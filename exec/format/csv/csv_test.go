package csv

import (
	"bytes"
	stdcsv "encoding/csv"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/formattest"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func config(t testing.TB, c []types.Column, opts ...string) format.Config {
	t.Helper()
	return formattest.Config(t, Format().ReadOptions, c, opts...)
}

func check(t *testing.T, c format.Config, content string, want ...string) {
	t.Helper()
	rows, _, err := formattest.Read(Format(), c, "a.csv", []byte(content))
	if err != nil {
		t.Fatalf("%q: %v", content, err)
	}
	if got := strings.Join(rows, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("read %q\n%s\nwant\n%s", content, got, strings.Join(want, "\n"))
	}
}

func TestFields(t *testing.T) {
	c := config(t, formattest.Columns("a", types.Int32, "s", types.String, "x", types.Float64))
	check(t, c, "1,abc,1.5\r\n-2,\"q, \"\"q\"\"\",.5\n\n+3,,NaN\n,\"\",-Infinity\n5, sp ,1e3\n6,a\"b,2", // no newline at the end
		`1 | "abc" | 1.5`, `-2 | "q, \"q\"" | 0.5`, `3 | NULL | NaN`, `NULL | "" | -Inf`, `5 | " sp " | 1000`, `6 | "a\"b" | 2`)
	check(t, c, "\xef\xbb\xbf1,é,2\n", `1 | "é" | 2`)
}

func TestTypes(t *testing.T) {
	c := config(t, formattest.Columns("b", types.Bool, "i", types.Int64, "f", types.Float32, "m", types.DecimalOf(10, 2), "g", types.DecimalOf(30, 3), "d", types.Date, "ts", types.Timestamp, "n", types.TimestampNTZ, "x", types.Bytes))
	check(t, c, "true,-9223372036854775808,0.1,1.005,-12345678901234567890.5,2026-01-02,2026-01-01T00:00:00.5+01:00,2026-01-01 10:00:00,hi\nFALSE,,,,,,,,\n",
		`true | -9223372036854775808 | 0.10000000149011612 | 1.01 | -12345678901234567890.500 | 20455 | 2025-12-31T23:00:00.5 | 2026-01-01T10:00:00 | "hi"`,
		`false | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL`)
}

func TestDialects(t *testing.T) {
	two := formattest.Columns("a", types.String, "b", types.String)
	check(t, config(t, two, "sep", `\t`), "x\ty,z\n", `"x" | "y,z"`)
	check(t, config(t, two, "quote", "'", "delimiter", ";"), "'a;b';'it''s'\n", `"a;b" | "it's"`)
	check(t, config(t, two, "escape", `\`), `"a \"q\" \\","C:\dir"`+"\n"+`"x""y",\n`, `"a \"q\" \\" | "C:\\dir"`, `"x\"y" | "\\n"`)
	check(t, config(t, two, "quote", ""), "\"a,b\"\n", `"\"a" | "b\""`)
	check(t, config(t, two, "null_value", "NA"), "NA,\"NA\"\n", `NULL | "NA"`)
	check(t, config(t, two, "comment", "#"), "# x,y\na,#b\n#\n", `"a" | "#b"`)
	check(t, config(t, two, "ignoreLeadingWhiteSpace", "true", "ignoreTrailingWhiteSpace", "true"), " a , \"b \" \r\n", `"a" | "b "`)
	check(t, config(t, two, "multiLine", "true"), "\"a\nb\",c\r\n\"d\r\n\",\n", `"a\nb" | "c"`, `"d\r\n" | NULL`)
	one := formattest.Columns("a", types.String)
	check(t, config(t, one), "x\n\ny\n", `"x"`, `NULL`, `"y"`)
}

func TestHeader(t *testing.T) {
	c := config(t, formattest.Columns("b", types.Int32, "A", types.String), "header", "true")
	check(t, c, "a, b ,c\nx,1,9\ny,2,9\n", `1 | "x"`, `2 | "y"`)
	check(t, c, "")
	check(t, c, "\"A\",b\n")
	check(t, config(t, formattest.Columns("x", types.String, "y", types.Int32), "header", "true", "enforceSchema", "true"), "a,b\nq,1\n", `"q" | 1`)
	_, _, err := formattest.Read(Format(), c, "in/a.csv", []byte("a,c\n1,2\n"))
	if err == nil || !strings.Contains(err.Error(), `in/a.csv: its header has no column "b"; it has a, c`) {
		t.Errorf("error %v", err)
	}
	lenient := config(t, c.Columns, "header", "true", "missing_columns", "null")
	check(t, lenient, "c,a\n1,x\n", `NULL | "x"`)
	twins := config(t, formattest.Columns("b", types.Int32, "B", types.Int32), "header", "true", "missing_columns", "null") // found in several files
	check(t, twins, "b\n1\n", `1 | NULL`)
	check(t, twins, "B\n1\n", `NULL | 1`)
	if _, _, err := formattest.Read(Format(), lenient, "a.csv", []byte("b;A\n1;2\n")); err == nil || !strings.Contains(err.Error(), "none of the declared columns; it has b;A (delimiter = ';'") {
		t.Errorf("none of the columns: %v", err)
	}
	for head, advice := range map[string]string{"a;b": `(delimiter = ';' may be what is missing)`, "a\tb": `(delimiter = '\t' may be what is missing)`, "x": "(enforce_schema = true matches by position)"} {
		_, _, err := formattest.Read(Format(), c, "a.csv", []byte(head+"\n1\n"))
		if err == nil || !strings.Contains(err.Error(), advice) {
			t.Errorf("header %q: %v, want %s", head, err, advice)
		}
	}
}

func TestBadRows(t *testing.T) {
	c := config(t, formattest.Columns("a", types.Int32, "s", types.String))
	c.OnError = format.Skip
	for line, reason := range map[string]string{
		"x,y":        `field "a": "x" is not INT`,
		`"",y`:       `field "a": "" is not INT`,
		"1.0,y":      `field "a": "1.0" is not INT`,
		"2147483648": `1 fields, expected 2`,
		"1,2,3":      `3 fields, expected 2`,
		"1":          `1 fields, expected 2`,
		`1,"a`:       `a quoted field does not end on its line (multi_line = true allows that)`,
		`1,"a"b`:     `text after a closing quote`,
		"1,\xff":     `field "s" is not UTF-8`,
		`x,"a""b"`:   `field "a": "x" is not INT`,
	} {
		rows, bad, err := formattest.Read(Format(), c, "a.csv", []byte("1,x\n"+line+"\n2,y\n"))
		if err != nil || len(bad) != 1 || strings.Join(rows, ";") != `1 | "x";2 | "y"` {
			t.Errorf("%q: rows %v, bad %v, %v", line, rows, bad, err)
			continue
		}
		if bad[0].Reason != reason || string(bad[0].Raw) != line || bad[0].Position != "a.csv:2" {
			t.Errorf("%q: reported %+v %s", line, bad[0], bad[0].Raw)
		}
	}
	c.OnError = format.Fail
	_, _, err := formattest.Read(Format(), c, "a.csv", []byte("1,x\n\nz,y\n"))
	if err == nil || err.Error() != `a.csv:3: field "a": "z" is not INT; the row is z,y` {
		t.Errorf("error %v", err)
	}
	m := config(t, formattest.Columns("a", types.Int32, "s", types.String), "multi_line", "true")
	m.OnError = format.Skip
	rows, bad, err := formattest.Read(Format(), m, "a.csv", []byte("1,\"x\ny\"\nz,\"u\nv\"\"w\"\n3,q\n4,\"open\nend"))
	if err != nil || len(rows) != 2 || len(bad) != 2 || string(bad[0].Raw) != "z,\"u\nv\"\"w\"" || string(bad[1].Raw) != "4,\"open\nend" {
		t.Errorf("multi-line: rows %q, bad %+v, %v", rows, bad, err)
	}
}

func TestPermissive(t *testing.T) {
	c := config(t, formattest.Columns("a", types.Int32, "s", types.String, "_corrupt_record", types.String), "mode", "permissive")
	check(t, c, "1,x\nz,\"a\"\"b\"\n2\n3,y,z\n4,\"open\n", `1 | "x" | NULL`, `NULL | "a\"b" | "z,\"a\"\"b\""`, `2 | NULL | "2"`, `3 | "y" | "3,y,z"`, `NULL | NULL | "4,\"open"`)
}

func TestRefused(t *testing.T) {
	for _, opts := range [][]string{{"delimiter", "ab"}, {"delimiter", ""}, {"quote", "é"}, {"delimiter", `"`}, {"timestamp_format", "yyyy-QQ"}} {
		if _, err := newReader(config(t, formattest.Columns("a", types.Int32), opts...)); err == nil {
			t.Errorf("%v was accepted", opts)
		}
	}
	if _, err := newReader(config(t, formattest.Columns("a", types.ArrayOf(types.Of(types.Int32))))); err == nil {
		t.Error("an array was accepted")
	}
}

// fieldText is text that tries to break records.
func fieldText(r *rand.Rand) string {
	var b strings.Builder
	for range r.IntN(6) {
		b.WriteString([]string{"a", "b ", ",", `"`, "é", "x\\y", "0", "NULL", " ", "'", "longer text of a field"}[r.IntN(11)])
	}
	return b.String()
}

// TestAgainstStandardLibrary reads what encoding/csv writes, and the other way.
func TestAgainstStandardLibrary(t *testing.T) {
	cols := formattest.Columns("a", types.String, "b", types.String, "c", types.String)
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 2))
		var out bytes.Buffer
		w := stdcsv.NewWriter(&out)
		w.UseCRLF = r.IntN(2) == 0
		var want []string
		for range r.IntN(200) {
			rec := []string{fieldText(r), fieldText(r), fieldText(r)}
			if r.IntN(3) == 0 {
				rec[r.IntN(3)] += "\nline"
			}
			w.Write(rec)
			for i := range rec {
				if rec[i] == "" {
					rec[i] = "NULL"
				} else {
					rec[i] = fmt.Sprintf("%q", rec[i])
				}
			}
			want = append(want, strings.Join(rec, " | "))
		}
		w.Flush()
		rows, _, err := formattest.Read(Format(), config(t, cols, "multi_line", "true"), "a.csv", out.Bytes())
		if w.UseCRLF {
			for i := range want {
				want[i] = strings.ReplaceAll(want[i], `\n`, `\r\n`) // encoding/csv writes newlines inside of fields so
			}
		}
		if err != nil || !slices.Equal(rows, want) {
			t.Fatalf("seed %d: %v\n%s\ngot\n%s\nwant\n%s", seed, err, out.String(), strings.Join(rows, "\n"), strings.Join(want, "\n"))
		}
	}
}

func TestRoundTrip(t *testing.T) {
	values := formattest.Values{Text: fieldText, Years: true}
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 3))
		var cols []types.Column
		for i := range 1 + r.IntN(5) {
			cols = append(cols, types.Column{Name: fmt.Sprint("c,", i), Type: formattest.RandomType(r, formattest.Kinds{})})
		}
		opts := []string{"header", fmt.Sprint(r.IntN(2) == 0), "delimiter", []string{",", ";", "tab"}[r.IntN(3)], "escape", []string{`"`, `\`}[r.IntN(2)]}
		var batches []*vec.Batch
		var want []string
		for range r.IntN(4) {
			b := values.Batch(r, cols)
			batches = append(batches, b)
			want = append(want, formattest.Rows(b)...)
		}
		wopts := append(opts[:len(opts):len(opts)], "compression", []string{"none", "gzip", "zstd", "lz4", "snappy"}[seed%5], "quote_all", fmt.Sprint(seed%2 == 0))
		w := formattest.Config(t, Format().WriteOptions, cols, wopts...)
		content := formattest.Write(t, Format(), w, batches...)
		fw, _ := newWriter(w)
		rows, _, err := formattest.Read(Format(), config(t, cols, opts...), "a"+fw.Extension(), content)
		if err != nil || !slices.Equal(rows, want) {
			t.Fatalf("seed %d %v %v: %v\ngot\n%s\nwant\n%s", seed, cols, wopts, err, strings.Join(rows, "\n"), strings.Join(want, "\n"))
		}
	}
}

func TestWriterNeedsQuotes(t *testing.T) {
	w, err := newWriter(formattest.Config(t, Format().WriteOptions, formattest.Columns("a", types.String), "quote", ""))
	if err != nil {
		t.Fatal(err)
	}
	f, _ := w.Create(&bytes.Buffer{})
	v := vec.NewBuilder(types.Of(types.String))
	v.AppendString("a,b")
	if err := f.Write(&vec.Batch{N: 1, Cols: []*vec.Vector{v.Take()}}); err == nil {
		t.Error("a delimiter in a field was written without quotes")
	}
}

func TestSections(t *testing.T) {
	var content bytes.Buffer
	var want []string
	content.WriteString("id,text\n")
	for i := range 700 {
		fmt.Fprintf(&content, "%d,%s\n", i, strings.Repeat("y", i%100))
		text := "NULL"
		if i%100 > 0 {
			text = fmt.Sprintf("%q", strings.Repeat("y", i%100))
		}
		want = append(want, fmt.Sprint(i, " | ", text))
	}
	r, _ := newReader(config(t, formattest.Columns("id", types.Int64, "text", types.String), "header", "true"))
	f := formattest.File("a.csv", content.Bytes())
	for _, parts := range []int64{1, 2, 9, 500} {
		var sections []format.Section
		for i := range parts {
			sections = append(sections, format.Section{Off: f.Size * i / parts, End: f.Size * (i + 1) / parts})
		}
		rows, _, err := formattest.ReadSections(r, f, sections, 2)
		if err != nil || !slices.Equal(rows, want) {
			t.Errorf("%d sections: %d rows, %v", parts, len(rows), err)
		}
	}
}

func TestInfer(t *testing.T) {
	for _, c := range []struct{ content, header, want string }{
		{"id,name,price,at,day,zip,ok,none\n1,x,1.5,2026-01-01T00:00:00,2026-01-01,01234,true,\n2,,3,2026-01-02 10:00:00Z,,99,false,\n", "true",
			"id BIGINT; name STRING; price DOUBLE; at TIMESTAMP; day DATE; zip STRING; ok BOOLEAN; none STRING"},
		{"1,\"2\"\n2.5,x\n", "false", "_c0 DOUBLE; _c1 STRING"},
	} {
		cols, err := infer(t.Context(), formattest.File("a.csv", []byte(c.content)), config(t, nil, "header", c.header))
		var parts []string
		for _, x := range cols {
			parts = append(parts, x.Name+" "+x.Type.String())
		}
		if got := strings.Join(parts, "; "); err != nil || got != c.want {
			t.Errorf("%q: %s, %v", c.content, got, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("a,b\n1,\"x\"\n"), false, byte('"'))
	f.Add([]byte("\"a\n\"\"\",1\r\n,"), true, byte('\\'))
	f.Fuzz(func(t *testing.T, content []byte, multi bool, escape byte) {
		c := config(t, formattest.Columns("a", types.Int32, "b", types.String, "c", types.Timestamp), "multi_line", fmt.Sprint(multi), "escape", string(rune(escape&0x7f|0x20)))
		c.OnError = format.Skip
		formattest.Read(Format(), c, "a.csv", content)
	})
}

func BenchmarkRead(b *testing.B) {
	line := "bb978e9e-5de8-5a19-c4c4-a64109ca6bfa,d297144e-a2d4-b73f-66ca-a3139c18b9d2,b6514797-ebc3-75e7-15d6-af20f8c91d9f,mail,purchase,1767225600001,1.2.3.0\n"
	content := bytes.Repeat([]byte(line), 50_000)
	if path := os.Getenv("SQLSTREAM_CSV"); path != "" {
		content, _ = os.ReadFile(filepath.Clean(path))
	}
	cols := formattest.Columns("user_id", types.String, "page_id", types.String, "ad_id", types.String, "ad_type", types.String, "event_type", types.String, "event_time", types.Int64, "ip_address", types.String)
	r, _ := newReader(config(b, cols))
	f := formattest.File("a.csv", content)
	sections, _ := r.Sections(b.Context(), f)
	b.SetBytes(f.Size)
	b.ReportAllocs()
	rows := 0
	for b.Loop() {
		for _, s := range sections {
			if err := r.Read(b.Context(), f, s, format.Reading{Need: []int{2, 4, 5}}, func(batch *vec.Batch) error {
				rows += batch.N
				return nil
			}); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(rows)/1e6/b.Elapsed().Seconds(), "Mrows/s")
}
