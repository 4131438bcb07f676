//go:build !mutants

package crash

import "testing"

func TestScenarios(t *testing.T) {
	for name, f := range scenarios {
		t.Run(name, func(t *testing.T) {
			if err := f(); err != nil {
				t.Fatal(err)
			}
		})
	}
}
