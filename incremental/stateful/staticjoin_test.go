package stateful

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// stageOp makes an operator of stages, for the harness.
type stageOp struct {
	index  *StaticIndex
	own    *StaticJoin
	locals map[int]Stepper
}

type stageStep struct{ j *StaticJoin }

func (s stageStep) Step(t *Trigger, _ int, _ int64, b *vec.Batch, out Emit) error {
	return s.j.Process(t.Ctx, b, func(o *vec.Batch) error {
		o.MarkAll(vec.Contributed)
		return out(o)
	})
}

func (s *stageOp) Step(t *Trigger, port int, seq int64, b *vec.Batch, out Emit) error {
	return stageStep{s.own}.Step(t, port, seq, b, out)
}
func (s *stageOp) Local(worker int) Stepper {
	if s.locals[worker] == nil {
		s.locals[worker] = stageStep{s.index.Stage()}
	}
	return s.locals[worker]
}
func (s *stageOp) Flush(*Trigger, Emit) error              { return nil }
func (s *stageOp) Advance(*Trigger, [][]int64, Emit) error { return nil }
func (s *stageOp) LogState(Log) error                      { return nil }
func (s *stageOp) Load(key, value []byte) error            { return nil }
func (s *stageOp) Stats() Stats                            { return Stats{} }

// less is column a < column b, NULL if one is.
type less struct{ a, b int }

func (l less) Type() types.Type { return boolean }
func (l less) Eval(_ *fn.Ctx, b *vec.Batch) (*vec.Vector, error) {
	out := vec.NewBuilder(boolean)
	for r := range b.N {
		if x, y := b.Cols[l.a], b.Cols[l.b]; x.IsNull(r) || y.IsNull(r) {
			out.AppendNull()
		} else {
			out.AppendBool(x.Int(r) < y.Int(r))
		}
	}
	return out.Take(), nil
}
func (l less) String() string                     { return fmt.Sprintf("#%d < #%d", l.a, l.b) }
func (l less) Children() []expr.Node              { return nil }
func (l less) WithChildren([]expr.Node) expr.Node { return l }

// joinTwin joins by nested loops.
type joinTwin struct {
	cfg    StaticJoinConfig
	static [][]any
	rows   [][]any
}

func (j *joinTwin) take(c change) vec.Fate {
	if c.w > 0 {
		j.rows = append(j.rows, c.row)
	} else {
		j.rows = without(j.rows, c.row)
	}
	if len(j.joined(c.row)) == 0 {
		return vec.Filtered
	}
	return vec.Contributed
}

func (j *joinTwin) advance([]int64) {}
func (j *joinTwin) live() [][]any   { return j.rows }
func (j *joinTwin) want() bag {
	out := bag{}
	for _, r := range j.rows {
		for _, o := range j.joined(r) {
			out.add(o, 1)
		}
	}
	return out
}

// truth of a comparison: 1 true, 0 false, −1 unknown.
func equal3(a, b any, nullSafe bool) int {
	switch {
	case nullSafe && a == nil && b == nil:
		return 1
	case a == nil || b == nil:
		if nullSafe {
			return 0
		}
		return -1
	case a == b:
		return 1
	}
	return 0
}

func (j *joinTwin) keysMatch(in, st []any, from, to int) int {
	truth := 1
	for k := from; k < to; k++ {
		safe := j.cfg.NullSafe != nil && j.cfg.NullSafe[k]
		switch equal3(in[j.cfg.InputKeys[k]], st[j.cfg.StaticKeys[k]], safe) {
		case 0:
			return 0
		case -1:
			truth = -1
		}
	}
	return truth
}

func (j *joinTwin) joined(in []any) [][]any {
	var out [][]any
	unsure := false
	for _, st := range j.static {
		both := append(append([]any{}, in...), st...)
		if l, ok := j.cfg.Residual.(less); ok && !(both[l.a] != nil && both[l.b] != nil && both[l.a].(int64) < both[l.b].(int64)) {
			continue
		}
		n := j.cfg.NullAware
		if j.keysMatch(in, st, n, len(j.cfg.InputKeys)) != 1 {
			continue
		}
		if truth := j.keysMatch(in, st, 0, n); n > 0 && truth != 1 {
			unsure = unsure || truth == -1
			continue
		}
		out = append(out, both)
	}
	switch {
	case j.cfg.Kind == MarkJoin && len(out) == 0 && unsure:
		return [][]any{append(append([]any{}, in...), nil)}
	case j.cfg.Kind == MarkJoin:
		return [][]any{append(append([]any{}, in...), len(out) > 0)}
	case j.cfg.Kind == SemiJoin && len(out) > 0, j.cfg.Kind == AntiJoin && len(out) == 0 && !unsure:
		return [][]any{in}
	case j.cfg.Kind >= SemiJoin:
		return nil
	case j.cfg.Kind == LeftJoin && len(out) == 0:
		return [][]any{append(append([]any{}, in...), nil, nil, nil)}
	}
	return out
}

var joinInput = []types.Type{bigint, text, bigint}

func joinRow(rng *rand.Rand, _ int) []any {
	return []any{pick(rng, int64(1), int64(2), int64(3)), pick(rng, "a", "b"), pick(rng, int64(1), int64(2), int64(3))}
}

func joinCase(name string, cfg StaticJoinConfig, static [][]any, retract bool) *opCase {
	cfg.Name, cfg.StaticTypes = name, joinInput
	for _, k := range cfg.InputKeys {
		cfg.KeyTypes = append(cfg.KeyTypes, joinInput[k])
	}
	return &opCase{name: name, types: joinInput, row: joinRow, retract: retract,
		fronts: func(int) []int64 { return nil },
		twin:   func() twin { return &joinTwin{cfg: cfg, static: static} },
		make: func(t tester) Operator {
			bs := vec.NewBuilders(joinInput)
			for _, r := range static {
				for i, x := range r {
					bs[i].AppendAny(x)
				}
			}
			b := vec.NewBatch(bs[0].Take(), bs[1].Take(), bs[2].Take())
			index, err := NewStaticIndex(cfg, []*vec.Batch{b})
			if err != nil {
				t.Fatalf("%v", err)
			}
			return &stageOp{index: index, own: index.Stage(), locals: map[int]Stepper{}}
		}}
}

func staticSides(seed uint64) map[string][][]any {
	rng := rand.New(rand.NewPCG(seed, 3))
	var many [][]any
	for range 9 {
		many = append(many, joinRow(rng, 0))
	}
	return map[string][][]any{
		"empty":  nil,
		"unique": {{int64(1), "a", int64(2)}, {int64(2), "b", nil}, {nil, "a", int64(3)}},
		"many":   many,
	}
}

func joinCases() []*opCase {
	var out []*opCase
	for _, kind := range []JoinKind{InnerJoin, LeftJoin, SemiJoin, AntiJoin, MarkJoin} {
		for side, rows := range staticSides(uint64(kind)) {
			name := fmt.Sprint(kind, " ", side)
			out = append(out,
				joinCase(name, StaticJoinConfig{Kind: kind, InputKeys: []int{0}, StaticKeys: []int{0}}, rows, true),
				joinCase(name+" null safe", StaticJoinConfig{Kind: kind, InputKeys: []int{1, 0}, StaticKeys: []int{1, 0}, NullSafe: []bool{false, true}}, rows, false),
				joinCase(name+" residual", StaticJoinConfig{Kind: kind, InputKeys: []int{1}, StaticKeys: []int{1}, Residual: less{2, 5}}, rows, true),
				joinCase(name+" cross", StaticJoinConfig{Kind: kind}, rows, true))
			if kind >= AntiJoin {
				out = append(out,
					joinCase(name+" in", StaticJoinConfig{Kind: kind, InputKeys: []int{0}, StaticKeys: []int{0}, NullAware: 1}, rows, true),
					joinCase(name+" in two", StaticJoinConfig{Kind: kind, InputKeys: []int{0, 2}, StaticKeys: []int{0, 2}, NullAware: 2}, rows, true),
					joinCase(name+" correlated in", StaticJoinConfig{Kind: kind, InputKeys: []int{0, 1}, StaticKeys: []int{0, 1}, NullAware: 1}, rows, true),
					joinCase(name+" in with residual", StaticJoinConfig{Kind: kind, InputKeys: []int{0, 1}, StaticKeys: []int{0, 1}, NullAware: 1, Residual: less{2, 5}}, rows, true),
					joinCase(name+" in two with residual", StaticJoinConfig{Kind: kind, InputKeys: []int{0, 2}, StaticKeys: []int{0, 2}, NullAware: 2, Residual: less{2, 5}}, rows, true))
			}
		}
	}
	return out
}

func TestStaticJoin(t *testing.T) { playAll(t, joinCases(), 2) }

func TestStaticJoinSingle(t *testing.T) {
	c := joinCase("scalar", StaticJoinConfig{Kind: LeftJoin, InputKeys: []int{0}, StaticKeys: []int{0}, Single: true},
		[][]any{{int64(1), "a", nil}, {int64(1), "b", nil}}, false)
	r := c.newRun(t, variant{batch: 5})
	b := r.batch([]change{{[]any{int64(1), nil, nil}, 1}})
	if err := r.op.Step(&Trigger{Ctx: &fn.Ctx{}}, 0, 0, b, func(*vec.Batch) error { return nil }); err == nil {
		t.Fatal("two rows of a scalar subquery must be an error")
	}
}
