package vfs

import (
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"time"
)

// ErrCrashed is what every operation returns once the simulated machine has
// stopped. Nothing happens to the files any more.
var ErrCrashed = errors.New("the simulated machine has crashed")

// OpKind names an operation of the file system.
type OpKind string

// The operations. Open and Read change nothing and have no number.
const (
	OpOpen     OpKind = "open"
	OpRead     OpKind = "read"
	OpCreate   OpKind = "create"
	OpWrite    OpKind = "write"
	OpTruncate OpKind = "truncate"
	OpSync     OpKind = "sync"
	OpSyncDir  OpKind = "syncdir"
	OpRename   OpKind = "rename"
	OpLink     OpKind = "link"
	OpRemove   OpKind = "remove"
	OpMkdir    OpKind = "mkdir"
	OpLock     OpKind = "lock"
)

// Op is one operation about to happen.
type Op struct {
	N    int64 // from 1, counting those that change something; 0 for the others
	Kind OpKind
	Path string
}

// ShortWrite, returned by a hook for a write, writes only the first N bytes
// and then fails with Err.
type ShortWrite struct {
	N   int
	Err error
}

func (s *ShortWrite) Error() string { return "short write: " + s.Err.Error() }

// Unwrap returns the error that the short write ended with.
func (s *ShortWrite) Unwrap() error { return s.Err }

// Crashable is a file system in memory that forgets what a real one may
// forget: on a crash, synced data stays, and of the rest a random share of
// 4 KiB blocks, file sizes and directory entries. Operations on one directory
// entry keep their order; a rename in one directory is atomic; a rename to
// another may leave the file at both names, never at none. It is the real
// thing with no luck, not a model of one file system.
//
// It is safe for concurrent use, and deterministic when its users are.
type Crashable struct {
	mu      sync.Mutex
	rng     *rand.Rand
	root    *node
	pending []*dirOp
	locks   map[string]bool
	ops     int64
	clock   int64
	crashAt int64
	crashed bool
	hook    func(Op) error
	lasting bool // nothing is ever lost: directory entries are durable at once
}

// NewCrashable returns an empty file system; seed decides what crashes lose.
func NewCrashable(seed uint64) *Crashable {
	c := &Crashable{rng: rand.New(rand.NewPCG(seed, 1)), locks: map[string]bool{}}
	c.root = c.newDir()
	return c
}

// NewMemory returns an empty file system in memory that is not meant to crash: it keeps
// no list of what a crash could lose, so that its cost does not grow with its files.
func NewMemory() *Crashable {
	c := NewCrashable(1)
	c.lasting = true
	return c
}

// OnOp sets a function that is asked before every operation; an error that it
// returns is the result of the operation, which then does not happen. A
// failed Sync in addition loses what it should have made durable, as the page
// cache of Linux does. The hook must not use the file system.
func (c *Crashable) OnOp(hook func(Op) error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hook = hook
}

// CrashAt stops the machine just before the operation with that number, so
// that CrashAt(k+1) is a crash just after operation k; 0 means never.
func (c *Crashable) CrashAt(n int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.crashAt = n
}

// Crashed reports whether the crash point was reached.
func (c *Crashable) Crashed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.crashed
}

// Ops returns how many changing operations were asked for so far.
func (c *Crashable) Ops() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ops
}

// begin counts an operation and asks crash point and hook. The lock is held.
func (c *Crashable) begin(kind OpKind, path string) error {
	if c.crashed {
		return ErrCrashed
	}
	op := Op{Kind: kind, Path: path}
	if kind != OpOpen && kind != OpRead {
		c.ops++
		op.N = c.ops
		if c.crashAt > 0 && c.ops >= c.crashAt {
			c.crashed = true
			return ErrCrashed
		}
	}
	if c.hook == nil {
		return nil
	}
	return c.hook(op)
}

// now is a clock that moves with every change, so that times order files.
func (c *Crashable) now() time.Time {
	c.clock++
	return time.Unix(1_700_000_000+c.clock, 0).UTC()
}

// Create implements FS.
func (c *Crashable) Create(name string) (File, error) { return c.create(name, false) }

// CreateExclusive implements FS.
func (c *Crashable) CreateExclusive(name string) (File, error) { return c.create(name, true) }

func (c *Crashable) create(name string, exclusive bool) (File, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.begin(OpCreate, name); err != nil {
		return nil, pathError("create", name, err)
	}
	dir, base, err := c.parent(name)
	if err != nil {
		return nil, pathError("create", name, err)
	}
	n := dir.entries[base]
	switch {
	case n == nil:
		n = c.newFile()
		c.apply(change{dir, base, n})
	case n.dir || exclusive:
		return nil, pathError("create", name, fs.ErrExist)
	default:
		n.truncate(0)
		n.mtime = c.now()
	}
	return &crashFile{fs: c, n: n, name: name, writable: true}, nil
}

// Open implements FS.
func (c *Crashable) Open(name string) (File, error) { return c.open(crashFile{name: name}) }

// OpenReadWrite implements FS.
func (c *Crashable) OpenReadWrite(name string) (File, error) {
	return c.open(crashFile{name: name, writable: true})
}

func (c *Crashable) open(f crashFile) (File, error) {
	name := f.name
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.begin(OpOpen, name); err != nil {
		return nil, pathError("open", name, err)
	}
	n, err := c.lookup(name)
	if err != nil {
		return nil, pathError("open", name, err)
	}
	if n.dir {
		return nil, pathError("open", name, errors.New("is a directory"))
	}
	f.fs, f.n = c, n
	return &f, nil
}

// OpenAppend implements FS.
func (c *Crashable) OpenAppend(name string) (File, error) {
	want := crashFile{name: name, writable: true, appending: true}
	f, err := c.open(want)
	if !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	if _, err = c.Create(name); err != nil {
		return nil, err
	}
	return c.open(want)
}

// Stat implements FS.
func (c *Crashable) Stat(name string) (fs.FileInfo, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.crashed {
		return nil, pathError("stat", name, ErrCrashed)
	}
	n, err := c.lookup(name)
	if err != nil {
		return nil, pathError("stat", name, err)
	}
	return n.info(filepath.Base(name)), nil
}

// ReadDir implements FS.
func (c *Crashable) ReadDir(dir string) ([]fs.DirEntry, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.begin(OpRead, dir); err != nil {
		return nil, pathError("readdir", dir, err)
	}
	n, err := c.lookup(dir)
	if err == nil && !n.dir {
		err = errors.New("not a directory")
	}
	if err != nil {
		return nil, pathError("readdir", dir, err)
	}
	list := make([]fs.DirEntry, 0, len(n.entries))
	for name, child := range n.entries {
		list = append(list, fs.FileInfoToDirEntry(child.info(name)))
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Name() < list[j].Name() })
	return list, nil
}

// Lock implements FS. The locks of a crashed machine are gone.
func (c *Crashable) Lock(name string) (io.Closer, error) {
	c.mu.Lock()
	held := c.locks[name]
	c.mu.Unlock()
	if held {
		return nil, pathError("lock", name, ErrLocked)
	}
	f, err := c.OpenAppend(name)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.begin(OpLock, name); err != nil {
		return nil, pathError("lock", name, err)
	}
	c.locks[name] = true
	return &crashLock{c, name, f}, nil
}

type crashLock struct {
	fs   *Crashable
	name string
	f    File
}

func (l *crashLock) Close() error {
	l.fs.mu.Lock()
	delete(l.fs.locks, l.name)
	l.fs.mu.Unlock()
	return l.f.Close()
}

func pathError(op, path string, err error) error {
	return &fs.PathError{Op: op, Path: path, Err: err}
}

func splitPath(name string) []string {
	name = strings.Trim(filepath.ToSlash(filepath.Clean(name)), "/")
	if name == "" || name == "." {
		return nil
	}
	return strings.Split(name, "/")
}
