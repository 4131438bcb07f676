package stateful

import (
	"math"
	"math/big"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// overFill computes fill: where its argument is NULL, the value at the row's order key on
// the line through two rows near by that have one.
type overFill struct {
	o *over
	f *OverFunc

	gap  extent // positions without a value for which the points are those
	from fillPoint
	to   fillPoint
}

// fillPoint is a row that has a value, or none.
type fillPoint struct {
	row uint32
	ok  bool
}

func (l *overFill) values(p *overPart, out *vec.Builder) error {
	vals := p.column(l.f.Args[0])
	l.gap = extent{-1, -1}
	for i, r := range p.row {
		pos := p.from + int64(i)
		switch {
		case !vals.IsNull(i):
			out.AppendFrom(vals, i)
		case !l.keyed(r):
			out.AppendNull()
		default:
			if pos < l.gap.from || pos >= l.gap.to {
				l.find(p, pos)
			}
			l.append(r, out)
		}
	}
	return nil
}

// keyed reports that a row has a place on the line.
func (l *overFill) keyed(row uint32) bool { return finite(l.o.value(row, l.o.cfg.Order[0].Col)) }

// valued reports that a row has a value for the line.
func (l *overFill) valued(row uint32) bool { return finite(l.o.value(row, l.f.Args[0])) }

// finite reports a value that is not NULL, infinite or NaN.
func finite(v *vec.Vector) bool {
	if v.IsNull(0) {
		return false
	}
	switch {
	case v.Type.IsTime():
		return v.Type.Kind.Infinite(v.Int(0)) == 0
	case v.Type.Phys() != types.PhysFloat64:
		return true
	}
	x := v.Float(0)
	return !math.IsNaN(x) && !math.IsInf(x, 0)
}

// next is the position of the first row from at on, in a direction, that has a value, −1 if
// there is none. Rows without a place on the line lie at the ends of the partition.
func (l *overFill) next(p *overPart, at, step int64) int64 {
	for ; at >= 0 && at < p.n; at += step {
		switch r := p.at(at); {
		case !l.keyed(r):
			return -1
		case l.valued(r):
			return at
		}
	}
	return -1
}

// find takes the points for a position: the rows with a value before and after it, or two
// on one side.
func (l *overFill) find(p *overPart, pos int64) {
	before, after := l.next(p, pos-1, -1), l.next(p, pos+1, 1)
	l.gap = extent{before + 1, p.n}
	if after >= 0 {
		l.gap.to = after
	}
	switch {
	case before < 0 && after >= 0:
		before = after
		after = l.next(p, after+1, 1)
	case after < 0 && before >= 0:
		if first := l.next(p, before-1, -1); first >= 0 {
			before, after = first, before
		}
	}
	l.from, l.to = l.point(p, before), l.point(p, after)
}

func (l *overFill) point(p *overPart, pos int64) fillPoint {
	if pos < 0 {
		return fillPoint{}
	}
	return fillPoint{p.at(pos), true}
}

// append writes the value of a row.
func (l *overFill) append(row uint32, out *vec.Builder) {
	switch {
	case !l.from.ok:
		out.AppendNull()
		return
	case !l.to.ok:
		out.AppendFrom(l.o.value(l.from.row, l.f.Args[0]), 0)
		return
	}
	key := l.o.cfg.Order[0].Col
	x0, x1 := numberOf(l.o.value(l.from.row, key)), numberOf(l.o.value(l.to.row, key))
	share := fillShare(x0, x1, numberOf(l.o.value(row, key)))
	arg := l.f.Args[0]
	if l.f.Result.Phys() == types.PhysFloat64 {
		y0, y1 := l.o.value(l.from.row, arg).Float(0), l.o.value(l.to.row, arg).Float(0)
		out.AppendFloat(rounded(l.f.Result, between(y0, y1, share)))
		return
	}
	y0 := wholeOf(l.o.value(l.from.row, arg))
	y1 := wholeOf(l.o.value(l.to.row, arg))
	appendWhole(l.f.Result, onLine(y0, y1, share), out)
}

// fillShare is how far x lies on the way from x0 to x1. Equal keys take the first.
func fillShare(x0, x1, x float64) float64 {
	way := x1 - x0
	if way == 0 {
		return 0
	}
	if math.IsInf(way, 0) {
		scale := max(math.Abs(x0), math.Abs(x1))
		return (x/scale - x0/scale) / (x1/scale - x0/scale)
	}
	return (x - x0) / way
}

// between is y0 + (y1 − y0) · share, also where the difference is infinite.
func between(y0, y1, share float64) float64 {
	if way := y1 - y0; !math.IsInf(way, 0) {
		return y0 + way*share
	}
	return y0*(1-share) + y1*share
}

func rounded(t types.Type, x float64) float64 {
	if t.Kind == types.Float32 {
		return float64(float32(x))
	}
	return x
}

func numberOf(v *vec.Vector) float64 {
	switch v.Type.Phys() {
	case types.PhysFloat64:
		return v.Float(0)
	case types.PhysInt128:
		f, i := v.At(0)
		return f.I128[i].Float64()
	}
	return float64(v.Int(0))
}

func wholeOf(v *vec.Vector) *big.Int {
	if v.Type.Phys() == types.PhysInt128 {
		f, i := v.At(0)
		x, _ := new(big.Int).SetString(f.I128[i].String(), 10)
		return x
	}
	return big.NewInt(v.Int(0))
}

// onLine is y0 + (y1 − y0) · share, rounded; nil where that is no number.
func onLine(y0, y1 *big.Int, share float64) *big.Int {
	if math.IsInf(share, 0) || math.IsNaN(share) {
		return nil
	}
	const precision = 256
	way := new(big.Float).SetPrec(precision).SetInt(new(big.Int).Sub(y1, y0))
	way.Mul(way, new(big.Float).SetPrec(precision).SetFloat64(share))
	half := big.NewFloat(math.Copysign(0.5, float64(way.Sign())))
	whole, _ := way.Add(way, half).Int(nil)
	return whole.Add(whole, y0)
}

// appendWhole appends a whole number, NULL where the type has no such value.
func appendWhole(t types.Type, x *big.Int, out *vec.Builder) {
	if x == nil {
		out.AppendNull()
		return
	}
	low, high := wholeRange(t)
	if x.Cmp(low) < 0 || x.Cmp(high) > 0 {
		out.AppendNull()
		return
	}
	if t.Phys() == types.PhysInt64 {
		out.AppendInt(x.Int64())
		return
	}
	hi := new(big.Int).Rsh(x, 64)
	lo := new(big.Int).Sub(x, new(big.Int).Lsh(hi, 64))
	out.AppendInt128(types.Int128{Hi: hi.Int64(), Lo: lo.Uint64()})
}

// wholeRange are the least and the greatest value of a type that is stored as a whole
// number.
func wholeRange(t types.Type) (low, high *big.Int) {
	switch bits := map[types.Kind]uint{types.Int8: 7, types.Int16: 15, types.Int32: 31}[t.Kind]; {
	case bits > 0:
		high = new(big.Int).Lsh(big.NewInt(1), bits)
		return new(big.Int).Neg(high), high.Sub(high, big.NewInt(1))
	case t.Kind == types.Decimal:
		high = new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(t.Prec)), nil)
		high.Sub(high, big.NewInt(1))
		return new(big.Int).Neg(high), high
	case t.Kind == types.Time:
		return big.NewInt(0), big.NewInt(types.MicrosPerDay - 1)
	case t.Kind == types.Date:
		return big.NewInt(types.FirstDay), big.NewInt(types.LastDay)
	case t.IsTime():
		return big.NewInt(types.FirstDay * types.MicrosPerDay), big.NewInt((types.LastDay+1)*types.MicrosPerDay - 1)
	}
	return big.NewInt(math.MinInt64), big.NewInt(math.MaxInt64)
}

// reachOfFill goes on until two values have been met on each side: a row beyond them has
// them nearer than the change.
func (o *over) reachOfFill(f *OverFunc, c overChange) (from, to int64) {
	l, p := &overFill{o: o, f: f}, &o.part
	from, to = c.at, c.end
	for left := 2; from > 0 && left > 0; from-- {
		if r := p.at(from - 1); l.keyed(r) && l.valued(r) {
			left--
		}
	}
	for left := 2; to < p.n && left > 0; to++ {
		if r := p.at(to); l.keyed(r) && l.valued(r) {
			left--
		}
	}
	return from, to
}

// steer is what steers a function at row i of the stretch; false where it is NULL.
func (f *OverFunc) steer(p *overPart, i int) (n int64, ok bool) {
	if !f.Steered {
		return f.N, true
	}
	by := p.column(f.Args[len(f.Args)-1])
	if by.IsNull(i) {
		return 0, false
	}
	return by.Int(i), true
}

// otherwise appends what lag and lead give where there is no row: the default, but NULL
// where it is not known how far to look.
func (f *OverFunc) otherwise(p *overPart, i int, out *vec.Builder) {
	values := len(f.Args)
	if f.Steered {
		values--
	}
	if _, ok := f.steer(p, i); !ok || values < 2 || f.Kind != fn.Lag && f.Kind != fn.Lead {
		out.AppendNull()
		return
	}
	out.AppendFrom(p.column(f.Args[1]), i)
}
