package engine_test

import (
	"context"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/incremental/engine"
	"github.com/sqlstream/sqlstream/incremental/trigger"
)

const manual = `CREATE SOURCE c (n INT);
CREATE SINK out WITH (connector = 'memory');
INSERT INTO out SELECT n FROM c TRIGGER MANUAL;`

// Several listeners hear of a query in order; one that panics, or never comes back, does
// no harm to the query or to the others.
func TestListeners(t *testing.T) {
	w := newWorld(t, func(o *engine.Options) {
		o.Listener = engine.Funcs{Progress: func(*engine.Query, *trigger.Progress) { panic("first") }}
	})
	heard := make(chan string, 100)
	stuck := make(chan struct{})
	w.Listen(engine.Funcs{Started: func(*engine.Query) { panic("second") }})
	slow := w.Listen(engine.Funcs{Started: func(*engine.Query) { <-stuck }})
	last := w.Listen(engine.Funcs{
		Started:    func(q *engine.Query) { heard <- "started " + q.Name },
		Progress:   func(_ *engine.Query, p *trigger.Progress) { heard <- "progress" },
		Terminated: func(_ *engine.Query, err error) { heard <- "terminated"; close(heard) },
	})
	w.must(manual)
	for range 3 {
		w.must("INSERT INTO c VALUES (1); RUN TRIGGER")
	}
	w.must("STOP QUERY out")
	var got []string
	for x := range heard {
		got = append(got, x)
	}
	if s := strings.Join(got, ", "); s != "started out, progress, progress, progress, terminated" {
		t.Error(s)
	}
	last.Close()
	<-last.Done()
	last.Close() // again, harmless
	close(stuck)
	if slow.Dropped() != 0 {
		t.Errorf("%d events dropped", slow.Dropped())
	}
}

// What a listener is too slow for is dropped and counted, and the query goes on.
func TestSlowListener(t *testing.T) {
	w := newWorld(t)
	stuck := make(chan struct{})
	slow := w.Listen(engine.Funcs{Progress: func(*engine.Query, *trigger.Progress) { <-stuck }})
	w.must(manual)
	q := w.Query("out")
	for range 1100 {
		w.must("INSERT INTO c VALUES (1)")
		if _, err := q.Poke(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if n := slow.Dropped(); n < 50 || n > 100 {
		t.Errorf("%d events dropped", n)
	}
	close(stuck)
}

// A query that has nothing to do says so once.
func TestIdleIsToldOnce(t *testing.T) {
	w := newWorld(t)
	heard := make(chan string, 100)
	w.Listen(engine.Funcs{
		Progress: func(*engine.Query, *trigger.Progress) { heard <- "progress" },
		Idle:     func(*engine.Query) { heard <- "idle" },
	})
	w.must(strings.Replace(manual, "TRIGGER MANUAL", "", 1))
	next := func(want string) {
		t.Helper()
		if got := <-heard; got != want {
			t.Fatalf("heard %s, want %s", got, want)
		}
	}
	next("idle")
	for range 3 { // it looks again, and finds nothing
		if _, err := w.Query("out").Poke(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	w.must("INSERT INTO c VALUES (1)")
	if _, err := w.Query("out").Poke(context.Background()); err != nil {
		t.Fatal(err)
	}
	next("progress")
}

// After Close nobody is told anything, and Listen does not hang.
func TestListenAfterClose(t *testing.T) {
	w := newWorld(t)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	s := w.Listen(engine.Funcs{})
	<-s.Done()
	s.Close()
}

func TestActivity(t *testing.T) {
	w := newWorld(t)
	w.must(manual + "INSERT INTO c VALUES (1); RUN TRIGGER")
	q := w.Query("out")
	if a := q.Activity(); a != (engine.Activity{Message: "Waiting for the next trigger", DataAvailable: true}) {
		t.Errorf("%+v", a)
	}
	w.must("RUN TRIGGER")
	if a := q.Activity(); a.DataAvailable || a.TriggerActive {
		t.Errorf("%+v", a)
	}
	q.Pause()
	if a := q.Activity(); a.Message != "Paused" {
		t.Errorf("%+v", a)
	}
	w.must("STOP QUERY out")
	if a := q.Activity(); a.Message != "Ended" {
		t.Errorf("%+v", a)
	}
}
