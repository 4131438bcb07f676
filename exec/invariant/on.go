//go:build invariants

package invariant

import "fmt"

// Enabled reports whether the checks are compiled in. Guard any work that
// only prepares a check with it.
const Enabled = true

// Assert panics with msg when cond does not hold.
func Assert(cond bool, msg string) {
	if !cond {
		panic("invariant broken: " + msg)
	}
}

// Assertf is Assert with a formatted message. Call it under `if Enabled` on
// hot paths, since its arguments are evaluated in any build.
func Assertf(cond bool, format string, args ...any) {
	if !cond {
		panic("invariant broken: " + fmt.Sprintf(format, args...))
	}
}

// Scramble overwrites a buffer that its borrower may no longer read.
func Scramble(buf []byte) {
	for i := range buf {
		buf[i] = 0xdb
	}
}
