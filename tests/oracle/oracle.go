// Package oracle runs the recorded cases of another engine, Spark Structured Streaming,
// and compares what this engine answers, trigger by trigger. A case passes, fails, is
// a deviation with a number of the oracle's README, or needs something that does not
// exist so far. Nothing here knows a case by its name: a deviation counts only if its
// rule explains every difference, and where rows differ the naive interpreter of
// incremental/reference must confirm our answer.
//
// Open this file first. case.go reads a case, dialect.go turns its SQL into ours,
// world.go runs it, fold.go brings the recorded batches into our triggers, same.go
// compares rows, deviations.go holds the rules about rows and triggers, values.go those
// about values and free choices, judge.go follows watermarks and asks the reference,
// confirm.go compares with what it says, refusal.go compares errors.
package oracle

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Kind is how a case ended.
type Kind int

// The kinds of verdicts.
const (
	Passed Kind = iota
	Deviation
	NotYet
	Failed
)

func (k Kind) String() string { return [...]string{"passed", "deviation", "not yet", "failed"}[k] }

// Verdict is what a case showed.
type Verdict struct {
	Kind Kind
	What string // D number, or the name of what is missing
	Text string // what was found
}

func failed(format string, args ...any) Verdict {
	return Verdict{Kind: Failed, Text: fmt.Sprintf(format, args...)}
}

func notYet(what string) Verdict { return Verdict{Kind: NotYet, What: what} }

func deviation(number, format string, args ...any) Verdict {
	return Verdict{Kind: Deviation, What: number, Text: fmt.Sprintf(format, args...)}
}

func (v Verdict) String() string {
	text := v.Kind.String()
	if v.What != "" {
		text += " " + v.What
	}
	if v.Text != "" {
		text += ": " + v.Text
	}
	return text
}

// Run plays one case.
func Run(ctx context.Context, c *Case, dir string) Verdict {
	if c.invalid != nil {
		return failed("%v", c.invalid)
	}
	v := run(ctx, c, dir, dialect{})
	if number, d := c.retry(v); number != "" {
		again := run(ctx, c, dir, d)
		if again.Kind == Passed || again.Kind == Deviation {
			return deviation(number, "refused with the way to write it; written so: %s", again)
		}
		return again
	}
	return v
}

func run(ctx context.Context, c *Case, dir string, d dialect) Verdict {
	w, err := newWorld(ctx, c, dir, d)
	if w != nil {
		defer w.close()
	}
	if err != nil {
		return c.refused(err, "start")
	}
	err = w.play()
	if err != nil {
		if v := w.before(); v.Kind == Failed {
			return v
		}
		return c.refused(err, "runtime")
	}
	return w.compare()
}

// Tally counts verdicts.
type Tally struct {
	Count   [4]int
	Missing map[string]int // not yet, by what is missing
	Numbers map[string]int // deviations, by number
	ByKind  map[string]*[4]int
}

// Add counts one.
func (t *Tally) Add(c *Case, v Verdict) {
	if t.Missing == nil {
		t.Missing, t.Numbers, t.ByKind = map[string]int{}, map[string]int{}, map[string]*[4]int{}
	}
	t.Count[v.Kind]++
	if t.ByKind[c.Kind] == nil {
		t.ByKind[c.Kind] = new([4]int)
	}
	t.ByKind[c.Kind][v.Kind]++
	switch v.Kind {
	case NotYet:
		t.Missing[v.What]++
	case Deviation:
		t.Numbers[v.What]++
	}
}

// String is the closing line, then what is missing and which deviations were met.
func (t *Tally) String() string {
	n := t.Count
	lines := []string{fmt.Sprintf("oracle: %d passed, %d deviations, %d not yet, %d failed", n[Passed], n[Deviation], n[NotYet], n[Failed])}
	lines = append(lines, "not yet:    "+counts(t.Missing), "deviations: "+counts(t.Numbers))
	for _, k := range sortedKeys(t.ByKind) {
		b := t.ByKind[k]
		lines = append(lines, fmt.Sprintf("  %-16s %3d passed %3d deviations %3d not yet %3d failed", k, b[0], b[1], b[2], b[3]))
	}
	return strings.Join(lines, "\n")
}

func counts(m map[string]int) string {
	var parts []string
	for _, k := range sortedKeys(m) {
		parts = append(parts, fmt.Sprintf("%s %d", k, m[k]))
	}
	if parts == nil {
		return "none"
	}
	return strings.Join(parts, ", ")
}

func sortedKeys[V any](m map[string]V) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
