package postgres

import (
	"bytes"
	"encoding/binary"
	"errors"

	"github.com/jackc/pglogrepl"
)

// The messages of the output plugin pgoutput, protocol version 1, in binary mode. They
// are read in place: nothing is copied, nothing allocated for a row.

var errMessage = errors.New("malformed message of logical replication")

// tuple is a row in a message: a value for each column of the relation. A nil value is
// NULL; unchanged marks a value that an update has left as it was, and that is not there.
type tuple struct {
	values    [][]byte
	unchanged []bool
}

// msg reads a message; after an error everything is zero.
type msg struct {
	data []byte
	bad  bool
}

func (m *msg) take(n int) []byte {
	if m.bad || n < 0 || n > len(m.data) {
		m.bad = true
		return nil
	}
	out := m.data[:n:n]
	m.data = m.data[n:]
	return out
}

func (m *msg) u8() byte {
	if p := m.take(1); p != nil {
		return p[0]
	}
	return 0
}

func (m *msg) u16() int {
	if p := m.take(2); p != nil {
		return int(binary.BigEndian.Uint16(p))
	}
	return 0
}

func (m *msg) u32() uint32 {
	if p := m.take(4); p != nil {
		return binary.BigEndian.Uint32(p)
	}
	return 0
}

func (m *msg) lsn() pglogrepl.LSN {
	if p := m.take(8); p != nil {
		return pglogrepl.LSN(binary.BigEndian.Uint64(p))
	}
	return 0
}

func (m *msg) text() string {
	i := bytes.IndexByte(m.data, 0)
	if i < 0 {
		m.bad = true
		return ""
	}
	p := m.take(i + 1)
	return string(p[:i])
}

// tuple reads a row into t.
func (m *msg) tuple(t *tuple) {
	n := m.u16()
	t.values, t.unchanged = t.values[:0], t.unchanged[:0]
	for ; n > 0 && !m.bad; n-- {
		var value []byte
		kind := m.u8()
		switch kind {
		case pglogrepl.TupleDataTypeNull, pglogrepl.TupleDataTypeToast:
		case pglogrepl.TupleDataTypeBinary:
			if value = m.take(int(m.u32())); value == nil {
				value = []byte{}
			}
		default: // text: of a type without a binary form, which is no column of ours
			m.take(int(m.u32()))
		}
		t.values, t.unchanged = append(t.values, value), append(t.unchanged, kind == pglogrepl.TupleDataTypeToast)
	}
}

// commitEnd reads where a transaction ends, of the message Commit behind its first byte.
func commitEnd(data []byte) (pglogrepl.LSN, error) {
	m := msg{data: data}
	m.u8()
	m.lsn()
	end := m.lsn()
	if m.bad {
		return 0, errMessage
	}
	return end, nil
}

// relation is what the stream says of a table before its first change.
type relation struct {
	oid     uint32
	name    name
	columns []relationColumn
}

type relationColumn struct {
	name string
	oid  uint32 // of its type
	mod  int32  // type modifier
}

func parseRelation(data []byte) (relation, error) {
	m := msg{data: data}
	r := relation{oid: m.u32()}
	r.name.schema, r.name.table = m.text(), m.text()
	m.u8() // replica identity
	for n := m.u16(); n > 0 && !m.bad; n-- {
		m.u8() // flags
		c := relationColumn{name: m.text(), oid: m.u32(), mod: int32(m.u32())}
		r.columns = append(r.columns, c)
	}
	if m.bad {
		return r, errMessage
	}
	return r, nil
}

// change is one row's change: what was there, what is there now.
type change struct {
	old, new       tuple
	hasOld, hasNew bool
	whole          bool // old has all columns, not the key alone
}

// parse reads an insert, update or delete behind the message's first byte.
func (c *change) parse(data []byte) (oid uint32, err error) {
	m := msg{data: data}
	oid = m.u32()
	c.hasOld, c.hasNew, c.whole = false, false, false
	for len(m.data) > 0 && !m.bad {
		switch m.u8() {
		case 'K':
			c.hasOld = true
			m.tuple(&c.old)
		case 'O':
			c.hasOld, c.whole = true, true
			m.tuple(&c.old)
		case 'N':
			c.hasNew = true
			m.tuple(&c.new)
		default:
			m.bad = true
		}
	}
	if m.bad {
		return oid, errMessage
	}
	return oid, nil
}
