package engine

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/incremental/trigger"
	"github.com/sqlstream/sqlstream/planner/catalog"
	"github.com/sqlstream/sqlstream/storage/checkpoint"
)

// checkpointColumns are those of checkpoint('path'): a row a batch.
func checkpointColumns() []types.Column {
	count, at := types.Of(types.Int64), types.Of(types.Timestamp)
	return systemColumns("batch", count, "committed", types.Of(types.Bool), "at", at, "watermark", at, "input", count, "contributed", count,
		"filtered", count, "late", count, "bad", count, "offsets", types.Of(types.JSON))
}

func checkpointRelation(path string) *catalog.Relation {
	r := &catalog.Relation{Name: "checkpoint " + path, Connector: "checkpoint", Options: []option.Value{{Name: "path", Text: path}}}
	for _, c := range checkpointColumns() {
		r.Columns = append(r.Columns, catalog.Column{Column: c})
	}
	return r
}

// checkpointRows reads the batches of a checkpoint, whose query may be running: nothing is
// written, and no lock is taken.
func (e *Engine) checkpointRows(r *catalog.Relation) (source.Source, error) {
	dir, err := e.path(r.Options[0].Text)
	if err != nil {
		return nil, err
	}
	c, err := checkpoint.Open(e.files(), dir, checkpoint.Options{ReadOnly: true})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("checkpoint(%q): there is no checkpoint", r.Options[0].Text)
	}
	if err != nil {
		return nil, fmt.Errorf("checkpoint(%q): %w", r.Options[0].Text, err)
	}
	list, err := trigger.History(c)
	if err != nil {
		return nil, fmt.Errorf("checkpoint(%q): %w", r.Options[0].Text, err)
	}
	bs := builders(checkpointColumns())
	for _, l := range list {
		row := []any{l.Batch, l.Committed, l.Now, nil, nil, nil, nil, nil, nil, string(l.Offsets)}
		if l.Committed {
			copy(row[4:], []any{l.Rows.Input, l.Rows.Contributed, l.Rows.Filtered, l.Rows.Late, l.Rows.Bad})
		}
		if l.Watermark != nil {
			row[3] = *l.Watermark
		}
		appendRow(bs, row)
	}
	return &rowSource{name: r.Name, batches: []*vec.Batch{batchOf(bs)}}, c.Close()
}

// appendRow appends a row of Go values; nil is NULL.
func appendRow(bs []*vec.Builder, row []any) {
	for i, x := range row {
		if x == nil {
			bs[i].AppendNull()
		} else {
			bs[i].AppendAny(x)
		}
	}
}
