package parquet

import (
	"errors"
	"fmt"
	"io"

	"github.com/sqlstream/sqlstream/exec/format/column"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Nested columns are assembled value by value from the levels of their leaves
// (Dremel). Each leaf has an entry for each value, NULL or empty list above it.

// look returns the levels of the next entry; ok = false at the end of the row group.
func (l *leaf) look() (def, rep byte, ok bool, err error) {
	if l.pos == l.n {
		if err := l.ensure(); err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return 0, 0, false, err
		}
	}
	def = l.maxDef
	if len(l.def) > 0 {
		def = l.def[l.pos]
	}
	if len(l.rep) > 0 {
		rep = l.rep[l.pos]
	}
	return def, rep, true, nil
}

// next steps over the entry that look has seen.
func (l *leaf) next(def byte) {
	l.pos++
	if def == l.maxDef {
		l.val++
	}
}

// window is the number of values converted at a time for nested columns.
const window = 1024

// current returns where the value of the next entry is.
func (l *leaf) current() (*vec.Vector, int, error) {
	if l.val < l.from || l.val >= l.from+l.win.N {
		left := 1
		for _, d := range l.def[min(l.pos+1, len(l.def)):min(l.pos+window, len(l.def))] {
			if d == l.maxDef {
				left++
			}
		}
		if len(l.def) == 0 {
			left = min(window, l.n-l.pos)
		}
		if _, err := l.values(l.val, left); err != nil {
			return nil, 0, err
		}
		l.from = l.val
	}
	return &l.win, l.val - l.from, nil
}

// assemble decodes the next n rows of a nested column.
func (n *node) assemble(rows int) (*vec.Vector, error) {
	n.col.Reset()
	n.col.Reserve(rows)
	for r := range rows {
		if _, _, ok, err := n.first.look(); err != nil || !ok {
			if err == nil {
				err = fmt.Errorf("column %q ends before the row group does", n.first.name)
			}
			return nil, err
		}
		if err := n.value(n.col, r); err != nil {
			return nil, err
		}
	}
	return n.col.Vector(rows, nil), nil
}

// value decodes the node's next value into a row of col.
func (n *node) value(col *column.Column, row int) error {
	col.Reserve(row + 1)
	if n.first == nil {
		col.SetNull(row)
		return nil
	}
	def, _, ok, err := n.first.look()
	if err != nil {
		return err
	}
	if !ok {
		return fmt.Errorf("column %q ends inside of a row", n.first.name)
	}
	if def < n.def {
		col.SetNull(row)
		return n.skip()
	}
	switch n.typ.Kind {
	case types.Struct:
		for i, k := range n.kids {
			if err := k.value(col.Kids[i], row); err != nil {
				return err
			}
		}
		return n.skipLevels()
	case types.Array, types.Map:
		return n.list(col, row, def)
	}
	return n.scalar(col, row, def)
}

// skip steps over one entry of every leaf below the node.
func (n *node) skip() error {
	if n.first == nil {
		return nil
	}
	if len(n.kids) == 0 {
		def, _, _, err := n.first.look()
		n.first.next(def)
		return err
	}
	for _, k := range n.kids {
		if err := k.skip(); err != nil {
			return err
		}
	}
	return n.skipLevels()
}

// skipLevels steps over the leaf that a struct has for its levels alone: then none of
// its declared fields is in the file.
func (n *node) skipLevels() error {
	if n.first.conv.run != nil || n.typ.Kind != types.Struct {
		return nil
	}
	for _, k := range n.kids {
		if k.first != nil {
			return nil
		}
	}
	def, _, _, err := n.first.look()
	if err != nil {
		return err
	}
	n.first.next(def)
	return nil
}

// list decodes an ARRAY or MAP whose first entry has the level def.
func (n *node) list(col *column.Column, row int, def byte) error {
	at := int(col.Off[row])
	if def < n.elem {
		col.Off[row+1] = uint32(at)
		return n.skip()
	}
	for {
		for i, k := range n.kids {
			if err := k.value(col.Kids[i], at); err != nil {
				return err
			}
		}
		at++
		_, rep, ok, err := n.first.look()
		if err != nil {
			return err
		}
		if !ok || rep < n.rep {
			col.Off[row+1] = uint32(at)
			return nil
		}
	}
}

// scalar copies a value.
func (n *node) scalar(col *column.Column, row int, def byte) error {
	v, i, err := n.first.current()
	if err != nil {
		return err
	}
	n.first.next(def)
	v, i = v.At(i)
	switch col.Phys {
	case types.PhysBool:
		col.Bool[row] = v.Bool[i]
	case types.PhysInt64:
		col.I64[row] = v.I64[i]
	case types.PhysFloat64:
		col.F64[row] = v.F64[i]
	case types.PhysInt128:
		col.I128[row] = v.I128[i]
	default:
		r := v.Str[i]
		col.AppendText(row, v.Buf[r.Off:r.Off+r.Len])
	}
	return nil
}
