package cast

import (
	"testing"

	"github.com/sqlstream/sqlstream/exec/types"
)

func TestNestedText(t *testing.T) {
	ints := types.ArrayOf(integer)
	pair := types.StructOf(types.Field{Name: "a", Type: integer}, types.Field{Name: "b", Type: types.ArrayOf(text)})
	byName := types.MapOf(text, integer)
	byNumber := types.MapOf(integer, integer)
	for _, c := range []struct {
		to         types.Type
		from, want string
		try        bool
	}{
		{ints, " [1, 2,NULL] ", "[1,2,null]", false},
		{ints, "{1,2}", "[1,2]", false},
		{ints, "[]", "[]", false},
		{ints, "[1", "error", false},
		{ints, "[1]]", "error", false},
		{ints, "1, 2", "error", false},
		{ints, "[1, x]", "error", false},
		{ints, "[1, x]", "[1,null]", true},
		{ints, "[1", "NULL", true},
		{types.ArrayOf(ints), "[[1], [ ], NULL]", "[[1],[],null]", false},
		{types.ArrayOf(ints), "[1]", "error", false},
		{types.ArrayOf(text), `["]", 'a, b', it\'s, c d , \"]`, `["]","a, b","it's","c d","\""]`, false},
		{types.ArrayOf(text), `[a\ b\,c\\, "a\ b\\"]`, `["a\\ b\\","c\\\\","a b\\"]`, false},
		{types.ArrayOf(text), `{a\ b\,c\\, "a\ b"}`, `["a b,c\\","a b"]`, false},
		{types.ArrayOf(text), `[{"k":"\"]"}, [1, "\\"]]`, `["{\"k\":\"\\\"]\"}","[1, \"\\\\\"]"]`, false},
		{types.ArrayOf(text), `[NULL, , "NULL"]`, `[null,"","NULL"]`, false},
		{pair, `{b: [x, 'y, z'], 'A': 7}`, `{"a":7,"b":["x","y, z"]}`, false},
		{pair, `{"a": 1, "b": ["x"]}`, `{"a":1,"b":["x"]}`, false},
		{pair, "{a: 1}", `{"a":1,"b":null}`, false},
		{pair, "(1, [x])", `{"a":1,"b":["x"]}`, false},
		{pair, "{c: 1}", "error", false},
		{pair, "{a: 1, a: 2}", "error", false},
		{byName, "{k=1, 2}", "error", false},
		{byName, "{k=1, 'j='=2, k=3}", `{"j=":2,"k":3}`, false},
		{byName, `{"k":1}`, `{"k":1}`, false},
		{byName, "{NULL=1}", "error", false},
		{byNumber, "{1=2, x=3}", "error", false},
		{byNumber, "{1=2, x=3}", "NULL", true},
		{byNumber, "{1=2, 01=3}", `{"1":3}`, false},
		{byNumber, "{1=x}", `{"1":null}`, true},
		{types.ArrayOf(byNumber), "[{1=2}, {x=3}]", "NULL", true},
	} {
		if got := convertOne(t, text, c.to, c.from, c.try); got != c.want {
			t.Errorf("%s as %s: got %s, want %s", c.from, c.to, got, c.want)
		}
	}
}
