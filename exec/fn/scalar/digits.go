package scalar

import (
	"strconv"
	"strings"
)

// decimalDigits is ±0.d₁d₂d₃… × 10^exp, without zeros in front (zero has no digits):
// how formats see a number.
type decimalDigits struct {
	neg    bool
	digits string
	exp    int
}

// floatDigits are the digits of the shortest text that reads as x.
func floatDigits(x float64, bits int) decimalDigits {
	return textDigits(strconv.FormatFloat(x, 'e', -1, bits))
}

// textDigits reads [-]ddd[.ddd][e±dd].
func textDigits(s string) decimalDigits {
	d := decimalDigits{neg: strings.HasPrefix(s, "-")}
	s, exp, _ := strings.Cut(strings.TrimPrefix(s, "-"), "e")
	d.exp, _ = strconv.Atoi(exp)
	whole, frac, _ := strings.Cut(s, ".")
	d.digits, d.exp = whole+frac, d.exp+len(whole)
	return d.normal()
}

// normal drops zeros at both ends.
func (d decimalDigits) normal() decimalDigits {
	short := strings.TrimLeft(d.digits, "0")
	d.exp -= len(d.digits) - len(short)
	d.digits = strings.TrimRight(short, "0")
	if d.digits == "" {
		d.exp = 0
	}
	return d
}

func (d decimalDigits) isZero() bool { return d.digits == "" }

// rounded keeps n digits behind the point.
func (d decimalDigits) rounded(n int, mode rounding) decimalDigits {
	keep := d.exp + n
	if d.isZero() || keep >= len(d.digits) {
		return d
	}
	if keep < 0 {
		return decimalDigits{neg: d.neg}
	}
	up := roundUp(mode, d.neg, []byte(d.digits), keep)
	ds := []byte(d.digits[:keep])
	d.digits = string(ds)
	if !up {
		return d.normal()
	}
	for i := keep - 1; i >= 0; i-- {
		if ds[i] != '9' {
			ds[i]++
			d.digits = string(ds[:i+1])
			return d
		}
	}
	d.digits, d.exp = "1", d.exp+1
	return d
}

// fixed writes n digits behind the point; the sign stays, also before zeros.
func (d decimalDigits) fixed(n int, mode rounding) string {
	d = d.rounded(n, mode)
	var b strings.Builder
	if d.neg {
		b.WriteByte('-')
	}
	b.WriteString(d.whole())
	if n > 0 {
		b.WriteByte('.')
		b.WriteString(d.fraction(n))
	}
	return b.String()
}

// whole are the digits before the point, at least one.
func (d decimalDigits) whole() string {
	switch {
	case d.exp <= 0:
		return "0"
	case d.exp <= len(d.digits):
		return d.digits[:d.exp]
	}
	return d.digits + strings.Repeat("0", d.exp-len(d.digits))
}

// fraction are n digits behind the point of a number that has no more.
func (d decimalDigits) fraction(n int) string {
	s := ""
	switch {
	case d.isZero():
	case d.exp < 0:
		s = strings.Repeat("0", -d.exp) + d.digits
	case d.exp < len(d.digits):
		s = d.digits[d.exp:]
	}
	return s + strings.Repeat("0", max(n-len(s), 0))
}

// scientific writes d.ddde±xx with n digits behind the point.
func (d decimalDigits) scientific(n int) string {
	exp := 0
	if !d.isZero() {
		d = d.rounded(n+1-d.exp, halfUp)
		exp = d.exp - 1
	}
	d.exp = 1
	if d.isZero() {
		d.exp = 0
	}
	s := d.fixed(n, halfUp) + "e"
	if exp < 0 {
		s, exp = s+"-", -exp
	} else {
		s += "+"
	}
	if exp < 10 {
		s += "0"
	}
	return s + strconv.Itoa(exp)
}
