package reference

import (
	"fmt"

	"github.com/sqlstream/sqlstream/planner/logical"
)

// parts are the rows of a recursion that its step and its key read, by part.
type parts [3][]Row

// recursive computes the step over and over, of the rows that the round before added, until
// there are none. With UNION rows that are there already add nothing.
func (i *interpreter) recursive(r *logical.Recursive) ([]Row, error) {
	given, err := i.node(r.Base)
	if err != nil {
		return nil, err
	}
	if i.recursions == nil {
		i.recursions = map[*logical.Recursion]*parts{}
	}
	p := &parts{}
	i.recursions[r.Of] = p
	defer delete(i.recursions, r.Of)
	for round := int64(0); ; round++ {
		if p[logical.LastRound], err = i.round(r, p, given, round); err != nil {
			return nil, err
		}
		all := p[logical.AllRounds]
		if len(p[logical.LastRound]) == 0 {
			return all, nil
		}
		if round > r.Of.Rounds || int64(len(all)) > r.Of.Rows {
			return nil, fmt.Errorf("it has not ended after %d rounds, with %d rows", round, len(all))
		}
		if given, err = i.node(r.Step); err != nil {
			return nil, err
		}
	}
}

// round takes what the base or the step gave into the recursion. It returns the rows of the
// next round.
func (i *interpreter) round(r *logical.Recursive, p *parts, given []Row, round int64) ([]Row, error) {
	if r.Settle != nil {
		return i.settled(r, p, given, round)
	}
	if !r.All {
		given = without(given, p[logical.AllRounds])
	}
	p[logical.AllRounds] = append(p[logical.AllRounds], given...)
	return given, nil
}

// without are the rows that are not in others, each once.
func without(rows, others []Row) []Row {
	seen := map[string]bool{}
	for _, row := range others {
		seen[Text(row.Values)] = true
	}
	var out []Row
	for _, row := range rows {
		if text := Text(row.Values); !seen[text] {
			seen[text] = true
			out = append(out, row)
		}
	}
	return out
}

// settled is round of USING KEY.
func (i *interpreter) settled(r *logical.Recursive, p *parts, given []Row, round int64) ([]Row, error) {
	for _, row := range given {
		row.Values = append(append([]any(nil), row.Values...), round)
		p[logical.Given] = append(p[logical.Given], row)
	}
	before := p[logical.AllRounds]
	rows, err := i.node(r.Settle)
	if err != nil {
		return nil, err
	}
	p[logical.AllRounds] = rows
	if r.All {
		return given, nil
	}
	return without(rows, before), nil
}
