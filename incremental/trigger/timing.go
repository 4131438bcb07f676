package trigger

import (
	"time"

	"github.com/sqlstream/sqlstream/exec/clock"
)

// timing measures the parts of a trigger, for durationMs.
type timing struct {
	clock clock.Clock
	start time.Time
	spans map[string]time.Duration
}

func startTiming(c clock.Clock) *timing {
	return &timing{clock: c, start: c.Now(), spans: map[string]time.Duration{}}
}

// span starts a part; the returned function ends it.
func (t *timing) span(name string) func() {
	from := t.clock.Now()
	return func() { t.spans[name] += t.clock.Now().Sub(from) }
}

// finish returns the whole time.
func (t *timing) finish() time.Duration {
	total := t.clock.Now().Sub(t.start)
	t.spans["triggerExecution"] = total
	return total
}

// ms gives the parts in whole milliseconds.
func (t *timing) ms() map[string]int64 {
	out := make(map[string]int64, len(t.spans))
	for name, d := range t.spans {
		out[name] = d.Milliseconds()
	}
	return out
}
