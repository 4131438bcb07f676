package kafka

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/sqlstream/sqlstream/exec/mutant"
)

// block is the records of a stretch of a partition, checked and decompressed. It is never
// changed once it is made: several readers may have it.
type block struct {
	first, next int64 // it says everything about the offsets first … next−1
	segments    []segment
	bytes       int64
}

// segment is a batch of records as it was produced, without those that nobody should see:
// control records, and those of transactions that were aborted.
type segment struct {
	first, last int64 // offsets
	time        int64 // ms: of the first record
	appendTime  int64 // ms: of all records if the broker set it, else −1
	epoch       int32 // of the leader that took it
	timeType    int8  // −1 = there are no times
	n           int
	records     []byte
}

// The fields of a batch (magic 2) by their place.
const (
	batchLength     = 8
	batchEpoch      = 12
	batchMagic      = 16
	batchCRC        = 17
	batchAttributes = 21
	batchLastDelta  = 23
	batchFirstTime  = 27
	batchMaxTime    = 35
	batchProducer   = 43
	batchCount      = 57
	batchRecords    = 61
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

var errDamaged = errors.New("a batch of records is damaged")

// parser makes a block of what a broker answered.
type parser struct {
	committed    bool
	decompressor kgo.Decompressor
	starts       []kmsg.FetchResponseTopicPartitionAbortedTransaction // by first offset
	aborted      map[int64]bool                                       // producers in an aborted transaction
	out          block
}

// parse makes a block of the batches that a fetch from an offset gave.
func parse(resp *kmsg.FetchResponseTopicPartition, from int64, committed bool, d kgo.Decompressor) (*block, error) {
	p := parser{committed: committed, decompressor: d, out: block{first: from, next: from}}
	if committed && len(resp.AbortedTransactions) > 0 {
		p.aborted = map[int64]bool{}
		p.starts = slices.Clone(resp.AbortedTransactions)
		slices.SortFunc(p.starts, func(a, b kmsg.FetchResponseTopicPartitionAbortedTransaction) int {
			return int(min(max(a.FirstOffset-b.FirstOffset, -1), 1))
		})
	}
	in := resp.RecordBatches
	for len(in) > batchMagic {
		size := int64(int32(binary.BigEndian.Uint32(in[batchLength:]))) + batchEpoch
		if size < batchMagic || size > int64(len(in)) {
			break // cut off by the limit of the answer
		}
		if err := p.batch(in[:size], resp); err != nil {
			return nil, err
		}
		in = in[size:]
	}
	return &p.out, nil
}

func (p *parser) batch(b []byte, resp *kmsg.FetchResponseTopicPartition) error {
	if b[batchMagic] < 2 {
		return p.old(b, resp)
	}
	if b[batchMagic] > 2 || len(b) < batchRecords {
		return fmt.Errorf("%w: format %d", errDamaged, b[batchMagic])
	}
	if crc32.Checksum(b[batchAttributes:], castagnoli) != binary.BigEndian.Uint32(b[batchCRC:]) {
		return fmt.Errorf("%w: its checksum is wrong", errDamaged)
	}
	attributes := binary.BigEndian.Uint16(b[batchAttributes:])
	s := segment{
		first: int64(binary.BigEndian.Uint64(b)),
		time:  int64(binary.BigEndian.Uint64(b[batchFirstTime:])),
		epoch: int32(binary.BigEndian.Uint32(b[batchEpoch:])),
		n:     int(int32(binary.BigEndian.Uint32(b[batchCount:]))), appendTime: -1,
	}
	s.last = s.first + int64(int32(binary.BigEndian.Uint32(b[batchLastDelta:])))
	if attributes&8 != 0 {
		s.timeType, s.appendTime = 1, int64(binary.BigEndian.Uint64(b[batchMaxTime:]))
	}
	if s.n < 0 || s.last < s.first {
		return fmt.Errorf("%w: %d records up to offset %d", errDamaged, s.n, s.last)
	}
	return p.segment(s, b, attributes)
}

// segment keeps the records of a batch, unless nobody should see them.
func (p *parser) segment(s segment, b []byte, attributes uint16) error {
	if s.last < p.out.next {
		return nil
	}
	producer := int64(binary.BigEndian.Uint64(b[batchProducer:]))
	for len(p.starts) > 0 && p.starts[0].FirstOffset <= s.last {
		p.aborted[p.starts[0].ProducerID] = true
		p.starts = p.starts[1:]
	}
	p.out.next = s.last + 1
	transactional, control := attributes&16 != 0, attributes&32 != 0
	if control {
		if p.aborted[producer] && isAbort(b[batchRecords:]) {
			delete(p.aborted, producer)
		}
		return nil
	}
	if transactional && p.aborted[producer] && !mutant.On("kafka: aborted records are read") || s.n == 0 {
		return nil
	}
	s.records = b[batchRecords:]
	if codec := kgo.CompressionCodecType(attributes & 7); codec != kgo.CodecNone {
		var err error
		if s.records, err = p.decompressor.Decompress(s.records, codec); err != nil {
			return fmt.Errorf("%w: %w", errDamaged, err)
		}
	}
	p.keep(s)
	return nil
}

func (p *parser) keep(s segment) {
	p.out.segments = append(p.out.segments, s)
	p.out.bytes += int64(len(s.records))
}

// isAbort reads the control record that ends a transaction.
func isAbort(records []byte) bool {
	r, _, ok := readRecord(records)
	return ok && len(r.key) >= 4 && r.key[2] == 0 && r.key[3] == 0
}

// old takes messages from before Kafka 0.11, which the library knows how to read.
func (p *parser) old(b []byte, resp *kmsg.FetchResponseTopicPartition) error {
	one := *resp
	one.RecordBatches, one.AbortedTransactions = b, nil
	fetched, next := kgo.ProcessFetchPartition(kgo.ProcessFetchPartitionOpts{Offset: p.out.next, Partition: resp.Partition}, &one, p.decompressor, nil)
	if fetched.Err != nil {
		return fmt.Errorf("%w: %w", errDamaged, fetched.Err)
	}
	for _, r := range fetched.Records {
		ms := r.Timestamp.UnixMilli()
		s := segment{first: r.Offset, last: r.Offset, time: ms, appendTime: -1, epoch: -1, timeType: r.Attrs.TimestampType(), n: 1}
		if s.timeType != 0 {
			s.appendTime = ms
		}
		s.records = appendRecord(nil, r.Key, r.Value)
		p.keep(s)
	}
	p.out.next = max(p.out.next, next)
	return nil
}

// appendRecord appends a record without headers, as a batch has it.
func appendRecord(dst, key, value []byte) []byte {
	body := []byte{0, 0, 0} // attributes, time and offset after the first
	for _, b := range [][]byte{key, value} {
		if b == nil {
			body = binary.AppendVarint(body, -1)
			continue
		}
		body = append(binary.AppendVarint(body, int64(len(b))), b...)
	}
	body = append(body, 0)
	return append(binary.AppendVarint(dst, int64(len(body))), body...)
}

// record is one record; its bytes are those of the segment.
type record struct {
	time, offset int64  // after those of the segment's first
	key, value   []byte // nil = none
	headers      []byte // their number, then each
}

// readRecord reads the record at the beginning of b, and tells how long it is.
func readRecord(b []byte) (r record, size int, ok bool) {
	length, n := varint(b)
	if n <= 0 || length < 0 || length > int64(len(b)-n) {
		return r, 0, false
	}
	size = n + int(length)
	in := b[n:size]
	if len(in) < 1 {
		return r, 0, false
	}
	in = in[1:] // attributes: none are in use
	if r.time, n = varint(in); n <= 0 {
		return r, 0, false
	}
	in = in[n:]
	if r.offset, n = varint(in); n <= 0 {
		return r, 0, false
	}
	if r.key, in, ok = readBytes(in[n:]); !ok {
		return r, 0, false
	}
	r.value, r.headers, ok = readBytes(in)
	return r, size, ok
}

// readBytes reads a length and as many bytes; a length of −1 is nil.
func readBytes(in []byte) (b, rest []byte, ok bool) {
	length, n := varint(in)
	if n <= 0 || length > int64(len(in)-n) {
		return nil, nil, false
	}
	in = in[n:]
	if length < 0 {
		return nil, in, true
	}
	return in[:length:length], in[length:], true
}

// varint is binary.Varint, with the short numbers that most are inlined.
func varint(b []byte) (int64, int) {
	if len(b) > 1 && b[0] < 0x80 {
		return int64(b[0]>>1) ^ -int64(b[0]&1), 1
	}
	if len(b) > 2 && b[1] < 0x80 {
		u := uint64(b[0]&0x7f) | uint64(b[1])<<7
		return int64(u>>1) ^ -int64(u&1), 2
	}
	return binary.Varint(b)
}

// eachHeader calls do with every header of a record.
func eachHeader(headers []byte, do func(key, value []byte)) bool {
	count, n := varint(headers)
	if n <= 0 {
		return false
	}
	for in := headers[n:]; count > 0; count-- {
		var key, value []byte
		var ok bool
		if key, in, ok = readBytes(in); ok {
			value, in, ok = readBytes(in)
		}
		if !ok {
			return false
		}
		do(key, value)
	}
	return true
}
