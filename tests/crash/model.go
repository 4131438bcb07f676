package crash

import (
	"fmt"
	"math"
	"slices"
)

// taken is what one batch took, by the checkpoint.
type taken struct {
	id   int64
	now  int64            // trigger time, µs; 0 = purged
	rows map[string][]row // by source, in order
}

func (t taken) has(source string) bool { return len(t.rows[source]) > 0 }

// expected is what must have come out: rows by sink and batch, sorted, and late rows by
// batch (nil = the model does not say).
type expected struct {
	rows []map[int64][]string
	late map[int64]int64
}

// model computes, naively and without any state of the engine, what the sinks must hold.
type model func(history []taken) expected

func newExpected(sinks int) expected {
	e := expected{late: map[int64]int64{}}
	for range sinks {
		e.rows = append(e.rows, map[int64][]string{})
	}
	return e
}

func (e *expected) add(sink int, batch int64, format string, args ...any) {
	e.rows[sink][batch] = append(e.rows[sink][batch], fmt.Sprintf(format, args...))
}

func (e *expected) sort() expected {
	for _, s := range e.rows {
		for _, rows := range s {
			slices.Sort(rows)
		}
	}
	return *e
}

const delay = 10 * minute

// watermark after rows.
func watermark(w int64, rows []row) int64 {
	for _, r := range rows {
		w = max(w, r.us-delay)
	}
	return w
}

// group is an open window of one key.
type group struct {
	start int64
	who   string
}

type sums struct{ n, s int64 }

// closed takes out the groups whose window ends by w.
func closed(open map[group]sums, size, w int64) map[group]sums {
	out := map[group]sums{}
	for g, x := range open {
		if g.start+size <= w {
			out[g] = x
			delete(open, g)
		}
	}
	return out
}

func floor(us, width int64) int64 { return us - ((us%width)+width)%width }

func add(open map[group]sums, g group, v int64) {
	x := open[g]
	open[g] = sums{x.n + 1, x.s + v}
}

func dedupModel(history []taken) expected {
	e := newExpected(1)
	w := int64(math.MinInt64)
	type key struct{ id, us int64 }
	seen, open := map[key]bool{}, map[group]sums{}
	for _, b := range history {
		for _, r := range b.rows["a"] {
			switch {
			case r.us < w:
				e.late[b.id]++
			case !seen[key{r.ID, r.us}]:
				seen[key{r.ID, r.us}] = true
				add(open, group{floor(r.us, 10*minute), r.Who}, r.V)
			}
		}
		w = watermark(w, b.rows["a"])
		for g, x := range closed(open, 10*minute, w) {
			e.add(0, b.id, "%d|%s|%d|%d", g.start, g.who, x.n, x.s)
		}
	}
	return e.sort()
}

func filterModel(history []taken) expected {
	e := newExpected(1)
	for _, b := range history {
		for _, r := range b.rows["a"] {
			if r.V%3 != 0 {
				e.add(0, b.id, "%d|%d|%s|%d", r.ID, r.V, r.Pad, r.ID%2)
			}
		}
	}
	return e.sort()
}

func setModel(history []taken) expected {
	e := newExpected(2)
	e.late = nil // a late row of one branch counts in the other
	w, open := int64(math.MinInt64), map[group]sums{}
	for _, b := range history {
		for _, r := range b.rows["a"] {
			for s := floor(r.us, 5*minute); s > r.us-10*minute; s -= 5 * minute {
				if s+10*minute > w {
					add(open, group{s, ""}, r.V)
				}
			}
			if r.V%3 != 0 {
				e.add(1, b.id, "%d|%d|%s", r.ID, r.V, r.Pad)
			}
		}
		w = watermark(w, b.rows["a"])
		for g, x := range closed(open, 10*minute, w) {
			e.add(0, b.id, "%d|%d|%d", g.start, x.n, x.s)
		}
	}
	return e.sort()
}

func updateModel(history []taken) expected {
	e := newExpected(1)
	type state struct {
		n, s, least int64
		ids         map[int64]bool
	}
	all := map[string]*state{}
	for _, b := range history {
		touched := map[string]bool{}
		for _, r := range b.rows["a"] {
			st := all[r.Who]
			if st == nil {
				st = &state{least: r.V, ids: map[int64]bool{}}
				all[r.Who] = st
			}
			st.n, st.s, st.least = st.n+1, st.s+r.V, min(st.least, r.V)
			st.ids[r.ID] = true
			touched[r.Who] = true
		}
		for who := range touched {
			st := all[who]
			e.add(0, b.id, "%s|%d|%d|%d|%d|+1", who, st.n, st.s, len(st.ids), st.least)
		}
	}
	return e.sort()
}

func nestedModel(history []taken) expected {
	e := newExpected(1)
	times, groups := map[int64]int64{}, map[int64]int64{}
	for _, b := range history {
		before := map[int64]int64{}
		for n, g := range groups {
			before[n] = g
		}
		for _, r := range b.rows["a"] {
			groups[times[r.ID]]--
			times[r.ID]++
			groups[times[r.ID]]++
		}
		for n := int64(1); n < 1000; n++ {
			if before[n] == groups[n] {
				continue
			}
			if before[n] > 0 {
				e.add(0, b.id, "%d|%d|-1", n, before[n])
			}
			if groups[n] > 0 {
				e.add(0, b.id, "%d|%d|+1", n, groups[n])
			}
		}
	}
	return e.sort()
}

// idleModel: windows over the union of two sources, of which one that is silent for a
// minute holds nobody back.
func idleModel(history []taken) expected {
	e := newExpected(1)
	names := []string{"a", "b"}
	w := map[string]int64{"a": math.MinInt64, "b": math.MinInt64}
	arrived := map[string]int64{}
	front, open := int64(math.MinInt64), map[group]sums{}
	for _, b := range history {
		least := int64(math.MaxInt64)
		for _, name := range names {
			if _, ok := arrived[name]; !ok || b.has(name) {
				arrived[name] = b.now
			}
			for _, r := range b.rows[name] {
				if s := floor(r.us, 10*minute); s+10*minute <= front {
					e.late[b.id]++
				} else {
					add(open, group{s, ""}, r.V)
				}
			}
			w[name] = watermark(w[name], b.rows[name])
			if b.now-arrived[name] < minute {
				least = min(least, w[name])
			}
		}
		if least != math.MaxInt64 {
			front = max(front, least)
		}
		for g, x := range closed(open, 10*minute, front) {
			e.add(0, b.id, "%d|%d|%d", g.start, x.n, x.s)
		}
	}
	return e.sort()
}

func nowModel(history []taken) expected {
	e := newExpected(1)
	for _, b := range history {
		for _, r := range b.rows["a"] {
			e.add(0, b.id, "%d|%d|%d|+1", r.ID, r.V, b.now)
		}
	}
	return e.sort()
}

func unionModel(history []taken) expected {
	e := newExpected(1)
	for _, b := range history {
		for _, r := range append(append([]row(nil), b.rows["a"]...), b.rows["b"]...) {
			e.add(0, b.id, "%d|%d", r.ID, r.V)
		}
	}
	return e.sort()
}

// joinModel: the whole result after each batch with input.
func joinModel(table []file) model {
	known := map[int64]bool{}
	for _, f := range table {
		for _, r := range f.rows {
			known[r.ID] = true
		}
	}
	return func(history []taken) expected {
		e := newExpected(1)
		seen, all := map[int64]bool{}, map[bool]sums{}
		for _, b := range history {
			for _, r := range b.rows["a"] {
				if !seen[r.ID] {
					seen[r.ID] = true
					x := all[known[r.ID]]
					all[known[r.ID]] = sums{x.n + 1, x.s + r.V}
				}
			}
			for k, x := range all {
				e.add(0, b.id, "%t|%d|%d|+1", k, x.n, x.s)
			}
		}
		return e.sort()
	}
}
