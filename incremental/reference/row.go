package reference

import (
	"fmt"
	"sort"
	"strings"
)

// Moment is what surrounded a row when it arrived, µs.
type Moment struct {
	Batch     int64 // the trigger
	Now       int64 // its time: what now() gave for it
	Watermark int64 // of the trigger before: keys that it had passed were forgotten
}

// Row is one row: values as vec.ToAny gives them.
type Row struct {
	Values []any
	Moment
}

// Change is a row that enters or leaves: Weight times.
type Change struct {
	Values []any
	Weight int64
	Moment
}

// Accumulate applies changes to an empty relation. A deletion takes away the newest row
// that equals it; without such a row it is an error.
func Accumulate(changes []Change) ([]Row, error) {
	var all []Row
	var gone []bool
	there := map[string][]int{} // by text: the rows that are there, oldest first
	for _, c := range changes {
		key := Text(c.Values)
		for range max(c.Weight, 0) {
			there[key] = append(there[key], len(all))
			all, gone = append(all, Row{c.Values, c.Moment}), append(gone, false)
		}
		for range max(-c.Weight, 0) {
			list := there[key]
			if len(list) == 0 {
				return nil, fmt.Errorf("deletion of a row that is not there: %s", key)
			}
			gone[list[len(list)-1]] = true
			there[key] = list[:len(list)-1]
		}
	}
	var rows []Row
	for i, r := range all {
		if !gone[i] {
			rows = append(rows, r)
		}
	}
	return rows, nil
}

// Bag is a multiset of rows by their text.
type Bag map[string]int64

// BagOf counts rows.
func BagOf(rows []Row) Bag {
	b := Bag{}
	for _, r := range rows {
		b.Add(r.Values, 1)
	}
	return b
}

// Add changes the count of a row; rows that are not there have no entry.
func (b Bag) Add(values []any, weight int64) {
	key := Text(values)
	b[key] += weight
	if b[key] == 0 {
		delete(b, key)
	}
}

// Equal compares multisets.
func (b Bag) Equal(o Bag) bool {
	if len(b) != len(o) {
		return false
	}
	for k, w := range b {
		if o[k] != w {
			return false
		}
	}
	return true
}

// String lists the rows with their counts, sorted.
func (b Bag) String() string {
	if len(b) == 0 {
		return "(none)"
	}
	lines := make([]string, 0, len(b))
	for k, w := range b {
		lines = append(lines, fmt.Sprintf("%s  x%d", k, w))
	}
	sort.Strings(lines)
	return strings.Join(lines, "\n")
}
