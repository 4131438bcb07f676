package state

import (
	"errors"
	"fmt"
	"io"

	"github.com/sqlstream/sqlstream/storage/fault"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

// Prepared returns what the log holds of a batch, for publishing it again.
func (s *Store) Prepared(id int64) (*Prepared, error) {
	s.files.RLock()
	defer s.files.RUnlock()
	s.mu.Lock()
	r, ok := s.record(id)
	err := s.stopped()
	s.mu.Unlock()
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, &fault.Error{Kind: fault.ErrMissing, What: batchName(id), Path: s.logDir(), Batch: id,
			Why: "the log does not hold this batch", Hint: "only the last retained batches can be published again"}
	}
	body, err := r.body(nil)
	if err != nil {
		return nil, err
	}
	p := &Prepared{ID: id, Epoch: r.epoch}
	for _, part := range r.parts {
		switch part.kind {
		case partMeta:
			p.Meta = r.slice(body, part)
		case partPayload:
			p.Payload = r.slice(body, part)
		}
	}
	return p, nil
}

// body reads a record's body and checks it again: the disk may have changed
// it since it was written.
func (r *record) body(buf []byte) ([]byte, error) {
	if int64(cap(buf)) < r.bodyLen {
		buf = make([]byte, r.bodyLen)
	}
	buf = buf[:r.bodyLen]
	_, err := r.segment.file.ReadAt(buf, r.off+recordHeaderLen)
	if errors.Is(err, io.EOF) {
		return nil, r.corrupt("the file ends inside it")
	}
	if err != nil {
		return nil, fault.IO(batchName(r.batch), r.segment.path, err)
	}
	if !bodyIntact(r.recordHeader, buf) {
		return nil, r.corrupt("its checksum does not match")
	}
	return buf, nil
}

func (r *record) slice(body []byte, p part) []byte {
	at := p.off - r.off - recordHeaderLen
	return body[at : at+p.len : at+p.len]
}

func (r *record) corrupt(why string) error {
	return corruptLog(r.segment.path, r.batch, fmt.Sprintf("at byte %d: %s", r.off, why))
}

func corruptLog(path string, batch int64, why string) error {
	return fault.Corrupt(batchName(batch), path, batch, why, fmt.Sprintf(
		"the state after batch %d cannot be trusted: restore the checkpoint from a copy, or start the query with a new one", batch-1))
}

// Discard removes the last batch from the log, durably: its offsets did not
// survive, so nobody outside saw it and it gets other boundaries.
func (s *Store) Discard(id int64) error {
	s.files.Lock()
	defer s.files.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.stopped(); err != nil {
		return err
	}
	last, ok := s.last()
	r, logged := s.record(id)
	if !ok || id != last || !logged {
		return fmt.Errorf("state store: cannot discard batch %d, the last one is %d", id, last)
	}
	if err := s.cut(r); err != nil {
		return s.fail(fault.IO(batchName(id), r.segment.path, err))
	}
	s.records = s.records[:len(s.records)-1]
	s.logBytes -= r.size()
	s.nextSeq = r.seq
	return nil
}

// cut removes the last record. The next one must go to a new segment: were
// it written over this one and lost, this one would be back.
func (s *Store) cut(r *record) error {
	seg := r.segment
	s.active = nil
	seg.used, seg.alloc = r.off, r.off
	if r.off > sector {
		if err := seg.file.Truncate(r.off); err != nil {
			return err
		}
		return seg.file.Sync()
	}
	s.segments = s.segments[:len(s.segments)-1]
	return s.dropSegment(seg)
}

// dropSegment removes a segment without records, durably.
func (s *Store) dropSegment(seg *segment) error {
	if err := seg.file.Close(); err != nil {
		return err
	}
	if err := s.fs.Remove(seg.path); err != nil {
		return err
	}
	return vfs.SyncDir(s.fs, s.logDir())
}
