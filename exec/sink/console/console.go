// Package console is the sink that prints each batch on standard output, for trials:
// as a table, CSV or JSON lines, with the number of the batch. After a crash a batch
// may be printed again, in the same words. Open this file first.
package console

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/table"
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Connector describes the console sink. formats has "csv" and "json", for those that
// ask for them.
func Connector(formats []*format.Format) sink.Connector {
	return sink.Connector{
		Name: "console", Aliases: []string{"print", "stdout"},
		Doc: "Prints each batch on standard output.",
		Modes: map[sink.Mode]string{
			sink.Append:    "Prints the rows that have become final.",
			sink.Update:    "Prints the rows that changed, with a column op: u for a new version, - for a row that is no longer in the result.",
			sink.Complete:  "Prints the whole result again.",
			sink.Changelog: "Prints old rows with weight -1 and new rows with weight 1.",
		},
		Options:   Options(),
		Deletes:   true,
		Guarantee: sink.AtLeastOnce,
		Ephemeral: true,
		Open: func(_ context.Context, c sink.Config) (sink.Sink, error) {
			return open(formats, c)
		},
	}
}

// Options of the console sink.
func Options() []option.Spec {
	return []option.Spec{
		{Name: "format", Type: option.Enum, Values: []string{"table", "csv", "json", "jsonl"}, Default: "table", Doc: "How rows are printed."},
		{Name: "truncate", Type: option.Int, Default: "0", Doc: "Cut the cells of a table to this width; 0 = never."},
		{Name: "num_rows", Type: option.Int, Default: "0", Doc: "Print at most so many rows of a batch, and say how many more there are; 0 = all."},
		{Name: "show_batch", Type: option.Bool, Default: "true", Doc: "Print the number of the batch before its rows."},
		{Name: "skip_empty", Type: option.Bool, Default: "false", Doc: "Print nothing for a batch without rows."},
	}
}

// Sink prints.
type Sink struct {
	cfg      sink.Config
	columns  []types.Column // with op or weight
	writer   format.Writer  // nil = table
	truncate int
	most     int64
	header   bool
	skip     bool  // batches without rows
	texts    []int // columns that are written as text
}

func open(formats []*format.Format, c sink.Config) (*Sink, error) {
	if c.Stdout == nil {
		return nil, fmt.Errorf("sink %q: there is no standard output", c.Name)
	}
	specs := Options()
	name := "table"
	if v, ok := option.Find(c.Options, "format"); ok {
		name = strings.TrimSuffix(strings.ToLower(v.Text), "l")
	}
	i := slices.IndexFunc(formats, func(f *format.Format) bool { return f.Name == name })
	if i >= 0 {
		specs = option.Join(specs, formats[i].WriteOptions)
	}
	d, err := option.Open(specs, c.Options)
	if err != nil {
		return nil, err
	}
	s := &Sink{cfg: c, columns: shown(c), truncate: int(d.Int("truncate")), most: d.Int("num_rows"), header: d.Bool("show_batch"), skip: d.Bool("skip_empty")}
	if d.Enum("format") == "table" {
		return s, nil
	}
	if i < 0 {
		return nil, fmt.Errorf("sink %q: there is no format %s", c.Name, name)
	}
	cols := s.columns
	if name == "csv" {
		cols = s.asText()
	}
	if s.writer, err = formats[i].NewWriter(format.Config{Columns: cols, Options: d, Zone: c.Zone}); err != nil {
		return nil, s.wrap(err)
	}
	return s, nil
}

// asText makes STRING of the columns that a line of CSV has no form for: it is printed
// for people and pipes, which the text of a list serves better than a refusal.
func (s *Sink) asText() []types.Column {
	out := slices.Clone(s.columns)
	for i, c := range s.columns {
		if k := c.Type.Kind; c.Type.IsNested() || k == types.Interval || k == types.Null {
			out[i].Type = types.Of(types.String)
			s.texts = append(s.texts, i)
		}
	}
	return out
}

// shown are the columns that are printed.
func shown(c sink.Config) []types.Column {
	cols := slices.Clone(c.Columns)
	switch c.Mode {
	case sink.Update:
		cols = append(cols, types.Column{Name: free("op", cols), Type: types.Of(types.String)})
	case sink.Changelog:
		cols = append(cols, types.Column{Name: free("weight", cols), Type: types.Of(types.Int64)})
	}
	return cols
}

// free is a name that no column has.
func free(name string, cols []types.Column) string {
	for slices.ContainsFunc(cols, func(c types.Column) bool { return strings.EqualFold(c.Name, name) }) {
		name = "_" + name
	}
	return name
}

// Marker implements sink.Sink: a terminal remembers nothing.
func (s *Sink) Marker(context.Context) (sink.Marker, error) { return sink.Marker{ID: -1}, nil }

// Stage implements sink.Sink. The payload is the text.
func (s *Sink) Stage(ctx context.Context, b sink.Batch, rows func(func(*vec.Batch) error) error) ([]byte, error) {
	p := printer{s: s}
	if s.writer == nil {
		p.table = table.New(s.columns, s.cfg.Zone, s.truncate)
	} else {
		var err error
		if p.file, err = s.writer.Create(&p.text); err != nil {
			return nil, s.wrap(err)
		}
	}
	err := rows(func(b *vec.Batch) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return p.add(b)
	})
	if err != nil {
		return nil, s.wrap(err)
	}
	text, err := p.finish(b)
	return text, s.wrap(err)
}

// printer makes the text of one batch.
type printer struct {
	s     *Sink
	table *table.Table
	file  format.FileWriter
	text  bytes.Buffer
	n     int64 // rows, printed or not
}

// add prints rows: as often as they are there, or with their weight.
func (p *printer) add(b *vec.Batch) error {
	out := &vec.Batch{N: b.N, Cols: slices.Clone(b.Cols)}
	switch p.s.cfg.Mode {
	case sink.Update:
		out.Cols = append(out.Cols, ops(b))
		return p.rows(out, func(int) int64 { return 1 }, b)
	case sink.Changelog:
		out.Cols = append(out.Cols, weights(b))
		return p.rows(out, func(int) int64 { return 1 }, b)
	}
	return p.rows(out, b.Weight, b)
}

func (p *printer) rows(out *vec.Batch, times func(row int) int64, b *vec.Batch) error {
	var pick []int32
	var err error
	b.Each(func(row int) {
		n := times(row)
		if n < 0 {
			err = errors.New("a row was taken back, which this output mode cannot show")
		}
		if b.Weight(row) == 0 {
			return
		}
		for range n {
			if p.n++; p.s.most == 0 || p.n <= p.s.most {
				pick = append(pick, int32(row))
			}
		}
	})
	switch {
	case err != nil || len(pick) == 0:
		return err
	case p.table != nil:
		for _, row := range pick {
			p.table.Add(out.Cols, int(row))
		}
		return nil
	}
	out = out.Gather(pick)
	for _, i := range p.s.texts {
		out.Cols[i] = p.s.text(out.Cols[i], out.N)
	}
	return p.file.Write(out)
}

func (s *Sink) text(v *vec.Vector, n int) *vec.Vector {
	out := vec.NewBuilder(types.Of(types.String))
	var cell []byte
	for row := range n {
		if v.IsNull(row) {
			out.AppendNull()
			continue
		}
		cell = vec.AppendText(cell[:0], v, row, s.cfg.Zone)
		out.AppendString(string(cell))
	}
	return out.Take()
}

// ops is "u" for a new version and "-" for a removed row.
func ops(b *vec.Batch) *vec.Vector {
	out := vec.NewBuilder(types.Of(types.String))
	for row := range b.N {
		if b.Weight(row) < 0 {
			out.AppendString("-")
		} else {
			out.AppendString("u")
		}
	}
	return out.Take()
}

func weights(b *vec.Batch) *vec.Vector {
	out := make([]int64, b.N)
	for row := range out {
		out[row] = b.Weight(row)
	}
	return vec.FromInts(types.Of(types.Int64), out)
}

func (p *printer) finish(b sink.Batch) ([]byte, error) {
	if p.n == 0 && (p.s.skip || p.table == nil) {
		return nil, nil // machines read files: no rows, no text
	}
	var head []byte
	if p.s.header {
		head = fmt.Appendf(nil, "-------- batch %d --------\n", b.ID)
	}
	if p.table != nil {
		return append(p.table.Append(head), p.footer()...), nil
	}
	if err := p.file.Close(); err != nil {
		return nil, err
	}
	return append(head, p.text.Bytes()...), nil
}

// footer is "(3 rows)", or how many were not shown.
func (p *printer) footer() string {
	shown := int64(p.table.Rows())
	switch {
	case shown < p.n:
		return "(" + strconv.FormatInt(shown, 10) + " of " + strconv.FormatInt(p.n, 10) + " rows)\n"
	case p.n == 1:
		return "(1 row)\n"
	}
	return "(" + strconv.FormatInt(p.n, 10) + " rows)\n"
}

// Publish implements sink.Sink.
func (s *Sink) Publish(_ context.Context, _ sink.Batch, payload []byte) error {
	_, err := io.Copy(s.cfg.Stdout, bytes.NewReader(payload))
	return s.wrap(err)
}

// Discard implements sink.Sink.
func (s *Sink) Discard(context.Context, sink.Batch) error { return nil }

// Description implements sink.Sink.
func (s *Sink) Description() string { return "ConsoleSink" }

// Close implements sink.Sink.
func (s *Sink) Close() error { return nil }

func (s *Sink) wrap(err error) error {
	if err == nil {
		return nil
	}
	if s.cfg.Name == "" { // of a SELECT
		return fmt.Errorf("console: %w", err)
	}
	return fmt.Errorf("sink %q: %w", s.cfg.Name, err)
}
