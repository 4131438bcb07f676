package json

import (
	"bytes"

	"github.com/sqlstream/sqlstream/exec/format/scan"
)

// readWhole decodes a file that is one value: an array of objects, or a sequence of
// objects with any white space between.
func (d *session) readWhole() error {
	block, err := d.src.Whole()
	if err != nil || len(block) == 0 {
		return err
	}
	d.setBlock(block)
	d.counted, d.breaks, d.Line = 0, 0, 1
	if p := d.blanks(0); scan.At(d.base, p) == '[' {
		err = d.readArray(p + 1)
	} else {
		err = d.readSequence(p)
	}
	if err == nil {
		err = d.Err()
	}
	if err != nil {
		return err
	}
	return d.Flush(d.buf)
}

func (d *session) readSequence(p int) error {
	for p >= 0 && p < len(d.buf)-1 {
		if err := d.room(); err != nil {
			return err
		}
		p = d.element(p)
	}
	return nil
}

func (d *session) readArray(p int) error {
	if p = d.blanks(p); scan.At(d.base, p) == ']' {
		d.endArray(p)
		return nil
	}
	for p >= 0 {
		if err := d.room(); err != nil {
			return err
		}
		if p = d.element(p); p < 0 {
			return nil
		}
		switch scan.At(d.base, p) {
		case ',':
			p = d.blanks(p + 1)
		case ']':
			d.endArray(p)
			return nil
		default:
			d.giveUp(p, "expected , or ] after an object")
			return nil
		}
	}
	return nil
}

// room makes room for a row.
func (d *session) room() error {
	if d.Err() != nil || !d.Full() {
		return d.Err()
	}
	return d.Flush(d.buf)
}

func (d *session) endArray(p int) {
	if q := d.blanks(p + 1); q < len(d.buf)-1 {
		d.giveUp(q, "text after the array")
	}
}

// element decodes the object at p and returns what follows it and its white space; −1
// after a row that is not JSON.
func (d *session) element(p int) int {
	d.Line += int64(bytes.Count(d.buf[d.counted:p], []byte{'\n'}) - d.breaks)
	d.counted, d.breaks = p, 0
	if q := d.tombstone(p); q > 0 {
		return q
	}
	q := d.object(p)
	if q < 0 {
		d.notJSON(p, len(d.buf)-1)
		return -1
	}
	d.endRow(p, q)
	return d.blanks(q)
}

// giveUp makes what follows p one bad row: where a value does not end there is no
// telling where the next one begins.
func (d *session) giveUp(p int, what string) {
	d.fail(p, what)
	d.notJSON(p, len(d.buf)-1)
}
