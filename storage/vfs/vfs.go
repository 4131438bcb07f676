// Package vfs is the file system as storage, sinks and sources see it: a small
// interface, the real file system behind it, and an in-memory one that loses
// what a crash may lose.
//
// It owns the one helper that replaces files atomically (atomic.go) and the
// names of the failures that callers branch on (errors.go). It knows nothing
// of what the files mean. Open this file first, then crashable.go.
package vfs

import (
	"io"
	"io/fs"
)

// FS is a file system. Paths are as the operating system writes them; an
// implementation is safe for concurrent use. Errors wrap those of io/fs.
type FS interface {
	// Create makes or truncates a file and opens it for reading and writing.
	Create(name string) (File, error)
	// CreateExclusive is Create, but fails with fs.ErrExist when the file exists.
	CreateExclusive(name string) (File, error)
	// Open opens a file for reading.
	Open(name string) (File, error)
	// OpenReadWrite opens an existing file for reading and writing.
	OpenReadWrite(name string) (File, error)
	// OpenAppend opens a file whose Write goes to the end, making it if needed.
	OpenAppend(name string) (File, error)
	// Rename replaces newName by oldName: atomic, durable after SyncDir.
	Rename(oldName, newName string) error
	// Link makes newName a second name of the file oldName.
	Link(oldName, newName string) error
	Remove(name string) error
	// RemoveAll removes a tree; a missing one is no error.
	RemoveAll(name string) error
	// MkdirAll makes a directory and its parents, not durably: see MkdirAllSync.
	MkdirAll(dir string) error
	// ReadDir lists a directory, sorted by name.
	ReadDir(dir string) ([]fs.DirEntry, error)
	Stat(name string) (fs.FileInfo, error)
	// SyncDir makes the entries of a directory durable. Call it through the
	// function of the same name.
	SyncDir(dir string) error
	// Lock takes an exclusive lock on a file, making it if needed, without
	// waiting. It fails with ErrLocked when another process, or another
	// holder in this one, has it. Close releases the lock; so does the end of
	// the process.
	Lock(name string) (io.Closer, error)
}

// File is an open file. Write and Read move one position; WriteAt and ReadAt
// do not.
type File interface {
	io.Reader
	io.Writer
	io.ReaderAt
	io.WriterAt
	io.Closer
	Stat() (fs.FileInfo, error)
	Truncate(size int64) error
	// Sync makes content and metadata durable. After it failed, the content
	// is unknown: never call it again, reopen and recover.
	Sync() error
	// SyncData is Sync without the metadata that reading does not need.
	SyncData() error
}

// SyncDir makes the entries of dir durable: what was created, renamed or
// removed in it survives a power loss from then on.
func SyncDir(fsys FS, dir string) error {
	if mutantNoDirSync() {
		return nil
	}
	return fsys.SyncDir(dir)
}

// Preallocate writes zeros over [off, off+n), so that later writes there
// change no metadata and a full disk shows now. It does not sync.
func Preallocate(f File, off, n int64) error {
	zeros := make([]byte, min(n, 1<<20))
	for n > 0 {
		part := min(n, int64(len(zeros)))
		if _, err := f.WriteAt(zeros[:part], off); err != nil {
			return err
		}
		off, n = off+part, n-part
	}
	return nil
}
