package kafka

import (
	"encoding/binary"
	"fmt"
)

// outMessage is one on its way to a topic.
type outMessage struct {
	topic     string
	partition int32  // anyPartition: the partitioner decides
	key       []byte // nil = none
	value     []byte // nil = a tombstone
	headers   []header
}

type header struct {
	key   string
	value []byte // nil = null
}

const anyPartition = int32(-1)

// payloadVersion is the first byte of a payload. What follows is told in
// docs/formats/kafka.md.
const payloadVersion = 1

// What a record has, in its first byte.
const (
	hasKey = 1 << iota
	hasValue
	hasPartition
	hasHeaders
)

// payload gathers the records of a batch. A topic stands in it once; later records refer
// to it by number.
type payload struct {
	buf    []byte
	topics map[string]int
	rows   int64
}

func newPayload() *payload {
	return &payload{buf: []byte{payloadVersion}, topics: map[string]int{}}
}

func (p *payload) add(r *outMessage) {
	p.rows++
	flags := byte(0)
	if r.key != nil {
		flags |= hasKey
	}
	if r.value != nil {
		flags |= hasValue
	}
	if r.partition != anyPartition {
		flags |= hasPartition
	}
	if len(r.headers) > 0 {
		flags |= hasHeaders
	}
	p.buf = append(p.buf, flags)
	p.topic(r.topic)
	if flags&hasPartition != 0 {
		p.buf = binary.AppendUvarint(p.buf, uint64(r.partition))
	}
	if flags&hasKey != 0 {
		p.buf = appendBytes(p.buf, r.key)
	}
	if flags&hasValue != 0 {
		p.buf = appendBytes(p.buf, r.value)
	}
	if flags&hasHeaders != 0 {
		p.headers(r.headers)
	}
}

func (p *payload) topic(name string) {
	i, known := p.topics[name]
	if !known {
		i = len(p.topics)
		p.topics[name] = i
	}
	p.buf = binary.AppendUvarint(p.buf, uint64(i))
	if !known {
		p.buf = appendBytes(p.buf, []byte(name))
	}
}

func (p *payload) headers(list []header) {
	p.buf = binary.AppendUvarint(p.buf, uint64(len(list)))
	for _, h := range list {
		p.buf = appendBytes(p.buf, []byte(h.key))
		if h.value == nil {
			p.buf = append(p.buf, 0)
			continue
		}
		p.buf = appendBytes(append(p.buf, 1), h.value)
	}
}

func appendBytes(dst, b []byte) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(b))), b...)
}

// records reads a payload from its first record to its last.
type records struct {
	rest   []byte
	topics []string
	broken bool
}

func readPayload(b []byte) (*records, error) {
	if len(b) == 0 || b[0] != payloadVersion {
		return nil, fmt.Errorf("the payload is not of version %d, the one that this program reads", payloadVersion)
	}
	return &records{rest: b[1:]}, nil
}

// next reads a record, whose bytes are those of the payload. At the end ok is false.
func (r *records) next() (rec outMessage, ok bool, err error) {
	if len(r.rest) == 0 {
		return rec, false, nil
	}
	flags := r.rest[0]
	r.rest = r.rest[1:]
	rec.topic = r.topic()
	rec.partition = anyPartition
	if flags&hasPartition != 0 {
		rec.partition = int32(r.number())
	}
	if flags&hasKey != 0 {
		rec.key = r.bytes()
	}
	if flags&hasValue != 0 {
		rec.value = r.bytes()
	}
	if flags&hasHeaders != 0 {
		rec.headers = r.headers()
	}
	if r.broken || flags > hasKey|hasValue|hasPartition|hasHeaders {
		return rec, false, fmt.Errorf("the payload is damaged, %d bytes before its end", len(r.rest))
	}
	return rec, true, nil
}

func (r *records) topic() string {
	i := r.number()
	if i < uint64(len(r.topics)) {
		return r.topics[i]
	}
	if i > uint64(len(r.topics)) {
		r.broken = true
		return ""
	}
	name := string(r.bytes())
	r.topics = append(r.topics, name)
	return name
}

func (r *records) headers() []header {
	n := r.number()
	if n > uint64(len(r.rest)) {
		r.broken = true
		return nil
	}
	list := make([]header, n)
	for i := range list {
		list[i].key = string(r.bytes())
		if r.number() != 0 {
			list[i].value = r.bytes()
		}
	}
	return list
}

func (r *records) number() uint64 {
	n, used := binary.Uvarint(r.rest)
	if used <= 0 {
		r.broken, r.rest = true, nil
		return 0
	}
	r.rest = r.rest[used:]
	return n
}

// bytes is never nil: an empty value is no tombstone.
func (r *records) bytes() []byte {
	n := r.number()
	if n > uint64(len(r.rest)) {
		r.broken, r.rest = true, nil
		return []byte{}
	}
	b := r.rest[:n:n]
	r.rest = r.rest[n:]
	return b
}
