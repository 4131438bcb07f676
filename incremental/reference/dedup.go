package reference

import (
	"errors"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn/timewindow"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// dedup keeps the row of each key that arrived first. Within a watermark a key is
// forgotten at the end of the trigger in which the watermark reaches the time of its
// first row plus the delay, and may come again; each row carries the watermark that the
// trigger before left.
func (i *interpreter) dedup(d *logical.Dedup) ([]Row, error) {
	in, err := i.node(d.Input)
	if err != nil {
		return nil, err
	}
	in = i.onTime(d, in, wholeRow)
	key := func(r Row) []any {
		out := make([]any, len(d.Keys))
		for k, c := range d.Keys {
			out[k] = r.Values[c]
		}
		return out
	}
	if !d.Within {
		return firstOf(in, key), nil
	}
	col, w := eventTime(d.Input)
	if w == nil {
		return nil, errors.New("no column carries a watermark")
	}
	return within(in, key, col, timewindow.Micros(w.Delay)), nil
}

func within(rows []Row, key func(Row) []any, col int, delay int64) []Row {
	first := map[string]Row{}
	var out []Row
	for _, r := range rows {
		k := Text(key(r))
		old, seen := first[k]
		if seen && !forgotten(old, col, delay, r) {
			continue
		}
		first[k] = r
		out = append(out, r)
	}
	return out
}

// forgotten tells that the key of an earlier row is not known any more when r arrives.
func forgotten(old Row, col int, delay int64, r Row) bool {
	t, ok := old.Values[col].(int64)
	return ok && old.Batch != r.Batch && r.Watermark >= t+delay
}

// eventTime finds the column that carries the watermark of the scan below, unchanged.
func eventTime(n logical.Node) (int, *logical.Watermark) {
	switch n := n.(type) {
	case *logical.Scan:
		if n.Watermark == nil {
			return 0, nil
		}
		return n.Watermark.Col, n.Watermark
	case *logical.Project:
		col, w := eventTime(n.Input)
		for k, e := range n.Exprs {
			if c, ok := e.(*expr.Column); ok && w != nil && c.Index == col {
				return k, w
			}
		}
		return 0, nil
	case *logical.Filter, *logical.Unnest, *logical.Hop, *logical.Session, *logical.Distinct, *logical.Dedup, *logical.Join:
		return eventTime(n.Children()[0])
	}
	return 0, nil
}
