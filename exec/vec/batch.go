package vec

// Batch is a set of rows: the unit in which data flows through a plan, and the
// carrier of deltas.
//
// Every column has N rows. Sel lists the rows that count, ascending; nil = all.
// W, Origin and the columns are indexed by row, not by position in Sel. W is the
// signed multiplicity; nil = +1 for every row.
type Batch struct {
	Cols []*Vector
	N    int
	Sel  []int32
	W    []int64

	// Origin maps a row to the input row of the scan batch from which it was made;
	// nil = the row itself. Fates collects what became of the scan batch's rows.
	// Both are nil after the first stateful operator.
	Origin []int32
	Fates  *Fates
}

// Rows is the number of rows that count.
func (b *Batch) Rows() int {
	if b.Sel != nil {
		return len(b.Sel)
	}
	return b.N
}

// Weight is the multiplicity of a row.
func (b *Batch) Weight(row int) int64 {
	if b.W == nil {
		return 1
	}
	return b.W[row]
}

// Fate is what became of an input row; the greatest one wins, so that a row that
// contributed in one branch of the plan counts as contributed.
type Fate uint8

// The fates, in ascending order of what wins.
const (
	Filtered Fate = iota
	Late
	Contributed
)

// Fates has a Fate for each row of one scan batch, and is written by the operators
// that take or refuse rows.
type Fates struct {
	Of []Fate
	// Partial counts rows that some of their windows refused.
	Partial int64
}

// Mark raises the fate of a row of b. It is free after the first stateful operator.
func (b *Batch) Mark(row int, f Fate) {
	if b.Fates == nil {
		return
	}
	if b.Origin != nil {
		row = int(b.Origin[row])
	}
	if b.Fates.Of[row] < f {
		b.Fates.Of[row] = f
	}
}

// MarkAll raises the fate of every row that counts.
func (b *Batch) MarkAll(f Fate) {
	if b.Fates == nil {
		return
	}
	if b.Sel == nil {
		for r := range b.N {
			b.Mark(r, f)
		}
		return
	}
	for _, r := range b.Sel {
		b.Mark(int(r), f)
	}
}
