package object

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

// logName is the directory, beside the files that it makes up, that holds the records.
const logName = ".wal"

// readers is how many records are fetched at a time.
const readers = 16

// logDir are the log files of one directory: one sequence of records. Whoever has written
// the last number is the writer; it finds out that it is not any more when the next number
// is taken, by the record of a take-over. Those are never deleted: however late a process
// that was replaced goes on, the number that it would use is taken.
type logDir struct {
	fs  *FS
	dir string

	mu     sync.Mutex
	owner  bool  // TakeOver was done
	next   int64 // the number behind those that were read
	files  map[string]*logFile
	spent  []int64 // records of files that are gone
	graves []int64 // records that say so, needed as long as there are such
	failed error
}

// logFile is a file that the records make up.
type logFile struct {
	name    string
	data    scratch
	records []int64 // that it is made of
	created bool    // nothing of it is on the store
	dirty   bool
	keep    int64  // the least size since the last record
	parts   []span // written since the last record
}

type span struct{ off, end int64 }

func (f *FS) knownLog(dir string) *logDir {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.logs[clean(dir)]
}

func (f *FS) log(dir string) *logDir {
	f.mu.Lock()
	defer f.mu.Unlock()
	l := f.logs[clean(dir)]
	if l == nil {
		l = &logDir{fs: f, dir: dir, files: map[string]*logFile{}}
		f.logs[clean(dir)] = l
	}
	return l
}

// TakeOver implements vfs.Shared.
func (f *FS) TakeOver(dir string) error {
	f.mu.Lock()
	delete(f.logs, clean(dir)) // what an earlier owner in this process knew
	f.mu.Unlock()
	l := f.log(dir)
	l.mu.Lock()
	defer l.mu.Unlock()
	return pathErrorIf("take over", dir, l.takeOver())
}

// maxTakeOver bounds how often another writer may be faster.
const maxTakeOver = 100

// takeOver writes the next record, and reads all before it. The lock is held.
func (l *logDir) takeOver() error {
	r := record{kind: kindTakeOver, writer: l.fs.opt.Nonce, name: l.fs.opt.Writer}.encode()
	for range maxTakeOver {
		_, last, err := l.numbers(l.next)
		if err != nil {
			return err
		}
		k := max(last+1, l.next)
		p, err := l.at(k)
		if err != nil {
			return err
		}
		if err := putBytes(p, r, l.absent()); errors.Is(err, vfs.ErrConflict) {
			continue
		} else if err != nil {
			return err
		}
		l.owner = true
		return l.read()
	}
	return fmt.Errorf("%w: it writes on, faster than it can be taken over", vfs.ErrConflict)
}

// Confirm implements vfs.Shared: a record that says nothing.
func (f *FS) Confirm(dir string) error {
	l := f.log(dir)
	l.mu.Lock()
	defer l.mu.Unlock()
	k, err := l.append(record{kind: kindConfirm, writer: f.opt.Nonce})
	if err == nil {
		l.graves = append(l.graves, k)
	}
	return pathErrorIf("write", dir, err)
}

func (l *logDir) absent() Condition {
	return Condition{Absent: !mutant.On("a record of a log replaces another")}
}

// at is the place of a record.
func (l *logDir) at(k int64) (place, error) {
	return l.fs.at(filepath.Join(l.dir, logName, fmt.Sprintf("%020d", k)))
}

// numbers lists the records from one on.
func (l *logDir) numbers(from int64) (list []int64, last int64, err error) {
	last = -1
	p, err := l.fs.at(filepath.Join(l.dir, logName))
	if err != nil {
		return nil, last, err
	}
	q := Listing{Prefix: p.dir(), Flat: true}
	if from > 0 {
		q.After = p.dir() + fmt.Sprintf("%020d", from-1)
	}
	for {
		page, err := p.b.List(background(), q)
		if err != nil {
			return nil, last, err
		}
		for _, o := range page.Objects {
			k, err := strconv.ParseInt(strings.TrimPrefix(o.Key, q.Prefix), 10, 64)
			if err != nil {
				return nil, last, fmt.Errorf("%s is not a record of a log", o.Key)
			}
			list, last = append(list, k), k
		}
		if q.After = page.Next; q.After == "" {
			return list, last, nil
		}
	}
}

// read applies the records that were not read yet. The lock is held.
func (l *logDir) read() error {
	list, last, err := l.numbers(l.next)
	if err != nil {
		return err
	}
	for len(list) > 0 {
		n := min(len(list), 4*readers)
		records, err := l.fetch(list[:n])
		if err != nil {
			return err
		}
		for i, r := range records {
			if err := l.apply(list[i], r); err != nil {
				return err
			}
		}
		list = list[n:]
	}
	l.next = max(l.next, last+1)
	return nil
}

func (l *logDir) fetch(list []int64) ([]record, error) {
	out, errs := make([]record, len(list)), make([]error, len(list))
	var wg sync.WaitGroup
	slots := make(chan struct{}, readers)
	for i, k := range list {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			out[i], errs[i] = l.get(k)
		})
	}
	wg.Wait()
	return out, errors.Join(errs...)
}

func (l *logDir) get(k int64) (record, error) {
	p, err := l.at(k)
	if err != nil {
		return record{}, err
	}
	data, _, err := p.b.Get(background(), p.key, 0, -1, "")
	if errors.Is(err, fs.ErrNotExist) && !l.owner {
		return record{kind: kindRemove}, nil // removed by its writer since it was listed
	}
	if err != nil {
		return record{}, err
	}
	r, err := decodeRecord(data)
	if err != nil {
		return record{}, fmt.Errorf("object %s: %w", p.key, err)
	}
	return r, nil
}

func (l *logDir) apply(k int64, r record) error {
	f := l.files[r.name]
	switch r.kind {
	case kindTakeOver:
		return nil
	case kindConfirm:
		l.graves = append(l.graves, k)
		return nil
	case kindRemove:
		l.drop(f)
		l.graves = append(l.graves, k)
		return nil
	case kindWrite:
	default:
		return fmt.Errorf("record %d: %w", k, errRecord)
	}
	if r.created {
		l.drop(f)
		f = nil
	}
	if f == nil {
		f = &logFile{name: r.name}
		l.files[r.name] = f
	}
	f.records = append(f.records, k)
	if err := f.data.Truncate(min(r.keep, f.data.size)); err != nil {
		return err
	}
	for _, p := range r.parts {
		if _, err := f.data.WriteAt(p.data, p.off); err != nil {
			return err
		}
	}
	f.keep = r.size
	return f.data.Truncate(r.size)
}

// drop forgets a file; its records are not needed any more.
func (l *logDir) drop(f *logFile) {
	if f != nil {
		l.spent = append(l.spent, f.records...)
		f.data.free()
		delete(l.files, f.name)
	}
}

// append writes the next record. The lock is held.
func (l *logDir) append(r record) (int64, error) {
	if l.failed != nil {
		return 0, l.failed
	}
	if !l.owner {
		return 0, errors.New("the log is open for reading only")
	}
	k := l.next
	p, err := l.at(k)
	if err == nil {
		err = putBytes(p, r.encode(), l.absent())
	}
	if errors.Is(err, vfs.ErrConflict) {
		err = l.fenced(k)
	}
	if err != nil {
		l.failed = err
		return 0, err
	}
	l.next++
	return k, nil
}

// fenced says who has the number that was to be the next one.
func (l *logDir) fenced(k int64) error {
	r, err := l.get(k)
	if err != nil || r.kind != kindTakeOver {
		return vfs.ErrConflict
	}
	return fmt.Errorf("%w: it was taken over by %s", vfs.ErrConflict, r.name)
}

// list returns the files as entries of their directory. Whoever does not own the log
// looks for new records first.
func (l *logDir) list() ([]fs.DirEntry, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.refresh(); err != nil {
		return nil, err
	}
	var out []fs.DirEntry
	for _, f := range l.files {
		out = append(out, fs.FileInfoToDirEntry(f.info()))
	}
	return out, nil
}

func (l *logDir) refresh() error {
	if l.owner {
		return nil
	}
	return l.read()
}

func (f *logFile) info() fileInfo { return fileInfo{name: f.name, info: Info{Size: f.data.size}} }

func (l *logDir) has(name string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.files[name] != nil
}

// open returns a handle of a file, nil if there is none of that name.
func (l *logDir) open(name string, write bool) (*logHandle, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if write && !l.owner {
		if err := l.takeOver(); err != nil {
			return nil, err
		}
	}
	if f := l.files[name]; f != nil {
		return &logHandle{l: l, f: f, write: write}, nil
	}
	if err := l.refresh(); err != nil || l.files[name] == nil {
		return nil, err
	}
	return &logHandle{l: l, f: l.files[name], write: write}, nil
}

// CreateExclusive implements FS: it makes a log file, whose first record is written by its
// first Sync.
func (f *FS) CreateExclusive(name string) (vfs.File, error) {
	l := f.log(filepath.Dir(name))
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.owner {
		if err := l.takeOver(); err != nil {
			return nil, pathError("create", name, err)
		}
	}
	base := path.Base(clean(name))
	if l.files[base] != nil {
		return nil, pathError("create", name, fs.ErrExist)
	}
	file := &logFile{name: base, created: true, dirty: true}
	l.files[base] = file
	return &logHandle{l: l, f: file, write: true}, nil
}

// remove writes that a file is gone, then deletes its records; once that is done, what
// said so before can go.
func (l *logDir) remove(name string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	f := l.files[name]
	if f == nil {
		return nil
	}
	if f.created { // it was never on the store
		l.drop(f)
		return nil
	}
	k, err := l.append(record{kind: kindRemove, writer: l.fs.opt.Nonce, name: name})
	if err != nil {
		return err
	}
	l.drop(f)
	if err := l.delete(l.spent); err != nil {
		return err
	}
	old := l.graves
	l.spent, l.graves = nil, []int64{k}
	return l.delete(old)
}

func (l *logDir) delete(list []int64) error {
	var keys []string
	var b Bucket
	for _, k := range list {
		p, err := l.at(k)
		if err != nil {
			return err
		}
		keys, b = append(keys, p.key), p.b
	}
	if b == nil {
		return nil
	}
	return b.Delete(background(), keys)
}

// logHandle is an open file of a log.
type logHandle struct {
	l         *logDir
	f         *logFile
	at        int64
	write     bool
	appending bool
}

func (h *logHandle) locked(f func() (int, error)) (int, error) {
	h.l.mu.Lock()
	defer h.l.mu.Unlock()
	return f()
}

func (h *logHandle) ReadAt(p []byte, off int64) (int, error) {
	return h.locked(func() (int, error) { return h.f.data.ReadAt(p, off) })
}

func (h *logHandle) Read(p []byte) (int, error) {
	return h.locked(func() (int, error) {
		n, err := h.f.data.ReadAt(p, h.at)
		h.at += int64(n)
		if n > 0 {
			err = nil
		}
		return n, err
	})
}

func (h *logHandle) Write(p []byte) (int, error) {
	return h.locked(func() (int, error) {
		if h.appending {
			h.at = h.f.data.size
		}
		n, err := h.writeAt(p, h.at)
		h.at += int64(n)
		return n, err
	})
}

func (h *logHandle) WriteAt(p []byte, off int64) (int, error) {
	return h.locked(func() (int, error) { return h.writeAt(p, off) })
}

// writeAt keeps what the next record has to say. Zeros behind the end are nothing but a
// size: who preallocates does not pay for it.
func (h *logHandle) writeAt(p []byte, off int64) (int, error) {
	if !h.write {
		return 0, pathError("write", h.name(), fs.ErrPermission)
	}
	h.f.dirty = true
	if off >= h.f.data.size && len(bytes.TrimLeft(p, "\x00")) == 0 {
		return len(p), h.f.data.grow(off + int64(len(p)))
	}
	end := off + int64(len(p))
	if n := len(h.f.parts); n > 0 && h.f.parts[n-1].end == off {
		h.f.parts[n-1].end = end
	} else {
		h.f.parts = append(h.f.parts, span{off, end})
	}
	return h.f.data.WriteAt(p, off)
}

func (h *logHandle) Truncate(size int64) error {
	_, err := h.locked(func() (int, error) {
		if size == h.f.data.size {
			return 0, nil
		}
		h.f.dirty, h.f.keep = true, min(h.f.keep, size)
		for i := range h.f.parts {
			h.f.parts[i].off, h.f.parts[i].end = min(h.f.parts[i].off, size), min(h.f.parts[i].end, size)
		}
		h.f.parts = slices.DeleteFunc(h.f.parts, func(s span) bool { return s.off == s.end })
		return 0, h.f.data.Truncate(size)
	})
	return err
}

// Sync writes one record.
func (h *logHandle) Sync() error {
	_, err := h.locked(func() (int, error) { return 0, h.sync() })
	return pathErrorIf("sync", h.name(), err)
}

func (h *logHandle) sync() error {
	f := h.f
	if !f.dirty {
		return nil
	}
	r := record{kind: kindWrite, writer: h.l.fs.opt.Nonce, name: f.name, keep: f.keep, size: f.data.size, created: f.created}
	for _, s := range f.parts {
		data, err := f.data.bytes(s.off, s.end-s.off)
		if err != nil {
			return err
		}
		r.parts = append(r.parts, part{s.off, data})
	}
	k, err := h.l.append(r)
	if err != nil {
		return err
	}
	f.records = append(f.records, k)
	f.created, f.dirty, f.parts, f.keep = false, false, nil, f.data.size
	return nil
}

// SyncData implements vfs.File.
func (h *logHandle) SyncData() error { return h.Sync() }

func (h *logHandle) Stat() (fs.FileInfo, error) {
	h.l.mu.Lock()
	defer h.l.mu.Unlock()
	return h.f.info(), nil
}

// Close writes nothing: what was not synced is given up with its size.
func (h *logHandle) Close() error { return nil }

func (h *logHandle) name() string { return filepath.Join(h.l.dir, h.f.name) }
