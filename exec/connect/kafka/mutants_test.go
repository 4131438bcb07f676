//go:build mutants

package kafka

import (
	"context"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/sqlstream/sqlstream/exec/format/formattest"
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/types"
)

// TestMutants: each planted bug shows in a history in which the right code holds.
func TestMutants(t *testing.T) {
	for name, holds := range map[string]func(w *world) bool{
		"kafka: what lies behind a range is read too": func(w *world) bool {
			w.write("a", 0, "x", "y", "z")
			return w.next(w.early("a"), 2) == `"x" | 0 | 0; "y" | 0 | 1`
		},
		"kafka: a limit of rows is forgotten": func(w *world) bool {
			w.write("a", 0, "x", "y")
			return w.next(w.early("a"), 1) == `"x" | 0 | 0`
		},
		"kafka: aborted records are read": func(w *world) bool {
			tx := w.client(kgo.TransactionalID("t"))
			w.must(tx.BeginTransaction())
			w.must(tx.ProduceSync(context.Background(), message("a", 0, "no")).FirstErr())
			w.must(tx.EndTransaction(context.Background(), kgo.TryAbort))
			w.write("a", 0, "yes")
			return w.next(w.early("a"), 0) == `"yes" | 0 | 2`
		},
		"kafka: a new partition begins at its end": func(w *world) bool {
			s := w.early("a")
			w.next(s, 0)
			w.morePartitions("a")
			w.write("a", 1, "new")
			return w.next(s, 0) == `"new" | 1 | 0`
		},
		"kafka: another topic of the same name is taken for it": func(w *world) bool {
			w.write("a", 0, "x")
			s := w.early("a")
			w.next(s, 0)
			_, err := w.adm.DeleteTopics(context.Background(), "a")
			w.must(err)
			w.topic("a", 1)
			w.cl = w.client()
			w.write("a", 0, "1", "2")
			_, _, err = s.Plan(context.Background(), source.Limits{}, nil)
			return err != nil
		},
		"kafka: where a new query begins is not logged": func(w *world) bool {
			_, logged := w.plan(w.open(w.config("topic", "a")), source.Limits{}, nil)
			return logged
		},
		"kafka: a tombstone is a row": func(w *world) bool {
			w.send("a", "1", "NULL")
			c := w.config("topic", "a", "starting_offsets", "earliest", "format", "json", "key_format", "raw")
			c.Columns = columnsOf(formattest.Columns("id", types.String, "v", types.String))
			c.Key, c.Changes = []int{0}, true
			return w.next(w.open(c), 0) == `-1 "1" | NULL`
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, on := range []bool{false, true} {
				w := newWorld(t)
				w.topic("a", 1)
				restore := func() {}
				if on {
					restore = mutant.Activate(name)
				}
				held := holds(w)
				restore()
				if held == on {
					t.Errorf("planted %v, held %v", on, held)
				}
			}
		})
	}
}

// next plans and reads a range.
func (w *world) next(s *Reader, limit int64) string {
	r, ok := w.plan(s, source.Limits{Rows: limit}, nil)
	if !ok {
		return ""
	}
	return strings.Join(w.rows(s, r), "; ")
}
