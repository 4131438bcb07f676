package physical

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/planner/catalog"
)

// Scan reads a relation. Its output columns are the needed columns that the
// connector delivers, then the computed ones; what the query does not need is not
// among them.
type Scan struct {
	Base
	Relation *catalog.Relation
	Alias    string // as the query calls it, for messages
	// Need are indexes into the inputs of the relation (Relation.Inputs), ascending:
	// source.Reading.Need.
	Need []int
	// Computed columns are appended one after another; each is evaluated over the needed
	// columns and the computed ones before it.
	Computed []expr.Node
	// NotNull are output columns in which NULL makes a row bad.
	NotNull   []int
	Watermark *Watermark // nil = none
	// Ranges are conditions that every needed row fulfils; the reader may leave out rows
	// that do not.
	Ranges []Range
	// Equal are conditions of the same kind, for what is looked up by them: a view.
	Equal []Equal
	// MaxAhead: a row whose event time is later than the trigger's time plus this is a
	// bad row and moves no watermark; µs, 0 = no limit.
	MaxAhead int64
	// Finite: the rows that are there are read once; watermarks are no-ops.
	Finite bool
}

// Watermark of a scan: greatest event time minus delay. It moves with every row of
// the source that is not bad, whatever becomes of the row; NULL moves nothing.
type Watermark struct {
	Col   int // output column of the scan
	Front int // index into Props().Frontiers
	Delay types.IntervalValue
	// Where restricts the rows that move it, over the scan's output columns: set when the
	// query states the watermark above a filter. nil = every row.
	Where expr.Node
	// ByExtent: of rows that are not read, the greatest event time is all that must be known.
	ByExtent bool
	// Unread: nothing but the watermark reads the column, so that its values need not be
	// read where the range of them is known.
	Unread bool
	// IdleTimeout in µs; 0 = the source is never idle.
	IdleTimeout int64
	// WholeSource: one watermark for all partitions of the source.
	WholeSource bool
}

// Children implements Node.
func (s *Scan) Children() []Node { return nil }

// Values gives constant rows once, in the first trigger.
type Values struct {
	Base
	Rows [][]expr.Node // without column references
}

// Children implements Node.
func (v *Values) Children() []Node { return nil }

func (s *Scan) explain() explained { return explained{summary: s.summary()} }

func (v *Values) explain() explained {
	return explained{summary: fmt.Sprintf("%d rows", len(v.Rows))}
}
