package builtin

import "github.com/sqlstream/sqlstream/exec/fn"

// Registry is everything that an engine knows by name. An embedding program adds to
// its own.
type Registry struct {
	*Connectors
	Functions *fn.Registry
}

// New returns a fresh registry of all that is built in. instance tells runs of the
// program apart (see NewConnectors).
func New(instance string) (*Registry, error) {
	f, err := Functions()
	if err != nil {
		return nil, err
	}
	c, err := NewConnectors(instance)
	if err != nil {
		return nil, err
	}
	return &Registry{Connectors: c, Functions: f}, nil
}
