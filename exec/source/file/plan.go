package file

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/sqlstream/sqlstream/exec/format/sinklog"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

// watched is how many of the last files taken are looked at again in each trigger:
// those that a writer may still be appending to.
const watched = 32

// snapshot is what was there when an AVAILABLE NOW query started; Plan takes from it.
type snapshot struct{ files []found }

// Snapshot implements source.Source.
func (s *Source) Snapshot(ctx context.Context) (source.Snapshot, error) {
	files, err := s.fresh(ctx, true)
	if err != nil {
		return nil, s.wrap(err)
	}
	s.backlog = nil
	return &snapshot{files}, nil
}

// Plan implements source.Source.
func (s *Source) Plan(ctx context.Context, l source.Limits, upTo source.Snapshot) (source.Range, bool, error) {
	r, ok, err := s.plan(ctx, l, upTo)
	return r, ok, s.wrap(err)
}

func (s *Source) plan(ctx context.Context, l source.Limits, upTo source.Snapshot) (source.Range, bool, error) {
	if l.Rows > 0 {
		return source.Range{}, false, errors.New("max_rows_per_trigger does not apply to files; " +
			"use max_files_per_trigger or max_bytes_per_trigger")
	}
	if err := s.checkGrowth(); err != nil {
		return source.Range{}, false, err
	}
	s.fromNow = false
	rest := &s.backlog
	if snap, ok := upTo.(*snapshot); ok {
		rest = &snap.files
	} else if len(*rest) == 0 || s.set.latestFirst {
		if !s.due() {
			return source.Range{}, false, nil
		}
		files, err := s.fresh(ctx, false)
		if err != nil {
			return source.Range{}, false, err
		}
		*rest = files
	}
	taken, err := s.take(rest, l)
	s.done = err == nil && len(*rest) == 0
	if err != nil || len(taken) == 0 {
		return source.Range{}, false, err
	}
	s.offset++
	for i := range taken {
		taken[i].BatchID = s.offset
	}
	s.remember(taken)
	r, err := encodeRange(s.offset, taken)
	return r, err == nil, err
}

// fresh lists the files that were not taken, in the order in which they will be.
func (s *Source) fresh(ctx context.Context, all bool) ([]found, error) {
	if s.where.pattern == "" && s.where.single == "" {
		if err := s.findLog(); err != nil {
			return nil, err
		}
	}
	files, err := s.listed(ctx, all)
	if err != nil {
		return nil, err
	}
	files = slices.DeleteFunc(files, s.tooYoung)
	slices.SortFunc(files, s.order)
	return files, nil
}

func (s *Source) listed(ctx context.Context, all bool) ([]found, error) {
	if s.log == nil {
		files, err := s.list.scan(ctx, all)
		if err != nil || !s.list.sawLog {
			return files, err
		}
		s.log = sinklog.Open(s.cfg.FS, s.where.root)
	}
	listed, last, err := s.log.Since(s.at)
	if err != nil {
		return nil, err
	}
	out := slices.DeleteFunc(s.waiting, func(f found) bool { return s.seen.has(f.path) })
	for _, f := range listed {
		abs := s.abs(f.Name)
		if s.seen.has(abs) || s.set.filter != "" && !matches(s.set.filter, filepath.Base(abs)) {
			continue
		}
		out = s.add(out, f)
	}
	s.at, s.waiting = last, out
	return slices.Clone(out), nil
}

func (s *Source) abs(name string) string {
	return filepath.Join(s.where.root, filepath.FromSlash(name))
}

// add adds a file of the log. A merged one takes the place of those that it replaces if
// none of them was taken; if some were, the others are taken by themselves: the sink keeps
// them for a while.
func (s *Source) add(out []found, f sinklog.File) []found {
	var rest []found
	for _, name := range f.Replaces {
		if p := s.abs(name); !s.seen.has(p) {
			rest = append(rest, found{path: p, rel: name, time: timeOf(f.Mtime)})
		}
	}
	out = slices.DeleteFunc(out, func(o found) bool {
		return slices.ContainsFunc(rest, func(r found) bool { return r.path == o.path })
	})
	if len(rest) == len(f.Replaces) {
		return append(out, found{path: s.abs(f.Name), rel: f.Name, size: f.Size, time: timeOf(f.Mtime)})
	}
	return append(out, rest...)
}

func (s *Source) tooYoung(f found) bool {
	return s.set.minAgeUs > 0 && s.cfg.Clock.Now().UnixMicro()-int64(f.time) < s.set.minAgeUs
}

func (s *Source) order(a, b found) int {
	if s.set.latestFirst {
		a, b = b, a
	}
	if s.set.inOrder && s.where.store != nil {
		return cmp.Compare(a.path, b.path)
	}
	return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(a.path, b.path))
}

// take moves files from the front of rest into a range, up to the limits but at least
// one. Sizes and times are those of this moment: a file may have waited.
func (s *Source) take(rest *[]found, l source.Limits) ([]entry, error) {
	oldest := s.oldest(l)
	var taken []entry
	bytes := int64(0)
	for len(*rest) > 0 && !(l.Files > 0 && int64(len(taken)) >= l.Files) {
		e, ok, err := s.current((*rest)[0])
		if err != nil {
			return nil, err
		}
		if ok && e.MtimeUs >= oldest {
			if l.Bytes > 0 && len(taken) > 0 && bytes+e.Size > l.Bytes {
				break
			}
			if err := s.pin(e.Path); err != nil {
				return nil, err
			}
			taken, bytes = append(taken, e), bytes+e.Size
		} else if ok {
			s.seen.add(e.Path, e.MtimeUs) // too old, and will stay so
			s.ignored++
		}
		*rest = (*rest)[1:]
	}
	return taken, nil
}

// oldest is the modification time before which files are ignored.
func (s *Source) oldest(l source.Limits) fileTime {
	if limited := l.Files > 0 || l.Bytes > 0; s.newest == never || s.set.latestFirst && limited {
		return never
	}
	return s.newest - fileTime(s.set.maxAgeUs)
}

// Ignored implements source.Ignorer: the files that max_file_age left out.
func (s *Source) Ignored() int64 { return s.ignored }

// current looks at a listed file again; false if it was taken or is gone. What the log
// of a sink lists must be there.
func (s *Source) current(f found) (entry, bool, error) {
	if s.seen.has(f.path) {
		return entry{}, false, nil
	}
	if f.version != "" && s.fromNow {
		return entry{Path: f.path, Size: f.size, MtimeUs: f.time, Version: f.version}, true, nil
	}
	info, err := s.cfg.FS.Stat(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		if s.log != nil && !s.set.ignoreMissing {
			return entry{}, false, fmt.Errorf("file %s is in the sink's log %s, but does not exist; "+
				"set ignore_missing_files = true to go on without its rows", s.show(f.path), s.show(s.log.Path()))
		}
		return entry{}, false, nil
	}
	if err != nil {
		return entry{}, false, err
	}
	return entry{Path: f.path, Size: info.Size(), MtimeUs: timeOf(info.ModTime()), Version: vfs.Version(info)}, true, nil
}

// checkGrowth fails when a file grew after it was taken: its new rows would be lost.
func (s *Source) checkGrowth() error {
	if s.where.store != nil {
		return nil // objects are whole when they appear
	}
	for _, e := range s.recent {
		info, err := s.cfg.FS.Stat(e.Path)
		if err == nil && info.Size() > e.Size {
			return s.changed(e, info)
		}
	}
	return nil
}

func (s *Source) changed(e entry, info fs.FileInfo) error {
	return fmt.Errorf("file %s changed after it was taken: it had %d bytes at %s, and has %d bytes at %s; "+
		"put it back as it was to go on; write files elsewhere and move them here when they are whole, or set min_file_age",
		s.show(e.Path), e.Size, e.MtimeUs, info.Size(), timeOf(info.ModTime()))
}
