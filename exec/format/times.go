package format

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/format/scan"
	"github.com/sqlstream/sqlstream/exec/option"
)

// TimeOptions are the options that TimePatterns reads: how text formats write dates
// and times.
func TimeOptions() []option.Spec {
	return []option.Spec{
		{Name: "date_format", Doc: "Pattern of DATE values, such as 'dd.MM.yyyy'. Default: ISO 8601, yyyy-MM-dd."},
		{Name: "timestamp_format", Doc: "Pattern of TIMESTAMP values, such as 'yyyy-MM-dd HH:mm:ss.SSS'. Default: ISO 8601, with T or a blank before the time, with or without fraction and offset."},
		{Name: "timestamp_ntz_format", Doc: "Pattern of TIMESTAMP_NTZ values. Default: ISO 8601 without offset."},
	}
}

// TimePatterns compiles the options of TimeOptions; nil where the default holds.
func TimePatterns(o option.Decoded) (date, timestamp, local *scan.Pattern, err error) {
	compile := func(name string) *scan.Pattern {
		text := o.Text(name)
		if text == "" || err != nil {
			return nil
		}
		p, e := scan.ParsePattern(text)
		if e != nil {
			err = fmt.Errorf("%s: %w", name, e)
		}
		return p
	}
	date, timestamp, local = compile("date_format"), compile("timestamp_format"), compile("timestamp_ntz_format")
	return date, timestamp, local, err
}
