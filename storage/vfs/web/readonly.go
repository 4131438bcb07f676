package web

import (
	"fmt"
	"io"
	"io/fs"

	"github.com/sqlstream/sqlstream/storage/vfs"
)

func readOnly(name string) error {
	return fmt.Errorf("%s: nothing can be written to a web address: %w", redacted(vfs.Show(name)), fs.ErrPermission)
}

// The operations that change files are refused.

func (f *FS) Create(name string) (vfs.File, error)          { return nil, readOnly(name) }
func (f *FS) CreateExclusive(name string) (vfs.File, error) { return nil, readOnly(name) }
func (f *FS) OpenReadWrite(name string) (vfs.File, error)   { return nil, readOnly(name) }
func (f *FS) OpenAppend(name string) (vfs.File, error)      { return nil, readOnly(name) }
func (f *FS) Rename(_, name string) error                   { return readOnly(name) }
func (f *FS) Link(_, name string) error                     { return readOnly(name) }
func (f *FS) Remove(name string) error                      { return readOnly(name) }
func (f *FS) RemoveAll(name string) error                   { return readOnly(name) }
func (f *FS) MkdirAll(dir string) error                     { return readOnly(dir) }
func (f *FS) SyncDir(dir string) error                      { return readOnly(dir) }
func (f *FS) Lock(name string) (io.Closer, error)           { return nil, readOnly(name) }

// ReadDir implements FS: the web has no directories.
func (f *FS) ReadDir(dir string) ([]fs.DirEntry, error) {
	return nil, fmt.Errorf("%s: a web address has no directory to list; name each file", redacted(vfs.Show(dir)))
}

func (f *file) Write([]byte) (int, error)          { return 0, readOnly(f.addr) }
func (f *file) WriteAt([]byte, int64) (int, error) { return 0, readOnly(f.addr) }
func (f *file) Truncate(int64) error               { return readOnly(f.addr) }
func (f *file) Sync() error                        { return nil }
func (f *file) SyncData() error                    { return nil }
