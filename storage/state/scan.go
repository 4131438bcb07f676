package state

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

// window reads a file through one buffer that grows to the largest record.
type window struct {
	file vfs.File
	size int64
	buf  []byte
	off  int64
}

const windowBytes = 256 << 10

// read returns the n bytes at off, fewer at the end of the file, valid until
// the next read.
func (w *window) read(off, n int64) ([]byte, error) {
	n = max(0, min(n, w.size-off))
	if off >= w.off && off+n <= w.off+int64(len(w.buf)) {
		return w.buf[off-w.off:][:n], nil
	}
	want := max(0, min(max(n, windowBytes), w.size-off))
	if int64(cap(w.buf)) < want {
		w.buf = make([]byte, want)
	}
	w.buf, w.off = w.buf[:want], off
	got, err := w.file.ReadAt(w.buf, off)
	w.buf = w.buf[:got]
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return w.buf[:min(n, int64(got))], err
}

// scan reads the records of a segment into the index. The first that is not
// intact ends it: only the last record of the last segment can be unsynced,
// so anything valid behind it, or a segment behind it, proves damage.
func (s *Store) scan(seg *segment, last bool) error {
	w := window{file: seg.file, size: seg.alloc}
	seg.scanned = true
	if seg.used > 0 && seg.header.firstSeq != s.nextSeq {
		return corruptLog(seg.path, s.expected(), fmt.Sprintf(
			"it is not in the log: the next file begins with batch %d", seg.header.firstBatch))
	}
	at := int64(sector)
	why := "the file has no intact header"
	for seg.used > 0 {
		r, reason, err := s.readRecord(&w, seg, at)
		if err != nil {
			return err
		}
		if why = reason; why != "" {
			break
		}
		s.records = append(s.records, r)
		if r.seq > s.man.Seq {
			s.logBytes += r.size()
		}
		s.nextSeq++
		at = alignUp(at + r.size())
		seg.used = at
	}
	if !last {
		return s.checkEnd(&w, seg, at, why)
	}
	later, found, err := s.findLater(&w, seg, at)
	if err != nil || !found {
		return err
	}
	return corruptLog(seg.path, s.expected(), fmt.Sprintf(
		"%s at byte %d, but batch %d behind it is intact", why, at, later.batch))
}

// checkEnd checks that a segment which is not the last ends in nothing but
// unused space. Whether records are missing, the next header tells.
func (s *Store) checkEnd(w *window, seg *segment, at int64, why string) error {
	head, err := w.read(at, recordHeaderLen)
	if err != nil || len(bytes.TrimRight(head, "\x00")) == 0 {
		return err
	}
	return corruptLog(seg.path, s.expected(), fmt.Sprintf("%s at byte %d, but a later log file exists", why, at))
}

// expected is the batch that the next record should hold.
func (s *Store) expected() int64 {
	if last, ok := s.last(); ok {
		return last + 1
	}
	if len(s.segments) > 0 && s.segments[0].used > 0 {
		return s.segments[0].header.firstBatch
	}
	return 0
}

// readRecord reads the record at off; reason says why there is none.
func (s *Store) readRecord(w *window, seg *segment, off int64) (r *record, reason string, err error) {
	head, err := w.read(off, recordHeaderLen)
	if err != nil {
		return nil, "", err
	}
	h, ok := decodeRecordHeader(head)
	switch {
	case !ok && !(mutant.On("no-crc") && len(head) == recordHeaderLen && h.seq == s.nextSeq):
		return nil, "its header does not match its checksum", nil
	case h.epoch != seg.header.epoch || h.seq != s.nextSeq:
		return nil, "a record of another place is there", nil
	case off+h.size() > w.size:
		return nil, "the file ends inside it", nil
	}
	body, err := w.read(off+recordHeaderLen, h.bodyLen)
	if err != nil {
		return nil, "", err
	}
	if int64(len(body)) < h.bodyLen || !bodyIntact(h, body) {
		return nil, "its content does not match its checksum", nil
	}
	r = &record{recordHeader: h, segment: seg, off: off}
	r.parts, err = parseDirectory(body[:h.dirLen], h, off+recordHeaderLen, s.names)
	if err != nil {
		return nil, "", corruptLog(seg.path, h.batch, "its directory is malformed")
	}
	if expected := s.expected(); len(s.records) > 0 && h.batch != expected {
		return nil, "", corruptLog(seg.path, expected, fmt.Sprintf("batch %d is in its place", h.batch))
	}
	return r, "", nil
}

func bodyIntact(h recordHeader, body []byte) bool {
	return mutant.On("no-crc") || checksum(0, body) == h.bodyCRC
}

// findLater looks behind a record that is not intact for one that is.
func (s *Store) findLater(w *window, seg *segment, off int64) (recordHeader, bool, error) {
	for at := alignUp(off + 1); at+recordHeaderLen <= w.size; at += sector {
		head, err := w.read(at, recordHeaderLen)
		if err != nil {
			return recordHeader{}, false, err
		}
		h, ok := decodeRecordHeader(head)
		if ok && h.seq >= s.nextSeq && (seg.used == 0 || h.epoch == seg.header.epoch) {
			return h, true, nil
		}
	}
	return recordHeader{}, false, nil
}
