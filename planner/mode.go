package planner

import (
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/lower"
	"github.com/sqlstream/sqlstream/planner/physical"
	"github.com/sqlstream/sqlstream/planner/rules"
)

// choice is an output mode for each output, and why.
type choice struct {
	mode sink.Mode
	why  string
}

// physical chooses the modes, lowers the plans and checks what the modes need.
func (p *planner) physical() (*physical.Query, error) {
	choices := make([]choice, len(p.outs))
	for i, o := range p.outs {
		choices[i] = p.choose(o)
	}
	for i, o := range p.outs {
		p.resolveConflicts(o, choices[i].mode)
	}
	plans := make([]logical.Node, len(p.outs))
	opts := make([]lower.Options, len(p.outs))
	for i, o := range p.outs {
		plans[i], opts[i] = o.plan, p.lowerOptions(o, choices[i].mode)
	}
	roots, l := lower.Lower(plans, opts)
	p.diags = append(p.diags, l.Diagnostics()...)
	if err := p.err(); err != nil {
		return nil, err
	}
	roots = p.common(roots)
	if !p.off(rules.PruneScans) && physical.Prune(roots) > 0 {
		p.fired(rules.PruneScans)
	}
	q := p.newQuery(l.TimeDriven())
	for i, o := range p.outs {
		q.Outputs = append(q.Outputs, p.output(o, roots[i], choices[i]))
		q.Finite = q.Finite && o.finite
	}
	p.checkState(q)
	if err := p.err(); err != nil {
		return nil, err
	}
	q.Diagnostics = append(p.b.Diagnostics(), p.diags...)
	return q, nil
}

// common computes once what branches and outputs have in common.
func (p *planner) common(roots []physical.Node) []physical.Node {
	if p.off(rules.CommonSubplans) {
		return roots
	}
	out, shared := physical.Common(roots)
	if shared > 0 {
		p.fired(rules.CommonSubplans)
	}
	return out
}

func (p *planner) off(rule string) bool { return p.set.RuleOff != nil && p.set.RuleOff(rule) }

func (p *planner) fired(rule string) {
	if p.set.RuleFired != nil {
		p.set.RuleFired(rule)
	}
}

func (p *planner) newQuery(timeDriven bool) *physical.Query {
	q := &physical.Query{Name: p.opts.name, Finite: true, Checkpoint: p.opts.checkpoint, AdoptSink: p.opts.adopt, Restart: p.opts.restart,
		AllowNewState: p.opts.allowNewState, DropState: p.opts.dropState, Zone: "UTC", NullOnError: p.set.NullOnError, TimeDriven: timeDriven}
	if p.set.Zone != nil {
		q.Zone = p.set.Zone.String()
	}
	if q.Name == "" && len(p.outs) > 0 {
		q.Name = p.outs[0].name
	}
	if q.Trigger = p.opts.trigger; q.Trigger == nil && p.emit != nil {
		q.Trigger = p.emit.Trigger
	}
	return q
}

func (p *planner) lowerOptions(o *output, mode sink.Mode) lower.Options {
	complete := mode == sink.Complete && !o.finite
	return lower.Options{Finite: o.finite, Close: mode == sink.Append && !o.finite, Ahead: p.askedMode(o) == ast.EmitAppend,
		Keep: o.finite || complete, Materialize: complete, Unordered: o.target == physical.ToView,
		Zone: p.set.Zone, Span: o.span}
}

// try lowers one plan for a mode, for its properties alone.
func (p *planner) try(o *output, mode sink.Mode) (physical.Node, *lower.Lowerer) {
	roots, l := lower.Lower([]logical.Node{o.plan}, []lower.Options{p.lowerOptions(o, mode)})
	return roots[0], l
}

// choose takes the mode that was asked for, else the default of language.md A.
func (p *planner) choose(o *output) choice {
	switch {
	case o.finite:
		p.checkFinite(o)
		return choice{p.finiteMode(o), "the input is finite"}
	case o.target == physical.ToTable:
		if m := p.askedMode(o); m != ast.EmitDefault && m != ast.EmitAppend {
			p.errorf(diag.SinkMode, p.modeSpan(o), "table %q does not take %s mode: its rows are only added", o.name, m).
				WithHint("use CREATE MATERIALIZED VIEW")
		}
		return choice{sink.Append, "a table takes final rows"}
	case o.target == physical.ToView:
		return p.viewMode(o)
	}
	if m := p.askedMode(o); m != ast.EmitDefault {
		return choice{modeSink(m), "asked for"}
	}
	root, l := p.try(o, sink.Append)
	if !l.Failed() && root.Props().Kind == physical.AppendOnly {
		return choice{sink.Append, "default: the plan gives final rows"}
	}
	root, l2 := p.try(o, sink.Update)
	if l2.Failed() {
		return choice{sink.Append, "default"} // the refusals come out when it is lowered
	}
	if !p.ephemeral(o) {
		p.errorf(diag.NoDefaultMode, o.span, "rows of this query can change, and sink %q does not say how it wants changes: %s", o.name, reason(root)).
			WithHint("%s", p.waysOut(o, root))
		return choice{sink.Update, "default"}
	}
	if root.Props().Kind == physical.NoDelete && len(root.Props().Keys) > 0 {
		return choice{sink.Update, "default: rows change, keys stay"}
	}
	return choice{sink.Changelog, "default: rows can vanish"}
}

// viewMode is what a materialised view holds: the current result or, where the statement
// itself asks for append, the rows that are final.
func (p *planner) viewMode(o *output) choice {
	m := p.opts.mode
	switch {
	case p.opts.modeSpan.IsZero(): // the session's default is for queries
	case m == ast.EmitAppend:
		return choice{sink.Append, "a materialised view of final rows"}
	case m != ast.EmitUpdate:
		p.errorf(diag.SinkMode, p.modeSpan(o), "a materialised view does not take %s mode: it holds the current result or, with EMIT ON WINDOW CLOSE, the rows that are final", m).
			WithHint("leave EMIT out")
	}
	return choice{sink.Changelog, "a materialised view holds the current result"}
}

// finiteMode is append, which gives the result once, or the first mode that the sink
// takes.
func (p *planner) finiteMode(o *output) sink.Mode {
	for _, m := range []sink.Mode{sink.Append, sink.Update, sink.Changelog, sink.Complete} {
		if p.takes(o, m) {
			return m
		}
	}
	return sink.Append
}

// checkFinite says that a mode has no effect.
func (p *planner) checkFinite(o *output) {
	if m := p.askedMode(o); m == ast.EmitUpdate && o.target == physical.ToSink {
		p.diags = append(p.diags, diag.Infof(diag.NotFinite, o.span, "the input is finite: its result is written once"))
	}
}

func (p *planner) askedMode(o *output) ast.EmitMode {
	if o.emit != nil && o.emit.Mode != ast.EmitDefault {
		return o.emit.Mode
	}
	return p.opts.mode
}

func modeSink(m ast.EmitMode) sink.Mode {
	return map[ast.EmitMode]sink.Mode{ast.EmitAppend: sink.Append, ast.EmitUpdate: sink.Update, ast.EmitComplete: sink.Complete,
		ast.EmitChangelog: sink.Changelog}[m]
}

// ephemeral: console and memory take any mode by default.
func (p *planner) ephemeral(o *output) bool {
	if o.target != physical.ToSink {
		return true
	}
	c, ok := p.cat.Connectors.Sink(o.sink.Connector)
	return ok && c.Ephemeral
}

// output makes the root of a plan and checks its mode.
func (p *planner) output(o *output, root physical.Node, c choice) *physical.Output {
	out := &physical.Output{Target: o.target, Name: o.name, Sink: o.sink, Table: o.table, Mode: c.mode, Why: c.why}
	switch {
	case o.finite && lower.Deletes(root):
		root = lower.Materialize(root)
	case o.finite:
	case c.mode == sink.Append:
		p.checkAppend(o, root)
	case c.mode == sink.Update:
		p.checkUpdate(o, root, out)
	case c.mode == sink.Complete:
		p.checkComplete(o, root)
		root = lower.Materialize(root)
	}
	out.Input = root
	out.P = *root.Props()
	out.P.Frontiers = passed(out.P.Frontiers)
	out.Ordered = ordered(root)
	out.OpID = root.ID()
	if out.Key == nil {
		out.Key = bestKey(root.Props().Keys)
	}
	out.Guarantee = p.guarantee(o)
	p.checkSink(o, out)
	p.checkNames(o, out)
	return out
}

// guarantee is what the target promises about batches that are published again.
func (p *planner) guarantee(o *output) string {
	if o.target == physical.ToClient {
		return ""
	}
	if o.target == physical.ToSink {
		if c, ok := p.cat.Connectors.Sink(o.sink.Connector); ok && c.Promises(o.sink.Options) == sink.AtLeastOnce {
			return "at-least-once"
		}
	}
	return "exactly-once"
}

// passed are the frontiers of an edge as those of a node above it that changes nothing.
func passed(of []physical.Frontier) []physical.Frontier {
	var out []physical.Frontier
	for i, f := range of {
		out = append(out, physical.Frontier{Col: f.Col, Path: f.Path, Rules: []physical.FrontierInput{{Child: 0, Front: i}}})
	}
	return out
}

func ordered(n physical.Node) bool {
	switch x := n.(type) {
	case *physical.Materialize:
		return len(x.Order) > 0
	case *physical.Project:
		return ordered(x.Input)
	}
	return false
}

// bestKey is the smallest key.
func bestKey(keys [][]int) []int {
	var best []int
	for _, k := range keys {
		if best == nil || len(k) < len(best) {
			best = k
		}
	}
	return best
}
