package physical

import (
	"fmt"
	"strings"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// Explain prints a query: what reaches each sink and how, then a line for every
// operator with kind, keys and frontiers, then what is late, what is never cleaned and
// what is approximate. Nodes are numbered in the order in which data meets them.
func Explain(q *Query) string { return ExplainWith(q, nil) }

// ExplainWith is Explain with a line more for a node, where note has one; note may be nil.
func ExplainWith(q *Query, note func(Node) string) string {
	p := newPrinter(q)
	p.note = note
	for _, o := range q.Outputs {
		p.output(o)
	}
	p.static()
	p.line(0, "Late: "+orNone(p.late))
	p.line(0, "Never cleaned: "+orNone(p.kept))
	p.line(0, "Approximate: no")
	for _, note := range notes(q) {
		p.line(0, "Note: "+note)
	}
	return p.b.String()
}

// newPrinter numbers the nodes, and collects what is late and never cleaned.
func newPrinter(q *Query) *printer {
	p := &printer{numbers: map[Node]int{}, printed: map[Node]bool{}}
	for i, n := range q.Nodes() {
		p.numbers[n] = i + 1
		p.collect(n)
	}
	return p
}

// notes are what the planner tells about a query.
func notes(q *Query) (out []string) {
	for _, d := range q.Diagnostics {
		if d.Severity == diag.SeverityInfo {
			out = append(out, d.Message)
		}
	}
	return out
}

var targetNames = map[TargetKind]string{ToSink: "Sink", ToView: "Materialized view", ToTable: "Table", ToClient: "Client"}

type printer struct {
	b       strings.Builder
	numbers map[Node]int
	printed map[Node]bool
	late    []string
	kept    []string
	statics []*StaticJoin
	note    func(Node) string
}

func orNone(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, "; ")
}

func (p *printer) line(depth int, text string) {
	p.b.WriteString(strings.Repeat("  ", depth) + text + "\n")
}

func (p *printer) output(o *Output) {
	text := targetNames[o.Target]
	if o.Target != ToClient {
		text += " " + o.Name
	}
	if o.Sink != nil {
		text += " (" + o.Sink.Connector + ")"
	}
	text += "  mode=" + o.Mode.String()
	if o.Why != "" {
		text += " (" + o.Why + ")"
	}
	if len(o.Key) > 0 {
		text += "  key=" + keyText(&o.P, o.Key)
	}
	if o.Guarantee != "" {
		text += "  " + o.Guarantee
	}
	p.line(0, text)
	p.node(o.Input, 0)
}

// node prints a node and what is below it. A node that several branches read is
// printed once.
func (p *printer) node(n Node, depth int) {
	head := "└ " + p.head(n)
	if p.printed[n] {
		p.line(depth, head+" (shared, see above)")
		return
	}
	p.printed[n] = true
	if text := n.explain().summary; text != "" {
		head += "  " + text
	}
	p.line(depth, head+p.props(n))
	details := n.explain().details
	if p.note != nil {
		details = append(details, p.note(n))
	}
	for _, d := range details {
		if d != "" {
			p.line(depth+2, d)
		}
	}
	if x, ok := n.(*StaticJoin); ok {
		p.statics = append(p.statics, x)
	}
	for _, c := range n.Children() {
		p.node(c, depth+1)
	}
}

func (p *printer) head(n Node) string {
	text := fmt.Sprintf("%s #%d", kindOf(n), p.numbers[n])
	if n.Stateful() {
		text += " " + ShortID(n)
	}
	return text
}

// props are kind, keys and frontiers of the node's output.
func (p *printer) props(n Node) string {
	pr := n.Props()
	text := "  kind=" + pr.Kind.String()
	if len(pr.Keys) > 0 && len(pr.Keys[0]) > 0 {
		text += " key=" + keyText(pr, pr.Keys[0])
	}
	var fronts []string
	for _, f := range pr.Frontiers {
		fronts = append(fronts, frontierText(n, f))
	}
	if len(fronts) > 0 {
		text += " frontier=(" + strings.Join(fronts, ", ") + ")"
	}
	return text
}

func keyText(pr *Props, key []int) string { return "(" + strings.Join(keyNames(pr, key), ", ") + ")" }

func keyNames(pr *Props, key []int) []string {
	list := make([]string, len(key))
	for i, k := range key {
		list[i] = pr.Columns[k].Name
	}
	return list
}

func columnText(pr *Props, col int, path []int) string {
	text, t := pr.Columns[col].Name, pr.Columns[col].Type
	for _, f := range path {
		text += "." + t.Fields[f].Name
		t = t.Fields[f].Type
	}
	return text
}

// frontierText names a column and, where it is computed, from what.
func frontierText(n Node, f Frontier) string {
	text := columnText(n.Props(), f.Col, f.Path)
	if len(f.Rules) != 1 || f.Rules[0].Expr == nil {
		if len(f.Rules) == 1 && f.Rules[0].Child == TriggerTime {
			text += " = now()"
		}
		return text
	}
	if from := f.Rules[0].Expr.String(); from != text {
		text += " = " + from
	}
	return text
}

func cleaned(pr *Props, b *Bound) string {
	if b == nil {
		return "never cleaned: no column is bounded by a watermark"
	}
	name := pr.Columns[b.Col].Name
	return fmt.Sprintf("cleaned when %s < F(%s)", name, name)
}

func (a *Aggregate) stateText() []string {
	text := "state: one entry per open group; "
	switch {
	case a.Global:
		text = "state: one row; "
	case a.Bound == nil:
		text = "state: one entry per group; "
	}
	switch {
	case a.Keep:
		text += "kept whole"
	case a.Global:
		text += "kept"
	default:
		text += cleaned(&a.P, a.Bound)
	}
	if a.EmitOnClose {
		text += "; emits when closed"
	}
	if a.Retract {
		text += "; input can be retracted"
	}
	out := []string{text}
	if a.Panes != nil {
		w := a.Panes.Window
		out = append(out, fmt.Sprintf("panes: %s each, %d a window of %s every %s", length(a.Panes.Pane), w.Size/a.Panes.Pane, length(w.Size), length(w.Slide)))
	}
	return out
}

func (d *Dedup) cleanText() string {
	switch {
	case d.Within && d.Bound != nil:
		name := d.Input.Props().Columns[d.Bound.Col].Name
		return fmt.Sprintf("forgotten when first %s + %s ≤ F(%s)", name, expr.Interval(d.Delay), name)
	case d.Clean:
		return cleaned(d.Input.Props(), d.Bound)
	}
	return "never cleaned: no key column is bounded by a watermark"
}

// collect adds the node to the closing lines.
func (p *printer) collect(n Node) {
	at := fmt.Sprintf("#%d ", p.numbers[n])
	x := n.explain()
	if x.late != "" {
		p.late = append(p.late, at+x.late)
	}
	if x.kept != "" && !finite(n) {
		p.kept = append(p.kept, at+x.kept)
	}
}

// Unbounded tells what of its input an operator never forgets and why, and how to write
// the query so that it does; "" = its state has a bound, as that over a table has.
func Unbounded(n Node) (kept, way string) {
	x := n.explain()
	if x.kept == "" || x.last || finite(n) {
		return "", ""
	}
	return x.kept, x.way
}

func lateText(pr *Props, b *Bound) string {
	name := pr.Columns[b.Col].Name
	return fmt.Sprintf("%s < F(%s)", name, name)
}

// static prints the plans of the static sides.
func (p *printer) static() {
	for i := 0; i < len(p.statics); i++ {
		j := p.statics[i]
		p.line(0, "Static "+ShortID(j.Static)+", joined by #"+fmt.Sprint(p.numbers[j]))
		Walk(j.Static, func(n Node) {
			if p.numbers[n] == 0 {
				p.numbers[n] = len(p.numbers) + 1
			}
		})
		p.node(j.Static, 0)
	}
}

// length spells µs as a duration.
func length(micros int64) string {
	text := expr.Interval(types.IntervalValue{Micros: micros}).String()
	return strings.Trim(strings.TrimPrefix(text, "INTERVAL "), "'")
}
