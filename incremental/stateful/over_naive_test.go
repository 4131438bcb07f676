package stateful

import (
	"cmp"
	"slices"

	"github.com/sqlstream/sqlstream/exec/fn"
)

// The columns of the rows under test: partition, order key, value, the order key moved
// by overBack and overAhead for RANGE frames.
const (
	overG = iota
	overK
	overV
	overLo
	overHi
	overVisible = overV + 1
	overBack    = 2
	overAhead   = 1
)

// naiveOver computes window functions from the list of all rows.
type naiveOver struct {
	cfg   *OverConfig
	names map[*OverFunc]string // of aggregates
	rows  [][]any              // of one partition, in order
}

// overAll are the output rows over rows of any partitions.
func overAll(cfg *OverConfig, names map[*OverFunc]string, all [][]any) bag {
	parts := map[any][][]any{}
	for _, r := range all {
		g := any(nil)
		if len(cfg.Partition) > 0 {
			g = r[overG]
		}
		parts[g] = append(parts[g], r)
	}
	out := bag{}
	for _, rows := range parts {
		n := &naiveOver{cfg, names, slices.Clone(rows)}
		slices.SortFunc(n.rows, n.compare)
		for i, r := range n.rows {
			vals := slices.Clone(r[:overVisible])
			for f := range cfg.Funcs {
				vals = append(vals, n.value(&cfg.Funcs[f], i))
			}
			out.add(vals, 1)
		}
	}
	return out
}

func naiveCompare(a, b any) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return -1
	case b == nil:
		return 1
	}
	return cmp.Compare(a.(int64), b.(int64))
}

func (n *naiveOver) keys(a, b []any) int {
	if len(n.cfg.Order) == 0 {
		return 0
	}
	return n.byOrder(a[overK], b[overK])
}

func (n *naiveOver) byOrder(a, b any) int {
	o := n.cfg.Order[0].Order
	c := naiveCompare(a, b)
	switch {
	case a == nil || b == nil:
		if o.NullsFirst() {
			return c
		}
		return -c
	case o.Desc:
		return -c
	}
	return c
}

func (n *naiveOver) compare(a, b []any) int {
	if c := n.keys(a, b); c != 0 {
		return c
	}
	return slices.CompareFunc(a, b, naiveCompare)
}

func (n *naiveOver) peers(i int) (from, to int) {
	for from = i; from > 0 && n.keys(n.rows[from-1], n.rows[i]) == 0; from-- {
	}
	for to = i + 1; to < len(n.rows) && n.keys(n.rows[to], n.rows[i]) == 0; to++ {
	}
	return from, to
}

func (n *naiveOver) value(f *OverFunc, i int) any {
	from, to := n.peers(i)
	size := len(n.rows)
	switch {
	case f.framed():
		return n.overFrame(f, n.frame(&f.Frame, i))
	case f.Kind == fn.RowNumber:
		return int64(i + 1)
	case f.Kind == fn.Rank:
		return int64(from + 1)
	case f.Kind == fn.DenseRank:
		d := int64(1)
		for j := 1; j <= i; j++ {
			if n.keys(n.rows[j-1], n.rows[j]) != 0 {
				d++
			}
		}
		return d
	case f.Kind == fn.PercentRank && size == 1:
		return 0.0
	case f.Kind == fn.PercentRank:
		return float64(from) / float64(size-1)
	case f.Kind == fn.CumeDist:
		return float64(to) / float64(size)
	case f.Kind == fn.NTile:
		var tiles []int64
		for t := range int(f.N) {
			k := size / int(f.N)
			if t < size%int(f.N) {
				k++
			}
			for range k {
				tiles = append(tiles, int64(t+1))
			}
		}
		return tiles[i]
	}
	return n.away(f, i)
}

func (n *naiveOver) away(f *OverFunc, i int) any {
	step, left := 1, f.N
	if f.Kind == fn.Lag {
		step = -1
	}
	for j := i + step; j >= 0 && j < len(n.rows); j += step {
		v := n.rows[j][f.Args[0]]
		if v != nil || !f.IgnoreNulls {
			left--
		}
		if left == 0 {
			return v
		}
	}
	if len(f.Args) > 1 {
		return n.rows[i][f.Args[1]]
	}
	return nil
}

// frame lists the rows of a frame.
func (n *naiveOver) frame(f *OverFrame, i int) []int {
	var out []int
	from, to := n.peers(i)
	start, end := n.bound(f.Unit, f.Start, i, false), n.bound(f.Unit, f.End, i, true)
	for j := max(0, start); j < min(end, len(n.rows)); j++ {
		peer := j >= from && j < to
		if f.Exclude == fn.ExcludeCurrentRow && j == i || f.Exclude == fn.ExcludeGroup && peer || f.Exclude == fn.ExcludeTies && peer && j != i {
			continue
		}
		out = append(out, j)
	}
	return out
}

func (n *naiveOver) bound(unit fn.FrameUnit, b OverBound, i int, end bool) int {
	from, to := n.peers(i)
	more := 0
	if end {
		more = 1
	}
	switch {
	case b.Kind == fn.UnboundedPreceding:
		return 0
	case b.Kind == fn.UnboundedFollowing:
		return len(n.rows)
	case unit == fn.FrameSession:
		return n.session(b, i, end)
	case unit == fn.FrameRows && b.Kind == fn.CurrentRow:
		return i + more
	case unit == fn.FrameRows && b.Kind == fn.Preceding:
		return i - int(b.Offset) + more
	case unit == fn.FrameRows:
		return i + int(b.Offset) + more
	case unit == fn.FrameGroups:
		for k := int64(0); b.Kind == fn.Preceding && k < b.Offset; k++ {
			if from == 0 {
				return 0
			}
			from, to = n.peers(from - 1)
		}
		for k := int64(0); b.Kind == fn.Following && k < b.Offset; k++ {
			if to == len(n.rows) {
				return to
			}
			from, to = n.peers(to)
		}
	case b.Kind != fn.CurrentRow && n.rows[i][overK] != nil:
		limit := n.rows[i][b.Limit]
		for j, r := range n.rows {
			if r[overK] == nil && n.cfg.Order[0].Order.NullsFirst() {
				continue
			}
			c := 1
			if r[overK] != nil {
				c = n.byOrder(r[overK], limit)
			}
			if c > 0 || c == 0 && !end {
				return j
			}
		}
		return len(n.rows)
	}
	if end {
		return to
	}
	return from
}

// session is where the session of a row begins or ends.
func (n *naiveOver) session(b OverBound, i int, end bool) int {
	joined := func(a, z []any) bool {
		if a[overK] == nil || z[overK] == nil {
			return a[overK] == nil && z[overK] == nil
		}
		return n.byOrder(z[overK], a[b.Limit]) < 0
	}
	if !end {
		for i > 0 && joined(n.rows[i-1], n.rows[i]) {
			i--
		}
		return i
	}
	for i++; i < len(n.rows) && joined(n.rows[i-1], n.rows[i]); i++ {
	}
	return i
}

// overFrame computes over the values of the rows of a frame.
func (n *naiveOver) overFrame(f *OverFunc, frame []int) any {
	var all, vals []any
	for _, j := range frame {
		v := n.rows[j][overV]
		if f.Agg != nil && f.Agg.Filter >= 0 && n.rows[j][f.Agg.Filter] == nil {
			continue
		}
		all = append(all, v)
		if v != nil {
			vals = append(vals, v)
		}
	}
	if f.Agg == nil {
		if f.IgnoreNulls {
			all = vals
		}
		at := 0
		switch f.Kind {
		case fn.LastValue:
			at = len(all) - 1
		case fn.NthValue:
			at = int(f.N) - 1
		}
		if at < 0 || at >= len(all) {
			return nil
		}
		return all[at]
	}
	return naiveAgg(n.names[f], all, vals)
}

// naiveAgg computes the aggregates that the tests use.
func naiveAgg(name string, all, vals []any) any {
	switch name {
	case "count":
		return int64(len(all))
	case "list":
		return append([]any{}, vals...)
	case "distinct":
		slices.SortFunc(vals, naiveCompare)
		return int64(len(slices.Compact(vals)))
	}
	if len(vals) == 0 {
		return nil
	}
	if name == "min" {
		return slices.MinFunc(vals, naiveCompare)
	}
	sum := int64(0)
	for _, v := range vals {
		sum += v.(int64)
	}
	return sum
}
