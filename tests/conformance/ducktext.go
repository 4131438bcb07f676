package conformance

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// duckTexts spell the functions of texts that mean something else here.
func duckTexts() map[string]form {
	return map[string]form{
		"right":     template(2, "CASE WHEN ($2) < 0 THEN duck_substring($1, 1 - CAST(($2) AS BIGINT), 4294967295) ELSE right($1, $2) END"),
		"substring": duckPartOf, "substr": duckPartOf, "substring_grapheme": duckGraphemePart, "reverse": renamed("reverse_grapheme"),
		"regexp_extract": duckExtract, "regexp_extract_all": duckExtractAll, "pg_size_pretty": renamed("format_bytes"), "to_binary": renamed("bin"),
		"string_split": duckSplit, "str_split": duckSplit, "string_to_array": duckSplit, "split": duckSplit,
		"parse_path": duckSeparated(1), "parse_dirname": duckSeparated(1), "parse_dirpath": duckSeparated(1), "parse_filename": duckSeparated(2),
		"isnan": template(1, "CASE WHEN ($1) IS NOT NULL THEN isnan($1) END"),
		"lttb":  duckPoints,
		"least": ofOne, "greatest": ofOne,
	}
}

// ofOne is a function that leaves its only argument as it is.
func ofOne(c call) string {
	if len(c.args) != 1 {
		return ""
	}
	return "(" + c.args[0] + ")" + c.tail
}

// duckPoints is lttb(x, y, n ORDER BY z) of rows, which takes an array of points here.
func duckPoints(c call) string {
	if len(c.args) != 3 {
		return ""
	}
	n, order := c.args[2], ""
	if before, after, ok := cut(n, "order"); ok {
		n, order = before, " ORDER "+after
	}
	return c.fill("lttb(list(named_struct('x', $1, 'y', $2)" + order + ") FILTER (WHERE ($1) IS NOT NULL AND ($2) IS NOT NULL), " + n + ")")
}

// duckPartOf is substring, which counts as duck_substring does.
func duckPartOf(c call) string {
	a := c.partArgs()
	if len(a) == 1 {
		if x, n, ok := cut(a[0], "for"); ok {
			a = []string{x, "1", n}
		}
	}
	if len(a) != 3 {
		return ""
	}
	c.args = []string{a[0], "CAST((" + a[1] + ") AS BIGINT)", "CAST((" + a[2] + ") AS BIGINT)"}
	return c.fill("duck_substring($1, $2, $3)")
}

// duckGraphemePart refuses the numbers that DuckDB refuses.
func duckGraphemePart(c call) string {
	for i := 1; i < len(c.args); i++ {
		c.args[i] = strings.ReplaceAll("CASE WHEN ($1) BETWEEN -4294967295 AND 4294967295 THEN ($1) WHEN ($1) IS NOT NULL THEN raise_error('out of range') END", "$1", c.args[i])
	}
	return c.text()
}

// duckSubstring adds duck_substring(text, from, length): from the place 0 it has a character
// less, and a negative length goes backwards.
func duckSubstring(r *fn.Registry) {
	const most = 4294967295
	s, n := types.Of(types.String), types.Of(types.Int64)
	eval := func(_ *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := make([]string, rows.N)
		for i := range rows.Len() {
			at := rows.At(i)
			from, length := args[1].Int(at), args[2].Int(at)
			if max(from, length) > most || min(from, length) < -most {
				return nil, &fn.DataError{Func: "substring", Row: at, Msg: "out of range"}
			}
			runes := []rune(vec.RowString(args[0], at, nil))
			last := int64(len(runes)) + 1
			if from < 0 {
				from = max(last+from, 1)
			}
			low, high := max(from+min(length, 0), 1), max(from+max(length, 0), 1)
			out[at] = string(runes[min(low, last)-1 : max(min(high, last), min(low, last))-1])
		}
		return vec.FromStrings(out), nil
	}
	resolve := func([]fn.Arg) (fn.Impl, error) {
		return fn.Impl{Args: []types.Type{s, n, n}, Result: s, Eval: eval}, nil
	}
	hidden(r, &fn.Scalar{Name: "duck_substring", Resolve: resolve})
}

var duckGroup = regexp.MustCompile(`^(\d|-1|(?i:null))$`)

// duckExtract is regexp_extract: a group that the pattern has not, or NULL, is an empty text;
// with the flag k a text without match is left.
func duckExtract(c call) string {
	if len(c.args) == 2 {
		c.args = append(c.args, "0")
	}
	keep := len(c.args) == 4 && strings.HasPrefix(c.args[3], "'") && strings.Contains(c.args[3], "k")
	if keep {
		c.args[3] = strings.ReplaceAll(c.args[3], "k", "")
		if c.args[3] == "''" {
			c.args[3] = "'c'"
		}
	}
	if len(c.args) < 3 || !duckGroup.MatchString(c.args[2]) || c.args[2] == "-1" || c.args[2] == "0" && !keep {
		return c.text()
	}
	if !keep && c.otherGroup() {
		return c.fill("CASE WHEN ($1) IS NOT NULL THEN '' END")
	}
	found := c.fill("CASE WHEN ($1) IS NOT NULL AND ($2) IS NOT NULL THEN coalesce(try(regexp_extract(" + strings.Join(c.args, ", ") + ")), '') END")
	if keep {
		return c.fill("CASE WHEN regexp_count($1, $2, $4) = 0 THEN ($1) ELSE " + found + " END")
	}
	return found
}

// duckExtractAll is regexp_extract_all: of a group that the pattern has not there is nothing.
func duckExtractAll(c call) string {
	if len(c.args) == 2 {
		c.args = append(c.args, "0")
	}
	if len(c.args) < 3 || !duckGroup.MatchString(c.args[2]) || c.args[2] == "0" {
		return c.text()
	}
	if c.otherGroup() {
		return c.fill("CASE WHEN ($1) IS NOT NULL THEN CAST(array() AS ARRAY<STRING>) END")
	}
	if n, groups := c.groups(); n > 0 && n <= groups {
		return groupOfEach(c, n)
	}
	return c.fill("CASE WHEN ($1) IS NOT NULL AND ($2) IS NOT NULL THEN coalesce(try(regexp_extract_all(" + strings.Join(c.args, ", ") + ")), CAST(array() AS ARRAY<STRING>)) END")
}

// groups are the group that a call takes, and how many its constant pattern has; -1 = that is
// not known.
func (c call) groups() (n, groups int) {
	n, err := strconv.Atoi(c.args[2])
	if err != nil || !strings.HasPrefix(c.args[1], "'") {
		return 0, -1
	}
	re, err := regexp.Compile(strings.Trim(c.args[1], "'"))
	if err != nil {
		return n, -1
	}
	return n, re.NumSubexp()
}

// otherGroup reports a group that a constant pattern has not.
func (c call) otherGroup() bool {
	n, groups := c.groups()
	return groups >= 0 && (n < 0 || n > groups)
}

// groupOfEach is regexp_extract_all of a group with a constant pattern: a group that took no part
// is NULL, as among groups with names.
func groupOfEach(c call, n int) string {
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf("'g%d'", i+1))
	}
	group := c.args[2]
	c.args[2] = "array(" + strings.Join(names, ", ") + ")"
	found := "transform(" + call{name: c.name, args: c.args}.text() + ", one_match -> one_match.g" + group + ")"
	return c.fill("CASE WHEN ($1) IS NOT NULL THEN coalesce(try(" + found + "), CAST(array() AS ARRAY<STRING>)) END")
}

// duckSplit is string_split: without a separator the text is the only part.
func duckSplit(c call) string {
	if len(c.args) != 2 {
		return ""
	}
	return c.fill("CASE WHEN ($2) IS NULL AND ($1) IS NOT NULL THEN array($1) ELSE string_split($1, $2) END")
}

// duckSeparated is a function of paths whose last argument names the separator: what is none
// is both.
func duckSeparated(at int) form {
	return func(c call) string {
		k := len(c.args) - 1
		if k < 1 || k > at || at == 2 && k == 1 && !strings.HasPrefix(c.args[1], "'") && !strings.EqualFold(c.args[1], "null") {
			return ""
		}
		names := []string{"'both_slash'", "'forward_slash'", "'backslash'", "'system'"}
		if strings.HasPrefix(c.args[k], "'") && !slices.Contains(names, c.args[k]) || strings.EqualFold(c.args[k], "null") {
			c.args[k] = names[0]
		}
		if k == 2 && strings.EqualFold(c.args[1], "null") {
			c.args[1] = "false"
		}
		return c.text()
	}
}

// duckPatterns writes x SIMILAR TO y, and with the setting full x ~ y too, as the match of the
// whole text that they are in DuckDB.
func duckPatterns(full bool) func(sql string) string {
	return func(sql string) string {
		for from := 1; ; {
			toks := tokens(sql)
			i := from
			for i < len(toks) && duckPattern(toks, i, full) == 0 {
				i++
			}
			if i >= len(toks) {
				return sql
			}
			from = i + 1
			first := operandStart(toks, i)
			n := duckPattern(toks, i, full)
			last := operandEnd(toks, i+n)
			if first < 0 || last < 0 {
				continue
			}
			left, right := span(sql, toks[first:i]), span(sql, toks[i+n:last+1])
			if patternStar(toks, i) >= 0 {
				sql = starPattern(sql, toks, i, n, last)
				continue
			}
			op := strings.ToLower(span(sql, toks[i:i+n]))
			flags := ""
			if strings.HasSuffix(op, "*") {
				flags = ", 'i'"
			}
			with := fmt.Sprintf("regexp_full_match(%s, %s%s)", left, right, flags)
			if !strings.HasPrefix(right, "'") { // a pattern of the row
				with = fmt.Sprintf("regexp_like(%s, '^(?:' || %s || ')$')", left, right)
			}
			if strings.HasPrefix(op, "not") || strings.HasPrefix(op, "!") {
				with = "(NOT " + with + ")"
			}
			sql = sql[:toks[first].start] + with + sql[toks[last].end:]
		}
	}
}

// duckPattern is how many tokens the operator of a match at i has, 0 if there is none.
func duckPattern(toks []token, i int, full bool) int {
	is := func(k int, w string) bool { return i+k < len(toks) && toks[i+k].is(w) }
	switch {
	case is(0, "not") && is(1, "similar") && is(2, "to"):
		return 3
	case is(0, "similar") && is(1, "to"):
		return 2
	case !full:
		return 0
	}
	n := 0
	if is(0, "!") && is(1, "~") && toks[i].end == toks[i+1].start {
		n = 1
	}
	if !is(n, "~") {
		return 0
	}
	if n++; is(n, "*") && toks[i+n-1].end == toks[i+n].start {
		n++
	}
	if is(n, "any") || is(n, "all") {
		return 0
	}
	return n
}

// patternStar is the star of * SIMILAR TO and * EXCLUDE (…) SIMILAR TO at i, -1 if something
// else is compared.
func patternStar(toks []token, i int) int {
	k := i - 1
	if k > 0 && toks[k].text == ")" {
		for k > 0 && (toks[k].text != "(" || toks[k].depth != toks[i].depth) {
			k--
		}
		k--
		if k < 1 || !toks[k].is("exclude") && !toks[k].is("except") {
			return -1
		}
		k--
	}
	if k < 1 || toks[k].text != "*" || !(toks[k-1].is("select") || toks[k-1].text == "," || toks[k-1].text == "(" || toks[k-1].text == ".") {
		return -1
	}
	return k
}

// starPattern writes the operator of n tokens at i, which chooses columns, as RLIKE of the
// whole name.
func starPattern(sql string, toks []token, i, n, last int) string {
	not := ""
	if toks[i].is("not") {
		not = "NOT "
	}
	pattern := strings.Trim(span(sql, toks[i+n:last+1]), "'")
	return sql[:toks[i].start] + not + "RLIKE '^(?:" + pattern + ")$'" + sql[toks[last].end:]
}
