package avro

import (
	"fmt"
	"strings"

	"github.com/twmb/avro"

	"github.com/sqlstream/sqlstream/exec/format/registry"
)

// kind is an Avro type.
type kind uint8

const (
	nullKind kind = iota
	booleanKind
	intKind
	longKind
	floatKind
	doubleKind
	bytesKind
	stringKind
	fixedKind
	enumKind
	recordKind
	arrayKind
	mapKind
	unionKind
)

var kindNames = map[string]kind{"null": nullKind, "boolean": booleanKind, "int": intKind, "long": longKind, "float": floatKind, "double": doubleKind,
	"bytes": bytesKind, "string": stringKind, "fixed": fixedKind, "enum": enumKind, "record": recordKind, "error": recordKind, "array": arrayKind, "map": mapKind, "union": unionKind}

func (k kind) String() string {
	return [...]string{"null", "boolean", "int", "long", "float", "double", "bytes", "string", "fixed", "enum", "record", "array", "map", "union"}[k]
}

// schema is an Avro schema with its names resolved: a recursive type is a cycle.
type schema struct {
	kind        kind
	name        string // record, enum, fixed: the full name
	logical     string
	prec, scale int // decimal
	size        int // fixed
	symbols     []string
	fallback    string // enum: its default, if hasFallback
	hasFallback bool
	fields      []schemaField // record
	items       *schema       // array, and the values of a map
	branches    []*schema     // union
}

type schemaField struct {
	name    string
	aliases []string
	typ     *schema
	// fallback is the default, encoded; nil = there is none.
	fallback []byte
}

// String names a schema in messages.
func (s *schema) String() string {
	switch {
	case s.logical == "decimal":
		return fmt.Sprintf("%s (decimal(%d,%d))", s.kind, s.prec, s.scale)
	case s.logical != "":
		return fmt.Sprintf("%s (%s)", s.kind, s.logical)
	case s.kind == unionKind:
		parts := make([]string, len(s.branches))
		for i, b := range s.branches {
			parts[i] = b.String()
		}
		return "union of " + strings.Join(parts, ", ")
	}
	return s.kind.String()
}

// parse reads the text of a schema. References are the texts that it refers to, each
// behind those that it needs.
func parse(text string, references []registry.Reference) (*schema, *avro.Schema, error) {
	var cache avro.SchemaCache
	for _, r := range references {
		if _, err := cache.Parse(r.Text, avro.WithLaxNames(nil)); err != nil {
			return nil, nil, fmt.Errorf("the schema %q that it refers to: %w", r.Name, trimmed(err))
		}
	}
	parsed, err := cache.Parse(text, avro.WithLaxNames(nil))
	if err != nil {
		return nil, nil, trimmed(err)
	}
	if len(references) > 0 { // what it refers to becomes part of it
		if parsed, err = parsed.Root().Schema(avro.WithLaxNames(nil)); err != nil {
			return nil, nil, trimmed(err)
		}
	}
	c := converter{done: map[string]*schema{}}
	s, err := c.convert(parsed.Root(), "")
	return s, parsed, err
}

// trimmed drops the library's name from its errors.
func trimmed(err error) error {
	if text, ok := strings.CutPrefix(err.Error(), "avro: "); ok {
		return fmt.Errorf("%s", text)
	}
	return err
}

// converter resolves names: a definition stands before what refers to it.
type converter struct{ done map[string]*schema }

func (c *converter) convert(n *avro.SchemaNode, space string) (*schema, error) {
	k, ok := kindNames[n.Type]
	if !ok {
		for _, name := range []string{space + "." + n.Type, n.Type} {
			if s := c.done[name]; s != nil {
				return s, nil
			}
		}
		return nil, fmt.Errorf("unknown type %q", n.Type)
	}
	s := &schema{kind: k, logical: n.LogicalType, prec: n.Precision, scale: n.Scale, size: n.Size, symbols: n.Symbols, fallback: n.EnumDefault, hasFallback: n.HasEnumDefault}
	if k == fixedKind || k == enumKind || k == recordKind {
		if s.name = n.Name; !strings.Contains(n.Name, ".") && n.Namespace != "" {
			s.name = n.Namespace + "." + n.Name
		}
		c.done[s.name] = s
		space, _, _ = cutLast(s.name)
	}
	return s, c.inside(s, n, space)
}

func cutLast(name string) (before, after string, ok bool) {
	i := strings.LastIndexByte(name, '.')
	if i < 0 {
		return "", name, false
	}
	return name[:i], name[i+1:], true
}

// inside converts what a schema is made of.
func (c *converter) inside(s *schema, n *avro.SchemaNode, space string) (err error) {
	switch s.kind {
	case arrayKind:
		s.items, err = c.convert(n.Items, space)
	case mapKind:
		s.items, err = c.convert(n.Values, space)
	case unionKind:
		for i := range n.Branches {
			b, err := c.convert(&n.Branches[i], space)
			if err != nil {
				return err
			}
			s.branches = append(s.branches, b)
		}
	case recordKind:
		for i := range n.Fields {
			if err := c.field(s, &n.Fields[i], space); err != nil {
				return err
			}
		}
	}
	return err
}

func (c *converter) field(s *schema, f *avro.SchemaField, space string) error {
	t, err := c.convert(&f.Type, space)
	if err != nil {
		return err
	}
	out := schemaField{name: f.Name, aliases: f.Aliases, typ: t}
	if f.HasDefault {
		if out.fallback, err = encodeDefault(f); err != nil {
			return fmt.Errorf("the default of field %q: %w", f.Name, err)
		}
	}
	s.fields = append(s.fields, out)
	return nil
}

// encodeDefault gives the bytes of a default, for its type as it is written.
func encodeDefault(f *avro.SchemaField) ([]byte, error) {
	if f.Type.Type == "null" || f.Default == nil && f.Type.Type == "union" && len(f.Type.Branches) > 0 && f.Type.Branches[0].Type == "null" {
		return []byte{0}[:nullSize(f)], nil
	}
	t, err := f.Type.Schema(avro.WithLaxNames(nil))
	if err != nil {
		return nil, err
	}
	out, err := t.Encode(f.Default)
	if out == nil {
		out = []byte{}
	}
	return out, err
}

// nullSize is how many bytes a null is: none, or the number of the branch.
func nullSize(f *avro.SchemaField) int {
	if f.Type.Type == "union" {
		return 1
	}
	return 0
}

// nullable is the one type of a union of it and null; ok is false for other unions.
func (s *schema) nullable() (inner *schema, ok bool) {
	if s.kind != unionKind {
		return s, true
	}
	for _, b := range s.branches {
		switch {
		case b.kind == nullKind:
		case inner != nil:
			return nil, false
		default:
			inner = b
		}
	}
	return inner, inner != nil
}
