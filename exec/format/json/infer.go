package json

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/guess"
	"github.com/sqlstream/sqlstream/exec/format/lines"
	"github.com/sqlstream/sqlstream/exec/format/scan"
	"github.com/sqlstream/sqlstream/exec/types"
)

// infer guesses the columns from the first rows of a file. Rows that are not JSON are
// passed over: the reading itself will report them.
func infer(ctx context.Context, f format.File, c format.Config) ([]types.Column, error) {
	src, err := lines.Open(f, format.Section{End: f.Size}, nil)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	s := &sampler{row: types.StructOf()}
	s.multi = c.Options.Bool("multi_line")
	for s.rows < guess.Rows {
		block, err := s.next(src)
		if errors.Is(err, io.EOF) || err == nil && block == nil {
			break
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		s.block(block)
		if s.multi {
			break
		}
	}
	cols := guess.Columns(s.row)
	if len(cols) == 0 && s.bad > 0 {
		return nil, fmt.Errorf("%s: the columns cannot be inferred: none of the first %d rows is a JSON object; declare the columns, and reading says what is wrong with each row",
			f.Name, s.bad)
	}
	return cols, nil
}

// sampler looks at rows to guess types.
type sampler struct {
	scanner
	row  types.Type
	rows int
	bad  int // rows that are no objects
}

func (s *sampler) next(src *lines.Reader) ([]byte, error) {
	if s.multi {
		return src.Whole()
	}
	return src.Next(0)
}

func (s *sampler) block(block []byte) {
	s.setBlock(block)
	for p := 0; p < len(block) && s.rows < guess.Rows; s.rows++ {
		p = s.blanks(p)
		c := scan.At(s.base, p)
		if c != '{' && (s.multi || c == '\n') {
			p++ // newlines, and what stands around objects in an array
			continue
		}
		t, q := types.Type{}, -1
		if c == '{' {
			t, q = s.value(p)
		}
		if q >= 0 {
			s.row = guess.Unite(s.row, t)
			p = q
			continue
		}
		if s.bad++; s.multi {
			return
		}
		p = lineEnd(block, p)
	}
}

// lineEnd is the position of the newline behind p; a block of lines ends with one.
func lineEnd(block []byte, p int) int {
	if i := bytes.IndexByte(block[p:], '\n'); i >= 0 {
		return p + i
	}
	return len(block)
}

// value guesses the type of the value at p and returns the position behind it.
func (s *sampler) value(p int) (types.Type, int) {
	switch c := scan.At(s.base, p); c {
	case '"':
		end := s.stringEnd(p + 1)
		if end < 0 {
			return types.Type{}, end
		}
		return guess.Quoted(string(s.buf[p+1 : end])), end + 1
	case '{':
		row := types.StructOf()
		end := s.eachMember(p, func(start, end, value int) int {
			name := string(s.unescaped(start, end))
			t, q := s.value(value)
			if q > 0 {
				row = guess.Unite(row, types.StructOf(types.Field{Name: name, Type: t}))
			}
			return q
		})
		return row, end
	case '[':
		var elem types.Type
		end := s.eachElement(p, func(p int) int {
			t, q := s.value(p)
			elem = guess.Unite(elem, t)
			return q
		})
		return types.ArrayOf(elem), end
	case 't', 'f':
		return types.Of(types.Bool), s.skip(p)
	case 'n':
		return types.Type{}, s.skip(p)
	}
	end := s.skip(p)
	if end < 0 {
		return types.Type{}, end
	}
	t, ok := guess.Number(string(s.buf[p:end]))
	if !ok {
		t = types.Of(types.String)
	}
	return t, end
}
