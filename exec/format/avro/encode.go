package avro

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// part writes the values of a column, field or element for a schema.
type part struct {
	schema *schema // without the union around it
	typ    types.Type
	path   string
	// branch and null are the encoded numbers of the value's branch of a union and of
	// null; nil: there is no union, or no null in it.
	branch, null []byte
	field        int // of a record: which kid of the STRUCT it is written from
	kids         []*part
	constant     []byte // a field without a value: its default
}

// bind finds how the values of a type are written for a schema.
func bind(s *schema, t types.Type, path string) (*part, error) {
	if s.kind != unionKind {
		p := &part{schema: s, typ: t, path: path}
		return p, p.choose()
	}
	var null []byte
	var out *part
	var first error
	for i, b := range s.branches {
		number := binary.AppendVarint(nil, int64(i))
		if b.kind == nullKind {
			null = number
			continue
		}
		p := &part{schema: b, typ: t, path: path, branch: number}
		if err := p.choose(); err != nil {
			if first == nil {
				first = err
			}
		} else if out == nil {
			out = p
		}
	}
	if out == nil {
		if first == nil {
			first = fmt.Errorf("%s: the schema allows null alone", path)
		}
		return nil, first
	}
	out.null = null
	return out, nil
}

// choose checks that the schema, which is no union, holds the values of the type.
func (p *part) choose() error {
	s, t, ok := p.schema, p.typ, false
	switch k := s.kind; t.Kind {
	case types.Bool:
		ok = k == booleanKind
	case types.Int8, types.Int16, types.Int32:
		ok = k == intKind && s.logical != "date" && s.clock() == 0 || k == longKind && s.unit()+s.clock() == 0
	case types.Int64:
		ok = k == longKind && s.unit()+s.clock() == 0
	case types.Float32:
		ok = k == floatKind || k == doubleKind
	case types.Float64:
		ok = k == doubleKind
	case types.Decimal:
		ok = s.logical == "decimal" && s.scale >= int(t.Scale) && s.prec-s.scale >= int(t.Prec)-int(t.Scale)
	case types.String:
		ok = k == stringKind || k == enumKind
	case types.Bytes:
		ok = k == bytesKind && s.logical != "decimal" || k == fixedKind && s.logical == ""
	case types.Date:
		ok = k == intKind && s.logical == "date"
	case types.Timestamp:
		ok = s.unit() != 0 && !s.local()
	case types.TimestampNTZ:
		ok = s.unit() != 0 && s.local()
	case types.Time:
		ok = s.clock() != 0
	case types.UUID:
		ok = k == stringKind || s.isUUID()
	case types.JSON:
		ok = k == stringKind || k == bytesKind && s.logical == ""
	default:
		return p.nested()
	}
	if !ok {
		return fmt.Errorf("%s: %s cannot be written as %s", p.path, t, s)
	}
	return nil
}

func (p *part) nested() error {
	s, t := p.schema, p.typ
	switch {
	case t.Kind == types.Array && s.kind == arrayKind, t.Kind == types.Map && s.kind == mapKind && t.Key.Kind == types.String:
		kid, err := bind(s.items, *t.Elem, p.path+"[]")
		p.kids = []*part{kid}
		return err
	case t.Kind == types.Struct && s.kind == recordKind:
		var err error
		p.kids, err = bindFields(s, t.Fields, p.path)
		return err
	}
	return fmt.Errorf("%s: %s cannot be written as %s", p.path, t, s)
}

// bindFields finds what each field of a record is written from.
func bindFields(s *schema, fields []types.Field, path string) ([]*part, error) {
	used := make([]bool, len(fields))
	var out []*part
	for _, f := range s.fields {
		at := slices.IndexFunc(fields, func(x types.Field) bool { return x.Name == f.name })
		if at < 0 {
			at = slices.IndexFunc(fields, func(x types.Field) bool { return strings.EqualFold(x.Name, f.name) && !s.has(x.Name) })
		}
		if at < 0 {
			p, err := absent(f)
			if err != nil {
				return nil, err
			}
			out = append(out, p)
			continue
		}
		used[at] = true
		p, err := bind(f.typ, fields[at].Type, fmt.Sprintf("%s %q", path, fields[at].Name))
		if err != nil {
			return nil, err
		}
		p.field = at
		out = append(out, p)
	}
	if i := slices.Index(used, false); i >= 0 {
		return nil, fmt.Errorf("%s %q: the schema has no such field", path, fields[i].Name)
	}
	return out, nil
}

// has reports a field of exactly this name: the column that is called so goes there alone.
func (s *schema) has(name string) bool {
	return slices.ContainsFunc(s.fields, func(f schemaField) bool { return f.name == name })
}

// absent writes a field that the rows do not have: its default, else null.
func absent(f schemaField) (*part, error) {
	if f.fallback != nil {
		return &part{constant: f.fallback}, nil
	}
	if f.typ.kind == unionKind {
		for i, b := range f.typ.branches {
			if b.kind == nullKind {
				return &part{constant: binary.AppendVarint(nil, int64(i))}, nil
			}
		}
	}
	return nil, fmt.Errorf("the schema has a field %q without a default, and the rows have no such column", f.name)
}

// rowEncoder appends rows. It belongs to one goroutine.
type rowEncoder struct {
	fields []*part // of the record, or the one value
	err    error
}

// newRowEncoder finds how rows are written for a schema.
func newRowEncoder(s *schema, cols []types.Column) (*rowEncoder, error) {
	if s.kind != recordKind {
		if len(cols) != 1 {
			return nil, fmt.Errorf("the schema is %s, which is one value: there are %d columns", s, len(cols))
		}
		p, err := bind(s, cols[0].Type, fmt.Sprintf("column %q", cols[0].Name))
		return &rowEncoder{fields: []*part{p}}, err
	}
	fields := make([]types.Field, len(cols))
	for i, c := range cols {
		fields[i] = types.Field{Name: c.Name, Type: c.Type}
	}
	parts, err := bindFields(s, fields, "column")
	return &rowEncoder{fields: parts}, err
}

// append appends a row.
func (e *rowEncoder) append(dst []byte, cols []*vec.Vector, row int) ([]byte, error) {
	e.err = nil
	for _, p := range e.fields {
		dst = e.field(dst, p, cols, row)
	}
	return dst, e.err
}

func (e *rowEncoder) field(dst []byte, p *part, cols []*vec.Vector, row int) []byte {
	if p.constant != nil {
		return append(dst, p.constant...)
	}
	return e.value(dst, p, cols[p.field], row)
}

func (e *rowEncoder) fail(p *part, format string, args ...any) {
	if e.err == nil {
		e.err = fmt.Errorf(p.path+": "+format, args...)
	}
}

// value appends a value.
func (e *rowEncoder) value(dst []byte, p *part, v *vec.Vector, row int) []byte {
	if v.IsNull(row) {
		if p.null == nil {
			e.fail(p, "it is NULL, which the schema does not allow")
		}
		return append(dst, p.null...)
	}
	dst = append(dst, p.branch...)
	f, i := v.At(row)
	switch p.typ.Kind {
	case types.Bool:
		return append(dst, f.Bool[i])
	case types.Float32, types.Float64:
		if p.schema.kind == floatKind {
			return binary.LittleEndian.AppendUint32(dst, math.Float32bits(float32(f.F64[i])))
		}
		return binary.LittleEndian.AppendUint64(dst, math.Float64bits(f.F64[i]))
	case types.Decimal:
		return e.decimal(dst, p, f, i)
	case types.String, types.Bytes, types.JSON:
		return e.text(dst, p, f.Bytes(i))
	case types.UUID:
		if p.schema.kind == fixedKind {
			return append(dst, f.Bytes(i)...)
		}
		return types.AppendUUID(append(dst, 2*36), f.Bytes(i))
	case types.Time:
		if p.schema.clock() == 1e3 {
			return binary.AppendVarint(dst, f.I64[i]/1000)
		}
	case types.Timestamp, types.TimestampNTZ:
		return e.instant(dst, p, f.I64[i])
	case types.Array, types.Map:
		return e.list(dst, p, f, i)
	case types.Struct:
		for _, k := range p.kids {
			dst = e.field(dst, k, f.Child, i)
		}
		return dst
	}
	return binary.AppendVarint(dst, f.I64[i])
}

func (e *rowEncoder) text(dst []byte, p *part, b []byte) []byte {
	switch p.schema.kind {
	case fixedKind:
		if len(b) != p.schema.size {
			e.fail(p, "it has %d bytes, and the schema demands %d", len(b), p.schema.size)
		}
		return append(dst, b...)
	case enumKind:
		i := slices.IndexFunc(p.schema.symbols, func(s string) bool { return s == string(b) })
		if i < 0 {
			e.fail(p, "%q is none of the symbols of the enum %s", b, p.schema.name)
		}
		return binary.AppendVarint(dst, int64(i))
	}
	return append(binary.AppendVarint(dst, int64(len(b))), b...)
}

func (e *rowEncoder) instant(dst []byte, p *part, us int64) []byte {
	switch p.schema.unit() {
	case 1e3:
		us = floor(us, 1000)
	case 1e9:
		if us*1000/1000 != us {
			e.fail(p, "the time is beyond what nanoseconds of 64 bits hold")
		}
		us *= 1000
	}
	return binary.AppendVarint(dst, us)
}

// decimal appends the unscaled number in two's complement: in the fewest bytes, or all of
// a fixed.
func (e *rowEncoder) decimal(dst []byte, p *part, f *vec.Vector, i int) []byte {
	var x types.Int128
	if f.I128 != nil {
		x = f.I128[i]
	} else {
		x = types.Int128From(f.I64[i])
	}
	x, ok := x.MulPow10(p.schema.scale - int(p.typ.Scale))
	var b [16]byte
	binary.BigEndian.PutUint64(b[:], uint64(x.Hi))
	binary.BigEndian.PutUint64(b[8:], x.Lo)
	fill := byte(x.Hi >> 63)
	from := 0
	for from < 15 && b[from] == fill && (b[from+1]^fill)&0x80 == 0 {
		from++
	}
	n := 16 - from
	switch {
	case !ok || p.schema.kind == fixedKind && n > p.schema.size:
		e.fail(p, "the number does not fit %s", p.schema)
		return dst
	case p.schema.kind == bytesKind:
		return append(binary.AppendVarint(dst, int64(n)), b[from:]...)
	}
	for range p.schema.size - n {
		dst = append(dst, fill)
	}
	return append(dst, b[from:]...)
}

func (e *rowEncoder) list(dst []byte, p *part, f *vec.Vector, i int) []byte {
	from, to := int(f.Off[i]), int(f.Off[i+1])
	if from < to {
		dst = binary.AppendVarint(dst, int64(to-from))
	}
	for k := from; k < to; k++ {
		values := f.Child[0]
		if p.typ.Kind == types.Map {
			key := f.Child[0].Bytes(k)
			dst = append(binary.AppendVarint(dst, int64(len(key))), key...)
			values = f.Child[1]
		}
		dst = e.value(dst, p.kids[0], values, k)
	}
	return append(dst, 0)
}
