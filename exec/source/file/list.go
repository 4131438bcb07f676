package file

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

// relistAfter bounds how long an unchanged modification time of a directory is
// trusted: a clock of a remote file system may be coarse or off.
const relistAfter = 5 * time.Second

// lister finds the files of a location that were not taken yet. Adding a file changes
// the time of its directory, so a directory that did not change is not read again:
// a trigger that finds nothing costs one Stat per directory.
type lister struct {
	fs        vfs.FS
	where     location
	parts     []string // components of the pattern; nil = match whole paths (**, {a/b})
	recursive bool
	filter    string
	seen      *seenSet
	clock     clock.Clock          // nil = trust nothing
	dirs      map[string]*dirState // by path relative to the root
	after     string               // of a store: the listing begins behind this path
	listed    bool                 // a store was listed
	sawLog    bool                 // and has the log of a file sink
}

// dirState is what is known of a directory.
type dirState struct {
	modified time.Time
	listed   time.Time // by our clock
	dirs     []string  // names of the directories to look into
	pending  []string  // names of files that were not taken
	inside   []bool    // of each dir: lies in something the pattern matched
}

func newLister(fsys vfs.FS, where location, set settings, seen *seenSet) *lister {
	l := &lister{fs: fsys, where: where, recursive: set.recursive, filter: set.filter, seen: seen, dirs: map[string]*dirState{}}
	if p := where.pattern; p != "" && !strings.Contains(p, "**") && !bracedSlash(p) {
		l.parts = strings.Split(p, "/")
	}
	return l
}

func bracedSlash(p string) bool {
	open := strings.IndexByte(p, '{')
	return open >= 0 && strings.Contains(p[open:], "/")
}

// scan returns every file that was not taken, in no order. With fresh, directories are
// read even if they look unchanged.
func (l *lister) scan(ctx context.Context, fresh bool) ([]found, error) {
	var out []found
	if l.where.single != "" {
		return l.add(nil, "", l.where.single)
	}
	if l.where.store != nil {
		return l.scanStore(ctx)
	}
	err := l.walk(ctx, "", l.where.pattern == "", fresh, func(rel, name string) (bool, error) {
		var err error
		out, err = l.add(out, rel, name)
		return true, err
	})
	return out, err
}

// first returns the path of any file below the root.
func (l *lister) first(ctx context.Context) (rel string, ok bool, err error) {
	if l.where.single != "" {
		return l.where.single, true, nil
	}
	if l.where.store != nil {
		return l.firstInStore(ctx)
	}
	err = l.walk(ctx, "", l.where.pattern == "", false, func(dir, name string) (bool, error) {
		rel, ok = path.Join(dir, name), true
		return false, nil
	})
	if errors.Is(err, errStop) {
		err = nil
	}
	return rel, ok, err
}

var errStop = errors.New("stop")

// walk calls visit for each pending file below dir; false ends it.
func (l *lister) walk(ctx context.Context, dir string, inside, fresh bool, visit func(dir, name string) (bool, error)) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	st, err := l.state(dir, inside, fresh)
	if err != nil {
		return err
	}
	for _, name := range st.pending {
		more, err := visit(dir, name)
		if err != nil {
			return err
		}
		if !more {
			return errStop
		}
	}
	for i, name := range st.dirs {
		if err := l.walk(ctx, path.Join(dir, name), st.inside[i], fresh, visit); err != nil {
			return err
		}
	}
	return nil
}

// state lists a directory, or takes what it knows. A directory below the root that
// vanished is empty; a root that vanished is an error.
func (l *lister) state(dir string, inside, fresh bool) (*dirState, error) {
	abs := filepath.Join(l.where.root, filepath.FromSlash(dir))
	info, err := l.fs.Stat(abs)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s: %w", abs, fs.ErrNotExist)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist) && dir != "":
		delete(l.dirs, dir)
		return &dirState{}, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("directory %s is gone", abs)
	case err != nil:
		return nil, err
	}
	now := time.Time{}
	if l.clock != nil {
		now = l.clock.Now()
	}
	if st := l.dirs[dir]; st != nil && !fresh && st.modified.Equal(info.ModTime()) && l.trust(st, now) {
		st.forgetTaken(l.seen, abs)
		return st, nil
	}
	st := &dirState{modified: info.ModTime(), listed: now}
	if err := l.read(st, dir, abs, inside); err != nil {
		return nil, err
	}
	l.dirs[dir] = st
	return st, nil
}

// trust reports whether an equal modification time says that nothing was added: it
// must have been old when the directory was read, and that not too long ago.
func (l *lister) trust(st *dirState, now time.Time) bool {
	return l.clock != nil && st.listed.Sub(st.modified) > 2*time.Second && now.Sub(st.listed) < relistAfter
}

func (st *dirState) forgetTaken(seen *seenSet, dir string) {
	kept := st.pending[:0]
	for _, name := range st.pending {
		if !seen.hasIn(dir, name) {
			kept = append(kept, name)
		}
	}
	st.pending = kept
}

func (l *lister) abs(dir, name string) string {
	return filepath.Join(l.where.root, filepath.FromSlash(dir), name)
}

// read lists a directory into st. Symbolic links to files are followed, those to
// directories are not: they could lead out of the location, or round in circles.
func (l *lister) read(st *dirState, dir, abs string, inside bool) error {
	entries, err := l.fs.ReadDir(abs)
	if errors.Is(err, fs.ErrNotExist) && dir != "" {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := e.Name()
		if hidden(name) || !e.IsDir() && l.seen.hasIn(abs, name) {
			continue
		}
		rel := path.Join(dir, name)
		switch kind := e.Type(); {
		case kind.IsDir():
			if within, enter := l.enter(rel, name, inside); enter {
				st.dirs, st.inside = append(st.dirs, name), append(st.inside, within)
			}
		case kind.IsRegular(), kind&fs.ModeSymlink != 0:
			if l.wanted(rel, name, inside) {
				st.pending = append(st.pending, name)
			}
		}
	}
	return nil
}

// enter decides whether to look into a directory, and whether it lies in something
// that the pattern matched as a whole.
func (l *lister) enter(rel, name string, inside bool) (within, enter bool) {
	if inside && (l.recursive || strings.Contains(name, "=")) {
		return true, true
	}
	if l.where.pattern == "" {
		return false, false
	}
	if matches(l.where.pattern, rel) {
		return true, true
	}
	if l.parts == nil {
		return false, true
	}
	depth := strings.Count(rel, "/")
	return false, depth < len(l.parts)-1 && matches(l.parts[depth], name)
}

func (l *lister) wanted(rel, name string, inside bool) bool {
	if l.filter != "" && !matches(l.filter, name) {
		return false
	}
	return inside || matches(l.where.pattern, rel)
}

func matches(pattern, name string) bool {
	ok, err := doublestar.Match(pattern, name)
	return ok && err == nil
}

// add appends a file with its size and time, if it is still there and a file.
func (l *lister) add(out []found, dir, name string) ([]found, error) {
	abs := l.abs(dir, name)
	if l.where.single != "" && l.seen.has(abs) {
		return out, nil
	}
	info, err := l.fs.Stat(abs)
	switch {
	case errors.Is(err, fs.ErrNotExist) && l.where.single == "":
		return out, nil
	case err != nil:
		return out, err
	case !info.Mode().IsRegular():
		return out, nil
	}
	return append(out, found{path: abs, rel: path.Join(dir, name), size: info.Size(), time: timeOf(info.ModTime())}), nil
}
