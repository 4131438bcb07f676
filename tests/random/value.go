package random

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/types"
)

// column is a column of every source or table.
type column struct {
	name string
	kind Kind
}

func sourceColumns() []column {
	return []column{{"a", Int}, {"n", Big}, {"x", Dbl}, {"d", Dec}, {"s", Str}, {"b", Bool}, {"ts", Time}, {"xs", Ints}}
}

func tableColumns() []column {
	return []column{{"a", Int}, {"n", Big}, {"x", Dbl}, {"d", Dec}, {"s", Str}, {"b", Bool}}
}

// typeOf is the type of a column.
func typeOf(k Kind) types.Type {
	switch k {
	case Int:
		return types.Of(types.Int32)
	case Big:
		return types.Of(types.Int64)
	case Dbl:
		return types.Of(types.Float64)
	case Dec:
		return types.DecimalOf(10, 2)
	case Str:
		return types.Of(types.String)
	case Bool:
		return types.Of(types.Bool)
	case Time:
		return types.Of(types.Timestamp)
	}
	return types.ArrayOf(types.Of(types.Int32))
}

const minute = int64(60_000_000)

// epoch is where event time begins: 2024-01-01 00:00 UTC, µs.
const epoch = int64(1_704_067_200_000_000)

// drawValue draws from a small domain, NULL in one of four. Times are drawn by the
// history.
func drawValue(r *rand.Rand, k Kind) any {
	if r.IntN(4) == 0 {
		return nil
	}
	switch k {
	case Int:
		return int64(r.IntN(4))
	case Big:
		return []int64{-1, 0, 1, 1 << 40}[r.IntN(4)]
	case Dbl:
		return []float64{0, math.Copysign(0, -1), 1.5, -0.25, math.NaN()}[r.IntN(5)]
	case Dec:
		return []int64{0, 150, -25, 1000}[r.IntN(4)]
	case Str:
		return []string{"", "a", "ab", "b"}[r.IntN(4)]
	case Bool:
		return r.IntN(2) == 0
	case Ints:
		out := make([]any, r.IntN(4))
		for i := range out {
			out[i] = drawValue(r, Int)
		}
		return out
	}
	return nil
}

// drawTable draws a table of up to five rows; one in ten is empty.
func drawTable(r *rand.Rand, name string) Table {
	t := Table{Name: name}
	if r.IntN(10) == 0 {
		return t
	}
	for range 1 + r.IntN(5) {
		var row []any
		for _, c := range tableColumns() {
			row = append(row, drawValue(r, c.kind))
		}
		t.Rows = append(t.Rows, row)
		if r.IntN(5) == 0 {
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// Literal writes a value as SQL.
func Literal(k Kind, v any) string {
	switch v := v.(type) {
	case nil:
		return "CAST(NULL AS " + k.String() + ")"
	case bool:
		return fmt.Sprint(v)
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Sprintf("CAST('%v' AS DOUBLE)", v)
		}
		return fmt.Sprintf("CAST('%v' AS DOUBLE)", v)
	case string:
		return "'" + strings.ReplaceAll(v, "'", "''") + "'"
	case []any:
		return listLiteral(v)
	case int64:
		switch k {
		case Dec:
			return "CAST('" + decimalText(v) + "' AS DECIMAL(10,2))"
		case Big:
			return fmt.Sprintf("CAST(%d AS BIGINT)", v)
		case Time:
			return "TIMESTAMP '" + timeText(v) + "'"
		}
		return fmt.Sprint(v)
	}
	panic(fmt.Sprintf("random: no literal for %T", v))
}

func listLiteral(list []any) string {
	if len(list) == 0 {
		return "CAST(ARRAY[] AS INT[])"
	}
	parts := make([]string, len(list))
	for i, x := range list {
		parts[i] = Literal(Int, x)
	}
	return "ARRAY[" + strings.Join(parts, ", ") + "]"
}

func decimalText(unscaled int64) string {
	return string(types.AppendDecimal(nil, types.Int128From(unscaled), 2))
}

func timeText(us int64) string {
	return time.UnixMicro(us).UTC().Format("2006-01-02 15:04:05.999999")
}
