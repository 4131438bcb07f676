package agg

import (
	"errors"
	"fmt"
	"strings"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// OverLists are scalar functions that aggregate the elements of an array, as DuckDB names
// them: list_sum(a) is sum over the elements of a. list_aggregate takes the name of any of
// the given aggregates.
func OverLists(all []fn.Aggregate) []*fn.Scalar {
	named := map[string]fn.Aggregate{}
	for _, a := range all {
		for _, n := range append([]string{a.Name}, a.Aliases...) {
			named[n] = a
		}
	}
	var out []*fn.Scalar
	for _, l := range []struct{ name, of, alias, example, want string }{
		{"list_sum", "sum", "array_sum", "array(1, 2, NULL)", "3"}, {"list_avg", "avg", "array_avg list_mean", "array(1, 2, NULL)", "1.5"},
		{"list_min", "min", "", "array(2, 1, NULL)", "1"}, {"list_max", "max", "", "array(2, 1, NULL)", "2"},
		{"list_count", "count", "", "array(2, 1, NULL)", "2"}, {"list_product", "product", "", "array(2, 3, NULL)", "6.0"},
		{"list_first", "first", "", "array(NULL, 1)", "NULL"}, {"list_last", "last", "", "array(NULL, 1)", "1"}, {"list_any_value", "any_value", "", "array(NULL, 1)", "1"},
		{"list_bool_and", "bool_and", "", "array(true, NULL)", "true"}, {"list_bool_or", "bool_or", "", "array(true, NULL)", "true"},
		{"list_bit_and", "bit_and", "", "array(7, 5)", "5"}, {"list_bit_or", "bit_or", "", "array(1, 4)", "5"}, {"list_bit_xor", "bit_xor", "", "array(1, 3)", "2"},
		{"list_var_pop", "var_pop", "", "array(1, 3)", "1.0"}, {"list_var_samp", "var_samp", "", "array(1, 3)", "2.0"},
		{"list_stddev_pop", "stddev_pop", "", "array(1, 3)", "1.0"}, {"list_stddev_samp", "stddev_samp", "", "array(1, 3, 2)", "1.0"},
		{"list_median", "median", "", "array(1, 3, 9)", "3.0"}, {"list_mode", "mode", "", "array(1, 3, 3)", "3"}, {"list_mad", "mad", "", "array(1, 2, 9)", "1.0"},
		{"list_sem", "sem", "", "array(1, 3, 1, 3)", "0.5"}, {"list_entropy", "entropy", "", "array(1, 2)", "1.0"},
		{"list_histogram", "histogram", "", "array(2, 1, 2)", `{"1":1,"2":2}`}, {"list_string_agg", "group_concat", "", "array('a', NULL, 'b')", "a,b"},
		{"list_skewness", "skewness", "", "array(1, 2, 3)", "0.0"}, {"list_kurtosis", "kurtosis", "list_kurtosis_pop", "array(1, 2)", "-2.0"},
		{"list_approx_count_distinct", "approx_count_distinct", "", "array(1, 1, 2)", "2"},
	} {
		f := overList(l.name, named[l.of], l.example, l.want)
		f.Aliases = strings.Fields(l.alias)
		out = append(out, f)
	}
	return append(out, listAggregate(named))
}

func overList(name string, a fn.Aggregate, example, want string) *fn.Scalar {
	return &fn.Scalar{
		Name: name, Group: "Arrays", Syntax: []string{name + "(array)"}, Doc: fmt.Sprintf("Aggregates the elements of an array: as %s over rows.", a.Name),
		Examples: []fn.Example{{SQL: name + "(" + example + ")", Want: want}, {SQL: name + "(NULL)", Want: "NULL"}},
		Resolve:  func(args []fn.Arg) (fn.Impl, error) { return resolveOverList(a, args, args) },
	}
}

func listAggregate(named map[string]fn.Aggregate) *fn.Scalar {
	return &fn.Scalar{
		Name: "list_aggregate", Aliases: []string{"list_aggr", "array_aggregate", "array_aggr"}, Group: "Arrays", Syntax: []string{"list_aggregate(array, 'name', ...)"},
		Doc:      "Aggregates the elements of an array by an aggregate function that is named by a constant; what follows are its further arguments.",
		Examples: []fn.Example{{SQL: "list_aggregate(array(1, 2, NULL), 'sum')", Want: "3"}, {SQL: "list_aggregate(array('a', 'b'), 'string_agg', '|')", Want: "a|b"}, {SQL: "list_aggregate(NULL, 'sum')", Want: "NULL"}},
		Resolve: func(args []fn.Arg) (fn.Impl, error) {
			if len(args) < 2 {
				return fn.Impl{}, fmt.Errorf("needs an array and the name of an aggregate, got %d arguments", len(args))
			}
			c := args[1].Const
			if c == nil || args[1].Type.Kind != types.String || c.IsNull(0) {
				return fn.Impl{}, errors.New("needs a constant name as argument 2")
			}
			a, ok := named[strings.ToLower(c.Text(0))]
			if !ok || a.Then != "" {
				return fn.Impl{}, fmt.Errorf("knows no aggregate %s", fn.Quote(c.Text(0)))
			}
			return resolveOverList(a, append([]fn.Arg{args[0]}, args[2:]...), args)
		},
	}
}

// resolveOverList resolves an aggregate over the elements of the first argument. All
// further arguments of all are constants that stay what they are.
func resolveOverList(a fn.Aggregate, args, all []fn.Arg) (fn.Impl, error) {
	if len(args) == 0 {
		return fn.Impl{}, errors.New("needs an array")
	}
	t := args[0].Type
	if t.Kind == types.Null {
		t = types.ArrayOf(t)
	}
	if t.Kind != types.Array {
		return fn.Impl{}, fmt.Errorf("needs an ARRAY as argument 1, got %s", t)
	}
	impl, err := a.Resolve(append([]fn.Arg{{Type: *t.Elem}}, args[1:]...))
	if err != nil {
		return fn.Impl{}, err
	}
	elem := impl.Args[0]
	if !types.CanCast(*t.Elem, elem) {
		return fn.Impl{}, fmt.Errorf("needs an ARRAY<%s>, got %s", elem, t)
	}
	want := append([]types.Type{types.ArrayOf(elem)}, argTypes(all[1:])...)
	skip := len(all) - len(args)
	return fn.Impl{Args: want, Result: impl.Result, Eval: func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		o := listRows{impl: impl, list: args[0], further: args[1+skip:]}
		return o.eval(c, a.Name, rows)
	}}, nil
}

// listRows are arrays whose elements are aggregated, a group for each row.
type listRows struct {
	impl    fn.AggImpl
	list    *vec.Vector
	further []*vec.Vector
}

// eval aggregates all rows at once; where that fails, one after the other, so that the
// error is that of its row.
func (o listRows) eval(c *fn.Ctx, name string, rows fn.Rows) (*vec.Vector, error) {
	live := make([]int32, 0, rows.Len())
	index := make([]int32, rows.N)
	for r := range index {
		index[r] = -1
	}
	for i := range rows.Len() {
		r := rows.At(i)
		index[r], live = int32(i), append(live, int32(r))
	}
	found, err := o.results(live)
	var bad *fn.DataError
	if errors.As(err, &bad) {
		return o.oneByOne(c, name, live, rows.N)
	}
	if err != nil || rows.Sel == nil {
		return found, err
	}
	return vec.Flatten(vec.GatherOuter(found, index)), nil
}

func (o listRows) oneByOne(c *fn.Ctx, name string, live []int32, n int) (*vec.Vector, error) {
	out := vec.NewBuilder(o.impl.Result)
	for _, r := range live {
		for out.Len() < int(r) {
			out.AppendNull()
		}
		found, err := o.results([]int32{r})
		if err == nil {
			out.AppendFrom(found, 0)
			continue
		}
		var bad *fn.DataError
		if !errors.As(err, &bad) || !c.NullOnError {
			if bad != nil {
				err = &fn.DataError{Func: name, Value: bad.Value, Row: int(r), Msg: bad.Msg}
			}
			return nil, err
		}
		c.Errors++
		out.AppendNull()
	}
	for out.Len() < n {
		out.AppendNull()
	}
	return out.Take(), nil
}

// results aggregates the elements of rows: a result for each.
func (o listRows) results(live []int32) (*vec.Vector, error) {
	f, size := o.list, 0
	for _, r := range live {
		v, i := f.At(int(r))
		size += int(v.Off[i+1] - v.Off[i])
	}
	elems, outer, groups := make([]int32, 0, size), make([]int32, 0, size), make([]uint32, 0, size)
	for g, r := range live {
		v, i := f.At(int(r))
		for e := v.Off[i]; e < v.Off[i+1]; e++ {
			elems, outer, groups = append(elems, int32(e)), append(outer, r), append(groups, uint32(g))
		}
	}
	acc := o.impl.New(false)
	acc.Grow(len(live))
	if len(elems) > 0 {
		v, _ := f.At(int(live[0]))
		rows := fn.AggRows{Args: []*vec.Vector{vec.Gather(v.Child[0], elems)}, Groups: groups}
		for _, x := range o.further {
			rows.Args = append(rows.Args, vec.Gather(x, outer))
		}
		if err := acc.Add(rows); err != nil {
			return nil, err
		}
	}
	all := make([]uint32, len(live))
	for g := range all {
		all[g] = uint32(g)
	}
	out := vec.NewBuilder(o.impl.Result)
	if err := acc.Result(all, out); err != nil {
		return nil, err
	}
	return out.Take(), nil
}
