package lower

import (
	"math"
	"slices"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn/timewindow"
	"github.com/sqlstream/sqlstream/exec/types"
)

// differences is what a join condition says of times: for pairs of variables the
// greatest k with x − y ≥ k, in the unit of the values (µs, days, or the integer). A
// variable is an expression over one side; times and integers alone. Conditions that
// say nothing of the kind are left out: every pair of rows that matches satisfies
// the rest all the same.
type differences struct {
	width int  // columns of the left side; those of the right follow
	fixed bool // the session zone has a fixed offset
	utc   bool
	vars  []expr.Node
	least matrix // for rows that match
	every matrix // for every row of a side
}

// matrix has at [i][j] what vars[i] − vars[j] is at least.
type matrix [][]int64

func (m *matrix) grow() {
	for i := range *m {
		(*m)[i] = append((*m)[i], unbounded)
	}
	row := make([]int64, len(*m)+1)
	for i := range row {
		row[i] = unbounded
	}
	row[len(row)-1] = 0
	*m = append(*m, row)
}

func (m matrix) atLeast(i, j int, k int64) { m[i][j] = max(m[i][j], k) }

// close derives what follows from several bounds together.
func (m matrix) close() {
	for k := range m {
		for i := range m {
			for j := range m {
				if a, b := m[i][k], m[k][j]; a != unbounded && b != unbounded && i != j {
					m.atLeast(i, j, add(a, b))
				}
			}
		}
	}
}

// unbounded stands for a difference of which nothing is known.
const unbounded = math.MinInt64

// linear is an expression as plus − minus + c, with lo ≤ c ≤ hi; nil = 0.
type linear struct {
	plus, minus expr.Node
	lo, hi      int64
}

// variable finds or adds a variable.
func (d *differences) variable(e expr.Node) int {
	if i := d.find(e); i >= 0 {
		return i
	}
	d.vars = append(d.vars, e)
	d.least.grow()
	d.every.grow()
	d.inherent(e)
	return d.find(e)
}

func (d *differences) find(e expr.Node) int {
	return slices.IndexFunc(d.vars, func(x expr.Node) bool { return expr.Equal(x, e) })
}

// inherent adds what holds between a window's start and the time in it.
func (d *differences) inherent(e expr.Node) {
	c, ok := e.(*expr.Call)
	if !ok || c.F != &timewindow.Start {
		return
	}
	size, ok := d.constant(c.Args[1], e.Type())
	t, ok2 := d.linear(c.Args[0])
	if !ok || !ok2 || t.plus == nil || t.minus != nil {
		return
	}
	start, x := d.variable(e), d.variable(t.plus)
	for _, m := range []matrix{d.least, d.every} {
		m.atLeast(x, start, -t.hi)
		m.atLeast(start, x, sub(t.lo, size.hi-1))
	}
}

// close derives what follows from several conditions together.
func (d *differences) close() {
	d.least.close()
	d.every.close()
}

// equal takes in l = r, of structs field by field.
func (d *differences) equal(l, r expr.Node) {
	if t := l.Type(); t.Kind == types.Struct && r.Type().Kind == types.Struct && len(t.Fields) == len(r.Type().Fields) {
		for i := range t.Fields {
			d.equal(fieldOf(l, i), fieldOf(r, i))
		}
		return
	}
	d.compare("<=", l, r)
	d.compare(">=", l, r)
}

// fieldOf is a field of a struct; of one that is built on the spot, the value itself.
func fieldOf(e expr.Node, i int) expr.Node {
	if fields := structFields(e); fields != nil {
		return fields[i]
	}
	return expr.NewField(e, i)
}

// condition takes in a conjunct.
func (d *differences) condition(n expr.Node) {
	switch x := n.(type) {
	case *expr.And:
		for _, a := range x.Args {
			d.condition(a)
		}
	case *expr.Call:
		switch {
		case len(x.Args) != 2:
		case x.F.Name == "=":
			d.equal(x.Args[0], x.Args[1])
		default:
			d.compare(x.F.Name, x.Args[0], x.Args[1])
		}
	}
}

// compare takes in an inequality.
func (d *differences) compare(op string, l, r expr.Node) {
	switch op {
	case ">", ">=":
	case "<", "<=":
		l, r = r, l
	default:
		return
	}
	a, ok := d.linear(l)
	b, ok2 := d.linear(r)
	if !ok || !ok2 {
		return
	}
	x, ok := a.add(b.negated())
	if !ok || x.plus == nil || x.minus == nil {
		return
	}
	k := -x.hi // plus − minus + c ≥ 0
	if (op == "<" || op == ">") && l.Type().Kind != types.Interval {
		k = add(k, 1)
	}
	i, j := d.variable(x.plus), d.variable(x.minus)
	d.least.atLeast(i, j, k)
}

func (x linear) negated() linear {
	return linear{plus: x.minus, minus: x.plus, lo: -x.hi, hi: -x.lo}
}

// add sums two of them, if at most one variable a sign is left.
func (x linear) add(y linear) (linear, bool) {
	out := linear{lo: add(x.lo, y.lo), hi: add(x.hi, y.hi)}
	plus, minus := present(x.plus, y.plus), present(x.minus, y.minus)
	for i := 0; i < len(plus); i++ {
		if at := slices.IndexFunc(minus, func(m expr.Node) bool { return expr.Equal(plus[i], m) }); at >= 0 {
			plus, minus = slices.Delete(plus, i, i+1), slices.Delete(minus, at, at+1)
			i--
		}
	}
	if len(plus) > 1 || len(minus) > 1 {
		return out, false
	}
	if len(plus) == 1 {
		out.plus = plus[0]
	}
	if len(minus) == 1 {
		out.minus = minus[0]
	}
	return out, true
}

func present(list ...expr.Node) []expr.Node {
	return slices.DeleteFunc(list, func(e expr.Node) bool { return e == nil })
}

// linear takes an expression apart. What it does not know is a variable, if it is a
// time or an integer and reads one side only.
func (d *differences) linear(e expr.Node) (linear, bool) {
	if x, ok := d.sum(e); ok {
		return x, true
	}
	t := e.Type()
	if !t.IsTime() && !t.IsInteger() || sideOf(e, d.width) < 0 || expr.IsConst(e) {
		return linear{}, false
	}
	return linear{plus: e}, true
}

// sum recognises sums, differences and conversions that keep the value.
func (d *differences) sum(e expr.Node) (linear, bool) {
	switch x := e.(type) {
	case *expr.Const:
		return d.constant(x, e.Type())
	case *expr.Cast:
		if d.keepsValue(x) {
			return d.linear(x.X)
		}
	case *expr.Call:
		switch {
		case x.F == &timewindow.End:
			return d.steps("+", x.Args[0], x.Args[1], e.Type())
		case len(x.Args) == 2 && (x.F.Name == "+" || x.F.Name == "-"):
			return d.steps(x.F.Name, x.Args[0], x.Args[1], e.Type())
		}
	}
	return linear{}, false
}

func (d *differences) keepsValue(x *expr.Cast) bool {
	from, to := x.X.Type(), x.To
	switch {
	case from.IsInteger() && to.IsInteger():
		return true
	case d.utc && from.IsTime() && to.IsTime():
		return (from.Kind == types.Date) == (to.Kind == types.Date)
	}
	return false
}

// steps is l ± r in the unit of the result.
func (d *differences) steps(op string, l, r expr.Node, t types.Type) (linear, bool) {
	a, ok := d.operand(l, t)
	b, ok2 := d.operand(r, t)
	if !ok || !ok2 {
		return linear{}, false
	}
	if op == "-" {
		b = b.negated()
	}
	return a.add(b)
}

// operand is a part of a sum: of the same unit, or an interval.
func (d *differences) operand(e expr.Node, of types.Type) (linear, bool) {
	t := e.Type()
	switch {
	case t.Kind == types.Interval:
		if expr.IsConst(e) {
			return d.constant(e, of)
		}
		return d.sum(e)
	case of.Kind == types.Interval: // a difference of two times, in µs
		return mustBe(t.Kind == types.Timestamp || t.Kind == types.TimestampNTZ, d, e)
	case of.IsInteger():
		return mustBe(t.IsInteger() || t.Kind == types.Date, d, e)
	case t.IsInteger():
		return mustBe(of.Kind == types.Date, d, e)
	}
	return mustBe(t.Kind == of.Kind, d, e)
}

func mustBe(ok bool, d *differences, e expr.Node) (linear, bool) {
	if !ok {
		return linear{}, false
	}
	return d.linear(e)
}

// constant is a constant in the unit of a type: an interval is a range where its days
// and months have no fixed length.
func (d *differences) constant(e expr.Node, of types.Type) (linear, bool) {
	if !expr.IsConst(e) {
		return linear{}, false
	}
	v := expr.ConstValue(e)
	t := e.Type()
	switch {
	case v == nil || v.IsNull(0):
		return linear{}, false
	case t.Kind == types.Interval:
		f, i := v.At(0)
		return d.length(f.Iv[i], of)
	case t.IsInteger() || t.IsTime():
		return linear{lo: v.Int(0), hi: v.Int(0)}, true
	}
	return linear{}, false
}

func (d *differences) length(v types.IntervalValue, of types.Type) (linear, bool) {
	lo, hi := daysOf(int64(v.Months))
	lo, hi = lo+int64(v.Days), hi+int64(v.Days)
	if of.Kind == types.Date {
		return linear{lo: lo, hi: hi}, v.Micros == 0
	}
	if v.Months != 0 && of.Kind == types.Interval {
		return linear{}, false
	}
	slack := int64(0)
	if !d.fixed && of.Kind == types.Timestamp && (v.Days != 0 || v.Months != 0) {
		slack = 25 * types.MicrosPerHour // the most by which a clock has ever been changed
	}
	return linear{lo: add(lo*types.MicrosPerDay, v.Micros) - slack, hi: add(hi*types.MicrosPerDay, v.Micros) + slack}, true
}

// daysOf bounds the days in some months.
func daysOf(months int64) (lo, hi int64) {
	if months < 0 {
		lo, hi = daysOf(-months)
		return -hi, -lo
	}
	years, rest := months/12, months%12
	return years*365 + rest*28, years*366 + rest*31
}

// sideOf is 0 for an expression over left columns, 1 over right ones, −1 for both or none.
func sideOf(e expr.Node, width int) int {
	cols := expr.ColumnsOf(e)
	switch {
	case len(cols) == 0:
	case cols[len(cols)-1] < width:
		return 0
	case cols[0] >= width:
		return 1
	}
	return -1
}

// add saturates; sub likewise.
func add(a, b int64) int64 {
	s := a + b
	switch {
	case a > 0 && b > 0 && s < 0:
		return math.MaxInt64 / 2
	case a < 0 && b < 0 && s >= 0:
		return math.MinInt64 / 2
	}
	return s
}

func sub(a, b int64) int64 { return add(a, -b) }
