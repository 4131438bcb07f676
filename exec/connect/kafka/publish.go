package kafka

import (
	"context"
	"errors"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/sqlstream/sqlstream/exec/source"
)

// publishEvery is how often offsets are published at most.
const publishEvery = time.Second

// publish commits offsets to the consumer group, for tools. Nobody reads them here, so that
// what goes wrong is of no importance, unless the brokers forbid it.
func (s *Reader) publish(ctx context.Context, r source.Range) error {
	now := s.cfg.Clock.Now()
	if s.opt.group == "" || now.Before(s.publishAt) {
		return nil
	}
	s.publishAt = now.Add(publishEvery)
	o, err := decodeOffsets(r)
	if err != nil {
		return err
	}
	req := kmsg.NewPtrOffsetCommitRequest()
	req.Group = s.opt.group
	for _, name := range sortedKeys(o) {
		t := kmsg.NewOffsetCommitRequestTopic()
		t.Topic, t.TopicID = name, s.ids[name]
		for p, next := range o[name] {
			rp := kmsg.NewOffsetCommitRequestTopicPartition()
			rp.Partition, rp.Offset = p, next
			t.Partitions = append(t.Partitions, rp)
		}
		req.Topics = append(req.Topics, t)
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	resp, err := s.hub.Request(ctx, req)
	if err != nil {
		return nil
	}
	for _, t := range resp.(*kmsg.OffsetCommitResponse).Topics {
		for _, p := range t.Partitions {
			if err := kerr.ErrorForCode(p.ErrorCode); errors.Is(err, kerr.GroupAuthorizationFailed) || errors.Is(err, kerr.TopicAuthorizationFailed) {
				return s.hub.explain(err)
			}
		}
	}
	return nil
}
