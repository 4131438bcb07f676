package state

import (
	"encoding/binary"
	"hash/crc32"
)

// FormatVersion is the version of the state log and of the run files that
// this program writes and the newest that it reads.
//
//	1: first version.
const FormatVersion = 1

const (
	sector           = 512 // records start on one, so that none shares it
	segmentHeaderLen = 36
	recordHeaderLen  = 64
	segmentMagic     = "SSLG"
	recordMagic      = "SREC"
)

// Kinds of a record's parts.
const (
	partMeta = iota + 1
	partPayload
	partChanges
)

var crcTable = crc32.MakeTable(crc32.Castagnoli)

func checksum(crc uint32, p []byte) uint32 { return crc32.Update(crc, crcTable, p) }

func alignUp(n int64) int64 { return (n + sector - 1) &^ (sector - 1) }

// segmentHeader opens a file of the state log.
type segmentHeader struct {
	version    uint32
	epoch      uint64
	firstBatch int64
	firstSeq   uint64
}

func (h segmentHeader) encode() []byte {
	b := append(make([]byte, 0, segmentHeaderLen), segmentMagic...)
	b = binary.LittleEndian.AppendUint32(b, h.version)
	b = binary.LittleEndian.AppendUint64(b, h.epoch)
	b = binary.LittleEndian.AppendUint64(b, uint64(h.firstBatch))
	b = binary.LittleEndian.AppendUint64(b, h.firstSeq)
	return binary.LittleEndian.AppendUint32(b, checksum(0, b))
}

// decodeSegmentHeader reports false for anything but an intact header.
func decodeSegmentHeader(b []byte) (h segmentHeader, ok bool) {
	if len(b) < segmentHeaderLen || string(b[:4]) != segmentMagic {
		return h, false
	}
	le := binary.LittleEndian
	h.version = le.Uint32(b[4:])
	h.epoch = le.Uint64(b[8:])
	h.firstBatch = int64(le.Uint64(b[16:]))
	h.firstSeq = le.Uint64(b[24:])
	return h, le.Uint32(b[32:]) == checksum(0, b[:32])
}

// recordHeader precedes the directory and the parts of a batch. Epoch and
// sequence tie it to its place, so that no other bytes pass for it.
type recordHeader struct {
	epoch   uint64
	seq     uint64
	batch   int64
	bodyLen int64
	bodyCRC uint32
	dirLen  uint32
	parts   uint32
}

func (h recordHeader) appendTo(b []byte) []byte {
	at := len(b)
	le := binary.LittleEndian
	b = append(b, recordMagic...)
	b = le.AppendUint32(b, 0)
	b = le.AppendUint64(b, h.epoch)
	b = le.AppendUint64(b, h.seq)
	b = le.AppendUint64(b, uint64(h.batch))
	b = le.AppendUint64(b, uint64(h.bodyLen))
	b = le.AppendUint32(b, h.bodyCRC)
	b = le.AppendUint32(b, h.dirLen)
	b = le.AppendUint32(b, h.parts)
	b = append(b, make([]byte, recordHeaderLen-(len(b)-at))...)
	le.PutUint32(b[at+4:], checksum(0, b[at+8:at+recordHeaderLen]))
	return b
}

func decodeRecordHeader(b []byte) (h recordHeader, ok bool) {
	if len(b) < recordHeaderLen || string(b[:4]) != recordMagic {
		return h, false
	}
	le := binary.LittleEndian
	h.epoch = le.Uint64(b[8:])
	h.seq = le.Uint64(b[16:])
	h.batch = int64(le.Uint64(b[24:]))
	h.bodyLen = int64(le.Uint64(b[32:]))
	h.bodyCRC = le.Uint32(b[40:])
	h.dirLen = le.Uint32(b[44:])
	h.parts = le.Uint32(b[48:])
	intact := le.Uint32(b[4:]) == checksum(0, b[8:recordHeaderLen])
	return h, intact && h.bodyLen >= int64(h.dirLen)
}

func (h recordHeader) size() int64 { return recordHeaderLen + h.bodyLen }

// part is an entry of a record's directory.
type part struct {
	kind byte
	op   string
	off  int64 // in the file
	len  int64
}

func appendPart(dir []byte, kind byte, op string, size int) []byte {
	dir = append(dir, kind)
	dir = binary.AppendUvarint(dir, uint64(len(op)))
	dir = append(dir, op...)
	return binary.AppendUvarint(dir, uint64(size))
}

// parseDirectory reads the directory of a record whose body starts at off;
// names keeps one copy of each operator's name.
func parseDirectory(dir []byte, h recordHeader, off int64, names map[string]string) ([]part, error) {
	parts := make([]part, 0, min(h.parts, 1<<16))
	at, end := off+int64(h.dirLen), off+h.bodyLen
	for range h.parts {
		if len(dir) == 0 {
			return nil, errMalformed
		}
		kind := dir[0]
		op, rest, err := takeBytes(dir[1:])
		if err != nil {
			return nil, err
		}
		size, used := binary.Uvarint(rest)
		if used <= 0 || size > uint64(end-at) {
			return nil, errMalformed
		}
		parts = append(parts, part{kind: kind, op: intern(names, op), off: at, len: int64(size)})
		at += int64(size)
		dir = rest[used:]
	}
	if len(dir) != 0 || at != end {
		return nil, errMalformed
	}
	return parts, nil
}

func intern(names map[string]string, name []byte) string {
	if known, ok := names[string(name)]; ok {
		return known
	}
	names[string(name)] = string(name)
	return names[string(name)]
}
