package kafka

import (
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// sinkOptions are all options of the sink; those of the format come on top.
func sinkOptions() []option.Spec {
	return option.Join(writeOptions(), clientOptions(), producerOptions())
}

func writeOptions() []option.Spec {
	return []option.Spec{
		{Name: "topic", Type: option.Text, Doc: "The topic. Without it each row has its own, in the column topic."},
		{Name: "format", Type: option.Text,
			Doc: "How the value of a message is laid out. Without a format, and with raw, it is the column value (or, with raw, the one column that is left), STRING or BYTES, and NULL is a message without a value."},
		{Name: "key_columns", Type: option.Text,
			Doc: "Columns, separated by commas, that are the key of the messages. By default the PRIMARY KEY of the sink, or, in update and changelog mode, the key of the query; without a format the column key."},
		{Name: "key_format", Type: option.Text,
			Doc: "How the key is laid out: raw (one column, STRING or BYTES) or a format. By default as the value; json with debezium-json."},
		{Name: "key_in_value", Type: option.Bool, Default: "true", Doc: "With a format: the value has the columns of the key as well."},
		{Name: "headers_column", Type: option.Text,
			Doc: "The column with the headers of the messages, ARRAY<STRUCT<key STRING, value BYTES>> (or value STRING) or MAP<STRING, …>; without a format by default headers, if there is one."},
		{Name: "op_column", Type: option.Text, Default: "op",
			Doc: "Changelog mode, other formats than debezium-json: the field that tells a new row (I) from a removed one (D). The source understands it by the same option."},
		{Name: "partitioner", Type: option.Enum, Values: []string{"murmur2", "round_robin", "column"}, Default: "murmur2",
			Doc: "Where a message goes: by its key, as Kafka's own clients do (those without a key in turn, many at a time); one after the other; or where the column partition says, by its key if that is NULL. Without a format a column partition counts in any case."},
		{Name: "delivery_guarantee", Type: option.Enum, Values: []string{"exactly_once", "at_least_once"}, Default: "exactly_once",
			Doc: "With exactly_once each batch is published in a transaction. With at_least_once it is not: messages can be read earlier, a batch may be there twice after a crash or a failed attempt, and no older process is shut out."},
		{Name: "marker_topic", Type: option.Text, Default: "__sqlstream_commits",
			Doc: "The compacted topic in which queries note the last batch that they have published; one for all of them. It is made if it does not exist."},
		{Name: "create_topic", Type: option.Bool, Default: "false", Doc: "Make topics that do not exist."},
		{Name: "partitions", Type: option.Int, Min: 1, Max: 100_000, Doc: "Of topics that create_topic makes; by default what the brokers say."},
		{Name: "replication_factor", Type: option.Int, Min: 1, Max: 1000, Doc: "Of topics that create_topic makes, and of marker_topic; by default what the brokers say."},
		{Name: "max_batch_bytes", Type: option.Size, Min: 1 << 10, Max: 1 << 30, Default: "256 MiB",
			Doc: "A batch with more bytes of messages fails the query: it is held in memory until it is published. Limit how much a trigger takes from the sources."},
		{Name: "publish_timeout", Type: option.Duration, Min: 1, Default: "5 minutes",
			Doc: "How long publishing a batch is tried again while it fails for a passing reason, before the query fails."},
	}
}

// producerOptions are the settings of Kafka's producer that apply, under its names.
func producerOptions() []option.Spec {
	return []option.Spec{
		{Name: "acks", Aliases: spelled("acks")[1:], Type: option.Enum, Values: []string{"all", "1"}, Default: "all",
			Doc: "Which replicas must have a message: all, or with at_least_once the first one only (1)."},
		{Name: "compression_type", Aliases: spelled("compression.type"), Type: option.Enum,
			Values: []string{"none", "gzip", "snappy", "lz4", "zstd"}, Default: "none", Doc: "How messages are compressed."},
		{Name: "linger_ms", Aliases: spelled("linger.ms"), Type: option.Int, Min: 0, Max: 60_000, Default: "5",
			Doc: "How long to wait for further messages before some are sent. The end of a batch does not wait."},
		{Name: "max_request_size", Aliases: append(spelled("max.request.size"), "message_max_bytes"), Type: option.Int, Min: 1024, Max: 100 << 20, Default: "1048576",
			Doc: "The most bytes of a message, and of messages sent at once to a partition, before compression. Topics have a limit of their own (max.message.bytes); the smaller one counts."},
		{Name: "buffer_memory", Aliases: spelled("buffer.memory"), Type: option.Int, Min: 1 << 20, Max: 1 << 31, Default: "33554432",
			Doc: "The most bytes of messages that are on the way at a time."},
		{Name: "request_timeout_ms", Aliases: spelled("request.timeout.ms"), Type: option.Int, Min: 100, Max: 3_600_000, Default: "30000",
			Doc: "How long replicas may take to have a message."},
		{Name: "enable_idempotence", Aliases: spelled("enable.idempotence"), Type: option.Enum, Values: []string{"true"}, Default: "true",
			Doc: "Always true: repeated requests leave one message."},
		{Name: "transaction_timeout_ms", Aliases: spelled("transaction.timeout.ms"), Type: option.Int, Min: 1000, Max: 3_600_000, Default: "120000",
			Doc: "How long one attempt to publish a batch may take. If the program dies meanwhile and does not come back, readers of the topic wait so long. The brokers have a limit (transaction.max.timeout.ms, 15 minutes)."},
		{Name: "transactional_id_prefix", Type: option.Text, Default: "sqlstream",
			Doc: "Transactional ids and groups begin with it, then come a dot and the id of the query: what access rules go by."},
	}
}

// produceOptions are the decoded options of writing; the layout of messages is apart.
type produceOptions struct {
	topic, markers, prefix string
	exactlyOnce            bool
	create                 bool
	partitions             int32 // −1 = what the brokers say
	replication            int16
	maxBatch               int64
	maxRequest             int32
	publish, transaction   time.Duration
	acks                   kgo.Acks
	idempotent             bool
	codec                  kgo.CompressionCodec
	linger, request        time.Duration
	buffer                 int
	partitioner            string
}

func decodeProduce(d option.Decoded, c sink.Config) (produceOptions, error) {
	o := produceOptions{
		topic: d.Text("topic"), markers: d.Text("marker_topic"), prefix: d.Text("transactional_id_prefix"),
		exactlyOnce: d.Enum("delivery_guarantee") == "exactly_once", create: d.Bool("create_topic"), partitions: -1, replication: -1,
		maxBatch: d.Size("max_batch_bytes"), maxRequest: int32(d.Int("max_request_size")),
		publish: micros(d, "publish_timeout"), transaction: millis(d, "transaction_timeout_ms"),
		acks: kgo.AllISRAcks(), idempotent: true, codec: codec(d.Enum("compression_type")),
		linger: millis(d, "linger_ms"), request: millis(d, "request_timeout_ms"),
		buffer: int(d.Int("buffer_memory")), partitioner: d.Enum("partitioner"),
	}
	if d.Has("partitions") {
		o.partitions = int32(d.Int("partitions"))
	}
	if d.Has("replication_factor") {
		o.replication = int16(d.Int("replication_factor"))
	}
	var errs []*diag.Diagnostic
	if d.Enum("acks") == "1" {
		o.acks, o.idempotent = kgo.LeaderAck(), false
		if o.exactlyOnce {
			errs = append(errs, diag.Errorf(diag.OptionConflict, d.Span("acks"), "exactly-once needs acks = 'all'").
				WithHint("set delivery_guarantee = 'at_least_once' to do with one replica"))
		}
	}
	if o.topic == o.markers {
		errs = append(errs, diag.Errorf(diag.OptionConflict, d.Span("topic"), "topic %q is the one for markers", o.topic).
			WithHint("choose another topic, or another marker_topic"))
	}
	if len(errs) > 0 {
		return o, diag.NewError(nil, errs...)
	}
	return o, nil
}

func codec(name string) kgo.CompressionCodec {
	switch name {
	case "gzip":
		return kgo.GzipCompression()
	case "snappy":
		return kgo.SnappyCompression()
	case "lz4":
		return kgo.Lz4Compression()
	case "zstd":
		return kgo.ZstdCompression()
	}
	return kgo.NoCompression()
}

// client are the options as the library takes them. maxBytes tells the most bytes of a
// message of a topic.
func (o produceOptions) client(id string, maxBytes func(topic string) int32) []kgo.Opt {
	out := []kgo.Opt{
		kgo.RequiredAcks(o.acks), kgo.ProducerBatchCompression(o.codec), kgo.ProducerLinger(o.linger),
		kgo.ProducerBatchMaxBytesFn(maxBytes), kgo.BrokerMaxWriteBytes(max(100<<20, 2*o.maxRequest)),
		kgo.ProduceRequestTimeout(o.request), kgo.MaxBufferedBytes(max(o.buffer, int(o.maxRequest)+1024)),
		kgo.MaxBufferedRecords(1 << 20), // buffer_memory bounds them
		kgo.RecordPartitioner(partitionerOf(o.partitioner)),
	}
	switch {
	case o.exactlyOnce:
		out = append(out, kgo.TransactionalID(id), kgo.TransactionTimeout(o.transaction))
	case !o.idempotent:
		out = append(out, kgo.DisableIdempotentWrite())
	}
	return out
}

// partitioned sends a record where its partition says, or where another partitioner does.
type partitioned struct{ other kgo.Partitioner }

func partitionerOf(name string) kgo.Partitioner {
	if name == "round_robin" {
		return partitioned{kgo.RoundRobinPartitioner()}
	}
	return partitioned{kgo.StickyKeyPartitioner(nil)} // murmur2
}

// ForTopic implements kgo.Partitioner.
func (p partitioned) ForTopic(topic string) kgo.TopicPartitioner {
	t := topicPartitioner{p.other.ForTopic(topic)}
	if n, ok := t.TopicPartitioner.(kgo.TopicPartitionerOnNewBatch); ok {
		return stickyPartitioner{t, n}
	}
	return t
}

type topicPartitioner struct{ kgo.TopicPartitioner }

// RequiresConsistency implements kgo.TopicPartitioner.
func (t topicPartitioner) RequiresConsistency(r *kgo.Record) bool {
	return r.Partition != anyPartition || t.TopicPartitioner.RequiresConsistency(r)
}

// Partition implements kgo.TopicPartitioner.
func (t topicPartitioner) Partition(r *kgo.Record, n int) int {
	if r.Partition != anyPartition {
		return int(r.Partition)
	}
	return t.TopicPartitioner.Partition(r, n)
}

// stickyPartitioner also hears of new batches.
type stickyPartitioner struct {
	topicPartitioner
	kgo.TopicPartitionerOnNewBatch
}
