// Package avro owns the Avro format, to and from columns: messages that carry the number
// of their schema in a registry, or have the schema of an option, and object container
// files. It compiles the writer's schema and the columns to a decoder of its own, so that
// nothing is allocated per row; schemas are parsed by a library. It knows neither file
// systems nor sources. Open this file first, then schema.go (schemas), compile.go and
// choose.go (which field goes where, and how), decode.go (values), messages.go and
// container.go (rows); encode.go and writer.go are the other direction.
package avro

import (
	"context"
	"errors"
	"fmt"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/registry"
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/types"
)

// Format describes Avro.
func Format() *format.Format {
	return &format.Format{
		Name:    "avro",
		Aliases: []string{"avro-confluent"},
		Doc: "Apache Avro. Fields match columns by name, exactly, else regardless of case; a declared column that the data lacks is NULL, and other fields are passed over. " +
			"A value fits a column of its type or of one that holds every such value; int and long also fit FLOAT and DOUBLE. " +
			"null and another type are that type, other unions a STRUCT of member0, member1, …; enum is STRING, fixed BYTES; decimal, date, times of day, timestamps (millis, micros, nanos) and uuid are what they say, " +
			"local timestamps TIMESTAMP_NTZ; a string may be declared JSON, which is written as one. " +
			"Messages have the header of the schema registry, if one is given, and each is read by the schema with which it was written; else they have the schema avro_schema and no header. Files are object containers.",
		ReadOptions: option.Join([]option.Spec{
			{Name: "avro_schema", Doc: "A schema (JSON). With a schema registry, and for files, it is the reader's schema: its defaults stand for fields that older data lacks, its aliases name fields that were renamed. For messages without a registry it is the schema with which they were written."},
		}, registry.ReadOptions(), format.ChangeOptions()),
		WriteOptions:  writeOptions(),
		Extensions:    []string{".avro"},
		Changes:       format.ByColumn,
		Infer:         infer,
		InferMessages: inferMessages,
		NewReader:     newReader,
		NewWriter:     newWriter,
	}
}

// reader is format.MessageReader for Avro.
type reader struct {
	config   format.Config
	expected *schema // avro_schema; nil = not given
	registry *registry.Client

	sessions
}

func newReader(c format.Config) (format.Reader, error) {
	r := &reader{config: c}
	var err error
	if r.expected, err = given(c.Options); err != nil {
		return nil, err
	}
	if r.registry, err = registry.Open(c.Options); err != nil {
		return nil, err
	}
	switch {
	case c.Messages && r.registry == nil && r.expected == nil:
		return nil, errNoSchema
	case !c.Messages && r.registry != nil:
		return nil, errors.New("schema_registry is for messages: Avro files hold their schema")
	}
	for _, col := range c.Columns {
		if name := unreadable(col.Type); name != "" {
			return nil, fmt.Errorf("column %q: Avro has no %s", col.Name, name)
		}
	}
	return r, nil
}

var errNoSchema = errors.New("Avro messages do not say their schema: set schema_registry, or avro_schema")

// given parses avro_schema; nil if it is not given.
func given(o option.Decoded) (*schema, error) {
	text := o.Text("avro_schema")
	if text == "" {
		return nil, nil
	}
	s, _, err := parse(text, nil)
	if err != nil {
		return nil, fmt.Errorf("avro_schema: %w", err)
	}
	return s, nil
}

// unreadable names a part of a type that no Avro value is read as.
func unreadable(t types.Type) string {
	switch t.Kind {
	case types.Interval, types.Null:
		return t.String()
	case types.Array:
		return unreadable(*t.Elem)
	case types.Map:
		if t.Key.Kind != types.String {
			return "MAP with keys of type " + t.Key.String()
		}
		return unreadable(*t.Elem)
	case types.Struct:
		for _, f := range t.Fields {
			if name := unreadable(f.Type); name != "" {
				return name
			}
		}
	}
	return ""
}

// inferMessages finds the columns of messages: those of avro_schema, else of the newest
// schema of the subject.
func inferMessages(ctx context.Context, c format.Config) ([]types.Column, error) {
	s, err := given(c.Options)
	if err != nil || s != nil {
		return columnsOf(s, err)
	}
	client, err := registry.Open(c.Options)
	if err == nil && client == nil {
		err = errNoSchema
	}
	if err != nil {
		return nil, err
	}
	subject, err := registry.Subject(c.Options, c.Subject)
	if err != nil {
		return nil, err
	}
	latest, err := client.Latest(ctx, subject)
	if err != nil {
		return nil, err
	}
	if s, err = registered(latest); err != nil {
		return nil, fmt.Errorf("%s: subject %q: %w", client, subject, err)
	}
	return s.columns()
}

func columnsOf(s *schema, err error) ([]types.Column, error) {
	if err != nil {
		return nil, err
	}
	return s.columns()
}

// registered parses a schema of the registry.
func registered(s *registry.Schema) (*schema, error) {
	if s.Kind != registry.Avro {
		return nil, fmt.Errorf("schema %d is in %s, not AVRO", s.ID, s.Kind)
	}
	out, _, err := parse(s.Text, s.References)
	if err != nil {
		return nil, fmt.Errorf("schema %d: %w", s.ID, err)
	}
	return out, nil
}
