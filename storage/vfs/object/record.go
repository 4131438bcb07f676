package object

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

// A record is one object of a log: what one Sync wrote to one file, the removal of a
// file, a take-over, or nothing. docs/formats/object-store.md describes its bytes.
type record struct {
	kind    byte
	writer  string // nonce of the process: no two write the same bytes
	name    string // of the file; of a take-over, who it was
	keep    int64  // so much of what was there before is still; then the parts, then
	size    int64  // what the file has after it
	created bool   // the first record of the file: what was there before is gone
	parts   []part
}

// part are bytes written at a place of the file.
type part struct {
	off  int64
	data []byte
}

const (
	recordMagic   = "SSOL"
	recordVersion = 1

	kindWrite    = 'W'
	kindRemove   = 'R'
	kindTakeOver = 'T'
	kindConfirm  = 'C'
)

func (r record) encode() []byte {
	n := 64 + len(r.writer) + len(r.name)
	for _, p := range r.parts {
		n += len(p.data) + 2*binary.MaxVarintLen64
	}
	out := append(make([]byte, 0, n), recordMagic...)
	out = append(out, recordVersion, r.kind)
	out = appendText(out, r.writer)
	out = appendText(out, r.name)
	out = binary.AppendUvarint(out, uint64(r.keep))
	out = binary.AppendUvarint(out, uint64(r.size))
	out = append(out, flag(r.created))
	out = binary.AppendUvarint(out, uint64(len(r.parts)))
	for _, p := range r.parts {
		out = binary.AppendUvarint(out, uint64(p.off))
		out = binary.AppendUvarint(out, uint64(len(p.data)))
		out = append(out, p.data...)
	}
	return binary.LittleEndian.AppendUint32(out, crc32.Checksum(out, castagnoli()))
}

func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

func appendText(out []byte, s string) []byte {
	return append(binary.AppendUvarint(out, uint64(len(s))), s...)
}

func flag(b bool) byte {
	if b {
		return 1
	}
	return 0
}

var errRecord = errors.New("it is not a record of a log")

// decodeRecord reads a record; its parts point into data.
func decodeRecord(data []byte) (record, error) {
	const frame = len(recordMagic) + 2
	if len(data) < frame+4 || string(data[:4]) != recordMagic {
		return record{}, errRecord
	}
	if data[4] != recordVersion {
		return record{}, fmt.Errorf("it has format %d, this program reads %d", data[4], recordVersion)
	}
	body, sum := data[:len(data)-4], binary.LittleEndian.Uint32(data[len(data)-4:])
	if crc32.Checksum(body, castagnoli()) != sum {
		return record{}, errors.New("its checksum does not match")
	}
	d := decoder{data: body[frame:]}
	r := record{kind: data[5], writer: d.text(), name: d.text(), keep: d.number(), size: d.number(), created: d.byte() == 1}
	for n := d.number(); n > 0 && !d.bad; n-- {
		off := d.number()
		r.parts = append(r.parts, part{off, d.bytes()})
		if p := r.parts[len(r.parts)-1]; p.off > r.size-int64(len(p.data)) {
			d.bad = true
		}
	}
	if d.bad || len(d.data) > 0 {
		return record{}, errRecord
	}
	return r, nil
}

type decoder struct {
	data []byte
	bad  bool
}

func (d *decoder) number() int64 {
	v, n := binary.Uvarint(d.data)
	if n <= 0 || v > 1<<62 {
		d.bad = true
		return 0
	}
	d.data = d.data[n:]
	return int64(v)
}

func (d *decoder) byte() byte {
	if len(d.data) == 0 {
		d.bad = true
		return 0
	}
	b := d.data[0]
	d.data = d.data[1:]
	return b
}

func (d *decoder) bytes() []byte {
	n := d.number()
	if n > int64(len(d.data)) {
		d.bad = true
		return nil
	}
	out := d.data[:n:n]
	d.data = d.data[n:]
	return out
}

func (d *decoder) text() string { return string(d.bytes()) }
