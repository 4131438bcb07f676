// Package sinklog owns the log that a file sink keeps of what it has published,
// <out>/_spark_metadata, in the format of Spark's FileStreamSink: the file sink
// writes it, the file source reads it, and Spark reads it too.
//
// The log has one file per batch, "v1" and a JSON line for each data file, without
// gaps; every tenth batch is written as N.compact and holds everything so far. Fields
// that Spark does not know are ours, and it ignores them; so it does the file .owner.
// The package knows neither queries nor options nor what is in the data files. Open
// this file first, then read.go and write.go.
package sinklog

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/storage/vfs"
)

// Dir is the directory of the log inside the output directory.
const Dir = "_spark_metadata"

const (
	version         = "v1"
	ownerFile       = ".owner"
	goneFile        = ".gone"
	compactSuffix   = ".compact"
	compactInterval = 10 // Spark's default; a reader of ours takes what it finds
	// keepFor is how long a log file that a compacted one replaces stays, for readers
	// that are at work. Spark's default too.
	keepFor = 10 * time.Minute
)

// ErrCorrupt marks a log that does not say what it must: no retry helps.
var ErrCorrupt = errors.New("corrupt sink log")

// ErrExists says that the log has a batch already.
var ErrExists = errors.New("batch is already in the sink log")

// File is a data file that the log lists.
type File struct {
	// Name is relative to the output directory, with slashes: "day=3/part-0.parquet".
	Name  string
	Size  int64
	Mtime time.Time
	Rows  int64 // −1 = unknown (Spark does not say)
	Log   int64 // batch of the log that published it; −1 in a log of Spark
	// Batch and Digest are the writing query's number of the batch and the digest of
	// its payload; −1 and "" in a log of Spark.
	Batch  int64
	Digest string
	// Replaces are names of files that this one stands for (merged small files).
	Replaces []string
}

// Log is the log of one output directory. It holds no state: every call reads.
type Log struct {
	fs   vfs.FS
	out  string // absolute, or as the caller wants paths shown
	root string // what URIs begin with; "" = the file URI of out
}

// Open returns the log of an output directory, which need not exist.
func Open(fsys vfs.FS, out string) *Log { return &Log{fs: fsys, out: filepath.Clean(out)} }

// At says by which absolute URI readers find the output directory, where that is not its
// path on this machine: "hdfs://nn/out", "file:///mnt/out".
func (l *Log) At(root string) error {
	u, err := url.Parse(root)
	if err != nil || u.Scheme == "" || u.Opaque != "" || u.RawQuery != "" || u.Fragment != "" || !strings.HasPrefix(u.Path, "/") && u.Host == "" {
		return fmt.Errorf("%q is not an absolute URI of a directory, such as file:///mnt/out or s3a://bucket/out", root)
	}
	l.root = strings.TrimRight(root, "/")
	return nil
}

// Path is the directory of the log.
func (l *Log) Path() string { return filepath.Join(l.out, Dir) }

func (l *Log) file(name string) string { return filepath.Join(l.out, Dir, name) }

func (l *Log) corrupt(name, format string, args ...any) error {
	return fmt.Errorf("%w: %s: %s", ErrCorrupt, l.file(name), fmt.Sprintf(format, args...))
}

// line is a SinkFileStatus, in the order of Spark's fields, then ours.
type line struct {
	Path             string   `json:"path"`
	Size             int64    `json:"size"`
	IsDir            bool     `json:"isDir"`
	ModificationTime int64    `json:"modificationTime"`
	BlockReplication int      `json:"blockReplication"`
	BlockSize        int64    `json:"blockSize"`
	Action           string   `json:"action"`
	Name             string   `json:"name,omitempty"`
	Rows             *int64   `json:"rows,omitempty"`
	Log              *int64   `json:"log,omitempty"`
	Batch            *int64   `json:"batch,omitempty"`
	Digest           string   `json:"digest,omitempty"`
	Replaces         []string `json:"replaces,omitempty"`
}

func (l *Log) line(f File) (line, error) {
	uri, err := l.uri(f.Name)
	if err != nil {
		return line{}, err
	}
	out := line{
		Path: uri, Size: f.Size,
		ModificationTime: f.Mtime.UnixMilli(), BlockReplication: 1, BlockSize: 32 << 20, Action: "add",
		Name: f.Name, Digest: f.Digest, Replaces: f.Replaces,
	}
	if f.Rows >= 0 {
		out.Rows = &f.Rows
	}
	if f.Log >= 0 {
		out.Log = &f.Log
	}
	if f.Batch >= 0 {
		out.Batch = &f.Batch
	}
	return out, nil
}

// uri is how readers find a file of the directory.
func (l *Log) uri(name string) (string, error) {
	if l.root != "" {
		return l.root + (&url.URL{Path: "/" + name}).EscapedPath(), nil
	}
	if scheme, rest, ok := vfs.Scheme(l.out); ok {
		return (&url.URL{Scheme: scheme, Path: "//" + path.Join(rest, name)}).String(), nil
	}
	abs, err := filepath.Abs(l.out)
	return fileURI(filepath.Join(abs, filepath.FromSlash(name))), err
}

// fileURI is absolute and percent-encoded, as Spark demands: file:///out/day%3D3/x.
func fileURI(abs string) string {
	p := filepath.ToSlash(abs)
	if !strings.HasPrefix(p, "/") {
		p = "/" + p // a drive letter
	}
	return (&url.URL{Scheme: "file", Path: p}).String()
}

// nameOf finds the name relative to the output directory, so that a directory that
// was moved can be read: our own name, else what follows the directory in the URI,
// else the file with the key=value directories above it.
func (l *Log) nameOf(e line) (string, error) {
	if e.Name != "" {
		return local(e.Name)
	}
	u, err := url.Parse(e.Path)
	if err != nil {
		return "", fmt.Errorf("bad URI %q", e.Path)
	}
	if _, rest, ok := vfs.Scheme(l.out); ok {
		if rel, ok := strings.CutPrefix(u.Host+u.Path, rest+"/"); ok {
			return local(rel)
		}
	} else if abs, err := filepath.Abs(l.out); err == nil {
		if rel, ok := strings.CutPrefix(u.Path, filepath.ToSlash(abs)+"/"); ok {
			return local(rel)
		}
	}
	dir, name := path.Split(u.Path)
	for dir = path.Clean(dir); strings.Contains(path.Base(dir), "="); dir = path.Dir(dir) {
		name = path.Base(dir) + "/" + name
	}
	return local(name)
}

// local refuses names that lead out of the output directory.
func local(name string) (string, error) {
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return "", fmt.Errorf("file name %q leads out of the directory", name)
	}
	return path.Clean(name), nil
}
