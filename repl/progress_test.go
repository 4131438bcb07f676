package repl

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/incremental/engine"
	"github.com/sqlstream/sqlstream/incremental/trigger"
)

func record() *trigger.Progress {
	name := "q"
	return &trigger.Progress{ID: "i", RunID: "r", Name: &name, BatchID: 7, InputRows: 12, ProcessedRate: 12345,
		EventTime: &trigger.EventTime{Watermark: "2024-01-01T09:30:00.000Z"},
		Operators: []trigger.OperatorState{{Total: 1500, Memory: 2_500_000}},
		Rows:      trigger.Rows{Input: 12, Contributed: 9, Late: 2, Bad: 1}}
}

// Every field of a progress record is in the line of JSON.
func TestJSONProgressHasEveryField(t *testing.T) {
	var b bytes.Buffer
	j := NewJSONProgress(&b)
	j.QueryProgress(&engine.Query{Name: "q"}, record())
	j.QueryProgress(&engine.Query{Name: "q"}, record())
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	if len(lines) != 2 {
		t.Fatalf("not one line for each trigger: %q", b.String())
	}
	var got map[string]json.RawMessage
	if err := json.Unmarshal([]byte(lines[1]), &got); err != nil {
		t.Fatal(err)
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[trigger.Progress]()) {
		tag, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if _, ok := got[tag]; !ok && tag != "-" && options != "omitempty" {
			t.Errorf("%s is missing", tag)
		}
	}
	if string(got["rows"]) != `{"input":12,"contributed":9,"filtered":0,"late":2,"bad":1}` {
		t.Errorf("the row ledger is %s", got["rows"])
	}
}

func TestSummary(t *testing.T) {
	want := "q batch 7  12.3k rows/s  watermark 2024-01-01 09:30:00  state 1.5k keys 2.5MB  late 2  bad 1"
	if got := Summary("q", record()); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if got := Summary("q", &trigger.Progress{}); got != "q batch 0  0 rows/s" {
		t.Errorf("got %q", got)
	}
}

// The status line is taken away while rows are printed, drawn again below, and cut to
// the width of the terminal.
func TestStatusLine(t *testing.T) {
	var b bytes.Buffer
	s := NewStatusLine(&b, func() int { return 11 })
	out := s.Around(&b)
	q := &engine.Query{Name: "q"}
	s.QueryProgress(q, record())
	out.Write([]byte("row\n")) //nolint:errcheck // a buffer
	s.QueryTerminated(q, nil)
	out.Write([]byte("end\n")) //nolint:errcheck // a buffer
	want := clearLine + "q batch 7 " + clearLine + "row\n" + "q batch 7 " + clearLine + "end\n"
	if b.String() != want {
		t.Errorf("got  %q\nwant %q", b.String(), want)
	}
}

func TestShort(t *testing.T) {
	for x, want := range map[float64]string{0: "0", 999: "999", 1000: "1.0k", 123456: "123k", 4.5e6: "4.5M", 7e12: "7000G"} {
		if got := short(x); got != want {
			t.Errorf("%v: got %s, want %s", x, got, want)
		}
	}
}
