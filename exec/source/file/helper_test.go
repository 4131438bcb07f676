package file_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/source/file"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

// lines is a format of one STRING column, a row a line, for these tests. A line "bad"
// cannot be decoded.
func lines() *format.Format {
	return &format.Format{
		Name: "lines", Aliases: []string{"ln"}, Extensions: []string{".txt"},
		ReadOptions: []option.Spec{{Name: "comment", Type: option.Text}},
		Infer: func(context.Context, format.File, format.Config) ([]types.Column, error) {
			return []types.Column{{Name: "value", Type: types.Of(types.String)}}, nil
		},
		NewReader: func(c format.Config) (format.Reader, error) {
			if c.Options.Text("comment") == "refused" {
				return nil, errors.New("no such comment")
			}
			return lineReader{c.OnError}, nil
		},
	}
}

type lineReader struct{ onError format.OnError }

func (lineReader) Sections(_ context.Context, f format.File) ([]format.Section, error) {
	if f.Size == 0 {
		return nil, nil
	}
	return []format.Section{{End: f.Size, Rows: -1}}, nil
}

func (l lineReader) Read(_ context.Context, f format.File, s format.Section, rd format.Reading, emit func(*vec.Batch) error) error {
	data, err := io.ReadAll(io.NewSectionReader(f.R, s.Off, s.End-s.Off))
	if err != nil {
		return err
	}
	var rows []string
	for n, line := range bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n")) {
		if string(line) == "bad" {
			bad := format.BadRow{Position: fmt.Sprintf("%s:%d", f.Name, n+1), Reason: "not a row", Raw: line}
			if l.onError == format.Fail {
				return &format.RowError{BadRow: bad}
			}
			rd.Bad(bad)
			continue
		}
		rows = append(rows, string(line))
	}
	b := &vec.Batch{N: len(rows)}
	for range rd.Need {
		b.Cols = append(b.Cols, vec.FromStrings(rows))
	}
	return emit(b)
}

// land is a landing directory with a source on it.
type land struct {
	t     testing.TB
	dir   string // what paths are relative to; files go to dir/in
	cols  []source.Column
	opts  []option.Value
	clock *clock.Fake
	fin   bool
	onErr source.OnError
	fs    vfs.FS
}

func newLand(t testing.TB, opts ...string) *land {
	t.Helper()
	l := &land{t: t, dir: t.TempDir(), fs: vfs.OS(), clock: clock.NewFake(at(1_000_000)), cols: []source.Column{column("value", types.String)}}
	l.set("format", "lines")
	l.set("path", "in")
	for i := 0; i < len(opts); i += 2 {
		l.set(opts[i], opts[i+1])
	}
	if err := os.MkdirAll(filepath.Join(l.dir, "in"), 0o755); err != nil {
		t.Fatal(err)
	}
	return l
}

func column(name string, k types.Kind) source.Column {
	return source.Column{Column: types.Column{Name: name, Type: types.Of(k)}}
}

func meta(name string, k types.Kind) source.Column {
	c := column("m_"+name, k)
	c.Metadata = name
	return c
}

// at is a file time: seconds after some moment.
func at(sec int64) time.Time { return time.Unix(1_700_000_000+sec, 0).UTC() }

func (l *land) set(name, text string) {
	for i, o := range l.opts {
		if o.Name == name {
			l.opts[i].Text = text
			return
		}
	}
	l.opts = append(l.opts, option.Value{Name: name, Text: text})
}

func (l *land) path(name string) string { return filepath.Join(l.dir, filepath.FromSlash(name)) }

// put writes a file below dir with a modification time.
func (l *land) put(name, text string, sec int64) {
	l.t.Helper()
	if err := os.MkdirAll(filepath.Dir(l.path(name)), 0o755); err != nil {
		l.t.Fatal(err)
	}
	if err := os.WriteFile(l.path(name), []byte(text), 0o644); err != nil {
		l.t.Fatal(err)
	}
	if err := os.Chtimes(l.path(name), at(sec), at(sec)); err != nil {
		l.t.Fatal(err)
	}
}

func (l *land) open() (source.Source, error) {
	c := file.Connector([]*format.Format{lines()})
	return c.Open(context.Background(), source.Config{Name: "clicks", Columns: l.cols, Options: l.opts, OnError: l.onErr,
		Zone: time.UTC, Dir: l.dir, FS: l.fs, Clock: l.clock, Finite: l.fin})
}

func (l *land) mustOpen() source.Source {
	l.t.Helper()
	s, err := l.open()
	if err != nil {
		l.t.Fatal(err)
	}
	return s
}

// plan takes the next range and reads it: "a b | c" are the rows by batch of Read,
// with further columns after commas; "-" = nothing new.
func (l *land) plan(s source.Source, lim source.Limits, upTo source.Snapshot) string {
	l.t.Helper()
	text, err := l.tryPlan(s, lim, upTo)
	if err != nil {
		l.t.Fatal(err)
	}
	return text
}

func (l *land) tryPlan(s source.Source, lim source.Limits, upTo source.Snapshot) (string, error) {
	r, ok, err := s.Plan(context.Background(), lim, upTo)
	if err != nil {
		return "", err
	}
	if !ok {
		return "-", nil
	}
	return l.rows(s, r)
}

func (l *land) rows(s source.Source, r source.Range) (string, error) {
	splits, err := s.Splits(context.Background(), r)
	if err != nil {
		return "", err
	}
	rd := source.Reading{Bad: func(b source.BadRow) { l.t.Logf("bad %+v", b) }}
	for i := range l.cols {
		rd.Need = append(rd.Need, i)
	}
	var out []string
	for _, sp := range splits {
		err := sp.Read(context.Background(), rd, func(b *vec.Batch) error {
			for row := range b.N {
				out = append(out, cells(b, row))
			}
			return nil
		})
		if err != nil {
			return "", err
		}
	}
	return strings.Join(out, " "), nil
}

func cells(b *vec.Batch, row int) string {
	var out []string
	for _, c := range b.Cols {
		switch x := vec.ToAny(c, row).(type) {
		case nil:
			out = append(out, "NULL")
		case []byte:
			out = append(out, string(x))
		default:
			out = append(out, fmt.Sprint(x))
		}
	}
	return strings.Join(out, ",")
}

func (l *land) want(got, want string) {
	l.t.Helper()
	if got != want {
		l.t.Errorf("got  %s\nwant %s", got, want)
	}
}

// wantErr compares a message, in which DIR stands for the temporary directory.
func (l *land) wantErr(err error, want string) {
	l.t.Helper()
	if err == nil {
		l.t.Errorf("no error, want %s", want)
		return
	}
	if got := strings.ReplaceAll(err.Error(), l.dir, "DIR"); got != want {
		l.t.Errorf("got  %s\nwant %s", got, want)
	}
}

var none source.Limits

func (l *land) infer() ([]types.Column, error) {
	c := file.Connector([]*format.Format{lines()})
	return c.Infer(context.Background(), source.Config{Name: "clicks", Options: l.opts, Zone: time.UTC, Dir: l.dir, FS: vfs.OS(), Clock: l.clock})
}
