package invariant

import "testing"

func TestAssertPanicsOnlyWhenEnabled(t *testing.T) {
	defer func() {
		if got := recover() != nil; got != Enabled {
			t.Fatalf("panicked = %v, enabled = %v", got, Enabled)
		}
	}()
	Assert(true, "never")
	Assertf(true, "never %d", 1)
	Assert(false, "expected")
}

func TestScramble(t *testing.T) {
	buf := []byte{1, 2, 3}
	Scramble(buf)
	if changed := buf[0] != 1; changed != Enabled {
		t.Fatalf("scrambled = %v, enabled = %v", changed, Enabled)
	}
}
