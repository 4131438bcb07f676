package stdin_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/exec/format"
	jsonformat "github.com/sqlstream/sqlstream/exec/format/json"
	"github.com/sqlstream/sqlstream/exec/format/text"
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/source/stdin"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func connector(r io.Reader) source.Connector {
	return stdin.Connector([]*format.Format{text.Format(), jsonformat.Format()}, stdin.NewInput(r), "run")
}

func config(opts ...string) source.Config {
	c := source.Config{Name: "in", Clock: clock.Real(), Finite: true,
		Columns: []source.Column{{Column: types.Column{Name: "value", Type: types.Of(types.String)}}}}
	for i := 0; i < len(opts); i += 2 {
		c.Options = append(c.Options, option.Value{Name: opts[i], Text: opts[i+1]})
	}
	return c
}

func open(t *testing.T, c source.Connector, cfg source.Config) source.Source {
	t.Helper()
	s, err := c.Open(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// next reads one range; "-" when there is none.
func next(t *testing.T, s source.Source) string {
	t.Helper()
	r, ok, err := s.Plan(context.Background(), source.Limits{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !ok {
		return "-"
	}
	splits, err := s.Splits(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, sp := range splits {
		if err := sp.Read(context.Background(), source.Reading{Need: []int{0}}, func(b *vec.Batch) error {
			b.Each(func(row int) { out = append(out, vec.RowString(b.Cols[0], row, time.UTC)) })
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	return strings.Join(out, " ")
}

func want(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestToTheEnd(t *testing.T) {
	s := open(t, connector(strings.NewReader("a\nb\nlast")), config())
	got := []string{}
	for x := next(t, s); x != "-"; x = next(t, s) {
		got = append(got, x)
	}
	want(t, strings.Join(got, " "), "a b last")
	if !s.Finished() {
		t.Error("not finished")
	}
	_ = s.Close()
}

// A query that is started again goes on where the last one stopped; a second one at the
// same time is refused.
func TestOneReaderAfterTheOther(t *testing.T) {
	r, w := io.Pipe()
	c := connector(r)
	s := open(t, c, config())
	fmt.Fprint(w, "a\n")
	want(t, next(t, s), "a")
	if _, err := c.Open(context.Background(), config()); err == nil || !strings.Contains(err.Error(), `is being read by source "in"`) {
		t.Error(err)
	}
	fmt.Fprint(w, "b\nc")
	_ = s.Close()
	s = open(t, c, config())
	fmt.Fprint(w, "d\n")
	got := []string{}
	_ = w.Close()
	for x := next(t, s); x != "-"; x = next(t, s) {
		got = append(got, x)
	}
	want(t, strings.Join(got, " "), "b cd")
	_ = s.Close()
}

func TestAReadErrorFails(t *testing.T) {
	r, w := io.Pipe()
	s := open(t, connector(r), config())
	_ = w.CloseWithError(io.ErrUnexpectedEOF)
	_, _, err := s.Plan(context.Background(), source.Limits{}, nil)
	if err == nil || !strings.Contains(err.Error(), "standard input: unexpected EOF") {
		t.Error(err)
	}
	_ = s.Close()
}

// What is looked at to find the columns is read all the same.
func TestInfer(t *testing.T) {
	c := connector(strings.NewReader(`{"value":"x","n":1}` + "\n"))
	cols, err := c.Infer(context.Background(), config("format", "json"))
	if err != nil || len(cols) != 2 || cols[1].Name != "n" {
		t.Fatalf("%v %v", cols, err)
	}
	s := open(t, c, config("format", "json"))
	want(t, next(t, s), "x")
	_ = s.Close()
}
