// Package web reads files behind http:// and https:// addresses, as a file system on which
// nothing can be written or listed.
//
// A server that serves ranges is asked for the parts that are read; of another one the
// whole file is taken, up to a size. The package knows nothing of what the files mean.
// Open this file first.
package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/sqlstream/sqlstream/storage/vfs"
)

const (
	// wholeLimit bounds what is taken of a server that serves no ranges.
	wholeLimit = 256 << 20
	// window is fetched at a time.
	window  = 4 << 20
	timeout = 60 * time.Second
)

// FS is the file system. It implements vfs.FS.
type FS struct{ client *http.Client }

// Open is a vfs.Opener.
func Open(map[string]string) (vfs.FS, error) { return New(&http.Client{Timeout: timeout}), nil }

// New returns a file system that asks with a client.
func New(client *http.Client) *FS { return &FS{client} }

// file is an address that was asked once.
type file struct {
	fs     *FS
	addr   string // as it is shown
	info   info
	ranged bool // the server serves ranges
	mu     sync.Mutex
	at     int64
	off    int64 // of the window; without ranges the window is all
	win    []byte
}

// info implements fs.FileInfo.
type info struct {
	name     string
	size     int64
	modified time.Time
	version  string
}

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return i.size }
func (i info) Mode() fs.FileMode  { return 0o444 }
func (i info) ModTime() time.Time { return i.modified }
func (i info) IsDir() bool        { return false }
func (i info) Sys() any           { return i }

// Version is the ETag: see vfs.Version.
func (i info) Version() string { return i.version }

// get asks for bytes from off on.
func (f *FS) get(name string, off, n int64, version string) (*http.Response, error) {
	addr := vfs.Show(name)
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, addr, nil)
	if err != nil {
		return nil, fmt.Errorf("path %s: it is not an address", redacted(addr))
	}
	req.Header.Set("Range", fmt.Sprintf("bytes=%d-%d", off, off+n-1))
	req.Header.Set("Accept-Encoding", "identity")
	req.Header.Set("User-Agent", "sqlstream")
	if version != "" && !strings.HasPrefix(version, "W/") {
		req.Header.Set("If-Range", version)
	}
	res, err := f.client.Do(req)
	if err != nil {
		var u *url.Error
		if errors.As(err, &u) {
			err = u.Err
		}
		return nil, fmt.Errorf("%s cannot be reached: %w; check the address and the network", redacted(addr), err)
	}
	return res, nil
}

// redacted hides a password in an address, and its question, which may hold a signature.
func redacted(addr string) string {
	u, err := url.Parse(addr)
	if err != nil {
		return "the address"
	}
	if u.RawQuery != "" {
		u.RawQuery = "…"
	}
	return u.Redacted()
}

// Open implements FS.
func (f *FS) Open(name string) (vfs.File, error) { return f.open(name) }

func (f *FS) open(name string) (*file, error) {
	res, err := f.get(name, 0, window, "")
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	out := &file{fs: f, addr: name, info: infoOf(name, res)}
	switch res.StatusCode {
	case http.StatusPartialContent:
		out.ranged = true
		if out.info.size, err = total(res.Header.Get("Content-Range")); err == nil {
			out.win, err = io.ReadAll(io.LimitReader(res.Body, window))
		}
	case http.StatusOK:
		err = out.whole(res)
	case http.StatusRequestedRangeNotSatisfiable: // it is empty
	default:
		err = refused(res)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", redacted(vfs.Show(name)), err)
	}
	return out, nil
}

func (f *file) whole(res *http.Response) error {
	data, err := io.ReadAll(io.LimitReader(res.Body, wholeLimit+1))
	if len(data) > wholeLimit {
		return fmt.Errorf("the server serves no ranges, and the file is larger than %d MiB; download it, and name the local file", wholeLimit>>20)
	}
	f.win, f.info.size = data, int64(len(data))
	return err
}

func total(contentRange string) (int64, error) {
	_, size, _ := strings.Cut(contentRange, "/")
	n, err := strconv.ParseInt(size, 10, 64)
	if err != nil {
		return 0, errors.New("the server does not say how large the file is; download it, and name the local file")
	}
	return n, nil
}

func refused(res *http.Response) error {
	err := fmt.Errorf("the server answered %s", res.Status)
	switch res.StatusCode {
	case http.StatusNotFound, http.StatusGone:
		return fmt.Errorf("%w: %w", err, fs.ErrNotExist)
	case http.StatusUnauthorized, http.StatusForbidden:
		return fmt.Errorf("%w; only files that need no login can be read: download it, and name the local file", err)
	}
	return err
}

// ReadAt implements vfs.File.
func (f *file) ReadAt(p []byte, off int64) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	done := 0
	for done < len(p) {
		at := off + int64(done)
		if at >= f.info.size {
			return done, io.EOF
		}
		if at < f.off || at >= f.off+int64(len(f.win)) {
			if err := f.fetch(at); err != nil {
				return done, fmt.Errorf("%s: %w", redacted(vfs.Show(f.addr)), err)
			}
		}
		done += copy(p[done:], f.win[at-f.off:])
	}
	return done, nil
}

// fetch moves the window.
func (f *file) fetch(off int64) error {
	if !f.ranged {
		return io.ErrUnexpectedEOF
	}
	res, err := f.fs.get(f.addr, off, min(window, f.info.size-off), f.info.version)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode == http.StatusOK || f.info.version != "" && res.Header.Get("ETag") != f.info.version {
		return errors.New("the file was replaced while it was read")
	}
	if res.StatusCode != http.StatusPartialContent {
		return refused(res)
	}
	data, err := io.ReadAll(io.LimitReader(res.Body, window))
	if err == nil && len(data) == 0 {
		err = io.ErrUnexpectedEOF
	}
	f.off, f.win = off, data
	return err
}

// Read implements vfs.File.
func (f *file) Read(p []byte) (int, error) {
	n, err := f.ReadAt(p, f.at)
	f.at += int64(n)
	if n > 0 && errors.Is(err, io.EOF) {
		err = nil
	}
	return n, err
}

// Stat implements vfs.File.
func (f *file) Stat() (fs.FileInfo, error) { return f.info, nil }

// Close implements vfs.File.
func (f *file) Close() error { return nil }

// Stat implements FS. An address without a file is no directory either.
func (f *FS) Stat(name string) (fs.FileInfo, error) {
	if i, ok := f.head(name); ok {
		return i, nil
	}
	file, err := f.open(name)
	if err != nil {
		return nil, err
	}
	return file.info, nil
}

// head asks for no content. Some servers do not answer that.
func (f *FS) head(name string) (info, bool) {
	res, err := f.client.Head(vfs.Show(name))
	if err != nil {
		return info{}, false
	}
	defer res.Body.Close()
	i := infoOf(name, res)
	i.size = res.ContentLength
	return i, res.StatusCode == http.StatusOK && i.size >= 0 && res.Header.Get("Content-Encoding") == ""
}

func infoOf(name string, res *http.Response) info {
	i := info{name: path.Base(vfs.Name(name)), version: res.Header.Get("ETag")}
	i.modified, _ = http.ParseTime(res.Header.Get("Last-Modified"))
	return i
}
