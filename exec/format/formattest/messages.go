package formattest

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Messages lays texts out; one that is nil has no value. What stands between and behind
// them would go on with any number or text, so that a reader that goes too far is found.
func Messages(texts ...[]byte) format.Messages {
	m := format.Messages{Position: func(i int) string { return fmt.Sprint("message ", i) }}
	for i, text := range texts {
		m.Buf = append(m.Buf, text...)
		m.Ends = append(m.Ends, uint32(len(m.Buf)))
		m.Buf = append(m.Buf, "1a"[i%2])
		if text == nil && m.Null == nil {
			m.Null = make([]bool, len(texts))
		}
		if text == nil {
			m.Null[i] = true
		}
	}
	m.Buf = append(m.Buf, bytes.Repeat([]byte{'7'}, 64)...)
	return m
}

// ReadMessages reads the first n columns of messages and prints the rows, each with the
// message that it came from and, if it is a change, its weight before it.
func ReadMessages(r format.Reader, n int, m format.Messages) (rows []string, bad []format.BadRow, err error) {
	return readMessages(r, n, m, false)
}

func readMessages(r format.Reader, n int, m format.Messages, weights bool) (rows []string, bad []format.BadRow, err error) {
	rd := format.Reading{Bad: func(b format.BadRow) {
		b.Raw = bytes.Clone(b.Raw)
		bad = append(bad, b)
	}}
	for i := range n {
		rd.Need = append(rd.Need, i)
	}
	mr, ok := r.(format.MessageReader)
	if !ok {
		return nil, nil, fmt.Errorf("%T reads no messages", r)
	}
	err = mr.ReadMessages(context.Background(), m, rd, func(b *vec.Batch, from []int32) error {
		if len(from) != b.N {
			return fmt.Errorf("%d rows, and %d times where they came from", b.N, len(from))
		}
		for i, text := range Rows(b) {
			w := ""
			if b.W != nil || weights {
				w = fmt.Sprintf("%+d ", b.Weight(i))
			}
			rows = append(rows, fmt.Sprintf("%d: %s%s", from[i], w, text))
		}
		return nil
	})
	return rows, bad, err
}

// LikeLines reads lines as a file and as messages, in random portions, and demands the
// same rows and the same bad ones, each of its line. A line must give at least one row or
// a bad one, if rows are to be counted.
func LikeLines(t *testing.T, f *format.Format, c format.Config, r *rand.Rand, lines [][]byte) {
	t.Helper()
	reader, err := f.NewReader(c)
	if err != nil {
		t.Fatal(err)
	}
	want, wantBad, err := ReadChanges(reader, len(c.Columns), "f", append(bytes.Join(lines, []byte("\n")), '\n'))
	if err != nil {
		t.Fatal(err)
	}
	var got, gotBad []string
	for at := 0; at < len(lines); {
		n := min(len(lines)-at, []int{1, 3, 100, 5000}[r.IntN(4)])
		rows, bad, err := readMessages(reader, len(c.Columns), Messages(lines[at:at+n]...), true)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			_, row, _ = strings.Cut(row, ": ")
			got = append(got, row)
		}
		for _, b := range bad {
			var i int
			fmt.Sscanf(b.Position, "message %d", &i)
			gotBad = append(gotBad, fmt.Sprintf("f:%d %s %q", at+i+1, b.Reason, bytes.TrimRight(b.Raw, "\r\n")))
		}
		at += n
	}
	Same(t, "rows", got, want)
	var texts []string
	for _, b := range wantBad {
		texts = append(texts, fmt.Sprintf("%s %s %q", b.Position, b.Reason, b.Raw))
	}
	Same(t, "bad rows", gotBad, texts)
}

// Same demands that two lists are equal, and shows the first difference.
func Same(t *testing.T, what string, got, want []string) {
	t.Helper()
	if slices.Equal(got, want) {
		return
	}
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Fatalf("%d %s, want %d; from number %d on they differ:\n%q\nwant\n%q", len(got), what, len(want), i, got[min(i, len(got)):min(i+2, len(got))], want[min(i, len(want)):min(i+2, len(want))])
		}
	}
}
