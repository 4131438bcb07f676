// Package file is the source that reads the files of a directory: which files are
// new, in which order, how many at once, and that each is read once and whole.
//
// It owns discovery (list.go), the memory of what was taken (seen.go, entry.go),
// partition columns from the path (partition.go) and cleaning up (clean.go). What is
// in a file is the business of exec/format; what a file sink has published it takes
// from exec/format/sinklog. It knows neither plans nor checkpoints. Open this file
// first, then plan.go.
package file

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/sinklog"
	"github.com/sqlstream/sqlstream/exec/option/store"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

// Connector describes the file source over the given formats.
func Connector(formats []*format.Format) source.Connector {
	return source.Connector{
		Name: "file", Aliases: []string{"files", "filesystem"},
		Doc: "Reads each file of a directory, of the directories key=value below it, or of a glob pattern, " +
			"once and whole, in the order of modification time, then path. The keys of such directories are declared " +
			"like other columns (dt DATE, hour INT) and filled from the path, whatever the files say. PARTITIONED BY (dt, hour) fixes " +
			"which they are; without it the first file does. A file whose path lacks a key, or has another one, ends the query.",
		Options:    Options(),
		Replayable: true,
		Recovery:   "The files of the batch are read again; one that has vanished or changed fails the query and is named.",
		Metadata:   metadataColumns(),
		Infer: func(ctx context.Context, c source.Config) ([]types.Column, error) {
			return infer(ctx, formats, c)
		},
		Open: func(ctx context.Context, c source.Config) (source.Source, error) {
			if c.Refresh != nil {
				return openAgain(ctx, formats, c)
			}
			return open(ctx, formats, c)
		},
		Refresh: true,
	}
}

// metadataColumns are what METADATA may name: ours, then Spark's spellings.
func metadataColumns() []types.Column {
	text, num, at := types.Of(types.String), types.Of(types.Int64), types.Of(types.Timestamp)
	return []types.Column{
		{Name: "path", Type: text}, {Name: "name", Type: text}, {Name: "size", Type: num}, {Name: "modification_time", Type: at},
		{Name: "_path", Type: text}, {Name: "file_path", Type: text}, {Name: "file_name", Type: text},
		{Name: "file_size", Type: num}, {Name: "file_modification_time", Type: at},
	}
}

// Source reads one location. See source.Source for who may call it.
type Source struct {
	cfg   source.Config
	set   settings
	where location
	list  *lister
	log   *sinklog.Log // set when the directory was written by a file sink
	at    int64        // newest batch of that log that was read

	seen    *seenSet
	offset  int64     // log offset of the last range, −1 = none
	newest  fileTime  // latest modification time taken
	backlog []found   // listed and not taken yet, in order
	waiting []found   // of the sink's log, read and not taken yet
	recent  []entry   // the last files taken: they must not grow
	cleanUp []entry   // files of the last ranges, for clean_source
	ignored int64     // files that were too old
	keys    *pinned   // partition keys; nil = not known yet
	read    *readPlan // made for keys; nil = not made yet
	done    bool      // finite: everything was planned
	looked  int64     // µs: when a store was listed
	drifts  drifts
	fromNow bool // it was listed by this call of Plan

	// For Keep, which runs beside the rest: the last committed range, and newest.
	committed, newestSeen atomic.Int64
}

func open(ctx context.Context, formats []*format.Format, c source.Config) (*Source, error) {
	s, err := locatedSource(formats, c)
	if err != nil {
		return nil, err
	}
	return s, s.wrap(s.prepare(ctx))
}

// locatedSource is a source that knows its options and where it is.
func locatedSource(formats []*format.Format, c source.Config) (*Source, error) {
	c.FS = vfs.With(c.FS, store.Find(c.Options))
	set, err := decode(formats, c)
	if err != nil {
		return nil, err
	}
	s := &Source{cfg: c, set: set, at: -1, offset: -1, newest: never, seen: newSeenSet(set.fileNameOnly)}
	return s, s.wrap(s.locate())
}

// locate finds out what the path names, and whether a file sink wrote it.
func (s *Source) locate() error {
	where, err := locate(s.cfg.FS, s.cfg.Dir, s.set.path)
	if err != nil {
		return err
	}
	if err := s.refuseWebStream(); err != nil {
		return err
	}
	s.where = where
	s.list = newLister(s.cfg.FS, where, s.set, s.seen)
	s.list.clock = s.cfg.Clock
	if where.pattern == "" && where.single == "" {
		if err := s.findLog(); err != nil {
			return err
		}
	}
	return checkCleaning(s.cfg, s.set, where, s.log != nil)
}

// refuseWebStream refuses a stream of a web address, which does not say what is new in it.
func (s *Source) refuseWebStream() error {
	abs, err := vfs.Abs(s.cfg.Dir, s.set.path)
	if err != nil || !vfs.IsWeb(abs) || s.cfg.Finite || s.cfg.Refresh != nil {
		return err
	}
	return diag.NewError(nil, diag.Errorf(diag.OptionConflict, s.set.pathSpan, "a web address cannot be read as a stream: it does not tell what is new").
		WithHint("declare it with CREATE TABLE, or name it in FROM of a query that ends; files that go on coming belong into a directory or an s3:// path"))
}

// findLog turns to the sink's log as soon as there is one.
func (s *Source) findLog() error {
	if s.log != nil || s.where.store != nil && s.list.listed {
		return nil // a listing of a store has seen whether there is one
	}
	if info, err := s.cfg.FS.Stat(s.where.root); err != nil || !info.IsDir() {
		return nil // gone: listing says so
	}
	_, err := s.cfg.FS.Stat(filepath.Join(s.where.root, sinklog.Dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		s.log = sinklog.Open(s.cfg.FS, s.where.root)
	}
	return err
}

// prepare checks columns and options against the files that are there, so that a
// mistake shows at the start. Without files, partition keys are not known yet.
func (s *Source) prepare(ctx context.Context) error {
	if keys := declaredKeys(s.cfg.Columns); keys != nil {
		s.keys = keys
	} else if rel, ok, err := s.firstFile(ctx); err != nil {
		return err
	} else if ok {
		keys, err := keysOf(rel, s.cfg)
		if err != nil {
			return fmt.Errorf("file %s: %w", s.show(filepath.Join(s.where.root, filepath.FromSlash(rel))), err)
		}
		_, err = newReadPlan(s.cfg, s.set, keys)
		return err
	}
	plan, err := newReadPlan(s.cfg, s.set, s.keys)
	if err != nil && s.keys == nil {
		return nil // a column may turn out to be a partition key
	}
	if s.keys != nil {
		s.read = plan
	}
	return err
}

// firstFile finds some file, its path relative to the root.
func (s *Source) firstFile(ctx context.Context) (string, bool, error) {
	if s.log == nil {
		return s.list.first(ctx)
	}
	files, _, err := s.log.Files()
	if err != nil || len(files) == 0 {
		return "", false, err
	}
	return files[0].Name, true, nil
}

// Finished implements source.Source.
func (s *Source) Finished() bool { return s.cfg.Finite && s.done }

// Description implements source.Source.
func (s *Source) Description() string { return "FileSource[" + s.set.path + "]" }

// Close implements source.Source. Files are open only while a split is read.
func (s *Source) Close() error { return nil }

// wrap names the source; complaints about the SQL text have a place instead.
func (s *Source) wrap(err error) error {
	var sql *diag.Error
	if err == nil || errors.As(err, &sql) {
		return err
	}
	return fmt.Errorf("source %q: %w", s.cfg.Name, err)
}

// show gives a path as messages print it: relative to where relative paths start.
func (s *Source) show(path string) string { return show(s.cfg.Dir, path) }

func show(dir, path string) string {
	if _, _, ok := vfs.Scheme(path); ok {
		return vfs.Show(path)
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return path
	}
	if rel, ok := strings.CutPrefix(path, abs+string(filepath.Separator)); ok {
		return filepath.ToSlash(rel)
	}
	return path
}
