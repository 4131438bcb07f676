package planner

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// Expressions over the event time, and in which zones their frontier is kept: "u" in
// UTC, "p" in Europe/Paris.
var timeExprs = []struct{ sql, kept string }{
	{"ts", "up"},
	{"ts + INTERVAL '1' HOUR", "up"},
	{"ts - INTERVAL '90 minutes'", "up"},
	{"ts + INTERVAL '1' DAY", "u"},
	{"date_trunc('hour', ts)", "u"},
	{"date_trunc('day', ts)", "up"},
	{"date_trunc('month', ts)", "up"},
	{"CAST(ts AS DATE)", "up"},
	{"CAST(CAST(ts AS DATE) AS TIMESTAMP)", "up"},
	{"CAST(ts AS TIMESTAMP_NTZ)", "u"},
	{"window(ts, '10 minutes').start", "up"},
	{"window(ts, '10 minutes').end", "up"},
	{"window(ts, '1 hour', '20 minutes', '5 minutes').start", "up"},
	{"window(ts, '1 day').start", "up"},
	{"window(ts, '7 days').end", "up"},
	{"window_time(window(ts, '1 day'))", "up"},
	{"time_bucket('15 minutes', ts + INTERVAL '3' MINUTE)", "up"},
	{"window(window_time(window(ts, '7 minutes')), '30 minutes').start", "up"},
	{"unix_micros(ts)", "up"},
	{"CASE WHEN v > 1 THEN ts END", ""},
	{"TIMESTAMP '2024-01-01' - ts", ""},
	{"ts - (TIMESTAMP '2024-01-01' - ts)", ""},
	{"hour(ts)", ""},
}

// TestFrontiersArePromises: for a ≤ b, the expression of b is at least the frontier
// derived from a.
func TestFrontiersArePromises(t *testing.T) {
	paris, err := time.LoadLocation("Europe/Paris")
	if err != nil {
		t.Fatal(err)
	}
	for zone, loc := range map[string]*time.Location{"u": time.UTC, "p": paris} {
		for _, c := range timeExprs {
			s := newSession(t)
			s.set.Zone = loc
			root := s.plan("SELECT " + c.sql + " AS x FROM events").Outputs[0].Input
			kept := len(root.Props().Frontiers) > 0
			if want := contains(c.kept, zone); kept != want {
				t.Errorf("%s in %s: frontier %t, want %t", c.sql, loc, kept, want)
			}
			if kept {
				checkPromise(t, c.sql, root, loc)
			}
		}
	}
}

func contains(text, part string) bool {
	for i := range text {
		if text[i:i+1] == part {
			return true
		}
	}
	return false
}

// checkPromise draws pairs of times around changes of daylight saving and compares.
func checkPromise(t *testing.T, sql string, root physical.Node, loc *time.Location) {
	rng := rand.New(rand.NewPCG(1, 2))
	base := []int64{time.Date(2024, 3, 31, 0, 0, 0, 0, time.UTC).UnixMicro(), time.Date(2024, 10, 27, 0, 0, 0, 0, time.UTC).UnixMicro(), -5_000_000}
	for range 2000 {
		a := base[rng.IntN(3)] + rng.Int64N(6*3_600_000_000)
		b := a + rng.Int64N(3*3_600_000_000)
		front := frontier(t, root, 0, nil, a, loc)
		for _, v := range results(t, root, b, loc) {
			if v < front {
				t.Fatalf("%s in %s: frontier %d of %d, but %d gives %d", sql, loc, front, a, b, v)
			}
		}
	}
}

// frontier follows the rules down to the scan, whose watermark is w.
func frontier(t *testing.T, n physical.Node, col int, path []int, w int64, loc *time.Location) int64 {
	if _, ok := n.(*physical.Scan); ok {
		return w
	}
	f := n.Props().Frontiers[n.Props().FrontierOf(col, path...)]
	r := f.Rules[0]
	child := n.Children()[r.Child]
	cf := child.Props().Frontiers[r.Front]
	v := frontier(t, child, cf.Col, cf.Path, w, loc)
	if r.Expr == nil {
		return v
	}
	typ := child.Props().Columns[cf.Col].Type
	for _, i := range cf.Path {
		typ = typ.Fields[i].Type
	}
	return eval(t, r.Expr, []*vec.Vector{{Type: typ, N: 1, I64: []int64{v}}}, loc)
}

// results are the values of the only output column for a row with this time.
func results(t *testing.T, n physical.Node, ts int64, loc *time.Location) []int64 {
	switch x := n.(type) {
	case *physical.Project:
		var out []int64
		for _, in := range rows(t, x.Input, ts) {
			out = append(out, eval(t, x.Exprs[0], in, loc))
		}
		return out
	}
	var out []int64
	for _, in := range rows(t, n, ts) {
		out = append(out, in[0].I64[0])
	}
	return out
}

// rows are the columns below the projection: the scan's, times the windows of a Hop.
func rows(t *testing.T, n physical.Node, ts int64) [][]*vec.Vector {
	switch x := n.(type) {
	case *physical.Scan:
		var cols []*vec.Vector
		for _, c := range x.P.Columns {
			v := &vec.Vector{Type: c.Type, N: 1, I64: []int64{0}}
			if c.Name == "ts" {
				v.I64[0] = ts
			}
			cols = append(cols, v)
		}
		return [][]*vec.Vector{cols}
	case *physical.Filter:
		return rows(t, x.Input, ts)
	case *physical.Hop:
		in := rows(t, x.Input, ts)[0]
		var out [][]*vec.Vector
		w := x.Window
		for s := w.Offset - 1_000_000*w.Slide; s <= ts; s += w.Slide {
			first := (ts-w.Size-w.Offset)/w.Slide - 2
			s = max(s, w.Offset+first*w.Slide)
			if s <= ts && ts < s+w.Size {
				out = append(out, append(append([]*vec.Vector(nil), in...), &vec.Vector{Type: types.Of(types.Timestamp), N: 1, I64: []int64{s}}))
			}
		}
		return out
	}
	t.Fatalf("no rows of %T", n)
	return nil
}

func eval(t *testing.T, e expr.Node, cols []*vec.Vector, loc *time.Location) int64 {
	v, err := e.Eval(&fn.Ctx{Zone: loc}, &vec.Batch{Cols: cols, N: 1})
	if err != nil {
		t.Fatal(err)
	}
	return v.Int(0)
}
