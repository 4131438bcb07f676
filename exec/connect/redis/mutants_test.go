//go:build mutants

package redis_test

import (
	"errors"
	"testing"

	"github.com/sqlstream/sqlstream/exec/mutant"
)

func TestMutantsDie(t *testing.T) {
	for _, name := range []string{"redis: the marker is written before the rows", "a sink does not look at its marker",
		"a sink does not fence older writers", "a batch that is there is written again after a restart"} {
		t.Run("mutant "+name, func(t *testing.T) {
			defer mutant.Activate(name)()
			if errors.Join(crashes(t, "stream"), cuts(t, "stream", 29)) == nil {
				t.Error("survived")
			}
		})
	}
}
