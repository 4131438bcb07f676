package state

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/sqlstream/sqlstream/storage/fault"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

// Store is the durable state of one query. Append, Prepared and Discard
// belong to one caller at a time; Load and Compact may run beside them.
type Store struct {
	fs    vfs.FS
	dir   string
	opt   Options
	epoch uint64
	buf   []byte            // of the appender
	names map[string]string // of operators, one copy each

	// files is held for reading while log or runs are read, and for writing
	// while obsolete ones are removed.
	files sync.RWMutex
	// merging is held during a merge: one at a time.
	merging sync.Mutex

	mu        sync.Mutex // guards what follows
	failed    error      // sticky: the content of the files is unknown
	segments  []*segment
	active    *segment // the last one while it takes records
	records   []*record
	logBytes  int64 // of the records behind the manifest
	man       manifest
	olderMan  *manifest // the one before, kept to go back to by hand
	nextSeq   uint64
	lastFlush time.Time

	kick chan struct{}
	stop context.CancelFunc
	done sync.WaitGroup
}

// segment is one file of the log.
type segment struct {
	path    string
	file    vfs.File
	header  segmentHeader
	used    int64 // where the next record goes
	alloc   int64 // up to where the file is preallocated
	scanned bool  // its records are in the index
}

// record is a batch in the log.
type record struct {
	recordHeader
	segment *segment
	off     int64
	parts   []part
}

func (s *Store) logDir() string { return filepath.Join(s.dir, "log") }
func (s *Store) runDir() string { return filepath.Join(s.dir, "runs") }

// Bytes returns the size of the log, as far as records reach, and of the runs.
func (s *Store) Bytes() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	total := s.man.bytes()
	for _, seg := range s.segments {
		total += seg.used
	}
	return total
}

// Epoch returns the epoch that this store writes.
func (s *Store) Epoch() uint64 { return s.epoch }

// Last returns the last durable batch.
func (s *Store) Last() (id int64, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last()
}

func (s *Store) last() (int64, bool) {
	if n := len(s.records); n > 0 {
		return s.records[n-1].batch, true
	}
	return s.man.Batch, s.man.Number > 0
}

// Oldest returns the oldest batch whose state LoadAt can still give.
func (s *Store) Oldest() (id int64, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.man.Number > 0 {
		return s.man.Batch, true
	}
	if len(s.records) == 0 {
		return 0, false
	}
	return s.records[0].batch, true
}

// record returns the logged batch id. The lock is held.
func (s *Store) record(id int64) (*record, bool) {
	if len(s.records) == 0 {
		return nil, false
	}
	i := id - s.records[0].batch
	if i < 0 || i >= int64(len(s.records)) {
		return nil, false
	}
	return s.records[i], true
}

// fail makes err the answer of every later call and returns it. The lock is
// held.
func (s *Store) fail(err error) error {
	if s.failed == nil {
		s.failed = err
	}
	return err
}

// Err returns the failure that stopped the store, of an append or of a
// background merge, or nil.
func (s *Store) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stopped()
}

func (s *Store) stopped() error {
	if s.failed == nil {
		return nil
	}
	return &fault.Error{Kind: fault.ErrFailed, What: "state store", Path: s.dir, Batch: fault.NoBatch,
		Why: "an earlier failure left its content unknown", Err: s.failed,
		Hint: "start the query again: it recovers from what is durable"}
}

// Close stops the background merge and closes the files. It makes nothing
// durable: Append did.
func (s *Store) Close() error {
	if s.stop != nil {
		s.stop()
		s.done.Wait()
	}
	s.merging.Lock()
	defer s.merging.Unlock()
	s.files.Lock()
	defer s.files.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	errs := []error{s.retire()}
	for _, seg := range s.segments {
		errs = append(errs, seg.file.Close())
	}
	if s.failed == nil {
		s.failed = errors.New("the store is closed")
	}
	s.segments = nil
	return fault.IO("state log", s.logDir(), errors.Join(errs...))
}

// retire gives back what the active segment preallocated and did not use;
// the next record goes to a new one. The lock is held.
func (s *Store) retire() error {
	seg := s.active
	s.active = nil
	if seg == nil || s.failed != nil || seg.alloc <= seg.used {
		return nil
	}
	seg.alloc = seg.used
	return seg.file.Truncate(seg.used)
}

// Sizes of a store, for metrics.
type Sizes struct {
	LogBytes      int64 // of the batches that are in the log alone
	MergeDueBytes int64 // of those that the next merge may take
	RunBytes      int64
	Segments      int
	Runs          int
	Batches       int // in the log
}

// Sizes returns the current sizes.
func (s *Store) Sizes() Sizes {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, kept := s.retained()
	z := Sizes{LogBytes: s.logBytes, MergeDueBytes: max(0, s.logBytes-kept), RunBytes: s.man.bytes(),
		Segments: len(s.segments), Batches: len(s.records)}
	for _, stack := range s.man.Ops {
		z.Runs += len(stack)
	}
	return z
}

func batchName(id int64) string { return fmt.Sprintf("state log batch %d", id) }
