// Package text owns the text format: a line is a row of one STRING column. It knows
// neither file systems nor sources. Open this file first; writer.go is the other
// direction.
package text

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/column"
	"github.com/sqlstream/sqlstream/exec/format/lines"
	"github.com/sqlstream/sqlstream/exec/format/rows"
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Format describes text.
func Format() *format.Format {
	return &format.Format{
		Name: "text",
		Doc: "One row per line, in one STRING column, named value unless it is declared otherwise. Lines end with a newline or carriage return and newline; " +
			"empty lines are rows. A message is one row, whatever is in it. Text is UTF-8; a row that is not is bad.",
		ReadOptions: []option.Spec{
			{Name: "whole_text", Type: option.Bool, Default: "false", Doc: "A file is one row."},
		},
		WriteOptions: writeOptions(),
		Extensions:   []string{".txt", ".text", ".log"},
		Columns:      columns(),
		Infer:        func(context.Context, format.File, format.Config) ([]types.Column, error) { return columns(), nil },
		NewReader:    newReader,
		NewWriter:    newWriter,
	}
}

func columns() []types.Column {
	return []types.Column{{Name: "value", Type: types.Of(types.String)}}
}

func checkColumns(cols []types.Column) error {
	if len(cols) != 1 || cols[0].Type.Kind != types.String {
		return fmt.Errorf("the text format has exactly one column, of type STRING; declared are %d", len(cols))
	}
	return nil
}

// reader is format.Reader for text.
type reader struct {
	policy format.Policy
	whole  bool
}

func newReader(c format.Config) (format.Reader, error) {
	if err := checkColumns(c.Columns); err != nil {
		return nil, err
	}
	return &reader{format.Policy{OnError: c.OnError, Corrupt: -1}, c.Options.Bool("whole_text")}, nil
}

// Sections implements format.Reader.
func (r *reader) Sections(_ context.Context, f format.File) ([]format.Section, error) {
	if r.whole && f.Size == 0 {
		return []format.Section{{Rows: 1}}, nil // an empty text is a row too
	}
	return lines.Sections(f, r.whole), nil
}

// Read implements format.Reader.
func (r *reader) Read(ctx context.Context, f format.File, s format.Section, rd format.Reading, emit func(*vec.Batch) error) error {
	src, err := lines.Open(f, s, nil)
	if err != nil {
		return err
	}
	defer src.Close()
	d := r.session(rd.Need)
	d.src = src
	d.Begin(ctx, f, src, rd, emit)
	if r.whole {
		return d.readWhole()
	}
	return d.readLines()
}

// ReadMessages implements format.MessageReader: a message is a row, with the newlines that
// it may have.
func (r *reader) ReadMessages(ctx context.Context, m format.Messages, rd format.Reading, emit func(*vec.Batch, []int32) error) error {
	d := r.session(rd.Need)
	d.BeginMessages(ctx, &m, rd, emit)
	block := rows.MessageBlock(m, '\n')
	valid := utf8.Valid(block)
	return d.EachMessage(block, func(p, end int) { d.take(block, p, end, valid) }, d.TakeNulls)
}

func (r *reader) session(need []int) *session {
	d := &session{value: column.New(types.Of(types.String), vec.BatchSize)}
	d.Policy = r.policy
	for range need {
		d.Cols = append(d.Cols, d.value)
	}
	return d
}

// session is one call of Read.
type session struct {
	rows.Set
	src   *lines.Reader
	value *column.Column
}

func (d *session) readWhole() error {
	block, err := d.src.Whole()
	if err != nil {
		return err
	}
	d.Line = 1
	d.take(block, 0, max(0, len(block)-1), utf8.Valid(block)) // without the newline that ends a block
	if d.Err() != nil {
		return d.Err()
	}
	return d.Flush(block)
}

func (d *session) readLines() error {
	want := 0
	for {
		block, err := d.src.Next(want)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		d.Block()
		before := d.Line
		if err := d.readBlock(block); err != nil {
			return err
		}
		want = rows.Want(block, d.Line-before)
	}
}

func (d *session) readBlock(block []byte) error {
	valid := utf8.Valid(block)
	for p := 0; p < len(block); {
		if d.Full() {
			if err := d.Flush(block); err != nil {
				return err
			}
		}
		end := p + bytes.IndexByte(block[p:], '\n')
		next := end + 1
		if end > p && block[end-1] == '\r' {
			end--
		}
		d.Line++
		d.take(block, p, end, valid)
		if d.Err() != nil {
			return d.Err()
		}
		p = next
	}
	return d.Flush(block)
}

// take makes block[p:q] a row.
func (d *session) take(block []byte, p, q int, valid bool) {
	if !valid && !utf8.Valid(block[p:q]) {
		d.Report(block, p, q, "text that is not UTF-8")
		return
	}
	d.value.Str[d.Row] = vec.StrRef{Off: uint32(p), Len: uint32(q - p)}
	d.Take()
}
