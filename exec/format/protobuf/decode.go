package protobuf

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/sqlstream/sqlstream/exec/format/column"
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/types"
)

// decoder reads the wire format into columns. Its methods return the position behind what
// they have read, or −1 if the bytes are no such thing: broken says why then. A value that
// does not fit is passed over, and wrong says why.
type decoder struct {
	buf    []byte
	broken string
	wrong  string
}

func (d *decoder) fail(what string) int {
	if d.broken == "" {
		d.broken = what
	}
	return -1
}

func (d *decoder) misfit(n *node, what string) {
	if d.wrong == "" {
		d.wrong = `field "` + n.name + `": ` + what
	}
}

// varint reads a number that ends before end; q is −1 if there is none.
func (d *decoder) varint(p, end int) (v uint64, q int) {
	if p < end && d.buf[p] < 0x80 {
		return uint64(d.buf[p]), p + 1
	}
	for shift := uint(0); p < end && shift < 64; shift += 7 {
		c := d.buf[p]
		p++
		if shift == 63 && c > 1 {
			break
		}
		v |= uint64(c&0x7f) << shift
		if c < 0x80 {
			return v, p
		}
	}
	return 0, d.fail("it ends within a number, or the number is too long")
}

// span reads the length of what follows, and returns where that begins and ends.
func (d *decoder) span(p, end int) (from, to int) {
	n, q := d.varint(p, end)
	if q < 0 {
		return q, q
	}
	if n > uint64(end-q) {
		q = d.fail("it ends within a field")
		return q, q
	}
	return q, q + int(n)
}

// message reads the fields in [p, end) into a row, for which begin was called.
func (d *decoder) message(l *layout, row, p, end int) int {
	for p < end {
		tag, q := d.varint(p, end)
		if q < 0 {
			return q
		}
		number, wire := tag>>3, protowire.Type(tag&7)
		if number == 0 || number > math.MaxInt32>>2 {
			return d.fail("a field has the number 0, or one that is too large")
		}
		var n *node
		if number < uint64(len(l.dense)) {
			n = l.dense[number]
		} else if len(l.numbers) > 0 && number >= maxDense {
			n = l.numbers[protoreflect.FieldNumber(number)]
		}
		if n == nil {
			p = d.skip(int32(number), wire, q, end)
		} else {
			p = d.field(n, int32(number), wire, row, q, end)
		}
		if p < 0 {
			return p
		}
	}
	return p
}

// skip passes over a value that nobody needs.
func (d *decoder) skip(number int32, wire protowire.Type, p, end int) int {
	switch wire {
	case protowire.VarintType:
		_, q := d.varint(p, end)
		return q
	case protowire.BytesType:
		_, to := d.span(p, end)
		return to
	}
	n := protowire.ConsumeFieldValue(protowire.Number(number), wire, d.buf[p:end])
	if n < 0 {
		return d.fail(protowire.ParseError(n).Error())
	}
	return p + n
}

// wireOf is how values of a kind lie on the wire.
func wireOf(k protoreflect.Kind) protowire.Type {
	switch k {
	case protoreflect.Fixed32Kind, protoreflect.Sfixed32Kind, protoreflect.FloatKind:
		return protowire.Fixed32Type
	case protoreflect.Fixed64Kind, protoreflect.Sfixed64Kind, protoreflect.DoubleKind:
		return protowire.Fixed64Type
	case protoreflect.StringKind, protoreflect.BytesKind, protoreflect.MessageKind:
		return protowire.BytesType
	}
	return protowire.VarintType
}

// field reads a value of a field. One of another wire type is an unknown field.
func (d *decoder) field(n *node, number int32, wire protowire.Type, row, p, end int) int {
	want := wireOf(n.kind)
	switch {
	case n.key != nil && wire == protowire.BytesType:
		return d.entry(n, row, p, end)
	case n.key != nil:
		return d.skip(number, wire, p, end)
	case n.list != nil && wire == want:
		return d.element(n, row, p, end)
	case n.list != nil && wire == protowire.BytesType && want != wire:
		return d.packed(n, row, p, end)
	case wire != want:
		return d.skip(number, wire, p, end)
	}
	for _, o := range n.others {
		if o != n && !mutant.On("protobuf: a oneof keeps all of its members") {
			o.col.SetNull(row)
		}
	}
	return d.value(n, row, p, end)
}

// element appends to the list of a row.
func (d *decoder) element(n *node, row, p, end int) int {
	at := int(n.list.Off[row+1])
	n.col.Reserve(at + 1)
	if n.kind == protoreflect.MessageKind {
		n.zeroValue(at)
	}
	p = d.value(n, at, p, end)
	n.list.Off[row+1] = uint32(at + 1)
	return p
}

// packed appends many numbers to the list of a row.
func (d *decoder) packed(n *node, row, p, end int) int {
	p, to := d.span(p, end)
	for p >= 0 && p < to {
		p = d.element(n, row, p, to)
	}
	return p
}

// value reads a single value.
func (d *decoder) value(n *node, row, p, end int) int {
	c := n.col
	if n.op >= opStruct {
		if first := c.IsNull(row); first {
			c.SetValid(row)
			n.begin(row)
		}
		from, to := d.span(p, end)
		if from < 0 {
			return from
		}
		return d.inner(n, row, from, to)
	}
	c.SetValid(row)
	switch n.op {
	case opText, opBytes, opParsed, opUUID:
		from, to := d.span(p, end)
		if from < 0 {
			return from
		}
		if n.op == opParsed {
			if err := c.SetParsed(row, d.buf[from:to]); err != nil {
				d.misfit(n, err.Error())
			}
			return to
		}
		if n.op == opUUID && to-from != 16 {
			d.misfit(n, "a UUID has 16 bytes")
		}
		if n.op == opText && !utf8.Valid(d.buf[from:to]) {
			d.misfit(n, "text that is not UTF-8; declare it BYTES")
		}
		c.SetText(row, d.buf, from, to)
		return to
	case opFloat:
		return d.float(n, row, p, end)
	}
	return d.number(n, row, p, end)
}

func (d *decoder) float(n *node, row, p, end int) int {
	if n.kind == protoreflect.FloatKind {
		if p+4 > end {
			return d.fail("it ends within a field")
		}
		n.col.F64[row] = float64(math.Float32frombits(binary.LittleEndian.Uint32(d.buf[p:])))
		return p + 4
	}
	if p+8 > end {
		return d.fail("it ends within a field")
	}
	n.col.F64[row] = math.Float64frombits(binary.LittleEndian.Uint64(d.buf[p:]))
	return p + 8
}

// number reads what is a whole number on the wire.
func (d *decoder) number(n *node, row, p, end int) int {
	var u uint64
	q := p
	switch wireOf(n.kind) {
	case protowire.Fixed32Type:
		if q += 4; q > end {
			return d.fail("it ends within a field")
		}
		u = uint64(binary.LittleEndian.Uint32(d.buf[p:]))
	case protowire.Fixed64Type:
		if q += 8; q > end {
			return d.fail("it ends within a field")
		}
		u = binary.LittleEndian.Uint64(d.buf[p:])
	default:
		if u, q = d.varint(p, end); q < 0 {
			return q
		}
	}
	switch v := n.signed(u); n.op {
	case opBool:
		n.col.Bool[row] = 0
		if u != 0 {
			n.col.Bool[row] = 1
		}
	case opEnum:
		d.enum(n, row, int32(v))
	case opDecimal:
		d.decimal(n, row, u, v)
	default:
		unsigned := n.kind == protoreflect.Uint64Kind || n.kind == protoreflect.Fixed64Kind
		if v < n.least || v > n.most || unsigned && v < 0 {
			d.misfit(n, fmt.Sprintf("%s does not fit %s", n.text(u, v), n.typ))
		}
		n.col.I64[row] = v
	}
	return q
}

// signed is the number that a kind means by its bits.
func (n *node) signed(u uint64) int64 {
	switch n.kind {
	case protoreflect.Int32Kind, protoreflect.Sfixed32Kind, protoreflect.EnumKind:
		return int64(int32(u))
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return int64(uint32(u))
	case protoreflect.Sint32Kind:
		if mutant.On("protobuf: sint32 is read without its zigzag") {
			return int64(int32(u))
		}
		return int64(int32(uint32(u)>>1) ^ -int32(u&1))
	case protoreflect.Sint64Kind:
		return protowire.DecodeZigZag(u)
	}
	return int64(u)
}

func (n *node) text(u uint64, v int64) string {
	if n.kind == protoreflect.Uint64Kind || n.kind == protoreflect.Fixed64Kind {
		return strconv.FormatUint(u, 10)
	}
	return strconv.FormatInt(v, 10)
}

// enum writes the name of a number; one without a name is its digits.
func (d *decoder) enum(n *node, row int, v int32) {
	name := n.names[v]
	if name == nil {
		name = strconv.AppendInt(nil, int64(v), 10)
	}
	n.col.AppendText(row, name)
}

func (d *decoder) decimal(n *node, row int, u uint64, v int64) {
	x := types.Int128From(v)
	if n.kind == protoreflect.Uint64Kind || n.kind == protoreflect.Fixed64Kind {
		x = types.Int128{Lo: u}
	}
	x, ok := x.MulPow10(int(n.typ.Scale))
	switch {
	case !ok || !types.FitsPrecision(x, int(n.typ.Prec)):
		d.misfit(n, n.text(u, v)+" does not fit "+n.typ.String())
	case n.col.Phys == types.PhysInt64:
		n.col.I64[row] = int64(x.Lo)
	default:
		n.col.I128[row] = x
	}
}

// inner reads a message that is the value of a row; begin was called, once.
func (d *decoder) inner(n *node, row, p, end int) int {
	switch n.op {
	case opStruct, opWrapper:
		return d.message(n.kid, row, p, end)
	}
	return d.time(n, row, p, end)
}

// time reads a Timestamp or a Duration. What is there already is a part of it.
func (d *decoder) time(n *node, row, p, end int) int {
	var us int64
	if n.op == opDuration {
		us = n.col.Iv[row].Micros
	} else {
		us = n.col.I64[row]
	}
	seconds := us / 1e6
	if n.op == opTimestamp {
		seconds = floor(us, 1e6)
	}
	seconds, nanos, ok := d.clock(seconds, int32(us-seconds*1e6)*1000, p, end)
	if !ok {
		return -1
	}
	if seconds > math.MaxInt64/1_000_000-1 || seconds < math.MinInt64/1_000_000+1 {
		d.misfit(n, "the time is beyond what "+n.typ.String()+" holds")
	}
	us = seconds*1e6 + int64(nanos)/1000
	if n.op == opTimestamp {
		us = seconds*1e6 + floor(int64(nanos), 1000)
	}
	if n.op == opDuration {
		n.col.Iv[row] = types.IntervalValue{Micros: us}
	} else {
		n.col.I64[row] = us
	}
	return end
}

func floor(v, by int64) int64 {
	q := v / by
	if v%by < 0 {
		q--
	}
	return q
}

// clock reads the seconds and nanoseconds of a Timestamp or a Duration.
func (d *decoder) clock(seconds int64, nanos int32, p, end int) (s int64, n int32, ok bool) {
	for p < end {
		tag, q := d.varint(p, end)
		if q < 0 {
			return 0, 0, false
		}
		if tag == 1<<3 || tag == 2<<3 {
			var v uint64
			if v, p = d.varint(q, end); tag == 1<<3 {
				seconds = int64(v)
			} else {
				nanos = int32(v)
			}
		} else if tag>>3 == 0 || tag>>3 > math.MaxInt32>>2 {
			p = d.fail("a field has the number 0, or one that is too large")
		} else {
			p = d.skip(int32(tag>>3), protowire.Type(tag&7), q, end)
		}
		if p < 0 {
			return 0, 0, false
		}
	}
	return seconds, nanos, true
}

// entry reads a pair of a map. Of equal keys the last value counts.
func (d *decoder) entry(n *node, row, p, end int) int {
	p, to := d.span(p, end)
	if p < 0 {
		return p
	}
	first, at := int(n.list.Off[row]), int(n.list.Off[row+1])
	n.key.col.Reserve(at + 1)
	n.col.Reserve(at + 1)
	n.key.zeroValue(at)
	n.zeroValue(at)
	for p < to {
		tag, q := d.varint(p, to)
		if q < 0 {
			return q
		}
		switch number, wire := tag>>3, protowire.Type(tag&7); {
		case number == 1 && wire == wireOf(n.key.kind):
			p = d.value(n.key, at, q, to)
		case number == 2 && wire == wireOf(n.kind):
			p = d.value(n, at, q, to)
		case number == 0 || number > math.MaxInt32>>2:
			return d.fail("a field has the number 0, or one that is too large")
		default:
			p = d.skip(int32(number), wire, q, to)
		}
		if p < 0 {
			return p
		}
	}
	for i := first; i < at; i++ {
		if d.equal(n.key.col, i, at) {
			if !move(n.col, i, at) {
				d.misfit(n, "a map has a key twice")
			}
			return to
		}
	}
	n.list.Off[row+1] = uint32(at + 1)
	return to
}

// equal compares two keys.
func (d *decoder) equal(c *column.Column, i, k int) bool {
	switch c.Phys {
	case types.PhysString:
		return bytes.Equal(c.Text(i, d.buf), c.Text(k, d.buf))
	case types.PhysBool:
		return c.Bool[i] == c.Bool[k]
	case types.PhysInt128:
		return c.I128[i] == c.I128[k]
	}
	return c.I64[i] == c.I64[k]
}

// move puts the value of row k into row i; false if its type does not allow that.
func move(c *column.Column, i, k int) bool {
	switch c.Phys {
	case types.PhysString:
		c.Str[i] = c.Str[k]
	case types.PhysBool:
		c.Bool[i] = c.Bool[k]
	case types.PhysInt64:
		c.I64[i] = c.I64[k]
	case types.PhysFloat64:
		c.F64[i] = c.F64[k]
	case types.PhysInt128:
		c.I128[i] = c.I128[k]
	case types.PhysInterval:
		c.Iv[i] = c.Iv[k]
	default:
		return false
	}
	return true
}
