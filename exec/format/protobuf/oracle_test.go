package protobuf

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/formattest"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

const everything = `syntax = "proto3";
package test;
import "google/protobuf/timestamp.proto";
import "google/protobuf/duration.proto";
import "google/protobuf/wrappers.proto";
enum Color { RED = 0; GREEN = 1; BLUE = -5; }
message All {
  int32 a = 1; sint32 b = 2; sfixed32 c = 3; int64 d = 4; sint64 e = 5; sfixed64 f = 6;
  uint32 g = 7; fixed32 h = 8; uint64 i = 9; fixed64 j = 10;
  bool k = 11; float l = 12; double m = 13; string n = 14; bytes o = 15; Color p = 16;
  optional int32 oa = 17; optional string os = 18; optional Color oc = 19; optional bool ob = 300;
  repeated sint32 ra = 20; repeated string rs = 21; repeated double rd = 22; repeated Color rc = 23; repeated fixed32 unpacked = 24 [packed = false];
  map<string, int64> ms = 25; map<int32, string> mi = 26; map<bool, Inner> mb = 27;
  Inner in = 28; repeated Inner rin = 29;
  google.protobuf.Timestamp t = 30; google.protobuf.Int64Value w = 31; google.protobuf.StringValue ws = 32; repeated google.protobuf.Timestamp rt = 33;
  oneof choice { int64 x = 34; string y = 35; Inner z = 36; }
}
message Inner { int32 v = 1; repeated string tags = 2; Deep deep = 3; optional bytes raw = 4; repeated Deep deeps = 5; }
message Deep { string s = 1; map<string, double> m = 2; }
`

func all(t testing.TB) *messageType {
	t.Helper()
	f, err := parse(everything, nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := named(f, "All")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// fill sets random fields.
func fill(r *rand.Rand, m protoreflect.Message, often int) {
	for i := range m.Descriptor().Fields().Len() {
		f := m.Descriptor().Fields().Get(i)
		if r.IntN(often) > 0 {
			continue
		}
		switch {
		case f.IsMap():
			for range r.IntN(2) { // one: the order of more is chance
				v := m.Mutable(f).Map().NewValue()
				if f.MapValue().Kind() == protoreflect.MessageKind {
					fill(r, v.Message(), 2)
				} else {
					v = scalar(r, f.MapValue())
				}
				m.Mutable(f).Map().Set(scalar(r, f.MapKey()).MapKey(), v)
			}
		case f.IsList():
			for range r.IntN(4) {
				if f.Kind() == protoreflect.MessageKind {
					fill(r, m.Mutable(f).List().AppendMutable().Message(), 2)
				} else {
					m.Mutable(f).List().Append(scalar(r, f))
				}
			}
		case f.Kind() == protoreflect.MessageKind:
			fill(r, m.Mutable(f).Message(), 2)
		default:
			m.Set(f, scalar(r, f))
		}
	}
}

func scalar(r *rand.Rand, f protoreflect.FieldDescriptor) protoreflect.Value {
	x := int64(r.Uint64()) >> r.IntN(64)
	if f.ContainingMessage().FullName() == timestampName {
		x = r.Int64N(1e9) - r.Int64N(2)
		if f.Name() == "nanos" {
			return protoreflect.ValueOfInt32(int32(max(x, 0)))
		}
	}
	switch f.Kind() {
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(x&1 == 0)
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		return protoreflect.ValueOfInt32(int32(x))
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		return protoreflect.ValueOfInt64(x)
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return protoreflect.ValueOfUint32(uint32(x))
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return protoreflect.ValueOfUint64(uint64(x))
	case protoreflect.FloatKind:
		return protoreflect.ValueOfFloat32(float32(r.NormFloat64()))
	case protoreflect.DoubleKind:
		return protoreflect.ValueOfFloat64(r.NormFloat64())
	case protoreflect.EnumKind:
		return protoreflect.ValueOfEnum([]protoreflect.EnumNumber{0, 1, -5, 17}[r.IntN(4)])
	case protoreflect.BytesKind:
		return protoreflect.ValueOfBytes([]byte{byte(x), 0xff})
	}
	return protoreflect.ValueOfString(strings.Repeat("é", r.IntN(5)))
}

// show prints a message as the rows of its columns.
func show(m protoreflect.Message) []string {
	var out []string
	for i := range m.Descriptor().Fields().Len() {
		f := m.Descriptor().Fields().Get(i)
		switch v := m.Get(f); {
		case f.IsMap():
			var parts []string
			v.Map().Range(func(k protoreflect.MapKey, v protoreflect.Value) bool {
				parts = append(parts, one(f.MapKey(), k.Value())+":"+one(f.MapValue(), v))
				return true
			})
			slices.Sort(parts)
			out = append(out, "{"+strings.Join(parts, ",")+"}")
		case f.IsList():
			var parts []string
			for k := range v.List().Len() {
				parts = append(parts, one(f, v.List().Get(k)))
			}
			out = append(out, "["+strings.Join(parts, ",")+"]")
		case f.HasPresence() && !m.Has(f):
			out = append(out, "NULL")
		default:
			out = append(out, one(f, v))
		}
	}
	return out
}

func one(f protoreflect.FieldDescriptor, v protoreflect.Value) string {
	switch f.Kind() {
	case protoreflect.MessageKind:
		m := v.Message()
		switch {
		case m.Descriptor().FullName() == timestampName:
			us := m.Get(m.Descriptor().Fields().ByName("seconds")).Int()*1e6 + m.Get(m.Descriptor().Fields().ByName("nanos")).Int()/1000
			return formattest.Show(vec.FromAny(types.Of(types.Timestamp), us), 0)
		case wrapped(m.Descriptor()) != nil:
			inner := m.Descriptor().Fields().Get(0)
			return one(inner, m.Get(inner))
		}
		return "(" + strings.Join(show(m), ",") + ")"
	case protoreflect.StringKind:
		return fmt.Sprintf("%q", v.String())
	case protoreflect.BytesKind:
		return fmt.Sprintf("%q", v.Bytes())
	case protoreflect.EnumKind:
		if e := f.Enum().Values().ByNumber(v.Enum()); e != nil {
			return fmt.Sprintf("%q", e.Name())
		}
		return fmt.Sprintf("\"%d\"", v.Enum())
	case protoreflect.FloatKind, protoreflect.DoubleKind:
		return fmt.Sprint(v.Float())
	}
	return fmt.Sprint(v.Interface())
}

func config(t testing.TB, cols []types.Column, opts ...string) format.Config {
	t.Helper()
	c := formattest.Config(t, Format().ReadOptions, cols, opts...)
	c.Messages = true
	return c
}

// Messages are read as another library reads them: one split in two is one.
func TestAgainstDynamicMessages(t *testing.T) {
	m := all(t)
	cols, err := m.columns()
	if err != nil {
		t.Fatal(err)
	}
	reader, err := newReader(config(t, cols, "protobuf_schema", everything, "message", "All"))
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		var texts [][]byte
		var want []string
		for range 40 {
			var text []byte
			for k := range 1 + r.IntN(2) {
				x := dynamicpb.NewMessage(m)
				fill(r, x, 1+r.IntN(4))
				if k > 0 {
					x.Clear(m.Fields().ByName("mb")) // a key twice in a map of messages is refused
				}
				part, err := proto.MarshalOptions{AllowPartial: true}.Marshal(x)
				if err != nil {
					t.Fatal(err)
				}
				if r.IntN(3) == 0 {
					part = append(part, "\xa2\x1f\x03abc"...) // a field that nobody knows
				}
				text = append(text, part...)
			}
			whole := dynamicpb.NewMessage(m)
			if err := proto.Unmarshal(text, whole); err != nil {
				t.Fatal(err)
			}
			if ambiguous(whole) {
				continue
			}
			texts = append(texts, text)
			want = append(want, fmt.Sprintf("%d: %s", len(texts)-1, strings.Join(show(whole), " | ")))
		}
		rows, bad, err := formattest.ReadMessages(reader, len(cols), formattest.Messages(texts...))
		if err != nil || len(bad) > 0 {
			t.Fatalf("seed %d: %v, bad %v", seed, err, bad)
		}
		formattest.Same(t, "rows", rows, want)
		encodeAgain(t, m, cols, reader, texts, rows)
	}
}

// ambiguous reports maps of several keys, whose order is chance.
func ambiguous(m protoreflect.Message) bool {
	found := false
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.IsMap():
			found = found || v.Map().Len() > 1
			v.Map().Range(func(_ protoreflect.MapKey, v protoreflect.Value) bool {
				found = found || f.MapValue().Kind() == protoreflect.MessageKind && ambiguous(v.Message())
				return true
			})
		case f.IsList() && f.Kind() == protoreflect.MessageKind:
			for i := range v.List().Len() {
				found = found || ambiguous(v.List().Get(i).Message())
			}
		case f.Kind() == protoreflect.MessageKind && !f.IsList():
			found = found || ambiguous(v.Message())
		}
		return true
	})
	return found
}

// encodeAgain writes the rows with the same schema: they are the same rows.
func encodeAgain(t *testing.T, m *messageType, cols []types.Column, reader format.Reader, texts [][]byte, want []string) {
	t.Helper()
	cols = cols[:len(cols):len(cols)]
	e, err := newRowEncoder(m, cols)
	if err != nil {
		t.Fatal(err)
	}
	rd := format.Reading{}
	for i := range cols {
		rd.Need = append(rd.Need, i)
	}
	var again [][]byte
	err = reader.(format.MessageReader).ReadMessages(context.Background(), formattest.Messages(texts...), rd, func(b *vec.Batch, _ []int32) error {
		for row := range b.N {
			text, err := e.append(nil, b.Cols, row)
			if err != nil {
				if strings.Contains(err.Error(), "none of the values of the enum") {
					text = texts[row]
				} else {
					return err
				}
			}
			again = append(again, text)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	rows, _, err := formattest.ReadMessages(reader, len(cols), formattest.Messages(again...))
	if err != nil {
		t.Fatal(err)
	}
	formattest.Same(t, "rows written again", rows, want)
}

func TestNumbersAtTheirLimits(t *testing.T) {
	text := `syntax = "proto3"; message M { uint64 u = 1; int32 i = 2; fixed64 f = 3; google.protobuf.Duration d = 4; } `
	text = strings.Replace(text, "message", `import "google/protobuf/duration.proto"; message`, 1)
	value := []byte("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x10\x80\x80\x80\x80\xf8\xff\xff\xff\xff\x01\x22\x04\x08\x01\x10\x00")
	cols := formattest.Columns("u", types.DecimalOf(20, 0), "i", types.Int64, "f", types.Int64, "d", types.Int64)
	read := func(cols []types.Column) ([]string, []format.BadRow) {
		c := config(t, cols, "protobuf_schema", text)
		c.OnError = format.Skip
		r, err := newReader(c)
		if err != nil {
			t.Fatal(err)
		}
		rows, bad, err := formattest.ReadMessages(r, len(cols), formattest.Messages(value))
		if err != nil {
			t.Fatal(err)
		}
		return rows, bad
	}
	rows, _ := read(cols)
	formattest.Same(t, "rows", rows, []string{fmt.Sprintf("0: %d | %d | 0 | 1000000", uint64(math.MaxUint64), math.MinInt32)})
	cols[0].Type = types.Of(types.Int64)
	if rows, bad := read(cols); len(rows) != 0 || len(bad) != 1 || !strings.Contains(bad[0].Reason, `field "u": 18446744073709551615 does not fit BIGINT`) {
		t.Errorf("rows %q, bad %+v", rows, bad)
	}
}

func FuzzMessages(f *testing.F) {
	m := all(f)
	cols, _ := m.columns()
	r := rand.New(rand.NewPCG(1, 1))
	for range 5 {
		x := dynamicpb.NewMessage(m)
		fill(r, x, 2)
		b, _ := proto.Marshal(x)
		f.Add(b)
	}
	c := config(f, cols, "protobuf_schema", everything, "message", "All")
	c.OnError = format.Skip
	reader, err := newReader(c)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		x := dynamicpb.NewMessage(m)
		valid := proto.Unmarshal(text, x) == nil
		rows, bad, err := formattest.ReadMessages(reader, len(cols), formattest.Messages(text, bytes.Clone(text)))
		if err != nil || len(rows)+len(bad) != 2 {
			t.Fatalf("%d rows, %d bad ones, %v", len(rows), len(bad), err)
		}
		if !valid && len(rows) > 0 && !strings.Contains(fmt.Sprint(proto.Unmarshal(text, x)), "UTF-8") {
			t.Logf("another library refuses %x", text)
		}
	})
}
