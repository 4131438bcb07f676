package build_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/incremental/stateful"
	"github.com/sqlstream/sqlstream/parser/ast"
)

const second = int64(time.Second / time.Microsecond)

// front is the first frontier of output 0, in seconds; "-" before there is any, "end"
// when nothing comes any more.
func (g *graph) front() string {
	f := g.OutputFronts(0)
	switch {
	case len(f) == 0:
		return "none"
	case f[0] == stateful.NoFrontier:
		return "-"
	case f[0] == stateful.EndOfInput:
		return "end"
	}
	return fmt.Sprint(f[0] / second)
}

// step is a trigger of a frontier test: at is the clock in seconds, rows are event times
// by source; want is the frontier of the output's edge afterwards.
type step struct {
	at   int64
	rows map[string][]int
	idle []string
	want string
}

var frontierTests = []struct {
	name, sql string
	steps     []step
}{
	{"a watermark is the greatest time minus the delay, and never retreats", `SELECT ts, k FROM ev`, []step{
		{0, nil, nil, "-"}, {1, map[string][]int{"ev": {50, 40}}, nil, "40"}, {2, map[string][]int{"ev": {45}}, nil, "40"},
		{3, map[string][]int{"ev": {61}}, nil, "51"}}},
	{"a filter moves no watermark and stops none", `SELECT ts FROM ev WHERE v > 1000`, []step{
		{0, map[string][]int{"ev": {50}}, nil, "40"}}},
	{"NULL moves nothing", `SELECT ts FROM ev`, []step{{0, map[string][]int{"ev": {-1}}, nil, "-"}}},
	{"a window's bound goes by its start", `SELECT window.start AS s, count(*) AS n FROM ev GROUP BY window(ts, '1 minute')`, []step{
		{0, map[string][]int{"ev": {100}}, nil, "60"}, {1, map[string][]int{"ev": {129}}, nil, "60"},
		{2, map[string][]int{"ev": {130}}, nil, "120"}}},
	{"a constant shifts it", `SELECT ts + INTERVAL '5' SECOND AS t FROM ev`, []step{{0, map[string][]int{"ev": {50}}, nil, "45"}}},
	{"UNION ALL takes the least", `SELECT ts FROM ev UNION ALL SELECT at FROM other`, []step{
		{0, map[string][]int{"ev": {100}}, nil, "-"}, {1, map[string][]int{"other": {30}}, nil, "25"},
		{2, map[string][]int{"other": {300}}, nil, "90"}}},
	{"an idle input holds nobody back, and one that wakes takes nothing back", `SELECT ts FROM ev UNION ALL SELECT ts FROM quiet`, []step{
		{0, map[string][]int{"ev": {100}, "quiet": {20}}, nil, "20"}, {1, nil, []string{"quiet"}, "90"},
		{2, map[string][]int{"quiet": {30}}, nil, "90"}, {3, map[string][]int{"ev": {200}, "quiet": {95}}, nil, "95"}}},
	{"all idle: it stands", `SELECT ts FROM quiet`, []step{
		{0, map[string][]int{"quiet": {20}}, nil, "20"}, {1, nil, []string{"quiet"}, "20"}}},
	{"a table that has been read holds nobody back", `SELECT ts FROM ev UNION ALL SELECT ts FROM fixed`, []step{
		{0, map[string][]int{"ev": {100}, "fixed": {500}}, nil, "90"}}},
	{"dedup passes it on", `SELECT ts FROM drop_duplicates(TABLE ev, DESCRIPTOR(k, ts))`, []step{
		{0, map[string][]int{"ev": {50}}, nil, "40"}}},
	{"a join with a table passes it on", `SELECT ev.ts FROM ev JOIN fixed ON ev.k = fixed.k`, []step{
		{0, map[string][]int{"ev": {50}}, nil, "40"}}},
	{"the trigger's time has one of its own", `SELECT window.start AS s, count(*) AS n FROM plain GROUP BY window(now(), '1 minute')`, []step{
		{30, nil, nil, "0"}, {61, nil, nil, "60"}, {200, nil, nil, "180"}}},
}

func TestFrontiers(t *testing.T) {
	for _, c := range frontierTests {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			g := w.graph(w.mode(c.sql, ast.EmitUpdate), 2)
			for i, st := range c.steps {
				g.now = st.at * second
				in := of("none")
				for name, times := range st.rows {
					s := timed()
					for _, x := range times {
						if x < 0 {
							s.rows = append(s.rows, row(nil, "k", 1))
							continue
						}
						s.rows = append(s.rows, row(int64(x)*second, "k", 1))
					}
					in = join(in, of(name, s))
				}
				for _, s := range g.Scans {
					s.Idle = false
					for _, name := range st.idle {
						s.Idle = s.Idle || s.Plan.Relation.Name == name
					}
				}
				g.must(in)
				if got := g.front(); got != st.want {
					t.Errorf("step %d: the frontier is %s, want %s", i, got, st.want)
				}
			}
		})
	}
}

// A restart goes on with the frontiers of the run before, those that outran an idle
// input included.
func TestFrontiersSurviveARestart(t *testing.T) {
	w := newWorld(t)
	q := w.plan(`SELECT ts FROM ev UNION ALL SELECT ts FROM quiet`)
	g := w.graph(q, 1)
	g.must(join(of("ev", timed(row(100, "a", 1))), of("quiet", timed(row(20, "a", 1)))))
	for _, s := range g.Scans {
		s.Idle = s.Plan.Relation.Name == "quiet"
	}
	g.must(nil)
	if got := g.front(); got != "90" {
		t.Fatalf("the frontier is %s", got)
	}
	again := w.graph(q, 1)
	for i, s := range g.Scans {
		again.Scans[i].Watermark, again.Scans[i].Idle = s.Watermark, false // it wakes
	}
	again.SetFronts(g.Fronts())
	if err := again.Resume(0, true); err != nil {
		t.Fatal(err)
	}
	if got := again.front(); got != "90" {
		t.Errorf("after the restart the frontier is %s, want 90", got)
	}
}

// Time alone makes a trigger due when a window has ended and holds something.
func TestDue(t *testing.T) {
	w := newWorld(t)
	g := w.graph(w.mode(`SELECT window.start AS s, count(*) AS n FROM plain GROUP BY window(now(), '1 minute')`, ast.EmitAppend), 1)
	g.now = 5 * second
	g.must(nil)
	if g.Due(200 * second) {
		t.Error("due, but nothing is kept")
	}
	g.now = 10 * second
	g.must(of("plain", pairs(row("a", 1), row("b", 2))))
	for at, want := range map[int64]bool{10: false, 30: false, 59: false, 60: true, 61: true, 600: true} {
		if got := g.Due(at * second); got != want {
			t.Errorf("due at %d s: %v", at, got)
		}
	}
	g.now = 61 * second
	_, rows := g.must(nil)
	same(t, "the window that ended", rows, "0s | 2")
	if g.Due(1000 * second) {
		t.Error("due again, but everything has been closed")
	}
}

// What only follows event time is never due, and a graph that asked is as before.
func TestDueChangesNothing(t *testing.T) {
	w := newWorld(t)
	g := w.graph(w.plan(`SELECT window.start AS s, count(*) AS n FROM ev GROUP BY window(ts, '1 minute')`), 1)
	g.must(of("ev", timed(row(100, "a", 1))))
	if g.Due(1 << 50) {
		t.Error("due, but no window is over the trigger's time")
	}
	x := w.graph(w.mode(`SELECT window.start AS s, count(*) AS n FROM plain GROUP BY window(now(), '1 minute')`, ast.EmitUpdate), 1)
	x.now = 10 * second
	x.must(of("plain", pairs(row("a", 1))))
	before := x.front()
	x.Due(500 * second)
	if x.front() != before {
		t.Errorf("asking moved the frontier from %s to %s", before, x.front())
	}
}
