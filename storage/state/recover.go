package state

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/storage/fault"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

// Open opens the state below dir, making it if needed, and recovers: a torn
// last record is cut off, damage before it is an error that names the batch.
// The caller holds the checkpoint's lock.
func Open(fsys vfs.FS, dir string, opt Options) (*Store, error) {
	s := &Store{fs: fsys, dir: dir, opt: opt.withDefaults(), nextSeq: 1, names: map[string]string{}}
	err := s.prepareDirs()
	if err == nil {
		err = s.readManifests()
	}
	if err == nil {
		err = s.recoverLog()
	}
	// Where no lock holds, the last manifest of a dead process may still be on its way, and
	// names runs that nothing names yet: they stay until this one has installed its own.
	if err == nil && !s.opt.ReadOnly && vfs.ShareOf(s.fs, dir) == nil {
		err = s.removeObsolete()
	}
	if err != nil {
		for _, seg := range s.segments {
			err = errors.Join(err, seg.file.Close())
		}
		return nil, fault.IO("state store", dir, err)
	}
	s.startBackground()
	return s, nil
}

func (s *Store) startBackground() {
	if s.opt.Clock != nil {
		s.lastFlush = s.opt.Clock.Now()
	}
	if !s.opt.Background || s.opt.ReadOnly {
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	s.kick, s.stop = make(chan struct{}, 1), stop
	s.done.Go(func() { s.mergeLoop(ctx) })
}

// prepareDirs makes the directories and makes durable what they show: the
// process before this one may have died between a change and its sync, and
// recovery must not build on what a power loss could still undo.
func (s *Store) prepareDirs() error {
	if s.opt.ReadOnly {
		return nil
	}
	dirs := vfs.NewDirs(s.fs)
	for _, dir := range []string{s.logDir(), s.runDir()} {
		if err := dirs.Make(dir); err != nil {
			return err
		}
	}
	for _, dir := range []string{s.dir, s.logDir()} {
		if err := vfs.SyncDir(s.fs, dir); err != nil {
			return err
		}
	}
	// What the log holds from here on is the last that an earlier process wrote.
	if mutant.On("the log is not taken over at the start") {
		return nil
	}
	return vfs.TakeOver(s.fs, s.logDir())
}

// recoverLog reads the log behind the manifest.
func (s *Store) recoverLog() error {
	if err := s.openSegments(); err != nil {
		return err
	}
	first, err := s.firstNeeded()
	if err != nil {
		return err
	}
	for i := first; i < len(s.segments); i++ {
		if err := s.scan(s.segments[i], i == len(s.segments)-1); err != nil {
			return err
		}
	}
	if err := s.checkJoin(); err != nil {
		return err
	}
	if err := s.takeEpoch(); err != nil || s.opt.ReadOnly {
		return err
	}
	return s.repairTail()
}

func (s *Store) openSegments() error {
	paths, err := s.segmentPaths()
	if err != nil {
		return err
	}
	for i, path := range paths {
		seg, err := s.openSegment(path)
		if err != nil {
			return err
		}
		s.segments = append(s.segments, seg)
		if seg.used == 0 && i < len(paths)-1 {
			return fault.Corrupt("state log file", path, fault.NoBatch, "its header is damaged", restoreHint)
		}
	}
	return nil
}

const restoreHint = "restore the checkpoint from a copy, or start the query with a new one"

// segmentPaths lists the log files in the order of their batches.
func (s *Store) segmentPaths() ([]string, error) {
	list, err := s.fs.ReadDir(s.logDir())
	if errors.Is(err, fs.ErrNotExist) && s.opt.ReadOnly {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var ids []int64
	for _, e := range list {
		name, isLog := strings.CutSuffix(e.Name(), ".log")
		if id, err := strconv.ParseInt(name, 10, 64); isLog && err == nil {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	paths := make([]string, len(ids))
	for i, id := range ids {
		paths[i] = filepath.Join(s.logDir(), fmt.Sprintf("%d.log", id))
	}
	return paths, nil
}

// openSegment opens a log file; used stays 0 when it has no intact header.
func (s *Store) openSegment(path string) (*segment, error) {
	open := s.fs.OpenReadWrite
	if s.opt.ReadOnly {
		open = s.fs.Open
	}
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	seg := &segment{path: path, file: f}
	info, err := f.Stat()
	if err != nil {
		return seg, errors.Join(err, f.Close())
	}
	seg.alloc = info.Size()
	w := window{file: f, size: seg.alloc}
	head, err := w.read(0, segmentHeaderLen)
	if err != nil {
		return seg, errors.Join(err, f.Close())
	}
	h, ok := decodeSegmentHeader(head)
	if !ok {
		return seg, nil
	}
	if h.version > FormatVersion {
		err := &fault.Error{Kind: fault.ErrVersion, What: "state log file", Path: path, Batch: h.firstBatch,
			Why:  fmt.Sprintf("it has format %d, this program reads up to %d", h.version, FormatVersion),
			Hint: "use the version of the program that wrote it, or a newer one"}
		return seg, errors.Join(err, f.Close())
	}
	seg.header, seg.used = h, sector
	return seg, nil
}

// firstNeeded returns the index of the first segment with a batch that the
// runs do not contain; those before need not be read.
func (s *Store) firstNeeded() (int, error) {
	first := 0
	for i, seg := range s.segments {
		if i > 0 && seg.used > 0 && s.man.Number > 0 && seg.header.firstSeq <= s.man.Seq+1 {
			first = i
		}
	}
	if first < len(s.segments) {
		s.nextSeq = s.man.Seq + 1
		if seg := s.segments[first]; seg.used > 0 {
			if seg.header.firstSeq > s.nextSeq {
				return 0, corruptLog(seg.path, seg.header.firstBatch-1, "the log file before this one is missing")
			}
			s.nextSeq = seg.header.firstSeq
		}
	}
	return first, nil
}

// checkJoin sets where the log goes on when it holds nothing new, and checks
// that runs and log meet.
func (s *Store) checkJoin() error {
	if s.man.Number == 0 || s.nextSeq > s.man.Seq {
		return nil
	}
	// Every batch in the log is in the runs: a merge keeps the last two in
	// the log, so more than one was lost.
	last := s.man.Batch
	return fault.Corrupt(batchName(last), s.logDir(), last,
		fmt.Sprintf("the log ends before batch %d, which %s contains", last, manifestName(s.man.Number)), restoreHint)
}

// takeEpoch chooses this run's epoch and refuses to follow a later one.
func (s *Store) takeEpoch() error {
	seen := s.man.Epoch
	for _, seg := range s.segments {
		seen = max(seen, seg.header.epoch)
	}
	s.epoch = s.opt.Epoch
	if s.epoch == 0 {
		s.epoch = seen + 1
	}
	if s.epoch > seen || s.opt.ReadOnly {
		return nil
	}
	return &fault.Error{Kind: fault.ErrFenced, What: "state store", Path: s.dir, Batch: fault.NoBatch,
		Why:  fmt.Sprintf("it was written in epoch %d, this run has epoch %d", seen, s.epoch),
		Hint: "a later run has taken this checkpoint over: stop one of the two"}
}

// repairTail cuts off what follows the last record and writes that record
// again. If the process before this one could not sync it, it may be readable
// and yet not on the disk; then it must not be published from memory.
func (s *Store) repairTail() error {
	if n := len(s.segments); n > 0 && s.segments[n-1].used <= sector {
		seg := s.segments[n-1]
		s.segments = s.segments[:n-1]
		if err := s.dropSegment(seg); err != nil {
			return err
		}
	}
	if len(s.segments) == 0 {
		return nil
	}
	seg := s.segments[len(s.segments)-1]
	if !seg.scanned {
		return corruptLog(seg.path, s.expected(), "the log ends too early")
	}
	if seg.alloc > seg.used {
		if err := seg.file.Truncate(seg.used); err != nil {
			return err
		}
		seg.alloc = seg.used
	}
	if err := s.rewriteLast(seg); err != nil {
		return err
	}
	return seg.file.Sync()
}

func (s *Store) rewriteLast(seg *segment) error {
	if len(s.records) == 0 || s.records[len(s.records)-1].segment != seg {
		return nil
	}
	r := s.records[len(s.records)-1]
	body, err := r.body(nil)
	if err != nil {
		return err
	}
	if _, err := seg.file.WriteAt(r.recordHeader.appendTo(nil), r.off); err != nil {
		return err
	}
	if _, err = seg.file.WriteAt(body, r.off+recordHeaderLen); err != nil || r.off > sector {
		return err
	}
	_, err = seg.file.WriteAt(seg.header.encode(), 0)
	return err
}
