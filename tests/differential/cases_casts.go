package differential

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/types"
)

// casts asks for CAST between every two types that have one, and some TRY_CASTs.
func (m *maker) casts() {
	for _, from := range append(pools(), younger()...) {
		for _, to := range castTargets() {
			if !types.CanCast(from.t, to) {
				continue
			}
			for i, v := range castValues(from, to) {
				if to.Kind == types.Decimal && to.Prec%10 == 8 && i%3 != 0 {
					continue
				}
				m.cast(v, to, "CAST")
				if i%4 == 3 {
					m.cast(v, to, "TRY_CAST")
				}
			}
		}
	}
}

func castTargets() []types.Type {
	var out []types.Type
	for _, p := range append(pools(), younger()...) {
		out = append(out, p.t)
	}
	return out
}

// castValues are the values that are cast; text also in the forms of the target.
func castValues(from pool, to types.Type) []value {
	vals := from.vals
	if from.t.Kind == types.String {
		for _, s := range castTexts(to) {
			vals = append([]value{{t: from.t, text: s}}, vals...)
		}
	}
	return vals
}

// castTexts are texts near the syntax of a type.
func castTexts(to types.Type) []string {
	switch {
	case to.IsNumeric():
		return []string{"+7", " 12 ", "1.5", "1.", ".5", "1e2", "-0", "0x10", "1_000", "127", "128", "32768", "2147483648", "9223372036854775807", "9223372036854775808",
			"Infinity", "-inf", "nan", "1e400", "1d", "1f", "12L", "٣", "99999999999999999999999999999999999999", "0.00000000000000000000000000000000000001", "\t5\n", "5 5", "--5", "1e", "NULL"}
	case to.Kind == types.Bool:
		return []string{"TRUE", "t", "yes", "y", "1", "0", "no", "n", "f", "False", " true ", "on", "off", "2", "tr"}
	case to.Kind == types.Time:
		return []string{"1:2:3", "12:34", "24:00:00", "12:34:60", "12:34:56.1234567", " 12:34:56 ", "T12:34:56", "12", "2024-02-29 12:34:56", "12:34:56Z", "-01:00:00"}
	case to.Kind == types.UUID:
		return []string{"123E4567-E89B-42D3-A456-426614174000", "123e4567e89b42d3a456426614174000", "{123e4567-e89b-42d3-a456-426614174000}", "123e4567-e89b-42d3-a456-42661417400"}
	case to.Kind == types.JSON:
		return []string{`{"b":1, "a":2}`, `{"a":1,"a":2}`, `[1,]`, `nul`, `"a`, `01`, `1e400`, `  [1]  `, `{"a":{"b":[]}}`, ""}
	case to.IsTime():
		return []string{"2024-1-2", "2024", "2024-02", " 2024-02-03 ", "2024-02-30", "2024-13-01", "2024-02-29T12:34:56Z", "2024-02-29 12:34", "2024-02-29 12:34:56.1234567", "2024-02-29 12:34:56+02:00",
			"2024-02-29 12:34:56 Europe/Berlin", "2024-02-29 24:00:00", "2024-02-29 12:34:60", "10000-01-01", "0000-01-01", "-0001-01-01", "20240229", "2024/02/29", "12:34:56", "epoch", "2024-02-29 1:2:3", "now", "infinity"}
	case to.Kind == types.Interval:
		return []string{"1 day", "-2 months", "1 year 2 days", "INTERVAL '1' DAY", "1 02:03:04", "P1D", "1.5 seconds", "2 weeks", "01:00:00"}
	case to.Kind == types.Bytes:
		return []string{`\x41`, `\xZZ`}
	}
	return nil
}

func (m *maker) cast(v value, to types.Type, how string) {
	c := &Case{Func: fmt.Sprintf("%s AS %s", how, baseName(to)), Kind: "expr"}
	write := func(d dialect) string { return fmt.Sprintf("%s(%s AS %s)", how, v.sql(d), typeName(to, d)) }
	c.SQL, c.DuckDB = write(""), write(DuckDB)
	if hasTypes(Spark, []value{v, {t: to}}) {
		c.Spark = write(Spark)
	}
	m.add(c)
}

// baseName is a type without its parameters.
func baseName(t types.Type) string {
	switch t.Kind {
	case types.Decimal:
		return "DECIMAL"
	case types.Array, types.Map, types.Struct:
		return []string{"ARRAY", "MAP", "STRUCT"}[t.Kind-types.Array]
	}
	return t.String()
}
