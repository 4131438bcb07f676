package sketch

import (
	"encoding/binary"
	"encoding/hex"
	"math"
	"strings"
	"testing"
)

func number(x int64) []byte { return binary.LittleEndian.AppendUint64(nil, uint64(x)) }

func of(lgK int, from, to int64) *HLL {
	var coupons []uint32
	for x := from; x < to; x++ {
		coupons = append(coupons, Coupon(number(x)))
	}
	return FromCoupons(coupons, lgK)
}

// TestSparkImages compares with images that Spark 4.3 wrote.
func TestSparkImages(t *testing.T) {
	list := "0201070C030002082BF2FB06862FF90D" + strings.Repeat("0", 48)
	if got := strings.ToUpper(hex.EncodeToString(of(12, 1, 3).Append(nil))); got != list {
		t.Errorf("of 1 and 2: %s", got)
	}
	text := "0201070C030002082F823B040AFF8004" + strings.Repeat("0", 48)
	got := FromCoupons([]uint32{Coupon([]byte("a")), Coupon([]byte("b"))}, 12)
	want, err := ReadHLL(unhex(t, text))
	if err != nil || len(want.Coupons) != 2 || got.Coupons[0] != want.Coupons[0] || got.Coupons[1] != want.Coupons[1] {
		t.Errorf("of a and b: %v, Spark has %v, %v", got.Coupons, want, err)
	}
	set := "0301070805000009140000000000000081BC5D0600000000CEF05B1F6EC5340600000000862FF90D0000000000000000DB522D0400000000CBD7C20400000000B05B4612AE3C881100000000C1E9170500000000D21673070000000034A2610E75816607F671F20600000000B83FF907464AB704FC2D420A7B65E6082BF2FB06C3DD5104000000007C74B907"
	same(t, of(8, 0, 20), set)
	same(t, of(4, 0, 1000), "0A0107040000000AABF2EFB89CA791400000000000A0CA3F000000000000000000000000000000000805060808070607050706060A050707")
	same(t, Union(of(4, 0, 1000), of(4, 500, 1500)), "0A0107040010050A0000000000000000000000000050C23F000000000000000001000000000000000A05060808070608060807070A060B07")
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// same compares what the sketch knows with an image, and reads its own image back.
func same(t *testing.T, h *HLL, image string) {
	t.Helper()
	for _, src := range [][]byte{unhex(t, image), h.Append(nil)} {
		got, err := ReadHLL(src)
		if err != nil {
			t.Fatal(err)
		}
		if string(got.Append(nil)) != string(h.Append(nil)) {
			t.Errorf("%v is not %v", got, h)
		}
	}
}

// TestEstimate: the error is within four times what is promised.
func TestEstimate(t *testing.T) {
	for _, lgK := range []int{4, 8, 12, 14} {
		for _, n := range []int64{0, 1, 7, 8, 100, 1000, 20000, 100000} {
			got := of(lgK, 0, n).Estimate()
			if math.Abs(got-float64(n)) > 4*1.04/math.Sqrt(float64(int(1)<<lgK))*float64(n)+0.5 {
				t.Errorf("lgK %d: %d different values are estimated as %v", lgK, n, got)
			}
		}
	}
}

func TestBadImages(t *testing.T) {
	good := of(8, 0, 20).Append(nil)
	for cut := range good {
		if _, err := ReadHLL(good[:cut]); err == nil {
			t.Errorf("%d bytes of %d are accepted", cut, len(good))
		}
	}
	for at := range 8 {
		bad := append([]byte{}, good...)
		bad[at] ^= 0xff
		_, _ = ReadHLL(bad)
	}
}

// TestCountMin compares with Spark 4.3.
func TestCountMin(t *testing.T) {
	ints, err := NewCountMin(0.5, 0.5, 1)
	if err != nil {
		t.Fatal(err)
	}
	counters := make([]int64, ints.Depth*ints.Width)
	for _, x := range []int64{1, 2, 1} {
		ints.Int(x, func(i int) { counters[i]++ })
	}
	if got := strings.ToUpper(hex.EncodeToString(ints.Append(nil, 3, counters))); got !=
		"0000000100000000000000030000000100000004000000005D8D6AB90000000000000000000000000000000200000000000000010000000000000000" {
		t.Errorf("of numbers: %s", got)
	}
	texts, err := NewCountMin(0.5, 0.5, 1)
	if err != nil {
		t.Fatal(err)
	}
	clear(counters)
	for _, s := range []string{"a", "b", "a"} {
		texts.Bytes([]byte(s), func(i int) { counters[i]++ })
	}
	if got := strings.ToUpper(hex.EncodeToString(texts.Append(nil, 3, counters))); got !=
		"0000000100000000000000030000000100000004000000005D8D6AB90000000000000000000000000000000200000000000000000000000000000001" {
		t.Errorf("of texts: %s", got)
	}
}
