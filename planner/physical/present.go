package physical

import "github.com/sqlstream/sqlstream/exec/expr"

// Present joins each row of the left input (port 0) with the rows that the right one (port 1)
// has in the trigger in which it comes. Output columns are those of L, then those of R.
type Present struct {
	Base
	L, R         Node
	Names        [2]string // of the inputs, for messages
	LKeys, RKeys []int     // columns of L, of R; pairwise of one type
	NullSafe     []bool    // key by key: NULL matches NULL
	Residual     expr.Node // over the columns of L, then of R; nil = true
	Outer        bool      // left rows without a match come beside NULLs
	Retract      bool      // rows of the left input can be retracted
}

// Children implements Node.
func (p *Present) Children() []Node { return []Node{p.L, p.R} }

// Stateful implements Node.
func (p *Present) Stateful() bool { return true }

func (p *Present) explain() explained {
	j := &Join{L: p.L, R: p.R, Names: p.Names, LKeys: p.LKeys, RKeys: p.RKeys, NullSafe: p.NullSafe, Residual: p.Residual}
	if p.Outer {
		j.Kind = Left
	}
	x := explained{summary: joinSummary(j.Kind, false, false, j.condition())}
	text := "state: the rows of " + p.Names[1]
	if len(p.RKeys) > 0 {
		text += " by (" + j.keyNames() + ")"
	}
	if p.Retract {
		text += "; for each row of " + p.Names[0] + ", what it was joined with"
	}
	x.details = []string{text + "; a row is joined when it comes, and not again"}
	return x
}
