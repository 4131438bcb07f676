package bind

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/catalog"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// broken stands for an input with an error, so that the rest can still be checked.
func broken() (logical.Node, *scope) {
	return &logical.Values{}, &scope{broken: true}
}

// standIn is an input with the columns of a scope, for one that could not be made: what
// is bound over it, such as a window, counts its columns.
func standIn(s *scope) logical.Node {
	v := &logical.Values{}
	for _, c := range s.cols {
		for len(v.Columns) <= c.index {
			v.Columns = append(v.Columns, types.Column{})
		}
		v.Columns[c.index] = types.Column{Name: c.name, Type: c.typ}
	}
	return v
}

// from binds FROM, with TABLESAMPLE.
func (b *Binder) from(ref ast.TableRef, outer *scope) (logical.Node, *scope) {
	plan, s := b.relationOf(ref, outer)
	var sample *ast.Sample
	switch x := ref.(type) {
	case *ast.TableName:
		sample = x.Sample
	case *ast.Derived:
		sample = x.Sample
	case *ast.File:
		sample = x.Sample
	}
	if sample == nil || s.broken {
		return plan, s
	}
	return b.sampled(plan, sample), s
}

// sampled keeps a share of the rows, or a number of them, chosen by a hash of what they hold: the
// same ones in every run, and a deletion goes with its insertion. Of a share, equal rows come
// together or not at all.
func (b *Binder) sampled(plan logical.Node, s *ast.Sample) logical.Node {
	seed := int64(0)
	if s.Seed != nil {
		var err error
		if seed, err = strconv.ParseInt(s.Seed.Text, 10, 64); err != nil {
			b.errorf(diag.BadConstant, s.Seed.Span, "the seed of a sample is a whole number")
			return plan
		}
	}
	big := types.Of(types.Int64)
	hash := b.resolve(s.Span, "xxhash64", append([]expr.Node{expr.Int(big, seed)}, hashable(logical.Columns(plan))...)...)
	if hash == nil {
		return plan
	}
	if s.Rows {
		n, err := strconv.ParseInt(s.Size.Text, 10, 64)
		if err != nil {
			b.errorf(diag.BadConstant, s.Size.Span, "a sample takes a whole number of rows")
			return plan
		}
		return &logical.TopN{Input: plan, Order: []logical.SortKey{{Expr: hash}}, Limit: n}
	}
	percent, err := strconv.ParseFloat(s.Size.Text, 64)
	if err != nil || percent < 0 || percent > 100 {
		b.errorf(diag.BadConstant, s.Size.Span, "a sample takes a share between 0 and 100 percent")
		return plan
	}
	const parts = 1_000_000
	part := b.resolve(s.Span, "pmod", hash, expr.Int(big, parts))
	return &logical.Filter{Input: plan, Predicate: b.resolve(s.Span, "<", part, expr.Int(big, int64(percent*parts/100+0.5)))}
}

// hashable leaves out columns of maps, whose entries have no order; a table of nothing else
// keeps them, and is refused.
func hashable(columns []expr.Node) []expr.Node {
	out := slices.DeleteFunc(slices.Clone(columns), func(n expr.Node) bool { return holdsMap(n.Type()) })
	if len(out) == 0 {
		return columns
	}
	return out
}

func holdsMap(t types.Type) bool {
	switch t.Kind {
	case types.Map:
		return true
	case types.Array:
		return holdsMap(*t.Elem)
	case types.Struct:
		return slices.ContainsFunc(t.Fields, func(f types.Field) bool { return holdsMap(f.Type) })
	}
	return false
}

// relationOf binds FROM. Without FROM there is one row without columns.
func (b *Binder) relationOf(ref ast.TableRef, outer *scope) (logical.Node, *scope) {
	switch x := ref.(type) {
	case nil:
		return &logical.Values{Rows: [][]expr.Node{{}}}, &scope{}
	case *ast.TableName:
		return b.tableName(x)
	case *ast.Derived:
		return b.derived(x, outer)
	case *boundQuery:
		return b.aliased(x.plan, x.Alias, "", nil)
	case *ast.Join:
		return b.join(x, outer)
	case *ast.TableFunc:
		if query, ok := b.overQueries(x); ok {
			return b.derived(query, outer)
		}
		return b.tableFunc(x, outer)
	case *ast.File:
		return b.file(x)
	case *ast.Pivot:
		return b.pivot(x, outer)
	case *ast.Unpivot:
		return b.unpivot(x, outer)
	}
	b.errorf(diag.NotPlanned, ref.Pos(), "this form of FROM is not supported")
	return broken()
}

// tableName reads a CTE, or an object of the catalog.
func (b *Binder) tableName(x *ast.TableName) (logical.Node, *scope) {
	plan := b.named(x.Name)
	if plan == nil {
		return broken()
	}
	if x.AsOf != nil && readsStream(plan) {
		b.errorf(diag.AsofJoin, x.AsOf.Pos(), "FOR SYSTEM_TIME AS OF a stream is a join: the stream stands on its right").
			WithHint("write it as FROM l JOIN %s FOR SYSTEM_TIME AS OF l.ts ON …", x.Name)
		return broken()
	}
	if x.AsOf != nil && b.olderTable(x) {
		return broken()
	}
	return b.aliased(plan, x.Alias, x.Name.Last().Name, x.Watermark)
}

// named finds a CTE or an object by name.
func (b *Binder) named(name ast.Name) logical.Node {
	if len(name.Parts) == 1 {
		for c := b.ctes; c != nil; c = c.next {
			if c.cte.Name.Is(name.Parts[0].Name) {
				return b.cte(c, name)
			}
		}
	}
	if ref := b.recurring(name); ref != nil {
		return ref
	}
	o, err := b.cat.Find(name.String())
	var amb *catalog.AmbiguousError
	if errors.As(err, &amb) {
		b.errorf(diag.AmbiguousName, name.Span, "%s", amb.Error())
		return nil
	}
	switch o := o.(type) {
	case *catalog.Relation:
		return b.scan(o, name.Last().Name)
	case *catalog.View:
		return b.view(o, name)
	case *catalog.MaterializedView:
		return b.scan(&catalog.Relation{Name: o.Name, Connector: "view", Columns: plainColumns(o.Columns), Key: o.Key}, name.Last().Name)
	case *catalog.Sink:
		if o.Result != nil {
			return b.scan(&catalog.Relation{Name: o.Name, Connector: "result", Columns: plainColumns(o.Result)}, name.Last().Name)
		}
		b.readSink(o, name)
		return nil
	}
	if b.set.System != nil {
		if r := b.set.System(name.String()); r != nil {
			return b.scan(r, name.Last().Name)
		}
	}
	d := b.errorf(diag.UnknownTable, name.Span, "unknown table or source %q", name.String())
	if b.binds != nil && b.binds.Name.Is(name.String()) {
		d.WithHint("a query that reads itself is WITH RECURSIVE %s AS (…)", name.String())
		return nil
	}
	if d.Hint = elsewhere(catalogs, name.String()); d.Hint == "" {
		known := append(append(b.cat.Names(), b.cteNames()...), b.set.SystemNames...)
		if d.Hint = diag.HintDidYouMean(name.String(), known); d.Hint == "" {
			d.Hint = cmp.Or(lastPart(name.String(), known), b.formatPath(name), inQuotes(name.String()))
		}
	}
	return nil
}

// lastPart finds the table of a path such as shop.sales.orders.
func lastPart(path string, known []string) string {
	last := path[strings.LastIndexByte(path, '.')+1:]
	for _, k := range known {
		if last != path && strings.EqualFold(k, last) {
			return fmt.Sprintf("did you mean %q?", k)
		}
	}
	return ""
}

// readSink: a memory sink can be read as a table; another sink cannot.
func (b *Binder) readSink(o *catalog.Sink, name ast.Name) {
	if o.Connector == "memory" {
		b.errorf(diag.WrongObject, name.Span, "no query fills the memory sink %q yet", o.Name).
			WithHint("start one with INSERT INTO %s SELECT …", o.Name)
		return
	}
	d := b.errorf(diag.WrongObject, name.Span, "%q is a sink and cannot be read", o.Name).
		WithHint("declare a source or table over the same data")
	if path, _ := optionText(o.Options, "path"); path != "" {
		d.WithHint("read its files: FROM '%s'", path)
	}
}

func (b *Binder) cteNames() []string {
	var out []string
	for c := b.ctes; c != nil; c = c.next {
		out = append(out, c.cte.Name.Name)
	}
	return out
}

func plainColumns(cols []types.Column) []catalog.Column {
	out := make([]catalog.Column, len(cols))
	for i, c := range cols {
		out[i] = catalog.Column{Column: c}
	}
	return out
}

func (b *Binder) scan(r *catalog.Relation, alias string) logical.Node {
	s := &logical.Scan{Relation: r, Alias: alias, Finite: !r.Streaming || b.set.Batch}
	if w := r.Watermark; w != nil {
		s.Watermark = &logical.Watermark{Col: w.Column, Delay: w.Delay}
	}
	return s
}

// cte binds a common table expression where it is used.
func (b *Binder) cte(c *cteScope, name ast.Name) logical.Node {
	switch {
	case c.ref != nil:
		return c.ref.read()
	case c.busy:
		b.errorf(diag.Recursion, name.Span, "the query %q reads itself before it has rows", c.cte.Name.Name).
			WithHint("WITH RECURSIVE %s AS (SELECT … UNION SELECT … FROM %s JOIN …): the first query does not read it", c.cte.Name.Name, c.cte.Name.Name)
		return nil
	case c.self:
		return b.recursive(c, name)
	case c.plan != nil:
		return c.plan
	}
	saved, binds := b.ctes, b.binds
	c.busy, b.ctes, b.binds = true, c.around, c.cte
	r := b.query(c.cte.Query, c.outer)
	c.busy, b.ctes, b.binds = false, saved, binds
	if r == nil {
		return nil
	}
	plan := b.renamed(r.plan, c.cte.Columns, name.Span, c.cte.Name.Name)
	if plan != nil && b.plannedOnce(c, plan, name.Span) {
		c.plan = &logical.Shared{Name: c.cte.Name.Name, Input: plan}
		return c.plan
	}
	return plan
}

// plannedOnce reports a query of WITH that is read at several places and that all of them
// must see alike, since it computes random() or its like, or that is large.
func (b *Binder) plannedOnce(c *cteScope, plan logical.Node, span diag.Span) bool {
	varies := logical.Variation{}.In(plan)
	if c.outer == nil && varies == nil && logical.Size(plan) <= inlined {
		return false
	}
	n := reads(c.from, c.cte.Name.Name)
	switch {
	case n <= 1:
		return false
	case varies == nil:
		return c.outer == nil && b.shareable(plan)
	case !b.stepping() && !logical.Correlated(plan):
		return true
	}
	b.errorf(diag.VolatileRetract, span, "%q is read %d times, and %s has another value at each call", c.cte.Name.Name, n, varies).
		WithHint("compute it in a query that reads neither those around it nor a recursion")
	return true // once is enough
}

// view expands a view. Errors inside point at its name.
func (b *Binder) view(v *catalog.View, name ast.Name) logical.Node {
	for _, open := range b.views {
		if open == v {
			b.errorf(diag.ViewCycle, name.Span, "view %q reads itself", v.Name)
			return nil
		}
	}
	if len(b.views)+len(b.calls) == 0 {
		b.at = name.Span
	}
	if plan := b.large[v]; plan != nil {
		return plan
	}
	saved := b.ctes
	b.ctes = nil
	b.views = append(b.views, v)
	r := b.query(v.Query, nil)
	b.views = b.views[:len(b.views)-1]
	b.ctes = saved
	if r == nil {
		return nil
	}
	var cols []ast.Ident
	for _, c := range v.Columns {
		cols = append(cols, ast.Ident{Name: c, Span: name.Span})
	}
	plan := b.renamed(r.plan, cols, name.Span, v.Name)
	if plan != nil && b.shareable(plan) {
		b.large[v] = &logical.Shared{Name: v.Name, Input: plan} // for whoever reads it again
	}
	return plan
}

// inlined is how large the plan of a query with a name may be for a copy of it to stand at
// each place that reads it, where filters move into it. In larger ones the copies would
// double with each query that reads the one before twice.
const inlined = 50

// shareable reports a plan that is better planned once.
func (b *Binder) shareable(plan logical.Node) bool {
	return !b.stepping() && logical.Size(plan) > inlined
}

// stepping reports the step of a recursion, where plans are taken apart.
func (b *Binder) stepping() bool {
	for c := b.ctes; c != nil; c = c.next {
		if c.ref != nil {
			return true
		}
	}
	return false
}

// renamed gives the first columns of a plan other names.
func (b *Binder) renamed(plan logical.Node, cols []ast.Ident, span diag.Span, what string) logical.Node {
	if len(cols) == 0 {
		return plan
	}
	names := columnNames(plan)
	if len(cols) > len(names) {
		b.errorf(diag.ColumnCount, span, "%q has %d columns, but %d names are given", what, len(names), len(cols))
		return nil
	}
	for i, c := range cols {
		names[i] = c.Name
	}
	return &logical.Project{Input: plan, Exprs: logical.Columns(plan), Names: names}
}

// aliased names an input of FROM and its columns, and states its watermark.
func (b *Binder) aliased(plan logical.Node, alias *ast.Alias, name string, w *ast.Watermark) (logical.Node, *scope) {
	if alias != nil {
		name = alias.Name.Name
		plan = renamedScan(plan, name)
		if plan = b.renamed(plan, alias.Columns, alias.Span, name); plan == nil {
			return broken()
		}
	}
	if w != nil {
		if plan = b.withWatermark(plan, w, name); plan == nil {
			return broken()
		}
	}
	return plan, newScope(name, plan)
}

// renamedScan gives a scan the name by which the query calls it.
func renamedScan(plan logical.Node, name string) logical.Node {
	s, ok := plan.(*logical.Scan)
	if !ok {
		return plan
	}
	c := *s
	c.Alias = name
	return &c
}

// derived binds a query in FROM.
func (b *Binder) derived(x *ast.Derived, outer *scope) (logical.Node, *scope) {
	r := b.query(x.Query, outer)
	if r == nil {
		return broken()
	}
	return b.aliased(r.plan, x.Alias, "", x.Watermark)
}

// boundQuery is a query in FROM that is bound already: a form that is written with what the
// language has needs its columns before, and queries in it would be bound twice at each level.
type boundQuery struct {
	*ast.Derived
	plan logical.Node
}

// file reads a path or URL with an inferred schema.
func (b *Binder) file(x *ast.File) (logical.Node, *scope) {
	if b.set.File == nil {
		b.errorf(diag.NotPlanned, x.Span, "a path in FROM is not supported here").
			WithHint("declare it: CREATE TABLE t (…) WITH (connector = 'file', path = '%s', format = '…')", x.Path)
		return broken()
	}
	r, err := b.set.File(x.Path, x.Stream)
	if err != nil {
		b.errorf(diag.UnknownTable, x.Span, "%s", err.Error()).Cause = err
		return broken()
	}
	name := fileAlias(x.Path)
	return b.aliased(b.scan(r, name), x.Alias, name, x.Watermark)
}
