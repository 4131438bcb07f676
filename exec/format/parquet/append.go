package parquet

import (
	"encoding/binary"
	"math"
	"unsafe"

	meta "github.com/parquet-go/parquet-go/format"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// appendRows appends rows of a column that is not nested: those of sel, or all n.
func (c *chunk) appendRows(v *vec.Vector, n int, sel []int32) {
	if sel != nil {
		n = len(sel)
	}
	if v.HasNulls() {
		for i := range n {
			row := i
			if sel != nil {
				row = int(sel[i])
			}
			c.appendOptional(v, row)
		}
		return
	}
	c.levels(n, c.spec.maxDef)
	switch {
	case sel == nil && !v.Const && v.Dict == nil && v.I64 != nil:
		c.appendInts(v.I64[:n])
	case sel == nil && !v.Const && v.Dict == nil && v.F64 != nil && c.spec.kind == meta.Double:
		c.plain = append(c.plain, unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v.F64))), 8*n)...)
	default:
		for i := range n {
			row := i
			if sel != nil {
				row = int(sel[i])
			}
			c.appendValue(v, row)
		}
	}
}

func (c *chunk) appendOptional(v *vec.Vector, row int) {
	if v.IsNull(row) {
		c.appendNull(0, 0)
		return
	}
	c.levels(1, c.spec.maxDef)
	c.appendValue(v, row)
}

// levels counts n entries with the definition level def.
func (c *chunk) levels(n int, def byte) {
	c.count += n
	at := len(c.def)
	if at+n > cap(c.def) {
		bigger := make([]byte, at, max(2*cap(c.def), at+n, 1024))
		copy(bigger, c.def)
		c.def = bigger
	}
	c.def = c.def[:at+n]
	for i := range c.def[at:] {
		c.def[at+i] = def
	}
}

// appendNull appends an entry without value: NULL, or an empty list, at some level.
func (c *chunk) appendNull(rep, def byte) {
	c.levels(1, def)
	c.nulls++
	if c.spec.maxRep > 0 {
		c.rep = append(c.rep, rep)
	}
}

// appendInts appends values of a PhysInt64 type.
func (c *chunk) appendInts(vals []int64) {
	if len(vals) == 0 {
		return
	}
	lo, hi := vals[0], vals[0]
	if c.spec.kind == meta.Int64 {
		c.plain = append(c.plain, unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(vals))), 8*len(vals))...)
		for _, x := range vals {
			lo, hi = min(lo, x), max(hi, x)
		}
	} else {
		for _, x := range vals {
			lo, hi = min(lo, x), max(hi, x)
			c.plain = binary.LittleEndian.AppendUint32(c.plain, uint32(x))
		}
	}
	c.stats.add(lo, hi)
}

// appendValue appends a value that is not NULL.
func (c *chunk) appendValue(v *vec.Vector, row int) {
	if c.dict != nil && c.dict.inUse {
		if v.Dict != nil {
			c.codes = append(c.codes, c.dict.codeOf(v.Dict, v.Codes[v.Index(row)]))
		} else {
			c.codes = append(c.codes, c.dict.code(v.Bytes(row)))
		}
		return
	}
	v, row = v.At(row)
	switch v.Type.Phys() {
	case types.PhysBool:
		c.plain = append(c.plain, v.Bool[row])
	case types.PhysInt64:
		c.appendInts(v.I64[row : row+1])
	case types.PhysFloat64:
		c.appendFloat(v.F64[row])
	case types.PhysInt128:
		c.appendInt128(v.I128[row])
	default:
		r := v.Str[row]
		if c.spec.kind == meta.FixedLenByteArray {
			c.plain = append(c.plain, v.Buf[r.Off:r.Off+r.Len]...)
			return
		}
		c.plain = binary.LittleEndian.AppendUint32(c.plain, r.Len)
		c.plain = append(c.plain, v.Buf[r.Off:r.Off+r.Len]...)
	}
}

func (c *chunk) appendFloat(x float64) {
	if c.spec.kind == meta.Float {
		c.plain = binary.LittleEndian.AppendUint32(c.plain, math.Float32bits(float32(x)))
		return
	}
	c.plain = binary.LittleEndian.AppendUint64(c.plain, math.Float64bits(x))
}

// appendInt128 appends a DECIMAL as big-endian two's complement.
func (c *chunk) appendInt128(x types.Int128) {
	var full [16]byte
	binary.BigEndian.PutUint64(full[:], uint64(x.Hi))
	binary.BigEndian.PutUint64(full[8:], x.Lo)
	c.plain = append(c.plain, full[16-c.spec.size:]...)
}
