package format

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/types"
)

// Policy is what a text format does with a row that it cannot decode.
type Policy struct {
	OnError OnError
	// Permissive keeps such a row: what cannot be decoded is NULL, and the column Corrupt
	// (an index into Config.Columns, −1 = none) gets the row's text.
	Permissive bool
	Corrupt    int
}

// PolicyOptions are the options that PolicyOf reads; every text format with columns
// has them.
func PolicyOptions() []option.Spec {
	return []option.Spec{
		{Name: "mode", Type: option.Enum, Values: []string{"failfast", "permissive", "dropmalformed"},
			Doc: "What becomes of a row that cannot be decoded, as in Spark: failfast ends the query, dropmalformed skips and counts the row, " +
				"permissive keeps it with NULL for what cannot be decoded. Without mode, on_error decides, and its default is to fail."},
		{Name: "column_name_of_corrupt_record", Aliases: []string{"corrupt_record"}, Default: "_corrupt_record",
			Doc: "With mode = 'permissive': the STRING column, if it is declared, that gets the text of a row that could not be decoded. It is NULL for good rows."},
	}
}

// PolicyOf combines on_error with the options of PolicyOptions.
func PolicyOf(c Config) (Policy, error) {
	p := Policy{OnError: c.OnError, Corrupt: -1}
	mode := c.Options.Enum("mode")
	switch {
	case mode == "permissive":
		p.Permissive = true
	case mode == "dropmalformed" && c.OnError == Fail:
		p.OnError = Skip
	}
	if c.OnError != Fail && (mode == "failfast" || mode == "permissive") {
		return p, fmt.Errorf("mode = '%s' contradicts on_error = '%s': give one of them", mode, [...]string{"fail", "skip", "divert"}[c.OnError])
	}
	name := c.Options.Text("column_name_of_corrupt_record")
	for i, col := range c.Columns {
		if col.Name != name {
			continue
		}
		if col.Type.Kind != types.String {
			return p, fmt.Errorf("column %q for corrupt records must be STRING, not %s", name, col.Type)
		}
		p.Corrupt = i
	}
	if p.Corrupt < 0 && c.Options.Has("column_name_of_corrupt_record") {
		return p, fmt.Errorf("column_name_of_corrupt_record: there is no column %q", name)
	}
	return p, nil
}
