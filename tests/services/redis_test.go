//go:build services

package services

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	client "github.com/redis/go-redis/v9"

	"github.com/sqlstream/sqlstream/exec/connect/redis"
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/sink/sinktest"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// redisWorld is a prefix of one test in the shared server.
type redisWorld struct {
	*testing.T
	addr, prefix string
	db           *client.Client
}

func newRedis(t *testing.T, env ...string) *redisWorld {
	t.Helper()
	w := &redisWorld{T: t, addr: Start(t, "redis", env...)["REDIS_ADDR"], prefix: fmt.Sprintf("t%d", time.Now().UnixNano())}
	w.db = client.NewClient(&client.Options{Addr: w.addr})
	t.Cleanup(func() {
		ctx := context.Background()
		if keys, err := w.db.Keys(ctx, "*"+w.prefix+"*").Result(); err == nil && len(keys) > 0 {
			w.db.Del(ctx, keys...)
		}
		_ = w.db.Close()
	})
	return w
}

// content is all that the sink has written.
func (w *redisWorld) content(layout string) (string, error) {
	ctx := context.Background()
	var out []string
	if layout == "stream" {
		entries, err := w.db.XRange(ctx, w.prefix, "-", "+").Result()
		for _, e := range entries {
			out = append(out, fmt.Sprintf("%s %s", e.Values["k"], e.Values["n"]))
		}
		return strings.Join(out, "; "), err
	}
	keys, err := w.db.Keys(ctx, w.prefix+"*").Result()
	if err != nil {
		return "", err
	}
	for _, k := range keys {
		fields, err := w.db.HGetAll(ctx, k).Result()
		if err != nil {
			return "", err
		}
		out = append(out, fields["k"]+" "+fields["n"])
	}
	slices.Sort(out)
	return strings.Join(out, "; "), nil
}

func (w *redisWorld) loop(addr, layout string) *sinktest.Loop {
	mode := sink.Update
	if layout == "stream" {
		mode = sink.Append
	}
	c := sinktest.Config(mode, keyed, []int{0}, "address", addr, "layout", layout, "prefix", w.prefix)
	return &sinktest.Loop{
		Open: func() (sink.Sink, error) { return redis.Sink().Open(context.Background(), c) },
		Rows: func(n int64) []*vec.Batch {
			return []*vec.Batch{sinktest.Batch(keyed, []any{fmt.Sprintf("n%02d", n), int(n)}, []any{fmt.Sprintf("o%02d", n), int(n)})}
		},
		Check: func(last int64) error {
			var want []string
			for n := range last + 1 {
				want = append(want, fmt.Sprintf("n%02d %d", n, n), fmt.Sprintf("o%02d %d", n, n))
			}
			if layout != "stream" {
				slices.Sort(want)
			}
			got, err := w.content(layout)
			if err == nil && got != strings.Join(want, "; ") {
				err = fmt.Errorf("after batch %d there is %s\nwant %s", last, got, strings.Join(want, "; "))
			}
			return err
		},
	}
}

func TestRedisCrashAtEveryStep(t *testing.T) {
	for _, layout := range []string{"hash", "stream"} {
		w := newRedis(t)
		l := w.loop(w.addr, layout)
		if err := errors.Join(l.CrashEverywhere(5), l.Zombie("was taken over by a newer run of the query")); err != nil {
			t.Error(layout, err)
		}
	}
}

func TestRedisCuts(t *testing.T) {
	for _, layout := range []string{"hash", "stream"} {
		w := newRedis(t)
		p := sinktest.NewProxy(t, w.addr)
		if err := w.loop(p.Addr, layout).Run(2, sinktest.Recovered); err != nil {
			t.Fatal(err)
		}
		for at, size := int64(1), p.Moved(); at < size; at += 41 {
			if keys := w.db.Keys(t.Context(), "*"+w.prefix+"*").Val(); len(keys) > 0 {
				w.db.Del(t.Context(), keys...)
			}
			l := w.loop(p.Addr, layout)
			p.CutAfter(at)
			err := l.Run(3, sinktest.Recovered)
			p.CutAfter(-1)
			if sinktest.Has(err, "cannot be reached") == "" { // it was opening, which is not tried again
				err = nil
			}
			if err = errors.Join(err, l.Run(4, sinktest.Published), l.Check(4)); err != nil {
				t.Fatalf("%s, cut at byte %d of %d: %v", layout, at, size, err)
			}
		}
	}
}

// A large batch goes in one script.
func TestRedisLargeBatch(t *testing.T) {
	w := newRedis(t)
	s, err := redis.Sink().Open(t.Context(), sinktest.Config(sink.Complete, keyed, []int{0}, "address", w.addr, "layout", "json", "prefix", w.prefix))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var rows [][]any
	for i := range 50_000 {
		rows = append(rows, []any{fmt.Sprintf("k%d", i), i})
	}
	for id, n := range []int{50_000, 3} {
		if _, err := sinktest.Write(s, sink.Batch{ID: int64(id), Epoch: 1}, sinktest.Batch(keyed, rows[:n]...)); err != nil {
			t.Fatal(err)
		}
		if keys := w.db.Keys(t.Context(), w.prefix+"*").Val(); len(keys) != n {
			t.Errorf("%d keys, want %d", len(keys), n)
		}
	}
}

// A server that has lost its memory is found out, and so is a full one.
func TestRedisFailures(t *testing.T) {
	env := []string{"SERVICES_DATA=" + t.TempDir(), "REDIS_PORT=26399", "REDIS_APPENDONLY=yes"}
	w := newRedis(t, env...)
	t.Cleanup(func() { Stop(t, "redis", env...) })
	l := w.loop(w.addr, "stream")
	if err := l.Run(3, sinktest.Logged); err != nil {
		t.Fatal(err)
	}
	w.db.Do(t.Context(), "WAITAOF", 1, 0, 1000) // newer servers; the others have it within a second
	w.db.ConfigSet(t.Context(), "appendfsync", "always")
	w.db.Set(t.Context(), "flush", "1", 0)
	Kill(t, "redis", env...)
	if err := l.Run(4, sinktest.Opened); sinktest.Has(err, "cannot be reached", "start it") != "" {
		t.Error(err)
	}
	Start(t, "redis", env...)
	if err := errors.Join(l.Run(5, sinktest.Published), l.Check(5)); err != nil {
		t.Error(err)
	}
	used := w.db.InfoMap(t.Context(), "memory").Item("Memory", "used_memory")
	w.db.ConfigSet(t.Context(), "maxmemory", used)
	if err := l.Run(6, sinktest.Published); sinktest.Has(err, "OOM") != "" {
		t.Error(err)
	}
	w.db.ConfigSet(t.Context(), "maxmemory", "0")
	if err := l.Check(5); err != nil {
		t.Error(err)
	}
	w.db.FlushAll(t.Context())
	if err := l.Run(8, sinktest.Opened); sinktest.Has(err, "the marker is") != "" {
		t.Error(err)
	}
}
