package file

import (
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/sqlstream/sqlstream/exec/format/sinklog"
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

// Files leave the log when it is compacted: old ones by retention, small ones that a
// merged one of the batch stands for. First their names are noted (.gone), then the log
// forgets them, and after a delay the files are removed. A crash between leaves names of
// files that the log still has; those are not removed.

// keep says which files stay in the log when a batch compacts it.
func (s *Sink) keep(added []sinklog.File) func([]sinklog.File) ([]sinklog.File, error) {
	return func(old []sinklog.File) ([]sinklog.File, error) {
		now := s.cfg.Clock.Now()
		replaced := map[string]bool{}
		for _, f := range added {
			for _, name := range f.Replaces {
				replaced[name] = true
			}
		}
		var stay, leave []sinklog.File
		for _, f := range old {
			if replaced[f.Name] || s.expired(f, now) {
				leave = append(leave, f)
			} else {
				stay = append(stay, f)
			}
			delete(replaced, f.Name)
		}
		if len(replaced) > 0 {
			return nil, fmt.Errorf("a merged file stands for files that the log does not have any more; the batch must be computed again (RESUME QUERY … RECOMPUTE)")
		}
		if len(stay)+len(added) == 0 && len(leave) > 0 { // a log without any file has no schema
			stay, leave = leave[len(leave)-1:], leave[:len(leave)-1]
		}
		return stay, s.note(leave, now)
	}
}

func (s *Sink) expired(f sinklog.File, now time.Time) bool {
	return s.retention > 0 && now.Sub(f.Mtime) > s.retention
}

// note adds files to the list of those that are removed later.
func (s *Sink) note(files []sinklog.File, now time.Time) error {
	if len(files) == 0 || mutant.On("files that leave the log are not noted") {
		return nil
	}
	if err := s.loadGone(); err != nil {
		return err
	}
	list, due := slices.Clone(s.gone), now.Add(s.delay).UnixMilli()
	for _, f := range files {
		if !slices.ContainsFunc(list, func(g sinklog.Gone) bool { return g.Name == f.Name }) {
			list = append(list, sinklog.Gone{Name: f.Name, Due: due})
		}
	}
	return s.setGone(list)
}

func (s *Sink) loadGone() (err error) {
	if s.goneRead {
		return nil
	}
	s.gone, err = s.log.Gone()
	s.goneRead = err == nil
	return err
}

func (s *Sink) setGone(list []sinklog.Gone) error {
	err := s.log.SetGone(list)
	if s.gone = list; err != nil {
		s.goneRead = false // who knows what is there
	}
	return err
}

// bury removes files that have left the log long enough ago.
func (s *Sink) bury() error {
	if err := s.loadGone(); err != nil || len(s.gone) == 0 {
		return err
	}
	now := s.cfg.Clock.Now().UnixMilli()
	if !slices.ContainsFunc(s.gone, func(g sinklog.Gone) bool { return g.Due <= now }) {
		return nil
	}
	listed, err := s.names()
	if err != nil {
		return err
	}
	var rest []sinklog.Gone
	dirs := map[string]bool{}
	for _, g := range s.gone {
		switch {
		case listed[g.Name] && !mutant.On("a file is removed while the log has it"): // a crash came before the log forgot it
		case g.Due > now:
			rest = append(rest, g)
		default:
			if err := s.cfg.FS.Remove(s.abs(g.Name)); err != nil && !isMissing(err) {
				return err
			}
			dirs[filepath.Dir(s.abs(g.Name))] = true
		}
	}
	for dir := range dirs { // or a file may come back that nobody knows of
		if err := vfs.SyncDir(s.cfg.FS, dir); err != nil && !isMissing(err) {
			return err
		}
	}
	return s.setGone(rest)
}

// names are those of the files in the log.
func (s *Sink) names() (map[string]bool, error) {
	files, _, err := s.log.Files()
	out := make(map[string]bool, len(files))
	for _, f := range files {
		out[f.Name] = true
	}
	return out, err
}
