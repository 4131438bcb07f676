package conformance

import "strings"

// known is what the first schedule has told about a file. The others run what can come out
// otherwise.
type known struct {
	outcomes []outcome
	late     map[string]bool // by name, folded: what a view reads for which a row came too late
	apart    map[string]bool // tables of many rows, which the batch engine holds alone
}

// bulkRows is how many rows make a table one of the batch engine alone.
const bulkRows = 5000

// knows reports that a step of a later schedule need not run: it failed before, it reads no
// table, or it has to do with a table of many rows.
func (r *runner) knows(s *step, i int) bool {
	if s.change || s.kind == reset || s.kind == flush || s.kind == pause || s.skip != "" {
		return false
	}
	o := r.first.outcomes[i]
	sql := r.d.rewrite(s.sql)
	if o.verdict == failed && o.cause != accepted {
		r.spoil(sql, o)
		return true
	}
	if r.touchesApart(sql) || s.wantError && o.verdict == passed {
		return true
	}
	return s.kind == query && len(r.named(sql)) == 0 && ruleOf(r.d, sql) == "" && isSelect(tokens(sql))
}

// touchesApart reports that a text names a table of many rows; what it makes or changes is
// such a table from then on.
func (r *runner) touchesApart(sql string) bool {
	for _, n := range r.namesIn(sql) {
		if r.apart[n] {
			if toks := tokens(sql); len(toks) > 1 && toks[0].is("prepare") {
				r.apart[strings.ToLower(toks[1].name())] = true
			} else if !isSelect(toks) && !toks[0].is("execute") {
				r.apart[strings.ToLower(target(toks))] = true
			}
			return true
		}
	}
	return false
}

// isSelect reports a query that changes nothing.
func isSelect(toks []token) bool {
	return len(toks) > 0 && !givesCount(toks) && (toks[0].is("select") || toks[0].is("from") || toks[0].is("with") || toks[0].is("values") || toks[0].text == "(")
}
