package trigger

import (
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/incremental/build"
	"github.com/sqlstream/sqlstream/incremental/stateful"
)

// idleFrees reports that a scan, or a partition of one, has become idle since the last
// trigger, and another one, which is not, need not wait for it any more. Where all are
// idle the watermark stands.
func (q *Query) idleFrees(now int64) bool {
	fell, awake := false, false
	note := func(was, is bool) {
		fell, awake = fell || is && !was, awake || !is
	}
	for _, in := range q.Inputs {
		for _, s := range in.Scans {
			switch {
			case s.Plan.Watermark == nil || s.Ended:
			case s.Partitions == nil:
				note(s.Idle, isIdle(s, in.arrived, now))
			}
			for _, p := range s.Partitions {
				note(p.Idle, isIdle(s, p.Arrived, now))
			}
		}
	}
	return fell && awake
}

// noteStart makes now the moment from which silence of an input counts.
func (q *Query) noteStart(now int64) {
	for _, in := range q.Inputs {
		if in.arrived == 0 {
			in.arrived = now
		}
	}
}

// isIdle reports that what delivered last at arrived does not hold the scan back any more.
func isIdle(s *build.Scan, arrived, now int64) bool {
	w := s.Plan.Watermark
	return w != nil && w.IdleTimeout > 0 && now-arrived >= w.IdleTimeout
}

// empty reports a partition that has never had a row, under a trigger that reads what is
// there and ends: nobody will wait for its first one. Rule W8a.
func (in *Input) empty(s *build.Scan, p *build.Partition) bool {
	return in.upTo != nil && s.Plan.Watermark.IdleTimeout > 0 && !p.Found && p.Watermark == stateful.NoFrontier
}

// settleIdle finds out who is idle at a batch, which takes r if ok.
func (in *Input) settleIdle(r source.Range, ok bool, now int64) error {
	for _, s := range in.Scans {
		if err := in.findPartitions(s, r, ok, now); err != nil {
			return err
		}
		s.Idle = isIdle(s, in.arrived, now)
		for i, p := range s.Partitions {
			p.Idle = isIdle(s, p.Arrived, now) || in.empty(s, p)
			s.Idle = p.Idle && (s.Idle || i == 0)
		}
	}
	return nil
}

// findPartitions notes which partitions of a scan there are, and which of them deliver.
func (in *Input) findPartitions(s *build.Scan, r source.Range, ok bool, now int64) error {
	src, has := in.Source.(source.Partitioned)
	if !has || !ok || s.Plan.Watermark == nil || s.Plan.Watermark.WholeSource || in.finite() {
		return nil
	}
	list, err := src.Partitions(r)
	if err != nil {
		return err
	}
	for _, x := range list {
		p := s.Partition(x.Name)
		p.Found = p.Found || x.Active
		if x.Active || p.Arrived == 0 {
			p.Arrived = now
		}
	}
	return nil
}

// setPartitions describes the partitions of a scan as they are now.
func (l *scanLine) setPartitions(s *build.Scan) {
	for _, p := range s.Partitions {
		if l.Partitions == nil {
			l.Partitions = map[string]scanLine{}
		}
		l.Partitions[p.Name] = scanLine{Watermark: reachedOrNil(p.Watermark), Idle: p.Idle, Arrived: p.Arrived}
	}
}

// partitions makes the partitions of a scan as the line says: those that were found by a
// batch that is run again with other ones are found again.
func (l scanLine) partitions(s *build.Scan) {
	if mutant.On("partitions are forgotten at a restart") {
		return
	}
	s.Partitions = nil
	for name, x := range l.Partitions {
		p := s.Partition(name)
		p.Idle, p.Arrived = x.Idle, x.Arrived
		if x.Watermark != nil {
			p.Watermark = *x.Watermark
		}
	}
}

// reachedOrNil is a watermark, nil if there is none yet.
func reachedOrNil(w int64) *int64 {
	if w == noWatermark {
		return nil
	}
	return &w
}
