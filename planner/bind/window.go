package bind

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn/timewindow"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// timeWindow is a window over event time: expressions over the input of a SELECT.
type timeWindow struct {
	start, end expr.Node
}

// windowSpec is how a window was asked for. Lengths are of months, or of days and less.
type windowSpec struct {
	size, slide, offset types.IntervalValue
	cumulate            bool // windows that grow by slide up to size
	span                diag.Span
}

// sliding: a time is in several windows.
func (w windowSpec) sliding() bool { return canonical(w.slide) != canonical(w.size) }

// windows are those of a spec, where they have no fixed length, or cumulate; else nil.
func (w windowSpec) windows(zone *time.Location) *timewindow.Windows {
	if !w.cumulate && !timewindow.IsCalendar(w.size, zone) && !timewindow.IsCalendar(w.slide, zone) {
		return nil
	}
	return &timewindow.Windows{Size: canonical(w.size), Slide: canonical(w.slide), Offset: canonical(w.offset), Cumulate: w.cumulate}
}

func (w *timeWindow) shifted(by int) *timeWindow {
	if w == nil {
		return nil
	}
	move := func(n expr.Node) expr.Node { return expr.MapColumns(n, func(i int) int { return i + by }) }
	return &timeWindow{start: move(w.start), end: move(w.end)}
}

// pair is the window as a struct with start and end.
func (b *Binder) pair(w *timeWindow) expr.Node {
	return b.apply(diag.Span{}, &timewindow.Pair, w.start, w.end)
}

func isPair(c *expr.Call) bool { return c.F == &timewindow.Pair }

// lastMoment is window_time: the greatest time that belongs to the window.
func (b *Binder) lastMoment(span diag.Span, end expr.Node) expr.Node {
	return b.resolve(span, "-", end, expr.Interval(types.IntervalValue{Micros: 1}))
}

// windowName resolves window, window_start and window_end to the only window of the
// SELECT or of FROM.
func (e *env) windowName(ref *ast.ColumnRef) (expr.Node, bool) {
	name := strings.ToLower(ref.Parts[0].Name)
	switch name {
	case "window", "window_start", "window_end", "window_time":
	case "session_window":
		if e.sel == nil || e.sel.sessionWindow == nil {
			return nil, false
		}
		return e.fields(e.b.pair(e.sel.sessionWindow), ref.Parts[1:]), true
	default:
		return nil, false
	}
	w := e.window(ref.Span)
	if w == nil {
		return nil, e.sel != nil && e.sel.badWindow // its error is reported
	}
	switch name {
	case "window_start":
		return w.start, true
	case "window_end":
		return w.end, true
	case "window_time":
		return e.b.lastMoment(ref.Span, w.end), true
	}
	return e.fields(e.b.pair(w), ref.Parts[1:]), true
}

// window is the only window there is, nil if there is none or several.
func (e *env) window(span diag.Span) *timeWindow {
	if e.sel != nil && len(e.sel.windows) > 1 {
		e.b.errorf(diag.AmbiguousName, span, "this query has several windows").
			WithHint("give each an alias: window(ts, '1 hour') AS w")
		return nil
	}
	if e.sel != nil && len(e.sel.windows) == 1 {
		return e.sel.windows[0]
	}
	return e.scope.window
}

// windowCall binds the functions that make or take apart time windows.
func (e *env) windowCall(x *ast.Call, name string) (expr.Node, bool) {
	switch name {
	case "window":
		return e.pairOf(e.sparkWindow(x)), true
	case "tumble", "hop", "cumulate":
		return e.pairOf(e.groupWindow(x, name)), true
	case "tumble_start", "hop_start", "cumulate_start":
		return startOf(e.groupWindow(x, strings.TrimSuffix(name, "_start"))), true
	case "tumble_end", "hop_end", "cumulate_end":
		return endOf(e.groupWindow(x, strings.TrimSuffix(name, "_end"))), true
	case "tumble_rowtime", "hop_rowtime", "cumulate_rowtime":
		if w := e.groupWindow(x, strings.TrimSuffix(name, "_rowtime")); w != nil {
			return e.b.lastMoment(x.Span, w.end), true
		}
		return nil, true
	case "window_time":
		return e.windowTime(x), true
	case "time_bucket", "date_bin":
		return e.bucket(x), true
	case "session_window", "session":
		return e.pairOf(e.sessionWindow(x)), true
	case "session_start":
		return startOf(e.sessionWindow(x)), true
	case "session_end":
		return endOf(e.sessionWindow(x)), true
	case "session_rowtime":
		if w := e.sessionWindow(x); w != nil {
			return e.b.lastMoment(x.Span, w.end), true
		}
		return nil, true
	}
	return nil, false
}

func (e *env) pairOf(w *timeWindow) expr.Node {
	if w == nil {
		return nil
	}
	return e.b.pair(w)
}

func startOf(w *timeWindow) expr.Node {
	if w == nil {
		return nil
	}
	return w.start
}

func endOf(w *timeWindow) expr.Node {
	if w == nil {
		return nil
	}
	return w.end
}

// sparkWindow is window(ts, size [, slide [, offset]]).
func (e *env) sparkWindow(x *ast.Call) *timeWindow {
	if len(x.Args) < 2 || len(x.Args) > 4 {
		e.b.errorf(diag.BadWindow, x.Span, "window takes a time, a size, and optionally a slide and an offset, got %d arguments", len(x.Args))
		return nil
	}
	return e.windowOver(x, x.Args[0], x.Args[1:], false)
}

// groupWindow is TUMBLE(ts, size [, offset]) or HOP(ts, slide, size [, offset]).
func (e *env) groupWindow(x *ast.Call, kind string) *timeWindow {
	n := map[string]int{"tumble": 2, "hop": 3, "cumulate": 3}[kind]
	if len(x.Args) < n || len(x.Args) > n+1 {
		e.b.errorf(diag.BadWindow, x.Span, "%s takes %s, got %d arguments", strings.ToUpper(kind),
			map[string]string{"tumble": "a time, a size, and optionally an offset", "hop": "a time, a slide, a size, and optionally an offset",
				"cumulate": "a time, a step, a size, and optionally an offset"}[kind],
			len(x.Args))
		return nil
	}
	return e.windowOver(x, x.Args[0], flinkOrder(kind, x.Args[1:]), kind == "cumulate")
}

// flinkOrder brings the arguments of TUMBLE, HOP and CUMULATE into the order of window().
func flinkOrder(kind string, args []ast.Expr) []ast.Expr {
	if kind == "tumble" {
		size := args[0]
		if len(args) == 1 {
			return []ast.Expr{size}
		}
		return []ast.Expr{size, size, args[1]}
	}
	return append([]ast.Expr{args[1], args[0]}, args[2:]...)
}

// windowOver makes the window of a SELECT over a time; args are size, slide, offset.
func (e *env) windowOver(x *ast.Call, at ast.Expr, args []ast.Expr, cumulate bool) *timeWindow {
	t := e.windowInput(at)
	spec, ok := e.spec(x.Span, args)
	spec.cumulate = cumulate && spec.sliding()
	if t == nil || !ok {
		if e.sel != nil {
			e.sel.badWindow = true
		}
		return nil
	}
	if e.clause == inOn && !spec.sliding() && len(e.params) == 0 {
		start := e.b.windowStart(t, spec)
		return &timeWindow{start: start, end: e.b.windowEnd(x.Span, start, spec.size)}
	}
	if e.sel == nil || e.inAgg || len(e.params) > 0 {
		e.b.errorf(diag.BadWindow, x.Span, "a time window is not allowed here")
		return nil
	}
	return e.sel.addWindow(e.b, t, spec)
}

// windowInput binds the time of a window: a timestamp, a date, text that is one, or
// an earlier window, which counts with its last moment.
func (e *env) windowInput(x ast.Expr) expr.Node {
	n := e.expr(x)
	if n == nil {
		return nil
	}
	return e.windowNode(x, n)
}

// windowNode is the time of a window: what stands at x, bound.
func (e *env) windowNode(x ast.Expr, n expr.Node) expr.Node {
	t := n.Type()
	switch {
	case t.Kind == types.Timestamp || t.Kind == types.TimestampNTZ:
		return n
	case t.Kind == types.Date || t.Kind == types.String:
		return e.b.cast(x.Pos(), n, types.Of(types.Timestamp))
	case isWindowType(t):
		return e.b.lastMoment(x.Pos(), newField(n, 1))
	}
	d := e.b.errorf(diag.BadWindow, x.Pos(), "a window needs a TIMESTAMP, got %s", typeOf(n))
	if t.IsNumeric() {
		d.WithHint("convert it: to_timestamp(seconds) or timestamp_millis(ms)")
	}
	return nil
}

// spec checks size, slide and offset.
func (e *env) spec(span diag.Span, args []ast.Expr) (windowSpec, bool) {
	w := windowSpec{span: span}
	names := []string{"size", "slide", "offset"}
	into := []*types.IntervalValue{&w.size, &w.slide, &w.offset}
	for i, a := range args {
		v, ok := e.duration(a, names[i])
		if !ok {
			return w, false
		}
		*into[i] = v
		if i < 2 && v.Span().Sign() <= 0 {
			e.b.errorf(diag.BadWindow, a.Pos(), "the %s of a window must be positive", names[i])
			return w, false
		}
	}
	if len(args) < 2 {
		w.slide = w.size
	}
	return w, e.checkSpec(w)
}

// checkSpec refuses windows that would lose rows, have no place for the offset, or be too
// many.
func (e *env) checkSpec(w windowSpec) bool {
	shortest, _ := lengths(w.size)
	_, longest := lengths(w.slide)
	if w.size.Months != 0 && w.slide.Months != 0 {
		shortest, longest = int64(w.size.Months), int64(w.slide.Months)
	}
	switch {
	case longest > shortest && canonical(w.size) != canonical(w.slide):
		e.b.errorf(diag.BadWindow, w.span, "the slide of a window must not be greater than its size: rows between windows would be lost").
			WithHint("window() takes size, slide; HOP takes slide, size")
		return false
	case w.offset.Months != 0:
		e.b.errorf(diag.BadWindow, w.span, "the offset of a window must be of days or less")
		return false
	case (w.size.Months != 0 || w.slide.Months != 0) && (timewindow.Micros(w.offset) < 0 || timewindow.Micros(w.offset) >= 28*types.MicrosPerDay):
		e.b.errorf(diag.BadWindow, w.span, "the offset of a window of months must be from 0 to 28 days: not every month has more")
		return false
	}
	if n := windowsOfRow(w); n > maxWindowsOfRow {
		e.b.errorf(diag.BadWindow, w.span, "each row would be in %d windows, and in at most %d it can be", n, maxWindowsOfRow).
			WithHint("choose a longer slide or a shorter size")
		return false
	}
	return true
}

// lengths are the least and the greatest length of a month, or of days and less, in µs.
func lengths(v types.IntervalValue) (least, most int64) {
	m := int64(v.Months) * types.MicrosPerDay
	return 28*m + timewindow.Micros(v), 31*m + timewindow.Micros(v)
}

// maxWindowsOfRow bounds what one row costs: a day that slides by a second has 86,400.
const maxWindowsOfRow = 100_000

// windowsOfRow is the number of windows that a time is in, rounded up.
func windowsOfRow(w windowSpec) int64 {
	_, size := lengths(w.size)
	slide, _ := lengths(w.slide)
	return (size-1)/slide + 1
}

// duration is a constant length: text or an INTERVAL.
func (e *env) duration(x ast.Expr, what string) (types.IntervalValue, bool) {
	n := e.expr(x)
	if n == nil {
		return types.IntervalValue{}, false
	}
	v, ok := e.b.intervalOf(n)
	if !ok {
		e.b.errorf(diag.BadWindow, x.Pos(), "the %s of a window must be a constant duration such as '10 minutes'", what)
		return v, false
	}
	if v.Months != 0 && timewindow.Micros(v) != 0 {
		e.b.errorf(diag.BadWindow, x.Pos(), "the %s of a window must be of months or of days and less, not of both", what)
		return v, false
	}
	return v, true
}

// intervalOf is the value of a constant INTERVAL, or of text that is one.
func (b *Binder) intervalOf(n expr.Node) (types.IntervalValue, bool) {
	if n.Type().Kind == types.String {
		text, constant := n.(*expr.Const)
		c, err := b.res.Cast(n, types.Of(types.Interval), false)
		if err != nil || !constant || text.IsNull() || strings.Trim(text.V.Text(0), "+-.0123456789") == "" {
			return types.IntervalValue{}, false // a number alone would count seconds
		}
		n = c
	}
	c, ok := n.(*expr.Const)
	if !ok || c.IsNull() || c.Type().Kind != types.Interval {
		return types.IntervalValue{}, false
	}
	v, i := c.V.At(0)
	return v.Iv[i], true
}

// windowTime is window_time(w).
func (e *env) windowTime(x *ast.Call) expr.Node {
	if len(x.Args) != 1 {
		e.b.errorf(diag.WrongArguments, x.Span, "window_time takes a window, got %d arguments", len(x.Args))
		return nil
	}
	n := e.expr(x.Args[0])
	if n == nil {
		return nil
	}
	if !isWindowType(n.Type()) {
		e.b.errorf(diag.WrongArguments, x.Args[0].Pos(), "window_time needs a window, got %s", typeOf(n))
		return nil
	}
	return e.b.lastMoment(x.Span, newField(n, 1))
}

// bucket is time_bucket(size, ts [, offset or origin]) and date_bin(size, ts [, origin]): the start of
// a tumbling window, if its size is a constant. In GROUP BY it makes a window. All other calls
// are those of the function.
func (e *env) bucket(x *ast.Call) expr.Node {
	if len(x.Args) < 2 || len(x.Args) > 4 {
		e.b.errorf(diag.WrongArguments, x.Span, "%s takes a size, a time, and optionally an offset or zone and an origin, got %d arguments", x.Name, len(x.Args))
		return nil
	}
	args := make([]expr.Node, len(x.Args))
	for i, a := range x.Args {
		if args[i] = e.expr(a); args[i] == nil {
			return nil
		}
	}
	spec := windowSpec{span: x.Span}
	size, constant := e.b.intervalOf(args[0])
	if constant && len(args) < 4 && isWindowTime(args[1].Type()) {
		if !e.checkSize(x.Args[0], size) {
			return nil
		}
		spec.size, spec.slide = size, size
		if len(args) == 3 {
			spec.offset, constant = e.b.origin(args[2], size, args[1].Type())
		}
		if constant {
			return e.bucketWindow(e.windowNode(x.Args[1], args[1]), spec)
		}
	}
	if args[0].Type().Kind == types.String {
		args[0] = e.b.cast(x.Args[0].Pos(), args[0], types.Of(types.Interval))
	}
	f, _ := e.b.cat.Functions.Scalar("time_bucket")
	return e.b.apply(x.Span, f, args...)
}

func (e *env) bucketWindow(t expr.Node, spec windowSpec) expr.Node {
	if t == nil {
		return nil
	}
	if e.clause == inGroupBy && e.sel != nil && !e.inAgg {
		return startOf(e.sel.addWindow(e.b, t, spec))
	}
	return e.b.windowStart(t, spec)
}

// checkSize reports a constant size that no bucket has.
func (e *env) checkSize(x ast.Expr, size types.IntervalValue) bool {
	switch {
	case size.Months != 0 && timewindow.Micros(size) != 0:
		e.b.errorf(diag.BadWindow, x.Pos(), "the size of a window must be of months or of days and less, not of both")
	case size.Span().Sign() <= 0:
		e.b.errorf(diag.BadWindow, x.Pos(), "the size of a window must be positive")
	default:
		return true
	}
	return false
}

// isWindowTime tells what windows are made over.
func isWindowTime(t types.Type) bool { return t.IsTime() || t.Kind == types.String || isWindowType(t) }

// origin is where a bucket starts, as an offset from 1970, if it is a constant that a window
// can have.
func (b *Binder) origin(n expr.Node, size types.IntervalValue, of types.Type) (types.IntervalValue, bool) {
	if v, ok := b.intervalOf(n); ok {
		return v, v.Months == 0
	}
	if n.Type().Kind == types.String || n.Type().Kind == types.Date {
		c, err := b.res.Cast(n, types.Of(types.Timestamp), false)
		if err != nil {
			return types.IntervalValue{}, false
		}
		n = c
	}
	c, ok := n.(*expr.Const)
	if !ok || c.IsNull() || c.Type().Phys() != types.PhysInt64 || !c.Type().IsTime() || size.Months != 0 {
		return types.IntervalValue{}, false
	}
	at := c.V.Int(0)
	if of.Kind != types.TimestampNTZ && c.Type().Kind == types.Timestamp && timewindow.IsDays(size) {
		at = types.ToLocal(at, cmp.Or(b.res.Zone, time.UTC)) // days begin by the clock
	}
	return types.IntervalValue{Micros: at % timewindow.Micros(size)}, true
}

// windowStart is the start of the tumbling window of t.
func (b *Binder) windowStart(t expr.Node, w windowSpec) expr.Node {
	args := []expr.Node{t, expr.Interval(canonical(w.size))}
	off := timewindow.Micros(w.offset)
	if w.size.Months == 0 {
		off %= timewindow.Micros(w.size)
	}
	if off != 0 {
		args = append(args, expr.Interval(types.IntervalValue{Micros: off}))
	}
	return b.apply(w.span, &timewindow.Start, args...)
}

// canonical writes a length in one way: whole days as days, the rest as µs.
func canonical(v types.IntervalValue) types.IntervalValue {
	if v.Months != 0 {
		return v
	}
	if n := timewindow.Micros(v); timewindow.IsDays(v) {
		return types.IntervalValue{Days: int32(n / 86_400_000_000)}
	}
	return types.IntervalValue{Micros: timewindow.Micros(v)}
}

// windowEnd is the end of the window that starts at start.
func (b *Binder) windowEnd(span diag.Span, start expr.Node, size types.IntervalValue) expr.Node {
	return b.apply(span, &timewindow.End, start, expr.Interval(canonical(size)))
}

func itoa(n int) string { return strconv.Itoa(n) }
