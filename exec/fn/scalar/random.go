package scalar

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// randoms give another value for each row. None takes a seed: rows are spread over
// workers, so that no seed would give the same numbers again.
func randoms() []*fn.Scalar {
	return []*fn.Scalar{
		{
			Name: "random", Aliases: []string{"rand"}, Group: "Numeric", Volatility: fn.Volatile, Syntax: []string{"random()", "random(min, max)"},
			Doc:     "Is a random DOUBLE from 0 to 1, without 1, another one for each row; or a number between two, both included, an integer if both are.",
			Resolve: resolveRandom,
		},
		{
			Name: "randn", Group: "Numeric", Volatility: fn.Volatile, Syntax: []string{"randn()"}, Doc: "Is a random DOUBLE of the standard normal distribution, another one for each row.",
			Resolve: func(args []fn.Arg) (fn.Impl, error) {
				if err := seedless(args, 0); err != nil {
					return fn.Impl{}, err
				}
				return fixed(double, func(c *fn.Ctx, _ []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
					out := c.New(double, rows.N)
					each(rows, func(r int) { out.F64[r] = normal(c) })
					return out, nil
				})(args)
			},
		},
		{
			Name: "random_normal", Group: "Numeric", Volatility: fn.Volatile, Syntax: []string{"random_normal([mean [, deviation]])"}, Doc: "Is a random DOUBLE of a normal distribution, around 0 with the deviation 1 by default.",
			Resolve: optional(0, double, func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
				out := c.New(double, rows.N)
				each(rows, func(r int) {
					x := normal(c)
					if len(args) > 1 {
						x *= args[1].Float(r)
					}
					if len(args) > 0 {
						x += args[0].Float(r)
					}
					out.F64[r] = x
				})
				return out, nil
			}, double, double),
		},
		{
			Name: "uniform", Group: "Numeric", Volatility: fn.Volatile, Syntax: []string{"uniform(min, max)"}, Doc: "Is a random number from min to max, without max, another one for each row: an integer if both are, else a DOUBLE.",
			Resolve: resolveUniform,
		},
		{
			Name: "rand_integer", Group: "Numeric", Volatility: fn.Volatile, Syntax: []string{"rand_integer(bound)"}, Doc: "Is a random INT from 0 to the bound, without it, another one for each row.",
			Resolve: func(args []fn.Arg) (fn.Impl, error) {
				if err := seedless(args, 1); err != nil {
					return fn.Impl{}, err
				}
				return fixed(integer, func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
					return tryInts(integer, "rand_integer", func(args []*vec.Vector, r int) (int64, string) {
						if args[0].Int(r) <= 0 {
							return 0, "needs a bound above zero"
						}
						return int64(below(c, uint64(args[0].Int(r)))), ""
					})(c, args, rows)
				}, integer)(args)
			},
		},
		{
			Name: "randstr", Group: "Text", Volatility: fn.Volatile, Syntax: []string{"randstr(length)"}, Doc: "Is a random text of so many of the characters 0-9, a-z and A-Z, another one for each row.",
			Resolve: func(args []fn.Arg) (fn.Impl, error) {
				if err := seedless(args, 1); err != nil {
					return fn.Impl{}, err
				}
				return fixed(text, func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
					return tryTexts(text, "randstr", func(dst []byte, args []*vec.Vector, r int) ([]byte, string, string) {
						return appendRandom(c, dst, args[0].Int(r))
					})(c, args, rows)
				}, integer)(args)
			},
		},
	}
}

// seedless refuses the seeds of Spark and Flink.
func seedless(args []fn.Arg, most int) error {
	if len(args) > most {
		return fmt.Errorf("takes no seed, because rows reach the workers in no fixed order: a number from 0 to 1 that follows from the row is pmod(xxhash64(key), 1000000) / 1e6")
	}
	return nil
}

// fraction is a random number from 0 to 1, without 1.
func fraction(c *fn.Ctx) float64 { return float64(next(c)>>11) / (1 << 53) }

// normal is a random number of the standard normal distribution (Box and Muller).
func normal(c *fn.Ctx) float64 {
	return math.Sqrt(-2*math.Log(1-fraction(c))) * math.Cos(2*math.Pi*fraction(c))
}

// below is a random number from 0 to n, without n; 0 stands for 2⁶⁴.
func below(c *fn.Ctx, n uint64) uint64 {
	if n == 0 {
		return next(c)
	}
	high, _ := bits.Mul64(next(c), n)
	return high
}

func resolveRandom(args []fn.Arg) (fn.Impl, error) {
	switch len(args) {
	case 1:
		return fn.Impl{}, seedless(args, 0)
	case 2:
		return resolveRange(args, true)
	}
	return fixed(double, func(c *fn.Ctx, _ []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(double, rows.N)
		each(rows, func(r int) { out.F64[r] = fraction(c) })
		return out, nil
	})(args)
}

func resolveUniform(args []fn.Arg) (fn.Impl, error) {
	if len(args) == 3 {
		return fn.Impl{}, seedless(args, 2)
	}
	return resolveRange(args, false)
}

// resolveRange resolves a random number between two.
func resolveRange(args []fn.Arg, inclusive bool) (fn.Impl, error) {
	if err := arity(args, 2, 2); err != nil {
		return fn.Impl{}, err
	}
	for i, a := range args {
		if !a.Type.IsNumeric() && a.Type.Kind != types.Null {
			return fn.Impl{}, mismatch(args, i, "number")
		}
	}
	t, err := common(args, 0)
	if err != nil {
		return fn.Impl{}, err
	}
	if !t.IsInteger() {
		return fixed(double, func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
			out := c.New(double, rows.N)
			each(rows, func(r int) {
				lo, hi := args[0].Float(r), args[1].Float(r)
				out.F64[r] = lo + (hi-lo)*fraction(c)
			})
			return out, nil
		}, double, double)(args)
	}
	return fixed(t, func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(t, rows.N)
		each(rows, func(r int) { out.I64[r] = between(c, args[0].Int(r), args[1].Int(r), inclusive) })
		return out, nil
	}, t, t)(args)
}

func between(c *fn.Ctx, a, b int64, inclusive bool) int64 {
	lo, hi := min(a, b), max(a, b)
	n := uint64(hi) - uint64(lo)
	if inclusive {
		n++
	}
	if n == 0 && !inclusive {
		return lo
	}
	return int64(uint64(lo) + below(c, n))
}

const randomChars = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

func appendRandom(c *fn.Ctx, dst []byte, n int64) (res []byte, value, msg string) {
	switch {
	case n < 0:
		return nil, fmt.Sprint(n), "needs a length that is not negative"
	case n > maxText:
		return nil, fmt.Sprint(n), tooLong
	}
	for range n {
		dst = append(dst, randomChars[below(c, uint64(len(randomChars)))])
	}
	return dst, "", ""
}
