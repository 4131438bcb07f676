package kafka

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/sqlstream/sqlstream/exec/mutant"
)

// The marker says which batch of the query is the last in its topic. It is committed in the
// transaction of that batch, twice: as an offset of the group of the query, which is read at
// once, and as a message of the topic for markers, which stays when brokers forget the
// offsets of a query that has not run for a week. docs/formats/kafka.md has both.
//
// A query without a checkpoint has no marker: nobody would look for it.
//
// A process that begins does three things, in this order: it shuts out the writers before it
// (InitProducerId: their transactions are ended), it notes in the topic for markers that it is
// the writer now, and it reads the marker.

// marker is the last batch that the sink holds, as it is written.
type marker struct {
	Version int    `json:"v"`
	Query   string `json:"query"`
	QueryID string `json:"query_id"`
	Sink    string `json:"sink"`
	Topic   string `json:"topic"`              // "" = a column
	TopicID string `json:"topic_id,omitempty"` // tells a topic from a later one of its name
	Batch   int64  `json:"batch"`
	Epoch   int64  `json:"epoch"`
	Digest  string `json:"digest"` // of the payload
	Writer  writer `json:"writer"`

	found bool
}

// writer is a process that publishes.
type writer struct {
	Host  string `json:"host"`
	PID   int    `json:"pid"`
	Since string `json:"since,omitempty"`
}

func (w writer) String() string {
	return fmt.Sprintf("process %d on %s, which began at %s", w.PID, w.Host, w.Since)
}

// claim notes that a process is the writer now.
type claim struct {
	Version int    `json:"v"`
	Query   string `json:"query"`
	QueryID string `json:"query_id"`
	Writer  writer `json:"writer"`
}

const markerVersion = 1

// The keys under which a query is found in the topic for markers.
func (p *publisher) batchKey() string  { return "batch " + p.id() }
func (p *publisher) writerKey() string { return "writer " + p.id() }

// markerPartition is where all markers are, so that more partitions change nothing.
const markerPartition = 0

// take shuts out the writers before and reads the marker.
func (p *publisher) take(ctx context.Context) error {
	if p.fenced || p.cfg.Once {
		return nil
	}
	if mutant.On("nobody is shut out") {
		m, err := p.groupMarker(ctx)
		p.last = m
		return err
	}
	p.who.Since = p.around.clock.Now().UTC().Format(time.RFC3339)
	at, err := p.claim(ctx)
	if err != nil {
		return err
	}
	return p.again(ctx, func(ctx context.Context) error {
		m, err := p.groupMarker(ctx)
		if err == nil && !m.found {
			m, err = p.topicMarker(ctx, at)
		}
		if err == nil {
			p.last, p.mine = m, false
			err = p.moved(m)
		}
		p.fenced = err == nil
		return err
	})
}

// moved refuses a sink whose batches are somewhere else.
func (p *publisher) moved(m marker) error {
	if !m.found || m.Topic == p.opt.topic {
		return nil
	}
	if p.cfg.Adopt {
		p.last = marker{}
		return nil
	}
	name := func(topic string) string {
		if topic == "" {
			return "the topics of its column topic"
		}
		return "topic " + excerpt([]byte(topic))
	}
	return &permanent{fmt.Errorf("the batches up to %d of this query are in %s, not in %s; give the query a new checkpoint to write all again, "+
		"or set adopt_sink = true to go on after batch %d", m.Batch, name(m.Topic), name(p.opt.topic), m.Batch)}
}

// claim begins as the writer, and notes it; at is the offset of the note.
func (p *publisher) claim(ctx context.Context) (at int64, err error) {
	value, err := json.Marshal(claim{Version: markerVersion, Query: p.cfg.Query, QueryID: p.cfg.QueryID, Writer: p.who})
	if err != nil {
		return 0, err
	}
	err = p.again(ctx, func(ctx context.Context) error {
		note := &kgo.Record{Topic: p.opt.markers, Partition: markerPartition, Key: []byte(p.writerKey()), Value: value, Timestamp: p.around.clock.Now()}
		if !p.opt.exactlyOnce {
			err := p.client.ProduceSync(ctx, note).FirstErr()
			at = note.Offset
			return err
		}
		if _, _, err := p.client.ProducerID(ctx); err != nil { // InitProducerId
			return err
		}
		if err := p.begin(ctx); err != nil {
			return err
		}
		if err := p.client.ProduceSync(ctx, note).FirstErr(); err != nil {
			return err
		}
		at = note.Offset
		return p.commit(ctx)
	})
	return at, err
}

// groupMarker reads the marker that is an offset. It waits for the end of a transaction that
// has written one.
func (p *publisher) groupMarker(ctx context.Context) (marker, error) {
	all, err := p.admin.FetchOffsets(kadm.RequireStable(ctx), p.group())
	if errors.Is(err, kerr.GroupIDNotFound) {
		return marker{}, nil
	}
	if err != nil {
		return marker{}, err
	}
	o, ok := all.Lookup(p.opt.markers, markerPartition)
	if !ok || o.At < 0 {
		return marker{}, nil
	}
	if o.Err != nil {
		return marker{}, o.Err
	}
	return p.decode([]byte(o.Metadata), "the offset of group "+p.group())
}

// topicMarker reads the topic for markers up to the offset at.
func (p *publisher) topicMarker(ctx context.Context, at int64) (marker, error) {
	var m marker
	err := p.read(ctx, at, func(r *kgo.Record) error {
		if string(r.Key) != p.batchKey() {
			return nil
		}
		var err error
		m, err = p.decode(r.Value, fmt.Sprintf("topic %s, offset %d", p.opt.markers, r.Offset))
		return err
	})
	return m, err
}

func (p *publisher) decode(text []byte, where string) (marker, error) {
	var m marker
	if err := json.Unmarshal(text, &m); err != nil {
		return m, &permanent{fmt.Errorf("%s is no marker: %w", where, err)}
	}
	if m.Version != markerVersion {
		return m, &permanent{fmt.Errorf("%s is a marker of version %d, and this program knows version %d", where, m.Version, markerVersion)}
	}
	m.found = true
	return m, nil
}

// read gives the committed messages of the topic for markers to each, up to offset at.
func (p *publisher) read(ctx context.Context, at int64, each func(*kgo.Record) error) error {
	c, err := newClient(p.set, p.around,
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{p.opt.markers: {markerPartition: kgo.NewOffset().AtStart()}}),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.KeepControlRecords(), kgo.FetchMaxWait(250*time.Millisecond))
	if err != nil {
		return err
	}
	defer c.Close()
	for {
		fs := c.PollFetches(ctx)
		if err := fs.Err(); err != nil {
			return c.explain(err)
		}
		for it := fs.RecordIter(); !it.Done(); {
			r := it.Next()
			if !r.Attrs.IsControl() {
				if err := each(r); err != nil {
					return err
				}
			}
			if r.Offset >= at {
				return nil
			}
		}
	}
}

// newest is the process that has last noted that it writes; ok is false if it cannot be
// told. It serves a message alone.
func (p *publisher) newest() (w writer, ok bool) {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	ends, err := p.admin.ListCommittedOffsets(ctx, p.opt.markers)
	if err != nil {
		return w, false
	}
	end, found := ends.Lookup(p.opt.markers, markerPartition)
	if !found || end.Err != nil {
		return w, false
	}
	err = p.read(ctx, end.Offset-1, func(r *kgo.Record) error {
		var c claim
		if string(r.Key) == p.writerKey() && json.Unmarshal(r.Value, &c) == nil {
			w, ok = c.Writer, true
		}
		return nil
	})
	return w, ok && err == nil && w != p.who
}

// markerText is the marker of a batch.
func (p *publisher) markerText(m marker) ([]byte, error) { return json.Marshal(m) }

// commitOffset adds the marker to the transaction, as an offset of the group.
func (p *publisher) commitOffset(ctx context.Context, batch int64, text []byte) error {
	id, epoch, err := p.client.ProducerID(ctx)
	if err != nil {
		return err
	}
	add := kmsg.NewPtrAddOffsetsToTxnRequest()
	add.TransactionalID, add.ProducerID, add.ProducerEpoch, add.Group = p.id(), id, epoch, p.group()
	added, err := add.RequestWith(ctx, p.client.Client)
	if err == nil {
		err = kerr.ErrorForCode(added.ErrorCode)
	}
	if err != nil {
		return err
	}
	req := kmsg.NewPtrTxnOffsetCommitRequest()
	req.TransactionalID, req.ProducerID, req.ProducerEpoch, req.Group = p.id(), id, epoch, p.group()
	part := kmsg.NewTxnOffsetCommitRequestTopicPartition()
	part.Partition, part.Offset, part.Metadata = markerPartition, batch, kmsg.StringPtr(string(text))
	topic := kmsg.NewTxnOffsetCommitRequestTopic()
	topic.Topic, topic.TopicID, topic.Partitions = p.opt.markers, p.markerID, append(topic.Partitions, part)
	req.Topics = append(req.Topics, topic)
	resp, err := req.RequestWith(ctx, p.client.Client)
	if err != nil {
		return err
	}
	for _, t := range resp.Topics {
		for _, part := range t.Partitions {
			if err := kerr.ErrorForCode(part.ErrorCode); err != nil {
				return err
			}
		}
	}
	return nil
}
