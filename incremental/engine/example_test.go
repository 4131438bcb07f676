package engine_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/sink/foreach"
	"github.com/sqlstream/sqlstream/exec/source/numbered"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/incremental/engine"
	"github.com/sqlstream/sqlstream/incremental/trigger"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// begin opens an engine whose files and checkpoints are in a directory of its own.
func begin(opt engine.Options) (e *engine.Engine, end func()) {
	var err error
	if opt.Dir, err = os.MkdirTemp("", "example"); err != nil {
		log.Fatal(err)
	}
	if e, err = engine.Open(opt); err != nil {
		log.Fatal(err)
	}
	return e, func() {
		if err := errors.Join(e.Close(), os.RemoveAll(opt.Dir)); err != nil {
			log.Fatal(err)
		}
	}
}

// show executes statements and prints the rows of those that have some.
func show(e *engine.Engine, sql string) {
	ctx := context.Background()
	err := e.Exec(ctx, diag.Source{Text: sql}, func(r *engine.Result) error {
		if r.Rows == nil {
			return nil
		}
		return r.Rows(ctx, func(b *vec.Batch) error {
			b.Each(func(row int) {
				cells := make([]string, len(b.Cols))
				for i, c := range b.Cols {
					cells[i] = vec.RowString(c, row, time.UTC)
				}
				fmt.Println(strings.Join(cells, " "))
			})
			return nil
		})
	})
	if err != nil {
		log.Fatal(err)
	}
}

// An engine in a program: a table that grows, and a query over it that is kept up to
// date. A materialised view is read at a trigger boundary, whenever one likes.
func Example() {
	e, end := begin(engine.Options{})
	defer end()
	show(e, `CREATE SOURCE clicks (page STRING);
CREATE MATERIALIZED VIEW hits AS SELECT page, count(*) AS n FROM clicks GROUP BY page TRIGGER MANUAL;
INSERT INTO clicks VALUES ('home'), ('docs'), ('home');
RUN TRIGGER;
SELECT * FROM hits ORDER BY page;`)
	// Output:
	// docs 1
	// home 2
}

// A Go function becomes a function of SQL. NULL gives NULL without a call.
func ExampleEngine_RegisterFunction() {
	e, end := begin(engine.Options{})
	defer end()
	slug := engine.Function1("slug", "Makes a name for a URL of a title.", func(title string) (string, error) {
		return strings.ReplaceAll(strings.ToLower(title), " ", "-"), nil
	})
	if err := e.RegisterFunction(slug); err != nil {
		log.Fatal(err)
	}
	show(e, "SELECT slug('Late Records'), slug(NULL)")
	// Output: late-records NULL
}

// temperatures is a log of measurements: row i is always the same, so that a query which
// is started again reads what it read before.
type temperatures []float64

func (l temperatures) End(context.Context) (int64, error) { return int64(len(l)), nil }

func (l temperatures) Read(_ context.Context, from, to int64, emit func(row ...any) error) error {
	start := time.Date(2024, 1, 1, 9, 0, 0, 0, time.UTC)
	for i := from; i < to; i++ {
		if err := emit(start.Add(time.Duration(i)*time.Minute), l[i]); err != nil {
			return err
		}
	}
	return nil
}

func (temperatures) Close() error { return nil }

// A source of Go code whose rows have numbers. Others implement source.Source.
func ExampleEngine_RegisterSource() {
	e, end := begin(engine.Options{})
	defer end()
	err := e.RegisterSource(numbered.Connector(numbered.Log{
		Name: "thermometer", Doc: "Temperatures by the minute.",
		Options: []option.Spec{{Name: "room", Type: option.Text, Required: true, Doc: "Where it hangs."}},
		Columns: []types.Column{{Name: "at", Type: types.Of(types.Timestamp)}, {Name: "celsius", Type: types.Of(types.Float64)}},
		Open: func(_ context.Context, o option.Decoded) (numbered.Rows, error) {
			if room := o.Text("room"); room != "kitchen" {
				return nil, fmt.Errorf("there is no room %q", room)
			}
			return temperatures{20.5, 21, 21.5, 19}, nil
		},
	}))
	if err != nil {
		log.Fatal(err)
	}
	show(e, `CREATE SOURCE kitchen WITH (connector = 'thermometer', room = 'kitchen', max_rows_per_trigger = 3);
CREATE MATERIALIZED VIEW warmest AS SELECT max(celsius) AS celsius, count(*) AS rows FROM kitchen TRIGGER AVAILABLE NOW;
AWAIT QUERY warmest;
SELECT * FROM warmest;`)
	// Output: 21.5 4
}

// A sink of Go code: rows of a batch come together, and again with the same number after
// a crash. Others implement sink.Sink, and are exactly-once if they remember the batch.
func ExampleEngine_RegisterSink() {
	e, end := begin(engine.Options{})
	defer end()
	notify := foreach.ToBatches(func(_ context.Context, b *foreach.Batch) error {
		for r := range b.Rows() {
			fmt.Printf("batch %d: %s\n", b.ID, r)
		}
		return nil
	})
	notify.Name = "notify"
	if err := e.RegisterSink(notify); err != nil {
		log.Fatal(err)
	}
	show(e, `CREATE SOURCE clicks (page STRING);
CREATE SINK pager WITH (connector = 'notify');
INSERT INTO pager SELECT page FROM clicks WHERE page = 'down' TRIGGER MANUAL;
INSERT INTO clicks VALUES ('home'), ('down');
RUN TRIGGER;`)
	// Output: batch 0: down
}

// A listener hears of every query of an engine, from a goroutine of its own.
func ExampleEngine_Listen() {
	e, end := begin(engine.Options{})
	sub := e.Listen(engine.Funcs{
		Started:  func(q *engine.Query) { fmt.Println("started:", q.Name) },
		Progress: func(q *engine.Query, p *trigger.Progress) { fmt.Println("rows:", p.Rows.Input) },
		Terminated: func(q *engine.Query, err error) {
			fmt.Println("ended:", q.Name, err)
		},
	})
	show(e, `CREATE SOURCE clicks (page STRING);
CREATE MATERIALIZED VIEW hits AS SELECT count(*) AS n FROM clicks TRIGGER MANUAL;
INSERT INTO clicks VALUES ('home'), ('docs');
RUN TRIGGER;`)
	end()
	<-sub.Done()
	// Output:
	// started: hits
	// rows: 2
	// ended: hits <nil>
}

// A test decides what time it is, and when triggers run. The rows of a query can go to the
// test itself.
func Example_manualClock() {
	now := clock.NewFake(time.Date(2024, 1, 1, 12, 0, 0, 0, time.UTC))
	e, end := begin(engine.Options{Clock: now})
	defer end()
	show(e, `CREATE SOURCE clicks (page STRING);
CREATE MATERIALIZED VIEW seen AS SELECT page, now() AS at FROM clicks TRIGGER MANUAL;
INSERT INTO clicks VALUES ('home');
RUN TRIGGER;`)
	now.Advance(time.Hour)
	show(e, `INSERT INTO clicks VALUES ('docs');
RUN TRIGGER;
SELECT * FROM seen ORDER BY at;`)
	// Output:
	// home 2024-01-01 12:00:00
	// docs 2024-01-01 13:00:00
}
