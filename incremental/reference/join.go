package reference

import (
	"errors"

	"github.com/sqlstream/sqlstream/planner/logical"
)

// truth is a value of three-valued logic.
type truth int

const (
	no truth = iota
	unknown
	yes
)

// JoinInput is what Refuse is asked about the rows of one side of a join.
type JoinInput struct {
	*logical.Join
	Right bool
}

// join compares every left row with every right row.
func (i *interpreter) join(j *logical.Join) ([]Row, error) {
	left, err := i.node(j.L)
	if err != nil {
		return nil, err
	}
	right, err := i.node(j.R)
	if err != nil {
		return nil, err
	}
	left, right = i.onTime(JoinInput{j, false}, left, wholeRow), i.onTime(JoinInput{j, true}, right, wholeRow)
	var out []Row
	for _, l := range left {
		rows, err := i.joinRow(j, l, right)
		if err != nil {
			return nil, err
		}
		out = append(out, rows...)
	}
	if j.Kind != logical.Full {
		return out, nil
	}
	alone, err := i.unmatched(j, left, right)
	return append(out, alone...), err
}

// unmatched are the right rows that no left row matches, beside NULLs.
func (i *interpreter) unmatched(j *logical.Join, left, right []Row) ([]Row, error) {
	var out []Row
	for _, r := range right {
		degree := 0
		for _, l := range left {
			m, err := i.matches(j, l, r)
			if err != nil {
				return nil, err
			}
			if m == yes {
				degree++
			}
		}
		if degree == 0 {
			row := pair(Row{Values: make([]any, len(j.L.Schema()))}, r)
			row.Moment = r.Moment
			out = append(out, row)
		}
	}
	return out, nil
}

// joinRow is what becomes of one left row.
func (i *interpreter) joinRow(j *logical.Join, l Row, right []Row) ([]Row, error) {
	var matches []Row
	unsure := false
	for _, r := range right {
		m, err := i.matches(j, l, r)
		if err != nil {
			return nil, err
		}
		if m == yes {
			matches = append(matches, r)
		}
		unsure = unsure || m == unknown
	}
	if j.Single && len(matches) > 1 {
		return nil, errors.New("a scalar subquery gave more than one row")
	}
	switch j.Kind {
	case logical.Semi:
		return keepIf(l, len(matches) > 0), nil
	case logical.Anti:
		return keepIf(l, len(matches) == 0 && !unsure), nil
	case logical.Mark:
		return []Row{{append(append([]any(nil), l.Values...), mark(len(matches) > 0, unsure)), l.Moment}}, nil
	case logical.Left, logical.Full:
		if len(matches) == 0 {
			matches = []Row{{Values: make([]any, len(j.R.Schema()))}}
		}
	}
	out := make([]Row, len(matches))
	for k, r := range matches {
		out[k] = pair(l, r)
	}
	return out, nil
}

// mark is the value of IN and EXISTS.
func mark(found, unsure bool) any {
	if unsure && !found {
		return nil
	}
	return found
}

func keepIf(r Row, keep bool) []Row {
	if keep {
		return []Row{r}
	}
	return nil
}

func pair(l, r Row) Row { return Row{append(append([]any(nil), l.Values...), r.Values...), l.Moment} }

// matches applies the whole ON condition. Of NOT IN, the first NullAware keys are
// compared as a row value: unknown when a NULL stands in the way of saying no; all
// other conditions hold or do not.
func (i *interpreter) matches(j *logical.Join, l, r Row) (truth, error) {
	compared := yes
	for k := range j.LKeys {
		a, err := i.eval(j.LKeys[k], l, j.L.Schema())
		if err != nil {
			return no, err
		}
		b, err := i.eval(j.RKeys[k], r, j.R.Schema())
		if err != nil {
			return no, err
		}
		eq := equal(a, b, j.NullSafe[k])
		if eq == unknown && k >= j.NullAware {
			eq = no
		}
		compared = min(compared, eq)
	}
	if compared == no {
		return no, nil
	}
	holds, err := i.isTrue(j.Residual, pair(l, r), append(append(j.L.Schema()[:0:0], j.L.Schema()...), j.R.Schema()...))
	if err != nil || !holds {
		return no, err
	}
	return compared, nil
}

func equal(a, b any, nullSafe bool) truth {
	switch {
	case !nullSafe && (a == nil || b == nil):
		return unknown
	case textOf(a) == textOf(b):
		return yes
	}
	return no
}
