package lower

import (
	"fmt"
	"slices"
	"sort"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// scanShare is one way in which a source is read: what all its readers need, and,
// once that is known, the node.
type scanShare struct {
	need map[int]bool // columns of the logical scan
	out  *lowered
}

// scan reads the needed columns. Sources that are read in the same way are read once.
// Computed columns are a projection above, so that a watermark passes through them;
// only what the watermark itself needs is computed by the scan.
func (l *Lowerer) scan(s *logical.Scan, need []bool) *lowered {
	key := fmt.Sprintf("%s %t", shareKey(s), l.opt.Finite) // a table read once has no frontiers, one beside streams has
	share := l.scans[key]
	if share == nil {
		share = &scanShare{need: map[int]bool{}}
		l.scans[key] = share
	}
	inScan := watermarkColumns(s)
	for i := range inScan {
		share.need[i] = true
	}
	if upserts(s) {
		for _, k := range s.Relation.Key {
			share.need[k] = true
		}
	}
	exprs := make([]expr.Node, len(need)) // of the columns to be computed above
	for i := range need {
		if !need[i] {
			continue
		}
		if computed(s, i) == nil || inScan[i] {
			share.need[i] = true
			continue
		}
		exprs[i] = inlined(s, i, inScan)
		for _, c := range expr.ColumnsOf(exprs[i]) {
			share.need[c] = true
		}
	}
	if share.out == nil || !l.sealed {
		share.out = l.buildScan(s, share.need)
	}
	return l.computeAbove(s, share.out, need, exprs)
}

// computed is the expression of a computed column over the columns of the scan, nil for
// one that the connector delivers.
func computed(s *logical.Scan, i int) expr.Node {
	if n := len(s.Relation.Columns); i >= n {
		if i-n == len(s.Extra) { // whether a version is a deletion
			return nil
		}
		return s.Extra[i-n]
	}
	return s.Relation.Columns[i].Expr
}

// watermarkColumns are the columns that the watermark reads, with what they are
// computed from.
func watermarkColumns(s *logical.Scan) map[int]bool {
	w := s.Watermark
	if w == nil || s.Finite {
		return nil
	}
	from := []int{w.Col}
	if w.Where != nil {
		from = append(from, expr.ColumnsOf(w.Where)...)
	}
	return inputsOf(s, from...)
}

// inputsOf are columns of a scan, with what they are computed from.
func inputsOf(s *logical.Scan, from ...int) map[int]bool {
	out := map[int]bool{}
	var add func(i int)
	add = func(i int) {
		out[i] = true
		if e := computed(s, i); e != nil {
			for _, c := range expr.ColumnsOf(e) {
				add(c)
			}
		}
	}
	for _, i := range from {
		add(i)
	}
	return out
}

// inlined is a computed column over the columns that the scan gives.
func inlined(s *logical.Scan, i int, inScan map[int]bool) expr.Node {
	return expr.Rewrite(computed(s, i), func(x expr.Node) expr.Node {
		if c, ok := x.(*expr.Column); ok && computed(s, c.Index) != nil && !inScan[c.Index] {
			return inlined(s, c.Index, inScan)
		}
		return x
	})
}

// computeAbove projects the computed columns; a scan without any is left as it is.
func (l *Lowerer) computeAbove(s *logical.Scan, in *lowered, need []bool, computed []expr.Node) *lowered {
	var exprs []expr.Node
	var names []string
	cols := make([]int, len(need))
	some := false
	for i, c := range s.Schema() {
		cols[i] = -1
		if !need[i] {
			continue
		}
		cols[i] = len(exprs)
		e := expr.Node(nil)
		if computed[i] != nil {
			some = true
			e = onto(in, computed[i])
		} else {
			e = column(in, in.cols[i])
		}
		exprs, names = append(exprs, e), append(names, c.Name)
	}
	if !some {
		return in
	}
	out := l.project(in, exprs, names)
	out.cols = cols
	return out
}

func shareKey(s *logical.Scan) string {
	text := fmt.Sprintf("%p %t", s.Relation, s.Finite)
	if s.Relation.Connector == "view" {
		text = "view " + s.Relation.Name
	}
	if s.Versions {
		text += " versions"
	}
	for _, e := range s.Extra {
		text += " extra " + e.String()
	}
	if w := s.Watermark; w != nil && !s.Finite {
		text += fmt.Sprintf(" watermark %d %v", w.Col, w.Delay)
		if w.Where != nil {
			text += " where " + w.Where.String()
		}
	}
	return text
}

// scanBuilder lays out the columns of a scan.
type scanBuilder struct {
	s     *logical.Scan
	cols  []types.Column // the schema of s
	node  *physical.Scan
	place []int // logical column → physical column, −1 = not read
}

func (l *Lowerer) buildScan(s *logical.Scan, need map[int]bool) *lowered {
	b := &scanBuilder{s: s, cols: s.Schema(), place: make([]int, logical.Width(s))}
	for i := range b.place {
		b.place[i] = -1
	}
	b.node = &physical.Scan{Relation: s.Relation, Alias: s.Alias, Finite: s.Finite, MaxAhead: s.Relation.Common.MaxAhead}
	b.inputs(need)
	b.compute(need)
	b.notNull()
	return l.finishScan(b)
}

// notNull notes the declarations of the columns that are read.
func (b *scanBuilder) notNull() {
	for i, c := range b.s.Relation.Columns {
		if (c.NotNull || upserts(b.s) && slices.Contains(b.s.Relation.Key, i)) && b.place[i] >= 0 {
			b.node.NotNull = append(b.node.NotNull, b.place[i])
		}
	}
}

// inputs places the columns that the connector delivers.
func (b *scanBuilder) inputs(need map[int]bool) {
	_, at := b.s.Relation.Inputs()
	for j, i := range at {
		if need[i] {
			b.place[i] = len(b.node.Need)
			b.node.Need = append(b.node.Need, j)
			b.node.P.Columns = append(b.node.P.Columns, b.cols[i])
		}
	}
}

func (b *scanBuilder) compute(need map[int]bool) {
	for i := range b.place {
		e := computed(b.s, i)
		if e == nil || !need[i] {
			continue
		}
		b.place[i] = len(b.node.P.Columns)
		b.node.Computed = append(b.node.Computed, expr.MapColumns(e, func(c int) int { return b.place[c] }))
		b.node.P.Columns = append(b.node.P.Columns, b.cols[i])
	}
}

// finishScan adds watermark, kind, keys and identity.
func (l *Lowerer) finishScan(b *scanBuilder) *lowered {
	s, n := b.s, b.node
	out := &lowered{node: n, cols: b.place}
	out.id.base = "scan " + s.Relation.Name
	if s.Relation.Changelog { // states keep more than of rows that only come
		out.id.base = "changes of " + s.Relation.Name
	}
	out.id.cols = make([]string, len(n.P.Columns))
	for i, at := range b.place {
		if at >= 0 {
			c := b.cols[i]
			out.id.cols[at] = s.Relation.Name + "." + c.Name + ":" + c.Type.String()
			if e := computed(s, i); e != nil {
				out.id.cols[at] = identity{cols: logicalNames(s)}.text(e)
			}
		}
	}
	if s.Relation.Changelog {
		n.P.Kind = physical.Retract
	}
	if key := placed(s.Relation.Key, b.place); key != nil && !upserts(s) && !s.Versions {
		n.P.Keys = [][]int{key}
	}
	if s.Finite {
		l.endless(out)
	} else if s.Watermark != nil {
		l.scanWatermark(b, out)
	}
	n.OpID = hashOf("scan", out.id.base, fmt.Sprint(out.id.cols))
	if !s.Finite && s.Relation.Common.Refresh != nil {
		return l.refresh(out)
	}
	if upserts(s) {
		return l.upsert(b, out)
	}
	if s.Versions {
		return l.versions(out)
	}
	return out
}

func logicalNames(s *logical.Scan) []string {
	names := make([]string, logical.Width(s))
	for i, c := range s.Schema() {
		names[i] = s.Relation.Name + "." + c.Name + ":" + c.Type.String()
	}
	return names
}

// placed maps a key to physical columns, nil if one is not read.
func placed(key, place []int) []int {
	var out []int
	for _, k := range key {
		if k >= len(place) || place[k] < 0 {
			return nil
		}
		out = append(out, place[k])
	}
	sort.Ints(out)
	return out
}

func (l *Lowerer) scanWatermark(b *scanBuilder, out *lowered) {
	w, n := b.s.Watermark, b.node
	col := b.place[w.Col]
	n.P.Frontiers = []physical.Frontier{{Col: col}}
	out.hard, out.delay = []bool{false}, w.Delay
	n.Watermark = &physical.Watermark{Col: col, Front: 0, Delay: w.Delay, IdleTimeout: b.s.Relation.Common.IdleTimeout, WholeSource: b.s.Relation.Common.WholeSource}
	if w.Where != nil {
		n.Watermark.Where = expr.MapColumns(w.Where, func(i int) int { return b.place[i] })
	}
	out.id.base += " watermark " + out.id.cols[col]
	if n.Watermark.Where != nil {
		out.id.base += " where " + out.id.text(n.Watermark.Where)
	}
}

// endless gives a finite input beside streams a frontier on every column that can
// have one: once it has been read, nothing comes after it.
func (l *Lowerer) endless(out *lowered) {
	if l.opt.Finite {
		return
	}
	p := out.props()
	for i, c := range p.Columns {
		if c.Type.IsTime() || c.Type.IsInteger() {
			p.Frontiers = append(p.Frontiers, physical.Frontier{Col: i})
			out.hard = append(out.hard, true)
		}
	}
}

// values gives constant rows.
func (l *Lowerer) values(v *logical.Values) *lowered {
	n := &physical.Values{Rows: v.Rows}
	n.P.Columns = v.Columns
	out := &lowered{node: n, cols: make([]int, len(v.Columns))}
	text := v.Describe()
	out.id = identity{base: text}.bounded() // the text of many rows is long
	out.id.cols = make([]string, len(v.Columns))
	for i, c := range v.Columns {
		out.cols[i] = i
		out.id.cols[i] = out.id.base + "." + c.Name
	}
	if len(v.Rows) <= 1 {
		n.P.Keys = [][]int{{}}
	}
	l.endless(out)
	n.OpID = hashOf("values", text)
	return out
}
