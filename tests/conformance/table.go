package conformance

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/planner/catalog"
)

// table is what a table of a test holds.
type table struct {
	name      string
	relation  *catalog.Relation
	defaults  map[string]string // by column, folded: SQL
	key       []int             // PRIMARY KEY or UNIQUE: a second row of a key is an error, or replaces the first
	unique    bool              // key is UNIQUE, and may be NULL
	nullKey   bool              // a row has NULL in its key: the source has no key
	watermark []string          // clauses of the source
	generated []string          // columns that are computed of the others
	conflict  onConflict        // what a row does whose key is there, unless INSERT says
	versions  []int             // columns: a row whose key is there with a later version is left out
	unsynced  bool              // the batch engine has other rows
	bulk      bool              // the batch engine alone has the rows
	rows      []*vec.Batch
	at        map[string][]int // code of a row → its places in rows
	byKey     map[string]int   // key → place
}

// change is a row that comes or goes.
type change struct {
	row    *vec.Batch // of one row
	weight int64
}

func newTable(name string, r *catalog.Relation) *table {
	return &table{name: name, relation: r, at: map[string][]int{}, byKey: map[string]int{}, defaults: map[string]string{}, unsynced: true}
}

// code tells rows apart, by the columns given; nil = all.
func code(b *vec.Batch, cols []int) string {
	var s strings.Builder
	write := func(v *vec.Vector) {
		if v.IsNull(0) {
			s.WriteString("\x01")
		}
		s.WriteString(vec.RowString(v, 0, time.UTC))
		s.WriteByte(0)
	}
	if cols == nil {
		for _, v := range b.Cols {
			write(v)
		}
	}
	for _, c := range cols {
		write(b.Cols[c])
	}
	return s.String()
}

// insert adds rows. replace says what a row does whose key is there: take its place, or
// (keep) be left out; else that is an error, and no row is added.
func (t *table) insert(rows []*vec.Batch, conflict onConflict) ([]change, error) {
	if conflict == refuse {
		fresh := map[string]bool{}
		for _, r := range rows {
			k, ok := t.keyOf(r)
			if _, dup := t.byKey[k]; ok && (dup || fresh[k]) {
				return nil, fmt.Errorf("duplicate key in table %q", t.name)
			}
			fresh[k] = true
		}
	}
	var out []change
	for _, r := range rows {
		if k, ok := t.keyOf(r); ok {
			if i, dup := t.byKey[k]; dup {
				if conflict == keep || t.older(r, t.rows[i]) {
					continue
				}
				if conflict == merge {
					r = merged(t.rows[i], r)
				}
				out = append(out, change{t.rows[i], -1})
				t.remove(i)
			}
		}
		t.add(r)
		out = append(out, change{r, 1})
	}
	return out, nil
}

// keyOf is what no other row may have; false if there is no such thing.
func (t *table) keyOf(r *vec.Batch) (string, bool) {
	if len(t.key) == 0 || t.unique && slices.ContainsFunc(t.key, func(c int) bool { return r.Cols[c].IsNull(0) }) {
		return "", false
	}
	return code(r, t.key), true
}

// merged is the new row, with what the old one has where it is NULL.
func merged(old, fresh *vec.Batch) *vec.Batch {
	b := *fresh
	b.Cols = slices.Clone(fresh.Cols)
	for i, c := range fresh.Cols {
		if c.IsNull(0) {
			b.Cols[i] = old.Cols[i]
		}
	}
	return &b
}

// onConflict is what happens to a row whose key is there.
type onConflict uint8

const (
	refuse onConflict = iota
	replace
	keep
	merge // take the columns that are not NULL
)

func (t *table) add(r *vec.Batch) {
	c := code(r, nil)
	t.at[c] = append(t.at[c], len(t.rows))
	if k, ok := t.keyOf(r); ok {
		t.byKey[k] = len(t.rows)
	}
	t.rows = append(t.rows, r)
	t.unsynced = true
}

// remove takes away the row at place i.
func (t *table) remove(i int) {
	r := t.rows[i]
	c := code(r, nil)
	list := t.at[c]
	for k, p := range list {
		if p == i {
			t.at[c] = append(list[:k:k], list[k+1:]...)
			break
		}
	}
	if k, ok := t.keyOf(r); ok {
		delete(t.byKey, k)
	}
	t.rows[i] = nil
	t.unsynced = true
}

// delete takes rows away, each once.
func (t *table) delete(rows []*vec.Batch) ([]change, error) {
	var out []change
	for _, r := range rows {
		places := t.at[code(r, nil)]
		if len(places) == 0 {
			continue // another row of the same join has taken it
		}
		t.remove(places[len(places)-1])
		out = append(out, change{r, -1})
	}
	return out, nil
}

// live are the rows that are there.
func (t *table) live() []*vec.Batch {
	var out []*vec.Batch
	for _, r := range t.rows {
		if r != nil {
			out = append(out, r)
		}
	}
	return out
}

// joined makes batches of rows, with their weights; none for no rows.
func joined(changes []change) []*vec.Batch {
	var out []*vec.Batch
	for len(changes) > 0 {
		n := min(len(changes), vec.BatchSize)
		parts := make([]*vec.Batch, n)
		w := make([]int64, n)
		for i, c := range changes[:n] {
			parts[i], w[i] = c.row, c.weight
		}
		b := *vec.ConcatBatches(parts...) // a copy: one row is not copied
		b.W = w
		out = append(out, &b)
		changes = changes[n:]
	}
	return out
}

// singles cuts batches into batches of one row.
func singles(list []*vec.Batch) []*vec.Batch {
	var out []*vec.Batch
	for _, b := range list {
		b.Each(func(row int) {
			one := *b
			one.Sel, one.W = []int32{int32(row)}, nil
			for range b.Weight(row) {
				out = append(out, one.Clone())
			}
		})
	}
	return out
}
