// Package column owns the memory into which readers decode one column of a batch:
// storage written by row number, cut back when a row turns out bad, and reused from
// batch to batch. It differs from vec.Builder in that a row may be written twice
// (duplicate JSON keys) or given up. It knows no format. Open this file first.
package column

import (
	"math"
	"unsafe"

	"github.com/sqlstream/sqlstream/exec/invariant"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Column is the storage of one column. The field for Type.Phys() has room for the
// rows that Reserve promised; writing beyond is an out-of-range panic.
type Column struct {
	Type types.Type
	Phys types.Phys
	Bool []uint8
	I64  []int64
	F64  []float64
	I128 []types.Int128
	Iv   []types.IntervalValue
	Str  []vec.StrRef
	// Off has the start of each list row, and its end at row+1.
	Off []uint32
	// Own holds text that does not lie in the buffer given to Vector; see AppendText.
	Own []byte
	// Copies says that all texts are to be copied into Own. It is for who decodes: SetText
	// obeys it.
	Copies bool
	// Kids are the columns of elements (ARRAY), keys and values (MAP) or fields.
	Kids []*Column

	valid []uint64
	nulls bool
	room  int
	out   vec.Vector
}

// New returns a column with room for n rows; nested columns grow on their own.
func New(t types.Type, n int) *Column {
	c := &Column{Type: t, Phys: t.Phys()}
	switch t.Kind {
	case types.Array:
		c.Kids = []*Column{New(*t.Elem, 0)}
	case types.Map:
		c.Kids = []*Column{New(*t.Key, 0), New(*t.Elem, 0)}
	case types.Struct:
		for _, f := range t.Fields {
			c.Kids = append(c.Kids, New(f.Type, 0))
		}
	}
	c.out.Child = make([]*vec.Vector, len(c.Kids))
	c.Reserve(max(n, 1))
	return c
}

// Reserve makes room for n rows in all.
func (c *Column) Reserve(n int) {
	if n <= c.room {
		return
	}
	n = max(n, 2*c.room, 8)
	switch c.Phys {
	case types.PhysBool:
		c.Bool = grow(c.Bool, n)
	case types.PhysInt64:
		c.I64 = grow(c.I64, n)
	case types.PhysFloat64:
		c.F64 = grow(c.F64, n)
	case types.PhysInt128:
		c.I128 = grow(c.I128, n)
	case types.PhysInterval:
		c.Iv = grow(c.Iv, n)
	case types.PhysString:
		c.Str = grow(c.Str, n)
	case types.PhysList:
		c.Off = grow(c.Off, n+1)
	case types.PhysStruct:
		for _, k := range c.Kids {
			k.Reserve(n)
		}
	}
	old := len(c.valid)
	c.valid = grow(c.valid, vec.Words(n))
	fill(c.valid[old:])
	c.room = n
}

func grow[T any](s []T, n int) []T {
	out := make([]T, n)
	copy(out, s)
	return out
}

func fill(m []uint64) {
	for i := range m {
		m[i] = ^uint64(0)
	}
}

// Reset begins a new batch in the same memory.
func (c *Column) Reset() {
	if c.nulls {
		fill(c.valid)
		c.nulls = false
	}
	if invariant.Enabled {
		c.scramble()
	}
	c.Own = c.Own[:0]
	for _, k := range c.Kids {
		k.Reset()
	}
}

// scramble shows a receiver of the last batch that has kept a part of it.
func (c *Column) scramble() {
	invariant.Scramble(c.Own)
	invariant.Scramble(c.Bool)
	for i := range c.I64 {
		c.I64[i] = -0x5555_5555_5555_5555
	}
	for i := range c.F64 {
		c.F64[i] = math.NaN()
	}
	clear(c.Str)
	clear(c.I128)
}

// AppendText makes a copy of b the value of a row. All texts of a column are either
// copied or lie in the buffer given to Vector.
func (c *Column) AppendText(row int, b []byte) {
	c.Str[row] = vec.StrRef{Off: uint32(len(c.Own)), Len: uint32(len(b))}
	c.Own = append(c.Own, b...)
}

// SetText makes buf[p:q] the value of a row; buf is what Vector will be given.
func (c *Column) SetText(row int, buf []byte, p, q int) {
	if c.Copies {
		c.AppendText(row, buf[p:q])
		return
	}
	c.Str[row] = vec.StrRef{Off: uint32(p), Len: uint32(q - p)}
}

// SetParsed reads the text of a TIME, UUID or JSON into a row; an error says why it is
// none. Other types are a programming error.
func (c *Column) SetParsed(row int, text []byte) (err error) {
	switch c.Type.Kind {
	case types.Time:
		c.I64[row], err = types.ParseTime(unsafe.String(unsafe.SliceData(text), len(text)))
	case types.UUID:
		var id [16]byte
		id, err = types.ParseUUID(unsafe.String(unsafe.SliceData(text), len(text)))
		c.AppendText(row, id[:])
	case types.JSON:
		from := len(c.Own)
		c.Own, err = types.AppendCanonicalJSON(c.Own, text)
		c.Str[row] = vec.StrRef{Off: uint32(from), Len: uint32(len(c.Own) - from)}
	default:
		panic("column: " + c.Type.String() + " is not parsed here")
	}
	return err
}

// Parses reports types that SetParsed reads.
func Parses(t types.Type) bool {
	return t.Kind == types.Time || t.Kind == types.UUID || t.Kind == types.JSON
}

// Text is the value of a row of STRING or BYTES.
func (c *Column) Text(row int, buf []byte) []byte {
	if len(c.Own) > 0 {
		buf = c.Own
	}
	ref := c.Str[row]
	return buf[ref.Off : ref.Off+ref.Len]
}

// SetNull makes a row NULL; its storage may hold anything, except that a list is
// made empty and the fields of a struct NULL.
func (c *Column) SetNull(row int) {
	c.nulls = true
	vec.BitClear(c.valid, row)
	switch c.Phys {
	case types.PhysString:
		c.Str[row] = vec.StrRef{}
	case types.PhysList:
		c.Off[row+1] = c.Off[row]
	case types.PhysStruct:
		for _, k := range c.Kids {
			k.SetNull(row)
		}
	}
}

// SetValid undoes SetNull of the row itself, where a row is written again.
func (c *Column) SetValid(row int) {
	if c.nulls {
		vec.BitSet(c.valid, row)
	}
}

// IsNull reports whether SetNull was the last word on a row.
func (c *Column) IsNull(row int) bool { return c.nulls && !vec.BitGet(c.valid, row) }

// Vector returns the first n rows, whose text lies in buf; it is valid until Reset.
func (c *Column) Vector(n int, buf []byte) *vec.Vector {
	v := &c.out
	v.Type, v.N, v.Valid = c.Type, n, nil
	if c.nulls {
		v.Valid = c.valid[:vec.Words(n)]
		if n&63 != 0 {
			v.Valid[n>>6] &= 1<<(uint(n)&63) - 1
		}
	}
	kids := n
	switch c.Phys {
	case types.PhysBool:
		v.Bool = c.Bool[:n]
	case types.PhysInt64:
		v.I64 = c.I64[:n]
	case types.PhysFloat64:
		v.F64 = c.F64[:n]
	case types.PhysInt128:
		v.I128 = c.I128[:n]
	case types.PhysInterval:
		v.Iv = c.Iv[:n]
	case types.PhysString:
		v.Str, v.Buf = c.Str[:n], buf
		if len(c.Own) > 0 {
			v.Buf = c.Own
		}
	case types.PhysList:
		v.Off = c.Off[:n+1]
		kids = int(c.Off[n])
	}
	for i, k := range c.Kids {
		v.Child[i] = k.Vector(kids, buf)
	}
	return v
}
