package conformance

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/types"
)

// verdict is what came of a step.
type verdict uint8

const (
	passed verdict = iota
	failed
	notApplicable
	notRun // the time of the file was up
)

// outcome is the verdict on a step, over all schedules.
type outcome struct {
	step    *step
	verdict verdict
	rule    string // why it is not applicable
	cause   cause
	message string
	under   schedule // the first that failed
	why     string   // the explanation of a failure
	program string   // what made the objects it reads; of a test of steps, all of it so far
}

// cause is what kind a failure is of.
type cause string

const (
	refused  cause = "refused"  // we do not run what should run
	accepted cause = "accepted" // we run what should be refused
	wrong    cause = "wrong"    // other rows
	crashed  cause = "crashed"
	follows  cause = "follows" // an object is not there, because its statement failed
	timedOut cause = "time"
)

// limits of a file under one schedule.
const (
	fileTime = 30 * time.Second
	stepTime = 10 * time.Second
)

// runScript runs a file under all schedules.
func runScript(ctx context.Context, d *dialect, sc *script) ([]outcome, counts) {
	all := make([]outcome, len(sc.steps))
	for i := range all {
		all[i].step, all[i].verdict = &sc.steps[i], notRun
	}
	var n counts
	first := &known{apart: map[string]bool{}, late: map[string]bool{}}
	for _, s := range schedules {
		for i, o := range runUnder(ctx, d, sc, s, &n, first) {
			if s == asGiven || all[i].verdict == passed && o.verdict == failed {
				o.under = s
				all[i] = o
			}
		}
		first.outcomes = slices.Clone(all)
	}
	if n.fed > maxTriggers {
		n.coarse = 1
	}
	for i := range all {
		d.asWritten(ctx, sc, i, &all[i])
		if all[i].verdict == failed && all[i].step.change {
			all[i].program = sc.before(i)
		} else if all[i].verdict == failed {
			all[i].program = sc.makers(i)
		}
	}
	return all, n
}

// makers is the text of the statements that made what a step reads.
func (sc *script) makers(at int) string {
	var text []string
	for _, s := range sc.makersOf(at) {
		text = append(text, s.sql)
	}
	return strings.Join(text, "; ")
}

// makersOf are the statements that made what a step reads.
func (sc *script) makersOf(at int) (list []step) {
	made := map[string]bool{}
	for _, t := range tokens(sc.steps[at].sql) {
		made[strings.ToLower(t.name())] = t.kind == word || t.kind == quoted
	}
	for _, s := range sc.steps[:at] {
		if toks := tokens(s.sql); len(toks) > 1 && toks[0].is("create") && made[strings.ToLower(target(toks))] {
			list = append(list, s)
		}
	}
	return list
}

// before is the text of the statements between the reset before a step and the step.
func (sc *script) before(at int) string {
	var text []string
	for i := at - 1; i >= 0 && sc.steps[i].kind != reset; i-- {
		if !sc.steps[i].change {
			text = append(text, sc.steps[i].sql)
		}
	}
	slices.Reverse(text)
	return strings.Join(text, "; ")
}

// counts tells how queries that are no materialised views were run as continuous ones.
type counts struct {
	fed        int // rows that the tables of a file took, as given
	coarse     int // files that took so many that triggers are larger
	continuous int
	expected   int            // errors that came, as expected, whatever they say
	asked      int            // queries that could run as continuous ones
	late       int            // steps that were not run under a schedule, since its time was up
	batchOnly  map[string]int // why not
}

// runner runs a file under one schedule.
type runner struct {
	*world
	n       *counts
	broken  map[string]outcome // by name: objects that are not what they should be
	txn     bool
	labels  map[string]string
	queries int
	before  []string // the view of a test of steps, after the step before
	first   *known
	spaces  spaces
	lacks   bool // a file that makes tables is not there
}

func runUnder(ctx context.Context, d *dialect, sc *script, s schedule, n *counts, first *known) []outcome {
	ctx, cancel := context.WithTimeout(ctx, fileTime)
	defer cancel()
	out := make([]outcome, len(sc.steps))
	cut := s.rowsPerTrigger(n.fed)
	if sc.byArrival() {
		cut = 0 // a statement is what its rows arrive in
	}
	w, err := newWorld(ctx, d, s, cut)
	if err != nil {
		panic(err) // the built-in registry is broken
	}
	r := &runner{world: w, n: n, broken: map[string]outcome{}, labels: map[string]string{}, queries: sc.queries(), first: first, spaces: spaces{}}
	defer func() {
		n.fed = max(n.fed, r.world.fed)
		r.world.close()
	}()
	w.apart, w.late = first.apart, first.late
	for i := range sc.steps {
		if s != asGiven && r.knows(&sc.steps[i], i) {
			continue
		}
		out[i] = r.step(&sc.steps[i])
		out[i].step = &sc.steps[i]
		if ctx.Err() != nil || out[i].cause == timedOut && s != asGiven { // what follows says nothing
			n.late += len(sc.steps) - i
			return out[:i]
		}
	}
	return out
}

// step runs a step.
func (r *runner) step(s *step) outcome {
	if s.skip == "program" {
		return r.notApplicable(s.sql, s.skip)
	}
	if s.skip != "" {
		r.lacks = r.lacks || s.skip == "include"
		return outcome{verdict: notApplicable, rule: s.skip}
	}
	switch s.kind {
	case flush:
		return outcome{}
	case pause:
		return r.pause(s.sql)
	case reset:
		return r.reset(s.at)
	}
	r.d = r.d.withSetting(s.sql)
	r.strict(s.sql)
	if o, done := r.setZone(s.sql); done {
		return o
	}
	sql := r.d.rewrite(s.sql)
	if r.d.flavor == postgresText {
		sql = r.spaces.flat(sql)
	}
	toks := tokens(sql)
	if r.d.recursive {
		if r.cycles.declare(sql, toks) {
			return outcome{verdict: notApplicable} // a part of the statement that makes the view
		}
		if foreignFunction(toks) {
			return r.notApplicable(sql, "program")
		}
		var wait bool
		if sql, wait = r.cycles.view(sql, toks); wait {
			if o, bad := r.follows(sql); bad {
				r.spoil(sql, o)
				return o
			}
			return outcome{verdict: notApplicable}
		}
	}
	rule := ruleOf(r.d, sql)
	if rule == "" && r.d.flavor != postgresText {
		rule = r.spaces.ruleOf(sql)
	}
	if rule != "" {
		r.spaces.note(sql, rule)
		return r.notApplicable(sql, rule)
	}
	if o, bad := r.follows(sql); bad && !s.wantError {
		if isDrop(sql) && r.guarded(s, sql).verdict == passed {
			return outcome{}
		}
		r.spoil(sql, o)
		return o
	}
	outer := r.ctx
	ctx, cancel := context.WithTimeout(outer, stepTime)
	r.ctx = ctx
	o := r.guarded(s, sql)
	cancel()
	r.ctx = outer
	if r.lacks && o.verdict == failed && noTable.MatchString(o.message) {
		o = outcome{verdict: notApplicable, rule: "include"}
	}
	if o.verdict != passed {
		r.spoil(sql, o)
	}
	return o
}

// noTable is found in what is said of a table that nothing made.
var noTable = regexp.MustCompile(`there is no table|unknown table or source`)

// reset goes on in a new world, whose clock begins at a time that the test has.
func (r *runner) reset(at string) outcome {
	r.world.close()
	r.n.fed = max(r.n.fed, r.world.fed)
	w, err := newWorld(r.ctx, r.d, r.s, r.s.rowsPerTrigger(r.n.fed))
	if t, ok := timeIn(at); ok && err == nil {
		w.clock.Set(t)
	}
	if err != nil {
		panic(err) // the built-in registry is broken
	}
	w.apart, w.late = r.first.apart, r.first.late
	r.world, r.broken, r.before = w, map[string]outcome{}, nil
	return outcome{verdict: notApplicable}
}

// pause lets time pass, which the test has to itself.
func (r *runner) pause(length string) outcome {
	if iv, err := types.ParseInterval(length); err == nil {
		r.world.clock.Advance(time.Duration(iv.Micros) * time.Microsecond)
	}
	return outcome{verdict: notRun}
}

// guarded turns a panic into a failure.
func (r *runner) guarded(s *step, sql string) (o outcome) {
	defer func() {
		if p := recover(); p != nil {
			o = outcome{verdict: failed, cause: crashed, message: fmt.Sprint(p)}
		}
	}()
	if s.change {
		return r.changed(s, sql)
	}
	sql, done := r.prepared(sql)
	if done {
		return outcome{}
	}
	sql, kept, err := r.changesInWith(sql)
	defer func() { r.dropKept(kept) }()
	if err != nil && !s.wantError {
		return failure(err)
	}
	if err != nil || sql == "" {
		return outcome{}
	}
	if s.kind == query {
		return r.query(s, sql)
	}
	err = r.statement(sql)
	switch {
	case s.wantError && err == nil:
		if toks := tokens(sql); len(toks) > 1 && toks[0].is("create") && (toks[1].is("table") || toks[1].is("view")) {
			_ = r.dropObject(target(toks)) // it is not there for what follows
		}
		return outcome{verdict: failed, cause: accepted, message: "an error is expected"}
	case s.wantError:
		r.n.expected++
		return outcome{}
	case err == nil:
		return outcome{}
	}
	return failure(err)
}

func failure(err error) outcome {
	o := outcome{verdict: failed, cause: refused, message: firstLine(err.Error())}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		o.cause = timedOut
	case strings.Contains(o.message, "panic") || strings.Contains(o.message, "internal error") || strings.Contains(o.message, "invariant"):
		o.cause = crashed
	}
	var wrongRows *wrongError
	if errors.As(err, &wrongRows) {
		o.cause, o.message = wrong, err.Error()
	}
	return o
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// notApplicable is the outcome of a statement that a rule leaves out. What it would have
// made or changed is not there.
func (r *runner) notApplicable(sql, rule string) outcome {
	o := outcome{verdict: notApplicable, rule: rule}
	if n := indexName(tokens(sql)); n != "" { // theirs can be read like tables
		r.broken[strings.ToLower(n)] = o
	}
	if toks := tokens(sql); !harmless[rule] && !(r.d.flavor == postgresText && len(toks) > 1 && toks[1].is("schema")) {
		r.spoil(sql, o)
	}
	return o
}

// follows tells if a text names an object that is not what it should be.
func (r *runner) follows(sql string) (outcome, bool) {
	toks := tokens(sql)
	if len(toks) > 1 && toks[0].is("create") {
		delete(r.broken, strings.ToLower(target(toks)))
	}
	if len(toks) > 1 && toks[0].is("drop") {
		defer delete(r.broken, strings.ToLower(target(toks)))
	}
	for _, n := range append(r.namesIn(sql), r.named(sql)...) {
		if o, bad := r.broken[n]; bad {
			if o.verdict == notApplicable {
				return o, true
			}
			return outcome{verdict: failed, cause: follows, message: "follows from: " + o.message}, true
		}
	}
	return outcome{}, false
}

// isDrop reports DROP, which also drops what is not what it should be.
func isDrop(sql string) bool {
	toks := tokens(sql)
	return len(toks) > 0 && toks[0].is("drop")
}

// spoil marks what a statement that did not run would have made or changed.
func (r *runner) spoil(sql string, o outcome) {
	toks := tokens(sql)
	if len(toks) < 2 {
		return
	}
	if hasWords(toks, "sink") && hasWords(toks, "into") { // of a sink that fills a table
		i := slices.IndexFunc(toks, func(t token) bool { return t.is("into") })
		r.broken[strings.ToLower(target(toks[i:]))] = o
	}
	if i := slices.IndexFunc(toks, func(t token) bool { return t.is("rename") }); toks[0].is("alter") && i > 0 && i+2 < len(toks) && toks[i+1].is("to") {
		r.broken[strings.ToLower(toks[i+2].name())] = o
	}
	for _, w := range []string{"create", "insert", "update", "delete", "alter", "truncate", "merge", "copy"} {
		if toks[0].is(w) {
			if n := target(toks); n != "" {
				o.message = strings.TrimPrefix(o.message, "follows from: ")
				r.broken[strings.ToLower(n)] = o
			}
		}
	}
}

// target is the object that a statement makes, changes or drops.
func target(toks []token) string {
	skip := map[string]bool{"create": true, "or": true, "replace": true, "temp": true, "temporary": true, "table": true, "view": true, "materialized": true,
		"if": true, "not": true, "exists": true, "insert": true, "into": true, "update": true, "delete": true, "from": true, "drop": true, "alter": true,
		"truncate": true, "source": true, "sink": true, "function": true, "linear": true, "aggregate": true, "macro": true, "type": true, "sequence": true, "ignore": true, "merge": true,
		"unlogged": true, "schema": true, "index": true, "copy": true, "unique": true, "recursive": true, "only": true, "local": true}
	for i, t := range toks {
		if t.kind == word && skip[strings.ToLower(t.text)] && !(t.is("source") && i > 0 && (toks[i-1].is("table") || toks[i-1].is("into") || toks[i-1].is("from"))) {
			continue
		}
		if t.kind != word && t.kind != quoted {
			return ""
		}
		for i+2 < len(toks) && toks[i+1].text == "." {
			i += 2
		}
		return toks[i].name()
	}
	return ""
}
