package scalar

import (
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/fn/cast"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// exact is the value of an integer or DECIMAL element.
func exact(v *vec.Vector, r int) *big.Rat {
	f, i := v.At(r)
	x := toBig(cast.DecimalAt(f, i))
	return new(big.Rat).SetFrac(x, pow10Big(int(v.Type.Scale)))
}

// rounded is x at a scale, half away from zero.
func rounded(x *big.Rat, scale int) *big.Rat {
	n := new(big.Int).Mul(x.Num(), pow10Big(scale))
	return new(big.Rat).SetFrac(divBig(n, x.Denom()), pow10Big(scale))
}

func truncated(x *big.Rat) *big.Rat {
	return new(big.Rat).SetInt(new(big.Int).Quo(x.Num(), x.Denom()))
}

// naive computes an operator with arbitrary precision; nil = division by zero.
func naive(op arithOp, x, y *big.Rat) *big.Rat {
	z := new(big.Rat)
	switch op {
	case opAdd:
		return z.Add(x, y)
	case opSub:
		return z.Sub(x, y)
	case opMul:
		return z.Mul(x, y)
	}
	if y.Sign() == 0 {
		return nil
	}
	z.Quo(x, y)
	switch op {
	case opIntDiv:
		return truncated(z)
	case opMod:
		return z.Sub(x, new(big.Rat).Mul(truncated(z), y))
	}
	return z
}

// fits reports that a value is one of the type.
func fits(x *big.Rat, t types.Type) bool {
	if t.Kind == types.Decimal {
		limit := new(big.Rat).SetInt(pow10Big(int(t.Prec) - int(t.Scale)))
		return new(big.Rat).Abs(x).Cmp(limit) < 0
	}
	lo, hi := cast.IntRange(t.Kind)
	return x.Cmp(new(big.Rat).SetInt64(lo)) >= 0 && x.Cmp(new(big.Rat).SetInt64(hi)) <= 0
}

var exactTypes = []types.Type{
	tinyint, types.Of(types.Int16), integer, bigint, types.DecimalOf(3, 3), types.DecimalOf(9, 2), types.DecimalOf(18, 0), types.DecimalOf(18, 9),
	types.DecimalOf(19, 0), types.DecimalOf(24, 3), types.DecimalOf(38, 0), types.DecimalOf(38, 18), types.DecimalOf(38, 37),
}

// randomDigits is a signed number of at most n digits.
func randomDigits(rnd *rand.Rand, n int) *big.Int {
	x := new(big.Int)
	for range n {
		x.Mul(x, big.NewInt(10)).Add(x, big.NewInt(int64(rnd.IntN(10))))
	}
	if rnd.IntN(2) == 0 {
		x.Neg(x)
	}
	return x
}

func randomExact(rnd *rand.Rand, t types.Type, n int) *vec.Vector {
	b := vec.NewBuilder(t)
	for range n {
		digits := rnd.IntN(map[bool]int{true: int(t.Prec) + 1, false: 20}[t.Kind == types.Decimal])
		x := randomDigits(rnd, digits)
		if !fits(new(big.Rat).SetFrac(x, pow10Big(int(t.Scale))), t) {
			lo, hi := cast.IntRange(t.Kind)
			x = big.NewInt([]int64{lo, hi}[rnd.IntN(2)])
		}
		i, _ := fromBig(x)
		b.AppendInt128(i)
	}
	return b.Take()
}

// TestExactArithmetic compares every operator on integers and DECIMALs, flat and
// constant, with arbitrary precision.
func TestExactArithmetic(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	for range 4000 {
		op := arithOp(rnd.IntN(6))
		a, b := exactTypes[rnd.IntN(len(exactTypes))], exactTypes[rnd.IntN(len(exactTypes))]
		n := 1 + rnd.IntN(6)
		x, y := randomExact(rnd, a, n), randomExact(rnd, b, n)
		if rnd.IntN(2) == 0 {
			y = vec.ConstOf(y, 0, n)
		}
		impl, err := resolveArith(op, []fn.Arg{{Type: a}, {Type: b}})
		if err != nil {
			t.Fatal(err)
		}
		if impl.Result.IsFloat() {
			continue
		}
		c := &fn.Ctx{Zone: time.UTC, NullOnError: true}
		args := []*vec.Vector{x, y}
		for i := range args { // integers of different widths are cast to the wider one
			args[i], err = cast.Kernel(args[i].Type, impl.Args[i], false)(c, []*vec.Vector{vec.Flatten(args[i])}, fn.Rows{N: n})
			if err != nil {
				t.Fatal(err)
			}
		}
		got, err := impl.Eval(c, args, fn.Rows{N: n})
		if err != nil {
			t.Fatal(err)
		}
		for r := range n {
			checkExact(t, op, impl.Result, x, y, got, r)
		}
	}
}

func checkExact(t *testing.T, op arithOp, result types.Type, x, y, got *vec.Vector, r int) {
	t.Helper()
	want := naive(op, exact(x, r), exact(y, r))
	if want != nil {
		want = rounded(want, int(result.Scale))
		if !fits(want, result) {
			want = nil
		}
	}
	show := vec.RowString(x, r, time.UTC) + " " + op.String() + " " + vec.RowString(y, r, time.UTC)
	switch {
	case got.IsNull(r) != (want == nil):
		t.Fatalf("%s AS %s: got %s, want %v", show, result, vec.RowString(got, r, time.UTC), want)
	case want != nil && exact(got, r).Cmp(want) != 0:
		t.Fatalf("%s AS %s: got %s, want %s", show, result, vec.RowString(got, r, time.UTC), want.FloatString(int(result.Scale)))
	}
}

// TestRowsThatDoNotCountNeverFail puts overflows and zeros where nobody looks.
func TestRowsThatDoNotCountNeverFail(t *testing.T) {
	x := vec.FromInts(bigint, []int64{1, -1 << 63, 7, 1<<63 - 1})
	y := vec.FromInts(bigint, []int64{2, 0, 7, 1<<63 - 1})
	for op := opAdd; op <= opIntDiv; op++ {
		if op == opDiv {
			continue
		}
		impl := intArith(op, bigint)
		c := &fn.Ctx{Zone: time.UTC}
		if _, err := impl.Eval(c, []*vec.Vector{x, y}, fn.Rows{N: 4, Sel: []int32{0, 2}}); err != nil {
			t.Errorf("%s: %v", op, err)
		}
		if _, err := impl.Eval(c, []*vec.Vector{x, y}, fn.Rows{N: 4}); err == nil && op != opSub {
			t.Errorf("%s: no error for the rows that count", op)
		}
	}
}
