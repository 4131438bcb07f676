package file_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/source/file"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// numbers is a format of one BIGINT column, whose lines are sections with statistics; of
// a line "?" nothing is known.
type numbers struct{}

func (numbers) Sections(_ context.Context, f format.File) ([]format.Section, error) {
	data, err := io.ReadAll(io.NewSectionReader(f.R, 0, f.Size))
	var out []format.Section
	for off, line := int64(0), []byte(nil); len(data) > 0 && err == nil; off += int64(len(line)) + 1 {
		line, data, _ = bytes.Cut(data, []byte("\n"))
		out = append(out, format.Section{Off: off, End: off + int64(len(line)), Rows: int64(len(bytes.Fields(line)))})
	}
	return out, err
}

func fields(f format.File, s format.Section) []string {
	line := make([]byte, s.End-s.Off)
	_, _ = f.R.ReadAt(line, s.Off)
	return strings.Fields(string(line))
}

func (numbers) Read(_ context.Context, f format.File, s format.Section, rd format.Reading, emit func(*vec.Batch) error) error {
	if len(rd.Need) == 0 {
		return emit(&vec.Batch{N: len(fields(f, s))})
	}
	v := &vec.Vector{Type: types.Of(types.Int64)}
	for _, x := range fields(f, s) {
		n, _ := strconv.ParseInt(x, 10, 64)
		v.I64 = append(v.I64, n)
	}
	v.N = len(v.I64)
	return emit(&vec.Batch{N: v.N, Cols: []*vec.Vector{v}})
}

func (numbers) Bounds(_ context.Context, f format.File, s format.Section, _ int) (b format.Bounds, ok bool, err error) {
	for i, x := range fields(f, s) {
		n, err := strconv.ParseInt(x, 10, 64)
		if err != nil {
			return b, false, nil
		}
		if i == 0 {
			b = format.Bounds{Min: n, Max: n}
		}
		b.Min, b.Max = min(b.Min, n), max(b.Max, n)
	}
	return b, true, nil
}

// readNumbers reads a file of numbers as rd says, and gives what it read.
func readNumbers(t *testing.T, text string, rd source.Reading) string {
	l := newLand(t)
	l.cols = []source.Column{column("n", types.Int64)}
	l.set("format", "numbers")
	l.put("in/a.txt", text, 1)
	c := file.Connector([]*format.Format{{Name: "numbers", NewReader: func(format.Config) (format.Reader, error) { return numbers{}, nil }}})
	s, err := c.Open(context.Background(), source.Config{Name: "numbers", Columns: l.cols, Options: l.opts, Zone: time.UTC, Dir: l.dir, FS: l.fs, Clock: l.clock})
	if err != nil {
		t.Fatal(err)
	}
	splits, err := s.Splits(context.Background(), l.mustPlan(s, none))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, sp := range splits {
		err := sp.Read(context.Background(), rd, func(b *vec.Batch) error {
			for i := range b.N {
				got = append(got, vec.RowString(b.Cols[0], i, time.UTC))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return strings.Join(got, " ")
}

const numbersFile = "1 2\n3 9\n4 5 6\n7 8\n? 5"

// TestRanges: sections without a needed row are not read, and their rows are told; a
// section that has one is read whole, and so is one of which nothing is known.
func TestRanges(t *testing.T) {
	for _, test := range []struct {
		ranges  []source.Bounds
		want    string
		skipped int64
	}{
		{nil, "1 2 3 9 4 5 6 7 8 0 5", 0},
		{[]source.Bounds{{Min: 5, Max: 6}}, "3 9 4 5 6 0 5", 4},
		{[]source.Bounds{{Min: 2, Max: 2}}, "1 2 0 5", 7},
		{[]source.Bounds{{Min: 9, Max: 8}}, "3 9 0 5", 7},
		{[]source.Bounds{{Min: 3, Max: 7}, {Min: 8, Max: 100}}, "3 9 7 8 0 5", 5},
	} {
		var skipped int64
		rd := source.Reading{Need: []int{0}, Ranges: test.ranges, Skipped: func(rows int64) { skipped += rows }}
		if got := readNumbers(t, numbersFile, rd); got != test.want || skipped != test.skipped {
			t.Errorf("%v: %v and %d skipped, want %s and %d", test.ranges, got, skipped, test.want, test.skipped)
		}
	}
}

// TestExtent: the range of a column is told where its values, or rows, are left out, and
// nothing is left out where it is not known.
func TestExtent(t *testing.T) {
	for _, test := range []struct {
		unread      bool
		ranges      []source.Bounds
		want, known string
	}{
		{false, nil, "1 2 3 9 4 5 6 7 8 0 5", ""},
		{true, nil, "NULL NULL NULL NULL NULL NULL NULL NULL NULL 0 5", "1..2 (2) 3..9 (2) 4..6 (3) 7..8 (2)"},
		{false, []source.Bounds{{Min: 2, Max: 2}}, "1 2 0 5", "3..9 (2) 4..6 (3) 7..8 (2)"},
		{true, []source.Bounds{{Min: 2, Max: 2}}, "NULL NULL 0 5", "1..2 (2) 3..9 (2) 4..6 (3) 7..8 (2)"},
	} {
		var known []string
		rd := source.Reading{Need: []int{0}, Ranges: test.ranges, Skipped: func(int64) {}, Extent: &source.Extent{Unread: test.unread,
			Known: func(least, greatest, count int64) {
				known = append(known, fmt.Sprintf("%d..%d (%d)", least, greatest, count))
			}}}
		if got := readNumbers(t, numbersFile, rd); got != test.want || strings.Join(known, " ") != test.known {
			t.Errorf("unread %t, %v: %s, known %v; want %s, known %s", test.unread, test.ranges, got, known, test.want, test.known)
		}
	}
}
