package engine_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/sqlstream/sqlstream/exec/builtin"
	"github.com/sqlstream/sqlstream/exec/sink/foreach"
	"github.com/sqlstream/sqlstream/incremental/engine"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// printer is a foreach.Writer that prints what it is told.
type printer struct{}

func (printer) Open(_ context.Context, partition int, version int64) (bool, error) {
	fmt.Printf("open partition %d of batch %d\n", partition, version)
	return true, nil // false would leave the rows out: they are done
}

func (printer) Process(r foreach.Row) error {
	var word string
	var n int64
	if err := r.Scan(&word, &n); err != nil {
		return err
	}
	fmt.Println(word, n)
	return nil
}

func (printer) Close(err error) error {
	fmt.Println("close:", err)
	return nil
}

// run executes statements and waits for the queries that they start.
func run(e *engine.Engine, sql string) {
	err := e.Exec(context.Background(), diag.Source{Text: sql}, func(r *engine.Result) error {
		if r.Query == nil {
			return nil
		}
		return r.Query.Await(context.Background())
	})
	if err != nil {
		log.Fatal(err)
	}
}

// A program registers Go code under a name, and a statement uses it as a sink.
func Example_foreach() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	reg, err := builtin.New("example")
	if err != nil {
		log.Fatal(err)
	}
	if err := reg.Writers.Add("printer", func() foreach.Writer { return printer{} }); err != nil {
		log.Fatal(err)
	}
	e, err := engine.Open(engine.Options{Builtin: reg, Dir: dir})
	if err != nil {
		log.Fatal(err)
	}
	defer e.Close()
	run(e, `CREATE SOURCE words (word STRING) WITH (connector = 'memory');
		INSERT INTO words VALUES ('go'), ('sql'), ('go');
		CREATE SINK out WITH (connector = 'foreach', writer = 'printer');
		INSERT INTO out SELECT word, count(*) AS n FROM words GROUP BY word EMIT UPDATE TRIGGER AVAILABLE NOW`)
	// Output:
	// open partition 0 of batch 0
	// go 2
	// sql 1
	// close: <nil>
}

// A query that a program starts hands each of its batches to a function.
func ExampleEngine_Start_foreachBatch() {
	e, err := engine.Open(engine.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer e.Close()
	run(e, `CREATE SOURCE words (word STRING) WITH (connector = 'memory'); INSERT INTO words VALUES ('go'), ('sql')`)
	to := foreach.ToBatches(func(_ context.Context, b *foreach.Batch) error {
		for r := range b.Rows() {
			word, _ := r.Get("word")
			fmt.Println(b.ID, word)
		}
		return nil
	})
	q, err := e.Start(context.Background(), diag.Source{Text: "SELECT word FROM words EMIT APPEND TRIGGER AVAILABLE NOW"}, engine.StartOptions{To: &to})
	if err != nil {
		log.Fatal(err)
	}
	if err := q.Await(context.Background()); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 0 go
	// 0 sql
}
