package scalar

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// atMode is how an index outside the array, and the first index, are treated.
type atMode uint8

const (
	atSubscript atMode = iota // from 1, NULL outside
	atStrict                  // from 1, an error outside
	atZero                    // from 0, NULL outside
	atPlain                   // from 1, NULL outside, 0 included
)

func resolveAt(mode atMode) resolver {
	return func(args []fn.Arg) (fn.Impl, error) {
		if err := arity(args, 2, 2); err != nil {
			return fn.Impl{}, err
		}
		t := args[0].Type
		switch {
		case t.Kind == types.Map && mode != atZero:
			if !types.CanCoerce(args[1].Type, *t.Key) {
				if t.Key.Kind == types.Array {
					return fn.Impl{}, fmt.Errorf("needs a key, which is %s, got %s: a map of two arrays is map_from_arrays(keys, values)", t.Key, args[1].Type)
				}
				return fn.Impl{}, mismatch(args, 1, t.Key.String())
			}
			return fn.Impl{Args: []types.Type{t, *t.Key}, Result: *t.Elem, Eval: built(*t.Elem, mapAt)}, nil
		case t.Kind == types.JSON && mode == atSubscript:
			return resolveJSONAt(args)
		case t.Kind == types.Struct && (mode == atSubscript || mode == atPlain):
			return structAt(args)
		}
		t, err := arrayArg(args, 0)
		if err != nil {
			return fn.Impl{}, err
		}
		if !types.CanCoerce(args[1].Type, bigint) {
			return fn.Impl{}, mismatch(args, 1, "BIGINT")
		}
		if k := args[1].Const; mode == atSubscript && k != nil && k.Type.IsInteger() && !k.IsNull(0) && k.Int(0) == 0 {
			return fn.Impl{}, fmt.Errorf("takes no element 0: arrays count from 1; write get(a, 0) for Spark's a[0]")
		}
		return fn.Impl{Args: []types.Type{t, bigint}, Result: *t.Elem, Eval: arrayAt(*t.Elem, mode)}, nil
	}
}

func arrayAt(elem types.Type, mode atMode) fn.Kernel {
	return tryBuilt(elem, func(b *vec.Builder, args []*vec.Vector, r int) error {
		if args[0].IsNull(r) || args[1].IsNull(r) {
			b.AppendNull()
			return nil
		}
		f, from, to := list(args[0], r)
		i := args[1].Int(r)
		at := int64(from) + i
		switch {
		case mode == atZero && i < 0:
			at = -1
		case mode != atZero && i < 0:
			at = int64(to) + i
		case mode != atZero:
			at--
		}
		if at >= int64(from) && at < int64(to) && (i != 0 || mode == atZero) {
			b.AppendFrom(f.Child[0], int(at))
			return nil
		}
		if mode == atStrict {
			return &fn.DataError{Func: "element_at", Value: fmt.Sprint(i), Row: r, Msg: fmt.Sprintf("the array has %d elements; try_element_at gives NULL", to-from)}
		}
		b.AppendNull()
		return nil
	})
}

// resolveJSONAt finds a member of a JSON object, or an element of a JSON array from 0, as JSON.
func resolveJSONAt(args []fn.Arg) (fn.Impl, error) {
	impl := fn.Impl{Args: []types.Type{document, text}, Result: document}
	member := args[1].Type.Kind == types.String || args[1].Type.Kind == types.Null
	if !member {
		impl.Args[1] = bigint
		if !types.CanCoerce(args[1].Type, bigint) {
			return fn.Impl{}, mismatch(args, 1, "STRING or BIGINT")
		}
	}
	impl.Eval = bytesOf(document, func(dst []byte, args []*vec.Vector, r int) []byte {
		if args[0].IsNull(r) || args[1].IsNull(r) {
			return nil
		}
		path := [1]jsonStep{{kind: '['}}
		if member {
			path[0] = jsonStep{kind: '.', name: args[1].Text(r)}
		} else {
			path[0].index = int(args[1].Int(r))
		}
		return appendFound(dst, lookup(args[0].Bytes(r), path[:]), false)
	})
	return impl, nil
}

func mapAt(b *vec.Builder, args []*vec.Vector, r int) {
	if !args[0].IsNull(r) && !args[1].IsNull(r) {
		f, from, to := list(args[0], r)
		for e := to - 1; e >= from; e-- { // a later entry of the same key wins
			if vec.Same(f.Child[0], e, args[1], r) {
				b.AppendFrom(f.Child[1], e)
				return
			}
		}
	}
	b.AppendNull()
}

// resolveSlice takes a length as last argument, or with end a last place.
func resolveSlice(end bool) resolver {
	return func(args []fn.Arg) (fn.Impl, error) {
		t, err := firstArg(args, 3, 3, arrayArg)
		if err != nil {
			return fn.Impl{}, err
		}
		return fixed(t, tryBuilt(t, func(b *vec.Builder, args []*vec.Vector, r int) error {
			if err := sliceBounds(args, r); err != nil && !end {
				return err
			}
			f, from, to := list(args[0], r)
			lo := place(args[1].Int(r), from, to)
			hi := place(args[2].Int(r), from, to) + 1
			if !end {
				hi = lo + int(max(min(args[2].Int(r), int64(to-from)), 0))
			}
			for e := max(lo, from); e < min(hi, to) && (end || lo >= from); e++ {
				b.Child(0).AppendFrom(f.Child[0], e)
			}
			b.EndList()
			return nil
		}), t, bigint, bigint)(args)
	}
}

// sliceBounds refuses the start 0 and a negative length, as Spark does.
func sliceBounds(args []*vec.Vector, r int) error {
	switch {
	case !args[1].IsNull(r) && args[1].Int(r) == 0:
		return &fn.DataError{Func: "slice", Value: "0", Row: r, Msg: "the start is 0: places count from 1, or from -1 at the end"}
	case !args[2].IsNull(r) && args[2].Int(r) < 0:
		return &fn.DataError{Func: "slice", Value: fmt.Sprint(args[2].Int(r)), Row: r, Msg: "the length is negative"}
	}
	return nil
}

// place turns an index from 1, or negative from the end, into an element number.
func place(i int64, from, to int) int {
	if i < 0 {
		return to + int(max(i, -1<<40))
	}
	return from + int(min(i, 1<<40)) - 1
}
