package reference

import (
	"cmp"
	"slices"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// session gives each row the bounds of its session: of the rows of its partition in order
// of time, one that begins before all those before it have ended goes on with them.
func (i *interpreter) session(s *logical.Session) ([]Row, error) {
	in, err := i.node(s.Input)
	if err != nil {
		return nil, err
	}
	spans := make([][2]int64, len(in))
	byText := map[string][]int{}
	var order []string
	for k, r := range in {
		bounds, err := i.evalAll([]expr.Node{s.Time, s.End}, r, s.Input.Schema())
		if err != nil {
			return nil, err
		}
		key, err := i.evalAll(s.Partition, r, s.Input.Schema())
		if err != nil {
			return nil, err
		}
		if i.Refuse != nil && i.Refuse(s, bounds, r.Moment) {
			continue
		}
		spans[k] = [2]int64{bounds[0].(int64), bounds[1].(int64)}
		if _, there := byText[Text(key)]; !there {
			order = append(order, Text(key))
		}
		byText[Text(key)] = append(byText[Text(key)], k)
	}
	var out []Row
	for _, key := range order {
		out = append(out, sessionsOf(in, spans, byText[key])...)
	}
	return out, nil
}

// sessionsOf appends bounds to the rows of a partition, which cover the given spans.
func sessionsOf(in []Row, spans [][2]int64, rows []int) []Row {
	slices.SortStableFunc(rows, func(a, b int) int { return cmp.Compare(spans[a][0], spans[b][0]) })
	var out []Row
	for len(rows) > 0 {
		start, end := spans[rows[0]][0], spans[rows[0]][1]
		n := 1
		for ; n < len(rows) && spans[rows[n]][0] < end; n++ {
			end = max(end, spans[rows[n]][1])
		}
		for _, r := range rows[:n] {
			out = append(out, Row{append(append([]any(nil), in[r].Values...), start, end), in[r].Moment})
		}
		rows = rows[n:]
	}
	return out
}
