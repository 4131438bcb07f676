package file

import (
	"context"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/option/store"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

// Options of the file source; those of the format come on top.
func Options() []option.Spec {
	return append([]option.Spec{
		{Name: "path", Type: option.Text, Required: true,
			Doc: "A directory, a file, or a glob pattern ('in/*.json', 'in/**/*.csv'), also of an object store ('s3://bucket/in/'); a table may name a file behind http:// or https://. Below a directory symbolic links to files are followed, those to directories are not."},
		{Name: "format", Type: option.Text,
			Doc: "How the files are laid out; by default what their extension says."},
		{Name: "recursive_file_lookup", Aliases: []string{"recursive"}, Type: option.Bool, Default: "false",
			Doc: "Look into every directory below the path, not only into those named key=value."},
		{Name: "path_glob_filter", Type: option.Text,
			Doc: "Take only files whose name matches this glob pattern."},
		{Name: "file_name_only", Type: option.Bool, Default: "false",
			Doc: "A file is known by its name alone, so that one that moved to another directory is not read again."},
		{Name: "latest_first", Type: option.Bool, Default: "false",
			Doc: "Take the newest files first; max_file_age is then ignored where the size of a micro-batch is limited."},
		{Name: "max_file_age", Type: option.Duration, Default: "7 days",
			Doc: "Leave out files that are older than the newest file taken by more than this; progress counts them (numIgnoredFiles). Not in the first micro-batch. Raise it where older files are delivered later with their old time."},
		{Name: "min_file_age", Type: option.Duration, Default: "0",
			Doc: "Leave files alone until they have not changed for so long, for writers that cannot rename."},
		{Name: "ignore_missing_files", Type: option.Bool, Default: "false",
			Doc: "Go on without the rows of a file that vanished before it was read."},
		{Name: "clean_source", Type: option.Enum, Values: []string{"off", "archive", "delete"}, Default: "off",
			Doc: "What happens to files once a later micro-batch has been committed."},
		{Name: "archive_dir", Aliases: []string{"source_archive_dir"}, Type: option.Text,
			Doc: "Where clean_source = 'archive' moves files, under their path below the source's directory."},
		{Name: "list_interval", Type: option.Duration, Default: "1 second",
			Doc: "How often an object store is listed at most; directories of the machine are looked at in every trigger."},
		{Name: "keys_in_order", Type: option.Bool, Default: "false",
			Doc: "For an object store: new objects always have greater keys than all before them. Files are taken in the order of keys, and a listing begins behind the last one taken, so that it costs the new ones only. An object with a smaller key is never read."},
	}, store.Options()...)
}

// settings are the decoded options.
type settings struct {
	path, filter         string
	pathSpan             diag.Span
	listEveryUs          int64
	inOrder              bool
	format               *format.Format
	decoded              option.Decoded
	recursive            bool
	fileNameOnly         bool
	latestFirst          bool
	ignoreMissing        bool
	maxAgeUs, minAgeUs   int64
	clean                string
	archiveDir           string
	cleanSpan, archiveAt diag.Span
}

func decode(formats []*format.Format, c source.Config) (settings, error) {
	f, err := chooseFormat(formats, c)
	if err != nil {
		return settings{}, err
	}
	specs := option.Join(Options(), f.ReadOptions)
	d, err := option.Open(specs, c.Options)
	if err != nil {
		return settings{}, err
	}
	s := settings{
		path: d.Text("path"), filter: d.Text("path_glob_filter"), format: f, decoded: d,
		recursive: d.Bool("recursive_file_lookup"), fileNameOnly: d.Bool("file_name_only"),
		latestFirst: d.Bool("latest_first"), ignoreMissing: d.Bool("ignore_missing_files"),
		maxAgeUs: d.Micros("max_file_age"), minAgeUs: d.Micros("min_file_age"),
		pathSpan: d.Span("path"), listEveryUs: d.Micros("list_interval"), inOrder: d.Bool("keys_in_order"),
		clean: d.Enum("clean_source"), archiveDir: d.Text("archive_dir"),
		cleanSpan: d.Span("clean_source"), archiveAt: d.Span("archive_dir"),
	}
	return s, s.check(d)
}

func (s settings) check(d option.Decoded) error {
	var errs []*diag.Diagnostic
	if s.clean == "archive" && s.archiveDir == "" {
		errs = append(errs, diag.Errorf(diag.MissingOption, s.cleanSpan, "clean_source = 'archive' needs archive_dir"))
	}
	if s.clean != "archive" && s.archiveDir != "" {
		errs = append(errs, diag.Errorf(diag.OptionConflict, s.archiveAt, "archive_dir is given, but clean_source is '%s'", s.clean).
			WithHint("clean_source = 'archive' moves files there"))
	}
	if s.filter != "" && !doublestar.ValidatePattern(s.filter) {
		errs = append(errs, diag.Errorf(diag.BadOptionValue, d.Span("path_glob_filter"), "%q is not a glob pattern", s.filter))
	}
	if len(errs) > 0 {
		return diag.NewError(nil, errs...)
	}
	return nil
}

// chooseFormat takes the format option, else what the extension of the path says, else
// that of the first file.
func chooseFormat(formats []*format.Format, c source.Config) (*format.Format, error) {
	if v, ok := option.Find(c.Options, "format"); ok {
		return byName(formats, v)
	}
	path, _ := option.Find(c.Options, "path")
	if f := format.ByName(formats, vfs.Name(path.Text)); f != nil {
		return f, nil
	}
	why := "no file is there whose name could say it"
	if rel, ok := someFile(c, path.Text); ok {
		if f := format.ByName(formats, rel); f != nil {
			return f, nil
		}
		why = "the name of file " + rel + " does not say it"
		if reason := format.Unsupported(rel); reason != "" {
			why = "file " + rel + ": " + reason
		}
	} else if _, err := locate(c.FS, c.Dir, path.Text); err != nil && path.Text != "" {
		return nil, err
	}
	return nil, diag.NewError(nil, diag.Errorf(diag.MissingOption, diag.Join(path.NameSpan, path.Span),
		"the format of source %q is not known: %s", c.Name, why).WithHint("format = '%s'", formatNames(formats)))
}

func byName(formats []*format.Format, v option.Value) (*format.Format, error) {
	var names []string
	for _, f := range formats {
		names = append(append(names, f.Name), f.Aliases...)
		for _, n := range append([]string{f.Name}, f.Aliases...) {
			if strings.EqualFold(n, v.Text) && f.MessagesOnly {
				return nil, diag.NewError(nil, diag.Errorf(diag.BadOptionValue, v.Span, "the format %s is for messages, not for files", f.Name).
					WithHint("format = '%s'", formatNames(formats)))
			}
			if strings.EqualFold(n, v.Text) {
				return f, nil
			}
		}
	}
	d := diag.Errorf(diag.BadOptionValue, v.Span, "unknown format %q", v.Text)
	if d.Hint = format.Unsupported(v.Text); d.Hint != "" {
		return nil, diag.NewError(nil, d)
	}
	if d.Hint = diag.HintDidYouMean(v.Text, names); d.Hint == "" {
		d.Hint = "the formats are " + formatNames(formats)
	}
	return nil, diag.NewError(nil, d)
}

func formatNames(formats []*format.Format) string {
	var names []string
	for _, f := range formats {
		if !f.MessagesOnly {
			names = append(names, f.Name)
		}
	}
	return strings.Join(names, "' or '")
}

// someFile finds a file below the path, for its extension only.
func someFile(c source.Config, path string) (string, bool) {
	where, err := locate(c.FS, c.Dir, path)
	if err != nil {
		return "", false
	}
	rel, ok, err := newLister(c.FS, where, settings{recursive: true}, newSeenSet(false)).first(context.Background())
	return rel, ok && err == nil
}
