package csv

import (
	"bytes"
	"unsafe"

	"github.com/sqlstream/sqlstream/exec/format/scan"
)

// span is the content of a field: buf[from:to]. next is the byte that ends the field,
// a delimiter or the newline (before which a carriage return belongs to neither).
type span struct {
	from, to, next int
	quoted         bool
}

// state is how the reading of a field ended.
type state uint8

const (
	fine       state = iota
	unfinished       // a quote is not closed before the end of the block
	garbled          // text after the closing quote
	several          // more records in a message
)

// splitter finds the fields of records in a block. It addresses the block without
// bounds checks: the block ends with a newline and has scan.Pad readable bytes behind.
type splitter struct {
	dialect
	buf  []byte
	base unsafe.Pointer
}

func (s *splitter) setBlock(block []byte) {
	s.buf, s.base = block, unsafe.Pointer(unsafe.SliceData(block))
}

// fieldAt finds the field at p.
func (s *splitter) fieldAt(p int) (span, state) {
	if s.trimLeft {
		for c := scan.At(s.base, p); (c == ' ' || c == '\t') && c != s.delimiter; c = scan.At(s.base, p) {
			p++
		}
	}
	if s.quote != 0 && scan.At(s.base, p) == s.quote {
		return s.quotedField(p + 1)
	}
	q := p
	for {
		if m := scan.Either(scan.Load(s.base, q), s.delimiter, '\n'); m != 0 {
			q += scan.First(m)
			break
		}
		q += 8
	}
	f := span{from: p, to: q, next: q}
	if f.to > p && scan.At(s.base, q) == '\n' && scan.At(s.base, q-1) == '\r' {
		f.to--
	}
	if s.trimRight {
		for f.to > p && (scan.At(s.base, f.to-1) == ' ' || scan.At(s.base, f.to-1) == '\t') {
			f.to--
		}
	}
	return f, fine
}

// quotedField finds the field whose content begins at p, behind a quote. Quotes that
// belong to the content are still escaped in it: see unescape.
func (s *splitter) quotedField(p int) (span, state) {
	f := span{from: p, quoted: true}
	for q := p; ; q++ {
		i := bytes.IndexByte(s.buf[q:], s.quote)
		if i < 0 {
			return f, unfinished
		}
		if !s.multi {
			if bytes.IndexByte(s.buf[q:q+i], '\n') >= 0 {
				return f, unfinished
			}
		}
		q += i
		if s.escape != s.quote && s.escaped(p, q) {
			continue
		}
		if scan.At(s.base, q+1) == s.quote && q+1 < len(s.buf) {
			q++ // doubled, which every dialect takes
			continue
		}
		f.to = q
		return s.afterQuote(f)
	}
}

// escaped reports whether the quote at q has an escape before it, which is not itself
// escaped.
func (s *splitter) escaped(p, q int) bool {
	n := 0
	for q-n > p && scan.At(s.base, q-n-1) == s.escape {
		n++
	}
	return n%2 == 1
}

// afterQuote finds the end of the field whose closing quote is at f.to.
func (s *splitter) afterQuote(f span) (span, state) {
	q := f.to + 1
	for c := scan.At(s.base, q); s.trimRight && (c == ' ' || c == '\t') && c != s.delimiter; c = scan.At(s.base, q) {
		q++
	}
	if scan.At(s.base, q) == '\r' && scan.At(s.base, q+1) == '\n' {
		q++
	}
	f.next = q
	if c := scan.At(s.base, q); c != s.delimiter && c != '\n' {
		return f, garbled
	}
	return f, fine
}

// hasEscape reports whether unescape would change the content.
func (s *splitter) hasEscape(f span) bool {
	b := s.buf[f.from:f.to]
	return bytes.IndexByte(b, s.quote) >= 0 || s.escape != s.quote && bytes.IndexByte(b, s.escape) >= 0
}

// unescape writes the text of a quoted field over its content, and returns its end. An
// escape stands before a quote or an escape; before anything else it is itself.
func (s *splitter) unescape(f span) int {
	b, n := s.buf[f.from:f.to], 0
	for i := 0; i < len(b); i++ {
		c := b[i]
		if i+1 < len(b) {
			next := b[i+1]
			if c == s.escape && (next == s.quote || next == s.escape) || c == s.quote && next == s.quote {
				i++
				c = next
			}
		}
		b[n] = c
		n++
	}
	return f.from + n
}
