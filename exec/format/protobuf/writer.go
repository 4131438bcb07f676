package protobuf

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/registry"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// writer is format.MessageWriter for Protocol Buffers.
type writer struct {
	format.NoFiles
	config   format.Config
	text     string // of the schema; "" = it came as a descriptor
	message  *messageType
	registry *registry.Client
	subject  string
}

func newWriter(c format.Config) (format.Writer, error) {
	w := &writer{config: c, text: c.Options.Text("protobuf_schema")}
	var err error
	if w.message, err = given(c.Options); err != nil {
		return nil, err
	}
	if err := w.connect(); err != nil {
		return nil, err
	}
	if w.message == nil {
		if w.text, err = describe(messageName(c.Subject), c.Columns); err != nil {
			return nil, err
		}
		f, err := parse(w.text, nil)
		if err != nil {
			return nil, err
		}
		w.message = &messageType{f.Messages().Get(0)}
	}
	_, err = newRowEncoder(w.message, c.Columns)
	return w, err
}

func (w *writer) connect() (err error) {
	o := w.config.Options
	if w.registry, err = registry.Open(o); err != nil {
		return err
	}
	switch {
	case w.registry == nil && w.message == nil:
		return errNoSchema
	case w.registry != nil && w.message != nil && w.text == "":
		return errors.New("a schema registry takes the text of a schema: give protobuf_schema in place of protobuf_descriptor")
	case w.registry != nil:
		w.subject, err = registry.Subject(o, w.config.Subject)
	}
	return err
}

// NewEncoder implements format.MessageWriter.
func (w *writer) NewEncoder(ctx context.Context) (format.MessageEncoder, error) {
	rows, err := newRowEncoder(w.message, w.config.Columns)
	if err != nil {
		return nil, format.Misfit(err)
	}
	e := &encoder{rows: rows}
	if w.registry != nil {
		id, err := w.registry.Register(ctx, w.subject, registry.Protobuf, w.text, w.config.Options.Bool("auto_register_schemas"))
		if err != nil {
			return nil, fmt.Errorf("message %s: %w", w.message.FullName(), err)
		}
		e.header = appendPath(registry.AppendHeader(nil, id), w.message)
	}
	return e, nil
}

// appendPath appends the numbers that choose a message type in its file; the first type
// has a short form.
func appendPath(dst []byte, m protoreflect.MessageDescriptor) []byte {
	var path []int
	for d := protoreflect.Descriptor(m); ; d = d.Parent() {
		if _, top := d.(protoreflect.FileDescriptor); top {
			break
		}
		path = append(path, d.Index())
	}
	slices.Reverse(path)
	if len(path) == 1 && path[0] == 0 {
		return append(dst, 0)
	}
	dst = binary.AppendVarint(dst, int64(len(path)))
	for _, i := range path {
		dst = binary.AppendVarint(dst, int64(i))
	}
	return dst
}

// encoder is format.MessageEncoder for Protocol Buffers.
type encoder struct {
	rows   *rowEncoder
	header []byte
}

// Append implements format.MessageEncoder.
func (e *encoder) Append(dst []byte, b *vec.Batch, row int) ([]byte, error) {
	return e.rows.append(append(dst, e.header...), b.Cols, row)
}
