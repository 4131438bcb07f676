package kafka

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Sink describes the sink over the given formats. A batch is published in one transaction,
// and with it the marker: see marker.go. What a row becomes is in outline.go and stage.go,
// how records get to the brokers in produce.go.
func Sink(formats []*format.Format) sink.Connector {
	return sink.Connector{
		Name: "kafka",
		Doc: "Writes a message for each row, each batch whole and once: in one transaction, so that who reads committed messages never sees a part of a batch. " +
			"With a format the message is the row; without one (or with raw) the columns key, value, headers, topic and partition say what it is, as in Spark. " +
			"A topic may have several writers: what a query has published is told by a marker of its own, in the topic marker_topic. " +
			"Needs brokers from version 2.5 on.",
		Modes: map[sink.Mode]string{
			sink.Append:    "A message for each row that has become final.",
			sink.Update:    "A message for the new version of each row, under its key; a key that is gone gets a message without a value (a tombstone), which also removes it from a compacted topic.",
			sink.Changelog: "With debezium-json a change event (op c, u or d) for each key; else a message for each removed and each new row, told apart by the field op.",
		},
		Refused: map[sink.Mode]string{
			sink.Complete: "Messages cannot be replaced all at once, and a reader could not tell where the result ends. " +
				"Use EMIT UPDATE (the topic, compacted, then holds the result), or EMIT CHANGELOG.",
		},
		Deletes:   true,
		Options:   sinkOptions(),
		Guarantee: sink.ExactlyOnce, Weaker: [2]string{"delivery_guarantee", "at_least_once"},
		Open: func(ctx context.Context, c sink.Config) (sink.Sink, error) {
			return openSink(ctx, formats, c)
		},
	}
}

// publisher is the open sink of one query.
type publisher struct {
	cfg    sink.Config
	opt    produceOptions
	layout *outline
	set    settings
	around surroundings

	client   *client
	admin    *kadm.Client
	markerID [16]byte // of the topic for markers
	who      writer   // this process, for markers

	mu     sync.Mutex
	topics map[string]*topicInfo // those that rows went to

	fenced bool   // the writers before this process are shut out
	last   marker // what the sink holds
	mine   bool   // last was published by this process
	dirty  bool   // a transaction may be open
	broken bool   // somebody else writes now
	closed bool

	at func(ctx context.Context, step string) error // see At
}

func openSink(ctx context.Context, formats []*format.Format, c sink.Config) (sink.Sink, error) {
	p := &publisher{cfg: c, topics: map[string]*topicInfo{},
		around: surroundings{name: fmt.Sprintf("sink %q", c.Name), dir: c.Dir, fs: c.FS, clock: c.Clock}}
	fs, err := findFormats(formats, c.Options)
	if err != nil {
		return nil, err
	}
	if fs.envelope { // change events have all fields
		c.Options = append(slices.Clone(c.Options), option.Value{Name: "ignore_null_fields", Text: "false"})
	}
	d, err := option.Open(option.Join(sinkOptions(), fs.options()), c.Options)
	if err != nil {
		return nil, err
	}
	if p.set, err = decodeSettings(d, p.around); err != nil {
		return nil, err
	}
	if p.opt, err = decodeProduce(d, c); err != nil {
		return nil, err
	}
	if p.layout, err = newOutline(ctx, fs, d, c); err != nil {
		return nil, p.wrap(err)
	}
	host, _ := os.Hostname()
	p.who = writer{Host: host, PID: os.Getpid()}
	return p, p.wrap(p.connect(ctx))
}

// connect makes the client, and sees that the topics are there.
func (p *publisher) connect(ctx context.Context) error {
	var err error
	if p.client, err = dial(ctx, p.set, p.around, p.opt.client(p.id(), p.maxBytes)...); err != nil {
		return err
	}
	p.admin = kadm.NewClient(p.client.Client)
	ctx, cancel := context.WithTimeout(ctx, p.set.retry)
	defer cancel()
	if !p.cfg.Once {
		err = p.markerTopic(ctx)
	}
	if err == nil && p.opt.topic != "" {
		_, err = p.topic(ctx, p.opt.topic)
	}
	if err != nil {
		p.client.Close()
	}
	return p.client.explain(err)
}

// id names the writer of the query's output to the brokers: who begins under this name
// shuts out those before.
func (p *publisher) id() string { return p.opt.prefix + "." + p.cfg.QueryID }

// group holds the marker as an offset.
func (p *publisher) group() string { return p.id() + ".commits" }

// Marker implements sink.Sink. The writers before are shut out first, and what they left
// undone is undone: nothing that they do can come after the marker that is read.
func (p *publisher) Marker(ctx context.Context) (sink.Marker, error) {
	if err := p.take(ctx); err != nil {
		return sink.Marker{}, p.wrap(err)
	}
	if !p.last.found {
		return sink.Marker{ID: -1}, nil
	}
	if err := p.sameTopic(); err != nil && !p.cfg.Adopt {
		return sink.Marker{}, p.wrap(err)
	}
	return sink.Marker{OK: true, ID: p.last.Batch, Digest: p.last.Digest}, nil
}

// sameTopic demands that the topic is still the one that holds the batches.
func (p *publisher) sameTopic() error {
	t := p.known(p.opt.topic)
	if t == nil || p.last.TopicID == "" || t.id == "" || p.last.TopicID == t.id {
		return nil
	}
	return fmt.Errorf("topic %q has been deleted and made anew since batch %d was written to it, its messages are gone; "+
		"give the query a new checkpoint to write all again, or set adopt_sink = true to go on after batch %d", p.opt.topic, p.last.Batch, p.last.Batch)
}

// Stage implements sink.Sink: the payload is the encoded messages.
func (p *publisher) Stage(ctx context.Context, b sink.Batch, rows func(func(*vec.Batch) error) error) ([]byte, error) {
	st, err := p.newStage(ctx)
	if err != nil {
		return nil, p.wrap(err)
	}
	var own error // not of the query
	err = rows(func(b *vec.Batch) error {
		own = st.take(b)
		return own
	})
	switch {
	case own != nil:
		return nil, p.wrap(p.client.explain(own))
	case err != nil:
		return nil, err
	}
	if err := st.finish(); err != nil {
		return nil, p.wrap(p.client.explain(err))
	}
	return st.out.buf, nil
}

// Discard implements sink.Sink: nothing is staged outside of the payload.
func (p *publisher) Discard(context.Context, sink.Batch) error { return nil }

// Description implements sink.Sink.
func (p *publisher) Description() string {
	if p.opt.topic == "" {
		return "KafkaSink[" + p.set.brokers + ", column topic]"
	}
	return "KafkaSink[" + p.set.brokers + ", " + p.opt.topic + "]"
}

// closeTimeout bounds how long a sink that is being closed waits for brokers.
const closeTimeout = 5 * time.Second

// Close implements sink.Sink. A transaction that is under way is ended, so that readers need
// not wait until it times out.
func (p *publisher) Close() error {
	if p.dirty && !p.broken {
		ctx, cancel := context.WithTimeout(context.Background(), min(closeTimeout, p.opt.publish))
		defer cancel()
		_ = p.abort(ctx) // the next process does it otherwise
	}
	p.client.Close()
	p.closed = true
	return nil
}

func (p *publisher) wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("sink %q: %w", p.cfg.Name, err)
}
