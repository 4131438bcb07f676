package file

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"time"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/sinklog"
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// Small files of earlier batches are merged into larger ones while a batch is staged that
// will compact the log: only there the log can take one file for others. The merged file
// is part of the batch's payload, and names the files that it replaces.

// mergeWithin is how old a file may be to be merged: a source forgets which files it has
// taken after max_file_age, which is longer.
const mergeWithin = 24 * time.Hour

// mergeable are the formats that read back exactly what they wrote.
var mergeable = [...]string{"parquet", "json", "avro"}

// merging decodes what merging needs.
func (s *Sink) merging(f *format.Format, d option.Decoded, cols []types.Column) error {
	if s.mergeFiles = int(d.Int("compact_files")); s.mergeFiles == 0 {
		return nil
	}
	s.small = d.Size("compact_below")
	if f.NewReader == nil || !slices.Contains(mergeable[:], f.Name) {
		return diag.NewError(nil, diag.Errorf(diag.BadOptionValue, d.Span("compact_files"),
			"files of the format %s are not merged: read back, not all values are what they were", f.Name).
			WithHint("leave compact_files out, or set format = 'parquet'"))
	}
	read, err := option.Open(f.ReadOptions, s.cfg.Options)
	if err != nil {
		return err
	}
	s.reader, err = f.NewReader(format.Config{Columns: cols, Options: read, Zone: s.cfg.Zone})
	return err
}

// merge stages merged files if there are enough small ones.
func (st *stage) merge(ctx context.Context) error {
	s := st.s
	if s.mergeFiles == 0 || !st.compacts() {
		return nil
	}
	files, _, err := s.log.Files()
	if err != nil {
		return err
	}
	groups := s.groups(files)
	for _, dir := range slices.Sorted(maps.Keys(groups)) {
		for _, group := range s.cut(groups[dir]) {
			if err := st.mergeGroup(ctx, group); err != nil {
				return fmt.Errorf("merging small files: %w", err)
			}
		}
	}
	return nil
}

// compacts reports whether the batch will be the next one in the log, and compact it.
func (st *stage) compacts() bool {
	owner, ok, err := st.s.log.Owner()
	if err != nil || !ok || owner.QueryID != st.s.cfg.QueryID {
		return false
	}
	ix, err := st.s.log.Index()
	id := owner.LogID(st.b.ID)
	return err == nil && id == ix.Last+1 && sinklog.Compacts(id)
}

// groups are the small files of each directory, by age where files expire: rows must not
// outstay their time by much.
func (s *Sink) groups(files []sinklog.File) map[string][]sinklog.File {
	now := s.cfg.Clock.Now()
	out := map[string][]sinklog.File{}
	for _, f := range files {
		if f.Size >= s.small || len(f.Replaces) > 0 || now.Sub(f.Mtime) > mergeWithin || f.Log < 0 || s.expired(f, now) {
			continue
		}
		key := path.Dir(f.Name)
		if s.retention > 0 {
			key += fmt.Sprintf("\x00%d", f.Mtime.UnixMilli()/max(1, s.retention.Milliseconds()/8))
		}
		out[key] = append(out[key], f)
	}
	return out
}

// cut makes groups of at least compact_files files and about max_file_bytes at most.
func (s *Sink) cut(files []sinklog.File) [][]sinklog.File {
	var out [][]sinklog.File
	var group []sinklog.File
	size := int64(0)
	for _, f := range files {
		if size+f.Size > s.maxBytes && len(group) > 0 {
			out, group, size = append(out, group), nil, 0
		}
		group, size = append(group, f), size+f.Size
	}
	out = append(out, group)
	return slices.DeleteFunc(out, func(g []sinklog.File) bool { return len(g) < max(2, s.mergeFiles) })
}

func (st *stage) mergeGroup(ctx context.Context, group []sinklog.File) error {
	dir := path.Dir(group[0].Name) + "/"
	if dir == "./" {
		dir = ""
	}
	o, err := st.create("\x00merged", dir)
	if err != nil {
		return err
	}
	for _, f := range group {
		n, err := st.s.copyRows(ctx, f, o)
		if err != nil {
			return fmt.Errorf("file %s: %w", f.Name, err)
		}
		if f.Rows >= 0 && n != f.Rows {
			return fmt.Errorf("file %s has %d rows, the log says %d", f.Name, n, f.Rows)
		}
		o.file.Rows += n
		o.file.Replaces = append(o.file.Replaces, f.Name)
		o.file.Newest = max(o.file.Newest, f.Mtime.UnixMilli())
	}
	return st.close(o)
}

// copyRows writes the rows of a published file once more.
func (s *Sink) copyRows(ctx context.Context, f sinklog.File, o *output) (rows int64, err error) {
	in, err := s.cfg.FS.Open(s.abs(f.Name))
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	file := format.File{Name: f.Name, R: in, Size: f.Size}
	sections, err := s.reader.Sections(ctx, file)
	if err != nil {
		return 0, err
	}
	need := make([]int, len(s.data))
	for i := range need {
		need[i] = i
	}
	for _, sec := range sections {
		err := s.reader.Read(ctx, file, sec, format.Reading{Need: need}, func(b *vec.Batch) error {
			rows += int64(b.Rows())
			return o.w.Write(b)
		})
		if err != nil {
			return rows, err
		}
	}
	return rows, nil
}
