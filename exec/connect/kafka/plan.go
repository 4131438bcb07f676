package kafka

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math/bits"
	"slices"
	"time"

	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/source"
)

// snapshot is where each partition ended when an AVAILABLE NOW query started.
type snapshot map[place]int64

// Snapshot implements source.Source.
func (s *Reader) Snapshot(ctx context.Context) (source.Snapshot, error) {
	ends, err := s.ends(ctx, true)
	if err != nil {
		return nil, s.wrap(err)
	}
	return snapshot(ends), nil
}

// ends finds the partitions, where those begin that are new, and where all end. A
// partition that vanished in between is noticed by looking again.
func (s *Reader) ends(ctx context.Context, force bool) (map[place]int64, error) {
	for try := 0; ; try++ {
		if err := s.discover(ctx, force || try > 0); err != nil {
			return nil, err
		}
		if err := s.begin(ctx); err != nil {
			return nil, err
		}
		ends, err := s.hub.ends(ctx, s.parts, s.opt.fetching.committed)
		if err != nil || len(ends) == len(s.parts) {
			return ends, err
		}
		if try == 3 {
			return nil, fmt.Errorf("brokers %s list partitions of %s that they do not have", s.opt.set.brokers, s.Description())
		}
	}
}

// Plan implements source.Source.
func (s *Reader) Plan(ctx context.Context, l source.Limits, upTo source.Snapshot) (source.Range, bool, error) {
	r, ok, err := s.plan(ctx, l, upTo)
	return r, ok, s.wrap(err)
}

func (s *Reader) plan(ctx context.Context, l source.Limits, upTo source.Snapshot) (source.Range, bool, error) {
	if s.Finished() {
		return source.Range{}, false, nil
	}
	ends, err := s.ends(ctx, false)
	if err != nil {
		return source.Range{}, false, err
	}
	if err := s.checkEnds(ctx, ends); err != nil {
		return source.Range{}, false, err
	}
	if s.cfg.Finite {
		if ends, err = s.bounded(ctx, ends); err != nil {
			return source.Range{}, false, err
		}
	}
	sizes := s.sizes(ends, upTo)
	if upTo == nil && s.mustWait(sizes) {
		return source.Range{}, false, nil
	}
	taken := share(sizes, l.Rows, s.turn)
	s.turn++
	s.backlog, s.left = 0, map[place]bool{}
	for i, n := range taken {
		s.backlog += sizes[i] - n
		s.left[s.parts[i]] = sizes[i] > n
	}
	return s.newRange(taken)
}

// Backlog implements source.Backlogged: offsets that limits have left.
func (s *Reader) Backlog() (int64, bool) { return s.backlog, true }

// checkEnds notices that a partition ends before the offset up to which it was read. Brokers
// that do not tell topics apart show so that one was deleted and created again.
func (s *Reader) checkEnds(ctx context.Context, ends map[place]int64) error {
	for _, p := range s.parts {
		at, end := s.at[p], ends[p]
		if end >= at {
			continue
		}
		if !s.logged {
			return fmt.Errorf("%s says %d for %s, which ends at offset %d", s.opt.start.option, at, p, end)
		}
		if err := s.discover(ctx, true); err != nil {
			return err
		}
		if now, ok := s.at[p]; !ok || now != at {
			return s.begin(ctx) // it is another topic, from its beginning
		}
		why := fmt.Sprintf("%s ends at offset %d, but was read up to offset %d: the topic was deleted and created again, or the brokers lost records", p, end, at)
		if s.opt.failOnLoss {
			return fmt.Errorf("%s; fail_on_data_loss = false goes on with what the partition has now, from its beginning", why)
		}
		s.lost(source.Loss{Partition: p.name(), From: at, To: -1, Reason: why})
		delete(s.at, p)
	}
	return s.begin(ctx)
}

// bounded gives the ends of a table.
func (s *Reader) bounded(ctx context.Context, ends map[place]int64) (map[place]int64, error) {
	want, err := s.resolve(ctx, s.opt.end, s.parts)
	if err != nil {
		return nil, err
	}
	for p, end := range want {
		if end > ends[p] {
			return nil, fmt.Errorf("%s says %d for %s, which ends at offset %d", s.opt.end.option, end, p, ends[p])
		}
	}
	s.done = true
	return want, nil
}

// sizes counts what is new in each partition, in the order of parts.
func (s *Reader) sizes(ends map[place]int64, upTo source.Snapshot) []int64 {
	out := make([]int64, len(s.parts))
	snap, bounded := upTo.(snapshot)
	for i, p := range s.parts {
		end := ends[p]
		if bounded {
			end = min(end, snap[p]) // 0 for what came later
		}
		out[i] = max(0, end-s.at[p])
	}
	return out
}

// mustWait reports that the new records wait for others, as min_offsets_per_trigger says.
func (s *Reader) mustWait(sizes []int64) bool {
	total := int64(0)
	for _, n := range sizes {
		total += n
	}
	now := s.cfg.Clock.Now()
	if total == 0 || total >= s.opt.minRows || s.cfg.Finite {
		s.waiting = time.Time{}
		return false
	}
	if s.waiting.IsZero() {
		s.waiting = now
	}
	if now.Sub(s.waiting) < s.opt.maxDelay {
		return true
	}
	s.waiting = time.Time{}
	return false
}

// share limits what is taken to a number of records, 0 = no limit. A partition gets its
// part of them by how much is new in it, as in Spark, and at least one: so none waits for
// ever. Where the limit does not reach all, turn decides who comes first.
func share(sizes []int64, limit int64, turn int) []int64 {
	total, busy := int64(0), int64(0)
	for _, n := range sizes {
		total += n
		busy += min(n, 1)
	}
	if limit <= 0 || total <= limit || mutant.On("kafka: a limit of rows is forgotten") {
		return sizes
	}
	out := make([]int64, len(sizes))
	rest := limit
	for i := range sizes {
		at := (i + turn) % len(sizes)
		if sizes[at] > 0 && rest > 0 {
			out[at] = 1
			rest--
		}
	}
	spread := rest
	for i, n := range sizes {
		if total > busy && n > 0 {
			hi, lo := bits.Mul64(uint64(spread), uint64(n-1))
			more, _ := bits.Div64(hi, lo, uint64(total-busy))
			out[i] += int64(more)
			rest -= int64(more)
		}
	}
	for _, i := range largest(sizes) {
		more := min(rest, sizes[i]-out[i])
		out[i] += more
		rest -= more
	}
	return out
}

// largest lists the indexes of numbers, that of the greatest one first.
func largest(sizes []int64) []int {
	out := make([]int, len(sizes))
	for i := range out {
		out[i] = i
	}
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(sizes[b], sizes[a]) })
	return out
}

// newRange takes so many offsets of each partition. A query that begins where the topics end
// now has a first range without records: it begins there after a crash too.
func (s *Reader) newRange(taken []int64) (source.Range, bool, error) {
	o := offsets{}
	var r source.Range
	for i, p := range s.parts {
		next := s.at[p] + taken[i]
		if o[p.topic] == nil {
			o[p.topic] = map[int32]int64{}
		}
		o[p.topic][p.partition] = next
		if taken[i] == 0 {
			continue
		}
		line, err := json.Marshal(entry{p.topic, p.partition, s.at[p], next, s.ids[p.topic]})
		if err != nil {
			return r, false, err
		}
		r.Entries = append(r.Entries, line)
		s.at[p] = next
	}
	first := !s.logged && s.cfg.Replay && !s.cfg.Finite && s.opt.start.moving() && !mutant.On("kafka: where a new query begins is not logged")
	if len(r.Entries) == 0 && !first {
		return r, false, nil
	}
	var err error
	r.Offset, err = json.Marshal(o)
	s.logged, s.waiting = true, time.Time{}
	return r, true, err
}
