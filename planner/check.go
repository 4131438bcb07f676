package planner

import (
	"fmt"
	"strings"

	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/physical"
)

func (p *planner) checkAppend(o *output, root physical.Node) {
	if root.Props().Kind == physical.AppendOnly {
		return
	}
	p.errorf(diag.NeverFinal, p.modeSpan(o), "append needs final rows, but %s%s", reason(root), lost(root)).WithHint("%s", p.waysOut(o, root))
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
	if ok && p.takes(o, sink.Update) && !c.Deletes && !c.Ephemeral && !o.sink.Common.IgnoreDeletes {
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
			WithHint("group by the key of the sink, or set on_conflict = 'latest' on the sink")
		return
	}
	out.Key = o.sink.Key
}

// checkComplete: what complete mode keeps must not grow with the input.
func (p *planner) checkComplete(o *output, root physical.Node) {
	s := unaggregated(root)
	if s == "" {
		return
	}
	other := "leave the mode out"
	switch {
	case root.Props().Kind == physical.AppendOnly:
		other = "use EMIT APPEND"
	case p.takes(o, sink.Changelog):
		other = "use EMIT CHANGELOG"
	}
	p.errorf(diag.CompleteUnbounded, p.modeSpan(o), "complete mode would keep every row of %s", s).
		WithHint("aggregate, or %s", other)
}

// unaggregated names a stream that reaches the root without being grouped.
func unaggregated(root physical.Node) string { return ungrouped(root, map[physical.Node]bool{}) }

func ungrouped(n physical.Node, seen map[physical.Node]bool) string {
	if seen[n] {
		return ""
	}
	seen[n] = true
	switch x := n.(type) {
	case *physical.Aggregate, *physical.Distinct:
		return ""
	case *physical.TopN:
		if len(x.Partition) == 0 && x.Limit >= 0 {
			return ""
		}
	case *physical.Scan:
		if x.Finite {
			return ""
		}
		return fmt.Sprintf("%q", x.Relation.Name)
	}
	for _, c := range n.Children() {
		if s := ungrouped(c, seen); s != "" {
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
