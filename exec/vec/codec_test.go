package vec_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/exec/vec/vectest"
)

// TestKeyRoundTrip decodes several values in a row, and checks the bulk form.
func TestKeyRoundTrip(t *testing.T) {
	for seed := range uint64(300) {
		r := vectest.Rand(seed)
		ts := vectest.Types(r, 1+r.IntN(3), 2)
		b := vectest.Batch(r, ts, 40)
		var kb vec.KeyBuf
		vec.AppendKeys(b.Cols, b.N, b.Sel, &kb)
		vec.AppendKeys(b.Cols, b.N, b.Sel, &kb)
		if kb.Len() != b.Rows() {
			t.Fatalf("%d keys of %d rows", kb.Len(), b.Rows())
		}
		bs := vec.NewBuilders(ts)
		for i := range kb.Len() {
			key := kb.Key(i)
			if want := vec.AppendRowKey(nil, b.Cols, b.Row(i)); string(want) != string(key) {
				t.Fatalf("bulk key %x, single %x", key, want)
			}
			if err := vec.DecodeRowKey(key, bs); err != nil {
				t.Fatalf("%v: key %x: %v", ts, key, err)
			}
		}
		for c, bb := range bs {
			v := bb.Finish()
			for i := range v.N {
				if !vec.Equal(v, i, b.Cols[c], b.Row(i)) {
					t.Fatalf("seed %d: %s: %v came back as %v", seed, ts[c], vec.ToAny(b.Cols[c], b.Row(i)), vec.ToAny(v, i))
				}
			}
		}
	}
}

// TestKeyRefusesCorruption cuts and extends keys.
func TestKeyRefusesCorruption(t *testing.T) {
	for seed := range uint64(200) {
		r := vectest.Rand(seed)
		typ := vectest.Type(r, 2)
		v := vectest.Vector(r, typ, 1)
		key := vec.AppendKey(nil, v, 0)
		for cut := range key {
			if _, err := vec.DecodeKey(key[:cut], typ, vec.NewBuilder(typ)); err == nil {
				t.Fatalf("%s: %d of the bytes %x are accepted", typ, cut, key)
			}
		}
		if err := vec.DecodeRowKey(append(key, 0), []*vec.Builder{vec.NewBuilder(typ)}); err == nil {
			t.Fatalf("%s: bytes after the key are accepted", typ)
		}
	}
}

// TestKeyFormat pins the bytes: they are persisted in state.
func TestKeyFormat(t *testing.T) {
	array := types.ArrayOf(types.Of(types.Int64))
	for _, c := range []struct {
		t    types.Type
		v    any
		want string
	}{
		{types.Of(types.Int64), nil, "\x00"},
		{types.Of(types.Int64), 0, "\x80"},
		{types.Of(types.Int64), 1, "\x81\x01"},
		{types.Of(types.Int64), -1, "\x7f"},
		{types.Of(types.Int64), -2, "\x7e\xfe"},
		{types.Of(types.Int64), 256, "\x82\x01\x00"},
		{types.DecimalOf(38, 0), 256, "\x82\x01\x00"},
		{types.Of(types.Bool), true, "\x02"},
		{types.Of(types.Float64), 1.0, "\x01\xbf\xf0\x00\x00\x00\x00\x00\x00"},
		{types.Of(types.String), "a\x00\x01", "\x01a\x01\x01\x01\x02\x00"},
		{array, []any{1, nil}, "\x01\x01\x81\x01\x01\x00\x00"},
	} {
		if got := vec.AppendKey(nil, vec.FromAny(c.t, c.v), 0); string(got) != c.want {
			t.Errorf("key of %s %v is %x, want %x", c.t, c.v, got, c.want)
		}
	}
}

func TestBatchRoundTrip(t *testing.T) {
	for seed := range uint64(300) {
		r := vectest.Rand(seed)
		ts := vectest.Types(r, r.IntN(4), 2)
		b := vectest.Batch(r, ts, r.IntN(100))
		data := vec.EncodeBatch([]byte("before"), b)
		got, rest, err := vec.DecodeBatch(append(data, "after"...)[6:], ts)
		if err != nil || string(rest) != "after" {
			t.Fatalf("seed %d: %v: rest %q, %v", seed, ts, rest, err)
		}
		rows, weights := batchModel(b)
		sameBatch(t, "decoded", got, rows, weights)
		if (got.W == nil) != (b.W == nil) {
			t.Fatal("weights appear or vanish")
		}
	}
}

// corrupt changes bytes, cuts or extends.
func corrupt(r *rand.Rand, data []byte) []byte {
	out := append([]byte{}, data...)
	for range 1 + r.IntN(3) {
		if len(out) == 0 {
			break
		}
		switch r.IntN(3) {
		case 0:
			out[r.IntN(len(out))] = byte(r.IntN(256))
		case 1:
			out = out[:r.IntN(len(out))]
		case 2:
			i := r.IntN(len(out))
			out = append(out[:i], append([]byte{0xff, 0xff, 0xff, 0xff, 0x0f}, out[i:]...)...)
		}
	}
	return out
}

// readAll touches every value, so that a bad vector panics.
func readAll(b *vec.Batch) {
	for _, c := range b.Cols {
		for i := range min(c.N, 1000) {
			vec.RowString(c, i, time.UTC)
		}
	}
}

func TestBatchSurvivesCorruption(t *testing.T) {
	for seed := range uint64(3000) {
		r := vectest.Rand(seed)
		ts := vectest.Types(r, 1+r.IntN(3), 2)
		data := corrupt(r, vec.EncodeBatch(nil, vectest.Batch(r, ts, r.IntN(20))))
		if b, _, err := vec.DecodeBatch(data, ts); err == nil {
			readAll(b)
		}
	}
}

func FuzzDecodeBatch(f *testing.F) {
	ts := []types.Type{types.Of(types.Int64), types.Of(types.String), types.MapOf(types.Of(types.String), types.ArrayOf(types.DecimalOf(38, 2))),
		types.StructOf(types.Field{Name: "a", Type: types.Of(types.Interval)}, types.Field{Name: "b", Type: types.Of(types.Bool)})}
	for seed := range uint64(5) {
		f.Add(vec.EncodeBatch(nil, vectest.Batch(vectest.Rand(seed), ts, 5)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if b, _, err := vec.DecodeBatch(data, ts); err == nil {
			readAll(b)
			again, _, err := vec.DecodeBatch(vec.EncodeBatch(nil, b), ts)
			if err != nil {
				t.Fatal(err)
			}
			rows, weights := batchModel(b)
			sameBatch(t, "again", again, rows, weights)
		}
	})
}

func FuzzDecodeKey(f *testing.F) {
	f.Add([]byte("\x01\x01\x81\x01\x01a\x00\x00"))
	typ := types.MapOf(types.Of(types.Int64), types.StructOf(types.Field{Name: "a", Type: types.Of(types.String)}, types.Field{Name: "b", Type: types.Of(types.Interval)}))
	f.Fuzz(func(t *testing.T, data []byte) {
		b := vec.NewBuilder(typ)
		if _, err := vec.DecodeKey(data, typ, b); err == nil {
			vec.RowString(b.Finish(), 0, time.UTC)
		}
	})
}
