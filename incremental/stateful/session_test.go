package stateful

import (
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Rows of the session tests are (at, key, value, flag, till); the key is NULL now and then.
var sessionInput = []types.Type{stamp, text, bigint, boolean, stamp}

// sessionTwin keeps every row that was on time, and forms sessions anew.
type sessionTwin struct {
	perRow, onClose, aggregated, bounded bool
	bound                                int64
	rows                                 [][]any
}

func (s *sessionTwin) take(c change) vec.Fate {
	if s.bounded && c.row[0].(int64) < s.bound {
		return vec.Late
	}
	if c.w > 0 {
		s.rows = append(s.rows, c.row)
	} else {
		s.rows = without(s.rows, c.row)
	}
	return vec.Contributed
}

func (s *sessionTwin) advance(fronts []int64) {
	if s.bounded {
		s.bound = fronts[0]
	}
}

func (s *sessionTwin) live() [][]any { return s.rows }

func (s *sessionTwin) want() bag {
	out := bag{}
	for _, rows := range s.sessions() {
		start, end := rows[0][0].(int64), rows[0][4].(int64)
		for _, r := range rows {
			end = max(end, r[4].(int64))
		}
		if s.onClose && end > s.bound {
			continue
		}
		if s.aggregated {
			out.add(append([]any{start, end, rows[0][1]}, naiveAggs(rows)...), 1)
			continue
		}
		for _, r := range rows {
			out.add(append(slices.Clone(r), start, end), 1)
		}
	}
	return out
}

// sessions lists the rows of each session in order of time.
func (s *sessionTwin) sessions() [][][]any {
	rows := slices.Clone(s.rows)
	sort.SliceStable(rows, func(i, j int) bool { return rows[i][0].(int64) < rows[j][0].(int64) })
	var out [][][]any
	last := map[any]int{} // by key: its session
	ends := map[any]int64{}
	for _, r := range rows {
		at, till := r[0].(int64), r[4].(int64)
		if i, ok := last[r[1]]; ok && at < ends[r[1]] {
			out[i] = append(out[i], r)
		} else {
			last[r[1]], ends[r[1]] = len(out), till
			out = append(out, [][]any{r})
		}
		ends[r[1]] = max(ends[r[1]], till)
	}
	return out
}

func sessionRowOf(perRow bool) func(rng *rand.Rand, trigger int) []any {
	return func(rng *rand.Rand, trigger int) []any {
		at := int64(trigger)*10 + []int64{-20, -15, -10, -5, 0, 0, 5, 10}[rng.IntN(8)]
		gap := int64(10)
		if perRow {
			gap = []int64{1, 5, 10, 30}[rng.IntN(4)]
		}
		return []any{at, pick(rng, "a", "b"), pick(rng, int64(1), int64(2), int64(3)), pick(rng, true, false), at + gap}
	}
}

// closingFronts close everything at the end of the history.
func closingFronts(trigger int) []int64 {
	if trigger == historyTriggers-1 {
		return []int64{EndOfInput}
	}
	return aggFronts(trigger)
}

func sessionCase(name string, tw sessionTwin, retract bool) *opCase {
	c := &opCase{name: name, types: sessionInput, row: sessionRowOf(tw.perRow), fronts: aggFronts, ordered: true, net: true, retract: retract,
		twin: func() twin {
			s := tw
			s.bound = NoFrontier
			return &s
		}}
	if retract && tw.bounded {
		c.fronts = closingFronts
	}
	front := -1
	if tw.bounded {
		front = 0
	}
	c.make = func(t tester) Operator {
		var op Operator
		var err error
		if tw.aggregated {
			op, err = NewSessionAggregate(SessionAggregateConfig{Name: name, Keys: []int{0, 4, 1}, KeyTypes: []types.Type{stamp, stamp, text},
				Start: 0, End: 1, Aggs: testAggs(t), Front: front, EmitOnClose: tw.onClose})
		} else {
			op, err = NewSession(SessionConfig{Name: name, Types: sessionInput, Partition: []int{1}, Time: 0, End: 4, Front: front, EmitOnClose: tw.onClose})
		}
		if err != nil {
			t.Fatalf("%v", err)
		}
		return op
	}
	return c
}

func sessionCases() []*opCase {
	return []*opCase{
		sessionCase("aggregate", sessionTwin{aggregated: true}, false),
		sessionCase("aggregate, bounded", sessionTwin{aggregated: true, bounded: true}, false),
		sessionCase("aggregate, on close", sessionTwin{aggregated: true, bounded: true, onClose: true}, false),
		sessionCase("aggregate, gap of the row", sessionTwin{aggregated: true, bounded: true, perRow: true}, false),
		sessionCase("aggregate, gap of the row, on close", sessionTwin{aggregated: true, bounded: true, perRow: true, onClose: true}, false),
		sessionCase("rows", sessionTwin{}, true),
		sessionCase("rows, added only", sessionTwin{bounded: true, perRow: true}, false),
		sessionCase("rows, bounded", sessionTwin{bounded: true}, true),
		sessionCase("rows, on close", sessionTwin{bounded: true, onClose: true}, true),
		sessionCase("rows, gap of the row", sessionTwin{bounded: true, perRow: true}, true),
		sessionCase("rows, gap of the row, on close", sessionTwin{bounded: true, perRow: true, onClose: true}, true),
	}
}

func TestSession(t *testing.T) { playAll(t, sessionCases(), 30) }

// The least start of an open session is promised, and nothing below it comes out.
func TestSessionFront(t *testing.T) {
	for _, c := range sessionCases() {
		for seed := range uint64(20) {
			sessionPromise(t, c, seed)
		}
	}
}

func sessionPromise(t *testing.T, c *opCase, seed uint64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 3))
	tw, r := c.twin(), c.newRun(t, variant{batch: 2, restart: seed%2 == 0})
	bounded := tw.(*sessionTwin).bounded
	promise, above := int64(NoFrontier), int64(NoFrontier)
	for trigger := range historyTriggers {
		changes, _ := c.changes(rng, tw, trigger)
		delta, fronts := bag{}, c.fronts(trigger)
		tr := &Trigger{BatchID: int64(trigger), Ctx: &fn.Ctx{}}
		emit := func(b *vec.Batch) error {
			for i := range b.Rows() {
				start, end := b.Cols[0], b.Cols[1]
				if !tw.(*sessionTwin).aggregated {
					start, end = b.Cols[5], b.Cols[6]
				}
				if s := start.Int(b.Row(i)); bounded && (s < promise || end.Int(b.Row(i)) < above) {
					t.Errorf("%s seed %d trigger %d: start %d end %d under promises %d and %d", c.name, seed, trigger, s, end.Int(b.Row(i)), promise, above)
				}
				delta["rows"]++
			}
			return nil
		}
		tw.advance(fronts)
		r.play(t, tr, changes, fronts, emit)
		next := min(fronts[0], r.op.(Fronted).OwnFront())
		if bounded && next < promise {
			t.Errorf("%s seed %d trigger %d: the promise goes back from %d to %d", c.name, seed, trigger, promise, next)
		}
		promise = next
		if above = fronts[0]; above != NoFrontier && above != EndOfInput {
			above++
		}
	}
}

// play runs a trigger with rows going to emit.
func (r *run) play(t tester, tr *Trigger, changes []change, fronts []int64, emit Emit) {
	t.Helper()
	r.step(t, tr, changes, emit)
	if err := r.op.Flush(tr, emit); err != nil {
		t.Fatalf("flush: %v", err)
	}
	if err := r.op.Advance(tr, [][]int64{fronts}, emit); err != nil {
		t.Fatalf("advance: %v", err)
	}
	if err := r.op.LogState(r.log); err != nil {
		t.Fatalf("log: %v", err)
	}
	if r.v.restart {
		r.op = r.c.make(t)
		r.log.load(t, r.op)
	}
}

// The rows that an operator shows of its state are those that it has emitted.
func TestSessionState(t *testing.T) {
	for _, c := range []*opCase{sessionCases()[0], sessionCases()[5]} {
		rng := rand.New(rand.NewPCG(4, 4))
		tw, r := c.twin(), c.newRun(t, variant{batch: 3, restart: true})
		for trigger := range historyTriggers {
			changes, _ := c.changes(rng, tw, trigger)
			r.trigger(t, trigger, changes, c.fronts(trigger))
		}
		shown := bag{}
		err := r.op.(Readable).Rows(&fn.Ctx{}, func(b *vec.Batch) error {
			for i := range b.N {
				row := make([]any, len(b.Cols))
				for k, col := range b.Cols {
					row[k] = vec.ToAny(col, i)
				}
				shown.add(row, b.Weight(i))
			}
			return nil
		})
		if err != nil || shown.String() != tw.want().String() {
			t.Errorf("%s: %v\n%s\nwant\n%s", c.name, err, shown, tw.want())
		}
	}
}
