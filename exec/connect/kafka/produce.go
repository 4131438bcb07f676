package kafka

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/sink"
)

// Publish implements sink.Sink.
func (p *publisher) Publish(ctx context.Context, b sink.Batch, payload []byte) error {
	return p.wrap(p.publish(ctx, b, payload))
}

func (p *publisher) publish(ctx context.Context, b sink.Batch, payload []byte) error {
	if err := p.take(ctx); err != nil {
		return err
	}
	m := marker{Version: markerVersion, Query: p.cfg.Query, QueryID: p.cfg.QueryID, Sink: p.cfg.Name, Topic: p.opt.topic,
		Batch: b.ID, Epoch: b.Epoch, Digest: sink.Digest(payload), Writer: p.who, found: true}
	if t := p.known(p.opt.topic); t != nil {
		m.TopicID = t.id
	}
	done, err := p.follows(m)
	if err != nil || done {
		return err
	}
	err = p.again(ctx, func(ctx context.Context) error {
		if done, err := p.held(ctx, m); err != nil || done {
			return err
		}
		return p.attempt(ctx, payload, m)
	})
	if err != nil {
		return err
	}
	p.last, p.mine = m, true
	return nil
}

// follows reports a batch that the sink holds already, and refuses one that is not the next.
func (p *publisher) follows(m marker) (done bool, err error) {
	last := p.last
	switch {
	case !last.found || mutant.On("a batch is published again"):
		return false, nil
	case last.Batch == m.Batch && last.Digest == m.Digest:
		return true, nil
	case p.cfg.Adopt && !p.mine:
		return false, nil
	case last.Epoch > m.Epoch:
		return false, sink.Fenced("a newer process took over: batch %d was published by %s", last.Batch, last.Writer)
	case last.Batch == m.Batch:
		return false, fmt.Errorf("the topic holds another result of batch %d", m.Batch)
	case last.Batch+1 != m.Batch:
		return false, fmt.Errorf("batch %d cannot follow batch %d, the last one that was published", m.Batch, last.Batch)
	}
	return false, nil
}

// held ends what a failed attempt left open, and reports that it was committed after all:
// its answer may have been lost.
func (p *publisher) held(ctx context.Context, m marker) (bool, error) {
	if !p.dirty {
		return false, nil
	}
	if err := p.abort(ctx); err != nil {
		return false, err
	}
	if mutant.On("a commit without an answer is repeated") {
		return false, nil
	}
	if p.cfg.Once { // nothing tells: an attempt without an answer may have been the batch
		return false, nil
	}
	g, err := p.groupMarker(ctx)
	return g.found && g.Batch == m.Batch && g.Digest == m.Digest && g.Epoch == m.Epoch, err
}

// attempt publishes a batch: its messages, the marker, and the end of the transaction.
func (p *publisher) attempt(ctx context.Context, payload []byte, m marker) error {
	text, err := p.markerText(m)
	if err != nil {
		return err
	}
	if p.opt.exactlyOnce {
		ctx, cancel := context.WithTimeout(ctx, p.opt.transaction)
		defer cancel()
		return p.transaction(ctx, payload, m, text)
	}
	if err := p.produce(ctx, payload, nil); err != nil || p.cfg.Once {
		return err
	}
	if err := p.produce(ctx, nil, p.markerRecord(text)); err != nil {
		return err
	}
	all := kadm.Offsets{}
	all.Add(kadm.Offset{Topic: p.opt.markers, Partition: markerPartition, At: m.Batch, LeaderEpoch: -1, Metadata: string(text)})
	return p.admin.CommitAllOffsets(ctx, p.group(), all)
}

func (p *publisher) transaction(ctx context.Context, payload []byte, m marker, text []byte) error {
	if err := p.begin(ctx); err != nil {
		return err
	}
	record := p.markerRecord(text)
	if p.cfg.Once || mutant.On("the marker has no message") || mutant.On("the marker comes after the batch") {
		record = nil
	}
	if err := p.produce(ctx, payload, record); err != nil {
		return err
	}
	if err := p.step(ctx, produced); err != nil {
		return err
	}
	if mutant.On("the marker comes after the batch") {
		if err := p.commit(ctx); err != nil {
			return err
		}
		if err := p.step(ctx, marked); err != nil {
			return err
		}
		if err := p.begin(ctx); err != nil {
			return err
		}
		if err := p.produce(ctx, nil, p.markerRecord(text)); err != nil {
			return err
		}
	}
	if !p.cfg.Once {
		if err := p.commitOffset(ctx, m.Batch, text); err != nil {
			return err
		}
	}
	if err := p.step(ctx, marked); err != nil {
		return err
	}
	if err := p.commit(ctx); err != nil {
		return err
	}
	return p.step(ctx, ended)
}

// point is a place between two steps of publishing a batch.
type point string

const (
	produced point = "produced" // brokers have the messages, and the marker as one
	marked   point = "marked"   // and the marker as an offset
	ended    point = "ended"    // the transaction is committed
)

// step is called between the steps.
func (p *publisher) step(ctx context.Context, at point) error {
	mutant.CrashAt("kafka." + string(at))
	if p.at == nil {
		return nil
	}
	return p.at(ctx, string(at))
}

// At sets what is called between the steps of publishing a batch (produced, marked, ended); an
// error of it ends the publishing there. For tests that decide what happens meanwhile.
func (p *publisher) At(do func(ctx context.Context, step string) error) {
	p.at = func(ctx context.Context, step string) error {
		if err := do(ctx, step); err != nil {
			return &permanent{err}
		}
		return nil
	}
}

func (p *publisher) markerRecord(text []byte) *kgo.Record {
	return &kgo.Record{Topic: p.opt.markers, Partition: markerPartition, Key: []byte(p.batchKey()), Value: text}
}

// begin begins a transaction.
func (p *publisher) begin(ctx context.Context) error {
	if p.dirty {
		if err := p.abort(ctx); err != nil {
			return err
		}
	}
	if err := p.client.BeginTransaction(); err != nil {
		return err
	}
	p.dirty = true
	return nil
}

// commit ends the transaction. After an error nobody knows whether it is committed.
func (p *publisher) commit(ctx context.Context) error {
	err := p.client.EndTransaction(ctx, kgo.TryCommit)
	if err == nil {
		p.dirty = false
	}
	return err
}

// abort ends a transaction without a result, whatever has become of it.
func (p *publisher) abort(ctx context.Context) error {
	if !p.opt.exactlyOnce {
		p.dirty = false
		return nil
	}
	if err := p.client.AbortBufferedRecords(ctx); err != nil {
		return err
	}
	if err := p.client.EndTransaction(ctx, kgo.TryAbort); err != nil {
		return err
	}
	p.dirty = false
	return nil
}

// produce sends the messages of a payload, nil = none, and one more, and waits until brokers
// have them all.
func (p *publisher) produce(ctx context.Context, payload []byte, more *kgo.Record) error {
	s := &sending{}
	if payload != nil {
		if err := p.send(ctx, s, payload); err != nil {
			return err
		}
	}
	if more != nil {
		more.Timestamp = p.around.clock.Now()
		p.client.Produce(ctx, more, s.done)
	}
	err := p.client.Flush(ctx)
	return errors.Join(s.failed(), err)
}

// send hands the messages of a payload to the client.
func (p *publisher) send(ctx context.Context, s *sending, payload []byte) error {
	rs, err := readPayload(payload)
	if err != nil {
		return &permanent{err}
	}
	now := p.around.clock.Now()
	for s.failed() == nil {
		r, ok, err := rs.next()
		if err != nil {
			return &permanent{err}
		}
		if !ok {
			break
		}
		p.client.Produce(ctx, r.record(now), s.done)
	}
	return nil
}

func (r *outMessage) record(now time.Time) *kgo.Record {
	m := &kgo.Record{Topic: r.topic, Partition: r.partition, Key: r.key, Value: r.value, Timestamp: now}
	for _, h := range r.headers {
		m.Headers = append(m.Headers, kgo.RecordHeader{Key: h.key, Value: h.value})
	}
	return m
}

// sending remembers the first message that could not be sent.
type sending struct {
	mu  sync.Mutex
	err error
}

func (s *sending) done(r *kgo.Record, err error) {
	if err == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = &sendError{topic: r.Topic, key: r.Key, bytes: len(r.Key) + len(r.Value), err: err}
	}
}

func (s *sending) failed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// sendError is a message that brokers do not take.
type sendError struct {
	topic string
	key   []byte
	bytes int
	err   error
}

func (e *sendError) Error() string {
	text := fmt.Sprintf("a message for topic %q", e.topic)
	if e.key != nil {
		text += ", key " + excerpt(e.key)
	}
	text += fmt.Sprintf(", %d bytes", e.bytes)
	return text + ": " + e.err.Error()
}

func (e *sendError) Unwrap() error { return e.err }

// permanent is an error that trying again does not mend.
type permanent struct{ err error }

func (e *permanent) Error() string { return e.err.Error() }

func (e *permanent) Unwrap() error { return e.err }

// again does something until it succeeds, fails for good, or publish_timeout is over.
func (p *publisher) again(ctx context.Context, do func(context.Context) error) error {
	began := p.around.clock.Now()
	limited, cancel := context.WithTimeout(ctx, p.opt.publish)
	defer cancel()
	for try := 1; ; try++ {
		err := do(limited)
		switch {
		case err == nil || ctx.Err() != nil:
			return errors.Join(err, ctx.Err())
		case fenced(err):
			return p.shutOut(err, began)
		case !passing(err):
			return p.rejected(err)
		case !p.pause(limited, try):
			return fmt.Errorf("%w (tried %d times in %s, publish_timeout)", p.client.explain(err), try, p.opt.publish)
		}
	}
}

// fenced reports that somebody else writes under the transactional id.
func fenced(err error) bool {
	return errors.Is(err, kerr.ProducerFenced) || errors.Is(err, kerr.InvalidProducerEpoch)
}

// shutOut says who has taken over. A transaction that takes too long looks the same, and so
// does one that a broker has ended when it came back: only a marker of another process is
// proof, and then to start again is of no use.
func (p *publisher) shutOut(err error, began time.Time) error {
	p.broken = true
	if w, ok := p.newest(); ok {
		return sink.Fenced("a newer process took over this sink: %s; only one process can run the query (%w)", w, err)
	}
	if took := p.around.clock.Now().Sub(began); took >= p.opt.transaction {
		return fmt.Errorf("publishing took %s, longer than transaction_timeout_ms allows (%s), so the brokers have ended the transaction; "+
			"raise it, or let triggers take less, then start the query again (%w)", took.Round(time.Second), p.opt.transaction, err)
	}
	return fmt.Errorf("a newer process took over this sink, or the brokers have ended its transaction when they were restarted; only one process can run the query (%w)", err)
}

// passing reports an error that may go away.
func passing(err error) bool {
	var own *permanent
	switch {
	case errors.As(err, &own), errors.Is(err, kerr.MessageTooLarge), errors.Is(err, kerr.RecordListTooLarge),
		errors.Is(err, kerr.UnknownTopicOrPartition), errors.Is(err, kerr.UnknownTopicID) && !errors.Is(err, kerr.TransactionAbortable),
		errors.Is(err, kgo.ErrClientClosed):
		return false
	case errors.Is(err, kerr.ConcurrentTransactions), errors.Is(err, kerr.TransactionAbortable), errors.Is(err, kerr.OperationNotAttempted), errors.Is(err, kerr.UnknownServerError),
		errors.Is(err, kgo.ErrRecordTimeout), errors.Is(err, kgo.ErrRecordRetries), errors.Is(err, kgo.ErrAborting):
		return true
	}
	return kerr.IsRetriable(err) || unreachable(err)
}

// rejected says what to do about messages that brokers will never take.
func (p *publisher) rejected(err error) error {
	switch {
	case errors.Is(err, kerr.MessageTooLarge), errors.Is(err, kerr.RecordListTooLarge):
		return fmt.Errorf("%w; the batch is logged and published again at the next start: raise the topic's max.message.bytes before that", err)
	case errors.Is(err, kerr.UnknownTopicOrPartition), errors.Is(err, kerr.UnknownTopicID):
		return fmt.Errorf("%w; the topic or the partition is gone, and what was written to it with it", err)
	case errors.Is(err, kerr.InvalidProducerIDMapping):
		return fmt.Errorf("%w; the brokers have forgotten this writer (transactional.id.expiration.ms): start the query again", err)
	}
	return p.client.explain(err)
}
