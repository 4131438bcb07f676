package engine

import (
	"os"
	"strings"

	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/planner/catalog"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

// resolved replaces the ${…} references of options, just before a connector is opened.
func (e *Engine) resolved(values []option.Value) ([]option.Value, error) {
	return option.Resolve(values, option.Env{
		Lookup: os.LookupEnv,
		ReadFile: func(path string) ([]byte, error) {
			path, err := e.path(path)
			if err != nil {
				return nil, err
			}
			return vfs.ReadFile(e.files(), path)
		},
	})
}

// sinkOptions are the options of a sink, with PARTITIONED BY as the option that
// connectors know.
func (e *Engine) sinkOptions(s *catalog.Sink) ([]option.Value, error) {
	values, err := e.resolved(s.Options)
	if err != nil || len(s.PartitionNames) == 0 {
		return values, err
	}
	return append(values, option.Value{Name: "partition_by", Text: strings.Join(s.PartitionNames, ",")}), nil
}
