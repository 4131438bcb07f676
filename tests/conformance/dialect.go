package conformance

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/fn"
)

// dialect says how the SQL of a suite is spelled here, and how its results are written.
// Only spellings are mapped, and orders of NULL: never the meaning of a query.
type dialect struct {
	flavor flavor
	// integerDivision: / of two integers is an integer.
	integerDivision bool
	nullOnError     bool // errors in data are NULL
	nullInViews     bool // errors in data are NULL in materialised views
	nulls           nullOrder
	niladic         bool              // PI is a call
	conflict        onConflict        // what a row does whose key is there
	literals        map[string]string // words wherever they stand
	words           map[string]string // names of types
	calls           map[string]string // names of functions
	phrases         []phrase          // applied first
	nameCalls       bool              // a call without alias is called as its function
	zone            *time.Location    // of the session; nil = UTC
	blankNull       bool              // NULL and '' are both written as nothing
	recursive       bool              // DECLARE RECURSIVE VIEW, functions without a body, rows as ROW(…)
	sortedMaps      bool              // entries of a MAP are written in order: they have none
	nowTable        bool              // a row of the table NOW sets the time
	uniqueColumns   bool              // a view numbers columns of one name
	dropsAlone      bool              // DROP leaves what reads the object: it can be dropped later
	duckMeaning
	forms     []func(sql string) string // respellings of statements, after the phrases
	callForms map[string]form           // calls whose arguments are spelled in another way
	functions func(*fn.Registry)        // gives functions the meanings of the dialect
	casts     map[string]bool           // types to which value::type is CAST(value AS type), for forms
}

// phrase is a spelling that a pattern finds.
type phrase struct {
	pattern *regexp.Regexp
	with    string
}

func say(pattern, with string) phrase { return phrase{regexp.MustCompile(`(?i)` + pattern), with} }

// nullOrder is where NULL stands in ORDER BY that does not say.
type nullOrder uint8

const (
	nullsSmallest nullOrder = iota
	nullsFirst
	nullsLast    // DuckDB
	nullsLargest // PostgreSQL, RisingWave
)

var nullSetting = regexp.MustCompile(`(?is)^\s*(?:set|pragma)\s+(?:global\s+|session\s+)?default_null_order\s*(?:=|to)\s*'?(\w+)[ _]?(\w*)'?\s*;?$`)

// withSetting is the dialect after a statement: DuckDB sets the order of NULL and more.
func (d *dialect) withSetting(sql string) *dialect {
	m := nullSetting.FindStringSubmatch(sql)
	if m == nil && d.flavor == duckdbText {
		return d.withDuckSetting(sql)
	}
	if m == nil {
		return d
	}
	changed := *d
	switch words := strings.ToLower(m[1] + " " + m[2]); {
	case strings.Contains(words, "first") && !strings.Contains(words, "last"):
		changed.nulls = nullsFirst
	case strings.Contains(words, "sqlite"):
		changed.nulls = nullsSmallest
	case strings.Contains(words, "postgres"):
		changed.nulls = nullsLargest
	default:
		changed.nulls = nullsLast
	}
	return &changed
}

// rewrite spells a statement as it is written here.
func (d *dialect) rewrite(sql string) string {
	for _, p := range d.phrases {
		sql = p.pattern.ReplaceAllString(sql, p.with)
	}
	if d.recursive {
		sql = rowValues(withoutNotNull(unicodeTexts(sql)))
	}
	for _, f := range d.forms {
		sql = f(sql)
	}
	if d.flavor == duckdbText {
		sql = duckPatterns(d.fullRegex)(duckDecimals(sql))
	}
	if len(d.words) > 0 || len(d.calls) > 0 {
		sql = d.respell(sql)
	}
	if len(d.callForms) > 0 {
		sql = d.reform(casts(sql, d.casts))
	}
	if d.nameCalls {
		sql = nameCalls(sql)
	}
	if d.nulls != nullsSmallest {
		sql = d.orderNulls(sql)
	}
	return strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(sql), ";"))
}

// respell replaces the names of types and functions. A type stands after ::, AS, or the
// name of a column; so a word is a type unless a dot or a bracket follows it, or it begins
// an item.
func (d *dialect) respell(sql string) string {
	toks := tokens(sql)
	e := edits{sql: sql}
	for i, t := range toks {
		if t.kind != word {
			continue
		}
		low := strings.ToLower(t.text)
		if with, ok := d.literals[low]; ok {
			e.replace(t.start, t.end, with)
		}
		call := i+1 < len(toks) && toks[i+1].text == "("
		if with, ok := d.calls[low]; ok && call {
			e.replace(t.start, t.end, with)
		}
		if d.niladic && low == "pi" && !call {
			e.replace(t.start, t.end, "pi()")
		}
		if with, ok := d.words[low]; ok && i > 0 && typePlace(toks, i) {
			e.replace(t.start, t.end, with)
		}
	}
	return e.done()
}

// typePlace reports that the word at i stands where a type may stand.
func typePlace(toks []token, i int) bool {
	prev := toks[i-1]
	if i+1 < len(toks) && toks[i+1].text == "." || prev.is("table") || prev.is("into") || prev.is("update") || prev.is("join") {
		return false
	}
	if prev.text == "::" || prev.is("as") {
		return true
	}
	return (prev.kind == word || prev.kind == quoted) && (i == 1 || !prev.is("select") && !prev.is("by") && !prev.is("from") && !prev.is("and") && !prev.is("or") && !prev.is("where"))
}

// nameCalls gives calls in a select list the names of their functions, as PostgreSQL does.
func nameCalls(sql string) string {
	toks := tokens(sql)
	e := edits{sql: sql}
	for i := 0; i < len(toks); i++ {
		if !toks[i].is("select") {
			continue
		}
		from := i + 1
		if from < len(toks) && (toks[from].is("distinct") || toks[from].is("all")) {
			from++
		}
		depth := toks[i].depth
		end := from
		for end < len(toks) && toks[end].depth >= depth && !(toks[end].depth == depth && endsItems(toks[end]) && !toks[end-1].is("within")) {
			end++
		}
		for _, item := range splitAt(toks[from:end], depth) {
			if n := callName(item, depth); n != "" {
				last := item[len(item)-1]
				e.replace(last.end, last.end, " AS "+quote(n))
			}
		}
		i = from - 1
	}
	return e.done()
}

func endsItems(t token) bool {
	for _, w := range []string{"from", "where", "group", "having", "order", "limit", "offset", "union", "intersect", "except", "fetch", "window", "qualify", "emit"} {
		if t.is(w) {
			return true
		}
	}
	return t.text == ";"
}

// behindCalls are words between the brackets of a call and those that belong to it.
var behindCalls = []string{"over", "within", "group", "filter"}

// callName is the function of an item that is one call and no more.
func callName(item []token, depth int) string {
	if len(item) < 3 || item[0].kind != word || item[1].text != "(" || item[len(item)-1].text != ")" {
		return ""
	}
	for _, t := range item[2 : len(item)-1] {
		if t.depth == depth && t.text != "(" && t.text != ")" && !slices.ContainsFunc(behindCalls, t.is) {
			return ""
		}
	}
	switch n := strings.ToLower(item[0].text); n {
	case "cast", "try_cast", "exists", "case", "unnest", "distinct", "not", "row", "interval", "extract", "in":
		return ""
	default:
		return n
	}
}
