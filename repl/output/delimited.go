package output

import (
	"bytes"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// delimited is CSV (RFC 4180, with \n) and TSV: a line of names, a line for each row.
type delimited struct {
	cols      []types.Column
	o         *Options
	null      []byte
	delimiter byte
	field     func(dst, text []byte, null []byte) []byte
	cell      []byte
}

func newDelimited(cols []types.Column, o *Options, delimiter byte, field func(dst, text, null []byte) []byte) *delimited {
	return &delimited{cols: cols, o: o, null: []byte(o.null("")), delimiter: delimiter, field: field}
}

func (d *delimited) head(dst []byte) []byte {
	for i, c := range d.cols {
		if i > 0 {
			dst = append(dst, d.delimiter)
		}
		dst = d.field(dst, []byte(c.Name), nil)
	}
	return append(dst, '\n')
}

func (d *delimited) row(dst []byte, cols []*vec.Vector, row int) []byte {
	for i, c := range cols {
		if i > 0 {
			dst = append(dst, d.delimiter)
		}
		if c.IsNull(row) {
			dst = append(dst, d.null...)
			continue
		}
		d.cell = vec.AppendText(d.cell[:0], c, row, d.o.Zone)
		dst = d.field(dst, d.cell, d.null)
	}
	return append(dst, '\n')
}

func (d *delimited) foot(dst []byte) []byte { return dst }

// appendQuoted appends a CSV field. Text that reads as NULL is quoted, and so is what
// would break the line or lose its blanks.
func appendQuoted(dst, text, null []byte) []byte {
	if !bytes.Equal(text, null) && !bytes.ContainsAny(text, ",\"\r\n") && len(bytes.TrimSpace(text)) == len(text) {
		return append(dst, text...)
	}
	dst = append(dst, '"')
	dst = append(dst, bytes.ReplaceAll(text, []byte(`"`), []byte(`""`))...)
	return append(dst, '"')
}

// appendEscaped appends a TSV field: tabs, line breaks and backslashes as \t, \n, \r, \\.
func appendEscaped(dst, text, _ []byte) []byte {
	for _, c := range text {
		switch c {
		case '\t':
			dst = append(dst, `\t`...)
		case '\n':
			dst = append(dst, `\n`...)
		case '\r':
			dst = append(dst, `\r`...)
		case '\\':
			dst = append(dst, `\\`...)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}
