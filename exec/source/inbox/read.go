package inbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/change"
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// splitBytes is about how much is decoded as one unit.
const splitBytes = 1 << 20

// decoder makes rows of parcels.
type decoder struct {
	cfg    source.Config
	reader format.Reader
	whole  format.Reader // of parcels that are one value; nil = there are none
	inData []int         // by column: its index among the columns of the data, −1 = metadata
}

func newDecoder(c source.Config, set Settings) (*decoder, error) {
	d := &decoder{cfg: c, inData: make([]int, len(c.Columns))}
	var cols []types.Column
	var key []int
	for i, col := range c.Columns {
		if col.Metadata != "" {
			d.inData[i] = -1
			continue
		}
		d.inData[i] = len(cols)
		if slices.Contains(c.Key, i) {
			key = append(key, len(cols))
		}
		cols = append(cols, col.Column)
	}
	fc := format.Config{Columns: cols, Options: set.Decoded, Zone: c.Zone, OnError: format.OnError(c.OnError)}
	var err error
	if d.reader, err = newReader(c, set.Format, fc, key); err != nil {
		return nil, err
	}
	if set.Format.Name == "json" {
		if fc.Options, err = multiLine(set.Format, c.Options); err != nil {
			return nil, err
		}
		d.whole, err = newReader(c, set.Format, fc, key)
	}
	return d, err
}

func newReader(c source.Config, f *format.Format, fc format.Config, key []int) (format.Reader, error) {
	var r format.Reader
	var err error
	if c.Changes {
		r, err = change.NewReader(f, fc, key)
	} else {
		r, err = f.NewReader(fc)
	}
	return r, format.Misfit(err)
}

// multiLine are the options of a format with multi_line = true.
func multiLine(f *format.Format, values []option.Value) (option.Decoded, error) {
	own := slices.DeleteFunc(option.Only(f.ReadOptions, values), func(v option.Value) bool { return v.Name == "multi_line" })
	return option.Open(f.ReadOptions, append(own, option.Value{Name: "multi_line", Text: "true"}))
}

// Check decodes a parcel and counts its rows; the first that cannot be decoded is an
// error, a *format.RowError, whatever becomes of such rows otherwise.
func (s *Source) Check(ctx context.Context, p *Parcel) (rows, bad int64, err error) {
	need := make([]int, len(s.cfg.Columns))
	for i := range need {
		need[i] = i
	}
	part := &split{d: s.dec, parcels: []*Parcel{p}}
	err = part.Read(ctx, source.Reading{Need: need, Bad: func(source.BadRow) { bad++ }}, func(b *vec.Batch) error {
		rows += int64(b.Rows())
		return nil
	})
	return rows, bad, err
}

// splits cuts parcels, in order, into units of about splitBytes.
func (d *decoder) splits(parcels []*Parcel) []source.Split {
	var out []source.Split
	for len(parcels) > 0 {
		n, size := 0, int64(0)
		for n < len(parcels) && (n == 0 || size+parcels[n].size() <= splitBytes) {
			size += parcels[n].size()
			n++
		}
		out = append(out, &split{d: d, parcels: parcels[:n:n]})
		parcels = parcels[n:]
	}
	return out
}

// split is some parcels that follow one another.
type split struct {
	d       *decoder
	parcels []*Parcel
}

// Rows implements source.Split.
func (p *split) Rows() int64 { return -1 }

// Read implements source.Split.
func (p *split) Read(ctx context.Context, rd source.Reading, emit func(*vec.Batch) error) error {
	a := p.d.assemble(rd)
	var refused error // emit's own error goes back as it is
	for rest := p.parcels; len(rest) > 0; {
		n := p.together(rest, a.meta)
		err := a.read(ctx, rest[:n], func(b *vec.Batch) error {
			refused = emit(b)
			return refused
		})
		if refused != nil {
			return refused
		}
		if err != nil {
			return source.Named(p.d.cfg.Name, advised(err))
		}
		rest = rest[n:]
	}
	return nil
}

// together counts the parcels at the beginning that can be decoded as one text: lines
// that need no head, and whose rows need not know which parcel they came in.
func (p *split) together(list []*Parcel, meta bool) int {
	n := 0
	for n < len(list) && !meta && list[n].Head == nil && !list[n].Whole && list[n].Bad == "" {
		n++
	}
	return max(n, 1)
}

// advised says what can be done about a row that cannot be decoded.
func advised(err error) error {
	var row *format.RowError
	if errors.As(err, &row) {
		return fmt.Errorf("%w; on_error = 'skip' goes on without such rows, and counts them", err)
	}
	return err
}

// assembler puts columns of the data and of the parcel into one batch.
type assembler struct {
	d       *decoder
	rd      source.Reading
	reading format.Reading
	from    []int // by needed column: its place in the reader's batch, −1 = metadata
	meta    bool
	out     vec.Batch
	buf     []byte
	at      *chunk
}

// chunk is what is decoded at once, and where its lines come from.
type chunk struct {
	parcels []*Parcel
	first   []int64 // by parcel: the number of its first line in the text, from 1
}

func (d *decoder) assemble(rd source.Reading) *assembler {
	a := &assembler{d: d, rd: rd, from: make([]int, len(rd.Need))}
	a.out.Cols = make([]*vec.Vector, len(rd.Need))
	for i, col := range rd.Need {
		at := d.inData[col]
		a.from[i] = -1
		if at < 0 {
			a.meta = true
			continue
		}
		a.from[i] = len(a.reading.Need)
		a.reading.Need = append(a.reading.Need, at)
	}
	a.reading.Bad = func(b format.BadRow) { a.bad(a.placed(b)) }
	return a
}

func (a *assembler) bad(b format.BadRow) {
	if a.rd.Bad != nil {
		a.rd.Bad(source.BadRow{Source: a.d.cfg.Name, Position: b.Position, Reason: b.Reason, Raw: b.Raw})
	}
}

// read decodes parcels that go together.
func (a *assembler) read(ctx context.Context, parcels []*Parcel, emit func(*vec.Batch) error) error {
	p := parcels[0]
	a.at = &chunk{parcels: parcels, first: make([]int64, len(parcels))}
	if p.Bad != "" {
		return a.hopeless(p)
	}
	a.constants(p)
	data, line := append(a.buf[:0], p.Head...), 1+int64(bytes.Count(p.Head, []byte{'\n'}))
	for i, p := range parcels {
		from := len(data)
		data = append(data, p.Data...)
		if i+1 < len(parcels) && len(data) > from && data[len(data)-1] != '\n' {
			data = append(data, '\n')
		}
		a.at.first[i] = line
		if mutant.On("lines of one parcel only are counted") {
			line = a.at.first[i]
			continue
		}
		line += int64(bytes.Count(data[from:], []byte{'\n'}))
	}
	a.buf = data
	reader := a.d.reader
	if p.Whole && a.d.whole != nil {
		reader = a.d.whole
	}
	err := a.decode(ctx, reader, format.File{Name: p.From, R: bytes.NewReader(data), Size: int64(len(data))}, emit)
	var row *format.RowError
	if errors.As(err, &row) {
		return &format.RowError{BadRow: a.placed(row.BadRow)}
	}
	return err
}

func (a *assembler) decode(ctx context.Context, r format.Reader, f format.File, emit func(*vec.Batch) error) error {
	sections, err := r.Sections(ctx, f)
	if err != nil {
		return err
	}
	for _, sec := range sections {
		if err := r.Read(ctx, f, sec, a.reading, func(b *vec.Batch) error { return emit(a.batch(b)) }); err != nil {
			return err
		}
	}
	return nil
}

// hopeless is a row that cannot be decoded at all.
func (a *assembler) hopeless(p *Parcel) error {
	b := format.BadRow{Position: p.From + ":" + strconv.FormatInt(p.Line, 10), Reason: p.Bad, Raw: p.Data}
	if a.d.cfg.OnError == source.Fail {
		return &format.RowError{BadRow: b}
	}
	a.bad(b)
	return nil
}

// placed names the line as who sent it counts.
func (a *assembler) placed(b format.BadRow) format.BadRow {
	colon := strings.LastIndexByte(b.Position, ':')
	line, err := strconv.ParseInt(b.Position[colon+1:], 10, 64)
	if colon < 0 || err != nil || a.at.parcels[0].Whole {
		return b
	}
	i := max(sort.Search(len(a.at.first), func(i int) bool { return a.at.first[i] > line })-1, 0)
	p := a.at.parcels[i]
	b.Position = fmt.Sprintf("%s:%d", p.From, p.Line+line-a.at.first[i])
	return b
}

// constants are the metadata columns of a parcel.
func (a *assembler) constants(p *Parcel) {
	for i, col := range a.rd.Need {
		if a.from[i] >= 0 {
			continue
		}
		c := a.d.cfg.Columns[col]
		if c.Metadata == "origin" {
			a.out.Cols[i] = vec.NewConst(c.Type, p.From, 0)
		} else {
			a.out.Cols[i] = vec.NewConst(c.Type, p.At, 0)
		}
	}
}

func (a *assembler) batch(b *vec.Batch) *vec.Batch {
	a.out.N, a.out.Sel, a.out.W = b.N, b.Sel, b.W
	for i, at := range a.from {
		if at >= 0 {
			a.out.Cols[i] = b.Cols[at]
		} else {
			a.out.Cols[i].N = b.N
		}
	}
	return &a.out
}
