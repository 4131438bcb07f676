package rate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/source/rate"
)

func openBatches(t *testing.T, c source.Config) source.Source {
	t.Helper()
	s, err := rate.MicroBatch().Open(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// As Spark's tests of the source say: 10 rows a batch, the time of the first 1000 s.
func TestMicroBatches(t *testing.T) {
	c := config(clock.NewFake(start), "rows_per_batch", "2", "start_timestamp", "1000000", "advance_ms_per_batch", "50")
	s := openBatches(t, c)
	r1, got := plan(t, s, source.Limits{Rows: 1}, nil)
	want(t, got, "0:0 0:1")
	want(t, string(r1.Offset), `{"offset":2,"timestamp":1000050}`)
	r2, got := plan(t, s, source.Limits{}, nil)
	want(t, got, "0.05:2 0.05:3")
	snap, err := s.Snapshot(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	_, got = plan(t, s, source.Limits{}, snap)
	want(t, got, "0.1:4 0.1:5")
	_, got = plan(t, s, source.Limits{}, snap)
	want(t, got, "-")

	s = openBatches(t, c) // another process
	if err := s.Restore(r2); err != nil {
		t.Fatal(err)
	}
	want(t, read(t, s, r2, 0, 1), "0.05:2 0.05:3")
	_, got = plan(t, s, source.Limits{}, nil)
	want(t, got, "0.1:4 0.1:5")

	other := openBatches(t, config(clock.NewFake(start), "rows_per_batch", "3"))
	if err := other.Restore(r2); err == nil || !strings.Contains(err.Error(), "cannot be changed") {
		t.Errorf("an offset of other options was taken: %v", err)
	}
}

func TestMicroBatchesEnd(t *testing.T) {
	c := config(clock.NewFake(start), "rows_per_batch", "5000", "num_batches", "1", "num_partitions", "3")
	c.Finite = true
	s := openBatches(t, c)
	r, _, err := s.Plan(context.Background(), source.Limits{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if splits, err := s.Splits(context.Background(), r); err != nil || len(splits) != 3 {
		t.Errorf("%d splits, %v", len(splits), err)
	}
	if rows := strings.Fields(read(t, s, r, 1)); len(rows) != 5000 || rows[4999] != "4999" || !s.Finished() {
		t.Errorf("%d rows", len(rows))
	}
	c = config(clock.NewFake(start), "rows_per_batch", "1")
	c.Finite = true
	if _, err := rate.MicroBatch().Open(context.Background(), c); err == nil {
		t.Error("an endless source was read as a table")
	}
}

// The ramp is Spark's: 4 seconds to 10 rows a second have 2, 4, 6 and 8 rows.
func TestRampUp(t *testing.T) {
	clk := clock.NewFake(start)
	s := open(t, config(clk, "rows_per_second", "10", "ramp_up_time", "4 seconds", "num_partitions", "2"))
	_, got := plan(t, s, source.Limits{}, nil)
	want(t, got, "0:0")
	clk.Set(start.Add(time.Second - 1000))
	_, got = plan(t, s, source.Limits{}, nil)
	want(t, got, "0.5:1")
	var ends []string
	for sec := 1; sec <= 6; sec++ {
		clk.Set(start.Add(time.Duration(sec)*time.Second - 1000))
		r, _, _ := s.Plan(context.Background(), source.Limits{}, nil)
		ends = append(ends, strings.TrimSuffix(strings.TrimPrefix(string(r.Offset), `{"rows":`), `,"start_us":1000000000}`))
	}
	want(t, strings.Join(ends, " "), " 6 12 20 30 40")
	r := source.Range{Entries: plannedRows(0, 24)}
	want(t, read(t, s, r, 0), "0 0.5 1 1.25 1.5 1.75 2 2.166666 2.333333 2.5 2.666666 2.833333 "+
		"3 3.125 3.25 3.375 3.5 3.625 3.75 3.875 4 4.1 4.2 4.3")
	want(t, read(t, s, source.Range{Entries: plannedRows(19, 22)}, 0), "3.875 4 4.1")
}

func plannedRows(from, to int) []json.RawMessage {
	return []json.RawMessage{json.RawMessage(fmt.Sprintf(`{"from":%d,"to":%d,"start_us":1000000000}`, from, to))}
}
