package format

import (
	"context"
	"errors"
	"io"

	"github.com/sqlstream/sqlstream/exec/vec"
)

// Messages are values that each stand alone, as the records of a topic: every one is
// decoded by itself, so that a bad one leaves its neighbours alone.
type Messages struct {
	// Buf holds the values one after the other. Each is followed by one byte that is no
	// part of it, the last by 64 more; all of Buf may be overwritten by who decodes.
	Buf []byte
	// Ends is, by message, where its value ends in Buf: the next begins one byte further.
	Ends []uint32
	// Null tells, by message, that it has no value (a tombstone); nil = all have one.
	Null []bool
	// Position names a message in errors: "topic orders, partition 3, offset 1745".
	Position func(message int) string
}

// MessageReader is a Reader that also decodes messages. It is safe for concurrent use.
type MessageReader interface {
	Reader
	// ReadMessages decodes messages and gives their rows to emit, in order, in batches as
	// those of Read. from tells, by row of the batch, which message it came from; it belongs
	// to the reader. A message gives one row; none if it is bad or says nothing, and one that
	// is a change (ByEnvelope) up to two. All columns of a message without a value are NULL.
	ReadMessages(ctx context.Context, m Messages, rd Reading, emit func(b *vec.Batch, from []int32) error) error
}

// MessageWriter is a Writer that also makes messages.
type MessageWriter interface {
	Writer
	// NewEncoder returns an encoder for one goroutine. It may talk to a schema registry.
	NewEncoder(ctx context.Context) (MessageEncoder, error)
}

// MessageEncoder makes messages of rows, for one goroutine.
type MessageEncoder interface {
	// Append appends the message of a row of b to dst. Columns are those of Config.Columns.
	Append(dst []byte, b *vec.Batch, row int) ([]byte, error)
}

// NullMessages is a MessageEncoder some of whose rows are messages without a value, not
// messages without content.
type NullMessages interface {
	// Null says that the row is one: Append need not be called then.
	Null(b *vec.Batch, row int) bool
}

// NoFiles is embedded by the readers and writers of formats that are MessagesOnly.
type NoFiles struct{}

var errNoFiles = errors.New("this format is for messages, not for files")

// Sections implements Reader.
func (NoFiles) Sections(context.Context, File) ([]Section, error) { return nil, errNoFiles }

// Read implements Reader.
func (NoFiles) Read(context.Context, File, Section, Reading, func(*vec.Batch) error) error {
	return errNoFiles
}

// Extension implements Writer.
func (NoFiles) Extension() string { return "" }

// Create implements Writer.
func (NoFiles) Create(io.Writer) (FileWriter, error) { return nil, errNoFiles }
