package physical

import (
	"fmt"
	"strings"
)

// Asof joins each row of the left input (port 0) with one row of equal keys of the right one
// (port 1): the nearest one by time. Among right rows of one time it is the least,
// column by column; of versions (Void) the greatest. Output columns are those of L, then those of R.
type Asof struct {
	Base
	L, R         Node
	Names        [2]string // of the inputs, for messages
	LKeys, RKeys []int     // columns of L, of R; pairwise of one type
	NullSafe     []bool    // key by key: NULL matches NULL
	LTime, RTime int       // columns that are compared, of one type
	// Forward: the first right row not before the left one, instead of the last one not
	// after it.
	Forward bool
	Strict  bool // a right row of the same time is no match
	Outer   bool // left rows without a match come beside NULLs
	// Void is a BOOLEAN column of R: a row for which it is true stands for none, as a deletion
	// does. −1 = none.
	Void int
	// Front is, per input, the frontier of its time in Props().Frontiers of its edge; −1 =
	// none.
	Front [2]int
	Ended [2]bool // the input is finite: it ends when it has been read
	// Late refuses rows; Col and Front are of the input's edge. nil = none.
	Late    [2]*Bound
	Retract [2]bool // rows of the input can be retracted
	// EmitOnClose: a left row is emitted once, when its time is below both frontiers.
	EmitOnClose bool
	// Whole: nothing is late and nothing is forgotten (complete mode, finite queries).
	Whole bool
}

// Children implements Node.
func (a *Asof) Children() []Node { return []Node{a.L, a.R} }

// Stateful implements Node.
func (a *Asof) Stateful() bool { return true }

func (a *Asof) explain() explained {
	x := explained{summary: a.summary(), details: []string{"state: " + a.stateText()}}
	for _, f := range a.P.Frontiers {
		x.details = append(x.details, a.frontText(f))
	}
	var late []string
	for side, b := range a.Late {
		if b != nil && !a.Ended[side] {
			name := a.as().column(side, b.Col)
			late = append(late, fmt.Sprintf("%s < F(%s)", name, name))
		}
	}
	x.late, x.kept = strings.Join(late, ", "), strings.Join(a.NeverCleaned(), ", ")
	x.way = "compare times with a watermark on both inputs, as in a.ts >= b.ts"
	if x.kept == "" && !a.Whole && !a.Ended[1] && !a.Forward {
		x.last = true
		x.kept = "the last row of " + a.Names[1] + a.perKey() + ": rows of " + a.Names[0] + " to come take it"
	}
	return x
}

// as names the columns like a join does.
func (a *Asof) as() *Join {
	return &Join{L: a.L, R: a.R, Names: a.Names, LKeys: a.LKeys, RKeys: a.RKeys, NullSafe: a.NullSafe}
}

func (a *Asof) time(side int) string { return a.as().column(side, [2]int{a.LTime, a.RTime}[side]) }

func (a *Asof) summary() string {
	text := ""
	if a.Outer {
		text = "left "
	}
	text += "on "
	if len(a.LKeys) > 0 {
		text += a.as().condition() + " AND "
	}
	op := map[bool]string{false: ">", true: "<"}[a.Forward]
	if !a.Strict {
		op += "="
	}
	text += a.time(0) + " " + op + " " + a.time(1)
	if a.Void >= 0 {
		text += ", none if " + a.R.Props().Columns[a.Void].Name
	}
	return text
}

func (a *Asof) perKey() string {
	if len(a.LKeys) == 0 {
		return ""
	}
	return " of each (" + a.as().keyNames() + ")"
}

func (a *Asof) stateText() string {
	text := "the rows of both sides, in the order of time"
	if len(a.LKeys) > 0 {
		text += ", by (" + a.as().keyNames() + ")"
	}
	if a.Whole {
		return text + "; kept whole"
	}
	return text + "; " + a.keepLeft() + ", " + a.keepRight() + map[bool]string{true: "; emits when final"}[a.EmitOnClose]
}

func (a *Asof) both() string { return fmt.Sprintf("min(F(%s), F(%s))", a.time(0), a.time(1)) }

func (a *Asof) keepLeft() string {
	keep := "keep " + a.Names[0] + ": "
	switch {
	case a.neverCleaned(0) != "":
		return keep + "for ever"
	case a.Ended[1] && a.Front[0] < 0:
		return keep + "until " + a.Names[1] + " has ended"
	case a.Forward:
		return keep + "until its match is below " + a.both()
	case a.EmitOnClose || a.Retract[0]:
		return keep + a.time(0) + " ≥ " + a.both()
	}
	return keep + a.time(0) + " ≥ F(" + a.time(1) + ")"
}

func (a *Asof) keepRight() string {
	keep := "keep " + a.Names[1] + ": "
	if a.neverCleaned(1) != "" || a.Front[0] < 0 || a.Front[1] < 0 {
		return keep + "for ever"
	}
	keep += a.time(1) + " ≥ " + a.both()
	if !a.Forward {
		keep += " and the last one below" + a.perKey()
	}
	return keep
}

// NeverCleaned tells which sides stay for ever and why.
func (a *Asof) NeverCleaned() (why []string) {
	for side := range 2 {
		if text := a.neverCleaned(side); text != "" {
			why = append(why, text)
		}
	}
	return why
}

func (a *Asof) neverCleaned(side int) string {
	rows := "rows of " + a.Names[side]
	switch {
	case a.Whole || a.Ended[side]:
		return ""
	case side == 0 && a.Ended[1] && !a.Retract[0]:
		return ""
	case side == 0 && a.Front[1] < 0:
		return rows + ": no watermark bounds " + a.time(1)
	case a.Front[0] < 0 && (side == 1 || a.Retract[0] || a.Forward):
		return rows + ": no watermark bounds " + a.time(0)
	case side == 1 && a.Front[1] < 0:
		return rows + ": no watermark bounds " + a.time(1)
	case side == 0 && a.Forward:
		return rows + " without a match: one may come at any time"
	}
	return ""
}

// NeverFinal tells why left rows do not become final, "" if they do.
func (a *Asof) NeverFinal() string {
	switch {
	case a.Forward:
		return fmt.Sprintf("a row of %s without a match can find one for ever", a.Names[0])
	case a.Front[1] < 0:
		return fmt.Sprintf("a row of %s can become the match of an old row of %s: no watermark bounds %s", a.Names[1], a.Names[0], a.time(1))
	case a.Front[0] < 0:
		return fmt.Sprintf("no watermark bounds %s", a.time(0))
	}
	return ""
}

// frontText says what a frontier of the output is the lesser of.
func (a *Asof) frontText(f Frontier) string {
	j := a.as()
	j.P = a.P
	return j.frontText(f)
}
