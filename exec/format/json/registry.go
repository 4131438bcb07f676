package json

import (
	"bytes"
	"context"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/registry"
	"github.com/sqlstream/sqlstream/exec/types"
)

// With a schema registry a message has the header before it, and its subject a JSON
// Schema: it is where columns come from, and what is registered; the values are JSON.

// client opens the registry of the options; nil = there is none.
func client(c format.Config) (*registry.Client, error) {
	r, err := registry.Open(c.Options)
	if err == nil && r != nil && !c.Messages {
		err = errors.New("schema_registry is for messages: JSON files have no header before their rows")
	}
	return r, err
}

// inferMessages finds the columns of the newest JSON Schema of the subject.
func inferMessages(ctx context.Context, c format.Config) ([]types.Column, error) {
	r, err := registry.Open(c.Options)
	if err != nil || r == nil {
		return nil, err
	}
	subject, err := registry.Subject(c.Options, c.Subject)
	if err != nil {
		return nil, err
	}
	s, err := r.Latest(ctx, subject)
	if err != nil {
		return nil, err
	}
	if s.Kind != registry.JSON {
		return nil, fmt.Errorf("%s: subject %q: schema %d is in %s, not JSON", r, subject, s.ID, s.Kind)
	}
	cols, err := schemaColumns([]byte(s.Text))
	if err != nil {
		return nil, fmt.Errorf("%s: subject %q: schema %d: %w", r, subject, s.ID, err)
	}
	return cols, nil
}

// jsonSchema is what is looked at of a JSON Schema.
type jsonSchema struct {
	Type        any         `json:"type"`
	Format      string      `json:"format"`
	Connect     string      `json:"connect.type"`
	Encoding    string      `json:"contentEncoding"`
	Properties  ordered     `json:"properties"`
	Items       *jsonSchema `json:"items"`
	Additional  any         `json:"additionalProperties"`
	Ref         string      `json:"$ref"`
	OneOf       []jsonSchema
	AnyOf       []jsonSchema
	Definitions map[string]jsonSchema
	Defs        map[string]jsonSchema `json:"$defs"`
}

// ordered is an object whose members keep their order.
type ordered []struct {
	name   string
	schema jsonSchema
}

// UnmarshalJSON implements json.Unmarshaler.
func (o *ordered) UnmarshalJSON(b []byte) error {
	d := stdjson.NewDecoder(bytes.NewReader(b))
	if t, err := d.Token(); err != nil || t != stdjson.Delim('{') {
		return errors.Join(errors.New("properties is no object"), err)
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		*o = append(*o, struct {
			name   string
			schema jsonSchema
		}{name: name.(string)})
		var raw stdjson.RawMessage
		if err := d.Decode(&raw); err != nil {
			return err
		}
		if len(raw) > 0 && raw[0] == '{' { // true and false are schemas too
			if err := stdjson.Unmarshal(raw, &(*o)[len(*o)-1].schema); err != nil {
				return err
			}
		}
	}
	return nil
}

func schemaColumns(text []byte) ([]types.Column, error) {
	var s jsonSchema
	if err := stdjson.Unmarshal(text, &s); err != nil {
		return nil, err
	}
	w := schemaWalk{root: &s}
	t := w.typeOf(&s, 0)
	if t.Kind != types.Struct {
		return nil, errors.New("it does not describe an object with properties; declare the columns")
	}
	var out []types.Column
	for _, f := range t.Fields {
		out = append(out, types.Column{Name: f.Name, Type: f.Type})
	}
	return out, nil
}

// schemaWalk finds types. What has no type of ours is STRING: that takes any value.
type schemaWalk struct{ root *jsonSchema }

func (w schemaWalk) typeOf(s *jsonSchema, depth int) types.Type {
	text := types.Of(types.String)
	if s = w.resolved(s); s == nil || depth > 32 {
		return text
	}
	kind, single := onlyType(s.Type)
	if !single {
		return text
	}
	switch kind {
	case "boolean":
		return types.Of(types.Bool)
	case "integer":
		if k, ok := map[string]types.Kind{"int8": types.Int8, "int16": types.Int16, "int32": types.Int32}[s.Connect]; ok {
			return types.Of(k)
		}
		return types.Of(types.Int64)
	case "number":
		return types.Of(types.Float64)
	case "string":
		return stringType(s)
	case "array":
		if s.Items == nil {
			return text
		}
		return types.ArrayOf(w.typeOf(s.Items, depth+1))
	case "object", "":
		return w.objectType(s, depth)
	}
	return text
}

func stringType(s *jsonSchema) types.Type {
	switch {
	case s.Encoding == "base64":
		return types.Of(types.Bytes)
	case s.Format == "date-time":
		return types.Of(types.Timestamp)
	case s.Format == "date":
		return types.Of(types.Date)
	case s.Format == "time":
		return types.Of(types.Time)
	case s.Format == "uuid":
		return types.Of(types.UUID)
	}
	return types.Of(types.String)
}

func (w schemaWalk) objectType(s *jsonSchema, depth int) types.Type {
	if values, ok := s.Additional.(map[string]any); ok && len(s.Properties) == 0 {
		var v jsonSchema
		if b, err := stdjson.Marshal(values); err == nil && stdjson.Unmarshal(b, &v) == nil {
			return types.MapOf(types.Of(types.String), w.typeOf(&v, depth+1))
		}
	}
	if len(s.Properties) == 0 && s.Format == "json" {
		return types.Of(types.JSON)
	}
	if len(s.Properties) == 0 {
		return types.Of(types.String)
	}
	var fields []types.Field
	for i := range s.Properties {
		fields = append(fields, types.Field{Name: s.Properties[i].name, Type: w.typeOf(&s.Properties[i].schema, depth+1)})
	}
	return types.StructOf(fields...)
}

// resolved follows references within the schema, and unions of null and one other.
func (w schemaWalk) resolved(s *jsonSchema) *jsonSchema {
	for range 32 {
		var next *jsonSchema
		switch {
		case s.Ref != "":
			for prefix, defs := range map[string]map[string]jsonSchema{"#/definitions/": w.root.Definitions, "#/$defs/": w.root.Defs} {
				if name, ok := strings.CutPrefix(s.Ref, prefix); ok {
					if d, ok := defs[name]; ok {
						next = &d
					}
				}
			}
		case len(s.OneOf)+len(s.AnyOf) > 0:
			next = onlyOther(append(s.OneOf[:len(s.OneOf):len(s.OneOf)], s.AnyOf...))
		default:
			return s
		}
		if s = next; s == nil {
			return nil
		}
	}
	return nil
}

func onlyOther(list []jsonSchema) *jsonSchema {
	var out *jsonSchema
	for i := range list {
		if list[i].Type == "null" {
			continue
		}
		if out != nil {
			return nil
		}
		out = &list[i]
	}
	return out
}

// onlyType is the type that is not null.
func onlyType(t any) (kind string, ok bool) {
	switch t := t.(type) {
	case nil:
		return "", true
	case string:
		return t, true
	case []any:
		for _, x := range t {
			if s, _ := x.(string); s != "null" {
				if kind != "" {
					return "", false
				}
				kind = s
			}
		}
		return kind, kind != ""
	}
	return "", false
}

// describe writes the JSON Schema of rows. Every value may be null. No other properties
// are allowed, so that a column may be added later without breaking who reads.
func describe(title string, cols []types.Column) string {
	fields := make([]types.Field, len(cols))
	for i, c := range cols {
		fields[i] = types.Field{Name: c.Name, Type: c.Type}
	}
	b := appendText([]byte(`{"$schema":"http://json-schema.org/draft-07/schema#","title":`), []byte(title))
	return string(append(appendProperties(append(b, ','), fields), '}'))
}

func appendProperties(b []byte, fields []types.Field) []byte {
	b = append(b, `"type":"object","additionalProperties":false,"properties":{`...)
	for i, f := range fields {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendText(b, []byte(f.Name)), ':')
		b = appendSchema(b, f.Type)
	}
	return append(b, '}')
}

// appendSchema appends the schema of a type, or null.
func appendSchema(b []byte, t types.Type) []byte {
	if t.Kind == types.JSON {
		return append(b, `{"format":"json"}`...)
	}
	b = append(b, `{"oneOf":[{"type":"null"},{`...)
	switch k := t.Kind; {
	case k == types.Bool:
		b = append(b, `"type":"boolean"`...)
	case t.IsInteger():
		b = append(b, `"type":"integer"`...)
		b = append(b, map[types.Kind]string{types.Int8: `,"connect.type":"int8"`, types.Int16: `,"connect.type":"int16"`, types.Int32: `,"connect.type":"int32"`}[k]...)
	case t.IsFloat():
		b = append(b, `"type":"number"`...)
	case k == types.Decimal:
		b = append(b, `"type":"number"`...)
	case k == types.Array:
		b = appendSchema(append(b, `"type":"array","items":`...), *t.Elem)
	case k == types.Map:
		b = appendSchema(append(b, `"type":"object","additionalProperties":`...), *t.Elem)
	case k == types.Struct:
		b = appendProperties(b, t.Fields)
	default:
		b = append(b, `"type":"string"`...)
		b = append(b, map[types.Kind]string{types.Bytes: `,"contentEncoding":"base64"`, types.Date: `,"format":"date"`, types.Timestamp: `,"format":"date-time"`,
			types.Time: `,"format":"time"`, types.UUID: `,"format":"uuid"`}[k]...)
	}
	return append(b, `}]}`...)
}
