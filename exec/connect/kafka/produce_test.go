package kafka

import (
	"context"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kversion"

	"github.com/sqlstream/sqlstream/exec/sink"
)

func TestBatchesAreThereOnce(t *testing.T) {
	o := newOut(t)
	p := o.start(-1)
	first := o.put(p, 0, []any{"a", "1"}, []any{nil, "2"}, []any{"c", nil})
	o.want("out", "a=1", "(null)=2", "c=(null)")
	o.publish(p, 0, first) // again, in the same process
	o.put(p, 1)            // an empty batch
	p = o.start(1)
	last := o.put(p, 2, []any{"a", "3"})
	p = o.start(2)
	o.publish(p, 2, last) // again, in another one
	o.want("out", "a=1", "(null)=2", "c=(null)", "a=3")
	if m, err := p.Marker(context.Background()); err != nil || m.Digest != sink.Digest(last) {
		t.Errorf("marker %+v, %v", m, err)
	}
	o.fails(p.Publish(context.Background(), o.batch(4), last), "batch 4 cannot follow batch 2")
	o.fails(p.Publish(context.Background(), o.batch(2), first), "holds another result of batch 2")
}

// A crash at any point leaves one copy of each row, whatever the other process does next.
func TestCrashes(t *testing.T) {
	for _, where := range []point{produced, marked, ended} {
		for _, other := range []bool{false, true} {
			t.Run(string(where), func(t *testing.T) {
				o := newOut(t)
				p := o.start(-1)
				o.put(p, 0, []any{"a", "1"})
				payload := o.stage(p, 1, o.rows([]any{"b", "2"}, []any{"c", "3"}))
				o.crash(p, 1, payload, where)
				published := int64(0)
				if where == ended {
					published = 1
				} else {
					o.want("out", "a=1")
				}
				next := o.start(published)
				if other && where != ended { // its result was not logged, the batch becomes another one
					payload = o.stage(next, 1, o.rows([]any{"b", "2"}))
				}
				o.publish(next, 1, payload)
				want := []string{"a=1", "b=2"}
				if !other || where == ended {
					want = append(want, "c=3")
				}
				o.want("out", want...)
				o.start(1)
			})
		}
	}
}

// Brokers from 2.5 on will do.
func TestSinkOldBrokers(t *testing.T) {
	for name, v := range map[string]*kversion.Versions{"2.5": kversion.V2_5_0(), "2.8": kversion.V2_8_0(), "3.6": kversion.V3_6_0()} {
		t.Run(name, func(t *testing.T) {
			o := newOutAt(t, v)
			p := o.start(-1)
			o.put(p, 0, []any{"a", "1"})
			payload := o.stage(p, 1, o.rows([]any{"b", "2"}))
			o.crash(p, 1, payload, marked)
			next := o.start(0)
			o.publish(next, 1, payload)
			o.fails(p.Publish(context.Background(), o.batch(1), payload), "a newer process took over")
			o.want("out", "a=1", "b=2")
			if _, err := next.admin.DeleteGroup(context.Background(), next.group()); err != nil {
				t.Fatal(err)
			}
			o.start(1)
		})
	}
}

// What a process that died has sent is never seen, also not by who waits.
func TestAbortedMessagesAreNotRead(t *testing.T) {
	o := newOut(t)
	p := o.start(-1)
	o.crash(p, 0, o.stage(p, 0, o.rows([]any{"a", "lost"})), produced)
	next := o.start(-1)
	o.put(next, 0, []any{"a", "kept"})
	o.want("out", "a=kept")
	if n := len(o.messages("out", kgo.ReadUncommitted())); n != 2 {
		t.Errorf("%d messages are in the topic, committed or not", n)
	}
}

// A process that has been replaced cannot publish any more, and is told by whom.
func TestZombie(t *testing.T) {
	for _, where := range []point{"", produced, marked} {
		o := newOut(t)
		zombie := o.start(-1)
		o.put(zombie, 0, []any{"a", "1"})
		payload := o.stage(zombie, 1, o.rows([]any{"z", "zombie"}))
		zombie.who.PID = 4711 // it is another process
		var heir *publisher
		begin := func() {
			heir = o.start(0)
			o.put(heir, 1, []any{"b", "2"})
		}
		if where == "" {
			begin()
		}
		zombie.At(func(_ context.Context, at string) error {
			if at == string(where) {
				begin()
			}
			return nil
		})
		for range 2 {
			err := zombie.Publish(context.Background(), sink.Batch{ID: 1, Epoch: 1}, payload)
			o.fails(err, `sink "s"`, "a newer process took over", heir.who.Host, "process "+portText(int32(heir.who.PID)))
		}
		o.put(heir, 2, []any{"c", "3"})
		o.want("out", "a=1", "b=2", "c=3")
		if err := zombie.Close(); err != nil {
			t.Error(err)
		}
		o.put(heir, 3, []any{"d", "4"})
	}
}

// Two processes on one checkpoint: the one with the older epoch stays behind.
func TestOlderEpoch(t *testing.T) {
	o := newOut(t)
	p := o.start(-1)
	o.put(p, 0, []any{"a", "1"})
	old := o.start(0)
	o.fails(old.Publish(context.Background(), sink.Batch{ID: 1, Epoch: 0}, o.stage(old, 1)), "a newer process took over")
}

// Brokers forget the offsets of a group; the marker stays.
func TestForgottenOffset(t *testing.T) {
	o := newOut(t)
	p := o.start(-1)
	o.put(p, 0, []any{"a", "1"})
	o.put(p, 1, []any{"a", "2"})
	if _, err := p.admin.DeleteGroup(context.Background(), p.group()); err != nil {
		t.Fatal(err)
	}
	p = o.start(1)
	o.put(p, 2, []any{"a", "3"})
	o.start(2)
}

// And the other way round.
func TestForgottenMessage(t *testing.T) {
	o := newOut(t)
	p := o.start(-1)
	o.put(p, 0, []any{"a", "1"})
	all := kadm.Offsets{}
	all.Add(kadm.Offset{Topic: p.opt.markers, At: 1 << 40})
	ends, err := p.admin.ListEndOffsets(context.Background(), p.opt.markers)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.admin.DeleteRecords(context.Background(), ends.Offsets()); err != nil {
		t.Fatal(err)
	}
	o.start(0)
}

// Several queries may write to a topic; each has its own marker.
func TestQueriesShareATopic(t *testing.T) {
	o := newOut(t)
	p := o.start(-1)
	o.put(p, 0, []any{"a", "1"})
	o.cfg.QueryID = "another"
	q := o.start(-1)
	o.put(q, 0, []any{"b", "2"})
	o.put(p, 1, []any{"a", "3"})
	o.put(q, 1, []any{"b", "4"})
	o.want("out", "a=1", "b=2", "a=3", "b=4")
}

// A sink that is moved, emptied or behind is taken over only on request.
func TestAdopt(t *testing.T) {
	o := newOut(t)
	p := o.start(-1)
	o.put(p, 0, []any{"a", "1"})
	o.set("topic", "other")
	_, err := o.open().Marker(context.Background())
	o.fails(err, `the batches up to 0 of this query are in topic "out", not in topic "other"`, "adopt_sink")
	o.cfg.Adopt = true
	p = o.start(-1)
	o.put(p, 7, []any{"a", "2"})
	o.want("other", "a=2")
	o.cfg.Adopt = false
	p = o.start(7)
	if _, err := p.admin.DeleteTopic(context.Background(), "other"); err != nil {
		t.Fatal(err)
	}
	o.set("create_topic", "true")
	_, err = o.open().Marker(context.Background())
	o.fails(err, `topic "other" has been deleted and made anew since batch 7`)
	o.cfg.Adopt = true
	o.put(o.start(7), 3, []any{"a", "4"}) // an older checkpoint
	o.cfg.Adopt = false
	o.put(o.start(3), 4, []any{"a", "5"})
	o.want("other", "a=4", "a=5")
}

func TestAtLeastOnce(t *testing.T) {
	o := newOut(t, "delivery_guarantee", "at_least_once", "acks", "1")
	p := o.start(-1)
	payload := o.put(p, 0, []any{"a", "1"})
	o.put(p, 1, []any{"b", "2"})
	o.want("out", "a=1", "b=2")
	p = o.start(1)
	if _, err := p.admin.DeleteGroup(context.Background(), p.group()); err != nil {
		t.Fatal(err)
	}
	o.start(1)
	if m, _ := p.Marker(context.Background()); m.Digest == sink.Digest(payload) {
		t.Error("the marker is that of the batch before")
	}
}
