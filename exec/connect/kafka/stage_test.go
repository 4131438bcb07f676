package kafka

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/json"
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/types"
)

// jsonOut is an out with formats and the columns who STRING, n BIGINT, whose key is who.
func jsonOut(t *testing.T, mode sink.Mode, opts ...string) *out {
	o := newOut(t, opts...)
	o.formats = []*format.Format{json.Format(), json.Debezium()}
	o.columns("who", text, "n", bigint)
	o.cfg.Mode, o.cfg.Key = mode, []int{0}
	return o
}

// What becomes of rows in each mode and format.
func TestMessages(t *testing.T) {
	rows := [][]any{{"a", 1, -1}, {"b", 2, -1}, {"a", 5}, {"c", 7}}
	news := rows[2:]
	for _, c := range []struct {
		name string
		mode sink.Mode
		opts []string
		rows [][]any
		want []string
	}{
		{"append has no key", sink.Append, []string{"format", "json"}, news,
			[]string{`(null)={"who":"a","n":5}`, `(null)={"who":"c","n":7}`}},
		{"a row twice", sink.Append, []string{"format", "json"}, [][]any{{"a", 1, 2}},
			[]string{`(null)={"who":"a","n":1}`, `(null)={"who":"a","n":1}`}},
		{"a key of its own", sink.Append, []string{"format", "json", "key_columns", "n, who"}, news,
			[]string{`{"n":5,"who":"a"}={"who":"a","n":5}`, `{"n":7,"who":"c"}={"who":"c","n":7}`}},
		{"a raw key, not in the value", sink.Append, []string{"format", "json", "key_columns", "who", "key_format", "raw", "key_in_value", "false"}, news,
			[]string{`a={"n":5}`, `c={"n":7}`}},
		{"update", sink.Update, []string{"format", "json"}, rows[1:],
			[]string{`{"who":"a"}={"who":"a","n":5}`, `{"who":"b"}=(null)`, `{"who":"c"}={"who":"c","n":7}`}},
		{"changelog", sink.Changelog, []string{"format", "json", "key_format", "raw"}, rows,
			[]string{`a={"who":"a","n":1,"op":"D"}`, `a={"who":"a","n":5,"op":"I"}`, `b={"who":"b","n":2,"op":"D"}`, `c={"who":"c","n":7,"op":"I"}`}},
		{"envelopes", sink.Changelog, []string{"format", "debezium-json"}, rows,
			[]string{`{"who":"a"}={"before":{"who":"a","n":1},"after":{"who":"a","n":5},"op":"u"}`,
				`{"who":"b"}={"before":{"who":"b","n":2},"after":null,"op":"d"}`,
				`{"who":"c"}={"before":null,"after":{"who":"c","n":7},"op":"c"}`}},
		{"all fields", sink.Changelog, []string{"format", "debezium-json", "key_format", "raw"}, [][]any{{"a", nil}},
			[]string{`a={"before":null,"after":{"who":"a","n":null},"op":"c"}`}},
		{"envelopes of another key", sink.Changelog, []string{"format", "debezium-json", "key_columns", "n"}, rows[2:],
			[]string{`{"n":5}={"before":null,"after":{"who":"a","n":5},"op":"c"}`, `{"n":7}={"before":null,"after":{"who":"c","n":7},"op":"c"}`}},
		{"envelopes of new rows", sink.Append, []string{"format", "debezium-json"}, news,
			[]string{`(null)={"before":null,"after":{"who":"a","n":5},"op":"c"}`, `(null)={"before":null,"after":{"who":"c","n":7},"op":"c"}`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := jsonOut(t, c.mode, c.opts...)
			o.put(o.start(-1), 0, c.rows...)
			o.want("out", c.want...)
		})
	}
}

// A PRIMARY KEY of the sink is the key of messages in append mode too.
func TestPrimaryKey(t *testing.T) {
	o := jsonOut(t, sink.Append, "format", "json", "key_format", "raw")
	o.cfg.PrimaryKey = []int{0}
	o.put(o.start(-1), 0, []any{"a", 1}, []any{nil, 2})
	o.want("out", `a={"who":"a","n":1}`, `(null)={"n":2}`)
}

// The messages of a key keep their order, removals first.
func TestOrderOfAKey(t *testing.T) {
	o := jsonOut(t, sink.Changelog, "format", "debezium-json")
	o.cfg.Key = nil // so that nothing is paired
	o.set("key_columns", "who")
	o.put(o.start(-1), 0, []any{"a", 1, -1}, []any{"a", 2})
	var ops []string
	for _, r := range o.messages("out", kgo.ReadCommitted()) {
		ops = append(ops, string(r.Value[len(r.Value)-3:len(r.Value)-2]))
	}
	if !slices.Equal(ops, []string{"d", "c"}) {
		t.Errorf("ops %v", ops)
	}
}

// The columns of Spark: topic, partition and headers of each message.
func TestPlainColumns(t *testing.T) {
	o := newOut(t, "topic", "")
	headers := types.ArrayOf(types.StructOf(types.Field{Name: "key", Type: text}, types.Field{Name: "value", Type: types.Of(types.Bytes)}))
	o.columns("key", types.Of(types.Bytes), "value", text, "topic", text, "partition", types.Of(types.Int32), "headers", headers)
	p := o.start(-1)
	o.put(p, 0, []any{"k", "v", "out", 2, [][2]any{{"h", "1"}, {"h", "2"}, {"none", nil}}}, []any{nil, "w", "other", 1, nil}, []any{nil, "", "other", nil, [][2]any{}})
	o.want("out", "k=v")
	o.want("other", "(null)=w", "(null)=")
	r := o.messages("out", kgo.ReadCommitted())[0]
	if r.Partition != 2 || len(r.Headers) != 3 || string(r.Headers[1].Value) != "2" || r.Headers[2].Value != nil {
		t.Errorf("message %+v", r)
	}
	for _, c := range []struct {
		row  []any
		want string
	}{
		{[]any{"k", "v", nil, nil, nil}, "message 1 of the batch: the column topic is NULL"},
		{[]any{"k", "v", "none", nil, nil}, `message 1 of the batch, key "k": topic "none" does not exist`},
		{[]any{"k", "v", "out", 3, nil}, `the column partition is 3, and topic "out" has the partitions 0 to 2`},
		{[]any{"k", "v", "__sqlstream_commits", 0, nil}, "rows cannot go there"},
	} {
		_, err := o.tryStage(p, 1, o.rows(c.row))
		o.fails(err, c.want)
	}
	o.set("create_topic", "true", "partitions", "5")
	p = o.start(0)
	o.put(p, 1, []any{"k", "v", "none", 4, nil})
	o.want("none", "k=v")
}

func TestPartitioners(t *testing.T) {
	spread := func(opts ...string) map[int32]int {
		o := newOut(t, opts...)
		var rows [][]any
		for i := range 30 {
			rows = append(rows, []any{string(rune('a' + i%2)), "v"})
		}
		o.put(o.start(-1), 0, rows...)
		out := map[int32]int{}
		for _, r := range o.messages("out", kgo.ReadCommitted()) {
			out[r.Partition]++
		}
		return out
	}
	if got := spread(); len(got) > 2 {
		t.Errorf("two keys are in %d partitions", len(got))
	}
	if got := spread("partitioner", "round_robin"); got[0] != 10 || got[1] != 10 || got[2] != 10 {
		t.Errorf("in turn: %v", got)
	}
}

// What is too large is refused before it is logged, with what to do about it.
func TestTooLarge(t *testing.T) {
	o := newOut(t, "max_batch_bytes", "3000")
	p := o.start(-1)
	_, err := o.tryStage(p, 0, o.rows([]any{"a", strings.Repeat("x", 2000)}, []any{"b", strings.Repeat("x", 2000)}))
	o.fails(err, "more than 3000 bytes of messages", "max_batch_bytes", "with 2 of them")
	o.set("max_request_size", "1500")
	_, err = o.tryStage(o.start(-1), 0, o.rows([]any{"a", "1"}, []any{"long", strings.Repeat("x", 2000)}))
	o.fails(err, `message 2 of the batch, key "long": the message has 2132 bytes`, "max.message.bytes")
}

func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(o *out)
		want []string
	}{
		{"another column", func(o *out) { o.set("format", "") }, []string{"without a format", "who STRING, n BIGINT"}},
		{"a changelog of bytes", func(o *out) { o.set("format", "raw", "key_columns", "n"); o.cfg.Mode = sink.Changelog }, []string{"cannot tell a removed row"}},
		{"an update by another key", func(o *out) { o.set("key_columns", "n"); o.cfg.Mode = sink.Update }, []string{"must have the key of the query, (who STRING)", "(n BIGINT)"}},
		{"an envelope in update mode", func(o *out) { o.set("format", "debezium"); o.cfg.Mode = sink.Update }, []string{"EMIT CHANGELOG"}},
		{"a raw key of two columns", func(o *out) { o.set("key_format", "raw", "key_columns", "who,n") }, []string{"a raw key is one column", "key_format = 'json'"}},
		{"a key that is not there", func(o *out) { o.set("key_columns", "wo") }, []string{`a column "wo"`}},
		{"no topic", func(o *out) { o.set("topic", "") }, []string{"there is no topic"}},
		{"the topic of markers", func(o *out) { o.set("topic", "__sqlstream_commits") }, []string{"is the one for markers"}},
		{"one replica", func(o *out) { o.set("acks", "1") }, []string{"exactly-once needs acks = 'all'", "at_least_once"}},
		{"an op column that is taken", func(o *out) { o.cfg.Mode = sink.Changelog; o.set("op_column", "n") }, []string{`has a column "n"`}},
		{"an unknown topic", func(o *out) { o.set("topic", "otu") }, []string{`topic "otu" does not exist`, "create_topic"}},
		{"an unknown format", func(o *out) { o.set("format", "jsn") }, []string{`unknown format "jsn"`}},
		{"headers of numbers", func(o *out) { o.set("headers_column", "n") }, []string{"the headers are BIGINT"}},
	} {
		o := jsonOut(t, sink.Append, "format", "json")
		c.do(o)
		_, err := o.tryOpen()
		if err == nil {
			t.Errorf("%s: no error", c.name)
			continue
		}
		o.fails(err, c.want...)
	}
	o := jsonOut(t, sink.Update, "format", "json", "key_format", "raw")
	_, err := o.tryStage(o.open(), 0, o.rows([]any{nil, 1}))
	o.fails(err, "the key is NULL")
}

func TestPayloadRoundTrip(t *testing.T) {
	p := newPayload()
	list := []outMessage{
		{topic: "a", partition: anyPartition, key: []byte("k"), value: []byte("v")},
		{topic: "b", partition: 7, value: []byte{}},
		{topic: "a", partition: anyPartition, key: []byte{}, headers: []header{{key: "h", value: []byte{}}, {key: "n"}}},
	}
	for i := range list {
		p.add(&list[i])
	}
	rs, err := readPayload(p.buf)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range list {
		got, ok, err := rs.next()
		if !ok || err != nil || got.topic != want.topic || got.partition != want.partition || !sameBytes(got.key, want.key) || !sameBytes(got.value, want.value) ||
			!slices.EqualFunc(got.headers, want.headers, func(a, b header) bool { return a.key == b.key && sameBytes(a.value, b.value) }) {
			t.Errorf("%+v, expected %+v: %v", got, want, err)
		}
	}
	if _, ok, err := rs.next(); ok || err != nil {
		t.Error(ok, err)
	}
}

// sameBytes also tells nothing from an empty value.
func sameBytes(a, b []byte) bool { return bytes.Equal(a, b) && (a == nil) == (b == nil) }

func FuzzReadPayload(f *testing.F) {
	p := newPayload()
	p.add(&outMessage{topic: "a", partition: 3, key: []byte("k"), value: []byte("v"), headers: []header{{key: "h", value: []byte("x")}, {key: "n"}}})
	p.add(&outMessage{topic: "a", partition: anyPartition})
	f.Add(p.buf)
	f.Add(p.buf[:len(p.buf)-3])
	f.Fuzz(func(t *testing.T, data []byte) {
		rs, err := readPayload(data)
		if err != nil {
			return
		}
		for {
			if _, ok, err := rs.next(); !ok || err != nil {
				return
			}
		}
	})
}

func TestSecretsStayHidden(t *testing.T) {
	o := newOut(t, "sasl_mechanism", "PLAIN", "username", "me", "password", "hunter2", "connect_timeout", "1 second")
	_, err := o.tryOpen()
	if err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("error %v", err)
	}
	o.set("sasl_mechanism", "", "username", "", "password", "")
	p := o.open()
	if text := p.Description(); !strings.Contains(text, "out") || strings.Contains(text, "hunter2") {
		t.Error(text)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if _, err := p.Stage(context.Background(), sink.Batch{}, nil); err == nil {
		t.Error("a closed sink stages")
	}
}
