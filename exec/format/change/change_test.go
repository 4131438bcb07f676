package change_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/change"
	"github.com/sqlstream/sqlstream/exec/format/csv"
	"github.com/sqlstream/sqlstream/exec/format/formattest"
	"github.com/sqlstream/sqlstream/exec/format/json"
	"github.com/sqlstream/sqlstream/exec/format/parquet"
	"github.com/sqlstream/sqlstream/exec/format/text"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func TestWords(t *testing.T) {
	for want, words := range map[int64]string{
		1:  "+ +I I i insert INSERT Insert c C create r read +U +u update_after UPDATE_AFTER",
		-1: "- -D D d delete DELETE -U -u update_before",
		0:  "U u update Update upsert",
	} {
		for _, w := range strings.Fields(words) {
			got, reason := change.Weight([]byte(w), false)
			keyed, why := change.Weight([]byte(w), true)
			if got != want || (reason == "") != (want != 0) {
				t.Errorf("%s: %d %q, want %d", w, got, reason, want)
			}
			if why != "" || keyed != want && keyed != 1 {
				t.Errorf("%s with a key: %d %q", w, keyed, why)
			}
		}
	}
	for _, w := range []string{"", "x", "++", "deleted", "+D", "-I", " I", "update_before_", strings.Repeat("d", 5000), "\x00"} {
		if got, reason := change.Weight([]byte(w), true); got != 0 || !strings.Contains(reason, "is no change") {
			t.Errorf("%q: %d %q", w, got, reason)
		}
	}
}

// columns are those of the tests' rows.
func columns() []types.Column { return formattest.Columns("id", types.Int64, "v", types.String) }

func reader(t *testing.T, f *format.Format, on format.OnError, key []int, opts ...string) format.Reader {
	t.Helper()
	c := formattest.Config(t, f.ReadOptions, columns(), opts...)
	c.OnError = on
	r, err := change.NewReader(f, c, key)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestFormats: each format gives the same weights, and names the place of what is none.
func TestFormats(t *testing.T) {
	jsonRows := `{"op":"+","id":1,"v":"a"}
{"id":1,"v":"a","op":"-\u0055"}
{"id":1,"v":"b","op":"+U"}
{"id":2,"op":"u"}
{"id":3,"v":null}
{"id":"x","op":"I"}
{"id":4,"v":"d","kind":1,"op":"delete"}`
	csvRows := "op,id,v\n+,1,a\n\"-U\",1,a\n+U,1,b\nu,2,\n,3,\nI,x,\ndelete,4,d\n"
	for name, c := range map[string]struct {
		f    *format.Format
		text string
		opts []string
		line int
	}{
		"json": {json.Format(), jsonRows, []string{"op_column", "op"}, 0},
		"csv":  {csv.Format(), csvRows, []string{"header", "true"}, 1},
		"last": {csv.Format(), "1,a,+\n1,a,-U\n1,b,+U\n2,,u\n3,,\nx,,I\n4,d,delete\n", nil, 0},
	} {
		r := reader(t, c.f, format.Skip, nil, c.opts...)
		got, bad, err := formattest.ReadChanges(r, 2, "in/a", []byte(c.text))
		want := `+1 1 | "a"; -1 1 | "a"; +1 1 | "b"; -1 4 | "d"`
		if err != nil || strings.Join(got, "; ") != want {
			t.Errorf("%s: %v %s\nwant %s", name, err, strings.Join(got, "; "), want)
		}
		var places []string
		for _, b := range bad {
			places = append(places, fmt.Sprintf("%s %.10s", b.Position, b.Reason))
		}
		want = fmt.Sprintf(`in/a:%d field "op"; in/a:%d field "op"; in/a:%d field "id"`, c.line+4, c.line+5, c.line+6)
		if strings.Join(places, "; ") != want {
			t.Errorf("%s: bad rows %s\nwant %s", name, strings.Join(places, "; "), want)
		}
		if strings.Contains(fmt.Sprintf("%q", bad[0].Raw), `-U`) {
			t.Errorf("%s: the row is %q", name, bad[0].Raw)
		}
		_, _, err = formattest.ReadChanges(reader(t, c.f, format.Fail, []int{0}, c.opts...), 2, "in/a", []byte(c.text))
		var row *format.RowError
		if !errors.As(err, &row) || row.Position != fmt.Sprintf("in/a:%d", c.line+5) || !strings.Contains(row.Reason, "is missing") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestParquet(t *testing.T) {
	cols := formattest.Columns("id", types.Int64, "op", types.String, "v", types.String)
	var want []string
	var batches []*vec.Batch
	builders := vec.NewBuilders([]types.Type{cols[0].Type, cols[1].Type, cols[2].Type})
	for i := range 3000 {
		words := []string{"+", "-D", "c", "U"}
		builders[0].AppendInt(int64(i))
		builders[1].AppendString(words[i%4])
		builders[2].AppendString("x")
		if w := []int{1, -1, 1, 0}[i%4]; w != 0 {
			want = append(want, fmt.Sprintf(`%+d %d | "x"`, w, i))
		}
		if i%1000 == 999 {
			batches = append(batches, &vec.Batch{N: 1000, Cols: []*vec.Vector{builders[0].Take(), builders[1].Take(), builders[2].Take()}})
		}
	}
	content := formattest.Write(t, parquet.Format(), formattest.Config(t, parquet.Format().WriteOptions, cols, "row_group_rows", "1000"), batches...)
	r := reader(t, parquet.Format(), format.Skip, nil)
	got, bad, err := formattest.ReadChanges(r, 2, "a.parquet", content)
	if err != nil || strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%v, %d rows of %d", err, len(got), len(want))
	}
	if len(bad) != 750 || bad[250].Position != "a.parquet: row group 1, row 4" {
		t.Errorf("%d bad rows, %+v", len(bad), bad[250])
	}
	_, _, err = formattest.ReadChanges(reader(t, parquet.Format(), format.Fail, nil), 2, "a.parquet", content)
	if err == nil || !strings.Contains(err.Error(), "a.parquet: row group 0, row 4") {
		t.Error(err)
	}
	sections, err := r.Sections(t.Context(), formattest.File("a.parquet", content))
	if err != nil || len(sections) != 3 || sections[0].Rows != -1 {
		t.Errorf("%v %+v: the number of rows is no count", err, sections)
	}
}

func TestNoChanges(t *testing.T) {
	c := formattest.Config(t, text.Format().ReadOptions, formattest.Columns("value", types.String))
	if _, err := change.NewReader(text.Format(), c, nil); err == nil || !strings.Contains(err.Error(), "format text delivers no deletions") {
		t.Error(err)
	}
}

// TestEvents reads random events against a naive judge.
func TestEvents(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 2))
		keyed := seed%2 == 0
		var text, want []string
		bad := 0
		for range 1 + rng.IntN(3000) {
			line, rows, ok := event(rng, keyed)
			text, want = append(text, line), append(want, rows...)
			if !ok {
				bad++
			}
		}
		var key []int
		if keyed {
			key = []int{0}
		}
		got, refused, err := formattest.ReadChanges(reader(t, json.Debezium(), format.Skip, key), 2, "a", []byte(strings.Join(text, "\n")))
		if err != nil || strings.Join(got, "\n") != strings.Join(want, "\n") || len(refused) != bad {
			t.Fatalf("seed %d: %v, %d rows of %d, %d bad of %d", seed, err, len(got), len(want), len(refused), bad)
		}
		whole, refused, err := formattest.ReadChanges(reader(t, json.Debezium(), format.Skip, key, "multi_line", "true"), 2, "a", []byte("["+strings.Join(text, ",\n")+"]"))
		if err != nil || strings.Join(whole, "\n") != strings.Join(want, "\n") || len(refused) != bad {
			t.Fatalf("seed %d, as an array: %v, %d rows of %d, %d bad of %d", seed, err, len(whole), len(want), len(refused), bad)
		}
	}
}

// image is a random row, as JSON and as it is printed; null = there is none.
type image struct {
	json, row string
	id        int // −1 = NULL
}

func randomImage(rng *rand.Rand) image {
	if rng.IntN(5) == 0 {
		return image{"null", "", -1}
	}
	id, v := rng.IntN(4)-1, fmt.Sprintf("é\\%d", rng.IntN(3))
	text, shown := fmt.Sprintf("%q", v), fmt.Sprintf("%q", v)
	if rng.IntN(4) == 0 {
		text, shown = "null", "NULL"
	}
	if id < 0 {
		return image{fmt.Sprintf(`{"v":%s,"other":{"id":1}}`, text), "NULL | " + shown, -1}
	}
	return image{fmt.Sprintf(`{"id":%d,"v":%s}`, id, text), fmt.Sprintf("%d | %s", id, shown), id}
}

// event is a random line, the rows that it must give, and whether it is an event.
func event(rng *rand.Rand, keyed bool) (line string, rows []string, ok bool) {
	before, after, op := randomImage(rng), randomImage(rng), []string{"c", "r", "u", "d", "u", "d", "t", "x", "+"}[rng.IntN(9)]
	line = fmt.Sprintf(`{"before":%s,"after":%s,"op":%q,"ts_ms":5}`, before.json, after.json, op)
	switch rng.IntN(6) {
	case 0:
		return "null", nil, true
	case 1:
		return `{"schema":{"a":[1]},"payload":null}`, nil, true
	case 2, 3:
		line = fmt.Sprintf(`{"schema":{},"payload":%s}`, line)
	}
	minus, plus := "-1 "+before.row, "+1 "+after.row
	known := before.row != "" && (!keyed || before.id >= 0)
	switch {
	case op == "c" || op == "r":
		return line, one(after.row != "", plus), after.row != ""
	case op == "d":
		return line, one(known, minus), known
	case op != "u" || after.row == "":
		return line, nil, false
	case keyed && (!known || before.id == after.id):
		return line, []string{plus}, true
	case known:
		return line, []string{minus, plus}, true
	}
	return line, nil, false
}

func one(ok bool, row string) []string {
	if ok {
		return []string{row}
	}
	return nil
}
