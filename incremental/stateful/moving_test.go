package stateful

import (
	"testing"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// age is how many tens of ticks a time lies back, at most 3, NULL for NULL: what it gives
// for a row changes a few times.
func age(at, now any) any {
	if at == nil {
		return nil
	}
	return max(0, min((now.(int64)-at.(int64))/10, 3))
}

// movingExprs are the text, the age of the time, and the tens of the present.
func movingExprs() []expr.Node {
	present := &fn.Scalar{Name: "present", Volatility: fn.Stable}
	now := expr.NewCall(present, fn.Impl{Result: stamp, Eval: func(c *fn.Ctx, _ []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		v := &vec.Vector{Type: stamp, N: rows.N, I64: make([]int64, rows.N)}
		for i := range v.I64 {
			v.I64[i] = c.Now
		}
		return v, nil
	}}, nil)
	aged := fn.Impl{Args: []types.Type{stamp, stamp}, Result: bigint, Eval: func(_ *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := vec.NewBuilder(bigint)
		for i := range rows.N {
			var at any
			if !args[0].IsNull(i) {
				at = args[0].Int(i)
			}
			out.AppendAny(age(at, args[1].Int(i)))
		}
		return out.Finish(), nil
	}}
	return []expr.Node{&expr.Column{Index: 1, Name: "k", T: text}, expr.NewCall(&fn.Scalar{Name: "age"}, aged, []expr.Node{&expr.Column{Name: "at", T: stamp}, now})}
}

// movingTimes stand still in every third trigger.
func movingTimes(trigger int) []int64 { return []int64{int64(trigger-trigger%3/2) * 10} }

// movingTwin keeps every row and computes all of them at the time of the trigger.
type movingTwin struct {
	trigger int
	now     int64
	rows    [][]any
}

func (m *movingTwin) take(ch change) vec.Fate {
	if ch.w > 0 {
		m.rows = append(m.rows, ch.row)
	} else {
		m.rows = without(m.rows, ch.row)
	}
	return vec.Contributed
}

func (m *movingTwin) advance([]int64) {
	m.now = movingTimes(m.trigger)[0]
	m.trigger++
}

func (m *movingTwin) live() [][]any { return m.rows }

func (m *movingTwin) want() bag {
	out := bag{}
	for _, r := range m.rows {
		out.add([]any{r[1], age(r[0], m.now)}, 1)
	}
	return out
}

func movingCases() []*opCase {
	return []*opCase{{name: "k, age(at, now)", types: dedupInput, row: dedupRow, fronts: movingTimes, retract: true,
		twin: func() twin { return &movingTwin{} },
		make: func(tester) Operator {
			return NewMoving(MovingConfig{Name: "moving", Types: dedupInput, Exprs: movingExprs()})
		}}}
}

func TestMoving(t *testing.T) { playAll(t, movingCases(), 30) }

// An empty trigger is due when a row has another value.
func TestMovingIsDue(t *testing.T) {
	op := NewMoving(MovingConfig{Name: "moving", Types: dedupInput, Exprs: movingExprs()})
	none := func(*vec.Batch) error { return nil }
	at := &Trigger{Ctx: &fn.Ctx{Now: 10}}
	row := vec.NewBuilders(dedupInput)
	for i, x := range []any{int64(5), "a", int64(1)} {
		row[i].AppendAny(x)
	}
	if err := op.Step(at, 0, 0, &vec.Batch{N: 1, Cols: []*vec.Vector{row[0].Take(), row[1].Take(), row[2].Take()}}, none); err != nil {
		t.Fatal(err)
	}
	if err := op.Flush(at, none); err != nil {
		t.Fatal(err)
	}
	for now, want := range map[int64]bool{10: false, 14: false, 15: true, 99: true} {
		if got := op.Due(&fn.Ctx{Now: now}); got != want {
			t.Errorf("at %d: due is %v", now, got)
		}
	}
}
