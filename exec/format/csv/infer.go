package csv

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/guess"
	"github.com/sqlstream/sqlstream/exec/format/lines"
	"github.com/sqlstream/sqlstream/exec/types"
)

// infer guesses the columns from the first rows of a file. Without a header they are
// called _c0, _c1, … as in Spark.
func infer(ctx context.Context, f format.File, c format.Config) ([]types.Column, error) {
	c.Columns = nil
	r, err := configure(c)
	if err != nil {
		return nil, err
	}
	var cols []types.Column
	if r.header {
		names, err := r.names(f)
		if err != nil {
			return nil, err
		}
		for _, n := range names {
			cols = append(cols, types.Column{Name: n})
		}
	}
	src, err := lines.Open(f, format.Section{End: f.Size}, nil)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	s := &sampler{header: r.header, cols: cols, null: string(r.dialect.null)}
	s.dialect = r.dialect
	for s.rows < guess.Rows {
		block, err := src.Next(0)
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		s.block(block)
	}
	return guess.Columns(guess.AsStruct(s.cols)), nil
}

// sampler looks at records to guess types. What it cannot read it passes over: the
// reading itself will say what is wrong.
type sampler struct {
	splitter
	header bool
	cols   []types.Column
	null   string
	rows   int
}

func (s *sampler) block(block []byte) {
	s.setBlock(block)
	for p := s.skipComments(0, false); p < len(block) && s.rows < guess.Rows; p = s.skipComments(p, false) {
		for n := 0; ; n++ {
			f, state := s.fieldAt(p)
			if state != fine {
				return
			}
			if !s.header {
				s.see(n, f)
			}
			p = f.next + 1
			if block[f.next] == '\n' {
				break
			}
		}
		s.header = false
		s.rows++
	}
}

func (s *sampler) see(n int, f span) {
	for n >= len(s.cols) {
		s.cols = append(s.cols, types.Column{Name: fmt.Sprint("_c", len(s.cols))})
	}
	text := string(s.buf[f.from:f.to])
	t := guess.Quoted(text)
	if !f.quoted {
		if text == "" || text == s.null {
			return
		}
		t = guess.Text(text)
	}
	s.cols[n].Type = guess.Unite(s.cols[n].Type, t)
}
