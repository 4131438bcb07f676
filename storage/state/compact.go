package state

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/sqlstream/sqlstream/storage/fault"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

const (
	// mergeShare: a run is merged into the older one below it once it has a
	// quarter of that one's size, so an entry is rewritten a few times only.
	mergeShare = 4
	// maxRuns bounds the runs of an operator in any case.
	maxRuns = 8
)

// NeedsCompact reports whether enough of the log can be merged, or enough
// time has passed, for Compact to be worth its writes.
func (s *Store) NeedsCompact() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed == nil && !s.opt.ReadOnly && s.needsCompact()
}

func (s *Store) needsCompact() bool {
	_, kept := s.retained()
	due := s.logBytes - kept
	if due <= 0 {
		return false
	}
	if due > max(s.opt.FlushBytes, s.man.bytes()/mergeShare) {
		return true
	}
	return s.opt.Clock != nil && s.opt.Clock.Now().Sub(s.lastFlush) >= s.opt.FlushEvery
}

// retained returns how many of the last batches stay in the log, where they
// can be loaded and published one by one, and their size.
func (s *Store) retained() (kept int, bytes int64) {
	limit := max(s.opt.RetainBytes, s.man.bytes())
	for n := len(s.records); kept < min(n, s.opt.Retain); kept++ {
		size := s.records[n-1-kept].size()
		if kept >= minRetain && bytes+size > limit {
			break
		}
		bytes += size
	}
	return kept, bytes
}

// mergeTarget is the last batch that a merge may take.
func (s *Store) mergeTarget() int64 {
	if n := len(s.records); n > 0 {
		kept, _ := s.retained()
		return s.records[n-1].batch - int64(kept)
	}
	return s.man.Batch
}

// Compact merges what it may of the log into runs and removes what nothing
// needs any more. It reads files only: the live state is not touched, and
// appends go on beside it. One runs at a time.
func (s *Store) Compact(ctx context.Context) error {
	if s.opt.ReadOnly {
		return errors.New("state store is open for reading only")
	}
	s.merging.Lock()
	defer s.merging.Unlock()
	for {
		more, err := s.mergeStep(ctx)
		if err == nil && more {
			continue
		}
		if err == nil || ctx.Err() != nil {
			return err
		}
		err = s.orReplaced(err)
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.fail(fault.IO("state merge", s.runDir(), err))
	}
}

// Confirm fails if another process has taken the state over, and says which one.
func (s *Store) Confirm() error {
	return fault.IO("state store", s.dir, vfs.Confirm(s.fs, s.logDir()))
}

// orReplaced says of a file that is gone that another process has taken over, if so.
func (s *Store) orReplaced(err error) error {
	if s.opt.ReadOnly || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if e := s.Confirm(); e != nil {
		return e
	}
	return err
}

func (s *Store) mergeLoop(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.kick:
			if s.Compact(ctx) != nil {
				return // Append reports it
			}
		}
	}
}

// mergeStep merges as much of the log as may be in memory at a time.
func (s *Store) mergeStep(ctx context.Context) (more bool, err error) {
	s.mu.Lock()
	err = s.stopped()
	records := s.mergeable()
	man := s.man.next(s.epoch)
	s.mu.Unlock()
	if err != nil || len(records) == 0 {
		return false, err
	}
	last := records[len(records)-1]
	for _, op := range opsOf(records) {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		stack, err := s.mergeOp(ctx, op, man.Ops[op], records)
		if err != nil {
			return false, err
		}
		man.Ops[op] = stack
		if len(stack) == 0 {
			delete(man.Ops, op)
		}
	}
	man.Batch, man.Seq = last.batch, last.seq
	if err := s.install(man); err != nil {
		return false, err
	}
	s.mu.Lock()
	if s.opt.Clock != nil {
		s.lastFlush = s.opt.Clock.Now()
	}
	// The next record begins a new segment, so that the one with the merged
	// batches can go once no manifest needs it.
	if s.active != nil && s.active.header.firstBatch <= last.batch {
		err = s.retire()
	}
	s.mu.Unlock()
	if err != nil {
		return false, err
	}
	return true, s.removeObsolete()
}

// mergeable returns the oldest batches that a merge step takes.
func (s *Store) mergeable() []*record {
	all := s.recordsBetween(s.man.Batch, s.mergeTarget())
	size := int64(0)
	for i, r := range all {
		size += r.size()
		if size > s.opt.MergeBytes && i > 0 {
			return all[:i]
		}
	}
	return all
}

func opsOf(records []*record) []string {
	seen := map[string]bool{}
	var ops []string
	for _, r := range records {
		for _, p := range r.parts {
			if p.kind == partChanges && !seen[p.op] {
				seen[p.op] = true
				ops = append(ops, p.op)
			}
		}
	}
	return ops
}

// mergeOp merges the operator's changes, with as many of its newest runs as
// are not much larger, into one run and returns the new stack.
func (s *Store) mergeOp(ctx context.Context, op string, stack []runRef, records []*record) ([]runRef, error) {
	changes, err := s.openInputs(op, nil, records)
	if err != nil {
		return nil, err
	}
	if changes.deleteAll() {
		stack = nil
	}
	size := changes.size
	keep := len(stack)
	for keep > 0 && (size >= stack[keep-1].Bytes/mergeShare || keep >= maxRuns) {
		keep--
		size += stack[keep].Bytes
	}
	lo := records[0].batch
	if keep < len(stack) {
		lo = stack[keep].Lo
	}
	in, err := s.openInputs(op, stack[keep:], nil)
	if err != nil {
		return nil, err
	}
	defer in.close()
	in.sources = append(in.sources, changes.sources...)
	in.ranges = append(in.ranges, changes.ranges...)
	ref, exists, err := s.writeRun(ctx, in, lo, records[len(records)-1].batch, keep == 0)
	if err != nil {
		return nil, in.describe(err)
	}
	merged := stack[:keep:keep]
	if exists {
		merged = append(merged, ref)
	}
	return merged, nil
}

// writeRun writes the merge of in; a bottom run needs no deletions, since
// nothing lies below it.
func (s *Store) writeRun(ctx context.Context, in *inputs, lo, hi int64, bottom bool) (ref runRef, exists bool, err error) {
	m, err := newMerger(in.sources, in.ranges, nil)
	if err != nil {
		return ref, false, err
	}
	w, err := newRunWriter(s.fs, filepath.Join(s.runDir(), in.op), lo, hi, s.epoch, s.opt.BlockBytes)
	if err != nil {
		return ref, false, err
	}
	var ranges []byte
	if !bottom {
		ranges = m.cover.encode()
	}
	for n := 0; ; n++ {
		key, value, deleted, ok, err := m.next()
		if err == nil && n%10000 == 0 {
			err = ctx.Err()
		}
		if err == nil && ok && !(deleted && bottom) {
			err = w.add(key, value, deleted)
		}
		if err != nil {
			return ref, false, errors.Join(err, w.abort())
		}
		if !ok {
			return w.finish(ranges)
		}
	}
}
