package redis

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	client "github.com/gomodule/redigo/redis"

	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/sink/marker"
)

// The script. KEYS: the marker, the stream, the set of the keys that complete mode has
// set. ARGV: the marker as it was read (” = none), the new marker, ttl in ms, length of
// the stream, '1' in complete mode; then the operations. It checks all that can fail
// before it writes, and writes the marker last. Its answer is 1, or the marker that it
// found instead.
const source = `
local have = redis.call('GET', KEYS[1]) or ''
if have ~= ARGV[1] then return have end
local ttl, most, all = tonumber(ARGV[3]), tonumber(ARGV[4]), ARGV[5] == '1'
local kind = redis.call('TYPE', KEYS[2])
if type(kind) == 'table' then kind = kind['ok'] end
local function keep(key)
  if ttl > 0 then redis.call('PEXPIRE', key, ttl) end
  if all then redis.call('SADD', KEYS[3], key) end
end
for i = 6, #ARGV do
  local op = cjson.decode(ARGV[i])
  local what = table.remove(op, 1)
  if what == 'entry' then
    if kind ~= 'none' and kind ~= 'stream' then
      return redis.error_reply('WRONGTYPE the key ' .. KEYS[2] .. ' holds no stream, but a ' .. kind)
    end
    if most > 0 then
      redis.call('XADD', KEYS[2], 'MAXLEN', '~', most, '*', unpack(op))
    else
      redis.call('XADD', KEYS[2], '*', unpack(op))
    end
  elseif what == 'del' then
    redis.call('DEL', op[1])
  elseif what == 'set' then
    redis.call('SET', op[1], op[2])
    keep(op[1])
  elseif what == 'hash' then
    local key = table.remove(op, 1)
    redis.call('DEL', key)
    if #op > 0 then redis.call('HSET', key, unpack(op)) keep(key) end
  elseif what == 'clear' then
    for _, key in ipairs(redis.call('SMEMBERS', KEYS[3])) do redis.call('DEL', key) end
    redis.call('DEL', KEYS[3])
  end
end
redis.call('SET', KEYS[1], ARGV[2])
return 1
`

// markerKey holds the record: one for each stream or prefix.
func (s *redisSink) markerKey() string {
	if s.cfg.Once {
		return "sqlstream:once:" + s.cfg.QueryID
	}
	if s.layout == asStream {
		return "sqlstream:commit:stream:" + s.stream
	}
	return "sqlstream:commit:keys:" + s.prefix
}

func (s *redisSink) keys() []string {
	return []string{s.markerKey(), s.stream, "sqlstream:keys:" + s.prefix}
}

// record reads the marker, and its text as it stands there.
func (s *redisSink) record(ctx context.Context) (*marker.Record, string, error) {
	text, err := client.String(s.do(ctx, "GET", s.markerKey()))
	switch {
	case errors.Is(err, client.ErrNil):
		return nil, "", nil
	case err != nil:
		return nil, "", err
	}
	r := &marker.Record{}
	if err := json.Unmarshal([]byte(text), r); err != nil {
		return nil, "", fmt.Errorf("the key %s does not hold a record of a batch: %w", s.markerKey(), err)
	}
	return r, text, nil
}

// Marker implements sink.Sink.
func (s *redisSink) Marker(ctx context.Context) (m sink.Marker, err error) {
	err = s.again(ctx, func() error {
		have, _, err := s.record(ctx)
		if err != nil {
			return err
		}
		m, err = s.rule.Marker(have)
		return err
	})
	return m, s.wrap(err)
}

// Discard implements sink.Sink: nothing was staged outside, but from now on older runs of
// the query are refused.
func (s *redisSink) Discard(ctx context.Context, b sink.Batch) error {
	return s.wrap(s.change(ctx, func(have *marker.Record) (*marker.Record, []any, error) {
		next, err := s.rule.Claim(have, b)
		return next, nil, err
	}))
}

// Publish implements sink.Sink.
func (s *redisSink) Publish(ctx context.Context, b sink.Batch, payload []byte) error {
	ops, err := s.operations(payload)
	if err != nil {
		return s.wrap(err)
	}
	err = s.change(ctx, func(have *marker.Record) (*marker.Record, []any, error) {
		next, err := s.rule.Next(have, b, payload)
		return next, ops, err
	})
	if err == nil && s.cfg.Once { // no later process asks
		err = s.again(ctx, func() error {
			_, err := s.do(ctx, "DEL", s.markerKey())
			return err
		})
	}
	return s.wrap(err)
}

// change runs the script with the record and the operations that decide gives; nil =
// nothing is to be done. Where the record has changed meanwhile, it decides again. A lost
// answer is such a case: the record tells the next try what became of it.
func (s *redisSink) change(ctx context.Context, decide func(have *marker.Record) (*marker.Record, []any, error)) error {
	script := client.NewScript(len(s.keys()), source)
	return s.again(ctx, func() error {
		for {
			have, text, err := s.record(ctx)
			if err != nil {
				return err
			}
			next, ops, err := decide(have)
			if err != nil || next == nil {
				return err
			}
			done, err := s.run(ctx, script, text, next, ops)
			if err != nil || done {
				return err
			}
		}
	})
}

// run runs the script; false: the marker was another one.
func (s *redisSink) run(ctx context.Context, script *client.Script, have string, next *marker.Record, ops []any) (bool, error) {
	text, err := json.Marshal(next)
	if err != nil {
		return false, err
	}
	all := "0"
	if s.cfg.Mode == sink.Complete {
		all = "1"
	}
	if mutant.On("redis: the marker is written before the rows") {
		if _, err := s.do(ctx, "SET", s.markerKey(), text); err != nil {
			return false, err
		}
		have = string(text)
	}
	args := slices.Concat(client.Args{}.AddFlat(s.keys()), []any{have, string(text), s.ttl.Milliseconds(), s.most, all}, ops)
	answer, err := s.with(ctx, func(c client.Conn) (any, error) { return script.DoContext(ctx, c, args...) })
	if err != nil {
		return false, err
	}
	n, ok := answer.(int64)
	return ok && n == 1, nil
}

// again tries do again after a transient failure.
func (s *redisSink) again(ctx context.Context, do func() error) error {
	wait := clock.Backoff{Clock: s.cfg.Clock, First: 50 * time.Millisecond, Most: 5 * time.Second, Limit: max(s.retry, 1)}
	for {
		err := do()
		if err == nil || ctx.Err() != nil || !transient(err) {
			return err
		}
		s.log.Warn("a batch is tried again", "query", s.cfg.Query, "sink", s.cfg.Name, "err", err)
		more, waitErr := wait.Wait(ctx, 0)
		if waitErr != nil {
			return waitErr
		}
		if !more {
			return fmt.Errorf("%w; given up after retry_timeout = %s", err, s.retry)
		}
	}
}
