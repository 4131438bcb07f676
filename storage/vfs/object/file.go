package object

import (
	"errors"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"sync"

	"github.com/sqlstream/sqlstream/storage/vfs"
)

// writer is a file that is written whole: it becomes an object when it is synced or
// closed or, under a temporary name, when it is renamed.
type writer struct {
	fs    *FS
	name  string
	mu    sync.Mutex
	s     *scratch
	at    int64 // of Read and Write
	dirty bool
}

// Create implements FS.
func (f *FS) Create(name string) (vfs.File, error) {
	if _, err := f.at(name); err != nil {
		return nil, err
	}
	w := &writer{fs: f, name: name, s: &scratch{}, dirty: true}
	if isTemp(name) {
		f.mu.Lock()
		if old := f.temps[clean(name)]; old != nil {
			old.free()
		}
		f.temps[clean(name)] = w.s
		f.mu.Unlock()
	}
	return w, nil
}

func (w *writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n, err := w.s.WriteAt(p, w.at)
	w.at += int64(n)
	w.dirty = true
	return n, err
}

func (w *writer) WriteAt(p []byte, off int64) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.dirty = true
	return w.s.WriteAt(p, off)
}

func (w *writer) Read(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n, err := w.s.ReadAt(p, w.at)
	w.at += int64(n)
	if n > 0 {
		err = nil
	}
	return n, err
}

func (w *writer) ReadAt(p []byte, off int64) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.s.ReadAt(p, off)
}

func (w *writer) Truncate(size int64) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.dirty = true
	return w.s.Truncate(size)
}

func (w *writer) Stat() (fs.FileInfo, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return fileInfo{name: path.Base(clean(w.name)), info: Info{Size: w.s.size}}, nil
}

// Sync makes the content an object, unless its name is still to come.
func (w *writer) Sync() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.dirty || isTemp(w.name) {
		return nil
	}
	err := w.fs.put(w.name, w.s, Condition{})
	w.dirty = err != nil
	return err
}

func (w *writer) SyncData() error { return w.Sync() }

func (w *writer) Close() error {
	err := w.Sync()
	if !isTemp(w.name) {
		w.s.free()
	}
	return err
}

// reader is an object opened for reading. It holds a window of the object; every read
// outside of it is a request that fails if the object is another one by now.
type reader struct {
	p    place
	name string
	info Info
	mu   sync.Mutex
	at   int64
	off  int64 // of the window
	win  []byte
}

const (
	// firstRead is fetched when a file is opened: most files of a checkpoint, and many data
	// files, are smaller, and cost one request.
	firstRead = 256 << 10
	// ahead is fetched where reads follow each other.
	ahead = 4 << 20
	// atLeast is fetched where they do not.
	atLeast = 64 << 10
)

// Open implements FS.
func (f *FS) Open(name string) (vfs.File, error) {
	if file, ok, err := f.openLogged(name, false); ok || err != nil {
		return file, err
	}
	p, err := f.at(name)
	if err != nil {
		return nil, err
	}
	data, info, err := p.b.Get(background(), p.key, 0, firstRead, "")
	if err != nil {
		return nil, pathError("open", name, err)
	}
	return &reader{p: p, name: name, info: info, win: data}, nil
}

func (r *reader) ReadAt(p []byte, off int64) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.readAt(p, off)
}

func (r *reader) readAt(p []byte, off int64) (int, error) {
	done := 0
	for done < len(p) {
		at := off + int64(done)
		if at >= r.info.Size {
			return done, io.EOF
		}
		if at < r.off || at >= r.off+int64(len(r.win)) {
			if err := r.fetch(at, int64(len(p)-done)); err != nil {
				return done, err
			}
		}
		done += copy(p[done:], r.win[at-r.off:])
	}
	return done, nil
}

// fetch moves the window.
func (r *reader) fetch(off, n int64) error {
	n = max(n, atLeast)
	if off == r.off+int64(len(r.win)) {
		n = max(n, ahead)
	}
	data, info, err := r.p.b.Get(background(), r.p.key, off, min(n, r.info.Size-off), r.info.ETag)
	switch {
	case errors.Is(err, ErrPrecondition):
		return pathError("read", r.name, errors.New("the object was replaced while it was read"))
	case err != nil:
		return pathError("read", r.name, err)
	case info.ETag != r.info.ETag || len(data) == 0:
		return pathError("read", r.name, io.ErrUnexpectedEOF)
	}
	r.off, r.win = off, data
	return nil
}

func (r *reader) Read(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n, err := r.readAt(p, r.at)
	r.at += int64(n)
	if n > 0 && errors.Is(err, io.EOF) {
		err = nil
	}
	return n, err
}

func (r *reader) Stat() (fs.FileInfo, error) {
	return fileInfo{name: path.Base(r.p.key), info: r.info}, nil
}

func (r *reader) Close() error { return nil }

func (r *reader) Write([]byte) (int, error)          { return 0, r.readOnly() }
func (r *reader) WriteAt([]byte, int64) (int, error) { return 0, r.readOnly() }
func (r *reader) Truncate(int64) error               { return r.readOnly() }
func (r *reader) Sync() error                        { return nil }
func (r *reader) SyncData() error                    { return nil }

func (r *reader) readOnly() error { return pathError("write", r.name, fs.ErrPermission) }

// OpenReadWrite implements FS for logs; an object cannot be changed.
func (f *FS) OpenReadWrite(name string) (vfs.File, error) {
	file, ok, err := f.openLogged(name, true)
	if !ok && err == nil {
		err = pathError("open", name, fs.ErrNotExist)
	}
	return file, err
}

// OpenAppend implements FS for logs.
func (f *FS) OpenAppend(name string) (vfs.File, error) {
	file, ok, err := f.openLogged(name, true)
	if !ok && err == nil {
		file, err = f.CreateExclusive(name)
	}
	if err != nil {
		return nil, err
	}
	l := file.(*logHandle)
	l.appending = true
	return l, nil
}

// openLogged opens a file of a log; ok is false if name is none.
func (f *FS) openLogged(name string, write bool) (file vfs.File, ok bool, err error) {
	log := f.knownLog(filepath.Dir(name))
	if log == nil && !write {
		return nil, false, nil
	}
	if log == nil {
		log = f.log(filepath.Dir(name))
	}
	h, err := log.open(path.Base(clean(name)), write)
	if err != nil || h == nil {
		return nil, false, pathErrorIf("open", name, err)
	}
	return h, true, nil
}
