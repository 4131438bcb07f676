package inbox

import (
	"strings"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// FormatSpec is the option that names the format of what arrives.
func FormatSpec(preset string) option.Spec {
	return option.Spec{Name: "format", Type: option.Text, Default: preset, Doc: "How the rows are laid out: text, json or csv."}
}

// BufferSpec is the option that bounds the rows that no trigger took yet.
func BufferSpec(then string) option.Spec {
	return option.Spec{Name: "buffer_bytes", Type: option.Size, Min: 1 << 10, Default: "16 MiB",
		Doc: "How much may wait for the next trigger. When it is full, " + then + "."}
}

// LineSpec is the option that bounds a line.
func LineSpec() option.Spec {
	return option.Spec{Name: "max_line_bytes", Type: option.Size, Min: 16, Max: 1 << 30, Default: "1 MiB",
		Doc: "A longer line is a bad row (on_error); its rest is passed over."}
}

// Decode reads the options of a source and of its format, text, json or csv.
func Decode(formats []*format.Format, own []option.Spec, preset string, c source.Config) (*format.Format, option.Decoded, error) {
	v, ok := option.Find(c.Options, "format")
	if !ok {
		v.Text = preset
	}
	f, err := chosen(formats, v)
	if err != nil {
		return nil, option.Decoded{}, err
	}
	d, err := option.Open(option.Join(own, f.ReadOptions), c.Options)
	return f, d, err
}

func chosen(formats []*format.Format, v option.Value) (*format.Format, error) {
	for _, f := range formats {
		switch f.Name {
		case "text", "json", "csv":
		default:
			continue
		}
		for _, name := range append([]string{f.Name}, f.Aliases...) {
			if strings.EqualFold(name, v.Text) {
				return f, nil
			}
		}
	}
	return nil, diag.NewError(nil, diag.Errorf(diag.BadOptionValue, v.Span, "format %q does not fit rows that arrive line by line", v.Text).
		WithHint("the formats are text, json and csv"))
}

// ByLine refuses options under which a row is more than a line: it could not be told
// where it ends before the next one comes.
func ByLine(f *format.Format, d option.Decoded) error {
	name := map[string]string{"text": "whole_text", "csv": "multi_line", "json": "multi_line"}[f.Name]
	if !d.Bool(name) {
		return nil
	}
	return diag.NewError(nil, diag.Errorf(diag.OptionConflict, d.Span(name), "%s = true does not fit rows that arrive line by line", name).
		WithHint("leave %s out, and send one row a line", name))
}

// HasHeader reports that the first line of a text names its columns.
func HasHeader(f *format.Format, d option.Decoded) bool { return f.Name == "csv" && d.Bool("header") }
