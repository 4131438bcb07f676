// Package protobuf owns the Protocol Buffers format, to and from columns: messages that
// carry the number of their schema in a registry, or have the schema of an option. It
// compiles a message's descriptor and the columns to a decoder of the wire format, so that
// nothing is allocated per row; schemas are parsed by libraries. It knows no sources. Open
// this file first, then schema.go (descriptors), compile.go (which field goes where),
// decode.go (the wire) and messages.go (rows); encode.go and writer.go are the other
// direction.
package protobuf

import (
	"context"
	"errors"
	"fmt"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/registry"
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/types"
)

// Format describes Protocol Buffers.
func Format() *format.Format {
	return &format.Format{
		Name:         "protobuf",
		Aliases:      []string{"proto", "protobuf-confluent"},
		MessagesOnly: true,
		Doc: "Protocol Buffers, proto2 and proto3. Fields match columns by name, exactly, else regardless of case; a declared column without a field is NULL, and other fields are passed over. " +
			"A field that is absent is NULL if its presence is known (optional, a message, a member of a oneof), else the zero value; repeated fields are ARRAY, maps MAP, messages STRUCT, enums STRING (or INT, declared so); " +
			"uint32 is BIGINT, uint64 DECIMAL(20,0) (or BIGINT, declared so). google.protobuf.Timestamp is TIMESTAMP, Duration INTERVAL (or BIGINT, microseconds), and a wrapper its value; string may also be declared TIME, UUID or JSON, which are written as one, and bytes UUID. " +
			"Messages have the header of the schema registry, if one is given, and each is read by the schema with which it was written, unless protobuf_schema is given too.",
		ReadOptions:   option.Join(schemaOptions(), registry.ReadOptions(), format.ChangeOptions()),
		WriteOptions:  option.Join(schemaOptions(), registry.WriteOptions()),
		Changes:       format.ByColumn,
		InferMessages: inferMessages,
		NewReader:     newReader,
		NewWriter:     newWriter,
	}
}

func schemaOptions() []option.Spec {
	return []option.Spec{
		{Name: "protobuf_schema", Doc: "The text of a .proto file, also as '${file:orders.proto}'. It may import Google's well-known types alone; for other imports use protobuf_descriptor."},
		{Name: "protobuf_descriptor", Doc: "A descriptor set in base64, as made by protoc --include_imports --descriptor_set_out=/dev/stdout orders.proto | base64, in place of protobuf_schema."},
		{Name: "message", Doc: "The name of the message in protobuf_schema or protobuf_descriptor. Default: the first one of the (last) file."},
	}
}

// reader is format.MessageReader for Protocol Buffers.
type reader struct {
	format.NoFiles
	config   format.Config
	given    *messageType // of the options; nil = none
	registry *registry.Client

	sessions
}

func newReader(c format.Config) (format.Reader, error) {
	r := &reader{config: c}
	var err error
	if r.given, err = given(c.Options); err != nil {
		return nil, err
	}
	if r.registry, err = registry.Open(c.Options); err != nil {
		return nil, err
	}
	if r.registry == nil && r.given == nil {
		return nil, errNoSchema
	}
	if r.given != nil {
		_, err = r.program(r.given, r.config.Columns, nil)
	}
	return r, err
}

var errNoSchema = errors.New("protobuf messages do not say their schema: set schema_registry, protobuf_schema or protobuf_descriptor")

// inferMessages finds the columns of messages: those of the options' schema, else of the
// newest schema of the subject.
func inferMessages(ctx context.Context, c format.Config) ([]types.Column, error) {
	m, err := given(c.Options)
	if err != nil {
		return nil, err
	}
	if m != nil {
		return m.columns()
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
	file, err := registered(latest)
	if err == nil {
		m, err = named(file, c.Options.Text("message"))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: subject %q: %w", client, subject, err)
	}
	return m.columns()
}
