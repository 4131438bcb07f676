package sinklog

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/storage/vfs"
)

// Index is what the log's directory holds.
type Index struct {
	Exists bool
	Last   int64 // newest batch, −1 = none
	// plain and compact are the batches that have a file of each kind.
	plain, compact map[int64]bool
}

// Index lists the log. A missing directory is an empty index.
func (l *Log) Index() (Index, error) {
	ix := Index{Last: -1, plain: map[int64]bool{}, compact: map[int64]bool{}}
	entries, err := l.fs.ReadDir(l.Path())
	if errors.Is(err, fs.ErrNotExist) {
		return ix, nil
	}
	if err != nil {
		return ix, err
	}
	ix.Exists = true
	for _, e := range entries {
		digits, isCompact := strings.CutSuffix(e.Name(), compactSuffix)
		id, err := strconv.ParseInt(digits, 10, 64)
		if err != nil || id < 0 {
			continue // .owner, .crc, temporary files
		}
		if isCompact {
			ix.compact[id] = true
		} else {
			ix.plain[id] = true
		}
		ix.Last = max(ix.Last, id)
	}
	return ix, nil
}

// Files returns the data files of every batch, in the order they were published, and
// the newest batch (−1 = none).
func (l *Log) Files() ([]File, int64, error) { return l.Since(-1) }

// Since returns the data files of the batches after a batch, and the newest batch.
// Where Spark wrote a compacted file, it returns older files again; a reader that
// remembers names loses nothing.
func (l *Log) Since(batch int64) ([]File, int64, error) {
	ix, err := l.Index()
	if err != nil || ix.Last <= batch {
		return nil, ix.Last, err
	}
	from := ix.start(batch)
	var files []File
	for id := from; id <= ix.Last; id++ {
		more, err := l.batch(ix, id)
		if err != nil {
			return nil, ix.Last, err
		}
		if ix.compact[id] {
			files = files[:0]
		}
		for _, f := range more {
			if f.Log < 0 || f.Log > batch {
				files = append(files, f)
			}
		}
	}
	return files, ix.Last, nil
}

// start is the first batch to read in order to know all after batch: the next one if
// the log still has it and each one up to the last, else the newest compacted one.
func (ix Index) start(batch int64) int64 {
	for id := batch + 1; batch >= 0 && (ix.plain[id] || ix.compact[id]); id++ {
		if id == ix.Last {
			return batch + 1
		}
	}
	newest := int64(0)
	for id := range ix.compact {
		newest = max(newest, id)
	}
	return newest
}

func (l *Log) batch(ix Index, id int64) ([]File, error) {
	name := strconv.FormatInt(id, 10)
	switch {
	case ix.compact[id]:
		name += compactSuffix
	case !ix.plain[id]:
		return nil, l.corrupt(name, "missing, although batch %d is there", ix.Last)
	}
	data, err := vfs.ReadFile(l.fs, l.file(name))
	if err != nil {
		return nil, err
	}
	return l.decode(name, data)
}

func (l *Log) decode(name string, data []byte) ([]File, error) {
	head, rest, _ := bytes.Cut(data, []byte("\n"))
	if v := strings.TrimSpace(string(head)); v != version {
		return nil, l.corrupt(name, "begins with %q, expected %q", clip(v), version)
	}
	var files []File
	for n, text := range bytes.Split(rest, []byte("\n")) {
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		f, err := l.decodeLine(text)
		if err != nil {
			return nil, l.corrupt(name, "line %d: %v", n+2, err)
		}
		if f.Name != "" {
			files = append(files, f)
		}
	}
	return files, nil
}

// decodeLine returns a File without a name for what is no data file: a directory, or
// a "delete" action, which Spark ignores.
func (l *Log) decodeLine(text []byte) (File, error) {
	var e line
	if err := json.Unmarshal(text, &e); err != nil {
		return File{}, err
	}
	if e.IsDir || e.Action != "add" && e.Action != "" {
		return File{}, nil
	}
	if e.Path == "" && e.Name == "" {
		return File{}, errors.New("no path")
	}
	name, err := l.nameOf(e)
	if err != nil {
		return File{}, err
	}
	f := File{Name: name, Size: e.Size, Mtime: time.UnixMilli(e.ModificationTime),
		Rows: orNone(e.Rows), Log: orNone(e.Log), Batch: orNone(e.Batch), Digest: e.Digest, Replaces: e.Replaces}
	return f, nil
}

func orNone(n *int64) int64 {
	if n == nil {
		return -1
	}
	return *n
}

// Batch returns the files that one batch published; ok = false: the log has no such
// batch. In a compacted file of Spark the batches cannot be told apart.
func (l *Log) Batch(id int64) (files []File, ok bool, err error) {
	ix, err := l.Index()
	if err != nil || !ix.plain[id] && !ix.compact[id] {
		return nil, false, err
	}
	all, err := l.batch(ix, id)
	if err != nil {
		return nil, false, err
	}
	for _, f := range all {
		if f.Log == id || f.Log < 0 {
			files = append(files, f)
		}
	}
	return files, true, nil
}

func clip(s string) string {
	if len(s) > 20 {
		return s[:20] + "…"
	}
	return s
}
