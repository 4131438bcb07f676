package state

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/sqlstream/sqlstream/storage/vfs"
)

// runWriter writes a run file. Its name holds its batches, the epoch of the process that
// wrote it and the hash of its content, so that a name never means two contents.
type runWriter struct {
	fs     vfs.FS
	dir    string
	file   vfs.File
	hash   hash.Hash
	epoch  uint64
	block  int
	off    int64  // of the file
	out    []byte // finished bytes not yet written
	data   []byte // of the block being filled
	first  []byte // key of that block
	before []byte // the last key
	index  []byte
	footer runFooter
}

const runWriteBytes = 1 << 20

func newRunWriter(fsys vfs.FS, dir string, lo, hi int64, epoch uint64, block int) (*runWriter, error) {
	if err := vfs.MkdirAllSync(fsys, dir); err != nil {
		return nil, err
	}
	f, err := fsys.Create(filepath.Join(dir, tempRun))
	if err != nil {
		return nil, err
	}
	w := &runWriter{fs: fsys, dir: dir, file: f, hash: sha256.New(), epoch: epoch, block: block}
	w.footer.lo, w.footer.hi = lo, hi
	w.out = append(w.out, runMagic...)
	w.out = binary.LittleEndian.AppendUint32(w.out, FormatVersion)
	w.off = runHeaderLen
	return w, nil
}

const tempRun = ".run.tmp"

// runEpoch is the epoch in the name of a run, 0 in one of a program that wrote none. A
// process removes no run of a later one: where no lock holds, it may not know yet that it
// was replaced.
func runEpoch(name string) uint64 {
	parts := strings.Split(name, "-")
	if len(parts) != 4 {
		return 0
	}
	n, _ := strconv.ParseUint(strings.TrimPrefix(parts[2], "e"), 10, 64)
	return n
}

// add appends an entry; keys ascend.
func (w *runWriter) add(key, value []byte, deleted bool) error {
	if len(w.data) == 0 {
		w.first = append(w.first[:0], key...)
		w.before = w.before[:0]
	}
	w.data = appendRunEntry(w.data, w.before, key, value, deleted)
	w.before = append(w.before[:0], key...)
	w.footer.entries++
	if len(w.data) < w.block {
		return nil
	}
	return w.endBlock()
}

func (w *runWriter) endBlock() error {
	if len(w.data) == 0 {
		return nil
	}
	w.index = appendBlockRef(w.index, blockRef{first: w.first, off: w.off, len: int64(len(w.data))})
	w.summed(w.data)
	w.data = w.data[:0]
	if len(w.out) < runWriteBytes {
		return nil
	}
	return w.flush()
}

// summed appends p and its checksum.
func (w *runWriter) summed(p []byte) {
	w.out = append(w.out, p...)
	w.out = binary.LittleEndian.AppendUint32(w.out, checksum(0, p))
	w.off += int64(len(p)) + crcLen
}

func (w *runWriter) flush() error {
	w.hash.Write(w.out)
	_, err := w.file.Write(w.out)
	w.out = w.out[:0]
	return err
}

// finish makes the run durable and returns its reference; a run without
// entries and ranges is none, and nothing stays of it.
func (w *runWriter) finish(ranges []byte) (ref runRef, exists bool, err error) {
	if w.footer.entries == 0 && len(ranges) == 0 {
		return runRef{}, false, w.abort()
	}
	err = w.endBlock()
	w.footer.rangeOff, w.footer.rangeLen = w.off, int64(len(ranges))
	w.summed(ranges)
	w.footer.indexOff, w.footer.indexLen = w.off, int64(len(w.index))
	w.summed(w.index)
	w.out = append(w.out, w.footer.encode()...)
	w.off += runFooterLen
	if err == nil {
		err = w.flush()
	}
	if err == nil {
		err = w.file.Sync()
	}
	if err = errors.Join(err, w.file.Close()); err != nil {
		return runRef{}, false, err
	}
	name := fmt.Sprintf("%d-%d-e%d-%s.run", w.footer.lo, w.footer.hi, w.epoch, hex.EncodeToString(w.hash.Sum(nil)[:8]))
	if err := w.fs.Rename(filepath.Join(w.dir, tempRun), filepath.Join(w.dir, name)); err != nil {
		return runRef{}, false, err
	}
	ref = runRef{File: name, Lo: w.footer.lo, Hi: w.footer.hi, Bytes: w.off, Entries: w.footer.entries}
	return ref, true, vfs.SyncDir(w.fs, w.dir)
}

func (w *runWriter) abort() error {
	return errors.Join(w.file.Close(), w.fs.Remove(filepath.Join(w.dir, tempRun)))
}
