// Package datagen is the source that makes rows by rules, a rule for each column:
// sequences, random numbers and texts, choices, event times that are late. What is in
// row i is decided by the seed and i alone, so that a range gives the same rows whenever
// it is read. Open this file first, then rule.go (how rules are written) and value.go
// (how values are made); exec/source/pace says when rows are there.
package datagen

import (
	"context"
	"fmt"

	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/source/pace"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// Connector describes the source.
func Connector() source.Connector {
	return source.Connector{
		Name: "datagen",
		Doc: "Makes rows by rules, for trials, tests and load: the same ones for the same seed, whenever and however often they are read. " +
			"Columns without a rule are random; TIMESTAMP columns have the moment to which the row belongs.",
		Options:    options(),
		Replayable: true,
		Open: func(_ context.Context, c source.Config) (source.Source, error) {
			return open(c)
		},
	}
}

func options() []option.Spec {
	return []option.Spec{
		{Name: "rules", Type: option.Text, Doc: "How columns are filled: 'id: sequence from 1; kind: choice view:8, buy:2; price: random 1 to 100 null 0.05; " +
			"at: time jitter 2s late 0.01 by 1m; name: string 3 to 12'. " +
			"The rules are sequence [from N] [step N], random [N to M], choice value[:weight], … (values with blanks in double quotes), string [N [to M]] and time [jitter D] [late SHARE by D]; " +
			"each may end with null SHARE."},
		{Name: "rows_per_second", Type: option.Int, Min: 1, Max: 1_000_000_000, Doc: "How many rows belong to each second; by default all number_of_rows are there at once, and belong to the same moment."},
		{Name: "number_of_rows", Aliases: []string{"num_rows"}, Type: option.Int, Min: 1, Doc: "The source ends after so many rows; by default never."},
		{Name: "ramp_up_time", Type: option.Duration, Max: 86_400_000_000, Default: "0", Doc: "In so many whole seconds the speed grows from second to second up to rows_per_second."},
		{Name: "seed", Type: option.Int, Default: "0", Doc: "Other seeds give other rows."},
		{Name: "start_timestamp", Type: option.Text, Doc: "The moment of the first row, '2024-01-01 00:00:00'; by default when the source is first read."},
		{Name: "num_partitions", Type: option.Int, Max: 10_000, Doc: "Into how many units a micro-batch is cut, of which each is read by one worker; by default by its size."},
	}
}

func open(c source.Config) (source.Source, error) {
	d, err := option.Open(options(), c.Options)
	if err != nil {
		return nil, err
	}
	columns, err := parseRules(d.Text("rules"), c)
	if err != nil {
		return nil, diag.NewError(nil, diag.Errorf(diag.BadOptionValue, d.Span("rules"), "rules: %s", err))
	}
	p := pace.Config{Config: c, Kind: "datagen", Description: fmt.Sprintf("DatagenSource[seed=%d]", d.Int("seed")),
		Speed: pace.Speed{PerSecond: d.Int("rows_per_second"), Ramp: d.Micros("ramp_up_time") / 1e6},
		Total: d.Int("number_of_rows"), TotalOption: "number_of_rows", Partitions: d.Int("num_partitions"),
		Make: func(need []int) pace.Maker { return newMaker(columns, uint64(d.Int("seed")), need) }}
	if p.Speed.PerSecond == 0 && p.Total == 0 {
		return nil, diag.NewError(nil, diag.Errorf(diag.MissingOption, diag.Span{}, "source %q: without rows_per_second all rows are there at once: number_of_rows must say how many", c.Name).
			WithHint("rows_per_second = 10"))
	}
	if d.Has("start_timestamp") {
		at, ok := single(d.Text("start_timestamp"), types.Of(types.Timestamp), c)
		if !ok {
			return nil, diag.NewError(nil, diag.Errorf(diag.BadOptionValue, d.Span("start_timestamp"), "start_timestamp is %q, expected a time such as '2024-01-01 00:00:00'", d.Text("start_timestamp")))
		}
		us := at.(int64)
		p.Start = &us
	}
	return pace.New(p)
}

// maker fills batches for one reader.
type maker struct {
	columns  []*rule
	streams  []uint64 // by needed column: where its random numbers begin
	builders []*vec.Builder
}

func newMaker(rules []*rule, seed uint64, need []int) *maker {
	m := &maker{}
	for _, col := range need {
		r := rules[col]
		m.columns = append(m.columns, r)
		m.streams = append(m.streams, mix(seed+uint64(col)*0x9e3779b97f4a7c15))
		m.builders = append(m.builders, vec.NewBuilder(r.typ))
	}
	return m
}

// Fill implements pace.Maker.
func (m *maker) Fill(b *vec.Batch, from int64, at []int64) {
	for i, r := range m.columns {
		out := m.builders[i]
		out.Reset()
		for row := range b.N {
			n := from + int64(row)
			d := dice{m.streams[i] + uint64(n)*0xd1342543de82ef95}
			if r.nulls > 0 && d.share() < r.nulls {
				out.AppendNull()
				continue
			}
			r.fill(out, n, at[row], &d)
		}
		b.Cols[i] = out.Finish()
	}
}

// dice gives the random numbers of one value.
type dice struct{ state uint64 }

func (d *dice) next() uint64 {
	d.state += 0x9e3779b97f4a7c15
	return mix(d.state)
}

// mix is the finalizer of SplitMix64.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// share is a number from 0 to below 1.
func (d *dice) share() float64 { return float64(d.next()>>11) / (1 << 53) }
