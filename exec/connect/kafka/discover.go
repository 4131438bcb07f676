package kafka

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/source"
)

// discover finds the partitions that are read, now and then or when it is forced to.
func (s *Reader) discover(ctx context.Context, force bool) error {
	now := s.cfg.Clock.Now()
	if !force && s.parts != nil && now.Before(s.lookAgain) {
		return nil
	}
	var names []string
	if s.opt.pattern == nil {
		names = s.opt.topics
	}
	found, err := s.hub.look(ctx, names)
	if err != nil {
		return err
	}
	if s.opt.pattern != nil {
		maps.DeleteFunc(found, func(name string, _ topic) bool { return !s.opt.pattern.MatchString(name) })
	}
	if err := s.compare(found); err != nil {
		return err
	}
	if s.parts, err = s.partitions(found); err != nil {
		return err
	}
	s.lookAgain = now.Add(s.opt.discovery)
	return nil
}

// compare notices topics that are gone, or are not what they were.
func (s *Reader) compare(found map[string]topic) error {
	for _, name := range s.opt.topics {
		if _, ok := found[name]; !ok && !s.began(name) && !s.away[name] {
			return fmt.Errorf("topic %q does not exist at the brokers %s; create it, or correct topic", name, s.opt.set.brokers)
		}
	}
	for _, name := range s.begun() {
		t, ok := found[name]
		old, was := s.ids[name]
		switch {
		case !ok && !s.reads(name): // it is not asked for any more
			s.drop(name)
		case !ok:
			if err := s.gone(name, "topic %s was deleted"); err != nil {
				return err
			}
		case was && old != t.id && old != topicID{} && t.id != topicID{} && !mutant.On("kafka: another topic of the same name is taken for it"):
			if err := s.gone(name, "topic %s was deleted and created again"); err != nil {
				return err
			}
		}
	}
	for name, t := range found {
		s.ids[name] = t.id
		delete(s.away, name)
	}
	return nil
}

// reads reports that the options ask for a topic.
func (s *Reader) reads(name string) bool {
	if s.opt.pattern != nil {
		return s.opt.pattern.MatchString(name)
	}
	return slices.Contains(s.opt.topics, name)
}

// begun lists the topics that have been read.
func (s *Reader) begun() []string {
	names := map[string]bool{}
	for p := range s.at {
		names[p.topic] = true
	}
	return sortedKeys(names)
}

func (s *Reader) began(name string) bool { return slices.Contains(s.begun(), name) }

// drop forgets how far a topic was read.
func (s *Reader) drop(name string) {
	maps.DeleteFunc(s.at, func(p place, _ int64) bool { return p.topic == name })
	delete(s.ids, name)
}

// gone deals with a topic of which nothing more can be read: an error, or a loss. A topic
// that has its name is then read from its beginning.
func (s *Reader) gone(name, why string) error {
	why = fmt.Sprintf(why, name)
	var parts []place
	for p := range s.at {
		if p.topic == name {
			parts = append(parts, p)
		}
	}
	sortPlaces(parts)
	if s.opt.failOnLoss {
		var read []string
		for _, p := range parts {
			read = append(read, fmt.Sprintf("%d to offset %d", p.partition, s.at[p]))
		}
		return fmt.Errorf("%s; its partitions were read: %s; what came after that is lost. "+
			"fail_on_data_loss = false goes on without it, and reads a topic of this name from its beginning", why, strings.Join(read, ", "))
	}
	for _, p := range parts {
		s.lost(source.Loss{Partition: p.name(), From: s.at[p], To: -1, Reason: why})
	}
	s.drop(name)
	s.away[name] = true
	return nil
}

// partitions lists those that are read.
func (s *Reader) partitions(found map[string]topic) ([]place, error) {
	out := []place{}
	for _, name := range sortedKeys(found) {
		for p := range found[name].leaders {
			if s.opt.assign == nil || slices.Contains(s.opt.assign[name], int32(p)) {
				out = append(out, place{name, int32(p)})
			}
		}
	}
	for name, ps := range s.opt.assign {
		t, ok := found[name]
		if last := ps[len(ps)-1]; ok && int(last) >= len(t.leaders) {
			return nil, fmt.Errorf("topic %s has no partition %d, which assign names: it has %d", name, last, len(t.leaders))
		}
	}
	maps.DeleteFunc(s.at, func(p place, _ int64) bool { return !slices.Contains(out, p) })
	return out, nil
}

// begin settles where partitions that were not read yet begin: a new query as its options
// say, a partition that came later at its first record.
func (s *Reader) begin(ctx context.Context) error {
	var fresh []place
	for _, p := range s.parts {
		if _, ok := s.at[p]; !ok {
			fresh = append(fresh, p)
		}
	}
	if len(fresh) == 0 && s.at != nil {
		return nil
	}
	b := bound{at: atStart}
	if s.at == nil {
		b = s.opt.start
	} else if mutant.On("kafka: a new partition begins at its end") {
		b.at = atEnd
	}
	starts, err := s.resolve(ctx, b, fresh)
	if err != nil {
		return err
	}
	if s.at == nil {
		s.at = map[place]int64{}
	}
	maps.Copy(s.at, starts)
	return nil
}

// resolve makes offsets of a bound.
func (s *Reader) resolve(ctx context.Context, b bound, parts []place) (map[place]int64, error) {
	out := map[place]int64{}
	times := map[int64][]place{}
	for _, p := range parts {
		at := b.at
		if b.onlyFor {
			var ok bool
			if at, ok = b.each[p.topic][p.partition]; !ok {
				return nil, fmt.Errorf("%s says nothing of %s", b.option, p)
			}
			if !b.isTime && at >= 0 {
				out[p] = at
				continue
			}
		}
		times[at] = append(times[at], p)
	}
	if err := b.surplus(parts); err != nil {
		return nil, err
	}
	for at, ps := range times {
		if err := s.resolveTime(ctx, at, ps, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// surplus refuses a bound for a partition that is not there.
func (b bound) surplus(parts []place) error {
	for _, t := range sortedKeys(b.each) {
		for p := range b.each[t] {
			if !slices.Contains(parts, place{t, p}) {
				return fmt.Errorf("%s names %s, which is not read", b.option, place{t, p})
			}
		}
	}
	return nil
}

// resolveTime adds the offsets of a time to out.
func (s *Reader) resolveTime(ctx context.Context, at int64, parts []place, out map[place]int64) error {
	found, err := s.hub.list(ctx, parts, at, s.opt.fetching.committed)
	if err != nil {
		return err
	}
	var later []place
	for _, p := range parts {
		offset, ok := found[p]
		switch {
		case !ok:
			return fmt.Errorf("%s is gone", p)
		case offset < 0:
			later = append(later, p)
		default:
			out[p] = offset
		}
	}
	if len(later) == 0 {
		return nil
	}
	return s.resolveTime(ctx, atEnd, later, out)
}
