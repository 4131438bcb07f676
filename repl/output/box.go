package output

import (
	"github.com/sqlstream/sqlstream/exec/format/table"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// box is a table with a frame.
type box struct{ b *table.Box }

func newBox(cols []types.Column, o *Options) box {
	return box{table.NewBox(cols, o.Zone, o.null("NULL"))}
}

func (b box) head(dst []byte) []byte { return dst }

func (b box) row(dst []byte, cols []*vec.Vector, row int) []byte { return b.b.Add(dst, cols, row) }

func (b box) foot(dst []byte) []byte { return b.b.Close(dst) }
