package scalar

import (
	"math"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// hashed is a value with the answers of Spark 4.
type hashed struct {
	name     string
	v        *vec.Vector
	murmur   int32
	xxhash64 int64
}

func one(t types.Type, put func(b *vec.Builder)) *vec.Vector {
	b := vec.NewBuilder(t)
	put(b)
	return b.Take()
}

func sparkHashes() []hashed {
	str := func(s string) *vec.Vector { return one(text, func(b *vec.Builder) { b.AppendString(s) }) }
	return []hashed{
		{"1", one(integer, func(b *vec.Builder) { b.AppendInt(1) }), -559580957, -6698625589789238999},
		{"-1", one(integer, func(b *vec.Builder) { b.AppendInt(-1) }), -1604776387, 2017008487422258757},
		{"CAST(1 AS TINYINT)", one(tinyint, func(b *vec.Builder) { b.AppendInt(1) }), -559580957, -6698625589789238999},
		{"9223372036854775807", one(bigint, func(b *vec.Builder) { b.AppendInt(9223372036854775807) }), -1604625029, -3246596055638297850},
		{"CAST(1 AS BIGINT)", one(bigint, func(b *vec.Builder) { b.AppendInt(1) }), -1712319331, -7001672635703045582},
		{"true", one(boolean, func(b *vec.Builder) { b.AppendBool(true) }), -559580957, -6698625589789238999},
		{"CAST(1.5 AS FLOAT)", one(float, func(b *vec.Builder) { b.AppendFloat(1.5) }), -221251528, 6163473420726370430},
		{"CAST(-0.0 AS FLOAT)", one(float, func(b *vec.Builder) { b.AppendFloat(math.Copysign(0, -1)) }), 933211791, 3614696996920510707},
		{"1.5e0", one(double, func(b *vec.Builder) { b.AppendFloat(1.5) }), 1290763749, 7738255526519901366},
		{"-0.0e0", one(double, func(b *vec.Builder) { b.AppendFloat(math.Copysign(0, -1)) }), -1670924195, -5252525462095825812},
		{"CAST('NaN' AS DOUBLE)", one(double, func(b *vec.Builder) { b.AppendFloat(math.NaN()) }), -1281358385, -3127944061524951246},
		{"CAST('-Infinity' AS DOUBLE)", one(double, func(b *vec.Builder) { b.AppendFloat(math.Inf(-1)) }), 461104036, 5326262080505358431},
		{"DATE'2024-02-29'", one(date, func(b *vec.Builder) { b.AppendInt(19782) }), 653915859, 4183429117450946631},
		{"TIMESTAMP'2024-02-29 00:00:00'", one(timestamp, func(b *vec.Builder) { b.AppendInt(19782 * types.MicrosPerDay) }), -1074694574, 8856006152688872945},
		{"1.25", one(types.DecimalOf(3, 2), func(b *vec.Builder) { b.AppendInt128(types.Int128From(125)) }), 1910520950, 2287599437899865974},
		{"CAST(1 AS DECIMAL(38,0))", one(types.DecimalOf(38, 0), func(b *vec.Builder) { b.AppendInt128(types.Int128From(1)) }), -386724586, 6668291691252061002},
		{"CAST(-129 AS DECIMAL(20,0))", one(types.DecimalOf(20, 0), func(b *vec.Builder) { b.AppendInt128(types.Int128From(-129)) }), -771458971, -6459515886037897956},
		{"CAST(128 AS DECIMAL(20,0))", one(types.DecimalOf(20, 0), func(b *vec.Builder) { b.AppendInt128(types.Int128From(128)) }), -544401882, 6715097930120473301},
		{"CAST(123456789012345678901234567890 AS DECIMAL(38,0))", one(types.DecimalOf(38, 0), func(b *vec.Builder) { b.AppendInt128(big30()) }), 269448356, 7467050800690399880},
		{"X'00ff80'", one(blob, func(b *vec.Builder) { b.AppendBytes([]byte{0, 0xff, 0x80}) }), -2052482636, 7869338589911211550},
		{"INTERVAL '1' MONTH", one(interval, func(b *vec.Builder) { b.AppendInterval(types.IntervalValue{Months: 1}) }), -559580957, -6698625589789238999},
		{"INTERVAL '1 01' DAY TO HOUR", one(interval, func(b *vec.Builder) { b.AppendInterval(types.IntervalValue{Days: 1, Micros: types.MicrosPerHour}) }), 1276317283, 1283193381774302325},
		{"array(1, NULL, 2)", one(types.ArrayOf(integer), func(b *vec.Builder) {
			for _, x := range []int64{1, 0, 2} {
				if x == 0 {
					b.Child(0).AppendNull()
				} else {
					b.Child(0).AppendInt(x)
				}
			}
			b.EndList()
		}), -222940379, -8133857028838179022},
		{"named_struct('a', 1, 'b', 'x')", one(types.StructOf(types.Field{Name: "a", Type: integer}, types.Field{Name: "b", Type: text}), func(b *vec.Builder) { b.Child(0).AppendInt(1); b.Child(1).AppendString("x"); b.EndStruct() }), -1305545736, 8510603489595372987},
		{"", str(""), 142593372, -7444071767201028348},
		{"a", str("a"), 1485273170, -8582455328737087284},
		{"abcd", str("abcd"), -396302900, -6810745876291105281},
		{"abcde", str("abcde"), 814637928, -990457398947679591},
		{"é🦆", str("é🦆"), -1239541836, -7866170040144773977},
		{"0123456789abcdef0123456789abcde", str("0123456789abcdef0123456789abcde"), -850018955, 6207258418261489360},
		{"0123456789abcdef0123456789abcdef", str("0123456789abcdef0123456789abcdef"), -853913916, 7380026953736478117},
		{"0123456789abcdef0123456789abcdef0123456789abcdef+1234567", str("0123456789abcdef0123456789abcdef0123456789abcdef+1234567"), 1030664334, -2940384120653448213},
	}
}

// big30 is 123456789012345678901234567890.
func big30() types.Int128 {
	x, _ := types.ParseDecimal("123456789012345678901234567890", 38, 0)
	return x
}

// TestHashesOfSpark compares with recorded answers.
func TestHashesOfSpark(t *testing.T) {
	for _, h := range sparkHashes() {
		for _, f := range hashes() {
			impl, err := f.Resolve([]fn.Arg{{Type: h.v.Type}})
			if err != nil {
				t.Fatal(err)
			}
			out, err := impl.Eval(&fn.Ctx{Zone: time.UTC}, []*vec.Vector{h.v}, fn.Rows{N: 1})
			if err != nil {
				t.Fatal(err)
			}
			want := int64(h.murmur)
			if f.Name == "xxhash64" {
				want = h.xxhash64
			}
			if out.I64[0] != want {
				t.Errorf("%s(%s) = %d, in Spark %d", f.Name, h.name, out.I64[0], want)
			}
		}
	}
}
