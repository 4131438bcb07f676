package redis_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"github.com/sqlstream/sqlstream/exec/connect/redis"
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/sink/sinktest"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

var cols = sinktest.Columns(types.String, types.Int64)

func opener(srv string, mode sink.Mode, opts ...string) func() (sink.Sink, error) {
	return func() (sink.Sink, error) {
		c := sinktest.Config(mode, cols, []int{0}, append([]string{"address", srv}, opts...)...)
		return redis.Sink().Open(context.Background(), c)
	}
}

func mustOpen(t *testing.T, open func() (sink.Sink, error)) sink.Sink {
	t.Helper()
	s, err := open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func write(t *testing.T, s sink.Sink, id int64, batches ...*vec.Batch) {
	t.Helper()
	if _, err := sinktest.Write(s, sink.Batch{ID: id, Epoch: 1}, batches...); err != nil {
		t.Fatal(err)
	}
}

// content is all that the sink has written, without its own keys.
func content(srv *miniredis.Miniredis) string {
	var out []string
	for _, k := range srv.Keys() {
		if strings.HasPrefix(k, "sqlstream:") {
			continue
		}
		switch srv.Type(k) {
		case "hash":
			fields, _ := srv.HKeys(k)
			slices.Sort(fields)
			text := k
			for _, f := range fields {
				text += " " + f + "=" + srv.HGet(k, f)
			}
			out = append(out, text)
		case "string":
			v, _ := srv.Get(k)
			out = append(out, k+" "+v)
		case "stream":
			entries, _ := srv.Stream(k)
			for _, e := range entries {
				out = append(out, k+" "+strings.Join(e.Values, " "))
			}
		}
	}
	return strings.Join(out, "; ")
}

func same(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestHashesFollowTheKeys(t *testing.T) {
	srv := miniredis.RunT(t)
	s := mustOpen(t, opener(srv.Addr(), sink.Update))
	write(t, s, 0, sinktest.Batch(cols, []any{"x", 1}, []any{"y", 2}))
	same(t, content(srv), "result:x a=x b=1; result:y a=y b=2")
	write(t, s, 1, sinktest.Weighted(sinktest.Batch(cols, []any{"y", 2}, []any{"x", nil}), -1, 1))
	same(t, content(srv), "result:x a=x")
	m, err := s.Marker(context.Background())
	if err != nil || !m.OK || m.ID != 1 || m.Digest == "" {
		t.Error(m, err)
	}
}

func TestJSONAndTTL(t *testing.T) {
	srv := miniredis.RunT(t)
	s := mustOpen(t, opener(srv.Addr(), sink.Update, "layout", "json", "prefix", "p/", "ttl", "5 s"))
	write(t, s, 0, sinktest.Batch(cols, []any{"a:b%", 1}, []any{nil, nil}))
	same(t, content(srv), `p/%00 {"a":null,"b":null}; p/a:b%25 {"a":"a:b%","b":1}`)
	srv.FastForward(6 * time.Second)
	same(t, content(srv), "")
}

func TestStreamModes(t *testing.T) {
	srv := miniredis.RunT(t)
	s := mustOpen(t, opener(srv.Addr(), sink.Append, "layout", "stream"))
	write(t, s, 0, sinktest.Weighted(sinktest.Batch(cols, []any{"x", 1}, []any{"y", nil}), 2, 1))
	same(t, content(srv), "result a x b 1; result a x b 1; result a y")
	s = mustOpen(t, opener(srv.Addr(), sink.Changelog, "layout", "stream", "prefix", "log"))
	write(t, s, 0, sinktest.Weighted(sinktest.Batch(cols, []any{"x", 1}, []any{"x", 2}), -1, 1))
	if got := content(srv); !strings.HasPrefix(got, "log a x b 1 weight -1; log a x b 2 weight 1") {
		t.Error(got)
	}
}

func TestCompleteReplacesWhatItWrote(t *testing.T) {
	srv := miniredis.RunT(t)
	if err := srv.Set("result:other", "stays"); err != nil {
		t.Fatal(err)
	}
	s := mustOpen(t, opener(srv.Addr(), sink.Complete))
	write(t, s, 0, sinktest.Batch(cols, []any{"x", 1}, []any{"y", 2}))
	write(t, s, 1, sinktest.Batch(cols, []any{"z", 3}))
	same(t, content(srv), "result:other stays; result:z a=z b=3")
	write(t, s, 2)
	same(t, content(srv), "result:other stays")
}

// loop writes two counters a batch into hashes and one line into each batch's stream entry.
func loop(srv *miniredis.Miniredis, addr, layout string) *sinktest.Loop {
	mode := sink.Update
	if layout == "stream" {
		mode = sink.Append
	}
	return &sinktest.Loop{
		Open: opener(addr, mode, "layout", layout),
		Rows: func(n int64) []*vec.Batch {
			switch {
			case n == 2:
				return nil
			case n == 4 && layout != "stream":
				return []*vec.Batch{sinktest.Weighted(sinktest.Batch(cols, []any{"k", 3}, []any{"n3", 3}), -1, -1)}
			}
			return []*vec.Batch{sinktest.Batch(cols, []any{"k", int(n)}), sinktest.Batch(cols, []any{fmt.Sprintf("n%d", n), int(n)})}
		},
		Check: func(last int64) error {
			var want []string
			for n := int64(0); n <= last; n++ {
				switch {
				case n == 2:
				case layout == "stream":
					want = append(want, fmt.Sprintf("result a k b %d", n), fmt.Sprintf("result a n%d b %d", n, n))
				case n == 4:
					want = slices.DeleteFunc(want, func(s string) bool { return strings.Contains(s, ":k ") || strings.Contains(s, ":n3 ") })
				default:
					want = slices.DeleteFunc(want, func(s string) bool { return strings.Contains(s, ":k ") })
					want = append([]string{fmt.Sprintf("result:k a=k b=%d", n)}, append(want, fmt.Sprintf("result:n%d a=n%d b=%d", n, n, n))...)
				}
			}
			if layout != "stream" {
				slices.Sort(want)
			}
			if got := content(srv); got != strings.Join(want, "; ") {
				return fmt.Errorf("after batch %d there is %s\nwant %s", last, got, strings.Join(want, "; "))
			}
			return nil
		},
	}
}

// crashes goes through all steps with a crash between any two.
func crashes(t *testing.T, layout string) error {
	srv := miniredis.RunT(t)
	l := loop(srv, srv.Addr(), layout)
	return errors.Join(l.CrashEverywhere(6), l.Zombie("was taken over by a newer run of the query"))
}

// cuts cuts the connection at every few bytes of a run, before and after the server has
// done what it was told: the sink finds out.
func cuts(t *testing.T, layout string, step int64) error {
	srv := miniredis.RunT(t)
	p := sinktest.NewProxy(t, srv.Addr())
	if err := loop(srv, p.Addr, layout).Run(2, sinktest.Recovered); err != nil {
		return err
	}
	for at, size := int64(1), p.Moved(); at < size; at += step {
		srv.FlushAll()
		l := loop(srv, p.Addr, layout)
		p.CutAfter(at)
		err := l.Run(3, sinktest.Recovered)
		p.CutAfter(-1)
		if sinktest.Has(err, "cannot be reached") == "" { // it was opening, which is not tried again
			err = nil
		}
		if err = errors.Join(err, l.Run(4, sinktest.Published), l.Check(4)); err != nil {
			return fmt.Errorf("cut at byte %d: %w", at, err)
		}
	}
	return nil
}

func TestCrashAtEveryStep(t *testing.T) {
	for _, layout := range []string{"hash", "stream"} {
		if err := errors.Join(crashes(t, layout), cuts(t, layout, 29)); err != nil {
			t.Error(layout, err)
		}
	}
}

func TestRefusals(t *testing.T) {
	srv := miniredis.RunT(t)
	for want, open := range map[string]func() (sink.Sink, error){
		"does not take complete mode":     opener(srv.Addr(), sink.Complete, "layout", "stream"),
		"does not take changelog mode":    opener(srv.Addr(), sink.Changelog),
		"a stream has no ttl":             opener(srv.Addr(), sink.Append, "layout", "stream", "ttl", "1 s"),
		"max_length is for":               opener(srv.Addr(), sink.Update, "max_length", "5"),
		`no column "zz"`:                  opener(srv.Addr(), sink.Update, "key", "zz"),
		"must name the key of the result": opener(srv.Addr(), sink.Update, "key", "b"),
		"cannot be reached":               opener("127.0.0.1:1", sink.Update),
	} {
		if _, err := open(); sinktest.Has(err, want) != "" {
			t.Error(sinktest.Has(err, want))
		}
	}
	c := sinktest.Config(sink.Append, cols, nil, "address", srv.Addr())
	if _, err := redis.Sink().Open(context.Background(), c); sinktest.Has(err, "set the option key") != "" {
		t.Error(err)
	}
}

func TestSecretsStaySecret(t *testing.T) {
	srv := miniredis.RunT(t)
	srv.RequireAuth("right")
	s, err := opener(srv.Addr(), sink.Update, "password", "s3cret")()
	if s != nil || sinktest.Has(err, "check the options user and password") != "" || strings.Contains(err.Error(), "s3cret") {
		t.Error(err)
	}
}

func TestOwnersAndForeignKeys(t *testing.T) {
	srv := miniredis.RunT(t)
	write(t, mustOpen(t, opener(srv.Addr(), sink.Update)), 0, sinktest.Batch(cols, []any{"x", 1}))
	c := sinktest.Config(sink.Update, cols, []int{0}, "address", srv.Addr())
	c.QueryID, c.Query = "other", "other"
	s, err := redis.Sink().Open(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Marker(context.Background()); sinktest.Has(err, `belongs to query "counts"`, "adopt_sink") != "" {
		t.Error(err)
	}
	if _, err := sinktest.Write(s, sink.Batch{ID: 7, Epoch: 1}, sinktest.Batch(cols, []any{"x", 2})); sinktest.Has(err, "belongs to") != "" {
		t.Error(err)
	}
	c.Adopt = true
	s = mustOpen(t, func() (sink.Sink, error) { return redis.Sink().Open(context.Background(), c) })
	write(t, s, 7, sinktest.Batch(cols, []any{"x", 2}))
	same(t, content(srv), "result:x a=x b=2")
}

// A query without a checkpoint writes beside the owner, and leaves nothing of its own.
func TestOnce(t *testing.T) {
	srv := miniredis.RunT(t)
	write(t, mustOpen(t, opener(srv.Addr(), sink.Update)), 0, sinktest.Batch(cols, []any{"x", 1}))
	c := sinktest.Config(sink.Update, cols, []int{0}, "address", srv.Addr())
	c.QueryID, c.Once = "other", true
	s := mustOpen(t, func() (sink.Sink, error) { return redis.Sink().Open(context.Background(), c) })
	if m, err := s.Marker(context.Background()); m.OK || err != nil {
		t.Error(m, err)
	}
	keys := len(srv.Keys())
	write(t, s, 0, sinktest.Batch(cols, []any{"x", 2}))
	write(t, s, 1, sinktest.Batch(cols, []any{"x", 3}))
	same(t, content(srv), "result:x a=x b=3")
	if len(srv.Keys()) != keys {
		t.Error(srv.Keys())
	}
}

// A stream's name that something else has is found before anything is written.
func TestWrongTypeWritesNothing(t *testing.T) {
	srv := miniredis.RunT(t)
	if err := srv.Set("result", "text"); err != nil {
		t.Fatal(err)
	}
	s := mustOpen(t, opener(srv.Addr(), sink.Append, "layout", "stream"))
	if _, err := sinktest.Write(s, sink.Batch{Epoch: 1}, sinktest.Batch(cols, []any{"x", 2})); sinktest.Has(err, "holds no stream") != "" {
		t.Error(err)
	}
	if m, err := s.Marker(context.Background()); m.OK || err != nil {
		t.Error(m, err)
	}
}
