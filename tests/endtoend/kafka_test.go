//go:build services

package endtoend

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/sqlstream/sqlstream/tests/soak"
)

var kafkaSteps = []string{"kafka.produced", "kafka.marked", "kafka.ended"}

const kafkaPartitions = 3

// kafkaTopic makes a topic, and removes it at the end of the test.
func kafkaTopic(w *world, name string) (topic string, c *kgo.Client) {
	w.Helper()
	c, err := kgo.NewClient(kgo.SeedBrokers(w.service("kafka")["KAFKA_BROKERS"]), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		w.Fatal(err)
	}
	admin, topic := kadm.NewClient(c), w.name+"-"+name
	if _, err := admin.CreateTopic(w.Context(), kafkaPartitions, 1, nil, topic); err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		_, _ = admin.DeleteTopics(ctx, topic) // the brokers may be gone with the test
		c.Close()
	})
	return topic, c
}

func kafkaSource(w *world) ends {
	topic, c := kafkaTopic(w, "in")
	return ends{
		source: fmt.Sprintf("connector = 'kafka', brokers = '%s', topic = '%s', format = 'json', starting_offsets = 'earliest', max_offsets_per_trigger = ${limit}, idle_timeout = '1 day'",
			w.service("kafka")["KAFKA_BROKERS"], topic),
		feed: func(part int) {
			var rs []*kgo.Record
			for _, r := range w.in.Rows(part) {
				rs = append(rs, kafkaRecords(w, topic, r)...)
			}
			if err := c.ProduceSync(w.Context(), rs...).FirstErr(); err != nil {
				w.Fatal(err)
			}
		},
	}
}

// kafkaRecords is a row in the partition of its id; the end of the input is in all of them.
func kafkaRecords(w *world, topic string, r soak.Row) []*kgo.Record {
	value, err := json.Marshal(r)
	if err != nil {
		w.Fatal(err)
	}
	var out []*kgo.Record
	for p := range int32(kafkaPartitions) {
		if r.Who == "end" || r.ID%kafkaPartitions == int64(p) {
			out = append(out, &kgo.Record{Topic: topic, Partition: p, Key: []byte(strconv.FormatInt(r.ID, 10)), Value: value})
		}
	}
	return out
}

func kafkaSink(w *world) ends {
	topics := map[string]string{}
	for _, name := range []string{"counts", "copies"} {
		topics[name], _ = kafkaTopic(w, name)
	}
	return ends{
		sink: func(name string) string {
			return fmt.Sprintf("connector = 'kafka', brokers = '%s', topic = '%s', format = 'json', marker_topic = '__e2e_commits'",
				w.service("kafka")["KAFKA_BROKERS"], topics[name])
		},
		read: func(sink string) []string { return readTopic(w, topics[sink]) },
	}
}

// readTopic gives the rows of a topic.
func readTopic(w *world, topic string) (out []string) {
	w.Helper()
	consume(w, topic, func(value []byte) {
		row, err := soak.Line(value)
		if err != nil {
			w.Fatal(err)
		}
		out = append(out, row)
	})
	return out
}

// consume reads a topic as a console consumer does that reads committed messages.
func consume(w *world, topic string, take func(value []byte)) {
	w.Helper()
	ctx, cancel := context.WithTimeout(w.Context(), time.Minute)
	defer cancel()
	c, err := kgo.NewClient(kgo.SeedBrokers(w.service("kafka")["KAFKA_BROKERS"]), kgo.ConsumeTopics(topic), kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.KeepControlRecords(), kgo.FetchMaxWait(50*time.Millisecond), kgo.ConsumeStartOffset(kgo.NewOffset().AtStart()))
	if err != nil {
		w.Fatal(err)
	}
	defer c.Close()
	ends, err := kadm.NewClient(c).ListCommittedOffsets(ctx, topic)
	if err != nil {
		w.Fatal(err)
	}
	left := map[int32]int64{}
	ends.Each(func(e kadm.ListedOffset) {
		if e.Offset > 0 {
			left[e.Partition] = e.Offset
		}
	})
	for len(left) > 0 {
		fs := c.PollFetches(ctx)
		if err := fs.Err(); err != nil {
			w.Fatalf("topic %s, still to read %v: %v", topic, left, err)
		}
		fs.EachRecord(func(r *kgo.Record) {
			if !r.Attrs.IsControl() {
				take(r.Value)
			}
			if r.Offset+1 >= left[r.Partition] {
				delete(left, r.Partition)
			}
		})
	}
}
