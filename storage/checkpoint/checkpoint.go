package checkpoint

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/sqlstream/sqlstream/storage/fault"
	"github.com/sqlstream/sqlstream/storage/textlog"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

// FormatVersion is the version of the directory's layout.
//
//	1: first version.
const FormatVersion = 1

// The kinds of failure, for errors.Is. The messages name path and remedy.
var (
	ErrCorrupt  = fault.ErrCorrupt
	ErrMissing  = fault.ErrMissing
	ErrVersion  = fault.ErrVersion
	ErrLocked   = fault.ErrLocked
	ErrFenced   = fault.ErrFenced
	ErrReadOnly = fault.ErrReadOnly
	ErrDiskFull = fault.ErrDiskFull
	ErrFailed   = fault.ErrFailed
)

// Options of a Checkpoint. The zero value is right for a query.
type Options struct {
	// Keep is how many of the last batches keep their files; 100 by default,
	// at least 2.
	Keep int
	// ReadOnly opens a checkpoint for looking at it, beside a running query:
	// no lock, no epoch, no change.
	ReadOnly bool
	// Rand gives the bytes of a new query's id; crypto/rand by default.
	Rand io.Reader
	// Manual starts no goroutine: queued writes happen in Wait, Sync, Close
	// and Step. For tests that decide the order.
	Manual bool
}

const (
	defaultKeep = 100
	minKeep     = 2
)

// Checkpoint is the open directory of one query. Reading methods belong to
// recovery; the Write methods are for one caller, in the order of batches.
type Checkpoint struct {
	fs      vfs.FS
	dir     string
	opt     Options
	lock    io.Closer
	id      string
	epoch   uint64
	fresh   bool
	offsets *numbered
	commits *numbered
	sources []*sourceLog             // in the order of their declaration
	read    bool                     // the logs are, not only listed
	listed  map[string][]fs.DirEntry // while the logs are read: directories of sources
	cleaned bool                     // what a crash left is gone
	epochs  map[int64]uint64         // of the kept batches: see head.Epoch; the writer guards it
	writer  writer
}

// metadata is the content of the file of that name, as in Spark plus a
// version.
type metadata struct {
	ID      string `json:"id"`
	Version int    `json:"version"`
}

// Open takes the directory, making it if needed, starts a new epoch and reads
// what is there. Another process that runs the query makes it fail with
// ErrLocked.
func Open(fsys vfs.FS, dir string, opt Options) (*Checkpoint, error) {
	if opt.Keep == 0 {
		opt.Keep = defaultKeep
	}
	opt.Keep = max(opt.Keep, minKeep)
	if vfs.ShareOf(fsys, dir) != nil {
		opt.Keep = max(opt.Keep, compactEvery) // a compaction must know what belongs to its batches
	}
	if opt.Rand == nil {
		opt.Rand = rand.Reader
	}
	c := &Checkpoint{fs: fsys, dir: dir, opt: opt, epochs: map[int64]uint64{}}
	c.writer.init(c)
	if err := c.open(); err != nil {
		return nil, errors.Join(fault.IO("checkpoint", dir, err), c.unlock())
	}
	return c, nil
}

func (c *Checkpoint) open() error {
	if !c.opt.ReadOnly {
		if err := c.prepareDirs(); err != nil {
			return err
		}
		if err := c.takeLock(); err != nil {
			return err
		}
	}
	if err := c.readMetadata(); err != nil {
		return err
	}
	read := c.readLogs
	if c.Contended() && !c.opt.ReadOnly {
		read = c.listLogs // Plan reads them, once nobody else can prepare a batch
	}
	if err := read(); err != nil {
		return err
	}
	if c.opt.ReadOnly {
		return nil
	}
	return c.nextEpoch()
}

// prepareDirs makes the directories and makes durable what they show, since
// the process before this one may have died before its own sync.
func (c *Checkpoint) prepareDirs() error {
	dirs := vfs.NewDirs(c.fs)
	for _, dir := range []string{c.path("offsets"), c.path("commits"), c.path("sources"), c.path("meta")} {
		if err := dirs.Make(dir); err != nil {
			return err
		}
	}
	for _, dir := range []string{c.dir, c.path("offsets"), c.path("commits"), c.path("sources"), c.path("meta")} {
		if err := vfs.SyncDir(c.fs, dir); err != nil {
			return err
		}
	}
	return nil
}

func (c *Checkpoint) path(parts ...string) string {
	return filepath.Join(append([]string{c.dir}, parts...)...)
}

// takeLock locks the directory and leaves the pid for whoever comes second.
func (c *Checkpoint) takeLock() error {
	path := c.path("LOCK")
	lock, err := c.fs.Lock(path)
	if errors.Is(err, vfs.ErrLocked) {
		return &fault.Error{Kind: fault.ErrLocked, What: "checkpoint", Path: c.dir, Batch: NoBatch,
			Why:  "another process runs this query" + c.holder(path),
			Hint: "stop that one, or give this query a checkpoint of its own"}
	}
	if err != nil {
		return err
	}
	c.lock = lock
	// Only a help for the message above: Windows does not let it be written.
	_ = vfs.WriteFileAtomic(c.fs, path+".pid", []byte(strconv.Itoa(os.Getpid())+"\n"), false)
	return nil
}

func (c *Checkpoint) holder(path string) string {
	data, err := vfs.ReadFile(c.fs, path+".pid")
	if pid := strings.TrimSpace(string(data)); err == nil && pid != "" {
		return " (process " + pid + ")"
	}
	return ""
}

func (c *Checkpoint) unlock() error {
	if c.lock == nil {
		return nil
	}
	lock := c.lock
	c.lock = nil
	return lock.Close()
}

// readMetadata reads the query's id, or gives the query one.
func (c *Checkpoint) readMetadata() error {
	path := c.path("metadata")
	data, err := vfs.ReadFile(c.fs, path)
	if errors.Is(err, fs.ErrNotExist) && !c.opt.ReadOnly {
		return c.create(path)
	}
	if err != nil {
		return err
	}
	var m metadata
	if json.Unmarshal(data, &m) != nil || m.ID == "" {
		return fault.Corrupt("checkpoint metadata", path, NoBatch, "it holds no query id",
			"restore the file from a copy: {\"id\":\"<uuid>\",\"version\":1}")
	}
	if m.Version > FormatVersion {
		return &fault.Error{Kind: fault.ErrVersion, What: "checkpoint metadata", Path: path, Batch: NoBatch,
			Why:  fmt.Sprintf("the checkpoint has format %d, this program reads up to %d", m.Version, FormatVersion),
			Hint: "use the version of the program that wrote it, or a newer one"}
	}
	c.id = m.ID
	return nil
}

// create begins a new query, unless the directory holds the logs of one.
func (c *Checkpoint) create(path string) error {
	for _, dir := range []string{"offsets", "commits"} {
		list, err := c.fs.ReadDir(c.path(dir))
		if err != nil {
			return err
		}
		for _, e := range list {
			if vfs.IsTemp(e.Name()) {
				continue
			}
			return &fault.Error{Kind: fault.ErrMissing, What: "checkpoint metadata", Path: path, Batch: NoBatch,
				Why:  fmt.Sprintf("the directory has %s/%s but no metadata", dir, e.Name()),
				Hint: "restore the file from a copy, or choose an empty directory"}
		}
	}
	id, err := newID(c.opt.Rand)
	if err != nil {
		return err
	}
	c.id, c.fresh = id, true
	line, err := json.Marshal(metadata{ID: id, Version: FormatVersion})
	if err != nil {
		return err
	}
	return vfs.SwapFile(c.fs, path, nil, append(line, '\n'))
}

// newID returns a random UUID (version 4).
func newID(random io.Reader) (string, error) {
	var b [16]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return "", err
	}
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:]), nil
}

// nextEpoch makes this run's epoch durable, so that no run ever shares one.
func (c *Checkpoint) nextEpoch() error {
	var e struct {
		Epoch uint64 `json:"epoch"`
	}
	path := c.path("epoch")
	data, err := vfs.ReadFile(c.fs, path) // nil without a file
	if err == nil {
		var lines [][]byte
		if lines, err = textlog.Decode(data); err == nil && len(lines) == 1 {
			err = json.Unmarshal(lines[0], &e)
		}
		if err != nil {
			return textlog.Describe("checkpoint epoch", path, NoBatch, err, "restore the file from a copy")
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	} else if !c.fresh && c.offsets.last != NoBatch {
		return &fault.Error{Kind: fault.ErrMissing, What: "checkpoint epoch", Path: path, Batch: NoBatch,
			Why: "the file is gone", Hint: "restore it from a copy"}
	}
	e.Epoch++
	c.epoch = e.Epoch
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	return vfs.SwapFile(c.fs, path, data, textlog.Encode(line))
}

// ID returns the query's id, the same over all restarts.
func (c *Checkpoint) ID() string { return c.id }

// Epoch returns the number of this run, higher than that of every earlier
// one; 0 when open for reading only.
func (c *Checkpoint) Epoch() uint64 { return c.epoch }

// Fresh reports whether Open began a new query.
func (c *Checkpoint) Fresh() bool { return c.fresh }

// Dir returns the directory.
func (c *Checkpoint) Dir() string { return c.dir }

// Contended reports that no lock keeps other processes out: the checkpoint is on an object
// store. Then PREPARED(N) waits for offsets/N, which a late request of a dead process may
// have written with another range.
func (c *Checkpoint) Contended() bool { return vfs.ShareOf(c.fs, c.dir) != nil }

// StateDir returns the directory for storage/state.
func (c *Checkpoint) StateDir() string { return c.path("state") }

// LastOffsets returns the last batch with durable offsets, or NoBatch.
func (c *Checkpoint) LastOffsets() int64 {
	c.writer.mu.Lock()
	defer c.writer.mu.Unlock()
	return c.offsets.last
}

// LastCommit returns the last batch with a durable commit, or NoBatch.
func (c *Checkpoint) LastCommit() int64 {
	c.writer.mu.Lock()
	defer c.writer.mu.Unlock()
	return c.commits.last
}

// Oldest returns the oldest batch whose offsets are kept, or NoBatch.
func (c *Checkpoint) Oldest() int64 {
	c.writer.mu.Lock()
	defer c.writer.mu.Unlock()
	return c.offsets.first
}

// Offsets returns the lines that WriteOffsets was given for batch n.
func (c *Checkpoint) Offsets(n int64) ([][]byte, error) {
	lines, err := c.offsets.read(n)
	if err != nil {
		return nil, err
	}
	_, lines, err = splitHead(lines)
	if err != nil {
		return nil, c.offsets.corrupt(n, err.Error())
	}
	return lines, nil
}

// Commit returns the lines that WriteCommit was given for batch n.
func (c *Checkpoint) Commit(n int64) ([][]byte, error) { return c.commits.read(n) }

// Plan returns what to do on this start, given the last batch of the state
// log, which is open by then, or NoBatch, and removes what a crash left of batches that were not begun.
func (c *Checkpoint) Plan(prepared int64) (Recovery, error) {
	if c.Contended() && !c.opt.ReadOnly {
		if err := c.readLogs(); err != nil {
			return Recovery{}, err
		}
	}
	r, err := Plan(Survivors{Offsets: c.LastOffsets(), Prepared: prepared, Commit: c.LastCommit()})
	var e *fault.Error
	if errors.As(err, &e) {
		e.Path = c.dir
	}
	if err != nil {
		return r, err
	}
	return r, fault.IO("checkpoint", c.dir, c.clean())
}
