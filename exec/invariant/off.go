//go:build !invariants

package invariant

// Enabled reports whether the checks are compiled in. Guard any work that
// only prepares a check with it.
const Enabled = false

// Assert panics with msg when cond does not hold, in builds with checks.
func Assert(cond bool, msg string) {}

// Assertf is Assert with a formatted message, in builds with checks.
func Assertf(cond bool, format string, args ...any) {}

// Scramble overwrites a buffer that its borrower may no longer read, in
// builds with checks.
func Scramble(buf []byte) {}
