package state

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/sqlstream/sqlstream/storage/fault"
)

// Load gives f the live entries of an operator as of the last batch, in key
// order. Key and value are valid during the call only. An operator without
// state has no entries.
func (s *Store) Load(op string, f func(key, value []byte) error) error {
	last, ok := s.Last()
	if !ok {
		return s.Err()
	}
	return s.LoadRange(op, last, nil, nil, f)
}

// LoadAt is Load as of an older batch, Oldest() at the earliest.
func (s *Store) LoadAt(op string, batch int64, f func(key, value []byte) error) error {
	return s.LoadRange(op, batch, nil, nil, f)
}

// LoadRange is LoadAt for the keys in [start, end); a nil end means to the
// last key. Several ranges may be loaded at the same time.
func (s *Store) LoadRange(op string, batch int64, start, end []byte, f func(key, value []byte) error) error {
	s.files.RLock()
	defer s.files.RUnlock()
	v, err := s.view(batch)
	if err != nil {
		return err
	}
	in, err := s.openInputs(op, v.stack(op), v.records)
	if err != nil {
		return s.orReplaced(err)
	}
	defer in.close()
	m, err := newMerger(in.sources, in.ranges, start)
	if err != nil {
		return in.describe(err)
	}
	for {
		key, value, deleted, ok, err := m.next()
		if err != nil {
			return in.describe(err)
		}
		if !ok || end != nil && bytes.Compare(key, end) >= 0 {
			return nil
		}
		if deleted {
			continue
		}
		if err := f(key, value); err != nil {
			return err
		}
	}
}

// Ops returns the operators that have state, or had it and changed since the
// last merge, sorted.
func (s *Store) Ops() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	names := map[string]bool{}
	for op := range s.man.Ops {
		names[op] = true
	}
	for _, r := range s.records {
		for _, p := range r.parts {
			if p.kind == partChanges {
				names[p.op] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// view is what makes up the state as of a batch.
type view struct {
	man     manifest
	records []*record // behind the manifest
}

func (v *view) stack(op string) []runRef { return v.man.Ops[op] }

func (s *Store) view(batch int64) (view, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.stopped(); err != nil {
		return view{}, err
	}
	last, ok := s.last()
	oldest := s.man.Batch
	if s.man.Number == 0 && len(s.records) > 0 {
		oldest = s.records[0].batch
	}
	if !ok || batch > last || batch < oldest {
		return view{}, &fault.Error{Kind: fault.ErrMissing, What: fmt.Sprintf("state of batch %d", batch), Path: s.dir, Batch: batch,
			Why:  fmt.Sprintf("the checkpoint holds the state of batches %d to %d", oldest, last),
			Hint: "ask for one of these, or keep more batches"}
	}
	return view{man: s.man, records: s.recordsBetween(s.man.Batch, batch)}, nil
}

// recordsBetween returns the logged batches in (after, upTo]; without a
// manifest, all up to upTo. The lock is held.
func (s *Store) recordsBetween(after, upTo int64) []*record {
	if len(s.records) == 0 {
		return nil
	}
	first := s.records[0].batch
	lo := int64(0)
	if s.man.Number > 0 {
		lo = max(0, after+1-first)
	}
	hi := min(int64(len(s.records)), upTo+1-first)
	return s.records[min(lo, hi):hi:hi]
}

// inputs are the sources of a merge, the oldest first, with their ranges.
type inputs struct {
	op      string
	sources []source
	ranges  [][]keyRange
	size    int64 // of the sections
}

// deleteAll reports whether some section removes all that is older.
func (in *inputs) deleteAll() bool {
	for _, ranges := range in.ranges {
		for _, r := range ranges {
			if r.open && len(r.start) == 0 {
				return true
			}
		}
	}
	return false
}

func (s *Store) openInputs(op string, stack []runRef, records []*record) (*inputs, error) {
	in := &inputs{op: op}
	for _, ref := range stack {
		r, err := s.openRun(op, ref)
		if err != nil {
			in.close()
			return nil, err
		}
		in.sources = append(in.sources, r)
		in.ranges = append(in.ranges, r.ranges)
	}
	for _, r := range records {
		if err := in.addSection(r); err != nil {
			in.close()
			return nil, err
		}
	}
	return in, nil
}

func (in *inputs) addSection(r *record) error {
	for _, p := range r.parts {
		if p.kind != partChanges || p.op != in.op {
			continue
		}
		data := make([]byte, p.len)
		if _, err := r.segment.file.ReadAt(data, p.off); err != nil {
			return fault.IO(batchName(r.batch), r.segment.path, err)
		}
		ranges, entries, err := splitSection(data)
		if err != nil {
			return r.corrupt("a section of its changes is malformed")
		}
		in.sources = append(in.sources, &sectionSource{cursor{data: entries}})
		in.ranges = append(in.ranges, ranges)
		in.size += p.len
	}
	return nil
}

func (in *inputs) describe(err error) error {
	if errors.Is(err, errMalformed) {
		return fault.Corrupt("state of operator "+in.op, "", fault.NoBatch, err.Error(), restoreHint)
	}
	return err
}

func (in *inputs) close() {
	for _, src := range in.sources {
		_ = src.close() // opened for reading
	}
}
