package avro

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Read implements format.Reader.
func (r *reader) Read(ctx context.Context, f format.File, s format.Section, rd format.Reading, emit func(*vec.Batch) error) error {
	c, err := openContainer(f)
	if err != nil {
		return err
	}
	defer c.src.Close()
	there := true
	if !compressed(f) {
		if there, err = c.seek(f, s.Off, s.End); err != nil || !there {
			return err
		}
	}
	d := &fileSession{session: r.session(rd.Need), c: c, end: s.End}
	if compressed(f) {
		d.end = 1 << 62
	}
	if d.current, err = d.loadFile(); err != nil {
		return err
	}
	d.last = -1
	d.BeginRecords(ctx, d.position, rd, emit)
	err = d.read()
	d.current = nil
	r.giveBack(d.session)
	return err
}

// fileSession is one call of Read.
type fileSession struct {
	*session
	c     *container
	end   int64  // blocks that begin before it are read
	block []byte // content of the blocks whose rows are in the batch
	at    int64  // where the current block begins
	row   int64  // in it
}

// blockBytes is how much content is gathered before it is given out.
const blockBytes = 1 << 20

func (d *fileSession) position() string {
	return fmt.Sprintf("%s: block at byte %d, row %d", d.c.name, d.at, d.row+1)
}

// loadFile compiles the program of the file's schema.
func (d *fileSession) loadFile() (*loaded, error) {
	w, _, err := parse(d.c.schema, nil)
	if err != nil {
		return nil, d.c.wrap(fmt.Errorf("its schema: %w", err))
	}
	l, err := d.compiled(w, d.r.expected)
	if err != nil {
		return nil, d.c.wrap(err)
	}
	d.share(l, nil)
	return l, nil
}

// compiled makes the program of a schema, which must have one of the columns.
func (d *session) compiled(w, expected *schema) (*loaded, error) {
	if err := d.r.related(w, expected); err != nil {
		return nil, err
	}
	p, err := compile(w, expected, d.r.config.Columns, d.cols, d.Cols)
	return &loaded{program: p}, err
}

// related refuses a schema that has none of the declared columns: it is not what is meant.
func (r *reader) related(w, expected *schema) error {
	fields := w.rowFields()
	asked := namesOf(r.config.Columns)
	for _, name := range asked {
		if find(fields, name, asked) >= 0 || expected != nil && find(expected.rowFields(), name, asked) >= 0 {
			return nil
		}
	}
	if len(r.config.Columns) == 0 {
		return nil
	}
	var names []string
	for i, f := range fields {
		if i == 20 {
			names = append(names, "…")
			break
		}
		names = append(names, f.name)
	}
	return fmt.Errorf("its schema has none of the declared columns; its fields are %s", strings.Join(names, ", "))
}

// read reads the blocks of the section.
func (d *fileSession) read() error {
	for d.c.pos < d.end {
		d.at = d.c.pos
		count, data, err := d.c.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if len(d.need) == 0 && d.tested == nil {
			err = d.count(count)
		} else {
			err = d.rows(count, data)
		}
		if err != nil {
			return err
		}
	}
	return d.Flush(d.block)
}

// count makes rows without columns.
func (d *fileSession) count(n int64) error {
	for ; n > 0; n-- {
		if d.Full() {
			if err := d.Flush(nil); err != nil {
				return err
			}
		}
		d.Take()
	}
	return nil
}

// rows decodes the rows of a block.
func (d *fileSession) rows(count int64, data []byte) error {
	if d.Row == 0 || len(d.block) > blockBytes {
		if err := d.Flush(d.block); err != nil {
			return err
		}
		d.block = d.block[:0]
	}
	p := len(d.block)
	var err error
	if d.block, err = d.c.codec.unpack(d.block, data); err != nil {
		return d.c.damaged(d.at, err)
	}
	if count > int64(len(d.block)-p) && count > maxEmpty {
		return d.c.damaged(d.at, fmt.Errorf("it claims %d rows in %d bytes", count, len(d.block)-p))
	}
	d.begin(d.block, p)
	for d.row = 0; d.row < count; d.row++ {
		if d.Full() {
			if err := d.Flush(d.block); err != nil {
				return err
			}
		}
		q := d.fields(d.current.root, d.Row, p)
		if q < 0 {
			return d.c.damaged(d.at, fmt.Errorf("row %d is no value of the schema: %s", d.row+1, d.broken))
		}
		d.endRow(d.block, p, q)
		if d.wrong = ""; d.Err() != nil {
			return d.Err()
		}
		p = q
	}
	if p != len(d.block) {
		return d.c.damaged(d.at, fmt.Errorf("%d bytes are left behind its rows", len(d.block)-p))
	}
	return nil
}
