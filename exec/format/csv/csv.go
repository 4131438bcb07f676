// Package csv owns the CSV format: delimited text to and from columns, with Spark's
// options. It knows neither file systems nor sources. Open this file first, then
// reader.go (rows), record.go (fields of a row) and field.go (values); writer.go is
// the other direction.
package csv

import (
	"fmt"
	"unicode/utf8"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/types"
)

// Format describes CSV.
func Format() *format.Format {
	return &format.Format{
		Name:    "csv",
		Aliases: []string{"tsv"},
		Doc: "Delimited text (RFC 4180); a message is one record, without a header. An empty field without quotes is NULL, one in quotes is an empty text. With a header, columns are matched by its names; " +
			"without, by position, and every row must have exactly the declared columns. BOOLEAN is true or false, numbers are plain, DECIMAL is exact, " +
			"DATE and TIMESTAMP are ISO 8601 unless a pattern is given; TIME, UUID and JSON are their text; nested types have no form in CSV.",
		ReadOptions:  readOptions(),
		WriteOptions: writeOptions(),
		Extensions:   []string{".csv", ".tsv"},
		Changes:      format.ByColumn,
		Infer:        infer,
		NewReader:    newReader,
		NewWriter:    newWriter,
	}
}

func dialectOptions() []option.Spec {
	return []option.Spec{
		{Name: "delimiter", Aliases: []string{"sep", "separator", "delim", "csv.field-delimiter"}, Default: ",", Doc: "The character between fields. '\\t' or 'tab' is a tab."},
		{Name: "quote", Aliases: []string{"csv.quote-character"}, Default: `"`, Doc: "The character around fields that hold delimiters, quotes or newlines; '' = none."},
		{Name: "escape", Aliases: []string{"csv.escape-character"}, Default: `"`, Doc: "The character before a quote inside of quotes: the quote itself (RFC 4180), or '\\' as Spark writes it."},
		{Name: "null_value", Aliases: []string{"null", "nullstr", "csv.null-literal"}, Doc: "The text, without quotes, that is NULL besides the empty one."},
	}
}

func readOptions() []option.Spec {
	return option.Join(dialectOptions(), []option.Spec{
		{Name: "header", Type: option.Bool, Default: "false", Doc: "The first line of each file has the names of its columns, by which they are matched. Columns that are not declared are ignored."},
		{Name: "enforce_schema", Type: option.Bool, Default: "false", Doc: "With a header: match columns by position all the same, whatever the header says (Spark's default)."},
		{Name: "missing_columns", Type: option.Enum, Values: []string{"null", "error"}, Default: "error",
			Doc: "With a header: what a declared column is that a file does not have: an error, or NULL where files of different age are read. A file that has none of the columns is always an error."},
		{Name: "comment", Doc: "The character with which a line begins that is ignored; none by default."},
		{Name: "ignore_leading_white_space", Type: option.Bool, Default: "false", Doc: "Drop blanks before fields."},
		{Name: "ignore_trailing_white_space", Type: option.Bool, Default: "false", Doc: "Drop blanks after fields."},
		{Name: "multi_line", Type: option.Bool, Default: "false", Doc: "Fields in quotes may hold newlines. Such a file is read by one worker."},
	}, format.PolicyOptions(), format.TimeOptions(), format.ChangeOptions())
}

// dialect is how fields are told apart.
type dialect struct {
	delimiter, quote, escape, comment byte // 0 = none
	null                              []byte
	trimLeft, trimRight               bool
	multi                             bool
}

func newDialect(o option.Decoded) (d dialect, err error) {
	d.null = []byte(o.Text("null_value"))
	for _, x := range []struct {
		name string
		into *byte
	}{{"delimiter", &d.delimiter}, {"quote", &d.quote}, {"escape", &d.escape}} {
		if *x.into, err = character(o, x.name); err != nil {
			return d, err
		}
	}
	switch {
	case d.delimiter == 0:
		return d, fmt.Errorf("delimiter must be one character")
	case d.delimiter == d.quote:
		return d, fmt.Errorf("delimiter and quote are the same character")
	case d.escape == 0:
		d.escape = d.quote
	}
	return d, nil
}

// character reads an option that is one ASCII character.
func character(o option.Decoded, name string) (byte, error) {
	text := o.Text(name)
	switch text {
	case "":
		return 0, nil
	case `\t`, "tab":
		return '\t', nil
	case `\\`:
		return '\\', nil
	}
	if len(text) != 1 || text[0] >= utf8.RuneSelf || text[0] == '\n' || text[0] == '\r' {
		return 0, fmt.Errorf("%s must be one ASCII character, not %q", name, text)
	}
	return text[0], nil
}

// scalar refuses what has no form in CSV.
func scalar(c types.Column) error {
	switch k := c.Type.Kind; {
	case c.Type.IsNested():
		return fmt.Errorf("column %q: CSV has no %s; use STRING, and to_json and from_json", c.Name, c.Type)
	case k == types.Interval || k == types.Null:
		return fmt.Errorf("column %q: CSV has no %s; use STRING and cast", c.Name, c.Type)
	}
	return nil
}
