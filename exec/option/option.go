// Package option owns the description and decoding of WITH (…) options: each
// connector and format lists what it takes, and decodes it once into a typed
// struct. It knows no connector. Open this file first.
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

// Spec describes one option.
type Spec struct {
	Name     string
	Aliases  []string
	Type     Type
	Values   []string // Enum
	Default  string   // as the user would write it; "" = none
	Required bool
	Doc      string
}

// Value is an option as it was written.
type Value struct {
	Name     string
	Text     string
	NameSpan diag.Span
	Span     diag.Span
}
