package duckdb

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	duck "github.com/duckdb/duckdb-go/v2"

	"github.com/sqlstream/sqlstream/exec/types"
)

// plain writes a value so that both sides can be compared: numbers by their value, and
// doubles to ten digits, since DuckDB does not sum exactly.
func plain(v any) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case bool:
		return fmt.Sprint(v)
	case float64:
		return float(v)
	case int32:
		return float(float64(v))
	case int64:
		return new(big.Rat).SetInt64(v).RatString()
	case *big.Int:
		return v.String()
	case *big.Rat:
		return v.RatString()
	case duck.Decimal:
		return new(big.Rat).SetFrac(v.Value, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(v.Scale)), nil)).RatString()
	case time.Time:
		return v.UTC().Format("2006-01-02 15:04:05.000000")
	case string:
		return strconv.Quote(v)
	case []any:
		parts := make([]string, len(v))
		for i, x := range v {
			parts[i] = plain(x)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return fmt.Sprintf("%T %v", v, v)
}

func float(f float64) string {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case f == 0:
		return "0"
	}
	return strconv.FormatFloat(f, 'g', 10, 64)
}

// ours brings a value of the reference into the form that DuckDB gives.
func ours(t types.Type, v any) any {
	switch x := v.(type) {
	case int64:
		switch t.Kind {
		case types.Timestamp:
			return time.UnixMicro(x)
		case types.Date:
			return time.Unix(x*24*60*60, 0)
		case types.Decimal:
			return scaled(big.NewInt(x), t)
		}
	case types.Int128:
		b := new(big.Int).Lsh(big.NewInt(x.Hi), 64)
		return scaled(b.Add(b, new(big.Int).SetUint64(x.Lo)), t)
	case []any:
		out := make([]any, len(x))
		for i, e := range x {
			out[i] = ours(*t.Elem, e)
		}
		return out
	}
	return v
}

func scaled(unscaled *big.Int, t types.Type) *big.Rat {
	return new(big.Rat).SetFrac(unscaled, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(t.Scale)), nil))
}

// sortedText lists rows in an order of their own.
func sortedText(rows []string) string {
	slices.Sort(rows)
	return strings.Join(rows, "\n")
}
