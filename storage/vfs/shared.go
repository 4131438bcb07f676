package vfs

import "errors"

// ErrConflict says that another writer was faster, or has taken over: what this one
// knows is out of date, and it must stop.
var ErrConflict = errors.New("another process has written this")

// Shared is implemented by file systems on which no lock keeps others out: object
// stores. Instead, writes that only one may win say what they expect to find.
type Shared interface {
	// RenameNew is Rename to a name that must be free: ErrConflict if another writer has
	// it, unless with the same content, so that it can be repeated after an answer was lost.
	RenameNew(oldName, newName string) error
	// Swap replaces the content before, nil = no file, by data: ErrConflict if another
	// content is there, unless it is data.
	Swap(name string, before, data []byte) error
	// TakeOver makes every later Sync of other processes to files of dir fail that were
	// made by CreateExclusive. What is there when it returns is the last that they wrote.
	TakeOver(dir string) error
	// Confirm fails with ErrConflict if another process has taken dir over since TakeOver.
	// If it does not, whoever takes it over later sees what was written before.
	Confirm(dir string) error
	// RemoveMany is Remove for several files; missing ones are no error.
	RemoveMany(names []string) error
}

// ShareOf returns the Shared that serves a path, nil for a path that locks protect.
func ShareOf(fsys FS, path string) Shared {
	if r, ok := fsys.(*Router); ok {
		f, err := r.of(path)
		if err != nil {
			return nil // the operation itself says so
		}
		fsys = f
	}
	s, _ := fsys.(Shared)
	return s
}

// TakeOver fences earlier writers of the logs in dir, where no lock does.
func TakeOver(fsys FS, dir string) error {
	if s := ShareOf(fsys, dir); s != nil {
		return s.TakeOver(dir)
	}
	return nil
}

// Confirm makes sure that nobody has taken dir over, where no lock does: what was written
// before is seen by whoever does so later, and may be relied upon when files are removed.
func Confirm(fsys FS, dir string) error {
	if s := ShareOf(fsys, dir); s != nil {
		return s.Confirm(dir)
	}
	return nil
}

// SwapFile replaces the content before, nil = no file, by data, durably. Where a lock
// protects the file it does not look; where none does, ErrConflict says that another
// writer was faster.
func SwapFile(fsys FS, path string, before, data []byte) error {
	if s := ShareOf(fsys, path); s != nil {
		return s.Swap(path, before, data)
	}
	return WriteFileAtomic(fsys, path, data, true)
}

// Stager is implemented by file systems that can keep a file durably before anybody
// sees it, and show it later with one request: what a rename does elsewhere.
type Stager interface {
	// Stage begins a file whose name is fixed and which nobody sees before Reveal.
	Stage(name string) (Staged, error)
	// Reveal makes a staged file visible, in another process too. fs.ErrNotExist: there
	// is no such staged file, because it was revealed before or forgotten.
	Reveal(name, ticket string) error
	// Forget removes staged files below dir that match and were not revealed.
	Forget(dir string, match func(name string) bool) error
}

// Staged is a staged file being written.
type Staged interface {
	File
	// Ticket is what Reveal needs. Call it after Sync, which makes the file durable.
	Ticket() string
}

// StagerOf returns the Stager that serves a path, or nil.
func StagerOf(fsys FS, path string) Stager {
	if r, ok := fsys.(*Router); ok {
		f, err := r.of(path)
		if err != nil {
			return nil
		}
		fsys = f
	}
	s, _ := fsys.(Stager)
	return s
}
