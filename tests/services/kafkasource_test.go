//go:build services

package services

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// topicWorld is an engine, and who writes to topics of its own.
type topicWorld struct {
	*sqlWorld
	brokers, topic string
	cl             *kgo.Client
	adm            *kadm.Client
}

// newTopic makes a topic with partitions. env is for a broker of one's own.
func newTopic(t *testing.T, partitions int32, env ...string) *topicWorld {
	t.Helper()
	return topicAt(t, partitions, Start(t, "kafka", env...)["KAFKA_BROKERS"])
}

func topicAt(t *testing.T, partitions int32, brokers string) *topicWorld {
	t.Helper()
	w := &topicWorld{sqlWorld: newSQL(t), brokers: brokers, topic: fmt.Sprintf("src-%s-%d", strings.ToLower(t.Name()), time.Now().UnixNano())}
	w.connect()
	w.create(partitions)
	return w
}

// connect makes a client that knows nothing yet.
func (w *topicWorld) connect(opts ...kgo.Opt) *kgo.Client {
	w.Helper()
	cl, err := kgo.NewClient(append([]kgo.Opt{kgo.SeedBrokers(w.brokers), kgo.DefaultProduceTopic(w.topic), kgo.RecordPartitioner(kgo.ManualPartitioner())}, opts...)...)
	w.ok(err)
	w.Cleanup(cl.Close)
	if len(opts) == 0 {
		w.cl, w.adm = cl, kadm.NewClient(cl)
	}
	return cl
}

func (w *topicWorld) ok(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *topicWorld) create(partitions int32) {
	w.Helper()
	_, err := w.adm.CreateTopic(context.Background(), partitions, 1, nil, w.topic)
	w.ok(err)
	w.Cleanup(func() { _, _ = w.adm.DeleteTopics(context.Background(), w.topic) })
}

// send writes records key=value; without = there is no key, and NULL is no value.
func (w *topicWorld) send(partition int32, records ...string) {
	w.Helper()
	var rs []*kgo.Record
	for _, text := range records {
		r := &kgo.Record{Partition: partition}
		key, value, keyed := strings.Cut(text, "=")
		if !keyed {
			value = key
		} else {
			r.Key = []byte(key)
		}
		if value != "NULL" {
			r.Value = []byte(value)
		}
		rs = append(rs, r)
	}
	w.ok(w.cl.ProduceSync(context.Background(), rs...).FirstErr())
}

// sql puts in what belongs to the world: $with is the connector with its topic.
func (w *topicWorld) sql(text string) string {
	return strings.NewReplacer("$with", fmt.Sprintf("connector = 'kafka', brokers = '%s', topic = '%s', discovery_interval = '0'", w.brokers, w.topic),
		"$brokers", w.brokers, "$topic", w.topic).Replace(text)
}

func (w *topicWorld) does(text string) { w.Helper(); w.must(w.sql(text)) }

func (w *topicWorld) shows(text, want string) { w.Helper(); w.gives(w.sql(text), want) }

func (w *topicWorld) fails(text string, words ...string) {
	w.Helper()
	_, err := w.exec(w.sql(text))
	if err == nil {
		w.Fatalf("%s\nwent well", text)
	}
	for _, x := range words {
		if !strings.Contains(err.Error(), w.sql(x)) {
			w.Errorf("%s\n%v\nwant %q in it", text, err, w.sql(x))
		}
	}
}

const counted = `CREATE SOURCE s (id BIGINT, v STRING) WITH ($with, format = 'json', starting_offsets = 'latest');
CREATE SINK out WITH (connector = 'memory');
INSERT INTO out SELECT id, v FROM s TRIGGER MANUAL WITH (checkpoint = 'checkpoint');`

// A query that began at the end of a topic misses nothing while it is down, and reads
// nothing twice.
func TestKafkaSourceGoesOn(t *testing.T) {
	w := newTopic(t, 2)
	w.send(0, `{"id":0,"v":"old"}`)
	w.does(counted + "RUN TRIGGER FOR out")
	w.restart()
	w.send(0, `{"id":1,"v":"a"}`)
	w.send(1, `{"id":2,"v":"b"}`)
	w.does(counted + "RUN TRIGGER FOR out")
	w.shows("SELECT id, v FROM out ORDER BY id", "1|a\n2|b")
	w.send(1, `{"id":3,"v":"c"}`)
	_, err := w.adm.CreatePartitions(context.Background(), 1, w.topic)
	w.ok(err)
	w.connect()
	w.send(2, `{"id":4,"v":"d"}`)
	w.does("RUN TRIGGER FOR out")
	w.shows("SELECT id, v FROM out ORDER BY id", "1|a\n2|b\n3|c\n4|d")
}

func TestKafkaSourceColumns(t *testing.T) {
	w := newTopic(t, 1)
	w.send(0, "k=v", "NULL")
	w.shows("CREATE TABLE r WITH ($with); SELECT CAST(key AS STRING) AS k, CAST(value AS STRING) AS v, partition, offset, timestampType FROM r ORDER BY offset",
		"k|v|0|0|0\nNULL|NULL|0|1|0")
	w.shows("CREATE TABLE m (v STRING, topic STRING METADATA, at TIMESTAMP METADATA FROM 'timestamp', headers MAP<STRING, BYTES> METADATA) WITH ($with, format = 'raw');"+
		"SELECT v, topic = '$topic' AS same, at > TIMESTAMP '2024-01-01' AS late, cardinality(headers) AS n FROM m", "v|true|true|0\nNULL|true|true|0")
	w.shows("SELECT CAST(value AS STRING) AS v FROM 'kafka://$brokers/$topic?ending_offsets={\"$topic\":{\"0\":1}}'", "v")
	w.send(0, `{"n":3}`)
	w.shows("CREATE TABLE j (n INT) WITH ($with, format = 'json', starting_offsets = '{\"$topic\":{\"0\":2}}'); SELECT n FROM j", "3")
}

// Tombstones delete rows by their key.
func TestKafkaSourceUpserts(t *testing.T) {
	w := newTopic(t, 1)
	w.send(0, "a=1", "b=2", "a=3", "b=NULL", "c=4")
	w.does(`CREATE SOURCE s (id STRING PRIMARY KEY, v STRING) WITH ($with, format = 'raw', key_format = 'raw', starting_offsets = 'earliest');
CREATE MATERIALIZED VIEW v AS SELECT id, v FROM s TRIGGER MANUAL; RUN TRIGGER FOR v`)
	w.shows("SELECT id, v FROM v ORDER BY id", "a|3\nc|4")
	w.send(0, "c=NULL", "b=5")
	w.does("RUN TRIGGER FOR v")
	w.shows("SELECT id, v FROM v ORDER BY id", "a|3\nb|5")
}

func TestKafkaSourceTransactions(t *testing.T) {
	w := newTopic(t, 1)
	tx := w.connect(kgo.TransactionalID(w.topic))
	run := func(commit kgo.TransactionEndTry, from, to int) {
		w.ok(tx.BeginTransaction())
		for i := from; i < to; i++ {
			w.ok(tx.ProduceSync(context.Background(), &kgo.Record{Value: fmt.Appendf(nil, `{"id":%d}`, i)}).FirstErr())
		}
		if commit {
			w.ok(tx.Flush(context.Background()))
		}
		w.ok(tx.EndTransaction(context.Background(), commit))
	}
	for i := range 20 {
		run(i%3 != 0, i*10, i*10+5)
		w.send(0, fmt.Sprintf(`{"id":%d}`, i*10+9))
	}
	w.does(`CREATE SOURCE s (id BIGINT, v STRING) WITH ($with, format = 'json', starting_offsets = 'earliest', max_offsets_per_trigger = 7);
CREATE SINK out WITH (connector = 'memory'); INSERT INTO out SELECT id FROM s TRIGGER AVAILABLE NOW; AWAIT ALL`)
	w.shows("SELECT count(*) AS n, count(DISTINCT id) AS d, sum(CASE WHEN id % 10 < 9 AND id / 10 % 3 < 1 THEN 1 ELSE 0 END) AS x FROM out", "85|85|0")
	w.ok(tx.BeginTransaction())
	w.ok(tx.ProduceSync(context.Background(), &kgo.Record{Value: []byte(`{"id":-1}`)}).FirstErr())
	w.shows("CREATE TABLE t (id BIGINT) WITH ($with, format = 'json'); SELECT min(id) AS m FROM t", "9")
	w.ok(tx.EndTransaction(context.Background(), kgo.TryCommit))
	w.shows("SELECT min(id) AS m FROM t", "-1")
}

func TestKafkaSourceLoss(t *testing.T) {
	w := newTopic(t, 1)
	for i := range 6 {
		w.send(0, fmt.Sprintf(`{"id":%d,"v":"x"}`, i))
	}
	early := strings.Replace(counted, "'latest'", "'{\"$topic\":{\"0\":1}}'", 1)
	lax := strings.Replace(early, "format = 'json'", "format = 'json', fail_on_data_loss = 'false'", 1)
	var del kadm.Offsets
	del.AddOffset(w.topic, 0, 4, -1)
	_, err := w.adm.DeleteRecords(context.Background(), del)
	w.ok(err)
	w.fails(early+"RUN TRIGGER FOR out", "topic $topic, partition 0: offsets 1 to 3 (3) are gone", "fail_on_data_loss = false")
	w.restart()
	w.does(lax + "RUN TRIGGER FOR out")
	w.shows("SELECT id FROM out ORDER BY id", "4\n5")
	progress, err := w.e.Query("out").LastProgress(), error(nil)
	if err != nil || len(progress.Sources[0].Losses) != 1 || progress.Sources[0].Losses[0].From != 1 || progress.Sources[0].Losses[0].To != 4 {
		t.Errorf("%+v", progress.Sources[0].Losses)
	}
	_, err = w.adm.DeleteTopics(context.Background(), w.topic)
	w.ok(err)
	w.restart()
	w.fails(early, `source "s": topic`, "does not exist")
	w.create(1)
	w.restart()
	w.fails(early+"RUN TRIGGER FOR out", "topic $topic was deleted and created again", "0 to offset 6")
}

// A topic that is deleted and made anew under a running query ends it, before it takes
// anything of the new one for what followed in the old one.
func TestKafkaSourceTopicMadeAnew(t *testing.T) {
	for _, c := range []struct{ more, status, rows string }{
		{"", "failed", "1"},
		{", fail_on_data_loss = 'false'", "running", "1\n7\n8\n9"},
	} {
		w := newTopic(t, 1)
		w.send(0, `{"id":1}`)
		w.does(strings.NewReplacer("MANUAL", "EVERY '20 ms'", "'latest'", "'earliest'"+c.more).Replace(counted))
		w.eventually("SELECT count(*) AS n FROM out", "1")
		_, err := w.adm.DeleteTopics(context.Background(), w.topic)
		w.ok(err)
		for made := false; !made; { // a broker deletes in the background
			r, err := w.adm.CreateTopic(context.Background(), 1, 1, nil, w.topic)
			made = err == nil && r.Err == nil
		}
		w.connect()
		w.send(0, `{"id":7}`, `{"id":8}`, `{"id":9}`)
		w.eventually("SELECT status FROM sys.queries", c.status)
		w.eventually("SELECT id FROM out ORDER BY id", c.rows)
		if c.status == "failed" {
			w.eventually("SELECT error LIKE '%was deleted%its partitions were read: 0 to offset 1;%' AS ok FROM sys.queries", "true")
		}
	}
}

func TestKafkaSourceGroup(t *testing.T) {
	w := newTopic(t, 1)
	w.send(0, `{"id":1}`, `{"id":2}`)
	w.does(`CREATE SOURCE s (id BIGINT) WITH ($with, format = 'json', starting_offsets = 'earliest', group_id = 'g-$topic');
CREATE SINK out WITH (connector = 'memory'); INSERT INTO out SELECT id FROM s TRIGGER MANUAL; RUN TRIGGER FOR out`)
	o, err := w.adm.FetchOffsets(context.Background(), "g-"+w.topic)
	w.ok(err)
	if at, ok := o.Lookup(w.topic, 0); !ok || at.At != 2 {
		t.Errorf("%v %+v", ok, at)
	}
}

func TestKafkaSourceCannotStart(t *testing.T) {
	w := newTopic(t, 1)
	const s = "CREATE SOURCE s (id BIGINT) WITH (connector = 'kafka', brokers = '%s', topic = '%s', format = 'json'%s); SELECT id FROM s TRIGGER AVAILABLE NOW"
	for _, c := range []struct {
		brokers, topic, more string
		words                []string
	}{
		{"127.0.0.1:1", "t", "", []string{`source "s": no answer from the brokers 127.0.0.1:1`, "connection refused"}},
		{w.brokers, "no-such-topic", "", []string{`topic "no-such-topic" does not exist at the brokers $brokers`}},
		{w.brokers, w.topic, ", sasl_mechanism = 'PLAIN', username = 'u', password = 'p'", []string{"the brokers $brokers"}},
		{w.brokers, w.topic, ", security_protocol = 'SSL', connect_timeout = '3 s'", []string{"the brokers $brokers"}},
	} {
		w.fails(fmt.Sprintf(s, c.brokers, c.topic, c.more), c.words...)
		w.restart()
	}
}

// A broker that goes away and comes back costs nothing but time.
func TestKafkaSourceBrokerRestarts(t *testing.T) {
	env := []string{"SERVICES_DATA=" + t.TempDir(), "KAFKA_PORT=29392"}
	w := newTopic(t, 1, env...)
	t.Cleanup(func() { Stop(t, "kafka", env...) })
	w.send(0, `{"id":1}`)
	w.does(strings.NewReplacer("MANUAL", "EVERY '50 ms'", "'latest'", "'earliest'").Replace(counted))
	w.eventually("SELECT count(*) AS n FROM out", "1")
	Stop(t, "kafka", env...)
	Start(t, "kafka", env...) // the query goes on asking meanwhile
	w.connect()
	w.send(0, `{"id":2}`)
	w.eventually("SELECT count(*) AS n FROM out", "2")
	w.does("STOP QUERY out")
	w.does(strings.NewReplacer("MANUAL", "EVERY '50 ms'", "'latest'", "'earliest', retry_timeout = '1 s', connect_timeout = '1 s'", "CREATE SOURCE s", "CREATE SOURCE again", "FROM s", "FROM again",
		"CREATE SINK out WITH (connector = 'memory');", "", "checkpoint = 'checkpoint'", "name = 'again', restart = 'on_failure', restart_delay = '100 ms'").Replace(counted))
	Stop(t, "kafka", env...)
	w.eventually("SELECT status FROM sys.queries WHERE name = 'again'", "restarting") // it is no error that would come again
	Start(t, "kafka", env...)
	w.connect()
	w.send(0, `{"id":3}`)
	w.eventually("SELECT max(id) AS n FROM out", "3")
	w.does("STOP QUERY again")
	Stop(t, "kafka", env...)
	w.restart()
	w.fails(strings.Replace(counted, "$with,", "$with, connect_timeout = '2 s',", 1), "no answer from the brokers $brokers")
}

// eventually asks until the answer is right.
func (w *topicWorld) eventually(sql, want string) {
	w.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		got, err := w.exec(sql)
		if err == nil && got == want {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			w.Fatalf("%s: %s, %v; want %s", sql, got, err, want)
		}
	}
}
