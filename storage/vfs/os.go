package vfs

import (
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/gofrs/flock"
)

const (
	filePerm = 0o644
	dirPerm  = 0o755
)

// OS returns the file system of the machine.
func OS() FS { return osFS{} }

type osFS struct{}

func (osFS) Create(name string) (File, error) {
	return openOS(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC)
}

func (osFS) CreateExclusive(name string) (File, error) {
	return openOS(name, os.O_RDWR|os.O_CREATE|os.O_EXCL)
}

func (osFS) Open(name string) (File, error)          { return openOS(name, os.O_RDONLY) }
func (osFS) OpenReadWrite(name string) (File, error) { return openOS(name, os.O_RDWR) }

func (osFS) OpenAppend(name string) (File, error) {
	return openOS(name, os.O_RDWR|os.O_CREATE|os.O_APPEND)
}

func openOS(name string, flag int) (File, error) {
	f, err := os.OpenFile(name, flag, filePerm)
	if err != nil {
		return nil, err
	}
	return osFile{f}, nil
}

func (osFS) Rename(oldName, newName string) error      { return os.Rename(oldName, newName) }
func (osFS) Link(oldName, newName string) error        { return os.Link(oldName, newName) }
func (osFS) Remove(name string) error                  { return os.Remove(name) }
func (osFS) RemoveAll(name string) error               { return os.RemoveAll(name) }
func (osFS) MkdirAll(dir string) error                 { return os.MkdirAll(dir, dirPerm) }
func (osFS) ReadDir(dir string) ([]fs.DirEntry, error) { return os.ReadDir(dir) }
func (osFS) Stat(name string) (fs.FileInfo, error)     { return os.Stat(name) }
func (osFS) SyncDir(dir string) error                  { return syncDirOS(dir) }

func (osFS) Lock(name string) (io.Closer, error) {
	lock := flock.New(name)
	got, err := lock.TryLock()
	if err != nil {
		return nil, err
	}
	if !got {
		return nil, fmt.Errorf("%s: %w", name, ErrLocked)
	}
	return lock, nil
}

type osFile struct{ *os.File }

func (f osFile) SyncData() error { return syncDataOS(f.File) }
