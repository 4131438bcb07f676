package staged

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/json"
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// JSON writes rows as JSON objects, as the format json does; fields that are NULL stay.
type JSON struct{ w format.Writer }

// NewJSON checks that the columns have a form in JSON.
func NewJSON(cols []types.Column, zone *time.Location) (*JSON, error) {
	f := json.Format()
	d, err := option.Decode(f.WriteOptions, []option.Value{{Name: "ignore_null_fields", Text: "false"}})
	if err != nil {
		return nil, err
	}
	w, err := f.NewWriter(format.Config{Columns: cols, Options: d, Zone: zone})
	return &JSON{w}, err
}

// Each gives the text of each row that counts, without a line break and as it stands in
// memory that is used again. row is its number in b.
func (j *JSON) Each(b *vec.Batch, do func(row int, text []byte) error) error {
	var buf bytes.Buffer
	f, err := j.w.Create(&buf)
	if err != nil {
		return err
	}
	if err := f.Write(b); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	rest := buf.Bytes()
	for i := range b.Rows() {
		text, more, ok := bytes.Cut(rest, []byte{'\n'})
		if !ok {
			return fmt.Errorf("%d rows gave %d lines of JSON", b.Rows(), i)
		}
		if err := do(b.Row(i), text); err != nil {
			return err
		}
		rest = more
	}
	return nil
}

// Shown are the columns of a sink in a mode, with one more that tells what became of the
// row, for outputs that have no other place for it: op in update mode ("u": the new
// version of its key, "-": the key is gone), weight in changelog mode (1: a new row, -1:
// an old one). A name that is taken gets a _ before it.
func Shown(c sink.Config) []types.Column {
	cols := slices.Clone(c.Columns)
	switch c.Mode {
	case sink.Update:
		cols = append(cols, types.Column{Name: free("op", cols), Type: types.Of(types.String)})
	case sink.Changelog:
		cols = append(cols, types.Column{Name: free("weight", cols), Type: types.Of(types.Int64)})
	}
	return cols
}

func free(name string, cols []types.Column) string {
	for slices.ContainsFunc(cols, func(c types.Column) bool { return strings.EqualFold(c.Name, name) }) {
		name = "_" + name
	}
	return name
}

// Show gives a batch the columns of Shown, and writes rows of append and complete mode as
// often as they are there.
func Show(m sink.Mode, b *vec.Batch) (*vec.Batch, error) {
	switch m {
	case sink.Update:
		ops := vec.NewBuilder(types.Of(types.String))
		for row := range b.N {
			ops.AppendString(opOf(b.Weight(row)))
		}
		return &vec.Batch{N: b.N, Sel: b.Sel, Cols: append(slices.Clone(b.Cols), ops.Take())}, nil
	case sink.Changelog:
		weights := make([]int64, b.N)
		for row := range weights {
			weights[row] = b.Weight(row)
		}
		return &vec.Batch{N: b.N, Sel: b.Sel, Cols: append(slices.Clone(b.Cols), vec.FromInts(types.Of(types.Int64), weights))}, nil
	}
	return Copies(b)
}

func opOf(weight int64) string {
	if weight < 0 {
		return "-"
	}
	return "u"
}

// Copies turns weights into rows: a weight of 2 is the row twice. A row that is taken
// back has no place where rows are only added.
func Copies(b *vec.Batch) (*vec.Batch, error) {
	if b.W == nil {
		return b, nil
	}
	var rows []int32
	var err error
	b.Each(func(r int) {
		if b.W[r] < 0 {
			err = fmt.Errorf("a row was taken back, which this output mode cannot show")
		}
		for range b.W[r] {
			rows = append(rows, int32(r))
		}
	})
	if err != nil {
		return nil, err
	}
	out := b.Gather(rows)
	out.W = nil
	return out, nil
}
