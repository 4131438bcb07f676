package protobuf

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/sqlstream/sqlstream/exec/format/column"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// op is what a node does with a value.
type op uint8

const (
	opWhole     op = iota // an integer, whatever its encoding
	opBool                //
	opFloat               // float and double
	opDecimal             // an integer as DECIMAL
	opText                // string: checked
	opBytes               //
	opEnum                // by name
	opParsed              // string: the text of a TIME, UUID or JSON
	opUUID                // bytes, 16 of them
	opStruct              // a message
	opTimestamp           //
	opDuration            // as INTERVAL
	opMicros              // Duration as BIGINT
	opWrapper             // a message around a scalar
)

// node reads the values of a field into a column.
type node struct {
	op     op
	kind   protoreflect.Kind
	name   string // for messages
	typ    types.Type
	col    *column.Column // of one value: for lists, of the elements
	list   *column.Column // ARRAY or MAP; nil = a single value
	key    *node          // MAP
	kid    *layout        // opStruct, opWrapper
	most   int64          // the greatest whole number, if min(int64) and max(int64) are not
	least  int64
	names  map[int32][]byte // opEnum
	others []*node          // of the same oneof
	// implicit says that a value that is absent is zero, not NULL.
	implicit bool
}

// layout is what is needed of a message.
type layout struct {
	fields  []*node
	numbers map[protoreflect.FieldNumber]*node
	dense   []*node          // by number, for small ones
	nulls   []*column.Column // columns that the message has no field for
}

// program reads messages of one type into columns.
type program struct {
	root   *layout
	copies []*column.Column // see column.Column.Copies
}

type target struct {
	name, path string
	typ        types.Type
	col        *column.Column
}

// program compiles the decoder of a message; into = nil only checks.
func (r *reader) program(m *messageType, cols []types.Column, into []*column.Column) (*program, error) {
	var declared []string
	for _, c := range r.config.Columns {
		declared = append(declared, c.Name)
	}
	if !slices.ContainsFunc(declared, func(n string) bool { return field(m, n, declared) != nil }) && len(declared) > 0 {
		return nil, fmt.Errorf("message %s has none of the declared columns; its fields are %s", m.FullName(), fieldNames(m))
	}
	p := &program{}
	c := compiler{p}
	var targets []target
	for i, x := range cols {
		t := target{x.Name, x.Name, x.Type, nil}
		if into == nil {
			t.col = column.New(x.Type, 1)
		} else {
			t.col = into[i]
		}
		targets = append(targets, t)
	}
	var err error
	p.root, err = c.layout(m, targets, declared)
	return p, err
}

func fieldNames(m protoreflect.MessageDescriptor) string {
	var names []string
	for i := range min(m.Fields().Len(), 20) {
		names = append(names, string(m.Fields().Get(i).Name()))
	}
	return strings.Join(names, ", ")
}

// field finds a field by its name: exactly, else regardless of case if that is unique and
// is not, as it is written, another one that is asked for.
func field(m protoreflect.MessageDescriptor, name string, asked []string) protoreflect.FieldDescriptor {
	if f := m.Fields().ByName(protoreflect.Name(name)); f != nil {
		return f
	}
	var folded protoreflect.FieldDescriptor
	for i := range m.Fields().Len() {
		f := m.Fields().Get(i)
		if !strings.EqualFold(string(f.Name()), name) || slices.Contains(asked, string(f.Name())) {
			continue
		}
		if folded != nil {
			return nil
		}
		folded = f
	}
	return folded
}

type compiler struct{ *program }

const maxDense = 256

// layout finds the fields of a message for its columns. asked are the names of all that
// may be asked of it.
func (c *compiler) layout(m protoreflect.MessageDescriptor, targets []target, asked []string) (*layout, error) {
	l := &layout{numbers: map[protoreflect.FieldNumber]*node{}}
	oneofs := map[protoreflect.Name][]*node{}
	for _, t := range targets {
		f := field(m, t.name, asked)
		if f == nil {
			l.nulls = append(l.nulls, t.col)
			continue
		}
		if l.numbers[f.Number()] != nil {
			return nil, fmt.Errorf("columns %q and %q are the same field", l.numbers[f.Number()].name, t.path)
		}
		n, err := c.field(f, t)
		if err != nil {
			return nil, err
		}
		l.fields = append(l.fields, n)
		l.numbers[f.Number()] = n
		if o := f.ContainingOneof(); o != nil && !o.IsSynthetic() {
			oneofs[o.Name()] = append(oneofs[o.Name()], n)
		}
	}
	for _, group := range oneofs {
		for _, n := range group {
			n.others = group
		}
	}
	for number, n := range l.numbers {
		if number >= maxDense {
			continue
		}
		for len(l.dense) <= int(number) {
			l.dense = append(l.dense, nil)
		}
		l.dense[number] = n
	}
	return l, nil
}

// field makes the node of a field.
func (c *compiler) field(f protoreflect.FieldDescriptor, t target) (*node, error) {
	switch {
	case f.IsMap() && t.typ.Kind == types.Map:
		key, err := c.value(f.MapKey(), target{"", t.path + " key", *t.typ.Key, t.col.Kids[0]})
		if err != nil {
			return nil, err
		}
		n, err := c.value(f.MapValue(), target{"", t.path + "{}", *t.typ.Elem, t.col.Kids[1]})
		if err == nil {
			n.list, n.key, n.implicit = t.col, key, true
			key.implicit = true
		}
		return n, err
	case f.IsList() && t.typ.Kind == types.Array:
		n, err := c.value(f, target{"", t.path + "[]", *t.typ.Elem, t.col.Kids[0]})
		if err == nil {
			n.list = t.col
		}
		return n, err
	case f.IsMap() || f.IsList():
		return nil, misfit(f, t)
	}
	n, err := c.value(f, t)
	if err == nil {
		n.implicit = !f.HasPresence()
	}
	return n, err
}

func misfit(f protoreflect.FieldDescriptor, t target) error {
	what := f.Kind().String()
	switch {
	case f.IsMap():
		what = "a map"
	case f.IsList():
		what = "repeated " + what
	case f.Kind() == protoreflect.MessageKind:
		what = string(f.Message().FullName())
	}
	advice := ""
	if better, err := sqlType(f, nil); err == nil {
		advice = "; declare it " + better.String()
	}
	return fmt.Errorf("field %q: %s does not fit %s%s", t.path, what, t.typ, advice)
}

// value makes the node of a single value.
func (c *compiler) value(f protoreflect.FieldDescriptor, t target) (*node, error) {
	n := &node{kind: f.Kind(), name: t.path, typ: t.typ, col: t.col}
	if f.Kind() == protoreflect.MessageKind {
		return n, c.message(n, f, t)
	}
	if !c.scalar(n, f, t.typ) {
		return nil, misfit(f, t)
	}
	return n, nil
}

func (c *compiler) message(n *node, f protoreflect.FieldDescriptor, t target) (err error) {
	m := f.Message()
	inner := wrapped(m)
	switch {
	case m.FullName() == timestampName && t.typ.Kind == types.Timestamp:
		n.op = opTimestamp
	case m.FullName() == durationName && t.typ.Kind == types.Interval:
		n.op = opDuration
	case m.FullName() == durationName && t.typ.Kind == types.Int64:
		n.op = opMicros
	case inner != nil:
		n.op = opWrapper
		var kid *node
		if kid, err = c.value(inner, t); err == nil {
			kid.implicit = true
			n.kid = &layout{fields: []*node{kid}, numbers: map[protoreflect.FieldNumber]*node{1: kid}, dense: []*node{nil, kid}}
		}
	case t.typ.Kind == types.Struct:
		var targets []target
		var asked []string
		for i, x := range t.typ.Fields {
			targets = append(targets, target{x.Name, t.path + "." + x.Name, x.Type, t.col.Kids[i]})
			asked = append(asked, x.Name)
		}
		n.op = opStruct
		n.kid, err = c.layout(m, targets, asked)
	default:
		return misfit(f, t)
	}
	return err
}

// scalar chooses for a scalar: a column of its type, or of one that holds every value. A
// BIGINT may be declared for uint64, and then holds what it can.
func (c *compiler) scalar(n *node, f protoreflect.FieldDescriptor, to types.Type) bool {
	natural := scalarType(n.kind)
	switch {
	case n.kind == protoreflect.EnumKind && to.Kind == types.String:
		n.op, n.names = opEnum, map[int32][]byte{}
		for i := range f.Enum().Values().Len() {
			v := f.Enum().Values().Get(i)
			if n.names[int32(v.Number())] == nil {
				n.names[int32(v.Number())] = []byte(v.Name())
			}
		}
		c.copies = append(c.copies, n.col)
		return true
	case n.kind == protoreflect.EnumKind:
		n.op = opWhole
		return n.bounds(types.Of(types.Int32), to)
	case natural.Kind == types.Bool:
		n.op = opBool
		return to.Kind == types.Bool
	case natural.IsFloat():
		n.op = opFloat
		return to.Kind == types.Float64 || to.Kind == natural.Kind
	case natural.Kind == types.String && column.Parses(to):
		n.op = opParsed
		c.copies = append(c.copies, n.col)
		return true
	case natural.Kind == types.Bytes && to.Kind == types.UUID:
		n.op = opUUID
		return true
	case natural.Kind == types.String || natural.Kind == types.Bytes:
		n.op = opBytes
		if to.Kind == types.String {
			n.op = opText
		}
		return to.Kind == types.String || to.Kind == types.Bytes
	case to.Kind == types.Decimal:
		n.op = opDecimal
		digits := map[types.Kind]int{types.Int32: 10, types.Int64: 19, types.Decimal: 20}[natural.Kind]
		return int(to.Prec)-int(to.Scale) >= digits
	}
	n.op = opWhole
	return n.bounds(natural, to)
}

// bounds says which whole numbers fit a column.
func (n *node) bounds(natural, to types.Type) bool {
	n.least, n.most = math.MinInt64, math.MaxInt64
	switch {
	case to.Kind == types.Int64:
	case natural.Kind == types.Int32 && to.Kind == types.Int32:
	case natural.Kind == types.Int32 && to.Kind == types.Int16:
		n.least, n.most = math.MinInt16, math.MaxInt16
	case natural.Kind == types.Int32 && to.Kind == types.Int8:
		n.least, n.most = math.MinInt8, math.MaxInt8
	default:
		return false
	}
	return true
}

// zero gives a field the value that it has when it is absent.
func (n *node) zero(row int) {
	switch {
	case n.list != nil:
		n.list.SetValid(row)
		n.list.Off[row+1] = n.list.Off[row]
	case !n.implicit:
		n.col.SetNull(row)
	default:
		n.zeroValue(row)
	}
}

func (n *node) zeroValue(row int) {
	c := n.col
	c.SetValid(row)
	switch n.op {
	case opBool:
		c.Bool[row] = 0
	case opFloat:
		c.F64[row] = 0
	case opText, opBytes:
		c.Str[row] = vec.StrRef{}
	case opParsed, opUUID: // an empty text is none
		c.SetNull(row)
	case opEnum:
		c.AppendText(row, n.names[0])
	case opStruct, opTimestamp, opDuration, opMicros, opWrapper: // a message in a map
		n.begin(row)
	default:
		if c.Phys == types.PhysInt128 {
			c.I128[row] = types.Int128{}
		} else {
			c.I64[row] = 0
		}
	}
}

// begin gives all that belongs to a message its absent values.
func (n *node) begin(row int) {
	switch n.op {
	case opStruct, opWrapper:
		n.kid.begin(row)
	case opDuration:
		n.col.Iv[row] = types.IntervalValue{}
	default:
		n.col.I64[row] = 0
	}
}

func (l *layout) begin(row int) {
	for _, n := range l.fields {
		n.zero(row)
	}
	for _, c := range l.nulls {
		c.SetNull(row)
	}
}
