package bind

import (
	"strings"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/catalog"
)

// options collects the options of a definition, other spellings included: USING,
// STORED AS, LOCATION, FORMAT … ENCODE.
func (b *Binder) options(d *ast.Definition) []option.Value {
	out := Options(d.Options)
	add := func(name, text string, span diag.Span) {
		out = append(out, option.Value{Name: name, Text: text, NameSpan: span, Span: span})
	}
	if d.Using != nil {
		if _, ok := b.cat.Connectors.Format(d.Using.Name); ok {
			add("format", d.Using.Name, d.Using.Span)
		} else {
			add("connector", d.Using.Name, d.Using.Span)
		}
	}
	if d.StoredAs != nil {
		name := d.StoredAs.Name
		if strings.EqualFold(name, "textfile") { // Hive's name
			name = "text"
		}
		add("format", name, d.StoredAs.Span)
	}
	if d.Location != nil {
		add("path", d.Location.Text, d.Location.Span)
	}
	switch {
	case d.Encode != nil:
		add("format", d.Encode.Name, d.Encode.Span)
	case d.Format != nil:
		add("format", d.Format.Name, d.Format.Span)
	}
	return append(out, Options(d.FormatOption)...)
}

// Options turns a property list into option values.
func Options(list []ast.Option) []option.Value {
	var out []option.Value
	for _, o := range list {
		v := option.Value{Name: o.Key, NameSpan: o.KeySpan, Span: o.Span}
		if o.Value != nil {
			v.Text, v.Span = o.Value.Text, o.Value.Span
		}
		out = append(out, v)
	}
	return out
}

// optionText finds an option that the planner itself reads.
func optionText(opts []option.Value, name string) (string, diag.Span) {
	for _, o := range opts {
		if foldName(strings.ReplaceAll(o.Name, "-", "_")) == name {
			return o.Text, o.Span
		}
	}
	return "", diag.Span{}
}

// formatOf finds the format: as stated, else by the extension of the path, else the
// connector's default. A connector that lists its formats (console: table, csv, json)
// is checked against its list.
func (b *Binder) formatOf(specs []option.Spec, opts []option.Value) *format.Format {
	var own option.Spec
	for _, s := range specs {
		if s.Name == "format" {
			own = s
		}
	}
	name, at := specText(own, opts, "format")
	if name == "" {
		path, _ := optionText(opts, "path")
		if f := b.formatByPath(path); f != nil || own.Default == "" {
			return f
		}
		name = own.Default
	}
	f, ok := b.cat.Connectors.Format(name)
	if !ok && own.Type != option.Enum {
		d := b.errorf(diag.BadOptionValue, at, "unknown format %q", name)
		if d.Hint = format.Unsupported(name); d.Hint == "" {
			d.Hint = suggestOrList(name, b.cat.Connectors.FormatNames(), "formats")
		}
		return nil
	}
	return f
}

// specText finds an option under any name that its description has.
func specText(s option.Spec, opts []option.Value, name string) (string, diag.Span) {
	for _, n := range append([]string{name}, s.Aliases...) {
		if v, ok := option.Find(opts, n); ok && v.Text != "" {
			return v.Text, v.Span
		}
	}
	return "", diag.Span{}
}

// keyFormatOf is the format of the keys of records, if the connector has such.
func (b *Binder) keyFormatOf(specs []option.Spec, opts []option.Value) *format.Format {
	for _, s := range specs {
		if s.Name != "key_format" {
			continue
		}
		name, _ := specText(s, opts, s.Name)
		f, _ := b.cat.Connectors.Format(name) // the connector complains if there is none
		return f
	}
	return nil
}

func (b *Binder) formatByPath(path string) *format.Format {
	if path == "" {
		return nil
	}
	var all []*format.Format
	for _, n := range b.cat.Connectors.FormatNames() {
		if f, ok := b.cat.Connectors.Format(n); ok {
			all = append(all, f)
		}
	}
	return format.ByName(all, path)
}

// findColumn finds a column of a relation: the exact spelling, else the first that
// differs in case.
func findColumn(r *catalog.Relation, name string) int {
	return findName(r.Schema(), name)
}

func findName(cols []types.Column, name string) int {
	folded := -1
	for i, c := range cols {
		if c.Name == name {
			return i
		}
		if folded < 0 && strings.EqualFold(c.Name, name) {
			folded = i
		}
	}
	return folded
}

// Sink binds the declaration of CREATE SINK, without the query it may run.
func (b *Binder) Sink(s *ast.CreateSink) (*catalog.Sink, error) {
	out := &catalog.Sink{Name: s.Name.String()}
	b.sinkOptions(&s.Definition, out, s.Span)
	seen := map[string]bool{}
	for _, c := range s.Columns {
		if seen[foldName(c.Name.Name)] {
			b.errorf(diag.DuplicateColumn, c.Name.Span, "column %q is defined twice", c.Name.Name).WithHint("give one of them another name")
			continue
		}
		seen[foldName(c.Name.Name)] = true
		if c.Type == nil || c.As != nil || c.Metadata != nil || c.Default != nil || c.NotNull {
			b.errorf(diag.NotPlanned, c.Span, "a column of a sink has a name and a type, nothing else")
			continue
		}
		t, _ := b.typeOf(c.Type)
		out.Columns = append(out.Columns, types.Column{Name: c.Name.Name, Type: t})
	}
	for _, w := range s.Watermarks {
		b.errorf(diag.BadWatermark, w.Span, "a sink has no watermark")
	}
	b.sinkKey(s, out)
	return out, b.Err()
}

// sinkKey binds PRIMARY KEY and PARTITIONED BY of a sink with declared columns.
func (b *Binder) sinkKey(s *ast.CreateSink, out *catalog.Sink) {
	ids := s.PrimaryKey
	for _, c := range s.Columns {
		if c.PrimaryKey {
			ids = append(ids, c.Name)
		}
	}
	for _, id := range ids {
		if i := findName(out.Columns, id.Name); i >= 0 {
			out.Key = append(out.Key, i)
			continue
		}
		b.errorf(diag.UnknownColumn, id.Span, "PRIMARY KEY names an unknown column %q", id.Name)
	}
	for _, id := range s.PartitionBy {
		out.PartitionNames = append(out.PartitionNames, id.Name)
		i := findName(out.Columns, id.Name)
		if i < 0 && len(out.Columns) > 0 {
			b.errorf(diag.UnknownColumn, id.Span, "PARTITIONED BY names an unknown column %q", id.Name)
			continue
		}
		if i >= 0 {
			out.Partition = append(out.Partition, i)
		}
	}
}

func (b *Binder) sinkOptions(d *ast.Definition, out *catalog.Sink, span diag.Span) {
	opts := b.options(d)
	conn := b.sinkConnector(opts, d.Name.Span)
	if conn == nil {
		return
	}
	out.Connector = conn.Name
	specs := [][]option.Spec{conn.Options}
	if f := b.formatOf(conn.Options, opts); f != nil {
		out.Format = f.Name
		specs = append(specs, f.WriteOptions)
	}
	dec, err := option.Decode(option.Join(append(specs, catalog.SinkSpecs())...), opts)
	if err != nil {
		b.adopt(err, span)
		return
	}
	out.Options = opts
	out.Common.IgnoreDeletes = dec.Enum("on_delete") == "ignore"
	out.Common.Latest, out.Common.LatestBy = dec.Enum("on_conflict") == "latest", dec.Text("conflict_order")
	if out.Common.LatestBy != "" && !out.Common.Latest {
		b.errorf(diag.OptionConflict, dec.Span("conflict_order"), "conflict_order has no effect without on_conflict = 'latest'")
	}
}

func (b *Binder) sinkConnector(opts []option.Value, span diag.Span) *sink.Connector {
	name, at := optionText(opts, "connector")
	if name == "" {
		p, _ := optionText(opts, "path")
		if p == "" {
			b.errorf(diag.MissingOption, span, "a sink needs a connector").
				Hint = suggestOrList("", b.cat.Connectors.SinkNames(), "connectors")
			return nil
		}
		name = "file"
	}
	conn, ok := b.cat.Connectors.Sink(name)
	if !ok {
		b.errorf(diag.BadOptionValue, at, "unknown sink connector %q", name).
			Hint = b.orFormat(name, b.cat.Connectors.SinkNames())
		return nil
	}
	return conn
}
