package scalar

import (
	"testing"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func TestFormatWithBraces(t *testing.T) {
	n, f, s := vec.FromInts(integer, []int64{-1234567}), vec.FromAny(double, 1234567.5), vec.FromStrings([]string{"añb"})
	big, _ := types.Int128From(123456789123456789).MulPow10(9)
	wide := vec.FromAny(types.DecimalOf(38, 0), big)
	for _, c := range []struct {
		format string
		arg    *vec.Vector
		want   string // "!" for an error
	}{
		{"{}", n, "-1234567"}, {"{{{}}}", n, "{-1234567}"}, {"{0}{0}", s, "añbañb"}, {"{1}", n, "!"}, {"{x}", n, "!"}, {"{", n, "!"}, {"}", n, "!"},
		{"{:,}", n, "-1,234,567"}, {"{:_}", n, "-1_234_567"}, {"{:t·}", n, "-1·234·567"}, {"{:t}", n, "!"}, {"{:,}", wide, "123,456,789,123,456,789,000,000,000"},
		{"{:012d}", n, "-00001234567"}, {"{:<10d}|", n, "-1234567  |"}, {"{:*^11}", n, "*-1234567**"}, {"{:x}", n, "-12d687"}, {"{:#X}", n, "-0X12D687"},
		{"{:+.2f}", f, "+1234567.50"}, {"{:,.2f}", f, "1,234,567.50"}, {"{:e}", f, "1.234568e+06"}, {"{:.3}", f, "1.23e+06"}, {"{:d}", f, "!"}, {"{:s}", n, "!"},
		{"{:5}|", s, "añb  |"}, {"{:>5}|", s, "  añb|"}, {"{:.2}", s, "añ"}, {"{:d}", s, "!"}, {"{:99999999999d}", n, "!"}, {"{}{}", n, "!"},
	} {
		fm := formatting{format: c.format, args: []*vec.Vector{c.arg}}
		got, msg := fm.runBraces([]byte{})
		if out := string(got); msg == "" && out != c.want || (msg != "") != (c.want == "!") {
			t.Errorf("format(%q) = %q %s, want %q", c.format, out, msg, c.want)
		}
	}
}
