package json

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/sqlstream/sqlstream/exec/format/column"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// op singles out the most frequent decoders, which are called directly.
type op uint8

const (
	opOther op = iota
	opString
	opInt
	opTimestamp
)

// field is a needed column, a nested field or an element, with its decoder.
type field struct {
	name   string // as messages show it: "a.b", "list[]"
	typ    types.Type
	col    *column.Column
	op     op
	decode func(s *scanner, f *field, row, p int) int

	word int // in scanner.got, top level only
	bit  uint64

	min, max int64 // integers
	bits     int   // floats
	kids     []*field
	names    *names // STRUCT
	exact    *field // of a folded name: the field itself
}

// newField makes the decoder of a column, or says what JSON cannot hold.
func newField(name string, t types.Type, col *column.Column) (*field, error) {
	f := &field{name: name, typ: t, col: col}
	switch t.Kind {
	case types.Bool:
		f.decode = decodeBool
	case types.Int8, types.Int16, types.Int32, types.Int64:
		f.op = opInt
		f.min, f.max = intRange(t.Kind)
	case types.Float32, types.Float64:
		f.decode, f.bits = decodeFloat, 64
		if t.Kind == types.Float32 {
			f.bits = 32
		}
	case types.Decimal:
		f.decode = decodeDecimal
	case types.String:
		f.op = opString
	case types.Bytes:
		f.decode = decodeBytes
	case types.Date:
		f.decode = decodeDate
	case types.Timestamp:
		f.op = opTimestamp
	case types.TimestampNTZ:
		f.decode = decodeLocal
	case types.Time, types.UUID:
		f.decode = decodeParsed
	case types.JSON:
		f.decode = decodeDocument
	case types.Array, types.Map, types.Struct:
		return f, f.nest()
	default:
		return nil, fmt.Errorf("column %q: JSON has no %s; declare it STRING and cast", name, t)
	}
	return f, nil
}

func intRange(k types.Kind) (lo, hi int64) {
	switch k {
	case types.Int8:
		return math.MinInt8, math.MaxInt8
	case types.Int16:
		return math.MinInt16, math.MaxInt16
	case types.Int32:
		return math.MinInt32, math.MaxInt32
	}
	return math.MinInt64, math.MaxInt64
}

// nest makes the decoders below an ARRAY, MAP or STRUCT.
func (f *field) nest() error {
	t := f.typ
	switch t.Kind {
	case types.Array:
		f.decode = decodeArray
		return f.kid(f.name+"[]", *t.Elem, 0)
	case types.Map:
		f.decode = decodeMap
		if t.Key.Kind != types.String {
			return fmt.Errorf("column %q: the keys of a JSON object are STRING, not %s", f.name, t.Key)
		}
		if err := f.kid(f.name+" key", *t.Key, 0); err != nil {
			return err
		}
		return f.kid(f.name+"{}", *t.Elem, 1)
	}
	f.decode = decodeStruct
	f.names = &names{}
	for i, sub := range t.Fields {
		if err := f.kid(f.name+"."+sub.Name, sub.Type, i); err != nil {
			return err
		}
		f.names.add(sub.Name, f.kids[i])
	}
	return nil
}

func (f *field) kid(name string, t types.Type, i int) error {
	k, err := newField(name, t, f.col.Kids[i])
	f.kids = append(f.kids, k)
	return err
}

// names finds fields by key: by exact spelling, else regardless of case if that is
// unique.
type names struct {
	exact, folded map[string]*field
	twice         map[string]bool
}

// add registers a name; f = nil: the column is not needed.
func (n *names) add(name string, f *field) {
	if n.exact == nil {
		n.exact, n.folded, n.twice = map[string]*field{}, map[string]*field{}, map[string]bool{}
	}
	low := strings.ToLower(name)
	if _, ok := n.folded[low]; ok {
		n.twice[low] = true
	}
	n.exact[name] = f
	n.folded[low] = nil
	if f != nil {
		n.folded[low] = &field{name: f.name, typ: f.typ, col: f.col, word: f.word, bit: f.bit, decode: decodeFolded, exact: f}
	}
}

func (n *names) find(name []byte) *field {
	if f, ok := n.exact[string(name)]; ok {
		return f
	}
	var buf [64]byte
	low := foldCase(buf[:0], name)
	if n.twice[string(low)] {
		return nil
	}
	return n.folded[string(low)]
}

// foldCase appends a name in lower case. It allocates only for long or foreign ones.
func foldCase(dst, name []byte) []byte {
	for _, c := range name {
		switch {
		case c >= utf8.RuneSelf:
			return append(dst[:0], strings.ToLower(string(name))...)
		case c >= 'A' && c <= 'Z':
			c |= 0x20
		}
		dst = append(dst, c)
	}
	return dst
}

// decodeFolded reads a key that matches only regardless of case: an exact one in the
// same object wins.
func decodeFolded(s *scanner, f *field, row, p int) int {
	e := f.exact
	if e.bit != 0 && s.got[e.word]&e.bit != 0 || e.bit == 0 && !e.col.IsNull(row) {
		return s.skip(p)
	}
	return s.decodeInto(e, row, p)
}

// layout is what the scanner needs of the columns to read.
type layout struct {
	names
	fields  []*field
	all     []uint64
	corrupt *column.Column // gets the text of bad rows; nil = nobody asked
	cols    []*column.Column
}

// newLayout makes columns and decoders for the needed columns.
func newLayout(cols []types.Column, need []int, corrupt int) (layout, error) {
	l := layout{}
	needed := map[int]*field{}
	for _, i := range need {
		c := column.New(cols[i].Type, vec.BatchSize)
		l.cols = append(l.cols, c)
		if i == corrupt {
			l.corrupt = c
			continue
		}
		f, err := newField(cols[i].Name, cols[i].Type, c)
		if err != nil {
			return l, err
		}
		n := len(l.fields)
		f.word, f.bit = n>>6, 1<<(n&63)
		l.fields = append(l.fields, f)
		needed[i] = f
	}
	for i, c := range cols {
		if i != corrupt {
			l.add(c.Name, needed[i])
		}
	}
	l.all = make([]uint64, max(1, vec.Words(len(l.fields))))
	for _, f := range l.fields {
		l.all[f.word] |= f.bit
	}
	return l, nil
}
