package stateful

import (
	"fmt"
	"testing"

	"github.com/sqlstream/sqlstream/exec/types"
)

var allKinds = []JoinKind{InnerJoin, LeftJoin, SemiJoin, AntiJoin, FullJoin, MarkJoin}

func (k JoinKind) String() string {
	return [...]string{"inner", "left", "semi", "anti", "full", "mark"}[k]
}

// shape is what joins of all kinds are tested with.
type shape struct {
	name      string
	keys      []int
	nullSafe  []bool
	residual  *pairTest
	nullAware int
	keep      [2]*JoinKeep
	late      bool
	ends      [2]int
	expiry    bool
}

// bandKeep is the retention that bandTest allows.
var bandKeep = [2]*JoinKeep{{Col: timeCol, Shift: 10}, {Col: timeCol, Shift: 5}}

// equalKeep is the retention of an equality of times.
var equalKeep = [2]*JoinKeep{{Col: timeCol}, {Col: timeCol}}

// endKeep keeps rows until the other input ends.
var endKeep = [2]*JoinKeep{{Col: -1, Front: 1}, {Col: -1, Front: 1}}

var shapes = []shape{
	{name: "key", keys: []int{0}},
	{name: "two keys, null safe", keys: []int{1, 0}, nullSafe: []bool{false, true}},
	{name: "residual", keys: []int{1}, residual: lessTest},
	{name: "cross"},
	{name: "no key", residual: lessTest},
	{name: "band", keys: []int{0}, residual: bandTest, keep: bandKeep, late: true},
	{name: "band without key", residual: bandTest, keep: bandKeep, late: true},
	{name: "equal times", keys: []int{0, 3}, keep: equalKeep, late: true},
	{name: "left ends", keys: []int{0}, keep: endKeep, ends: [2]int{2, 0}},
	{name: "right ends", keys: []int{0}, residual: lessTest, keep: endKeep, ends: [2]int{0, 2}},
	{name: "right ends, no residual", keys: []int{0}, keep: endKeep, ends: [2]int{0, 2}},
	{name: "both end", keys: []int{1}, keep: endKeep, ends: [2]int{3, 4}},
	{name: "band on expiry", keys: []int{0}, residual: bandTest, keep: bandKeep, late: true, expiry: true},
	{name: "equal times on expiry", keys: []int{0, 3}, keep: equalKeep, late: true, expiry: true},
	{name: "ends on expiry", keys: []int{0}, keep: endKeep, ends: [2]int{4, 3}, expiry: true},
	{name: "in", keys: []int{0}, nullAware: 1},
	{name: "correlated in", keys: []int{0, 1}, nullAware: 1},
	{name: "two in", keys: []int{0, 2}, nullAware: 2},
	{name: "in with residual", keys: []int{0}, nullAware: 1, residual: lessTest},
	{name: "two in, correlated", keys: []int{0, 2, 1}, nullAware: 2},
	{name: "in, equal times", keys: []int{0, 3}, nullAware: 1, keep: equalKeep, late: true},
	{name: "in, right ends", keys: []int{0, 1}, nullAware: 1, keep: endKeep, ends: [2]int{0, 3}},
	{name: "in on expiry", keys: []int{0, 3}, nullAware: 1, keep: equalKeep, late: true, expiry: true},
}

func (s *shape) play(kind JoinKind, retract [2]bool) *opCase {
	name := fmt.Sprintf("%s %s retract %v", kind, s.name, retract)
	p := &joinPlay{ends: s.ends, cfg: JoinConfig{Name: name, Kind: kind, Types: [2][]types.Type{twoInput, twoInput}, Keys: [2][]int{s.keys, s.keys},
		NullSafe: s.nullSafe, NullAware: s.nullAware, EmitOnExpiry: s.expiry}}
	if s.residual != nil {
		p.cfg.Residual = s.residual
	}
	for _, k := range s.keys {
		p.cfg.KeyTypes = append(p.cfg.KeyTypes, twoInput[k])
	}
	for port := range 2 {
		side := JoinSide{Keep: s.keep[port], Retract: retract[port]}
		if s.late {
			side.Late = &JoinLate{Col: timeCol}
		}
		p.cfg.Sides[port] = side
	}
	return &opCase{name: name, plays: func(t tester, seed uint64) { p.play(name, t, seed) }}
}

// pairCases are the shapes under all kinds and with all ways to retract.
func pairCases() []*opCase {
	var out []*opCase
	for _, kind := range allKinds {
		for i := range shapes {
			s := &shapes[i]
			if s.nullAware > 0 && kind != AntiJoin && kind != MarkJoin {
				continue
			}
			for _, retract := range [][2]bool{{true, true}, {false, false}, {true, false}, {false, true}} {
				if s.expiry && (retract[0] || retract[1]) {
					continue
				}
				out = append(out, s.play(kind, retract))
			}
		}
	}
	return out
}

func TestJoin(t *testing.T) { playAll(t, pairCases(), 1) }
