package kafka

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/change"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// origin is where the values of a column come from.
type origin uint8

const (
	inValue origin = iota // decoded from the value
	inKey                 // decoded from the key
	ofRecord
)

// field is a part of a record that is not looked into.
type field uint8

const (
	recordKey field = iota
	recordValue
	recordTopic
	recordPartition
	recordOffset
	recordTime
	recordTimeType
	recordEpoch
	recordHeaders
)

// column says where the values of a column come from.
type column struct {
	typ   types.Type
	from  origin
	at    int   // inValue, inKey: among the columns of the format
	field field // ofRecord
}

// metadata is a name that METADATA may use, and what it means.
type metadata struct {
	types.Column
	field field
}

func headerTypes() (list, mapped types.Type) {
	text, bytes := types.Of(types.String), types.Of(types.Bytes)
	return types.ArrayOf(types.StructOf(types.Field{Name: "key", Type: text}, types.Field{Name: "value", Type: bytes})), types.MapOf(text, bytes)
}

// metadataColumns lists the parts of a record: our names, then the spellings of Spark and
// of Flink. A name with several types is whichever is declared.
func metadataColumns() []metadata {
	text, bytes, num, small := types.Of(types.String), types.Of(types.Bytes), types.Of(types.Int64), types.Of(types.Int32)
	list, mapped := headerTypes()
	m := func(name string, t types.Type, f field) metadata {
		return metadata{types.Column{Name: name, Type: t}, f}
	}
	return []metadata{
		m("key", bytes, recordKey), m("key", text, recordKey), m("value", bytes, recordValue), m("value", text, recordValue),
		m("topic", text, recordTopic), m("partition", small, recordPartition), m("partition", num, recordPartition), m("offset", num, recordOffset),
		m("timestamp", types.Of(types.Timestamp), recordTime), m("timestamp_type", text, recordTimeType), m("leader_epoch", small, recordEpoch),
		m("headers", mapped, recordHeaders), m("headers", list, recordHeaders),
		m("timestampType", small, recordTimeType), m("timestamp-type", text, recordTimeType), m("leader-epoch", small, recordEpoch),
	}
}

// recordColumns are those of a source that declares none, as in Spark.
func recordColumns() []types.Column {
	var out []types.Column
	for _, m := range metadataColumns() {
		switch {
		case m.Name == "timestamp_type" || m.field == recordHeaders || m.field == recordEpoch:
		case slices.ContainsFunc(out, func(c types.Column) bool { return c.Name == m.Name }) || m.Name == "timestamp-type":
		default:
			out = append(out, m.Column)
		}
	}
	return out
}

// findField finds a part of a record by name and type.
func findField(name string, t types.Type) (f field, named, ok bool) {
	for _, m := range metadataColumns() {
		if strings.EqualFold(m.Name, name) {
			named = true
			if m.Type.Equal(t) {
				return m.field, true, true
			}
		}
	}
	return 0, named, false
}

// layout is how the columns of a source are filled.
type layout struct {
	columns    []column
	value, key format.MessageReader // nil = nothing is decoded
	tombstones bool                 // a record without a value deletes the row of its key
}

func newLayout(c source.Config, o options) (*layout, error) {
	l := &layout{columns: make([]column, len(c.Columns))}
	b := layoutBuilder{l: l, c: c, o: o}
	keys, err := b.keyColumns()
	if err != nil {
		return nil, err
	}
	for i, col := range c.Columns {
		if err := b.place(i, col, slices.Contains(keys, i)); err != nil {
			return nil, err
		}
	}
	return l, b.readers()
}

// layoutBuilder makes a layout.
type layoutBuilder struct {
	l                *layout
	c                source.Config
	o                options
	values, keys     []types.Column
	valueKey, inKeys []int // PRIMARY KEY among values; columns of keys among those of the source
}

// keyColumns are the columns that the key of a record fills.
func (b *layoutBuilder) keyColumns() ([]int, error) {
	if b.o.key == nil {
		return nil, nil
	}
	if len(b.o.keyColumns) == 0 {
		if len(b.c.Key) == 0 {
			return nil, sqlError(b.o.keyAt, "key_format needs key_columns", "key_columns = 'id', or a PRIMARY KEY")
		}
		return b.c.Key, nil
	}
	var out []int
	for _, name := range b.o.keyColumns {
		i := slices.IndexFunc(b.c.Columns, func(c source.Column) bool { return strings.EqualFold(c.Name, name) })
		if i < 0 || b.c.Columns[i].Metadata != "" {
			return nil, sqlError(b.o.keyAt, fmt.Sprintf("key_columns names %q, which is no column of the data", name), "")
		}
		out = append(out, i)
	}
	return out, nil
}

func sqlError(at diag.Span, text, hint string) error {
	d := diag.Errorf(diag.BadOptionValue, at, "%s", text)
	d.Hint = hint
	return diag.NewError(nil, d)
}

// place says where column i comes from.
func (b *layoutBuilder) place(i int, col source.Column, key bool) error {
	out := column{typ: col.Type}
	defer func() { b.l.columns[i] = out }()
	name := col.Metadata
	if raw := b.o.value.Name == "raw"; raw && !key && name == "" {
		if _, named, _ := findField(col.Name, col.Type); named {
			name = col.Name
		} else if k := col.Type.Kind; k == types.Bytes || k == types.String {
			return b.placeValue(i, col, &out)
		} else {
			return sqlError(b.o.valueAt, fmt.Sprintf("column %q is no part of a record", col.Name), "format = 'json' or another one looks into the values of records")
		}
	}
	switch {
	case name != "":
		f, _, ok := findField(name, col.Type)
		if !ok {
			return fmt.Errorf("column %q: %q of a record is no %s", col.Name, name, col.Type)
		}
		out.from, out.field = ofRecord, f
	case key:
		out.from, out.at = inKey, len(b.keys)
		b.keys, b.inKeys = append(b.keys, col.Column), append(b.inKeys, i)
	default:
		if slices.Contains(b.c.Key, i) {
			b.valueKey = append(b.valueKey, len(b.values))
		}
		out.from, out.at = inValue, len(b.values)
		b.values = append(b.values, col.Column)
	}
	return nil
}

// placeValue makes a column the whole value of a record: there is one such.
func (b *layoutBuilder) placeValue(i int, col source.Column, out *column) error {
	for j, c := range b.l.columns[:i] {
		if c.from == ofRecord && c.field == recordValue {
			return sqlError(b.o.valueAt, fmt.Sprintf("column %q is no part of a record: its value is in column %q", col.Name, b.c.Columns[j].Name),
				"format = 'json' or another one looks into the values of records")
		}
	}
	out.from, out.field = ofRecord, recordValue
	return nil
}

// readers makes what decodes value and key.
func (b *layoutBuilder) readers() error {
	topic := "topic"
	if len(b.o.topics) > 0 {
		topic = b.o.topics[0]
	}
	changes := b.c.Changes && (b.o.byColumn || b.o.value.Changes == format.ByEnvelope)
	b.l.tombstones = b.c.Changes && !changes && b.keyIsKey()
	conf := format.Config{Columns: b.values, Options: b.o.valueOpts, Zone: b.c.Zone, OnError: format.OnError(b.c.OnError), Subject: topic + "-value", Messages: true}
	var err error
	if len(b.values) > 0 || changes || b.o.value.Name != "raw" {
		if b.l.value, err = messageReader(b.o.value, conf, changes, b.valueKey); err != nil {
			return err
		}
	}
	if len(b.keys) > 0 {
		conf.Columns, conf.Options, conf.Subject = b.keys, b.o.keyOpts, topic+"-key"
		b.l.key, err = messageReader(b.o.key, conf, false, nil)
	}
	return err
}

// keyIsKey reports that a record without a value still has the PRIMARY KEY. Where it has
// not, such a record lacks its key, and is bad.
func (b *layoutBuilder) keyIsKey() bool {
	for _, i := range b.c.Key {
		if c := b.l.columns[i]; c.from == inValue || c.from == ofRecord && c.field == recordValue {
			return false
		}
	}
	return len(b.c.Key) > 0
}

func messageReader(f *format.Format, c format.Config, changes bool, key []int) (format.MessageReader, error) {
	var r format.Reader
	var err error
	if changes {
		r, err = change.NewReader(f, c, key)
	} else {
		r, err = f.NewReader(c)
	}
	if err != nil {
		return nil, format.Misfit(err)
	}
	m, ok := r.(format.MessageReader)
	if !ok {
		return nil, fmt.Errorf("the format %s is for files, not for records", f.Name)
	}
	return m, nil
}
