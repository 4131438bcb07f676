package vfs

import (
	"errors"
	"io/fs"
	"path/filepath"
	"syscall"
)

// Dirs makes directories durably. That a directory is there does not say that it stays:
// a process that was killed between making it and syncing may have left it to its
// successor, and a power loss would take it away with everything in it. So the parent
// of every directory is synced once, whoever made it; Dirs remembers which were.
type Dirs struct {
	fs   FS
	made map[string]bool
}

// NewDirs returns a Dirs that has made nothing yet.
func NewDirs(fsys FS) *Dirs { return &Dirs{fsys, map[string]bool{}} }

// Make makes a directory and its missing parents. One that it has made before is only
// looked for.
func (d *Dirs) Make(dir string) error {
	dir = filepath.Clean(dir)
	if _, _, ok := Scheme(dir); ok { // a directory of a store is part of a name
		return d.fs.MkdirAll(dir)
	}
	_, err := d.fs.Stat(dir)
	there := err == nil
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if there && d.made[dir] {
		return nil
	}
	parent := filepath.Dir(dir)
	if parent == dir {
		return nil // a root, or "."
	}
	if err := d.Make(parent); err != nil {
		return err
	}
	if !there {
		if err := d.fs.MkdirAll(dir); err != nil {
			return err
		}
	}
	if err := SyncDir(d.fs, parent); err != nil && !(there && foreign(err)) {
		return err
	}
	d.made[dir] = true
	return nil
}

// foreign reports that a directory cannot be synced because it is not ours: then what
// is in it was not made by a predecessor of this process either.
func foreign(err error) bool { return IsReadOnly(err) || errors.Is(err, syscall.EINVAL) }

// MkdirAllSync makes a directory and its missing parents, durably: see Dirs.
func MkdirAllSync(fsys FS, dir string) error { return NewDirs(fsys).Make(dir) }
