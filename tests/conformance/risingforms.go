package conformance

import (
	"regexp"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/types"
)

// jsonList is json_agg with its NULLs, and NULL without rows.
func jsonList(c call) string {
	args := strings.Join(c.args, ", ")
	if at := orderBy.FindStringIndex(args); at != nil {
		args = "rising_json(" + args[:at[0]] + ") " + args[at[0]:]
	} else {
		args = "rising_json(" + args + ")"
	}
	return "CAST(to_json(list(" + args + ")" + c.tail + ") AS JSON)"
}

// withoutWindowTime gives the window table functions the columns that they have there: no
// window_time.
func withoutWindowTime(sql string) string {
	toks := tokens(sql)
	e := edits{sql: sql}
	for i := 1; i+1 < len(toks); i++ {
		if !toks[i].is("tumble") && !toks[i].is("hop") || toks[i+1].text != "(" || !(toks[i-1].is("from") || toks[i-1].is("join") || toks[i-1].text == ",") {
			continue
		}
		end := closing(toks, i+1)
		if !starBefore(toks, i) || end+1 < len(toks) && toks[end+1].text == "." {
			continue
		}
		e.replace(toks[i].start, toks[i].start, "(SELECT * EXCEPT (window_time) FROM ")
		alias := ""
		if end+1 >= len(toks) || !toks[end+1].is("as") && (toks[end+1].kind != word || endsItems(toks[end+1]) || toks[end+1].is("join") || toks[end+1].is("on")) {
			alias = " AS " + strings.ToLower(toks[i].text)
		}
		e.replace(toks[end].end, toks[end].end, ")"+alias)
	}
	return e.done()
}

// starBefore reports a * in the select list before i.
func starBefore(toks []token, i int) bool {
	for k := i - 1; k > 0; k-- {
		if toks[k].text == "*" && toks[k].depth == toks[i].depth && (toks[k-1].is("select") || toks[k-1].text == "," || toks[k-1].text == ".") {
			return true
		}
		if toks[k].is("select") && toks[k].depth == toks[i].depth {
			return false
		}
	}
	return false
}

var zoneSetting = regexp.MustCompile(`(?is)^\s*set\s+(?:timezone\s*(?:=|to)|time\s+zone)\s*['"]?([\w/+-]+)['"]?\s*;?$`)

// setZone runs SET timezone, and prints times in the zone from then on.
func (r *runner) setZone(sql string) (outcome, bool) {
	m := zoneSetting.FindStringSubmatch(sql)
	if m == nil || r.d.flavor != postgresText && r.d.flavor != duckdbText {
		return outcome{}, false
	}
	zone, err := types.LoadZone(m[1])
	if err != nil {
		return failure(err), true
	}
	if err := r.inZone(zone); err != nil {
		return failure(err), true
	}
	changed := *r.d
	changed.zone = zone
	r.d = &changed
	return outcome{}, true
}

// inZone gives both engines a session zone.
func (w *world) inZone(zone *time.Location) error {
	set := "SET timezone = '" + zone.String() + "'"
	if err := run(w.ctx, w.batch, set); err != nil {
		return err
	}
	return run(w.ctx, w.stream, set)
}

// flatUnnest writes unnest of arrays that are written in arrays, which gives their elements
// at every depth there, as unnest of the flat array.
func flatUnnest(sql string) string {
	toks := tokens(sql)
	e := edits{sql: sql}
	for i, t := range toks {
		if !t.is("unnest") || i+1 >= len(toks) || toks[i+1].text != "(" {
			continue
		}
		deep := 0
		for k := i + 2; k+1 < len(toks) && toks[k].is("array") && toks[k+1].text == "["; k += 2 {
			deep++
		}
		if end := closing(toks, i+1); deep > 1 && closing(toks, i+3)+1 == end {
			e.replace(toks[i+1].end, toks[i+1].end, strings.Repeat("flatten(", deep-1))
			e.replace(toks[end].start, toks[end].start, strings.Repeat(")", deep-1))
		}
	}
	return e.done()
}
