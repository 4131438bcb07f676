package webhook

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/sink/staged"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// The payload, version 1: the byte 1, a byte that is 1 if the bodies are lines, the number
// of requests as a uvarint, then the length (uvarint) and the bytes of each body.
const version = 1

// mostBytes bounds a payload: it is in memory, and in the state log.
const mostBytes = 1 << 30

// Marker implements sink.Sink: what the receiver remembers is its own business.
func (s *Sink) Marker(context.Context) (sink.Marker, error) { return sink.Marker{ID: -1}, nil }

// Stage implements sink.Sink.
func (s *Sink) Stage(ctx context.Context, _ sink.Batch, rows func(func(*vec.Batch) error) error) ([]byte, error) {
	c := chunker{s: s}
	err := rows(func(b *vec.Batch) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		shown, err := staged.Show(s.cfg.Mode, b)
		if err != nil {
			return err
		}
		return s.json.Each(shown, func(_ int, text []byte) error { return c.add(text) })
	})
	if err != nil {
		return nil, s.wrap(err)
	}
	return c.finish(), nil
}

// chunker cuts rows into the bodies of requests.
type chunker struct {
	s      *Sink
	bodies [][]byte
	body   []byte // the one that is being made
	rows   int
	size   int
}

func (c *chunker) add(text []byte) error {
	if c.rows > 0 && (c.rows >= c.s.rows || len(c.body)+len(text)+2 > c.s.bytes) {
		c.cut()
	}
	switch {
	case c.s.lines:
		c.body = append(append(c.body, text...), '\n')
	case c.rows == 0:
		c.body = append(append(c.body, '['), text...)
	default:
		c.body = append(append(c.body, ',', '\n'), text...)
	}
	c.rows++
	if c.size += len(text) + 2; c.size > mostBytes {
		return fmt.Errorf("the output of one batch has more than %d MiB, which this sink keeps in memory; limit the batches with max_rows_per_trigger", mostBytes>>20)
	}
	return nil
}

func (c *chunker) cut() {
	if !c.s.lines {
		if c.rows == 0 {
			c.body = append(c.body, '[')
		}
		c.body = append(c.body, ']')
	}
	c.bodies = append(c.bodies, c.body)
	c.body, c.rows = nil, 0
}

// finish is the payload. In complete mode no rows are something to tell.
func (c *chunker) finish() []byte {
	if c.rows > 0 || c.s.cfg.Mode == sink.Complete && len(c.bodies) == 0 {
		c.cut()
	}
	out := []byte{version, 0}
	if c.s.lines {
		out[1] = 1
	}
	out = binary.AppendUvarint(out, uint64(len(c.bodies)))
	for _, b := range c.bodies {
		out = append(binary.AppendUvarint(out, uint64(len(b))), b...)
	}
	return out
}

func decodePayload(payload []byte) (bodies [][]byte, lines bool, err error) {
	if len(payload) < 3 || payload[0] != version {
		return nil, false, fmt.Errorf("payload of %d bytes is not of version %d", len(payload), version)
	}
	lines = payload[1] == 1
	n, used := binary.Uvarint(payload[2:])
	rest := payload[2+max(used, 0):]
	for i := uint64(0); used > 0 && i < n; i++ {
		var size uint64
		if size, used = binary.Uvarint(rest); used <= 0 || size > uint64(len(rest)-used) {
			used = 0
			break
		}
		bodies, rest = append(bodies, rest[used:used+int(size)]), rest[used+int(size):]
	}
	if used <= 0 || len(rest) > 0 {
		return nil, false, fmt.Errorf("payload of %d bytes does not hold what it says", len(payload))
	}
	return bodies, lines, nil
}

// Discard implements sink.Sink: nothing was staged outside.
func (s *Sink) Discard(context.Context, sink.Batch) error { return nil }
