package reference

import (
	"slices"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// over sorts each partition and computes every function for every row over the list of
// the rows of its frame.
func (i *interpreter) over(o *logical.Over) ([]Row, error) {
	in, err := i.node(o.Input)
	if err != nil {
		return nil, err
	}
	in = i.onTime(o, in, wholeRow)
	groups, err := i.partitions(o, in)
	if err != nil {
		return nil, err
	}
	var out []Row
	for _, g := range groups {
		p, err := i.partition(o, g.rows)
		if err != nil {
			return nil, err
		}
		for k, r := range p.rows {
			vals := slices.Clone(r.Values)
			for _, f := range o.Funcs {
				v, err := p.value(f, k)
				if err != nil {
					return nil, err
				}
				vals = append(vals, v)
			}
			out = append(out, Row{vals, r.Moment})
		}
	}
	return out, nil
}

// partitions groups rows by the text of their keys.
func (i *interpreter) partitions(o *logical.Over, in []Row) ([]*group, error) {
	var out []*group
	byText := map[string]*group{}
	for _, r := range in {
		key, err := i.evalAll(o.PartitionBy, r, o.Input.Schema())
		if err != nil {
			return nil, err
		}
		g := byText[Text(key)]
		if g == nil {
			g = &group{key: key}
			byText[Text(key)] = g
			out = append(out, g)
		}
		g.rows = append(g.rows, r)
	}
	return out, nil
}

// partition is the rows of one partition, in order, with their order keys.
type partition struct {
	*interpreter
	o    *logical.Over
	rows []Row
	keys [][]any
}

func (i *interpreter) partition(o *logical.Over, rows []Row) (*partition, error) {
	rows, err := i.ordered(rows, o.Order, o.Input)
	p := &partition{interpreter: i, o: o, rows: rows}
	for _, r := range rows {
		var key []any
		for _, k := range o.Order {
			v, err := i.eval(k.Expr, r, o.Input.Schema())
			if err != nil {
				return nil, err
			}
			key = append(key, v)
		}
		p.keys = append(p.keys, key)
	}
	return p, err
}

// peers are the first row equal to row k in the order, and the one after the lfn.
func (p *partition) peers(k int) (first, end int) {
	first, end = k, k+1
	for first > 0 && compareRows(p.keys[first-1], p.keys[k]) == 0 {
		first--
	}
	for end < len(p.rows) && compareRows(p.keys[end], p.keys[k]) == 0 {
		end++
	}
	return first, end
}

// value is a function at row k.
func (p *partition) value(f logical.OverFunc, k int) (any, error) {
	if f.Window == nil {
		frame, err := p.frame(f.Frame, k)
		if err != nil {
			return nil, err
		}
		rows := make([]Row, len(frame))
		for i, j := range frame {
			rows[i] = p.rows[j]
		}
		return p.call(f.Agg, rows, p.o.Input)
	}
	switch {
	case len(f.Order) > 0:
		return p.inner(f, k)
	case f.Window.Kind.Framed():
		return p.framed(f, k)
	case f.Window.Kind == fn.Fill:
		return p.fill(f, k)
	}
	first, end := p.peers(k)
	n := len(p.rows)
	switch f.Window.Kind {
	case fn.RowNumber:
		return int64(k + 1), nil
	case fn.Rank:
		return int64(first + 1), nil
	case fn.DenseRank:
		return p.groupsBefore(k) + 1, nil
	case fn.PercentRank:
		if n == 1 {
			return 0.0, nil
		}
		return float64(first) / float64(n-1), nil
	case fn.CumeDist:
		return float64(end) / float64(n), nil
	case fn.NTile:
		tiles, err := p.steer(f, k)
		if err != nil || tiles == nil {
			return nil, err
		}
		return ntile(int64(k), int64(n), tiles.(int64)), nil
	}
	return p.away(f, k)
}

// groupsBefore counts the groups of peers before that of row k.
func (p *partition) groupsBefore(k int) int64 {
	n := int64(0)
	for first, _ := p.peers(k); first > 0; first, _ = p.peers(first - 1) {
		n++
	}
	return n
}

// ntile deals n rows to tiles one after the other.
func ntile(k, n, tiles int64) int64 {
	at := int64(0)
	for t := int64(1); ; t++ {
		at += n / tiles
		if t <= n%tiles {
			at++
		}
		if k < at {
			return t
		}
	}
}

// away is lag and lead.
func (p *partition) away(f logical.OverFunc, k int) (any, error) {
	step := 1
	if f.Window.Kind == fn.Lag {
		step = -1
	}
	n, err := p.steer(f, k)
	if err != nil || n == nil {
		return nil, err
	}
	left := n.(int64)
	if left < 0 {
		left, step = -left, -step
	}
	for j := k; j >= 0 && j < len(p.rows); j += step {
		v, err := p.argument(f, 0, j)
		if err != nil {
			return nil, err
		}
		if j != k && (v != nil || !f.IgnoreNulls) {
			left--
		}
		if left == 0 {
			return v, nil
		}
	}
	return p.otherwise(f, k)
}

// otherwise is the default of lag and lead.
func (p *partition) otherwise(f logical.OverFunc, k int) (any, error) {
	values := len(f.Args)
	if f.Impl.Steered {
		values--
	}
	if values > 1 {
		return p.argument(f, 1, k)
	}
	return nil, nil
}

// steer is what steers a function at row k, nil where it is NULL.
func (p *partition) steer(f logical.OverFunc, k int) (any, error) {
	if !f.Impl.Steered {
		return f.Impl.N, nil
	}
	return p.argument(f, len(f.Args)-1, k)
}

func (p *partition) argument(f logical.OverFunc, arg, row int) (any, error) {
	return p.eval(f.Args[arg], p.rows[row], p.o.Input.Schema())
}

// framed is first_value, last_value and nth_value.
func (p *partition) framed(f logical.OverFunc, k int) (any, error) {
	frame, err := p.frame(f.Frame, k)
	if err != nil {
		return nil, err
	}
	return p.nth(f, k, frame)
}

// nth takes one of the values of rows.
func (p *partition) nth(f logical.OverFunc, k int, rows []int) (any, error) {
	var vals []any
	for _, j := range rows {
		v, err := p.argument(f, 0, j)
		if err != nil {
			return nil, err
		}
		if v != nil || !f.IgnoreNulls {
			vals = append(vals, v)
		}
	}
	at := 0
	switch f.Window.Kind {
	case fn.LastValue:
		at = len(vals) - 1
	case fn.NthValue:
		n, err := p.steer(f, k)
		if err != nil || n == nil {
			return nil, err
		}
		at = int(min(n.(int64), 1<<40)) - 1
	}
	if at < 0 || at >= len(vals) {
		return nil, nil
	}
	return vals[at], nil
}

// frame lists the rows of the frame of row k.
func (p *partition) frame(f logical.Frame, k int) ([]int, error) {
	start, err := p.bound(f.Unit, f.Start, k, false)
	if err != nil {
		return nil, err
	}
	end, err := p.bound(f.Unit, f.End, k, true)
	if err != nil {
		return nil, err
	}
	first, last := p.peers(k)
	var out []int
	for j := max(start, 0); j < min(end, len(p.rows)); j++ {
		peer := j >= first && j < last
		switch {
		case f.Exclude == fn.ExcludeCurrentRow && j == k,
			f.Exclude == fn.ExcludeGroup && peer,
			f.Exclude == fn.ExcludeTies && peer && j != k:
			continue
		}
		out = append(out, j)
	}
	return out, nil
}

// bound is the first row of the frame or, for an end, the one after the lfn.
func (p *partition) bound(unit fn.FrameUnit, b logical.FrameBound, k int, end bool) (int, error) {
	switch b.Kind {
	case fn.UnboundedPreceding:
		return 0, nil
	case fn.UnboundedFollowing:
		return len(p.rows), nil
	}
	if b.By != nil {
		by, err := p.eval(b.By, p.rows[k], p.o.Input.Schema())
		if err != nil {
			return 0, err
		}
		b.Offset = min(by.(int64), int64(len(p.rows)))
	}
	switch unit {
	case fn.FrameRows:
		return p.rowBound(b, k) + boolInt(end), nil
	case fn.FrameGroups:
		return p.groupBound(b, k, end), nil
	case fn.FrameSession:
		return p.sessionBound(b, k, end)
	}
	return p.rangeBound(b, k, end)
}

// sessionBound walks from row to row, as long as the next one comes before the end of the gap.
func (p *partition) sessionBound(b logical.FrameBound, k int, end bool) (int, error) {
	step, at := -1, k
	if end {
		step = 1
	}
	for ; at+step >= 0 && at+step < len(p.rows); at += step {
		first, second := min(at, at+step), max(at, at+step)
		x, y := p.keys[first][0], p.keys[second][0]
		if x == nil && y == nil {
			continue
		}
		if x == nil || y == nil {
			break
		}
		limit, err := p.eval(b.Limit, p.rows[first], p.o.Input.Schema())
		if err != nil {
			return 0, err
		}
		if limit != nil && compareBy(y, limit, p.o.Order[0]) >= 0 {
			break
		}
	}
	return at + boolInt(end), nil
}

func (p *partition) rowBound(b logical.FrameBound, k int) int {
	switch b.Kind {
	case fn.Preceding:
		return k - int(b.Offset)
	case fn.Following:
		return k + int(b.Offset)
	}
	return k
}

// groupBound walks from group to group.
func (p *partition) groupBound(b logical.FrameBound, k int, end bool) int {
	first, last := p.peers(k)
	for n := int64(0); b.Kind == fn.Preceding && n < b.Offset; n++ {
		if first == 0 { // the group before the first one
			return 0
		}
		first, last = p.peers(first - 1)
	}
	for n := int64(0); b.Kind == fn.Following && n < b.Offset; n++ {
		if last == len(p.rows) {
			return len(p.rows)
		}
		first, last = p.peers(last)
	}
	if end {
		return last
	}
	return first
}

// rangeBound compares the order key of each row with the limit. Rows whose key is NULL are
// peers of one another and no one else's.
func (p *partition) rangeBound(b logical.FrameBound, k int, end bool) (int, error) {
	first, last := p.peers(k)
	if b.Kind == fn.CurrentRow || p.keys[k][0] == nil {
		if end {
			return last, nil
		}
		return first, nil
	}
	limit, err := p.eval(b.Limit, p.rows[k], p.o.Input.Schema())
	if err != nil {
		return 0, err
	}
	from, to := 0, len(p.rows) // the rows whose key is not NULL
	for p.keys[from][0] == nil {
		from++
	}
	for p.keys[to-1][0] == nil {
		to--
	}
	if limit == nil {
		if b.Kind == fn.Preceding {
			return from, nil
		}
		return to, nil
	}
	for j := from; j < to; j++ {
		c := compareBy(p.keys[j][0], limit, p.o.Order[0])
		if c > 0 || c == 0 && !end {
			return j, nil
		}
	}
	return to, nil
}
