package types

import (
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cockroachdb/apd/v3"
)

// apdParse is the oracle: the value of text at a scale, rounded half away from zero,
// if it has at most p digits.
func apdParse(t *testing.T, text string, p, s int) (*big.Int, bool) {
	t.Helper()
	d, _, err := apd.NewFromString(strings.TrimSpace(text))
	if err != nil {
		t.Fatalf("oracle refuses %q: %v", text, err)
	}
	ctx := apd.BaseContext.WithPrecision(2000)
	ctx.Rounding = apd.RoundHalfUp // apd's name for half away from zero
	var q apd.Decimal
	if _, err := ctx.Quantize(&q, d, int32(-s)); err != nil {
		return nil, false
	}
	digits := q.Coeff.MathBigInt()
	ok := digits.Cmp(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(p)), nil)) < 0
	if q.Negative {
		digits.Neg(digits)
	}
	return digits, ok
}

func randomNumber(r *rand.Rand) string {
	digits := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteByte("0123456789059"[r.IntN(13)])
		}
		return b.String()
	}
	var s string
	switch r.IntN(4) {
	case 0:
		s = digits(1 + r.IntN(45))
	case 1:
		s = digits(r.IntN(30)) + "." + digits(1+r.IntN(45))
	case 2:
		s = strings.Repeat("0", r.IntN(40)) + digits(1+r.IntN(10)) + "." + digits(r.IntN(4))
	default:
		s = "0." + strings.Repeat("0", r.IntN(40)) + digits(1+r.IntN(45))
	}
	s = []string{"", "-", "+"}[r.IntN(3)] + s
	if r.IntN(3) == 0 {
		s += fmt.Sprintf("%s%d", []string{"e", "E", "e+", "e-"}[r.IntN(4)], r.IntN(50))
	}
	return []string{"", " "}[r.IntN(2)] + s
}

func TestParseDecimalAgainstApd(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 60000 {
		text := randomNumber(r)
		p := 1 + r.IntN(MaxPrecision)
		s := r.IntN(p + 1)
		want, ok := apdParse(t, text, p, s)
		got, err := ParseDecimal(text, p, s)
		if (err == nil) != ok {
			t.Fatalf("%q as DECIMAL(%d,%d): %v, the exact value is %v", text, p, s, err, want)
		}
		if ok && toBig(got).Cmp(want) != 0 {
			t.Fatalf("%q as DECIMAL(%d,%d) is %v, want %v", text, p, s, got, want)
		}
		if !ok {
			continue
		}
		printed := string(AppendDecimal(nil, got, s))
		d, _, err := apd.NewFromString(printed)
		if err != nil || d.Text('f') != printed && !strings.HasPrefix(printed, "-0") {
			t.Fatalf("%v of scale %d prints as %q", got, s, printed)
		}
		if back, err := ParseDecimal(printed, p, s); err != nil || back != got {
			t.Fatalf("%q does not read back", printed)
		}
	}
}

func TestParseExact(t *testing.T) {
	for text, want := range map[string]string{
		"0.908": "908 3 3", "1": "1 1 0", "-0.00": "0 2 2", "12.50": "1250 4 2", ".5": "5 1 1", "5.": "5 1 0", "1e3": "1000 4 0", "1.5e-3": "15 4 4",
		"99999999999999999999999999999999999999": "99999999999999999999999999999999999999 38 0",
	} {
		x, p, s, err := ParseExact(text)
		if got := fmt.Sprint(x, p, s); err != nil || got != want {
			t.Errorf("%s: %s, %v, want %s", text, got, err, want)
		}
	}
	for text, want := range map[string]error{
		"": ErrDecimalSyntax, "-": ErrDecimalSyntax, ".": ErrDecimalSyntax, "1e": ErrDecimalSyntax, "1x": ErrDecimalSyntax, "1 2": ErrDecimalSyntax, "1.2.3": ErrDecimalSyntax,
		"NaN": ErrDecimalSyntax, "1e+": ErrDecimalSyntax, "1e999999999999": ErrDecimalRange, "100000000000000000000000000000000000000": ErrDecimalRange,
		"0.000000000000000000000000000000000000001": ErrDecimalRange,
	} {
		if _, _, _, err := ParseExact(text); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", text, err, want)
		}
	}
}

func TestRescale(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for range 20000 {
		x, from, to := random128(r), r.IntN(39), r.IntN(39)
		exact := new(big.Int).Mul(toBig(x), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(to)), nil))
		exact = roundDiv(exact, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(from)), nil))
		got, ok := Rescale(x, from, to)
		fits(t, "rescale", got, ok, exact)
	}
}

func TestParsersDoNotAllocate(t *testing.T) {
	zone := mustZone(t, "Europe/Berlin")
	n := testing.AllocsPerRun(100, func() {
		_, e1 := ParseDecimal("12345678.90", 18, 2)
		_, e2 := ParseTimestamp("2024-01-01 12:00:00.5", zone)
		_, e3 := ParseTimestamp("2024-01-01T12:00:00Z", zone)
		_, e4 := ParseDate("2024-01-01")
		_, e5 := ParseTimestamp("nonsense!!", zone)
		if e1 != nil || e2 != nil || e3 != nil || e4 != nil || e5 == nil {
			t.Error("unexpected result")
		}
	})
	if n != 0 {
		t.Fatalf("%v allocations", n)
	}
}
