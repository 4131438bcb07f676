package kafka

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/sqlstream/sqlstream/exec/clock"
)

// hubs are the hubs of one engine: sources with equal settings share one.
type hubs struct {
	mu   sync.Mutex
	open map[settings]*hub
}

func newHubs() *hubs { return &hubs{open: map[settings]*hub{}} }

// hub is what sources with equal settings share: connections, what is known of topics, and
// the records that were read last.
type hub struct {
	*client
	clock clock.Clock
	from  *hubs
	users int // guarded by from.mu
	cache *cache
	// decompressor has pools of its own, and may be used by all.
	decompressor kgo.Decompressor

	mu     sync.Mutex
	topics map[string]topic // as they were last seen
	rounds map[string]*rounds
}

// acquire gives the hub of some settings, once the brokers have answered. Who acquires it
// releases it.
func (hs *hubs) acquire(ctx context.Context, s settings, at surroundings) (*hub, error) {
	h, err := hs.get(s, at)
	if err != nil {
		return nil, err
	}
	if err := h.check(ctx); err != nil {
		h.release()
		return nil, err
	}
	return h, nil
}

func (hs *hubs) get(s settings, at surroundings) (*hub, error) {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	h, ok := hs.open[s]
	if !ok {
		c, err := newClient(s, at)
		if err != nil {
			return nil, err
		}
		h = &hub{client: c, clock: at.clock, from: hs, cache: newCache(cacheBytes),
			decompressor: kgo.DefaultDecompressor(), topics: map[string]topic{}, rounds: map[string]*rounds{}}
		hs.open[s] = h
	}
	h.users++
	return h, nil
}

// release gives the hub back; the last one closes it.
func (h *hub) release() {
	h.from.mu.Lock()
	h.users--
	last := h.users == 0
	if last {
		delete(h.from.open, h.set)
	}
	h.from.mu.Unlock()
	if last {
		h.Close()
	}
}

// shared reports that several sources read through the hub.
func (h *hub) shared() bool {
	h.from.mu.Lock()
	defer h.from.mu.Unlock()
	return h.users > 1
}

// retry repeats a request while brokers do not answer or are not ready, for as long as
// retry_timeout allows.
func (h *hub) retry(ctx context.Context, request func() error) error {
	start := h.clock.Now()
	for attempt := 1; ; attempt++ {
		err := request()
		if err == nil || ctx.Err() != nil || !transient(err) {
			return h.explain(errors.Join(err, ctx.Err()))
		}
		wait := h.set.wait(attempt)
		if h.clock.Now().Add(wait).Sub(start) > h.set.retry {
			return h.explain(err)
		}
		if err := sleep(ctx, h.clock, wait); err != nil {
			return err
		}
	}
}

func sleep(ctx context.Context, c clock.Clock, d time.Duration) error {
	t := c.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// transient reports an error that may go away by itself. A topic that is not there is none.
func transient(err error) bool {
	if errors.Is(err, kerr.UnknownTopicOrPartition) || errors.Is(err, kerr.UnknownTopicID) {
		return false
	}
	return kerr.IsRetriable(err) || unreachable(err)
}

// topicID tells a topic from another one that had its name before; zero on brokers that
// have none (before 2.8).
type topicID [16]byte

// topic is what the brokers say of a topic.
type topic struct {
	id      topicID
	leaders []int32 // by partition; −1 = none now
}

// place is a partition of a topic.
type place struct {
	topic     string
	partition int32
}

func (p place) String() string { return fmt.Sprintf("topic %s, partition %d", p.topic, p.partition) }

// name is what watermarks call the partition.
func (p place) name() string { return fmt.Sprintf("%s-%d", p.topic, p.partition) }

// look asks the brokers for topics, nil = for all that are not their own. One that does not
// exist is not in the answer.
func (h *hub) look(ctx context.Context, names []string) (map[string]topic, error) {
	var out map[string]topic
	err := h.retry(ctx, func() (err error) {
		out, err = h.lookOnce(ctx, names)
		return err
	})
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, n := range names {
		delete(h.topics, n)
	}
	for n, t := range out {
		h.topics[n] = t
	}
	return out, nil
}

func (h *hub) lookOnce(ctx context.Context, names []string) (map[string]topic, error) {
	req := kmsg.NewPtrMetadataRequest()
	req.AllowAutoTopicCreation = false
	for _, n := range names {
		t := kmsg.NewMetadataRequestTopic()
		t.Topic = kmsg.StringPtr(n)
		req.Topics = append(req.Topics, t)
	}
	resp, err := h.Request(ctx, req)
	if err != nil {
		return nil, err
	}
	out := map[string]topic{}
	for _, t := range resp.(*kmsg.MetadataResponse).Topics {
		if t.Topic == nil || t.IsInternal && names == nil {
			continue
		}
		err := kerr.ErrorForCode(t.ErrorCode)
		switch {
		case errors.Is(err, kerr.UnknownTopicOrPartition):
			continue
		case err != nil:
			return nil, fmt.Errorf("topic %s: %w", *t.Topic, err)
		}
		out[*t.Topic] = topicOf(t)
	}
	return out, nil
}

func topicOf(t kmsg.MetadataResponseTopic) topic {
	out := topic{id: t.TopicID}
	for _, p := range t.Partitions {
		for int(p.Partition) >= len(out.leaders) {
			out.leaders = append(out.leaders, -1)
		}
		if p.ErrorCode == 0 {
			out.leaders[p.Partition] = p.Leader
		}
	}
	return out
}

// known gives what was last seen of a topic; it looks if that is nothing.
func (h *hub) known(ctx context.Context, name string) (topic, error) {
	h.mu.Lock()
	t, ok := h.topics[name]
	h.mu.Unlock()
	if ok {
		return t, nil
	}
	found, err := h.look(ctx, []string{name})
	if err != nil {
		return topic{}, err
	}
	if t, ok = found[name]; !ok {
		return topic{}, kerr.UnknownTopicOrPartition
	}
	return t, nil
}

// forget makes the next known look again.
func (h *hub) forget(name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.topics, name)
}

// leader is the broker that has a partition now.
func (h *hub) leader(ctx context.Context, p place) (*kgo.Broker, topicID, error) {
	t, err := h.known(ctx, p.topic)
	if err != nil {
		return nil, topicID{}, err
	}
	if int(p.partition) >= len(t.leaders) {
		return nil, t.id, kerr.UnknownTopicOrPartition
	}
	if t.leaders[p.partition] < 0 {
		h.forget(p.topic)
		return nil, t.id, kerr.LeaderNotAvailable
	}
	return h.Broker(int(t.leaders[p.partition])), t.id, nil
}

// The times that mean a place in a log and not a moment.
const (
	atEnd   = -1
	atStart = -2
)

// list asks for the offset of a time (atStart, atEnd or ms since 1970) in each of some
// partitions: the first one of a record at or after it, −1 where there is none. Partitions
// that do not exist are not in the answer.
func (h *hub) list(ctx context.Context, parts []place, time int64, committed bool) (map[place]int64, error) {
	out := map[place]int64{}
	rest := parts
	err := h.retry(ctx, func() error {
		var err error
		rest, err = h.listOnce(ctx, rest, time, committed, out)
		return err
	})
	return out, err
}

// listOnce adds to out, and returns what must be asked again.
func (h *hub) listOnce(ctx context.Context, parts []place, time int64, committed bool, out map[place]int64) ([]place, error) {
	byLeader, err := h.byLeader(ctx, parts)
	if err != nil {
		return parts, err
	}
	var again []place
	var failed error
	for _, id := range sortedBrokers(byLeader) {
		resp, err := h.Broker(int(id)).Request(ctx, listRequest(byLeader[id], time, committed))
		if err == nil {
			err = taken(resp.(*kmsg.ListOffsetsResponse), out)
		}
		if err != nil {
			failed = err
			for _, p := range byLeader[id] {
				if _, ok := out[p]; !ok {
					h.forget(p.topic)
					again = append(again, p)
				}
			}
		}
	}
	return again, failed
}

// byLeader groups partitions by the broker that has them; those that do not exist are left
// out.
func (h *hub) byLeader(ctx context.Context, parts []place) (map[int32][]place, error) {
	out := map[int32][]place{}
	for _, p := range parts {
		t, err := h.known(ctx, p.topic)
		if errors.Is(err, kerr.UnknownTopicOrPartition) || err == nil && int(p.partition) >= len(t.leaders) {
			continue
		}
		if err == nil && t.leaders[p.partition] < 0 {
			h.forget(p.topic)
			err = fmt.Errorf("%s: %w", p, kerr.LeaderNotAvailable)
		}
		if err != nil {
			return nil, err
		}
		out[t.leaders[p.partition]] = append(out[t.leaders[p.partition]], p)
	}
	return out, nil
}

func sortedBrokers(m map[int32][]place) []int32 {
	var out []int32
	for id := range m {
		out = append(out, id)
	}
	slices.Sort(out)
	return out
}

func listRequest(parts []place, time int64, committed bool) *kmsg.ListOffsetsRequest {
	req := kmsg.NewPtrListOffsetsRequest()
	req.ReplicaID = -1
	if committed {
		req.IsolationLevel = 1
	}
	for _, p := range parts {
		n := len(req.Topics)
		if n == 0 || req.Topics[n-1].Topic != p.topic {
			t := kmsg.NewListOffsetsRequestTopic()
			t.Topic = p.topic
			req.Topics = append(req.Topics, t)
			n++
		}
		rp := kmsg.NewListOffsetsRequestTopicPartition()
		rp.Partition, rp.Timestamp = p.partition, time
		req.Topics[n-1].Partitions = append(req.Topics[n-1].Partitions, rp)
	}
	return req
}

// taken adds the offsets of an answer to out; the first partition that has none is the error.
// One that has gone is left out.
func taken(resp *kmsg.ListOffsetsResponse, out map[place]int64) (failed error) {
	for _, t := range resp.Topics {
		for _, p := range t.Partitions {
			at := place{t.Topic, p.Partition}
			err := kerr.ErrorForCode(p.ErrorCode)
			switch {
			case err == nil:
				out[at] = p.Offset
			case failed == nil && !errors.Is(err, kerr.UnknownTopicOrPartition):
				failed = fmt.Errorf("%s: %w", at, err)
			}
		}
	}
	return failed
}
