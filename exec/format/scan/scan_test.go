package scan

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/sqlstream/sqlstream/exec/types"
)

// padded is text as a block holds it, and its address.
func padded(s string) ([]byte, unsafe.Pointer) {
	b := append([]byte(s), '\n')
	b = append(b, make([]byte, Pad)...)
	return b, unsafe.Pointer(unsafe.SliceData(b))
}

func TestMasks(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	special := func(c byte) bool { return c == '"' || c == '\\' || c < 0x20 || c >= 0x80 }
	for range 20_000 {
		b, base := padded("")
		for i := range 8 {
			b[i] = byte(r.IntN(256))
			if r.IntN(2) == 0 {
				b[i] = "ab\"\\,\x1f\x20\x7f\x80"[r.IntN(9)]
			}
		}
		w := Load(base, 0)
		for name, c := range map[string]struct {
			mask uint64
			want int
		}{
			"Special":     {Special(w), bytes.IndexFunc(latin(b[:8]), func(x rune) bool { return special(byte(x)) })},
			"SpecialText": {SpecialText(w), bytes.IndexFunc(latin(b[:8]), func(x rune) bool { return x < 0x80 && special(byte(x)) })},
			"Either":      {Either(w, ',', 'a'), bytes.IndexAny(latin(b[:8]), ",a")},
		} {
			got := First(c.mask)
			want := c.want
			if want >= 0 {
				want = len([]rune(string(latin(b[:8])[:want])))
			} else {
				want = 8
			}
			if got != want {
				t.Fatalf("%s of %q: %d, want %d", name, b[:8], got, want)
			}
		}
	}
}

// latin makes each byte a rune.
func latin(b []byte) []byte {
	var out []byte
	for _, c := range b {
		out = append(out, string(rune(c))...)
	}
	return out
}

func TestInt(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	texts := []string{"0", "-0", "-", "", "x", "9223372036854775807", "-9223372036854775808", "9223372036854775808", "123456789012345678901234", "12,3", "00012"}
	for range 5000 {
		texts = append(texts, strconv.FormatInt(int64(r.Uint64())>>r.IntN(64), 10)+[]string{"", ",", ".5", "}"}[r.IntN(4)])
	}
	for _, s := range texts {
		_, base := padded(s)
		got, end, ok := Int(base, 0)
		digits := len(s) - len(strings.TrimLeft(strings.TrimPrefix(s, "-"), "0123456789"))
		want, err := strconv.ParseInt(s[:digits], 10, 64)
		if ok != (err == nil) || ok && (got != want || end != digits) || end != digits {
			t.Errorf("%q: %d %d %v, want %d %d %v", s, got, end, ok, want, digits, err)
		}
	}
}

func TestDecimalAndFloat(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	texts := []string{"1e400", "-1e400", "1e-400", "0.1", "123456789012345678.123456789", "5e-324", "1.7976931348623157e308", "9007199254740993", "16777217", "0.00000000000000000000000000001", "1e99999999999"}
	for range 5000 {
		texts = append(texts, strconv.FormatFloat(r.NormFloat64()*math.Pow10(r.IntN(60)-30), "efg"[r.IntN(3)], r.IntN(22)-1, 64))
	}
	for _, s := range texts {
		b, base := padded(s)
		n, end, ok := Decimal(base, 0)
		if !ok || end != len(s) {
			t.Fatalf("%q: end %d, %v", s, end, ok)
		}
		for _, bits := range []int{32, 64} {
			got, ok := n.Float(base, 0, end, bits)
			want, err := strconv.ParseFloat(s, bits)
			if ok != (err == nil) || ok && (got != want || math.Signbit(got) != math.Signbit(want)) {
				t.Errorf("%q as %d bits: %v %v, want %v %v", s, bits, got, ok, want, err)
			}
		}
		for _, p := range [][2]int{{18, 0}, {18, 6}, {9, 2}, {5, 5}, {38, 10}} {
			checkDecimal(t, n, b[:end], p[0], p[1])
		}
	}
	for _, s := range []string{"", "-", ".5", "1.", "1.e5", "1e", "1e+", "x"} {
		_, base := padded(s)
		if _, _, ok := Decimal(base, 0); ok {
			t.Errorf("%q is a number", s)
		}
	}
}

// checkDecimal compares the fast way with the general one.
func checkDecimal(t *testing.T, n Number, text []byte, prec, scale int) {
	t.Helper()
	want, fits := Unscaled128(text, prec, scale)
	if prec > 18 {
		return
	}
	if got, ok, fast := n.Unscaled(prec, scale); fast && (ok != fits || ok && types.Int128From(got) != want) {
		t.Errorf("%s as DECIMAL(%d,%d): %d %v, want %v %v", text, prec, scale, got, ok, want, fits)
	}
}

func TestTimes(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 1))
	for _, name := range []string{"UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe"} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		times := NewTimes(zone, nil, nil, nil)
		day := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		for range 4000 {
			if r.IntN(5) == 0 {
				day = time.Date(1970+r.IntN(80), time.Month(r.IntN(12)+1), r.IntN(28)+1, 0, 0, 0, 0, time.UTC)
			}
			at := day.Add(time.Duration(r.Int64N(24 * int64(time.Hour))))
			layout := []string{"2006-01-02T15:04:05.999999", "2006-01-02 15:04:05", "2006-01-02T15:04:05.000Z07:00", "2006-01-02T15:04:05.999999999", "2006-01-02", "2006-01-02T15:04", "2006-01-02T15:04:05+05:30", "2006-13-02T15:04:05", "2006-01-02T15:64:05", "2006-01-02T15:04:05."}[r.IntN(10)]
			text := at.Format(layout)
			got, ok := times.Timestamp([]byte(text))
			want, err := types.ParseTimestamp(text, zone)
			if ok != (err == nil) || ok && got != want {
				t.Fatalf("%s in %s: %d %v, want %d %v", text, name, got, ok, want, err)
			}
			local, ok := times.Local([]byte(text))
			wantLocal, err := types.ParseTimestampNTZ(text)
			if hasZone := strings.ContainsAny(text[10:], "Z+"); ok != (err == nil && !hasZone) || ok && local != wantLocal {
				t.Fatalf("local %s: %d %v, want %d %v", text, local, ok, wantLocal, err)
			}
			date, ok := times.Date([]byte(text[:10]))
			wantDate, err := types.ParseDate(text[:10])
			if ok != (err == nil) || ok && date != wantDate {
				t.Fatalf("date %s: %d %v, want %d %v", text[:10], date, ok, wantDate, err)
			}
		}
	}
}

func TestPatterns(t *testing.T) {
	for _, c := range []struct{ pattern, text, want string }{
		{"yyyy-MM-dd HH:mm:ss", "2026-02-03 04:05:06", "2026-02-03T04:05:06"},
		{"yyyyMMddHHmmss", "20260203040506", "2026-02-03T04:05:06"},
		{"dd/MM/yyyy HH:mm[:ss[.SSS]]", "03/02/2026 04:05", "2026-02-03T04:05:00"},
		{"dd/MM/yyyy HH:mm[:ss[.SSS]]", "03/02/2026 04:05:06.789", "2026-02-03T04:05:06.789"},
		{"d.M.yy h:mm a", "3.2.26 4:05 PM", "2026-02-03T16:05:00"},
		{"d.M.yy h:mm a", "3.12.26 12:05 am", "2026-12-03T00:05:00"},
		{"EEE, d MMM yyyy HH:mm:ss Z", "Tue, 3 Feb 2026 04:05:06 +0100", "2026-02-03T03:05:06"},
		{"MMMM d, yyyy 'at' H 'o''clock'", "February 3, 2026 at 4 o'clock", "2026-02-03T04:00:00"},
		{"yyyy-MM-dd'T'HH:mm:ssXXX", "2026-02-03T04:05:06-02:30", "2026-02-03T06:35:06"},
		{"yyyy-MM-dd HH:mm VV", "2026-07-03 04:05 Europe/Berlin", "2026-07-03T02:05:00"},
		{"yyyy DDD", "2026 034", "2026-02-03T00:00:00"},
		{"yyyy-MM-dd", "2026-02-30", ""},
		{"yyyy-MM-dd", "2026-02-03x", ""},
		{"HH:mm", "24:00", ""},
		{"MMM", "Foo", ""},
	} {
		p, err := ParsePattern(c.pattern)
		if err != nil {
			t.Fatal(err)
		}
		us, ok := NewTimes(time.UTC, nil, p, nil).Timestamp([]byte(c.text))
		got := ""
		if ok {
			got = time.UnixMicro(us).UTC().Format("2006-01-02T15:04:05.999999")
		}
		if got != c.want {
			t.Errorf("%s by %s: %q, want %q", c.text, c.pattern, got, c.want)
		}
	}
	for _, bad := range []string{"yyyy-QQ", "[yyyy", "yyyy]", "'open", "b"} {
		if _, err := ParsePattern(bad); err == nil {
			t.Errorf("pattern %q was accepted", bad)
		}
	}
}

// TestWrittenTimesAreRead writes times in many patterns and zones and reads them back.
func TestWrittenTimesAreRead(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	for _, text := range []string{"", "yyyy-MM-dd HH:mm:ss.SSSSSS XXX", "dd.MM.yyyy hh:mm:ss a SSSSSS xxx", "EEEE, d MMMM yyyy k:m:s.SSSSSSZ", "uuuu/DDD'T'HHmmss.SSSSSSX"} {
		var p *Pattern
		if text != "" {
			var err error
			if p, err = ParsePattern(text); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range []string{"UTC", "America/St_Johns", "Asia/Kathmandu"} {
			zone, _ := time.LoadLocation(name)
			w, times := NewWriter(zone, nil, p, nil), NewTimes(zone, nil, p, nil)
			for range 500 {
				us := 315532800000000 + r.Int64N(3e15) // since 1980: offsets of whole minutes
				b := w.AppendTimestamp(nil, us)
				if got, ok := times.Timestamp(b); !ok || got != us {
					t.Fatalf("%s in %s by %q: %d %v, want %d", b, name, text, got, ok, us)
				}
			}
		}
	}
}

func FuzzTimes(f *testing.F) {
	f.Add("2026-01-01T00:00:00.123Z", "yyyy-MM-dd[ HH:mm]")
	f.Fuzz(func(t *testing.T, text, pattern string) {
		times := NewTimes(time.UTC, nil, nil, nil)
		got, ok := times.Timestamp([]byte(text))
		want, err := types.ParseTimestamp(text, time.UTC)
		if ok != (err == nil) || ok && got != want {
			t.Fatalf("%q: %d %v, want %d %v", text, got, ok, want, err)
		}
		if p, err := ParsePattern(pattern); err == nil {
			NewTimes(time.UTC, p, p, p).Timestamp([]byte(text))
		}
	})
}

func ExamplePattern() {
	p, _ := ParsePattern("d.M.yyyy")
	days, ok := NewTimes(time.UTC, p, nil, nil).Date([]byte("2.1.1970"))
	fmt.Println(days, ok)
	// Output: 1 true
}

// Before standard time, Berlin was 53 minutes and 28 seconds ahead.
func TestOffsetsWithSecondsAreWrittenInUTC(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	w := NewWriter(berlin, nil, nil, nil)
	old := time.Date(1850, 6, 1, 12, 0, 0, 0, berlin)
	if got := string(w.AppendTimestamp(nil, old.UnixMicro())); got != "1850-06-01T11:06:32.000Z" {
		t.Error(got)
	}
	if got := string(w.AppendTimestamp(nil, time.Date(1950, 1, 1, 12, 0, 0, 0, berlin).UnixMicro())); got != "1950-01-01T12:00:00.000+01:00" {
		t.Error(got)
	}
}
