package output_test

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/repl/output"
)

// sample has text that every format must take care of, and NULLs.
func sample() ([]types.Column, *vec.Batch) {
	b := vec.NewBatch(
		vec.FromAny(types.Of(types.Int64), 1, nil, -3),
		vec.FromAny(types.Of(types.String), "a|b,\t\"c\"\n\\d", "", nil),
		vec.FromAny(types.Of(types.Timestamp), 1704099600000000, nil, 0))
	var cols []types.Column
	for i, name := range []string{"n", "te xt", "at"} {
		cols = append(cols, types.Column{Name: name, Type: b.Cols[i].Type})
	}
	return cols, b
}

func write(t *testing.T, o output.Options, batches ...*vec.Batch) string {
	t.Helper()
	cols, _ := sample()
	var out strings.Builder
	w := output.New(&out, cols, o)
	for _, b := range batches {
		if err := w.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestFormats(t *testing.T) {
	for format, want := range map[output.Format]string{
		output.Table: `
┌────────┬───────────────┬─────────────────────┐
│      n │ te xt         │ at                  │
│ BIGINT │ STRING        │ TIMESTAMP           │
├────────┼───────────────┼─────────────────────┤
│      1 │ a|b,\t"c"\n\d │ 2024-01-01 09:00:00 │
│   NULL │               │ NULL                │
│     -3 │ NULL          │ 1970-01-01 00:00:00 │
└────────┴───────────────┴─────────────────────┘
(3 rows)
`,
		output.CSV:      "\nn,te xt,at\n1,\"a|b,\t\"\"c\"\"\n\\d\",2024-01-01 09:00:00\n,\"\",\n-3,,1970-01-01 00:00:00\n",
		output.TSV:      "\nn\tte xt\tat\n1\ta|b,\\t\"c\"\\n\\\\d\t2024-01-01 09:00:00\n\t\t\n-3\t\t1970-01-01 00:00:00\n",
		output.Markdown: "\n| n | te xt | at |\n|--:|---|---|\n| 1 | a\\|b,\t\"c\"<br>\\d | 2024-01-01 09:00:00 |\n| NULL |  | NULL |\n| -3 | NULL | 1970-01-01 00:00:00 |\n",
		output.Vertical: "\n-[ row 1 ]-\nn     | 1\nte xt | a|b,\t\"c\"\n\\d\nat    | 2024-01-01 09:00:00\n" +
			"-[ row 2 ]-\nn     | NULL\nte xt | \nat    | NULL\n-[ row 3 ]-\nn     | -3\nte xt | NULL\nat    | 1970-01-01 00:00:00\n",
	} {
		_, b := sample()
		want = strings.TrimPrefix(want, "\n")
		if got := write(t, output.Options{Format: format}, b); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", format, got, want)
		}
	}
}

// Other programs must read what we write.
func TestCSVIsReadBack(t *testing.T) {
	_, b := sample()
	null := "\\N"
	rows, err := csv.NewReader(strings.NewReader(write(t, output.Options{Format: output.CSV, Null: &null}, b))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 4 || rows[1][1] != "a|b,\t\"c\"\n\\d" || rows[2][0] != null || rows[2][1] != "" {
		t.Errorf("read back: %q", rows)
	}
}

func TestJSONIsReadBack(t *testing.T) {
	_, b := sample()
	var array []map[string]any
	if err := json.Unmarshal([]byte(write(t, output.Options{Format: output.JSON}, b, b)), &array); err != nil {
		t.Fatal(err)
	}
	if len(array) != 6 || array[3]["te xt"] != "a|b,\t\"c\"\n\\d" || array[1]["n"] != nil {
		t.Errorf("read back: %v", array)
	}
	lines := strings.SplitAfter(write(t, output.Options{Format: output.JSONL}, b), "\n")
	if len(lines) != 4 || lines[2] != "{\"n\":-3,\"te xt\":null,\"at\":\"1970-01-01 00:00:00\"}\n" {
		t.Errorf("lines: %q", lines)
	}
}

func TestNoRows(t *testing.T) {
	for format, want := range map[output.Format]string{output.CSV: "n,te xt,at\n", output.JSON: "[]\n", output.JSONL: "", output.Vertical: ""} {
		if got := write(t, output.Options{Format: format}); got != want {
			t.Errorf("%s: got %q, want %q", format, got, want)
		}
	}
}

func TestZone(t *testing.T) {
	_, b := sample()
	zone := time.FixedZone("east", 2*3600)
	if got := write(t, output.Options{Format: output.JSONL, Zone: zone}, b); !strings.Contains(got, "2024-01-01 11:00:00") {
		t.Errorf("times are not printed in the session's zone: %s", got)
	}
}

func TestSelectionAndWeights(t *testing.T) {
	_, b := sample()
	b.Sel, b.W = []int32{0, 2}, []int64{2, 1, 0}
	if got := strings.Count(write(t, output.Options{Format: output.JSONL}, b), "\n"); got != 2 {
		t.Errorf("%d lines, want the first row twice", got)
	}
	b.W[0] = -1
	cols, _ := sample()
	if err := output.New(&strings.Builder{}, cols, output.Options{Format: output.CSV}).Write(b); err == nil {
		t.Error("a negative weight is printed")
	}
}

type closed struct{}

func (closed) Write([]byte) (int, error) { return 0, errors.New("closed") }

func TestWriteErrors(t *testing.T) {
	cols, b := sample()
	if err := output.New(closed{}, cols, output.Options{Format: output.CSV}).Write(b); err == nil {
		t.Error("a write error is lost")
	}
}

func TestParse(t *testing.T) {
	if f, err := output.Parse("JSONL"); err != nil || f != output.JSONL {
		t.Errorf("got %v, %v", f, err)
	}
	if _, err := output.Parse("xml"); err == nil || !strings.Contains(err.Error(), "table, csv, tsv") {
		t.Errorf("got %v", err)
	}
}
