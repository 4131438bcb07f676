// Package metrics owns the numbers that a running program tells of itself: one table of
// what there is (defs.go), the counters of queries (queries.go), and the forms in which
// they leave: the text that Prometheus scrapes (text.go), StatsD and OTLP (push.go,
// statsd.go, otlp.go). It knows queries through the engine, and nothing of HTTP routes.
// Open this file first.
package metrics

import (
	"fmt"
	"slices"
	"sync"
)

// Kind is how a number behaves.
type Kind string

// The kinds, in the words of Prometheus.
const (
	Counter       Kind = "counter" // only grows
	Gauge         Kind = "gauge"
	HistogramKind Kind = "histogram"
)

// Def describes a metric.
type Def struct {
	Name   string // by the conventions of Prometheus: unit last, _total for counters
	Kind   Kind
	Labels []string
	Help   string // a sentence; the reference is generated from it
}

// Sample is a value of a metric. Of Value and Histogram, the kind says which counts.
type Sample struct {
	Labels    []string // values, in the order of Def.Labels
	Value     float64
	Histogram *Histogram
}

// Family is a metric with its values.
type Family struct {
	Def
	Samples []Sample
}

// Source gives values when they are asked for. It must not block.
type Source interface {
	Collect(e *Emitter)
}

// Registry brings the values of its sources together. It is safe for concurrent use.
type Registry struct {
	mu      sync.Mutex
	sources []Source
}

// NewRegistry returns a registry of these sources.
func NewRegistry(sources ...Source) *Registry { return &Registry{sources: sources} }

// Add adds a source.
func (r *Registry) Add(s Source) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sources = append(r.sources, s)
}

// Gather asks every source. Metrics come in the order of Defs; those without a value are
// left out.
func (r *Registry) Gather() []Family {
	r.mu.Lock()
	sources := slices.Clone(r.sources)
	r.mu.Unlock()
	e := newEmitter()
	for _, s := range sources {
		s.Collect(e)
	}
	return slices.DeleteFunc(e.families, func(f Family) bool { return len(f.Samples) == 0 })
}

// Emitter takes the values of one gathering.
type Emitter struct {
	families []Family
	at       map[string]int
}

func newEmitter() *Emitter {
	e := &Emitter{at: map[string]int{}}
	for i, d := range Defs() {
		e.families = append(e.families, Family{Def: d})
		e.at[d.Name] = i
	}
	return e
}

// Value gives a value. A name that Defs does not have, or a wrong number of labels, is a
// bug, and panics.
func (e *Emitter) Value(name string, v float64, labels ...string) {
	e.add(name, Sample{Labels: labels, Value: v})
}

// Histogram gives a histogram, which is copied.
func (e *Emitter) Histogram(name string, h *Histogram, labels ...string) {
	e.add(name, Sample{Labels: labels, Histogram: h.clone()})
}

func (e *Emitter) add(name string, s Sample) {
	i, ok := e.at[name]
	if !ok || len(e.families[i].Labels) != len(s.Labels) {
		panic(fmt.Sprintf("metrics: %s with %d labels is not in the table", name, len(s.Labels)))
	}
	e.families[i].Samples = append(e.families[i].Samples, s)
}

// Histogram counts observations by size.
type Histogram struct {
	Bounds []float64 // upper bounds, ascending; shared
	Counts []uint64  // by bound, and those above the last
	Sum    float64
}

// NewHistogram returns an empty histogram.
func NewHistogram(bounds []float64) *Histogram {
	return &Histogram{Bounds: bounds, Counts: make([]uint64, len(bounds)+1)}
}

// Observe counts a value.
func (h *Histogram) Observe(v float64) {
	i, _ := slices.BinarySearch(h.Bounds, v)
	h.Counts[i]++
	h.Sum += v
}

// Count is the number of observations.
func (h *Histogram) Count() (n uint64) {
	for _, c := range h.Counts {
		n += c
	}
	return n
}

func (h *Histogram) clone() *Histogram {
	return &Histogram{Bounds: h.Bounds, Counts: slices.Clone(h.Counts), Sum: h.Sum}
}
