package fn_test

import (
	"slices"
	"testing"

	"github.com/sqlstream/sqlstream/exec/fn"
)

func TestParams(t *testing.T) {
	name := func(n string) fn.Param { return fn.Param{Name: n} }
	lambda := fn.Param{Lambda: true}
	for form, want := range map[string][]fn.Param{
		"pi()":                              nil,
		"substring(text, start [, length])": {name("text"), name("start"), name("length")},
		"transform(array, x -> f(x))":       {name("array"), lambda},
		"zip_with(a, b, (x, y) -> f(x, y))": {name("a"), name("b"), {}},
		"aggregate(array, start, (state, x) -> next [, state -> result])": {name("array"), name("start"), {}, lambda},
		"invoke((x, y, ...) -> f(x, y, ...), a, b, ...)":                  {{}, name("a"), name("b"), {}},
		"array_sort(array, 'DESC' [, 'NULLS FIRST'])":                     {name("array"), {}, {}},
		"lag(x [, offset [, default]]) OVER (ORDER BY y)":                 {name("x"), name("offset"), name("default")},
	} {
		if got := fn.Params(form); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", form, got, want)
		}
	}
}
