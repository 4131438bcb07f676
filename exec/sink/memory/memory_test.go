package memory_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/sink/memory"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

type table struct {
	t   *testing.T
	res *memory.Results
	s   sink.Sink
	n   int64
}

func open(t *testing.T, m sink.Mode, key []int, maxRows string) *table {
	t.Helper()
	tab := &table{t: t, res: memory.NewResults()}
	c := sink.Config{Name: "m", Mode: m, Key: key, Columns: []types.Column{{Name: "k", Type: types.Of(types.Int64)}, {Name: "v", Type: types.Of(types.String)}}}
	if maxRows != "" {
		c.Options = []option.Value{{Name: "max_rows", Text: maxRows}}
	}
	s, err := memory.Connector(tab.res).Open(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	tab.s = s
	return tab
}

// batch reads "1:a -2:b 3:NULL": weight sign, key, value.
func batch(text string) *vec.Batch {
	k, v := vec.NewBuilder(types.Of(types.Int64)), vec.NewBuilder(types.Of(types.String))
	b := &vec.Batch{}
	for _, row := range strings.Fields(text) {
		w := int64(1)
		if rest, ok := strings.CutPrefix(row, "-"); ok {
			row, w = rest, -1
		}
		if rest, ok := strings.CutPrefix(row, "2*"); ok {
			row, w = rest, 2*w
		}
		var key int64
		var val string
		fmt.Sscanf(strings.Replace(row, ":", " ", 1), "%d %s", &key, &val)
		k.AppendInt(key)
		if val == "NULL" {
			v.AppendNull()
		} else {
			v.AppendString(val)
		}
		b.W = append(b.W, w)
	}
	b.N, b.Cols = len(b.W), []*vec.Vector{k.Take(), v.Take()}
	return b
}

func (tab *table) try(text string) error {
	p, err := tab.s.Stage(context.Background(), sink.Batch{ID: tab.n}, func(emit func(*vec.Batch) error) error { return emit(batch(text)) })
	if err != nil {
		return err
	}
	for range 2 { // again after a crash
		if err := tab.s.Publish(context.Background(), sink.Batch{ID: tab.n}, p); err != nil {
			return err
		}
	}
	tab.n++
	return nil
}

func (tab *table) write(text string) {
	tab.t.Helper()
	if err := tab.try(text); err != nil {
		tab.t.Fatal(err)
	}
}

func (tab *table) rows() string {
	var out []string
	for _, b := range tab.res.Get("m").Rows() {
		b.Each(func(row int) {
			out = append(out, fmt.Sprintf("%d:%s", b.Cols[0].Int(row), vec.RowString(b.Cols[1], row, nil)))
		})
	}
	return strings.Join(out, " ")
}

func (tab *table) want(want string) {
	tab.t.Helper()
	if got := tab.rows(); got != want {
		tab.t.Errorf("got %s, want %s", got, want)
	}
}

func TestAppend(t *testing.T) {
	tab := open(t, sink.Append, nil, "")
	tab.want("")
	tab.write("1:a 2*2:b")
	before := tab.res.Get("m").Rows()
	tab.write("1:a")
	tab.want("1:a 2:b 2:b 1:a")
	if len(before) != 1 || before[0].Rows() != 3 {
		t.Error("a snapshot changed")
	}
	if m, err := tab.s.Marker(context.Background()); err != nil || !m.OK || m.ID != 1 {
		t.Error(m, err)
	}
}

func TestComplete(t *testing.T) {
	tab := open(t, sink.Complete, nil, "")
	tab.write("1:a 2:b")
	tab.write("3:c")
	tab.want("3:c")
	tab.write("")
	tab.want("")
}

func TestUpdate(t *testing.T) {
	tab := open(t, sink.Update, []int{0}, "")
	tab.write("1:a 2:b 3:c")
	tab.write("2:x -3:c")
	tab.want("1:a 2:x")
	tab = open(t, sink.Update, nil, "")
	tab.write("1:a")
	tab.write("1:b")
	tab.want("1:a 1:b")
}

func TestChangelog(t *testing.T) {
	tab := open(t, sink.Changelog, nil, "")
	tab.write("2*1:a 2:NULL")
	tab.write("-1:a 1:b -2:NULL")
	tab.want("1:a 1:b")
	if err := tab.try("-7:z"); err == nil || err.Error() != `sink "m": a row was taken back that is not in the table` {
		t.Error(err)
	}
}

func TestBound(t *testing.T) {
	for _, m := range []sink.Mode{sink.Append, sink.Complete, sink.Update, sink.Changelog} {
		tab := open(t, m, []int{0}, "3")
		tab.write("1:a 2:b 3:c")
		if err := tab.try("4:d 5:e 6:f 7:g"); err == nil || err.Error() != `sink "m": the result has more than 3 rows; raise max_rows, or write it to files` {
			t.Errorf("%s: %v", m, err)
		}
	}
}

func TestDamagedPayload(t *testing.T) {
	tab := open(t, sink.Append, nil, "")
	for _, p := range []string{"", "\x06abc", "\x08ab"} {
		if err := tab.s.Publish(context.Background(), sink.Batch{}, []byte(p)); err == nil {
			t.Errorf("%q was taken", p)
		}
	}
}

// Random changes against a map of counts, over rebuilds.
func TestChangelogAgainstCounts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	tab := open(t, sink.Changelog, nil, "")
	counts := map[string]int{}
	for range 300 {
		var parts []string
		for range 40 {
			row := fmt.Sprintf("%d:v%d", rng.IntN(5), rng.IntN(20))
			if counts[row] > 0 && rng.IntN(2) == 0 {
				counts[row]--
				parts = append(parts, "-"+row)
			} else {
				counts[row]++
				parts = append(parts, row)
			}
		}
		tab.write(strings.Join(parts, " "))
	}
	var want []string
	for row, n := range counts {
		for range n {
			want = append(want, row)
		}
	}
	got := strings.Fields(tab.rows())
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
