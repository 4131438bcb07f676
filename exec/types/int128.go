package types

// Int128 is a two's complement 128-bit integer: the unscaled value of a DECIMAL
// with more than 18 digits, and the accumulator of sums.
type Int128 struct {
	Hi int64
	Lo uint64
}

// Int128From widens v.
func Int128From(v int64) Int128 { return Int128{Hi: v >> 63, Lo: uint64(v)} }
