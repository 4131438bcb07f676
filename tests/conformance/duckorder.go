package conformance

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// An order of DuckDB that differs from ours: NULL inside a nested value is its greatest part.
// duck_order(x) marks each part of a nested value by whether it is NULL, so that our order of
// what it gives is theirs of x; duck_unmark takes the marks off again.

// duckOrderFunctions adds them.
func duckOrderFunctions(r *fn.Registry) {
	hidden(r, &fn.Scalar{Name: "duck_order", Resolve: func(args []fn.Arg) (fn.Impl, error) {
		t := args[0].Type
		if !t.IsNested() || t.Kind == types.Map {
			return unchanged(t), nil
		}
		return fn.Impl{Args: []types.Type{t}, Result: markedType(t), Eval: func(_ *fn.Ctx, args []*vec.Vector, _ fn.Rows) (*vec.Vector, error) {
			return markedNulls(args[0]), nil
		}}, nil
	}})
	hidden(r, &fn.Scalar{Name: "duck_unmark", Resolve: func(args []fn.Arg) (fn.Impl, error) {
		t := args[0].Type
		plain := unmarkedType(t)
		if plain.Equal(t) {
			return unchanged(t), nil
		}
		return fn.Impl{Args: []types.Type{t}, Result: plain, Eval: func(_ *fn.Ctx, args []*vec.Vector, _ fn.Rows) (*vec.Vector, error) {
			return unmarked(args[0]), nil
		}}, nil
	}})
}

// unmarkedType is the type that markedType made one of; another stays.
func unmarkedType(t types.Type) types.Type {
	switch {
	case t.Kind == types.Array && t.Elem.Kind == types.Struct && t.Elem.Fields[0].Name == "is_null":
		return types.ArrayOf(unmarkedType(t.Elem.Fields[1].Type))
	case t.Kind == types.Struct && len(t.Fields) > 1 && t.Fields[0].Name == "no_"+t.Fields[1].Name:
		var fields []types.Field
		for i := 1; i < len(t.Fields); i += 2 {
			fields = append(fields, types.Field{Name: t.Fields[i].Name, Type: unmarkedType(t.Fields[i].Type)})
		}
		return types.StructOf(fields...)
	}
	return t
}

func unmarked(v *vec.Vector) *vec.Vector {
	t := unmarkedType(v.Type)
	if t.Equal(v.Type) {
		return v
	}
	out := *vec.Flatten(v)
	kids := out.Child
	if t.Kind == types.Array {
		kids = vec.Flatten(kids[0]).Child
	}
	out.Type, out.Child = t, nil
	for i := 1; i < len(kids); i += 2 {
		out.Child = append(out.Child, unmarked(kids[i]))
	}
	return &out
}

// nestedOrder spells the ORDER BYs, min and max of a query so that NULL inside nested values
// comes last; what has no nested values stays as it is by that. An ORDER BY of the whole query
// by columns of its result stands around it then.
func (r *runner) nestedOrder(sql string, res *result) string {
	toks := tokens(sql)
	at := lastOrder(toks)
	if at >= 0 {
		if whole := aroundOrder(sql, toks, at, res); whole != "" {
			return extremesInOrder(whole)
		}
	}
	e := edits{sql: sql}
	for i := 0; i+2 < len(toks); i++ {
		if toks[i].is("order") && toks[i+1].is("by") {
			for _, item := range orderItems(toks, i) {
				if key := keyOf(item); len(key) > 0 && key[0].kind != number && !key[0].is("all") {
					e.replace(key[0].start, key[len(key)-1].end, "duck_order("+span(sql, key)+")")
				}
			}
		}
	}
	return extremesInOrder(e.done())
}

// orderItems are the items of the ORDER BY at i.
func orderItems(toks []token, i int) [][]token {
	end := i + 2
	for end < len(toks) && !endsOrder(toks[end], toks[i].depth) {
		end++
	}
	return splitAt(toks[i+2:end], toks[i].depth)
}

// keyOf is an item of ORDER BY without its direction.
func keyOf(item []token) []token {
	for len(item) > 1 && slices.ContainsFunc([]string{"asc", "desc", "nulls", "first", "last"}, item[len(item)-1].is) {
		item = item[:len(item)-1]
	}
	return item
}

// lastOrder is the ORDER BY of the whole query, −1 if it has none.
func lastOrder(toks []token) int {
	for i := len(toks) - 2; i >= 0; i-- {
		if toks[i].depth == 0 && toks[i].is("order") && toks[i+1].is("by") {
			return i
		}
	}
	return -1
}

// aroundOrder is a query ordered from outside, "" if its keys are no columns of its result.
func aroundOrder(sql string, toks []token, at int, res *result) string {
	items := orderItems(toks, at)
	last := items[len(items)-1]
	end := last[len(last)-1].end
	var names, keys []string
	for i := range res.cols {
		names = append(names, fmt.Sprintf("c%d", i+1))
	}
	for _, item := range items {
		key := keyOf(item)
		how := sql[key[len(key)-1].end:item[len(item)-1].end]
		if len(key) == 1 && key[0].is("all") {
			for _, n := range names {
				keys = append(keys, "duck_order("+n+")"+how)
			}
			continue
		}
		found, ok := orderColumns(sql, append(slices.Clone(toks[at:at+2]), key...), 0, -1, res)
		if !ok {
			return ""
		}
		keys = append(keys, "duck_order("+names[found[0]]+")"+how)
	}
	return "SELECT * FROM (" + sql[:toks[at].start] + ") AS ordered_result(" + strings.Join(names, ", ") + ") ORDER BY " + strings.Join(keys, ", ") + sql[end:]
}

// extremesInOrder spells min(x) and max(x).
func extremesInOrder(sql string) string {
	spell := func(c call) string {
		if len(c.args) != 1 || c.args[0] == "*" || strings.HasPrefix(strings.ToLower(c.args[0]), "distinct ") {
			return ""
		}
		return "duck_unmark(" + c.name + "(duck_order(" + c.args[0] + "))" + c.tail + ")"
	}
	d := dialect{callForms: map[string]form{"min": spell, "max": spell}}
	return d.reform(sql)
}

// asInDuckDB reports that a query has the rows that are expected in the orders of DuckDB: with
// NULL inside a nested value as its greatest part, and rows as they were inserted where the
// query leaves it open; or with names and columns of a star as there, or other estimates.
func (r *runner) asInDuckDB(s *step, sql string, res *result, sort sortMode) bool {
	if r.d.flavor != duckdbText || len(s.want) == 0 {
		return false
	}
	if r.approximate(s, sql, res) {
		return true
	}
	spellings := []string{r.nestedOrder(sql, res), r.declaredNames(sql), r.joinedStar(sql)}
	if inserted := r.insertionOrder(sql); inserted != "" {
		spellings = append(spellings, inserted, r.nestedOrder(inserted, res))
	}
	return slices.ContainsFunc(spellings, func(text string) bool {
		if text == sql {
			return false
		}
		again, err := rowsOf(r.ctx, r.batch, text)
		return err == nil && (r.judge(s, again, sort) == nil || r.undecided(s, text, again))
	})
}
