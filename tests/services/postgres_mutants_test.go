//go:build services && mutants

package services

import (
	"testing"

	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/exec/connect/postgres"
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// TestPostgresMutants: each planted bug shows in a history in which the right code holds.
func TestPostgresMutants(t *testing.T) {
	for name, holds := range map[string]func(w *pgWorld) bool{
		"postgres: a batch is written again": func(w *pgWorld) bool {
			s := w.open(w.config(sink.Append, "create_table", "true"))
			p := w.stage(s, 0, delta("+ a 1"))
			w.publish(s, 0, 1, p)
			w.publish(s, 0, 1, p)
			return w.rows("SELECT count(*) FROM $s.out") == "1"
		},
		"postgres: the marker is committed before the rows": func(w *pgWorld) bool {
			s := w.open(w.config(sink.Append, "create_table", "true"))
			w.put(s, 0, "+ a 1")
			w.run("ALTER TABLE $s.out ADD UNIQUE (k)")
			err := s.Publish(w.Context(), sink.Batch{ID: 1, Epoch: 1}, w.stage(s, 1, delta("+ a 1")))
			m, _ := s.Marker(w.Context())
			return err != nil && m.ID == 0
		},
		"postgres: an older run is not fenced off": func(w *pgWorld) bool {
			old := w.open(w.config(sink.Append, "create_table", "true"))
			w.put(old, 0, "+ a 1")
			w.publish(w.open(w.config(sink.Append)), 1, 2, w.stage(old, 1, delta("+ b 1")))
			return old.Publish(w.Context(), sink.Batch{ID: 2, Epoch: 1}, w.stage(old, 2, delta("+ z 1"))) != nil
		},
		"postgres: a new run fences nobody off": func(w *pgWorld) bool {
			old := w.open(w.config(sink.Append, "create_table", "true"))
			w.put(old, 0, "+ a 1")
			if err := w.open(w.config(sink.Append)).Discard(w.Context(), sink.Batch{ID: 1, Epoch: 2}); err != nil {
				return false
			}
			return old.Publish(w.Context(), sink.Batch{ID: 1, Epoch: 1}, w.stage(old, 1, delta("+ z 1"))) != nil
		},
		"postgres: removed keys stay": func(w *pgWorld) bool {
			s := w.open(w.config(sink.Update, "create_table", "true"))
			w.put(s, 0, "+ a 1; + b 2")
			w.put(s, 1, "- b 2")
			return w.rows("SELECT k FROM $s.out") == "a"
		},
		"postgres: parts of a table are read at different moments": partsOfOneMoment,
		"postgres: the rows are read before the slot begins, or after": func(w *pgWorld) bool {
			w.run(cdcTable)
			c := w.newCDC(true)
			defer c.end()
			r, _ := c.plan(source.Limits{})
			splits, err := c.s.Splits(w.Context(), r)
			if err != nil {
				w.Fatal(err)
			}
			w.run("INSERT INTO $s.t VALUES (3, 'c')")
			n := 0
			err = splits[0].Read(w.Context(), source.Reading{Need: []int{0}}, func(b *vec.Batch) error { n += b.Rows(); return nil })
			return err == nil && n == 2
		},
		"postgres: the slot is told of a range before its commit": func(w *pgWorld) bool {
			w.run(cdcTable)
			c := w.newCDC(true)
			defer c.end()
			first := c.next("+1*1:a +1*2:b")
			w.run("INSERT INTO $s.t VALUES (3, 'c')")
			r, _ := c.plan(source.Limits{})
			w.run("INSERT INTO $s.t VALUES (4, 'd')")
			c.plan(source.Limits{}) // the server has heard of us
			c.crash(first, r)
			got, err := c.read(r)
			return err == nil && got == "+1*3:c"
		},
		"postgres: the row of an old key stays": func(w *pgWorld) bool {
			w.run(cdcTable)
			c := w.newCDC(true)
			defer c.end()
			c.next("+1*1:a +1*2:b")
			w.run("UPDATE $s.t SET id = 9 WHERE id = 1")
			r, _ := c.plan(source.Limits{})
			got, err := c.read(r)
			return err == nil && got == "-1*1:a +1*9:a"
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newPG(t)
			if !holds(w) {
				t.Fatal("the right code fails")
			}
			w.run("DROP SCHEMA $s CASCADE; CREATE SCHEMA $s")
			defer mutant.Activate(name)()
			if holds(w) {
				t.Error("it lives")
			}
		})
	}
}

func partsOfOneMoment(w *pgWorld) bool {
	w.run("CREATE TABLE $s.big (id int8, filler text); ALTER TABLE $s.big ALTER filler SET STORAGE PLAIN; INSERT INTO $s.big SELECT i, repeat('x', 1900) FROM generate_series(1, 40000) i")
	s, err := postgres.Table().Open(w.Context(), source.Config{Name: "x", Finite: true, Clock: clock.Real(), Options: w.options("table", w.schema+".big"),
		Columns: []source.Column{{Column: types.Column{Name: "id", Type: types.Of(types.Int64)}}}})
	if err != nil {
		w.Fatal(err)
	}
	defer s.Close()
	splits, err := s.Splits(w.Context(), source.Range{})
	if err != nil {
		w.Fatal(err)
	}
	w.run("DELETE FROM $s.big")
	n := 0
	for _, sp := range splits {
		if err := sp.Read(w.Context(), source.Reading{Need: []int{0}}, func(b *vec.Batch) error { n += b.Rows(); return nil }); err != nil {
			w.Fatal(err)
		}
	}
	return n == 40000
}
