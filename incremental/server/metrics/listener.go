package metrics

// Listener tells what a listener was too slow for.
type Listener struct {
	Name    string
	Dropped func() int64
}

// Collect implements Source.
func (l Listener) Collect(e *Emitter) {
	e.Value("sqlstream_listener_dropped_events_total", float64(l.Dropped()), l.Name)
}
