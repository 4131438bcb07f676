package foreach

import (
	"fmt"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

type schema struct {
	cols   []types.Column
	zone   *time.Location
	byName map[string]int // exact spelling, and lower case where it is unique
}

func newSchema(cols []types.Column, zone *time.Location) *schema {
	s := &schema{cols: cols, zone: zone, byName: map[string]int{}}
	if s.zone == nil {
		s.zone = time.UTC
	}
	for i := len(cols) - 1; i >= 0; i-- {
		s.byName[strings.ToLower(cols[i].Name)] = i
	}
	for i, c := range cols {
		s.byName[c.Name] = i
	}
	return s
}

// Row is one row. It is valid as long as the call or the batch that it came with; values
// that were taken out of it stay.
type Row struct {
	schema *schema
	cols   []*vec.Vector
	row    int
	weight int64
}

// Weight is −1 for a row that is gone (update and changelog mode), else 1; in changelog
// mode it may be greater, for rows that are there several times.
func (r Row) Weight() int64 { return r.weight }

// Len is the number of columns.
func (r Row) Len() int { return len(r.cols) }

// Columns are the names and types, in order.
func (r Row) Columns() []types.Column { return r.schema.cols }

// IsNull reports whether column i is NULL.
func (r Row) IsNull(i int) bool { return r.cols[i].IsNull(r.row) }

// Value is column i as a Go value: nil for NULL; bool; int64 for whole numbers; float64
// for FLOAT and DOUBLE; string for STRING, DECIMAL and INTERVAL; []byte for BYTES;
// time.Time for TIMESTAMP (in the zone of the query), TIMESTAMP_NTZ and DATE (in UTC);
// []any for ARRAY; map[string]any for STRUCT and MAP.
func (r Row) Value(i int) any { return valueOf(r.cols[i], r.row, r.schema.zone) }

// Get is the value of a column by its name, regardless of case where that is unambiguous;
// false: there is no such column.
func (r Row) Get(name string) (any, bool) {
	i, ok := r.schema.byName[name]
	if !ok {
		if i, ok = r.schema.byName[strings.ToLower(name)]; !ok {
			return nil, false
		}
	}
	return r.Value(i), true
}

// Map is all columns by their names.
func (r Row) Map() map[string]any {
	out := make(map[string]any, len(r.cols))
	for i, c := range r.schema.cols {
		out[c.Name] = r.Value(i)
	}
	return out
}

// String is the row as the shell prints it, for messages.
func (r Row) String() string {
	var out []byte
	for i, c := range r.cols {
		if i > 0 {
			out = append(out, " | "...)
		}
		out = vec.AppendText(out, c, r.row, r.schema.zone)
	}
	return string(out)
}

// AppendJSON appends the row as a JSON object.
func (r Row) AppendJSON(dst []byte) []byte {
	dst = append(dst, '{')
	for i, c := range r.cols {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(vec.AppendJSONString(dst, []byte(r.schema.cols[i].Name)), ':')
		dst = vec.AppendJSON(dst, c, r.row, r.schema.zone)
	}
	return append(dst, '}')
}

// Scan copies the columns, in order, into pointers: to bool, int64, int, float64, string,
// []byte, time.Time or any, or to whatever has a method Scan(any) error, as sql.Null has.
// NULL needs one of the latter two.
func (r Row) Scan(dest ...any) error {
	if len(dest) != len(r.cols) {
		return fmt.Errorf("scan: %d columns into %d places", len(r.cols), len(dest))
	}
	for i, d := range dest {
		if err := assign(d, r.Value(i)); err != nil {
			return fmt.Errorf("scan: column %q: %w", r.schema.cols[i].Name, err)
		}
	}
	return nil
}

func assign(dest, value any) error {
	ok := false
	switch d := dest.(type) {
	case *any:
		*d, ok = value, true
	case interface{ Scan(any) error }:
		return d.Scan(value)
	case *bool:
		*d, ok = value.(bool)
	case *int64:
		*d, ok = value.(int64)
	case *int:
		var n int64
		if n, ok = value.(int64); ok {
			*d = int(n)
		}
	case *float64:
		*d, ok = value.(float64)
	case *string:
		*d, ok = value.(string)
	case *[]byte:
		*d, ok = value.([]byte)
	case *time.Time:
		*d, ok = value.(time.Time)
	}
	switch {
	case ok:
		return nil
	case value == nil:
		return fmt.Errorf("it is NULL, which a %T cannot hold", dest)
	}
	return fmt.Errorf("a %T cannot hold a %T", dest, value)
}

func valueOf(v *vec.Vector, row int, zone *time.Location) any {
	if v.IsNull(row) {
		return nil
	}
	f, i := v.At(row)
	switch v.Type.Kind {
	case types.Decimal, types.Interval, types.Time, types.UUID:
		return vec.RowString(v, row, zone)
	case types.Date:
		return time.Unix(f.I64[i]*86400, 0).UTC()
	case types.Timestamp:
		return time.UnixMicro(f.I64[i]).In(zone)
	case types.TimestampNTZ:
		return time.UnixMicro(f.I64[i]).UTC()
	case types.Array:
		return list(f, i, zone)
	case types.Map:
		return entries(f, i, zone)
	case types.Struct:
		out := make(map[string]any, len(f.Child))
		for k, c := range f.Child {
			out[f.Type.Fields[k].Name] = valueOf(c, i, zone)
		}
		return out
	}
	return vec.ToAny(v, row)
}

func list(f *vec.Vector, i int, zone *time.Location) []any {
	out := make([]any, 0, f.Off[i+1]-f.Off[i])
	for e := f.Off[i]; e < f.Off[i+1]; e++ {
		out = append(out, valueOf(f.Child[0], int(e), zone))
	}
	return out
}

// entries is a MAP; its keys as text.
func entries(f *vec.Vector, i int, zone *time.Location) map[string]any {
	out := make(map[string]any, f.Off[i+1]-f.Off[i])
	for e := f.Off[i]; e < f.Off[i+1]; e++ {
		out[vec.RowString(f.Child[0], int(e), zone)] = valueOf(f.Child[1], int(e), zone)
	}
	return out
}
