package sinklog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/storage/vfs"
)

// Owner is who may append to a log.
type Owner struct {
	QueryID string `json:"queryId"`
	Query   string `json:"query"`
	Epoch   int64  `json:"epoch"`
	// The owner's batch FirstBatch is batch FirstLog of the log. They differ after the
	// directory was taken over from another query, or by a query that had run before:
	// the log must begin at 0 and have no gap.
	FirstBatch int64 `json:"firstBatch"`
	FirstLog   int64 `json:"firstLog"`
}

// LogID maps a batch of the owner to one of the log.
func (o Owner) LogID(batch int64) int64 { return batch - o.FirstBatch + o.FirstLog }

// BatchID maps a batch of the log to one of the owner.
func (o Owner) BatchID(log int64) int64 { return log - o.FirstLog + o.FirstBatch }

// Owner reads who owns the log; ok = false: nobody, or Spark.
func (l *Log) Owner() (o Owner, ok bool, err error) {
	data, err := vfs.ReadFile(l.fs, l.file(ownerFile))
	if errors.Is(err, fs.ErrNotExist) {
		return Owner{}, false, nil
	}
	if err != nil {
		return Owner{}, false, err
	}
	if err := json.Unmarshal(data, &o); err != nil || o.QueryID == "" {
		return Owner{}, false, l.corrupt(ownerFile, "no owner in it")
	}
	return o, true, nil
}

// SetOwner records who owns the log, durably; it makes the log's directory.
func (l *Log) SetOwner(o Owner) error {
	data, err := json.Marshal(o)
	if err != nil {
		return err
	}
	if err := vfs.MkdirAllSync(l.fs, l.Path()); err != nil {
		return err
	}
	before, err := vfs.ReadFile(l.fs, l.file(ownerFile)) // nil without a file
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return vfs.SwapFile(l.fs, l.file(ownerFile), before, append(data, '\n'))
}

// Append publishes a batch: from its return on, durably, readers see its files. The
// data files must be durable before. Batch id must be the one after the newest; if it
// is there already the error is ErrExists. now is for the clean-up of files that a
// compacted one replaces.
func (l *Log) Append(id int64, files []File, now time.Time) error {
	return l.AppendKeeping(id, files, now, nil)
}

// Compacts reports whether a batch is written with all that came before, less what is to
// leave the log: only there can a file leave it.
func Compacts(id int64) bool { return (id+1)%compactInterval == 0 }

// AppendKeeping is Append; where the batch compacts the log, keep says which of the files
// so far stay in it.
func (l *Log) AppendKeeping(id int64, files []File, now time.Time, keep func(old []File) ([]File, error)) error {
	ix, err := l.Index()
	switch {
	case err != nil:
		return err
	case ix.plain[id] || ix.compact[id]:
		return fmt.Errorf("%w: %s", ErrExists, l.file(strconv.FormatInt(id, 10)))
	case id != ix.Last+1:
		return l.corrupt(strconv.FormatInt(id, 10), "batch %d cannot follow batch %d", id, ix.Last)
	}
	name, all := strconv.FormatInt(id, 10), files
	for i := range files {
		files[i].Log = id
	}
	if Compacts(id) {
		old, _, err := l.Files()
		if err == nil && keep != nil {
			old, err = keep(old)
		}
		if err != nil {
			return err
		}
		name, all = name+compactSuffix, append(old, files...)
	}
	if err := l.create(name, all); err != nil {
		return err
	}
	if name != strconv.FormatInt(id, 10) {
		l.cleanUp(id, now)
	}
	return nil
}

// create makes a log file that did not exist, whole and durable. The hard link fails
// where a second writer was faster; a file system without links gets a plain rename.
func (l *Log) create(name string, files []File) error {
	data, err := l.encode(files)
	if err != nil {
		return err
	}
	tmp := l.file("." + name + ".tmp")
	if err := l.writeSynced(tmp, data); err != nil {
		return err
	}
	switch err = l.fs.Link(tmp, l.file(name)); {
	case errors.Is(err, fs.ErrExist):
		_ = l.fs.Remove(tmp)
		return fmt.Errorf("%w: %s", ErrExists, l.file(name))
	case err == nil:
		err = l.fs.Remove(tmp)
	default:
		err = l.fs.Rename(tmp, l.file(name))
	}
	if err != nil {
		return err
	}
	return vfs.SyncDir(l.fs, l.Path())
}

// writeSynced makes the content durable; the name becomes so with the directory.
func (l *Log) writeSynced(name string, data []byte) error {
	f, err := l.fs.Create(name)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		_ = l.fs.Remove(name) // a full disk must not be left fuller
	}
	return err
}

func (l *Log) encode(files []File) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(version)
	for _, f := range files {
		e, err := l.line(f)
		if err != nil {
			return nil, err
		}
		text, err := json.Marshal(e)
		if err != nil {
			return nil, err
		}
		b.WriteByte('\n')
		b.Write(text)
	}
	return b.Bytes(), nil
}

// cleanUp removes log files that the compacted batch replaces, once no reader can be
// at work on them. Failing to do so costs space only.
func (l *Log) cleanUp(compacted int64, now time.Time) {
	entries, err := l.fs.ReadDir(l.Path())
	if err != nil {
		return
	}
	var old []string
	for _, e := range entries {
		id, err := strconv.ParseInt(strings.TrimSuffix(e.Name(), compactSuffix), 10, 64)
		if err != nil || id < 0 || id >= compacted {
			continue
		}
		if info, err := e.Info(); err == nil && now.Sub(info.ModTime()) > keepFor {
			old = append(old, l.file(e.Name()))
		}
	}
	if s := vfs.ShareOf(l.fs, l.out); s != nil {
		_ = s.RemoveMany(old)
		return
	}
	for _, name := range old {
		_ = l.fs.Remove(name)
	}
}
