package inbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/csv"
	jsonformat "github.com/sqlstream/sqlstream/exec/format/json"
	"github.com/sqlstream/sqlstream/exec/format/text"
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func formats() []*format.Format {
	return []*format.Format{jsonformat.Format(), csv.Format(), text.Format()}
}

// bed is a source over a box, driven as the trigger loop does.
type bed struct {
	*Source
	t   *testing.T
	box *Box
}

func config(columns string) source.Config {
	c := source.Config{Name: "s", Replay: true}
	for _, name := range strings.Fields(columns) {
		name, typ, _ := strings.Cut(name, ":")
		col := source.Column{Column: types.Column{Name: name, Type: types.Of(types.String)}}
		switch typ {
		case "int":
			col.Type = types.Of(types.Int64)
		case "at":
			col.Type, col.Metadata = types.Of(types.Timestamp), "timestamp"
		case "origin":
			col.Metadata = "origin"
		}
		c.Columns = append(c.Columns, col)
	}
	return c
}

func newBed(t *testing.T, form string, c source.Config, set Settings) *bed {
	t.Helper()
	c.Options = append(c.Options, option.Value{Name: "format", Text: form})
	f, d, err := Decode(formats(), []option.Spec{FormatSpec("text")}, "text", c)
	if err != nil {
		t.Fatal(err)
	}
	if set.Instance == "" {
		set.Instance = "run1"
	}
	set.Format, set.Decoded = f, d
	b := &bed{t: t, box: NewBox(1<<20, 0)}
	if b.Source, err = New(c, b.box, set); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *bed) put(parcels ...*Parcel) {
	b.t.Helper()
	for _, p := range parcels {
		if ok, err := b.box.Offer(p); !ok || err != nil {
			b.t.Fatal(ok, err)
		}
	}
}

func (b *bed) plan(l source.Limits, upTo source.Snapshot) source.Range {
	b.t.Helper()
	r, ok, err := b.Plan(context.Background(), l, upTo)
	if err != nil {
		b.t.Fatal(err)
	}
	if !ok {
		return source.Range{}
	}
	return r
}

// read gives the rows of a range, cells with | between, then bad rows.
func (b *bed) read(r source.Range) string {
	b.t.Helper()
	out, err := readRange(b.Source, r)
	if err != nil {
		b.t.Fatal(err)
	}
	return out
}

func readRange(s *Source, r source.Range) (string, error) {
	splits, err := s.Splits(context.Background(), r)
	if err != nil {
		return "", err
	}
	rd := source.Reading{}
	for i := range s.cfg.Columns {
		rd.Need = append(rd.Need, i)
	}
	var out, bad []string
	rd.Bad = func(b source.BadRow) { bad = append(bad, b.Position+" "+b.Reason) }
	for _, sp := range splits {
		err := sp.Read(context.Background(), rd, func(b *vec.Batch) error {
			b.Each(func(row int) {
				cells := make([]string, len(b.Cols))
				for i, c := range b.Cols {
					cells[i] = vec.RowString(c, row, time.UTC)
				}
				out = append(out, strings.Join(cells, "|"))
			})
			return nil
		})
		if err != nil {
			return "", err
		}
	}
	return strings.Join(append(out, bad...), " "), nil
}

func lines(text string, line int64) *Parcel {
	return &Parcel{Data: []byte(text), Rows: int64(strings.Count(text, "\n")), Line: line, From: "peer", At: 1_000_000}
}

func want(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("got\n  %s\nwant\n  %s", got, want)
	}
}

// What a range took is read again as it was, also by another process.
func TestARangeIsReadAgain(t *testing.T) {
	b := newBed(t, "json", config("k v:int at:at from:origin"), Settings{Loses: true})
	b.put(lines(`{"k":"a","v":1}`+"\n"+`{"k":"b","v":2}`+"\n", 1), lines(`{"k":"c","v":3}`+"\n", 3))
	r := b.plan(source.Limits{}, nil)
	rows := "a|1|1970-01-01 00:00:01|peer b|2|1970-01-01 00:00:01|peer c|3|1970-01-01 00:00:01|peer"
	want(t, b.read(r), rows)
	want(t, b.read(r), rows)
	if len(b.Losses()) > 0 {
		t.Error("rows are lost before anything happened")
	}

	next := newBed(t, "json", config("k v:int at:at from:origin"), Settings{Instance: "run2", Loses: true})
	if err := next.Restore(r); err != nil {
		t.Fatal(err)
	}
	want(t, next.read(r), rows)
	if l := next.Losses(); len(l) != 1 || l[0].From != 3 || l[0].To != -1 {
		t.Errorf("lost %v: what no range took is gone", l)
	}
	next.put(lines(`{"k":"d"}`+"\n", 1))
	r2 := next.plan(source.Limits{}, nil)
	want(t, next.read(r2), "d|NULL|1970-01-01 00:00:01|peer")
	if want := `{"parcels":3,"rows":4,"instance":"run2"}`; string(r2.Offset) != want {
		t.Errorf("offset %s, want %s", r2.Offset, want)
	}
}

// Rows that are not in the log are lost with the process, and counted.
func TestUnloggedRowsAreLostAndCounted(t *testing.T) {
	b := newBed(t, "text", config("value"), Settings{Unlogged: true, Loses: true})
	b.put(lines("x\ny\n", 1))
	r := b.plan(source.Limits{}, nil)
	want(t, b.read(r), "x y")
	next := newBed(t, "text", config("value"), Settings{Unlogged: true, Loses: true, Instance: "run2"})
	if err := next.Restore(r); err != nil {
		t.Fatal(err)
	}
	want(t, next.read(r), "")
	want(t, next.read(r), "")
	if l := next.Losses(); len(l) != 2 || l[1].From != 0 || l[1].To != 2 {
		t.Errorf("lost %v, want 2 rows and others", l)
	}
}

func TestLimitsAndSnapshot(t *testing.T) {
	b := newBed(t, "text", config("value"), Settings{})
	b.put(lines("a\nb\n", 1), lines("c\nd\n", 3), lines("e\n", 5))
	snap, _ := b.Snapshot(context.Background())
	b.put(lines("f\n", 6))
	want(t, b.read(b.plan(source.Limits{Rows: 1}, snap)), "a b") // a parcel is never cut
	want(t, b.read(b.plan(source.Limits{Rows: 3}, snap)), "c d e")
	want(t, b.read(b.plan(source.Limits{}, snap)), "")
	want(t, b.read(b.plan(source.Limits{}, nil)), "f")
}

// Bad rows are named as who sent them counts lines.
func TestPositions(t *testing.T) {
	c := config("v:int")
	c.OnError = source.Skip
	b := newBed(t, "json", c, Settings{})
	b.put(lines(`{"v":1}`+"\n"+`{"v":"x"}`+"\n", 11), lines(`{"v":2}`+"\n"+`{`+"\n", 21),
		&Parcel{Data: []byte("yyyy"), Rows: 1, Line: 40, From: "peer", Bad: "too long"})
	got := b.read(b.plan(source.Limits{}, nil))
	for _, x := range []string{"1 2 peer:12 ", "peer:22 ", "peer:40 too long"} {
		if !strings.Contains(got, x) {
			t.Errorf("%q is not in %s", x, got)
		}
	}
	c.OnError = source.Fail
	b = newBed(t, "json", c, Settings{})
	b.put(lines(`{"v":1}`+"\n", 1), lines(`{"v":"x"}`+"\n", 2))
	_, err := readRange(b.Source, b.plan(source.Limits{}, nil))
	if err == nil || !strings.Contains(err.Error(), `source "s": peer:2: `) || !strings.Contains(err.Error(), "on_error = 'skip'") {
		t.Errorf("got %v", err)
	}
}

func TestHeadersOfCSV(t *testing.T) {
	c := config("a b:int")
	c.Options = []option.Value{{Name: "header", Text: "true"}}
	b := newBed(t, "csv", c, Settings{})
	head := []byte("b,a\n")
	b.put(&Parcel{Head: head, Data: []byte("1,x\n2,y\n"), Line: 2, From: "p"}, &Parcel{Head: head, Data: []byte("3,z\n"), Line: 4, From: "p"})
	r := b.plan(source.Limits{}, nil)
	want(t, b.read(r), "x|1 y|2 z|3")
	next := newBed(t, "csv", c, Settings{Instance: "run2"})
	want(t, next.read(r), "x|1 y|2 z|3")
}

// Who sent rows hears of them when they are durable, or that the source has ended.
func TestSettling(t *testing.T) {
	b := newBed(t, "text", config("value"), Settings{Keys: NewKeys(2)})
	heard := map[string]error{}
	parcel := func(text string) *Parcel {
		p := lines(text+"\n", 1)
		p.Key, p.Settled = text, func(err error) { heard[text] = err }
		return p
	}
	b.put(parcel("a"), parcel("b"))
	r := b.plan(source.Limits{Rows: 1}, nil)
	if len(heard) > 0 {
		t.Error("told too early")
	}
	if err := b.Durable(r); err != nil {
		t.Fatal(err)
	}
	if err := b.Committed(context.Background(), r); err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if want := map[string]error{"a": nil, "b": ErrClosed}; !reflect.DeepEqual(heard, want) {
		t.Errorf("heard %v", heard)
	}
	if _, err := b.box.Offer(lines("c\n", 1)); !errors.Is(err, ErrClosed) {
		t.Errorf("a closed box took a parcel: %v", err)
	}
}

// Keys are known over restarts, as long as they are remembered; rows leave the log before.
func TestKeysAreKept(t *testing.T) {
	keys := NewKeys(2)
	b := newBed(t, "text", config("value"), Settings{Keys: keys})
	var log []json.RawMessage
	var offset json.RawMessage
	for _, k := range []string{"k1", "k2", "k3"} {
		p := lines(k+"\n", 1)
		p.Key = k
		b.put(p)
		r := b.plan(source.Limits{}, nil)
		for _, do := range []error{b.Durable(r), b.Committed(context.Background(), r)} {
			if do != nil {
				t.Fatal(do)
			}
		}
		log, offset = append(log, r.Entries...), r.Offset
	}
	var kept []json.RawMessage
	for _, line := range log {
		if b.Keep(line) {
			kept = append(kept, line)
		}
	}
	if len(kept) != 3 { // the key k2, and both lines of the last batch
		t.Errorf("kept %s", kept)
	}
	again := NewKeys(2)
	next := newBed(t, "text", config("value"), Settings{Instance: "run2", Keys: again})
	if err := errors.Join(next.Restore(source.Range{Entries: kept}), next.Restore(source.Range{Offset: offset})); err != nil {
		t.Fatal(err)
	}
	for k, want := range map[string]bool{"k1": false, "k2": true, "k3": true} {
		if _, known, _ := again.Begin(k); known != want {
			t.Errorf("%s is known: %v", k, known)
		}
	}
	if again.remembers("k1") || !again.remembers("k2") || !again.remembers("k3") {
		t.Error("other keys are remembered")
	}
}

func TestBackPressure(t *testing.T) {
	b := NewBox(2*parcelBytes+100, 0)
	ctx := context.Background()
	if ok, _ := b.Offer(&Parcel{Data: make([]byte, 10_000)}); !ok {
		t.Error("a large parcel does not go into an empty box")
	}
	if ok, _ := b.Offer(&Parcel{}); ok {
		t.Error("a full box took a parcel")
	}
	put := make(chan error)
	go func() { put <- b.Put(ctx, &Parcel{Data: []byte("x")}) }()
	if got := b.take(1, 0, 0); len(got) != 1 {
		t.Fatal(len(got))
	}
	if err := <-put; err != nil {
		t.Error(err)
	}
	go func() { put <- b.Put(ctx, &Parcel{Data: make([]byte, 1000)}) }()
	b.drain()
	if err := <-put; !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	full := NewBox(1, 1)
	if _, err := full.Offer(&Parcel{}); err != nil {
		t.Fatal(err)
	}
	if err := full.Put(canceled, &Parcel{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// chunks reads as a network does: in pieces of a length.
type chunks struct {
	rest string
	n    int
	end  error
}

func (c *chunks) Read(p []byte) (int, error) {
	if c.rest == "" {
		return 0, c.end
	}
	n := copy(p, c.rest[:min(c.n, len(c.rest))])
	c.rest = c.rest[n:]
	return n, nil
}

// Lines come whole and numbered, however the stream is cut.
func TestLines(t *testing.T) {
	long := strings.Repeat("x", 50)
	input := "h\na\nbb\n" + long + "\nc\n" + long + "\nlast"
	for n := 1; n < 80; n++ {
		for _, end := range []error{io.EOF, io.ErrUnexpectedEOF} {
			var got []string
			l := &Lines{From: "p", Longest: 20, Header: true, Now: func() int64 { return 0 }, Put: func(_ context.Context, p *Parcel) error {
				if string(p.Head) != "h\n" && p.Bad == "" {
					t.Errorf("head %q", p.Head)
				}
				for i, x := range strings.Split(strings.TrimSuffix(string(p.Data), "\n"), "\n") {
					got = append(got, fmt.Sprintf("%d:%s%v", p.Line+int64(i), x[:min(len(x), 4)], p.Bad != ""))
				}
				return nil
			}}
			err := l.Read(context.Background(), &chunks{input, n, end})
			rows := "2:afalse 3:bbfalse 4:xxxxtrue 5:cfalse 6:xxxxtrue"
			if errors.Is(end, io.EOF) {
				rows += " 7:lastfalse"
				end = nil
			}
			if text := strings.Join(got, " "); text != rows || !errors.Is(err, end) {
				t.Errorf("in pieces of %d, end %v: %s, %v", n, end, text, err)
			}
		}
	}
}

func TestRefused(t *testing.T) {
	c := config("value")
	c.Options = []option.Value{{Name: "format", Text: "parquet"}}
	if _, _, err := Decode(formats(), nil, "text", c); err == nil || !strings.Contains(err.Error(), "text, json and csv") {
		t.Error(err)
	}
	c.Options = []option.Value{{Name: "format", Text: "json"}, {Name: "multi_line", Text: "true"}}
	f, d, err := Decode(formats(), []option.Spec{FormatSpec("text")}, "text", c)
	if err != nil {
		t.Fatal(err)
	}
	if err := ByLine(f, d); err == nil || !strings.Contains(err.Error(), "multi_line") {
		t.Error(err)
	}
	b := newBed(t, "text", config("value"), Settings{})
	for _, r := range []source.Range{{Offset: []byte(`{"logOffset":3}`)}, {Entries: []json.RawMessage{[]byte(`{"path":"x"}`)}}} {
		if err := b.Restore(r); err == nil {
			t.Errorf("%s %s was taken", r.Offset, r.Entries)
		}
	}
}
