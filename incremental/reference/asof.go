package reference

import (
	"slices"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// AsofInput is what Refuse is asked about the rows of one side of an ASOF join.
type AsofInput struct {
	*logical.Asof
	Right bool
}

// asof looks at every right row for every left row, and takes the nearest one.
func (i *interpreter) asof(a *logical.Asof) ([]Row, error) {
	left, err := i.node(a.L)
	if err != nil {
		return nil, err
	}
	right, err := i.node(a.R)
	if err != nil {
		return nil, err
	}
	left, right = i.onTime(AsofInput{a, false}, left, wholeRow), i.onTime(AsofInput{a, true}, right, wholeRow)
	var out []Row
	for _, l := range left {
		best, err := i.nearest(a, l, right)
		switch {
		case err != nil:
			return nil, err
		case best != nil && a.Void != nil:
			gone, err := i.isTrue(a.Void, *best, a.R.Schema())
			if err != nil {
				return nil, err
			}
			if gone {
				best = nil
			}
		}
		switch {
		case best != nil:
			out = append(out, pair(l, *best))
		case a.Outer:
			out = append(out, pair(l, Row{Values: make([]any, len(a.R.Schema()))}))
		}
	}
	return out, nil
}

func (i *interpreter) nearest(a *logical.Asof, l Row, right []Row) (*Row, error) {
	j := &logical.Join{L: a.L, R: a.R, LKeys: a.LKeys, RKeys: a.RKeys, NullSafe: a.NullSafe}
	at, err := i.evalAll([]expr.Node{a.LTime}, l, a.L.Schema())
	if err != nil {
		return nil, err
	}
	var best *Row
	var bestTime any
	for k, r := range right {
		m, err := i.matches(j, l, r)
		if err != nil {
			return nil, err
		}
		rt, err := i.evalAll([]expr.Node{a.RTime}, r, a.R.Schema())
		if err != nil {
			return nil, err
		}
		if m != yes || at[0] == nil || rt[0] == nil || !asofHolds(a, at[0], rt[0]) {
			continue
		}
		if best == nil || nearer(a, rt[0], r, bestTime, *best) {
			best, bestTime = &right[k], rt[0]
		}
	}
	return best, nil
}

func asofHolds(a *logical.Asof, l, r any) bool {
	c := compare(l, r)
	if a.Forward {
		c = -c
	}
	return c > 0 || c == 0 && !a.Strict
}

// nearer tells whether one right row is taken before another.
func nearer(a *logical.Asof, t any, r Row, other any, o Row) bool {
	c := compare(t, other)
	if a.Forward {
		c = -c
	}
	if c == 0 {
		c = slices.CompareFunc(o.Values, r.Values, compare)
		if a.Void != nil {
			c = -c
		}
	}
	return c > 0
}
