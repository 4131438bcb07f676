package physical

import (
	"fmt"
	"strings"

	"github.com/sqlstream/sqlstream/exec/types"
)

func (j *Join) explain() explained {
	x := explained{summary: joinSummary(j.Kind, j.NullAware > 0, j.Single, joinCondition(j.L, j.R, j.LKeys, j.RKeys, j.NullSafe, j.Residual))}
	state := "state: the rows of both sides by (" + j.keyNames() + ")"
	if len(j.LKeys) == 0 {
		state = "state: the rows of both sides"
	}
	if j.EmitOnExpiry {
		state += "; rows without a match come when none can come any more"
	}
	x.details = append(x.details, state, j.keepText(0)+"   "+j.keepText(1))
	var late, kept []string
	for side := range j.Sides {
		if s := j.Sides[side]; s.Late != nil {
			late = append(late, lateText(j.input(side).Props(), s.Late))
		}
		if why := j.neverCleaned(side); why != "" {
			kept = append(kept, why)
		}
	}
	x.late, x.kept = strings.Join(late, ", "), strings.Join(kept, ", ")
	return x
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

// SideName names an input of a join by the relations that it reads.
func (j *Join) SideName(side int) string {
	var names []string
	Walk(j.input(side), func(n Node) {
		if s, ok := n.(*Scan); ok {
			names = append(names, s.name())
		}
	})
	if len(names) == 0 {
		return [...]string{"the left side", "the right side"}[side]
	}
	return strings.Join(names, " × ")
}

func (s *Scan) name() string {
	if s.Alias != "" {
		return s.Alias
	}
	return s.Relation.Name
}

// keepText says how long the rows of a side are kept.
func (j *Join) keepText(side int) string {
	text := "keep " + j.SideName(side) + ": "
	k := j.Sides[side].Keep
	if j.neverCleaned(side) != "" {
		return text + "for ever"
	}
	other := j.input(1 - side).Props()
	if k.Front == len(other.Frontiers) {
		text += "until " + j.SideName(1-side) + " has ended"
	} else {
		f := other.Frontiers[k.Front]
		text += fmt.Sprintf("%s ≥ F(%s)%s", j.input(side).Props().Columns[k.Col].Name, columnText(other, f.Col, f.Path), shiftText(-k.Shift, j.input(side).Props().Columns[k.Col].Type))
	}
	if s := j.Sides[side]; s.Retract && s.Late != nil {
		name := j.input(side).Props().Columns[s.Late.Col].Name
		text += fmt.Sprintf(" or %s ≥ F(%s)", name, name)
	}
	return text
}

// neverCleaned tells why the rows of a side stay, "" if they do not.
func (j *Join) neverCleaned(side int) string {
	s := j.Sides[side]
	switch {
	case s.Keep == nil:
		return fmt.Sprintf("rows of %s: the condition does not bound their time by that of %s", j.SideName(side), j.SideName(1-side))
	case s.Retract && s.Late == nil:
		return fmt.Sprintf("rows of %s: they can be deleted, and no column is bounded by a watermark", j.SideName(side))
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
	case t.IsTime():
		return sign + length(shift)
	}
	return fmt.Sprintf("%s%d", sign, shift)
}
