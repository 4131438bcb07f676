package vec

import (
	"bytes"
	"cmp"

	"github.com/sqlstream/sqlstream/exec/types"
)

// NullOrder says where NULLs sort.
type NullOrder uint8

// The null orders. By default NULL is the smallest value: first ascending, last
// descending.
const (
	NullsDefault NullOrder = iota
	NullsFirst
	NullsLast
)

// Order is the direction of a sort column.
type Order struct {
	Desc  bool
	Nulls NullOrder
}

// NullsFirst tells whether NULLs come before other values under the order.
func (o Order) NullsFirst() bool {
	if o.Nulls == NullsDefault {
		return !o.Desc
	}
	return o.Nulls == NullsFirst
}

// Equal reports whether two values of the same type are one group: NULL = NULL, NaN
// = NaN and −0.0 = 0.0, at any depth; maps are equal when they have the same entries
// in any order, intervals when all three parts are equal.
func Equal(a *Vector, ra int, b *Vector, rb int) bool { return equal(a, ra, b, rb, false) }

// Same is Equal as the operators of SQL mean it: intervals are the same when they have one
// length, 1 day and 24:00:00, at any depth.
func Same(a *Vector, ra int, b *Vector, rb int) bool { return equal(a, ra, b, rb, true) }

func equal(a *Vector, ra int, b *Vector, rb int, lengths bool) bool {
	na, nb := a.IsNull(ra), b.IsNull(rb)
	if na || nb {
		return na && nb
	}
	fa, ia := a.At(ra)
	fb, ib := b.At(rb)
	switch fa.Type.Phys() {
	case types.PhysInt64:
		return fa.I64[ia] == fb.I64[ib]
	case types.PhysString:
		return string(fa.Bytes(ia)) == string(fb.Bytes(ib))
	}
	return compareValues(fa, ia, fb, ib, lengths) == 0
}

// Rank is Compare in which what Same calls equal is equal.
func Rank(a *Vector, ra int, b *Vector, rb int) int { return compare(a, ra, b, rb, true) }

// EqualRows reports whether two rows are one group.
func EqualRows(a []*Vector, ra int, b []*Vector, rb int) bool {
	for i := range a {
		if !Equal(a[i], ra, b[i], rb) {
			return false
		}
	}
	return true
}

// Compare is the total order of the values of a type, −1, 0 or 1: NULL is smallest,
// NaN above +∞, text by bytes, arrays and structs element by element, intervals by
// length (a month as 30 days, a day as 24 hours), then by parts. It is 0 exactly when
// Equal holds, and agrees with the order of AppendKey's bytes.
func Compare(a *Vector, ra int, b *Vector, rb int) int { return compare(a, ra, b, rb, false) }

func compare(a *Vector, ra int, b *Vector, rb int, lengths bool) int {
	na, nb := a.IsNull(ra), b.IsNull(rb)
	if na || nb {
		return boolInt(nb) - boolInt(na)
	}
	fa, ia := a.At(ra)
	fb, ib := b.At(rb)
	return compareValues(fa, ia, fb, ib, lengths)
}

// CompareOrder is Compare under a sort column's direction.
func CompareOrder(a *Vector, ra int, b *Vector, rb int, o Order) int {
	na, nb := a.IsNull(ra), b.IsNull(rb)
	if na || nb {
		c := boolInt(nb) - boolInt(na)
		if o.NullsFirst() {
			return c
		}
		return -c
	}
	fa, ia := a.At(ra)
	fb, ib := b.At(rb)
	c := compareValues(fa, ia, fb, ib, false)
	if o.Desc {
		return -c
	}
	return c
}

// CompareRows compares rows column by column; orders may be nil or shorter than the
// columns, the rest is ascending.
func CompareRows(a []*Vector, ra int, b []*Vector, rb int, orders []Order) int {
	for i := range a {
		var o Order
		if i < len(orders) {
			o = orders[i]
		}
		if c := CompareOrder(a[i], ra, b[i], rb, o); c != 0 {
			return c
		}
	}
	return 0
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// compareValues compares elements of flat storage that are not NULL.
func compareValues(a *Vector, i int, b *Vector, j int, lengths bool) int {
	switch a.Type.Phys() {
	case types.PhysBool:
		return cmp.Compare(a.Bool[i]&1, b.Bool[j]&1)
	case types.PhysInt64:
		return cmp.Compare(a.I64[i], b.I64[j])
	case types.PhysFloat64:
		return CompareFloat(a.F64[i], b.F64[j])
	case types.PhysInt128:
		return a.I128[i].Cmp(b.I128[j])
	case types.PhysInterval:
		if lengths {
			return a.Iv[i].Span().Cmp(b.Iv[j].Span())
		}
		return a.Iv[i].Cmp(b.Iv[j])
	case types.PhysString:
		return bytes.Compare(a.Bytes(i), b.Bytes(j))
	case types.PhysStruct:
		return compareStructs(a, i, b, j, lengths)
	case types.PhysList:
		if a.Type.Kind == types.Map {
			return bytes.Compare(appendMapKey(nil, a, i, lengths), appendMapKey(nil, b, j, lengths))
		}
		return compareLists(a, i, b, j, lengths)
	}
	return 0
}

// CompareFloat is the order of FLOAT and DOUBLE: −0.0 = 0.0, NaN = NaN and above +∞.
func CompareFloat(x, y float64) int {
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	case x == y:
		return 0
	}
	return boolInt(x != x) - boolInt(y != y)
}

func compareStructs(a *Vector, i int, b *Vector, j int, lengths bool) int {
	for k := range a.Child {
		if c := compare(a.Child[k], i, b.Child[k], j, lengths); c != 0 {
			return c
		}
	}
	return 0
}

func compareLists(a *Vector, i int, b *Vector, j int, lengths bool) int {
	x, xEnd := int(a.Off[i]), int(a.Off[i+1])
	y, yEnd := int(b.Off[j]), int(b.Off[j+1])
	for x < xEnd && y < yEnd {
		if c := compare(a.Child[0], x, b.Child[0], y, lengths); c != 0 {
			return c
		}
		x++
		y++
	}
	return cmp.Compare(xEnd-x, yEnd-y)
}
