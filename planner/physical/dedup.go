package physical

import "github.com/sqlstream/sqlstream/exec/types"

// Distinct keeps each distinct row once (SELECT DISTINCT, UNION). Over append-only
// input it emits a row when it is first seen.
type Distinct struct {
	Base
	Input Node
	// Bound: Col and Front are of the input edge (and the same of the output). Rows below
	// it are late, and forgotten. nil = never cleaned.
	Bound   *Bound
	Retract bool
	// Keep: nothing is late and nothing is forgotten (complete mode). Bound is nil then.
	Keep bool
}

// Children implements Node.
func (d *Distinct) Children() []Node { return []Node{d.Input} }

// Stateful implements Node.
func (d *Distinct) Stateful() bool { return true }

// Dedup keeps the first row, by arrival, of each key. Its input is append-only.
type Dedup struct {
	Base
	Input Node
	Keys  []int
	// Bound: Col and Front are of the input edge. Rows below it are late. nil = none.
	Bound *Bound
	// Clean: the bound column is one of the keys, so that keys below the frontier are
	// forgotten.
	Clean bool
	// Within: a key is forgotten when the frontier of the bound has reached the time of its
	// first row plus Delay, and may then come again (drop_duplicates_within_watermark).
	Within bool
	Delay  types.IntervalValue
}

// Children implements Node.
func (d *Dedup) Children() []Node { return []Node{d.Input} }

// Stateful implements Node.
func (d *Dedup) Stateful() bool { return true }

func (d *Distinct) explain() explained {
	pr := d.Input.Props()
	x := explained{details: []string{"state: one entry per row; " + cleaned(pr, d.Bound)}}
	switch {
	case d.Keep:
		x.details = []string{"state: one entry per row; kept whole"}
	case d.Bound != nil:
		x.late = lateText(pr, d.Bound)
	default:
		x.kept, x.way = "rows: no column is bounded by a watermark", "select a column with a watermark too"
	}
	return x
}

func (d *Dedup) explain() explained {
	x := explained{summary: "by " + keyText(d.Input.Props(), d.Keys), details: []string{"state: one entry per key; " + d.cleanText()}}
	if d.Bound != nil {
		x.late = lateText(d.Input.Props(), d.Bound)
	}
	if !d.Clean && !d.Within {
		x.kept = "keys: no key column is bounded by a watermark"
		x.way = "add the event time to the columns, or use drop_duplicates_within_watermark"
	}
	return x
}
