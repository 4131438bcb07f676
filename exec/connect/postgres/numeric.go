package postgres

import (
	"encoding/binary"
	"errors"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// PostgreSQL's numeric: digits to the base 10,000, the first of which counts 10,000^weight.
const (
	numericNegative = 0x4000
	numericNaN      = 0xC000
	numericHigh     = 0xD000 // infinity
	numericLow      = 0xF000 // −infinity
)

// numericCell writes whole numbers and decimals as numeric.
func numericCell(t types.Type) cell {
	scale := 0
	if t.Kind == types.Decimal {
		scale = int(t.Scale)
	}
	wide := t.Phys() == types.PhysInt128
	return func(dst []byte, f *vec.Vector, i int) ([]byte, string) {
		if wide {
			return appendNumeric(dst, f.I128[i], scale), ""
		}
		return appendNumeric(dst, types.Int128From(f.I64[i]), scale), ""
	}
}

// appendNumeric appends the binary form of x / 10^scale.
func appendNumeric(dst []byte, x types.Int128, scale int) []byte {
	var room [48]byte
	text := types.AppendDecimal(room[:0], x, scale)
	sign := uint16(0)
	if text[0] == '-' {
		sign, text = numericNegative, text[1:]
	}
	whole := len(text)
	if scale > 0 {
		whole -= scale + 1
	}
	var digits [16]uint16
	n := 0
	for from := 0; from < whole; { // groups of four before the point; the first may be shorter
		to := from + (whole-from-1)%4 + 1
		digits[n], n, from = group(text[from:to], 0), n+1, to
	}
	weight := n - 1
	for from := whole + 1; from < len(text); from += 4 {
		to := min(from+4, len(text))
		digits[n], n = group(text[from:to], 4-(to-from)), n+1
	}
	first := 0
	for ; first < n && digits[first] == 0; first++ {
		weight--
	}
	for n > first && digits[n-1] == 0 {
		n--
	}
	if first == n {
		weight, sign = 0, 0
	}
	dst = binary.BigEndian.AppendUint16(dst, uint16(n-first))
	dst = binary.BigEndian.AppendUint16(dst, uint16(int16(weight)))
	dst = binary.BigEndian.AppendUint16(dst, sign)
	dst = binary.BigEndian.AppendUint16(dst, uint16(scale))
	for _, d := range digits[first:n] {
		dst = binary.BigEndian.AppendUint16(dst, d)
	}
	return dst
}

// group reads up to four decimal digits, with zeros behind them.
func group(text []byte, zeros int) uint16 {
	d := uint16(0)
	for _, c := range text {
		d = 10*d + uint16(c-'0')
	}
	for ; zeros > 0; zeros-- {
		d *= 10
	}
	return d
}

var (
	errNumericBytes = errors.New("malformed numeric")
	errNumericRange = errors.New("out of range")
	errNumericExact = errors.New("has more digits behind the point than it is declared with")
)

// readNumeric reads the binary form as an unscaled value of DECIMAL(prec, scale). A value
// that it cannot hold exactly is an error.
func readNumeric(data []byte, prec, scale int) (types.Int128, error) {
	var x types.Int128
	if len(data) < 8 {
		return x, errNumericBytes
	}
	n := int(binary.BigEndian.Uint16(data))
	weight := int(int16(binary.BigEndian.Uint16(data[2:])))
	sign := binary.BigEndian.Uint16(data[4:])
	switch sign {
	case numericNaN:
		return x, errors.New("is NaN")
	case numericHigh, numericLow:
		return x, errors.New("is infinite")
	}
	if len(data) != 8+2*n {
		return x, errNumericBytes
	}
	shift := 4*(weight-n+1) + scale // the value is the digits times 10^shift
	ok := true
	for i := range n {
		d, places := int64(binary.BigEndian.Uint16(data[8+2*i:])), 4
		for i == n-1 && shift < 0 && places > 0 && d%10 == 0 { // what would not fit is zeros alone
			d, places, shift = d/10, places-1, shift+1
		}
		if x, ok = x.MulPow10(places); ok {
			x, ok = x.Add(types.Int128From(d))
		}
		if !ok {
			return x, errNumericRange
		}
	}
	if shift >= 0 {
		x, ok = x.MulPow10(shift)
	} else if x, ok = divExact(x, -shift); !ok {
		return x, errNumericExact
	}
	if !ok || !types.FitsPrecision(x, prec) {
		return x, errNumericRange
	}
	if sign == numericNegative {
		x, _ = x.Neg()
	}
	return x, nil
}

// divExact divides by 10^n; false if there is a remainder.
func divExact(x types.Int128, n int) (types.Int128, bool) {
	if n > types.MaxPrecision {
		return x, x.IsZero()
	}
	q, r, _ := x.QuoRem(types.Pow10(n))
	return q, r.IsZero()
}
