package differential

import (
	"slices"
	"strings"
)

// Difference is an answer that is not ours.
type Difference struct {
	Case   *Case
	Engine string
	Ours   Result
	Theirs Answer
	What   string // which part differs
}

// Rule explains differences of one kind, as narrowly as its reason reaches.
type Rule struct {
	Engine string
	Funcs  []string // the functions, "*" = any
	When   func(d *Difference) bool
	Text   string // what differs, in a sentence
	Why    string
}

// Explains reports that the rule is about a difference.
func (r *Rule) Explains(d *Difference) bool {
	if r.Engine != d.Engine {
		return false
	}
	if r.Funcs[0] != "*" && !slices.Contains(r.Funcs, d.Case.Func) {
		return false
	}
	return r.When == nil || r.When(d)
}

// Rules are all explanations, the narrow ones first.
func Rules() []*Rule {
	return slices.Concat(sparkRules(), duckRules(), sparkYounger(), duckYounger(), sparkWider(), duckWider())
}

// The conditions that rules are made of.

// fails: an error here, a value there.
func fails(d *Difference) bool { return d.Ours.Err != "" }

// gives: a value here, an error there.
func gives(d *Difference) bool { return d.Theirs.Err != "" }

// differs: values on both sides.
func differs(d *Difference) bool { return !fails(d) && !gives(d) }

// isNull: NULL here, something else there.
func isNull(d *Difference) bool { return !fails(d) && d.first() == nil }

// wasNull: NULL there, something else here.
func wasNull(d *Difference) bool { return !gives(d) && d.theirFirst() == nil }

func (d *Difference) first() any {
	if len(d.Ours.Rows) == 0 || len(d.Ours.Rows[0]) == 0 {
		return nil
	}
	return d.Ours.Rows[0][0]
}

func (d *Difference) theirFirst() any {
	if len(d.Theirs.Rows) == 0 || len(d.Theirs.Rows[0]) == 0 {
		return nil
	}
	return d.Theirs.Rows[0][0]
}

// text is a condition on the words of the case.
func text(parts ...string) func(d *Difference) bool {
	return func(d *Difference) bool {
		return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(d.Case.SQL, p) })
	}
}

// says is a condition on the words of our error.
func says(part string) func(d *Difference) bool {
	return func(d *Difference) bool { return strings.Contains(d.Ours.Err, part) }
}

// class is a condition on the class of their error.
func class(parts ...string) func(d *Difference) bool {
	return func(d *Difference) bool {
		return slices.ContainsFunc(parts, func(p string) bool { return strings.HasPrefix(d.Theirs.Err, p) })
	}
}

// typed is a condition on their type of the first column.
func typed(prefix string) func(d *Difference) bool {
	return func(d *Difference) bool {
		return len(d.Theirs.Types) > 0 && strings.HasPrefix(d.Theirs.Types[0], prefix)
	}
}

func all(list ...func(d *Difference) bool) func(d *Difference) bool {
	return func(d *Difference) bool {
		return !slices.ContainsFunc(list, func(f func(d *Difference) bool) bool { return !f(d) })
	}
}

func either(list ...func(d *Difference) bool) func(d *Difference) bool {
	return func(d *Difference) bool {
		return slices.ContainsFunc(list, func(f func(d *Difference) bool) bool { return f(d) })
	}
}
