package kafka

import (
	"context"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// endTxn answers the next end of a transaction with an error, after it was carried out or
// without that.
func (o *out) endTxn(carriedOut bool, code int16) {
	o.t.Helper()
	c, err := kgo.NewClient(kgo.SeedBrokers(o.c.ListenAddrs()...))
	if err != nil {
		o.t.Fatal(err)
	}
	o.t.Cleanup(c.Close)
	first := true
	o.c.ControlKey(int16(kmsg.EndTxn), func(r kmsg.Request) (kmsg.Response, error, bool) {
		o.c.KeepControl()
		if !first {
			return nil, nil, false
		}
		first = false
		req := *r.(*kmsg.EndTxnRequest)
		if carriedOut {
			o.c.SleepControl(func() {
				if _, err := req.RequestWith(context.Background(), c); err != nil {
					o.t.Error(err)
				}
			})
		}
		resp := r.ResponseKind().(*kmsg.EndTxnResponse)
		resp.ErrorCode = code
		return resp, nil, true
	})
}

// The answer to a commit is lost: the batch is there once, whether it was carried out or not.
func TestCommitWithoutAnAnswer(t *testing.T) {
	for _, carriedOut := range []bool{false, true} {
		o := newOut(t)
		p := o.start(-1)
		o.put(p, 0, []any{"a", "1"})
		o.endTxn(carriedOut, kerr.UnknownServerError.Code)
		o.put(p, 1, []any{"b", "2"})
		o.put(p, 2, []any{"c", "3"})
		o.want("out", "a=1", "b=2", "c=3")
		o.start(2)
	}
}

// answer gives requests of a kind an error for the given number of times; −1 = for ever.
func (o *out) answer(key kmsg.Key, times int, change func(kmsg.Response)) {
	o.c.ControlKey(int16(key), func(r kmsg.Request) (kmsg.Response, error, bool) {
		o.c.KeepControl()
		if times == 0 {
			return nil, nil, false
		}
		times--
		resp := r.ResponseKind()
		if p, ok := r.(*kmsg.ProduceRequest); ok {
			produceResponse(p, resp.(*kmsg.ProduceResponse))
		}
		change(resp)
		return resp, nil, true
	})
}

func produceResponse(r *kmsg.ProduceRequest, resp *kmsg.ProduceResponse) {
	for _, t := range r.Topics {
		rt := kmsg.NewProduceResponseTopic()
		rt.Topic, rt.TopicID = t.Topic, t.TopicID
		for _, p := range t.Partitions {
			rp := kmsg.NewProduceResponseTopicPartition()
			rp.Partition = p.Partition
			rt.Partitions = append(rt.Partitions, rp)
		}
		resp.Topics = append(resp.Topics, rt)
	}
}

func produceError(code int16) func(kmsg.Response) {
	return func(r kmsg.Response) {
		resp := r.(*kmsg.ProduceResponse)
		for i := range resp.Topics {
			for j := range resp.Topics[i].Partitions {
				resp.Topics[i].Partitions[j].ErrorCode = code
			}
		}
	}
}

// What passes is tried again.
func TestPassingErrors(t *testing.T) {
	for name, fail := range map[string]func(o *out){
		"produce, abortable": func(o *out) { o.answer(kmsg.Produce, 1, produceError(kerr.TransactionAbortable.Code)) },
		"the coordinator moves": func(o *out) {
			o.answer(kmsg.AddOffsetsToTxn, 2, func(r kmsg.Response) {
				r.(*kmsg.AddOffsetsToTxnResponse).ErrorCode = kerr.NotCoordinator.Code
			})
		},
		"a transaction is not over": func(o *out) {
			o.answer(kmsg.AddOffsetsToTxn, 2, func(r kmsg.Response) {
				r.(*kmsg.AddOffsetsToTxnResponse).ErrorCode = kerr.ConcurrentTransactions.Code
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := newOut(t)
			p := o.start(-1)
			fail(o)
			o.put(p, 0, []any{"a", "1"})
			o.put(p, 1, []any{"b", "2"})
			o.want("out", "a=1", "b=2")
			o.start(1)
		})
	}
}

// What does not pass ends the query, with the message it is about.
func TestRejectedMessages(t *testing.T) {
	o := newOut(t)
	p := o.start(-1)
	payload := o.stage(p, 0, o.rows([]any{"a", "1"}))
	o.answer(kmsg.Produce, -1, produceError(kerr.MessageTooLarge.Code))
	began := time.Now()
	err := p.Publish(context.Background(), o.batch(0), payload)
	o.fails(err, `a message for topic "`, "MESSAGE_TOO_LARGE", "raise the topic's max.message.bytes")
	if d := time.Since(began); d > 5*time.Second {
		t.Errorf("it took %s to give up", d)
	}
}

// Brokers that stay away end the query after publish_timeout.
func TestBrokersStayAway(t *testing.T) {
	o := newOut(t, "publish_timeout", "300 milliseconds", "retry_timeout", "100 milliseconds")
	p := o.start(-1)
	payload := o.stage(p, 0, o.rows([]any{"a", "1"}))
	o.c.Close()
	err := p.Publish(context.Background(), o.batch(0), payload)
	o.fails(err, "publish_timeout", o.opts["brokers"])
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	_, err = o.tryOpen()
	o.fails(err, "no answer from the brokers "+o.opts["brokers"])
}

// A query that is stopped in the middle leaves no open transaction.
func TestStoppedInTheMiddle(t *testing.T) {
	o := newOut(t)
	p := o.start(-1)
	ctx, cancel := context.WithCancel(context.Background())
	p.At(func(ctx context.Context, at string) error {
		cancel()
		return ctx.Err()
	})
	if err := p.Publish(ctx, o.batch(0), o.stage(p, 0, o.rows([]any{"a", "1"}))); err == nil {
		t.Fatal("no error")
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	all, err := o.start(-1).admin.ListTransactions(context.Background(), nil, []string{"Ongoing"})
	if err != nil || len(all) > 0 {
		t.Errorf("open transactions: %v, %v", all, err)
	}
	o.want("out")
}
