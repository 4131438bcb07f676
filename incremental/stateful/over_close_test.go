package stateful

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sqlstream/sqlstream/exec/fn"
)

// heldTwin says which rows are final by trying: their values are the same whatever comes at
// the bound.
type heldTwin struct {
	overTwin
	ahead int64 // by how much the limit of a row is greater than its key
}

func (w *heldTwin) want() bag {
	if w.bound == EndOfInput {
		return overAll(w.cfg, w.names, w.rows)
	}
	out := bag{}
	parts := map[any][][]any{}
	for _, r := range w.rows {
		parts[r[overG]] = append(parts[r[overG]], r)
	}
	ahead := w.ahead
	for g, rows := range parts {
		rows = slices.DeleteFunc(rows, func(r []any) bool { return r[overK] == nil || r[overK].(int64) >= w.bound })
		first := w.values(rows)
		final := make([]bool, len(rows))
		for i := range final {
			final[i] = true
		}
		for _, v := range []any{int64(-1), nil} {
			for copies := 1; copies <= 3; copies++ {
				more := slices.Clone(rows)
				for range copies {
					more = append(more, []any{g, w.bound, v, w.bound - overBack, w.bound + ahead})
				}
				for i, row := range w.values(more)[:len(rows)] {
					final[i] = final[i] && rowText(row) == rowText(first[i])
				}
			}
		}
		for i, row := range first {
			if final[i] {
				out.add(row, 1)
			}
		}
	}
	return out
}

// values are the output rows of a partition, in order.
func (w *heldTwin) values(rows [][]any) [][]any {
	n := &naiveOver{w.cfg, w.names, slices.Clone(rows)}
	slices.SortFunc(n.rows, n.compare)
	var out [][]any
	for i, r := range n.rows {
		row := slices.Clone(r[:overVisible])
		for f := range w.cfg.Funcs {
			row = append(row, n.value(&w.cfg.Funcs[f], i))
		}
		out = append(out, row)
	}
	return out
}

// overHeld are cases of append mode.
func overHeld() []*opCase {
	held := func(name string, back, rows int64, forgets bool, change func(s *overFuncs)) *opCase {
		c := overCase(name, false, true, func(c *OverConfig, s *overFuncs) {
			c.Bound, c.EmitOnClose = overK, true
			if forgets {
				c.Keep = func(f int64) OverKeep { return OverKeep{At: f, From: f - back, Rows: rows} }
			}
			change(s)
		})
		plain := c.twin
		c.twin = func() twin { return &heldTwin{*plain().(*overTwin), overAhead} }
		return stepped(c, overK)
	}
	held2 := func(c *opCase) *opCase {
		plain := c.twin
		c.twin = func() twin {
			w := plain().(*heldTwin)
			w.ahead = sessionGap
			return w
		}
		return gapped(c, 1)
	}
	list := func(u fn.FrameUnit, start, end OverBound) func(s *overFuncs) {
		return func(s *overFuncs) { s.agg("list", OverFrame{Unit: u, Start: start, End: end}) }
	}
	return []*opCase{
		held("held rows", 0, 1, true, func(s *overFuncs) {
			list(fn.FrameRows, preceding(1), following(2))(s)
			s.window(fn.Lag, 1, OverFrame{}, false, overV)
		}),
		held("held lead", 0, 0, true, func(s *overFuncs) { s.window(fn.Lead, 1, OverFrame{}, false, overV) }),
		held("held range", overBack, 0, true, list(fn.FrameRange, preceding(overBack), following(overAhead))),
		held("held groups", 0, 0, true, list(fn.FrameGroups, overHere, following(1))),
		held("held range and rows", overBack, 2, true, func(s *overFuncs) {
			list(fn.FrameRange, preceding(overBack), following(overAhead))(s)
			list(fn.FrameRows, preceding(2), following(1))(s)
			s.window(fn.Lead, 2, OverFrame{}, false, overV)
		}),
		held2(held("held session", 0, 0, true, sessionFrames)),
		held2(held("held session and rows", 0, 1, true, func(s *overFuncs) {
			sessionFrames(s)
			list(fn.FrameRows, preceding(1), following(1))(s)
		})),
		held("held from the first", 0, 0, false, func(s *overFuncs) {
			list(fn.FrameRows, overFirst, following(1))(s)
			s.window(fn.Lead, 2, OverFrame{}, true, overV)
			s.window(fn.RowNumber, 0, OverFrame{}, false)
		}),
	}
}

// sessionGap is that of the sessions under test.
const sessionGap = 2

// gapped gives the rows of a case the limit of sessions.
func gapped(c *opCase, sign int64) *opCase {
	row := c.row
	c.row = func(rng *rand.Rand, trigger int) []any {
		r := row(rng, trigger)
		if k, ok := r[overK].(int64); ok {
			r[overHi] = k + sign*sessionGap
		}
		return r
	}
	return c
}

func sessionFrames(s *overFuncs) {
	limit := func(k fn.BoundKind) OverBound { return OverBound{Kind: k, Limit: overHi} }
	f := OverFrame{Unit: fn.FrameSession, Start: limit(fn.Preceding), End: limit(fn.Following)}
	s.agg("list", f)
	f.Exclude = fn.ExcludeCurrentRow
	s.agg("sum", f)
}

// overSessions are cases of rows that come and go.
func overSessions() []*opCase {
	var out []*opCase
	for _, desc := range []bool{false, true} {
		sign := int64(1)
		if desc {
			sign = -1
		}
		out = append(out, gapped(overCase(fmt.Sprint("session desc=", desc), desc, desc, func(_ *OverConfig, s *overFuncs) { sessionFrames(s) }), sign))
	}
	return out
}

func TestOverSessions(t *testing.T) { playAll(t, overSessions(), 10) }

func TestOverHeld(t *testing.T) { playAll(t, overHeld(), 20) }
