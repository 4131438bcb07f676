// Package json owns the JSON format: newline-delimited objects (and, with multi_line,
// files that are one value) to and from columns. It reads with a schema-directed
// scanner of its own; what a value must look like follows Spark's reader, except that
// a row that cannot be decoded is never silently NULL. It knows neither files systems
// nor sources. Open this file first, then reader.go (rows), scanner.go and shape.go
// (the fast path), value.go (scalars), nested.go; envelope.go reads change events with
// all that; writer.go is the other direction.
package json

import (
	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/registry"
	"github.com/sqlstream/sqlstream/exec/option"
)

// Format describes JSON.
func Format() *format.Format {
	return &format.Format{
		Name:    "json",
		Aliases: []string{"jsonl", "ndjson"},
		Doc: "One JSON object per line; a message is one object, in which newlines are white space. Keys match column names exactly, else regardless of case; a missing key is NULL, other keys are ignored, " +
			"of equal keys the last counts (all must fit). A STRING column takes any value: of a number, array or object its JSON text. " +
			"Integers must be written without point and quotes; DECIMAL takes a number or a number in quotes, exactly; FLOAT and DOUBLE also \"NaN\" and \"Infinity\"; " +
			"BYTES is base64; DATE and TIMESTAMP are text, ISO 8601 unless a pattern is given; TIME and UUID are text; JSON is any value, as it is. A value that does not fit makes the row bad. " +
			"With a schema registry messages have its header, and their columns and what is registered are a JSON Schema.",
		ReadOptions: option.Join(format.PolicyOptions(), format.TimeOptions(), format.ChangeOptions(), registry.ReadOptions(), []option.Spec{
			{Name: "multi_line", Type: option.Bool, Default: "false", Doc: "A file is one array of objects, or objects over several lines. Such a file is read whole, by one worker."},
		}),
		Extensions:    []string{".json", ".jsonl", ".ndjson"},
		Changes:       format.ByColumn,
		WriteOptions:  writeOptions(),
		Infer:         infer,
		InferMessages: inferMessages,
		NewReader:     newReader,
		NewWriter:     newWriter,
	}
}
