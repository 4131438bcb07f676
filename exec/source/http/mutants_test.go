//go:build mutants

package http

import (
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/exec/mutant"
)

// Each planted fault changes what a client hears.
func TestMutantsDie(t *testing.T) {
	for name, lives := range map[string]func(b *bed) bool{
		"HTTP requests are answered before their rows are logged": func(b *bed) bool { return unlogged(b).status == 503 },
		"idempotency keys are ignored":                            func(b *bed) bool { return strings.Contains(repeated(b).body, "repeated") },
		"idempotency keys are forgotten at a restart":             func(b *bed) bool { return strings.Contains(repeated(b).body, "repeated") },
	} {
		t.Run(name, func(t *testing.T) {
			if !lives(newBed(t)) {
				t.Fatal("without the fault the answer is wrong")
			}
			defer mutant.Activate(name)()
			if lives(newBed(t)) {
				t.Error("nobody notices")
			}
		})
	}
}
