package random

// leaf is a column of a kind, or a literal if the scope has none and now and then.
func (g *grammar) leaf(sc scope, k Kind) *Expr {
	if list := sc[k]; len(list) > 0 && !g.chance(6) {
		return list[g.r.IntN(len(list))].clone()
	}
	return g.literal(k)
}

func (g *grammar) literal(k Kind) *Expr {
	v := drawValue(g.r, k)
	if k == Time {
		v = g.start + int64(g.r.IntN(20))*10*minute
	}
	if v == nil && g.chance(70) {
		return g.literal(k)
	}
	return &Expr{Kind: k, Text: Literal(k, v)}
}

// expr draws an expression of a kind.
func (g *grammar) expr(sc scope, k Kind, depth int) *Expr {
	if depth == 0 || g.chance(30) {
		return g.leaf(sc, k)
	}
	forms := g.forms(sc, k)
	f := forms[g.r.IntN(len(forms))]
	e := &Expr{Kind: k, Text: f.text, Duck: f.duck}
	for _, a := range f.args {
		e.Kids = append(e.Kids, g.expr(sc, a, depth-1))
	}
	return e
}

// form is a way to make an expression.
type form struct {
	text string
	args []Kind
	duck string
}

// forms lists the ways to make a kind: those of every kind, then its own.
func (g *grammar) forms(sc scope, k Kind) []form {
	out := []form{
		{text: "CASE WHEN $1 THEN $2 ELSE $3 END", args: []Kind{Bool, k, k}},
		{text: "coalesce($1, $2)", args: []Kind{k, k}},
	}
	switch k {
	case Int:
		return append(out, form{text: "($1 + 1)", args: []Kind{Int}}, form{text: "length($1)", args: []Kind{Str}, duck: "CAST(length($1) AS INT)"},
			form{text: "($1 % 3)", args: []Kind{Int}}, form{text: "nullif($1, $2)", args: []Kind{Int, Int}})
	case Big:
		return append(out, form{text: "($1 - $2)", args: []Kind{Big, Int}}, form{text: "CAST($1 AS BIGINT)", args: []Kind{Int}},
			form{text: "abs($1)", args: []Kind{Big}})
	case Dbl:
		return append(out, form{text: "($1 + $2)", args: []Kind{Dbl, Dbl}}, form{text: "CAST($1 AS DOUBLE)", args: []Kind{Int}},
			form{text: "($1 / 2)", args: []Kind{Int}}, form{text: "(- $1)", args: []Kind{Dbl}})
	case Dec:
		return append(out, form{text: "(- $1)", args: []Kind{Dec}}, form{text: "CAST($1 AS DECIMAL(10,2))", args: []Kind{Int}})
	case Str:
		return append(out, form{text: "($1 || $2)", args: []Kind{Str, Str}}, form{text: "upper($1)", args: []Kind{Str}},
			form{text: "substring($1, 1, 1)", args: []Kind{Str}}, form{text: "CAST($1 AS STRING)", args: []Kind{Int}})
	case Time:
		return []form{{text: "($1 + INTERVAL '10' MINUTE)", args: []Kind{Time}}, {text: "($1 - INTERVAL '5' MINUTE)", args: []Kind{Time}},
			{text: "date_trunc('hour', $1)", args: []Kind{Time}}, {text: "date_trunc('day', $1)", args: []Kind{Time}}, {text: "greatest($1, $2)", args: []Kind{Time, Time}},
			{text: "least($1, $2)", args: []Kind{Time, Time}}, {text: "coalesce($1, $2)", args: []Kind{Time, Time}},
			{text: "CAST(CAST($1 AS DATE) AS TIMESTAMP)", args: []Kind{Time}}}
	case Bool:
		return append(g.predicates(sc), out...)
	}
	return out
}

// predicates are the ways to make a BOOLEAN, of a kind that the scope has.
func (g *grammar) predicates(sc scope) []form {
	k := Bool
	for range 8 {
		if k = []Kind{Int, Int, Big, Dbl, Dec, Str, Str, Time, Bool}[g.r.IntN(9)]; len(sc[k]) > 0 {
			break
		}
	}
	return []form{
		{text: "($1 = $2)", args: []Kind{k, k}},
		{text: "($1 < $2)", args: []Kind{k, k}},
		{text: "($1 >= $2)", args: []Kind{k, k}},
		{text: "($1 <> $2)", args: []Kind{k, k}},
		{text: "($1 IS NULL)", args: []Kind{k}},
		{text: "($1 IS NOT NULL)", args: []Kind{k}},
		{text: "($1 IS DISTINCT FROM $2)", args: []Kind{k, k}},
		{text: "($1 IN ($2, $3))", args: []Kind{k, k, k}},
		{text: "($1 NOT IN ($2, $3))", args: []Kind{k, k, k}},
		{text: "($1 BETWEEN $2 AND $3)", args: []Kind{k, k, k}},
		{text: "($1 AND $2)", args: []Kind{Bool, Bool}},
		{text: "($1 OR $2)", args: []Kind{Bool, Bool}},
		{text: "(NOT $1)", args: []Kind{Bool}},
		{text: "($1 LIKE 'a%')", args: []Kind{Str}},
	}
}

// condition is a conjunct of WHERE, sometimes with a subquery.
func (g *grammar) condition(sc scope) *Expr {
	if g.chance(26) {
		return g.subquery(sc)
	}
	return g.simple(sc)
}

// having is a condition of HAVING: a subquery there reads the keys.
func (g *grammar) having(sc, keys scope) *Expr {
	if g.chance(20) {
		return g.subquery(keys)
	}
	return g.simple(sc)
}

func (g *grammar) simple(sc scope) *Expr {
	forms := g.predicates(sc)
	f := forms[g.r.IntN(len(forms))]
	e := &Expr{Kind: Bool, Text: f.text}
	for _, a := range f.args {
		e.Kids = append(e.Kids, g.expr(sc, a, 1))
	}
	return e
}

// aggregate draws a call of an aggregate, with DISTINCT and FILTER now and then.
func (g *grammar) aggregate(sc scope) *Expr {
	a := g.call()
	e := &Expr{Kind: a.kind, Text: a.text, Duck: a.duck}
	for _, k := range a.args {
		e.Kids = append(e.Kids, g.expr(sc, k, 1))
	}
	if g.chance(25) {
		n := len(e.Kids) + 1
		e.Kids = append(e.Kids, g.simple(sc))
		suffix := " FILTER (WHERE $" + string(rune('0'+n)) + ")"
		e.Text += suffix
		if e.Duck != "" && e.Duck != "-" {
			e.Duck += suffix
		}
	}
	return e
}

// aggregateCall is an aggregate with its argument kinds.
type aggregateCall struct {
	kind Kind
	text string
	args []Kind
	duck string
}

func (g *grammar) call() aggregateCall {
	other := Kind(g.r.IntN(int(Time) + 1))
	list := common(other)
	if g.chance(18) {
		list = oursAlone(other)
	}
	return list[g.r.IntN(len(list))]
}

// common are the aggregates that DuckDB computes too.
func common(other Kind) []aggregateCall {
	return []aggregateCall{
		{Big, "count(*)", nil, ""},
		{Big, "count(*)", nil, ""},
		{Big, "count($1)", []Kind{other}, ""},
		{Big, "count(DISTINCT $1)", []Kind{other}, ""},
		{Big, "sum($1)", []Kind{Int}, ""},
		{Big, "sum($1)", []Kind{Big}, ""},
		{Big, "sum(DISTINCT $1)", []Kind{Int}, ""},
		{Dec, "sum($1)", []Kind{Dec}, ""},
		{Dbl, "sum($1)", []Kind{Dbl}, ""},
		{Dbl, "avg($1)", []Kind{Int}, ""},
		{Dbl, "avg($1)", []Kind{Dbl}, ""},
		{Dbl, "avg(DISTINCT $1)", []Kind{Int}, ""},
		{other, "min($1)", []Kind{other}, ""},
		{other, "max($1)", []Kind{other}, ""},
		{Bool, "bool_and($1)", []Kind{Bool}, ""},
		{Bool, "bool_or($1)", []Kind{Bool}, ""},
		{Dbl, "stddev($1)", []Kind{Int}, ""},
		{Dbl, "var_pop($1)", []Kind{Int}, ""},
		{Str, "string_agg($1, '-' ORDER BY $1)", []Kind{Str}, ""},
		{Dbl, "median($1)", []Kind{Int}, ""},
		{Int, "bit_xor($1)", []Kind{Int}, ""},
		{Int, "bit_and($1)", []Kind{Int}, ""},
		{Int, "bit_or($1)", []Kind{Int}, ""},
	}
}

// oursAlone are those that DuckDB has not, or with ties, types or errors of its own.
func oursAlone(other Kind) []aggregateCall {
	return []aggregateCall{
		{Dec, "avg($1)", []Kind{Dec}, "-"},
		{Dbl, "variance($1)", []Kind{Dbl}, "-"},
		{other, "min_by($1, $2)", []Kind{other, Int}, "-"},
		{Str, "max_by($1, $2)", []Kind{Str, Dbl}, "-"},
		{Int, "mode($1)", []Kind{Int}, "-"},
		{Int, "mode() WITHIN GROUP (ORDER BY $1 DESC)", []Kind{Int}, "-"},
		{Dbl, "percentile_cont(0.3) WITHIN GROUP (ORDER BY $1 DESC)", []Kind{Dbl}, "-"},
		{Str, "percentile_disc($1, 0.7, 'desc')", []Kind{Str}, "-"},
		{Ints, "percentile_disc($1, array(0.1, 0.9))", []Kind{Int}, "-"},
		{Str, "json_objectagg($1, $2)", []Kind{Int, Str}, "-"},
		{Str, "json_arrayagg(DISTINCT $1 ORDER BY $1 DESC)", []Kind{Int}, "-"},
		{Ints, "array_agg($1 ORDER BY $1 DESC)", []Kind{Int}, "-"},
		{Ints, "array_agg(DISTINCT $1 ORDER BY $1)", []Kind{Int}, "-"},
		{Ints, "collect_set($1)", []Kind{Int}, "-"},
		{Str, "string_agg(DISTINCT $1, ',' ORDER BY $1 DESC)", []Kind{Str}, "-"},
		{Big, "approx_count_distinct($1)", []Kind{other}, "-"},
		{Int, "first($1 ORDER BY $2 DESC, $1)", []Kind{Int, Str}, "-"},
		{Str, "last($1 ORDER BY $1)", []Kind{Str}, "-"},
		{Big, "try_sum($1)", []Kind{Big}, "-"},
		{Dbl, "corr($1, $2)", []Kind{Int, Big}, "-"},
		{Dbl, "covar_samp($1, $2)", []Kind{Dbl, Int}, "-"},
		{Dbl, "regr_slope($1, $2)", []Kind{Int, Int}, "-"},
		{Dbl, "skewness($1)", []Kind{Int}, "-"},
		{Dbl, "kurtosis($1)", []Kind{Int}, "-"},
		{Dbl, "percentile($1, 0.25)", []Kind{Int}, "-"},
		{Dbl, "product($1)", []Kind{Int}, "-"},
		{Big, "count_if($1)", []Kind{Bool}, "-"}, // of NULLs alone: DuckDB gives NULL
	}
}
