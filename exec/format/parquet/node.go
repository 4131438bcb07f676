package parquet

import (
	"fmt"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"

	"github.com/sqlstream/sqlstream/exec/format/column"
	"github.com/sqlstream/sqlstream/exec/types"
)

// node is a declared column, or a part of a nested one, bound to a file.
type node struct {
	typ   types.Type
	first *leaf // whose levels tell about this node; nil = not in the file: NULL
	kids  []*node
	// def is the definition level from which on the node is not NULL. Of a list or map,
	// elem is the level from which on there is an element, rep its repetition level.
	def, elem, rep byte
	flat           bool
	col            *column.Column // nested columns are assembled here
}

// binder binds declared columns to one file, and collects the leaves to read.
type binder struct {
	leaves []*leaf
	index  []int
}

// mismatch says that a column of the file cannot be read as it is declared.
type mismatch struct{ column, file, declared string }

func (e *mismatch) Error() string {
	return fmt.Sprintf("column %q is %s in the file, which cannot be read as %s", e.column, e.file, e.declared)
}

// bind matches a column of the file with a declared type. The errors name the column.
func (b *binder) bind(name string, c *parquet.Column, t types.Type) (*node, error) {
	n := &node{typ: t, def: byte(c.MaxDefinitionLevel())}
	if c.Repeated() {
		// A repeated column outside of a LIST is a list of its own (protobuf, thrift).
		return n, b.bindRepeated(n, name, c, c, t)
	}
	var err error
	switch {
	case c.Leaf():
		err = b.bindLeaf(n, name, c, t)
	case t.Kind == types.Struct && logicalName(c) == "":
		err = b.bindStruct(n, name, c, t)
	case t.Kind == types.Array && logicalName(c) == "LIST" && len(c.Columns()) == 1 && c.Columns()[0].Repeated():
		list := c.Columns()[0]
		err = b.bindRepeated(n, name, list, element(c, list), t)
	case t.Kind == types.Map && logicalName(c) == "MAP" && len(c.Columns()) == 1 && len(c.Columns()[0].Columns()) == 2:
		err = b.bindMap(n, name, c.Columns()[0], t)
	default:
		err = &mismatch{name, describe(c), t.String()}
	}
	return n, err
}

func (b *binder) bindLeaf(n *node, name string, c *parquet.Column, t types.Type) error {
	s, err := typeOf(c.Type())
	if err != nil {
		return fmt.Errorf("column %q: %w", name, err)
	}
	conv, ok := s.convert(t)
	if !ok {
		return &mismatch{name, describe(c), t.String()}
	}
	n.first = b.leaf(name, c)
	n.first.conv = conv
	return nil
}

// leaf adds a cursor over a leaf column.
func (b *binder) leaf(name string, c *parquet.Column) *leaf {
	l := &leaf{name: name, maxDef: byte(c.MaxDefinitionLevel()), maxRep: byte(c.MaxRepetitionLevel())}
	b.leaves = append(b.leaves, l)
	b.index = append(b.index, c.Index())
	return l
}

func (b *binder) bindStruct(n *node, name string, c *parquet.Column, t types.Type) error {
	for _, f := range t.Fields {
		sub, err := child(c, f.Name, func(n string) bool {
			return slices.ContainsFunc(t.Fields, func(x types.Field) bool { return x.Name == n })
		})
		if err != nil {
			return fmt.Errorf("column %q: %w", name, err)
		}
		kid := &node{typ: f.Type}
		if sub != nil {
			if kid, err = b.bind(name+"."+f.Name, sub, f.Type); err != nil {
				return err
			}
		}
		n.kids = append(n.kids, kid)
		if n.first == nil {
			n.first = kid.first
		}
	}
	if n.first == nil {
		n.first = b.leaf(name, firstLeaf(c)) // for its levels alone
	}
	return nil
}

func firstLeaf(c *parquet.Column) *parquet.Column {
	for !c.Leaf() {
		c = c.Columns()[0]
	}
	return c
}

// bindRepeated binds a list whose repeated level is list and whose elements are elem
// (list itself in the two-level layouts of old writers).
func (b *binder) bindRepeated(n *node, name string, list, elem *parquet.Column, t types.Type) error {
	if t.Kind != types.Array {
		return &mismatch{name, describe(list), t.String()}
	}
	n.elem, n.rep = byte(list.MaxDefinitionLevel()), byte(list.MaxRepetitionLevel())
	if n.def >= n.elem {
		n.def = n.elem - 1 // a list without a group around it is never NULL
	}
	var kid *node
	var err error
	if elem == list {
		kid, err = b.bindPlain(name+"[]", elem, *t.Elem)
	} else {
		kid, err = b.bind(name+"[]", elem, *t.Elem)
	}
	if err != nil {
		return err
	}
	n.kids, n.first = []*node{kid}, kid.first
	return nil
}

// bindPlain is bind for a repeated column that is taken as its own element.
func (b *binder) bindPlain(name string, c *parquet.Column, t types.Type) (*node, error) {
	n := &node{typ: t, def: byte(c.MaxDefinitionLevel())}
	switch {
	case c.Leaf():
		return n, b.bindLeaf(n, name, c, t)
	case t.Kind == types.Struct:
		return n, b.bindStruct(n, name, c, t)
	}
	return nil, &mismatch{name, describe(c), t.String()}
}

// element finds the element of a LIST, by the rules of the Parquet specification for
// files of older writers.
func element(outer, list *parquet.Column) *parquet.Column {
	switch {
	case list.Leaf(), len(list.Columns()) != 1, list.Name() == "array", list.Name() == outer.Name()+"_tuple":
		return list
	}
	return list.Columns()[0]
}

func (b *binder) bindMap(n *node, name string, entries *parquet.Column, t types.Type) error {
	n.elem, n.rep = byte(entries.MaxDefinitionLevel()), byte(entries.MaxRepetitionLevel())
	for i, part := range []types.Type{*t.Key, *t.Elem} {
		kid, err := b.bind(name+[]string{" key", "{}"}[i], entries.Columns()[i], part)
		if err != nil {
			return err
		}
		n.kids = append(n.kids, kid)
	}
	n.first = n.kids[0].first
	return nil
}

// child finds a column by name: exactly, else regardless of case if that is unique and is
// not, as it is written, another one that is asked for; nil = there is none.
func child(c *parquet.Column, name string, asked func(string) bool) (*parquet.Column, error) {
	var found *parquet.Column
	for _, k := range c.Columns() {
		if k.Name() == name {
			return k, nil
		}
	}
	for _, k := range c.Columns() {
		if !strings.EqualFold(k.Name(), name) || asked(k.Name()) {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("the file has both %q and %q, neither is %q", found.Name(), k.Name(), name)
		}
		found = k
	}
	return found, nil
}

// logicalName is LIST, MAP or "" for a group.
func logicalName(c *parquet.Column) string {
	lt := c.Type().LogicalType()
	if lt == nil || lt.Value == nil {
		if s := c.Type().String(); s == "LIST" || s == "MAP" {
			return s
		}
		return ""
	}
	return strings.ToUpper(strings.TrimSuffix(lt.Value.String(), "()"))
}

// describe is the type of a file's column in SQL, as far as we have it.
func describe(c *parquet.Column) string {
	t, err := sqlType(c)
	if err != nil {
		return "of a type that SQL does not have (" + c.Type().String() + ")"
	}
	return t.String()
}

// sqlType is the SQL type of a column of a file.
func sqlType(c *parquet.Column) (types.Type, error) {
	if c.Repeated() {
		t, err := plainType(c)
		return types.ArrayOf(t), err
	}
	return plainType(c)
}

func plainType(c *parquet.Column) (types.Type, error) {
	if c.Leaf() {
		s, err := typeOf(c.Type())
		return s.typ, err
	}
	switch name := logicalName(c); {
	case name == "LIST" && len(c.Columns()) == 1:
		list := c.Columns()[0]
		e := element(c, list)
		if e == list {
			t, err := plainType(e)
			return types.ArrayOf(t), err
		}
		t, err := sqlType(e)
		return types.ArrayOf(t), err
	case name == "MAP" && len(c.Columns()) == 1 && len(c.Columns()[0].Columns()) == 2:
		kv := c.Columns()[0].Columns()
		k, err := sqlType(kv[0])
		if err != nil {
			return k, err
		}
		v, err := sqlType(kv[1])
		return types.MapOf(k, v), err
	}
	var fields []types.Field
	for _, k := range c.Columns() {
		t, err := sqlType(k)
		if err != nil {
			return t, fmt.Errorf("field %q: %w", k.Name(), err)
		}
		fields = append(fields, types.Field{Name: k.Name(), Type: t})
	}
	return types.StructOf(fields...), nil
}
