package protobuf

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// part writes a field of a message from a column.
type part struct {
	f     protoreflect.FieldDescriptor
	typ   types.Type // of a single value
	path  string
	index int     // of the column, or of the field of the STRUCT
	kids  []*part // a message; of a wrapper its value
	key   *part   // a map
}

// bind finds what each field of a message is written from; all of fields must go somewhere.
func bind(m protoreflect.MessageDescriptor, fields []types.Field, path string) ([]*part, error) {
	var out []*part
	var asked []string
	for _, x := range fields {
		asked = append(asked, x.Name)
	}
	for i, x := range fields {
		at := fmt.Sprintf("%s %q", path, x.Name)
		f := field(m, x.Name, asked)
		if f == nil {
			return nil, fmt.Errorf("%s: message %s has no such field; it has %s", at, m.FullName(), fieldNames(m))
		}
		p, err := bindField(f, x.Type, at)
		if err != nil {
			return nil, err
		}
		p.index = i
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b *part) int { return int(a.f.Number()) - int(b.f.Number()) })
	return out, nil
}

func bindField(f protoreflect.FieldDescriptor, t types.Type, path string) (*part, error) {
	switch {
	case f.IsMap() && t.Kind == types.Map:
		key, err := bindValue(f.MapKey(), *t.Key, path)
		if err != nil {
			return nil, err
		}
		p, err := bindValue(f.MapValue(), *t.Elem, path)
		if err == nil {
			value := *p
			p.f, p.key, p.kids = f, key, []*part{&value}
		}
		return p, err
	case f.IsList() && t.Kind == types.Array:
		return bindValue(f, *t.Elem, path)
	case f.IsMap() || f.IsList():
		return nil, fmt.Errorf("%s: %s cannot be written as the repeated field %s", path, t, f.FullName())
	}
	return bindValue(f, t, path)
}

func bindValue(f protoreflect.FieldDescriptor, t types.Type, path string) (*part, error) {
	p := &part{f: f, typ: t, path: path}
	if f.Kind() != protoreflect.MessageKind {
		if !writable(f.Kind(), t) {
			return nil, fmt.Errorf("%s: %s cannot be written as %s", path, t, f.Kind())
		}
		return p, nil
	}
	m := f.Message()
	var err error
	switch inner := wrapped(m); {
	case m.FullName() == timestampName && t.Kind == types.Timestamp, m.FullName() == durationName && t.Kind == types.Interval:
	case inner != nil:
		p.kids = make([]*part, 1)
		p.kids[0], err = bindValue(inner, t, path)
	case t.Kind == types.Struct:
		p.kids, err = bind(m, t.Fields, path)
	default:
		err = fmt.Errorf("%s: %s cannot be written as %s", path, t, m.FullName())
	}
	return p, err
}

// writable says whether the values of a type are written as a kind.
func writable(k protoreflect.Kind, t types.Type) bool {
	switch natural := scalarType(k); t.Kind {
	case types.Bool:
		return k == protoreflect.BoolKind
	case types.Int8, types.Int16, types.Int32:
		return natural.IsInteger() || natural.Kind == types.Decimal
	case types.Int64:
		return natural.Kind == types.Int64 || natural.Kind == types.Decimal
	case types.Decimal:
		return natural.Kind == types.Decimal && t.Scale == 0
	case types.Float32:
		return natural.IsFloat()
	case types.Float64:
		return k == protoreflect.DoubleKind
	case types.String:
		return k == protoreflect.StringKind || k == protoreflect.EnumKind
	case types.Bytes:
		return k == protoreflect.BytesKind
	case types.UUID:
		return k == protoreflect.StringKind || k == protoreflect.BytesKind
	case types.Time, types.JSON:
		return k == protoreflect.StringKind
	}
	return false
}

// rowEncoder appends rows. It belongs to one goroutine.
type rowEncoder struct {
	parts []*part
	err   error
}

func newRowEncoder(m protoreflect.MessageDescriptor, cols []types.Column) (*rowEncoder, error) {
	fields := make([]types.Field, len(cols))
	for i, c := range cols {
		fields[i] = types.Field{Name: c.Name, Type: c.Type}
	}
	parts, err := bind(m, fields, "column")
	return &rowEncoder{parts: parts}, err
}

func (e *rowEncoder) append(dst []byte, cols []*vec.Vector, row int) ([]byte, error) {
	e.err = nil
	for _, p := range e.parts {
		dst = e.field(dst, p, cols[p.index], row)
	}
	return dst, e.err
}

func (e *rowEncoder) fail(p *part, format string, args ...any) {
	if e.err == nil {
		e.err = fmt.Errorf(p.path+": "+format, args...)
	}
}

// field appends a field with its value. NULL is left out where that means absent.
func (e *rowEncoder) field(dst []byte, p *part, v *vec.Vector, row int) []byte {
	list := p.f.IsList() || p.f.IsMap()
	if v.IsNull(row) {
		if !list && !p.f.HasPresence() {
			e.fail(p, "it is NULL, which %s cannot say: make the field optional, or write coalesce(…)", p.f.FullName())
		}
		return dst
	}
	f, i := v.At(row)
	if !list {
		return e.tagged(dst, p, f, i)
	}
	for k := int(f.Off[i]); k < int(f.Off[i+1]); k++ {
		if p.key != nil {
			dst = protowire.AppendTag(dst, p.f.Number(), protowire.BytesType)
			dst = prefixed(dst, func(dst []byte) []byte {
				return e.present(e.tagged(dst, p.key, f.Child[0], k), p.kids[0], f.Child[1], k)
			})
			continue
		}
		dst = e.present(dst, p, f.Child[0], k)
	}
	return dst
}

// present appends a value that cannot be absent.
func (e *rowEncoder) present(dst []byte, p *part, v *vec.Vector, row int) []byte {
	if v.IsNull(row) {
		e.fail(p, "an element is NULL, which protobuf does not have")
		return dst
	}
	v, row = v.At(row)
	return e.tagged(dst, p, v, row)
}

// prefixed appends what body appends, with its length before it.
func prefixed(dst []byte, body func([]byte) []byte) []byte {
	at := len(dst)
	dst = body(dst)
	n := len(dst) - at
	size := protowire.SizeVarint(uint64(n))
	var room [10]byte
	dst = append(dst, room[:size]...)
	copy(dst[at+size:], dst[at:at+n])
	protowire.AppendVarint(dst[at:at], uint64(n))
	return dst
}

// tagged appends a value with its field number.
func (e *rowEncoder) tagged(dst []byte, p *part, f *vec.Vector, i int) []byte {
	f, i = f.At(i)
	k := p.f.Kind()
	dst = protowire.AppendTag(dst, p.f.Number(), wireOf(k))
	switch k {
	case protoreflect.MessageKind:
		return prefixed(dst, func(dst []byte) []byte { return e.message(dst, p, f, i) })
	case protoreflect.StringKind:
		if p.typ.Kind == types.Time || p.typ.Kind == types.UUID {
			var room [40]byte
			return protowire.AppendBytes(dst, vec.AppendText(room[:0], f, i, nil))
		}
		return protowire.AppendBytes(dst, f.Bytes(i))
	case protoreflect.BytesKind:
		return protowire.AppendBytes(dst, f.Bytes(i))
	case protoreflect.FloatKind:
		return protowire.AppendFixed32(dst, math.Float32bits(float32(f.F64[i])))
	case protoreflect.DoubleKind:
		return protowire.AppendFixed64(dst, math.Float64bits(f.F64[i]))
	case protoreflect.BoolKind:
		return protowire.AppendVarint(dst, uint64(f.Bool[i]))
	case protoreflect.EnumKind:
		return e.enum(dst, p, f.Bytes(i))
	}
	return e.number(dst, p, f, i)
}

func (e *rowEncoder) number(dst []byte, p *part, f *vec.Vector, i int) []byte {
	k := p.f.Kind()
	var u uint64
	fits := true
	if f.I128 != nil {
		u, fits = f.I128[i].Lo, f.I128[i].Hi == 0
	} else {
		v := f.I64[i]
		u = uint64(v)
		switch k {
		case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
			fits = v >= 0 && v <= math.MaxUint32
		case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
			fits = v >= 0
		case protoreflect.Sint32Kind, protoreflect.Sint64Kind:
			u = protowire.EncodeZigZag(v)
		}
	}
	if !fits {
		e.fail(p, "the number does not fit %s", k)
	}
	switch wireOf(k) {
	case protowire.Fixed32Type:
		return protowire.AppendFixed32(dst, uint32(u))
	case protowire.Fixed64Type:
		return protowire.AppendFixed64(dst, u)
	}
	return protowire.AppendVarint(dst, u)
}

func (e *rowEncoder) enum(dst []byte, p *part, name []byte) []byte {
	v := p.f.Enum().Values().ByName(protoreflect.Name(name))
	if v == nil {
		var names []string
		for i := range p.f.Enum().Values().Len() {
			names = append(names, string(p.f.Enum().Values().Get(i).Name()))
		}
		e.fail(p, "%q is none of the values of the enum: %s", name, strings.Join(names, ", "))
		return append(dst, 0)
	}
	return protowire.AppendVarint(dst, uint64(int64(v.Number())))
}

// message appends the content of a message.
func (e *rowEncoder) message(dst []byte, p *part, f *vec.Vector, i int) []byte {
	switch p.typ.Kind {
	case types.Timestamp:
		return appendClock(dst, floor(f.I64[i], 1e6), (f.I64[i]-floor(f.I64[i], 1e6)*1e6)*1000)
	case types.Interval:
		v := f.Iv[i]
		if v.Months != 0 {
			e.fail(p, "an interval of months has no length, which google.protobuf.Duration is")
		}
		us := v.Micros + int64(v.Days)*86_400e6
		return appendClock(dst, us/1e6, us%1e6*1000)
	case types.Struct:
		for _, k := range p.kids {
			dst = e.field(dst, k, f.Child[k.index], i)
		}
		return dst
	}
	return e.tagged(dst, p.kids[0], f, i)
}

// appendClock appends seconds and nanoseconds.
func appendClock(dst []byte, seconds, nanos int64) []byte {
	dst = protowire.AppendVarint(append(dst, 1<<3), uint64(seconds))
	return protowire.AppendVarint(append(dst, 2<<3), uint64(nanos))
}
