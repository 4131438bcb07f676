package physical

import (
	"fmt"
	"strings"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
)

// Over computes window functions that share partition and order. Its output is the first
// Visible columns of its input, then one column a function; the other columns of the input
// are what the functions read.
type Over struct {
	Base
	Input     Node
	Visible   int
	Partition []int
	Order     []SortKey
	Funcs     []OverFunc

	// Bound: Col and Front are of the input edge. Rows below it are late. nil = none.
	Bound *Bound
	// Whole: the bound column is one of the partition. Partitions below it are forgotten.
	Whole bool
	// Clean: the bound column is the first of the order, ascending, and every frame has a
	// start: rows that no frame of a later change reaches are forgotten. Ahead is by how
	// much frames reach beyond a row, Back how far back: each takes a value (column 0)
	// down by so much. KeepRows is how many rows they reach back.
	Clean       bool
	Ahead, Back []expr.Node
	KeepRows    int64
	// EmitOnClose: a row is emitted when no later one is read by its functions (append mode).
	EmitOnClose bool
	// Why says why nothing is forgotten, where nothing is.
	Why string
	// Keep: nothing is late and nothing is forgotten (complete mode, finite queries).
	Keep bool
}

// OverFunc is a function of an Over: an aggregate over the frame, or a window function.
type OverFunc struct {
	Agg         *Agg // nil: Kind
	Kind        fn.WindowKind
	N           int64
	Args        []int     // input columns of Kind
	Steered     bool      // the last of Args gives N, row by row
	Order       []SortKey // of Kind: the order of the frame's rows for it alone
	IgnoreNulls bool
	Result      types.Type
	Frame       OverFrame
	Text        string
}

// OverFrame is the frame of a function.
type OverFrame struct {
	Unit       fn.FrameUnit
	Start, End OverBound
	Exclude    fn.Exclusion
}

// OverBound is one end of a frame.
type OverBound struct {
	Kind   fn.BoundKind
	Offset int64 // ROWS and GROUPS
	Limit  int   // RANGE: the input column with the order key at which the frame ends
	Varies bool  // the offset is not the same for all rows
	By     int   // ROWS and GROUPS that vary: the input column with the offset
}

// Children implements Node.
func (o *Over) Children() []Node { return []Node{o.Input} }

// Stateful implements Node.
func (o *Over) Stateful() bool { return true }

func (o *Over) explain() explained {
	in := o.Input.Props()
	x := explained{summary: o.summary()}
	state := "state: all rows of each partition, in order; "
	switch {
	case o.Keep:
		state += "kept whole"
	case o.Whole:
		state += cleaned(in, o.Bound)
	case o.Clean:
		state += o.cleanText()
	default:
		state += "never cleaned: " + o.Why
		x.kept, x.way = "rows: "+o.Why, o.wayOut()
	}
	x.details = []string{state}
	if o.EmitOnClose {
		x.details = append(x.details, "a row is emitted once, when all rows that its functions read have come and are final")
	}
	if o.Bound != nil {
		x.late = lateText(in, o.Bound)
	}
	return x
}

// wayOut is a query near by whose rows are forgotten.
func (o *Over) wayOut() string {
	for _, f := range o.Funcs {
		if f.Agg == nil && f.Kind <= fn.DenseRank {
			return fmt.Sprintf("a change numbers all rows behind it again; QUALIFY %s <= n keeps only the first ones", f.Text)
		}
	}
	return "order by a column with a watermark, with a frame that has a start, or add such a column to PARTITION BY"
}

func (o *Over) summary() string {
	in := o.Input.Props()
	var parts []string
	if len(o.Partition) > 0 {
		parts = append(parts, "partition by "+keyText(in, o.Partition))
	}
	for i, k := range o.Order {
		text := in.Columns[k.Col].Name
		if k.Desc {
			text += " DESC"
		}
		if i == 0 {
			text = "order by " + text
		} else {
			parts[len(parts)-1] += ","
		}
		parts = append(parts, text)
	}
	for i, f := range o.Funcs {
		text := f.Text
		if i < len(o.Funcs)-1 {
			text += ","
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, " ")
}

// cleanText says which rows are forgotten, in terms of the frontier.
func (o *Over) cleanText() string {
	name := o.Input.Props().Columns[o.Bound.Col].Name
	text := fmt.Sprintf("cleaned when %s < F(%s)", name, name)
	if o.EmitOnClose {
		text = fmt.Sprintf("cleaned when %s < %s of the first row that waits", name, name)
	}
	for _, list := range [][]expr.Node{o.Ahead, o.Back} {
		var by []string
		for _, e := range list {
			if c, ok := e.(*expr.Call); ok && len(c.Args) == 2 {
				by = append(by, c.Args[1].String())
			}
		}
		if len(by) == 1 {
			text += " - " + by[0]
		} else if len(by) > 1 {
			text += " - greatest(" + strings.Join(by, ", ") + ")"
		}
	}
	if o.KeepRows > 0 {
		text += fmt.Sprintf(", but for the last %d of a partition", o.KeepRows)
	}
	return text
}
