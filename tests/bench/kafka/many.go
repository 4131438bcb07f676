package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/connect/kafka/kafkatest"
	"github.com/sqlstream/sqlstream/incremental/engine"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// many runs queries beside each other while rows are written.
func (s *settings) many(ctx context.Context, w *kafkatest.Writer) error {
	dir, err := os.MkdirTemp("", "kafka-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	e, err := engine.Open(engine.Options{Dir: dir})
	if err != nil {
		return err
	}
	defer e.Close()
	var job strings.Builder
	job.WriteString(s.source("latest"))
	for i := range s.queries {
		fmt.Fprintf(&job, `CREATE SINK counts%d WITH (connector = 'null');
INSERT INTO counts%d SELECT window.start AS start, page, count(*) AS n, sum(price) AS price FROM clicks WHERE price %% %d = 0
GROUP BY window(at, '10 seconds'), page TRIGGER EVERY '1 second' WITH (checkpoint = 'checkpoint%d');
`, i, i, i%7+1, i)
	}
	start := time.Now()
	if err := e.Exec(ctx, diag.Source{Name: "job", Text: job.String()}, func(*engine.Result) error { return nil }); err != nil {
		return err
	}
	fmt.Printf("%d queries started in %v\n", s.queries, time.Since(start).Round(time.Millisecond))
	start = time.Now()
	before := cpu()
	durations, err := s.watch(ctx, e, w)
	if err != nil {
		return err
	}
	took, used := time.Since(start), cpu()-before
	slices.Sort(durations)
	if len(durations) == 0 {
		return fmt.Errorf("no trigger ran")
	}
	at := func(p int) int64 { return durations[min(len(durations)-1, len(durations)*p/100)] }
	fmt.Printf("%d triggers with rows: p50 %d ms, p99 %d ms, longest %d ms; %.2f cores; most memory %d MB\n", len(durations), at(50), at(99), durations[len(durations)-1],
		used.Seconds()/took.Seconds(), peak()>>20)
	return nil
}

// watch writes at a steady pace, and gathers the durations of triggers in ms.
func (s *settings) watch(ctx context.Context, e *engine.Engine, w *kafkatest.Writer) ([]int64, error) {
	const step = 20 * time.Millisecond
	start, row := time.Now(), 0
	seen := make([]int64, s.queries)
	for i := range seen {
		seen[i] = -1
	}
	var out []int64
	for now := range time.Tick(step) {
		for due := int(now.Sub(start).Seconds() * float64(s.pace)); row < due; row++ {
			w.Write(ctx, value(row, now))
		}
		done := now.Sub(start) > s.duration
		if done || row%s.pace < s.pace/10 {
			for i := range s.queries {
				q := e.Query(fmt.Sprintf("counts%d", i))
				if err := q.Err(); err != nil {
					return nil, err
				}
				for _, p := range q.RecentProgress() {
					if p.BatchID > seen[i] && p.InputRows > 0 {
						out = append(out, p.BatchDuration)
					}
					seen[i] = max(seen[i], p.BatchID)
				}
			}
		}
		if done {
			break
		}
	}
	return out, nil
}

// peak is the most memory that the process had, in bytes.
func peak() int64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	var kb int64
	for line := range strings.Lines(string(text)) {
		fmt.Sscanf(line, "VmHWM: %d kB", &kb)
	}
	return kb << 10
}
