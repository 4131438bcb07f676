package stateful

import (
	"errors"
	"fmt"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/hash"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// JoinKind is what a join keeps.
type JoinKind uint8

// The kinds. A static join is not full.
const (
	InnerJoin JoinKind = iota
	LeftJoin           // left rows without a match get NULLs
	SemiJoin           // left rows with a match, once
	AntiJoin           // left rows without one
	FullJoin           // rows of either side without a match get NULLs
	MarkJoin           // left rows, with whether they have a match
)

// StaticJoinConfig describes the join of a delta (the input) with a finite relation.
// Output columns are those of the input, then those of the static side; semi and anti
// joins have the input's only, and a mark join adds one BOOLEAN column. Without keys it is a cross join.
type StaticJoinConfig struct {
	Name        string
	Kind        JoinKind
	InputKeys   []int
	StaticKeys  []int
	KeyTypes    []types.Type
	NullSafe    []bool // by key: NULL matches NULL; nil = nowhere
	StaticTypes []types.Type
	// Residual is the rest of the ON condition, over input columns, then static ones.
	Residual expr.Node
	// NullAware is NOT IN, for AntiJoin, and IN, for MarkJoin: the first NullAware keys are
	// compared under its rules; the others, and the residual, select the static rows that
	// they are compared with.
	NullAware int
	Single    bool // more than one match of an input row is an error
}

// StaticIndex is the static side: its rows, and which of them belong to each key. It is
// immutable; every worker has a stage of its own.
type StaticIndex struct {
	cfg    StaticJoinConfig
	cols   []*vec.Vector // flat
	n      int
	table  *hash.Table // nil without keys
	match  rowLists    // by group of table
	unique bool        // no key has two rows

	// For NOT IN: the static rows by their selecting keys.
	parts    *hash.Table // nil without selecting keys
	inPart   rowLists
	nullPart []bool // by part: some compared key is NULL
}

// rowLists are lists of rows, one after another.
type rowLists struct {
	start []uint32 // list i is rows[start[i]:start[i+1]]
	rows  []int32
}

func (l *rowLists) of(i uint32) []int32 { return l.rows[l.start[i]:l.start[i+1]] }

// listRows makes the list of each of n groups; group[i] is that of rows[i].
func listRows(n int, rows []int32, group []uint32) rowLists {
	l := rowLists{start: make([]uint32, n+1), rows: make([]int32, len(rows))}
	for _, g := range group {
		l.start[g+1]++
	}
	for i := range n {
		l.start[i+1] += l.start[i]
	}
	next := append([]uint32{}, l.start...)
	for i, g := range group {
		l.rows[next[g]] = rows[i]
		next[g]++
	}
	return l
}

// NewStaticIndex reads the static side. The batches are not kept.
func NewStaticIndex(cfg StaticJoinConfig, batches []*vec.Batch) (*StaticIndex, error) {
	s := &StaticIndex{cfg: cfg}
	if err := cfg.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", cfg.Name, err)
	}
	if err := s.read(batches); err != nil {
		return nil, fmt.Errorf("%s: %w", cfg.Name, err)
	}
	s.index()
	if cfg.NullAware > 0 {
		s.partition()
	}
	return s, nil
}

func (c *StaticJoinConfig) check() error {
	switch {
	case c.NullAware > 0 && c.Kind < AntiJoin:
		return errors.New("NOT IN is an anti join, and IN as a value a mark join")
	case c.NullAware > len(c.InputKeys):
		return errors.New("NOT IN compares keys")
	}
	return nil
}

// read copies the rows; a row of weight w becomes w rows.
func (s *StaticIndex) read(batches []*vec.Batch) error {
	bs := vec.NewBuilders(s.cfg.StaticTypes)
	for _, b := range batches {
		for i := range b.Rows() {
			r := b.Row(i)
			w := b.Weight(r)
			if w < 0 {
				return errors.New("the static side has a deletion")
			}
			for ; w > 0; w-- {
				for k, c := range b.Cols {
					bs[k].AppendFrom(c, r)
				}
				s.n++
			}
		}
	}
	for _, b := range bs {
		v := b.Take()
		if v.Type.Phys() == types.PhysString {
			v.PrecomputeHashes()
		}
		s.cols = append(s.cols, v)
	}
	return nil
}

// index lists the rows of each key. A row with a NULL key matches nothing.
func (s *StaticIndex) index() {
	rows := make([]int32, 0, s.n)
	for r := range s.n {
		if !s.neverMatches(r) {
			rows = append(rows, int32(r))
		}
	}
	groups := make([]uint32, len(rows))
	n := 1
	if len(s.cfg.StaticKeys) > 0 {
		s.table = hash.New(s.cfg.KeyTypes)
		s.table.FindOrInsert(s.keys(0), rows, nil, groups)
		n = s.table.Cap()
	}
	s.match = listRows(n, rows, groups)
	s.unique = s.table != nil && n == len(rows)
}

func (s *StaticIndex) keys(from int) []*vec.Vector {
	var out []*vec.Vector
	for _, c := range s.cfg.StaticKeys[from:] {
		out = append(out, s.cols[c])
	}
	return out
}

func (s *StaticIndex) neverMatches(row int) bool {
	for k, c := range s.cfg.StaticKeys {
		if s.cols[c].IsNull(row) && !s.nullSafe(k) {
			return true
		}
	}
	return false
}

func (s *StaticIndex) nullSafe(key int) bool { return s.cfg.NullSafe != nil && s.cfg.NullSafe[key] }

// partition lists the rows by their selecting keys. A row with NULL there is compared
// with nothing.
func (s *StaticIndex) partition() {
	compared := s.cfg.NullAware
	var rows []int32
	for r := range s.n {
		selectable := true
		for k := compared; k < len(s.cfg.StaticKeys); k++ {
			selectable = selectable && (s.nullSafe(k) || !s.cols[s.cfg.StaticKeys[k]].IsNull(r))
		}
		if selectable {
			rows = append(rows, int32(r))
		}
	}
	groups := make([]uint32, len(rows))
	n := 1
	if compared < len(s.cfg.StaticKeys) {
		s.parts = hash.New(s.cfg.KeyTypes[compared:])
		s.parts.FindOrInsert(s.keys(compared), rows, nil, groups)
		n = s.parts.Cap()
	}
	s.inPart = listRows(n, rows, groups)
	s.nullPart = make([]bool, n)
	for i, r := range rows {
		for _, c := range s.cfg.StaticKeys[:compared] {
			s.nullPart[groups[i]] = s.nullPart[groups[i]] || s.cols[c].IsNull(int(r))
		}
	}
}

// Rows is the number of static rows.
func (s *StaticIndex) Rows() int { return s.n }

// Bytes is the memory held, roughly.
func (s *StaticIndex) Bytes() int64 {
	n := int64(4 * (len(s.match.rows) + len(s.match.start) + len(s.inPart.rows)))
	if s.table != nil {
		n += s.table.Bytes()
	}
	for _, c := range s.cols {
		n += int64(8*len(c.I64)+8*len(c.F64)+16*len(c.I128)+8*len(c.Str)+len(c.Buf)) + int64(len(c.Bool))
	}
	return n
}
