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

	// Place names the input row that a row of a source's batch was read from, for errors:
	// "in/a.json, row 17". It holds while the batch does. nil = not known.
	Place func(row int) string
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

// NewBatch returns a batch over columns of equal length.
func NewBatch(cols ...*Vector) *Batch {
	b := &Batch{Cols: cols}
	if len(cols) > 0 {
		b.N = cols[0].N
	}
	return b
}

// Each calls do with every row that counts.
func (b *Batch) Each(do func(row int)) {
	if b.Sel == nil {
		for r := range b.N {
			do(r)
		}
		return
	}
	for _, r := range b.Sel {
		do(int(r))
	}
}

// Row is the row number of the i-th row that counts.
func (b *Batch) Row(i int) int {
	if b.Sel == nil {
		return i
	}
	return int(b.Sel[i])
}

// Compact returns the rows that count as a batch without selection: b itself if it
// has none. Columns may stay constants and dictionaries, and share text with b.
func (b *Batch) Compact() *Batch {
	if b.Sel == nil {
		return b
	}
	return b.Gather(b.Sel)
}

// Gather returns the rows of b that rows lists, in that order, whether they count
// or not, with their weights and origins.
func (b *Batch) Gather(rows []int32) *Batch {
	out := &Batch{Cols: make([]*Vector, len(b.Cols)), N: len(rows), Fates: b.Fates}
	for i, c := range b.Cols {
		out.Cols[i] = Gather(c, rows)
	}
	if b.W != nil {
		out.W = take(b.W, rows)
	}
	if b.Origin != nil {
		out.Origin = take(b.Origin, rows)
	} else if b.Fates != nil {
		out.Origin = append([]int32{}, rows...)
	}
	return out
}

// Clone returns a copy of the rows that count, which shares nothing with b and may
// be kept. Origin and Fates stay behind.
func (b *Batch) Clone() *Batch {
	out := &Batch{Cols: make([]*Vector, len(b.Cols)), N: b.Rows()}
	for i, c := range b.Cols {
		nb := NewBuilder(c.Type)
		nb.AppendRows(c, b.Sel)
		out.Cols[i] = nb.Take()
	}
	switch {
	case b.W == nil:
	case b.Sel != nil:
		out.W = take(b.W, b.Sel)
	default:
		out.W = append([]int64{}, b.W[:b.N]...)
	}
	return out
}

// Weights returns the weight of every row, making the slice when all are +1. The
// caller may write to it only if it made the batch.
func (b *Batch) Weights() []int64 {
	if b.W == nil {
		b.W = make([]int64, b.N)
		for i := range b.W {
			b.W[i] = 1
		}
	}
	return b.W
}

// ConcatBatches returns the rows that count of all batches as one batch without
// selection. The batches have columns of the same types; there is at least one.
func ConcatBatches(bs ...*Batch) *Batch {
	if len(bs) == 1 {
		return bs[0].Compact()
	}
	out := &Batch{Cols: make([]*Vector, len(bs[0].Cols))}
	for i := range out.Cols {
		nb := NewBuilder(bs[0].Cols[i].Type)
		for _, b := range bs {
			nb.AppendRows(b.Cols[i], b.Sel)
		}
		out.Cols[i] = nb.Take()
	}
	weighted := false
	for _, b := range bs {
		out.N += b.Rows()
		weighted = weighted || b.W != nil
	}
	if weighted {
		for _, b := range bs {
			b.Each(func(r int) { out.W = append(out.W, b.Weight(r)) })
		}
	}
	return out
}
