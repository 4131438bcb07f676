package kafka

import (
	"context"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// fetching is how a source asks for records.
type fetching struct {
	committed      bool
	maxWaitMs      int32
	partitionBytes int32
}

// errNothing is the answer of a broker that does not have yet what another one had.
var errNothing = errors.New("the broker has nothing there yet")

// block gives the records from an offset on, at least one batch of them. They come from the
// broker, or were read by another source with the same settings.
func (h *hub) block(ctx context.Context, s stretch, from int64, f fetching) (*block, error) {
	k := fetchCall{s, from}
	for {
		b, w, mine := h.cache.begin(k)
		switch {
		case b != nil:
			return b, nil
		case mine:
			b, err := h.fetch(ctx, s, from, f)
			if err == nil && h.shared() {
				h.cache.put(s, b)
			}
			h.cache.end(k, w, b, err)
			return b, err
		}
		select {
		case <-w.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if w.err == nil {
			return w.b, nil
		} // who asked may have been told to stop: ask again
	}
}

// fetch asks the leader of the partition until there is an answer with records.
func (h *hub) fetch(ctx context.Context, s stretch, from int64, f fetching) (*block, error) {
	var b *block
	err := h.retry(ctx, func() error {
		resp, err := h.fetchOnce(ctx, s, from, f)
		if err != nil {
			h.forget(s.topic)
			return err
		}
		if b, err = parse(resp, from, s.committed, h.decompressor); err != nil {
			return fmt.Errorf("%s, offset %d: %w", s.place, from, err)
		}
		if b.next == from {
			h.forget(s.topic)
			return fmt.Errorf("%s, offset %d: %w (%w)", s.place, from, errNothing, kerr.NotLeaderForPartition)
		}
		return nil
	})
	return b, err
}

func (h *hub) fetchOnce(ctx context.Context, s stretch, from int64, f fetching) (*kmsg.FetchResponseTopicPartition, error) {
	leader, id, err := h.leader(ctx, s.place)
	if err != nil {
		return nil, err
	}
	if id != s.id {
		return nil, errRecreated
	}
	resp, err := leader.Request(ctx, fetchRequest(s, from, f))
	if err != nil {
		return nil, err
	}
	r := resp.(*kmsg.FetchResponse)
	if err := kerr.ErrorForCode(r.ErrorCode); err != nil {
		return nil, err
	}
	if len(r.Topics) != 1 || len(r.Topics[0].Partitions) != 1 {
		return nil, fmt.Errorf("%s: the broker answers another question", s.place)
	}
	p := &r.Topics[0].Partitions[0]
	return p, kerr.ErrorForCode(p.ErrorCode)
}

// errRecreated says that another topic has the name now.
var errRecreated = errors.New("the topic was deleted and created again")

func fetchRequest(s stretch, from int64, f fetching) *kmsg.FetchRequest {
	req := kmsg.NewPtrFetchRequest()
	req.MaxWaitMillis, req.MinBytes, req.MaxBytes = f.maxWaitMs, 1, f.partitionBytes
	if s.committed {
		req.IsolationLevel = 1
	}
	t := kmsg.NewFetchRequestTopic()
	t.Topic, t.TopicID = s.topic, s.id
	p := kmsg.NewFetchRequestTopicPartition()
	p.Partition, p.FetchOffset, p.PartitionMaxBytes = s.partition, from, f.partitionBytes
	t.Partitions = append(t.Partitions, p)
	req.Topics = append(req.Topics, t)
	return req
}
