// Package foreach is the sink that hands rows to Go code of an embedding program: row by
// row to a Writer, with the contract of Spark's ForeachWriter, or batch by batch to a
// function. Writers are known by name (Writers, for CREATE SINK … WITH (connector =
// 'foreach', writer = 'name')) or given to a query directly (To, for
// engine.StartOptions.To).
//
// The payload is the rows themselves, cut into partitions when they were staged: (partition,
// version) names the same rows in the same order at every re-publication, whatever runs
// them and however the options have changed since. It knows no plans and no checkpoints.
// Open this file first, then row.go.
package foreach

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// Writer takes the rows of one partition of one batch. A new one is made for each.
//
// The calls are Open, then Process for each row if Open said true, then Close: always,
// with the error that ended the partition, or nil. After a crash, or when another
// partition of the batch failed, the same (partition, version) comes again with the same
// rows in the same order; a writer that remembers what it has finished returns false then.
// Partitions of a batch run at the same time, those of different batches never.
type Writer interface {
	// Open begins a partition; version is the number of the batch. False: it is done
	// already, and its rows are left out.
	Open(ctx context.Context, partition int, version int64) (bool, error)
	// Process takes a row, which is valid until it returns.
	Process(r Row) error
	// Close ends the partition. What it returns fails the batch, as an error of Process does.
	Close(err error) error
}

// BatchFunc takes all rows of a batch. It is called again with the same batch after a
// crash; Batch.ID tells.
type BatchFunc func(ctx context.Context, b *Batch) error

// Writers are the writers and batch functions of one engine, by name. It is safe for
// concurrent use.
type Writers struct {
	mu     sync.Mutex
	byName map[string]target
}

// target is what rows are given to: one of both.
type target struct {
	writer func() Writer
	batch  BatchFunc
}

// NewWriters returns an empty list.
func NewWriters() *Writers { return &Writers{byName: map[string]target{}} }

// Add names a writer; newWriter makes one for each partition of each batch.
func (w *Writers) Add(name string, newWriter func() Writer) error {
	return w.add(name, target{writer: newWriter})
}

// AddBatch names a batch function.
func (w *Writers) AddBatch(name string, f BatchFunc) error { return w.add(name, target{batch: f}) }

func (w *Writers) add(name string, t target) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	key := strings.ToLower(name)
	if _, ok := w.byName[key]; ok {
		return fmt.Errorf("there is a writer %q already", name)
	}
	w.byName[key] = t
	return nil
}

func (w *Writers) find(name string) (t target, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	t, ok = w.byName[strings.ToLower(name)]
	return t, ok
}

func (w *Writers) names() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Sorted(maps.Keys(w.byName))
}

// Connector describes the sink over the writers of an engine.
func Connector(w *Writers) sink.Connector {
	c := describe()
	c.Options = append([]option.Spec{
		{Name: "writer", Type: option.Text, Required: true, Doc: "The name under which the embedding program has registered its writer or batch function."},
	}, specs()...)
	all := c.Options
	c.Open = func(_ context.Context, cfg sink.Config) (sink.Sink, error) {
		d, err := option.Open(all, cfg.Options)
		if err != nil {
			return nil, err
		}
		t, ok := w.find(d.Text("writer"))
		if !ok {
			return nil, unknown(d, w.names())
		}
		return open(t, d, cfg)
	}
	return c
}

func unknown(d option.Decoded, names []string) error {
	e := diag.Errorf(diag.BadOptionValue, d.Span("writer"), "there is no writer %q", d.Text("writer"))
	switch e.Hint = diag.HintDidYouMean(d.Text("writer"), names); {
	case e.Hint != "":
	case len(names) > 0:
		e.Hint = "the writers are " + strings.Join(names, ", ")
	default:
		e.Hint = "a program that embeds the engine registers writers in Go; the program sqlstream has none: use the sink exec, which runs a command"
	}
	return diag.NewError(nil, e)
}

// To makes a sink of a writer, for a query that is started by a program. partitions is
// how many run at the same time, at least 1.
func To(partitions int, newWriter func() Writer) sink.Connector {
	return direct(target{writer: newWriter}, partitions)
}

// ToBatches makes a sink of a batch function.
func ToBatches(f BatchFunc) sink.Connector { return direct(target{batch: f}, 1) }

func direct(t target, partitions int) sink.Connector {
	c := describe()
	c.Aliases = nil // a program may register it under a name of its own
	c.Open = func(_ context.Context, cfg sink.Config) (sink.Sink, error) {
		d, err := option.Decode(specs(), nil)
		if err != nil {
			return nil, err
		}
		s, err := open(t, d, cfg)
		if err == nil {
			s.partitions = max(1, partitions)
		}
		return s, err
	}
	return c
}

func describe() sink.Connector {
	return sink.Connector{
		Name: "foreach", Aliases: []string{"foreach_batch"},
		Doc: "Hands rows to Go code of the program that embeds the engine: row by row to a writer with open, process and close, or batch by batch to a function.",
		Modes: map[sink.Mode]string{
			sink.Append:    "The rows that have become final.",
			sink.Update:    "The new versions of the rows that changed; with weight -1 the rows of keys that are gone.",
			sink.Complete:  "The whole result, again.",
			sink.Changelog: "Old rows with weight -1, new rows with weight 1.",
		},
		Options: specs(),
		Deletes: true, Guarantee: sink.AtLeastOnce,
		Recovery: "Partitions of the last batch may come again, (partition, version) with the same rows in the same order: a writer whose Open says false to what it has finished takes each once.",
	}
}

func specs() []option.Spec {
	return []option.Spec{
		{Name: "partitions", Type: option.Int, Min: 1, Max: 1024, Default: "1",
			Doc: "Into how many partitions the rows of a batch are cut; they run at the same time. A batch function has one."},
		{Name: "partition_by", Type: option.Text,
			Doc: "Columns, separated by commas, whose equal values are in one partition; by default the key of the result, else whole rows."},
	}
}

func open(t target, d option.Decoded, c sink.Config) (*Sink, error) {
	s := &Sink{cfg: c, target: t, partitions: int(d.Int("partitions")), schema: newSchema(c.Columns, c.Zone), by: c.Key}
	if t.batch != nil {
		s.partitions = 1
	}
	by, err := PartitionColumns(d, "partition_by", c.Columns)
	if by != nil {
		s.by = by
	}
	return s, err
}

// PartitionColumns resolves an option that names columns; nil when it is empty.
func PartitionColumns(d option.Decoded, name string, cols []types.Column) ([]int, error) {
	var out []int
	for _, col := range strings.FieldsFunc(d.Text(name), func(r rune) bool { return r == ',' }) {
		col = strings.TrimSpace(col)
		i := slices.IndexFunc(cols, func(c types.Column) bool { return strings.EqualFold(c.Name, col) })
		if i < 0 {
			e := diag.Errorf(diag.BadOptionValue, d.Span(name), "the output has no column %q to partition by", col)
			e.Hint = diag.HintDidYouMean(col, columnNames(cols))
			return nil, diag.NewError(nil, e)
		}
		out = append(out, i)
	}
	return out, nil
}

func columnNames(cols []types.Column) []string {
	out := make([]string, len(cols))
	for i, c := range cols {
		out[i] = c.Name
	}
	return out
}
