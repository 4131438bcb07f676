package postgres

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// TestNumeric writes random decimals, and reads them with pgx and back.
func TestNumeric(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	m := pgtype.NewMap()
	for range 20000 {
		prec := 1 + r.IntN(38)
		scale := r.IntN(prec + 1)
		x := types.Int128{Hi: int64(r.Uint64()), Lo: r.Uint64()}
		x = x.DivPow10(r.IntN(39))
		if r.IntN(4) == 0 {
			x, _ = x.DivPow10(6).MulPow10(6) // zeros at the end
		}
		for !types.FitsPrecision(x, prec) {
			x = x.DivPow10(1)
		}
		b := appendNumeric(nil, x, scale)
		var n pgtype.Numeric
		if err := m.Scan(pgtype.NumericOID, pgtype.BinaryFormatCode, b, &n); err != nil {
			t.Fatal(err)
		}
		text := string(types.AppendDecimal(nil, x, scale))
		got, err := types.ParseDecimal(n.Int.String()+"e"+itoa(int(n.Exp)), 38, scale)
		if err != nil || got != x {
			t.Fatalf("%s: pgx reads %v e%d: %v", text, n.Int, n.Exp, err)
		}
		back, err := readNumeric(b, prec, scale)
		if err != nil || back != x {
			t.Fatalf("%s (%d, %d): read as %v, %v", text, prec, scale, back, err)
		}
		wider, err := readNumeric(b, 38, scale)
		if err != nil || wider != x {
			t.Fatalf("%s: %v, %v", text, wider, err)
		}
		if scale > 0 {
			_, rest, _ := x.QuoRem(types.Int128From(10))
			if _, err := readNumeric(b, 38, scale-1); (err == nil) != rest.IsZero() {
				t.Fatalf("%s with a digit less: %v", text, err)
			}
		}
	}
}

func itoa(n int) string { return string(types.Int128From(int64(n)).Append(nil)) }

func TestNumericOdd(t *testing.T) {
	for text, want := range map[string]string{
		"\x00\x00\x00\x00\xc0\x00\x00\x00": "is NaN", "\x00\x00\x00\x00\xd0\x00\x00\x00": "is infinite", "\x00\x00\x00\x00\xf0\x00\x00\x00": "is infinite",
		"\x00": "malformed", "\x00\x02\x00\x00\x00\x00\x00\x00\x00\x01": "malformed", "\x00\x01\x00\x20\x00\x00\x00\x00\x00\x01": "out of range",
	} {
		if _, err := readNumeric([]byte(text), 38, 2); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	// 10,000 ^ −10: smaller than any DECIMAL.
	if _, err := readNumeric([]byte("\x00\x01\xff\xf6\x00\x00\x00\x00\x00\x01"), 38, 38); !errors.Is(err, errNumericExact) {
		t.Error(err)
	}
}

// TestBadValues: what PostgreSQL cannot hold is told, not changed.
func TestBadValues(t *testing.T) {
	text, bytesType := types.Of(types.String), types.Of(types.Bytes)
	pair := types.StructOf(types.Field{Name: "a", Type: types.ArrayOf(text)})
	for _, c := range []struct {
		t    types.Type
		k    kind
		v    any
		want string
	}{
		{text, textKind, "a\x00b", "NUL"},
		{text, textKind, "\xff", "not valid UTF-8"},
		{text, textKind, "", ""},
		{text, jsonbKind, "{}", ""},
		{text, uuidKind, "6ba7b810-9dad-11d1-80b4-00c04fd430c8", ""},
		{text, uuidKind, "6ba7b810", "is no UUID"},
		{types.Of(types.JSON), jsonbKind, `"\u0000"`, "no text with the escape"},
		{types.Of(types.JSON), jsonbKind, `["\\u0000",{"a":"\ud800"}]`, `escape \ud800`},
		{types.Of(types.JSON), jsonbKind, `"\\u0000\u0001"`, ""},
		{types.Of(types.JSON), jsonKind, `"\u0000"`, ""},
		{types.ArrayOf(types.Of(types.JSON)), jsonbKind, []any{`"\u0000"`}, "no text with the escape"},
		{types.Of(types.UUID), uuidKind, "0123456789abcdef", ""},
		{types.Of(types.Time), timeKind, int64(1), ""},
		{bytesType, byteaKind, "\x00\xff", ""},
		{pair, jsonbKind, []any{[]any{"a", nil, "\x00"}}, "NUL"},
		{pair, jsonKind, []any{[]any{"a", nil}}, ""},
		{types.MapOf(text, text), jsonbKind, [][2]any{{"\xfe", "x"}}, "not valid UTF-8"},
		{types.Of(types.Date), dateKind, int64(math.MaxInt32) + epochDays, "has no date"},
		{types.Of(types.Date), dateKind, int64(0), ""},
		{types.Of(types.Timestamp), timestamptzKind, int64(math.MaxInt64), ""},
		{types.Of(types.Timestamp), timestamptzKind, int64(math.MinInt64), "has no timestamp"},
		{types.Of(types.TimestampNTZ), timestampKind, int64(minTime + epochMicros), ""},
		{types.Of(types.Interval), intervalKind, types.IntervalValue{Months: math.MaxInt32, Days: math.MaxInt32, Micros: math.MaxInt64}, "infinite"},
		{types.Of(types.Interval), intervalKind, types.IntervalValue{Months: 1}, ""},
	} {
		v := vec.FromAny(c.t, c.v)
		_, reason := appendCell(nil, v, 0, cellOf(c.t, wire{kind: c.k}))
		if c.want == "" && reason != "" || !strings.Contains(reason, c.want) {
			t.Errorf("%v as %s: %q, want %q", c.v, c.t, reason, c.want)
		}
	}
}

// TestTimeUUIDJSON: what is written is read again; what PostgreSQL has beyond our types is
// told.
func TestTimeUUIDJSON(t *testing.T) {
	for _, c := range []struct {
		k kind
		v *vec.Vector
	}{
		{timeKind, vec.FromAny(types.Of(types.Time), int64(0), types.MicrosPerDay-1)},
		{uuidKind, vec.FromAny(types.Of(types.UUID), "0123456789abcdef", strings.Repeat("\xff", 16))},
		{jsonKind, vec.FromAny(types.Of(types.JSON), `{"a":[1,null]}`, `"x"`)},
		{jsonbKind, vec.FromAny(types.Of(types.JSON), `{"a":[1,null]}`, `"x"`)},
	} {
		typ, w := c.v.Type, wire{kind: c.k}
		if got := typeOf(column{wire: w}); !got.Equal(typ) {
			t.Errorf("%s is read as %s", w, got)
		}
		b := vec.NewBuilder(typ)
		for row := range c.v.N {
			data, _ := appendCell(nil, c.v, row, cellOf(typ, w))
			if _, err := decodeCell(b, data, decoderOf(typ, w)); err != nil {
				t.Fatal(err)
			}
		}
		back := b.Take()
		for row := range c.v.N {
			if !vec.Equal(back, row, c.v, row) {
				t.Errorf("%s: %s came back as %s", w, vec.RowString(c.v, row, nil), vec.RowString(back, row, nil))
			}
		}
	}
	b := vec.NewBuilder(types.Of(types.Time))
	day := binary.BigEndian.AppendUint64(nil, types.MicrosPerDay)
	if err := decodeClock(b, day); err == nil || !strings.Contains(err.Error(), "24:00:00") {
		t.Error(err)
	}
	if err := decoderOf(types.Of(types.UUID), wire{kind: uuidKind})(vec.NewBuilder(types.Of(types.UUID)), day); err == nil {
		t.Error("8 bytes are a UUID")
	}
	b = vec.NewBuilder(types.Of(types.JSON))
	if err := decoderOf(types.Of(types.JSON), wire{kind: jsonKind})(b, []byte(` {"b":1, "a":2} `)); err != nil || b.Finish().Text(0) != `{"a":2,"b":1}` {
		t.Error(err, b.Finish().Text(0))
	}
}

func TestNames(t *testing.T) {
	for text, want := range map[string]string{
		"t": "|t", "S.T": "s|t", `"My T"`: "|My T", ` a."b.""c" `: `a|b."c`, "é.x$1": "é|x$1", "": "", "a.b.c": "", "a.": "", ".a": "", `"a`: "", "a b": "", `a."b`: "", "a;b": "",
	} {
		n, err := parseName(text, diag.Span{}, "table")
		if got := n.schema + "|" + n.table; err == nil && got != want || err != nil && want != "" {
			t.Errorf("%q: %q %v, want %q", text, got, err, want)
		}
	}
}

// TestPayload: a payload that was cut off is refused, whatever is left of it.
func TestPayload(t *testing.T) {
	s := &batchSink{columns: []column{{name: "k", wire: wire{kind: int8Kind}}}}
	s.cfg.Mode = 3 // changelog
	s.cells = []cell{cellOf(types.Of(types.Int64), s.columns[0].wire)}
	s.cfg.Columns = []types.Column{{Name: "k", Type: types.Of(types.Int64)}}
	st := s.newStaging()
	b := vec.NewBatch(vec.FromAny(types.Of(types.Int64), int64(7), nil, int64(9)))
	b.W = []int64{2, -1, -3}
	if err := st.take(b); err != nil {
		t.Fatal(err)
	}
	text := st.finish()
	p, err := s.parse(text)
	if err != nil || p.rows != 2 || p.gone != 2 || len(p.patterns) != 2 || p.patterns[0] != "0" || len(p.inserts) != 2*(2+4+8) {
		t.Fatalf("%+v %v", p, err)
	}
	for cut := range len(text) - len(p.removals) {
		if _, err := s.parse(text[:cut]); err == nil {
			t.Fatalf("a payload of %d of %d bytes was taken", cut, len(text))
		}
	}
	s.cfg.Mode = 0
	if _, err := s.parse(text); err == nil || !strings.Contains(err.Error(), "another mode") {
		t.Error(err)
	}
}

// TestRetry: what passes is tried again until patience ends; what does not, once.
func TestRetry(t *testing.T) {
	clk := clock.NewFake(clock.Real().Now())
	s := &server{clock: clk, patience: 1000, name: "x"}
	calls := 0
	err := s.retry(t.Context(), func(context.Context) error { calls++; return &lost{errors.New("gone")} })
	if calls != 1 || err == nil || !strings.Contains(err.Error(), "gone; tried for") {
		t.Errorf("%d calls, %v", calls, err)
	}
	s.patience = 1 << 40
	calls = 0
	err = s.retry(t.Context(), func(context.Context) error {
		if calls++; calls == 4 {
			return errors.New("for good")
		}
		go clk.Advance(1 << 33)
		return &lost{errors.New("gone")}
	})
	if calls != 4 || err == nil || err.Error() != "for good" {
		t.Errorf("%d calls, %v", calls, err)
	}
}

// TestSecrets: neither a wrong URL nor a password is in an error.
func TestSecrets(t *testing.T) {
	specs := option.Join(sinkSpecs(), serverSpecs())
	for _, url := range []string{
		"postgres://u:hush@h:port/d", "postgres://u:hush@h/d?sslmode=hush", "postgres://u:hu sh@h/d", "http://u:hush@h/d", "user=u password='hush", "host=h password=hush sslmode=hush",
		"postgres://u:hush%@h", "postgres://u:hush@h/d?sslrootcert=/none", "hush",
	} {
		d, err := option.Open(specs, []option.Value{{Name: "url", Text: url}, {Name: "table", Text: "t"}, {Name: "password", Text: "hush'\\"}})
		if err == nil {
			_, err = newServer(d, "/", clock.Real())
		}
		if err != nil && strings.Contains(err.Error(), "hush") {
			t.Errorf("%s: %v", url, err)
		}
	}
	d, err := option.Open(specs, []option.Value{{Name: "host", Text: "h"}, {Name: "user", Text: "u"}, {Name: "password", Text: `a'\ b`}, {Name: "table", Text: "t"}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := newServer(d, "/", clock.Real())
	if err != nil || s.cfg.Password != `a'\ b` || s.cfg.Host != "h" || s.name != "h:5432/" && !strings.HasPrefix(s.name, "h:5432/") {
		t.Errorf("%+v %v", s, err)
	}
}

func TestArray(t *testing.T) {
	a := types.ArrayOf(types.Of(types.Int32))
	c := cellOf(a, wire{kind: arrayKind, elem: int4Kind, elemOID: pgtype.Int4OID})
	m := pgtype.NewMap()
	for _, v := range [][]any{{}, {int64(1), nil, int64(-3)}} {
		b, reason := appendCell(nil, vec.FromAny(a, v), 0, c)
		if n := int(binary.BigEndian.Uint32(b)); reason != "" || n != len(b)-4 {
			t.Fatalf("%v: length %d of %d, %s", v, n, len(b), reason)
		}
		var out []*int32
		if err := m.Scan(pgtype.Int4ArrayOID, pgtype.BinaryFormatCode, b[4:], &out); err != nil || len(out) != len(v) {
			t.Fatalf("%v: %v %v", v, out, err)
		}
		for i, x := range v {
			if (x == nil) != (out[i] == nil) || x != nil && x.(int64) != int64(*out[i]) {
				t.Errorf("%v: element %d", v, i)
			}
		}
	}
}
