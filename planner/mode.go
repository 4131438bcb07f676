package planner

import (
	"fmt"
	"strings"

	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/lower"
	"github.com/sqlstream/sqlstream/planner/physical"
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
	plans := make([]logical.Node, len(p.outs))
	opts := make([]lower.Options, len(p.outs))
	for i, o := range p.outs {
		plans[i], opts[i] = o.plan, p.lowerOptions(o, choices[i].mode)
	}
	roots, l := lower.Lower(plans, opts)
	for _, d := range l.Diagnostics() {
		if d.Code == diag.UnboundedState && p.opts.refuseUnbounded {
			e := *d
			e.Severity = diag.SeverityError
			d = &e
		}
		p.diags = append(p.diags, d)
	}
	if err := p.err(); err != nil {
		return nil, err
	}
	q := p.newQuery(l.TimeDriven())
	for i, o := range p.outs {
		q.Outputs = append(q.Outputs, p.output(o, roots[i], choices[i]))
		q.Finite = q.Finite && o.finite
	}
	if err := p.err(); err != nil {
		return nil, err
	}
	q.Diagnostics = append(p.b.Diagnostics(), p.diags...)
	return q, nil
}

func (p *planner) newQuery(timeDriven bool) *physical.Query {
	q := &physical.Query{Name: p.opts.name, Finite: true, Checkpoint: p.opts.checkpoint, AdoptSink: p.opts.adopt,
		AllowNewState: p.opts.allowNewState, DropState: p.opts.dropState, Zone: "UTC", NullOnError: p.set.NullOnError, TimeDriven: timeDriven}
	if p.set.Zone != nil {
		q.Zone = p.set.Zone.String()
	}
	if q.Name == "" && len(p.outs) > 0 {
		q.Name = p.outs[0].name
	}
	if p.emit != nil {
		q.Trigger = p.emit.Trigger
	}
	return q
}

func (p *planner) lowerOptions(o *output, mode sink.Mode) lower.Options {
	complete := mode == sink.Complete && !o.finite
	return lower.Options{Finite: o.finite, Close: mode == sink.Append && !o.finite && o.target != physical.ToView,
		Keep: o.finite || complete, Materialize: complete, Zone: p.set.Zone, Span: o.span}
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
		return choice{sink.Changelog, "a materialised view holds the current result"}
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
		if c, ok := p.cat.Connectors.Sink(o.sink.Connector); ok && c.Guarantee == sink.AtLeastOnce {
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

func (p *planner) checkAppend(o *output, root physical.Node) {
	if root.Props().Kind == physical.AppendOnly {
		return
	}
	p.errorf(diag.NeverFinal, p.modeSpan(o), "append needs final rows, but %s", reason(root)).WithHint("%s", p.waysOut(o, root))
}

// modeSpan is where the mode was asked for, else the query.
func (p *planner) modeSpan(o *output) diag.Span {
	if o.emit != nil && o.emit.Mode != ast.EmitDefault {
		return o.emit.ModeSpan
	}
	if !p.opts.modeSpan.IsZero() {
		return p.opts.modeSpan
	}
	return o.span
}

// reason names the node that makes rows change, and why they are never final.
func reason(root physical.Node) string {
	var found physical.Node
	physical.Walk(root, func(n physical.Node) {
		if n.Props().Kind != physical.AppendOnly && found == nil {
			found = n
		}
	})
	switch n := found.(type) {
	case *physical.Aggregate:
		if n.Global {
			return fmt.Sprintf("%s (%s) is one row that changes as long as rows come", physical.Summary(n), physical.ShortID(n))
		}
		if n.Bound != nil {
			return fmt.Sprintf("%s (%s) changes while its window is open", physical.Summary(n), physical.ShortID(n))
		}
		return fmt.Sprintf("%s (%s) can change for ever: no group column is bounded by a watermark", physical.Summary(n), physical.ShortID(n))
	case *physical.Scan:
		return fmt.Sprintf("rows of %q can be deleted", n.Relation.Name)
	case nil:
		return "its rows can change"
	}
	return fmt.Sprintf("rows of %s can change", physical.Summary(found))
}

// waysOut are the nearest legal queries.
func (p *planner) waysOut(o *output, root physical.Node) string {
	var ways []string
	if agg := firstAggregate(root); agg != nil && agg.Bound == nil {
		if hasWatermark(root) {
			ways = append(ways, "add window(ts, …) to GROUP BY")
		} else {
			ways = append(ways, "declare a watermark in the source and add window(ts, …) to GROUP BY")
		}
	}
	if key := bestKey(root.Props().Keys); key != nil && p.takes(o, sink.Update) {
		ways = append(ways, "use EMIT UPDATE (key: "+keyNames(root.Props(), key)+")")
	}
	if firstAggregate(root) != nil && p.takes(o, sink.Complete) {
		ways = append(ways, "use EMIT COMPLETE")
	}
	if p.takes(o, sink.Changelog) {
		ways = append(ways, "use EMIT CHANGELOG")
	}
	if o.target == physical.ToSink && len(ways) < 2 {
		ways = append(ways, "write to a materialised view")
	}
	return strings.Join(ways, ", or ")
}

func keyNames(props *physical.Props, key []int) string {
	if len(key) == 0 {
		return "one row"
	}
	list := make([]string, len(key))
	for i, k := range key {
		list[i] = props.Columns[k].Name
	}
	return strings.Join(list, ", ")
}

func firstAggregate(root physical.Node) *physical.Aggregate {
	var found *physical.Aggregate
	physical.Walk(root, func(n physical.Node) {
		if a, ok := n.(*physical.Aggregate); ok && found == nil {
			found = a
		}
	})
	return found
}

func hasWatermark(root physical.Node) bool {
	found := false
	physical.Walk(root, func(n physical.Node) {
		if s, ok := n.(*physical.Scan); ok && s.Watermark != nil {
			found = true
		}
	})
	return found
}

func (p *planner) checkUpdate(o *output, root physical.Node, out *physical.Output) {
	props := root.Props()
	out.Key = bestKey(props.Keys)
	if props.Kind == physical.AppendOnly {
		if o.sink != nil && len(o.sink.Key) > 0 {
			p.checkSinkKey(o, props, out)
		}
		return
	}
	if out.Key == nil {
		p.errorf(diag.NoKey, p.modeSpan(o), "update needs a unique key of the result, but none follows from the query: %s", reason(root)).
			WithHint("group by the key, keep the group columns in the select list, or use EMIT CHANGELOG")
		return
	}
	if o.sink != nil && len(o.sink.Key) > 0 {
		p.checkSinkKey(o, props, out)
	}
	if props.Kind != physical.Retract {
		return
	}
	out.Deletes = true
	if o.target != physical.ToSink {
		return
	}
	c, ok := p.cat.Connectors.Sink(o.sink.Connector)
	if ok && !c.Deletes && !c.Ephemeral && !o.sink.Common.IgnoreDeletes {
		p.errorf(diag.CannotDelete, p.modeSpan(o), "keys of this query can vanish, and sink %q cannot delete: %s", o.name, reason(root)).
			WithHint("set on_delete = 'ignore' on the sink, or use EMIT CHANGELOG")
	}
}

// checkSinkKey: the key of the sink must be unique in the query.
func (p *planner) checkSinkKey(o *output, props *physical.Props, out *physical.Output) {
	if !props.HasKey(o.sink.Key) {
		own := "which has no key"
		if out.Key != nil {
			own = "whose key is " + keyNames(props, out.Key)
		}
		p.errorf(diag.SinkKey, o.span, "the key of sink %q (%s) is not unique in the query, %s", o.name,
			keyNames(props, o.sink.Key), own).
			WithHint("group by the key of the sink")
		return
	}
	out.Key = o.sink.Key
}

// checkComplete: what complete mode keeps must not grow with the input.
func (p *planner) checkComplete(o *output, root physical.Node) {
	if s := unaggregated(root); s != "" {
		p.errorf(diag.CompleteUnbounded, p.modeSpan(o), "complete mode would keep every row of %s", s).
			WithHint("aggregate, or use EMIT APPEND")
	}
}

// unaggregated names a stream that reaches the root without being grouped.
func unaggregated(n physical.Node) string {
	switch x := n.(type) {
	case *physical.Aggregate, *physical.Distinct:
		return ""
	case *physical.Scan:
		if x.Finite {
			return ""
		}
		return fmt.Sprintf("%q", x.Relation.Name)
	}
	for _, c := range n.Children() {
		if s := unaggregated(c); s != "" {
			return s
		}
	}
	return ""
}

// takes reports whether the target takes a mode.
func (p *planner) takes(o *output, m sink.Mode) bool {
	if o.target != physical.ToSink {
		return true
	}
	c, ok := p.cat.Connectors.Sink(o.sink.Connector)
	if !ok {
		return false
	}
	_, ok = c.Modes[m]
	return ok
}

// checkSink refuses a mode that the sink does not take, in the sink's words.
func (p *planner) checkSink(o *output, out *physical.Output) {
	if o.target != physical.ToSink || p.takes(o, out.Mode) {
		return
	}
	c, ok := p.cat.Connectors.Sink(o.sink.Connector)
	if !ok {
		return
	}
	d := p.errorf(diag.SinkMode, p.modeSpan(o), "sink %q (%s) does not take %s mode", o.name, c.Name, out.Mode)
	d.Hint = c.Refused[out.Mode]
}

// checkNames: sinks write columns by name.
func (p *planner) checkNames(o *output, out *physical.Output) {
	if o.target == physical.ToClient {
		return
	}
	seen := map[string]bool{}
	for i, c := range out.P.Columns {
		if seen[strings.ToLower(c.Name)] {
			p.errorf(diag.DuplicateColumn, o.columnSpan(i), "the query gives two columns named %q", c.Name).
				WithHint("give one an alias")
		}
		seen[strings.ToLower(c.Name)] = true
		if c.Type.Kind == types.Null {
			p.errorf(diag.WrongColumns, o.columnSpan(i), "column %q has no type, only NULL", c.Name).WithHint("write CAST(NULL AS STRING)")
		}
	}
}
