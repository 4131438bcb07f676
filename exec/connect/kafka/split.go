package kafka

import (
	"context"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// splitOffsets is how many offsets are read as one unit: a partition with more is read by
// several workers.
const splitOffsets = 1 << 17

// part is a run of offsets of a partition. It implements source.PartitionSplit.
type part struct {
	s        *Reader
	in       stretch
	from, to int64
}

// Splits implements source.Source.
func (s *Reader) Splits(_ context.Context, r source.Range) ([]source.Split, error) {
	entries, err := decodeEntries(r)
	if err != nil {
		return nil, s.wrap(err)
	}
	var out []source.Split
	for _, e := range entries {
		in := stretch{e.place(), e.ID, s.opt.fetching.committed}
		for from := e.From; from < e.To; from += splitOffsets {
			out = append(out, &part{s, in, from, min(from+splitOffsets, e.To)})
		}
	}
	return out, nil
}

// Partition implements source.PartitionSplit.
func (p *part) Partition() string { return p.in.place.name() }

// Rows implements source.Split: offsets may be without a record.
func (p *part) Rows() int64 { return -1 }

// Read implements source.Split.
func (p *part) Read(ctx context.Context, rd source.Reading, emit func(*vec.Batch) error) error {
	var refused error // emit's own error goes back as it is
	err := p.read(ctx, rd, func(b *vec.Batch) error {
		refused = emit(b)
		return refused
	})
	if refused != nil {
		return refused
	}
	return p.s.wrap(advised(err))
}

// advised says what can be done about a record that cannot be decoded.
func advised(err error) error {
	var row *format.RowError
	if errors.As(err, &row) {
		return fmt.Errorf("%w; on_error = 'skip' goes on without such rows, and counts them", err)
	}
	return err
}

func (p *part) read(ctx context.Context, rd source.Reading, emit func(*vec.Batch) error) error {
	g := newGather(ctx, p, rd, emit)
	a := p.ahead(ctx)
	defer a.stop()
	at := p.from
	a.ask(at)
	for at < p.to {
		b, err := a.answer()
		if err != nil {
			if at, err = p.missing(ctx, at, err); err != nil {
				return err
			}
			if at < p.to {
				a.ask(at)
			}
			continue
		}
		if b.next < p.to {
			a.ask(b.next)
		}
		if err := g.block(b, at, p.to); err != nil {
			return err
		}
		p.leave(b)
		at = b.next
	}
	return g.flush()
}

// leave keeps the end of a block that lies beyond the range for the next trigger.
func (p *part) leave(b *block) {
	switch h := p.s.hub; {
	case b.next > p.to:
		h.cache.put(p.in, b)
	case !h.shared():
		h.cache.remove(p.in, b)
	}
}

// missing explains why an offset cannot be read. If the query may go on without what is
// gone, it notes that and gives the offset where reading goes on.
func (p *part) missing(ctx context.Context, at int64, err error) (next int64, _ error) {
	next, why := p.to, ""
	switch {
	case errors.Is(err, kerr.OffsetOutOfRange):
		starts, err := p.s.hub.list(ctx, []place{p.in.place}, atStart, false)
		if err != nil {
			return 0, err
		}
		why = "they were not kept long enough (retention), or were deleted"
		if start, ok := starts[p.in.place]; ok && start > at {
			next = min(next, start)
		} else {
			why = "the brokers lost them"
		}
	case errors.Is(err, errRecreated), errors.Is(err, kerr.UnknownTopicID), errors.Is(err, kerr.InconsistentTopicID):
		why = "the topic was deleted and created again"
	case errors.Is(err, kerr.UnknownTopicOrPartition):
		why = "the topic was deleted"
	default:
		return 0, err
	}
	p.s.hub.forget(p.in.topic)
	text := fmt.Sprintf("%s: offsets %d to %d (%d) are gone: %s", p.in.place, at, next-1, next-at, why)
	if p.s.opt.failOnLoss {
		return 0, fmt.Errorf("%s. fail_on_data_loss = false goes on without them, and reports them", text)
	}
	p.s.lost(source.Loss{Partition: p.in.place.name(), From: at, To: next, Reason: text})
	return next, nil
}

// ahead asks for a block while the one before is being decoded.
type ahead struct {
	p      *part
	ctx    context.Context // of one call of Read
	cancel context.CancelFunc
	got    chan answer
	asked  bool
}

type answer struct {
	b   *block
	err error
}

func (p *part) ahead(ctx context.Context) *ahead {
	a := &ahead{p: p, got: make(chan answer, 1)}
	a.ctx, a.cancel = context.WithCancel(ctx)
	return a
}

// ask begins to get the block of an offset. What is in memory needs no goroutine.
func (a *ahead) ask(at int64) {
	a.asked = true
	p := a.p
	if b := p.s.hub.cache.get(p.in, at); b != nil {
		a.got <- answer{b, nil}
		return
	}
	go func() {
		b, err := p.s.hub.block(a.ctx, p.in, at, p.s.opt.fetching)
		a.got <- answer{b, err}
	}()
}

// answer waits for what was asked for.
func (a *ahead) answer() (*block, error) {
	x := <-a.got
	a.asked = false
	return x.b, x.err
}

// stop ends a request that nobody waits for any more.
func (a *ahead) stop() {
	a.cancel()
	if a.asked {
		<-a.got
	}
}
