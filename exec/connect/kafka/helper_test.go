package kafka

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/csv"
	"github.com/sqlstream/sqlstream/exec/format/formattest"
	"github.com/sqlstream/sqlstream/exec/format/json"
	"github.com/sqlstream/sqlstream/exec/format/raw"
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

func testFormats() []*format.Format {
	return []*format.Format{json.Format(), json.Debezium(), csv.Format(), raw.Format()}
}

// world is a cluster and who writes to it.
type world struct {
	t       *testing.T
	fake    *kfake.Cluster
	brokers string
	cl      *kgo.Client
	adm     *kadm.Client
	conn    source.Connector
}

func newWorld(t *testing.T, opts ...kfake.Opt) *world {
	t.Helper()
	w := &world{t: t, conn: Source(testFormats())}
	w.fake, w.brokers = cluster(t, opts...)
	w.cl = w.client()
	w.adm = kadm.NewClient(w.cl)
	return w
}

func (w *world) client(opts ...kgo.Opt) *kgo.Client {
	w.t.Helper()
	cl, err := kgo.NewClient(append([]kgo.Opt{kgo.SeedBrokers(strings.Split(w.brokers, ",")...), kgo.RecordPartitioner(kgo.ManualPartitioner())}, opts...)...)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(cl.Close)
	return cl
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) topic(name string, partitions int32) {
	w.t.Helper()
	resp, err := w.adm.CreateTopic(context.Background(), partitions, 1, nil, name)
	w.must(err)
	w.must(resp.Err)
}

// message has value "NULL" for none.
func message(topic string, partition int32, value string) *kgo.Record {
	r := &kgo.Record{Topic: topic, Partition: partition, Value: []byte(value), Timestamp: time.UnixMilli(1000)}
	if value == "NULL" {
		r.Value = nil
	}
	return r
}

// write produces values to a partition, in one batch.
func (w *world) write(topic string, partition int32, vals ...string) {
	w.t.Helper()
	var rs []*kgo.Record
	for _, v := range vals {
		rs = append(rs, message(topic, partition, v))
	}
	w.must(w.cl.ProduceSync(context.Background(), rs...).FirstErr())
}

func column1(name string, t types.Type, metadata string) source.Column {
	return source.Column{Column: types.Column{Name: name, Type: t}, Metadata: metadata}
}

var textType = types.Of(types.String)

// valueAndOffset are the columns of most tests.
func valueAndOffset() []source.Column {
	return []source.Column{column1("value", textType, ""), column1("partition", types.Of(types.Int32), "partition"), column1("offset", types.Of(types.Int64), "offset")}
}

func (w *world) config(opts ...string) source.Config {
	c := source.Config{Name: "k", Columns: valueAndOffset(), Clock: clock.Real(), FS: vfs.OS(), Dir: w.t.TempDir(), Replay: true}
	c.Options = append(c.Options, option.Value{Name: "brokers", Text: w.brokers}, option.Value{Name: "discovery_interval", Text: "0"})
	for i := 0; i < len(opts); i += 2 {
		c.Options = slices.DeleteFunc(c.Options, func(v option.Value) bool { return v.Name == opts[i] })
		c.Options = append(c.Options, option.Value{Name: opts[i], Text: opts[i+1]})
	}
	return c
}

// early is a source of a topic from its beginning.
func (w *world) early(topic string, opts ...string) *Reader {
	w.t.Helper()
	return w.open(w.config(append([]string{"topic", topic, "starting_offsets", "earliest"}, opts...)...))
}

func (w *world) open(c source.Config) *Reader {
	w.t.Helper()
	s, err := w.conn.Open(context.Background(), c)
	w.must(err)
	w.t.Cleanup(func() { s.Close() })
	return s.(*Reader)
}

func (w *world) refused(c source.Config, parts ...string) {
	w.t.Helper()
	s, err := w.conn.Open(context.Background(), c)
	if err == nil {
		s.Close()
	}
	wantError(w.t, err, parts...)
}

// rows reads a range, and prints its rows in order of arrival.
func (w *world) rows(s *Reader, r source.Range) []string {
	w.t.Helper()
	rows, err := readRange(s, r, nil)
	w.must(err)
	return rows
}

func readRange(s *Reader, r source.Range, bad *[]source.BadRow) ([]string, error) {
	splits, err := s.Splits(context.Background(), r)
	if err != nil {
		return nil, err
	}
	rd := source.Reading{}
	var mu sync.Mutex
	if bad != nil {
		rd.Bad = func(b source.BadRow) {
			mu.Lock()
			defer mu.Unlock()
			b.Raw = slices.Clone(b.Raw)
			*bad = append(*bad, b)
		}
	}
	for i := range s.cfg.Columns {
		rd.Need = append(rd.Need, i)
	}
	var out []string
	for _, sp := range splits {
		err := sp.Read(context.Background(), rd, func(b *vec.Batch) error {
			for i, row := range formattest.Rows(b) {
				if b.W != nil {
					row = fmt.Sprintf("%+d %s", b.W[i], row)
				}
				out = append(out, row)
			}
			return nil
		})
		if err != nil {
			return out, err
		}
	}
	return out, nil
}

func (w *world) plan(s *Reader, l source.Limits, upTo source.Snapshot) (source.Range, bool) {
	w.t.Helper()
	r, ok, err := s.Plan(context.Background(), l, upTo)
	w.must(err)
	return r, ok
}

// gives plans and reads the next range.
func (w *world) gives(s *Reader, want ...string) source.Range {
	w.t.Helper()
	return w.givesUpTo(s, 0, nil, want...)
}

func (w *world) givesUpTo(s *Reader, limit int64, upTo source.Snapshot, want ...string) source.Range {
	w.t.Helper()
	r, ok := w.plan(s, source.Limits{Rows: limit}, upTo)
	var got []string
	if ok {
		got = w.rows(s, r)
	}
	if !slices.Equal(got, want) {
		w.t.Errorf("got %q, want %q", got, want)
	}
	return r
}

func same(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %s, want %s", what, got, want)
	}
}

// morePartitions adds a partition to a topic.
func (w *world) morePartitions(topic string) {
	w.t.Helper()
	_, err := w.adm.CreatePartitions(context.Background(), 1, topic)
	w.must(err)
	w.cl = w.client() // who knows of it
}
