package scalar

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// resolveTextSlice is the part of a text between two characters, both included, from 1 or
// negative from the end; without the second to the end.
func resolveTextSlice(args []fn.Arg) (fn.Impl, error) {
	return optional(2, text, slices(func(s []byte, args []*vec.Vector, r int) (int, int) {
		n := int64(runes(s))
		low, high := max(fromEnd(args[1].Int(r), n), 1), n
		if len(args) > 2 {
			high = min(fromEnd(args[2].Int(r), n), n)
		}
		if low > high {
			return 0, 0
		}
		from := runeIndex(s, int(low-1))
		return from, from + runeIndex(s[from:], int(high-low+1))
	}), text, bigint, bigint)(args)
}

// ofText picks another resolver where the first argument is a text.
func ofArray(onArray, other resolver) resolver {
	return func(args []fn.Arg) (fn.Impl, error) {
		if len(args) > 0 && args[0].Type.Kind == types.Array {
			return onArray(args)
		}
		return other(args)
	}
}

func ofText(onText, other resolver) resolver {
	return func(args []fn.Arg) (fn.Impl, error) {
		if len(args) > 0 && args[0].Type.Kind == types.String {
			return onText(args)
		}
		return other(args)
	}
}
