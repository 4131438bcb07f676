package json

import (
	"bytes"

	"github.com/sqlstream/sqlstream/exec/format/scan"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// decodeInto runs a field's decoder, whichever way it is found.
func (s *scanner) decodeInto(f *field, row, p int) int {
	switch f.op {
	case opString:
		return s.text(f, row, p)
	case opInt:
		return s.integer(f, row, p)
	case opTimestamp:
		return s.timestamp(f, row, p)
	}
	return f.decode(s, f, row, p)
}

// inner decodes a value below the top level. One that does not fit is NULL in itself:
// the values around it are kept (Spark's partial results), and the row is marked.
func (s *scanner) inner(f *field, row, p int) int {
	f.col.SetValid(row)
	q := s.decodeInto(f, row, p)
	if q != notFit {
		return q
	}
	f.col.SetNull(row)
	if q = s.skip(p); q > 0 && s.wrong.field == nil && !s.isNull(p) {
		s.wrong = mismatch{f, p, q}
	}
	return q
}

func decodeStruct(s *scanner, f *field, row, p int) int {
	if scan.At(s.base, p) != '{' {
		return notFit
	}
	for _, k := range f.kids {
		k.col.SetNull(row)
	}
	return s.eachMember(p, func(start, end, value int) int {
		k := f.names.find(s.unescaped(start, end))
		if k == nil {
			return s.skip(value)
		}
		if k.exact != nil {
			if !k.exact.col.IsNull(row) {
				return s.skip(value)
			}
			k = k.exact
		}
		return s.inner(k, row, value)
	})
}

func decodeArray(s *scanner, f *field, row, p int) int {
	if scan.At(s.base, p) != '[' {
		return notFit
	}
	n, elem := int(f.col.Off[row]), f.kids[0]
	end := s.eachElement(p, func(p int) int {
		elem.col.Reserve(n + 1)
		n++
		return s.inner(elem, n-1, p)
	})
	f.col.Off[row+1] = uint32(n)
	return end
}

// decodeMap reads an object as a map: of equal keys the last value counts, if it is a scalar.
func decodeMap(s *scanner, f *field, row, p int) int {
	if scan.At(s.base, p) != '{' {
		return notFit
	}
	first, key, val := int(f.col.Off[row]), f.kids[0].col, f.kids[1]
	n := first
	end := s.eachMember(p, func(start, end, value int) int {
		size := end - start
		if s.escaped {
			size = s.unescapeInPlace(start, end)
		}
		at := s.mapKey(key.Str[first:n], s.buf[start:start+size])
		if at += first; at == n {
			key.Reserve(n + 1)
			val.col.Reserve(n + 1)
			key.SetValid(n)
			key.Str[n] = vec.StrRef{Off: uint32(start), Len: uint32(size)}
			n++
		} else if val.typ.IsNested() {
			// The elements of the first value lie before those of others: they cannot give way.
			return s.fail(start, "a key twice in a map of nested values")
		}
		return s.inner(val, at, value)
	})
	f.col.Off[row+1] = uint32(n)
	return end
}

// mapKey finds a key among those of a row; their number if it is new. Maps in JSON are
// small; a large one pays for the search.
func (s *scanner) mapKey(keys []vec.StrRef, key []byte) int {
	for i, k := range keys {
		if bytes.Equal(s.buf[k.Off:k.Off+k.Len], key) {
			return i
		}
	}
	return len(keys)
}
