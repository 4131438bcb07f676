package vfs

import (
	"io"
	"io/fs"
	"maps"
	"slices"
	"time"
)

// blockSize is the unit that survives a crash whole or not at all.
const blockSize = 4096

type block [blockSize]byte

// node is a file or a directory. A block is written in place only while it is
// dirty; otherwise it may be shared with the durable content or another
// machine, and a write copies it.
type node struct {
	dir   bool
	mtime time.Time

	entries, durable map[string]*node // of a directory: visible, and after a crash

	size, durableSize     int64
	blocks, durableBlocks []*block // nil is a block of zeros
	dirty                 map[int]bool
	lost                  map[int]bool // a failed sync gave them up
}

func (c *Crashable) newFile() *node {
	return &node{mtime: c.now(), dirty: map[int]bool{}, lost: map[int]bool{}}
}

func (c *Crashable) newDir() *node {
	return &node{dir: true, mtime: c.now(), entries: map[string]*node{}, durable: map[string]*node{}}
}

func sortedNames(entries map[string]*node) []string {
	return slices.Sorted(maps.Keys(entries))
}

func (n *node) writable(i int) *block {
	for len(n.blocks) <= i {
		n.blocks = append(n.blocks, nil)
	}
	if !n.dirty[i] || n.blocks[i] == nil {
		fresh := new(block)
		if n.blocks[i] != nil {
			*fresh = *n.blocks[i]
		}
		n.blocks[i] = fresh
		n.dirty[i] = true
		delete(n.lost, i)
	}
	return n.blocks[i]
}

func (n *node) write(p []byte, off int64) {
	for len(p) > 0 {
		b := n.writable(int(off / blockSize))
		done := copy(b[off%blockSize:], p)
		p, off = p[done:], off+int64(done)
		n.size = max(n.size, off)
	}
}

func (n *node) read(p []byte, off int64) (int, error) {
	if off >= n.size {
		return 0, io.EOF
	}
	want := int(min(int64(len(p)), n.size-off))
	for done := 0; done < want; {
		at := off + int64(done)
		i, skip := int(at/blockSize), int(at%blockSize)
		part := p[done:min(want, done+blockSize-skip)]
		if i < len(n.blocks) && n.blocks[i] != nil {
			copy(part, n.blocks[i][skip:])
		} else {
			clear(part)
		}
		done += len(part)
	}
	if want < len(p) {
		return want, io.EOF
	}
	return want, nil
}

func (n *node) truncate(size int64) {
	if tail := size % blockSize; size < n.size && tail != 0 {
		clear(n.writable(int(size / blockSize))[tail:])
	}
	for i := int((size + blockSize - 1) / blockSize); i < len(n.blocks); i++ {
		n.blocks[i] = nil
		n.dirty[i] = true
		delete(n.lost, i)
	}
	n.size = size
}

func (n *node) sync() {
	for i := range n.dirty {
		for len(n.durableBlocks) <= i {
			n.durableBlocks = append(n.durableBlocks, nil)
		}
		n.durableBlocks[i] = nil
		if i < len(n.blocks) {
			n.durableBlocks[i] = n.blocks[i]
		}
	}
	clear(n.dirty)
	n.durableSize = n.size
}

// loseDirty is what a failed sync does: the content stays readable, counts as
// clean, and is not on the disk.
func (n *node) loseDirty() {
	for i := range n.dirty {
		n.lost[i] = true
	}
	clear(n.dirty)
}

type fileInfo struct {
	name  string
	size  int64
	mode  fs.FileMode
	mtime time.Time
}

func (n *node) info(name string) fs.FileInfo {
	if n.dir {
		return fileInfo{name: name, mode: fs.ModeDir | dirPerm, mtime: n.mtime}
	}
	return fileInfo{name: name, size: n.size, mode: filePerm, mtime: n.mtime}
}

func (i fileInfo) Name() string       { return i.name }
func (i fileInfo) Size() int64        { return i.size }
func (i fileInfo) Mode() fs.FileMode  { return i.mode }
func (i fileInfo) ModTime() time.Time { return i.mtime }
func (i fileInfo) IsDir() bool        { return i.mode.IsDir() }
func (i fileInfo) Sys() any           { return nil }

// crashFile is an open file of a Crashable.
type crashFile struct {
	fs        *Crashable
	n         *node
	name      string
	pos       int64
	writable  bool
	appending bool
	closed    bool
}

func (f *crashFile) begin(kind OpKind) error {
	err := f.fs.begin(kind, f.name)
	changes := kind == OpWrite || kind == OpTruncate
	if err == nil && (f.closed || changes && !f.writable) {
		err = fs.ErrClosed
		if !f.closed {
			err = fs.ErrPermission
		}
	}
	return err
}

func (f *crashFile) Write(p []byte) (int, error) {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	if f.appending {
		f.pos = f.n.size
	}
	n, err := f.writeAt(p, f.pos)
	f.pos += int64(n)
	return n, err
}

func (f *crashFile) WriteAt(p []byte, off int64) (int, error) {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	return f.writeAt(p, off)
}

func (f *crashFile) writeAt(p []byte, off int64) (int, error) {
	n, err := len(p), f.begin(OpWrite)
	if err != nil {
		n = 0
		if short, ok := err.(*ShortWrite); ok {
			n = min(short.N, len(p))
		}
		err = pathError("write", f.name, err)
	}
	f.n.write(p[:n], off)
	if n > 0 {
		f.n.mtime = f.fs.now()
	}
	return n, err
}

func (f *crashFile) Read(p []byte) (int, error) {
	n, err := f.ReadAt(p, f.pos)
	f.pos += int64(n)
	if n > 0 {
		err = nil
	}
	return n, err
}

func (f *crashFile) ReadAt(p []byte, off int64) (int, error) {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	if err := f.begin(OpRead); err != nil {
		return 0, pathError("read", f.name, err)
	}
	return f.n.read(p, off)
}

func (f *crashFile) Truncate(size int64) error {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	if err := f.begin(OpTruncate); err != nil {
		return pathError("truncate", f.name, err)
	}
	f.n.truncate(size)
	f.n.mtime = f.fs.now()
	return nil
}

func (f *crashFile) Sync() error {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	if err := f.begin(OpSync); err != nil {
		if !f.fs.crashed {
			f.n.loseDirty()
		}
		return pathError("sync", f.name, err)
	}
	f.n.sync()
	return nil
}

func (f *crashFile) SyncData() error { return f.Sync() }

func (f *crashFile) Stat() (fs.FileInfo, error) {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	return f.n.info(f.name), nil
}

func (f *crashFile) Close() error {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	f.closed = true
	return nil
}
