package vfs

import (
	"fmt"
	"io"
	"io/fs"
	"maps"
	"sync"
)

// Opener makes the file system of a store, given what the user has set for it, by the
// names of the settings. It reaches nothing yet.
type Opener func(settings map[string]string) (FS, error)

// Router is a file system of several: the paths of a store (see Scheme) belong to that
// store, all others to the local one. A store is opened when a path first needs it.
type Router struct {
	local    FS
	openers  map[string]Opener // by scheme
	settings map[string]string
	mu       sync.Mutex
	open     map[string]FS
}

// NewRouter returns a Router. A scheme without an Opener is refused when it is used.
func NewRouter(local FS, openers map[string]Opener, settings map[string]string) *Router {
	return &Router{local: local, openers: openers, settings: settings, open: map[string]FS{}}
}

// With returns a Router whose stores have further settings, which go before those of r.
func (r *Router) With(settings map[string]string) *Router {
	all := maps.Clone(r.settings)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, settings)
	return NewRouter(r.local, r.openers, all)
}

// With gives the stores behind a file system further settings; one without stores stays
// as it is.
func With(fsys FS, settings map[string]string) FS {
	if r, ok := fsys.(*Router); ok && len(settings) > 0 {
		return r.With(settings)
	}
	return fsys
}

// of returns the file system that a path belongs to.
func (r *Router) of(path string) (FS, error) {
	scheme, _, ok := Scheme(path)
	if !ok {
		return r.local, nil
	}
	opener := r.openers[scheme]
	if opener == nil {
		return nil, fmt.Errorf("path %s: there is no file system for %s:// paths here", Hidden(Show(path)), scheme)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if scheme == "s3a" {
		scheme = "s3" // the same store, and one memory of its logs and locks
	}
	if f := r.open[scheme]; f != nil {
		return f, nil
	}
	f, err := opener(r.settings)
	if err == nil {
		r.open[scheme] = f
	}
	return f, err
}

// at calls f with the file system of a path.
func at[T any](r *Router, path string, f func(FS) (T, error)) (T, error) {
	fsys, err := r.of(path)
	if err != nil {
		var none T
		return none, err
	}
	return f(fsys)
}

func (r *Router) do(path string, f func(FS) error) error {
	fsys, err := r.of(path)
	if err != nil {
		return err
	}
	return f(fsys)
}

// Create implements FS.
func (r *Router) Create(name string) (File, error) {
	return at(r, name, func(f FS) (File, error) { return f.Create(name) })
}

// CreateExclusive implements FS.
func (r *Router) CreateExclusive(name string) (File, error) {
	return at(r, name, func(f FS) (File, error) { return f.CreateExclusive(name) })
}

// Open implements FS.
func (r *Router) Open(name string) (File, error) {
	return at(r, name, func(f FS) (File, error) { return f.Open(name) })
}

// OpenReadWrite implements FS.
func (r *Router) OpenReadWrite(name string) (File, error) {
	return at(r, name, func(f FS) (File, error) { return f.OpenReadWrite(name) })
}

// OpenAppend implements FS.
func (r *Router) OpenAppend(name string) (File, error) {
	return at(r, name, func(f FS) (File, error) { return f.OpenAppend(name) })
}

// Rename implements FS, within one file system.
func (r *Router) Rename(oldName, newName string) error {
	return r.both("rename", oldName, newName, FS.Rename)
}

// Link implements FS, within one file system.
func (r *Router) Link(oldName, newName string) error {
	return r.both("link", oldName, newName, FS.Link)
}

func (r *Router) both(op, oldName, newName string, f func(fsys FS, oldName, newName string) error) error {
	from, err := r.of(oldName)
	if err != nil {
		return err
	}
	to, err := r.of(newName)
	if err != nil {
		return err
	}
	if from != to {
		return &fs.PathError{Op: op, Path: newName, Err: fmt.Errorf("%s is on another file system", Hidden(Show(oldName)))}
	}
	return f(to, oldName, newName)
}

// Remove implements FS.
func (r *Router) Remove(name string) error {
	return r.do(name, func(f FS) error { return f.Remove(name) })
}

// RemoveAll implements FS.
func (r *Router) RemoveAll(name string) error {
	return r.do(name, func(f FS) error { return f.RemoveAll(name) })
}

// MkdirAll implements FS.
func (r *Router) MkdirAll(dir string) error {
	return r.do(dir, func(f FS) error { return f.MkdirAll(dir) })
}

// ReadDir implements FS.
func (r *Router) ReadDir(dir string) ([]fs.DirEntry, error) {
	return at(r, dir, func(f FS) ([]fs.DirEntry, error) { return f.ReadDir(dir) })
}

// Stat implements FS.
func (r *Router) Stat(name string) (fs.FileInfo, error) {
	return at(r, name, func(f FS) (fs.FileInfo, error) { return f.Stat(name) })
}

// SyncDir implements FS.
func (r *Router) SyncDir(dir string) error {
	return r.do(dir, func(f FS) error { return f.SyncDir(dir) })
}

// Lock implements FS.
func (r *Router) Lock(name string) (io.Closer, error) {
	return at(r, name, func(f FS) (io.Closer, error) { return f.Lock(name) })
}
