package csv

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/column"
	"github.com/sqlstream/sqlstream/exec/format/lines"
	"github.com/sqlstream/sqlstream/exec/format/rows"
	"github.com/sqlstream/sqlstream/exec/format/scan"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// reader is format.Reader for CSV.
type reader struct {
	config                 format.Config
	policy                 format.Policy
	dialect                dialect
	header, byPosition     bool
	date, timestamp, local *scan.Pattern
}

func newReader(c format.Config) (format.Reader, error) {
	return configure(c)
}

func configure(c format.Config) (*reader, error) {
	r := &reader{config: c, header: c.Options.Bool("header"), byPosition: c.Options.Bool("enforce_schema")}
	var err error
	if r.policy, err = format.PolicyOf(c); err != nil {
		return nil, err
	}
	if r.date, r.timestamp, r.local, err = format.TimePatterns(c.Options); err != nil {
		return nil, err
	}
	if r.dialect, err = newDialect(c.Options); err != nil {
		return nil, err
	}
	if r.dialect.comment, err = character(c.Options, "comment"); err != nil {
		return nil, err
	}
	r.dialect.multi = c.Options.Bool("multi_line")
	if c.Messages && r.header {
		return nil, errors.New("header: messages have none; the declared columns are matched by position")
	}
	r.dialect.trimLeft = c.Options.Bool("ignore_leading_white_space")
	r.dialect.trimRight = c.Options.Bool("ignore_trailing_white_space")
	for _, col := range c.Columns {
		if err := scalar(col); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// Sections implements format.Reader.
func (r *reader) Sections(_ context.Context, f format.File) ([]format.Section, error) {
	return lines.Sections(f, r.dialect.multi), nil
}

// Read implements format.Reader.
func (r *reader) Read(ctx context.Context, f format.File, s format.Section, rd format.Reading, emit func(*vec.Batch) error) error {
	d, byColumn := r.session(rd.Need)
	if r.header && !r.byPosition {
		names, err := r.names(f)
		if err != nil {
			return err
		}
		if err := r.place(d, f, names, byColumn); err != nil {
			return err
		}
	}
	src, err := lines.Open(f, s, nil)
	if err != nil {
		return err
	}
	defer src.Close()
	d.src, d.skip = src, r.header && s.Off == 0
	d.Begin(ctx, f, src, rd, emit)
	return d.readBlocks()
}

// session is one call of Read.
type session struct {
	rows.Set
	splitter
	src    *lines.Reader
	times  *scan.Times
	places []*field // by position in the file; nil = not needed
	fields []*field
	check  *format.Check // nil = none
	tested *field        // what it tests
	skip   bool          // the header comes next
	ascii  bool          // the block is valid UTF-8

	wrong    *field // the first field of the row that is not of its type
	from, to int    // where it stands
}

// session prepares a call. The fields of a row go to columns by their position, as long as
// no header says otherwise.
func (r *reader) session(need []int) (d *session, byColumn []*field) {
	d = &session{}
	d.dialect, d.Policy = r.dialect, r.policy
	d.times = scan.NewTimes(r.config.Zone, r.date, r.timestamp, r.local)
	byColumn = make([]*field, len(r.config.Columns))
	for _, i := range need {
		c := r.config.Columns[i]
		col := column.New(c.Type, vec.BatchSize)
		d.Cols = append(d.Cols, col)
		if i == r.policy.Corrupt {
			d.Corrupt = col
			continue
		}
		byColumn[i] = newField(c.Name, c.Type, col)
		d.fields = append(d.fields, byColumn[i])
		if r.config.Check != nil && r.config.Check.Column == i {
			d.check, d.tested = r.config.Check, byColumn[i]
		}
	}
	for i, f := range byColumn {
		if i != r.policy.Corrupt {
			d.places = append(d.places, f)
		}
	}
	return d, byColumn
}

// place gives each field its place in the file by the header's names.
func (r *reader) place(d *session, f format.File, names []string, byColumn []*field) error {
	d.places = make([]*field, len(names))
	if len(names) == 0 {
		return nil // an empty file
	}
	lenient, found := r.config.Options.Enum("missing_columns") == "null", false
	for i, c := range r.config.Columns {
		if i == r.policy.Corrupt {
			continue
		}
		at := slices.Index(names, c.Name)
		if at < 0 {
			at = slices.IndexFunc(names, func(n string) bool { return strings.EqualFold(n, c.Name) && !r.declares(n) })
		}
		if at < 0 && lenient {
			continue // take makes it NULL
		}
		if at < 0 {
			return &format.FileError{File: f.Name, Err: fmt.Errorf("its header has no column %q; it has %s (%s)", c.Name, strings.Join(names, ", "), headerAdvice(names))}
		}
		d.places[at], found = byColumn[i], true
	}
	if !found && len(r.config.Columns) > 0 {
		return &format.FileError{File: f.Name, Err: fmt.Errorf("its header has none of the declared columns; it has %s (%s)", strings.Join(names, ", "), headerAdvice(names))}
	}
	return nil
}

// declares reports a column of exactly this name: columns that were found in several files
// may differ in case alone, and each is read from its own field.
func (r *reader) declares(name string) bool {
	return slices.ContainsFunc(r.config.Columns, func(c types.Column) bool { return c.Name == name })
}

// names reads the header of a file; none if the file is empty.
func (r *reader) names(f format.File) ([]string, error) {
	src, err := lines.Open(f, format.Section{End: f.Size}, nil)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	block, err := src.Next(1)
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s := splitter{dialect: r.dialect}
	s.trimLeft, s.trimRight = true, true
	s.setBlock(block)
	p := s.skipComments(0, false)
	if p == len(block) {
		return nil, nil
	}
	var names []string
	for {
		c, state := s.fieldAt(p)
		if state != fine {
			return nil, &format.FileError{File: f.Name, Err: errors.New("its header cannot be read: " + problems[state])}
		}
		if c.quoted && s.hasEscape(c) {
			c.to = s.unescape(c)
		}
		names = append(names, string(s.buf[c.from:c.to]))
		if s.buf[c.next] == '\n' {
			return names, nil
		}
		p = c.next + 1
	}
}

// skipComments skips empty lines and comments. Where rows have one field, an empty line
// is one that is NULL.
func (s *splitter) skipComments(p int, emptyIsRow bool) int {
	for p < len(s.buf) {
		switch c := s.buf[p]; {
		case c == '\n' && !emptyIsRow:
			p++
		case c == '\r' && s.buf[p+1] == '\n' && !emptyIsRow:
			p += 2
		case c == s.comment && c != 0:
			p += bytes.IndexByte(s.buf[p:], '\n') + 1
		default:
			return p
		}
	}
	return p
}

func (d *session) readBlocks() error {
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
		rest, err := d.readBlock(block)
		if err != nil {
			return err
		}
		want = rows.Want(block, d.Line-before)
		if rest > 0 {
			want = max(want, 2*rest)
		}
	}
}

// readBlock decodes a block of records. rest is the size of the unfinished record with
// which it ends, which has been given back.
func (d *session) readBlock(block []byte) (rest int, err error) {
	d.setBlock(block)
	d.ascii = utf8.Valid(block)
	for p := 0; p < len(block); {
		q := d.skipComments(p, len(d.places) == 1)
		d.Line += int64(bytes.Count(block[p:q], []byte{'\n'}))
		if p = q; p == len(block) {
			break
		}
		if d.Full() {
			if err := d.Flush(d.buf); err != nil {
				return 0, err
			}
		}
		if p = d.record(p); p < 0 {
			p = -p - 1
			if d.src.Unread(p) {
				rest = len(block) - p
				break
			}
			d.Line++
			d.malformed(p, len(block), unfinished)
			p = len(block)
		}
		if d.Err() != nil {
			return 0, d.Err()
		}
	}
	return rest, d.Flush(d.buf)
}

// record decodes the record at p and returns the position of the next one, or −p−1 if
// the record goes on beyond the block.
func (d *session) record(start int) int {
	d.wrong = nil
	n, inner := 0, 0
	for p := start; ; n++ {
		f, state := d.fieldAt(p)
		if state != fine {
			d.Edits.Restore(d.buf)
			if state == unfinished && d.multi {
				return -start - 1
			}
			return d.badLine(start, f, state)
		}
		if d.multi && f.quoted {
			inner += bytes.Count(d.buf[f.from:f.to], []byte{'\n'}) // before unescaping moves them
		}
		if n < len(d.places) && d.places[n] != nil && !d.skip {
			d.value(d.places[n], f)
		}
		if scan.At(d.base, f.next) == '\n' {
			d.Line += int64(1 + inner)
			d.endRecord(start, f.next, n+1)
			return f.next + 1
		}
		p = f.next + 1
	}
}

// value decodes a field into the current row.
func (d *session) value(f *field, c span) {
	if !c.quoted {
		if c.from == c.to || len(d.null) > 0 && bytes.Equal(d.buf[c.from:c.to], d.null) {
			return
		}
	} else if d.hasEscape(c) {
		d.Edits.Remember(d.buf, c.from, c.to)
		c.to = d.unescape(c)
	}
	f.filled = 0
	ok := f.col.Phys == types.PhysString && (d.ascii || utf8.Valid(d.buf[c.from:c.to]) || f.typ.Kind == types.Bytes)
	if ok || c.from < c.to && f.col.Phys != types.PhysString {
		ok = f.decode(d, f, d.Row, c.from, c.to)
	}
	if ok {
		f.filled = d.Row + 1
	} else if d.wrong == nil {
		d.wrong, d.from, d.to = f, c.from, c.to
	}
}

// endRecord takes the record in [p, q), which has n fields, if it is good.
func (d *session) endRecord(p, q, n int) {
	if d.skip {
		d.skip = false
		d.Edits.Forget()
		return
	}
	reason := ""
	switch {
	case n != len(d.places):
		reason = fmt.Sprintf("%d fields, expected %d", n, len(d.places))
	case d.wrong != nil:
		reason = d.misfit()
	case d.check != nil:
		reason = d.test()
	}
	switch {
	case reason == "":
		d.take()
	case d.Policy.Permissive:
		d.Keep(d.buf, p, q)
		d.take()
	default:
		d.Edits.Restore(d.buf)
		d.reject()
		d.Report(d.buf, p, q, reason)
	}
}

// test applies the check to the current row.
func (d *session) test() string {
	if d.tested.filled != d.Row+1 {
		return d.check.Reason(nil, true)
	}
	ref := d.tested.col.Str[d.Row]
	return d.check.Reason(d.buf[ref.Off:ref.Off+ref.Len], false)
}

func (d *session) misfit() string {
	b := d.buf[d.from:d.to]
	if d.wrong.col.Phys == types.PhysString {
		return fmt.Sprintf("field %q is not UTF-8", d.wrong.name)
	}
	if len(b) > 60 {
		b = append(b[:60:60], "…"...)
	}
	return fmt.Sprintf("field %q: %q is not %s", d.wrong.name, b, d.wrong.typ)
}

// take makes the current row part of the batch; what has no value is NULL.
func (d *session) take() {
	for _, f := range d.fields {
		if f.filled != d.Row+1 {
			f.col.SetNull(d.Row)
		}
		f.filled = 0
	}
	d.Take()
}

// reject forgets the values of the current row.
func (d *session) reject() {
	for _, f := range d.fields {
		f.filled = 0
	}
}

var problems = [...]string{
	unfinished: "a quoted field does not end on its line (multi_line = true allows that)",
	garbled:    "text after a closing quote",
	several:    "more than one line: a message is one record",
}

// badLine gives up the line that holds a field that cannot be read, and returns where
// the next one begins.
func (d *session) badLine(start int, f span, st state) int {
	from := start
	if st == garbled {
		from = f.next
	}
	end := from + bytes.IndexByte(d.buf[from:], '\n')
	d.Line += 1 + int64(bytes.Count(d.buf[start:end], []byte{'\n'}))
	d.malformed(start, end, st)
	return end + 1
}

// malformed deals with a row that cannot be told into fields.
func (d *session) malformed(p, q int, st state) {
	d.reject()
	if d.skip {
		d.skip = false
		return
	}
	d.refuse(p, q, problems[st])
}

// refuse deals with the row in [p, q), none of whose values are kept.
func (d *session) refuse(p, q int, reason string) {
	if d.Policy.Permissive {
		d.Keep(d.buf, p, q)
		d.take()
		return
	}
	d.Report(d.buf, p, q, reason)
}
