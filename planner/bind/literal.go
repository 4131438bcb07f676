package bind

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

var intType = types.Of(types.Int32)

func isNumber(l *ast.Literal) bool {
	return l.Kind == ast.LitInt || l.Kind == ast.LitDecimal || l.Kind == ast.LitDouble
}

// literal binds a constant.
func (b *Binder) literal(l *ast.Literal) expr.Node {
	switch l.Kind {
	case ast.LitNull:
		return expr.Null(types.Type{})
	case ast.LitBool:
		return expr.Bool(strings.EqualFold(l.Text, "true"))
	case ast.LitString:
		return expr.Text(l.Text)
	case ast.LitBytes:
		return expr.Blob([]byte(l.Text))
	case ast.LitDate:
		return b.constant(l, types.Of(types.Date))
	case ast.LitTimestamp:
		return b.constant(l, types.Of(types.Timestamp))
	case ast.LitTimestampNTZ:
		return b.constant(l, types.Of(types.TimestampNTZ))
	case ast.LitTime:
		return b.constant(l, types.Of(types.Time))
	case ast.LitJSON:
		return b.constant(l, types.Of(types.JSON))
	case ast.LitUUID:
		return b.constant(l, types.Of(types.UUID))
	}
	return b.constant(l, numberType(l))
}

// constant converts the literal's text; the result is a constant or an error.
func (b *Binder) constant(l *ast.Literal, t types.Type) expr.Node {
	n, err := b.res.Cast(expr.Text(l.Text), t, false)
	if err != nil || !expr.IsConst(n) || n.(*expr.Const).IsNull() || t.Kind == types.Decimal && fractionDigits(l.Text) > types.MaxPrecision {
		b.errorf(diag.BadConstant, l.Span, "%q is not a valid %s%s", l.Text, t, reason(l, t))
		return nil
	}
	return n
}

// fractionDigits counts the digits behind the point.
func fractionDigits(text string) int {
	_, fraction, _ := strings.Cut(text, ".")
	return len(fraction)
}

// reason says where a JSON literal is wrong, and why a number or timestamp is none.
func reason(l *ast.Literal, t types.Type) string {
	var bad *types.JSONError
	if _, err := types.ParseTimestamp(l.Text, time.UTC); t.Kind == types.Timestamp && errors.Is(err, types.ErrZoneName) {
		return ": " + err.Error()
	}
	if isNumber(l) && t.Kind == types.Decimal {
		return fmt.Sprintf(": a DECIMAL has at most %d digits; with an exponent, as in 1.5e0, it is a DOUBLE", types.MaxPrecision)
	}
	if _, err := types.AppendCanonicalJSON(nil, []byte(l.Text)); t.Kind != types.JSON || !errors.As(err, &bad) {
		return ""
	}
	return fmt.Sprintf(": %s at byte %d", bad.Msg, bad.Offset+1)
}

// numberType is the type of a number: by its suffix, else the smallest of INT, BIGINT
// and DECIMAL(38,0); a number with a point is an exact DECIMAL, one with an exponent
// a DOUBLE.
func numberType(l *ast.Literal) types.Type {
	suffix := map[string]types.Kind{"L": types.Int64, "S": types.Int16, "Y": types.Int8, "D": types.Float64, "F": types.Float32}
	if k, ok := suffix[l.Suffix]; ok {
		return types.Of(k)
	}
	switch {
	case l.Kind == ast.LitDouble && l.Suffix != "BD":
		return types.Of(types.Float64)
	case l.Kind == ast.LitDecimal || l.Suffix == "BD":
		return decimalType(l.Text)
	}
	if _, err := strconv.ParseInt(l.Text, 10, 32); err == nil {
		return intType
	}
	if _, err := strconv.ParseInt(l.Text, 10, 64); err == nil {
		return types.Of(types.Int64)
	}
	return types.DecimalOf(types.MaxPrecision, 0)
}

// decimalType holds exactly the digits that are written: 0.908 is DECIMAL(3,3).
func decimalType(text string) types.Type {
	whole, fraction, _ := strings.Cut(strings.TrimPrefix(text, "-"), ".")
	whole = strings.TrimLeft(whole, "0")
	scale := min(len(fraction), types.MaxPrecision)
	prec := max(len(whole)+scale, 1)
	return types.DecimalOf(min(prec, types.MaxPrecision), scale)
}

func (b *Binder) interval(x *ast.Interval) expr.Node {
	v, ok := intervalValue(x)
	if !ok {
		b.errorf(diag.BadConstant, x.Span, "interval is out of range")
		return nil
	}
	return expr.Interval(v)
}

func intervalValue(x *ast.Interval) (types.IntervalValue, bool) {
	v := types.IntervalValue{Months: int32(x.Months), Days: int32(x.Days), Micros: x.Micros}
	return v, int64(v.Months) == x.Months && int64(v.Days) == x.Days
}

// typeOf turns a type name into a type.
func (b *Binder) typeOf(t *ast.TypeName) (types.Type, bool) {
	if k, ok := simpleTypes[t.Name]; ok {
		if len(t.Args) > 0 && t.Args[0] > 6 && (k == types.Timestamp || k == types.TimestampNTZ || k == types.Time) {
			b.warnf(diag.UnsupportedType, t.Span, "%s(%d) keeps microseconds, the digits after them are dropped", t.Name, t.Args[0])
		}
		return types.Of(k), true
	}
	switch t.Name {
	case "DECIMAL":
		return b.decimalOf(t)
	case "ARRAY":
		elem, ok := b.typeOf(t.Elem)
		return types.ArrayOf(elem), ok
	case "MAP":
		key, ok1 := b.typeOf(t.Key)
		elem, ok2 := b.typeOf(t.Elem)
		return types.MapOf(key, elem), ok1 && ok2
	case "STRUCT":
		return b.structOf(t)
	}
	b.errorf(diag.UnsupportedType, t.Span, "type %s is not supported", t.Name)
	return types.Type{}, false
}

var simpleTypes = map[string]types.Kind{
	"BOOLEAN": types.Bool, "TINYINT": types.Int8, "SMALLINT": types.Int16, "INT": types.Int32, "BIGINT": types.Int64,
	"FLOAT": types.Float32, "DOUBLE": types.Float64, "STRING": types.String, "BYTES": types.Bytes, "DATE": types.Date,
	"TIMESTAMP": types.Timestamp, "TIMESTAMP_NTZ": types.TimestampNTZ, "INTERVAL": types.Interval,
	"TIME": types.Time, "UUID": types.UUID, "JSON": types.JSON,
}

func (b *Binder) decimalOf(t *ast.TypeName) (types.Type, bool) {
	p, s := types.MaxPrecision, 9
	if len(t.Args) > 0 {
		p, s = t.Args[0], 0
	}
	if len(t.Args) > 1 {
		s = t.Args[1]
	}
	if p < 1 || p > types.MaxPrecision || s < 0 || s > p {
		b.errorf(diag.BadType, t.Span, "DECIMAL takes a precision of 1 to %d and a scale of 0 to the precision", types.MaxPrecision)
		return types.Type{}, false
	}
	return types.DecimalOf(p, s), true
}

func (b *Binder) structOf(t *ast.TypeName) (types.Type, bool) {
	var fields []types.Field
	for _, f := range t.Fields {
		ft, ok := b.typeOf(f.Type)
		if !ok {
			return types.Type{}, false
		}
		if f.NotNull {
			b.errorf(diag.UnsupportedType, f.Span, "NOT NULL of a field is not supported: field %q may be NULL", f.Name.Name).
				WithHint("leave NOT NULL out; of a whole column it is held")
		}
		fields = append(fields, types.Field{Name: f.Name.Name, Type: ft})
	}
	return types.StructOf(fields...), true
}
