package builtin

import (
	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/avro"
	"github.com/sqlstream/sqlstream/exec/format/csv"
	"github.com/sqlstream/sqlstream/exec/format/json"
	"github.com/sqlstream/sqlstream/exec/format/parquet"
	"github.com/sqlstream/sqlstream/exec/format/protobuf"
	"github.com/sqlstream/sqlstream/exec/format/raw"
	"github.com/sqlstream/sqlstream/exec/format/text"
)

// Formats returns all file formats.
func Formats() []*format.Format {
	return []*format.Format{json.Format(), json.Debezium(), csv.Format(), text.Format(), parquet.Format(), avro.Format(), avro.Debezium(), protobuf.Format(), raw.Format()}
}
