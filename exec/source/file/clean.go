package file

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

// checkCleaning refuses what could lose or re-read files.
func checkCleaning(c source.Config, set settings, where location, isSink bool) error {
	if set.clean == "off" {
		return nil
	}
	if isSink {
		return diag.NewError(nil, diag.Errorf(diag.OptionConflict, set.cleanSpan,
			"clean_source = '%s' would remove files that the log of the sink in %s lists", set.clean, set.path))
	}
	if set.clean != "archive" {
		return nil
	}
	dir, err := vfs.Abs(c.Dir, set.archiveDir)
	if err != nil {
		return err
	}
	if within(dir, where.root) || within(where.root, dir) {
		return diag.NewError(nil, diag.Errorf(diag.OptionConflict, set.archiveAt,
			"archive_dir %q overlaps the path %q", set.archiveDir, set.path).
			WithHint("archived files would be read again; choose a directory elsewhere"))
	}
	return nil
}

func within(dir, root string) bool {
	return dir == root || strings.HasPrefix(dir, strings.TrimSuffix(root, string(filepath.Separator))+string(filepath.Separator))
}

// Committed implements source.Source: files go once a later micro-batch is committed,
// as Spark does it. Until then a restart might read them again.
func (s *Source) Committed(_ context.Context, r source.Range) error {
	files, err := decodeEntries(r)
	if err != nil {
		return s.wrap(err)
	}
	if len(files) > 0 {
		s.committed.Store(files[0].BatchID)
	}
	if s.set.clean == "off" {
		return nil
	}
	for _, e := range s.cleanUp {
		if len(files) > 0 && e.BatchID >= files[0].BatchID {
			continue // this range, restored and run again
		}
		if err := s.clean(e); err != nil {
			return s.wrap(fmt.Errorf("clean_source = '%s': file %s: %w", s.set.clean, s.show(e.Path), err))
		}
	}
	s.cleanUp = files
	return nil
}

func (s *Source) clean(e entry) error {
	err := error(nil)
	if s.set.clean == "delete" {
		err = s.cfg.FS.Remove(e.Path)
	} else {
		err = s.archive(e)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil // gone already
	}
	return err
}

// archive moves a file to its path below the archive, and never over another file.
func (s *Source) archive(e entry) error {
	rel, err := s.rel(e.Path)
	if err != nil {
		return err
	}
	if _, err := s.cfg.FS.Stat(e.Path); err != nil {
		return err
	}
	dir, err := vfs.Abs(s.cfg.Dir, s.set.archiveDir)
	if err != nil {
		return err
	}
	target := filepath.Join(dir, filepath.FromSlash(rel))
	if err := noLinkBelow(s.cfg.FS, dir, filepath.Dir(rel)); err != nil {
		return err
	}
	if err := s.cfg.FS.MkdirAll(filepath.Dir(target)); err != nil {
		return err
	}
	free := target
	for n := 1; ; n++ {
		if _, err := s.cfg.FS.Stat(free); errors.Is(err, fs.ErrNotExist) {
			break
		} else if err != nil {
			return err
		}
		free = target + "." + strconv.Itoa(n)
	}
	if err := s.cfg.FS.Rename(e.Path, free); err == nil || errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return copyAway(s.cfg.FS, e.Path, free) // another file system
}

// noLinkBelow refuses an archive in which a directory is a symbolic link: files must
// not leave it.
func noLinkBelow(fsys vfs.FS, dir, rel string) error {
	for _, part := range strings.Split(filepath.ToSlash(rel), "/") {
		entries, err := fsys.ReadDir(dir)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		for _, e := range entries {
			if e.Name() == part && e.Type()&fs.ModeSymlink != 0 {
				return fmt.Errorf("%s is a symbolic link", filepath.Join(dir, part))
			}
		}
		dir = filepath.Join(dir, part)
	}
	return nil
}

func copyAway(fsys vfs.FS, from, to string) error {
	in, err := fsys.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := fsys.Create(to + ".tmp")
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err == nil {
		err = out.Sync()
	}
	if err = errors.Join(err, out.Close()); err == nil {
		err = fsys.Rename(to+".tmp", to)
	}
	if err != nil {
		_ = fsys.Remove(to + ".tmp")
		return err
	}
	return fsys.Remove(from)
}
