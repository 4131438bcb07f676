package conformance

import "strings"

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

// flat writes schema.name of a schema that the file made as one name, since there are no schemas
// here. In FROM the name alone is the alias, so that columns are found by it, unless names of
// two schemas would be the same.
func (s spaces) flat(sql string) string {
	if len(s) == 0 {
		return sql
	}
	toks := tokens(sql)
	called := map[string]map[string]bool{}
	for i := range toks {
		if s.names(toks, i) {
			n := strings.ToLower(toks[i+2].name())
			if called[n] == nil {
				called[n] = map[string]bool{}
			}
			called[n][flatName(toks, i)] = true
		}
	}
	alias, from := map[string]string{}, map[int]bool{}
	for i := 1; i < len(toks); i++ {
		if !s.names(toks, i) || !(toks[i-1].is("from") || toks[i-1].is("join") || toks[i-1].text == "," && afterFrom(toks, i)) || toks[0].is("delete") {
			continue
		}
		whole := flatName(toks, i)
		if from[i] = i+3 == len(toks) || !toks[i+3].is("as") && !isAlias(toks[i+3]); from[i] {
			alias[whole] = whole
			if len(called[strings.ToLower(toks[i+2].name())]) == 1 {
				alias[whole] = toks[i+2].text
			}
		}
	}
	e := edits{sql: sql}
	for i := range toks {
		if !s.names(toks, i) || i == 0 {
			continue
		}
		switch whole := flatName(toks, i); {
		case from[i]:
			e.replace(toks[i].start, toks[i+2].end, whole+" AS "+alias[whole])
		case relationWord(toks[i-1]) || i > 1 && toks[i-1].text == "(" && (toks[i-2].is("tumble") || toks[i-2].is("hop") || toks[i-2].is("gap_fill")) || toks[i-1].text == "," && afterFrom(toks, i) || toks[i-1].is("on") && toks[0].is("create"):
			e.replace(toks[i].start, toks[i+2].end, whole)
		case i+4 < len(toks) && toks[i+3].text == "." && alias[whole] != "":
			e.replace(toks[i].start, toks[i+2].end, alias[whole])
		}
	}
	return e.done()
}

// names reports schema.name at i, without a database before it.
func (s spaces) names(toks []token, i int) bool {
	if i > 0 && i+3 < len(toks) && toks[i+3].text == "." && relationWord(toks[i-1]) {
		return false
	}
	return i+2 < len(toks) && toks[i+1].text == "." && s[strings.ToLower(toks[i].name())] != "" && toks[i].kind != text && (i == 0 || toks[i-1].text != ".")
}

func flatName(toks []token, i int) string {
	return strings.ToLower(toks[i].name() + "__" + toks[i+2].name())
}

// relationWord reports a word after which a relation is named.
func relationWord(t token) bool {
	for _, w := range []string{"from", "join", "into", "table", "view", "exists", "update"} {
		if t.is(w) {
			return true
		}
	}
	return false
}
