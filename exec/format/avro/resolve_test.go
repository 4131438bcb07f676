package avro

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/twmb/avro"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/formattest"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// decoded decodes values one after the other and prints them as rows.
func decoded(t *testing.T, writer, expected *schema, cols []types.Column, values [][]byte) []string {
	t.Helper()
	r := &reader{config: format.Config{Columns: cols}}
	d := r.session(all(cols))
	p, err := compile(writer, expected, d.cols, d.cols, d.Cols)
	if err != nil {
		t.Fatalf("compile: %v", err)
	}
	var rows []string
	m := formattest.Messages(values...)
	d.BeginMessages(t.Context(), &m, format.Reading{}, func(b *vec.Batch, _ []int32) error {
		rows = append(rows, formattest.Rows(b)...)
		return nil
	})
	d.share(&loaded{program: p}, nil)
	d.current = &loaded{program: p}
	err = d.EachMessage(m.Buf, func(from, end int) {
		d.begin(m.Buf[:end], from)
		if q := d.fields(p.root, d.Row, from); q != end {
			t.Fatalf("decoded %d of %d bytes: %s", q-from, end-from, d.broken)
		}
		d.endRow(m.Buf, from, end)
	}, d.TakeNulls)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func all(cols []types.Column) []int {
	need := make([]int, len(cols))
	for i := range need {
		need[i] = i
	}
	return need
}

// encoded encodes random rows of a schema.
func encoded(t *testing.T, r *rand.Rand, s *schema, n int) [][]byte {
	t.Helper()
	cols, err := s.columns()
	if err != nil {
		t.Fatal(err)
	}
	e, err := newRowEncoder(s, cols)
	if err != nil {
		t.Fatal(err)
	}
	var out [][]byte
	for range n {
		b := vec.NewBuilder(types.StructOf(fieldsOf(cols)...))
		appendValue(r, b, s)
		v := b.Take()
		value, err := e.append(nil, v.Child, 0)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, value)
	}
	return out
}

func fieldsOf(cols []types.Column) []types.Field {
	var out []types.Field
	for _, c := range cols {
		out = append(out, types.Field{Name: c.Name, Type: c.Type})
	}
	return out
}

// appendValue appends a random value that a schema allows.
func appendValue(r *rand.Rand, b *vec.Builder, s *schema) {
	inner, _ := s.nullable()
	if inner != s && r.IntN(3) == 0 {
		b.AppendNull()
		return
	}
	switch s = inner; s.kind {
	case recordKind:
		for i := range s.fields {
			appendValue(r, b.Child(i), s.fields[i].typ)
		}
		b.EndStruct()
	case arrayKind:
		for range r.IntN(4) {
			appendValue(r, b.Child(0), s.items)
		}
		b.EndList()
	case mapKind:
		for i := range r.IntN(2) { // a map of Go has no order
			b.Child(0).AppendString(fmt.Sprint("k", i))
			appendValue(r, b.Child(1), s.items)
		}
		b.EndList()
	case enumKind:
		b.AppendString(s.symbols[r.IntN(len(s.symbols))])
	case fixedKind:
		if s.logical == "" {
			b.AppendBytes(bytes.Repeat([]byte{byte(r.IntN(256))}, s.size))
			return
		}
		b.AppendInt128(types.Int128From(r.Int64N(1e17) - 5e16))
	default:
		t, _ := s.sqlType(nil)
		switch {
		case s.unit() == 1e3:
			b.AppendInt((r.Int64N(4e12) - 2e12) * 1000)
		case s.kind == floatKind:
			b.AppendFloat(float64(float32(r.NormFloat64())))
		case s.kind == doubleKind:
			b.AppendFloat(r.NormFloat64())
		case s.kind == longKind && s.logical == "":
			b.AppendInt(r.Int64() >> r.IntN(64))
		default:
			formattest.Values{Years: true}.AppendRandom(r, b, t, false)
		}
	}
}

// What another library reads with the newer schema and writes again is what is read here.
func TestResolution(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 1))
		g := &generator{r: r}
		w := g.record(3)
		e := g.evolve(w)
		writer, wlib, err := parse(text(w), nil)
		if err != nil {
			t.Fatal(err)
		}
		reader, rlib, err := parse(text(e), nil)
		if err != nil {
			t.Fatalf("%v\n%s", err, text(e))
		}
		resolved, err := avro.Resolve(wlib, rlib)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s\n%s", seed, err, text(w), text(e))
		}
		cols, err := reader.columns()
		if err != nil {
			t.Fatal(err)
		}
		values := encoded(t, r, writer, 20)
		var again [][]byte
		for _, v := range values {
			var x any
			if _, err := resolved.Decode(v, &x); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			b, err := rlib.Encode(x)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			again = append(again, b)
		}
		got, want := decoded(t, writer, reader, cols, values), decoded(t, reader, nil, cols, again)
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("seed %d\nwriter %s\nreader %s\ngot  %s\nwant %s", seed, text(w), text(e), got[i], want[i])
			}
		}
		checkSkipping(t, writer, values)
	}
}

// checkSkipping reads each column alone: the others are passed over.
func checkSkipping(t *testing.T, s *schema, values [][]byte) {
	t.Helper()
	cols, err := s.columns()
	if err != nil {
		t.Fatal(err)
	}
	whole := decoded(t, s, nil, cols, values)
	for i, c := range cols {
		for row, got := range decoded(t, s, nil, []types.Column{c}, values) {
			if want := strings.Split(whole[row], " | ")[i]; got != want {
				t.Fatalf("column %q alone is %s, want %s", c.Name, got, want)
			}
		}
	}
}

// What is written here, another library reads and writes the same.
func TestEncoding(t *testing.T) {
	values := formattest.Values{Years: true}
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 2))
		var cols []types.Column
		for i := range 1 + r.IntN(5) {
			cols = append(cols, types.Column{Name: fmt.Sprint("c", i), Type: formattest.RandomType(r, formattest.Kinds{Depth: 3, StringKeys: true})})
		}
		schemaText, err := describe("r", cols)
		if err != nil {
			t.Fatal(err)
		}
		s, lib, err := parse(schemaText, nil)
		if err != nil {
			t.Fatal(err)
		}
		e, err := newRowEncoder(s, cols)
		if err != nil {
			t.Fatal(err)
		}
		b := values.Batch(r, cols)
		var all [][]byte
		b.Each(func(row int) {
			value, err := e.append(nil, b.Cols, row)
			if err != nil {
				t.Fatal(err)
			}
			var x any
			rest, err := lib.Decode(value, &x)
			if err != nil || len(rest) > 0 {
				t.Fatalf("seed %d: %v, %d bytes left", seed, err, len(rest))
			}
			all = append(all, value)
		})
		formattest.Same(t, "rows", decoded(t, s, nil, cols, all), formattest.Rows(b))
	}
}
