package kafka

import (
	"context"
	"fmt"
	"strconv"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// stage makes the messages of one batch.
type stage struct {
	p   *publisher
	l   *outline
	ctx context.Context
	out *payload

	keyView vec.Batch
	// views are what the value is made of, by what becomes of the row: they differ in op.
	views [2]vec.Batch
	ops   [2]*vec.Vector

	key, value []byte // memory of the message at hand
	rec        outMessage
	pairs      *pairs // change events
}

// What becomes of a row.
const (
	inserts = iota
	removes
)

func (p *publisher) newStage(ctx context.Context) (*stage, error) {
	if p.closed {
		return nil, fmt.Errorf("it is closed")
	}
	st := &stage{p: p, l: p.layout, ctx: ctx, out: newPayload()}
	if st.l.op {
		st.ops = [2]*vec.Vector{word("I"), word("D")}
	}
	if st.l.envelope {
		st.pairs = newPairs()
	}
	return st, nil
}

// word is a vector that has one text in all rows.
func word(text string) *vec.Vector {
	b := vec.NewBuilder(types.Of(types.String))
	b.AppendString(text)
	v := b.Take()
	v.Const = true
	return v
}

// take adds the rows of a batch.
func (st *stage) take(b *vec.Batch) error {
	if err := st.ctx.Err(); err != nil {
		return err
	}
	st.look(b)
	for i := range b.Rows() {
		row := i
		if b.Sel != nil {
			row = int(b.Sel[i])
		}
		if err := st.row(b, row, b.Weight(row)); err != nil {
			return err
		}
	}
	return nil
}

// look points the views at a batch.
func (st *stage) look(b *vec.Batch) {
	view(&st.keyView, b, st.l.key)
	for i := range st.views {
		if st.ops[i] == nil {
			view(&st.views[i], b, st.l.value)
			continue
		}
		st.ops[i].N = b.N
		view(&st.views[i], b, st.l.value, st.ops[i])
	}
}

func (st *stage) row(b *vec.Batch, row int, weight int64) error {
	if weight == 0 {
		return nil
	}
	if err := st.begin(b, row); err != nil {
		return err
	}
	switch st.l.cfg.Mode {
	case sink.Update:
		if len(st.l.cfg.Key) > 0 && st.rec.key == nil {
			return st.at("the key is NULL, and in update mode a message is found by its key")
		}
		if weight < 0 && !mutant.On("a removed key keeps its message") {
			return st.add()
		}
		weight = min(weight, 1)
	case sink.Changelog:
		if st.pairs != nil {
			return st.change(row, weight)
		}
	}
	what := inserts
	if weight < 0 {
		what, weight = removes, -weight
	}
	if err := st.encode(what, row); err != nil {
		return err
	}
	if st.l.envelope {
		st.rec.value = created(&st.value)
	}
	return st.repeat(weight)
}

// begin makes all of the message but its value, which stays a tombstone.
func (st *stage) begin(b *vec.Batch, row int) error {
	l, r := st.l, &st.rec
	*r = outMessage{topic: st.p.opt.topic, partition: anyPartition, headers: r.headers[:0]}
	if l.topic >= 0 {
		if b.Cols[l.topic].IsNull(row) {
			return st.at("the column topic is NULL")
		}
		r.topic = string(b.Cols[l.topic].Bytes(row))
	}
	if err := st.begunKey(row); err != nil {
		return err
	}
	t, err := st.p.topic(st.ctx, r.topic)
	if err != nil {
		return st.at("%w", err)
	}
	if c := l.partition; c >= 0 && !b.Cols[c].IsNull(row) {
		n := b.Cols[c].Int(row)
		if n < 0 || n >= int64(t.partitions) {
			return st.at("the column partition is %d, and topic %q has the partitions 0 to %d", n, r.topic, t.partitions-1)
		}
		r.partition = int32(n)
	}
	if l.headers >= 0 {
		r.headers = appendHeaders(r.headers, b.Cols[l.headers], row)
	}
	return nil
}

func (st *stage) begunKey(row int) error {
	if len(st.l.key) == 0 {
		return nil
	}
	key, err := encode(st.key[:0], st.l.keys, &st.keyView, row)
	if err != nil {
		return st.at("key: %w", err)
	}
	if st.rec.key = key; key != nil {
		st.key = key
	}
	return nil
}

// encode makes the value of the message.
func (st *stage) encode(what, row int) error {
	value, err := encode(st.value[:0], st.l.values, &st.views[what], row)
	if err != nil {
		return st.at("value: %w", err)
	}
	if st.rec.value = value; value != nil {
		st.value = value
	}
	return nil
}

// encode appends a row, or the bytes of its one column as they are; nil for NULL.
func encode(dst []byte, e format.MessageEncoder, b *vec.Batch, row int) ([]byte, error) {
	if e != nil {
		out, err := e.Append(dst, b, row)
		if out == nil && err == nil {
			out = []byte{}
		}
		return out, err
	}
	v := b.Cols[0]
	if v.IsNull(row) {
		return nil, nil
	}
	if dst == nil {
		dst = []byte{}
	}
	return append(dst, v.Bytes(row)...), nil
}

// add takes the message over, if brokers will.
func (st *stage) add() error {
	r := &st.rec
	if most := int64(st.p.maxBytes(r.topic)); r.size() > most {
		return st.at("the message has %d bytes, more than topic %q and max_request_size allow (%d); "+
			"raise max_request_size and the topic's max.message.bytes, or write less into a message", r.size(), r.topic, most)
	}
	st.out.add(r)
	if int64(len(st.out.buf)) > st.p.opt.maxBatch {
		return fmt.Errorf("the batch has more than %d bytes of messages (max_batch_bytes), with %d of them; raise max_batch_bytes for this batch, "+
			"and let triggers take less of the sources (max_rows_per_trigger, max_offsets_per_trigger, max_files_per_trigger)", st.p.opt.maxBatch, st.out.rows)
	}
	return nil
}

// at says which message an error is about.
func (st *stage) at(text string, args ...any) error {
	where := "message " + strconv.FormatInt(st.out.rows+1, 10) + " of the batch"
	if st.rec.key != nil {
		where += ", key " + excerpt(st.rec.key)
	}
	return fmt.Errorf(where+": "+text, args...)
}

// excerpt is the beginning of a key, for messages.
func excerpt(b []byte) string {
	const most = 60
	if len(b) > most {
		return strconv.Quote(string(b[:most])) + "…"
	}
	return strconv.Quote(string(b))
}

// size is what the message takes of a request, at most.
func (r *outMessage) size() int64 {
	const around = 128 // the head of a record, and that of the batch it stands in
	n := around + len(r.key) + len(r.value)
	for _, h := range r.headers {
		n += len(h.key) + len(h.value) + 10
	}
	return int64(n)
}

// appendHeaders reads the headers of a row; NULL has none.
func appendHeaders(dst []header, v *vec.Vector, row int) []header {
	if v.IsNull(row) {
		return dst
	}
	v, row = v.At(row)
	names, values := v.Child[0], v.Child[0]
	if v.Type.Kind == types.Map {
		values = v.Child[1]
	}
	for i := int(v.Off[row]); i < int(v.Off[row+1]); i++ {
		name, value := names, values
		at := i
		if v.Type.Kind == types.Array {
			if names.IsNull(i) {
				continue
			}
			var f *vec.Vector
			f, at = names.At(i)
			name, value = f.Child[0], f.Child[1]
		}
		if name.IsNull(at) {
			continue
		}
		h := header{key: string(name.Bytes(at))}
		if !value.IsNull(at) {
			h.value = append([]byte{}, value.Bytes(at)...)
		}
		dst = append(dst, h)
	}
	return dst
}

// finish adds the change events that have waited.
func (st *stage) finish() error {
	if st.pairs == nil {
		return nil
	}
	return st.removed()
}
