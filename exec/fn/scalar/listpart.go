package scalar

import (
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// listParts take elements out of arrays, and rearrange them.
func listParts() []*fn.Scalar {
	group := "Arrays"
	return []*fn.Scalar{
		{
			Name: "list_extract", Aliases: []string{"list_element", "array_extract"}, Group: group, Nulls: fn.Custom, Syntax: []string{"list_extract(array, i)", "list_extract(text, i)"},
			Doc:      "Is an element of an array, or a character of a text, from 1, negative from the end. Outside it is NULL, of a text the empty text.",
			Examples: []fn.Example{{SQL: "list_extract(array(7, 8), -1)", Want: "8"}, {SQL: "list_extract(array(7, 8), 0)", Want: "NULL"}, {SQL: "list_extract('abc', 2)", Want: "b"}},
			Resolve:  resolveListExtract,
		},
		{
			Name: "list_slice", Aliases: []string{"array_slice"}, Group: group, Syntax: []string{"list_slice(array, from [, to [, step]])", "list_slice(text, from [, to])"},
			Doc:      "Is a part of an array, or of the characters of a text, from one place to another, both from 1 or negative from the end, and included; without the second to the end. Every step-th element, backwards if the step is negative.",
			Examples: []fn.Example{{SQL: "list_slice(array(1, 2, 3, 4, 5), -3, -2)", Want: "[3,4]"}, {SQL: "list_slice(array(1, 2, 3, 4, 5), 5, 1, -2)", Want: "[5,3,1]"}, {SQL: "list_slice('stream', 2, 4)", Want: "tre"}, {SQL: "list_slice(array(1, 2, 3), 2, NULL)", Want: "NULL"}},
			Resolve:  ofText(resolveTextSlice, resolveListSlice),
		},
		{
			Name: "trim_array", Group: group, Syntax: []string{"trim_array(array, n)"}, Doc: "Drops the last n elements; more than there are is an error.",
			Examples: []fn.Example{{SQL: "trim_array(array(1, 2, 3), 2)", Want: "[1]"}, {SQL: "trim_array(NULL, 2)", Want: "NULL"}},
			Resolve:  resolveTrimArray,
		},
		{
			Name: "list_select", Aliases: []string{"array_select"}, Group: group, Syntax: []string{"list_select(array, places)"}, Doc: "Lists the elements at places, from 1; NULL where there is none.",
			Examples: []fn.Example{{SQL: "list_select(array(10, 20, 30), array(3, 1, 5))", Want: "[30,10,null]"}, {SQL: "list_select(array(1), NULL)", Want: "NULL"}},
			Resolve: arrayAnd(types.ArrayOf(bigint), func(b *vec.Builder, in *vec.Vector, from, to int, by *vec.Vector, low, high int) {
				for k := low; k < high; k++ {
					if i := int64(0); !by.IsNull(k) {
						if i = by.Int(k); i >= 1 && i <= int64(to-from) {
							b.Child(0).AppendFrom(in, from+int(i)-1)
							continue
						}
					}
					b.Child(0).AppendNull()
				}
				b.EndList()
			}),
		},
		{
			Name: "list_where", Aliases: []string{"array_where"}, Group: group, Syntax: []string{"list_where(array, truths)"}, Doc: "Keeps the elements at whose place the second array has true.",
			Examples: []fn.Example{{SQL: "list_where(array(10, 20, 30), array(true, NULL, true))", Want: "[10,30]"}, {SQL: "list_where(NULL, array(true))", Want: "NULL"}},
			Resolve: arrayAnd(types.ArrayOf(boolean), func(b *vec.Builder, in *vec.Vector, from, to int, by *vec.Vector, low, high int) {
				for k := low; k < high; k++ {
					if !by.IsTrue(k) {
						continue
					}
					if from+k-low < to {
						b.Child(0).AppendFrom(in, from+k-low)
						continue
					}
					b.Child(0).AppendNull()
				}
				b.EndList()
			}),
		},
		{
			Name: "list_zip", Aliases: []string{"array_zip"}, Group: group, Nulls: fn.Custom, Syntax: []string{"list_zip(a, b, ... [, cut])"},
			Doc:      "Lists, place by place, a struct (col1, col2, …) of the elements of all arrays. Shorter ones are filled with NULL, or the longer ones cut with true as last argument; a NULL array is empty.",
			Examples: []fn.Example{{SQL: "list_zip(array(1, 2), array('a'))", Want: `[{"col1":1,"col2":"a"},{"col1":2,"col2":null}]`}, {SQL: "list_zip(array(1, 2), array('a'), true)", Want: `[{"col1":1,"col2":"a"}]`}, {SQL: "list_zip(array(1), CAST(NULL AS ARRAY<INT>))", Want: `[{"col1":1,"col2":null}]`}},
			Resolve:  resolveListZip,
		},
		{
			Name: "list_reverse_sort", Aliases: []string{"array_reverse_sort"}, Group: group, Syntax: []string{"list_reverse_sort(array [, 'NULLS FIRST'])"}, Doc: "Sorts the elements downward, NULLs last unless told otherwise.",
			Examples: []fn.Example{{SQL: "list_reverse_sort(array(3, NULL, 1))", Want: "[3,1,null]"}, {SQL: "list_reverse_sort(NULL)", Want: "NULL"}},
			Resolve: func(args []fn.Arg) (fn.Impl, error) {
				if err := arity(args, 1, 2); err != nil {
					return fn.Impl{}, err
				}
				order, err := sortOrder(append([]fn.Arg{{}, {Type: text, Const: vec.FromStrings([]string{"DESC"})}}, args[1:]...), vec.Order{Nulls: vec.NullsLast})
				if err != nil {
					return fn.Impl{}, err
				}
				return sortImpl(args, order, func(b *vec.Builder, in *vec.Vector, from, to int) { appendSorted(b, in, from, to, order) })
			},
		},
		{
			Name: "list_grade_up", Aliases: []string{"array_grade_up", "grade_up"}, Group: group, Syntax: []string{"list_grade_up(array [, 'ASC' | 'DESC' [, 'NULLS FIRST']])"}, Doc: "Lists the places, from 1, that the sorted elements had before.",
			Examples: []fn.Example{{SQL: "list_grade_up(array(3, NULL, 1))", Want: "[3,1,2]"}, {SQL: "list_grade_up(NULL)", Want: "NULL"}},
			Resolve:  resolveGradeUp,
		},
		{
			Name: "shuffle", Group: group, Volatility: fn.Volatile, Syntax: []string{"shuffle(array)"}, Doc: "Brings the elements into an order of chance, another one for each row.",
			Examples: []fn.Example{{SQL: "sort_array(shuffle(array(1, 2, 3)))", Want: "[1,2,3]"}, {SQL: "shuffle(NULL)", Want: "NULL"}},
			Resolve:  resolveShuffle,
		},
	}
}

func resolveListExtract(args []fn.Arg) (fn.Impl, error) {
	if len(args) == 2 && args[0].Type.Kind == types.String {
		return fixed(text, texts(func(dst []byte, args []*vec.Vector, r int) []byte {
			if args[0].IsNull(r) || args[1].IsNull(r) {
				return nil
			}
			return append(dst, character(args[0].Bytes(r), args[1].Int(r))...)
		}), text, bigint)(args)
	}
	return resolveAt(atPlain)(args)
}

// character is the i-th character from 1, or from the end if i is negative.
func character(s []byte, i int64) []byte {
	if i < 0 {
		i += int64(utf8.RuneCount(s)) + 1
	}
	for ; len(s) > 0 && i > 0; i-- {
		_, n := utf8.DecodeRune(s)
		if i == 1 {
			return s[:n]
		}
		s = s[n:]
	}
	return []byte{}
}

func resolveListSlice(args []fn.Arg) (fn.Impl, error) {
	t, err := firstArg(args, 2, 4, arrayArg)
	if err != nil {
		return fn.Impl{}, err
	}
	return optional(2, t, tryBuilt(t, func(b *vec.Builder, args []*vec.Vector, r int) error {
		f, from, to := list(args[0], r)
		n := int64(to - from)
		end, step := n, int64(1)
		if len(args) > 2 {
			end = args[2].Int(r)
		}
		if len(args) > 3 {
			if step = args[3].Int(r); step == 0 {
				return &fn.DataError{Func: "list_slice", Row: r, Msg: "the step is 0"}
			}
		}
		low, high := fromEnd(args[1].Int(r), n), fromEnd(end, n)
		if step < 0 {
			low, high = min(low, n), max(high, 1)
		} else {
			low, high = max(low, 1), min(high, n)
		}
		for i := low; step > 0 && i <= high || step < 0 && i >= high; i += step {
			b.Child(0).AppendFrom(f.Child[0], from+int(i)-1)
			if step > n || step < -n {
				break
			}
		}
		b.EndList()
		return nil
	}), t, bigint, bigint, bigint)(args)
}

// fromEnd turns a negative place into one from 1.
func fromEnd(i, n int64) int64 {
	if i < 0 {
		return max(i, -1<<40) + n + 1
	}
	return i
}

func resolveTrimArray(args []fn.Arg) (fn.Impl, error) {
	t, err := firstArg(args, 2, 2, arrayArg)
	if err != nil {
		return fn.Impl{}, err
	}
	return fixed(t, tryBuilt(t, func(b *vec.Builder, args []*vec.Vector, r int) error {
		f, from, to := list(args[0], r)
		n := args[1].Int(r)
		if n < 0 || n > int64(to-from) {
			return &fn.DataError{Func: "trim_array", Value: fmt.Sprint(n), Row: r, Msg: fmt.Sprintf("the array has %d elements", to-from)}
		}
		appendPart(b, f.Child[0], from, to-int(n))
		return nil
	}), t, bigint)(args)
}

// arrayAnd resolves a function of an array and another one, of a given type, that gives
// an array of the first type.
func arrayAnd(by types.Type, do func(b *vec.Builder, in *vec.Vector, from, to int, by *vec.Vector, low, high int)) resolver {
	return func(args []fn.Arg) (fn.Impl, error) {
		t, err := firstArg(args, 2, 2, arrayArg)
		if err != nil {
			return fn.Impl{}, err
		}
		return fixed(t, built(t, func(b *vec.Builder, args []*vec.Vector, r int) {
			f, from, to := list(args[0], r)
			g, low, high := list(args[1], r)
			do(b, f.Child[0], from, to, g.Child[0], low, high)
		}), t, by)(args)
	}
}

func resolveListZip(args []fn.Arg) (fn.Impl, error) {
	n := len(args)
	if n > 0 && args[n-1].Type.Kind == types.Bool {
		n--
	}
	if n == 0 {
		return fn.Impl{}, arity(args, 1, -1)
	}
	var want []types.Type
	var fields []types.Field
	for i := range n {
		t, err := arrayArg(args, i)
		if err != nil {
			return fn.Impl{}, err
		}
		want, fields = append(want, t), append(fields, types.Field{Name: fmt.Sprintf("col%d", i+1), Type: *t.Elem})
	}
	t := types.ArrayOf(types.StructOf(fields...))
	return fn.Impl{Args: append(want, argTypes(args[n:])...), Result: t, Eval: built(t, func(b *vec.Builder, args []*vec.Vector, r int) {
		appendZipped(b, args[:n], r, n < len(args) && args[n].IsTrue(r))
	})}, nil
}

func appendZipped(b *vec.Builder, args []*vec.Vector, r int, cut bool) {
	length := func(v *vec.Vector) int {
		if v.IsNull(r) {
			return 0
		}
		_, from, to := list(v, r)
		return to - from
	}
	n := length(args[0])
	for _, a := range args[1:] {
		if cut {
			n = min(n, length(a))
		} else {
			n = max(n, length(a))
		}
	}
	for k := range n {
		for i, a := range args {
			if k >= length(a) {
				b.Child(0).Child(i).AppendNull()
				continue
			}
			f, from, _ := list(a, r)
			b.Child(0).Child(i).AppendFrom(f.Child[0], from+k)
		}
		b.Child(0).EndStruct()
	}
	b.EndList()
}

// sortOrder reads the constants behind the array: DuckDB's texts 'ASC' or 'DESC' and
// 'NULLS FIRST' or 'NULLS LAST' (NULLs are last without), or Flink's truths, whether
// upward and whether NULLs are first (without, as NULL is the smallest value).
func sortOrder(args []fn.Arg, order vec.Order) (vec.Order, error) {
	if len(args) < 2 {
		return order, nil
	}
	for i := 1; i < len(args); i++ {
		c := args[i].Const
		if c == nil || c.IsNull(0) {
			return order, mismatch(args, i, "constant order such as 'DESC'")
		}
		if args[i].Type.Kind == types.Bool {
			flinkOrder(&order, i, c.IsTrue(0))
			continue
		}
		word, ok := constText(args, i)
		ok = ok && namedOrder(&order, i, strings.ToUpper(strings.TrimSpace(word)))
		if !ok {
			return order, fmt.Errorf("needs %s as argument %d", []string{"'ASC' or 'DESC'", "'NULLS FIRST' or 'NULLS LAST'"}[i-1], i+1)
		}
	}
	return order, nil
}

func flinkOrder(order *vec.Order, i int, yes bool) {
	switch {
	case i == 1:
		*order = vec.Order{Desc: !yes}
	case yes:
		order.Nulls = vec.NullsFirst
	default:
		order.Nulls = vec.NullsLast
	}
}

func namedOrder(order *vec.Order, i int, word string) bool {
	switch {
	case i == 1 && (word == "ASC" || word == "DESC"):
		order.Desc = word == "DESC"
	case i == 2 && word == "NULLS FIRST":
		order.Nulls = vec.NullsFirst
	case i == 2 && word == "NULLS LAST":
		order.Nulls = vec.NullsLast
	default:
		return false
	}
	return true
}

// sortImpl is a function of an array and constants that say how it is ordered.
func sortImpl(args []fn.Arg, order vec.Order, do func(b *vec.Builder, in *vec.Vector, from, to int)) (fn.Impl, error) {
	if err := arity(args, 1, 3); err != nil {
		return fn.Impl{}, err
	}
	t, err := arrayArg(args, 0)
	return fn.Impl{Args: append([]types.Type{t}, argTypes(args[1:])...), Result: t, Eval: built(t, func(b *vec.Builder, args []*vec.Vector, r int) {
		if args[0].IsNull(r) {
			b.AppendNull()
			return
		}
		f, from, to := list(args[0], r)
		do(b, f.Child[0], from, to)
	})}, err
}

func resolveGradeUp(args []fn.Arg) (fn.Impl, error) {
	if err := arity(args, 1, 3); err != nil {
		return fn.Impl{}, err
	}
	order, err := sortOrder(args, vec.Order{Nulls: vec.NullsLast})
	if err != nil {
		return fn.Impl{}, err
	}
	t, err := arrayArg(args, 0)
	result := types.ArrayOf(bigint)
	return fn.Impl{Args: append([]types.Type{t}, argTypes(args[1:])...), Result: result, Eval: built(result, func(b *vec.Builder, args []*vec.Vector, r int) {
		f, from, to := list(args[0], r)
		for _, e := range sortedElements(f.Child[0], from, to, order) {
			b.Child(0).AppendInt(int64(e - from + 1))
		}
		b.EndList()
	})}, err
}

// sortedElements lists the elements from one up to another in order.
func sortedElements(in *vec.Vector, from, to int, order vec.Order) []int {
	idx := make([]int, to-from)
	for i := range idx {
		idx[i] = from + i
	}
	sort.SliceStable(idx, func(i, j int) bool { return vec.CompareOrder(in, idx[i], in, idx[j], order) < 0 })
	return idx
}

func resolveShuffle(args []fn.Arg) (fn.Impl, error) {
	if err := arity(args, 1, 1); err != nil {
		return fn.Impl{}, err
	}
	t, err := arrayArg(args, 0)
	return fn.Impl{Args: []types.Type{t}, Result: t, Eval: func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		return built(t, func(b *vec.Builder, args []*vec.Vector, r int) {
			f, from, to := list(args[0], r)
			idx := make([]int, to-from)
			for i := range idx {
				k := int(next(c) % uint64(i+1))
				idx[i], idx[k] = idx[k], from+i
			}
			for _, e := range idx {
				b.Child(0).AppendFrom(f.Child[0], e)
			}
			b.EndList()
		})(c, args, rows)
	}}, err
}
