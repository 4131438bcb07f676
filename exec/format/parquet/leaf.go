package parquet

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"unsafe"

	"github.com/parquet-go/parquet-go"

	"github.com/sqlstream/sqlstream/exec/vec"
)

// leaf is a cursor over the pages of one leaf column of a row group. It hands out
// runs of rows or values, none of which crosses a page.
type leaf struct {
	name   string // as messages show it
	maxDef byte
	maxRep byte
	conv   conversion

	pages parquet.Pages
	page  parquet.Page
	n     int // entries of the page: rows of a flat column, else levels
	pos   int // the next one
	val   int // the next stored value: NULLs have none
	nulls bool
	def   []byte
	rep   []byte
	data  []byte // stored values; codes of a dictionary page
	offs  []uint32
	dict  *vec.Vector
	of    parquet.Dictionary

	win      vec.Vector // converted values [from, from+win.N) of the page
	from     int
	scratch  scratch
	spread   *spread
	finished bool
}

// open starts at the first page of a row group.
func (l *leaf) open(g parquet.RowGroup, index int, r io.ReaderAt, patches []patch) {
	chunk := g.ColumnChunks()[index]
	l.pages = nil
	if c, ok := chunk.(*parquet.FileColumnChunk); ok && len(patches) > 0 {
		l.pages = c.PagesFrom(&hidden{r, patches})
	} else {
		l.pages = chunk.Pages()
	}
	l.dict, l.of = nil, nil
	l.n, l.pos, l.finished = 0, 0, false
}

func (l *leaf) close() {
	if l.page != nil {
		parquet.Release(l.page)
		l.page = nil
	}
	if l.pages != nil {
		l.pages.Close()
		l.pages = nil
	}
}

// ensure makes at least one entry available; io.EOF at the end of the row group.
func (l *leaf) ensure() error {
	for l.pos == l.n {
		if l.finished {
			return io.EOF
		}
		if err := safely(l.load); err != nil {
			return err
		}
	}
	return nil
}

// load reads the next page.
func (l *leaf) load() error {
	if l.page != nil {
		parquet.Release(l.page)
		l.page = nil
	}
	l.n, l.pos, l.val, l.from, l.win.N = 0, 0, 0, 0, 0
	page, err := l.pages.ReadPage()
	if errors.Is(err, io.EOF) {
		l.finished = true
		return io.EOF
	}
	if err != nil {
		return fmt.Errorf("column %q: %w", l.name, err)
	}
	l.page = page
	l.n = int(page.NumValues())
	l.def, l.rep = page.DefinitionLevels(), page.RepetitionLevels()
	stored := l.n
	l.nulls = false
	if l.maxDef > 0 && len(l.def) > 0 {
		stored -= int(page.NumNulls())
		l.nulls = stored < l.n
	}
	if err := l.checkLevels(); err != nil {
		return err
	}
	values := page.Data()
	l.data, l.offs = values.Data()
	if page.Dictionary() == nil {
		l.dict, l.of = nil, nil
		return l.checkStored(stored)
	}
	return l.useDictionary(page.Dictionary(), stored)
}

// checkLevels makes sure that levels are there where they are needed and in range:
// they come from the file.
func (l *leaf) checkLevels() error {
	if l.maxDef > 0 && len(l.def) != 0 && len(l.def) != l.n || l.maxRep > 0 && len(l.rep) != l.n {
		return fmt.Errorf("column %q: page with %d values has %d definition and %d repetition levels", l.name, l.n, len(l.def), len(l.rep))
	}
	return nil
}

// checkStored makes sure that the page has the values that its levels promise.
func (l *leaf) checkStored(want int) error {
	have := len(l.offs) - 1
	switch w := l.conv.width; {
	case w > 0:
		have = len(l.data) / w
	case w == bitPacked:
		have = len(l.data) * 8
	}
	if l.conv.run != nil && have < want {
		return fmt.Errorf("column %q: page has %d of %d values", l.name, max(have, 0), want)
	}
	return nil
}

// useDictionary takes over the dictionary of a page, and checks the page's codes: they
// come from the file, and later code indexes with them unasked.
func (l *leaf) useDictionary(d parquet.Dictionary, stored int) error {
	if l.conv.run == nil {
		return nil
	}
	if len(l.data) < 4*stored {
		return fmt.Errorf("column %q: page has %d of %d values", l.name, len(l.data)/4, stored)
	}
	var most uint32
	for _, c := range codes(l.data)[:stored] {
		most = max(most, c)
	}
	if stored > 0 && int64(most) >= int64(d.Len()) {
		return fmt.Errorf("column %q: page refers to entry %d of a dictionary of %d", l.name, most, d.Len())
	}
	if l.dict != nil && l.of == d {
		return nil
	}
	return l.convertDictionary(d)
}

// convertDictionary makes a vector of the dictionary that lives on its own: it may be
// shared beyond the page, and identifies the dictionary to whoever caches per entry.
func (l *leaf) convertDictionary(d parquet.Dictionary) error {
	data, offs := l.data, l.offs
	defer func() { l.data, l.offs = data, offs }()
	values := d.Page().Data()
	l.data, l.offs = values.Data()
	if err := l.checkStored(d.Len()); err != nil {
		return err
	}
	out := &vec.Vector{Type: l.conv.typ, N: d.Len()}
	var s scratch
	if err := l.conv.run(l.data, l.offs, 0, d.Len(), &s, out); err != nil {
		return fmt.Errorf("column %q: %w", l.name, err)
	}
	out.I64, out.F64, out.Buf = slices.Clone(out.I64), slices.Clone(out.F64), slices.Clone(out.Buf)
	l.dict, l.of = out, d
	return nil
}

func codes(data []byte) []uint32 {
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(data))), len(data)/4)
}

// values returns n stored values from index at on. For dictionary pages they are
// codes; else they are converted, or the page's own memory.
func (l *leaf) values(at, n int) (*vec.Vector, error) {
	v := &l.win
	v.Type, v.N, v.Valid, v.Const = l.conv.typ, n, nil, false
	if l.dict != nil {
		v.Dict, v.Codes = l.dict, codes(l.data)[at:at+n]
		return v, nil
	}
	v.Dict, v.Codes = nil, nil
	if err := l.conv.run(l.data, l.offs, at, n, &l.scratch, v); err != nil {
		return nil, fmt.Errorf("column %q: %w", l.name, err)
	}
	return v, nil
}

// rows returns the next n rows of a flat column, which must lie in the page. The vector
// is valid until the next call.
func (l *leaf) rows(n int) (*vec.Vector, error) {
	if !l.nulls {
		v, err := l.values(l.val, n)
		l.pos += n
		l.val += n
		return v, err
	}
	def := l.def[l.pos : l.pos+n]
	stored := 0
	for _, d := range def {
		if d == l.maxDef {
			stored++
		}
	}
	v, err := l.values(l.val, stored)
	if err != nil {
		return nil, err
	}
	l.pos += n
	l.val += stored
	if l.spread == nil {
		l.spread = &spread{}
	}
	return l.spread.over(v, def, l.maxDef), nil
}

// safely turns a panic of the library over damaged bytes into an error.
func safely(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("damaged: %v", p)
		}
	}()
	return f()
}
