package checkpoint

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/sqlstream/sqlstream/storage/fault"
	"github.com/sqlstream/sqlstream/storage/textlog"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

// numbered is a directory with one file a batch.
type numbered struct {
	fs          vfs.FS
	dir         string
	what        string           // "offset log"
	first, last int64            // the durable batches, NoBatch without any; the writer guards them
	ahead       map[int64][]byte // of readAhead
}

func (l *numbered) path(n int64) string {
	return filepath.Join(l.dir, strconv.FormatInt(n, 10))
}

func (l *numbered) name(n int64) string { return fmt.Sprintf("%s %d", l.what, n) }

// list returns the numbers of the files, ascending.
func (l *numbered) list() ([]int64, error) {
	entries, err := l.fs.ReadDir(l.dir)
	if err != nil {
		return nil, fault.IO(l.what, l.dir, err)
	}
	var ids []int64
	for _, e := range entries {
		if id, err := strconv.ParseInt(e.Name(), 10, 64); err == nil && id >= 0 {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids, nil
}

const logHint = "restore the file from a copy of the checkpoint, or start the query with a new one"

// readAhead reads files that read will be asked for, where they are far away.
func (l *numbered) readAhead(ids []int64) error {
	if vfs.ShareOf(l.fs, l.dir) == nil {
		return nil
	}
	names := make([]string, len(ids))
	for i, n := range ids {
		names[i] = l.path(n)
	}
	all, err := vfs.ReadFiles(l.fs, names)
	if err != nil {
		return fault.IO(l.what, l.dir, err)
	}
	l.ahead = make(map[int64][]byte, len(ids))
	for i, n := range ids {
		if all[i] != nil {
			l.ahead[n] = all[i]
		}
	}
	return nil
}

func (l *numbered) read(n int64) ([][]byte, error) {
	data, err := l.ahead[n], error(nil)
	if data == nil {
		data, err = vfs.ReadFile(l.fs, l.path(n))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, l.missing(n, "the file does not exist")
	}
	if err != nil {
		return nil, fault.IO(l.name(n), l.path(n), err)
	}
	lines, err := textlog.Decode(data)
	if err != nil {
		return nil, textlog.Describe(l.name(n), l.path(n), n, err, logHint)
	}
	return lines, nil
}

func (l *numbered) missing(n int64, why string) error {
	return &fault.Error{Kind: fault.ErrMissing, What: l.name(n), Path: l.path(n), Batch: n, Why: why, Hint: logHint}
}

func (l *numbered) corrupt(n int64, why string) error {
	return fault.Corrupt(l.name(n), l.path(n), n, why, logHint)
}

// removeBelow removes files that a durable offset log says are not needed.
func (l *numbered) removeBelow(oldest int64) error {
	ids, err := l.list()
	if err != nil {
		return err
	}
	for _, id := range ids {
		if id >= oldest {
			break
		}
		if err := l.fs.Remove(l.path(id)); err != nil {
			return fault.IO(l.name(id), l.path(id), err)
		}
	}
	return nil
}

// removeRange removes the files of [from, to) of both logs, as far as they are there.
func (c *Checkpoint) removeRange(from, to int64) error {
	if s := vfs.ShareOf(c.fs, c.dir); s != nil {
		return c.removeTogether(s, from, to)
	}
	for _, l := range []*numbered{c.offsets, c.commits} {
		for n := max(from, 0); n < to; n++ {
			if err := l.fs.Remove(l.path(n)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fault.IO(l.name(n), l.path(n), err)
			}
		}
	}
	return nil
}

// removeTogether is removeRange with one request.
func (c *Checkpoint) removeTogether(s vfs.Shared, from, to int64) error {
	var names []string
	for n := max(from, 0); n < to; n++ {
		names = append(names, c.offsets.path(n), c.commits.path(n))
	}
	if len(names) == 0 {
		return nil
	}
	return fault.IO("checkpoint", c.dir, s.RemoveMany(names))
}

// head is the first line of an offsets file: ours, not the caller's.
type head struct {
	Batch int64 `json:"batch"`
	// Epoch is that of the process that wrote it, where no lock keeps others out: the
	// source files of the batch have it in their names. A late request of a dead process
	// may leave files of the same batch, and they must not be taken for these.
	Epoch   uint64   `json:"epoch,omitempty"`
	Oldest  int64    `json:"oldest"`            // files below it may be gone
	Sources []string `json:"sources,omitempty"` // those with a file of this batch
}

func splitHead(lines [][]byte) (head, [][]byte, error) {
	var h head
	if len(lines) == 0 {
		return h, nil, errors.New("it has no lines")
	}
	if err := json.Unmarshal(lines[0], &h); err != nil {
		return h, nil, fmt.Errorf("its first line is not as written: %w", err)
	}
	return h, lines[1:], nil
}

// readLogs reads both logs and checks that nothing within them is lost.
func (c *Checkpoint) readLogs() error {
	c.newLogs()
	c.listed = map[string][]fs.DirEntry{}
	defer func() { c.listed = nil }()
	oldest, err := c.readOffsets()
	if err == nil {
		err = c.readCommits(oldest)
	}
	c.offsets.ahead, c.commits.ahead = nil, nil
	c.writer.lastOffsets, c.writer.lastCommit = c.offsets.last, c.commits.last
	c.read = true
	return err
}

func (c *Checkpoint) newLogs() {
	c.offsets = &numbered{fs: c.fs, dir: c.path("offsets"), what: "offset log", first: NoBatch, last: NoBatch}
	c.commits = &numbered{fs: c.fs, dir: c.path("commits"), what: "commit log", first: NoBatch, last: NoBatch}
}

// listLogs finds out only which batches are there.
func (c *Checkpoint) listLogs() error {
	c.newLogs()
	for _, l := range []*numbered{c.offsets, c.commits} {
		ids, err := l.list()
		if err != nil {
			return err
		}
		if len(ids) > 0 {
			l.first, l.last = ids[0], ids[len(ids)-1]
		}
	}
	return nil
}

// clean removes what a crash left. It waits until Plan has found that nothing was lost: a
// file that somebody can put back must find the others as they were.
func (c *Checkpoint) clean() error {
	if c.opt.ReadOnly || c.cleaned {
		return nil
	}
	if !c.read {
		if err := c.readLogs(); err != nil {
			return err
		}
	}
	for _, l := range []*numbered{c.offsets, c.commits} {
		if err := l.removeBelow(c.offsets.first); err != nil {
			return err
		}
		if err := removeTemps(c.fs, l.dir); err != nil {
			return err
		}
	}
	c.cleaned = true
	return c.cleanSources()
}

// readOffsets checks every kept offsets file and returns the oldest one.
func (c *Checkpoint) readOffsets() (oldest int64, err error) {
	l := c.offsets
	ids, err := l.list()
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	last := ids[len(ids)-1]
	h, err := c.readHead(last)
	if err != nil {
		return 0, err
	}
	if at, _ := slices.BinarySearch(ids, h.Oldest); at < len(ids) {
		if err := l.readAhead(ids[at:]); err != nil {
			return 0, err
		}
	}
	for n := h.Oldest; n <= last; n++ {
		if _, found := slices.BinarySearch(ids, n); !found {
			return 0, l.missing(n, fmt.Sprintf("batches %d and %d are there, this one is not", h.Oldest, last))
		}
		hn, err := c.readHead(n)
		if err != nil {
			return 0, err
		}
		c.epochs[n] = hn.Epoch
		if err := c.checkTaken(n, hn); err != nil {
			return 0, err
		}
	}
	l.first, l.last = h.Oldest, last
	return h.Oldest, nil
}

func (c *Checkpoint) readHead(n int64) (head, error) {
	lines, err := c.offsets.read(n)
	if err != nil {
		return head{}, err
	}
	h, _, err := splitHead(lines)
	if err == nil && (h.Batch != n || h.Oldest > n) {
		err = fmt.Errorf("it was written for batch %d", h.Batch)
	}
	if err != nil {
		return head{}, c.offsets.corrupt(n, err.Error())
	}
	return h, nil
}

// readCommits checks every kept commit. A commit may be missing where a crash
// hit before it was durable; the batch after it shows that it was published.
func (c *Checkpoint) readCommits(oldest int64) error {
	ids, err := c.commits.list()
	if err != nil {
		return err
	}
	at, _ := slices.BinarySearch(ids, oldest)
	if err := c.commits.readAhead(ids[at:]); err != nil {
		return err
	}
	for _, n := range ids[at:] {
		if _, err := c.commits.read(n); err != nil {
			return err
		}
		if c.commits.first == NoBatch {
			c.commits.first = n
		}
		c.commits.last = n
	}
	return nil
}

func removeTemps(fsys vfs.FS, dir string) error {
	list, err := fsys.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range list {
		if !vfs.IsTemp(e.Name()) {
			continue
		}
		if err := fsys.Remove(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return nil
}
