package state

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/storage/fault"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

// gather is how much of a record is collected into one write; larger parts
// are written from where they are.
const gather = 256 << 10

// Append makes b durable with one fdatasync: when it returns nil, b is
// PREPARED and survives anything. Batch numbers follow each other. After an
// error nothing more can be appended: an fsync that failed once cannot be
// trusted to have kept what it should have written.
func (s *Store) Append(b *Batch) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.stopped(); err != nil {
		return err
	}
	if err := s.checkBatch(b); err != nil {
		return err
	}
	r, err := s.write(b)
	if err != nil {
		return s.fail(fault.IO(batchName(b.ID), s.logDir(), err))
	}
	s.records = append(s.records, r)
	s.logBytes += r.size()
	s.nextSeq++
	if s.kick != nil && s.needsCompact() {
		select {
		case s.kick <- struct{}{}:
		default:
		}
	}
	return nil
}

func (s *Store) checkBatch(b *Batch) error {
	if s.opt.ReadOnly {
		return fmt.Errorf("state store %s is open for reading only", s.dir)
	}
	if last, ok := s.last(); ok && b.ID != last+1 {
		return fmt.Errorf("state store: batch %d appended after batch %d", b.ID, last)
	}
	for i, sec := range b.Sections {
		if !validOp(sec.Op) {
			return fmt.Errorf("state store: invalid operator name %q", sec.Op)
		}
		for _, other := range b.Sections[:i] {
			if other.Op == sec.Op {
				return fmt.Errorf("state store: operator %q has two sections in batch %d", sec.Op, b.ID)
			}
		}
	}
	return nil
}

// write puts b behind the last record and syncs it.
func (s *Store) write(b *Batch) (*record, error) {
	h := recordHeader{epoch: s.epoch, seq: s.nextSeq, batch: b.ID}
	s.buf = s.encodeHead(s.buf[:0], b, &h)
	seg, err := s.room(b.ID, h.size())
	if err != nil {
		return nil, err
	}
	r := &record{recordHeader: h, segment: seg, off: seg.used}
	dir := s.buf[recordHeaderLen : recordHeaderLen+int(h.dirLen)]
	if r.parts, err = parseDirectory(dir, h, r.off+recordHeaderLen, s.names); err != nil {
		return nil, err
	}
	w := pieceWriter{file: seg.file, off: r.off, buf: s.buf}
	err = b.eachPart(w.write)
	if err == nil {
		err = w.flush()
	}
	s.buf = w.buf
	if err != nil {
		return nil, err
	}
	if !mutant.On("no-log-sync") {
		if err := seg.file.SyncData(); err != nil {
			return nil, err
		}
	}
	seg.used = alignUp(r.off + h.size())
	return r, nil
}

// eachPart calls f with the parts of b in the order of the directory.
func (b *Batch) eachPart(f func([]byte) error) error {
	if err := f(b.Meta); err != nil {
		return err
	}
	if err := f(b.Payload); err != nil {
		return err
	}
	for i := range b.Sections {
		if err := f(b.Sections[i].Changes); err != nil {
			return err
		}
	}
	return nil
}

// encodeHead appends header and directory of b and completes h.
func (s *Store) encodeHead(buf []byte, b *Batch, h *recordHeader) []byte {
	buf = append(buf, make([]byte, recordHeaderLen)...)
	buf = appendPart(buf, partMeta, "", len(b.Meta))
	buf = appendPart(buf, partPayload, "", len(b.Payload))
	for i := range b.Sections {
		buf = appendPart(buf, partChanges, b.Sections[i].Op, len(b.Sections[i].Changes))
	}
	h.parts = uint32(2 + len(b.Sections))
	h.dirLen = uint32(len(buf) - recordHeaderLen)
	h.bodyLen = int64(h.dirLen)
	h.bodyCRC = checksum(0, buf[recordHeaderLen:])
	_ = b.eachPart(func(p []byte) error { // never fails
		h.bodyLen += int64(len(p))
		h.bodyCRC = checksum(h.bodyCRC, p)
		return nil
	})
	h.appendTo(buf[:0])
	return buf
}

// pieceWriter collects small pieces and passes large ones through.
type pieceWriter struct {
	file vfs.File
	off  int64
	buf  []byte
}

func (w *pieceWriter) write(p []byte) error {
	if len(w.buf)+len(p) <= gather {
		w.buf = append(w.buf, p...)
		return nil
	}
	if err := w.flush(); err != nil || len(p) == 0 {
		return err
	}
	_, err := w.file.WriteAt(p, w.off)
	w.off += int64(len(p))
	return err
}

func (w *pieceWriter) flush() error {
	if len(w.buf) == 0 {
		return nil
	}
	_, err := w.file.WriteAt(w.buf, w.off)
	w.off += int64(len(w.buf))
	w.buf = w.buf[:0]
	return err
}

// room returns the segment that takes a record of that size, new or
// preallocated far enough.
func (s *Store) room(batch, size int64) (*segment, error) {
	if seg := s.active; seg != nil && seg.used > sector && seg.used+size > s.opt.SegmentBytes {
		if err := s.retire(); err != nil {
			return nil, err
		}
	}
	if s.active == nil {
		if err := s.newSegment(batch); err != nil {
			return nil, err
		}
	}
	return s.active, s.grow(s.active, alignUp(size))
}

// grow preallocates in steps. A large record fills what it needs itself.
func (s *Store) grow(seg *segment, size int64) error {
	end := seg.used + size
	if end <= seg.alloc {
		return nil
	}
	if size > s.opt.GrowBytes/4 {
		seg.alloc = end
		return nil
	}
	if err := vfs.Preallocate(seg.file, seg.alloc, s.opt.GrowBytes); err != nil {
		return err
	}
	seg.alloc += s.opt.GrowBytes
	return nil
}

// newSegment begins a log file. Its header becomes durable with its first
// record; its name at once, since no record may precede it.
func (s *Store) newSegment(batch int64) error {
	path := filepath.Join(s.logDir(), fmt.Sprintf("%d.log", batch))
	f, err := s.fs.CreateExclusive(path)
	if errors.Is(err, fs.ErrExist) {
		return &fault.Error{Kind: fault.ErrFenced, What: batchName(batch), Path: path, Batch: batch,
			Why:  "another process has written this batch",
			Hint: "stop one of the two; a checkpoint serves one running query"}
	}
	if err != nil {
		return err
	}
	seg := &segment{path: path, file: f, used: sector, alloc: sector, scanned: true}
	seg.header = segmentHeader{version: FormatVersion, epoch: s.epoch, firstBatch: batch, firstSeq: s.nextSeq}
	_, err = f.WriteAt(seg.header.encode(), 0)
	if err == nil {
		err = vfs.SyncDir(s.fs, s.logDir())
	}
	if err != nil {
		return errors.Join(err, f.Close())
	}
	s.segments = append(s.segments, seg)
	s.active = seg
	return nil
}
