package json

import (
	"encoding/base64"
	"unicode/utf8"

	"github.com/sqlstream/sqlstream/exec/format/scan"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Decoders read the value at p into row of the field's column. They return the
// position behind it, notFit if the value is not of the type (they need not have
// looked whether it is JSON), or −1 if it is not JSON.

// text decodes a STRING: of anything but a string, the JSON text itself (as Spark).
func (s *scanner) text(f *field, row, p int) int {
	if scan.At(s.base, p) != '"' {
		if s.isNull(p) {
			return notFit
		}
		end := s.skip(p)
		if end > 0 {
			f.col.Str[row] = vec.StrRef{Off: uint32(p), Len: uint32(end - p)}
		}
		return end
	}
	p++
	end := s.stringEnd(p)
	if end < 0 {
		return end
	}
	n := end - p
	if s.escaped {
		n = s.unescapeInPlace(p, end)
	}
	f.col.Str[row] = vec.StrRef{Off: uint32(p), Len: uint32(n)}
	return end + 1
}

// quoted returns the content of the string at p and the position behind it; notFit if
// it is not a string. The bytes are valid until the next call.
func (s *scanner) quoted(p int) ([]byte, int) {
	if scan.At(s.base, p) != '"' {
		return nil, notFit
	}
	p++
	end := s.stringEnd(p)
	if end < 0 {
		return nil, end
	}
	if s.escaped {
		return s.unescaped(p, end), end + 1
	}
	return s.buf[p:end], end + 1
}

func (s *scanner) integer(f *field, row, p int) int {
	v, end, ok := scan.Int(s.base, p)
	if !ok || v < f.min || v > f.max {
		return notFit
	}
	switch scan.At(s.base, end) {
	case '.', 'e', 'E':
		return notFit
	}
	if s.leadingZero(p, end) {
		return notFit
	}
	f.col.I64[row] = v
	return end
}

// leadingZero reports a number such as 01, which JSON does not have.
func (s *scanner) leadingZero(p, end int) bool {
	if scan.At(s.base, p) == '-' {
		p++
	}
	return end-p > 1 && scan.At(s.base, p) == '0'
}

func (s *scanner) timestamp(f *field, row, p int) int {
	b, end := s.quoted(p)
	if end <= 0 {
		return end
	}
	v, ok := s.times.Timestamp(b)
	if !ok {
		return notFit
	}
	f.col.I64[row] = v
	return end
}

func decodeLocal(s *scanner, f *field, row, p int) int {
	b, end := s.quoted(p)
	if end <= 0 {
		return end
	}
	v, ok := s.times.Local(b)
	if !ok {
		return notFit
	}
	f.col.I64[row] = v
	return end
}

func decodeDate(s *scanner, f *field, row, p int) int {
	b, end := s.quoted(p)
	if end <= 0 {
		return end
	}
	v, ok := s.times.Date(b)
	if !ok {
		return notFit
	}
	f.col.I64[row] = v
	return end
}

// decodeParsed reads a TIME or UUID.
func decodeParsed(s *scanner, f *field, row, p int) int {
	b, end := s.quoted(p)
	if end > 0 && f.col.SetParsed(row, b) != nil {
		return notFit
	}
	return end
}

// decodeDocument takes any value as it is, text in quotes too.
func decodeDocument(s *scanner, f *field, row, p int) int {
	if s.isNull(p) {
		return notFit
	}
	end := s.skip(p)
	if end > 0 {
		if err := f.col.SetParsed(row, s.buf[p:end]); err != nil {
			return s.fail(p, err.Error())
		}
	}
	return end
}

func decodeBool(s *scanner, f *field, row, p int) int {
	w := scan.Load(s.base, p)
	switch {
	case uint32(w) == trueWord:
		f.col.Bool[row] = 1
		return p + 4
	case uint32(w) == falseWord && byte(w>>32) == 'e':
		f.col.Bool[row] = 0
		return p + 5
	}
	return notFit
}

func decodeFloat(s *scanner, f *field, row, p int) int {
	if scan.At(s.base, p) == '"' {
		return decodeNamedFloat(s, f, row, p)
	}
	n, end, ok := scan.Decimal(s.base, p)
	if !ok || n.Zeros {
		return notFit
	}
	v, ok := n.Float(s.base, p, end, f.bits)
	if !ok {
		return notFit
	}
	f.col.F64[row] = v
	return end
}

// decodeNamedFloat reads "NaN" and the infinities, which JSON has no numbers for. No
// other text is taken for a number.
func decodeNamedFloat(s *scanner, f *field, row, p int) int {
	b, end := s.quoted(p)
	if end <= 0 {
		return end
	}
	v, ok := scan.NamedFloat(b)
	if !ok {
		return notFit
	}
	f.col.F64[row] = v
	return end
}

// decodeDecimal reads a number or, like Spark, a number in quotes: that is how JSON
// carries decimals safely through readers that take every number for a double.
func decodeDecimal(s *scanner, f *field, row, p int) int {
	from := p
	if scan.At(s.base, p) == '"' {
		from++
	}
	n, end, ok := scan.Decimal(s.base, from)
	if !ok || n.Zeros {
		return notFit
	}
	after := end
	if from > p {
		if after++; scan.At(s.base, end) != '"' {
			return notFit
		}
	}
	if f.typ.Prec <= 18 {
		v, ok, fast := n.Unscaled(int(f.typ.Prec), int(f.typ.Scale))
		if fast {
			if !ok {
				return notFit
			}
			f.col.I64[row] = v
			return after
		}
	}
	v, ok := scan.Unscaled128(s.buf[from:end], int(f.typ.Prec), int(f.typ.Scale))
	switch {
	case !ok:
		return notFit
	case f.typ.Prec <= 18:
		f.col.I64[row] = int64(v.Lo)
	default:
		f.col.I128[row] = v
	}
	return after
}

// decodeBytes reads base64, as Spark writes BYTES.
func decodeBytes(s *scanner, f *field, row, p int) int {
	if scan.At(s.base, p) != '"' {
		return notFit
	}
	end := s.stringEnd(p + 1)
	if end < 0 {
		return end
	}
	if s.escaped {
		return notFit
	}
	text := s.buf[p+1 : end]
	s.Edits.Remember(s.buf, p+1, end)
	n, err := base64.StdEncoding.Decode(text, text)
	if err != nil {
		copy(text, s.Edits.Last())
		return notFit
	}
	f.col.Str[row] = vec.StrRef{Off: uint32(p + 1), Len: uint32(n)}
	return end + 1
}

// stringEnd finds the quote that ends the string whose content begins at p, and checks
// the content; it sets s.escaped.
func (s *scanner) stringEnd(p int) int {
	s.escaped = false
	for q := p; ; q += 8 {
		if m := scan.Special(scan.Load(s.base, q)); m != 0 {
			q += scan.First(m)
			if scan.At(s.base, q) == '"' {
				return q
			}
			return s.oddString(p, q)
		}
	}
}

// oddString goes on at q in a string with escapes or text beyond ASCII.
func (s *scanner) oddString(p, q int) int {
	for {
		m := scan.SpecialText(scan.Load(s.base, q))
		if m == 0 {
			q += 8
			continue
		}
		q += scan.First(m)
		switch scan.At(s.base, q) {
		case '"':
			if !utf8.Valid(s.buf[p:q]) {
				return s.fail(p, "text that is not UTF-8")
			}
			return q
		case '\\':
			n := escapeLen(s.base, q)
			if n == 0 {
				return s.fail(q, "bad escape in a string")
			}
			s.escaped = true
			q += n
		default:
			return s.fail(q, "string without an end, or with a control character")
		}
	}
}
