package kafka

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
	"go.uber.org/goleak"

	"github.com/sqlstream/sqlstream/exec/source"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// count counts the requests of a kind from now on.
func (w *world) count(key kmsg.Key) *atomic.Int64 {
	n := &atomic.Int64{}
	w.fake.ControlKey(int16(key), func(kmsg.Request) (kmsg.Response, error, bool) {
		w.fake.KeepControl()
		n.Add(1)
		return nil, nil, false
	})
	return n
}

// fail answers the next requests of a kind with errors, or hangs up.
func (w *world) fail(key kmsg.Key, times int, answer func(kmsg.Request) kmsg.Response) {
	for range times {
		w.fake.ControlKey(int16(key), func(r kmsg.Request) (kmsg.Response, error, bool) {
			if answer == nil {
				return nil, errors.New("hang up"), true
			}
			return answer(r), nil, true
		})
	}
}

// Sources with equal settings share connections, the answers to their questions, and what
// was read.
func TestSourcesShare(t *testing.T) {
	w := newWorld(t)
	w.topic("a", 1)
	w.write("a", 0, "x", "y", "z")
	var all []*Reader
	for range 20 {
		all = append(all, w.early("a", "discovery_interval", "1 hour"))
	}
	if all[0].hub != all[19].hub || len(all[0].hub.from.open) != 1 {
		t.Error("they have hubs of their own")
	}
	if other := w.early("a", "client_id", "other"); other.hub == all[0].hub {
		t.Error("other settings share the hub")
	}
	fetches, lists := w.count(kmsg.Fetch), w.count(kmsg.ListOffsets)
	var wg sync.WaitGroup
	for _, s := range all {
		wg.Go(func() {
			r, _, err := s.Plan(context.Background(), source.Limits{}, nil)
			if err != nil {
				t.Error(err)
				return
			}
			rows, err := readRange(s, r, nil)
			if err != nil || !slices.Equal(rows, []string{`"x" | 0 | 0`, `"y" | 0 | 1`, `"z" | 0 | 2`}) {
				t.Errorf("%v %q", err, rows)
			}
		})
	}
	wg.Wait()
	if n := fetches.Load(); n != 1 {
		t.Errorf("%d fetches of the same records", n)
	}
	if n := lists.Load(); n > 41 { // each begins by itself; ends are asked for together
		t.Errorf("%d lists of offsets", n)
	}
	hub := all[0].hub
	for _, s := range all {
		s.Close()
	}
	if len(hub.from.open) != 1 || hub.cache.bytes == 0 {
		t.Errorf("%d hubs are open, %d bytes kept", len(hub.from.open), hub.cache.bytes)
	}
}

// What one trigger leaves of an answer is there for the next one, and then given up.
func TestRestOfABlock(t *testing.T) {
	w := newWorld(t)
	w.topic("a", 1)
	w.write("a", 0, "x", "y", "z", "u")
	s := w.early("a")
	fetches := w.count(kmsg.Fetch)
	w.givesUpTo(s, 2, nil, `"x" | 0 | 0`, `"y" | 0 | 1`)
	w.givesUpTo(s, 1, nil, `"z" | 0 | 2`)
	w.givesUpTo(s, 1, nil, `"u" | 0 | 3`)
	if n := fetches.Load(); n != 1 {
		t.Errorf("%d fetches", n)
	}
	if s.hub.cache.used.Len() != 0 || s.hub.cache.bytes != 0 {
		t.Errorf("%d blocks are kept, %d bytes", s.hub.cache.used.Len(), s.hub.cache.bytes)
	}
}

func TestCacheIsBounded(t *testing.T) {
	c := newCache(10 * blockOverhead)
	in := stretch{place: place{"a", 0}}
	for i := range int64(100) {
		c.put(in, &block{first: i * 10, next: i*10 + 10, bytes: 100})
		if c.get(in, 0) == nil && i < 9 || c.bytes > c.most {
			t.Fatalf("after block %d: %d bytes", i, c.bytes)
		}
	}
	if b := c.get(in, 995); b == nil || b.first != 990 {
		t.Error("the last block is gone")
	}
	if c.get(in, 5) != nil && c.get(in, 505) != nil || c.get(in, 1000) != nil || c.get(stretch{place: place{"a", 1}}, 995) != nil {
		t.Error("blocks are found that are not there")
	}
	if c.used.Len() > 10 || len(c.of[in]) != c.used.Len() {
		t.Errorf("%d blocks, %d in the list", c.used.Len(), len(c.of[in]))
	}
}

// Brokers that hang up, move partitions or are not ready are asked again.
func TestTransientFailures(t *testing.T) {
	w := newWorld(t, kfake.NumBrokers(2))
	w.topic("a", 1)
	w.write("a", 0, "x", "y")
	s := w.early("a", "retry_backoff_ms", "1")
	code := func(r kmsg.Request, code int16) kmsg.Response {
		resp := r.ResponseKind()
		switch resp := resp.(type) {
		case *kmsg.ListOffsetsResponse:
			req := r.(*kmsg.ListOffsetsRequest)
			rt := kmsg.NewListOffsetsResponseTopic()
			rt.Topic = req.Topics[0].Topic
			rp := kmsg.NewListOffsetsResponseTopicPartition()
			rp.ErrorCode = code
			rt.Partitions = append(rt.Partitions, rp)
			resp.Topics = append(resp.Topics, rt)
		case *kmsg.FetchResponse:
			req := r.(*kmsg.FetchRequest)
			rt := kmsg.NewFetchResponseTopic()
			rt.Topic, rt.TopicID = req.Topics[0].Topic, req.Topics[0].TopicID
			rp := kmsg.NewFetchResponseTopicPartition()
			rp.ErrorCode = code
			rt.Partitions = append(rt.Partitions, rp)
			resp.Topics = append(resp.Topics, rt)
		}
		return resp
	}
	notLeader := func(r kmsg.Request) kmsg.Response { return code(r, kerr.NotLeaderForPartition.Code) }
	w.fail(kmsg.ListOffsets, 2, notLeader)
	w.fail(kmsg.ListOffsets, 1, nil)
	w.fail(kmsg.Metadata, 1, nil)
	w.fail(kmsg.Fetch, 2, notLeader)
	w.fail(kmsg.Fetch, 1, nil)
	w.fail(kmsg.Fetch, 1, func(r kmsg.Request) kmsg.Response { return code(r, 0) }) // nothing there yet
	w.gives(s, `"x" | 0 | 0`, `"y" | 0 | 1`)
	w.must(w.fake.MoveTopicPartition("a", 0, 1-w.fake.LeaderFor("a", 0)))
	w.cl = w.client()
	w.write("a", 0, "z")
	w.gives(s, `"z" | 0 | 2`)

	short := w.early("a", "retry_backoff_ms", "1", "retry_timeout", "30 ms")
	w.fail(kmsg.Fetch, 1000, notLeader)
	r, _ := w.plan(short, source.Limits{}, nil)
	_, err := readRange(short, r, nil)
	wantError(t, err, "NOT_LEADER_FOR_PARTITION")
	w.fake.Close()
	_, _, err = short.Plan(context.Background(), source.Limits{}, nil)
	wantError(t, err, `source "k": `, "no answer from the brokers", "is one of them running")
}

// A reader that is stopped ends at once, and leaves nobody behind.
func TestStopped(t *testing.T) {
	w := newWorld(t)
	w.topic("a", 1)
	w.write("a", 0, "x")
	s := w.early("a")
	r, _ := w.plan(s, source.Limits{}, nil)
	ctx, cancel := context.WithCancel(context.Background())
	w.fake.ControlKey(int16(kmsg.Fetch), func(kmsg.Request) (kmsg.Response, error, bool) {
		cancel()
		return nil, nil, true // never answered
	})
	splits, err := s.Splits(ctx, r)
	w.must(err)
	if err := splits[0].Read(ctx, source.Reading{}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if p := splits[0].(source.PartitionSplit).Partition(); p != "a-0" || splits[0].Rows() != -1 {
		t.Errorf("partition %s", p)
	}
}

// Damaged batches are told with their place, whatever they look like.
func FuzzParse(f *testing.F) {
	f.Add(appendRecord(nil, []byte("k"), []byte("v")), int64(0))
	f.Add([]byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 60, 0, 0, 0, 0, 2, 1, 2, 3, 4, 0, 0}, int64(3))
	f.Fuzz(func(t *testing.T, in []byte, from int64) {
		for b, left := in, 100; len(b) > 0 && left > 0; left-- {
			r, size, ok := readRecord(b)
			if !ok {
				break
			}
			eachHeader(r.headers, func(_, _ []byte) {})
			b = b[size:]
		}
		resp := kmsg.NewFetchResponseTopicPartition()
		resp.RecordBatches = in
		if b, err := parse(&resp, from, true, nil); err == nil && b.next < from {
			t.Error(fmt.Sprint("the block ends before it begins: ", b.next))
		}
	})
}
