// Package kafkatest fills topics for measurements. It knows Kafka's client alone.
package kafkatest

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Writer writes values to a topic, to its partitions in turn.
type Writer struct {
	cl    *kgo.Client
	topic string
}

// NewWriter makes the topic, if there is none, and a writer for it. codec is that of the
// batches: none, lz4, zstd, snappy or gzip.
func NewWriter(ctx context.Context, brokers, topic string, partitions int32, codec string) (*Writer, error) {
	codecs := map[string]kgo.CompressionCodec{"none": kgo.NoCompression(), "lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression(),
		"snappy": kgo.SnappyCompression(), "gzip": kgo.GzipCompression()}
	c, ok := codecs[codec]
	if !ok {
		return nil, errors.New("there is no codec " + codec)
	}
	cl, err := kgo.NewClient(kgo.SeedBrokers(strings.Split(brokers, ",")...), kgo.DefaultProduceTopic(topic), kgo.ProducerBatchCompression(c),
		kgo.RecordPartitioner(kgo.RoundRobinPartitioner()), kgo.ProducerLinger(10*time.Millisecond))
	if err != nil {
		return nil, err
	}
	w := &Writer{cl: cl, topic: topic}
	if err := w.create(ctx, partitions); err != nil {
		cl.Close()
		return nil, err
	}
	return w, nil
}

func (w *Writer) create(ctx context.Context, partitions int32) error {
	req := kmsg.NewPtrCreateTopicsRequest()
	t := kmsg.NewCreateTopicsRequestTopic()
	t.Topic, t.NumPartitions, t.ReplicationFactor = w.topic, partitions, 1
	req.Topics = append(req.Topics, t)
	resp, err := w.cl.Request(ctx, req)
	if err != nil {
		return err
	}
	err = kerr.ErrorForCode(resp.(*kmsg.CreateTopicsResponse).Topics[0].ErrorCode)
	if errors.Is(err, kerr.TopicAlreadyExists) {
		return nil
	}
	return err
}

// Write writes a value, which it keeps.
func (w *Writer) Write(ctx context.Context, value []byte) {
	w.cl.Produce(ctx, &kgo.Record{Value: value}, nil)
}

// Flush waits until all has arrived.
func (w *Writer) Flush(ctx context.Context) error { return w.cl.Flush(ctx) }

// Delete deletes the topic.
func (w *Writer) Delete(ctx context.Context) error {
	req := kmsg.NewPtrDeleteTopicsRequest()
	t := kmsg.NewDeleteTopicsRequestTopic()
	t.Topic = kmsg.StringPtr(w.topic)
	req.Topics, req.TopicNames = append(req.Topics, t), []string{w.topic}
	_, err := w.cl.Request(ctx, req)
	return err
}

// Close closes the connections.
func (w *Writer) Close() { w.cl.Close() }
