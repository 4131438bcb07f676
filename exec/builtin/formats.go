package builtin

import (
	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/json"
	"github.com/sqlstream/sqlstream/exec/format/parquet"
)

// Formats returns all file formats.
func Formats() []*format.Format {
	return []*format.Format{json.Format(), parquet.Format()}
}
