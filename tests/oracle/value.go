package oracle

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// valuesOf reads an input row as vec.FromAny takes it. A field that is missing is NULL.
func valuesOf(row map[string]any, cols []source.Column) ([]any, error) {
	out := make([]any, len(cols))
	for i, c := range cols {
		v, err := fromJSON(row[c.Name], c.Type)
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", c.Name, err)
		}
		out[i] = v
	}
	return out, nil
}

func fromJSON(x any, t types.Type) (any, error) {
	switch v := x.(type) {
	case nil:
		return nil, nil
	case bool:
		return v, nil
	case json.Number:
		return fromText(v.String(), t)
	case string:
		return fromText(v, t)
	case []any:
		return each(v, func(int) types.Type { return *t.Elem })
	case map[string]any:
		return fromObject(v, t)
	}
	return nil, fmt.Errorf("%v does not fit %s", x, t)
}

func fromObject(v map[string]any, t types.Type) (any, error) {
	if t.Kind == types.Struct {
		list := make([]any, len(t.Fields))
		for i, f := range t.Fields {
			list[i] = v[f.Name]
		}
		return each(list, func(i int) types.Type { return t.Fields[i].Type })
	}
	if t.Kind != types.Map {
		return nil, fmt.Errorf("an object does not fit %s", t)
	}
	out := [][2]any{}
	for _, k := range sortedKeys(v) {
		key, err := fromText(k, *t.Key)
		if err != nil {
			return nil, err
		}
		val, err := fromJSON(v[k], *t.Elem)
		if err != nil {
			return nil, err
		}
		out = append(out, [2]any{key, val})
	}
	return out, nil
}

func each(list []any, typ func(int) types.Type) (any, error) {
	out := make([]any, len(list))
	for i, x := range list {
		v, err := fromJSON(x, typ(i))
		if err != nil {
			return nil, err
		}
		out[i] = v
	}
	return out, nil
}

func fromText(s string, t types.Type) (any, error) {
	switch {
	case t.IsInteger():
		return strconv.ParseInt(s, 10, 64)
	case t.IsFloat():
		return strconv.ParseFloat(s, 64)
	}
	switch t.Kind {
	case types.Timestamp, types.TimestampNTZ:
		return types.ParseTimestamp(s, time.UTC)
	case types.Bool:
		return strconv.ParseBool(s)
	case types.Date:
		return types.ParseDate(s)
	case types.Decimal:
		return types.ParseDecimal(s, int(t.Prec), int(t.Scale))
	case types.Bytes:
		return base64.StdEncoding.DecodeString(s)
	}
	return s, nil
}

// toJSON writes an output value as the recorded ones are written.
func toJSON(x any, t types.Type) any {
	if x == nil {
		return nil
	}
	switch t.Kind {
	case types.Float32, types.Float64:
		return floatJSON(x.(float64))
	case types.Bytes:
		return map[string]any{"$base64": base64.StdEncoding.EncodeToString(x.([]byte))}
	case types.Timestamp:
		return stamp(x.(int64)) + "Z"
	case types.TimestampNTZ:
		return stamp(x.(int64))
	case types.Decimal, types.Date, types.Interval:
		return vec.RowString(vec.FromAny(t, x), 0, time.UTC)
	case types.Array, types.Map, types.Struct:
		return nestedJSON(x, t)
	}
	if i, ok := x.(int64); ok {
		return json.Number(strconv.FormatInt(i, 10))
	}
	return x
}

func floatJSON(x float64) any {
	switch {
	case math.IsNaN(x):
		return "NaN"
	case math.IsInf(x, 1):
		return "Infinity"
	case math.IsInf(x, -1):
		return "-Infinity"
	}
	return x
}

// stamp is an instant without zone.
func stamp(us int64) string {
	t := time.UnixMicro(us).UTC()
	text := t.Format("2006-01-02T15:04:05")
	if f := t.Nanosecond() / 1000; f != 0 {
		text += fmt.Sprintf(".%06d", f)
	}
	return text
}

func nestedJSON(x any, t types.Type) any {
	switch t.Kind {
	case types.Array:
		out := []any{}
		for _, e := range x.([]any) {
			out = append(out, toJSON(e, *t.Elem))
		}
		return out
	case types.Struct:
		out := map[string]any{}
		for i, f := range t.Fields {
			out[f.Name] = toJSON(x.([]any)[i], f.Type)
		}
		return out
	}
	pairs := []any{}
	for _, kv := range x.([][2]any) {
		pairs = append(pairs, []any{toJSON(kv[0], *t.Key), toJSON(kv[1], *t.Elem)})
	}
	return map[string]any{"$map": pairs}
}

// sparkType is the name that Spark gives a type.
func sparkType(t types.Type) string {
	switch t.Kind {
	case types.Null:
		return "void"
	case types.Bytes:
		return "binary"
	case types.Array:
		return "array<" + sparkType(*t.Elem) + ">"
	case types.Map:
		return "map<" + sparkType(*t.Key) + "," + sparkType(*t.Elem) + ">"
	case types.Struct:
		parts := make([]string, len(t.Fields))
		for i, f := range t.Fields {
			parts[i] = f.Name + ":" + sparkType(f.Type)
		}
		return "struct<" + strings.Join(parts, ",") + ">"
	}
	return strings.ToLower(t.String())
}
