package file_test

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/json"
	"github.com/sqlstream/sqlstream/exec/format/sinklog"
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/sink/file"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

// asLines makes rows of the format lines of JSON.
var asLines = strings.NewReplacer(`{"id":`, "", `,"who":"`, ",", `"}`, "", "}", "")

// lines writes a row as its cells with commas, "." at the end of the file, so that a
// file that was not closed shows.
func lines() *format.Format {
	return &format.Format{
		Name: "lines", Aliases: []string{"ln"},
		WriteOptions: []option.Spec{{Name: "compression", Type: option.Enum, Values: []string{"none", "gzip"}, Default: "none"}},
		NewWriter: func(c format.Config) (format.Writer, error) {
			return lineWriter{}, nil
		},
	}
}

type lineWriter struct{}

func (lineWriter) Extension() string                             { return ".txt" }
func (lineWriter) Create(w io.Writer) (format.FileWriter, error) { return &lineFile{w: w}, nil }

type lineFile struct {
	w io.Writer
	n int64
}

func (l *lineFile) Write(b *vec.Batch) error {
	var err error
	b.Each(func(row int) {
		var cells []string
		for _, c := range b.Cols {
			x := vec.ToAny(c, row)
			if raw, ok := x.([]byte); ok {
				x = string(raw)
			}
			cells = append(cells, fmt.Sprint(x))
		}
		n, e := io.WriteString(l.w, strings.Join(cells, ",")+"\n")
		l.n += int64(n)
		if e != nil {
			err = e
		}
	})
	return err
}

func (l *lineFile) Bytes() int64 { return l.n }
func (l *lineFile) Close() error { _, err := io.WriteString(l.w, "."); return err }

func noWriter() *format.Format { return &format.Format{Name: "readonly"} }

// out is an output directory /w/out and how a sink on it is opened.
type out struct {
	t     *testing.T
	fs    vfs.FS
	cfg   sink.Config
	epoch int64
}

func newOut(t *testing.T, opts ...string) *out {
	t.Helper()
	o := &out{t: t, fs: vfs.NewCrashable(1), epoch: 1, cfg: sink.Config{
		Name: "result", Query: "counts", QueryID: "f67b589e-31f6-4ace-b1ab-365c155acca3", Dir: "/w",
		Columns: []types.Column{{Name: "id", Type: types.Of(types.Int64)}, {Name: "who", Type: types.Of(types.String)}},
		Clock:   clock.NewFake(time.Unix(2_000_000_000, 0)), Zone: time.UTC,
		Options: []option.Value{{Name: "path", Text: "out"}, {Name: "format", Text: "lines"}},
	}}
	for i := 0; i < len(opts); i += 2 {
		if opts[i] == "format" {
			o.cfg.Options[1].Text = opts[i+1]
			continue
		}
		o.cfg.Options = append(o.cfg.Options, option.Value{Name: opts[i], Text: opts[i+1]})
	}
	return o
}

func (o *out) open() (sink.Sink, error) {
	c := o.cfg
	c.FS = o.fs
	return file.Connector([]*format.Format{lines(), noWriter(), json.Format()}).Open(context.Background(), c)
}

func (o *out) mustOpen() sink.Sink {
	o.t.Helper()
	s, err := o.open()
	if err != nil {
		o.t.Fatal(err)
	}
	return s
}

// rows makes a batch of (id, "w<id>"); id 0 has who NULL.
func rows(ids ...int64) *vec.Batch {
	who := vec.NewBuilder(types.Of(types.String))
	for _, id := range ids {
		if id == 0 {
			who.AppendNull()
		} else {
			who.AppendString(fmt.Sprintf("w%d", id))
		}
	}
	return vec.NewBatch(vec.FromInts(types.Of(types.Int64), ids), who.Take())
}

func feed(batches ...*vec.Batch) func(func(*vec.Batch) error) error {
	return func(emit func(*vec.Batch) error) error {
		for _, b := range batches {
			if err := emit(b); err != nil {
				return err
			}
		}
		return nil
	}
}

func (o *out) batch(n int64) sink.Batch { return sink.Batch{ID: n, Epoch: o.epoch} }

func (o *out) stage(s sink.Sink, n int64, batches ...*vec.Batch) []byte {
	o.t.Helper()
	p, err := s.Stage(context.Background(), o.batch(n), feed(batches...))
	if err != nil {
		o.t.Fatal(err)
	}
	return p
}

func (o *out) publish(s sink.Sink, n int64, payload []byte) {
	o.t.Helper()
	if err := s.Publish(context.Background(), o.batch(n), payload); err != nil {
		o.t.Fatal(err)
	}
}

func (o *out) write(s sink.Sink, n int64, batches ...*vec.Batch) []byte {
	o.t.Helper()
	p := o.stage(s, n, batches...)
	o.publish(s, n, p)
	return p
}

// marker is "OK id digest?" or the error.
func (o *out) marker(s sink.Sink) string {
	m, err := s.Marker(context.Background())
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%v %d %v", m.OK, m.ID, m.Digest != "")
}

// tree lists data files below the output directory as a plain reader sees them.
func (o *out) tree(dir string) []string {
	o.t.Helper()
	entries, err := o.fs.ReadDir(filepath.Join("/w/out", dir))
	if err != nil {
		return nil
	}
	var list []string
	for _, e := range entries {
		name := filepath.Join(dir, e.Name())
		switch {
		case strings.HasPrefix(e.Name(), "_") || strings.HasPrefix(e.Name(), "."):
		case e.IsDir():
			list = append(list, o.tree(name)...)
		default:
			list = append(list, name)
		}
	}
	return list
}

// text is the content of a file, lines joined by blanks.
func (o *out) text(name string) string {
	o.t.Helper()
	data, err := vfs.ReadFile(o.fs, filepath.Join("/w/out", name))
	if err != nil {
		o.t.Fatal(err)
	}
	return strings.ReplaceAll(string(data), "\n", " ")
}

// plain and logged are all rows that a reader of the directory and of the log sees.
func (o *out) plain() string { return o.all(o.tree("")) }

func (o *out) logged() string {
	o.t.Helper()
	files, _, err := sinklog.Open(o.fs, "/w/out").Files()
	if err != nil {
		o.t.Fatal(err)
	}
	var names []string
	for _, f := range files {
		names = append(names, f.Name)
	}
	return o.all(names)
}

func (o *out) all(names []string) string {
	o.t.Helper()
	var list []string
	for _, name := range names {
		text, whole := strings.CutSuffix(o.text(name), ".")
		if strings.HasSuffix(name, ".json") {
			text, whole = asLines.Replace(text), true
		}
		if !whole {
			o.t.Errorf("file %s is cut short", name)
		}
		list = append(list, strings.Fields(text)...)
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

func (o *out) want(got, want string) {
	o.t.Helper()
	if got != want {
		o.t.Errorf("got  %s\nwant %s", got, want)
	}
}

func (o *out) wantErr(err error, want string) {
	o.t.Helper()
	if err == nil {
		o.t.Errorf("no error, want %s", want)
		return
	}
	o.want(err.Error(), want)
}
