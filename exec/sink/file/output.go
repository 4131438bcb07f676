package file

import (
	"bufio"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/sinklog"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

// output is a file being written.
type output struct {
	key  string
	file staged
	f    vfs.File
	buf  *bufio.Writer
	w    format.FileWriter
}

// output returns the open file of a partition, making one if needed; the file that was
// not used for longest gives way.
func (st *stage) output(key string, dir func() string) (*output, error) {
	if o := st.open[key]; o != nil {
		return o, nil
	}
	if len(st.order) >= maxOpen {
		if err := st.close(st.order[0]); err != nil {
			return nil, err
		}
	}
	return st.create(key, dir())
}

func (st *stage) create(key, dir string) (*output, error) {
	s := st.s
	n := len(st.files)
	o := &output{key: key, file: staged{Staged: path.Join(s.staging(), fmt.Sprintf("%d-%d%s", st.b.ID, n, stagedExt))}}
	var err error
	if o.file.Name, err = st.freeName(dir, n); err != nil {
		return nil, err
	}
	if s.stager != nil {
		o.f, err = s.stager.Stage(s.abs(o.file.Name))
	} else {
		o.f, err = s.cfg.FS.Create(s.abs(o.file.Staged))
	}
	if err != nil {
		return nil, err
	}
	o.buf = bufio.NewWriterSize(o.f, 128<<10)
	if o.w, err = s.writer.Create(o.buf); err != nil {
		return nil, errors.Join(err, o.f.Close())
	}
	st.files = append(st.files, o.file)
	st.open[key], st.order = o, append(st.order, o)
	return o, nil
}

// freeName is a name that no earlier batch has, not even one of a history that was
// undone by restoring an older checkpoint.
func (st *stage) freeName(dir string, n int) (string, error) {
	stem := fmt.Sprintf("%spart-%05d-%s-%d", dir, n, st.s.shortID(), st.b.ID)
	if st.s.stager != nil {
		stem += fmt.Sprintf("-e%d", st.b.Epoch)
	}
	for try := 0; ; try++ {
		name := fmt.Sprintf("%s-c%03d%s", stem, try, st.s.writer.Extension())
		taken, err := st.s.published(name)
		if err != nil || !taken {
			return name, err
		}
	}
}

// shortID is the query in names of files.
func (s *Sink) shortID() string {
	id := strings.ReplaceAll(fileSafe(s.cfg.QueryID), "-", "")
	return id[:min(8, len(id))]
}

// batchOf is the batch, and the epoch of the process, in the name of a file that this query
// has staged on a store.
func (s *Sink) batchOf(name string) (batch, epoch int64, ok bool) {
	parts := strings.Split(name, "-")
	if len(parts) != 6 || parts[0] != "part" || parts[2] != s.shortID() {
		return 0, 0, false
	}
	batch, err := strconv.ParseInt(parts[3], 10, 64)
	if err == nil {
		epoch, err = strconv.ParseInt(strings.TrimPrefix(parts[4], "e"), 10, 64)
	}
	return batch, epoch, err == nil
}

// published reports whether the log lists a file. One that is there and not in the log
// is what is left of a batch that was never logged as published: it is replaced.
func (s *Sink) published(name string) (bool, error) {
	err := s.there(name)
	if isMissing(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	files, _, err := s.log.Files()
	return slices.ContainsFunc(files, func(f sinklog.File) bool { return f.Name == name }), err
}

// there is nil if a file is. A store is asked for the object alone, not for a directory.
func (s *Sink) there(name string) error {
	if s.stager == nil {
		_, err := s.cfg.FS.Stat(s.abs(name))
		return err
	}
	f, err := s.cfg.FS.Open(s.abs(name))
	if err != nil {
		return err
	}
	return f.Close()
}

// close finishes and syncs a file.
func (st *stage) close(o *output) error {
	delete(st.open, o.key)
	for i, other := range st.order {
		if other == o {
			st.order = append(st.order[:i], st.order[i+1:]...)
			break
		}
	}
	err := o.w.Close()
	if err == nil {
		err = o.buf.Flush()
	}
	if err == nil {
		err = o.f.Sync()
	}
	if err == nil {
		info, statErr := o.f.Stat()
		if err = statErr; err == nil {
			o.file.Size = info.Size()
		}
		if staged, ok := o.f.(vfs.Staged); ok {
			o.file.Ticket = staged.Ticket()
		}
	}
	if err = errors.Join(err, o.f.Close()); err != nil {
		return err
	}
	for i := range st.files {
		if st.files[i].Staged == o.file.Staged {
			st.files[i] = o.file
		}
	}
	return nil
}

// add writes n rows, and closes a file that is full.
func (st *stage) add(o *output, data *vec.Batch, n int) error {
	if err := o.w.Write(data); err != nil {
		return err
	}
	o.file.Rows += int64(n)
	if st.s.maxRows > 0 && o.file.Rows >= st.s.maxRows || o.w.Bytes() >= st.s.maxBytes {
		return st.close(o)
	}
	return nil
}
