package parquet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"sync"

	"github.com/parquet-go/parquet-go"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/column"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// reader is format.Reader for Parquet. A file that cannot be read is an error whatever
// the policy for bad rows: there are no bad rows in Parquet.
type reader struct {
	config format.Config
	strict bool // a declared column that a file lacks is an error

	mu     sync.Mutex
	opened []opened // the files opened last
}

// opened is a file with its footer decoded: the sections of a file share it.
type opened struct {
	r    io.ReaderAt
	size int64
	file *parquet.File
}

const keepOpened = 8

func newReader(c format.Config) (format.Reader, error) {
	for _, col := range c.Columns {
		if name := unreadable(col.Type); name != "" {
			return nil, fmt.Errorf("column %q: Parquet has no %s that we read", col.Name, name)
		}
	}
	return &reader{config: c, strict: c.Options.Enum("missing_columns") == "error"}, nil
}

// unreadable names a part of a type that no Parquet column is read as.
func unreadable(t types.Type) string {
	switch t.Kind {
	case types.Interval, types.Null:
		return t.String()
	case types.Array:
		return unreadable(*t.Elem)
	case types.Map:
		return unreadable(*t.Key) + unreadable(*t.Elem)
	case types.Struct:
		for _, f := range t.Fields {
			if name := unreadable(f.Type); name != "" {
				return name
			}
		}
	}
	return ""
}

// open returns the file with its footer decoded.
func (r *reader) open(f format.File) (*parquet.File, error) {
	if !reflect.TypeOf(f.R).Comparable() {
		return openFile(f)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, o := range r.opened {
		if o.r == f.R && o.size == f.Size {
			return o.file, nil
		}
	}
	file, err := openFile(f)
	if err != nil {
		return nil, err
	}
	if len(r.opened) == keepOpened {
		r.opened = append(r.opened[:0], r.opened[1:]...)
	}
	r.opened = append(r.opened, opened{f.R, f.Size, file})
	return file, nil
}

func openFile(f format.File) (file *parquet.File, err error) {
	if err := checkEnds(f.R, f.Size); err != nil {
		return nil, &format.FileError{File: f.Name, Err: err}
	}
	err = safely(func() error {
		file, err = parquet.OpenFile(f.R, f.Size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true),
			parquet.FileReadMode(parquet.ReadModeSync), parquet.ReadBufferSize(1<<20))
		return err
	})
	if err != nil {
		return nil, &format.FileError{File: f.Name, Err: fmt.Errorf("not a whole Parquet file: %w", err)}
	}
	if err := safely(func() error { return consistent(file, f.Size) }); err != nil {
		return nil, &format.FileError{File: f.Name, Err: fmt.Errorf("damaged footer: %w", err)}
	}
	return file, nil
}

// consistent checks the numbers of the footer that are believed without reading pages:
// a count(*) is answered from them.
func consistent(file *parquet.File, size int64) error {
	var leaves []*parquet.Column
	collect(file.Root(), &leaves)
	total := int64(0)
	for i, g := range file.Metadata().RowGroups {
		if len(g.Columns) != len(leaves) {
			return fmt.Errorf("row group %d has %d columns, the schema %d", i, len(g.Columns), len(leaves))
		}
		for k, c := range g.Columns {
			m := &c.MetaData
			if leaves[k].MaxRepetitionLevel() == 0 && m.NumValues != g.NumRows || g.NumRows < 0 {
				return fmt.Errorf("row group %d has %d rows, its column %q %d values", i, g.NumRows, leaves[k].Name(), m.NumValues)
			}
			if m.TotalCompressedSize < 0 || m.TotalCompressedSize > size || m.DataPageOffset < 0 || m.DataPageOffset > size {
				return fmt.Errorf("column %q of row group %d lies outside of the file", leaves[k].Name(), i)
			}
		}
		total += g.NumRows
	}
	if total != file.NumRows() {
		return fmt.Errorf("%d rows in all, %d in the row groups", file.NumRows(), total)
	}
	return nil
}

func collect(c *parquet.Column, into *[]*parquet.Column) {
	if c.Leaf() {
		*into = append(*into, c)
		return
	}
	for _, k := range c.Columns() {
		collect(k, into)
	}
}

// Sections implements format.Reader: one for each row group.
func (r *reader) Sections(_ context.Context, f format.File) ([]format.Section, error) {
	file, err := r.open(f)
	if err != nil {
		return nil, err
	}
	var out []format.Section
	for i, g := range file.Metadata().RowGroups {
		out = append(out, format.Section{Off: int64(i), End: int64(i + 1), Rows: g.NumRows, Bytes: g.TotalByteSize})
	}
	return out, nil
}

// Read implements format.Reader.
func (r *reader) Read(ctx context.Context, f format.File, s format.Section, rd format.Reading, emit func(*vec.Batch) error) error {
	file, err := r.open(f)
	if err != nil {
		return err
	}
	groups := file.RowGroups()
	if s.Off < 0 || s.End > int64(len(groups)) {
		return &format.FileError{File: f.Name, Err: fmt.Errorf("has %d row groups, not %d: it was replaced", len(groups), s.End)}
	}
	scan := &scan{ctx: ctx, emit: emit, file: file, r: f.R, size: f.Size}
	if r.config.Check != nil {
		scan.test = &test{check: r.config.Check, at: slices.Index(rd.Need, r.config.Check.Column),
			fails: r.config.OnError == format.Fail, bad: rd.Bad, file: f.Name}
	}
	if err := safely(func() error { return r.bind(scan, file, rd.Need) }); err != nil {
		return &format.FileError{File: f.Name, Err: err}
	}
	for g := s.Off; g < s.End; g++ {
		err := scan.group(int(g), groups[g])
		var broken *broken
		if errors.As(err, &broken) {
			return &format.FileError{File: f.Name, Err: fmt.Errorf("row group %d: %w", g, broken.err)}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// bind matches the needed columns with the file.
func (r *reader) bind(s *scan, file *parquet.File, need []int) error {
	root, present := file.Root(), 0
	for _, i := range need {
		c := r.config.Columns[i]
		sub, err := r.column(root, c.Name)
		if err != nil {
			return err
		}
		n := &node{typ: c.Type}
		if sub != nil {
			if n, err = s.binder.bind(c.Name, sub, c.Type); err != nil {
				return err
			}
			present++
		} else if r.strict {
			return fmt.Errorf("has no column %q; its columns are %s", c.Name, columnNames(root))
		}
		n.flat = sub != nil && sub.Leaf() && n.first.maxRep == 0
		if sub != nil && !n.flat {
			n.col = column.New(c.Type, vec.BatchSize)
		}
		s.nodes = append(s.nodes, n)
	}
	if len(need) > 0 && present == 0 && !r.any(root) {
		return fmt.Errorf("has none of the declared columns; its columns are %s", columnNames(root))
	}
	return nil
}

// column finds a declared column in the file. Columns that were found in several files may
// differ in case alone.
func (r *reader) column(root *parquet.Column, name string) (*parquet.Column, error) {
	return child(root, name, func(n string) bool {
		return slices.ContainsFunc(r.config.Columns, func(c types.Column) bool { return c.Name == n })
	})
}

// any reports whether the file has one of the declared columns, needed or not.
func (r *reader) any(root *parquet.Column) bool {
	for _, c := range r.config.Columns {
		if sub, err := r.column(root, c.Name); err != nil || sub != nil {
			return true
		}
	}
	return false
}

func columnNames(root *parquet.Column) string {
	names := ""
	for i, c := range root.Columns() {
		if i == 20 {
			return names + ", …"
		}
		if i > 0 {
			names += ", "
		}
		names += c.Name()
	}
	return names
}

// scan is one call of Read.
type scan struct {
	binder
	ctx   context.Context // a scan is one call
	file  *parquet.File
	r     io.ReaderAt
	size  int64
	emit  func(*vec.Batch) error
	nodes []*node
	batch vec.Batch
	test  *test // nil = none
}

// broken marks an error of the file, as opposed to one of emit or the context.
type broken struct{ err error }

func (b *broken) Error() string { return b.err.Error() }

// group reads a row group.
func (s *scan) group(index int, g parquet.RowGroup) error {
	chunks := s.file.Metadata().RowGroups[index].Columns
	for i, l := range s.leaves {
		err := safely(func() error {
			patches, err := checkPages(s.r, s.size, &chunks[s.index[i]].MetaData)
			if err != nil {
				return fmt.Errorf("column %q: %w", l.name, err)
			}
			l.open(g, s.index[i], s.r, patches)
			return nil
		})
		if err != nil {
			return &broken{err}
		}
		defer l.close()
	}
	s.batch.Cols = make([]*vec.Vector, len(s.nodes))
	for left := g.NumRows(); left > 0; left -= int64(s.batch.N) {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		if err := safely(func() error { return s.fill(int(min(left, vec.BatchSize))) }); err != nil {
			return &broken{err}
		}
		if err := s.test.apply(&s.batch, index, g.NumRows()-left); err != nil {
			return err
		}
		if err := s.emit(&s.batch); err != nil {
			return err
		}
	}
	return nil
}

// fill makes the next batch: at most n rows, and none beyond a page of a flat column,
// so that its vectors are mostly the pages' own memory.
func (s *scan) fill(n int) error {
	for _, d := range s.nodes {
		if !d.flat {
			continue
		}
		if err := d.first.ensure(); err != nil {
			if errors.Is(err, io.EOF) {
				err = fmt.Errorf("column %q ends before the row group does", d.first.name)
			}
			return err
		}
		n = min(n, d.first.n-d.first.pos)
	}
	for i, d := range s.nodes {
		v, err := d.rows(n)
		if err != nil {
			return err
		}
		s.batch.Cols[i] = v
	}
	s.batch.N, s.batch.Sel, s.batch.W = n, nil, nil
	return nil
}

// rows returns the next n rows of a column.
func (n *node) rows(rows int) (*vec.Vector, error) {
	switch {
	case n.first == nil:
		return vec.Nulls(n.typ, rows), nil
	case n.flat:
		return n.first.rows(rows)
	}
	return n.assemble(rows)
}
