package bind

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/catalog"
)

// Source binds CREATE SOURCE.
func (b *Binder) Source(s *ast.CreateSource) (*catalog.Relation, error) {
	return b.relation(&s.Definition, s.Span, true, nil)
}

// Table binds CREATE TABLE. With a query, the columns are those of the query.
func (b *Binder) Table(t *ast.CreateTable) (*catalog.Relation, error) {
	var from []types.Column
	if t.As != nil {
		r := b.query(t.As.Query, nil)
		if r == nil {
			return nil, b.Err()
		}
		from = r.plan.Schema()
	}
	r, err := b.relation(&t.Definition, t.Span, false, from)
	if err == nil {
		r.Query = t.As
	}
	return r, err
}

func (b *Binder) relation(d *ast.Definition, span diag.Span, stream bool, from []types.Column) (*catalog.Relation, error) {
	r := &catalog.Relation{Name: d.Name.String(), Streaming: stream, Temporary: d.Temporary}
	conn := b.sourceOptions(d, r, span)
	b.columns(d, r)
	if len(r.Columns) == 0 && conn != nil && b.Err() == nil {
		b.defaultColumns(r, conn, from, d.Name.Span)
	}
	b.partition(d, r)
	b.checkOp(r, d.Name.Span)
	b.computed(d, r)
	b.primaryKey(d, r)
	if conn != nil && conn.Tombstones && len(r.Key) > 0 {
		r.Changelog = true
	}
	b.watermark(d, r)
	if conn != nil {
		b.metadata(d, r, conn)
	}
	if d.Comment != nil {
		r.Comment = d.Comment.Text
	}
	return r, b.Err()
}

// sourceOptions finds connector and format, and checks every option.
func (b *Binder) sourceOptions(d *ast.Definition, r *catalog.Relation, span diag.Span) *source.Connector {
	opts := b.options(d)
	name, at := optionText(opts, "connector")
	if name == "" {
		name, at = "memory", d.Name.Span
		if p, _ := optionText(opts, "path"); p != "" {
			name = "file"
		}
	}
	conn, ok := b.cat.Connectors.Source(name)
	if !ok {
		b.errorf(diag.BadOptionValue, at, "unknown source connector %q", name).Hint = b.connectorHint(name, d.Name)
		return nil
	}
	r.Connector = conn.Name
	specs := [][]option.Spec{conn.Options}
	if f := b.formatOf(conn.Options, opts); f != nil {
		r.Format = f.Name
		specs = append(specs, f.ReadOptions)
	}
	if f := b.keyFormatOf(conn.Options, opts); f != nil {
		specs = append(specs, f.ReadOptions)
	}
	specs = append(specs, catalog.CommonSpecs())
	dec, err := option.Decode(option.Join(specs...), opts)
	if err != nil {
		b.adopt(err, span)
		return conn
	}
	r.Options, r.Common, r.Changelog = opts, catalog.DecodeCommon(dec), dec.Bool("changelog")
	b.fitting(dec, r)
	b.changes(dec, r, conn)
	b.refresh(dec, r, conn)
	b.lookup(dec, r, conn)
	return conn
}

// fitting refuses options that would be ignored in silence.
func (b *Binder) fitting(dec option.Decoded, r *catalog.Relation) {
	if m, _ := optionText(r.Options, "mode"); r.Common.OnError == source.Fail && strings.EqualFold(m, "dropmalformed") {
		r.Common.OnError = source.Skip // for NOT NULL, which the format does not know
	}
	if r.Common.OnError == source.Divert && r.Common.BadRows == "" {
		b.errorf(diag.MissingOption, dec.Span("on_error"), "on_error = 'divert' needs the name of a table for the rows").
			WithHint("add bad_rows = 'bad': the table is made if there is none, with the columns source, position, reason, raw")
	}
}

// adopt takes over the diagnostics of another package.
func (b *Binder) adopt(err error, span diag.Span) {
	if list, ok := err.(*diag.Error); ok {
		for _, d := range list.Diagnostics {
			if d.Span.IsZero() {
				d.Span = span
			}
			b.diags = append(b.diags, d)
		}
		return
	}
	b.errorf(diag.OptionConflict, span, "%s", err.Error())
}

// connectorHint is what to write for a connector that is no source.
func (b *Binder) connectorHint(name string, object ast.Name) string {
	if c, ok := b.cat.Connectors.Sink(name); ok {
		return fmt.Sprintf("%s is written to: CREATE SINK %s WITH (connector = '%s', …), then INSERT INTO %s SELECT …", name, object, c.Name, object)
	}
	if strings.EqualFold(name, "faker") {
		return "write connector = 'datagen', rules = 'name: choice ana, bo; n: random 1 to 100', with a rule for each column"
	}
	if strings.HasSuffix(strings.ToLower(name), "-cdc") && !strings.EqualFold(name, "postgres-cdc") {
		return "changes of other databases than PostgreSQL come through Kafka: connector = 'kafka', format = 'debezium-json'"
	}
	if strings.EqualFold(name, "delta") || strings.EqualFold(name, "iceberg") || strings.EqualFold(name, "hudi") {
		return "its data files are Parquet: write connector = 'file', format = 'parquet', path = 'in/*.parquet', or CREATE TABLE without USING for rows of INSERT"
	}
	if strings.EqualFold(name, "jdbc") {
		return "write connector = 'postgres', or 'mysql' for a sink, with where the server is; there is no Java here"
	}
	return b.orFormat(name, b.cat.Connectors.SourceNames())
}

// orFormat is what to write for a connector that is none: perhaps it is a format of files.
func (b *Binder) orFormat(name string, connectors []string) string {
	if f, ok := b.cat.Connectors.Format(name); ok {
		return fmt.Sprintf("%s is a format: write connector = 'file', format = '%s'", name, f.Name)
	}
	return suggestOrList(name, connectors, "connectors")
}

func suggestOrList(name string, names []string, what string) string {
	if h := diag.HintDidYouMean(name, names); h != "" {
		return h
	}
	if len(names) == 0 {
		return ""
	}
	text := "the " + what + " are "
	for i, n := range names {
		if i > 0 {
			text += ", "
		}
		text += n
	}
	return text
}

// columns declares the plain columns; computed ones follow when all names are known.
func (b *Binder) columns(d *ast.Definition, r *catalog.Relation) {
	seen := map[string]bool{}
	for _, c := range d.Columns {
		if seen[foldName(c.Name.Name)] {
			b.errorf(diag.DuplicateColumn, c.Name.Span, "column %q is defined twice", c.Name.Name).WithHint("give one of them another name")
			continue
		}
		seen[foldName(c.Name.Name)] = true
		col := catalog.Column{Column: types.Column{Name: c.Name.Name}, NotNull: c.NotNull}
		if c.Comment != nil {
			col.Comment = c.Comment.Text
		}
		if c.Type != nil {
			var ok bool
			if col.Type, ok = b.typeOf(c.Type); !ok {
				c.Default = nil
			}
		}
		if c.Default != nil {
			col.Default = b.columnDefault(c, col.Type, r)
		}
		switch {
		case c.As != nil:
			col.Kind = catalog.Computed
		case c.Metadata != nil:
			col.Kind, col.From = catalog.Metadata, c.Name.Name
			if c.Metadata.From != nil {
				col.From = c.Metadata.From.Text
			}
		}
		r.Columns = append(r.Columns, col)
	}
}

// columnDefault binds DEFAULT, which is for rows of INSERT.
func (b *Binder) columnDefault(c ast.ColumnDef, t types.Type, r *catalog.Relation) expr.Node {
	if r.Connector != "memory" {
		b.errorf(diag.NotPlanned, c.Default.Pos(), "DEFAULT of a column that connector %s reads is not supported", r.Connector).
			WithHint("write coalesce(%s, …) in a view or in the query", c.Name.Name)
		return nil
	}
	n := (&env{b: b, scope: &scope{}}).expr(c.Default)
	if n == nil {
		return nil
	}
	if !Storable(n.Type(), t) {
		b.errorf(diag.TypeMismatch, c.Default.Pos(), "column %q is %s, but its default is %s", c.Name.Name, t, typeOf(n)).
			WithHint("write CAST(… AS %s)", t)
		return nil
	}
	return b.cast(c.Default.Pos(), n, t)
}

// defaultColumns are those of the connector, the format, the query of CREATE TABLE AS,
// or of the data that is there.
func (b *Binder) defaultColumns(r *catalog.Relation, conn *source.Connector, from []types.Column, span diag.Span) {
	cols := from
	if cols == nil && (r.Format == "" || r.Format == "raw") {
		cols = conn.Columns
	}
	if f, ok := b.cat.Connectors.Format(r.Format); cols == nil && ok {
		cols = f.Columns
	}
	if cols == nil && b.set.Infer != nil && b.mayInfer(r) {
		found, err := b.set.Infer(r)
		if err != nil {
			b.errorf(diag.NoColumns, span, "the columns of %q could not be found: %s", r.Name, err.Error()).Cause = err
			return
		}
		cols = found
	}
	if cols == nil {
		b.errorf(diag.NoColumns, span, "%q has no columns", r.Name).
			WithHint("declare them, or set schema_inference = true")
		return
	}
	r.Columns = plainColumns(cols)
}

// mayInfer: a table is inferred unless told not to, a source only when told to.
func (b *Binder) mayInfer(r *catalog.Relation) bool {
	for _, o := range r.Options {
		if foldName(o.Name) == "schema_inference" {
			return foldName(o.Text) == "true"
		}
	}
	return !r.Streaming
}

// computed binds columns that are expressions over the columns before them and over
// all that are not computed.
func (b *Binder) computed(d *ast.Definition, r *catalog.Relation) {
	for i, def := range d.Columns {
		if def.As == nil || i >= len(r.Columns) {
			continue
		}
		s := &scope{}
		for j, c := range r.Columns {
			if c.Kind != catalog.Computed || j < i {
				s.cols = append(s.cols, scopeCol{table: r.Name, name: c.Name, index: j, typ: c.Type})
			}
		}
		e := &env{b: b, scope: s}
		n := e.expr(def.As)
		if n == nil {
			continue
		}
		if def.Type != nil {
			if n = b.cast(def.Span, n, r.Columns[i].Type); n == nil {
				continue
			}
		}
		r.Columns[i].Expr, r.Columns[i].Type = n, n.Type()
	}
}

// partition marks the columns that the path fills.
func (b *Binder) partition(d *ast.Definition, r *catalog.Relation) {
	for _, id := range d.PartitionBy {
		i := findColumn(r, id.Name)
		if i < 0 {
			b.errorf(diag.UnknownColumn, id.Span, "PARTITIONED BY names an unknown column %q", id.Name).
				Hint = diag.HintDidYouMean(id.Name, relationNames(r))
			continue
		}
		r.Partition = append(r.Partition, r.Columns[i].Name)
		if r.Columns[i].Kind == catalog.Data && r.Connector != "memory" {
			r.Columns[i].Kind = catalog.Partition
		}
	}
}

func relationNames(r *catalog.Relation) []string {
	var out []string
	for _, c := range r.Columns {
		out = append(out, c.Name)
	}
	return out
}

func (b *Binder) primaryKey(d *ast.Definition, r *catalog.Relation) {
	ids := d.PrimaryKey
	for _, c := range d.Columns {
		if c.PrimaryKey {
			ids = append(ids, c.Name)
		}
	}
	for _, id := range ids {
		i := findColumn(r, id.Name)
		if i < 0 {
			b.errorf(diag.UnknownColumn, id.Span, "PRIMARY KEY names an unknown column %q", id.Name).
				Hint = diag.HintDidYouMean(id.Name, relationNames(r))
			continue
		}
		r.Key = append(r.Key, i)
	}
}

// watermark binds WATERMARK of the list or of a column.
func (b *Binder) watermark(d *ast.Definition, r *catalog.Relation) {
	list := append([]*ast.Watermark(nil), d.Watermarks...)
	for _, c := range d.Columns {
		if c.Watermark != nil {
			w := *c.Watermark
			if len(w.Column.Parts) == 0 {
				w.Column = ast.Name{Span: c.Name.Span, Parts: []ast.Ident{c.Name}}
			}
			list = append(list, &w)
		}
	}
	if len(list) > 1 {
		b.errorf(diag.BadWatermark, list[1].Span, "a source has one watermark")
	}
	if len(list) == 0 {
		return
	}
	w := list[0]
	s := &scope{}
	for i, c := range r.Columns {
		s.cols = append(s.cols, scopeCol{table: r.Name, name: c.Name, index: i, typ: c.Type})
	}
	e := &env{b: b, scope: s}
	var at expr.Node
	var delay types.IntervalValue
	ok := true
	if w.Expr != nil {
		at, delay, ok = e.watermarkExpr(w)
	} else {
		at = e.column(&ast.ColumnRef{Span: w.Column.Span, Parts: w.Column.Parts})
		if w.Delay != nil {
			delay, ok = b.delay(w.Delay, w.Span)
		}
	}
	if at == nil || !ok || !b.checkEventTime(at, w.Column.Span) {
		return
	}
	c, isCol := at.(*expr.Column)
	if !isCol {
		b.errorf(diag.BadWatermark, w.Column.Span, "a watermark needs a column, not a field of one").
			WithHint("compute a column: et AS %s, WATERMARK FOR et AS et - INTERVAL '10' MINUTE", w.Column)
		return
	}
	r.Watermark = &catalog.Watermark{Column: c.Index, Delay: delay}
}

// metadata checks the columns that the connector fills.
func (b *Binder) metadata(d *ast.Definition, r *catalog.Relation, conn *source.Connector) {
	var names []string
	for _, m := range conn.Metadata {
		if !slices.ContainsFunc(names, func(n string) bool { return foldName(n) == foldName(m.Name) }) {
			names = append(names, m.Name)
		}
	}
	for i, c := range r.Columns {
		if c.Kind != catalog.Metadata || i >= len(d.Columns) {
			continue
		}
		b.metadataColumn(&r.Columns[i], d.Columns[i].Span, conn, names)
	}
}

// metadataColumn checks one: the connector has it, under the type that is declared.
func (b *Binder) metadataColumn(c *catalog.Column, span diag.Span, conn *source.Connector, names []string) {
	var has []string
	for _, m := range conn.Metadata {
		if foldName(m.Name) != foldName(c.From) {
			continue
		}
		if m.Type.Equal(c.Type) {
			c.From = m.Name
			return
		}
		has = append(has, m.Type.String())
	}
	if len(has) > 0 {
		b.errorf(diag.TypeMismatch, span, "metadata column %q of %s is %s, not %s", c.From, conn.Name, strings.Join(has, " or "), c.Type)
		return
	}
	b.errorf(diag.UnknownColumn, span, "connector %s has no metadata column %q", conn.Name, c.From).
		Hint = suggestOrList(c.From, names, "metadata columns")
}

// View checks the query of CREATE VIEW and keeps it.
func (b *Binder) View(v *ast.CreateView) (*catalog.View, error) {
	r := b.query(v.Query, nil)
	out := &catalog.View{Name: v.Name.String(), Query: v.Query}
	for _, id := range v.Columns {
		out.Columns = append(out.Columns, id.Name)
	}
	if r != nil && len(v.Columns) > len(r.plan.Schema()) {
		b.errorf(diag.ColumnCount, v.Name.Span, "%q lists %d columns, but its query has %d", out.Name, len(v.Columns), len(r.plan.Schema()))
	}
	return out, b.Err()
}
