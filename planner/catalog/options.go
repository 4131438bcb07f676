package catalog

import (
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/source"
)

// Common are the options that every source has (language.md A), decoded.
type Common struct {
	Limits      source.Limits
	IdleTimeout int64 // µs; 0 = never idle
	WholeSource bool  // one watermark for all partitions
	MaxAhead    int64 // µs; 0 = no limit
	OnError     source.OnError
	BadRows     string // table that receives bad rows; "" = none
	LateRows    string // table that receives late rows; "" = none
	Refresh     *int64 // a table that is read again, at most every so many µs; nil = once
	Lookup      *Lookup
}

// Lookup says that a join finds the rows of a table by their keys, instead of reading it
// whole, and how long it keeps them.
type Lookup struct {
	Rows int   // at most
	TTL  int64 // µs
}

// CommonSpecs describe the options of every source. connector, format,
// schema_inference and changelog are read by the planner itself.
func CommonSpecs() []option.Spec {
	return []option.Spec{
		{Name: "connector", Type: option.Text, Doc: "The kind of source."},
		{Name: "format", Type: option.Text, Doc: "How the data is laid out."},
		{Name: "schema_inference", Type: option.Bool, Default: "false", Doc: "Finds the columns in the data that is there."},
		{Name: "changelog", Type: option.Bool, Default: "false", Doc: "Rows come with a weight: insertions and deletions. For memory sources and files with an op_column; those of debezium-json do anyway. With a PRIMARY KEY a row takes the place of the row of its key, and a deletion needs the key alone."},
		{Name: "refresh", Type: option.Text, Doc: "A table beside a stream is read again when it has changed: 'trigger' looks in each trigger, a duration such as '1 minute' less often. " +
			"What is new in it comes, what is missing goes, and results change with it; its last rows are state. Without it a table is read once, when the query starts."},
		{Name: "lookup", Type: option.Bool, Default: "false", Doc: "A join of a stream with the table asks for the rows of the keys that come, in batches, instead of reading the table whole when the query starts. " +
			"Rows are joined as they are then: a batch that is computed again after a crash, because its result was not logged yet, may find newer ones."},
		{Name: "lookup_cache_rows", Type: option.Int, Min: 0, Default: "100000", Doc: "How many keys and rows of a table with lookup = true are kept in memory."},
		{Name: "lookup_cache_ttl", Type: option.Duration, Default: "10 seconds", Doc: "How long a row of a table with lookup = true is kept before it is asked for again, missing rows included."},
		{Name: "max_rows_per_trigger", Aliases: []string{"max_offsets_per_trigger"}, Type: option.Int, Min: 0,
			Doc: "The most rows that one micro-batch takes."},
		{Name: "max_files_per_trigger", Type: option.Int, Min: 0, Doc: "The most files that one micro-batch takes."},
		{Name: "max_bytes_per_trigger", Type: option.Size, Min: 0, Doc: "The most bytes that one micro-batch takes."},
		{Name: "idle_timeout", Type: option.Duration, Doc: "A source, or a partition of it, that delivers nothing for so long stops holding the watermark back."},
		{Name: "watermark_scope", Type: option.Enum, Values: []string{"partition", "source"}, Default: "partition",
			Doc: "What has a watermark of its own: each partition of a source that has some, the source following the least one that is not idle; or the source as a whole, as in Spark, where partitions that lag behind the others lose rows."},
		{Name: "max_ahead", Type: option.Duration, Doc: "A row further in the future than this is a bad row and moves no watermark."},
		{Name: "on_error", Type: option.Enum, Values: []string{"fail", "skip", "divert"}, Default: "fail",
			Doc: "What happens to a bad row, such as one that cannot be decoded: the query ends, the row is counted, or it is counted and kept in the table bad_rows."},
		{Name: "bad_rows", Type: option.Text, Doc: "The table, in memory, that receives bad rows. It is made if there is none."},
		{Name: "late_rows", Type: option.Text, Doc: "The table, in memory, that receives late rows. It is made if there is none."},
	}
}

// DecodeCommon reads the options of every source from values that were decoded with
// CommonSpecs among the specs.
func DecodeCommon(d option.Decoded) Common {
	return Common{
		Limits: source.Limits{Rows: d.Int("max_rows_per_trigger"), Files: d.Int("max_files_per_trigger"),
			Bytes: d.Size("max_bytes_per_trigger")},
		IdleTimeout: d.Micros("idle_timeout"),
		WholeSource: d.Enum("watermark_scope") == "source",
		MaxAhead:    d.Micros("max_ahead"),
		OnError:     onError(d.Enum("on_error")),
		BadRows:     d.Text("bad_rows"),
		LateRows:    d.Text("late_rows"),
	}
}

func onError(text string) source.OnError {
	switch text {
	case "skip":
		return source.Skip
	case "divert":
		return source.Divert
	}
	return source.Fail
}

// SinkSpecs describe the options of every sink.
func SinkSpecs() []option.Spec {
	return []option.Spec{
		{Name: "connector", Type: option.Text, Doc: "The kind of sink."},
		{Name: "format", Type: option.Text, Doc: "How the data is laid out."},
		{Name: "on_delete", Type: option.Enum, Values: []string{"fail", "ignore"}, Default: "fail",
			Doc: "Update mode at a sink that cannot delete: refuse the query, or drop removed keys and count them."},
		{Name: "on_conflict", Type: option.Enum, Values: []string{"fail", "latest"}, Default: "fail",
			Doc: "Update mode at a sink whose PRIMARY KEY is not unique in the query: refuse the query, or keep for each key the latest row, the one with the greatest conflict_order; if it goes, the next one comes back. The rows of each key are state."},
		{Name: "conflict_order", Type: option.Text,
			Doc: "With on_conflict = 'latest': the column that orders the rows of a key; by default the event time of the query, if it has one. Of equal rows the first counts, by their columns from the left."},
	}
}
