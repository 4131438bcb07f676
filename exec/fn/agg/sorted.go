package agg

import (
	"encoding/binary"
	"slices"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Sorted is an aggregate with ORDER BY inside its parentheses: array_agg(x ORDER BY y).
// Its arguments are those of inner, then the sort columns. It keeps all rows, ordered,
// and gives them to a new inner accumulator whenever the result is asked for: the cost
// of a result is the size of its group. Equal rows are ordered by the arguments, so
// that the order of arrival does not matter.
func Sorted(inner fn.AggImpl, keys []types.Type, orders []vec.Order) fn.AggImpl {
	return fn.AggImpl{
		Args:   append(slices.Clone(inner.Args), keys...),
		Result: inner.Result,
		New: func(bool) fn.Accumulator {
			return &sortedRows{inner: inner, orders: orders}
		},
	}
}

// sortedRows is the accumulator of Sorted. Its bag's keys are the sort keys, the key
// encodings of the arguments, and in the last four bytes the length of the former.
type sortedRows struct {
	valueBag
	inner  fn.AggImpl
	orders []vec.Order
}

// Add implements fn.Accumulator.
func (a *sortedRows) Add(rows fn.AggRows) error {
	n := len(a.inner.Args)
	each(rows, nil, func(g uint32, r int, w int64) {
		key := a.buf[:0]
		for i, o := range a.orders {
			key = vec.AppendSortKey(key, rows.Args[n+i], r, o)
		}
		head := len(key)
		key = vec.AppendRowKey(key, rows.Args[:n], r)
		a.buf = binary.BigEndian.AppendUint32(key, uint32(head))
		a.add(g, a.buf, w)
	})
	return nil
}

// Merge implements fn.Accumulator.
func (a *sortedRows) Merge(src fn.Accumulator, from, into []uint32) error {
	a.mergeBag(&sameKind[sortedRows](src).valueBag, from, into)
	return nil
}

// Result implements fn.Accumulator.
func (a *sortedRows) Result(groups []uint32, out *vec.Builder) error {
	acc := a.inner.New(false)
	acc.Grow(len(groups))
	numbers := make([]uint32, len(groups))
	args := vec.NewBuilders(a.inner.Args)
	for i, g := range groups {
		numbers[i] = uint32(i)
		if err := a.replay(g, uint32(i), args, acc); err != nil {
			return err
		}
	}
	return acc.Result(numbers, out)
}

// replay gives the rows of a group to acc, in order. args are scratch.
func (a *sortedRows) replay(group, number uint32, args []*vec.Builder, acc fn.Accumulator) error {
	for _, b := range args {
		b.Reset()
	}
	rows := fn.AggRows{Args: make([]*vec.Vector, len(args))}
	var failed error
	a.walk(group, func(key []byte, w int64) bool {
		end := len(key) - 4
		head := binary.BigEndian.Uint32(key[end:])
		failed = vec.DecodeRowKey(key[head:end], args)
		rows.W = append(rows.W, w)
		rows.Groups = append(rows.Groups, number)
		return failed == nil
	})
	if failed != nil || len(rows.Groups) == 0 {
		return failed
	}
	for i, b := range args {
		rows.Args[i] = b.Finish()
	}
	return acc.Add(rows)
}
