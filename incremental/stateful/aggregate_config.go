package stateful

import (
	"errors"
	"slices"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/fn/agg"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// AggregateConfig describes a grouped or global aggregate. Output columns are the
// keys, then the aggregates.
type AggregateConfig struct {
	Name     string // for messages and late rows
	Keys     []int  // input columns
	KeyTypes []types.Type
	Aggs     []AggregateSpec
	Retract  bool // rows may have negative weights
	Bound    int  // index into Keys of the key that carries the frontier, −1 = none
	Front    int  // which frontier of fronts[0] is that of the bound key of the output, −1 = none
	// Keep: nothing is late and nothing is forgotten.
	Keep bool
	// EmitOnClose: emit a group once, when its bound key is below the frontier.
	EmitOnClose bool
	// Panes: the bound key of the input is the start of a pane, that of the output the
	// start of a window. Bound names the key also when Keep is set.
	Panes *PaneConfig
	// Global: no keys; the row exists before any input.
	Global bool
	// Width is the range of bound values that share a bucket. 1 = one value: right for
	// window starts, of which few are open. 0 = by the type of the bound key, fit for raw
	// timestamps.
	Width int64
	// Unlogged: LogState is never called (batch runs).
	Unlogged bool

	weighted bool // on close, a group comes out as often as it has rows
}

// AggregateSpec is one aggregate of an AggregateConfig.
type AggregateSpec struct {
	Impl     fn.AggImpl
	Text     string // as EXPLAIN prints it, for messages
	Args     []int  // input columns
	Filter   int    // input column that must be true, −1 = none
	Distinct bool
	Ordered  bool // rows must come in order of arrival
	// OrderBy lists input columns by which the rows of a group are ordered first.
	OrderBy []OrderColumn
}

// OrderColumn is a sort column.
type OrderColumn struct {
	Col   int
	Type  types.Type
	Order vec.Order
}

// boundSpec is a spec with its arguments resolved: those of Impl, after wrapping.
type boundSpec struct {
	impl    fn.AggImpl
	args    []int
	filter  int
	counter bool // count(*): the row count is the result
	// distinct: the rows are the different ones, kept in a map that aggregates over the
	// same arguments and filter share; lead is the one that has it, −1 = this one.
	distinct bool
	lead     int
}

// The widths of buckets for keys of which many values are open.
const (
	timeWidth  = 1_000_000 // raw timestamps: a second in µs
	countWidth = 1024      // other whole numbers
)

// defaultWidth is the width of buckets where none is given.
func defaultWidth(width int64, t types.Type) int64 {
	switch {
	case width > 0:
		return width
	case t.Kind == types.Timestamp || t.Kind == types.TimestampNTZ || t.Kind == types.Time:
		return timeWidth
	case t.Kind == types.Date:
		return 1
	}
	return countWidth
}

func (c *AggregateConfig) check() error {
	switch {
	case c.Global && len(c.Keys) > 0:
		return errors.New("a global aggregate has no keys")
	case c.EmitOnClose && (c.Bound < 0 || c.Front < 0 || c.Keep):
		return errors.New("groups that never become final cannot be emitted on close")
	case c.Panes != nil && (c.Bound < 0 || c.Width > 1):
		return errors.New("panes need their start as bound key, one bucket each")
	}
	return nil
}

func bindSpec(s AggregateSpec) boundSpec {
	b := boundSpec{impl: s.Impl, args: slices.Clone(s.Args), filter: s.Filter, distinct: s.Distinct && len(s.OrderBy) == 0, lead: -1}
	if s.Distinct {
		b.impl = agg.Distinct(b.impl)
	}
	if len(s.OrderBy) > 0 {
		var ts []types.Type
		var os []vec.Order
		for _, o := range s.OrderBy {
			b.args = append(b.args, o.Col)
			ts, os = append(ts, o.Type), append(os, o.Order)
		}
		b.impl = agg.Sorted(b.impl, ts, os)
	}
	b.counter = s.Filter < 0 && !s.Distinct && agg.CountsRows(s.Impl)
	return b
}

// shareDistinct makes a spec over different rows use the map of an earlier one.
func shareDistinct(specs []boundSpec, s AggregateSpec, b boundSpec) boundSpec {
	if !b.distinct {
		return b
	}
	for i, o := range specs {
		if o.distinct && o.lead < 0 && o.filter == b.filter && slices.Equal(o.args, b.args) {
			b.impl, b.lead = s.Impl, i
			return b
		}
	}
	return b
}

// layout decides which keys are in the tables: the bound key is first, or, if a bucket
// has one value of it, not there at all.
func (a *aggregate) layout() {
	cfg := &a.cfg
	a.keyPlace = make([]int, len(cfg.Keys))
	add := func(k int) {
		a.keyPlace[k] = len(a.tableCols)
		a.tableCols = append(a.tableCols, cfg.Keys[k])
		a.tableKeys = append(a.tableKeys, cfg.KeyTypes[k])
	}
	if cfg.Bound >= 0 {
		a.keyPlace[cfg.Bound] = -1
		if a.width > 1 {
			add(cfg.Bound)
		}
	}
	for k := range cfg.Keys {
		if k != cfg.Bound {
			add(k)
		}
	}
	a.outTypes = append(a.outTypes, cfg.KeyTypes...)
	for _, s := range cfg.Aggs {
		a.outTypes = append(a.outTypes, s.Impl.Result)
	}
}
