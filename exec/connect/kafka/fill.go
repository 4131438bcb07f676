package kafka

import (
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// fill makes a column of parts of records.
func (s *storage) fill(g *gather, c column, from []int32, n int) *vec.Vector {
	switch c.field {
	case recordKey:
		return s.strings(&g.rawKeys, c.typ, from, n)
	case recordValue:
		return s.strings(&g.rawValues, c.typ, from, n)
	case recordTopic:
		return vec.NewConst(c.typ, g.part.in.topic, n)
	case recordPartition:
		return vec.NewConst(c.typ, int64(g.part.in.partition), n)
	case recordOffset:
		return s.numbers(g.offsets, c.typ, from, n)
	case recordTime:
		return s.numbers(g.times, c.typ, from, n)
	case recordEpoch:
		return s.numbers(g.epochs, c.typ, from, n)
	case recordTimeType:
		return s.timeTypes(g.kinds, c.typ, from, n)
	}
	return headers(g.headers, c.typ, from, n)
}

func (s *storage) numbers(all []int64, t types.Type, from []int32, n int) *vec.Vector {
	s.v = vec.Vector{Type: t, N: n, I64: all[:min(n, len(all))]}
	if from != nil {
		s.ints = s.ints[:0]
		for _, i := range from {
			s.ints = append(s.ints, all[i])
		}
		s.v.I64 = s.ints
	}
	return &s.v
}

func (s *storage) strings(p *pile, t types.Type, from []int32, n int) *vec.Vector {
	s.strs = s.strs[:0]
	for row := range n {
		s.strs = append(s.strs, p.ref(recordOf(from, row)))
	}
	s.v = vec.Vector{Type: t, N: n, Str: s.strs, Buf: p.buf}
	if p.nulls > 0 {
		if s.valid == nil {
			s.valid = make([]uint64, vec.Words(vec.BatchSize))
		}
		s.v.Valid = s.valid[:vec.Words(n)]
		clear(s.v.Valid)
		for row := range n {
			if !p.null[recordOf(from, row)] {
				vec.BitSet(s.v.Valid, row)
			}
		}
	}
	return &s.v
}

// timeTypes are numbers as in Spark, or words as in Flink.
func (s *storage) timeTypes(kinds []int64, t types.Type, from []int32, n int) *vec.Vector {
	if t.Kind != types.String {
		return s.numbers(kinds, t, from, n)
	}
	b := vec.NewBuilder(t)
	for row := range n {
		switch kinds[recordOf(from, row)] {
		case 0:
			b.AppendString("CreateTime")
		case 1:
			b.AppendString("LogAppendTime")
		default:
			b.AppendString("NoTimestampType")
		}
	}
	return b.Take()
}

// headers are a list of pairs, or a map in which the last one of a name counts.
func headers(all [][]byte, t types.Type, from []int32, n int) *vec.Vector {
	b := vec.NewBuilder(t)
	for row := range n {
		list := all[recordOf(from, row)]
		if t.Kind == types.Map {
			appendMap(b, list)
			continue
		}
		eachHeader(list, func(key, value []byte) {
			b.Child(0).Child(0).AppendBytes(key)
			appendOrNull(b.Child(0).Child(1), value)
			b.Child(0).EndStruct()
		})
		b.EndList()
	}
	return b.Take()
}

func appendMap(b *vec.Builder, list []byte) {
	var keys, values [][]byte
	eachHeader(list, func(key, value []byte) {
		for i, k := range keys {
			if string(k) == string(key) {
				values[i] = value
				return
			}
		}
		keys, values = append(keys, key), append(values, value)
	})
	for i, k := range keys {
		b.Child(0).AppendBytes(k)
		appendOrNull(b.Child(1), values[i])
	}
	b.EndList()
}

func appendOrNull(b *vec.Builder, x []byte) {
	if x == nil {
		b.AppendNull()
		return
	}
	b.AppendBytes(x)
}
