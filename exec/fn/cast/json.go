package cast

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// toJSON reads text as JSON, and writes values of other types as vec.AppendJSON does.
func toJSON(from types.Type) fn.Kernel {
	write := func(in *vec.Vector, r int, c *fn.Ctx, tmp []byte) []byte { return vec.AppendJSON(tmp, in, r, c.Zone) }
	if from.Kind == types.String {
		write = func(in *vec.Vector, r int, _ *fn.Ctx, _ []byte) []byte { return in.Bytes(r) }
	}
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		in := args[0]
		out := c.New(types.Of(types.JSON), rows.N)
		var buf, tmp []byte
		err := each(rows, func(r int) error {
			text := write(in, r, c, tmp[:0])
			from := len(buf)
			var err error
			if buf, err = types.AppendCanonicalJSON(buf, text); err != nil {
				return fail(c, out, r, in, err.Error())
			}
			out.Str[r] = vec.StrRef{Off: uint32(from), Len: uint32(len(buf) - from)}
			return nil
		})
		out.Buf = buf
		return out, err
	}
}

// fromJSON reads JSON values into a type: null is NULL, members that an object does not
// have are NULL, those that the type does not have are left out. Everything else must
// fit; with try, what stands inside of a value and does not is NULL itself.
func fromJSON(to types.Type) fn.Kernel {
	return nestedKernel(to, func(c *fn.Ctx, b *vec.Builder, text []byte) string {
		rd := jsonReader{zone: c.Zone, lenient: c.NullOnError, top: b}
		if to.IsInteger() {
			text = wholePart(text)
		}
		rd.value(b, text, to)
		if rd.msg == "" {
			c.Errors += rd.left
		}
		return rd.msg
	})
}

// wholePart cuts the fraction off a number, which its cast to an integer does.
func wholePart(v []byte) []byte {
	dot := bytes.IndexByte(v, '.')
	if dot <= 0 || v[0] == '"' || v[0] == '[' || v[0] == '{' || bytes.ContainsAny(v, "eE") {
		return v
	}
	return v[:dot]
}

// nestedKernel makes values of texts with a builder: read appends one, and says what does
// not fit.
func nestedKernel(to types.Type, read func(c *fn.Ctx, b *vec.Builder, text []byte) (msg string)) fn.Kernel {
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		in := args[0]
		b := vec.NewBuilder(to)
		bad := map[int]string{}
		_ = each(rows, func(r int) error {
			for b.Len() < r {
				b.AppendNull()
			}
			if msg := read(c, b, in.Bytes(r)); msg != "" {
				bad[r] = msg
			}
			return nil
		})
		for b.Len() < rows.N {
			b.AppendNull()
		}
		out := b.Take()
		return out, each(rows, func(r int) error {
			if msg, found := bad[r]; found {
				return fail(c, out, r, in, msg)
			}
			return nil
		})
	}
}

// jsonReader appends JSON values, in canonical text, to builders. A value that does not
// fit becomes NULL; msg tells of the first one.
type jsonReader struct {
	zone    *time.Location
	msg     string
	lenient bool
	top     *vec.Builder // of the whole value
	left    int64        // values inside of it that became NULL, with lenient
}

func (rd *jsonReader) value(b *vec.Builder, v []byte, t types.Type) {
	switch {
	case string(v) == "null":
		b.AppendNull()
	case t.Kind == types.JSON, t.Kind == types.String && v[0] != '"':
		b.AppendBytes(v)
	case t.Kind == types.Struct && v[0] == '{':
		rd.object(b, v, t)
	case t.Kind == types.Map && v[0] == '{':
		eachPart(v, func(name, val []byte) {
			rd.key(b.Child(0), name, *t.Key)
			rd.value(b.Child(1), val, *t.Elem)
		})
		b.EndList()
	case t.Kind == types.Array && v[0] == '[':
		eachPart(v, func(_, val []byte) { rd.value(b.Child(0), val, *t.Elem) })
		b.EndList()
	case t.IsNested(), v[0] == '{', v[0] == '[':
		rd.misfit(b, v, t)
	default:
		rd.simple(b, v, unquote(v), t)
	}
}

// key appends a key of a map: what does not fit is no key, and fails.
func (rd *jsonReader) key(b *vec.Builder, name []byte, t types.Type) {
	strict := jsonReader{zone: rd.zone}
	strict.simple(b, name, unquote(name), t)
	if rd.msg == "" {
		rd.msg = strict.msg
	}
}

func (rd *jsonReader) misfit(b *vec.Builder, v []byte, t types.Type) {
	if rd.lenient && b != rd.top {
		rd.left++
	} else if rd.msg == "" {
		rd.msg = fn.Quote(string(v)) + " is not " + t.WithArticle() + ", in"
	}
	b.AppendNull()
}

// object finds the members of a struct: by exact name, else without regard to case.
func (rd *jsonReader) object(b *vec.Builder, v []byte, t types.Type) {
	found := make([][]byte, len(t.Fields))
	exact := make([]bool, len(t.Fields))
	eachPart(v, func(name, val []byte) {
		key := string(unquote(name))
		for i, f := range t.Fields {
			if same := f.Name == key; same || !exact[i] && strings.EqualFold(f.Name, key) {
				found[i], exact[i] = val, same
			}
		}
	})
	for i, f := range t.Fields {
		if found[i] == nil {
			b.Child(i).AppendNull()
			continue
		}
		rd.value(b.Child(i), found[i], f.Type)
	}
	b.EndStruct()
}

var errMisfit = errors.New("does not fit")

// simple appends a scalar from the content of a JSON string or the text of a number,
// true or false.
func (rd *jsonReader) simple(b *vec.Builder, v, text []byte, t types.Type) {
	if err := AppendParsed(b, text, t, rd.zone); err != nil {
		rd.misfit(b, v, t)
	}
}

// AppendParsed appends the value of a type without elements that text stands for, as
// CAST reads it; after an error nothing is appended.
func AppendParsed(b *vec.Builder, text []byte, t types.Type, zone *time.Location) error {
	var x int64
	var ok bool
	if t.Kind == types.String {
		b.AppendBytes(text)
		return nil
	}
	text = trim(text)
	switch t.Kind {
	case types.Bytes:
		b.AppendBytes(unhex(text))
		return nil
	case types.JSON:
		doc, err := types.AppendCanonicalJSON(nil, text)
		if err == nil {
			b.AppendBytes(doc)
		}
		return err
	case types.UUID:
		id, err := types.ParseUUID(view(text))
		if err == nil {
			b.AppendBytes(id[:])
		}
		return err
	case types.Bool:
		var truth bool
		if truth, ok = ParseBool(text); ok {
			b.AppendBool(truth)
			return nil
		}
	case types.Interval:
		iv, err := types.ParseInterval(view(text))
		if len(bytes.Trim(text, "+-.0123456789")) == 0 {
			return errMisfit // a number counts no seconds
		}
		if err == nil {
			b.AppendInterval(iv)
		}
		return err
	case types.Date:
		x, ok = ParseDate(text)
	case types.Time:
		x, ok = ParseTime(text)
	case types.Timestamp:
		x, ok = ParseTimestamp(text, zone)
	case types.TimestampNTZ:
		x, ok = ParseTimestampNTZ(text)
	default:
		return appendNumber(b, text, t)
	}
	if !ok {
		return errMisfit
	}
	b.AppendInt(x)
	return nil
}

func appendNumber(b *vec.Builder, text []byte, t types.Type) error {
	switch {
	case t.IsInteger():
		lo, hi := IntRange(t.Kind)
		x, ok := ParseInt(text)
		if !ok || x < lo || x > hi {
			return errMisfit
		}
		b.AppendInt(x)
		return nil
	case t.IsFloat():
		x, ok := ParseFloat(text)
		if !ok {
			return errMisfit
		}
		if t.Kind == types.Float32 {
			x = float64(float32(x))
		}
		b.AppendFloat(x)
		return nil
	case t.Kind == types.Decimal:
		x, ok := ParseDecimal(text, t)
		if !ok {
			return errMisfit
		}
		if v, small := x.Int64(); small && t.Phys() == types.PhysInt64 {
			b.AppendInt(v)
		} else {
			b.AppendInt128(x)
		}
		return nil
	}
	return errMisfit
}

// unhex reads bytes as vec.AppendJSON writes them; other text is its own bytes.
func unhex(text []byte) []byte {
	if digits, ok := bytes.CutPrefix(text, []byte(`\x`)); ok {
		if raw, err := hex.DecodeString(string(digits)); err == nil {
			return raw
		}
	}
	return text
}

// unquote is the content of a JSON string, or any other text itself.
func unquote(v []byte) []byte {
	if len(v) < 2 || v[0] != '"' {
		return v
	}
	if bytes.IndexByte(v, '\\') < 0 {
		return v[1 : len(v)-1]
	}
	var s string
	if json.Unmarshal(v, &s) != nil {
		return v
	}
	return []byte(s)
}

// eachPart walks the members or elements of a canonical object or array. name is nil in
// an array.
func eachPart(v []byte, do func(name, val []byte)) {
	for i := 1; i < len(v)-1; i++ {
		var name []byte
		if v[0] == '{' {
			name = v[i : i+valueLen(v[i:])]
			i += len(name) + 1
		}
		val := v[i : i+valueLen(v[i:])]
		i += len(val)
		do(name, val)
	}
}

// valueLen is the length of the canonical value that v begins with.
func valueLen(v []byte) int {
	depth := 0
	for i := 0; i < len(v); i++ {
		switch v[i] {
		case '"':
			for i++; v[i] != '"'; i++ {
				if v[i] == '\\' {
					i++
				}
			}
			if depth == 0 {
				return i + 1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth < 0 {
				return i
			}
			if depth == 0 {
				return i + 1
			}
		case ',':
			if depth == 0 {
				return i
			}
		}
	}
	return len(v)
}
