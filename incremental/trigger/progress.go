package trigger

import (
	"encoding/json"
	"time"

	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/incremental/build"
	"github.com/sqlstream/sqlstream/incremental/stateful"
)

// Progress describes one trigger, in the names of Spark's StreamingQueryProgress. It
// is what --progress json prints, one object a line.
type Progress struct {
	ID            string           `json:"id"`
	RunID         string           `json:"runId"`
	Name          *string          `json:"name"`
	Timestamp     string           `json:"timestamp"`
	BatchID       int64            `json:"batchId"`
	BatchDuration int64            `json:"batchDuration"` // ms
	InputRows     int64            `json:"numInputRows"`
	InputRate     float64          `json:"inputRowsPerSecond"`
	ProcessedRate float64          `json:"processedRowsPerSecond"`
	DurationMs    map[string]int64 `json:"durationMs"`
	EventTime     *EventTime       `json:"eventTime,omitempty"`
	Operators     []OperatorState  `json:"stateOperators"`
	Sources       []SourceProgress `json:"sources"`
	Sink          SinkProgress     `json:"sink"`
	Sinks         []SinkProgress   `json:"sinks,omitempty"` // of a statement set
	Rows          Rows             `json:"rows"`
	// CheckpointBytes is the size of the state in the checkpoint: its log and its runs.
	CheckpointBytes int64 `json:"checkpointBytes,omitempty"`
	// Durations is DurationMs, exactly.
	Durations map[string]time.Duration `json:"-"`
	// Watermark is the event time reached, µs; nil before the first row.
	Watermark *int64 `json:"-"`
}

// EventTime has the event times of a trigger's rows and the watermark after it. There is no
// Avg where the times were known from the statistics of a file and not read.
type EventTime struct {
	Max       string `json:"max,omitempty"`
	Min       string `json:"min,omitempty"`
	Avg       string `json:"avg,omitempty"`
	Watermark string `json:"watermark,omitempty"`
}

// OperatorState describes a stateful operator after a trigger.
type OperatorState struct {
	Operator string `json:"operatorName"`
	ID       string `json:"operatorId"`
	Total    int64  `json:"numRowsTotal"`
	Updated  int64  `json:"numRowsUpdated"`
	Removed  int64  `json:"numRowsRemoved"`
	Late     int64  `json:"numRowsDroppedByWatermark"`
	Memory   int64  `json:"memoryUsedBytes"`
}

// SourceProgress is what a trigger took from one source.
type SourceProgress struct {
	Description   string          `json:"description"`
	Name          string          `json:"name"`
	StartOffset   json.RawMessage `json:"startOffset"`
	EndOffset     json.RawMessage `json:"endOffset"`
	LatestOffset  json.RawMessage `json:"latestOffset"` // null where limits may have left something
	InputRows     int64           `json:"numInputRows"`
	InputRate     float64         `json:"inputRowsPerSecond"`
	ProcessedRate float64         `json:"processedRowsPerSecond"`
	Watermark     string          `json:"watermark,omitempty"`
	Idle          bool            `json:"idle,omitempty"`
	// Partitions have watermarks of their own, which that of the source follows.
	Partitions []PartitionProgress `json:"partitions,omitempty"`
	// Ignored are the files that the run so far left out because of their age.
	Ignored int64 `json:"numIgnoredFiles,omitempty"`
	// Backlog is how many rows wait behind the range, where the source knows.
	Backlog *int64 `json:"backlogRows,omitempty"`
	// Losses are the rows that were gone before the run so far could read them.
	Losses []source.Loss `json:"losses,omitempty"`
	// Drifts are the ways in which the files of the run so far differ from the columns.
	Drifts []source.Drift `json:"schemaDifferences,omitempty"`
}

// PartitionProgress is how far a partition of a source has come.
type PartitionProgress struct {
	Name      string `json:"name"`
	Watermark string `json:"watermark,omitempty"`
	Idle      bool   `json:"idle,omitempty"`
}

// SinkProgress is what a trigger gave a sink.
type SinkProgress struct {
	Description string `json:"description"`
	OutputRows  int64  `json:"numOutputRows"`
	// Ignored are the removals of the query's run so far that the sink was not told of
	// (on_delete = 'ignore').
	Ignored int64 `json:"numIgnoredDeletes,omitempty"`
	// Published is how long the sink took to publish.
	Published time.Duration `json:"-"`
}

// Rows is the row ledger of a trigger: input is the sum of the next four. Partial
// counts rows that some of their windows refused, Errors values that could not be
// computed (eval_error = 'null').
type Rows struct {
	Input       int64 `json:"input"`
	Contributed int64 `json:"contributed"`
	Filtered    int64 `json:"filtered"`
	Late        int64 `json:"late"`
	Bad         int64 `json:"bad"`
	Partial     int64 `json:"partial,omitempty"`
	Errors      int64 `json:"errors,omitempty"`
}

func rowsOf(o *build.Outcome) Rows {
	var l build.Ledger
	for _, x := range o.Ledgers {
		l.Add(x)
	}
	return Rows{Input: l.Input, Contributed: l.Contributed, Filtered: l.Filtered, Late: l.Late,
		Bad: l.Bad, Partial: l.Partial, Errors: o.Errors}
}

// Balanced reports whether every input row has exactly one fate.
func (r Rows) Balanced() bool { return r.Input == r.Contributed+r.Filtered+r.Late+r.Bad }

func operatorStates(g *build.Graph) []OperatorState {
	out := make([]OperatorState, 0, len(g.Ops))
	for _, o := range g.Ops {
		s := o.Stats()
		out = append(out, OperatorState{Operator: o.Name, ID: o.ID, Total: s.Keys, Updated: s.Updated,
			Removed: s.Removed, Late: s.Late, Memory: s.Bytes})
	}
	return out
}

// Stamp prints an instant (µs) as progress records do; "" for a frontier that
// promises nothing.
func Stamp(us int64) string {
	if us == stateful.NoFrontier || us == stateful.EndOfInput {
		return ""
	}
	return time.UnixMicro(us).UTC().Format("2006-01-02T15:04:05.000Z")
}

// rate is rows per second; 0 for a time that is not known.
func rate(rows int64, in time.Duration) float64 {
	if in <= 0 {
		return 0
	}
	return float64(rows) / in.Seconds()
}

// progress describes a trigger. Its rows have arrived since the query looked before, as
// Spark counts.
func (q *Query) progress(p *planned, out *build.Outcome, tm *timing, since time.Time) *Progress {
	rows := rowsOf(out)
	total := tm.finish()
	waited := tm.start.Sub(since)
	if since.IsZero() {
		waited = 0
	}
	pr := &Progress{ID: q.ID, RunID: q.RunID, Timestamp: Stamp(p.now), BatchID: p.id, BatchDuration: total.Milliseconds(),
		InputRows: rows.Input, InputRate: rate(rows.Input, waited), ProcessedRate: rate(rows.Input, total), DurationMs: tm.ms(), Durations: tm.spans, Rows: rows,
		Operators: operatorStates(q.Graph), Sources: []SourceProgress{}, Sink: SinkProgress{OutputRows: -1}}
	if q.Name != "" {
		pr.Name = &q.Name
	}
	if q.Journal != nil {
		pr.CheckpointBytes = q.Journal.State.Bytes()
	}
	q.sourceProgress(pr, p, out, waited, total)
	for i, o := range q.Outputs {
		pr.Sinks = append(pr.Sinks, SinkProgress{Description: o.Sink.Description(), OutputRows: q.given[i], Ignored: o.View.Ignored, Published: q.took[i]})
	}
	if len(pr.Sinks) == 1 {
		pr.Sink, pr.Sinks = pr.Sinks[0], nil
	}
	pr.EventTime = q.eventTime(out.Times)
	if w := q.shown; w != noWatermark {
		pr.Watermark = &w
	}
	return pr
}

func (q *Query) eventTime(t build.Times) *EventTime {
	if t.Count == 0 && q.shown == noWatermark {
		return nil
	}
	e := &EventTime{Watermark: Stamp(q.shown)}
	if t.Count > 0 {
		e.Max, e.Min = Stamp(t.Max), Stamp(t.Min)
		if mean, ok := t.Mean(); ok {
			e.Avg = Stamp(mean)
		}
	}
	return e
}

func (q *Query) sourceProgress(pr *Progress, p *planned, out *build.Outcome, waited, total time.Duration) {
	for i, in := range q.Inputs {
		s := SourceProgress{Description: in.Source.Description(), Name: in.Name, EndOffset: orNull(in.end)}
		s.StartOffset, s.LatestOffset = orNull(p.starts[i]), orNull(nil)
		if in.limits() == (source.Limits{}) && in.upTo == nil && !p.logged { // it took all that was there
			s.LatestOffset = s.EndOffset
		}
		for _, sc := range in.Scans {
			s.InputRows += out.Ledgers[q.Graph.IndexOf(sc)].Input
			if sc.Plan.Watermark != nil {
				s.Watermark, s.Idle, s.Partitions = Stamp(sc.Watermark), sc.Idle, partitionProgress(sc)
			}
		}
		if ig, ok := in.Source.(source.Ignorer); ok {
			s.Ignored = ig.Ignored()
		}
		if b, ok := in.Source.(source.Backlogged); ok {
			if n, known := b.Backlog(); known {
				s.Backlog = &n
			}
		}
		if l, ok := in.Source.(source.Lossy); ok {
			s.Losses = l.Losses()
		}
		if d, ok := in.Source.(source.Drifting); ok {
			s.Drifts = d.Drifts()
			q.tellDrifts(in, s.Drifts)
		}
		s.InputRate, s.ProcessedRate = rate(s.InputRows, waited), rate(s.InputRows, total)
		pr.Sources = append(pr.Sources, s)
	}
}

// tellDrifts warns of differences that were not met before.
func (q *Query) tellDrifts(in *Input, all []source.Drift) {
	for ; in.drifts < len(all) && q.Log != nil; in.drifts++ {
		d := all[in.drifts]
		q.Log.Warn("a file differs from the declared columns: "+d.What, "query", q.Name, "source", in.Name, "file", d.First)
	}
}

func partitionProgress(s *build.Scan) (out []PartitionProgress) {
	for _, p := range s.Partitions {
		out = append(out, PartitionProgress{p.Name, Stamp(p.Watermark), p.Idle})
	}
	return out
}

func orNull(r json.RawMessage) json.RawMessage {
	if r == nil {
		return json.RawMessage("null")
	}
	return r
}
