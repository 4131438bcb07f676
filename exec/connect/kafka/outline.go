package kafka

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// rawFormat is the format of bytes that are what the column holds.
const rawFormat = "raw"

// formats are those of key and value; nil = raw.
type formats struct {
	value, key *format.Format
	plain      bool // no format is given: columns have fixed names
	envelope   bool // value makes change events
}

// findFormats looks the formats up before anything is decoded: they have options.
func findFormats(all []*format.Format, opts []option.Value) (formats, error) {
	value, given := option.Find(opts, "format")
	key, keyGiven := option.Find(opts, "key_format")
	fs := formats{plain: !given}
	var err error
	if fs.value, err = writable(all, value); err != nil {
		return fs, err
	}
	if fs.value != nil && fs.value.Changes == format.ByEnvelope {
		fs.envelope = true
		if fs.value, err = writable(all, option.Value{Text: "json", Span: value.Span}); err != nil {
			return fs, err
		}
	}
	if fs.key = fs.value; keyGiven {
		fs.key, err = writable(all, key)
	}
	return fs, err
}

// writable finds a format by name; nil = raw.
func writable(all []*format.Format, v option.Value) (*format.Format, error) {
	if v.Text == "" || strings.EqualFold(v.Text, rawFormat) {
		return nil, nil
	}
	var names []string
	for _, f := range all {
		names = append(append(names, f.Name), f.Aliases...)
		if strings.EqualFold(f.Name, v.Text) || slices.ContainsFunc(f.Aliases, func(a string) bool { return strings.EqualFold(a, v.Text) }) {
			return f, nil
		}
	}
	d := diag.Errorf(diag.BadOptionValue, v.Span, "unknown format %q", v.Text)
	d.Hint = diag.HintDidYouMean(v.Text, names)
	return nil, diag.NewError(nil, d)
}

func (fs formats) options() []option.Spec {
	var lists [][]option.Spec
	for _, f := range []*format.Format{fs.value, fs.key} {
		if f != nil {
			lists = append(lists, f.WriteOptions)
		}
	}
	return option.Join(lists...)
}

// outline says what becomes of the columns of a row.
type outline struct {
	cfg                       sink.Config
	topic, partition, headers int   // columns, −1 = none
	key, value                []int // columns
	keys, values              format.MessageEncoder
	// unique: the key of messages is the key of the query, so that each has one row.
	unique   bool
	envelope bool
	op       bool // the last column of values is the word for what became of the row
}

func newOutline(ctx context.Context, fs formats, d option.Decoded, c sink.Config) (*outline, error) {
	b := outlineBuilder{fs: fs, d: d, l: &outline{cfg: c, topic: -1, partition: -1, headers: -1, envelope: fs.envelope}}
	b.placed()
	b.keyColumns()
	b.valueColumns()
	b.modes()
	if len(b.errs) == 0 {
		b.encoders(ctx)
	}
	if len(b.errs) > 0 {
		return nil, diag.NewError(nil, b.errs...)
	}
	return b.l, b.err
}

// outlineBuilder gathers what is wrong with the options.
type outlineBuilder struct {
	l    *outline
	fs   formats
	d    option.Decoded
	errs []*diag.Diagnostic
	err  error // of an encoder
}

func (b *outlineBuilder) errorf(opt, text string, args ...any) *diag.Diagnostic {
	e := diag.Errorf(diag.BadOptionValue, b.d.Span(opt), text, args...)
	b.errs = append(b.errs, e)
	return e
}

// column finds a column by name, −1 = there is none.
func (b *outlineBuilder) column(name string) int {
	cols := b.l.cfg.Columns
	if i := slices.IndexFunc(cols, func(c types.Column) bool { return c.Name == name }); i >= 0 {
		return i
	}
	return slices.IndexFunc(cols, func(c types.Column) bool { return strings.EqualFold(c.Name, name) })
}

// named is column with a complaint.
func (b *outlineBuilder) named(opt, name string) int {
	i := b.column(name)
	if i < 0 {
		var names []string
		for _, c := range b.l.cfg.Columns {
			names = append(names, c.Name)
		}
		b.errorf(opt, "%s names a column %q, which the query does not give", opt, name).Hint = diag.HintDidYouMean(name, names)
	}
	return i
}

// placed finds the columns that say where a message goes, and its headers.
func (b *outlineBuilder) placed() {
	l := b.l
	if b.d.Text("topic") == "" {
		l.topic = b.column("topic")
		switch {
		case l.topic < 0:
			b.errorf("topic", "there is no topic").WithHint("set the option topic, or give the query a column topic")
		case b.kind(l.topic) != types.String:
			b.errorf("topic", "the column topic is %s, not STRING", b.typeName(l.topic))
		}
	}
	byColumn := b.d.Enum("partitioner") == "column"
	if byColumn || b.fs.plain {
		if l.partition = b.column("partition"); l.partition < 0 && byColumn {
			b.errorf("partitioner", "partitioner = 'column' needs a column partition in the query")
		} else if l.partition >= 0 && !b.l.cfg.Columns[l.partition].Type.IsInteger() {
			b.errorf("partitioner", "the column partition is %s, not a whole number", b.typeName(l.partition))
		}
	}
	if name := b.d.Text("headers_column"); name != "" {
		l.headers = b.named("headers_column", name)
	} else if b.fs.plain {
		l.headers = b.column("headers")
	}
	if l.headers >= 0 && !isHeaders(l.cfg.Columns[l.headers].Type) {
		b.errorf("headers_column", "the headers are %s, not ARRAY<STRUCT<key STRING, value BYTES>> or MAP<STRING, …>", b.typeName(l.headers))
	}
}

func (b *outlineBuilder) kind(col int) types.Kind { return b.l.cfg.Columns[col].Type.Kind }

func (b *outlineBuilder) typeName(col int) string { return b.l.cfg.Columns[col].Type.String() }

func isText(t types.Type) bool { return t.Kind == types.String || t.Kind == types.Bytes }

func isHeaders(t types.Type) bool {
	switch t.Kind {
	case types.Map:
		return t.Key.Kind == types.String && isText(*t.Elem)
	case types.Array:
		f := t.Elem.Fields
		return t.Elem.Kind == types.Struct && len(f) == 2 && f[0].Type.Kind == types.String && isText(f[1].Type)
	}
	return false
}

// keyColumns settles the key of messages.
func (b *outlineBuilder) keyColumns() {
	l, c := b.l, b.l.cfg
	switch text := b.d.Text("key_columns"); {
	case text != "":
		for _, name := range strings.Split(text, ",") {
			if i := b.named("key_columns", strings.TrimSpace(name)); i >= 0 && !slices.Contains(l.key, i) {
				l.key = append(l.key, i)
			}
		}
	case b.fs.plain:
		if i := b.column("key"); i >= 0 {
			l.key = []int{i}
		}
	case len(c.PrimaryKey) > 0:
		l.key = c.PrimaryKey
	case c.Mode != sink.Append:
		l.key = c.Key
	}
	l.unique = len(c.Key) > 0 && sameColumns(l.key, c.Key)
	if b.fs.key != nil || len(l.key) == 0 {
		return
	}
	if len(l.key) > 1 || !isText(c.Columns[l.key[0]].Type) {
		b.errorf("key_format", "a raw key is one column, STRING or BYTES, not (%s)", b.columnList(l.key)).
			WithHint("set key_format = 'json', or cast the column")
	}
}

func sameColumns(a, b []int) bool {
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	return slices.Equal(a, b)
}

func (b *outlineBuilder) columnList(cols []int) string {
	var out []string
	for _, i := range cols {
		out = append(out, b.l.cfg.Columns[i].Name+" "+b.typeName(i))
	}
	return strings.Join(out, ", ")
}

// valueColumns are what is left.
func (b *outlineBuilder) valueColumns() {
	l := b.l
	drop := b.fs.value == nil || !b.d.Bool("key_in_value")
	for i := range l.cfg.Columns {
		if i == l.topic || i == l.partition || i == l.headers || drop && slices.Contains(l.key, i) {
			continue
		}
		l.value = append(l.value, i)
	}
	if b.fs.value != nil {
		if len(l.value) == 0 {
			b.errorf("format", "no column is left for the value of messages")
		}
		return
	}
	hint := "set format = 'json' to write all columns, or make the value with to_json(struct(…))"
	switch {
	case len(l.value) != 1:
		b.errorf("format", "without a format a message has the columns key, value, headers, topic and partition, and one of them is its value; here (%s) would be", b.columnList(l.value)).WithHint("%s", hint)
	case b.fs.plain && !strings.EqualFold(l.cfg.Columns[l.value[0]].Name, "value"):
		b.errorf("format", "without a format the query gives the columns key, value, headers, topic and partition; it has %q", l.cfg.Columns[l.value[0]].Name).WithHint("%s", hint)
	case !isText(l.cfg.Columns[l.value[0]].Type):
		b.errorf("format", "without a format the value is STRING or BYTES, not %s", b.typeName(l.value[0])).WithHint("%s", hint)
	}
}

// modes checks that the messages can tell what becomes of rows.
func (b *outlineBuilder) modes() {
	l, c := b.l, b.l.cfg
	switch c.Mode {
	case sink.Update:
		if l.envelope {
			b.errorf("format", "a change event tells the row before as well, which update mode does not give").WithHint("use EMIT CHANGELOG, or format = 'json'")
		} else if len(c.Key) > 0 && !l.unique {
			b.errorf("key_columns", "in update mode messages must have the key of the query, (%s), as their key; it is (%s)", b.columnList(c.Key), b.columnList(l.key)).
				WithHint("set key_columns, or use EMIT CHANGELOG")
		}
	case sink.Changelog:
		l.op = !l.envelope
		if b.fs.value == nil {
			b.errorf("format", "a message without a format cannot tell a removed row from a new one").
				WithHint("set format = 'json' (with a field op) or format = 'debezium-json', or use EMIT UPDATE")
		}
	}
	if name := b.d.Text("op_column"); l.op && b.column(name) >= 0 {
		b.errorf("op_column", "the query has a column %q; the changelog needs the name for what becomes of a row", name).
			WithHint("set op_column to another name")
	}
}

// encoders makes the encoders of key and value.
func (b *outlineBuilder) encoders(ctx context.Context) {
	l := b.l
	values := b.pick(l.value)
	if l.op {
		values = append(values, types.Column{Name: b.d.Text("op_column"), Type: types.Of(types.String)})
	}
	if l.values, b.err = b.encoder(ctx, b.fs.value, values, "value"); b.err != nil || len(l.key) == 0 {
		return
	}
	l.keys, b.err = b.encoder(ctx, b.fs.key, b.pick(l.key), "key")
}

func (b *outlineBuilder) pick(cols []int) []types.Column {
	var out []types.Column
	for _, i := range cols {
		out = append(out, b.l.cfg.Columns[i])
	}
	return out
}

// encoder makes one encoder; nil for raw.
func (b *outlineBuilder) encoder(ctx context.Context, f *format.Format, cols []types.Column, part string) (format.MessageEncoder, error) {
	if f == nil {
		return nil, nil
	}
	if f.NewWriter == nil {
		return nil, fmt.Errorf("the format %s cannot be written", f.Name)
	}
	cfg := format.Config{Columns: cols, Options: b.d, Zone: b.l.cfg.Zone, Messages: true}
	if topic := b.d.Text("topic"); topic != "" {
		cfg.Subject = topic + "-" + part
	}
	w, err := f.NewWriter(cfg)
	if err != nil {
		return nil, format.Misfit(err)
	}
	m, ok := w.(format.MessageWriter)
	if !ok {
		return nil, fmt.Errorf("the format %s is one of files: it has no form for single messages", f.Name)
	}
	return m.NewEncoder(ctx)
}

// view picks the columns of a batch that an encoder takes.
func view(out *vec.Batch, b *vec.Batch, cols []int, more ...*vec.Vector) *vec.Batch {
	out.N, out.Cols = b.N, out.Cols[:0]
	for _, c := range cols {
		out.Cols = append(out.Cols, b.Cols[c])
	}
	out.Cols = append(out.Cols, more...)
	return out
}
