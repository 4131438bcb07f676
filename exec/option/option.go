// Package option owns the description and decoding of WITH (…) options: each
// connector and format lists what it takes, and decodes it once into a typed
// struct. It knows no connector. Open this file first, then decode.go; units.go
// has durations and sizes, secret.go the ${…} references.
package option

import "github.com/sqlstream/sqlstream/parser/diag"

// Type is the kind of value an option takes.
type Type uint8

// The option types.
const (
	Text Type = iota
	Int
	Bool
	Duration // '10 minutes'
	Size     // bytes: '64 MiB'
	Enum     // one of Spec.Values
	Secret   // text that is never printed or stored; ${ENV} and ${file:…} are resolved at run time
)

func (t Type) String() string {
	return [...]string{"text", "whole number", "true or false", "duration", "size", "one of a list", "secret"}[t]
}

// Spec describes one option.
type Spec struct {
	Name     string
	Aliases  []string
	Type     Type
	Values   []string // Enum
	Default  string   // as the user would write it; "" = none
	Required bool
	// Min and Max bound Int, Duration (µs) and Size values; Max 0 = no upper bound.
	Min, Max int64
	Doc      string
}

// Value is an option as it was written.
type Value struct {
	Name     string
	Text     string
	NameSpan diag.Span
	Span     diag.Span
	// Hidden is set by Resolve when the text came from a ${…} reference: messages
	// must not quote it.
	Hidden bool
}

// Names lists what the specs may be called, canonical names first, for "did you
// mean" and completion.
func Names(specs []Spec) []string {
	var names []string
	for _, s := range specs {
		names = append(names, s.Name)
	}
	for _, s := range specs {
		names = append(names, s.Aliases...)
	}
	return names
}

// Join concatenates spec lists; of two specs of one name the first stays, so that a
// connector may refine an option that every source has.
func Join(lists ...[]Spec) []Spec {
	var all []Spec
	seen := map[string]bool{}
	for _, list := range lists {
		for _, s := range list {
			if key := fold(s.Name); !seen[key] {
				seen[key] = true
				all = append(all, s)
			}
		}
	}
	return all
}
