// Package builtin is the one explicit list of what an engine knows by name:
// functions here, sources, sinks and formats in files of their own. An embedding
// program adds to the value it gets. It holds no logic. Open this file first.
package builtin

import (
	"slices"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/fn/agg"
	"github.com/sqlstream/sqlstream/exec/fn/scalar"
	"github.com/sqlstream/sqlstream/exec/fn/window"
)

// Functions returns a fresh registry of all built-in functions.
func Functions() (*fn.Registry, error) {
	r := fn.NewRegistry()
	all := aggregates()
	for _, f := range slices.Concat(scalar.All(), agg.OverLists(all), agg.Bins()) {
		if err := r.AddScalar(f); err != nil {
			return nil, err
		}
	}
	for _, g := range scalar.Generators() {
		if err := r.AddGenerator(g); err != nil {
			return nil, err
		}
	}
	for _, a := range all {
		if err := r.AddAggregate(&a); err != nil {
			return nil, err
		}
	}
	for _, w := range window.All() {
		if err := r.AddWindow(w); err != nil {
			return nil, err
		}
	}
	return r, nil
}
