package scalar

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"math/bits"
	"strings"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func bitwise() []*fn.Scalar {
	return []*fn.Scalar{
		bitOp("&", "$bit_and", "Is the bitwise AND of two integers.", "5 & 3", "1", func(a, b int64) int64 { return a & b }),
		bitOp("|", "$bit_or", "Is the bitwise OR of two integers.", "5 | 3", "7", func(a, b int64) int64 { return a | b }),
		bitOp("xor", "$bit_xor", "Is the bitwise exclusive OR of two integers.", "xor(5, 3)", "6", func(a, b int64) int64 { return a ^ b }),
		{
			Name: "~", Aliases: []string{"bit_not"}, Group: "Bits", Syntax: []string{"~a"}, Doc: "Inverts the bits of an integer.",
			Examples: []fn.Example{{SQL: "~5", Want: "-6"}, {SQL: "bit_not(NULL)", Want: "NULL"}}, Resolve: resolveBitNot,
		},
		shiftOp("shiftleft", "<<", "Moves the bits of an INT or BIGINT to the left.", "1 << 4", "16", func(a int64, n uint, wide bool) int64 {
			if wide {
				return a << (n & 63)
			}
			return int64(int32(a) << (n & 31))
		}),
		shiftOp("shiftright", ">>", "Moves the bits of an INT or BIGINT to the right, keeping the sign.", "-5 >> 1", "-3", func(a int64, n uint, wide bool) int64 {
			if wide {
				return a >> (n & 63)
			}
			return a >> (n & 31)
		}),
		shiftOp("shiftrightunsigned", ">>>", "Moves the bits of an INT or BIGINT to the right, filling with zeros.", "shiftrightunsigned(-1, 28)", "15", func(a int64, n uint, wide bool) int64 {
			if wide {
				return int64(uint64(a) >> (n & 63))
			}
			return int64(int32(uint32(a) >> (n & 31)))
		}),
		{
			Name: "bit_count", Group: "Bits", Syntax: []string{"bit_count(a)"}, Doc: "Counts the bits that are set, of a negative number in 64 bits; true has one. Of BYTES it counts those of all bytes.",
			Examples: []fn.Example{{SQL: "bit_count(5)", Want: "2"}, {SQL: "bit_count(unhex('03ff'))", Want: "10"}, {SQL: "bit_count(NULL)", Want: "NULL"}},
			Resolve:  resolveBitCount,
		},
		{
			Name: "getbit", Aliases: []string{"bit_get"}, Group: "Bits", Syntax: []string{"getbit(a, n)"}, Doc: "Is bit n of an integer, from 0 at the right; an error if its type has fewer.",
			Examples: []fn.Example{{SQL: "getbit(5, 2)", Want: "1"}, {SQL: "getbit(NULL, 0)", Want: "NULL"}},
			Resolve:  resolveGetbit,
		},
	}
}

func bitOp(name, alias, doc, example, want string, f func(a, b int64) int64) *fn.Scalar {
	return &fn.Scalar{
		Name: name, Aliases: []string{alias}, Group: "Bits", Syntax: []string{"a " + name + " b"}, Doc: doc,
		Examples: []fn.Example{{SQL: example, Want: want}, {SQL: fmt.Sprintf("%s + NULL", example), Want: "NULL"}},
		Resolve: func(args []fn.Arg) (fn.Impl, error) {
			if err := arity(args, 2, 2); err != nil {
				return fn.Impl{}, err
			}
			t, err := common(args, 0)
			if err != nil || !t.IsInteger() && t.Kind != types.Null {
				return fn.Impl{}, mismatch(args, 0, "integer")
			}
			if t.Kind == types.Null {
				t = integer
			}
			eval := ints(t, func(args []*vec.Vector, r int) int64 { return f(args[0].Int(r), args[1].Int(r)) })
			return fn.Impl{Args: []types.Type{t, t}, Result: t, Eval: eval}, nil
		},
	}
}

func resolveBitNot(args []fn.Arg) (fn.Impl, error) {
	if err := arity(args, 1, 1); err != nil {
		return fn.Impl{}, err
	}
	t := args[0].Type
	if t.Kind == types.Null {
		t = integer
	}
	if !t.IsInteger() {
		return fn.Impl{}, mismatch(args, 0, "integer")
	}
	return fn.Impl{Args: []types.Type{t}, Result: t, Eval: ints(t, func(args []*vec.Vector, r int) int64 { return ^args[0].Int(r) })}, nil
}

func shiftOp(name, alias, doc, example, want string, f func(a int64, n uint, wide bool) int64) *fn.Scalar {
	return &fn.Scalar{
		Name: name, Aliases: []string{alias}, Group: "Bits", Syntax: []string{name + "(a, n)", "a " + alias + " n"}, Doc: doc,
		Examples: []fn.Example{{SQL: example, Want: want}, {SQL: name + "(NULL, 1)", Want: "NULL"}},
		Resolve: func(args []fn.Arg) (fn.Impl, error) {
			t, wide := integer, false
			if len(args) == 2 && args[0].Type.Kind == types.Int64 {
				t, wide = bigint, true
			}
			return fixed(t, ints(t, func(args []*vec.Vector, r int) int64 {
				return f(args[0].Int(r), uint(args[1].Int(r)), wide)
			}), t, integer)(args)
		},
	}
}

func resolveBitCount(args []fn.Arg) (fn.Impl, error) {
	if len(args) == 1 && args[0].Type.Kind == types.Bool {
		return fixed(integer, ints(integer, func(args []*vec.Vector, r int) int64 { return int64(truth(args[0].IsTrue(r))) }), boolean)(args)
	}
	if len(args) == 1 && args[0].Type.Kind == types.Bytes {
		return fixed(bigint, ints(bigint, func(args []*vec.Vector, r int) int64 { return bitsIn(args[0].Bytes(r)) }), blob)(args)
	}
	return fixed(integer, ints(integer, func(args []*vec.Vector, r int) int64 { return int64(bits.OnesCount64(uint64(args[0].Int(r)))) }), bigint)(args)
}

func resolveGetbit(args []fn.Arg) (fn.Impl, error) {
	width := int64(64)
	if len(args) > 0 {
		switch args[0].Type.Kind {
		case types.Int8:
			width = 8
		case types.Int16:
			width = 16
		case types.Int32:
			width = 32
		}
	}
	return fixed(tinyint, func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(tinyint, rows.N)
		err := try(rows, func(r int) error {
			n := args[1].Int(r)
			if n < 0 || n >= width {
				return c.Fail(out, r, "getbit", fmt.Sprint(n), "no such bit")
			}
			out.I64[r] = args[0].Int(r) >> uint(n) & 1
			return nil
		})
		return out, err
	}, bigint, integer)(args)
}

func miscellany() []*fn.Scalar {
	return []*fn.Scalar{
		{
			Name: "uuid", Aliases: []string{"gen_random_uuid"}, Group: "Text", Volatility: fn.Volatile, Syntax: []string{"uuid()"}, Doc: "Is a random UUID (version 4), another one for each row.",
			Resolve: fixed(text, func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
				return texts(func(dst []byte, _ []*vec.Vector, _ int) []byte { return appendUUID(dst, next(c), next(c)) })(c, args, rows)
			}),
		},
		{
			Name: "typeof", Aliases: []string{"pg_typeof"}, Group: "Types", Nulls: fn.Custom, Syntax: []string{"typeof(a)"}, Doc: "Names the type of an expression, in lower case.",
			Examples: []fn.Example{{SQL: "typeof(1.5)", Want: "decimal(2,1)"}, {SQL: "typeof(NULL)", Want: "null"}},
			Resolve: func(args []fn.Arg) (fn.Impl, error) {
				if err := arity(args, 1, 1); err != nil {
					return fn.Impl{}, err
				}
				name := typeName(args[0].Type)
				eval := texts(func(dst []byte, _ []*vec.Vector, _ int) []byte { return append(dst, name...) })
				return fn.Impl{Args: argTypes(args), Result: text, Eval: eval}, nil
			},
		},
	}
}

// typeName is the type in lower case; names of fields keep theirs.
func typeName(t types.Type) string {
	switch t.Kind {
	case types.Array:
		return "array<" + typeName(*t.Elem) + ">"
	case types.Map:
		return "map<" + typeName(*t.Key) + "," + typeName(*t.Elem) + ">"
	case types.Struct:
		parts := make([]string, len(t.Fields))
		for i, f := range t.Fields {
			parts[i] = f.Name + ":" + typeName(f.Type)
		}
		return "struct<" + strings.Join(parts, ",") + ">"
	}
	return strings.ToLower(t.String())
}

// next is the next number of the context's generator (SplitMix64), which seeds itself
// unless the owner has done so.
func next(c *fn.Ctx) uint64 {
	if c.Seed == 0 {
		var b [8]byte
		_, _ = rand.Read(b[:]) // it never fails
		c.Seed = binary.LittleEndian.Uint64(b[:]) | 1
	}
	c.Seed += 0x9e3779b97f4a7c15
	z := c.Seed
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func appendUUID(dst []byte, hi, lo uint64) []byte {
	hi = hi&^(0xf<<12) | 4<<12
	lo = lo&^(3<<62) | 2<<62
	return fmt.Appendf(dst, "%08x-%04x-%04x-%04x-%012x", hi>>32, hi>>16&0xffff, hi&0xffff, lo>>48, lo&0xffffffffffff)
}
