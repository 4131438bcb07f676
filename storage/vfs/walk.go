package vfs

import (
	"context"
	"io/fs"
)

// Walker is implemented by file systems that list whole trees at once, with sizes and
// times: object stores, where a directory is only a part of a name.
type Walker interface {
	// Walk calls f for every file below dir in the order of names, from the first one
	// behind after (a path below dir, "" = all). An error of f ends it and is returned.
	Walk(ctx context.Context, dir, after string, f func(path string, info fs.FileInfo) error) error
}

// WalkerOf returns the Walker that serves a path, or nil.
func WalkerOf(fsys FS, path string) Walker {
	if r, ok := fsys.(*Router); ok {
		f, err := r.of(path)
		if err != nil {
			return nil
		}
		fsys = f
	}
	w, _ := fsys.(Walker)
	return w
}

// Version tells two contents of one file apart where size and time may not: the ETag of
// an object; "" on file systems that have none.
func Version(info fs.FileInfo) string {
	if v, ok := info.Sys().(interface{ Version() string }); ok {
		return v.Version()
	}
	return ""
}
