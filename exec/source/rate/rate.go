// Package rate is the source that makes rows at a steady pace: (timestamp, value),
// value counting from 0. Row i belongs to the moment start + i/rows_per_second and is
// there once the clock has reached it. Open this file first, then batch.go (so many rows
// in each micro-batch, whatever the clock says); exec/source/pace says when rows are
// there.
package rate

import (
	"context"
	"fmt"
	"strings"

	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/source/pace"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Connector describes the rate source.
func Connector() source.Connector {
	return source.Connector{
		Name: "rate", Doc: "Makes rows at a steady pace, for trials and load tests.",
		Options:    options(),
		Replayable: true,
		Recovery:   "The rows of the batch are made again: their numbers and times follow from its range.",
		Columns:    columns(),
		Open: func(_ context.Context, c source.Config) (source.Source, error) {
			return open(c)
		},
	}
}

func options() []option.Spec {
	return []option.Spec{
		{Name: "rows_per_second", Type: option.Int, Min: 1, Max: 1_000_000_000, Default: "1",
			Doc: "How many rows belong to each second."},
		{Name: "ramp_up_time", Type: option.Duration, Max: 86_400_000_000, Default: "0",
			Doc: "In so many whole seconds the speed grows from second to second up to rows_per_second, as in Spark."},
		{Name: "num_partitions", Type: option.Int, Max: 10_000,
			Doc: "Into how many units a micro-batch is cut, of which each is read by one worker; by default by its size."},
		{Name: "num_rows", Type: option.Int, Min: 1, Doc: "The source ends after so many rows; by default never."},
	}
}

func columns() []types.Column {
	return []types.Column{{Name: "timestamp", Type: types.Of(types.Timestamp)}, {Name: "value", Type: types.Of(types.Int64)}}
}

func open(c source.Config) (source.Source, error) {
	d, err := option.Open(options(), c.Options)
	if err != nil {
		return nil, err
	}
	isTime, err := timeColumns(c, "rate")
	if err != nil {
		return nil, err
	}
	speed := pace.Speed{PerSecond: d.Int("rows_per_second"), Ramp: d.Micros("ramp_up_time") / 1e6}
	return pace.New(pace.Config{Config: c, Kind: "rate", Description: fmt.Sprintf("RateSource[rows_per_second=%d]", speed.PerSecond),
		Speed: speed, Total: d.Int("num_rows"), TotalOption: "num_rows", Partitions: d.Int("num_partitions"),
		Make: func(need []int) pace.Maker { return newMaker(c, isTime, need) }})
}

// timeColumns tells, by column, which is the time and which the value.
func timeColumns(c source.Config, kind string) (isTime []bool, err error) {
	for _, col := range c.Columns {
		switch {
		case strings.EqualFold(col.Name, "timestamp") && col.Type.Kind == types.Timestamp:
			isTime = append(isTime, true)
		case strings.EqualFold(col.Name, "value") && col.Type.Kind == types.Int64:
			isTime = append(isTime, false)
		default:
			return nil, fmt.Errorf("source %q: a %s source has the columns timestamp TIMESTAMP and value BIGINT, not %s %s", c.Name, kind, col.Name, col.Type)
		}
	}
	return isTime, nil
}

// maker fills batches for one reader.
type maker struct {
	cols   []source.Column
	isTime []bool
	vals   [vec.BatchSize]int64
}

func newMaker(c source.Config, isTime []bool, need []int) *maker {
	m := &maker{}
	for _, col := range need {
		m.cols, m.isTime = append(m.cols, c.Columns[col]), append(m.isTime, isTime[col])
	}
	return m
}

// Fill implements pace.Maker.
func (m *maker) Fill(b *vec.Batch, from int64, at []int64) {
	for i := range b.N {
		m.vals[i] = from + int64(i)
	}
	for i, col := range m.cols {
		if m.isTime[i] {
			b.Cols[i] = vec.FromInts(col.Type, at)
		} else {
			b.Cols[i] = vec.FromInts(col.Type, m.vals[:b.N])
		}
	}
}
