package kafka

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kversion"

	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

// out is a topic of brokers in this process, and how sinks for it are opened.
type out struct {
	t       *testing.T
	c       *kfake.Cluster
	formats []*format.Format
	cfg     sink.Config
	opts    map[string]string
	epoch   int64
}

func newOut(t *testing.T, opts ...string) *out {
	t.Helper()
	return newOutAt(t, kversion.Stable(), opts...)
}

// newOutAt has brokers of a version.
func newOutAt(t *testing.T, v *kversion.Versions, opts ...string) *out {
	t.Helper()
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(3, "out", "other"), kfake.MaxVersions(v))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	o := &out{t: t, c: c, opts: map[string]string{"brokers": strings.Join(c.ListenAddrs(), ","), "topic": "out",
		"retry_backoff_ms": "5", "publish_timeout": "20 seconds", "linger_ms": "0"}}
	o.cfg = sink.Config{Name: "s", Query: "q", QueryID: "f67b589e", Mode: sink.Append, FS: vfs.OS(), Clock: clock.Real(),
		Columns: []types.Column{{Name: "key", Type: types.Of(types.String)}, {Name: "value", Type: types.Of(types.String)}}}
	o.set(opts...)
	return o
}

func (o *out) set(opts ...string) {
	for i := 0; i < len(opts); i += 2 {
		if o.opts[opts[i]] = opts[i+1]; opts[i+1] == "" {
			delete(o.opts, opts[i])
		}
	}
}

func (o *out) columns(defs ...any) {
	o.cfg.Columns = nil
	for i := 0; i < len(defs); i += 2 {
		o.cfg.Columns = append(o.cfg.Columns, types.Column{Name: defs[i].(string), Type: defs[i+1].(types.Type)})
	}
}

var (
	text   = types.Of(types.String)
	bigint = types.Of(types.Int64)
)

// tryOpen opens the sink as a new process does.
func (o *out) tryOpen() (*publisher, error) {
	o.t.Helper()
	o.epoch++
	cfg := o.cfg
	for _, name := range sortedKeys(o.opts) {
		cfg.Options = append(cfg.Options, option.Value{Name: name, Text: o.opts[name]})
	}
	s, err := Sink(o.formats).Open(context.Background(), cfg)
	if err != nil {
		return nil, err
	}
	p := s.(*publisher)
	o.t.Cleanup(p.client.Close)
	return p, nil
}

func (o *out) open() *publisher {
	o.t.Helper()
	p, err := o.tryOpen()
	if err != nil {
		o.t.Fatal(err)
	}
	return p
}

// start opens the sink and checks its marker: the last batch, −1 = none.
func (o *out) start(want int64) *publisher {
	o.t.Helper()
	p := o.open()
	m, err := p.Marker(context.Background())
	if err != nil {
		o.t.Fatal(err)
	}
	if m.ID != want || m.OK != (want >= 0) {
		o.t.Fatalf("the marker is %+v, expected batch %d", m, want)
	}
	return p
}

func (o *out) batch(id int64) sink.Batch { return sink.Batch{ID: id, Epoch: o.epoch} }

// row is a value by column, then a weight if there is one value more.
func (o *out) rows(rows ...[]any) *vec.Batch {
	var bs []*vec.Builder
	for _, c := range o.cfg.Columns {
		bs = append(bs, vec.NewBuilder(c.Type))
	}
	b := &vec.Batch{N: len(rows)}
	for _, r := range rows {
		for i, x := range bs {
			appendValue(x, r[i])
		}
		w := int64(1)
		if len(r) > len(bs) {
			w = int64(r[len(bs)].(int))
		}
		b.W = append(b.W, w)
	}
	for _, x := range bs {
		b.Cols = append(b.Cols, x.Take())
	}
	return b
}

func appendValue(b *vec.Builder, x any) {
	switch v := x.(type) {
	case nil:
		b.AppendNull()
	case string:
		b.AppendString(v)
	case int:
		b.AppendInt(int64(v))
	case [][2]any: // headers
		for _, h := range v {
			appendValue(b.Child(0).Child(0), h[0])
			appendValue(b.Child(0).Child(1), h[1])
			b.Child(0).EndStruct()
		}
		b.EndList()
	default:
		panic(fmt.Sprintf("a value %T", x))
	}
}

func (o *out) tryStage(p *publisher, id int64, bs ...*vec.Batch) ([]byte, error) {
	return p.Stage(context.Background(), o.batch(id), func(emit func(*vec.Batch) error) error {
		for _, b := range bs {
			if err := emit(b); err != nil {
				return err
			}
		}
		return nil
	})
}

func (o *out) stage(p *publisher, id int64, bs ...*vec.Batch) []byte {
	o.t.Helper()
	payload, err := o.tryStage(p, id, bs...)
	if err != nil {
		o.t.Fatal(err)
	}
	return payload
}

func (o *out) publish(p *publisher, id int64, payload []byte) {
	o.t.Helper()
	if err := p.Publish(context.Background(), o.batch(id), payload); err != nil {
		o.t.Fatal(err)
	}
}

// put stages and publishes.
func (o *out) put(p *publisher, id int64, rows ...[]any) []byte {
	o.t.Helper()
	payload := o.stage(p, id, o.rows(rows...))
	o.publish(p, id, payload)
	return payload
}

// crash makes publishing stop at a point, as if the process had died there.
var errCrash = errors.New("crash")

func (o *out) crash(p *publisher, id int64, payload []byte, where point) {
	o.t.Helper()
	p.At(func(_ context.Context, at string) error {
		if at == string(where) {
			return errCrash
		}
		return nil
	})
	if err := p.Publish(context.Background(), o.batch(id), payload); !errors.Is(err, errCrash) {
		o.t.Fatalf("no crash at %s: %v", where, err)
	}
	p.at = nil
}

// read returns the committed messages of a topic, sorted: "key=value".
func (o *out) read(topic string) []string {
	o.t.Helper()
	var all []string
	for _, r := range o.messages(topic, kgo.ReadCommitted()) {
		key, value := string(r.Key), string(r.Value)
		if r.Value == nil {
			value = "(null)"
		}
		if r.Key == nil {
			key = "(null)"
		}
		all = append(all, key+"="+value)
	}
	slices.Sort(all)
	return all
}

func (o *out) messages(topic string, level kgo.IsolationLevel) []*kgo.Record {
	o.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	c, err := kgo.NewClient(kgo.SeedBrokers(o.c.ListenAddrs()...), kgo.ConsumeTopics(topic), kgo.FetchIsolationLevel(level),
		kgo.KeepControlRecords(), kgo.FetchMaxWait(20*time.Millisecond), kgo.ConsumeStartOffset(kgo.NewOffset().AtStart()))
	if err != nil {
		o.t.Fatal(err)
	}
	defer c.Close()
	admin := kadm.NewClient(c)
	ends, err := admin.ListEndOffsets(ctx, topic)
	if level == kgo.ReadCommitted() {
		ends, err = admin.ListCommittedOffsets(ctx, topic)
	}
	if err != nil {
		o.t.Fatal(err)
	}
	left := map[int32]int64{}
	ends.Each(func(e kadm.ListedOffset) {
		if e.Offset > 0 {
			left[e.Partition] = e.Offset
		}
	})
	var all []*kgo.Record
	for len(left) > 0 {
		fs := c.PollFetches(ctx)
		if err := fs.Err(); err != nil {
			o.t.Fatalf("%v, still %v", err, left)
		}
		for it := fs.RecordIter(); !it.Done(); {
			r := it.Next()
			if !r.Attrs.IsControl() {
				all = append(all, r)
			}
			if r.Offset+1 >= left[r.Partition] {
				delete(left, r.Partition)
			}
		}
	}
	return all
}

func (o *out) want(topic string, want ...string) {
	o.t.Helper()
	slices.Sort(want)
	if got := o.read(topic); !slices.Equal(got, want) {
		o.t.Errorf("topic %s has %q, expected %q", topic, got, want)
	}
}

func (o *out) fails(err error, want ...string) {
	o.t.Helper()
	for _, w := range want {
		if err == nil || !strings.Contains(err.Error(), w) {
			o.t.Fatalf("error %v, expected %q in it", err, w)
		}
	}
}
