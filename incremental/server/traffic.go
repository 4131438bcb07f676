package server

import (
	"sync"
	"time"

	"strconv"

	"github.com/sqlstream/sqlstream/incremental/server/metrics"
)

// traffic counts requests. Its labels are names of routes and status codes, never what a
// client wrote.
type traffic struct {
	mu       sync.Mutex
	answered map[[2]string]float64 // by route and code
	took     map[string]*metrics.Histogram
	refused  map[string]float64
	inFlight float64
}

func newTraffic() *traffic {
	return &traffic{answered: map[[2]string]float64{}, took: map[string]*metrics.Histogram{}, refused: map[string]float64{}}
}

func (t *traffic) enter() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.inFlight++
}

func (t *traffic) leave(route string, code int, d time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.inFlight--
	t.answered[[2]string{route, strconv.Itoa(code)}]++
	h := t.took[route]
	if h == nil {
		h = metrics.NewHistogram([]float64{.001, .005, .02, .1, .5, 2, 10, 60})
		t.took[route] = h
	}
	h.Observe(d.Seconds())
}

func (t *traffic) refuse(reason string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.refused[reason]++
}

// Collect implements metrics.Source.
func (t *traffic) Collect(e *metrics.Emitter) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for k, n := range t.answered {
		e.Value("sqlstream_http_requests_total", n, k[0], k[1])
	}
	for route, h := range t.took {
		e.Histogram("sqlstream_http_request_duration_seconds", h, route)
	}
	for reason, n := range t.refused {
		e.Value("sqlstream_http_refused_total", n, reason)
	}
	e.Value("sqlstream_http_requests_in_flight", t.inFlight)
}
