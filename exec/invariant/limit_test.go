package invariant

import (
	"strings"
	"testing"
)

func TestRecovered(t *testing.T) {
	recovered := func(work func()) (err error) {
		defer func() { err = Recovered(recover()) }()
		work()
		return nil
	}
	if got := recovered(func() { panic(Limit("too much")) }).Error(); got != "too much" {
		t.Errorf("a limit is %q", got)
	}
	if got := recovered(func() { panic("broken") }).Error(); !strings.HasPrefix(got, "internal error: broken\n") || !strings.Contains(got, "limit_test.go") {
		t.Errorf("what is broken is %q", got)
	}
}
