package avro

import (
	"math"
	"slices"

	"github.com/sqlstream/sqlstream/exec/format/column"
	"github.com/sqlstream/sqlstream/exec/types"
)

// choose finds how a value goes into its column: of the same type, or of one that holds
// every value, or to which Avro promotes it. ok is false if there is no way.
func (c *compiler) choose(n *node, w, r *schema, t target) (ok bool, err error) {
	to := t.typ
	switch k := w.kind; {
	case w.logical == "decimal" && (k == bytesKind || k == fixedKind) && to.Kind == types.Decimal:
		return n.decimal(w, to), nil
	case w.isUUID() && (to.Kind == types.String || to.Kind == types.UUID):
		n.op = opUUID
		c.copied(t.col)
		return true, nil
	case k == nullKind:
		n.op = opNull
	case k == booleanKind && to.Kind == types.Bool:
		n.op = opBool
	case k == intKind || k == longKind:
		return n.whole(w, to), nil
	case k == floatKind && to.IsFloat():
		n.op = opFloat
	case k == doubleKind && to.Kind == types.Float64:
		n.op = opDouble
	case (k == stringKind || k == bytesKind) && column.Parses(to):
		n.op = opParsed
		c.copied(t.col)
	case k == stringKind || k == bytesKind:
		return n.text(k, to), nil
	case k == fixedKind && to.Kind == types.Bytes:
		n.op = opFixed
	case k == enumKind && to.Kind == types.String:
		n.enum(w, r)
		c.copied(t.col)
	default:
		return c.nested(n, w, r, t)
	}
	return true, nil
}

// whole chooses for int and long.
func (n *node) whole(w *schema, to types.Type) bool {
	raw := opLong
	if w.kind == intKind {
		raw = opInt
	}
	switch date, unit := w.kind == intKind && w.logical == "date", w.unit(); {
	case date && to.Kind == types.Date:
		n.op = opInt
	case date && to.Kind == types.TimestampNTZ:
		n.op, n.mul = opScaled, 86_400e6
	case unit != 0 && to.Kind == types.Timestamp, unit != 0 && w.local() && to.Kind == types.TimestampNTZ:
		n.instant(unit)
	case to.Kind == types.Time && w.clock() != 0:
		if n.op, n.mul = opScaled, 1; w.clock() == 1e3 {
			n.mul = 1000
		}
	case to.Kind == types.Int64, w.kind == intKind && to.Kind == types.Int32:
		n.op = raw
	case w.kind == intKind && to.IsInteger():
		n.op, n.most = opInt, map[types.Kind]int64{types.Int8: math.MaxInt8, types.Int16: math.MaxInt16}[to.Kind]
	case to.IsFloat():
		n.op, n.round = opIntFloat, to.Kind == types.Float32
	case to.Kind == types.Decimal:
		digits := 19
		if w.kind == intKind {
			digits = 10
		}
		n.op, n.up = opIntDec, int(to.Scale)
		return int(to.Prec)-int(to.Scale) >= digits
	default:
		return false
	}
	return true
}

// instant chooses for timestamps of a unit.
func (n *node) instant(unit int64) {
	switch unit {
	case 1e3:
		n.op, n.mul = opScaled, 1000
	case 1e9:
		n.op, n.div = opShrunk, 1000
	default:
		n.op = opLong
	}
}

func (n *node) text(k kind, to types.Type) bool {
	switch {
	case to.Kind == types.String && k == stringKind:
		n.op = opText
	case to.Kind == types.String:
		n.op = opTextCheck
	case to.Kind == types.Bytes:
		n.op = opBytes
	default:
		return false
	}
	return true
}

func (n *node) decimal(w *schema, to types.Type) bool {
	n.op, n.up = opDecimal, int(to.Scale)-w.scale
	return n.up >= 0 && int(to.Prec)-int(to.Scale) >= w.prec-w.scale
}

// enum gives the writer's symbols the meaning that the reader's schema has for them.
func (n *node) enum(w, r *schema) {
	n.op = opEnum
	for _, s := range w.symbols {
		text := []byte(s)
		if r != nil && r.kind == enumKind && !slices.Contains(r.symbols, s) {
			text = nil
			if r.hasFallback {
				text = []byte(r.fallback)
			}
		}
		n.symbols = append(n.symbols, text)
	}
}

// nested chooses for arrays, maps and records.
func (c *compiler) nested(n *node, w, r *schema, t target) (ok bool, err error) {
	if r != nil && r.kind != w.kind {
		r = nil
	}
	items := func(t target) {
		var ri *schema
		if r != nil {
			ri = r.items
		}
		n.kids = make([]*node, 1)
		n.kids[0], err = c.value(w.items, ri, t)
	}
	switch {
	case w.kind == arrayKind && t.typ.Kind == types.Array:
		n.op = opArray
		items(target{"", t.path + "[]", *t.typ.Elem, t.col.Kids[0]})
	case w.kind == mapKind && t.typ.Kind == types.Map && t.typ.Key.Kind == types.String:
		n.op = opMap
		items(target{"", t.path + "{}", *t.typ.Elem, t.col.Kids[1]})
	case w.kind == recordKind && t.typ.Kind == types.Struct:
		var targets []target
		var asked []string
		for i, f := range t.typ.Fields {
			targets = append(targets, target{f.Name, t.path + "." + f.Name, f.Type, t.col.Kids[i]})
			asked = append(asked, f.Name)
		}
		rec, err := c.record(w, r, targets, asked)
		if err != nil {
			return false, err
		}
		n.op, n.kids = opStruct, rec.kids
	default:
		return false, nil
	}
	return true, err
}
