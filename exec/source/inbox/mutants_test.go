//go:build mutants

package inbox

import (
	"testing"

	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/source"
)

// Each planted fault changes what is read.
func TestMutantsDie(t *testing.T) {
	for name, reads := range map[string]func(t *testing.T) string{
		"lines of one parcel only are counted": func(t *testing.T) string {
			c := config("v:int")
			c.OnError = source.Skip
			b := newBed(t, "json", c, Settings{})
			b.put(lines("{}\n{}\n", 1), lines("{}\n{\n", 3))
			return b.read(b.plan(source.Limits{}, nil))
		},
		"what a range took is not held": func(t *testing.T) string {
			b := newBed(t, "text", config("value"), Settings{Unlogged: true})
			b.put(lines("a\n", 1))
			return b.read(b.plan(source.Limits{}, nil))
		},
	} {
		t.Run(name, func(t *testing.T) {
			right := reads(t)
			defer mutant.Activate(name)()
			if reads(t) == right {
				t.Error("nobody notices")
			}
		})
	}
}
