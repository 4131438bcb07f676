package differential

import (
	"strings"

	"github.com/sqlstream/sqlstream/exec/types"
)

// pool is the edge values of a type; the first is an ordinary one, the last is NULL.
type pool struct {
	t    types.Type
	vals []value
}

// pooled makes a pool of a simple type.
func pooled(t types.Type, vals ...string) pool {
	p := pool{t: t}
	for _, s := range vals {
		p.vals = append(p.vals, value{t: t, text: s})
	}
	return p.withNull()
}

func (p pool) withNull() pool {
	p.vals = append(p.vals, value{t: p.t, null: true})
	return p
}

func intervals(list ...[3]int64) pool {
	p := pool{t: types.Of(types.Interval)}
	for _, iv := range list {
		p.vals = append(p.vals, value{t: p.t, iv: iv})
	}
	return p.withNull()
}

// nested makes a pool of a nested type from lists of simple values; "∅" is NULL.
func nested(t types.Type, lists ...[]string) pool {
	p := pool{t: t}
	for _, list := range lists {
		v := value{t: t}
		for i, s := range list {
			et := memberType(t, i)
			v.list = append(v.list, value{t: et, text: s, null: s == "∅"})
		}
		p.vals = append(p.vals, v)
	}
	return p.withNull()
}

func memberType(t types.Type, i int) types.Type {
	switch {
	case t.Kind == types.Struct:
		return t.Fields[i].Type
	case t.Kind == types.Map && i%2 == 0:
		return *t.Key
	}
	return *t.Elem
}

// pools are the edge values of all types.
func pools() []pool {
	return append(append(numbers(), simple()...), compound()...)
}

// younger are the edge values of the types that Spark has not, or not for long. Their cases
// come beside those of pools, which stay as they are recorded.
func younger() []pool {
	of := types.Of
	return []pool{
		pooled(of(types.Time), "12:34:56.123456", "00:00:00", "23:59:59.999999", "01:02:03", "13:00:00.5"),
		pooled(of(types.UUID), "123e4567-e89b-42d3-a456-426614174000", "00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff",
			"80000000-0000-7000-8000-000000000001"),
		pooled(of(types.JSON), `{"a":1,"b":[true,null]}`, `{}`, `[]`, `[1,"x",null,{"a":2}]`, `"text"`, `"é\"\\"`, `null`, `true`, `0`, `-1.5`, `12345678901234567890`),
	}
}

// isYounger reports whether a type is one of younger.
func isYounger(t types.Type) bool {
	return t.Kind == types.Time || t.Kind == types.UUID || t.Kind == types.JSON
}

func numbers() []pool {
	of := types.Of
	return []pool{
		pooled(of(types.Int32), "5", "0", "1", "-1", "2", "-3", "13", "100", "2147483647", "-2147483648"),
		pooled(of(types.Int64), "7", "0", "1", "-1", "63", "64", "1700000000", "253402300800", "9223372036854775807", "-9223372036854775808"),
		pooled(of(types.Int8), "3", "0", "-1", "127", "-128"),
		pooled(of(types.Int16), "4", "0", "-1", "32767", "-32768"),
		pooled(of(types.Float64), "2.5", "0.0", "-0.0", "1.0", "-2.5", "0.5", "0.1", "-0.7", "1e15", "9007199254740993", "12345678901234567890.0",
			"5e-324", "1.7976931348623157E308", "NaN", "Infinity", "-Infinity"),
		pooled(of(types.Float32), "1.5", "0.0", "-0.0", "-2.25", "0.1", "16777217", "3.4028235E38", "1.4E-45", "NaN", "Infinity", "-Infinity"),
		pooled(types.DecimalOf(5, 2), "1.25", "0.00", "-1.25", "2.50", "999.99", "-999.99"),
		pooled(types.DecimalOf(10, 4), "2.5000", "0.0000", "-3.5000", "0.0001", "999999.9999"),
		pooled(types.DecimalOf(18, 0), "12", "0", "999999999999999999", "-999999999999999999"),
		pooled(types.DecimalOf(38, 0), "3", "0", "99999999999999999999999999999999999999", "-99999999999999999999999999999999999999"),
		pooled(types.DecimalOf(38, 18), "1.500000000000000000", "0.000000000000000001", "99999999999999999999.999999999999999999"),
		pooled(types.DecimalOf(38, 38), "0.5", "0.99999999999999999999999999999999999999", "-0.00000000000000000000000000000000000001"),
	}
}

func simple() []pool {
	of := types.Of
	days := []string{"2024-02-29", "0001-01-01", "1582-10-10", "1899-12-31", "1969-12-31", "1970-01-01", "2000-01-31", "2024-12-30", "2023-01-01", "9999-12-31"}
	times := []string{"2024-02-29 12:34:56.123456", "0001-01-01 00:00:00", "1582-10-10 06:00:00", "1969-12-31 23:59:59.999999", "1970-01-01 00:00:00",
		"2024-03-31 01:30:00", "2024-10-27 00:30:00", "2024-12-31 23:59:59.5", "9999-12-31 23:59:59.999999"}
	return []pool{
		pooled(of(types.Bool), "true", "false"),
		pooled(of(types.String), "abc", "", " ", "a", "ABC def", "naïve", "日本語", "😀a", "it's", "  pad ", "123", "-4.5", "1e3", "a,b,,c", `100\%_`, "tab\tx",
			"e\u0301x", "ßİ", "NaN", "true", "2024-02-29", "2024-02-29 12:34:56", "abcabc", strings.Repeat("xy", 40)),
		pooled(of(types.Bytes), "abc", "", "\x00", "\xff\x00", "日"),
		pooled(of(types.Date), days...),
		pooled(of(types.Timestamp), times...),
		pooled(of(types.TimestampNTZ), times...),
		intervals([3]int64{0, 1, 0}, [3]int64{0, 0, 0}, [3]int64{1, 0, 0}, [3]int64{-13, 0, 0}, [3]int64{0, -40, 0}, [3]int64{0, 0, 5_400_000_001},
			[3]int64{0, 2, -3_600_000_000}, [3]int64{14, 3, 4_500_000}),
	}
}

func compound() []pool {
	of := types.Of
	st := types.StructOf(types.Field{Name: "a", Type: of(types.Int32)}, types.Field{Name: "b", Type: of(types.String)})
	arrays := types.ArrayOf(of(types.Int32))
	deep := pool{t: types.ArrayOf(arrays)}
	for _, lists := range [][][]string{{{"1", "2"}, {"3"}}, {}, {{"1"}, {}, {"∅"}}} {
		v := value{t: deep.t}
		v.list = append(v.list, nested(arrays, lists...).vals[:len(lists)]...)
		deep.vals = append(deep.vals, v)
	}
	return []pool{
		nested(arrays, []string{"3", "1", "2"}, nil, []string{"1", "∅", "1", "∅"}, []string{"∅"}, []string{"5", "5", "-7", "0"}, []string{"2147483647", "-2147483648"}),
		nested(types.ArrayOf(of(types.String)), []string{"b", "a", "c"}, nil, []string{"a", "∅", "", "a"}, []string{"日本", "é"}),
		nested(types.ArrayOf(of(types.Float64)), []string{"2.5", "-1.0"}, []string{"NaN", "1.0", "-0.0", "0.0", "NaN"}, []string{"∅", "Infinity"}),
		deep.withNull(),
		nested(types.MapOf(of(types.String), of(types.Int32)), []string{"a", "1", "b", "2"}, nil, []string{"x", "∅"}, []string{"", "0", "é", "-1"}),
		nested(types.MapOf(of(types.Int32), of(types.String)), []string{"1", "a", "2", "b"}, []string{"0", "∅", "-1", ""}),
		nested(st, []string{"1", "x"}, []string{"∅", "y"}, []string{"0", "∅"}),
	}
}
