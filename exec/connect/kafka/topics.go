package kafka

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// topicInfo is what the sink knows of a topic that it writes to.
type topicInfo struct {
	id         string // tells it from another one of the same name; "" = brokers do not say
	partitions int32
	maxBytes   int32 // of a message
}

// topic looks a topic up, once; it is made if it does not exist and the user wants that.
func (p *publisher) topic(ctx context.Context, name string) (*topicInfo, error) {
	if t := p.known(name); t != nil {
		return t, nil
	}
	if name == p.opt.markers {
		return nil, fmt.Errorf("topic %q is the one for markers, rows cannot go there", name)
	}
	d, err := p.describe(ctx, name)
	if errors.Is(err, kerr.UnknownTopicOrPartition) && p.opt.create {
		if err = p.create(ctx, name, p.opt.partitions, nil); err == nil {
			d, err = p.describe(ctx, name)
		}
	}
	switch {
	case errors.Is(err, kerr.UnknownTopicOrPartition):
		return nil, fmt.Errorf("topic %q does not exist at %s; create it, or set create_topic = true", name, p.set.brokers)
	case err != nil:
		return nil, fmt.Errorf("topic %q: %w", name, err)
	}
	t := &topicInfo{partitions: int32(len(d.Partitions)), maxBytes: p.opt.maxRequest}
	if d.TopicID != [16]byte{} {
		t.id = kadm.TopicID(d.TopicID).String()
	}
	if n, err := strconv.ParseInt(p.config(ctx, name, "max.message.bytes"), 10, 32); err == nil {
		t.maxBytes = min(t.maxBytes, int32(n))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.topics[name] = t
	return t, nil
}

// known is a topic that has been looked up, nil = it was not.
func (p *publisher) known(name string) *topicInfo {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.topics[name]
}

// maxBytes is the most bytes of a message of a topic.
func (p *publisher) maxBytes(topic string) int32 {
	if t := p.known(topic); t != nil {
		return t.maxBytes
	}
	return p.opt.maxRequest
}

// describe asks the brokers for a topic, until it has leaders.
func (p *publisher) describe(ctx context.Context, name string) (kmsg.MetadataResponseTopic, error) {
	for try := 1; ; try++ {
		d, err := p.metadata(ctx, name)
		if err == nil || errors.Is(err, kerr.UnknownTopicOrPartition) || !kerr.IsRetriable(err) {
			return d, err
		}
		if !p.pause(ctx, try) {
			return d, err
		}
	}
}

// metadata is what brokers say of a topic now: the admin client would remember that it did
// not exist. A partition without a leader is an error.
func (p *publisher) metadata(ctx context.Context, name string) (t kmsg.MetadataResponseTopic, err error) {
	topic := kmsg.NewMetadataRequestTopic()
	topic.Topic = &name
	req := kmsg.NewPtrMetadataRequest()
	req.Topics = append(req.Topics, topic)
	resp, err := req.RequestWith(ctx, p.client.Client)
	if err != nil {
		return t, err
	}
	for _, t = range resp.Topics {
		err = kerr.ErrorForCode(t.ErrorCode)
		for _, part := range t.Partitions {
			if err == nil && part.Leader < 0 {
				err = kerr.LeaderNotAvailable
			}
		}
	}
	return t, err
}

// create makes a topic; that somebody else has just made it is no error.
func (p *publisher) create(ctx context.Context, name string, partitions int32, configs map[string]*string) error {
	_, err := p.admin.CreateTopic(ctx, partitions, p.opt.replication, configs, name)
	if err != nil && !errors.Is(err, kerr.TopicAlreadyExists) {
		return fmt.Errorf("it cannot be made: %w", err)
	}
	for try := 1; ; try++ { // brokers hear of it one after the other
		_, err := p.metadata(ctx, name)
		if !errors.Is(err, kerr.UnknownTopicOrPartition) || !p.pause(ctx, try) {
			return err
		}
	}
}

// config reads a setting of a topic; "" if brokers do not tell.
func (p *publisher) config(ctx context.Context, topic, key string) string {
	rs, err := p.admin.DescribeTopicConfigs(ctx, topic)
	if err != nil {
		return ""
	}
	r, err := rs.On(topic, nil)
	if err != nil || r.Err != nil {
		return ""
	}
	for _, c := range r.Configs {
		if c.Key == key && c.Value != nil {
			return *c.Value
		}
	}
	return ""
}

// markerTopic sees that the topic for markers is there, and keeps them.
func (p *publisher) markerTopic(ctx context.Context) error {
	name := p.opt.markers
	d, err := p.describe(ctx, name)
	if errors.Is(err, kerr.UnknownTopicOrPartition) {
		if err = p.create(ctx, name, 1, markerConfigs()); err != nil {
			return fmt.Errorf("topic %q for markers: %w; make it (one partition, cleanup.policy = compact), or name another one by marker_topic", name, p.client.explain(err))
		}
		d, err = p.describe(ctx, name)
	}
	if err != nil {
		return fmt.Errorf("topic %q for markers: %w", name, err)
	}
	p.markerID = d.TopicID
	if policy := p.config(ctx, name, "cleanup.policy"); policy != "" && policy != "compact" {
		return fmt.Errorf("topic %q has cleanup.policy = %s, so markers would be lost in time; set it to compact, or name another topic by marker_topic", name, strings.TrimSpace(policy))
	}
	return nil
}

// markerConfigs let brokers compact the topic often: it is read from its beginning.
func markerConfigs() map[string]*string {
	out := map[string]*string{}
	for key, value := range map[string]string{"cleanup.policy": "compact", "segment.bytes": "33554432",
		"segment.ms": "86400000", "min.cleanable.dirty.ratio": "0.1"} {
		out[key] = &value
	}
	return out
}

// pause waits before a request is repeated; false when there is no time for it.
func (p *publisher) pause(ctx context.Context, try int) bool {
	t := p.around.clock.NewTimer(p.set.wait(try))
	defer t.Stop()
	select {
	case <-t.C():
		return true
	case <-ctx.Done():
		return false
	}
}
