package avro

import (
	"encoding/binary"
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// decoder reads values from a buffer into columns. Its methods read the value at p into a
// row and return the position behind it, or −1 if the bytes are no such value: broken
// says why then. A value that does not fit is passed over, and wrong says why.
type decoder struct {
	buf    []byte // ends with the message, or the block
	broken string
	wrong  string // the first value of the row that does not fit
	depth  int
	left   int // elements of arrays that may still come: see begin
}

// begin starts a message or a block. An element takes a byte at least, unless it is null or
// a record without fields: of these few must do, else some bytes could claim all memory.
func (d *decoder) begin(buf []byte, from int) {
	d.buf, d.broken, d.wrong, d.depth, d.left = buf, "", "", 0, len(buf)-from+maxEmpty
}

// maxDepth bounds nesting: a recursive type can be as deep as its bytes are many.
const maxDepth = 512

// maxEmpty is how many elements of arrays may take no bytes.
const maxEmpty = 1 << 20

func (d *decoder) fail(what string) int {
	if d.broken == "" {
		d.broken = what
	}
	return -1
}

// misfit notes a value that does not fit its column.
func (d *decoder) misfit(n *node, what string) {
	if d.wrong == "" {
		d.wrong = `field "` + n.name + `": ` + what
	}
}

// varint reads a zigzag number at p; q is −1 if there is none.
func (d *decoder) varint(p int) (v int64, q int) {
	b := d.buf
	if p < len(b) && b[p] < 0x80 {
		x := uint64(b[p])
		return int64(x>>1) ^ -int64(x&1), p + 1
	}
	var x uint64
	for shift := uint(0); p < len(b) && shift < 64; shift += 7 {
		c := b[p]
		p++
		if shift == 63 && c > 1 {
			break
		}
		x |= uint64(c&0x7f) << shift
		if c < 0x80 {
			return int64(x>>1) ^ -int64(x&1), p
		}
	}
	return 0, d.fail("it ends within a number, or the number is too long")
}

// size reads the length of a value that follows.
func (d *decoder) size(p int) (n, q int) {
	v, q := d.varint(p)
	if q < 0 {
		return 0, q
	}
	if v < 0 || v > int64(len(d.buf)-q) {
		return 0, d.fail("it ends within a value")
	}
	return int(v), q
}

// take passes over n bytes.
func (d *decoder) take(p, n int) int {
	if n > len(d.buf)-p {
		return d.fail("it ends within a value")
	}
	return p + n
}

// value reads a value into a row of its column.
func (d *decoder) value(n *node, row, p int) int {
	switch n.op {
	case opSkip:
		return d.skip(n.schema, p)
	case opLong:
		v, q := d.varint(p)
		n.col.SetValid(row)
		n.col.I64[row] = v
		return q
	case opText:
		size, q := d.size(p)
		if q < 0 {
			return q
		}
		if !utf8.Valid(d.buf[q : q+size]) {
			return d.fail("a string is not UTF-8")
		}
		n.col.SetValid(row)
		n.col.SetText(row, d.buf, q, q+size)
		return q + size
	case opUnion:
		return d.union(n, row, p)
	case opNull:
		n.col.SetNull(row)
		return p
	case opMisfit:
		d.misfit(n, n.reason)
		return d.skip(n.schema, p)
	case opDefault:
		return d.constant(n, row, p)
	}
	n.col.SetValid(row)
	if n.op >= opStruct {
		return d.nested(n, row, p)
	}
	return d.scalar(n, row, p)
}

// scalar reads what is rarer.
func (d *decoder) scalar(n *node, row, p int) int {
	c := n.col
	switch n.op {
	case opBool:
		if p >= len(d.buf) || d.buf[p] > 1 {
			return d.fail("no boolean")
		}
		c.Bool[row] = d.buf[p]
		return p + 1
	case opFloat:
		q := d.take(p, 4)
		if q > 0 {
			c.F64[row] = float64(math.Float32frombits(binary.LittleEndian.Uint32(d.buf[p:])))
		}
		return q
	case opDouble:
		q := d.take(p, 8)
		if q > 0 {
			c.F64[row] = math.Float64frombits(binary.LittleEndian.Uint64(d.buf[p:]))
		}
		return q
	case opInt, opIntFloat, opIntDec, opScaled, opShrunk:
		return d.number(n, row, p)
	case opFixed:
		q := d.take(p, n.schema.size)
		if q >= 0 {
			c.SetText(row, d.buf, p, q)
		}
		return q
	case opUUID:
		return d.uuid(n, row, p)
	case opEnum:
		return d.enum(n, row, p)
	}
	return d.bytes(n, row, p)
}

// number reads a varint that is not stored as it is.
func (d *decoder) number(n *node, row, p int) int {
	v, q := d.varint(p)
	if q < 0 {
		return q
	}
	if n.schema.kind == intKind && v != int64(int32(v)) {
		return d.fail("an int has more than 32 bits")
	}
	c := n.col
	switch n.op {
	case opInt:
		if c.I64[row] = v; n.most > 0 && (v > n.most || v < -n.most-1) {
			d.misfit(n, fmt.Sprintf("%d does not fit %s", v, n.typ))
		}
	case opIntFloat:
		if c.F64[row] = float64(v); n.round {
			c.F64[row] = float64(float32(v))
		}
	case opIntDec:
		d.setDecimal(n, row, types.Int128From(v))
	case opScaled:
		if c.I64[row] = v * n.mul; c.I64[row]/n.mul != v || n.typ.Kind == types.Time && (v < 0 || c.I64[row] >= types.MicrosPerDay) {
			d.misfit(n, "the time is beyond what "+n.typ.String()+" holds")
		}
	case opShrunk:
		c.I64[row] = floor(v, n.div)
	}
	return q
}

func floor(v, by int64) int64 {
	q := v / by
	if v%by < 0 && !mutant.On("avro: nanoseconds before 1970 are rounded up") {
		q--
	}
	return q
}

// bytes reads what has a length before it.
func (d *decoder) bytes(n *node, row, p int) int {
	size, from := n.schema.size, p
	if n.schema.kind != fixedKind {
		if size, from = d.size(p); from < 0 {
			return from
		}
	}
	end := d.take(from, size)
	if end < 0 {
		return end
	}
	switch n.op {
	case opParsed:
		if err := n.col.SetParsed(row, d.buf[from:end]); err != nil {
			d.misfit(n, err.Error())
		}
		return end
	case opDecimal:
		v, ok := bigEndian(d.buf[from:end])
		if !ok || !types.FitsPrecision(v, types.MaxPrecision) {
			d.misfit(n, "the number has more digits than "+n.typ.String())
			return end
		}
		d.setDecimal(n, row, v)
		return end
	case opTextCheck:
		if !utf8.Valid(d.buf[from:end]) {
			d.misfit(n, "bytes that are not UTF-8 do not fit STRING; declare it BYTES")
		}
	}
	n.col.SetText(row, d.buf, from, end)
	return end
}

func (d *decoder) setDecimal(n *node, row int, v types.Int128) {
	ok := true
	if n.up > 0 {
		v, ok = v.MulPow10(n.up)
	}
	switch {
	case !ok || !types.FitsPrecision(v, int(n.typ.Prec)):
		d.misfit(n, "the number has more digits than "+n.typ.String())
	case n.col.Phys == types.PhysInt64:
		n.col.I64[row] = int64(v.Lo)
	default:
		n.col.I128[row] = v
	}
}

// bigEndian reads a two's complement number of any length.
func bigEndian(b []byte) (types.Int128, bool) {
	var fill byte
	if len(b) > 0 && b[0]&0x80 != 0 && !mutant.On("avro: negative decimals are read without their sign") {
		fill = 0xff
	}
	for len(b) > 16 {
		if b[0] != fill || b[1]&0x80 != fill&0x80 {
			return types.Int128{}, false
		}
		b = b[1:]
	}
	full := [16]byte{}
	for i := range full {
		full[i] = fill
	}
	copy(full[16-len(b):], b)
	return types.Int128{Hi: int64(binary.BigEndian.Uint64(full[:])), Lo: binary.BigEndian.Uint64(full[8:])}, true
}

// uuid takes 16 bytes, or writes them as text.
func (d *decoder) uuid(n *node, row, p int) int {
	q := d.take(p, 16)
	switch {
	case q < 0:
	case n.typ.Kind == types.UUID:
		n.col.AppendText(row, d.buf[p:q])
	default:
		var text [36]byte
		n.col.AppendText(row, types.AppendUUID(text[:0], d.buf[p:q]))
	}
	return q
}

func (d *decoder) enum(n *node, row, p int) int {
	v, q := d.varint(p)
	switch {
	case q < 0:
		return q
	case v < 0 || v >= int64(len(n.symbols)):
		return d.fail("an enum has no symbol of that number")
	case n.symbols[v] == nil:
		d.misfit(n, "the symbol "+n.schema.symbols[v]+" is none of avro_schema's, which has no default for it")
		return q
	}
	n.col.AppendText(row, n.symbols[v])
	return q
}

func (d *decoder) union(n *node, row, p int) int {
	v, q := d.varint(p)
	switch {
	case q < 0:
		return q
	case v < 0 || v >= int64(len(n.kids)):
		return d.fail("a union has no branch of that number")
	}
	kid := n.kids[v]
	if mutant.On("avro: the second branch of a union is taken for null") && v == 1 && kid.op != opNull {
		n.col.SetNull(row)
		return d.skip(kid.schema, q)
	}
	return d.value(kid, row, q)
}

// constant sets a default: its text is copied, for it lies elsewhere.
func (d *decoder) constant(n *node, row, p int) int {
	outer := d.buf
	d.buf = n.constant
	q := d.value(n.kids[0], row, 0)
	d.buf = outer
	if q < 0 {
		return q
	}
	return p
}

// nested reads records, arrays and maps.
func (d *decoder) nested(n *node, row, p int) int {
	if d.depth++; d.depth > maxDepth {
		return d.fail("nested too deeply")
	}
	switch n.op {
	case opStruct:
		if p = d.fields(n, row, p); p < 0 {
			return p
		}
	case opMember:
		for _, k := range n.col.Kids {
			k.SetNull(row)
		}
		p = d.value(n.kids[0], row, p)
	case opArray:
		p = d.array(n, row, p)
	case opMap:
		p = d.mapping(n, row, p)
	}
	d.depth--
	return p
}

// fields reads the fields of a record.
func (d *decoder) fields(n *node, row, p int) int {
	for _, k := range n.kids {
		if p = d.value(k, row, p); p < 0 {
			return p
		}
	}
	return p
}

// items reads the number of elements that come next, 0 = there are no more. size is that
// of their bytes, −1 if it is not told.
func (d *decoder) items(p int) (n, size, q int) {
	v, q := d.varint(p)
	if q < 0 {
		return 0, 0, q
	}
	size = -1
	if v < 0 {
		v = -v
		if size, q = d.size(q); q < 0 {
			return 0, 0, q
		}
	}
	if v < 0 || v > int64(d.left) {
		return 0, 0, d.fail("an array of more elements than bytes")
	}
	d.left -= int(v)
	return int(v), size, q
}

func (d *decoder) array(n *node, row, p int) int {
	at, elem := int(n.col.Off[row]), n.col.Kids[0]
	for {
		count, _, q := d.items(p)
		if p = q; q < 0 {
			return q
		}
		if count == 0 {
			n.col.Off[row+1] = uint32(at)
			return p
		}
		for range count {
			elem.Reserve(at + 1)
			if p = d.value(n.kids[0], at, p); p < 0 {
				return p
			}
			at++
		}
	}
}

// mapping reads a map. No writer gives it a key twice.
func (d *decoder) mapping(n *node, row, p int) int {
	first, keys, vals := int(n.col.Off[row]), n.col.Kids[0], n.col.Kids[1]
	at := first
	for {
		count, _, q := d.items(p)
		if p = q; q < 0 {
			return q
		}
		if count == 0 {
			n.col.Off[row+1] = uint32(at)
			return p
		}
		for range count {
			size, from := d.size(p)
			if from < 0 {
				return from
			}
			key := d.buf[from : from+size]
			if !utf8.Valid(key) {
				return d.fail("a key is not UTF-8")
			}
			for _, k := range keys.Str[first:at] {
				if string(d.textOf(k, keys.Own)) == string(key) {
					return d.fail("a map has a key twice")
				}
			}
			keys.Reserve(at + 1)
			vals.Reserve(at + 1)
			keys.SetValid(at)
			keys.SetText(at, d.buf, from, from+size)
			if p = d.value(n.kids[0], at, from+size); p < 0 {
				return p
			}
			at++
		}
	}
}

func (d *decoder) textOf(ref vec.StrRef, own []byte) []byte {
	if len(own) > 0 {
		return own[ref.Off : ref.Off+ref.Len]
	}
	return d.buf[ref.Off : ref.Off+ref.Len]
}

// skip passes over a value.
func (d *decoder) skip(s *schema, p int) int {
	switch s.kind {
	case nullKind:
		return p
	case booleanKind:
		return d.take(p, 1)
	case intKind, longKind, enumKind:
		_, q := d.varint(p)
		return q
	case floatKind:
		return d.take(p, 4)
	case doubleKind:
		return d.take(p, 8)
	case bytesKind, stringKind:
		size, q := d.size(p)
		if q < 0 {
			return q
		}
		return q + size
	case fixedKind:
		return d.take(p, s.size)
	}
	if d.depth++; d.depth > maxDepth {
		return d.fail("nested too deeply")
	}
	p = d.skipNested(s, p)
	d.depth--
	return p
}

func (d *decoder) skipNested(s *schema, p int) int {
	switch s.kind {
	case recordKind:
		for i := range s.fields {
			if p = d.skip(s.fields[i].typ, p); p < 0 {
				return p
			}
		}
		return p
	case unionKind:
		v, q := d.varint(p)
		if q >= 0 && (v < 0 || v >= int64(len(s.branches))) {
			return d.fail("a union has no branch of that number")
		}
		if q < 0 {
			return q
		}
		return d.skip(s.branches[v], q)
	}
	return d.skipItems(s, p)
}

// skipItems passes over an array or a map: at once where the size of a block is told.
func (d *decoder) skipItems(s *schema, p int) int {
	for {
		count, size, q := d.items(p)
		if q < 0 || count == 0 {
			return q
		}
		if size >= 0 {
			p = q + size
			continue
		}
		for range count {
			if s.kind == mapKind {
				size, k := d.size(q)
				if k < 0 {
					return k
				}
				q = k + size
			}
			if q = d.skip(s.items, q); q < 0 {
				return q
			}
		}
		p = q
	}
}
