package json

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"slices"
	"sync"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/lines"
	"github.com/sqlstream/sqlstream/exec/format/rows"
	"github.com/sqlstream/sqlstream/exec/format/scan"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// reader is format.Reader for JSON.
type reader struct {
	config    format.Config
	policy    format.Policy
	multi     bool
	header    bool // messages have that of a schema registry
	date      *scan.Pattern
	timestamp *scan.Pattern
	local     *scan.Pattern

	mu   sync.Mutex
	idle []*session // decoders to use again
}

const (
	maxIdle   = 64      // decoders that are kept: more are not at work at a time
	maxMemory = 8 << 20 // of an idle one: a large multi-line file must not stay
)

func newReader(c format.Config) (format.Reader, error) {
	r := &reader{config: c, multi: c.Options.Bool("multi_line")}
	var err error
	if r.policy, err = format.PolicyOf(c); err != nil {
		return nil, err
	}
	if r.date, r.timestamp, r.local, err = format.TimePatterns(c.Options); err != nil {
		return nil, err
	}
	registry, err := client(c)
	if err != nil {
		return nil, err
	}
	r.header = registry != nil
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
	return r.read(ctx, f, s, rd, func(*session) func(*vec.Batch) error { return emit })
}

// read is Read with a receiver that looks at the session.
func (r *reader) read(ctx context.Context, f format.File, s format.Section, rd format.Reading, emit func(*session) func(*vec.Batch) error) error {
	d, err := r.session(rd.Need, r.multi)
	if err != nil {
		return err
	}
	src, err := lines.Open(f, s, d.memory)
	if err != nil {
		return err
	}
	defer src.Close()
	d.src = src
	d.Begin(ctx, f, src, rd, emit(d))
	if r.multi {
		err = d.readWhole()
	} else {
		err = d.readLines()
	}
	if d.memory = src.Buffer(); len(d.memory) > maxMemory {
		d.memory = nil
	}
	r.giveBack(d)
	return err
}

// session returns a decoder for some columns. One whose rows may hold newlines has
// learned texts with them, and must never read lines.
func (r *reader) session(need []int, multi bool) (*session, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, d := range r.idle {
		if d.multi == multi && slices.Equal(d.need, need) {
			r.idle = slices.Delete(r.idle, i, i+1)
			return d, nil
		}
	}
	l, err := newLayout(r.config.Columns, need, r.policy.Corrupt)
	if err != nil {
		return nil, err
	}
	d := &session{need: slices.Clone(need)}
	d.Policy, d.Cols, d.Corrupt = r.policy, l.cols, l.corrupt
	d.layout, d.multi, d.header = l, multi, r.header
	if c := r.config.Check; c != nil {
		d.test = d.testOf(c)
	}
	d.got = make([]uint64, len(l.all))
	d.root, d.keys = &key{}, map[string]*key{}
	d.times = scan.NewTimes(r.config.Zone, r.date, r.timestamp, r.local)
	return d, nil
}

func (r *reader) giveBack(d *session) {
	d.End()
	d.src = nil
	d.setBlock([]byte{'\n'})
	d.wrong, d.depth = mismatch{}, 0
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.idle) < maxIdle {
		r.idle = append(r.idle, d)
	}
}

// session is one call of Read.
type session struct {
	scanner
	need    []int
	src     *lines.Reader
	memory  []byte // of the last src
	header  bool   // messages have one before them
	counted int    // multi-line: newlines before it are in Line
	// test says why a row that was decoded is bad ("" = it is not), or that it says
	// nothing; nil = every row is good.
	test  func() (reason string, drop bool)
	nulls bool // null in place of an object says nothing
}

func (d *session) readLines() error {
	want := 0
	for {
		block, err := d.src.Next(want)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		d.Block()
		before := d.Line
		if err := d.readBlock(block); err != nil {
			return err
		}
		want = rows.Want(block, d.Line-before)
	}
}

// readBlock decodes a block of lines.
func (d *session) readBlock(block []byte) error {
	d.setBlock(block)
	for p := 0; p < len(block); {
		if d.Full() {
			if err := d.Flush(d.buf); err != nil {
				return err
			}
		}
		p = d.readLine(p)
		if d.Err() != nil {
			return d.Err()
		}
	}
	return d.Flush(d.buf)
}

// readLine decodes the line at p and returns the position of the next one.
func (d *session) readLine(p int) int {
	d.Line++
	if scan.At(d.base, p) != '{' {
		q := d.blanks(p)
		if end := d.tombstone(q); end > 0 {
			q = end
		}
		if scan.At(d.base, q) == '\n' {
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
		d.Edits.Restore(d.buf) // unescaping has written newlines
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
	if d.test != nil {
		reason, drop := d.test()
		if reason != "" || drop {
			d.Edits.Restore(d.buf)
		}
		if reason != "" {
			d.Report(d.buf, p, q, reason)
		}
		if reason != "" || drop {
			return
		}
	}
	d.take()
}

// testOf is the test of a column.
func (d *session) testOf(c *format.Check) func() (string, bool) {
	f := d.layout.fields[slices.Index(d.need, c.Column)]
	return func() (string, bool) {
		if !d.has(f) {
			return c.Reason(nil, true), false
		}
		ref := f.col.Str[d.Row]
		return c.Reason(d.buf[ref.Off:ref.Off+ref.Len], false), false
	}
}

// has reports that a top-level field of the current row has a value.
func (d *session) has(f *field) bool { return d.got[f.word]&f.bit != 0 }

// take makes the current row part of the batch.
func (d *session) take() {
	for w, all := range d.layout.all {
		for missing := all &^ d.got[w]; missing != 0; missing &= missing - 1 {
			d.layout.fields[w<<6|bits.TrailingZeros64(missing)].col.SetNull(d.Row)
		}
	}
	d.Take()
}

// notOfType deals with a row with values that do not fit their columns.
func (d *session) notOfType(p, q int) {
	w := d.wrong
	d.wrong = mismatch{}
	if d.Policy.Permissive {
		d.Keep(d.buf, p, q)
		d.take()
		return
	}
	d.Edits.Restore(d.buf)
	d.Report(d.buf, p, q, fmt.Sprintf("field %q: %s is not %s", w.field.name, shorten(d.buf[w.start:w.end]), w.field.typ))
}

// notJSON deals with a row that is not JSON.
func (d *session) notJSON(p, q int) {
	d.Edits.Restore(d.buf)
	d.wrong, d.depth = mismatch{}, 0
	if d.Policy.Permissive {
		clear(d.got)
		d.Keep(d.buf, p, q)
		d.take()
		return
	}
	d.Report(d.buf, p, q, fmt.Sprintf("not JSON: %s, at character %d", d.broken.what, d.broken.at-p+1))
}

func shorten(b []byte) string {
	if len(b) > 60 {
		return string(b[:60]) + "…"
	}
	return string(b)
}
