package conformance

// duckUnnests says that UNNEST leaves structs whole, as it does in DuckDB.
func duckUnnests(sql string) string {
	toks := tokens(sql)
	e := edits{sql: sql}
	for i := 0; i+1 < len(toks); i++ {
		if !toks[i].is("unnest") || toks[i+1].text != "(" || i > 0 && toks[i-1].text == "." {
			continue
		}
		end := closing(toks, i+1)
		if len(splitAt(toks[i+2:end], toks[i+1].depth+1)) == 1 {
			e.replace(toks[end].start, toks[end].start, ", max_depth := 1")
		}
	}
	return e.done()
}
