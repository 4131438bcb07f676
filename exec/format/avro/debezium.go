package avro

import (
	"context"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/change"
	"github.com/sqlstream/sqlstream/exec/format/registry"
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/types"
)

// Debezium describes change events as Debezium's Avro converter writes them.
func Debezium() *format.Format {
	return &format.Format{
		Name:    "debezium-avro",
		Aliases: []string{"debezium-avro-confluent"},
		Doc: "Change events of Debezium in Avro, one a message: records with before, after and op. Their rows are changes, as those of debezium-json are; " +
			"the columns are those of before and after, read as the format avro reads them. Debezium writes times as numbers unless time.precision.mode = 'connect'.",
		ReadOptions: option.Join([]option.Spec{
			{Name: "avro_schema", Doc: "The schema (JSON) of the events, if there is no schema registry: messages have no header then."},
		}, registry.ReadOptions()),
		Changes:      format.ByEnvelope,
		MessagesOnly: true,
		InferMessages: func(ctx context.Context, c format.Config) ([]types.Column, error) {
			cols, err := inferMessages(ctx, c)
			if err != nil {
				return nil, err
			}
			return change.ImageColumns(cols)
		},
		NewReader: func(c format.Config) (format.Reader, error) { return change.NewEnvelope(newReader, c) },
	}
}
