package scalar

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
)

// schemaArg is the type that the second argument, a constant, says of the first, a text.
func schemaArg(args []fn.Arg) (types.Type, error) {
	schema, ok := constText(args, 1)
	if !ok || !types.CanCoerce(args[0].Type, text) {
		return types.Type{}, fmt.Errorf("needs a STRING and a constant schema such as 'a INT, b STRING'")
	}
	return parseSchema(strings.Clone(schema))
}

// parseSchema reads the type that from_json is given as text: a list of columns
// ("a INT, b ARRAY<STRING>"), or one type.
func parseSchema(s string) (types.Type, error) {
	p := &schemaParser{toks: schemaTokens(s), text: s}
	if t, ok := p.try(); ok {
		return t, nil
	}
	p.pos = 0
	fields, ok := p.fields("")
	if !ok || p.pos < len(p.toks) || len(fields) == 0 {
		return types.Type{}, fmt.Errorf("cannot read the schema %q", s)
	}
	return types.StructOf(fields...), nil
}

type schemaParser struct {
	toks []string
	pos  int
	text string
}

func schemaTokens(s string) []string {
	var toks []string
	for i := 0; i < len(s); {
		j := i + 1
		switch ch := s[i]; {
		case ch == ' ' || ch == '\n' || ch == '\t':
			i++
			continue
		case ch == '`' || ch == '"':
			for j < len(s) && s[j] != ch {
				j++
			}
			j = min(j+1, len(s))
		case strings.IndexByte("<>(),:", ch) < 0:
			for j < len(s) && strings.IndexByte("<>(),: \n\t", s[j]) < 0 {
				j++
			}
		}
		toks = append(toks, s[i:j])
		i = j
	}
	return toks
}

func (p *schemaParser) next() string {
	if p.pos == len(p.toks) {
		return ""
	}
	p.pos++
	return p.toks[p.pos-1]
}

func (p *schemaParser) accept(tok string) bool {
	if p.pos < len(p.toks) && strings.EqualFold(p.toks[p.pos], tok) {
		p.pos++
		return true
	}
	return false
}

// try reads the whole text as one type.
func (p *schemaParser) try() (types.Type, bool) {
	t, ok := p.typ()
	return t, ok && p.pos == len(p.toks)
}

// fields reads name [:] type [NOT NULL], … up to an end token.
func (p *schemaParser) fields(end string) ([]types.Field, bool) {
	var fields []types.Field
	for {
		name := strings.Trim(p.next(), "`\"")
		p.accept(":")
		t, ok := p.typ()
		if name == "" || !ok {
			return nil, false
		}
		if p.accept("NOT") {
			p.accept("NULL")
		}
		fields = append(fields, types.Field{Name: name, Type: t})
		if p.accept(",") {
			continue
		}
		return fields, end == "" || p.accept(end)
	}
}

func (p *schemaParser) typ() (types.Type, bool) {
	switch name := strings.ToUpper(p.next()); name {
	case "ARRAY":
		return p.array()
	case "MAP":
		return p.mapping()
	case "STRUCT", "ROW":
		if !p.accept("<") {
			return types.Type{}, false
		}
		fields, ok := p.fields(">")
		return types.StructOf(fields...), ok
	case "DECIMAL", "NUMERIC", "DEC":
		return p.decimal()
	case "VARCHAR", "CHAR": // a length limits nothing
		if p.accept("(") {
			_, err := strconv.Atoi(p.next())
			return types.Of(types.String), err == nil && p.accept(")")
		}
		return types.Of(types.String), true
	default:
		k, ok := schemaKinds()[name]
		return types.Of(k), ok
	}
}

func schemaKinds() map[string]types.Kind {
	return map[string]types.Kind{
		"BOOLEAN": types.Bool, "BOOL": types.Bool, "TINYINT": types.Int8, "BYTE": types.Int8, "SMALLINT": types.Int16, "SHORT": types.Int16,
		"INT": types.Int32, "INTEGER": types.Int32, "BIGINT": types.Int64, "LONG": types.Int64, "FLOAT": types.Float32, "REAL": types.Float32,
		"DOUBLE": types.Float64, "STRING": types.String, "TEXT": types.String, "BYTES": types.Bytes, "BINARY": types.Bytes, "BYTEA": types.Bytes, "BLOB": types.Bytes,
		"INT2": types.Int16, "INT4": types.Int32, "INT8": types.Int64, "FLOAT4": types.Float32, "FLOAT8": types.Float64,
		"DATE": types.Date, "TIMESTAMP": types.Timestamp, "TIMESTAMP_LTZ": types.Timestamp, "TIMESTAMPTZ": types.Timestamp, "TIMESTAMP_NTZ": types.TimestampNTZ, "INTERVAL": types.Interval,
		"TIME": types.Time, "UUID": types.UUID, "JSON": types.JSON, "JSONB": types.JSON, "VARIANT": types.JSON,
	}
}

func (p *schemaParser) array() (types.Type, bool) {
	if !p.accept("<") {
		return types.Type{}, false
	}
	t, ok := p.typ()
	return types.ArrayOf(t), ok && p.accept(">")
}

func (p *schemaParser) mapping() (types.Type, bool) {
	if !p.accept("<") {
		return types.Type{}, false
	}
	k, ok := p.typ()
	if !ok || !p.accept(",") {
		return types.Type{}, false
	}
	v, ok := p.typ()
	return types.MapOf(k, v), ok && p.accept(">")
}

func (p *schemaParser) decimal() (types.Type, bool) {
	if !p.accept("(") {
		return types.DecimalOf(38, 9), true
	}
	prec, err := strconv.Atoi(p.next())
	scale := 0
	if p.accept(",") && err == nil {
		scale, err = strconv.Atoi(p.next())
	}
	ok := err == nil && prec >= 1 && prec <= types.MaxPrecision && scale >= 0 && scale <= prec
	return types.DecimalOf(prec, scale), p.accept(")") && ok
}
