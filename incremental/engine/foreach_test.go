package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/sqlstream/sqlstream/exec/sink/foreach"
	"github.com/sqlstream/sqlstream/exec/sink/sinktest"
	"github.com/sqlstream/sqlstream/incremental/engine"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// failing is a writer that fails at a row of a batch until it is told to stop.
type failing struct {
	mu    *sync.Mutex
	calls map[string][]string
	fail  *bool
	name  string
}

func (f *failing) Open(_ context.Context, partition int, version int64) (bool, error) {
	f.name = fmt.Sprintf("%d/%d", partition, version)
	return true, nil
}

func (f *failing) Process(r foreach.Row) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls[f.name] = append(f.calls[f.name], r.String())
	return nil
}

func (f *failing) Close(err error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err == nil && *f.fail && strings.HasSuffix(f.name, "/1") {
		return errors.New("the disk is full")
	}
	return err
}

// A batch that a writer has refused comes again after a restart: (partition, version) with
// the same rows, although there is more to read by then and another number of partitions.
func TestForeachSeesTheSamePartitionsAgain(t *testing.T) {
	w := newWorld(t)
	w.must("CREATE SOURCE s (k STRING, v INT) WITH (connector = 'memory'); INSERT INTO s VALUES ('a', 1), ('b', 2), ('c', 3), ('d', 4)")
	var mu sync.Mutex
	fail, calls := true, map[string][]string{}
	start := func(partitions int) *engine.Query {
		to := foreach.To(partitions, func() foreach.Writer { return &failing{mu: &mu, calls: calls, fail: &fail} })
		q, err := w.Start(context.Background(), diag.Source{Text: "SELECT k, v, now() AS at FROM s"},
			engine.StartOptions{Name: "q", Mode: ast.EmitAppend, Manual: true, Checkpoint: "ck", To: &to})
		if err != nil {
			t.Fatal(err)
		}
		return q
	}
	q := start(3)
	if _, err := q.RunTrigger(context.Background()); err != nil {
		t.Fatal(err)
	}
	w.must("INSERT INTO s VALUES ('e', 5), ('f', 6), ('g', 7)")
	_, err := q.RunTrigger(context.Background())
	if text := sinktest.Has(err, ": partition ", "the disk is full"); text != "" {
		t.Fatal(text)
	}
	before := map[string][]string{}
	for name, rows := range calls {
		before[name] = slices.Clone(rows)
	}
	w.must("INSERT INTO s VALUES ('h', 8)")
	fail = false
	clear(calls)
	q = start(1)
	n := 0
	for name, rows := range calls { // the failure may have ended other partitions early
		if first := before[name]; len(first) > len(rows) || !slices.Equal(rows[:len(first)], first) {
			t.Errorf("%s: %v, and before %v", name, rows, first)
		}
		n += len(rows)
	}
	if n != 3 {
		t.Errorf("the refused batch came again with %d rows: %v", n, calls)
	}
	if err := q.Stop(); err != nil {
		t.Error(err)
	}
}
