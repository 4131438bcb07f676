package file_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// many is a source over n files that were all taken.
func many(b *testing.B, n int) (*land, source.Source) {
	l := newLand(b)
	for i := range n {
		l.put(fmt.Sprintf("in/%05d.txt", i), "x", 1)
	}
	l.age("in")
	l.clock = clock.NewFake(at(100))
	s := l.mustOpen()
	if _, _, err := s.Plan(context.Background(), none, nil); err != nil {
		b.Fatal(err)
	}
	return l, s
}

// BenchmarkIdleTrigger is a trigger that finds nothing beside 10,000 files.
func BenchmarkIdleTrigger(b *testing.B) {
	_, s := many(b, 10_000)
	for b.Loop() {
		if _, ok, err := s.Plan(context.Background(), none, nil); ok || err != nil {
			b.Fatal(ok, err)
		}
	}
}

// BenchmarkNewFile is a trigger that finds and reads one new file beside 10,000 others.
func BenchmarkNewFile(b *testing.B) {
	l, s := many(b, 10_000)
	for i := 0; b.Loop(); i++ {
		b.StopTimer()
		l.put(fmt.Sprintf("in/new%d.txt", i), "x", 2)
		b.StartTimer()
		r, ok, err := s.Plan(context.Background(), none, nil)
		if !ok || err != nil {
			b.Fatal(ok, err)
		}
		splits, err := s.Splits(context.Background(), r)
		if err != nil {
			b.Fatal(err)
		}
		if err := splits[0].Read(context.Background(), source.Reading{Need: []int{0}}, func(*vec.Batch) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}
