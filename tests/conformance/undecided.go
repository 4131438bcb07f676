package conformance

import (
	"slices"
	"strconv"
	"strings"
)

// undecided reports that a query does not say which rows it gives, or in which order, and
// that those expected are as right as those got: rows that are equal by all keys of ORDER BY
// come in any order, and LIMIT takes any of them. The keys must be columns of the result, to
// be compared; without LIMIT the rows must be the same, with it both must be among those
// without.
func (r *runner) undecided(s *step, sql string, res *result) bool {
	toks := tokens(sql)
	order, limit := -1, -1
	for i, t := range toks {
		if t.depth != 0 {
			continue
		}
		switch {
		case t.is("order") && i+1 < len(toks) && toks[i+1].is("by"):
			order, limit = i, -1
		case (t.is("limit") || t.is("fetch") || t.is("offset")) && limit < 0:
			limit = i
		case t.is("union") || t.is("intersect") || t.is("except"):
			order, limit = -1, -1
		}
	}
	got := r.d.lines(res, s)
	if order < 0 && limit < 0 || s.hashed || len(got) == 0 || len(res.cols) == 0 {
		return false
	}
	t := *s
	if len(t.want) != len(got) {
		t.want = regrouped(t.want, len(res.cols))
	}
	if order >= 0 {
		keys, ok := orderColumns(sql, toks, order, limit, res)
		if !ok {
			return false
		}
		k := t
		k.want = cellsAt(t.want, keys)
		if r.d.compare(&k, cellsAt(got, keys), len(keys), noSort) != nil {
			return false
		}
	}
	if limit < 0 {
		return r.d.compare(&t, got, len(res.cols), rowSort) == nil
	}
	all, err := rowsOf(r.ctx, r.batch, sql[:toks[limit].start])
	if err != nil || len(t.want) != len(got) {
		return false
	}
	lines := r.d.folded(r.d.lines(all, s))
	return among(r.d.folded(t.want), lines) && among(r.d.folded(got), lines)
}

// orderColumns are the columns by which the ORDER BY at a place orders; not ok if it orders by
// something else.
func orderColumns(sql string, toks []token, order, limit int, res *result) ([]int, bool) {
	end := len(toks)
	if limit >= 0 {
		end = limit
	}
	var keys []int
	for _, item := range splitAt(toks[order+2:end], 0) {
		for len(item) > 1 && slices.ContainsFunc([]string{"asc", "desc", "nulls", "first", "last"}, item[len(item)-1].is) {
			item = item[:len(item)-1]
		}
		text := span(sql, item)
		if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= len(res.cols) {
			keys = append(keys, n-1)
			continue
		}
		if len(item) != 1 && !(len(item) == 3 && item[1].text == ".") {
			return nil, false
		}
		name, found := item[len(item)-1].name(), -1
		for i, c := range res.cols {
			if strings.EqualFold(c.Name, name) {
				if found >= 0 {
					return nil, false
				}
				found = i
			}
		}
		if found < 0 {
			return nil, false
		}
		keys = append(keys, found)
	}
	return keys, len(keys) > 0
}

// cellsAt are some columns of rows.
func cellsAt(lines []string, at []int) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		cells := strings.Split(l, "\t")
		var some []string
		for _, k := range at {
			if k < len(cells) {
				some = append(some, cells[k])
			}
		}
		out[i] = strings.Join(some, "\t")
	}
	return out
}

// among reports that each row, as often as it is there, is one of all.
func among(rows, all []string) bool {
	left := slices.Clone(all)
	for _, row := range rows {
		i := slices.IndexFunc(left, func(l string) bool { return sameLine(row, l) })
		if i < 0 {
			return false
		}
		left = slices.Delete(left, i, i+1)
	}
	return true
}

// ordered reports an ORDER BY of the whole query.
func ordered(toks []token) bool {
	for len(toks) > 1 && toks[0].text == "(" && closing(toks, 0) == len(toks)-1 {
		toks = toks[1 : len(toks)-1]
	}
	return slices.ContainsFunc(toks, func(t token) bool { return t.depth == toks[0].depth && t.is("order") })
}
