package conformance

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// versioned gives a table the columns of WITH VERSION COLUMN, which are ordered types.
func (t *table) versioned(names []string) error {
	for _, n := range names {
		at := slices.IndexFunc(t.relation.Columns, func(c column) bool { return strings.EqualFold(c.Name, n) })
		if at < 0 {
			return fmt.Errorf("there is no column %q for the version", n)
		}
		if k := t.relation.Columns[at].Type.Kind; k == types.Bool || k == types.JSON {
			return fmt.Errorf("column %q cannot be a version", n)
		}
		t.versions = append(t.versions, at)
	}
	return nil
}

// older reports that a row has an earlier version than the one of its key that is there; NULL
// is the earliest.
func (t *table) older(fresh, old *vec.Batch) bool {
	for _, c := range t.versions {
		if cmp := vec.CompareOrder(fresh.Cols[c], 0, old.Cols[c], 0, vec.Order{Nulls: vec.NullsFirst}); cmp != 0 {
			return cmp < 0
		}
	}
	return false
}
