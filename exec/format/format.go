// Package format owns the contract between bytes and columns: a Format describes
// itself, reads files as batches and writes batches as files. The formats live below
// it (json/, csv/, text/, parquet/); exec/builtin lists them. It knows vectors and
// types, but no sources, sinks or plans: whoever opens files and decides what becomes
// of bad rows is its caller. Open this file first, then file.go; writer.go is the
// other direction.
package format

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Format is a way to lay rows out in a file, and describes itself.
type Format struct {
	Name    string
	Aliases []string
	Doc     string
	// ReadOptions and WriteOptions are what NewReader and NewWriter look up. A caller
	// decodes them together with its own (option.Join), once.
	ReadOptions  []option.Spec
	WriteOptions []option.Spec
	// Extensions by which a file of this format is known, without compression:
	// ".json", ".jsonl".
	Extensions []string
	// MessagesOnly says that rows have no form in files: only MessageReader and MessageWriter
	// are meant.
	MessagesOnly bool
	// Columns are what a source without declared columns has (text); nil = they must be
	// declared or inferred.
	Columns []types.Column
	// Changes is how rows may come with deletions.
	Changes Changes
	// Infer finds the columns of a file from its metadata or first rows; nil = not
	// possible. Config.Columns is not looked at. Files of one source are inferred one by
	// one and their columns united by guess.Merge.
	Infer func(ctx context.Context, f File, c Config) ([]types.Column, error)
	// InferMessages finds the columns of messages without looking at one: from a schema that
	// the options give, or from the schema registry that they name, where Config.Subject
	// says whose. Nothing and no error: the options name no schema. nil = not possible.
	InferMessages func(ctx context.Context, c Config) ([]types.Column, error)
	// NewReader checks columns and options once, for all files of a source.
	NewReader func(c Config) (Reader, error)
	// NewWriter checks columns and options once, for all files of a sink; nil = the
	// format cannot be written.
	NewWriter func(c Config) (Writer, error)
}

// Changes is how a format delivers deletions.
type Changes uint8

// The ways.
const (
	NoChanges  Changes = iota // each row is an insertion
	ByColumn                  // by the words of a column: option op_column
	ByEnvelope                // each row is a change by itself
)

// ChangeOptions are the options of formats with Changes = ByColumn.
func ChangeOptions() []option.Spec {
	return []option.Spec{
		{Name: "op_column", Type: option.Text,
			Doc: "The rows are changes (changelog = true): this field, which is none of the columns, says what became of the row. I, insert, c, r, + and +I: it is new. " +
				"D, delete, d, - and -D: it is gone. -U and +U: the row from before, and the new one. U, update and u: the new version of the row with its PRIMARY KEY. " +
				"Case does not matter. With changelog = true alone it is named op."},
	}
}

// Check is a test of the values of a STRING column, so that a bad one is told with its
// place.
type Check struct {
	Column int                                  // index into Config.Columns
	Reason func(value []byte, null bool) string // why it is bad, "" = it is not
}

// Config is what a reader or writer is made with. Nothing in it changes afterwards.
type Config struct {
	Columns []types.Column // of the data in the files, in order
	// Options were decoded from (at least) ReadOptions or WriteOptions.
	Options option.Decoded
	Zone    *time.Location // of times without one; nil = UTC
	OnError OnError        // readers only
	Check   *Check         // readers only; nil = none. It is always among the needed columns
	Key     []int          // readers of envelopes only: columns of the PRIMARY KEY, nil = none
	// Subject is what a schema registry calls the rows ("orders-value"); "" = nothing does.
	Subject string
	// Messages says that messages are read or written, not files: what only files have, such
	// as a header, is refused.
	Messages bool
}

// OnError says what happens to a row that cannot be decoded.
type OnError uint8

// The policies, in the order of source.OnError.
const (
	Fail   OnError = iota // Read returns a *RowError
	Skip                  // the row goes to Reading.Bad
	Divert                // the same; the caller keeps the bytes
)

// Reader reads files of one source. It is safe for concurrent use: sections of a
// file and several files may be read at the same time.
type Reader interface {
	// Sections cuts a file into parts that can be read independently; their order is
	// the order of rows. An empty file has none.
	Sections(ctx context.Context, f File) ([]Section, error)
	// Read decodes a section and gives its rows to emit in batches of at most
	// vec.BatchSize. Batches carry the columns rd.Need, in that order; with no needed
	// column only Batch.N says something. A batch and its bytes belong to the reader and
	// are reused: emit must not keep them. An error of emit is returned as it is.
	Read(ctx context.Context, f File, s Section, rd Reading, emit func(*vec.Batch) error) error
}

// Bounded is a Reader that may know the range of a column in a section without reading
// it.
type Bounded interface {
	// Bounds returns the range of Config.Columns[col] in the section; ok is false if it is
	// not known. It is for columns whose values are PhysInt64.
	Bounds(ctx context.Context, f File, s Section, col int) (b Bounds, ok bool, err error)
}

// Described is a Reader of files that say what their columns are.
type Described interface {
	// Describe gives the columns of a file as the file has them, from its metadata; a type that
	// is not known is NULL.
	Describe(ctx context.Context, f File) ([]types.Column, error)
}

// Bounds are the least and the greatest value of a column, and how many are NULL. With
// every value NULL there is no least one: ok is false.
type Bounds struct{ Min, Max, Nulls int64 }

// Section is a part of a file.
type Section struct {
	// Off and End bound the section: bytes, or row groups for parquet. Readers align
	// byte ranges with rows themselves.
	Off, End int64
	// Rows is the number of rows if it is known without reading, else −1.
	Rows int64
	// Bytes is about what reading costs, to balance work.
	Bytes int64
}

// Reading says what one call of Read needs.
type Reading struct {
	Need []int // indexes into Config.Columns, ascending
	// Bad receives each row that could not be decoded, under Skip and Divert. It must
	// copy what it keeps, and may be called by several goroutines (one per Read).
	Bad func(BadRow)
}

// BadRow is an input row that could not be decoded.
type BadRow struct {
	Position string // "in/a.json:17": file and line (text), or file and byte
	Reason   string // `field "price": "abc" is not a BIGINT`
	Raw      []byte // the row as it stands in the file
}

// RowError is a row that could not be decoded, under the policy Fail.
type RowError struct{ BadRow }

func (e *RowError) Error() string { return e.Position + ": " + e.Reason + e.excerpt() }

// excerpt quotes the beginning of the row, so that the message helps without the file.
func (e *RowError) excerpt() string {
	const most = 120
	if len(e.Raw) == 0 {
		return ""
	}
	raw, verb, more := e.Raw, "is", ""
	if len(raw) > most {
		raw, verb, more = raw[:most], "begins", " …"
		for r, n := utf8.DecodeLastRune(raw); r == utf8.RuneError && n == 1 && len(raw) > most-utf8.UTFMax; r, n = utf8.DecodeLastRune(raw) {
			raw = raw[:len(raw)-1] // a character that was cut
		}
	}
	return "; the row " + verb + " " + legible(raw) + more
}

// legible is a row for people: text as it is, unless a terminal would obey it; else its
// bytes as SQL writes them.
func legible(raw []byte) string {
	switch text := string(raw); {
	case !utf8.Valid(raw) || bytes.IndexByte(raw, 0) >= 0:
		return fmt.Sprintf("X'%X'", raw)
	case strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) && !strings.ContainsRune("\t\n\r", r) }):
		return strconv.Quote(text)
	default:
		return text
	}
}

// FileError is a file that cannot be read as what it should be: damaged, cut short,
// of another format or with columns of other types. No policy for bad rows hides it.
type FileError struct {
	File string
	Err  error
}

func (e *FileError) Error() string { return e.File + ": " + e.Err.Error() }

func (e *FileError) Unwrap() error { return e.Err }
