package vec

import (
	"math"

	"github.com/sqlstream/sqlstream/exec/invariant"
	"github.com/sqlstream/sqlstream/exec/types"
)

// Builder makes a flat vector of any type, row by row.
//
// A row is one AppendX call; for nested types it is the elements appended to
// Child followed by EndList (ARRAY, MAP), or one value appended to each child
// followed by EndStruct. AppendNull is a row of every type, and fills the children
// of a STRUCT itself.
//
// Finish gives the rows so far as a vector that shares the builder's storage: it is
// valid until Reset, which begins again in the same memory. Take gives a vector
// that the caller owns, and leaves the builder empty.
type Builder struct {
	v     Vector // Child is unused
	phys  types.Phys
	valid []uint64 // storage of v.Valid across Reset
	child []*Builder
	out   Vector // what Finish returns
	kids  []*Vector
}

// NewBuilder returns an empty builder of vectors of type t.
func NewBuilder(t types.Type) *Builder {
	b := &Builder{phys: t.Phys()}
	b.v.Type = t
	switch t.Kind {
	case types.Array:
		b.child = []*Builder{NewBuilder(*t.Elem)}
	case types.Map:
		b.child = []*Builder{NewBuilder(*t.Key), NewBuilder(*t.Elem)}
	case types.Struct:
		for _, f := range t.Fields {
			b.child = append(b.child, NewBuilder(f.Type))
		}
	}
	if b.phys == types.PhysList {
		b.v.Off = append(b.v.Off, 0)
	}
	return b
}

// NewBuilders returns a builder for each type.
func NewBuilders(ts []types.Type) []*Builder {
	out := make([]*Builder, len(ts))
	for i, t := range ts {
		out[i] = NewBuilder(t)
	}
	return out
}

// Type is the type of the vector being built.
func (b *Builder) Type() types.Type { return b.v.Type }

// Len is the number of rows so far.
func (b *Builder) Len() int { return b.v.N }

// Child is the builder of the elements of an ARRAY (0), of the keys (0) and values
// (1) of a MAP, or of a STRUCT's field i. It lives as long as b.
func (b *Builder) Child(i int) *Builder { return b.child[i] }

// row counts a row whose storage has been appended.
func (b *Builder) row() {
	if b.v.Valid != nil {
		b.growValid(1)
		BitSet(b.v.Valid, b.v.N)
	}
	b.v.N++
}

// growValid makes room in the bitmap for n more rows, cleared.
func (b *Builder) growValid(n int) {
	for need := Words(b.v.N + n); len(b.v.Valid) < need; {
		b.v.Valid = append(b.v.Valid, 0)
	}
}

// needValid makes the bitmap exist.
func (b *Builder) needValid() {
	if b.v.Valid != nil {
		return
	}
	need := Words(b.v.N + 1)
	if cap(b.valid) < need {
		b.valid = make([]uint64, need, 2*need)
	}
	b.v.Valid = b.valid[:need]
	fillValid(b.v.Valid[:Words(b.v.N)], b.v.N)
	if need > Words(b.v.N) {
		b.v.Valid[need-1] = 0
	}
}

// AppendNull appends a NULL.
func (b *Builder) AppendNull() {
	if b.phys == types.PhysNull {
		b.v.N++
		return
	}
	b.needValid()
	b.growValid(1)
	b.appendZero()
	b.v.N++
}

// appendZero appends the storage under a NULL.
func (b *Builder) appendZero() {
	switch b.phys {
	case types.PhysBool:
		b.v.Bool = append(b.v.Bool, 0)
	case types.PhysInt64:
		b.v.I64 = append(b.v.I64, 0)
	case types.PhysFloat64:
		b.v.F64 = append(b.v.F64, 0)
	case types.PhysInt128:
		b.v.I128 = append(b.v.I128, types.Int128{})
	case types.PhysString:
		b.v.Str = append(b.v.Str, StrRef{})
	case types.PhysInterval:
		b.v.Iv = append(b.v.Iv, types.IntervalValue{})
	case types.PhysList:
		b.v.Off = append(b.v.Off, uint32(b.child[0].v.N))
	case types.PhysStruct:
		for _, c := range b.child {
			c.AppendNull()
		}
	}
}

// AppendBool appends a BOOLEAN.
func (b *Builder) AppendBool(x bool) {
	var u uint8
	if x {
		u = 1
	}
	b.v.Bool = append(b.v.Bool, u)
	b.row()
}

// AppendInt appends a value of a PhysInt64 type.
func (b *Builder) AppendInt(x int64) {
	b.v.I64 = append(b.v.I64, x)
	b.row()
}

// AppendFloat appends a FLOAT or DOUBLE.
func (b *Builder) AppendFloat(x float64) {
	b.v.F64 = append(b.v.F64, x)
	b.row()
}

// AppendInt128 appends the unscaled value of a DECIMAL, of either physical layout:
// with p ≤ 18 it must fit in 64 bits.
func (b *Builder) AppendInt128(x types.Int128) {
	if b.phys == types.PhysInt64 {
		b.AppendInt(int64(x.Lo))
		return
	}
	b.v.I128 = append(b.v.I128, x)
	b.row()
}

// AppendInterval appends an INTERVAL.
func (b *Builder) AppendInterval(x types.IntervalValue) {
	b.v.Iv = append(b.v.Iv, x)
	b.row()
}

// AppendBytes appends a STRING or BYTES, copying x.
func (b *Builder) AppendBytes(x []byte) {
	off := len(b.v.Buf)
	b.v.Buf = append(b.v.Buf, x...)
	b.endBytes(off)
}

// AppendString appends a STRING or BYTES, copying x.
func (b *Builder) AppendString(x string) {
	off := len(b.v.Buf)
	b.v.Buf = append(b.v.Buf, x...)
	b.endBytes(off)
}

// AppendFunc appends a STRING or BYTES that write appends to the slice it is given.
func (b *Builder) AppendFunc(write func(dst []byte) []byte) {
	off := len(b.v.Buf)
	b.v.Buf = write(b.v.Buf)
	b.endBytes(off)
}

func (b *Builder) endBytes(off int) {
	checkBuf(len(b.v.Buf))
	b.v.Str = append(b.v.Str, StrRef{uint32(off), uint32(len(b.v.Buf) - off)})
	b.row()
}

// checkBuf holds the limit of a vector's text, which StrRef can address.
func checkBuf(n int) {
	if n > math.MaxUint32 {
		panic(invariant.Limit("one column of a batch has more than 4 GiB of text"))
	}
}

// EndList ends a row of an ARRAY or MAP: its elements are what was appended to the
// children since the last row.
func (b *Builder) EndList() {
	n := b.child[0].v.N
	invariant.Assert(len(b.child) == 1 || b.child[1].v.N == n, "a map has a value for each key")
	b.v.Off = append(b.v.Off, uint32(n))
	b.row()
}

// EndStruct ends a row of a STRUCT, after one value for each field.
func (b *Builder) EndStruct() {
	b.row()
	if invariant.Enabled {
		for _, c := range b.child {
			invariant.Assert(c.v.N == b.v.N, "a struct row has a value for each field")
		}
	}
}

// Finish returns the rows so far. The vector shares the builder's storage and is
// valid until Reset.
func (b *Builder) Finish() *Vector {
	b.finishInto(&b.out, b.kids[:0])
	b.kids = b.out.Child
	return &b.out
}

func (b *Builder) finishInto(out *Vector, kids []*Vector) {
	*out = b.v
	for _, c := range b.child {
		kids = append(kids, c.Finish())
	}
	out.Child = kids
}

// Take returns the rows so far as a vector that the caller owns, and leaves the
// builder empty.
func (b *Builder) Take() *Vector {
	out := b.v
	for _, c := range b.child {
		out.Child = append(out.Child, c.Take())
	}
	b.v = Vector{Type: b.v.Type}
	b.valid = nil
	if b.phys == types.PhysList {
		b.v.Off = []uint32{0}
	}
	return &out
}

// Reset drops the rows and keeps the memory. Vectors that Finish returned are no
// longer valid.
func (b *Builder) Reset() {
	v := &b.v
	invariant.Scramble(v.Buf)
	if v.Valid != nil {
		b.valid = v.Valid[:0]
	}
	v.Valid, v.N = nil, 0
	v.Bool, v.I64, v.F64, v.I128 = v.Bool[:0], v.I64[:0], v.F64[:0], v.I128[:0]
	v.Iv, v.Str, v.Buf = v.Iv[:0], v.Str[:0], v.Buf[:0]
	if b.phys == types.PhysList {
		v.Off = v.Off[:1]
	}
	for _, c := range b.child {
		c.Reset()
	}
}

// Bytes is the memory held.
func (b *Builder) Bytes() int64 {
	v := &b.v
	n := cap(v.Bool) + 8*cap(v.I64) + 8*cap(v.F64) + 16*cap(v.I128) + 16*cap(v.Iv) +
		8*cap(v.Str) + cap(v.Buf) + 4*cap(v.Off) + 8*cap(v.Valid)
	total := int64(n)
	for _, c := range b.child {
		total += c.Bytes()
	}
	return total
}
