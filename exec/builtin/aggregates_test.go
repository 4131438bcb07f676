package builtin

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/fn/agg"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// TestAggregateExamples runs "f(args) FROM (VALUES (…), …) AS t(x, …)".
func TestAggregateExamples(t *testing.T) {
	r := resolver(t)
	for _, a := range r.Functions.Aggregates() {
		nulls := false
		for _, ex := range a.Examples {
			nulls = nulls || strings.Contains(ex.SQL, "NULL")
			got, err := runAggregate(r, a, ex.SQL)
			if err != nil {
				t.Errorf("%s: %s: %v", a.Name, ex.SQL, err)
			} else if got != ex.Want {
				t.Errorf("%s: %s = %s, documented as %s", a.Name, ex.SQL, got, ex.Want)
			}
		}
		if !nulls || !strings.HasSuffix(a.Doc, ".") || a.Group == "" || len(a.Syntax) == 0 {
			t.Errorf("%s: needs a sentence, a group, its syntax and an example with NULL", a.Name)
		}
	}
}

func runAggregate(r *expr.Resolver, a *fn.Aggregate, sql string) (string, error) {
	call, from, _ := strings.Cut(sql, " FROM (VALUES ")
	before, after := "", ""
	if at := strings.Index(call, a.Name+"("); at > 0 { // within calls of scalar functions
		end := at + closing(call[at:])
		before, call, after = call[:at], call[at:end], call[end:]
	}
	rows, names, _ := strings.Cut(from, ") AS t(")
	b, cols, err := valuesOf(r, rows, splitTop(strings.TrimSuffix(names, ")")))
	if err != nil {
		return "", err
	}
	inner := strings.TrimSuffix(call[strings.IndexByte(call, '(')+1:], ")")
	inner, order, sorted := strings.Cut(inner, " ORDER BY ")
	nodes, args, err := argsOf(r, inner, cols)
	if err != nil {
		return "", err
	}
	impl, err := a.Resolve(args)
	if err != nil {
		return "", err
	}
	if sorted {
		col, desc := strings.CutSuffix(order, " DESC")
		keys, _, err := argsOf(r, col, cols)
		if err != nil {
			return "", err
		}
		impl = agg.Sorted(impl, []types.Type{keys[0].Type()}, []vec.Order{{Desc: desc}})
		nodes = append(nodes, keys...)
	}
	if err := r.Coerce(a.Name, impl.Args, nodes); err != nil {
		return "", err
	}
	if a.Then != "" {
		return then(r, a, impl, nodes, b)
	}
	if before != "" {
		return within(r, before, after, impl, nodes, b)
	}
	return accumulate(impl, nodes, b)
}

// closing is the place behind the parenthesis that closes the first one.
func closing(s string) int {
	depth := 0
	for i, c := range s {
		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(s)
}

// within evaluates an expression around the result.
func within(r *expr.Resolver, before, after string, impl fn.AggImpl, nodes []expr.Node, b *vec.Batch) (string, error) {
	v, err := resultOf(impl, nodes, b)
	if err != nil {
		return "", err
	}
	n, err := parseMini(r, before+"x"+after, &expr.Column{Index: 0, Name: "x", T: impl.Result})
	if err != nil {
		return "", err
	}
	out, err := n.Eval(&fn.Ctx{Zone: time.UTC}, &vec.Batch{Cols: []*vec.Vector{v}, N: 1})
	if err != nil {
		return "", err
	}
	return vec.RowString(out, 0, time.UTC), nil
}

// then gives the result to the scalar function that finishes it.
func then(r *expr.Resolver, a *fn.Aggregate, impl fn.AggImpl, nodes []expr.Node, b *vec.Batch) (string, error) {
	v, err := resultOf(impl, nodes, b)
	if err != nil {
		return "", err
	}
	n, err := r.Resolve(a.Then, &expr.Column{Index: 0, Name: "x", T: impl.Result})
	if err != nil {
		return "", err
	}
	out, err := n.Eval(&fn.Ctx{Zone: time.UTC}, &vec.Batch{Cols: []*vec.Vector{v}, N: 1})
	if err != nil {
		return "", err
	}
	return vec.RowString(out, 0, time.UTC), nil
}

func accumulate(impl fn.AggImpl, nodes []expr.Node, b *vec.Batch) (string, error) {
	v, err := resultOf(impl, nodes, b)
	if err != nil {
		return "", err
	}
	return vec.RowString(v, 0, time.UTC), nil
}

func resultOf(impl fn.AggImpl, nodes []expr.Node, b *vec.Batch) (*vec.Vector, error) {
	rows := fn.AggRows{Groups: make([]uint32, b.N)}
	for _, n := range nodes {
		v, err := n.Eval(&fn.Ctx{Zone: time.UTC}, b)
		if err != nil {
			return nil, err
		}
		rows.Args = append(rows.Args, v)
	}
	acc := impl.New(false)
	acc.Grow(1)
	if err := acc.Add(rows); err != nil {
		return nil, err
	}
	out := vec.NewBuilder(impl.Result)
	if err := acc.Result([]uint32{0}, out); err != nil {
		return nil, err
	}
	return out.Finish(), nil
}

// argsOf parses the arguments of a call.
func argsOf(r *expr.Resolver, text string, cols []*expr.Column) ([]expr.Node, []fn.Arg, error) {
	var nodes []expr.Node
	var args []fn.Arg
	for _, s := range splitTop(text) {
		if s == "*" || s == "" {
			continue
		}
		n, err := parseMini(r, s, cols...)
		if err != nil {
			return nil, nil, err
		}
		arg := fn.Arg{Type: n.Type()}
		if c, ok := n.(*expr.Const); ok {
			arg.Const = c.V
		}
		nodes, args = append(nodes, n), append(args, arg)
	}
	return nodes, args, nil
}

// valuesOf makes the rows of VALUES, each column in the common type of its values.
func valuesOf(r *expr.Resolver, text string, names []string) (*vec.Batch, []*expr.Column, error) {
	nodes := make([][]expr.Node, len(names))
	for _, row := range splitTop(text) {
		for i, s := range splitTop(row[1 : len(row)-1]) {
			n, err := parseMini(r, s)
			if err != nil {
				return nil, nil, err
			}
			nodes[i] = append(nodes[i], n)
		}
	}
	b := &vec.Batch{}
	var cols []*expr.Column
	for i, name := range names {
		v, err := columnOf(r, nodes[i])
		if err != nil {
			return nil, nil, err
		}
		b.Cols, b.N = append(b.Cols, v), v.N
		cols = append(cols, &expr.Column{Index: i, Name: name, T: v.Type})
	}
	return b, cols, nil
}

func columnOf(r *expr.Resolver, nodes []expr.Node) (*vec.Vector, error) {
	var t types.Type
	for _, n := range nodes {
		common, ok := types.CommonType(t, n.Type())
		if !ok {
			return nil, fmt.Errorf("no common type of %s and %s", t, n.Type())
		}
		t = common
	}
	out := vec.NewBuilder(t)
	for _, n := range nodes {
		cast, err := r.Cast(n, t, false)
		if err != nil {
			return nil, err
		}
		v, err := cast.Eval(&fn.Ctx{Zone: time.UTC}, &vec.Batch{N: 1})
		if err != nil {
			return nil, err
		}
		out.AppendFrom(v, 0)
	}
	return out.Take(), nil
}

// splitTop splits at commas outside of parentheses and quotes.
func splitTop(s string) []string {
	var out []string
	depth, from, quoted := 0, 0, false
	for i, c := range s {
		switch {
		case c == '\'':
			quoted = !quoted
		case quoted:
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth == 0:
			out = append(out, strings.TrimSpace(s[from:i]))
			from = i + 1
		}
	}
	return append(out, strings.TrimSpace(s[from:]))
}
