package protobuf

import (
	"fmt"
	"strings"

	"github.com/sqlstream/sqlstream/exec/types"
)

// describe writes the schema of rows as a .proto file. Every single field is optional,
// since SQL does not promise otherwise.
func describe(message string, cols []types.Column) (string, error) {
	d := describer{}
	fields := make([]types.Field, len(cols))
	for i, c := range cols {
		fields[i] = types.Field{Name: c.Name, Type: c.Type}
	}
	if err := d.message(message, fields, "", "column "); err != nil {
		return "", err
	}
	head := "syntax = \"proto3\";\n"
	if d.timestamps {
		head += "import \"google/protobuf/timestamp.proto\";\n"
	}
	return head + d.out.String(), nil
}

type describer struct {
	out        strings.Builder
	timestamps bool
}

func (d *describer) message(name string, fields []types.Field, indent, path string) error {
	fmt.Fprintf(&d.out, "%smessage %s {\n", indent, name)
	inside := indent + "  "
	for i, f := range fields {
		at := fmt.Sprintf("%s%q", path, f.Name)
		if !nameable(f.Name) {
			return fmt.Errorf("%s: protobuf names are letters, digits and _; rename it with AS", at)
		}
		inner := "M" + f.Name
		var text string
		var err error
		switch t := f.Type; t.Kind {
		case types.Array:
			text, err = d.value(*t.Elem, inner, inside, at)
			text = "repeated " + text
		case types.Map:
			if k := t.Key.Kind; k != types.String && k != types.Bool && !t.Key.IsInteger() {
				return fmt.Errorf("%s: protobuf has no maps with keys of type %s; cast them to STRING", at, t.Key)
			}
			key, _ := d.value(*t.Key, "", inside, at)
			text, err = d.value(*t.Elem, inner, inside, at)
			text = "map<" + key + ", " + text + ">"
		default:
			text, err = d.value(t, inner, inside, at)
			text = "optional " + text
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(&d.out, "%s%s %s = %d;\n", inside, text, f.Name, i+1)
	}
	fmt.Fprintf(&d.out, "%s}\n", indent)
	return nil
}

// value names the type of single values; a message is written before the field.
func (d *describer) value(t types.Type, name, indent, path string) (string, error) {
	switch t.Kind {
	case types.Struct:
		return name, d.message(name, t.Fields, indent, path+" field ")
	case types.Timestamp:
		d.timestamps = true
		return timestampName, nil
	case types.Array, types.Map:
		return "", fmt.Errorf("%s: protobuf has no lists of lists or maps; put them into a STRUCT", path)
	}
	if text := scalarName(t.Kind); text != "" {
		return text, nil
	}
	return "", fmt.Errorf("%s: protobuf has no %s; cast it to STRING", path, t)
}

func scalarName(k types.Kind) string {
	switch k {
	case types.Bool:
		return "bool"
	case types.Int8, types.Int16, types.Int32:
		return "int32"
	case types.Int64:
		return "int64"
	case types.Float32:
		return "float"
	case types.Float64:
		return "double"
	case types.String, types.Time, types.UUID, types.JSON:
		return "string"
	case types.Bytes:
		return "bytes"
	}
	return ""
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

// messageName makes a name of a subject: that of its topic, with a capital.
func messageName(subject string) string {
	subject = strings.TrimSuffix(strings.TrimSuffix(subject, "-value"), "-key")
	name := strings.Map(func(r rune) rune {
		if r == '_' || r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z' {
			return r
		}
		return '_'
	}, subject)
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		return "Row" + name
	}
	return strings.ToUpper(name[:1]) + name[1:]
}
