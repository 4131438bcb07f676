//go:build mutants

package webhook_test

import (
	"testing"

	"github.com/sqlstream/sqlstream/exec/mutant"
)

func TestMutantsDie(t *testing.T) {
	defer mutant.Activate("a request that is sent again has a new key")()
	if again(t) == nil {
		t.Error("survived")
	}
}
