package expr

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Const is a constant.
type Const struct {
	V *vec.Vector // one row, Const set
}

// NewConst makes a constant of row 0 of v, which must have one row.
func NewConst(v *vec.Vector) *Const {
	c := *v
	c.N, c.Const = 1, true
	return &Const{V: &c}
}

// Null is the constant NULL of a type.
func Null(t types.Type) *Const { return &Const{V: nullVector(t)} }

// Int is a constant of any type that lies in an int64: integers, DATE, TIMESTAMP,
// TIMESTAMP_NTZ, DECIMAL of at most 18 digits (unscaled).
func Int(t types.Type, x int64) *Const {
	return &Const{V: &vec.Vector{Type: t, N: 1, Const: true, I64: []int64{x}}}
}

// Float is a FLOAT or DOUBLE constant.
func Float(t types.Type, x float64) *Const {
	return &Const{V: &vec.Vector{Type: t, N: 1, Const: true, F64: []float64{x}}}
}

// Bool is a BOOLEAN constant.
func Bool(x bool) *Const {
	v := &vec.Vector{Type: types.Of(types.Bool), N: 1, Const: true, Bool: []uint8{0}}
	if x {
		v.Bool[0] = 1
	}
	return &Const{V: v}
}

// Text is a STRING constant.
func Text(s string) *Const { return bytesConst(types.Of(types.String), []byte(s)) }

// Blob is a BYTES constant.
func Blob(b []byte) *Const { return bytesConst(types.Of(types.Bytes), b) }

func bytesConst(t types.Type, b []byte) *Const {
	return &Const{V: &vec.Vector{Type: t, N: 1, Const: true, Str: []vec.StrRef{{Len: uint32(len(b))}}, Buf: b}}
}

// Decimal is a DECIMAL constant from its unscaled value.
func Decimal(t types.Type, x types.Int128) *Const {
	if t.Phys() == types.PhysInt64 {
		return Int(t, int64(x.Lo))
	}
	return &Const{V: &vec.Vector{Type: t, N: 1, Const: true, I128: []types.Int128{x}}}
}

// Interval is an INTERVAL constant.
func Interval(x types.IntervalValue) *Const {
	return &Const{V: &vec.Vector{Type: types.Of(types.Interval), N: 1, Const: true, Iv: []types.IntervalValue{x}}}
}

// Type implements Node.
func (c *Const) Type() types.Type { return c.V.Type }

// Eval implements Node.
func (c *Const) Eval(_ *fn.Ctx, b *vec.Batch) (*vec.Vector, error) { return repeat(c.V, b.N), nil }

// repeat makes a one-row vector stand for n rows.
func repeat(v *vec.Vector, n int) *vec.Vector {
	if v.N == n && v.Const {
		return v
	}
	r := *v
	r.N, r.Const = n, true
	return &r
}

func (c *Const) String() string { return Literal(c.V, 0) }

// Children implements Node.
func (c *Const) Children() []Node { return nil }

// WithChildren implements Node.
func (c *Const) WithChildren([]Node) Node { return c }

// IsNull reports the constant NULL.
func (c *Const) IsNull() bool { return c.V.IsNull(0) }

// nullVector is one NULL of a type, with storage.
func nullVector(t types.Type) *vec.Vector { return vec.Nulls(t, 1) }
