package scalar

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/fn/cast"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// inferred is the type that a JSON value would be read as: null is no type yet.
func inferred(n *jsonNode) types.Type {
	switch n.kind {
	case '{':
		var fields []types.Field
		for i, k := range n.keys {
			fields = append(fields, types.Field{Name: k, Type: inferred(n.kids[i])})
		}
		return types.StructOf(mergedFields(nil, fields)...)
	case '[':
		elem := null
		for _, k := range n.kids {
			elem = wider(elem, inferred(k))
		}
		return types.ArrayOf(elem)
	}
	switch n.raw[0] {
	case '"':
		return text
	case 't', 'f':
		return boolean
	case 'n':
		return null
	}
	return numberType(string(n.raw))
}

// numberType is BIGINT, DECIMAL for whole numbers beyond it, or DOUBLE.
func numberType(s string) types.Type {
	if strings.ContainsAny(s, ".eE") {
		return double
	}
	if _, err := strconv.ParseInt(s, 10, 64); err == nil {
		return bigint
	}
	if digits := len(strings.TrimPrefix(s, "-")); digits <= types.MaxPrecision {
		return types.DecimalOf(digits, 0)
	}
	return double
}

// wider is the type that takes values of both: text where there is no better one.
func wider(a, b types.Type) types.Type {
	switch {
	case a.Kind == types.Null:
		return b
	case b.Kind == types.Null, a.Equal(b):
		return a
	case a.Kind == types.Struct && b.Kind == types.Struct:
		return types.StructOf(mergedFields(a.Fields, b.Fields)...)
	case a.Kind == types.Array && b.Kind == types.Array:
		return types.ArrayOf(wider(*a.Elem, *b.Elem))
	case a.IsNumeric() && b.IsNumeric():
		if t, ok := types.CommonType(a, b); ok {
			return t
		}
		return double
	}
	return text
}

// mergedFields lists the fields of both by name.
func mergedFields(a, b []types.Field) []types.Field {
	out := append([]types.Field(nil), a...)
	for _, f := range b {
		at := 0
		for at < len(out) && out[at].Name != f.Name {
			at++
		}
		if at == len(out) {
			out = append(out, f)
			continue
		}
		out[at].Type = wider(out[at].Type, f.Type)
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out
}

// appendType writes a type as Spark does; what is still unknown is a STRING.
func appendType(dst []byte, t types.Type) []byte {
	switch t.Kind {
	case types.Null:
		return append(dst, "STRING"...)
	case types.Array:
		return append(appendType(append(dst, "ARRAY<"...), *t.Elem), '>')
	case types.Struct:
		dst = append(dst, "STRUCT<"...)
		for i, f := range t.Fields {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = appendType(append(append(dst, f.Name...), ": "...), f.Type)
		}
		return append(dst, '>')
	case types.Decimal:
		return fmt.Appendf(dst, "DECIMAL(%d,%d)", t.Prec, t.Scale)
	}
	return append(dst, t.String()...)
}

func schemaOfJSON(dst []byte, args []*vec.Vector, r int) ([]byte, string, string) {
	doc := args[0].Bytes(r)
	n := jsonTree(doc)
	if n == nil {
		return nil, fn.Quote(string(doc)), "not JSON"
	}
	return appendType(dst, inferred(n)), "", ""
}

// csvSeparator reads the options of the CSV functions, of which only the separator is
// known.
func csvSeparator(args []fn.Arg, i int) (rune, error) {
	opts, err := jsonOptions(args, i)
	if err != nil {
		return 0, err
	}
	sep := ','
	for name, value := range opts {
		if name != "sep" && name != "delimiter" {
			return 0, fmt.Errorf("knows the option sep alone, not %s", name)
		}
		c, n := utf8.DecodeRuneInString(value)
		if n == 0 || n != len(value) || c == '"' || c == '\n' || c == '\r' {
			return 0, fmt.Errorf("needs one character as sep, got %q", value)
		}
		sep = c
	}
	return sep, nil
}

// resolveSchemaOfCSV names the columns _c0, _c1 … of a line.
func resolveSchemaOfCSV(args []fn.Arg) (fn.Impl, error) {
	if err := arity(args, 1, 2); err != nil {
		return fn.Impl{}, err
	}
	sep, err := csvSeparator(args, 1)
	if err != nil {
		return fn.Impl{}, err
	}
	impl, err := fixed(text, tryTexts(text, "schema_of_csv", func(dst []byte, args []*vec.Vector, r int) ([]byte, string, string) {
		line := args[0].Text(r)
		record, err := csvRecord(line, sep)
		if err != nil {
			return nil, fn.Quote(line), "not a line of CSV"
		}
		var fields []types.Field
		for i, cell := range record {
			fields = append(fields, types.Field{Name: fmt.Sprintf("_c%d", i), Type: cellType(cell)})
		}
		return appendType(dst, types.StructOf(fields...)), "", ""
	}), text)(args[:1])
	impl.Args = append(impl.Args, argTypes(args[1:])...)
	return impl, err
}

// cellType is the narrowest type that reads a cell.
func cellType(s string) types.Type {
	b := []byte(s)
	if s == "" {
		return text
	}
	if _, ok := cast.ParseInt(b); ok {
		if _, err := strconv.ParseInt(s, 10, 32); err == nil {
			return integer
		}
		return bigint
	}
	if t := numberType(s); t.Kind == types.Decimal && strings.Trim(strings.TrimPrefix(s, "-"), "0123456789") == "" {
		return t
	}
	if _, err := strconv.ParseFloat(s, 64); err == nil && strings.ContainsAny(s, "0123456789") {
		return double
	}
	switch {
	case s == "NaN", strings.HasSuffix(s, "Inf"), strings.HasSuffix(s, "Infinity"):
		if _, err := strconv.ParseFloat(s, 64); err == nil {
			return double
		}
	case strings.EqualFold(s, "true"), strings.EqualFold(s, "false"):
		return boolean
	case len(s) == 10 && s[4] == '-':
		if _, ok := cast.ParseDate(b); ok {
			return date
		}
	case len(s) > 10 && s[4] == '-':
		if _, ok := cast.ParseTimestamp(b, time.UTC); ok {
			return timestamp
		}
	}
	return text
}
