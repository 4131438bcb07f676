//go:build mutants

package mutant

import "sync/atomic"

var active atomic.Pointer[string]

// On reports whether the named mutant is active.
func On(name string) bool {
	p := active.Load()
	return p != nil && *p == name
}

// Activate turns the named mutant on and every other off; the returned
// function turns all off again.
func Activate(name string) (restore func()) {
	active.Store(&name)
	return func() { active.Store(nil) }
}
