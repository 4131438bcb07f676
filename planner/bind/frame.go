package bind

import (
	"time"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// frame binds the frame of a call. Without one it is what comes before the row and its
// peers, and without ORDER BY all of the partition.
func (e *env) frame(c *overCall, x *ast.Call) bool {
	w, ok := e.sel.window(x.Over, nil)
	if !ok {
		return false
	}
	out := &c.f.Frame
	out.Unit = fn.FrameRange
	if w.Frame == nil {
		out.End.Kind = fn.CurrentRow // without ORDER BY all rows are peers
		return true
	}
	f := w.Frame
	// The enumerations of ast are in the same order.
	out.Unit, out.Exclude = fn.FrameUnit(f.Unit), fn.Exclusion(f.Exclude)
	out.Start.Kind, out.End.Kind = fn.BoundKind(f.Start.Kind), fn.BoundKind(f.End.Kind)
	if !e.boundsInOrder(f) {
		return false
	}
	if f.Unit == ast.FrameGroups && len(w.OrderBy) == 0 {
		e.b.errorf(diag.BadFrame, f.Span, "GROUPS needs ORDER BY")
		return false
	}
	if measures(f) && len(w.OrderBy) == 1 && len(c.order) == 0 {
		return false // the key has an error, which was reported
	}
	switch f.Unit {
	case ast.FrameRange:
		return e.rangeBounds(c, f)
	case ast.FrameSession:
		return e.frameGap(c, f)
	}
	return e.countBound(f.Start, &out.Start) && e.countBound(f.End, &out.End)
}

// boundsInOrder refuses frames that begin after they end.
func (e *env) boundsInOrder(f *ast.Frame) bool {
	switch {
	case f.Start.Kind == ast.UnboundedFollowing:
		e.b.errorf(diag.BadFrame, f.Span, "a frame cannot start with UNBOUNDED FOLLOWING")
	case f.End.Kind == ast.UnboundedPreceding:
		e.b.errorf(diag.BadFrame, f.Span, "a frame cannot end with UNBOUNDED PRECEDING")
	case f.Start.Kind > f.End.Kind:
		e.b.errorf(diag.BadFrame, f.Span, "the frame starts after its end")
	default:
		return true
	}
	return false
}

// offset binds the x of x PRECEDING, which is not negative. One that is not the same for
// all rows is checked with each row.
func (e *env) offset(x ast.Expr) (n expr.Node, ok bool) {
	if n = e.expr(x); n == nil {
		return nil, false
	}
	c, constant := n.(*expr.Const)
	switch {
	case !constant && expr.Volatility(n) == fn.Volatile:
		e.b.errorf(diag.BadFrame, x.Pos(), "the offset of a frame must not be another one at each call, got %s", n)
		return nil, false
	case !constant:
		n = e.b.resolve(x.Pos(), "$frame_offset", n)
		return n, n != nil
	case c.IsNull() || negative(c):
		e.b.errorf(diag.BadFrame, x.Pos(), "the offset of a frame must not be negative or NULL, got %s", n)
		return nil, false
	}
	return c, true
}

func negative(c *expr.Const) bool {
	switch c.Type().Phys() {
	case types.PhysInt64:
		return c.V.Int(0) < 0
	case types.PhysFloat64:
		return !(c.V.F64[0] >= 0)
	case types.PhysInt128:
		return c.V.I128[0].Sign() < 0
	case types.PhysInterval:
		iv := c.V.Iv[0]
		return iv.Months < 0 || iv.Days < 0 || iv.Micros < 0
	}
	return false
}

// countBound is a bound of ROWS or GROUPS.
func (e *env) countBound(b ast.FrameBound, out *logical.FrameBound) bool {
	if b.Offset == nil {
		return true
	}
	n, ok := e.offset(b.Offset)
	if !ok {
		return false
	}
	if !n.Type().IsInteger() {
		e.b.errorf(diag.BadFrame, b.Offset.Pos(), "ROWS and GROUPS count: their offset must be a whole number, got %s", typeOf(n))
		return false
	}
	if c, ok := n.(*expr.Const); ok {
		out.Offset = min(c.V.Int(0), 1<<40)
	} else {
		out.By = n
	}
	return true
}

// rangeBounds computes the limits of a RANGE frame from the only order key.
func (e *env) rangeBounds(c *overCall, f *ast.Frame) bool {
	bounds := [2]ast.FrameBound{f.Start, f.End}
	outs := [2]*logical.FrameBound{&c.f.Frame.Start, &c.f.Frame.End}
	if bounds[0].Offset == nil && bounds[1].Offset == nil {
		return true
	}
	if len(c.order) != 1 {
		e.b.errorf(diag.BadFrame, f.Span, "RANGE with an offset needs exactly one column in ORDER BY, got %d", len(c.order))
		return false
	}
	shifts := [2]expr.Node{}
	for i, b := range bounds {
		if b.Offset == nil {
			continue
		}
		s, ok := e.offset(b.Offset)
		if !ok {
			return false
		}
		if shifts[i] = e.shift(c, b, s); shifts[i] == nil {
			return false
		}
	}
	for i, b := range bounds {
		if b.Offset != nil && !e.limit(c, b, shifts[i], outs[i]) {
			return false
		}
	}
	return true
}

// frameGap binds the gap of a session: two rows that follow each other are in one where
// the second comes before the first, moved by the gap. Both bounds have that limit.
func (e *env) frameGap(c *overCall, f *ast.Frame) bool {
	if len(c.order) != 1 {
		e.b.errorf(diag.BadFrame, f.Span, "SESSION WITH GAP needs exactly one column in ORDER BY, got %d", len(c.order))
		return false
	}
	b := f.End
	gap, ok := e.offset(b.Offset)
	if !ok {
		return false
	}
	if gap.Type().Kind == types.String {
		if gap = e.b.res.Fold(e.b.cast(b.Offset.Pos(), gap, types.Of(types.Interval))); gap == nil {
			return false
		}
	}
	if k, constant := gap.(*expr.Const); !constant || k.IsNull() || negative(k) || isZero(k) {
		e.b.errorf(diag.BadFrame, b.Offset.Pos(), "the gap of a session must be a constant greater than 0, got %s", gap)
		return false
	}
	if gap = e.shift(c, b, gap); gap == nil || !e.limit(c, b, gap, &c.f.Frame.End) {
		return false
	}
	c.f.Frame.Start = c.f.Frame.End
	c.f.Frame.Start.Kind = fn.Preceding
	return true
}

func isZero(c *expr.Const) bool {
	switch c.Type().Phys() {
	case types.PhysInt64:
		return c.V.Int(0) == 0
	case types.PhysFloat64:
		return c.V.F64[0] == 0
	case types.PhysInt128:
		return c.V.I128[0].Sign() == 0
	case types.PhysInterval:
		return c.V.Iv[0] == (types.IntervalValue{})
	}
	return false
}

// shift brings the order key and an offset together: numbers to their common type, a
// DATE that is moved by hours to a TIMESTAMP. The key's cast keeps its order.
func (e *env) shift(c *overCall, b ast.FrameBound, s expr.Node) expr.Node {
	key := &c.order[0].Expr
	kt := (*key).Type()
	if _, text := constText(s); text && (kt.IsTime() || kt.Kind == types.Date || kt.Kind == types.Interval) { // '1 day', as in PostgreSQL
		iv := e.b.cast(b.Offset.Pos(), s, types.Of(types.Interval))
		if iv == nil {
			return nil
		}
		if iv = e.b.res.Fold(iv); expr.ConstValue(iv) != nil {
			s = iv
		}
	}
	switch {
	case kt.IsNumeric() && s.Type().IsNumeric():
		t, ok := types.CommonType(kt, s.Type())
		if !ok {
			break
		}
		*key = e.b.cast(b.Offset.Pos(), *key, t)
		return e.b.cast(b.Offset.Pos(), s, t)
	case kt.Kind == types.Date && s.Type().IsInteger():
		return e.days(b, s)
	case kt.Kind == types.Interval && s.Type().Kind == types.Interval:
		return s
	case kt.IsTime() && s.Type().Kind == types.Interval:
		return e.timeShift(key, b, s)
	}
	e.b.errorf(diag.BadFrame, b.Offset.Pos(), "RANGE cannot move %s, a %s, by %s", *key, typeOf(*key), s).
		Hint = map[bool]string{true: "write the offset as an interval: INTERVAL '10' MINUTE"}[kt.IsTime()]
	return nil
}

// days are so many days.
func (e *env) days(b ast.FrameBound, s expr.Node) expr.Node {
	if c, ok := s.(*expr.Const); ok {
		return expr.Interval(types.IntervalValue{Days: int32(min(c.V.Int(0), 1<<30))})
	}
	return e.b.resolve(b.Offset.Pos(), "*", s, expr.Interval(types.IntervalValue{Days: 1}))
}

// timeShift: a day is 24 hours where the zone changes its clocks, since frames must
// move with time; a month has no such length.
func (e *env) timeShift(key *expr.Node, b ast.FrameBound, s expr.Node) expr.Node {
	var iv types.IntervalValue
	c, constant := s.(*expr.Const)
	if constant {
		iv = c.V.Iv[0]
	}
	if (*key).Type().Kind == types.Date && (iv.Micros != 0 || !constant) {
		ntz := types.Of(types.TimestampNTZ)
		*key = e.b.cast(b.Offset.Pos(), *key, ntz)
	}
	if (*key).Type().Kind != types.Timestamp || steadyZone(e.b.set.Zone) {
		return s
	}
	if !constant {
		e.b.errorf(diag.BadFrame, b.Offset.Pos(), "the offset of a frame over TIMESTAMP must be a constant in a zone that changes its clocks").
			WithHint("SET timezone = 'UTC'")
		return nil
	}
	if iv.Months != 0 {
		e.b.errorf(diag.BadFrame, b.Offset.Pos(), "a frame over TIMESTAMP cannot have months in a zone that changes its clocks").
			WithHint("write days, or SET timezone = 'UTC'")
		return nil
	}
	return expr.Interval(types.IntervalValue{Micros: iv.Micros + int64(iv.Days)*types.MicrosPerDay})
}

// steadyZone reports a zone whose offset from UTC never changes.
func steadyZone(z *time.Location) bool {
	if z == nil || z == time.UTC {
		return true
	}
	_, first := time.Date(1970, 1, 1, 0, 0, 0, 0, z).Zone()
	for m := range 12 * 68 {
		if _, o := time.Date(1970, time.Month(1+m), 1, 0, 0, 0, 0, z).Zone(); o != first {
			return false
		}
	}
	return true
}

// limit is the order key moved by the offset, NULL where that leaves its type.
func (e *env) limit(c *overCall, b ast.FrameBound, shift expr.Node, out *logical.FrameBound) bool {
	key := c.order[0].Expr
	name := "try_subtract"
	if (b.Kind == ast.Following) != c.order[0].Desc {
		name = "try_add"
	}
	n := e.b.resolve(b.Offset.Pos(), name, key, shift)
	if n == nil {
		return false
	}
	if !n.Type().Equal(key.Type()) {
		cast, err := e.b.res.Cast(n, key.Type(), true)
		if err != nil {
			e.b.report(err, b.Offset.Pos())
			return false
		}
		n = cast
	}
	out.Limit = n
	if !expr.IsConst(shift) {
		return true
	}
	out.Shift = shift
	out.Down = e.b.resolve(b.Offset.Pos(), "try_subtract", &expr.Column{Name: key.String(), T: key.Type()}, shift)
	return out.Down != nil
}
