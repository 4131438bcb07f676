package planner

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// Conditions on the times of two streams: which side they bound, of e and o.
var timeBounds = []struct{ sql, keeps string }{
	{"e.ts = o.at", "eo"},
	{"e.ts >= o.at", "e"},
	{"e.ts < o.at", "o"},
	{"e.ts BETWEEN o.at - INTERVAL '1' HOUR AND o.at + INTERVAL '5' MINUTE", "eo"},
	{"e.ts - o.at <= INTERVAL '10' MINUTE AND o.at <= e.ts", "eo"},
	{"o.at - INTERVAL '1' DAY < e.ts AND e.ts < o.at + INTERVAL '1' DAY", "eo"},
	{"e.ts + INTERVAL '1' MONTH > o.at AND e.ts <= o.at", "eo"},
	{"window(e.ts, '10 minutes') = window(o.at, '10 minutes')", "eo"},
	{"window(e.ts, '10 minutes').start = window(o.at, '1 hour').start", "eo"},
	{"date_trunc('hour', e.ts) = date_trunc('hour', o.at)", "eo"},
	{"CAST(e.ts AS DATE) = CAST(o.at AS DATE)", "eo"},
	{"CAST(e.ts AS DATE) - CAST(o.at AS DATE) = INTERVAL '0' DAY", ""},
	{"e.ts = o.at + INTERVAL '1' HOUR AND e.v = o.v", "eo"},
	{"e.ts > TIMESTAMP '2024-01-01 00:00:00' AND o.at < TIMESTAMP '2025-01-01 00:00:00'", ""},
	{"e.ts IS NOT DISTINCT FROM o.at", ""},
	{"e.ts >= o.at OR e.v = o.v", ""},
	{"e.ts - INTERVAL '2 hours 30 minutes' >= o.at - INTERVAL '1 day 02:00:00' AND NOT e.ts > o.at + INTERVAL '1' DAY", "e"},
	{"unix_seconds(e.ts) = unix_seconds(o.at) + 3", "eo"},
}

// TestJoinBoundsArePromises: two rows that match lie within what the join keeps, and above
// what its frontiers say of a new row of the other side.
func TestJoinBoundsArePromises(t *testing.T) {
	paris, err := time.LoadLocation("Europe/Paris")
	if err != nil {
		t.Fatal(err)
	}
	matched := 0
	for _, zone := range []*time.Location{time.UTC, paris} {
		for _, c := range timeBounds {
			s := newSession(t)
			s.set.Zone = zone
			root := s.plan("SELECT e.ts, o.at, e.v, o.v FROM events e JOIN other o ON " + c.sql).Outputs[0].Input
			var j *physical.Join
			physical.Walk(root, func(n physical.Node) {
				if x, ok := n.(*physical.Join); ok {
					j = x
				}
			})
			kept := ""
			for side, s := range j.Sides {
				if s.Keep != nil {
					kept += "eo"[side : side+1]
				}
			}
			if kept != c.keeps && zone == time.UTC {
				t.Errorf("%s: bounds %q, want %q", c.sql, kept, c.keeps)
			}
			p := &pairs{t: t, sql: c.sql, zone: zone, j: j, rng: rand.New(rand.NewPCG(3, 4))}
			matched += p.check()
		}
	}
	if matched < 5000 {
		t.Errorf("only %d pairs matched", matched)
	}
}

// pairs draws rows of both sides and holds those that match to the promises.
type pairs struct {
	t    *testing.T
	sql  string
	zone *time.Location
	j    *physical.Join
	rng  *rand.Rand
}

func (p *pairs) check() (matched int) {
	base := []int64{time.Date(2024, 3, 31, 0, 0, 0, 0, time.UTC).UnixMicro(), time.Date(2024, 10, 27, 0, 0, 0, 0, time.UTC).UnixMicro(), -5_000_000}
	for range 3000 {
		at := base[p.rng.IntN(3)] + p.rng.Int64N(200)*60_000_000
		gap := []int64{0, 0, 3_000_000, 60_000_000, 3_600_000_000, 86_400_000_000, 82_800_000_000, 90_000_000_000, 29 * 86_400_000_000}[p.rng.IntN(9)]
		other := at + gap*int64(p.rng.IntN(3)-1) + p.rng.Int64N(3) - 1
		l, r := p.row(p.j.L, at), p.row(p.j.R, other)
		if p.match(l, r) {
			matched++
			p.promises([2]*vec.Batch{l, r})
		}
	}
	return matched
}

// row is a row of an edge: the columns of the scan, and what projections make of them.
func (p *pairs) row(n physical.Node, at int64) *vec.Batch {
	switch x := n.(type) {
	case *physical.Scan:
		b := &vec.Batch{N: 1}
		for _, c := range x.P.Columns {
			v := int64(1)
			if c.Type.Kind == types.Timestamp {
				v = at
			}
			b.Cols = append(b.Cols, vec.FromAny(c.Type, v))
		}
		return b
	case *physical.Project:
		in := p.row(x.Input, at)
		b := &vec.Batch{N: 1}
		for _, e := range x.Exprs {
			b.Cols = append(b.Cols, p.eval(e, in))
		}
		return b
	}
	return p.row(n.Children()[0], at)
}

func (p *pairs) eval(e expr.Node, b *vec.Batch) *vec.Vector {
	v, err := e.Eval(&fn.Ctx{Zone: p.zone}, b)
	if err != nil {
		p.t.Fatal(err)
	}
	return vec.Flatten(v)
}

func (p *pairs) match(l, r *vec.Batch) bool {
	for i := range p.j.LKeys {
		if !vec.Equal(l.Cols[p.j.LKeys[i]], 0, r.Cols[p.j.RKeys[i]], 0) {
			return false
		}
	}
	both := &vec.Batch{N: 1, Cols: append(append([]*vec.Vector{}, l.Cols...), r.Cols...)}
	return p.j.Residual == nil || p.eval(p.j.Residual, both).IsTrue(0)
}

func (p *pairs) promises(rows [2]*vec.Batch) {
	value := func(side, col int) int64 { return rows[side].Cols[col].Int(0) }
	edge := func(side, front int) physical.Frontier { return p.j.Children()[side].Props().Frontiers[front] }
	for side, s := range p.j.Sides {
		if k := s.Keep; k != nil && value(side, k.Col)+k.Shift < value(1-side, edge(1-side, k.Front).Col) {
			p.t.Fatalf("%s in %s: side %d is forgotten before its match: %s", p.sql, p.zone, side, p.text(rows))
		}
	}
	for _, f := range p.j.P.Frontiers {
		side, col := 0, f.Col
		if width := len(rows[0].Cols); col >= width {
			side, col = 1, col-width
		}
		for _, r := range f.Rules {
			if value(side, col) < value(r.Child, edge(r.Child, r.Front).Col)+r.Shift {
				p.t.Fatalf("%s in %s: column %s is below what a new row of side %d promises: %s", p.sql, p.zone, p.j.P.Columns[f.Col].Name, r.Child, p.text(rows))
			}
		}
	}
}

func (p *pairs) text(rows [2]*vec.Batch) string {
	out := ""
	for _, b := range rows {
		for _, c := range b.Cols {
			out += fmt.Sprint(vec.RowString(c, 0, p.zone), " | ")
		}
	}
	return out
}
