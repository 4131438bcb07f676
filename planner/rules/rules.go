// Package rules owns the rewrites of logical plans: each rule is named, takes a plan
// to an equal one, and has a test that it fired. Rules bring different spellings to
// one form, so that the operator ids, and EXPLAIN, do not depend on them. They know
// logical plans only. Open this file first: List is the order in which they run.
//
// No rule moves a predicate below a scan's watermark: the watermark belongs to the
// Scan and moves with every row of the source.
package rules

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// Rule is one rewrite. Apply returns its argument where it does not fire.
type Rule struct {
	Name  string
	Apply func(c *Context, n logical.Node) logical.Node
	// Normal says that keys, modes and lateness are read off the form that the rule makes, or
	// that what is too large for one array runs in that form alone.
	// The other rules only save work: any of them can be left out (Context.Off).
	Normal bool
	// Last: it runs when none of the others fires any more, on what they have made.
	Last bool
}

// Context is what rules may use.
type Context struct {
	Resolver *expr.Resolver
	// Fired, if set, is told of each rule that changed something.
	Fired func(rule string)
	// Off, if set, names rules that are left out, normal ones excepted: tests show that no
	// result depends on one.
	Off func(rule string) bool
}

// List is every rule in order. They run over the plan again until none fires.
var List = []Rule{
	{Name: "merge-projects", Apply: mergeProjects, Normal: true},
	{Name: "merge-filters", Apply: mergeFilters},
	{Name: "push-filter-project", Apply: pushFilterProject},
	{Name: "push-filter-union", Apply: pushFilterUnion},
	{Name: "push-filter-rows", Apply: pushFilterRows},
	{Name: "push-filter-session", Apply: pushFilterSession},
	{Name: "outer-to-inner", Apply: outerToInner},
	{Name: "known-in", Apply: knownIn},
	{Name: "push-filter-aggregate", Apply: pushFilterAggregate},
	{Name: "push-filter-partition", Apply: pushFilterPartition},
	{Name: "push-filter-distinct", Apply: pushFilterDistinct},
	{Name: "fold-constants", Apply: foldConstants},
	{Name: "factor-or", Apply: factorOr, Normal: true},
	{Name: "push-filter-join", Apply: pushFilterJoin},
	{Name: "join-keys", Apply: joinKeys, Normal: true},
	{Name: "join-residual", Apply: joinResidual, Normal: true},
	{Name: "push-join-condition", Apply: pushJoinCondition},
	{Name: "equal-constant", Apply: equalConstant},
	{Name: "semi-distinct", Apply: semiDistinct},
	{Name: "connect-joins", Apply: connectJoins, Normal: true},
	{Name: "order-joins", Apply: orderJoins},
	{Name: "drop-true-filter", Apply: dropTrueFilter},
	{Name: "window-keys", Apply: windowKeys, Normal: true},
	{Name: "over-top-n", Apply: overTopN, Normal: true},
	{Name: "limit-series", Apply: limitSeries},
	{Name: "empty-series", Apply: emptySeries},
	{Name: "split-series", Apply: splitSeries, Normal: true, Last: true},
}

// CommonSubplans is the name of the rewrite that comes last, of the physical plan
// (physical.Common): equal subtrees become one node.
const CommonSubplans = "common-subplans"

// PruneScans is the name of the one after it (physical.Prune): parts of files that hold
// nothing of what filters demand are not read.
const PruneScans = "prune-scans"

// Optional names every rewrite that can be left out.
func Optional() []string {
	var out []string
	for _, r := range List {
		if !r.Normal {
			out = append(out, r.Name)
		}
	}
	return append(out, CommonSubplans, PruneScans)
}

// maxRounds bounds the rewriting; each rule makes plans smaller or moves filters
// down, so that far fewer rounds are needed.
const maxRounds = 50

// Run applies all rules until none fires.
func Run(c *Context, n logical.Node) logical.Node {
	for range maxRounds {
		next, changed := round(c, n, false)
		if n = next; !changed {
			break
		}
	}
	n, _ = round(c, n, true)
	return n
}

// round applies each rule once at each node, from the leaves up.
func round(c *Context, n logical.Node, last bool) (out logical.Node, changed bool) {
	out = logical.Rewrite(n, func(x logical.Node) logical.Node {
		for _, r := range List {
			if r.Last != last || !r.Normal && c.Off != nil && c.Off(r.Name) {
				continue
			}
			if y := r.Apply(c, x); y != x {
				if c.Fired != nil {
					c.Fired(r.Name)
				}
				changed = true
				x = y
			}
		}
		return x
	})
	return out, changed
}
