package metrics

import (
	"maps"
	"slices"

	"github.com/sqlstream/sqlstream/incremental/engine"
	"github.com/sqlstream/sqlstream/incremental/trigger"
)

// Collect implements Source. What is known of queries that the engine has forgotten is
// dropped.
func (c *Queries) Collect(e *Emitter) {
	queries := c.current()
	counts := map[engine.Status]float64{}
	for _, s := range engine.Statuses() {
		counts[s] = 0
	}
	for _, q := range queries {
		counts[q.Status()]++
	}
	for _, s := range engine.Statuses() {
		e.Value("sqlstream_queries", counts[s], string(s))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	known := map[string]*tally{}
	for i, q := range queries {
		if t := c.byName[q.Name]; t != nil {
			known[q.Name] = t
		}
		if i < mostQueries {
			c.query(e, q)
		}
	}
	c.byName = known
	e.Value("sqlstream_query_omitted", float64(max(len(queries)-mostQueries, 0)))
}

// current lists the latest query of each name.
func (c *Queries) current() (out []*engine.Query) {
	at := map[string]int{}
	for _, q := range c.engine.Queries() {
		if i, ok := at[q.Name]; ok {
			out[i] = q
			continue
		}
		at[q.Name] = len(out)
		out = append(out, q)
	}
	return out
}

// query gives the metrics of one query. The lock is held.
func (c *Queries) query(e *Emitter, q *engine.Query) {
	name := q.Name
	e.Value("sqlstream_query_info", 1, name, q.ID, q.RunID())
	for _, s := range engine.Statuses() {
		e.Value("sqlstream_query_status", one(q.Status() == s), name, string(s))
	}
	e.Value("sqlstream_query_start_time_seconds", seconds(q.Started), name)
	t := c.of(name)
	e.Value("sqlstream_query_restarts_total", max(t.starts-1, 0), name)
	e.Value("sqlstream_query_failures_total", t.failures, name)
	t.collectRows(e, name)
	e.Value("sqlstream_batches_total", t.batches, name)
	e.Histogram("sqlstream_trigger_duration_seconds", t.duration, name)
	for _, phase := range slices.Sorted(maps.Keys(t.phases)) {
		e.Histogram("sqlstream_trigger_phase_duration_seconds", t.phases[phase], name, phase)
	}
	for k, n := range t.operators {
		e.Value("sqlstream_state_updated_rows_total", n.updated, name, k[0], k[1])
		e.Value("sqlstream_state_removed_rows_total", n.removed, name, k[0], k[1])
		e.Value("sqlstream_operator_late_rows_total", n.late, name, k[0], k[1])
	}
	for sink, n := range t.sinks {
		e.Value("sqlstream_sink_rows_total", n.rows, name, sink)
		e.Histogram("sqlstream_sink_publish_duration_seconds", n.publish, name, sink)
	}
	for source, n := range t.sources {
		e.Value("sqlstream_source_rows_total", n, name, source)
	}
	if t.last != nil {
		c.lastTrigger(e, q, t)
	}
}

func (t *tally) collectRows(e *Emitter, name string) {
	e.Value("sqlstream_input_rows_total", float64(t.rows.Input), name)
	for _, f := range []struct {
		fate string
		n    int64
	}{{"contributed", t.rows.Contributed}, {"filtered", t.rows.Filtered}, {"late", t.rows.Late}, {"bad", t.rows.Bad}} {
		e.Value("sqlstream_rows_total", float64(f.n), name, f.fate)
	}
	e.Value("sqlstream_partial_rows_total", float64(t.rows.Partial), name)
	e.Value("sqlstream_evaluation_errors_total", float64(t.rows.Errors), name)
}

// lastTrigger gives what the last progress record says of now.
func (c *Queries) lastTrigger(e *Emitter, q *engine.Query, t *tally) {
	name, p := q.Name, t.last
	e.Value("sqlstream_last_batch_id", float64(p.BatchID), name)
	e.Value("sqlstream_last_trigger_timestamp_seconds", instant(p.Timestamp), name)
	if p.Watermark != nil {
		at := float64(*p.Watermark) / 1e6
		e.Value("sqlstream_watermark_timestamp_seconds", at, name)
		e.Value("sqlstream_watermark_lag_seconds", seconds(c.clock.Now())-at, name)
	}
	if t.max != 0 {
		e.Value("sqlstream_event_time_timestamp_seconds", t.min, name, "min")
		e.Value("sqlstream_event_time_timestamp_seconds", t.max, name, "max")
		if t.average != 0 {
			e.Value("sqlstream_event_time_timestamp_seconds", t.average, name, "avg")
		}
	}
	if p.CheckpointBytes > 0 {
		e.Value("sqlstream_checkpoint_size_bytes", float64(p.CheckpointBytes), name)
	}
	for _, s := range p.Sources {
		collectSource(e, name, s)
	}
	for _, o := range p.Operators {
		e.Value("sqlstream_state_rows", float64(o.Total), name, o.Operator, o.ID)
		e.Value("sqlstream_state_bytes", float64(o.Memory), name, o.Operator, o.ID)
	}
	for i, s := range sinksOf(p) {
		e.Value("sqlstream_sink_ignored_deletes", float64(s.Ignored), name, sinkName(q, i))
	}
}

func collectSource(e *Emitter, query string, s trigger.SourceProgress) {
	if s.Watermark != "" {
		e.Value("sqlstream_source_watermark_timestamp_seconds", instant(s.Watermark), query, s.Name)
		e.Value("sqlstream_source_idle", one(s.Idle), query, s.Name)
	}
	e.Value("sqlstream_source_ignored_files", float64(s.Ignored), query, s.Name)
	lost := int64(0)
	for _, l := range s.Losses {
		lost += max(l.To-l.From, 0)
	}
	e.Value("sqlstream_source_gaps", float64(len(s.Losses)), query, s.Name)
	e.Value("sqlstream_source_lost_rows", float64(lost), query, s.Name)
	if s.Backlog != nil {
		e.Value("sqlstream_source_backlog_rows", float64(*s.Backlog), query, s.Name)
	}
}

func one(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}
