package conformance

import (
	"regexp"
	"strings"
)

// duckPrefixNames writes the name that DuckDB lets stand before what it names, x : a + 1 and
// FROM t : range(3), behind it.
func duckPrefixNames(sql string) string {
	for from := 1; ; {
		toks := tokens(sql)
		i := from
		for i+2 < len(toks) && !namesBefore(toks, i) {
			i++
		}
		if i+2 >= len(toks) {
			return sql
		}
		from = i + 1
		end, table := i+2, !inItems(toks, i)
		for end < len(toks) && toks[end].depth >= toks[i].depth && !(toks[end].depth == toks[i].depth && endsNamed(toks[end], table)) {
			end++
		}
		name := toks[i].text
		if toks[i].kind == text {
			name = quote(strings.Trim(name, "'"))
		}
		sql = sql[:toks[i].start] + sql[toks[i+2].start:toks[end-1].end] + " AS " + name + sql[toks[end-1].end:]
	}
}

// namesBefore reports name : at the begin of an item of a select list or of FROM.
func namesBefore(toks []token, i int) bool {
	t := toks[i]
	if t.kind == number || t.kind == symbol || toks[i+1].text != ":" || toks[i+1].depth != t.depth {
		return false
	}
	prev := toks[i-1]
	for _, w := range []string{"select", "distinct", "from", "join"} {
		if prev.is(w) {
			return true
		}
	}
	return prev.text == "," && (inItems(toks, i) || afterFrom(toks, i))
}

// inItems reports that the token at i is in a select list, not in a bracket within it.
func inItems(toks []token, i int) bool {
	for k := i - 1; k >= 0 && toks[k].depth >= toks[i].depth; k-- {
		if toks[k].depth == toks[i].depth && (endsItems(toks[k]) || toks[k].is("join")) {
			return false
		}
		if toks[k].depth == toks[i].depth && toks[k].is("select") {
			return true
		}
	}
	return false
}

func endsNamed(t token, table bool) bool {
	if t.text == "," || endsItems(t) {
		return true
	}
	return table && !isAlias(t) && t.kind == word
}

var duckPlace = regexp.MustCompile(`^\d+$`)

// duckPlaces writes the places of ORDER BY and GROUP BY, #2, as the numbers that they are.
func duckPlaces(sql string) string {
	toks := tokens(sql)
	e := edits{sql: sql}
	for i := 1; i+1 < len(toks); i++ {
		if toks[i].text != "#" || !duckPlace.MatchString(toks[i+1].text) || toks[i].end != toks[i+1].start {
			continue
		}
		k := i - 1
		for k > 0 && toks[k].depth == toks[i].depth && !toks[k].is("by") && !toks[k].is("select") {
			k--
		}
		if toks[k].is("by") && toks[k].depth == toks[i].depth && (toks[i-1].is("by") || toks[i-1].text == ",") {
			e.replace(toks[i].start, toks[i].end, "")
		}
	}
	return e.done()
}

// spaces are the schemas and databases that statements which are not applicable made, with
// the rule of those.
type spaces map[string]string

// note keeps what a statement under a rule makes.
func (s spaces) note(sql, rule string) {
	toks := tokens(sql)
	switch {
	case hasWords(toks[:min(2, len(toks))], "create", "schema") || hasWords(toks[:min(2, len(toks))], "create", "database"):
		s[strings.ToLower(target(skipWord(toks, "database")))] = rule
	case len(toks) > 2 && toks[0].is("attach"):
		for i, t := range toks[:len(toks)-1] {
			if t.is("as") {
				s[strings.ToLower(toks[i+1].name())] = rule
			}
		}
	}
}

func skipWord(toks []token, w string) []token {
	var out []token
	for _, t := range toks {
		if !t.is(w) {
			out = append(out, t)
		}
	}
	return out
}

// ruleOf is the rule of a statement that names an object of such a schema or database.
func (s spaces) ruleOf(sql string) string {
	if len(s) == 0 {
		return ""
	}
	toks := tokens(sql)
	for i := 1; i+1 < len(toks); i++ {
		rule := s[strings.ToLower(toks[i].name())]
		if rule == "" || toks[i+1].text != "." || toks[i].kind != word && toks[i].kind != quoted {
			continue
		}
		for _, w := range []string{"from", "join", "into", "table", "view", "exists", "update", "macro", "function", "sequence", "type", "index", "on"} {
			if toks[i-1].is(w) {
				return rule
			}
		}
		if toks[i-1].text == "," && afterFrom(toks, i) {
			return rule
		}
	}
	return ""
}
