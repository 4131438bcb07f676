package avro

import (
	"fmt"
	"strings"

	"github.com/sqlstream/sqlstream/exec/types"
)

// describe writes the schema of rows as JSON. Every column, field and element may be
// null, since SQL does not promise otherwise.
func describe(record string, cols []types.Column) (string, error) {
	d := describer{used: map[string]bool{record: true}}
	fields := make([]types.Field, len(cols))
	for i, c := range cols {
		fields[i] = types.Field{Name: c.Name, Type: c.Type}
	}
	err := d.record(record, fields, "column ")
	return d.out.String(), err
}

type describer struct {
	out  strings.Builder
	used map[string]bool // names of records
}

func (d *describer) record(name string, fields []types.Field, path string) error {
	fmt.Fprintf(&d.out, `{"type":"record","name":%q,"fields":[`, name)
	seen := map[string]bool{}
	for i, f := range fields {
		at := fmt.Sprintf("%s%q", path, f.Name)
		switch {
		case !nameable(f.Name):
			return fmt.Errorf("%s: Avro names are letters, digits and _; rename it with AS", at)
		case seen[f.Name]:
			return fmt.Errorf("%s: two fields have that name", at)
		}
		seen[f.Name] = true
		if i > 0 {
			d.out.WriteByte(',')
		}
		fmt.Fprintf(&d.out, `{"name":%q,"type":`, f.Name)
		if err := d.nullable(f.Type, name+"_"+f.Name, at); err != nil {
			return err
		}
		d.out.WriteString(`,"default":null}`)
	}
	d.out.WriteString("]}")
	return nil
}

func nameable(s string) bool {
	for i, c := range []byte(s) {
		letter := c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

func (d *describer) nullable(t types.Type, name, path string) error {
	d.out.WriteString(`["null",`)
	err := d.value(t, name, path)
	d.out.WriteByte(']')
	return err
}

func (d *describer) value(t types.Type, name, path string) (err error) {
	switch t.Kind {
	case types.Array:
		d.out.WriteString(`{"type":"array","items":`)
		err = d.nullable(*t.Elem, name, path)
		d.out.WriteByte('}')
	case types.Map:
		if t.Key.Kind != types.String {
			return fmt.Errorf("%s: Avro has no maps with keys of type %s; cast them to STRING", path, t.Key)
		}
		d.out.WriteString(`{"type":"map","values":`)
		err = d.nullable(*t.Elem, name, path)
		d.out.WriteByte('}')
	case types.Struct:
		for d.used[name] {
			name += "_"
		}
		d.used[name] = true
		return d.record(name, t.Fields, path+" field ")
	default:
		text := scalarSchema(t)
		if text == "" {
			return fmt.Errorf("%s: Avro has no %s; cast it to STRING", path, t)
		}
		d.out.WriteString(text)
	}
	return err
}

func scalarSchema(t types.Type) string {
	switch t.Kind {
	case types.Bool:
		return `"boolean"`
	case types.Int8, types.Int16, types.Int32:
		return `"int"`
	case types.Int64:
		return `"long"`
	case types.Float32:
		return `"float"`
	case types.Float64:
		return `"double"`
	case types.String:
		return `"string"`
	case types.Bytes:
		return `"bytes"`
	case types.Date:
		return `{"type":"int","logicalType":"date"}`
	case types.Timestamp:
		return `{"type":"long","logicalType":"timestamp-micros"}`
	case types.TimestampNTZ:
		return `{"type":"long","logicalType":"local-timestamp-micros"}`
	case types.Time:
		return `{"type":"long","logicalType":"time-micros"}`
	case types.UUID:
		return `{"type":"string","logicalType":"uuid"}`
	case types.JSON:
		return `"string"`
	case types.Decimal:
		return fmt.Sprintf(`{"type":"bytes","logicalType":"decimal","precision":%d,"scale":%d}`, t.Prec, t.Scale)
	}
	return ""
}

// recordName makes a name of a subject: that of its topic.
func recordName(subject string) string {
	subject = strings.TrimSuffix(strings.TrimSuffix(subject, "-value"), "-key")
	name := strings.Map(func(r rune) rune {
		if r == '_' || r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z' {
			return r
		}
		return '_'
	}, subject)
	switch {
	case name == "":
		return "topLevelRecord"
	case name[0] >= '0' && name[0] <= '9':
		return "_" + name
	}
	return name
}
