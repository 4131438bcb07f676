package physical

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/expr"
)

// StaticJoin joins a delta with a finite relation, which is read by a plan of its own.
// Without keys it is a cross join, filtered by the residual.
type StaticJoin struct {
	Base
	Kind       JoinKind
	Input      Node
	Static     Node // finite plan; not one of Children()
	InputKeys  []int
	StaticKeys []int
	// NullSafe says, key by key, that NULL matches NULL (IS NOT DISTINCT FROM).
	NullSafe []bool
	// Residual is the rest of the ON condition, over input columns then static columns;
	// nil = true. It belongs to the match: a left row that no pair satisfies gets NULLs.
	Residual expr.Node
	// NullAware is NOT IN, for Anti, and IN, for Mark: the first NullAware keys are the
	// compared columns; the others, and the residual, select the rows of the static side.
	// A row is kept (marked FALSE) if none are selected; else only if its key is not NULL,
	// no selected key is NULL, and none matches.
	NullAware int
	// Single: more than one match for an input row is an error (scalar subquery).
	Single bool
	// LookupBy are the columns that the connector delivers, key by key, by which the rows of
	// the static side are asked for as they are needed; nil = they are read at the start.
	LookupBy []int
}

// Children implements Node.
func (j *StaticJoin) Children() []Node { return []Node{j.Input} }

func (j *StaticJoin) explain() explained {
	side := fmt.Sprintf("static side: see below, plan %s", ShortID(j.Static))
	if len(j.LookupBy) > 0 {
		side = fmt.Sprintf("static side: its rows are asked for by key, and kept for a while; see below, plan %s", ShortID(j.Static))
	}
	return explained{summary: j.summary(), details: []string{side}}
}
