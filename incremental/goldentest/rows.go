package goldentest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/planner/catalog"
)

// section is the input of one source in a trigger.
type section struct {
	source string
	header []cell
	rows   [][]cell
}

// sections splits the body of a trigger. sources are the names of the file's sources.
func sections(body []string, sources []string) ([]section, error) {
	var out []section
	for _, line := range body {
		name := strings.TrimSpace(line)
		if slices.Contains(sources, name) {
			out = append(out, section{source: name})
			continue
		}
		if len(out) == 0 {
			return nil, fmt.Errorf("%q is not a source of this file: a trigger begins with the name of one", name)
		}
		cells, err := splitRow(line)
		if err != nil {
			return nil, err
		}
		s := &out[len(out)-1]
		switch {
		case s.header == nil:
			s.header = cells
		case len(cells) != len(s.header):
			return nil, fmt.Errorf("source %s: %d cells under %d columns: %s", s.source, len(cells), len(s.header), strings.TrimSpace(line))
		default:
			s.rows = append(s.rows, cells)
		}
	}
	return out, nil
}

// input is a row for a source, with its weight.
type input struct {
	source string
	batch  *vec.Batch // of one row, in the columns of the relation's inputs
}

// inputs turns sections into rows, in the order written. form is told of each form of
// time that is met.
func inputs(secs []section, relations map[string]*catalog.Relation, form func(timeForm)) ([]input, error) {
	var out []input
	for _, s := range secs {
		r := relations[s.source]
		cols, _ := r.Inputs()
		place, op, err := columnsOf(s, r)
		if err != nil {
			return nil, err
		}
		for _, row := range s.rows {
			b := &vec.Batch{N: 1}
			for i, c := range cols {
				v, err := cellVector(row, place[i], c.Type, form)
				if err != nil {
					return nil, fmt.Errorf("source %s: column %s: %w", s.source, c.Name, err)
				}
				b.Cols = append(b.Cols, v)
			}
			if op >= 0 {
				w, err := weight(row[op].text, len(relations[s.source].Key) > 0)
				if err != nil {
					return nil, fmt.Errorf("source %s: %w", s.source, err)
				}
				b.W = []int64{w}
			}
			out = append(out, input{s.source, b})
		}
	}
	return out, nil
}

// columnsOf finds, for each input column of a relation, its place in the header
// (−1 = absent), and that of the column op (−1 = none).
func columnsOf(s section, r *catalog.Relation) (place []int, op int, err error) {
	cols, _ := r.Inputs()
	place, op = make([]int, len(cols)), -1
	for i := range place {
		place[i] = -1
	}
	for i, h := range s.header {
		k := slices.IndexFunc(cols, func(c source.Column) bool { return strings.EqualFold(c.Name, h.text) })
		switch {
		case k >= 0:
			place[k] = i
		case h.text == "op" && r.Changelog:
			op = i
		default:
			return nil, 0, fmt.Errorf("source %s has no column %q", s.source, h.text)
		}
	}
	return place, op, nil
}

// weight reads the column op; u is the new version of a row with a key.
func weight(op string, keyed bool) (int64, error) {
	switch op {
	case "u":
		if keyed {
			return 1, nil
		}
		return 0, fmt.Errorf("op u: the source has no PRIMARY KEY, and takes + and -")
	case "+":
		return 1, nil
	case "-":
		return -1, nil
	}
	return 0, fmt.Errorf("op %q: a changelog source takes + and -", op)
}

func cellVector(row []cell, place int, t types.Type, form func(timeForm)) (*vec.Vector, error) {
	b := vec.NewBuilder(t)
	if place < 0 || row[place].isNull() {
		b.AppendNull()
		return b.Take(), nil
	}
	x, err := cellValue(row[place].text, t, form)
	if err != nil {
		return nil, err
	}
	b.AppendAny(x)
	return b.Take(), nil
}

// cellValue reads a cell as a value that vec.Builder.AppendAny takes.
func cellValue(s string, t types.Type, form func(timeForm)) (any, error) {
	switch {
	case t.Kind == types.Timestamp || t.Kind == types.TimestampNTZ:
		us, f, err := parseTime(s)
		form(f)
		return us, err
	case t.IsInteger():
		return strconv.ParseInt(s, 10, 64)
	case t.IsFloat():
		return strconv.ParseFloat(s, 64)
	case t.IsNested():
		return jsonCell(s, t)
	}
	switch t.Kind {
	case types.Bool:
		return strconv.ParseBool(s)
	case types.Date:
		return types.ParseDate(s)
	case types.Decimal:
		return types.ParseDecimal(s, int(t.Prec), int(t.Scale))
	case types.Interval:
		return types.ParseInterval(s)
	case types.Bytes:
		return []byte(s), nil
	case types.Time, types.UUID, types.JSON:
		return types.ParseAny(t.Kind, s)
	}
	return s, nil
}

// jsonCell reads a nested value.
func jsonCell(s string, t types.Type) (any, error) {
	d := json.NewDecoder(strings.NewReader(s))
	d.UseNumber()
	x, err := decode(d)
	if err != nil {
		return nil, fmt.Errorf("%s is not JSON: %w", s, err)
	}
	return fromJSON(x, t)
}

// object is a JSON object with its members in the order in which they are written.
type object []member

type member struct {
	name  string
	value any
}

// MarshalJSON implements json.Marshaler.
func (o object) MarshalJSON() ([]byte, error) {
	m := make(map[string]any, len(o))
	for _, x := range o {
		m[x.name] = x.value
	}
	return json.Marshal(m)
}

// decode reads a value: objects as object, lists as []any.
func decode(d *json.Decoder) (any, error) {
	tok, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch tok {
	case json.Delim('['):
		list := []any{}
		for d.More() {
			x, err := decode(d)
			if err != nil {
				return nil, err
			}
			list = append(list, x)
		}
		_, err = d.Token()
		return list, err
	case json.Delim('{'):
		o := object{}
		for d.More() {
			name, err := d.Token()
			if err != nil {
				return nil, err
			}
			x, err := decode(d)
			if err != nil {
				return nil, err
			}
			o = append(o, member{fmt.Sprint(name), x})
		}
		_, err = d.Token()
		return o, err
	}
	return tok, nil
}

func fromJSON(x any, t types.Type) (any, error) {
	if x == nil {
		return nil, nil
	}
	if t.Kind == types.JSON {
		text, err := json.Marshal(x)
		if err != nil {
			return nil, err
		}
		return types.AppendCanonicalJSON(nil, text)
	}
	switch v := x.(type) {
	case []any:
		if t.Kind == types.Array {
			return each(v, func(int) types.Type { return *t.Elem })
		}
	case object:
		switch t.Kind {
		case types.Struct:
			fields := make([]any, len(t.Fields))
			for i, f := range t.Fields {
				for _, m := range v {
					if m.name == f.Name {
						fields[i] = m.value
					}
				}
			}
			return each(fields, func(i int) types.Type { return t.Fields[i].Type })
		case types.Map:
			return entries(v, t)
		}
	case json.Number:
		return cellValue(v.String(), t, func(timeForm) {})
	case string:
		return cellValue(v, t, func(timeForm) {})
	case bool:
		return v, nil
	}
	return nil, fmt.Errorf("%v does not fit %s", x, t)
}

func entries(o object, t types.Type) (any, error) {
	out := make([][2]any, len(o))
	for i, m := range o {
		key, err := cellValue(m.name, *t.Key, func(timeForm) {})
		if err != nil {
			return nil, err
		}
		value, err := fromJSON(m.value, *t.Elem)
		if err != nil {
			return nil, err
		}
		out[i] = [2]any{key, value}
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

// cellText writes a value as a cell of an expected table.
func cellText(v *vec.Vector, row int, form timeForm) (text string, null bool) {
	if v.IsNull(row) {
		return "NULL", true
	}
	switch v.Type.Kind {
	case types.Timestamp, types.TimestampNTZ:
		return formatTime(v.Int(row), form), false
	case types.Array, types.Map, types.Struct:
		return string(vec.AppendJSON(nil, v, row, time.UTC)), false
	case types.Float32, types.Float64:
		return strings.TrimSuffix(vec.RowString(v, row, time.UTC), ".0"), false
	}
	return vec.RowString(v, row, time.UTC), false
}
