package types

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

func TestCanonicalJSON(t *testing.T) {
	for in, want := range map[string]string{
		" { \"b\" : 1 , \"a\" : [ 1 , 2 ] } ":  `{"a":[1,2],"b":1}`,
		`{"a":1,"b":2,"a":3}`:                  `{"a":3,"b":2}`,
		`{"a b":1,"a":2}`:                      `{"a":2,"a b":1}`,
		`{"b":{"d":1,"c":2},"a":{}}`:           `{"a":{},"b":{"c":2,"d":1}}`,
		"1.50":                                 "1.5",
		"15e-1":                                "1.5",
		"1.0":                                  "1",
		"-0":                                   "0",
		"-0.0e5":                               "0",
		"1e2":                                  "100",
		"1E400":                                "1e400",
		"0.00001":                              "0.00001",
		"1e-9":                                 "1e-9",
		"-12.30e-20":                           "-1.23e-19",
		"123456789012345678901234567890.10":    "123456789012345678901234567890.1",
		strings.Repeat("9", 41):                "9." + strings.Repeat("9", 40) + "e40",
		"1" + strings.Repeat("0", 50):          "1e50",
		`"\u0041\/\u00e9\ud83d\ude00\n\u0001"`: `"A/é😀\n\u0001"`,
		`"\uD800x"`:                            `"\ud800x"`,
		"true":                                 "true",
		"null":                                 "null",
		"[]":                                   "[]",
	} {
		got, err := AppendCanonicalJSON([]byte("x"), []byte(in))
		if err != nil || string(got) != "x"+want {
			t.Errorf("%s gives %s, %v; want %s", in, got, err, want)
		}
		again, err := AppendCanonicalJSON(nil, []byte(want))
		if err != nil || string(again) != want {
			t.Errorf("%s is not its own canonical form: %s, %v", want, again, err)
		}
	}
}

func TestNotJSON(t *testing.T) {
	for _, in := range []string{"", " ", "{", "[1,]", "{a:1}", `{"a"}`, `{"a":1,}`, "01", "1.", ".5", "+1", "1e", "tru", "truex", `"a`, `"\x"`, `"\u12"`,
		"\"\n\"", "\"\xff\"", "1 2", "nul", "NaN", "1e99999999999", "'a'", "-", strings.Repeat("[", 600) + strings.Repeat("]", 600)} {
		got, err := AppendCanonicalJSON([]byte("x"), []byte(in))
		if err == nil || string(got) != "x" {
			t.Errorf("%q is taken as %s", in, got)
		}
	}
}

// Random values, written with blanks and in any order, have one canonical form, and it
// is the same value for the standard library.
func TestCanonicalJSONKeepsValues(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		v := randomJSON(r, 3)
		plain, _ := json.Marshal(v)
		indented, _ := json.MarshalIndent(v, " ", "\t")
		a, err1 := AppendCanonicalJSON(nil, plain)
		b, err2 := AppendCanonicalJSON(nil, indented)
		if err1 != nil || err2 != nil || !bytes.Equal(a, b) {
			t.Fatalf("%s: %s, %s, %v, %v", plain, a, b, err1, err2)
		}
		var back any
		if err := json.Unmarshal(a, &back); err != nil || !reflect.DeepEqual(back, v) {
			t.Fatalf("%s became %s: %v", plain, a, err)
		}
	}
}

func randomJSON(r *rand.Rand, depth int) any {
	switch k := r.IntN(8); {
	case k == 0 && depth > 0:
		out := map[string]any{}
		for range r.IntN(4) {
			out[[]string{"a", "b", "a b", "é", "\"", ""}[r.IntN(6)]] = randomJSON(r, depth-1)
		}
		return out
	case k == 1 && depth > 0:
		out := []any{}
		for range r.IntN(4) {
			out = append(out, randomJSON(r, depth-1))
		}
		return out
	case k < 4:
		return []any{nil, true, false}[r.IntN(3)]
	case k < 6:
		return []float64{0, 1, -1, 1.5, 1e21, 1e-7, -123456.75, 1e300, 5e-324}[r.IntN(9)]
	}
	return []string{"", "a", "\n\t", "<&>", "é😀", "\x00\x1f", `\"`}[r.IntN(7)]
}

func FuzzCanonicalJSON(f *testing.F) {
	for _, s := range []string{`{"a":[1,2.50,"x\n"]}`, "1e5", `"\ud83d\ude00"`, "[{},[]]"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		out, err := AppendCanonicalJSON(nil, text)
		if err != nil {
			return
		}
		if !json.Valid(text) || !json.Valid(out) {
			t.Fatalf("%q became %q", text, out)
		}
		if again, err := AppendCanonicalJSON(nil, out); err != nil || !bytes.Equal(again, out) {
			t.Fatalf("%q, then %q: %v", out, again, err)
		}
	})
}
