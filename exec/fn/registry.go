package fn

import (
	"fmt"
	"sort"
	"strings"
	"sync/atomic"
)

// Registry holds the functions of one engine. Names match without regard to case.
// It is filled once and then only read.
type Registry struct {
	scalars    map[string]*Scalar
	aggregates map[string]*Aggregate
	generators map[string]*Generator
	windows    map[string]*Window
	names      atomic.Pointer[[]string] // what Names gave since the last function was added
}

// NewRegistry returns an empty registry.
func NewRegistry() *Registry {
	return &Registry{scalars: map[string]*Scalar{}, aggregates: map[string]*Aggregate{}, generators: map[string]*Generator{},
		windows: map[string]*Window{}}
}

// AddScalar adds a function under its name and aliases.
func (r *Registry) AddScalar(s *Scalar) error { return add(r, r.scalars, s, s.Name, s.Aliases) }

// AddAggregate adds an aggregate under its name and aliases.
func (r *Registry) AddAggregate(a *Aggregate) error {
	return add(r, r.aggregates, a, a.Name, a.Aliases)
}

// AddGenerator adds a generator under its name and aliases.
func (r *Registry) AddGenerator(g *Generator) error {
	return add(r, r.generators, g, g.Name, g.Aliases)
}

func add[T any](r *Registry, m map[string]*T, f *T, name string, aliases []string) error {
	r.names.Store(nil)
	for _, n := range append([]string{name}, aliases...) {
		key := strings.ToLower(n)
		if _, dup := m[key]; dup {
			return fmt.Errorf("function %q is defined twice", n)
		}
		m[key] = f
	}
	return nil
}

func find[T any](m map[string]*T, name string) (*T, bool) {
	f, ok := m[strings.ToLower(name)]
	return f, ok
}

// Scalar finds a scalar function by name or alias.
func (r *Registry) Scalar(name string) (*Scalar, bool) { return find(r.scalars, name) }

// Aggregate finds an aggregate by name or alias.
func (r *Registry) Aggregate(name string) (*Aggregate, bool) { return find(r.aggregates, name) }

// Generator finds a generator by name or alias.
func (r *Registry) Generator(name string) (*Generator, bool) { return find(r.generators, name) }

// Has reports a function of any kind under a name or alias.
func (r *Registry) Has(name string) bool {
	key := strings.ToLower(name)
	_, scalar := r.scalars[key]
	_, aggregate := r.aggregates[key]
	_, generator := r.generators[key]
	_, window := r.windows[key]
	return scalar || aggregate || generator || window
}

// Names lists every visible name and alias, sorted: for suggestions and SHOW
// FUNCTIONS. The list belongs to the registry.
func (r *Registry) Names() []string {
	if known := r.names.Load(); known != nil {
		return *known
	}
	names := r.allNames()
	r.names.Store(&names)
	return names
}

func (r *Registry) allNames() []string {
	var names []string
	for n, f := range r.scalars {
		if !f.Hidden {
			names = append(names, n)
		}
	}
	for n := range r.aggregates {
		names = append(names, n)
	}
	for n := range r.windows {
		if _, both := r.aggregates[n]; !both {
			names = append(names, n)
		}
	}
	for n, g := range r.generators {
		if !g.Hidden {
			names = append(names, n)
		}
	}
	sort.Strings(names)
	return names
}

// Scalars lists the scalar functions by name, each once.
func (r *Registry) Scalars() []*Scalar {
	return sortedOnce(r.scalars, func(s *Scalar) string { return s.Name })
}

// Aggregates lists the aggregates by name, each once.
func (r *Registry) Aggregates() []*Aggregate {
	return sortedOnce(r.aggregates, func(a *Aggregate) string { return a.Name })
}

// Generators lists the generators by name, each once.
func (r *Registry) Generators() []*Generator {
	return sortedOnce(r.generators, func(g *Generator) string { return g.Name })
}

func sortedOnce[T any](m map[string]*T, name func(*T) string) []*T {
	var out []*T
	for key, f := range m {
		if key == strings.ToLower(name(f)) {
			out = append(out, f)
		}
	}
	sort.Slice(out, func(i, j int) bool { return name(out[i]) < name(out[j]) })
	return out
}
