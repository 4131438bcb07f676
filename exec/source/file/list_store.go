package file

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/sqlstream/sqlstream/exec/format/sinklog"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

// An object store has no directories and no times of them: it is listed as a whole, with
// sizes, times and versions, a thousand objects a request, and what the rules for
// directories leave out is left out of that.

// scanStore returns every object that was not taken, in the order of keys.
func (l *lister) scanStore(ctx context.Context) ([]found, error) {
	var out []found
	l.listed = true
	err := l.walkStore(ctx, l.after, func(f found) bool {
		if !l.seen.has(f.path) {
			out = append(out, f)
		}
		return true
	})
	return out, err
}

func (l *lister) firstInStore(ctx context.Context) (rel string, ok bool, err error) {
	err = l.walkStore(ctx, "", func(f found) bool {
		rel, ok = f.rel, true
		return false
	})
	return rel, ok, err
}

// walkStore calls visit for each object that the path means; false ends it.
func (l *lister) walkStore(ctx context.Context, after string, visit func(found) bool) error {
	lastDir, inside, enter := "", false, false
	err := l.where.store.Walk(ctx, l.where.root, after, func(file string, info fs.FileInfo) error {
		rel, err := filepath.Rel(l.where.root, file)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if l.where.pattern == "" && strings.HasPrefix(rel, sinklog.Dir+"/") {
			l.sawLog = true
		}
		dir, name := path.Split(rel)
		if dir != lastDir || lastDir == "" {
			inside, enter = l.enterStore(dir)
			lastDir = dir
		}
		if !enter || hidden(name) || !l.wanted(rel, name, inside) {
			return nil
		}
		if !visit(found{path: file, rel: rel, size: info.Size(), time: timeOf(info.ModTime()), version: vfs.Version(info)}) {
			return errStop
		}
		return nil
	})
	if errors.Is(err, errStop) {
		return nil
	}
	return err
}

// enterStore applies the rules for directories to each part of a key before its name.
func (l *lister) enterStore(dir string) (inside, enter bool) {
	inside, enter = l.where.pattern == "", true
	rel := ""
	for _, part := range strings.FieldsFunc(dir, func(r rune) bool { return r == '/' }) {
		rel = path.Join(rel, part)
		if hidden(part) {
			return false, false
		}
		if inside, enter = l.enter(rel, part, inside); !enter {
			return false, false
		}
	}
	return inside, enter
}

// due reports that a store may be listed again.
func (s *Source) due() bool {
	if s.where.store == nil {
		return true
	}
	now := s.cfg.Clock.Now().UnixMicro()
	if s.looked != 0 && now-s.looked < s.set.listEveryUs {
		return false
	}
	s.looked, s.fromNow = now, true
	return true
}
