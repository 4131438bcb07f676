package physical

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/fn/timewindow"
)

// Filter keeps rows for which the predicate is true; the others are filtered.
type Filter struct {
	Base
	Input     Node
	Predicate expr.Node
}

// Children implements Node.
func (f *Filter) Children() []Node { return []Node{f.Input} }

// Project computes new columns.
type Project struct {
	Base
	Input Node
	Exprs []expr.Node
}

// Children implements Node.
func (p *Project) Children() []Node { return []Node{p.Input} }

// Unnest appends the columns of a generator to each row, once per generated row.
type Unnest struct {
	Base
	Input Node
	Gen   fn.GenImpl
	Args  []expr.Node // with the types of Gen.Args
	// Outer keeps a row for which nothing is generated, with NULLs.
	Outer bool
	// Ordinality appends a last BIGINT column that counts from 1.
	Ordinality bool
	Text       string // "explode(words)"
}

// Children implements Node.
func (u *Unnest) Children() []Node { return []Node{u.Input} }

// Hop appends the start of a window to each row, once for every window [start,
// start + size) that contains the row's time; rows with a NULL time give none.
type Hop struct {
	Base
	Input  Node
	Time   int // input column, TIMESTAMP or TIMESTAMP_NTZ
	Window Window
	By     *timewindow.Windows // replaces Window, see logical.Hop
}

// Window is a sliding time window, in µs. Windows start at Offset plus multiples of
// Slide, counted from 1970-01-01 00:00 UTC.
type Window struct {
	Size, Slide, Offset int64
}

// Children implements Node.
func (h *Hop) Children() []Node { return []Node{h.Input} }

// UnionAll takes the rows of all inputs, column by column.
type UnionAll struct {
	Base
	Inputs []Node
}

// Children implements Node.
func (u *UnionAll) Children() []Node { return u.Inputs }

func (f *Filter) explain() explained { return explained{summary: f.Predicate.String()} }

func (p *Project) explain() explained { return explained{summary: p.summary()} }

func (u *Unnest) explain() explained { return explained{summary: u.summary()} }

func (h *Hop) explain() explained {
	if h.By != nil {
		return explained{summary: h.Input.Props().Columns[h.Time].Name + ": " + h.By.String()}
	}
	return explained{summary: fmt.Sprintf("%s: windows of %s every %s", h.Input.Props().Columns[h.Time].Name, length(h.Window.Size), length(h.Window.Slide))}
}

func (u *UnionAll) explain() explained {
	return explained{summary: fmt.Sprintf("%d inputs", len(u.Inputs))}
}
