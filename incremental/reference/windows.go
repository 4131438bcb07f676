package reference

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/fn/timewindow"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// windows lists the calendar windows of a row by their starts, going back from the last
// one that has begun while they hold its time; and the cumulating ones by their ends.
func (i *interpreter) windows(h *logical.Hop, r Row) ([]int64, error) {
	t, w := r.Values[h.Time].(int64), h.By
	c := clock{i, h.Input.Schema()[h.Time].Type, nil}
	var out []int64
	if w.Cumulate {
		start := c.of(&timewindow.Start, t, w.Size, w.Offset)
		last := c.of(&timewindow.End, start, w.Size)
		for k := int64(1); c.failed == nil; k++ {
			end := start + k*timewindow.Micros(w.Slide)
			if timewindow.IsDays(w.Slide) {
				step := types.IntervalValue{Months: w.Slide.Months * int32(k), Days: w.Slide.Days * int32(k), Micros: w.Slide.Micros * k}
				end = c.of(&timewindow.End, start, step)
			}
			end = min(end, last)
			if end > t {
				out = append(out, end)
			}
			if end == last {
				break
			}
		}
		return out, c.failed
	}
	for start := c.of(&timewindow.Start, t, w.Slide, w.Offset); c.failed == nil; start = c.of(&timewindow.Start, start-1, w.Slide, w.Offset) {
		if c.of(&timewindow.End, start, w.Size) <= t {
			break
		}
		out = append(out, start)
	}
	return out, c.failed
}

// clock evaluates the functions of window bounds.
type clock struct {
	i      *interpreter
	t      types.Type
	failed error
}

func (c *clock) of(f *fn.Scalar, t int64, lengths ...types.IntervalValue) int64 {
	args := []expr.Node{&expr.Column{Index: 0, Name: "t", T: c.t}}
	for _, l := range lengths {
		args = append(args, expr.Interval(l))
	}
	impl, err := f.Resolve(expr.Args(args))
	if err != nil {
		c.failed = err
		return 0
	}
	v, err := c.i.eval(expr.NewCall(f, impl, args), Row{Values: []any{t}}, []types.Column{{Name: "t", Type: c.t}})
	if err == nil && v == nil {
		err = fmt.Errorf("%s is NULL", f.Name)
	}
	if err != nil {
		c.failed = err
		return 0
	}
	return v.(int64)
}
