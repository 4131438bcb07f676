package reference

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// unnest gives each row once for every row that the generator makes of it; an outer one
// gives a row that makes none once, with NULLs.
func (i *interpreter) unnest(u *logical.Unnest) ([]Row, error) {
	in, err := i.node(u.Input)
	if err != nil {
		return nil, err
	}
	var out []Row
	for _, r := range in {
		made, err := i.generate(u, r)
		if err != nil {
			return nil, err
		}
		if len(made) == 0 && u.Outer {
			made = [][]any{make([]any, len(u.Schema())-len(u.Input.Schema()))}
		}
		for _, m := range made {
			out = append(out, Row{append(append([]any(nil), r.Values...), m...), r.Moment})
		}
	}
	return out, nil
}

// generate calls the generator for one row.
func (i *interpreter) generate(u *logical.Unnest, r Row) ([][]any, error) {
	vals, err := i.evalAll(u.Args, r, u.Input.Schema())
	if err != nil {
		return nil, err
	}
	args := make([]*vec.Vector, len(vals))
	for k, v := range vals {
		args[k] = vec.FromAny(u.Args[k].Type(), v)
	}
	made, err := u.Impl.Eval(i.ctx, args, fn.Rows{N: 1})
	if err != nil {
		return nil, err
	}
	var out [][]any
	for k := range int(made.Ends[0]) {
		var row []any
		for _, c := range made.Cols {
			row = append(row, vec.ToAny(c, k))
		}
		if u.Ordinality {
			row = append(row, int64(k+1))
		}
		out = append(out, row)
	}
	return out, nil
}
