//go:build services && mutants

package services

import (
	"errors"
	"testing"

	"github.com/sqlstream/sqlstream/exec/mutant"
)

func TestMySQLMutantsDie(t *testing.T) {
	for _, name := range []string{"mysql: the marker is not in the transaction of the rows", "mysql: keys that are gone stay in the table",
		"a sink does not look at its marker", "a sink does not fence older writers"} {
		t.Run("mutant "+name, func(t *testing.T) {
			w := newMySQL(t)
			defer mutant.Activate(name)()
			if errors.Join(w.crashes(), w.cuts(997)) == nil {
				t.Error("survived")
			}
		})
	}
}
