package differential

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// used is a rule and what it explained.
type used struct {
	rule  *Rule
	n     int
	short *Difference // the example: the shortest case
}

// tally is the outcome of a run.
type tally struct {
	cases, equal, explained int
	refused                 int // calls that the other engine does not take
	rules                   []*used
	unexplained             []*Difference
}

// enter counts one answer.
func (t *tally) enter(d *Difference, ok bool) {
	t.cases++
	if ok {
		t.equal++
		return
	}
	for _, u := range t.rules {
		if !u.rule.Explains(d) {
			continue
		}
		t.explained++
		u.n++
		if u.short == nil || len(d.Case.SQL) < len(u.short.Case.SQL) {
			u.short = d
		}
		return
	}
	t.unexplained = append(t.unexplained, d)
}

func (t *tally) String() string {
	return fmt.Sprintf("differential: %d cases, %d equal, %d explained, %d unexplained", t.cases, t.equal, t.explained, len(t.unexplained))
}

// Page is the page of the explained differences.
func (t *tally) page() string {
	var b strings.Builder
	b.WriteString(`# Differences from Spark and DuckDB

What a function of the same name gives here and not there, on purpose. The page is generated from the rules of
` + "`tests/differential`" + `, which compares the recorded answers of Spark 4.3 (ANSI mode) and DuckDB 2.0, both with the session zone UTC, with
what this engine gives: every function that either has, over edge values of every type. Whatever is not in this page is equal. Calls that an engine
does not take at all (other types, another number of arguments) are not compared.

Where the two disagree under one name, Spark is followed.
`)
	for _, e := range engines {
		fmt.Fprintf(&b, "\n## %s\n\n| function | difference | example | there | here | why |\n|---|---|---|---|---|---|\n", map[string]string{Spark: "Spark", DuckDB: "DuckDB"}[e])
		for _, u := range t.rules {
			if u.rule.Engine == e && u.short != nil {
				b.WriteString(u.line())
			}
		}
	}
	return b.String()
}

func (u *used) line() string {
	d := u.short
	names := slices.Clone(u.rule.Funcs)
	for i, n := range names {
		names[i] = "`" + cell(n) + "`"
	}
	if names[0] == "`*`" {
		names = []string{"any"}
	}
	theirs := shown(d.Theirs.Rows, d.Theirs.Err)
	return fmt.Sprintf("| %s | %s | `%s` | %s | %s | %s |\n", strings.Join(names, ", "), u.rule.Text, cell(clip(d.Case.SQL)), theirs, shown(d.Ours.Rows, d.Ours.Err), u.rule.Why)
}

// shown is an answer in a cell.
func shown(rows [][]any, err string) string {
	if err != "" {
		return "error"
	}
	if len(rows) != 1 || len(rows[0]) != 1 {
		return fmt.Sprintf("%d rows", len(rows))
	}
	switch x := rows[0][0].(type) {
	case nil:
		return "NULL"
	case string:
		return "`" + cell(clip("'"+visible(x)+"'")) + "`"
	default:
		text, _ := json.Marshal(plain(x))
		return "`" + cell(clip(string(text))) + "`"
	}
}

// plain turns the pairs of maps and structs into objects, for the eye.
func plain(v any) any {
	if list, ok := v.([]any); ok {
		out := make([]any, len(list))
		for i, x := range list {
			out[i] = plain(x)
		}
		return out
	}
	p, ok := pairs(v)
	if !ok {
		return v
	}
	out := map[string]any{}
	for _, kv := range p {
		out[fmt.Sprint(kv[0])] = plain(kv[1])
	}
	return out
}

func clip(s string) string {
	if r := []rune(s); len(r) > 120 {
		return string(r[:120]) + "…"
	}
	return s
}

func cell(s string) string {
	return strings.NewReplacer("|", `\|`, "`", "´", "\n", " ", "\t", " ", "\x00", `\0`).Replace(s)
}

// visible writes control characters as escapes.
func visible(s string) string {
	return control.ReplaceAllStringFunc(s, func(c string) string { return fmt.Sprintf(`\x%02x`, c[0]) })
}

var control = regexp.MustCompile(`[\x00-\x1f\x7f]`)
