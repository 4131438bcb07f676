package scalar

import (
	"fmt"
	"time"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// series is an arithmetic progression of numbers or times.
type series struct {
	elem types.Type
	step types.Type // of the third argument
}

// resolveSeries finds the element type of sequence and generate_series.
func resolveSeries(args []fn.Arg) (series, []types.Type, error) {
	if err := arity(args, 2, 3); err != nil {
		return series{}, nil, err
	}
	t, ok := types.CommonType(args[0].Type, args[1].Type)
	switch {
	case !ok || !t.IsInteger() && !t.IsTime() && t.Kind != types.Null:
		return series{}, nil, fmt.Errorf("needs integers, dates or timestamps, got %s and %s", args[0].Type, args[1].Type)
	case t.Kind == types.Null:
		t = integer
	}
	s := series{elem: t, step: bigint}
	if t.IsTime() {
		s.step = interval
	}
	if len(args) == 3 && !types.CanCoerce(args[2].Type, s.step) {
		return s, nil, mismatch(args, 2, s.step.String())
	}
	return s, []types.Type{t, t, s.step}[:len(args)], nil
}

// appendTo appends the elements for row r.
func (s series) appendTo(b *vec.Builder, args []*vec.Vector, r int, zone *time.Location) error {
	from, to := args[0].Int(r), args[1].Int(r)
	fail := func(msg string) error {
		return &fn.DataError{Func: "sequence", Value: vec.RowString(args[0], r, zone) + " to " + vec.RowString(args[1], r, zone), Row: r, Msg: msg}
	}
	if s.elem.IsTime() {
		return s.appendTimes(b, args, r, zone, fail)
	}
	step := int64(1)
	if from > to {
		step = -1
	}
	if len(args) == 3 {
		step = args[2].Int(r)
	}
	switch {
	case step == 0 && from != to, step > 0 && from > to, step < 0 && from < to:
		return fail("the step leads nowhere")
	case step != 0 && (to-from)/step > maxElements:
		return fail(tooMany)
	}
	for x := from; ; x += step {
		b.AppendInt(x)
		if x == to || step > 0 && x > to-step || step < 0 && x < to-step {
			return nil
		}
	}
}

func (s series) appendTimes(b *vec.Builder, args []*vec.Vector, r int, zone *time.Location, fail func(string) error) error {
	from, to := args[0].Int(r), args[1].Int(r)
	step := types.IntervalValue{Days: 1}
	if len(args) == 3 {
		f, i := args[2].At(r)
		step = f.Iv[i]
	} else if from > to {
		step.Days = -1
	}
	sign := step.Span().Sign()
	if s.elem.Kind == types.Date && step.Micros%types.MicrosPerDay != 0 {
		return fail("a DATE moves by whole days; cast it to TIMESTAMP")
	}
	if sign == 0 && from != to || sign > 0 && from > to || sign < 0 && from < to {
		return fail("the step leads nowhere")
	}
	for n := int64(0); ; n++ {
		x, ok := times(step, n) // from the start, so that clipped months come back
		at, inside := Shift(s.elem.Kind, from, x, 1, zone)
		if !ok || !inside || sign > 0 && at > to || sign < 0 && at < to {
			return nil
		}
		if n > maxElements {
			return fail(tooMany)
		}
		b.AppendInt(at)
		if sign == 0 {
			return nil
		}
	}
}

func resolveSequence(args []fn.Arg) (fn.Impl, error) {
	s, want, err := resolveSeries(args)
	if err != nil {
		return fn.Impl{}, err
	}
	t := types.ArrayOf(s.elem)
	eval := func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		return tryBuilt(t, func(b *vec.Builder, args []*vec.Vector, r int) error {
			one := vec.NewBuilder(s.elem)
			if err := s.appendTo(one, args, r, c.Zone); err != nil {
				return err
			}
			b.Child(0).AppendRows(one.Finish(), nil)
			b.EndList()
			return nil
		})(c, args, rows)
	}
	return fn.Impl{Args: want, Result: t, Eval: eval}, nil
}
