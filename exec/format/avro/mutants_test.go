//go:build mutants

package avro

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sqlstream/sqlstream/exec/format/formattest"
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// killed reports whether rows come out otherwise than they went in.
func killed(t *testing.T) bool {
	text := `{"type":"record","name":"r","fields":[{"name":"d","type":{"type":"bytes","logicalType":"decimal","precision":20,"scale":3}},` +
		`{"name":"t","type":{"type":"long","logicalType":"timestamp-nanos"}},{"name":"u","type":["null","string"]}]}`
	s, _, err := parse(text, nil)
	if err != nil {
		t.Fatal(err)
	}
	cols, _ := s.columns()
	e, err := newRowEncoder(s, cols)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 1))
	var values [][]byte
	var want []string
	for range 50 {
		b := vec.NewBatch(vec.FromAny(cols[0].Type, types.Int128From(r.Int64N(2000)-1000)), vec.FromAny(cols[1].Type, r.Int64N(2e15)-1e15), vec.FromAny(cols[2].Type, "x"))
		value, err := e.append(nil, b.Cols, 0)
		if err != nil {
			t.Fatal(err)
		}
		values, want = append(values, value), append(want, formattest.Rows(b)...)
	}
	// A time between two microseconds, before 1970.
	values = append(values, []byte("\x02\x00\x01\x00"))
	want = append(want, "0.000 | 1969-12-31T23:59:59.999999 | NULL")
	return !slices.Equal(decoded(t, s, nil, cols, values), want)
}

func TestMutants(t *testing.T) {
	if killed(t) {
		t.Fatal("without a mutant the rows differ")
	}
	for _, name := range []string{"avro: nanoseconds before 1970 are rounded up", "avro: negative decimals are read without their sign", "avro: the second branch of a union is taken for null"} {
		t.Run(name, func(t *testing.T) {
			defer mutant.Activate(name)()
			if !killed(t) {
				t.Error("it lives")
			}
		})
	}
}
