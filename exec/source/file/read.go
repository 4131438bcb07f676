package file

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/change"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

// cutAbove is the size from which a file is cut into sections; a smaller one is a
// split of its own, looked into only when it is read.
const cutAbove = 8 << 20

// readPlan says where each column comes from.
type readPlan struct {
	reader format.Reader
	keys   *pinned
	inData []int // by column: its index among the columns of the files, −1 = not there
}

func newReadPlan(c source.Config, set settings, keys *pinned) (*readPlan, error) {
	p := &readPlan{keys: keys, inData: make([]int, len(c.Columns))}
	var cols []types.Column
	var key []int
	for i, col := range c.Columns {
		if col.Metadata != "" || keys != nil && keys.has(col.Name) {
			p.inData[i] = -1
			continue
		}
		p.inData[i] = len(cols)
		if slices.Contains(c.Key, i) {
			key = append(key, len(cols))
		}
		cols = append(cols, col.Column)
	}
	config := format.Config{Columns: cols, Options: set.decoded, Zone: c.Zone, OnError: format.OnError(c.OnError)}
	var err error
	if c.Changes {
		p.reader, err = change.NewReader(set.format, config, key)
	} else {
		p.reader, err = set.format.NewReader(config)
	}
	return p, format.Misfit(err)
}

// Splits implements source.Source.
func (s *Source) Splits(ctx context.Context, r source.Range) ([]source.Split, error) {
	splits, err := s.splits(ctx, r)
	return splits, s.wrap(err)
}

func (s *Source) splits(ctx context.Context, r source.Range) ([]source.Split, error) {
	files, err := decodeEntries(r)
	if err != nil || len(files) == 0 {
		return nil, err
	}
	if s.read == nil {
		if s.read, err = newReadPlan(s.cfg, s.set, s.keys); err != nil {
			return nil, err
		}
	}
	var out []source.Split
	for _, e := range files {
		more, err := s.splitsOf(ctx, e)
		if err != nil {
			return nil, err
		}
		out = append(out, more...)
	}
	return out, nil
}

// splitsOf checks that the file is the one that was taken, and cuts it.
func (s *Source) splitsOf(ctx context.Context, e entry) ([]source.Split, error) {
	consts, err := s.constants(e)
	if err != nil {
		return nil, fmt.Errorf("file %s: %w", s.show(e.Path), err)
	}
	whole := &split{s: s, plan: s.read, e: e, consts: consts, rows: -1}
	if s.where.store != nil && e.Size < cutAbove {
		return []source.Split{whole}, nil // looked at when it is read, to save a request
	}
	info, err := s.cfg.FS.Stat(e.Path)
	if err != nil {
		return nil, s.missing(e, err)
	}
	if err := s.same(e, info); err != nil {
		return nil, err
	}
	if e.Size < cutAbove {
		return []source.Split{whole}, nil
	}
	sections, err := whole.cut(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]source.Split, len(sections))
	for i, sec := range sections {
		part := *whole
		part.sections, part.rows = []format.Section{sec}, sec.Rows
		out[i] = &part
	}
	return out, nil
}

// missing is nil where a vanished file is to be ignored.
func (s *Source) missing(e entry, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if s.set.ignoreMissing {
		return nil
	}
	return fmt.Errorf("file %s vanished after it was taken (%d bytes at %s); put it back, or set ignore_missing_files = true to go on without its rows",
		s.show(e.Path), e.Size, e.MtimeUs)
}

func (s *Source) same(e entry, info fs.FileInfo) error {
	if now := vfs.Version(info); now != "" && e.Version != "" {
		if info.Size() == e.Size && now == e.Version {
			return nil // times of a store are rounded as it likes
		}
		return s.changed(e, info)
	}
	if info.Size() != e.Size || timeOf(info.ModTime()) != e.MtimeUs {
		return s.changed(e, info)
	}
	return nil
}

// constants are the values of a file's partition and metadata columns, by column.
func (s *Source) constants(e entry) ([]*vec.Vector, error) {
	out := make([]*vec.Vector, len(s.cfg.Columns))
	for i, c := range s.cfg.Columns {
		if c.Metadata != "" {
			out[i] = metadata(c, e)
		}
	}
	if s.keys == nil || len(s.keys.names) == 0 {
		return out, nil
	}
	rel, err := s.rel(e.Path)
	if err != nil {
		return nil, err
	}
	for _, kv := range pairs(rel) {
		i := columnNamed(s.cfg.Columns, kv.key)
		if i < 0 {
			continue // pin has seen to it
		}
		if out[i], err = value(kv.text, s.cfg.Columns[i].Type, s.cfg.Zone); err != nil {
			return nil, fmt.Errorf("partition key %q: %w", kv.key, err)
		}
	}
	return out, nil
}

func metadata(c source.Column, e entry) *vec.Vector {
	switch c.Metadata {
	case "path", "_path", "file_path":
		return vec.NewConst(c.Type, vfs.Show(e.Path), 0)
	case "name", "file_name":
		return vec.NewConst(c.Type, filepath.Base(e.Path), 0)
	case "size", "file_size":
		return vec.NewConst(c.Type, e.Size, 0)
	}
	return vec.NewConst(c.Type, int64(e.MtimeUs), 0)
}

// split is a file, or a section of one.
type split struct {
	s        *Source
	plan     *readPlan
	e        entry
	consts   []*vec.Vector // by column; shared by the splits of a file, never changed
	sections []format.Section
	rows     int64
}

// Rows implements source.Split.
func (p *split) Rows() int64 { return p.rows }

// cut opens the file for its sections only.
func (p *split) cut(ctx context.Context) ([]format.Section, error) {
	f, done, err := p.open()
	if err != nil {
		return nil, err
	}
	sections, err := p.plan.reader.Sections(ctx, f)
	return sections, advised(errors.Join(err, done()))
}

// open checks that the file is the one that was taken; done checks it again, since a
// writer may be at work while the file is read, and closes it.
func (p *split) open() (f format.File, done func() error, err error) {
	file, err := p.s.cfg.FS.Open(p.e.Path)
	if err != nil {
		return format.File{}, nil, p.s.missing(p.e, err)
	}
	check := func() error {
		info, err := file.Stat()
		if err != nil {
			return err
		}
		return p.s.same(p.e, info)
	}
	if err := check(); err != nil {
		return format.File{}, nil, errors.Join(err, file.Close())
	}
	done = func() error { return errors.Join(check(), file.Close()) }
	return format.File{Name: p.s.show(p.e.Path), R: file, Size: p.e.Size}, done, nil
}

// Read implements source.Split.
func (p *split) Read(ctx context.Context, rd source.Reading, emit func(*vec.Batch) error) error {
	f, done, err := p.open()
	if err != nil || done == nil { // done == nil: missing, and ignored
		return p.s.wrap(err)
	}
	var refused error // emit's own error goes back as it is
	err = p.read(ctx, f, rd, func(b *vec.Batch) error {
		refused = emit(b)
		return refused
	})
	if refused != nil {
		_ = done() // emit's error is the one to report
		return refused
	}
	return p.s.wrap(advised(errors.Join(err, done())))
}

// advised says what can be done about a file that cannot be read. To repair it in place
// does not help: a batch is run again over exactly what it took.
func advised(err error) error {
	var row *format.RowError
	var file *format.FileError
	switch {
	case errors.As(err, &row):
		return fmt.Errorf("%w; on_error = 'skip' goes on without such rows, and counts them", err)
	case errors.As(err, &file):
		return fmt.Errorf("%w; move the file away and set ignore_missing_files = true to go on without its rows", err)
	}
	return err
}

func (p *split) read(ctx context.Context, f format.File, rd source.Reading, emit func(*vec.Batch) error) error {
	sections := p.sections
	if sections == nil {
		var err error
		if sections, err = p.plan.reader.Sections(ctx, f); err != nil {
			return err
		}
	}
	if err := p.compare(ctx, f); err != nil {
		return err
	}
	whole := p.assemble(rd, -1)
	var part *assembler // without the column that only the range is wanted of
	if rd.Extent != nil && rd.Extent.Unread {
		part = p.assemble(rd, rd.Extent.At)
	}
	for _, sec := range sections {
		if err := p.section(ctx, f, sec, rd, whole, part, emit); err != nil {
			return err
		}
	}
	return nil
}

// section reads what must be read of a section: nothing, if its statistics say that no row
// is needed, or not the column of which they have the range.
func (p *split) section(ctx context.Context, f format.File, sec format.Section, rd source.Reading, whole, part *assembler, emit func(*vec.Batch) error) error {
	extent, known, err := p.extent(ctx, f, sec, rd)
	if err != nil {
		return err
	}
	out := false
	if known || rd.Extent == nil {
		if out, err = p.outside(ctx, f, sec, rd); err != nil {
			return err
		}
	}
	if known && (out || part != nil) {
		rd.Extent.Known(extent.Min, extent.Max, sec.Rows-extent.Nulls)
	}
	if out {
		rd.Skipped(sec.Rows)
		return nil
	}
	a := whole
	if known && part != nil {
		a = part
	}
	a.file, a.section, a.done = f.Name, sec, 0
	return p.plan.reader.Read(ctx, f, sec, a.reading, func(b *vec.Batch) error { return emit(a.batch(b)) })
}

// extent is the range of the column that is asked for, if it is known without reading.
func (p *split) extent(ctx context.Context, f format.File, sec format.Section, rd source.Reading) (b format.Bounds, known bool, err error) {
	bounded, ok := p.plan.reader.(format.Bounded)
	if rd.Extent == nil || !ok || sec.Rows < 0 {
		return b, false, nil
	}
	at := p.plan.inData[rd.Need[rd.Extent.At]]
	if at < 0 {
		return b, false, nil
	}
	return bounded.Bounds(ctx, f, sec, at)
}

// outside tells that no row of a section is in all ranges, as its statistics say.
func (p *split) outside(ctx context.Context, f format.File, sec format.Section, rd source.Reading) (bool, error) {
	bounded, ok := p.plan.reader.(format.Bounded)
	if !ok || sec.Rows < 0 || rd.Skipped == nil {
		return false, nil
	}
	for _, r := range rd.Ranges {
		at := p.plan.inData[r.Col]
		if at < 0 {
			continue
		}
		b, ok, err := bounded.Bounds(ctx, f, sec, at)
		if err != nil {
			return false, err
		}
		if ok && (b.Max < r.Min || b.Min > r.Max) {
			return true, nil
		}
	}
	return false, nil
}

// assembler puts columns of the data and constants into one batch.
type assembler struct {
	reading format.Reading
	from    []int // by needed column: its place in the reader's batch, −1 = constant
	out     vec.Batch
	file    string
	section format.Section // under way, of which so many rows were in earlier batches
	done    int
}

// place names a row of the batch under way. Rows are counted from the section's start, of
// those that could be read.
func (a *assembler) place(row int) string {
	row += a.done - a.out.N + 1
	switch {
	case a.section.Rows >= 0:
		return fmt.Sprintf("%s, row group %d, row %d", a.file, a.section.Off, row)
	case a.section.Off > 0:
		return fmt.Sprintf("%s, row %d from byte %d on", a.file, row, a.section.Off)
	}
	return fmt.Sprintf("%s, row %d", a.file, row)
}

// assemble says where the needed columns come from; the values of the one at place without
// are NULL, −1 = none.
func (p *split) assemble(rd source.Reading, without int) *assembler {
	a := &assembler{from: make([]int, len(rd.Need))}
	a.out.Place = a.place
	a.out.Cols = make([]*vec.Vector, len(rd.Need))
	for i, col := range rd.Need {
		if at := p.plan.inData[col]; at >= 0 && i != without {
			a.from[i] = len(a.reading.Need)
			a.reading.Need = append(a.reading.Need, at)
			continue
		}
		a.from[i] = -1
		a.out.Cols[i] = p.constant(col, i == without)
	}
	if rd.Bad != nil {
		name := p.s.cfg.Name
		a.reading.Bad = func(b format.BadRow) {
			rd.Bad(source.BadRow{Source: name, Position: b.Position, Reason: b.Reason, Raw: b.Raw})
		}
	}
	return a
}

func (p *split) constant(col int, null bool) *vec.Vector {
	if null {
		return vec.NewConst(p.s.cfg.Columns[col].Type, nil, 0)
	}
	own := *p.consts[col]
	return &own
}

func (a *assembler) batch(b *vec.Batch) *vec.Batch {
	a.out.N, a.out.Sel, a.out.W = b.N, b.Sel, b.W
	a.done += b.N
	for i, at := range a.from {
		if at >= 0 {
			a.out.Cols[i] = b.Cols[at]
		} else {
			a.out.Cols[i].N = b.N
		}
	}
	return &a.out
}
