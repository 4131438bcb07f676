package change

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Deed is what an event with the images of a row does.
type Deed uint8

// The deeds; an event may do both.
const (
	Deletes Deed = 1 << iota // the row before
	Inserts                  // the row after
)

// Images is what is known of the images of an event.
type Images struct {
	Before, After bool // which are there
	Key           bool // before has the whole PRIMARY KEY
	Keyed         bool // one is declared
}

// Event is what an event of Debezium does, by its op, or why it cannot be done.
func Event(word []byte, i Images) (Deed, string) {
	if len(word) != 1 {
		return 0, fmt.Sprintf(`"op" is %q, not c, r, u or d`, word)
	}
	switch word[0] {
	case 't', 'm':
		return 0, fmt.Sprintf(`"op" is %q: truncations and messages change no row that is known`, word)
	}
	op := Parse(word)
	switch {
	case op == None || word[0] == '+' || word[0] == '-':
		return 0, fmt.Sprintf(`"op" is %q, not c, r, u or d`, word)
	case op != Delete && !i.After:
		return 0, fmt.Sprintf(`"op" is %q, and there is no "after"`, word)
	case op == Insert:
		return Inserts, ""
	case i.Keyed:
		return keyedDeed(op, i.Before && i.Key)
	case !i.Before && op == Delete:
		return 0, `a deletion without "before"; it is needed whole where no PRIMARY KEY is declared`
	case !i.Before:
		return 0, `an update without "before"; declare a PRIMARY KEY, or let the origin send whole rows (PostgreSQL: REPLICA IDENTITY FULL)`
	case op == Delete:
		return Deletes, ""
	}
	return Deletes | Inserts, ""
}

func keyedDeed(op Op, known bool) (Deed, string) {
	switch {
	case !known && op == Delete:
		return 0, `a deletion without the PRIMARY KEY in "before"`
	case !known:
		return Inserts, ""
	case op == Delete:
		return Deletes, ""
	}
	return Deletes | Inserts, ""
}

// Rows makes rows with weights of the images of events.
type Rows struct {
	key   []int // places of the PRIMARY KEY among the columns
	keyed bool
	emit  func(b *vec.Batch, from []int32) error

	builders []*vec.Builder
	weights  []int64
	from     []int32
	out      vec.Batch
}

// NewRows makes rows of these types. keyed says that there is a PRIMARY KEY, key which of the
// columns belong to it. What emit is given is used again afterwards.
func NewRows(ts []types.Type, key []int, keyed bool, emit func(b *vec.Batch, from []int32) error) *Rows {
	r := &Rows{key: key, keyed: keyed, emit: emit, builders: vec.NewBuilders(ts)}
	r.out.Cols = make([]*vec.Vector, len(ts))
	return r
}

// Add takes an event: its images are a row of the columns before and after. from is what it
// came from, for emit.
func (r *Rows) Add(what Deed, before, after []*vec.Vector, row int, from int32) error {
	if what&Deletes != 0 && !r.replaces(what, before, after, row) {
		r.add(before, row, -1, from)
	}
	if what&Inserts != 0 {
		r.add(after, row, 1, from)
	}
	if len(r.weights) >= vec.BatchSize-1 {
		return r.Flush()
	}
	return nil
}

// replaces reports that the new version of a row takes its place by its key. Then it is one
// change: it comes late as a whole.
func (r *Rows) replaces(what Deed, before, after []*vec.Vector, row int) bool {
	if !r.keyed || what&Inserts == 0 {
		return false
	}
	for _, k := range r.key {
		if !vec.Equal(before[k], row, after[k], row) {
			return false
		}
	}
	return true
}

func (r *Rows) add(image []*vec.Vector, row int, w int64, from int32) {
	for i, o := range r.builders {
		o.AppendFrom(image[i], row)
	}
	r.weights, r.from = append(r.weights, w), append(r.from, from)
}

// Flush gives the rows out that are there.
func (r *Rows) Flush() error {
	if len(r.weights) == 0 {
		return nil
	}
	for i, o := range r.builders {
		r.out.Cols[i] = o.Finish()
	}
	r.out.N, r.out.W = len(r.weights), r.weights
	err := r.emit(&r.out, r.from)
	r.weights, r.from = r.weights[:0], r.from[:0]
	for _, o := range r.builders {
		o.Reset()
	}
	return err
}
