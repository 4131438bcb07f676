package json

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/formattest"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func config(t testing.TB, c []types.Column, opts ...string) format.Config {
	t.Helper()
	return formattest.Config(t, Format().ReadOptions, c, opts...)
}

func read(c format.Config, name string, content []byte) (rows []string, bad []format.BadRow, err error) {
	return formattest.Read(Format(), c, name, content)
}

// check reads lines and compares the rows.
func check(t *testing.T, c format.Config, content string, want ...string) {
	t.Helper()
	rows, _, err := read(c, "a.json", []byte(content))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(rows, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("read %q\n%s\nwant\n%s", content, got, strings.Join(want, "\n"))
	}
}

func TestKeys(t *testing.T) {
	c := config(t, formattest.Columns("a", types.Int32, "b", types.String))
	check(t, c, `{"a":1,"b":"x"}
{"b":"y","a":2}
 { "a" : 3 , "b" : "z" }	
{"a":4}

{"b":null,"a":null}
{"a":1,"c":{"a":[1,{"b":2}]},"b":"t","a":5}
{}
{"A":6,"B":"upper"}
{"A":7,"a":8}
{"a":9,"A":10}
{"\u0061":11,"b":"q\"\u00e9\ud83d\ude00\\"}
{"a":12,"b":12.50}
{"a":13,"b":{"x": [1, 2]}}`,
		`1 | "x"`, `2 | "y"`, `3 | "z"`, `4 | NULL`, `NULL | NULL`, `5 | "t"`, `NULL | NULL`, `6 | "upper"`,
		`8 | NULL`, `9 | NULL`, `11 | "q\"é😀\\"`, `12 | "12.50"`, `13 | "{\"x\": [1, 2]}"`)
}

// Columns that differ in case alone get their own data, and none the other's.
func TestTwins(t *testing.T) {
	pair := types.StructOf(types.Field{Name: "s", Type: types.Of(types.Int32)}, types.Field{Name: "S", Type: types.Of(types.Int32)})
	r, err := newReader(config(t, formattest.Columns("b", types.Int32, "B", types.Int32, "n", pair)))
	if err != nil {
		t.Fatal(err)
	}
	f := formattest.File("a.json", []byte(`{"B":7,"n":{"S":1}}`))
	for want, need := range map[string][]int{"NULL": {0}, "7": {1}, "NULL | 7": {0, 1}, "(NULL,1)": {2}} {
		err := r.Read(t.Context(), f, format.Section{End: f.Size}, format.Reading{Need: need}, func(b *vec.Batch) error {
			formattest.Same(t, "rows", formattest.Rows(b), []string{want})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestEndsOfLines(t *testing.T) {
	c := config(t, formattest.Columns("a", types.Int64))
	check(t, c, "\xef\xbb\xbf{\"a\":1}\r\n\r\n{\"a\":2}\r\n  \n{\"a\":3}", "1", "2", "3")
	check(t, c, "\n\n", []string{}...)
	check(t, c, "")
}

func TestScalars(t *testing.T) {
	c := config(t, formattest.Columns("t", types.Int8, "b", types.Bool, "f", types.Float32, "d", types.Float64,
		"m", types.DecimalOf(10, 2), "g", types.DecimalOf(38, 4), "day", types.Date, "ts", types.Timestamp, "l", types.TimestampNTZ, "x", types.Bytes))
	check(t, c, `{"t":-128,"b":true,"f":1.5,"d":-1e3,"m":12.345,"g":12345678901234567890.12345,"day":"1970-01-02","ts":"2026-01-01T00:00:00.123","l":"2026-01-01 10:00:00","x":"aGk="}
{"t":127,"b":false,"f":0.1,"d":"NaN","m":"-0.005","g":-1,"day":"1969-12-31","ts":"2026-01-01T02:00:00+02:00","l":"2026-01-01T10:00","x":""}
{"d":123456789012345678901234567890,"m":1e2,"ts":"2026-01-01"}
{"d":"-Infinity","m":99999999.994,"ts":"2026-01-01 00:00:00.1234567Z"}`,
		`-128 | true | 1.5 | -1000 | 12.35 | 12345678901234567890.1235 | 1 | 2026-01-01T00:00:00.123 | 2026-01-01T10:00:00 | "hi"`,
		`127 | false | 0.10000000149011612 | NaN | -0.01 | -1.0000 | -1 | 2026-01-01T00:00:00 | 2026-01-01T10:00:00 | ""`,
		`NULL | NULL | NULL | 1.2345678901234568e+29 | 100.00 | NULL | NULL | 2026-01-01T00:00:00 | NULL | NULL`,
		`NULL | NULL | NULL | -Inf | 99999999.99 | NULL | NULL | 2026-01-01T00:00:00.123456 | NULL | NULL`)
}

func TestWrongTypes(t *testing.T) {
	c := config(t, formattest.Columns("i", types.Int32, "b", types.Bool, "f", types.Float64, "m", types.DecimalOf(4, 2), "d", types.Date,
		"ts", types.Timestamp, "n", types.TimestampNTZ, "x", types.Bytes, "a", types.ArrayOf(types.Of(types.Int32)), "s", types.StructOf(types.Field{Name: "k", Type: types.Of(types.Int8)})))
	c.OnError = format.Skip
	for _, v := range []string{`"i":"12"`, `"i":1.0`, `"i":1e2`, `"i":2147483648`, `"i":true`, `"i":[1]`, `"b":1`, `"b":"true"`, `"f":"1.5"`, `"f":1e999`,
		`"m":100`, `"m":"x"`, `"m":"1.5 "`, `"d":"2026-02-30"`, `"d":20260101`, `"ts":1767225600`, `"ts":"yesterday"`, `"ts":"2026-01-01T25:00:00"`,
		`"n":"2026-01-01T00:00:00Z"`, `"x":"?"`, `"a":{}`, `"a":["x"]`, `"a":1`, `"s":[1]`, `"s":{"k":300}`} {
		rows, bad, err := read(c, "in/a.json", []byte("{}\n{"+v+"}\n{}"))
		if err != nil || len(rows) != 2 || len(bad) != 1 {
			t.Errorf("%s: %d rows, bad %v, %v", v, len(rows), bad, err)
			continue
		}
		name := v[1 : strings.IndexByte(v[1:], '"')+1]
		if bad[0].Position != "in/a.json:2" || !strings.Contains(bad[0].Reason, `field "`+name) || string(bad[0].Raw) != "{"+v+"}" {
			t.Errorf("%s: reported %s %s %s", v, bad[0].Position, bad[0].Reason, bad[0].Raw)
		}
	}
}

func TestNotJSON(t *testing.T) {
	c := config(t, formattest.Columns("i", types.Int32, "s", types.String))
	c.OnError = format.Divert
	for _, line := range []string{`{`, `}`, `{"i":1`, `{"i":}`, `{"i":01}`, `{"i":1,}`, `{i:1}`, `{"i" 1}`, `{"i":1 "s":2}`, `{"s":"a}`, `{"s":"\x"}`, `{"s":"\u12g4"}`,
		"{\"s\":\"a\tb\"}", "{\"s\":\"\xff\"}", `{"z":"` + "\xc3\x28" + `"}`, `[1]`, `1`, `{"i":1}x`, `{"i":1}{"i":2}`, `{"z":tru}`, `{"z":[1,]}`, `{"z":{"a":1,}}`, `{"z":1.}`, `{"z":1e}`, `{"z":-}`, `{"z":.5}`,
		`{"z":` + strings.Repeat("[", 600) + `}`, `null`, `{"s":nul}`, `{"i":1,"s":"esc\"aped","i":}`, `hello`} {
		rows, bad, err := read(c, "a.json", []byte("{\"i\":1}\n"+line+"\n{\"s\":\"x\"}"))
		if err != nil || len(rows) != 2 || rows[1] != `NULL | "x"` || len(bad) != 1 {
			t.Errorf("%s: rows %v, bad %v, %v", line, rows, bad, err)
			continue
		}
		if string(bad[0].Raw) != line || !strings.HasPrefix(bad[0].Reason, "not JSON: ") || bad[0].Position != "a.json:2" {
			t.Errorf("%s: reported %s %s %s", line, bad[0].Position, bad[0].Reason, bad[0].Raw)
		}
	}
}

func TestFailNamesTheRow(t *testing.T) {
	c := config(t, formattest.Columns("price", types.Int64))
	_, _, err := read(c, "in/a.json", []byte("{\"price\":1}\n\n{\"price\":\"abc\"}\n"))
	var row *format.RowError
	if !errors.As(err, &row) || err.Error() != `in/a.json:3: field "price": "abc" is not BIGINT; the row is {"price":"abc"}` {
		t.Errorf("error %v", err)
	}
}

func TestPermissive(t *testing.T) {
	c := config(t, formattest.Columns("a", types.Int32, "s", types.String, "_corrupt_record", types.String), "mode", "PERMISSIVE")
	check(t, c, `{"a":1,"s":"x"}
{"s":"q\"q","a":"bad"}
not json
{"a":2,"s":"y"}`,
		`1 | "x" | NULL`,
		`NULL | "q\"q" | "{\"s\":\"q\\\"q\",\"a\":\"bad\"}"`,
		`NULL | NULL | "not json"`, `2 | "y" | NULL`)
	drop := config(t, formattest.Columns("a", types.Int32), "mode", "DROPMALFORMED")
	rows, bad, err := read(drop, "a.json", []byte("{\"a\":\"x\"}\n{\"a\":1}\n"))
	if err != nil || len(rows) != 1 || len(bad) != 1 {
		t.Errorf("dropmalformed: %v %v %v", rows, bad, err)
	}
}

func TestNested(t *testing.T) {
	pair := types.StructOf(types.Field{Name: "x", Type: types.Of(types.Int32)}, types.Field{Name: "y", Type: types.ArrayOf(types.Of(types.String))})
	c := config(t, formattest.Columns("s", pair, "l", types.ArrayOf(pair), "m", types.MapOf(types.Of(types.String), types.Of(types.Float64))))
	c.OnError = format.Skip
	check(t, c, `{"s":{"x":1,"y":["a","b"]},"l":[{"x":2},null,{"Y":["q\n"],"X":3}],"m":{"k":1,"j":null,"k":2}}
{"s":null,"l":[],"m":{}}
{"s":{"x":"bad"},"l":[{"x":7}],"m":{"z":1}}
{"s":{"y":[]},"m":{"\u0061":0}}
{"s":{"x":5},"s":{"y":["w"]},"l":[{"x":1}],"l":[{"x":9},{"x":10}]}`,
		`(1,["a","b"]) | [(2,NULL),NULL,(3,["q\n"])] | {"k":2,"j":NULL}`,
		`NULL | [] | {}`,
		`(NULL,[]) | NULL | {"a":0}`,
		`(NULL,["w"]) | [(9,NULL),(10,NULL)] | NULL`)
}

func TestMultiLine(t *testing.T) {
	c := config(t, formattest.Columns("a", types.Int32, "b", types.String), "multi_line", "true")
	check(t, c, "[\n {\"a\":\n1}, {\"a\":2\n}]\n", "1 | NULL", "2 | NULL")
	check(t, c, "{\"a\":\n1}\n{\"a\":2}", "1 | NULL", "2 | NULL")
	check(t, c, " [ ] \n")
	check(t, c, " \n")
	for _, broken := range []string{"[", "[{\"a\":1}", "[{\"a\":1},]", "[{\"a\":1}] 1", "{\"a\":1", "[1]", "[{\"a\":1} {\"a\":2}]"} {
		if _, _, err := read(c, "a.json", []byte(broken)); err == nil {
			t.Errorf("%s was read", broken)
		}
	}
	_, _, err := read(c, "a.json", []byte("[{\"a\":1,\"b\":\"\\n\"},\n\n{\"a\":true}]"))
	if err == nil || !strings.HasPrefix(err.Error(), "a.json:3: ") {
		t.Errorf("error %v", err)
	}
}

func TestPatterns(t *testing.T) {
	c := config(t, formattest.Columns("t", types.Timestamp, "d", types.Date), "timestamp_format", "dd/MM/yyyy HH:mm[:ss]", "date_format", "yyyyMMdd")
	c.Zone, _ = time.LoadLocation("Europe/Berlin")
	check(t, c, `{"t":"01/02/2026 10:30","d":"19700103"}
{"t":"01/07/2026 10:30:05"}`, "2026-02-01T09:30:00 | 2", "2026-07-01T08:30:05 | NULL")
}

func TestZones(t *testing.T) {
	c := config(t, formattest.Columns("t", types.Timestamp))
	c.Zone, _ = time.LoadLocation("Europe/Berlin")
	// The skipped hour moves forward, the repeated one is the earlier (summer) one.
	check(t, c, `{"t":"2026-03-29T01:59:59"}
{"t":"2026-03-29T02:30:00"}
{"t":"2026-03-29T03:00:00"}
{"t":"2026-10-25T02:30:00"}
{"t":"2026-10-25T03:30:00"}
{"t":"2026-06-01T12:00:00"}
{"t":"2026-01-01T12:00:00"}`,
		"2026-03-29T00:59:59", "2026-03-29T01:30:00", "2026-03-29T01:00:00", "2026-10-25T00:30:00", "2026-10-25T02:30:00",
		"2026-06-01T10:00:00", "2026-01-01T11:00:00")
}

func TestSectionsGiveEachLineOnce(t *testing.T) {
	var content bytes.Buffer
	var want []string
	for i := range 997 {
		fmt.Fprintf(&content, "{\"i\":%d,\"s\":\"%s\"}\n", i, strings.Repeat("x", i*7919%331))
		want = append(want, fmt.Sprint(i))
	}
	r, err := newReader(config(t, formattest.Columns("i", types.Int64)))
	if err != nil {
		t.Fatal(err)
	}
	n := int64(content.Len())
	f := formattest.File("a.json", content.Bytes())
	for _, parts := range []int64{1, 2, 3, 7, 50, 997, 3000} {
		var sections []format.Section
		for i := range parts {
			sections = append(sections, format.Section{Off: n * i / parts, End: n * (i + 1) / parts})
		}
		rows, _, err := formattest.ReadSections(r, f, sections, 1)
		if err != nil || strings.Join(rows, " ") != strings.Join(want, " ") {
			t.Errorf("%d sections: %d rows, %v", parts, len(rows), err)
		}
	}
}

func TestLineNumbersInLaterSections(t *testing.T) {
	c := config(t, formattest.Columns("i", types.Int64))
	c.OnError = format.Skip
	content := []byte("{\"i\":1}\n{\"i\":2}\n{\"i\":3}\n{\"i\":x}\n{\"i\":5}\n")
	r, _ := newReader(c)
	f := formattest.File("a.json", content)
	_, bad, err := formattest.ReadSections(r, f, []format.Section{{Off: 12, End: int64(len(content))}}, 1)
	if err != nil || len(bad) != 1 || bad[0].Position != "a.json:4" {
		t.Errorf("bad %v, %v", bad, err)
	}
}

func TestCompressed(t *testing.T) {
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	for i := range 5000 {
		fmt.Fprintf(w, "{\"i\":%d}\n", i)
	}
	w.Close()
	c := config(t, formattest.Columns("i", types.Int64))
	rows, _, err := read(c, "a.json.gz", z.Bytes())
	if err != nil || len(rows) != 5000 || rows[4999] != "4999" {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	var file *format.FileError
	if _, _, err = read(c, "a.json.gz", z.Bytes()[:z.Len()/2]); !errors.As(err, &file) {
		t.Errorf("a truncated file gives %v", err)
	}
	if _, _, err = read(c, "a.json.gz", []byte("{\"i\":1}\n")); !errors.As(err, &file) {
		t.Errorf("a file that is not gzip gives %v", err)
	}
}

func TestRefused(t *testing.T) {
	for _, typ := range []types.Type{types.Of(types.Interval), types.ArrayOf(types.Of(types.Interval)), types.MapOf(types.Of(types.Int32), types.Of(types.Int32))} {
		if _, err := newReader(config(t, formattest.Columns("c", typ))); err == nil || !strings.Contains(err.Error(), `column "c`) {
			t.Errorf("%s: %v", typ, err)
		}
	}
	c := config(t, formattest.Columns("c", types.Int32), "mode", "permissive")
	c.OnError = format.Skip
	if _, err := newReader(c); err == nil {
		t.Error("mode against on_error was accepted")
	}
}

func TestNoColumns(t *testing.T) {
	n := 0
	r, _ := newReader(config(t, formattest.Columns("i", types.Int64)))
	content := []byte(strings.Repeat("{\"i\":1,\"j\":[1,2]}\n", 5000))
	f := formattest.File("a.json", content)
	err := r.Read(context.Background(), f, format.Section{End: f.Size}, format.Reading{}, func(b *vec.Batch) error {
		n += b.N
		return nil
	})
	if err != nil || n != 5000 {
		t.Errorf("%d rows, %v", n, err)
	}
}

// BenchmarkRead reads bids and ads as the benchmark kit makes them, if SQLSTREAM_DATA
// names its folder; else lines of the same form.
func BenchmarkRead(b *testing.B) {
	bid := formattest.Columns("auction", types.Int64, "bidder", types.Int64, "price", types.Int64, "channel", types.String, "url", types.String, "date_time", types.Timestamp, "extra", types.String)
	ad := formattest.Columns("user_id", types.String, "page_id", types.String, "ad_id", types.String, "ad_type", types.String, "event_type", types.String, "event_time", types.Int64, "ip_address", types.String)
	for _, q := range []struct {
		name, path string
		cols       []types.Column
		need       []int
		line       string
	}{
		{"bid/q0", "nx2m/json/bid/part-00000.json", bid, []int{0, 1, 2, 5, 6}, bidLine},
		{"bid/3of7", "nx2m/json/bid/part-00000.json", bid, []int{0, 2, 5}, bidLine},
		{"bid/all", "nx2m/json/bid/part-00000.json", bid, []int{0, 1, 2, 3, 4, 5, 6}, bidLine},
		{"bid/none", "nx2m/json/bid/part-00000.json", bid, nil, bidLine},
		{"ysb/3of7", "ysb/json/ads/part-00000.json", ad, []int{2, 4, 5}, adLine},
		{"ysb/all", "ysb/json/ads/part-00000.json", ad, []int{0, 1, 2, 3, 4, 5, 6}, adLine},
	} {
		b.Run(q.name, func(b *testing.B) {
			content := []byte(strings.Repeat(q.line+"\n", 40000))
			if dir := os.Getenv("SQLSTREAM_DATA"); dir != "" {
				var err error
				if content, err = os.ReadFile(filepath.Join(dir, q.path)); err != nil {
					b.Fatal(err)
				}
				content = content[:bytes.LastIndexByte(content[:min(len(content), 60<<20)], '\n')+1]
			}
			benchmark(b, config(b, q.cols), q.need, content)
		})
	}
}

func benchmark(b *testing.B, c format.Config, need []int, content []byte) {
	r, err := newReader(c)
	if err != nil {
		b.Fatal(err)
	}
	f := formattest.File("a.json", content)
	sections, _ := r.Sections(context.Background(), f)
	b.SetBytes(f.Size)
	b.ReportAllocs()
	rows := 0
	for b.Loop() {
		for _, s := range sections {
			if err := r.Read(context.Background(), f, s, format.Reading{Need: need}, func(batch *vec.Batch) error {
				rows += batch.N
				return nil
			}); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(rows)/1e6/b.Elapsed().Seconds(), "Mrows/s")
}

const (
	bidLine = `{"auction":1003,"bidder":1001,"price":8524819,"channel":"Baidu","url":"https://www.nexmark.com/lew/acvzb/vno/item.htm?query=1","date_time":"2026-01-01T00:00:00.001","extra":"hzehvnxvqhuhktpxpprqzsodcuaocvyhukydarxraxtbpbreilyhdfdxauvnktouvnp"}`
	adLine  = `{"user_id":"bb978e9e-5de8-5a19-c4c4-a64109ca6bfa","page_id":"d297144e-a2d4-b73f-66ca-a3139c18b9d2","ad_id":"b6514797-ebc3-75e7-15d6-af20f8c91d9f","ad_type":"mail","event_type":"purchase","event_time":1767225600001,"ip_address":"1.2.3.0"}`
)

// TestManyKeys has more keys than are remembered, and rows after them that use known ones.
func TestManyKeys(t *testing.T) {
	c := config(t, formattest.Columns("a", types.Int64, "b", types.Int64))
	var content bytes.Buffer
	var want []string
	for i := range 5000 {
		fmt.Fprintf(&content, "{\"k%d\":1,\"a\":%d,\"K%d\":{\"x\":[]},\"b\":%d}\n", i, i, i, -i)
		want = append(want, fmt.Sprint(i, " | ", -i))
	}
	check(t, c, content.String(), want...)
}

// TestNoAllocationPerRow reads nested rows with unknown, folded and escaped keys.
func TestNoAllocationPerRow(t *testing.T) {
	pair := types.StructOf(types.Field{Name: "x", Type: types.Of(types.Int32)}, types.Field{Name: "y", Type: types.ArrayOf(types.Of(types.String))})
	c := config(t, formattest.Columns("s", pair, "m", types.MapOf(types.Of(types.String), types.Of(types.Int64)), "d", types.DecimalOf(30, 2), "t", types.Timestamp, "b", types.Bytes))
	line := `{"s":{"Other":1,"X":2,"y":["a\n","b"]},"M":{"k":1,"l":2},"d":12345678901234567890.5,"t":"2026-01-01T00:00:00+01:00","b":"aGk=","u":[{"v":null}]}` + "\n"
	r, err := newReader(c)
	if err != nil {
		t.Fatal(err)
	}
	read := func(rows int) float64 {
		f := formattest.File("a.json", bytes.Repeat([]byte(line), rows))
		return testing.AllocsPerRun(3, func() {
			n := 0
			err := r.Read(t.Context(), f, format.Section{End: f.Size}, format.Reading{Need: []int{0, 1, 2, 3, 4}}, func(b *vec.Batch) error {
				n += b.N
				return nil
			})
			if err != nil || n != rows {
				t.Fatal(n, err)
			}
		})
	}
	if few, many := read(100), read(10_000); many > few+20 {
		t.Errorf("%g allocations for 100 rows, %g for 10,000", few, many)
	}
}
