package object

import (
	"io/fs"
	"time"
)

// fileInfo is what a listing or a request tells of an object.
type fileInfo struct {
	name string
	info Info
	dir  bool
}

func (i fileInfo) Name() string       { return i.name }
func (i fileInfo) Size() int64        { return i.info.Size }
func (i fileInfo) ModTime() time.Time { return i.info.Modified }
func (i fileInfo) IsDir() bool        { return i.dir }
func (i fileInfo) Sys() any           { return i.info }

func (i fileInfo) Mode() fs.FileMode {
	if i.dir {
		return fs.ModeDir | 0o755
	}
	return 0o644
}

// Version is the ETag: see vfs.Version.
func (i Info) Version() string { return i.ETag }
