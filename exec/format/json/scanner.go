package json

import (
	"unsafe"

	"github.com/sqlstream/sqlstream/exec/format/rows"
	"github.com/sqlstream/sqlstream/exec/format/scan"
)

// scanner decodes objects from one block into columns. It addresses the block by
// position without bounds checks: every block ends with a newline, which ends every
// token, and has scan.Pad readable bytes behind it.
//
// Methods that read a value at p return the position behind it, or −1 after setting
// s.broken: then the row is not JSON.
type scanner struct {
	rows.Set

	buf  []byte
	base unsafe.Pointer
	// multi says that a row may contain newlines.
	multi bool

	layout layout
	root   *key
	keys   map[string]*key
	stray  key // stands for a text that is not remembered
	times  *scan.Times

	got     []uint64 // fields of the row that have a value: bits as in layout.all
	escaped bool     // the last string had a backslash
	breaks  int      // newlines that unescaping has written, for counting lines

	wrong  mismatch
	broken problem
	depth  int
}

// mismatch is the first value of a row that does not fit its column.
type mismatch struct {
	field      *field
	start, end int
}

// problem is why a row is not JSON.
type problem struct {
	at   int
	what string
}

func (s *scanner) setBlock(block []byte) {
	s.buf = block
	s.base = unsafe.Pointer(unsafe.SliceData(block))
}

func (s *scanner) fail(p int, what string) int {
	s.broken = problem{p, what}
	return -1
}

// object decodes the object at p, which is the top level of a row, into row s.Row.
func (s *scanner) object(p int) int {
	clear(s.got)
	k := s.root
	for {
		next := k.next[0]
		if next != nil && next.at(s.base, p) {
			p += next.size
		} else if next, p = s.follow(k, p); next == nil {
			return p
		}
		if scan.At(s.base, p) <= ' ' { // more white space than was predicted
			p = s.blanks(p)
		}
		f := next.field
		if f == nil {
			p = s.skip(p)
		} else {
			p = s.member(f, p)
		}
		if p < 0 {
			return p
		}
		k = next
	}
}

// member decodes a top-level value into its column.
func (s *scanner) member(f *field, p int) int {
	var q int
	switch f.op {
	case opString:
		q = s.text(f, s.Row, p)
	case opInt:
		q = s.integer(f, s.Row, p)
	case opTimestamp:
		q = s.timestamp(f, s.Row, p)
	default:
		q = f.decode(s, f, s.Row, p)
	}
	if q > 0 {
		s.got[f.word] |= f.bit
		return q
	}
	if q == notFit {
		return s.unfit(f, p)
	}
	return q
}

// notFit is what a decoder returns when the value is not of the column's type.
const notFit = 0

// unfit deals with a value that is NULL or does not fit: the column is NULL, and the
// first misfit of the row is remembered.
func (s *scanner) unfit(f *field, p int) int {
	s.got[f.word] &^= f.bit
	q := s.skip(p)
	if q > 0 && s.wrong.field == nil && !s.isNull(p) {
		s.wrong = mismatch{f, p, q}
	}
	return q
}

func (s *scanner) isNull(p int) bool { return uint32(scan.Load(s.base, p)) == nullWord }

const (
	nullWord  = 'n' | 'u'<<8 | 'l'<<16 | 'l'<<24
	trueWord  = 't' | 'r'<<8 | 'u'<<16 | 'e'<<24
	falseWord = 'f' | 'a'<<8 | 'l'<<16 | 's'<<24
)

// follow finds what comes after the value of key k when the first prediction missed:
// the end of the object (nil, and the position behind it), another known key, or a
// new one.
func (s *scanner) follow(k *key, p int) (*key, int) {
	if k != s.root && scan.At(s.base, p) == '}' {
		return nil, p + 1
	}
	for i := 1; i < ways && k.next[i] != nil; i++ {
		if n := k.next[i]; n.at(s.base, p) {
			n.follows(k)
			return n, p + n.size
		}
	}
	return s.learn(k, p)
}

// learn reads the text between two values the general way.
func (s *scanner) learn(prev *key, from int) (*key, int) {
	p, first := s.blanks(from), prev == s.root
	c := scan.At(s.base, p)
	switch {
	case first && c != '{':
		return nil, s.fail(p, "expected an object")
	case !first && c == '}':
		return nil, p + 1
	case !first && c != ',':
		return nil, s.fail(p, "expected , or } after a value")
	}
	p = s.blanks(p + 1)
	if first && scan.At(s.base, p) == '}' {
		return nil, p + 1
	}
	start, end, p := s.keyText(p)
	if p < 0 {
		return nil, p
	}
	if k := s.keys[string(s.buf[from:p])]; k != nil {
		k.follows(prev)
		return k, p
	}
	f := s.layout.find(s.unescaped(start, end))
	if len(s.keys) == maxKeys {
		s.stray = key{field: f}
		return &s.stray, p
	}
	k := newKey(s.buf[from:p], f)
	s.keys[string(k.gap)] = k
	k.follows(prev)
	return k, p
}

// keyText reads `"key" :` at p and returns the bounds of the key, and where the value
// begins.
func (s *scanner) keyText(p int) (start, end, value int) {
	if scan.At(s.base, p) != '"' {
		return 0, 0, s.fail(p, "expected a key in double quotes")
	}
	start = p + 1
	if end = s.stringEnd(start); end < 0 {
		return 0, 0, end
	}
	p = s.blanks(end + 1)
	if scan.At(s.base, p) != ':' {
		return 0, 0, s.fail(p, "expected : after a key")
	}
	return start, end, s.blanks(p + 1)
}

// blanks skips white space; a newline only inside multi-line values.
func (s *scanner) blanks(p int) int {
	for {
		switch scan.At(s.base, p) {
		case ' ', '\t', '\r':
		case '\n':
			if !s.multi || p >= len(s.buf)-1 {
				return p
			}
		default:
			return p
		}
		p++
	}
}
