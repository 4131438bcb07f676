package json

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"slices"
	"strconv"
	"sync"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/lines"
	"github.com/sqlstream/sqlstream/exec/format/scan"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// reader is format.Reader for JSON.
type reader struct {
	config    format.Config
	policy    format.Policy
	multi     bool
	date      *scan.Pattern
	timestamp *scan.Pattern
	local     *scan.Pattern

	mu   sync.Mutex
	idle []*session // decoders to use again
}

func newReader(c format.Config) (format.Reader, error) {
	r := &reader{config: c, multi: c.Options.Bool("multi_line")}
	var err error
	if r.policy, err = format.PolicyOf(c); err != nil {
		return nil, err
	}
	if r.date, r.timestamp, r.local, err = format.TimePatterns(c.Options); err != nil {
		return nil, err
	}
	all := make([]int, len(c.Columns))
	for i := range all {
		all[i] = i
	}
	if _, err := newLayout(c.Columns, all, r.policy.Corrupt); err != nil {
		return nil, err
	}
	return r, nil
}

// Sections implements format.Reader.
func (r *reader) Sections(_ context.Context, f format.File) ([]format.Section, error) {
	return lines.Sections(f, r.multi), nil
}

// Read implements format.Reader.
func (r *reader) Read(ctx context.Context, f format.File, s format.Section, rd format.Reading, emit func(*vec.Batch) error) error {
	d, err := r.session(rd.Need)
	if err != nil {
		return err
	}
	src, err := lines.Open(f, s)
	if err != nil {
		return err
	}
	defer src.Close()
	d.ctx, d.file, d.src, d.bad, d.emit = ctx, f, src, rd.Bad, emit
	d.line, d.firstLine, d.badRow = 0, -1, nil
	if r.multi {
		err = d.readWhole()
	} else {
		err = d.readLines()
	}
	r.giveBack(d)
	return err
}

func (r *reader) session(need []int) (*session, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, d := range r.idle {
		if slices.Equal(d.need, need) {
			r.idle = slices.Delete(r.idle, i, i+1)
			return d, nil
		}
	}
	l, err := newLayout(r.config.Columns, need, r.policy.Corrupt)
	if err != nil {
		return nil, err
	}
	d := &session{need: slices.Clone(need), policy: r.policy}
	d.layout, d.multi = l, r.multi
	d.got = make([]uint64, len(l.all))
	d.root, d.keys = &key{}, map[string]*key{}
	d.times = scan.NewTimes(r.config.Zone, r.date, r.timestamp, r.local)
	d.batch.Cols = make([]*vec.Vector, len(l.cols))
	return d, nil
}

func (r *reader) giveBack(d *session) {
	d.ctx, d.src, d.bad, d.emit = nil, nil, nil, nil
	d.setBlock([]byte{'\n'})
	d.reset()
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.idle) < 64 {
		r.idle = append(r.idle, d)
	}
}

// session is one call of Read.
type session struct {
	scanner
	need   []int
	policy format.Policy
	batch  vec.Batch

	ctx    context.Context // a session is one call
	file   format.File
	src    *lines.Reader
	bad    func(format.BadRow)
	emit   func(*vec.Batch) error
	badRow error

	line      int64  // lines of the section read so far
	firstLine int64  // lines of the file before the section; −1 = not counted
	sectionAt int64  // where the section's first line begins
	counted   int    // multi-line: newlines before it are in line
	raw       []byte // text of corrupt records
	kept      bool   // the current row has one
}

func (d *session) readLines() error {
	want := 0
	for first := true; ; first = false {
		block, err := d.src.Next(want)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if first {
			d.sectionAt = d.src.Base()
		}
		rows, err := d.readBlock(block)
		if err != nil {
			return err
		}
		// The next block should just fill a batch: its text then stays in the cache.
		want = (len(block)/max(rows, 1) + 1) * (vec.BatchSize - vec.BatchSize/32)
	}
}

// readBlock decodes a block of lines, and returns their number.
func (d *session) readBlock(block []byte) (rows int, err error) {
	d.setBlock(block)
	before := d.line
	for p := 0; p < len(block); {
		if d.row == vec.BatchSize {
			if err := d.flush(); err != nil {
				return 0, err
			}
		}
		p = d.readLine(p)
		if d.badRow != nil {
			return 0, d.badRow
		}
	}
	return int(d.line - before), d.flush()
}

// readLine decodes the line at p and returns the position of the next one.
func (d *session) readLine(p int) int {
	d.line++
	if scan.At(d.base, p) != '{' {
		if q := d.blanks(p); scan.At(d.base, q) == '\n' {
			return q + 1
		}
	}
	q := d.object(p)
	if q > 0 && scan.At(d.base, q) != '\n' {
		if q = d.blanks(q); scan.At(d.base, q) != '\n' {
			q = d.fail(q, "text after the object")
		}
	}
	if q < 0 {
		q = p + bytes.IndexByte(d.buf[p:], '\n')
		d.notJSON(p, q)
		return q + 1
	}
	d.endRow(p, q)
	return q + 1
}

// endRow takes the row that was decoded from [p, q), if it is good.
func (d *session) endRow(p, q int) {
	if d.wrong.field != nil {
		d.notOfType(p, q)
		return
	}
	d.take()
}

// take makes the current row part of the batch.
func (d *session) take() {
	for w, all := range d.layout.all {
		for missing := all &^ d.got[w]; missing != 0; missing &= missing - 1 {
			d.layout.fields[w<<6|bits.TrailingZeros64(missing)].col.SetNull(d.row)
		}
	}
	if d.layout.corrupt != nil && !d.kept {
		d.layout.corrupt.SetNull(d.row)
	}
	d.kept = false
	d.row++
	if len(d.undo) > 0 {
		d.forget()
	}
}

// notOfType deals with a row with values that do not fit their columns.
func (d *session) notOfType(p, q int) {
	w := d.wrong
	d.wrong = mismatch{}
	if d.policy.Permissive {
		d.corrupt(p, q)
		d.take()
		return
	}
	d.restore()
	d.report(p, q, fmt.Sprintf("field %q: %s is not %s", w.field.name, shorten(d.buf[w.start:w.end]), w.field.typ))
}

// notJSON deals with a row that is not JSON.
func (d *session) notJSON(p, q int) {
	d.restore()
	d.wrong = mismatch{}
	d.depth = 0
	if d.policy.Permissive {
		clear(d.got)
		d.corrupt(p, q)
		d.take()
		return
	}
	d.report(p, q, fmt.Sprintf("not JSON: %s, at character %d", d.broken.what, d.broken.at-p+1))
}

// corrupt stores the text of the row for the column of corrupt records. It is kept in
// memory of its own, since unescaping may have changed it in the block.
func (d *session) corrupt(p, q int) {
	if d.layout.corrupt == nil {
		return
	}
	at := len(d.raw)
	d.raw = append(d.raw, d.buf[p:q]...)
	for i := len(d.undo) - 1; i >= 0; i-- {
		u := d.undo[i]
		copy(d.raw[at+u.at-p:], d.saved[u.from:u.from+u.n])
	}
	d.layout.corrupt.Str[d.row] = vec.StrRef{Off: uint32(at), Len: uint32(len(d.raw) - at)}
	d.kept = true
}

func shorten(b []byte) string {
	if len(b) > 60 {
		return string(b[:60]) + "…"
	}
	return string(b)
}

// report hands a bad row on, or ends the reading with it.
func (d *session) report(p, q int, reason string) {
	row := format.BadRow{Position: d.position(p), Reason: reason, Raw: bytes.TrimSuffix(d.buf[p:q], []byte{'\r'})}
	if d.policy.OnError == format.Fail {
		row.Raw = bytes.Clone(row.Raw)
		d.badRow = &format.RowError{BadRow: row}
		return
	}
	d.bad(row)
}

// position names the current line.
func (d *session) position(p int) string {
	if d.firstLine < 0 {
		d.firstLine = 0
		if d.sectionAt > 0 && !d.multi {
			n, err := lines.LinesBefore(d.file, 0, d.sectionAt)
			if err != nil {
				return d.file.Name + ": byte " + strconv.FormatInt(d.src.Base()+int64(p), 10)
			}
			d.firstLine = n
		}
	}
	return d.file.Name + ":" + strconv.FormatInt(d.firstLine+d.line, 10)
}

// flush gives out the rows decoded so far.
func (d *session) flush() error {
	if d.row == 0 {
		return d.ctx.Err()
	}
	for i, c := range d.layout.cols {
		buf := d.buf
		if c == d.layout.corrupt {
			buf = d.raw
		}
		d.batch.Cols[i] = c.Vector(d.row, buf)
	}
	d.batch.N, d.batch.Sel, d.batch.W = d.row, nil, nil
	if err := d.emit(&d.batch); err != nil {
		return err
	}
	d.reset()
	return d.ctx.Err()
}

// reset forgets the rows of the batch.
func (d *session) reset() {
	for _, c := range d.layout.cols {
		c.Reset()
	}
	d.row, d.raw = 0, d.raw[:0]
	d.wrong, d.depth = mismatch{}, 0
	d.forget()
}
