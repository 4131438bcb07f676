package physical

import (
	"fmt"
	"strings"

	"github.com/sqlstream/sqlstream/exec/types"
)

func (j *Join) explain() explained {
	x := explained{summary: joinSummary(j.Kind, j.NullAware > 0, j.Single, j.condition())}
	state := "state: the rows of both sides by (" + j.keyNames() + ")"
	if len(j.LKeys) == 0 {
		state = "state: the rows of both sides"
	}
	if j.EmitOnExpiry {
		state += "; rows without a match come when none can come any more"
	}
	x.details = append(x.details, state, j.keepText(0)+"   "+j.keepText(1))
	for _, f := range j.P.Frontiers {
		x.details = append(x.details, j.frontText(f))
	}
	var late []string
	for side := range j.Sides {
		if s := j.Sides[side]; s.Late != nil {
			name := j.column(side, s.Late.Col)
			late = append(late, fmt.Sprintf("%s < F(%s)", name, name))
		}
	}
	x.late, x.kept = strings.Join(late, ", "), strings.Join(j.NeverCleaned(), ", ")
	x.way = "add a range of time to ON, such as a.ts BETWEEN b.ts - INTERVAL '1 hour' AND b.ts, with a watermark on both inputs"
	if j.NullAware > 0 {
		x.way = "use NOT EXISTS with a range of time, such as b.ts BETWEEN a.ts AND a.ts + INTERVAL '1 hour', with a watermark on both inputs"
	}
	return x
}

func (j *Join) condition() string {
	var conds []string
	for i := range j.LKeys {
		conds = append(conds, j.column(0, j.LKeys[i])+equals(j.NullSafe[i])+j.column(1, j.RKeys[i]))
	}
	if j.Residual != nil {
		conds = append(conds, j.Residual.String())
	}
	return strings.Join(conds, " AND ")
}

// column names a column with its side.
func (j *Join) column(side, col int) string {
	return j.named(side, j.input(side).Props().Columns[col].Name)
}

// named puts the side before a column's name; expressions stand alone.
func (j *Join) named(side int, name string) string {
	if strings.Contains(name, "(") {
		return name
	}
	return j.Names[side] + "." + name
}

func (j *Join) input(side int) Node { return j.Children()[side] }

// keyNames are the names of the left keys.
func (j *Join) keyNames() string {
	names := make([]string, len(j.LKeys))
	for i, k := range j.LKeys {
		names[i] = j.L.Props().Columns[k].Name
	}
	return strings.Join(names, ", ")
}

// keepText says how long the rows of a side are kept.
func (j *Join) keepText(side int) string {
	text := "keep " + j.Names[side] + ": "
	k := j.Sides[side].Keep
	switch {
	case j.Whole:
		return text + "all"
	case j.neverCleaned(side) != "" || k == nil:
		return text + "for ever"
	}
	other := j.input(1 - side).Props()
	if k.Front == Ended {
		text += "until " + j.Names[1-side] + " has ended"
	} else {
		f := other.Frontiers[k.Front]
		own := j.input(side).Props().Columns[k.Col]
		text += fmt.Sprintf("%s ≥ F(%s)%s", own.Name, j.named(1-side, columnText(other, f.Col, f.Path)), shiftText(-k.Shift, own.Type))
	}
	if s := j.Sides[side]; s.Retract && s.Late != nil {
		text += fmt.Sprintf(" or %s ≥ F(%s)", j.input(side).Props().Columns[s.Late.Col].Name, j.column(side, s.Late.Col))
	}
	return text
}

// finite reports that no stream is below a node.
func finite(root Node) bool {
	out := true
	Walk(root, func(n Node) {
		if s, ok := n.(*Scan); ok {
			out = out && s.Finite
		}
	})
	return out
}

// NeverCleaned tells which sides of a join stay for ever and why, side by side.
func (j *Join) NeverCleaned() (why []string) {
	for side := range j.Sides {
		if text := j.neverCleaned(side); text != "" {
			why = append(why, text)
		}
	}
	return why
}

// frontText says what a frontier of the output is the lesser of.
func (j *Join) frontText(f Frontier) string {
	parts := make([]string, len(f.Rules))
	for i, r := range f.Rules {
		p := j.input(r.Child).Props()
		if r.Front == Ended {
			parts[i] = "end of " + j.Names[r.Child]
			continue
		}
		from := p.Frontiers[r.Front]
		parts[i] = fmt.Sprintf("F(%s)%s", j.named(r.Child, columnText(p, from.Col, from.Path)), shiftText(r.Shift, p.Columns[from.Col].Type))
	}
	return fmt.Sprintf("out F(%s) = min(%s)", columnText(&j.P, f.Col, f.Path), strings.Join(parts, ", "))
}

// Unmatched tells why a row without a match is never final, "" if it is.
func (j *Join) Unmatched() string {
	for side, s := range j.Sides {
		pads := j.Kind == Full || side == 0 && (j.Kind == Left || j.Kind == Anti || j.Kind == Mark)
		if pads && s.Keep == nil {
			return fmt.Sprintf("a row of %s without a match can find one for ever: the condition does not bound its time by that of %s", j.Names[side], j.Names[1-side])
		}
	}
	return ""
}

// neverCleaned tells why the rows of a side stay, "" if they do not.
func (j *Join) neverCleaned(side int) string {
	s := j.Sides[side]
	switch {
	case j.Whole || finite(j.input(side)):
		return ""
	case s.Keep == nil:
		return fmt.Sprintf("rows of %s: the condition does not bound their time by that of %s", j.Names[side], j.Names[1-side])
	case s.Retract && s.Late == nil:
		return fmt.Sprintf("rows of %s: they can be deleted, and no column is bounded by a watermark", j.Names[side])
	}
	return ""
}

// shiftText is " - 1h" for a difference of a column's type.
func shiftText(shift int64, t types.Type) string {
	sign := " + "
	if shift < 0 {
		sign, shift = " - ", -shift
	}
	switch {
	case shift == 0:
		return ""
	case t.Kind == types.Date:
		return fmt.Sprintf("%s%d days", sign, shift)
	case t.IsTime() && shift%types.MicrosPerDay == 0:
		return fmt.Sprintf("%s%d days", sign, shift/types.MicrosPerDay)
	case t.IsTime():
		return sign + length(shift)
	}
	return fmt.Sprintf("%s%d", sign, shift)
}
