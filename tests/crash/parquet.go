package crash

import (
	"context"
	"io"

	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/incremental/engine"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

// readParquet reads one data file of the partitioned workload as a batch query does: a
// file that is named is read whatever the log says.
func readParquet(disk vfs.FS, name string) ([]string, error) {
	e, err := engine.Open(engine.Options{FS: disk, Workers: 1, Dir: "/", Stdout: io.Discard})
	if err != nil {
		return nil, err
	}
	defer e.Close()
	ctx := context.Background()
	text := "SELECT id, v, pad, '" + name + "' AS name FROM '" + name + "'"
	var rows []string
	err = e.Exec(ctx, diag.Source{Text: text}, func(r *engine.Result) error {
		return r.Rows(ctx, func(b *vec.Batch) error {
			for i := range b.Rows() {
				at := i
				if b.Sel != nil {
					at = int(b.Sel[i])
				}
				rows = append(rows, rowText(&vec.Batch{Cols: b.Cols[:3]}, at)+"|"+partition(name))
			}
			return nil
		})
	})
	return rows, err
}

// partition is the value of g in a path.
func partition(name string) string {
	for i := 0; i+2 < len(name); i++ {
		if name[i:i+2] == "g=" {
			return name[i+2 : i+3]
		}
	}
	return "?"
}
