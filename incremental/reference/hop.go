package reference

import "github.com/sqlstream/sqlstream/planner/logical"

// hop gives each row once for every window that holds its time: each start that is
// offset plus a multiple of slide, with start ≤ time < start + size. A NULL time
// belongs to no window.
func (i *interpreter) hop(h *logical.Hop) ([]Row, error) {
	in, err := i.node(h.Input)
	if err != nil {
		return nil, err
	}
	var out []Row
	for _, r := range in {
		t, ok := r.Values[h.Time].(int64)
		if !ok {
			continue
		}
		if h.By != nil {
			windows, err := i.windows(h, r)
			if err != nil {
				return nil, err
			}
			for _, w := range windows {
				out = append(out, Row{append(append([]any(nil), r.Values...), w), r.Moment})
			}
			continue
		}
		for start := t; start > t-h.Size; {
			if off := (start - h.Offset) % h.Slide; off != 0 {
				start -= (off + h.Slide) % h.Slide // down to the nearest start
				continue
			}
			out = append(out, Row{append(append([]any(nil), r.Values...), start), r.Moment})
			start -= h.Slide
		}
	}
	return out, nil
}
