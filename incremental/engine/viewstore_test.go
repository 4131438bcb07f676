package engine_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/incremental/engine"
)

// rowsOf are rows (key, value) of the source plain.
func rowsOf(keys []string, value int64) *vec.Batch {
	vals := make([]int64, len(keys))
	for i := range vals {
		vals[i] = value
	}
	return vec.NewBatch(vec.FromStrings(keys), vec.FromInts(types.Of(types.Int32), vals))
}

// wholeTriggers runs triggers that each change every key of a view while readers look at
// it, and returns what a reader saw that was not a whole trigger.
func wholeTriggers(t *testing.T, triggers int) string {
	w := newWorld(t)
	w.must(objects + "CREATE MATERIALIZED VIEW v AS SELECT k, count(*) AS n, sum(v) AS s FROM plain GROUP BY k TRIGGER MANUAL")
	var keys []string
	for i := range 3000 {
		keys = append(keys, fmt.Sprintf("key%d", i))
	}
	add := func() {
		if err := w.Append("plain", rowsOf(keys, 1)); err != nil {
			t.Fatal(err)
		}
		w.must("RUN TRIGGER FOR v")
	}
	add()
	w.must("SELECT k FROM v WHERE k = 'key1'") // from now on the rows are held
	var stop atomic.Bool
	var bad atomic.Pointer[string]
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			last := ""
			for !stop.Load() {
				got := strings.Join(w.must("SELECT count(*), min(n), max(n), min(s), max(s) FROM v"), "")
				x := strings.Fields(got)
				if x[0] != "3000" || x[1] != x[2] || x[1] != x[3] || x[3] != x[4] || len(x[1]) == len(last) && x[1] < last {
					bad.Store(&got)
				}
				last = x[1]
				one := strings.Fields(strings.Join(w.must("SELECT n, s FROM v WHERE k = 'key2999'"), ""))
				if len(one) != 2 || one[0] != one[1] {
					bad.Store(&got)
				}
			}
		})
	}
	for range triggers {
		add()
	}
	stop.Store(true)
	wg.Wait()
	w.gives("SELECT n, s FROM v WHERE k = 'key17'", fmt.Sprintf("%d %d", triggers+1, triggers+1))
	if p := bad.Load(); p != nil {
		return *p
	}
	return ""
}

// Readers see only whole triggers, one after the other.
func TestViewIsReadAtTriggerBoundaries(t *testing.T) {
	if got := wholeTriggers(t, 30); got != "" {
		t.Errorf("a reader saw %s", got)
	}
}

// Whatever changes, a view that is held for readers is what the query keeps: the rows of
// random histories, by key and all.
func TestViewIsTheResult(t *testing.T) {
	w := newWorld(t)
	w.must(`CREATE SOURCE c (k STRING, v INT) WITH (connector = 'memory', changelog = true);
		CREATE MATERIALIZED VIEW sums AS SELECT k, sum(v) AS s, count(*) AS n FROM c GROUP BY k TRIGGER MANUAL;
		CREATE MATERIALIZED VIEW bag AS SELECT v, k FROM c TRIGGER MANUAL; SELECT * FROM sums; SELECT * FROM bag`)
	r := rand.New(rand.NewPCG(1, 2))
	live := map[[2]any]int{}
	for range 40 {
		var keys []string
		var vals, weights []int64
		for range r.IntN(60) {
			row := [2]any{fmt.Sprint("k", r.IntN(12)), int64(r.IntN(4))}
			d := int64(1)
			if live[row] > 0 && r.IntN(2) == 0 {
				d = -1
			}
			live[row] += int(d)
			keys, vals, weights = append(keys, row[0].(string)), append(vals, row[1].(int64)), append(weights, d)
		}
		b := vec.NewBatch(vec.FromStrings(keys), vec.FromInts(types.Of(types.Int32), vals))
		b.W = weights
		if len(keys) > 0 {
			if err := w.Append("c", b); err != nil {
				t.Fatal(err)
			}
		}
		w.must("RUN TRIGGER")
		sum, n := map[string]int64{}, map[string]int{}
		var bag []string
		for row, count := range live {
			sum[row[0].(string)] += row[1].(int64) * int64(count)
			n[row[0].(string)] += count
			for range count {
				bag = append(bag, fmt.Sprint(row[1], " ", row[0]))
			}
		}
		var sums []string
		for k, c := range n {
			if c > 0 {
				sums = append(sums, fmt.Sprint(k, " ", sum[k], " ", c))
			}
		}
		slices.Sort(sums)
		slices.Sort(bag)
		got := w.must("SELECT * FROM bag")
		slices.Sort(got)
		if !slices.Equal(got, bag) {
			t.Fatalf("bag is %v, want %v", got, bag)
		}
		w.gives("SELECT * FROM sums ORDER BY k", sums...)
		k := fmt.Sprint("k", r.IntN(12))
		var one []string
		if n[k] > 0 {
			one = []string{fmt.Sprint(sum[k], " ", n[k])}
		}
		w.gives("SELECT s, n FROM sums WHERE k = '"+k+"'", one...)
		w.gives("SELECT s, n FROM sums WHERE k = '"+k+"' AND n > 0", one...)
		w.gives("SELECT s, n FROM sums WHERE k = '" + k + "' AND k = 'other'")
	}
}

// BenchmarkKeyedSelect measures a SELECT by key on a view of 100,000 keys while triggers
// change 2,000 of them, one after the other: the percentiles of its time in µs.
func BenchmarkKeyedSelect(b *testing.B) {
	w := newWorld(b, func(o *engine.Options) { o.Clock = clock.Real() })
	w.must(objects + "CREATE MATERIALIZED VIEW v AS SELECT k, count(*) AS n FROM plain GROUP BY k TRIGGER MANUAL")
	keys := make([]string, 100_000)
	for i := range keys {
		keys[i] = fmt.Sprintf("key%d", i)
	}
	feed := func(keys []string) {
		if err := w.Append("plain", rowsOf(keys, 1)); err != nil {
			b.Error(err)
		}
		if _, err := w.query("v").RunTrigger(context.Background()); err != nil {
			b.Error(err)
		}
	}
	feed(keys)
	w.must("SELECT n FROM v WHERE k = 'key1'")
	var stop atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		for at := 0; !stop.Load(); at = (at + 2000) % len(keys) {
			feed(keys[at : at+2000])
		}
	})
	clk := clock.Real()
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		from := clk.Now()
		w.must(fmt.Sprintf("SELECT n FROM v WHERE k = 'key%d'", i*7919%len(keys)))
		took = append(took, clk.Now().Sub(from))
	}
	stop.Store(true)
	wg.Wait()
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
}
