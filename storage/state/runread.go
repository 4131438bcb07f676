package state

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"sort"

	"github.com/sqlstream/sqlstream/storage/fault"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

// runReader reads a run file in key order. It implements source.
type runReader struct {
	path   string
	hi     int64
	file   vfs.File
	index  []blockRef
	ranges []keyRange
	at     int // the next block
	buf    []byte
	blockCursor
}

func (s *Store) openRun(op string, ref runRef) (*runReader, error) {
	path := filepath.Join(s.runDir(), op, ref.File)
	f, err := s.fs.Open(path)
	if err != nil {
		return nil, runError(path, ref.Hi, err)
	}
	r := &runReader{path: path, hi: ref.Hi, file: f}
	if err := r.readFrame(ref.Bytes); err != nil {
		_ = f.Close() // the damage is what to report
		return nil, err
	}
	return r, nil
}

func runError(path string, hi int64, err error) error {
	e := &fault.Error{Kind: fault.ErrIO, What: fmt.Sprintf("state run up to batch %d", hi), Path: path, Batch: hi,
		Err: err, Hint: restoreHint}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e.Kind = fault.ErrMissing
	case errors.Is(err, io.EOF):
		e.Kind, e.Why = fault.ErrCorrupt, "the file ends too early"
	}
	return e
}

func (r *runReader) corrupt(why string) error {
	return fault.Corrupt(fmt.Sprintf("state run up to batch %d", r.hi), r.path, r.hi, why,
		"remove the newest state/MANIFEST to go on from the one before if that does not name this file, or "+restoreHint)
}

// readFrame checks header and footer and reads index and ranges.
func (r *runReader) readFrame(size int64) error {
	head, foot := make([]byte, runHeaderLen), make([]byte, runFooterLen)
	if size < runHeaderLen+runFooterLen {
		return r.corrupt("the manifest gives it no room")
	}
	if _, err := r.file.ReadAt(head, 0); err != nil {
		return runError(r.path, r.hi, err)
	}
	if _, err := r.file.ReadAt(foot, size-runFooterLen); err != nil {
		return r.corrupt("the file is shorter than the manifest says")
	}
	if v := binary.LittleEndian.Uint32(head[4:]); string(head[:4]) != runMagic || v != FormatVersion {
		return r.corrupt(fmt.Sprintf("its header is not that of a run of format %d", FormatVersion))
	}
	f, ok := decodeRunFooter(foot)
	if !ok {
		return r.corrupt("its footer does not match its checksum")
	}
	ranges, err := r.summed(f.rangeOff, f.rangeLen, size)
	if err != nil {
		return err
	}
	index, err := r.summed(f.indexOff, f.indexLen, size)
	if err != nil {
		return err
	}
	if r.ranges, err = parseRanges(ranges); err != nil {
		return r.corrupt("its ranges are malformed")
	}
	if r.index, err = parseIndex(index); err != nil {
		return r.corrupt("its index is malformed")
	}
	return nil
}

// summed reads n bytes and the checksum behind them, into a new slice.
func (r *runReader) summed(off, n, size int64) ([]byte, error) {
	if off < 0 || n < 0 || n > size || off > size-n-crcLen {
		return nil, r.corrupt("a position in its footer is outside the file")
	}
	return r.readSummed(nil, off, n)
}

func (r *runReader) readSummed(buf []byte, off, n int64) ([]byte, error) {
	if int64(cap(buf)) < n+crcLen {
		buf = make([]byte, n+crcLen)
	}
	buf = buf[:n+crcLen]
	if _, err := r.file.ReadAt(buf, off); err != nil {
		return nil, runError(r.path, r.hi, err)
	}
	if binary.LittleEndian.Uint32(buf[n:]) != checksum(0, buf[:n]) {
		return nil, r.corrupt(fmt.Sprintf("the bytes at %d do not match their checksum", off))
	}
	return buf[:n], nil
}

// seek positions before the first key that is not below start.
func (r *runReader) seek(start []byte) (bool, error) {
	r.at = sort.Search(len(r.index), func(i int) bool { return bytes.Compare(r.index[i].first, start) > 0 })
	r.at = max(0, r.at-1)
	r.data = nil
	for {
		ok, err := r.next()
		if !ok || err != nil || bytes.Compare(r.key, start) >= 0 {
			return ok, err
		}
	}
}

func (r *runReader) next() (bool, error) {
	for !r.blockCursor.next() {
		if r.err != nil {
			return false, r.corrupt("an entry is malformed")
		}
		if r.at == len(r.index) {
			return false, nil
		}
		ref := r.index[r.at]
		block, err := r.readSummed(r.buf, ref.off, ref.len)
		if err != nil {
			return false, err
		}
		r.at++
		r.buf, r.data = block, block
		r.key = r.key[:0]
	}
	return true, nil
}

func (r *runReader) entry() (key, value []byte, deleted bool) { return r.key, r.value, r.deleted }

func (r *runReader) close() error { return r.file.Close() }
