package conformance

import (
	"context"
	"regexp"
	"slices"
	"strings"
)

// The name of a type that is not here is written as that of ours with the same values. Where
// the result is then another one all the same, the statement counts as it is written: the
// product refuses the type. It is so with a setting that is not there and would change what
// is equal, or what a date is.

// finerTypes are written as types of microseconds before the names of types are.
var finerTypes = regexp.MustCompile(`(?i)\b(time|timestamp|timestamptz)_ns\b`)

// asWritten makes of a wrong result what the product says to the statement, or to one that
// made what it reads, with the types that it has.
func (d *dialect) asWritten(ctx context.Context, sc *script, at int, o *outcome) {
	if o.verdict != failed || o.cause != wrong {
		return
	}
	if s := sc.meaning(at); s != "" {
		o.cause, o.message = follows, "follows from: there is no such setting: "+s
		return
	}
	if message := d.typeRefused(ctx, sc.steps[at].sql); message != "" {
		o.cause, o.message = refused, message
		return
	}
	if message := d.clauseRefused(ctx, sc, at); message != "" {
		o.cause, o.message = follows, "follows from: "+message
		return
	}
	for _, s := range sc.makersOf(at) {
		if message := d.typeRefused(ctx, s.sql); message != "" {
			o.cause, o.message = follows, "follows from: "+message
			return
		}
	}
}

// typeRefused is what the product says of a type of a statement, "" if it has all of them.
func (d *dialect) typeRefused(ctx context.Context, sql string) string {
	theirs := func(t token) bool {
		_, ok := d.words[strings.ToLower(t.text)]
		return t.kind == word && (ok || finerTypes.MatchString(t.text))
	}
	if d.flavor != duckdbText || !slices.ContainsFunc(tokens(sql), theirs) {
		return ""
	}
	plain := *d
	plain.words = nil
	w, err := newWorld(ctx, &plain, asGiven, 0)
	if err != nil {
		panic(err) // the built-in registry is broken
	}
	defer w.close()
	const stays = "_ns_stays"
	marked := finerTypes.ReplaceAllString(sql, "${1}"+stays)
	err = run(ctx, w.batch, strings.ReplaceAll(plain.rewrite(marked), stays, "_NS"))
	if err == nil || !strings.Contains(err.Error(), "unknown type") {
		return ""
	}
	return firstLine(err.Error())
}

// leftOut are clauses that are not here and are left out, with a statement that has one.
var leftOut = []struct {
	pattern *regexp.Regexp
	probe   string
}{{regexp.MustCompile(`(?i)\bLATENESS\s+\d+`), "CREATE SOURCE probe (x BIGINT LATENESS 100)"}}

// clauseRefused is what the product says of a clause that the statements before a step of
// a test of steps have, and that is left out.
func (d *dialect) clauseRefused(ctx context.Context, sc *script, at int) string {
	if !sc.steps[at].change {
		return ""
	}
	program := sc.before(at)
	for _, c := range leftOut {
		if !c.pattern.MatchString(program) {
			continue
		}
		w, err := newWorld(ctx, d, asGiven, 0)
		if err != nil {
			panic(err) // the built-in registry is broken
		}
		err = run(ctx, w.stream, c.probe)
		w.close()
		if err != nil {
			return firstLine(err.Error())
		}
	}
	return ""
}

var meaningSetting = regexp.MustCompile(`(?is)^\s*(?:set|pragma)\s+(?:global\s+|session\s+)?(default_collation|calendar)\s*(?:=|to)\s*'?(\w*)'?\s*;?$`)

// meaning is the setting that says what is equal or which calendar there is, of those in
// force before a step that the product lacks; "" if there is none.
func (sc *script) meaning(at int) string {
	found := map[string]string{}
	for _, s := range sc.steps[:sc.preparedAt(at)] {
		if m := meaningSetting.FindStringSubmatch(s.sql); m != nil {
			name, value := strings.ToLower(m[1]), strings.ToLower(m[2])
			if found[name] = name; value == "" || value == "binary" || value == "gregorian" {
				delete(found, name)
			}
		}
	}
	for _, name := range []string{"default_collation", "calendar"} {
		if found[name] != "" {
			return name
		}
	}
	return ""
}

// preparedAt is the step that prepared what a step executes, or the step itself.
func (sc *script) preparedAt(at int) int {
	toks := tokens(sc.steps[at].sql)
	if len(toks) < 2 || !toks[0].is("execute") {
		return at
	}
	for i := at - 1; i >= 0; i-- {
		if made := tokens(sc.steps[i].sql); len(made) > 2 && made[0].is("prepare") && strings.EqualFold(made[1].name(), toks[1].name()) {
			return i
		}
	}
	return at
}

// writtenReasons are why statements fail whose types or settings are not there.
var writtenReasons = []explanation{
	because("times count microseconds: there are no types of nanoseconds", "duckdb/test/sql", `unknown type "(time|timestamp|timestamptz)_ns"`, refused, follows),
	because("there are no unsigned integers, and none of 128 bits: their names are refused with the type that has their values", "duckdb/test/sql", `unknown type "(u\w*int(eger)?|hugeint)"`, refused, follows),
	because("there is no setting of a collation for all text", "duckdb/test/sql", `no such setting: default_collation`, follows),
	because("there is one calendar, the Gregorian", "duckdb/test/sql", `no such setting: calendar`, follows),
}
