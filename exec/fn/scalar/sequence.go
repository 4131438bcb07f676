package scalar

import (
	"cmp"
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
	if ok && t.Kind == types.String && len(args) == 3 && args[2].Type.Kind == types.Interval { // what an INTERVAL moves is a time
		t = types.Of(types.Timestamp)
	}
	switch {
	case !ok || !t.IsInteger() && !t.IsTime() && t.Kind != types.Null:
		return series{}, nil, fmt.Errorf("needs integers, dates or timestamps, got %s and %s", args[0].Type, args[1].Type)
	case t.Kind == types.Null:
		t = integer
	}
	return seriesOf(t, args)
}

// seriesOf is the series of elements of a type.
func seriesOf(t types.Type, args []fn.Arg) (series, []types.Type, error) {
	s := series{elem: t, step: bigint}
	switch {
	case t.IsTime():
		s.step = interval
	case t.Kind == types.Decimal:
		s.step = t
	}
	if len(args) == 3 && !types.CanCoerce(args[2].Type, s.step) {
		return s, nil, mismatch(args, 2, s.step.String())
	}
	return s, []types.Type{t, t, s.step}[:len(args)], nil
}

// bounds are the ends and the step of the series of one row.
type bounds struct {
	name     string // of the function, for errors
	from, to int64
	step     int64               // of numbers
	by       types.IntervalValue // of times
	zone     *time.Location
	shown    string // from and to, for errors
	row      int
}

// boundsOf reads the bounds of row r; without a step it is one, or a day, towards the end.
func (s series) boundsOf(name string, args []*vec.Vector, r int, zone *time.Location) bounds {
	b := bounds{name: name, zone: zone, row: r, step: 1, by: types.IntervalValue{Days: 1}, shown: "0"}
	last := args[0]
	if len(args) > 1 {
		b.from, last = args[0].Int(r), args[1]
		b.shown = vec.RowString(args[0], r, zone)
	}
	b.to = last.Int(r)
	b.shown += " to " + vec.RowString(last, r, zone)
	switch {
	case len(args) == 3 && s.elem.IsTime():
		f, i := args[2].At(r)
		b.by = f.Iv[i]
	case len(args) == 3:
		b.step = args[2].Int(r)
	case b.from > b.to:
		b.step, b.by.Days = -1, -1
	}
	return b
}

// sign is the direction of the step.
func (s series) sign(b bounds) int {
	if s.elem.IsTime() {
		return b.by.Span().Sign()
	}
	return cmp.Compare(b.step, 0)
}

// nowhere reports a step that does not lead from one bound to the other.
func (s series) nowhere(b bounds) bool {
	sign := s.sign(b)
	return sign > 0 && b.from > b.to || sign < 0 && b.from < b.to
}

func (b bounds) fail(msg string) error {
	return &fn.DataError{Func: b.name, Value: b.shown, Row: b.row, Msg: msg}
}

// appendTo appends the elements between bounds.
func (s series) appendTo(out *vec.Builder, b bounds) error {
	if s.nowhere(b) || s.sign(b) == 0 && b.from != b.to {
		return b.fail("the step leads nowhere")
	}
	if s.elem.IsTime() {
		return s.appendTimes(out, b)
	}
	span, stride := uint64(b.to)-uint64(b.from), uint64(b.step)
	if b.step < 0 {
		span, stride = -span, -stride
	}
	if b.step != 0 && span/stride > maxElements {
		return b.fail(tooMany)
	}
	for x := b.from; ; x += b.step {
		out.AppendInt(x)
		if x == b.to || b.step > 0 && x > b.to-b.step || b.step < 0 && x < b.to-b.step {
			return nil
		}
	}
}

func (s series) appendTimes(out *vec.Builder, b bounds) error {
	if s.elem.Kind == types.Date && b.by.Micros%types.MicrosPerDay != 0 {
		return b.fail("a DATE moves by whole days; cast it to TIMESTAMP")
	}
	sign := s.sign(b)
	for n := int64(0); ; n++ {
		x, ok := times(b.by, n) // from the start, so that clipped months come back
		at, inside := Shift(s.elem.Kind, b.from, x, 1, b.zone)
		if !ok || !inside || sign > 0 && at > b.to || sign < 0 && at < b.to {
			return nil
		}
		if n > maxElements {
			return b.fail(tooMany)
		}
		out.AppendInt(at)
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
	eval := s.array(func(one *vec.Builder, args []*vec.Vector, r int, zone *time.Location) error {
		return s.appendTo(one, s.boundsOf("sequence", args, r, zone))
	})
	return fn.Impl{Args: want, Result: types.ArrayOf(s.elem), Eval: eval}, nil
}

// array makes an array of each row: row appends its elements.
func (s series) array(row func(one *vec.Builder, args []*vec.Vector, r int, zone *time.Location) error) fn.Kernel {
	t := types.ArrayOf(s.elem)
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		one := vec.NewBuilder(s.elem)
		return tryBuilt(t, func(b *vec.Builder, args []*vec.Vector, r int) error {
			one.Reset()
			if err := row(one, args, r, c.Zone); err != nil {
				return err
			}
			b.Child(0).AppendRows(one.Finish(), nil)
			b.EndList()
			return nil
		})(c, args, rows)
	}
}
