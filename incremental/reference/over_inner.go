package reference

import (
	"math"
	"slices"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// inner is a window function with an order of its own, over the rows of the frame.
func (p *partition) inner(f logical.OverFunc, k int) (any, error) {
	frame, err := p.frame(f.Frame, k)
	if err != nil {
		return nil, err
	}
	keys := make([][]any, len(p.rows))
	for j, r := range p.rows {
		for _, o := range f.Order {
			v, err := p.eval(o.Expr, r, p.o.Input.Schema())
			if err != nil {
				return nil, err
			}
			keys[j] = append(keys[j], v)
		}
	}
	by := func(a, b int) int {
		for i, o := range f.Order {
			if c := compareBy(keys[a][i], keys[b][i], o); c != 0 {
				return c
			}
		}
		return 0
	}
	slices.SortStableFunc(frame, by)
	if f.Window.Kind <= fn.NTile {
		return p.placed(f, k, frame, by)
	}
	if f.Window.Kind.Framed() {
		return p.nth(f, k, frame)
	}
	return p.beside(f, k, frame, by)
}

// placed is row_number and its kin among the rows of a frame.
func (p *partition) placed(f logical.OverFunc, k int, frame []int, by func(a, b int) int) (any, error) {
	before, below, upTo, ranks := 0, 0, 0, int64(0)
	for i, j := range frame {
		c := by(j, k)
		if c < 0 || c == 0 && j < k {
			before++
		}
		if c < 0 {
			below++
			if i == 0 || by(frame[i-1], j) != 0 {
				ranks++
			}
		}
		if c <= 0 {
			upTo++
		}
	}
	share := func(n, of int) any {
		if of <= 0 {
			return 0.0
		}
		return float64(n) / float64(of)
	}
	switch f.Window.Kind {
	case fn.RowNumber:
		return int64(before + 1), nil
	case fn.Rank:
		return int64(below + 1), nil
	case fn.DenseRank:
		return ranks + 1, nil
	case fn.PercentRank:
		return share(below, len(frame)-1), nil
	case fn.CumeDist:
		return share(upTo, len(frame)), nil
	}
	n, err := p.steer(f, k)
	if err != nil || n == nil || len(frame) == 0 {
		return nil, err
	}
	return ntile(int64(min(before, len(frame)-1)), int64(len(frame)), n.(int64)), nil
}

// beside is lag and lead among the rows of a frame.
func (p *partition) beside(f logical.OverFunc, k int, frame []int, by func(a, b int) int) (any, error) {
	n, err := p.steer(f, k)
	if err != nil || n == nil {
		return nil, err
	}
	left, back := n.(int64), f.Window.Kind == fn.Lag
	if left < 0 {
		left, back = -left, !back
	}
	if left == 0 {
		return p.argument(f, 0, k)
	}
	if back {
		slices.Reverse(frame)
	}
	for _, j := range frame {
		c := by(j, k)
		if c == 0 {
			c = j - k
		}
		if c == 0 || (c < 0) != back {
			continue
		}
		v, err := p.argument(f, 0, j)
		if err != nil {
			return nil, err
		}
		if v == nil && f.IgnoreNulls {
			continue
		}
		if left--; left == 0 {
			return v, nil
		}
	}
	return p.otherwise(f, k)
}

// fill is the value on the line through two rows with one. The reference draws it in
// float64.
func (p *partition) fill(f logical.OverFunc, k int) (any, error) {
	var at []int // rows with a value and a place
	for j := range p.rows {
		v, err := p.argument(f, 0, j)
		if err != nil {
			return nil, err
		}
		if j == k && v != nil {
			return v, nil
		}
		if _, ok := numeric(v); ok {
			if _, ok := numeric(p.keys[j][0]); ok {
				at = append(at, j)
			}
		}
	}
	x, ok := numeric(p.keys[k][0])
	if !ok || len(at) == 0 {
		return nil, nil
	}
	if len(at) == 1 {
		return p.argument(f, 0, at[0])
	}
	to, _ := slices.BinarySearch(at, k)
	to = max(1, min(to, len(at)-1))
	return p.onLine(f, at[to-1], at[to], x)
}

func (p *partition) onLine(f logical.OverFunc, from, to int, x float64) (any, error) {
	v0, err := p.argument(f, 0, from)
	if err != nil {
		return nil, err
	}
	v1, err := p.argument(f, 0, to)
	if err != nil {
		return nil, err
	}
	x0, _ := numeric(p.keys[from][0])
	x1, _ := numeric(p.keys[to][0])
	y0, _ := numeric(v0)
	y1, _ := numeric(v1)
	share := 0.0
	if x1 != x0 {
		share = (x - x0) / (x1 - x0)
	}
	if _, ok := v0.(float64); ok {
		return y0 + (y1-y0)*share, nil
	}
	y := int64(y0) + int64(math.Round((y1-y0)*share))
	if f.Type().Kind == types.Int32 && y != int64(int32(y)) {
		return nil, nil
	}
	return y, nil
}

// numeric is a finite number.
func numeric(v any) (float64, bool) {
	switch x := v.(type) {
	case int64:
		return float64(x), true
	case float64:
		return x, !math.IsNaN(x) && !math.IsInf(x, 0)
	}
	return 0, false
}
