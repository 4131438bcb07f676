// Command kafka measures reading from a broker. It fills a topic with JSON values, then
//
//   - one: a windowed count over all of it, rows by second and by CPU second;
//   - many: so many queries, each a windowed count over the topic, with TRIGGER EVERY 1
//     second, while rows are written at a steady pace: duration of triggers and memory.
//
// The broker is that of KAFKA_BROKERS.
//
//	go run ./tests/bench/kafka -mode one [-rows 2000000] [-partitions 4] [-codec lz4] [-profile FILE] [-topic NAME]
//	go run ./tests/bench/kafka -mode many [-queries 200] [-pace 2000] [-for 5m]
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime/pprof"
	"syscall"
	"time"

	"github.com/sqlstream/sqlstream/exec/connect/kafka/kafkatest"
	"github.com/sqlstream/sqlstream/incremental/engine"
	"github.com/sqlstream/sqlstream/parser/diag"
)

type settings struct {
	brokers, topic, codec, mode, profile string
	rows, partitions, queries, pace      int
	duration                             time.Duration
	keep                                 bool
}

func main() {
	s := settings{brokers: os.Getenv("KAFKA_BROKERS")}
	flag.StringVar(&s.mode, "mode", "one", "one or many")
	flag.StringVar(&s.topic, "topic", "", "a topic that is there, with as many rows as are wanted; by default one is made")
	flag.StringVar(&s.codec, "codec", "lz4", "compression of what is written")
	flag.StringVar(&s.profile, "profile", "", "file for a CPU profile")
	flag.IntVar(&s.rows, "rows", 2_000_000, "rows, for one")
	flag.IntVar(&s.partitions, "partitions", 4, "partitions of the topic")
	flag.IntVar(&s.queries, "queries", 200, "queries, for many")
	flag.IntVar(&s.pace, "pace", 2000, "rows a second, for many")
	flag.DurationVar(&s.duration, "for", 5*time.Minute, "how long, for many")
	flag.BoolVar(&s.keep, "keep", false, "leave the topic there")
	flag.Parse()
	if err := s.run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "kafka:", err)
		os.Exit(1)
	}
}

func (s *settings) run(ctx context.Context) error {
	if s.brokers == "" {
		return fmt.Errorf("KAFKA_BROKERS names no broker")
	}
	made := s.topic == ""
	if made {
		s.topic = fmt.Sprintf("bench-%s-%d", s.mode, time.Now().UnixNano())
	}
	w, err := kafkatest.NewWriter(ctx, s.brokers, s.topic, int32(s.partitions), s.codec)
	if err != nil {
		return err
	}
	defer w.Close()
	if made && !s.keep {
		defer w.Delete(ctx)
	}
	if s.mode == "many" {
		return s.many(ctx, w)
	}
	if made {
		if err := s.fill(ctx, w); err != nil {
			return err
		}
	}
	fmt.Println("topic", s.topic)
	return s.one(ctx)
}

// value is row i: a page that a user looked at, 100 rows a second.
func value(i int, at time.Time) []byte {
	return fmt.Appendf(nil, `{"user_id":"user-%d","page":"/shop/item/%d","price":%d,"at":"%s","agent":"Mozilla/5.0 (X11; Linux x86_64)"}`,
		i%1000, i%977, i%10000, at.UTC().Format("2006-01-02T15:04:05.000Z"))
}

func (s *settings) fill(ctx context.Context, w *kafkatest.Writer) error {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range s.rows {
		w.Write(ctx, value(i, start.Add(time.Duration(i)*10*time.Millisecond)))
	}
	return w.Flush(ctx)
}

// source declares the topic.
func (s *settings) source(from string) string {
	return fmt.Sprintf(`CREATE SOURCE clicks (user_id STRING, page STRING, price BIGINT, at TIMESTAMP, WATERMARK FOR at AS at - INTERVAL '10' SECOND)
  WITH (connector = 'kafka', brokers = '%s', topic = '%s', format = 'json', starting_offsets = '%s');
`, s.brokers, s.topic, from)
}

// one runs the query over all that is in the topic.
func (s *settings) one(ctx context.Context) error {
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
	if s.profile != "" {
		f, err := os.Create(s.profile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	job := s.source("earliest") + `CREATE SINK counts WITH (connector = 'null');
INSERT INTO counts SELECT window.start AS start, count(*) AS n FROM clicks GROUP BY window(at, '1 minute')
TRIGGER AVAILABLE NOW WITH (checkpoint = 'checkpoint');
AWAIT ALL;
`
	before, start := cpu(), time.Now()
	if err := e.Exec(ctx, diag.Source{Name: "job", Text: job}, func(*engine.Result) error { return nil }); err != nil {
		return err
	}
	took, used := time.Since(start), cpu()-before
	rows := int64(0)
	for _, p := range e.Query("counts").RecentProgress() {
		rows += p.InputRows
	}
	fmt.Printf("%d rows in %v, %v of CPU: %.0f rows/s, %.0f rows a CPU second\n", rows, took.Round(time.Millisecond), used.Round(time.Millisecond),
		float64(rows)/took.Seconds(), float64(rows)/used.Seconds())
	return nil
}

// cpu is the time that this process has used.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
