//go:build services

package services

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/exec/connect/kafka"
	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/json"
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// kafkaOut is a topic of one test, and the query that writes to it.
type kafkaOut struct {
	*testing.T
	brokers, topic, query string
	epoch                 int64
	opts                  []string
	admin                 *kadm.Client
}

var kafkaTopics atomic.Int64

func newKafkaOut(t *testing.T, opts ...string) *kafkaOut {
	t.Helper()
	return kafkaOutAt(t, Start(t, "kafka")["KAFKA_BROKERS"], opts...)
}

func kafkaOutAt(t *testing.T, brokers string, opts ...string) *kafkaOut {
	t.Helper()
	name := fmt.Sprintf("sink-%d-%d", time.Now().UnixNano(), kafkaTopics.Add(1))
	c, err := kgo.NewClient(kgo.SeedBrokers(brokers))
	if err != nil {
		t.Fatal(err)
	}
	o := &kafkaOut{T: t, brokers: brokers, topic: name, query: "id-" + name, opts: opts, admin: kadm.NewClient(c)}
	if _, err := o.admin.CreateTopic(t.Context(), 3, 1, nil, name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		_, _ = o.admin.DeleteTopics(ctx, name) // the brokers may be gone with the test
		c.Close()
	})
	return o
}

// start opens the sink as a new process does; its marker must be at the batch, −1 = none.
func (o *kafkaOut) start(marker int64) sink.Sink {
	o.Helper()
	s := o.open()
	m, err := s.Marker(o.Context())
	if err != nil || m.ID != marker || m.OK != (marker >= 0) {
		o.Fatalf("marker %+v, %v, expected batch %d", m, err, marker)
	}
	return s
}

func (o *kafkaOut) open() sink.Sink {
	o.Helper()
	o.epoch++
	c := sink.Config{Name: "s", Query: "q", QueryID: o.query, Mode: sink.Changelog, Key: []int{0}, Clock: clock.Real(),
		Columns: []types.Column{{Name: "k", Type: types.Of(types.String)}, {Name: "n", Type: types.Of(types.Int64)}}}
	opts := append([]string{"brokers", o.brokers, "topic", o.topic, "format", "debezium-json", "key_format", "raw", "retry_backoff_ms", "20"}, o.opts...)
	for i := 0; i < len(opts); i += 2 {
		c.Options = append(c.Options, option.Value{Name: opts[i], Text: opts[i+1]})
	}
	s, err := kafka.Sink([]*format.Format{json.Format(), json.Debezium()}).Open(o.Context(), c)
	if err != nil {
		o.Fatal(err)
	}
	return s
}

func (o *kafkaOut) stage(s sink.Sink, id int64, rows string) []byte {
	o.Helper()
	return (&pgWorld{T: o.T}).stage(s, id, delta(rows))
}

func (o *kafkaOut) put(s sink.Sink, id int64, rows string) []byte {
	o.Helper()
	p := o.stage(s, id, rows)
	if err := s.Publish(o.Context(), sink.Batch{ID: id, Epoch: o.epoch}, p); err != nil {
		o.Fatal(err)
	}
	return p
}

var errStop = errors.New("stop here")

// crash stops publishing at a step, as if the process had died there.
func (o *kafkaOut) crash(s sink.Sink, id int64, payload []byte, step string) {
	o.Helper()
	o.at(s, step, func() error { return errStop })
	if err := s.Publish(o.Context(), sink.Batch{ID: id, Epoch: o.epoch}, payload); !errors.Is(err, errStop) {
		o.Fatalf("no crash at %s: %v", step, err)
	}
}

// at does something when publishing has come to a step.
func (o *kafkaOut) at(s sink.Sink, step string, do func() error) {
	s.(interface {
		At(func(context.Context, string) error)
	}).At(func(_ context.Context, at string) error {
		if at == step {
			return do()
		}
		return nil
	})
}

// want compares the committed messages with change events "c a 1; u b 3".
func (o *kafkaOut) want(events ...string) {
	o.Helper()
	got := o.read(kgo.ReadCommitted())
	// The broker answers that a transaction is at its end before it is seen so everywhere.
	for begin := time.Now(); len(got) < len(events) && time.Since(begin) < 20*time.Second; {
		got = o.read(kgo.ReadCommitted())
	}
	slices.Sort(got)
	slices.Sort(events)
	if !slices.Equal(got, events) {
		o.Errorf("the topic has %q, expected %q", got, events)
	}
}

// read reads the topic as a console consumer does: to its end, from all partitions.
func (o *kafkaOut) read(level kgo.IsolationLevel) []string {
	o.Helper()
	ctx, cancel := context.WithTimeout(o.Context(), 30*time.Second)
	defer cancel()
	ends, err := o.admin.ListCommittedOffsets(ctx, o.topic)
	if level == kgo.ReadUncommitted() {
		ends, err = o.admin.ListEndOffsets(ctx, o.topic)
	}
	if err != nil {
		o.Fatal(err)
	}
	left := map[int32]int64{}
	ends.Each(func(e kadm.ListedOffset) {
		if e.Offset > 0 {
			left[e.Partition] = e.Offset
		}
	})
	c, err := kgo.NewClient(kgo.SeedBrokers(o.brokers), kgo.ConsumeTopics(o.topic), kgo.FetchIsolationLevel(level),
		kgo.KeepControlRecords(), kgo.FetchMaxWait(50*time.Millisecond), kgo.ConsumeStartOffset(kgo.NewOffset().AtStart()))
	if err != nil {
		o.Fatal(err)
	}
	defer c.Close()
	var out []string
	for len(left) > 0 {
		fs := c.PollFetches(ctx)
		if err := fs.Err(); err != nil {
			o.Fatalf("%v; still to read: %v", err, left)
		}
		fs.EachRecord(func(r *kgo.Record) {
			if !r.Attrs.IsControl() {
				out = append(out, event(r))
			}
			if r.Offset+1 >= left[r.Partition] {
				delete(left, r.Partition)
			}
		})
	}
	return out
}

// event is a change event in short: op, key and n after it.
func event(r *kgo.Record) string {
	v := string(r.Value)
	_, after, _ := strings.Cut(v, `"after":{"k":"`+string(r.Key)+`","n":`)
	n, _, _ := strings.Cut(after, "}")
	return strings.TrimSpace(v[len(v)-3:len(v)-2] + " " + string(r.Key) + " " + n)
}

func TestKafkaSinkCrashes(t *testing.T) {
	for _, step := range []string{"produced", "marked", "ended"} {
		o := newKafkaOut(t)
		s := o.start(-1)
		o.put(s, 0, "+ a 1; + b 1")
		payload := o.stage(s, 1, "- a 1; - b 1; + a 2; + c 7")
		o.crash(s, 1, payload, step)
		marker := int64(0)
		if step == "ended" {
			marker = 1
		}
		next := o.start(marker)
		if err := next.Publish(t.Context(), sink.Batch{ID: 1, Epoch: o.epoch}, payload); err != nil {
			t.Fatal(err)
		}
		o.put(next, 2, "")
		o.want("c a 1", "c b 1", "u a 2", "d b", "c c 7")
		if n := len(o.read(kgo.ReadUncommitted())); step != "ended" && n != 8 {
			t.Errorf("%s: %d messages are in the topic, those without a commit included", step, n)
		}
	}
}

// A process that has been replaced is shut out, whatever it is about to do.
func TestKafkaSinkZombie(t *testing.T) {
	for _, step := range []string{"", "produced", "marked"} {
		o := newKafkaOut(t)
		zombie := o.start(-1)
		o.put(zombie, 0, "+ a 1")
		payload := o.stage(zombie, 1, "+ z 1")
		var heir sink.Sink
		begin := func() error {
			heir = o.start(0)
			o.put(heir, 1, "+ b 2")
			return nil
		}
		if step == "" {
			begin()
		}
		o.at(zombie, step, begin)
		for range 2 {
			err := zombie.Publish(t.Context(), sink.Batch{ID: 1, Epoch: 1}, payload)
			if err == nil || !strings.Contains(err.Error(), "a newer process took over") {
				t.Fatalf("the zombie publishes: %v", err)
			}
		}
		if err := zombie.Close(); err != nil {
			t.Error(err)
		}
		o.put(heir, 2, "+ c 3")
		o.want("c a 1", "c b 2", "c c 3")
	}
}

// The brokers forget offsets of groups, the topic for markers does not.
func TestKafkaSinkForgottenOffset(t *testing.T) {
	o := newKafkaOut(t)
	s := o.start(-1)
	o.put(s, 0, "+ a 1")
	o.put(s, 1, "+ b 1")
	if _, err := o.admin.DeleteGroup(t.Context(), "sqlstream."+o.query+".commits"); err != nil {
		t.Fatal(err)
	}
	o.put(o.start(1), 2, "+ c 1")
	o.start(2)
}

// A message that the topic does not take is refused before the batch is logged; one that it
// does not take any more stops the query, each time it starts, until the topic takes it.
func TestKafkaSinkTooLarge(t *testing.T) {
	o := newKafkaOut(t)
	s := o.start(-1)
	payload := o.stage(s, 0, "+ "+strings.Repeat("x", 3000)+" 1")
	o.limit("2000")
	err := s.Publish(t.Context(), sink.Batch{ID: 0, Epoch: 1}, payload)
	if err == nil || !strings.Contains(err.Error(), "raise the topic's max.message.bytes") || !strings.Contains(err.Error(), `key "xxx`) {
		t.Fatal(err)
	}
	s = o.start(-1)
	_, err = s.Stage(t.Context(), sink.Batch{ID: 0, Epoch: 1}, func(emit func(*vec.Batch) error) error {
		return emit(delta("+ " + strings.Repeat("x", 3000) + " 1"))
	})
	if err == nil || !strings.Contains(err.Error(), "max.message.bytes") {
		t.Fatal(err)
	}
	o.limit("1000000")
	s = o.start(-1)
	if err := s.Publish(t.Context(), sink.Batch{ID: 0, Epoch: o.epoch}, payload); err != nil {
		t.Fatal(err)
	}
	o.start(0)
}

func (o *kafkaOut) limit(bytes string) {
	o.Helper()
	_, err := o.admin.AlterTopicConfigs(o.Context(), []kadm.AlterConfig{{Op: kadm.SetConfig, Name: "max.message.bytes", Value: &bytes}}, o.topic)
	if err != nil {
		o.Fatal(err)
	}
}

// Brokers that are killed and come back in the middle of a batch: it is there once.
func TestKafkaSinkBrokerRestarts(t *testing.T) {
	env := []string{"SERVICES_DATA=" + t.TempDir(), "KAFKA_PORT=29392", "KAFKA_HEAP=256m"}
	vars := Start(t, "kafka", env...)
	t.Cleanup(func() { Stop(t, "kafka", env...) })
	o := kafkaOutAt(t, vars["KAFKA_BROKERS"])
	s := o.start(-1)
	o.put(s, 0, "+ a 1")
	killed := false
	o.at(s, "marked", func() error {
		if !killed {
			killed = true
			Kill(t, "kafka", env...)
			Start(t, "kafka", env...)
		}
		return nil
	})
	o.put(s, 1, "+ b 2")
	o.want("c a 1", "c b 2")
	o.start(1)
}

// Kafka's own consumer reads what the sink has committed, and nothing else.
func TestKafkaSinkJavaConsumer(t *testing.T) {
	vars := Start(t, "kafka")
	o := kafkaOutAt(t, vars["KAFKA_BROKERS"])
	s := o.start(-1)
	o.put(s, 0, "+ a 1")
	o.crash(s, 1, o.stage(s, 1, "+ lost 1"), "marked")
	o.put(o.start(0), 1, "+ b NULL")
	cmd := exec.Command("java", "-Xmx128m", "-cp", filepath.Join(vars["KAFKA_JARS"], "*"), "testdata/Consume.java", o.brokers, o.topic, "2")
	text, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	slices.Sort(lines)
	want := []string{"a\t" + `{"before":null,"after":{"k":"a","n":1},"op":"c"}`, "b\t" + `{"before":null,"after":{"k":"b","n":null},"op":"c"}`}
	if !slices.Equal(lines, want) {
		t.Errorf("the consumer shows %q", lines)
	}
}
