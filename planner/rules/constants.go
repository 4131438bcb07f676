package rules

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// equalConstant selects rows of one side of a join by what a key of the other side must
// be: a.k = b.k AND a.k = 5 demands b.k = 5. Rows that are kept without a match are not
// selected: those of the left of a left, anti or mark join, and both sides of a full one.
// IN with its NULL rules looks at all rows of the right side.
func equalConstant(_ *Context, n logical.Node) logical.Node {
	j, ok := n.(*logical.Join)
	if !ok || j.NullAware > 0 && !mutant.On("NOT IN looks at the equal rows alone") || j.Kind == logical.Full || len(j.LKeys) == 0 {
		return n
	}
	left, right := constants(j.L), constants(j.R)
	var toLeft, toRight []expr.Node
	for i := range j.LKeys {
		l, r := j.LKeys[i], j.RKeys[i]
		if test := demanded(r, left.of(l), right); test != nil {
			toRight = append(toRight, test)
		}
		if test := demanded(l, right.of(r), left); test != nil && (j.Kind == logical.Inner || j.Kind == logical.Semi || mutant.On("rows that are kept without a match are selected")) {
			toLeft = append(toLeft, test)
		}
	}
	if len(toLeft)+len(toRight) == 0 {
		return n
	}
	return j.WithChildren([]logical.Node{filtered(j.L, toLeft), filtered(j.R, toRight)})
}

// fact says that a column equals a constant in every row: eq is the comparison.
type fact struct {
	value *expr.Const
	eq    *expr.Call
}

// facts are those of a relation, by column.
type facts map[int]fact

func (f facts) of(n expr.Node) *fact {
	c, ok := n.(*expr.Column)
	if !ok {
		return nil
	}
	found, ok := f[c.Index]
	if !ok {
		return nil
	}
	return &found
}

// demanded is the comparison of a key with a constant that the other side's key has, nil
// if there is none, or the key is known to have it.
func demanded(key expr.Node, other *fact, own facts) expr.Node {
	c, ok := key.(*expr.Column)
	if !ok || other == nil || !plain(c.T) || !c.T.Equal(other.value.Type()) {
		return nil
	}
	if _, known := own[c.Index]; known {
		return nil
	}
	return other.eq.WithChildren([]expr.Node{c, other.value})
}

// constants finds the columns of a relation that have one value in every row, as its
// filters say. It follows a filter to where other rules may have moved it.
func constants(n logical.Node) facts {
	switch x := n.(type) {
	case *logical.Filter:
		out := constants(x.Input)
		for _, c := range conjuncts(x.Predicate) {
			if col, f := constantTest(c); f != nil {
				if _, known := out[col]; !known {
					out[col] = *f
				}
			}
		}
		return out
	case *logical.Project:
		return through(constants(x.Input), x.Exprs)
	case *logical.Aggregate:
		return through(constants(x.Input), x.Keys)
	case *logical.Join:
		return joinConstants(x)
	case *logical.UnionAll:
		return common(x.Inputs)
	case *logical.SetOp:
		return constants(x.L)
	case *logical.Distinct, *logical.Dedup, *logical.TopN, *logical.Over, *logical.Session, *logical.Hop, *logical.Unnest, *logical.Sort:
		return constants(n.Children()[0])
	}
	return facts{}
}

// constantTest recognises a comparison of a column with a constant.
func constantTest(n expr.Node) (int, *fact) {
	call, ok := n.(*expr.Call)
	if !ok || call.F.Name != "=" || len(call.Args) != 2 || call.Volatility() != fn.Immutable {
		return 0, nil
	}
	for i, a := range call.Args {
		col, isCol := a.(*expr.Column)
		k, isConst := call.Args[1-i].(*expr.Const)
		if isCol && isConst && !k.IsNull() && col.T.Equal(k.Type()) {
			return col.Index, &fact{value: k, eq: call}
		}
	}
	return 0, nil
}

// through moves facts to the columns that expressions make.
func through(in facts, exprs []expr.Node) facts {
	out := facts{}
	for i, e := range exprs {
		if f := in.of(e); f != nil {
			out[i] = *f
		}
	}
	return out
}

// joinConstants are the facts of the left side, unless it is padded, and of the right side
// of an inner join.
func joinConstants(j *logical.Join) facts {
	if j.Kind == logical.Full {
		return facts{}
	}
	out := constants(j.L)
	if j.Kind != logical.Inner {
		return out
	}
	right := constants(j.R)
	if len(right) == 0 {
		return out
	}
	width := logical.Width(j.L)
	for col, f := range right {
		out[col+width] = f
	}
	return out
}

// common are the facts of all inputs.
func common(inputs []logical.Node) facts {
	out := constants(inputs[0])
	for _, in := range inputs[1:] {
		other := constants(in)
		for col, f := range out {
			if g, ok := other[col]; !ok || !expr.Equal(f.value, g.value) {
				delete(out, col)
			}
		}
	}
	return out
}
