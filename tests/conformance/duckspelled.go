package conformance

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// approximate reports that the numbers of distinct values that are expected are as good as
// those got: both lie near the exact ones, which another query tells, and all else is equal.
func (r *runner) approximate(s *step, sql string, res *result) bool {
	toks := tokens(sql)
	e := edits{sql: sql}
	for i := 0; i+1 < len(toks); i++ {
		switch {
		case toks[i+1].text != "(":
		case toks[i].is("approx_count_distinct"):
			e.replace(toks[i].start, toks[i+1].end, "count(DISTINCT ")
		case toks[i].is("list_approx_count_distinct"):
			e.replace(toks[i].start, toks[i].end, "list_unique")
		}
	}
	exact := e.done()
	if exact == sql {
		return false
	}
	again, err := rowsOf(r.ctx, r.batch, exact)
	if err != nil {
		return false
	}
	right := r.d.folded(values(r.d.lines(again, s)))
	near := func(lines []string) bool {
		return slices.EqualFunc(r.d.folded(values(lines)), right, func(a, b string) bool { return a == b || nearNumber(a, b) })
	}
	return near(s.want) && near(r.d.lines(res, s))
}

// nearNumber reports numbers that differ by a twentieth at most.
func nearNumber(a, b string) bool {
	x, err1 := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	return err1 == nil && err2 == nil && math.Abs(x-y) <= math.Abs(y)/20
}

// declaredNames spells the columns in the lists of UNPIVOT as they are declared: they are the
// values of its rows.
func (r *runner) declaredNames(sql string) string {
	toks := tokens(sql)
	start := slices.IndexFunc(toks, func(t token) bool { return t.is("unpivot") })
	if start < 0 {
		return sql
	}
	declared := map[string]string{}
	for _, n := range r.named(sql) {
		if t := r.tables[n]; t != nil {
			for _, c := range t.relation.Columns {
				declared[strings.ToLower(c.Name)] = c.Name
			}
		}
	}
	e := edits{sql: sql}
	for i := start; i+1 < len(toks); i++ {
		if !toks[i].is("in") || toks[i+1].text != "(" {
			continue
		}
		for k := i + 2; k < closing(toks, i+1); k++ {
			if name := declared[strings.ToLower(toks[k].text)]; name != "" && toks[k].kind == word && !toks[k-1].is("as") {
				e.replace(toks[k].start, toks[k].end, quote(name))
			}
		}
	}
	return e.done()
}

// joinedStar names the columns of SELECT * over a join with USING or of a NATURAL one as DuckDB
// orders them: those of each table in their order, each name once.
func (r *runner) joinedStar(sql string) string {
	toks := tokens(sql)
	if len(toks) < 5 || !toks[0].is("select") || toks[1].text != "*" || !toks[2].is("from") || !hasWords(toks, "using") && !hasWords(toks, "natural") {
		return sql
	}
	var names []string
	for i := 2; i+1 < len(toks); i++ {
		t := r.tables[strings.ToLower(toks[i+1].name())]
		if toks[i].depth != 0 || !toks[i].is("from") && !toks[i].is("join") {
			continue
		}
		if t == nil {
			return sql
		}
		for _, c := range t.relation.Columns {
			if !slices.Contains(names, quote(c.Name)) {
				names = append(names, quote(c.Name))
			}
		}
	}
	return "SELECT " + strings.Join(names, ", ") + sql[toks[1].end:]
}
