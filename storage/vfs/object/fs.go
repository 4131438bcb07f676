package object

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/sqlstream/sqlstream/storage/vfs"
)

// Options of an FS.
type Options struct {
	Retry Retry
	// Writer names this process to those that it fences: "process 12 on host a".
	Writer string
	// Nonce tells this process from every other one.
	Nonce string
}

// FS is a file system on the buckets of one store. It implements vfs.FS, vfs.Shared,
// vfs.Stager and vfs.Walker; paths are s3:/bucket/key, see vfs.Scheme.
type FS struct {
	open func(bucket string) (Bucket, error)
	opt  Options

	mu      sync.Mutex
	buckets map[string]Bucket
	temps   map[string]*scratch // by path: written, and waiting for their name
	logs    map[string]*logDir  // by path of the directory
	made    map[string]bool     // directories that MkdirAll made: they have no object
	locks   map[string]bool
}

// New returns the file system of a store, whose buckets open gives.
func New(open func(bucket string) (Bucket, error), opt Options) *FS {
	opt.Retry = opt.Retry.filled()
	return &FS{open: open, opt: opt, buckets: map[string]Bucket{}, temps: map[string]*scratch{},
		logs: map[string]*logDir{}, made: map[string]bool{}, locks: map[string]bool{}}
}

// place is a path on the store.
type place struct {
	b   Bucket
	key string // without slashes around it; "" = the bucket itself
}

// dir is the prefix of what is below a place.
func (p place) dir() string {
	if p.key == "" {
		return ""
	}
	return p.key + "/"
}

func (f *FS) at(name string) (place, error) {
	_, rest, ok := vfs.Scheme(name)
	bucket, key, _ := strings.Cut(rest, "/")
	if !ok || bucket == "" {
		return place{}, pathError("open", name, fs.ErrInvalid)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	b := f.buckets[bucket]
	if b == nil {
		raw, err := f.open(bucket)
		if err != nil {
			return place{}, err
		}
		b = &retrying{raw, f.opt.Retry}
		f.buckets[bucket] = b
	}
	return place{b, strings.Trim(key, "/")}, nil
}

func pathError(op, name string, err error) error {
	return &fs.PathError{Op: op, Path: vfs.Hidden(vfs.Show(name)), Err: err}
}

// isTemp reports a name under which a file stays in this process until it is renamed.
func isTemp(name string) bool { return filepath.Ext(name) == ".tmp" }

// clean is the form in which paths are keys of maps.
func clean(name string) string { return filepath.ToSlash(filepath.Clean(name)) }

// requests have no caller that waits for them with a context: vfs.FS has none. Their
// number and time are bounded by Retry and the timeouts of the Bucket.
func background() context.Context { return context.Background() }

// Stat implements FS.
func (f *FS) Stat(name string) (fs.FileInfo, error) {
	if s := f.temp(name); s != nil {
		return fileInfo{name: path.Base(clean(name)), info: Info{Size: s.size}}, nil
	}
	p, err := f.at(name)
	if err != nil {
		return nil, err
	}
	if p.key == "" {
		return f.statDir(name, p)
	}
	info, err := p.b.Head(background(), p.key)
	if errors.Is(err, fs.ErrNotExist) {
		return f.statDir(name, p)
	}
	if err != nil {
		return nil, pathError("stat", name, err)
	}
	return fileInfo{name: path.Base(p.key), info: info}, nil
}

// statDir finds a directory: a name with something below it, or one that was made.
func (f *FS) statDir(name string, p place) (fs.FileInfo, error) {
	found, err := p.b.List(background(), Listing{Prefix: p.dir(), Flat: true, Max: 1})
	if err != nil {
		return nil, pathError("stat", name, err)
	}
	f.mu.Lock()
	made := f.made[clean(name)]
	f.mu.Unlock()
	if len(found.Objects) == 0 && !made && p.key != "" {
		return nil, pathError("stat", name, fs.ErrNotExist)
	}
	return fileInfo{name: path.Base(p.key), dir: true}, nil
}

func (f *FS) temp(name string) *scratch {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.temps[clean(name)]
}

// takeTemp gives the content of a temporary name to a new owner.
func (f *FS) takeTemp(name string) *scratch {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.temps[clean(name)]
	delete(f.temps, clean(name))
	return s
}

// MkdirAll implements FS: only this process knows of an empty directory.
func (f *FS) MkdirAll(dir string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.made[clean(dir)] = true
	return nil
}

// SyncDir implements FS: what returned was durable.
func (f *FS) SyncDir(string) error { return nil }

// ReadDir implements FS. A directory that is not there is empty.
func (f *FS) ReadDir(dir string) ([]fs.DirEntry, error) {
	p, err := f.at(dir)
	if err != nil {
		return nil, err
	}
	l := Listing{Prefix: p.dir()}
	var out []fs.DirEntry
	logged := false
	for {
		page, err := p.b.List(background(), l)
		if err != nil {
			return nil, pathError("readdir", dir, err)
		}
		for _, o := range page.Objects {
			if name := strings.TrimPrefix(o.Key, l.Prefix); name != "" { // not the marker of a directory
				out = append(out, fs.FileInfoToDirEntry(fileInfo{name: name, info: o}))
			}
		}
		for _, d := range page.Dirs {
			name := strings.Trim(strings.TrimPrefix(d, l.Prefix), "/")
			logged = logged || name == logName
			if name != logName && name != "" {
				out = append(out, fs.FileInfoToDirEntry(fileInfo{name: name, dir: true}))
			}
		}
		if l.After = page.Next; l.After == "" {
			break
		}
	}
	if log := f.knownLog(dir); logged || log != nil {
		more, err := f.log(dir).list()
		if err != nil {
			return nil, pathError("readdir", dir, err)
		}
		out = append(out, more...)
	}
	slices.SortFunc(out, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return out, nil
}

// Walk implements vfs.Walker.
func (f *FS) Walk(ctx context.Context, dir, after string, fn func(path string, info fs.FileInfo) error) error {
	p, err := f.at(dir)
	if err != nil {
		return err
	}
	l := Listing{Prefix: p.dir(), Flat: true}
	if after != "" {
		from, err := f.at(after)
		if err != nil {
			return err
		}
		l.After = from.key
	}
	for {
		page, err := p.b.List(ctx, l)
		if err != nil {
			return pathError("list", dir, err)
		}
		for _, o := range page.Objects {
			if strings.HasSuffix(o.Key, "/") {
				continue // the marker of a directory, which some programs make
			}
			name := filepath.Join(dir, filepath.FromSlash(strings.TrimPrefix(o.Key, l.Prefix)))
			if err := fn(name, fileInfo{name: path.Base(o.Key), info: o}); err != nil {
				return err
			}
		}
		if l.After = page.Next; l.After == "" {
			return nil
		}
	}
}

// Remove implements FS. A missing file is no error: the store does not tell.
func (f *FS) Remove(name string) error { return f.RemoveMany([]string{name}) }

// RemoveMany implements vfs.Shared: one request for the files of a bucket.
func (f *FS) RemoveMany(names []string) error {
	keys := map[Bucket][]string{}
	for _, name := range names {
		if s := f.takeTemp(name); s != nil || isTemp(name) {
			if s != nil {
				s.free()
			}
			continue
		}
		if log := f.knownLog(filepath.Dir(name)); log != nil && log.has(path.Base(clean(name))) {
			if err := log.remove(path.Base(clean(name))); err != nil {
				return pathError("remove", name, err)
			}
			continue
		}
		p, err := f.at(name)
		if err != nil {
			return err
		}
		keys[p.b] = append(keys[p.b], p.key)
	}
	for b, list := range keys {
		if err := b.Delete(background(), list); err != nil {
			return pathError("remove", names[0], err)
		}
	}
	return nil
}

// RemoveAll implements FS.
func (f *FS) RemoveAll(name string) error {
	p, err := f.at(name)
	if err != nil {
		return err
	}
	keys := []string{p.key}
	err = f.Walk(background(), name, "", func(path string, info fs.FileInfo) error {
		keys = append(keys, info.Sys().(Info).Key)
		return nil
	})
	if err != nil {
		return err
	}
	f.mu.Lock()
	for dir := range f.logs {
		if dir == clean(name) || strings.HasPrefix(dir, clean(name)+"/") {
			delete(f.logs, dir)
		}
	}
	f.mu.Unlock()
	return p.b.Delete(background(), keys)
}

// Lock implements FS. It keeps out other holders in this process only: another process
// takes the directory over, see TakeOver, and this one then fails.
func (f *FS) Lock(name string) (io.Closer, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.locks[clean(name)] {
		return nil, pathError("lock", name, vfs.ErrLocked)
	}
	f.locks[clean(name)] = true
	return unlock(func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.locks, clean(name))
	}), nil
}

type unlock func()

func (u unlock) Close() error {
	u()
	return nil
}

// Rename implements FS for what was written under a temporary name: one PUT, after which
// the file is durable and visible. Other objects cannot be renamed.
func (f *FS) Rename(oldName, newName string) error {
	return f.name("rename", oldName, newName, Condition{}, true)
}

// RenameNew implements vfs.Shared.
func (f *FS) RenameNew(oldName, newName string) error {
	return f.name("rename", oldName, newName, Condition{Absent: true}, true)
}

// Link implements FS: Rename to a name that must be free, after which the old one stays.
func (f *FS) Link(oldName, newName string) error {
	err := f.name("link", oldName, newName, Condition{Absent: true}, false)
	if errors.Is(err, vfs.ErrConflict) {
		return pathError("link", newName, fs.ErrExist)
	}
	return err
}

func (f *FS) name(op, oldName, newName string, c Condition, move bool) error {
	s := f.temp(oldName)
	if s == nil && isTemp(oldName) {
		return pathError(op, oldName, fs.ErrNotExist)
	}
	if s == nil {
		return pathError(op, newName, errors.ErrUnsupported)
	}
	if err := f.put(newName, s, c); err != nil {
		return err
	}
	if move {
		f.takeTemp(oldName)
		s.free()
	}
	return nil
}

// put writes content under a name.
func (f *FS) put(name string, s *scratch, c Condition) error {
	p, err := f.at(name)
	if err != nil {
		return err
	}
	if s.size > PartBytes {
		return pathErrorIf("write", name, putLarge(p, s, c))
	}
	body, err := s.bytes(0, s.size)
	if err != nil {
		return err
	}
	return pathErrorIf("write", name, putBytes(p, body, c))
}

func pathErrorIf(op, name string, err error) error {
	if err == nil {
		return nil
	}
	return pathError(op, name, err)
}

// putBytes is a conditional PUT that can be repeated: what is there already counts as
// written if it is the same, since the answer to an earlier try may have been lost.
func putBytes(p place, body []byte, c Condition) error {
	_, err := p.b.Put(background(), p.key, body, c)
	if !errors.Is(err, ErrPrecondition) {
		return err
	}
	there, _, e := p.b.Get(background(), p.key, 0, -1, "")
	if e != nil && !errors.Is(e, fs.ErrNotExist) {
		return errors.Join(err, e)
	}
	if e == nil && bytes.Equal(there, body) {
		return nil
	}
	return vfs.ErrConflict
}

// Swap implements vfs.Shared: compare and swap.
func (f *FS) Swap(name string, before, data []byte) error {
	p, err := f.at(name)
	if err != nil {
		return err
	}
	c := Condition{Absent: before == nil}
	if before != nil {
		there, info, err := p.b.Get(background(), p.key, 0, -1, "")
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return pathError("write", name, fmt.Errorf("%w: it is gone", vfs.ErrConflict))
		case err != nil:
			return pathError("write", name, err)
		case !bytes.Equal(there, before):
			return pathError("write", name, vfs.ErrConflict)
		}
		c.ETag = info.ETag
	}
	return pathErrorIf("write", name, putBytes(p, data, c))
}
