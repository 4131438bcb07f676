package protobuf

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/sqlstream/sqlstream/exec/format/registry"
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/types"
)

// messageType is a message of a schema.
type messageType struct{ protoreflect.MessageDescriptor }

// given finds the message that the options describe; nil = they describe none.
func given(o option.Decoded) (*messageType, error) {
	text, set := o.Text("protobuf_schema"), o.Text("protobuf_descriptor")
	switch {
	case text != "" && set != "":
		return nil, errors.New("give protobuf_schema or protobuf_descriptor, not both")
	case text != "":
		f, err := parse(text, nil)
		if err != nil {
			return nil, fmt.Errorf("protobuf_schema: %w", err)
		}
		return named(f, o.Text("message"))
	case set != "":
		f, err := fromSet(set)
		if err != nil {
			return nil, fmt.Errorf("protobuf_descriptor: %w", err)
		}
		return named(f, o.Text("message"))
	}
	return nil, nil
}

// fromSet reads a descriptor set: its last file is the one that is meant.
func fromSet(text string) (protoreflect.FileDescriptor, error) {
	b, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(text), ""))
	if err != nil {
		return nil, errors.New("it is not base64")
	}
	var set descriptorpb.FileDescriptorSet
	if err := proto.Unmarshal(b, &set); err != nil || len(set.File) == 0 {
		return nil, errors.New("it is no descriptor set")
	}
	files, err := protodesc.NewFiles(&set)
	if err != nil {
		return nil, err
	}
	return files.FindFileByPath(set.File[len(set.File)-1].GetName())
}

// registered compiles a schema of the registry.
func registered(s *registry.Schema) (protoreflect.FileDescriptor, error) {
	if s.Kind != registry.Protobuf {
		return nil, fmt.Errorf("schema %d is in %s, not PROTOBUF", s.ID, s.Kind)
	}
	f, err := parse(s.Text, s.References)
	if err != nil {
		return nil, fmt.Errorf("schema %d: %w", s.ID, err)
	}
	return f, nil
}

// named finds a message of a file by its name, with or without the package; "" = the first.
func named(f protoreflect.FileDescriptor, name string) (*messageType, error) {
	if f.Messages().Len() == 0 {
		return nil, errors.New("the schema has no message")
	}
	if name == "" {
		return &messageType{f.Messages().Get(0)}, nil
	}
	var names []string
	if m := findMessage(f.Messages(), f.Package(), name, &names); m != nil {
		return &messageType{m}, nil
	}
	return nil, fmt.Errorf("the schema has no message %q; it has %s", name, strings.Join(names, ", "))
}

func findMessage(list protoreflect.MessageDescriptors, pkg protoreflect.FullName, name string, names *[]string) protoreflect.MessageDescriptor {
	for i := range list.Len() {
		m := list.Get(i)
		full := string(m.FullName())
		local := strings.TrimPrefix(full, string(pkg)+".")
		if full == name || local == name {
			return m
		}
		if !m.IsMapEntry() {
			*names = append(*names, local)
		}
		if found := findMessage(m.Messages(), pkg, name, names); found != nil {
			return found
		}
	}
	return nil
}

// indexed finds a message by the path that stands in front of it in a registry's messages.
func indexed(f protoreflect.FileDescriptor, path []int) (*messageType, error) {
	list := f.Messages()
	var m protoreflect.MessageDescriptor
	for _, i := range path {
		if i < 0 || i >= list.Len() {
			return nil, fmt.Errorf("the schema has no message of the number %v", path)
		}
		m = list.Get(i)
		list = m.Messages()
	}
	return &messageType{m}, nil
}

// columns are the columns that hold the message.
func (m *messageType) columns() ([]types.Column, error) {
	var out []types.Column
	for i := range m.Fields().Len() {
		f := m.Fields().Get(i)
		t, err := sqlType(f, nil)
		if err != nil {
			return nil, fmt.Errorf("field %q: %w", f.Name(), err)
		}
		out = append(out, types.Column{Name: string(f.Name()), Type: t})
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("message %s has no fields", m.FullName())
	}
	return out, nil
}

// sqlType is the type that holds a field. open are the messages around it.
func sqlType(f protoreflect.FieldDescriptor, open []protoreflect.FullName) (types.Type, error) {
	if f.IsMap() {
		key, err := single(f.MapKey(), open)
		if err != nil {
			return key, err
		}
		value, err := single(f.MapValue(), open)
		return types.MapOf(key, value), err
	}
	t, err := single(f, open)
	if f.IsList() {
		t = types.ArrayOf(t)
	}
	return t, err
}

func single(f protoreflect.FieldDescriptor, open []protoreflect.FullName) (types.Type, error) {
	switch f.Kind() {
	case protoreflect.MessageKind:
		return structType(f.Message(), open)
	case protoreflect.GroupKind:
		return types.Type{}, errors.New("groups are not supported; leave it out by declaring the columns")
	}
	return scalarType(f.Kind()), nil
}

func scalarType(k protoreflect.Kind) types.Type {
	switch k {
	case protoreflect.BoolKind:
		return types.Of(types.Bool)
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		return types.Of(types.Int32)
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind, protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return types.Of(types.Int64)
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return types.DecimalOf(20, 0)
	case protoreflect.FloatKind:
		return types.Of(types.Float32)
	case protoreflect.DoubleKind:
		return types.Of(types.Float64)
	case protoreflect.BytesKind:
		return types.Of(types.Bytes)
	}
	return types.Of(types.String) // string, enum
}

func structType(m protoreflect.MessageDescriptor, open []protoreflect.FullName) (types.Type, error) {
	switch m.FullName() {
	case timestampName:
		return types.Of(types.Timestamp), nil
	case durationName:
		return types.Of(types.Interval), nil
	}
	if inner := wrapped(m); inner != nil {
		return scalarType(inner.Kind()), nil
	}
	for _, o := range open {
		if o == m.FullName() {
			return types.Type{}, fmt.Errorf("message %s contains itself, which no column can; declare the columns as far as they are needed", o)
		}
	}
	open = append(open[:len(open):len(open)], m.FullName())
	var fields []types.Field
	for i := range m.Fields().Len() {
		f := m.Fields().Get(i)
		t, err := sqlType(f, open)
		if err != nil {
			return t, err
		}
		fields = append(fields, types.Field{Name: string(f.Name()), Type: t})
	}
	if len(fields) == 0 {
		return types.Type{}, fmt.Errorf("message %s has no fields; leave it out by declaring the columns", m.FullName())
	}
	return types.StructOf(fields...), nil
}

const (
	timestampName = "google.protobuf.Timestamp"
	durationName  = "google.protobuf.Duration"
)

// wrapped is the field of a wrapper of a scalar; nil: it is none.
func wrapped(m protoreflect.MessageDescriptor) protoreflect.FieldDescriptor {
	if m.ParentFile().Path() != "google/protobuf/wrappers.proto" {
		return nil
	}
	return m.Fields().ByNumber(1)
}
