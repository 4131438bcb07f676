package scalar

import (
	"fmt"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/fn/cast"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func resolveFromJSON(args []fn.Arg) (fn.Impl, error) {
	if err := arity(args, 2, 3); err != nil {
		return fn.Impl{}, err
	}
	t, err := schemaArg(args)
	if err != nil {
		return fn.Impl{}, err
	}
	opts, err := jsonOptions(args, 2)
	if err != nil {
		return fn.Impl{}, err
	}
	strict := strings.EqualFold(opts["mode"], "FAILFAST")
	for name, value := range opts {
		if name != "mode" || !strict && !strings.EqualFold(value, "PERMISSIVE") {
			return fn.Impl{}, fmt.Errorf("knows the option mode, FAILFAST or PERMISSIVE, alone, not %s = %q; read times of another form as STRING, and with to_timestamp", name, value)
		}
	}
	impl := fn.Impl{Args: argTypes(args), Result: t}
	impl.Args[0] = text
	impl.Eval = func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		rd := jsonReader{zone: c.Zone}
		return tryBuilt(t, func(b *vec.Builder, args []*vec.Vector, r int) error {
			doc := args[0].Bytes(r)
			fits := rd.fits(doc, t)
			if strict && (!fits || !rd.clean(doc, t)) {
				return &fn.DataError{Func: "from_json", Value: fn.Quote(string(doc)), Row: r, Msg: "does not fit " + t.String()}
			}
			rd.document(b, doc, t, fits)
			return nil
		})(c, args, rows)
	}
	return impl, nil
}

// jsonReader appends JSON values to builders; what does not fit becomes NULL.
type jsonReader struct{ zone *time.Location }

// fits reports that the whole document is JSON of the kind that the type wants.
func (rd jsonReader) fits(doc []byte, t types.Type) bool {
	c := jsonCursor{b: doc}
	v, ok := c.value(0)
	if !ok || c.next() != 0 {
		return false
	}
	open := byte('{')
	if t.Kind == types.Array {
		open = '['
	}
	return v[0] == open
}

// clean reports that every part fits as well.
func (rd jsonReader) clean(doc []byte, t types.Type) bool {
	if t.Kind != types.Struct {
		return true
	}
	for _, f := range t.Fields {
		v := lookup(doc, []jsonStep{{kind: '.', name: f.Name}})
		if v == nil || string(v) == "null" {
			continue
		}
		b := vec.NewBuilder(f.Type)
		rd.value(b, v, f.Type)
		if b.Finish().IsNull(0) {
			return false
		}
	}
	return true
}

// document appends a whole text: blank text is NULL, a bad one a struct of NULLs.
func (rd jsonReader) document(b *vec.Builder, doc []byte, t types.Type, fits bool) {
	switch {
	case fits:
		c := jsonCursor{b: doc}
		v, _ := c.value(0)
		rd.value(b, v, t)
	case t.Kind == types.Struct && len(strings.TrimSpace(string(doc))) > 0:
		for i := range t.Fields {
			b.Child(i).AppendNull()
		}
		b.EndStruct()
	default:
		b.AppendNull()
	}
}

// value appends one value.
func (rd jsonReader) value(b *vec.Builder, v []byte, t types.Type) {
	switch {
	case string(v) == "null":
		b.AppendNull()
	case t.Kind == types.JSON:
		rd.simple(b, v, t)
	case t.Kind == types.Struct && v[0] == '{':
		rd.object(b, v, t)
	case t.Kind == types.Map && v[0] == '{':
		rd.mapping(b, v, t)
	case t.Kind == types.Array && v[0] == '[':
		c := jsonCursor{b: v}
		c.array(0, func(int) (bool, bool) {
			e, ok := c.value(0)
			if ok {
				rd.value(b.Child(0), e, *t.Elem)
			}
			return false, !ok
		})
		b.EndList()
	case t.IsNested():
		b.AppendNull()
	default:
		rd.simple(b, v, t)
	}
}

func (rd jsonReader) object(b *vec.Builder, v []byte, t types.Type) {
	members := make([][]byte, len(t.Fields))
	c := jsonCursor{b: v}
	c.object(0, func(key []byte) (bool, bool) {
		val, ok := c.value(0)
		for i, f := range t.Fields {
			if ok && keyIs(key, f.Name) {
				members[i] = val
			}
		}
		return false, !ok
	})
	for i, f := range t.Fields {
		if members[i] == nil {
			b.Child(i).AppendNull()
			continue
		}
		rd.value(b.Child(i), members[i], f.Type)
	}
	b.EndStruct()
}

func (rd jsonReader) mapping(b *vec.Builder, v []byte, t types.Type) {
	c := jsonCursor{b: v}
	c.object(0, func(key []byte) (bool, bool) {
		val, ok := c.value(0)
		if ok {
			rd.simple(b.Child(0), key, *t.Key)
			rd.value(b.Child(1), val, *t.Elem)
		}
		return false, !ok
	})
	b.EndList()
}

// simple appends a scalar: a STRING takes any JSON as text; numbers must be JSON
// numbers, times and binary values strings.
func (rd jsonReader) simple(b *vec.Builder, v []byte, t types.Type) {
	quoted := v[0] == '"'
	content := v
	if quoted {
		content = unquoteJSON(v)
	}
	ok := false
	switch {
	case t.Kind == types.JSON:
		ok = cast.AppendParsed(b, v, t, rd.zone) == nil
	case t.Kind == types.String:
		if !quoted {
			content = appendCompact(nil, v)
		}
		b.AppendBytes(content)
		return
	case t.Kind == types.Bool:
		if ok = string(v) == "true" || string(v) == "false"; ok {
			b.AppendBool(v[0] == 't')
		}
	case t.IsInteger():
		var x int64
		lo, hi := cast.IntRange(t.Kind)
		if x, ok = cast.ParseInt(v); ok && x >= lo && x <= hi {
			b.AppendInt(x)
		} else {
			ok = false
		}
	case t.IsFloat():
		var x float64
		if x, ok = cast.ParseFloat(content); ok {
			b.AppendFloat(x)
		}
	case t.Kind == types.Decimal:
		var x types.Int128
		if x, ok = cast.ParseDecimal(content, t); ok {
			b.AppendInt128(x)
		}
	default:
		ok = rd.quoted(b, content, t, quoted)
	}
	if !ok {
		b.AppendNull()
	}
}

// quoted appends a type that JSON writes as a string.
func (rd jsonReader) quoted(b *vec.Builder, s []byte, t types.Type, quoted bool) bool {
	if !quoted {
		return false
	}
	if t.Kind == types.Time || t.Kind == types.UUID {
		return cast.AppendParsed(b, s, t, rd.zone) == nil
	}
	var x int64
	ok := false
	switch t.Kind {
	case types.Date:
		x, ok = cast.ParseDate(s)
	case types.Timestamp:
		x, ok = cast.ParseTimestamp(s, rd.zone)
	case types.TimestampNTZ:
		x, ok = cast.ParseTimestampNTZ(s)
	case types.Bytes:
		b.AppendBytes(s)
		return true
	case types.Interval:
		iv, err := types.ParseInterval(string(s))
		if err == nil {
			b.AppendInterval(iv)
		}
		return err == nil
	}
	if ok {
		b.AppendInt(x)
	}
	return ok
}
