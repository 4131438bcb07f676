package avro

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/exec/format/column"
	"github.com/sqlstream/sqlstream/exec/types"
)

// op is what a node does with the bytes of a value.
type op uint8

const (
	opSkip      op = iota // passes over them
	opNull                // there are none: NULL
	opMisfit              // passes over them; the row is bad
	opBool                // and so on: into the column
	opInt                 // int: 32 bits
	opLong                //
	opIntFloat            // int and long as floating numbers
	opIntDec              // int and long as decimals
	opScaled              // int and long times mul
	opShrunk              // long by div, rounded down
	opFloat               //
	opDouble              //
	opText                // string
	opTextCheck           // bytes as STRING
	opBytes               //
	opFixed               //
	opDecimal             // of bytes or fixed
	opUUID                // fixed as text, or as its bytes into a UUID
	opParsed              // string or bytes, the text of a TIME, UUID or JSON
	opEnum                //
	opStruct              // record
	opArray               //
	opMap                 //
	opUnion               //
	opMember              // a branch of a union as a member of a STRUCT
	opDefault             // there are none: a constant
)

// node reads a value of the writer's schema into a column.
type node struct {
	op     op
	name   string // of the field, for messages
	typ    types.Type
	col    *column.Column
	schema *schema // the writer's
	kids   []*node // fields in the writer's order, then those without a field; items; branches

	mul, div int64
	most     int64    // TINYINT and SMALLINT: the greatest number; 0 = any
	up       int      // decimal digits to add
	round    bool     // FLOAT
	symbols  [][]byte // by the writer's number; nil = none of the reader's
	constant []byte   // opDefault: an encoded value, for kids[0]
	member   int      // opMember: number of the kid
	reason   string   // opMisfit
}

// program reads the values of one schema into columns.
type program struct {
	root *node
	bare bool // the schema is no record: root has one field
	// copies are columns that get text from elsewhere.
	copies []*column.Column
}

// compile makes the program for values that were written with a schema. reader is the
// schema that they are to be read with, nil = the columns alone say it. declared are all
// columns, cols those that are needed.
func compile(writer, reader *schema, declared, cols []types.Column, into []*column.Column) (*program, error) {
	p := &program{bare: writer.kind != recordKind}
	c := compiler{p}
	w := &schema{kind: recordKind, fields: writer.rowFields()}
	var r *schema
	if reader != nil {
		r = &schema{kind: recordKind, fields: reader.rowFields()}
	}
	targets := make([]target, len(cols))
	for i, col := range cols {
		targets[i] = target{col.Name, col.Name, col.Type, into[i]}
	}
	var err error
	p.root, err = c.record(w, r, targets, namesOf(declared))
	return p, err
}

// target is where a field goes.
type target struct {
	name string // of the field
	path string // as messages show it
	typ  types.Type
	col  *column.Column
}

type compiler struct{ *program }

// record makes the node of a record with targets for some of its fields. asked are the
// names of all that may be asked of it.
func (c *compiler) record(w, r *schema, targets []target, asked []string) (*node, error) {
	n := &node{op: opStruct, schema: w, kids: make([]*node, len(w.fields))}
	for i := range w.fields {
		n.kids[i] = &node{op: opSkip, schema: w.fields[i].typ}
	}
	for _, t := range targets {
		at, rf, err := origin(w, r, t.name, asked)
		if err != nil {
			return nil, err
		}
		switch {
		case at >= 0 && n.kids[at].op != opSkip:
			return nil, fmt.Errorf("columns %q and %q are the same field", n.kids[at].name, t.path)
		case at >= 0:
			var rt *schema
			if rf != nil {
				rt = rf.typ
			}
			if n.kids[at], err = c.value(w.fields[at].typ, rt, t); err != nil {
				return nil, err
			}
		case rf != nil:
			d, err := c.constant(rf, t)
			if err != nil {
				return nil, err
			}
			n.kids = append(n.kids, d)
		default:
			n.kids = append(n.kids, &node{op: opNull, name: t.path, col: t.col})
		}
	}
	return n, nil
}

// origin finds the field of the writer's schema that a column is read from; −1 if there
// is none. The field of the reader's schema is nil if it has none.
func origin(w, r *schema, name string, asked []string) (at int, rf *schemaField, err error) {
	if r != nil {
		if i := find(r.fields, name, asked); i >= 0 {
			rf = &r.fields[i]
		}
	}
	if rf == nil {
		return find(w.fields, name, asked), nil, nil
	}
	for _, n := range append([]string{rf.name}, rf.aliases...) {
		at = slices.IndexFunc(w.fields, func(f schemaField) bool { return f.name == n })
		if at >= 0 {
			return at, rf, nil
		}
	}
	if rf.fallback == nil {
		return -1, nil, fmt.Errorf("it has no field %q, and avro_schema has no default for it", rf.name)
	}
	return -1, rf, nil
}

// namesOf are the names of columns.
func namesOf(cols []types.Column) []string {
	out := make([]string, len(cols))
	for i, c := range cols {
		out[i] = c.Name
	}
	return out
}

// find finds a field by its name: exactly, else regardless of case if that is unique and
// is not, as it is written, another one that is asked for.
func find(fields []schemaField, name string, asked []string) int {
	folded := -1
	for i, f := range fields {
		if f.name == name {
			return i
		}
		if strings.EqualFold(f.name, name) && !slices.Contains(asked, f.name) {
			if folded >= 0 {
				folded = len(fields)
			} else {
				folded = i
			}
		}
	}
	if folded == len(fields) {
		return -1
	}
	return folded
}

// constant makes the node of a field that only the reader's schema has.
func (c *compiler) constant(f *schemaField, t target) (*node, error) {
	kid, err := c.value(f.typ, nil, t)
	if err != nil {
		return nil, err
	}
	c.copied(t.col)
	return &node{op: opDefault, name: t.path, col: t.col, constant: f.fallback, kids: []*node{kid}}, nil
}

// copied says that text from elsewhere comes into a column.
func (c *compiler) copied(col *column.Column) {
	if col.Phys == types.PhysString {
		c.copies = append(c.copies, col)
	}
	for _, k := range col.Kids {
		c.copied(k)
	}
}

var errMisfit = errors.New("does not fit")

// value makes the node of a value.
func (c *compiler) value(w, r *schema, t target) (*node, error) {
	if w.kind == unionKind {
		return c.union(w, r, t)
	}
	w = promoted(w, chosen(r, w))
	n := &node{op: opSkip, name: t.path, typ: t.typ, col: t.col, schema: w}
	ok, err := c.choose(n, w, chosen(r, w), t)
	if err == nil && !ok {
		err = fmt.Errorf("field %q: %s %w %s%s", t.path, w, errMisfit, t.typ, advice(w, t.typ))
	}
	return n, err
}

// advice names the type to declare.
func advice(w *schema, t types.Type) string {
	better, err := w.sqlType(nil)
	if err != nil || better.Equal(t) {
		return ""
	}
	return "; declare it " + better.String()
}

// chosen is the branch of a reader's union that stands for a writer's type.
func chosen(r, w *schema) *schema {
	if r == nil || r.kind != unionKind {
		return r
	}
	for _, b := range r.branches {
		if b.kind == w.kind {
			return b
		}
	}
	for _, b := range r.branches {
		if promotes(w.kind, b.kind) {
			return b
		}
	}
	return nil
}

// promotes says whether Avro reads values of a type as those of another one.
func promotes(from, to kind) bool {
	switch from {
	case intKind:
		return to == longKind || to == floatKind || to == doubleKind
	case longKind:
		return to == floatKind || to == doubleKind
	case floatKind:
		return to == doubleKind
	case stringKind:
		return to == bytesKind
	case bytesKind:
		return to == stringKind
	}
	return false
}

// promoted is a writer's type with the meaning that the reader's gives to its bytes.
func promoted(w, r *schema) *schema {
	if r == nil || r.kind != w.kind && !(w.kind == intKind && r.kind == longKind) {
		return w
	}
	out := *w
	out.kind, out.logical, out.prec, out.scale = r.kind, r.logical, r.prec, r.scale
	return &out
}

// union makes the node of a union: its branches go to one column, or each to a member.
func (c *compiler) union(w, r *schema, t target) (*node, error) {
	n := &node{op: opUnion, name: t.path, typ: t.typ, col: t.col, schema: w}
	members := membersOf(w, t.typ)
	fits, at := 0, 0
	var first error
	for _, b := range w.branches {
		if b.kind == nullKind {
			n.kids = append(n.kids, &node{op: opNull, name: t.path, col: t.col, schema: b})
			fits++
			continue
		}
		var kid *node
		var err error
		if members {
			kid, err = c.memberNode(b, at, t)
			at++
		} else {
			kid, err = c.value(b, r, t)
		}
		if errors.Is(err, errMisfit) {
			first = errors.Join(first, err)
			kid = &node{op: opMisfit, name: t.path, schema: b, reason: fmt.Sprintf("%s does not fit %s", b, t.typ)}
		} else if err != nil {
			return nil, err
		} else {
			fits += 2
		}
		n.kids = append(n.kids, kid)
	}
	if fits < 2 && first != nil {
		return nil, first
	}
	return n, nil
}

// membersOf says whether a union is read into a STRUCT of its members.
func membersOf(w *schema, t types.Type) bool {
	if _, simple := w.nullable(); simple || t.Kind != types.Struct || len(t.Fields) != len(w.members()) {
		return false
	}
	for i, f := range t.Fields {
		if !strings.EqualFold(f.Name, memberName(i)) {
			return false
		}
	}
	return true
}

func (c *compiler) memberNode(b *schema, i int, t target) (*node, error) {
	kid, err := c.value(b, nil, target{"", t.path + "." + memberName(i), t.typ.Fields[i].Type, t.col.Kids[i]})
	return &node{op: opMember, name: t.path, col: t.col, schema: b, member: i, kids: []*node{kid}}, err
}
