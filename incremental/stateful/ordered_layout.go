package stateful

import (
	"slices"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// partLayout says in which order the columns of rows are stored, so that keys of the log
// begin with what is dropped together: Lead, the partition, the order, the others.
type partLayout struct {
	cfg   orderedConfig
	perm  []int // stored column → input column
	place []int // input column → stored column
	ties  []int // stored columns that break ties, in the order of the input's columns

	builders []*vec.Builder // input columns
	cols     []*vec.Vector
}

func layPartitions(cfg orderedConfig) partLayout {
	n := len(cfg.Types)
	l := partLayout{cfg: cfg, place: make([]int, n), builders: vec.NewBuilders(cfg.Types), cols: make([]*vec.Vector, n)}
	for i := range l.place {
		l.place[i] = -1
	}
	l.take(cfg.Lead)
	for _, c := range cfg.Partition {
		l.take(c)
	}
	equal := slices.Clone(cfg.Partition) // among rows that tie
	for _, k := range cfg.Order {
		l.take(k.Col)
		equal = append(equal, k.Col)
	}
	for c := range n {
		l.take(c)
	}
	for c, place := range l.place {
		if !slices.Contains(equal, c) {
			l.ties = append(l.ties, place)
		}
	}
	return l
}

// take gives a column the next place, if it has none.
func (l *partLayout) take(c int) {
	if c >= 0 && l.place[c] < 0 {
		l.place[c] = len(l.perm)
		l.perm = append(l.perm, c)
	}
}

// rowTypes are the types of the stored columns.
func (l *partLayout) rowTypes() []types.Type { return pickTypes(l.cfg.Types, l.perm) }

// partTypes are the types of the partition columns.
func (l *partLayout) partTypes() []types.Type { return pickTypes(l.cfg.Types, l.cfg.Partition) }

func pickTypes(ts []types.Type, cols []int) []types.Type {
	out := make([]types.Type, len(cols))
	for i, c := range cols {
		out[i] = ts[c]
	}
	return out
}

// columns are the values of rows, in the input's order; valid until the next call. key
// appends a stored column of rows.
func (l *partLayout) columns(rows []uint32, key func(rows []uint32, column int, out *vec.Builder)) []*vec.Vector {
	for c, b := range l.builders {
		b.Reset()
		key(rows, l.place[c], b)
		l.cols[c] = b.Finish()
	}
	return l.cols
}
