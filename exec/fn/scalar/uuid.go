package scalar

import (
	"encoding/binary"
	"unicode"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

var uuid = types.Of(types.UUID)

// uuids make and read values of the type UUID; uuid() makes text, as in Spark.
func uuids() []*fn.Scalar {
	return []*fn.Scalar{
		{
			Name: "uuidv4", Group: "UUID", Volatility: fn.Volatile, Syntax: []string{"uuidv4()"}, Doc: "Is a random UUID (version 4), another one for each row.",
			Resolve: fixed(uuid, func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
				return bytesOf(uuid, func(dst []byte, _ []*vec.Vector, _ int) []byte { return appendID(dst, 4, next(c), next(c)) })(c, args, rows)
			}),
		},
		{
			Name: "uuidv7", Group: "UUID", Volatility: fn.Volatile, Syntax: []string{"uuidv7()"}, Doc: "Is a UUID (version 7) of the trigger's time and chance, another one for each row; later ones are greater, to the millisecond.",
			Resolve: fixed(uuid, func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
				ms := uint64(types.FloorDiv(c.Now, 1000))
				return bytesOf(uuid, func(dst []byte, _ []*vec.Vector, _ int) []byte {
					return appendID(dst, 7, ms<<16|next(c)&0xffff, next(c))
				})(c, args, rows)
			}),
		},
		{
			Name: "uuid_extract_version", Group: "UUID", Syntax: []string{"uuid_extract_version(uuid)"}, Doc: "Is the version of a UUID of RFC 9562, and NULL of another one.",
			Examples: []fn.Example{{SQL: "uuid_extract_version('019482e4-1441-7aad-8127-eec99573b0a0')", Want: "7"}, {SQL: "uuid_extract_version(NULL)", Want: "NULL"}},
			Resolve: fixed(types.Of(types.Int16), func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
				out := c.New(types.Of(types.Int16), rows.N)
				each(rows, func(r int) {
					if out.I64[r] = idVersion(args[0].Bytes(r)); out.I64[r] < 0 {
						out.SetNull(r)
					}
				})
				return out, nil
			}, uuid),
		},
		{
			Name: "uuid_extract_timestamp", Group: "UUID", Syntax: []string{"uuid_extract_timestamp(uuid)"}, Doc: "Is the time at which a UUID of version 1 or 7 was made, and NULL of another one.",
			Examples: []fn.Example{{SQL: "uuid_extract_timestamp('019482e4-1441-7aad-8127-eec99573b0a0')", Want: "2025-01-20 08:46:13.057"}, {SQL: "uuid_extract_timestamp(NULL)", Want: "NULL"}},
			Resolve: fixed(timestamp, func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
				out := c.New(timestamp, rows.N)
				each(rows, func(r int) {
					us, ok := idTime(args[0].Bytes(r))
					if out.I64[r] = us; !ok {
						out.SetNull(r)
					}
				})
				return out, nil
			}, uuid),
		},
	}
}

// appendID appends the 16 bytes of a UUID with a version.
func appendID(dst []byte, version, hi, lo uint64) []byte {
	hi = hi&^(0xf<<12) | version<<12
	lo = lo&^(3<<62) | 2<<62
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(dst, hi), lo)
}

// idVersion is −1 for other variants than that of RFC 9562.
func idVersion(id []byte) int64 {
	if id[8]>>6 != 2 {
		return -1
	}
	return int64(id[6] >> 4)
}

// idTime is in µs since 1970.
func idTime(id []byte) (us int64, ok bool) {
	hi := binary.BigEndian.Uint64(id)
	switch idVersion(id) {
	case 7:
		return int64(hi>>16) * 1000, true
	case 1: // steps of 100 ns since 1582-10-15
		steps := int64(hi>>32 | hi>>16&0xffff<<32 | hi&0xfff<<48)
		return types.FloorDiv(steps-0x01b21dd213814000, 10), true
	}
	return 0, false
}

// kinds are Flink's tests of what a text is made of.
func kinds() []*fn.Scalar {
	return []*fn.Scalar{
		kindTest("is_digit", "Is true for a text of digits alone, at least one.", "is_digit('42')", func(s string) bool { return allOf(s, unicode.IsDigit) }),
		kindTest("is_alpha", "Is true for a text of letters alone, at least one.", "is_alpha('row')", func(s string) bool { return allOf(s, unicode.IsLetter) }),
		kindTest("is_decimal", "Is true for a text that is a number: digits, perhaps with a sign, a point or an exponent.", "is_decimal('-1.5')", func(s string) bool {
			_, _, _, err := types.ParseExact(s)
			return err == nil
		}),
	}
}

func kindTest(name, doc, example string, f func(s string) bool) *fn.Scalar {
	return &fn.Scalar{
		Name: name, Group: "Text", Nulls: fn.Custom, Syntax: []string{name + "(a)"}, Doc: doc[:len(doc)-1] + "; false for NULL.",
		Examples: []fn.Example{{SQL: example, Want: "true"}, {SQL: name + "(NULL)", Want: "false"}},
		Resolve:  fixed(boolean, bools(func(args []*vec.Vector, r int) bool { return !args[0].IsNull(r) && f(args[0].Text(r)) }), text),
	}
}

func allOf(s string, f func(rune) bool) bool {
	for _, ch := range s {
		if !f(ch) {
			return false
		}
	}
	return s != ""
}
