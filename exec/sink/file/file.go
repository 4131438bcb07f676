// Package file is the sink that publishes each batch as files in a directory, exactly
// once: files are staged and synced under a hidden directory (stage.go), renamed to
// names fixed when they were staged, and recorded in the log that Spark, our own file
// source and exec/format/sinklog share (publish.go). Readers of the plain directory
// see whole files, none twice; readers of the log see whole batches.
//
// It knows neither plans nor checkpoints; what a file looks like is the business of
// exec/format. Open this file first.
package file

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/sinklog"
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/option/store"
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

// Connector describes the file sink over the given formats.
func Connector(formats []*format.Format) sink.Connector {
	return sink.Connector{
		Name: "file", Aliases: []string{"files", "filesystem"},
		Doc: "Writes files into a directory: each batch whole and once, with a log of the batches that Spark reads too.",
		Modes: map[sink.Mode]string{
			sink.Append: "Each row is written once, into files that never change.",
		},
		Refused: map[sink.Mode]string{
			sink.Update: "A published file never changes, so a row in it cannot be replaced. " +
				"Emit final rows (append mode, with a watermark and a window or key that closes), or use a sink that can update.",
			sink.Complete: "Each trigger would have to replace all earlier output, and readers would see it half done. " +
				"Emit final rows (append mode), or keep the result in a materialized view.",
			sink.Changelog: "A published file never changes, so a row in it cannot be taken back. " +
				"Emit final rows (append mode), or use a sink that can delete.",
		},
		Options:   Options(),
		Guarantee: sink.ExactlyOnce,
		Recovery:  "Staged files are renamed to names that were fixed before (on an object store: uploads are completed), and the log of the directory says which batch it holds.",
		Open: func(_ context.Context, c sink.Config) (sink.Sink, error) {
			return open(formats, c)
		},
	}
}

const defaultFormat = "parquet"

// Options of the file sink; those of the format come on top.
func Options() []option.Spec {
	return append([]option.Spec{
		{Name: "path", Type: option.Text, Required: true, Doc: "The output directory, also of an object store (s3://bucket/out); it is made if it does not exist."},
		{Name: "format", Type: option.Text, Default: defaultFormat,
			Doc: "How the files are laid out; by default what the extension of the path says, else Parquet."},
		{Name: "partition_by", Type: option.Text,
			Doc: "Columns, separated by commas, whose values become directories key=value instead of being written into the files."},
		{Name: "max_file_bytes", Type: option.Size, Min: 1, Default: "512 MiB",
			Doc: "Begin a further file of the batch at about this size."},
		{Name: "max_rows_per_file", Aliases: []string{"max_records_per_file"}, Type: option.Int, Min: 0, Default: "0",
			Doc: "Begin a further file of the batch after so many rows; 0 = no limit."},
		{Name: "retention", Type: option.Duration, Default: "0",
			Doc: "How long files stay, counted from when they were published; 0 = for ever. They leave the log first, at every tenth batch, and are removed after removal_delay. One file always stays, for its schema."},
		{Name: "compact_files", Type: option.Int, Min: 0, Default: "0",
			Doc: "Merge small files of a directory into one when there are at least so many, at every tenth batch; 0 = never. Merged files are not merged again, files older than a day neither. Our own source and readers of whole tables see each row once; " +
				"Spark's streaming reader would read merged rows again."},
		{Name: "compact_below", Type: option.Size, Min: 1, Default: "16 MiB", Doc: "Files under this size are small."},
		{Name: "removal_delay", Type: option.Duration, Default: "10 minutes",
			Doc: "How long files that retention or merging has taken from the log stay in the directory, for readers that are at work. A reader of the plain directory sees merged rows twice meanwhile."},
		{Name: "log_root", Type: option.Text,
			Doc: "The absolute URI by which readers find the directory, for the log: s3a://bucket/out, file:///mnt/out. By default its path on this machine, or on its object store."},
	}, store.Options()...)
}

// Sink writes into one directory.
type Sink struct {
	cfg      sink.Config
	path     string // as the user wrote it
	out      string // absolute
	log      *sinklog.Log
	dirs     *vfs.Dirs
	writer   format.Writer
	parts    []int // partition columns, in the order of the directories
	data     []int // the others
	maxBytes int64
	maxRows  int64
	owner    sinklog.Owner
	stager   vfs.Stager // of an object store, which renames nothing; else nil
	forgot   bool       // what a process before this one staged and never logged is gone

	retention, delay time.Duration
	mergeFiles       int // 0 = none are merged
	small            int64
	reader           format.Reader // for merging
	gone             []sinklog.Gone
	goneRead         bool // gone is what the directory says
}

func open(formats []*format.Format, c sink.Config) (*Sink, error) {
	f, d, err := decode(formats, c)
	if err != nil {
		return nil, err
	}
	c.FS = vfs.With(c.FS, store.Find(c.Options))
	s := &Sink{cfg: c, path: d.Text("path"), maxBytes: d.Size("max_file_bytes"), maxRows: d.Int("max_rows_per_file"),
		retention: micros(d.Micros("retention")), delay: micros(d.Micros("removal_delay"))}
	if s.out, err = directory(c.Dir, s.path); err != nil {
		return nil, s.wrap(err)
	}
	if info, err := c.FS.Stat(s.out); err == nil && !info.IsDir() {
		return nil, s.wrap(fmt.Errorf("%s is a file, not a directory", s.path))
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, s.wrap(err)
	}
	if err := s.partition(d); err != nil {
		return nil, err
	}
	cols := make([]types.Column, len(s.data))
	for i, c := range s.data {
		cols[i] = s.cfg.Columns[c]
	}
	if s.writer, err = f.NewWriter(format.Config{Columns: cols, Options: d, Zone: c.Zone}); err != nil {
		return nil, s.wrap(format.Misfit(err))
	}
	s.log, s.dirs, s.stager = sinklog.Open(c.FS, s.out), vfs.NewDirs(c.FS), vfs.StagerOf(c.FS, s.out)
	if root := d.Text("log_root"); root != "" {
		if err := s.log.At(root); err != nil {
			return nil, diag.NewError(nil, diag.Errorf(diag.BadOptionValue, d.Span("log_root"), "log_root: %v", err))
		}
	}
	return s, s.merging(f, d, cols)
}

func micros(us int64) time.Duration { return time.Duration(us) * time.Microsecond }

func decode(formats []*format.Format, c sink.Config) (*format.Format, option.Decoded, error) {
	name, given := option.Find(c.Options, "format")
	path, _ := option.Find(c.Options, "path")
	f := format.ByName(formats, path.Text) // "out.csv"
	if given || f == nil {
		if !given {
			name.Text = defaultFormat
		}
		f = byName(formats, name.Text)
	}
	if f == nil {
		return nil, option.Decoded{}, unknownFormat(formats, name)
	}
	if f.NewWriter == nil {
		return nil, option.Decoded{}, diag.NewError(nil, diag.Errorf(diag.BadOptionValue, name.Span, "the format %s cannot be written", f.Name))
	}
	if f.MessagesOnly {
		return nil, option.Decoded{}, diag.NewError(nil, diag.Errorf(diag.BadOptionValue, name.Span, "the format %s is for messages, not for files", f.Name))
	}
	specs := option.Join(Options(), f.WriteOptions)
	d, err := option.Open(specs, c.Options)
	return f, d, err
}

func byName(formats []*format.Format, name string) *format.Format {
	for _, f := range formats {
		if strings.EqualFold(f.Name, name) || slices.ContainsFunc(f.Aliases, func(a string) bool { return strings.EqualFold(a, name) }) {
			return f
		}
	}
	return nil
}

func unknownFormat(formats []*format.Format, v option.Value) error {
	var names []string
	for _, f := range formats {
		names = append(append(names, f.Name), f.Aliases...)
	}
	d := diag.Errorf(diag.BadOptionValue, v.Span, "unknown format %q", v.Text)
	if d.Hint = format.Unsupported(v.Text); d.Hint != "" {
		return diag.NewError(nil, d)
	}
	if d.Hint = diag.HintDidYouMean(v.Text, names); d.Hint == "" {
		d.Hint = "the formats are " + strings.Join(names, ", ")
	}
	return diag.NewError(nil, d)
}

// directory resolves the path against dir.
func directory(dir, text string) (string, error) {
	path, err := vfs.Abs(dir, text)
	switch {
	case err != nil:
		return "", err
	case vfs.IsWeb(path):
		return "", fmt.Errorf("path %s: files cannot be written to a web address; name a directory, or s3://bucket/…", text)
	case strings.ContainsAny(path, "*?[{"):
		return "", fmt.Errorf("path %s has wildcards; an output directory has one name", text)
	}
	return path, nil
}

// partition resolves partition_by.
func (s *Sink) partition(d option.Decoded) error {
	var errs []*diag.Diagnostic
	text := d.Text("partition_by")
	for _, name := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' }) {
		name = strings.TrimSpace(name)
		i := slices.IndexFunc(s.cfg.Columns, func(c types.Column) bool { return strings.EqualFold(c.Name, name) })
		switch {
		case i < 0:
			e := diag.Errorf(diag.BadOptionValue, d.Span("partition_by"), "the output has no column %q to partition by", name)
			e.Hint = diag.HintDidYouMean(name, columnNames(s.cfg.Columns))
			errs = append(errs, e)
		case slices.Contains(s.parts, i):
			errs = append(errs, diag.Errorf(diag.BadOptionValue, d.Span("partition_by"), "partition_by names the column %q twice", name))
		case !canPartition(s.cfg.Columns[i].Type):
			errs = append(errs, diag.Errorf(diag.BadOptionValue, d.Span("partition_by"), "a %s column cannot be partitioned by: %q", s.cfg.Columns[i].Type, name))
		default:
			s.parts = append(s.parts, i)
		}
	}
	for i := range s.cfg.Columns {
		if !slices.Contains(s.parts, i) {
			s.data = append(s.data, i)
		}
	}
	if len(s.data) == 0 && len(errs) == 0 {
		errs = append(errs, diag.Errorf(diag.BadOptionValue, d.Span("partition_by"), "partition_by leaves no column for the files"))
	}
	if len(errs) > 0 {
		return diag.NewError(nil, errs...)
	}
	return nil
}

func columnNames(cols []types.Column) []string {
	out := make([]string, len(cols))
	for i, c := range cols {
		out[i] = c.Name
	}
	return out
}

// Description implements sink.Sink.
func (s *Sink) Description() string { return "FileSink[" + s.path + "]" }

// Close implements sink.Sink.
func (s *Sink) Close() error { return nil }

func (s *Sink) wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("sink %q: %w", s.cfg.Name, err)
}
