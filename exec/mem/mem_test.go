package mem

import (
	"errors"
	"strings"
	"sync"
	"testing"
)

func TestAccountant(t *testing.T) {
	a := New(100)
	agg, join := a.Reserve("HashAgg #1"), a.Reserve("Join #2")
	agg.Set(60)
	if err := join.Grow(40); err != nil {
		t.Fatal(err)
	}
	err := join.Grow(1)
	var limit *LimitError
	if !errors.As(err, &limit) || limit.Held != 40 || limit.Total != 100 || !strings.Contains(err.Error(), "Join #2") {
		t.Fatalf("error %v", err)
	}
	if a.Current() != 100 || a.Peak() != 100 || a.Over() != 0 {
		t.Fatalf("current %d, peak %d, over %d", a.Current(), a.Peak(), a.Over())
	}
	agg.Set(90)
	if a.Over() != 30 {
		t.Fatalf("over %d", a.Over())
	}
	agg.Set(10)
	want := []Usage{{"HashAgg #1", 10, 90}, {"Join #2", 40, 40}}
	for i, u := range a.Usage() {
		if u != want[i] {
			t.Fatalf("usage %v, want %v", a.Usage(), want)
		}
	}
	agg.Close()
	if a.Current() != 40 || a.Peak() != 130 || len(a.Usage()) != 1 {
		t.Fatalf("after close: current %d, peak %d", a.Current(), a.Peak())
	}
}

func TestNoLimit(t *testing.T) {
	a := New(0)
	if err := a.Reserve("x").Grow(1 << 50); err != nil || a.Over() != 0 {
		t.Fatal(err)
	}
}

func TestManyHolders(t *testing.T) {
	a := New(0)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			r := a.Reserve("worker")
			for i := range int64(1000) {
				r.Set(i)
			}
			r.Close()
		})
	}
	wg.Wait()
	if a.Current() != 0 || a.Peak() < 999 || len(a.Usage()) != 0 {
		t.Fatalf("current %d, peak %d", a.Current(), a.Peak())
	}
}
