package scalar

import (
	"strconv"
	"testing"
)

// TestLuhn: of the ten check digits exactly one is right, and changing any digit, or
// swapping neighbours other than 0 and 9, is noticed.
func TestLuhn(t *testing.T) {
	for n := range 2000 {
		body := strconv.Itoa(n * 7919)
		var good []byte
		for d := range 10 {
			if s := []byte(body + strconv.Itoa(d)); luhn(s) {
				if good != nil {
					t.Fatalf("%s and %s are both right", good, s)
				}
				good = s
			}
		}
		if good == nil {
			t.Fatalf("no check digit for %s", body)
		}
		for i := range good {
			changed := append([]byte{}, good...)
			changed[i] = '0' + (changed[i]-'0'+1)%10
			if luhn(changed) {
				t.Errorf("%s: change at %d is not noticed: %s", good, i, changed)
			}
		}
	}
	for _, s := range []string{"", "a", "12 4", "7992739871x"} {
		if luhn([]byte(s)) {
			t.Errorf("%q is accepted", s)
		}
	}
}
